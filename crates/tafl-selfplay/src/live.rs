//! One self-play game in progress.

use crate::progress::{Counters, add};
use crate::verdict::{Opinion, is_test};
use crate::{HandicapSide, SelfplayConfig, derive_seed, random_opening};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules, Setup, Side};
use tafl_samples::{Ending, GameRecord, PlyRecord, SearchRecord};
use tafl_search::{Evaluation, Leaf, Mode, RootStats, Search, SearchConfig, Step};

/// The numbers that all games of a generation share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) config: &'a SelfplayConfig,
    pub(crate) search: &'a SearchConfig,
    /// The search of plies that are not learned from.
    pub(crate) cheap_search: &'a SearchConfig,
    pub(crate) generation: u32,
    pub(crate) player: &'a str,
}

/// Whether a ply is searched to be learned from, searched only to be played, or drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    Cheap,
    Random,
}

/// The side of a game some of whose plies are random, and how many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handicap {
    side: Side,
    rate: f32,
}

impl Handicap {
    /// Draws the handicap of a game.
    pub(crate) fn draw(game_seed: u64, config: &SelfplayConfig) -> Option<Self> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(game_seed, &[3]));
        let handicapped = rng.random::<f32>() < config.handicap_fraction;
        let side = match config.handicap_side {
            HandicapSide::Attackers => Side::Attacker,
            HandicapSide::Defenders => Side::Defender,
            HandicapSide::Either => Side::ALL[rng.random_range(0..2)],
        };
        let [least, greatest] = config.handicap_rates;
        let rate = least + rng.random::<f32>() * (greatest - least);
        handicapped.then_some(Self { side, rate })
    }
}

/// Why [`LiveGame::play_on`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// The game is over or cut.
    Ended(Ending),
    /// The search waits for the evaluation of its leaf.
    Evaluate,
}

/// A game in progress, with the search of its next ply.
pub(crate) struct LiveGame<'a> {
    plan: Plan<'a>,
    game_id: u64,
    seed: u64,
    /// Draws the effort of each ply.
    efforts: Xoshiro256PlusPlus,
    effort: Effort,
    handicap: Option<Handicap>,
    opinion: Opinion,
    /// Whether it is played without regard to verdicts.
    is_test: bool,
    search: Search,
    opening_plies: usize,
    plies: Vec<PlyRecord>,
    /// How many of them the counters know.
    counted: usize,
}

