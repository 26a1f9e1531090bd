//! One self-play game in progress.

use crate::lineup::{Lineup, Seat};
use crate::progress::{Counters, add};
use crate::sparring::{Partner, Partners};
use crate::verdict::{Opinion, is_test};
use crate::{SelfplayConfig, derive_seed};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::borrow::Cow;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules, Setup, Side};
use tafl_samples::{Ending, GameRecord, Handicap, PlyRecord, SearchRecord};
use tafl_search::{Evaluation, Leaf, Mode, RootStats, Search, SearchConfig, Step};

/// Whether a ply is searched to be learned from, searched only to be played, or drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    Cheap,
    Random,
}

/// A handicap and how long it lasts.
#[derive(Debug, Clone, Copy)]
struct LiveHandicap {
    handicap: Handicap,
    /// The ply at which it is over; `None` where it lasts for the whole game.
    end: Option<usize>,
}

impl LiveHandicap {
    fn new(handicap: Handicap, config: &SelfplayConfig, game_seed: u64) -> Self {
        let [least, greatest] = config.handicap_plies;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(game_seed, &[7]));
        let end = rng.random_range(least..=greatest);
        let is_limited = greatest > 0;
        Self {
            handicap,
            end: is_limited.then_some(end as usize),
        }
    }

    /// Returns what a sparring partner has to bear in all of its plies.
    fn of(partner: Partner) -> Option<Self> {
        let Partner { side, rate, .. } = partner;
        (rate > 0.0).then_some(Self {
            handicap: Handicap { side, rate },
            end: None,
        })
    }

    fn lasts(&self, plies: usize) -> bool {
        self.end.is_none_or(|end| plies < end)
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
    lineup: Arc<Lineup<'a>>,
    /// The side that the past player has, if it plays.
    past_side: Option<Side>,
    partner: Option<Partner>,
    game_id: u64,
    seed: u64,
    /// Draws the effort of each ply.
    efforts: Xoshiro256PlusPlus,
    effort: Effort,
    handicap: Option<LiveHandicap>,
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
    pub(crate) fn start(
        lineup: Arc<Lineup<'a>>,
        (ruleset, rules): (usize, &Arc<Rules>),
        game_id: u64,
        run_seed: u64,
    ) -> Self {
        let seed = derive_seed(run_seed, &[lineup.generation.into(), game_id]);
        let config = &lineup.config;
        let course = &lineup.course;
        let game = course.opening(config, (ruleset, rules), seed);
        let opening = game
            .moves()
            .iter()
            .map(|&mv| PlyRecord { mv, search: None });
        let plies: Vec<PlyRecord> = opening.collect();
        let mut efforts = Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, &[1]));
        let partner = course.partner(ruleset, seed);
        let handicap = match partner {
            Some(partner) => LiveHandicap::of(partner),
            None => course
                .handicap(ruleset, seed)
                .map(|handicap| LiveHandicap::new(handicap, config, seed)),
        };
        let effort = draw_effort(&game, handicap, config.full_search_fraction, &mut efforts);
        let (search, mode, search_seed) = search_of(&lineup, effort, seed, plies.len());
        let search = Search::new(&search, game, mode, search_seed);
        let opening_plies = plies.len();
        let is_test = is_test(seed, config);
        Self {
            past_side: lineup.draw_past_side(seed).filter(|_| partner.is_none()),
            partner,
            lineup,
            game_id,
            seed,
            efforts,
            effort,
            handicap,
            opinion: Opinion::default(),
            is_test,
            search,
            opening_plies,
            plies,
            counted: 0,
        }
    }

    /// Plays plies until the search needs an evaluation or the game ends.
    pub(crate) fn play_on(&mut self, partners: &mut Partners) -> Pause {
        loop {
            if let Some(outcome) = self.search.game().outcome() {
                return Pause::Ended(outcome.into());
            }
            if self.plies.len() >= self.lineup.config.max_plies as usize {
                return Pause::Ended(Ending::CAPPED);
            }
            if self.effort == Effort::Random {
                self.play_random();
                continue;
            }
            let to_move = self.search.game().position().side();
            if let Some(partner) = self.partner.filter(|partner| partner.side == to_move) {
                let mv = partners.choose(partner.depth, &mut self.search.game().clone());
                self.play(mv, None);
                continue;
            }
            match self.search.select() {
                Step::Evaluate => return Pause::Evaluate,
                Step::Finished => self.play_chosen(),
            }
        }
    }

    /// Returns who plays.
    pub(crate) const fn lineup(&self) -> &Arc<Lineup<'a>> {
        &self.lineup
    }

    /// Returns who of them takes part.
    pub(crate) const fn seats(&self) -> &'static [Seat] {
        match self.past_side {
            Some(_) => &[Seat::Newest, Seat::Past],
            None => &[Seat::Newest],
        }
    }

    /// Returns who chooses the next ply.
    pub(crate) fn seat(&self) -> Seat {
        self.seat_of(self.search.game().position().side())
    }

    fn seat_of(&self, side: Side) -> Seat {
        match self.past_side {
            Some(past) if past == side => Seat::Past,
            _ => Seat::Newest,
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
        let name = |side| match self.partner {
            Some(partner) if partner.side == side => partner.name(),
            _ => self.lineup.contender(self.seat_of(side)).name.clone(),
        };
        GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            generation: self.lineup.generation,
            attackers: name(Side::Attacker),
            defenders: name(Side::Defender),
            opening_plies: self.opening_plies as u32,
            handicap: self.handicap.map(|live| live.handicap),
            plies: self.plies,
            ending,
        }
    }

    /// Returns the chance of a full search, which is less once the game is called decided.
    fn full_fraction(&self) -> f32 {
        let config = &self.lineup.config;
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
        // The past player's plies are its own policy, from which nobody is to learn.
        let is_sample = self.effort == Effort::Full && self.seat() == Seat::Newest;
        let search = is_sample.then(|| search_record(&stats));
        if let Some(search) = &search {
            let side = self.search.game().position().side();
            self.opinion.hear(side, search, &self.lineup.config);
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
        let seat = self.seat();
        self.plies.push(PlyRecord { mv, search });
        self.search
            .advance(mv)
            .expect("a search chooses among the legal moves");
        let game = self.search.game();
        let full_fraction = self.full_fraction();
        let effort = draw_effort(game, self.handicap, full_fraction, &mut self.efforts);
        if effort != Effort::Full || self.effort != Effort::Full || seat != self.seat() {
            // Another effort or player is another search; its tree starts empty.
            let (config, mode, seed) = search_of(&self.lineup, effort, self.seed, self.plies.len());
            self.search.begin_anew(&config, mode, seed);
        }
        self.effort = effort;
    }
}

