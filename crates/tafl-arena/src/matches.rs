//! Matches: two players, many openings, each with both sides.

use crate::live::{LiveGame, Pause};
use crate::opening::openings;
use crate::plan::{MatchPlan, PlannedResult, Referee};
use crate::player::Thinker;
use crate::progress::Counters;
use crate::result::{MatchGame, MatchResult};
use crate::{ArenaConfig, MatchWatch, Player, Verdict};
use std::sync::Arc;
use tafl_rules::{Game, Rules};
use tafl_search::Evaluator;
use tafl_selfplay::{
    ConfigError, Stop, WorkerError, derive_seed, evaluate_batch, run_workers, worker_count,
};

/// A match to play.
#[derive(Debug, Clone, Copy)]
pub struct Match<'a> {
    /// How many openings, and how.
    pub config: &'a ArenaConfig,
    /// The players. The first attacks in the first game of each pair; results are seen by the
    /// first.
    pub players: [&'a Player<'a>; 2],
    /// The rules of all games.
    pub rules: &'a Arc<Rules>,
    /// Where everything random in the match comes from.
    pub seed: u64,
    /// The generation that the records belong to.
    pub generation: u32,
}

/// Why a match was not played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// A number of `[arena]` is out of range.
    #[error("[arena] {0}")]
    Config(#[from] ConfigError),
    /// Games of the ruleset are over before they begin.
    #[error("ruleset {0:?}: the side to move has no legal move in the start position")]
    StartIsOver(String),
    /// An opening cannot be played.
    #[error("opening {number}: {reason}")]
    Opening {
        /// The opening, from 1.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A number of the test is out of range.
    #[error("the test's {0}")]
    Sprt(ConfigError),
    /// A worker failed.
    #[error(transparent)]
    Worker(#[from] WorkerError),
}

/// Plays every opening twice with sides changed, and returns all games in order.
///
/// The openings are drawn from the match's seed; [`play_planned`] takes others.
///
/// # Errors
/// If a number or the ruleset cannot be used, or a worker fails; the other workers are stopped
/// then.
pub fn play_match(job: &Match<'_>, watch: &MatchWatch<'_>) -> Result<MatchResult, ArenaError> {
    let config = job.config;
    config.check()?;
    let seed = derive_seed(job.seed, &[0]);
    let plan = MatchPlan::new(openings(
        job.rules,
        config.openings,
        config.opening_plies,
        seed,
    ));
    Ok(play_planned(job, &plan, watch)?.result)
}

/// Plays the games of a plan that are not finished yet, and returns all of its games in order.
///
/// In a mirrored plan both players must be the same one.
///
/// Worker `w` of `W` plays every `W`-th of the openings, up to `parallel_games` games at a time;
/// leaves are evaluated in one batch for each player. Everything random follows from the match's
/// seed and a game's number, so a match that goes on later gives the games it would have given.
/// When the caller stops it, the games finished by then are returned.
///
/// With a test, pairs are judged in the order of the openings whatever the order in which they end,
/// and the match ends with the pair that decides: games of later openings are left out, so that the
/// result is the same for any number of workers.
///
/// # Errors
/// If a number, an opening or the ruleset cannot be used, or a worker fails; the other workers are
/// stopped then.
pub fn play_planned(
    job: &Match<'_>,
    plan: &MatchPlan,
    watch: &MatchWatch<'_>,
) -> Result<PlannedResult, ArenaError> {
    job.check()?;
    plan.check(job.rules)?;
    if let Some(adjudication) = &plan.adjudication {
        adjudication.check()?;
    }
    let referee = Referee::new(plan)?;
    let missing = plan.missing();
    let workers = worker_count(job.config.workers).min(missing.len());
    let counters = Counters::new(plan.games());
    plan.finished
        .iter()
        .for_each(|game| counters.count_game(game));
    let work = |number: usize, stop: &Stop<'_>| {
        let own = missing.iter().skip(number).step_by(workers);
        let games = own.flat_map(|(opening, halves)| {
            let start = move |half: &u64| {
                let moves = &plan.openings[*opening];
                LiveGame::start(job, moves, 2 * *opening as u64 + half)
                    .adjudicated(plan.adjudication)
                    .recorded(plan.mirror)
            };
            halves.iter().map(start)
        });
        Worker {
            job,
            number,
            watch,
            stop,
            counters: &counters,
            referee: &referee,
            mirror: plan.mirror,
        }
        .play(games)
    };
    let mut games = run_workers(workers, watch.stop, &work)?.concat();
    games.extend(plan.finished.iter().cloned());
    games.sort_unstable_by_key(|game| game.record.game_id);
    let sprt = referee.verdict();
    if let Some(sprt) = sprt.filter(|sprt| sprt.verdict() != Verdict::Continue) {
        games.retain(|game| game.opening() < sprt.pairs().pairs());
    }
    let result = MatchResult {
        names: job.players.map(|player| player.name.clone()),
        ruleset: job.rules.ruleset().name.clone(),
        games,
    };
    Ok(PlannedResult { result, sprt })
}

impl Match<'_> {
    fn check(&self) -> Result<(), ArenaError> {
        self.config.check()?;
        match Game::new(self.rules.clone()).outcome() {
            Some(_) => Err(ArenaError::StartIsOver(self.rules.ruleset().name.clone())),
            None => Ok(()),
        }
    }
}

