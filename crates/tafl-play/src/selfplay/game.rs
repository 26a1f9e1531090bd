//! A game of self-play in progress.

use super::SelfplayPlan;
use super::opening::{Opening, Verdict};
use super::ply::{Effort, Mover, PlyKind, draw_kind};
use crate::curriculum::{Partner, Uneven};
use crate::evaluators::Participant;
use crate::opening::winning_move;
use crate::player::{Choosers, NoMove, Player, PlayerError, Searcher, Turn};
use crate::runner::{LiveGame, Pause};
use crate::search_record;
use crate::seeds::Purpose;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{Move, Rules, Setup, Side};
use tafl_samples::{Ending, GameKind, GameRecord, PlyRecord, SearchRecord, weakness};
use tafl_search::{Evaluation, Leaf, Mode, Search, SearchConfig, Step, Weakness};

/// First plies after the opening in which cheap searches have noise too, so that games differ. Danihelka et al. draw the
/// first 30 plies.
const NOISY_PLIES: usize = 12;

/// A game in progress, with the search of its next ply.
pub(super) struct SelfplayGame {
    plan: Arc<SelfplayPlan>,
    /// Who searches now; the plan's player, or a newer one.
    participant: [Participant; 1],
    /// Who plays the attackers and the defenders in place of the network.
    alpha_beta: [Option<Player>; 2],
    /// Plies of alpha-beta that are learned from, and whose they are.
    taught: Vec<(usize, Side)>,
    game_id: u64,
    seed: u64,
    /// Draws the kind of each ply.
    efforts: Xoshiro256PlusPlus,
    phase: Phase,
    uneven: Option<Uneven>,
    weakness: Weakness,
    search: Search,
    opening_plies: usize,
    plies: Vec<PlyRecord>,
    /// How many of them were searched for samples.
    searched: u64,
}

/// What the next ply belongs to.
enum Phase {
    /// Plies before anyone plays.
    Opening(Opening),
    /// The game itself.
    Play(PlyKind),
}

impl SelfplayGame {
    /// Starts a game, given its number and seed.
    pub(super) fn start(
        plan: Arc<SelfplayPlan>,
        rules: &Arc<Rules>,
        game_id: u64,
        seed: u64,
        uneven: Option<Uneven>,
    ) -> Self {
        let alpha_beta = Side::ALL.map(|side| uneven.and_then(|it| it.alpha_beta(side)));
        let partner = match uneven {
            Some(Uneven::Partner(Partner { side, player, .. })) => Some((side, player)),
            _ => None,
        };
        let player = Arc::clone(&plan.player);
        let (opening, game) = Opening::draw(&plan.config.opening, rules, seed, 0);
        let search = Search::new(&searcher(&player).search, game, Mode::Match, 0);
        let mut begun = Self {
            alpha_beta: alpha_beta.map(|it| it.map(Player::baseline)),
            taught: Vec::new(),
            participant: [Participant { player, seed: 0 }],
            game_id,
            seed,
            efforts: Purpose::Effort.rng(seed),
            phase: Phase::Opening(opening),
            uneven,
            weakness: weakness(uneven.and_then(Uneven::handicap), partner),
            opening_plies: 0,
            plies: Vec::new(),
            searched: 0,
            search,
            plan,
        };
        begun.begin_opening();
        begun
    }

    pub(super) const fn plan(&self) -> &Arc<SelfplayPlan> {
        &self.plan
    }