/// Draws what goes into the next ply; `full_fraction` is the chance of a full search.
fn draw_effort(
    game: &Game,
    handicap: Option<LiveHandicap>,
    full_fraction: f32,
    rng: &mut Xoshiro256PlusPlus,
) -> Effort {
    let now = handicap.filter(|live| live.lasts(game.moves().len()));
    if let Some(LiveHandicap { handicap, end }) = now {
        if handicap.side == game.position().side() && rng.random::<f32>() < handicap.rate {
            return Effort::Random;
        }
        if end.is_some() {
            return Effort::Cheap;
        }
    }
    let full = rng.random::<f32>() < full_fraction;
    if full { Effort::Full } else { Effort::Cheap }
}

/// Returns config, mode and seed of the search of a ply.
fn search_of<'a>(
    lineup: &'a Lineup<'_>,
    effort: Effort,
    game_seed: u64,
    plies: usize,
) -> (Cow<'a, SearchConfig>, Mode, u64) {
    let seed = derive_seed(game_seed, &[2, plies as u64]);
    let full = &lineup.search;
    match effort {
        Effort::Full | Effort::Random => (Cow::Borrowed(full), Mode::SelfPlay, seed),
        Effort::Cheap => {
            let visits = lineup.config.cheap_visits.min(full.visits);
            let cheap = SearchConfig {
                visits,
                ..full.clone()
            };
            (Cow::Owned(cheap), Mode::Match, seed)
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