impl<'a> LiveGame<'a> {
    /// Starts game number `game_id` with its random opening.
    pub(crate) fn start(plan: Plan<'a>, rules: &Arc<Rules>, game_id: u64, run_seed: u64) -> Self {
        let seed = derive_seed(run_seed, &[plan.generation.into(), game_id]);
        let most = plan.config.random_opening_plies;
        let game = random_opening(rules, most, derive_seed(seed, &[0]));
        let opening = game
            .moves()
            .iter()
            .map(|&mv| PlyRecord { mv, search: None });
        let plies: Vec<PlyRecord> = opening.collect();
        let mut efforts = Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, &[1]));
        let handicap = Handicap::draw(seed, plan.config);
        let full_fraction = plan.config.full_search_fraction;
        let effort = Plan::draw_effort(&game, handicap, full_fraction, &mut efforts);
        let (config, mode, search_seed) = plan.search_of(effort, seed, plies.len());
        let search = Search::new(config, game, mode, search_seed);
        let opening_plies = plies.len();
        Self {
            plan,
            game_id,
            seed,
            efforts,
            effort,
            handicap,
            opinion: Opinion::default(),
            is_test: is_test(seed, plan.config),
            search,
            opening_plies,
            plies,
            counted: 0,
        }
    }

    /// Plays plies until the search needs an evaluation or the game ends.
    pub(crate) fn play_on(&mut self) -> Pause {
        loop {
            if let Some(outcome) = self.search.game().outcome() {
                return Pause::Ended(outcome.into());
            }
            if self.plies.len() >= self.plan.config.max_plies as usize {
                return Pause::Ended(Ending::CAPPED);
            }
            if self.effort == Effort::Random {
                self.play_random();
                continue;
            }
            match self.search.select() {
                Step::Evaluate => return Pause::Evaluate,
                Step::Finished => self.play_chosen(),
            }
        }
    }

    pub(crate) fn leaf(&self) -> Leaf<'_> {
        self.search.leaf()
    }

    pub(crate) fn expand(&mut self, evaluation: &Evaluation) {
        self.search.expand(evaluation);
    }

    /// Adds the plies played since the last call to the counters.
    pub(crate) fn count_new_plies(&mut self, counters: &Counters) {
        let new = &self.plies[self.counted..];
        add(&counters.plies, new.len() as u64);
        add(
            &counters.positions,
            new.iter().filter(|ply| ply.search.is_some()).count() as u64,
        );
        self.counted = self.plies.len();
    }

    pub(crate) fn into_record(self, ending: Ending) -> GameRecord {
        let rules = self.search.game().rules();
        GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            generation: self.plan.generation,
            attackers: self.plan.player.to_owned(),
            defenders: self.plan.player.to_owned(),
            opening_plies: self.opening_plies as u32,
            plies: self.plies,
            ending,
        }
    }

    /// Returns the chance of a full search, which is less once the game is called decided.
    fn full_fraction(&self) -> f32 {
        let config = self.plan.config;
        let decided = !self.is_test && self.opinion.verdict(config).is_some();
        let kept = if decided {
            config.decided_search_fraction
        } else {
            1.0
        };
        config.full_search_fraction * kept
    }

    fn play_chosen(&mut self) {
        let stats = self.search.root_stats();
        let search = (self.effort == Effort::Full).then(|| search_record(&stats));
        if let Some(search) = &search {
            let side = self.search.game().position().side();
            self.opinion.hear(side, search, self.plan.config);
        }
        self.play(stats.chosen, search);
    }

    /// Plays a move that wins at once, or else any.
    fn play_random(&mut self) {
        let mut game = self.search.game().clone();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let (mark, side) = (game.mark(), game.position().side());
        let winning = moves.iter().find(|&&mv| {
            game.play_unchecked(mv);
            let winner = game.outcome().and_then(|outcome| outcome.winner);
            game.rewind(&mark);
            winner == Some(side)
        });
        let drawn = moves[self.efforts.random_range(0..moves.len())];
        let mv = winning.copied().unwrap_or(drawn);
        self.play(mv, None);
    }

    fn play(&mut self, mv: Move, search: Option<SearchRecord>) {
        self.plies.push(PlyRecord { mv, search });
        self.search
            .advance(mv)
            .expect("a search chooses among the legal moves");
        let game = self.search.game();
        let full_fraction = self.full_fraction();
        let effort = Plan::draw_effort(game, self.handicap, full_fraction, &mut self.efforts);
        if effort != Effort::Full || self.effort != Effort::Full {
            // Another effort is another search; its tree starts empty.
            let (config, mode, seed) = self.plan.search_of(effort, self.seed, self.plies.len());
            self.search.begin_anew(config, mode, seed);
        }
        self.effort = effort;
    }
}

impl Plan<'_> {
    /// Draws what goes into the next ply; `full_fraction` is the chance of a full search.
    fn draw_effort(
        game: &Game,
        handicap: Option<Handicap>,
        full_fraction: f32,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Effort {
        let side = game.position().side();
        if let Some(handicap) = handicap.filter(|handicap| handicap.side == side)
            && rng.random::<f32>() < handicap.rate
        {
            return Effort::Random;
        }
        let full = rng.random::<f32>() < full_fraction;
        if full { Effort::Full } else { Effort::Cheap }
    }

    /// Returns config, mode and seed of the search of a ply.
    fn search_of(
        &self,
        effort: Effort,
        game_seed: u64,
        plies: usize,
    ) -> (&SearchConfig, Mode, u64) {
        let seed = derive_seed(game_seed, &[2, plies as u64]);
        match effort {
            Effort::Full | Effort::Random => (self.search, Mode::SelfPlay, seed),
            Effort::Cheap => (self.cheap_search, Mode::Match, seed),
        }
    }
}

/// Returns what is stored of a finished search.
#[must_use]
pub fn search_record(stats: &RootStats) -> SearchRecord {
    let moves = stats.moves.iter().filter(|root| root.policy > 0.0);
    let array = |wdl: tafl_search::MoverWdl| [wdl.win, wdl.draw, wdl.loss];
    SearchRecord {
        policy: moves.map(|root| (root.mv, root.policy)).collect(),
        wdl: array(stats.value),
        network_wdl: array(stats.network_value),
        visits: stats.visits,
        proven: stats.proven.is_some(),
        prior_divergence: prior_divergence(stats),
    }
}

/// Returns the Kullback-Leibler divergence of the target policy from the network's prior, in nats:
/// sum over the moves of policy ln(policy / prior).
fn prior_divergence(stats: &RootStats) -> f32 {
    let terms = stats.moves.iter().filter(|root| root.policy > 0.0);
    let sum: f32 = terms
        // A prior may underflow to 0; the least positive number keeps the quotient finite.
        .map(|root| root.policy * (root.policy / root.prior.max(f32::MIN_POSITIVE)).ln())
        .sum();
    // Rounding may bring equal distributions below 0.
    sum.max(0.0)
}