    pub(super) fn into_record(mut self, ending: Ending) -> GameRecord {
        for (ply, side) in self.taught {
            let ply = &mut self.plies[ply];
            ply.search = Some(SearchRecord::taught(ply.mv, ending.wdl_for(side)));
        }
        let kind = match self.uneven {
            None => GameKind::Even,
            Some(Uneven::Handicap(_)) => GameKind::Handicap,
            Some(Uneven::Partner(_)) => GameKind::Partner,
            Some(Uneven::Taught(..)) => GameKind::Taught,
        };
        let rules = self.search.game().rules();
        let player = |side: Side| {
            let player = self.alpha_beta[side.index()].as_ref();
            player.unwrap_or(&self.plan.player).id.clone()
        };
        GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            generation: self.plan.generation,
            kind,
            attackers: player(Side::Attacker),
            defenders: player(Side::Defender),
            opening_plies: self.opening_plies as u32,
            handicap: self.uneven.and_then(Uneven::handicap),
            plies: self.plies,
            ending,
        }
    }

    /// Goes on from the first plies of an opening, which its search has.
    fn begin_opening(&mut self) {
        let moves = self.search.game().moves().iter();
        self.plies = moves.map(|&mv| PlyRecord { mv, search: None }).collect();
        match &self.phase {
            Phase::Opening(opening) if !opening.is_start => self.prepare_search(),
            _ => self.begin_play(),
        }
    }

    /// Ends the opening.
    fn begin_play(&mut self) {
        self.opening_plies = self.plies.len();
        self.draw_phase();
        self.prepare_search();
    }

    fn draw_phase(&mut self) {
        let side = self.search.game().position().side();
        let kind = draw_kind(side, self.uneven, &self.plan.config, &mut self.efforts);
        self.phase = Phase::Play(kind);
    }

    /// Goes on with the opening, whose position has been evaluated.
    fn go_on_opening(&mut self) {
        let Phase::Opening(opening) = &mut self.phase else {
            return;
        };
        let stats = self.search.root_stats();
        match opening.judge(&stats) {
            Verdict::Begin => self.begin_play(),
            Verdict::Again => self.draw_opening_again(),
            Verdict::Play(mv) => {
                self.plies.push(PlyRecord { mv, search: None });
                self.search.advance(mv).expect("a legal move is drawn");
                self.prepare_search();
            }
        }
    }

    fn draw_opening_again(&mut self) {
        let Phase::Opening(opening) = &self.phase else {
            return;
        };
        let (config, attempt) = (&self.plan.config.opening, opening.attempt + 1);
        let rules = Arc::clone(self.search.game().rules());
        let (opening, game) = Opening::draw(config, &rules, self.seed, attempt);
        self.phase = Phase::Opening(opening);
        self.search = Search::new(&searcher(self.searching()).search, game, Mode::Match, 0);
        self.begin_opening();
    }

    /// Plays the ply that was prepared, once its search, if it has one, is finished; fails if the partner does.
    fn play_ply(&mut self, kind: PlyKind, choosers: &mut Choosers) -> Result<(), NoMove> {
        let stats = kind.effort.is_search().then(|| self.search.root_stats());
        let side = self.search.game().position().side();
        let mv = match (kind.mover, &stats, &self.alpha_beta[side.index()]) {
            (Mover::Network, Some(stats), _) => stats.chosen,
            (Mover::AlphaBeta, _, Some(player)) => {
                let mut turn = Turn {
                    game_id: self.game_id,
                    only: Vec::new(),
                    rng: &mut self.efforts,
                };
                choosers.choose(player, &mut self.search.game().clone(), &mut turn)?
            }
            _ => self.random_move(),
        };
        let learned = stats.filter(|_| kind.effort == Effort::Full);
        let checkpoint = self.searching().id.checkpoint();
        let search = learned.map(|stats| SearchRecord {
            checkpoint,
            ..search_record(&stats)
        });
        let is_taught = kind.effort == Effort::Taught;
        if is_taught {
            self.taught.push((self.plies.len(), side));
        }
        self.searched += u64::from(search.is_some() || is_taught);
        self.plies.push(PlyRecord { mv, search });
        self.search.advance(mv).expect("a legal move is chosen");
        self.draw_phase();
        self.prepare_search();
        Ok(())
    }

    /// Returns a move that wins at once, or else any.
    fn random_move(&mut self) -> Move {
        let mut game = self.search.game().clone();
        let moves = game.legal();
        let drawn = moves[self.efforts.random_range(0..moves.len())];
        winning_move(&mut game, &moves).unwrap_or(drawn)
    }

    /// Begins the search of the next ply anew.
    fn prepare_search(&mut self) {
        let full = &searcher(self.searching()).search;
        let (visits, is_noisy) = match &self.phase {
            Phase::Opening(_) => (1, false),
            Phase::Play(kind) if kind.effort == Effort::Cheap => {
                let is_early = self.plies.len() < self.opening_plies + NOISY_PLIES;
                (self.plan.config.cheap_visits, is_early)
            }
            Phase::Play(_) => (full.visits, true),
        };
        let config = SearchConfig {
            visits: visits.min(full.visits),
            ..full.clone()
        };
        let mode = if is_noisy {
            Mode::SelfPlay
        } else {
            Mode::Match
        };
        let seed = Purpose::Search.seed_at(self.seed, self.plies.len());
        self.search.begin_anew(&config, mode, seed);
    }
}

impl LiveGame for SelfplayGame {
    fn play_on(&mut self, choosers: &mut Choosers) -> Result<Pause, PlayerError> {
        loop {
            let outcome = self.search.game().outcome();
            let kind = match (&self.phase, outcome) {
                (Phase::Opening(_), Some(_)) => {
                    self.draw_opening_again();
                    continue;
                }
                (Phase::Play(_), Some(outcome)) => return Ok(Pause::Ended(outcome.into())),
                (Phase::Opening(_), None) => None,
                (Phase::Play(kind), None) => Some(*kind),
            };
            if self.plies.len() >= self.plan.config.max_plies as usize {
                return Ok(Pause::Ended(Ending::CAPPED));
            }
            let is_searched = kind.is_none_or(|kind| kind.effort.is_search());
            if is_searched && self.search.select() == Step::Evaluate {
                return Ok(Pause::Evaluate);
            }
            let Some(kind) = kind else {
                self.go_on_opening();
                continue;
            };
            match self.play_ply(kind, choosers) {
                Ok(()) => {}
                Err(NoMove::Over(ending)) => return Ok(Pause::Ended(ending)),
                Err(NoMove::Unusable(reason)) => return Err(reason),
            }
        }
    }

    fn participants(&self) -> &[Participant] {
        &self.participant
    }

    fn leaf(&self) -> Leaf<'_> {
        let leaf = self.search.leaf();
        match self.phase {
            // Openings are to be even between equals.
            Phase::Opening(_) => leaf,
            Phase::Play(_) => Leaf {
                weakness: self.weakness,
                ..leaf
            },
        }
    }

    fn go_on_with(&mut self, newest: &Arc<Player>) -> bool {
        if self.search.is_begun() {
            return false;
        }
        self.participant[0].player = Arc::clone(newest);
        self.prepare_search();
        let step = self.search.select();
        debug_assert_eq!(step, Step::Evaluate, "the root waits again");
        true
    }

    fn expand(&mut self, evaluation: &Evaluation) {
        self.search.expand(evaluation);
    }

    fn counts(&self) -> [u64; 2] {
        [self.plies.len() as u64, self.searched]
    }
}

fn searcher(player: &Player) -> &Searcher {
    player.searcher().expect("checked at the start")
}