struct Worker<'a> {
    job: &'a Match<'a>,
    number: usize,
    watch: &'a MatchWatch<'a>,
    stop: &'a Stop<'a>,
    counters: &'a Counters,
    referee: &'a Referee,
    /// Whether both players are one, so that one evaluator serves them and batches are larger.
    mirror: bool,
}

impl<'a> Worker<'a> {
    fn play(
        &self,
        mut waiting: impl Iterator<Item = LiveGame<'a>>,
    ) -> Result<Vec<MatchGame>, WorkerError> {
        let mut evaluators = self.make_evaluators()?;
        let mut thinkers = self
            .job
            .players
            .map(|player| player.thinker(self.job.rules));
        // An engine plays one game after the other: nobody else's thinking is to count as its own.
        let has_engine = self.job.players.iter().any(|player| player.is_engine());
        let parallel = match has_engine {
            true => 1,
            false => self.job.config.parallel_games.next_multiple_of(2) as usize,
        };
        let mut live: Vec<LiveGame<'a>> = waiting.by_ref().take(parallel).collect();
        let (mut games, mut evaluations) = (Vec::new(), Vec::new());
        while !live.is_empty() && !self.must_stop() {
            let asking = self.play_on(&mut live, &mut waiting, &mut thinkers, &mut games)?;
            for (player, evaluator) in evaluators.iter_mut().enumerate() {
                let asks = |slot: &usize| asking[*slot] == player;
                let slots: Vec<usize> = (0..live.len()).filter(asks).collect();
                let (Some(evaluator), false) = (evaluator, slots.is_empty()) else {
                    continue;
                };
                let leaves: Vec<_> = slots.iter().map(|&slot| live[slot].leaf()).collect();
                evaluate_batch(self.number, evaluator.as_mut(), &leaves, &mut evaluations)?;
                self.counters.count_batch(leaves.len());
                for (&slot, evaluation) in slots.iter().zip(&evaluations) {
                    live[slot].expand(evaluation);
                }
            }
            (self.watch.progress)(self.counters.snapshot());
        }
        Ok(games)
    }

    /// Returns whether the caller, a failed worker or the test asks to stop.
    fn must_stop(&self) -> bool {
        self.stop.is_asked() || self.referee.has_decided()
    }

    /// Returns whether both players ask for evaluations.
    fn all_search(&self) -> bool {
        let players = self.job.players.iter();
        players.into_iter().all(|player| player.search().is_some())
    }

    fn make_evaluators(&self) -> Result<[Option<Box<dyn Evaluator + 'a>>; 2], WorkerError> {
        let make = |player: usize| {
            let seed = derive_seed(self.job.seed, &[2, player as u64]);
            let made = self.job.players[player].evaluator(seed);
            made.map_err(|reason| WorkerError::NoEvaluator {
                worker: self.number,
                reason,
            })
        };
        let second = if self.mirror { None } else { make(1)? };
        Ok([make(0)?, second])
    }

    /// Brings every game to its next leaf and returns the player who asks, for each; a game that
    /// ends makes room for the next one.
    fn play_on(
        &self,
        live: &mut Vec<LiveGame<'a>>,
        waiting: &mut impl Iterator<Item = LiveGame<'a>>,
        thinkers: &mut [Option<Thinker<'a>>; 2],
        games: &mut Vec<MatchGame>,
    ) -> Result<Vec<usize>, WorkerError> {
        let mut asking = Vec::with_capacity(live.len());
        while let Some(game) = live.get_mut(asking.len()) {
            let before = game.plies();
            let pause = game
                .play_on(thinkers)
                .map_err(|reason| WorkerError::NoEvaluator {
                    worker: self.number,
                    reason: reason.into(),
                })?;
            self.counters.count_plies(game.plies() - before);
            match pause {
                Pause::Evaluate(player) => asking.push(if self.mirror { 0 } else { player }),
                Pause::Moved => asking.push(usize::MAX),
                Pause::Ended(ending) => {
                    let ended = match waiting.next() {
                        Some(next) => {
                            // Players who never ask would play one game after the other here, while
                            // those that wait beside it are never reached.
                            if !self.all_search() {
                                asking.push(usize::MAX);
                            }
                            std::mem::replace(game, next)
                        }
                        None => live.remove(asking.len()),
                    };
                    let ended = ended.into_match_game(ending);
                    self.counters.count_game(&ended);
                    self.referee.hear(&ended);
                    (self.watch.finished)(&ended);
                    (self.watch.progress)(self.counters.snapshot());
                    games.push(ended);
                }
            }
            if self.must_stop() {
                break;
            }
        }
        // When stopped, the games not reached ask for nothing.
        asking.resize(live.len(), usize::MAX);
        Ok(asking)
    }
}
