//! Which worker plays which game, and how their leaves become batches.

use crate::cache::Cache;
use crate::live::{LiveGame, Pause, Plan};
use crate::progress::Counters;
use crate::workers::{check_evaluations, run_workers, worker_count};
use crate::{ConfigError, MakeEvaluator, SelfplayConfig, Stop, Watch, WorkerError};
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_rules::{Game, Rules};
use tafl_samples::GameRecord;
use tafl_search::{Evaluation, Evaluator, SearchConfig};

/// The games to play: one generation of self-play.
#[derive(Debug, Clone, Copy)]
pub struct Generation<'a> {
    /// How many games, and how.
    pub config: &'a SelfplayConfig,
    /// How both sides search.
    pub search: &'a SearchConfig,
    /// The rules of the games; game `i` is played under number `i` modulo their count.
    pub rules: &'a [Arc<Rules>],
    /// The seed of the whole run.
    pub run_seed: u64,
    /// The number of the generation.
    pub generation: u32,
    /// The name of what plays, such as a checkpoint's.
    pub player: &'a str,
    /// Numbers of games that are not played, because they were before the run was interrupted.
    pub done: &'a BTreeSet<u64>,
}

/// Why self-play gave no games.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// A number of `[selfplay]` is out of range.
    #[error("[selfplay] {0}")]
    Config(#[from] ConfigError),
    /// A number of `[search]` is out of range.
    #[error("[search] {0}")]
    Search(#[from] tafl_search::ConfigError),
    /// There is nothing to play.
    #[error("no ruleset to play")]
    NoRules,
    /// Games of a ruleset are over before they begin.
    #[error("ruleset {0:?}: the side to move has no legal move in the start position")]
    StartIsOver(String),
    /// A worker failed.
    #[error(transparent)]
    Worker(#[from] WorkerError),
}

/// Plays the games of a generation and returns their records, sorted by game number.
///
/// Worker `w` of `W` plays every `W`th game from the `w`th, up to `parallel_games` at a time: each of
/// them searches until it needs an evaluation, then all are evaluated in one batch; where a device
/// computes beside the worker, two halves take turns. Towards the end of the generation the batches shrink. Game `i` comes from `derive_seed(run_seed, &[generation,
/// i])` alone, so records repeat as far as evaluations do. When the caller stops it, the games
/// finished by then are returned.
///
/// # Errors
/// If a number or a ruleset cannot be used, or a worker fails; the other workers are stopped then.
pub fn generate_games(
    generation: &Generation<'_>,
    make_evaluator: &MakeEvaluator<'_>,
    watch: &Watch<'_>,
) -> Result<Vec<GameRecord>, SelfplayError> {
    generation.check()?;
    let config = generation.config;
    let cheap_search = SearchConfig {
        visits: config.cheap_visits.min(generation.search.visits),
        ..generation.search.clone()
    };
    let plan = Plan {
        config,
        search: generation.search,
        cheap_search: &cheap_search,
        generation: generation.generation,
        player: generation.player,
    };
    let done = generation.done;
    let games: Vec<u64> = (0..config.games.into())
        .filter(|game_id| !done.contains(game_id))
        .collect();
    let workers = worker_count(config.workers).min(games.len());
    let counters = Counters::new(games.len() as u64);
    let work = |worker: usize, stop: &Stop<'_>| {
        let games = games.iter().skip(worker).step_by(workers).map(|&game_id| {
            let rules = &generation.rules[game_id as usize % generation.rules.len()];
            LiveGame::start(plan, rules, game_id, generation.run_seed)
        });
        let worker = Worker {
            number: worker,
            parallel: config.parallel_games as usize,
            cache_places: config.cache_positions as usize,
            watch,
            stop,
        };
        worker.play(games, make_evaluator, &counters)
    };
    let mut records = run_workers(workers, watch.stop, &work)?.concat();
    records.sort_unstable_by_key(|record| record.game_id);
    Ok(records)
}

impl Generation<'_> {
    fn check(&self) -> Result<(), SelfplayError> {
        self.config.check()?;
        self.search.check()?;
        if self.rules.is_empty() {
            return Err(SelfplayError::NoRules);
        }
        let over = |rules: &&Arc<Rules>| Game::new((*rules).clone()).outcome().is_some();
        match self.rules.iter().find(over) {
            Some(rules) => Err(SelfplayError::StartIsOver(rules.ruleset().name.clone())),
            None => Ok(()),
        }
    }
}

struct Worker<'a> {
    number: usize,
    /// Games at a time, all groups together.
    parallel: usize,
    /// Positions whose evaluations are kept.
    cache_places: usize,
    watch: &'a Watch<'a>,
    stop: &'a Stop<'a>,
}

/// Games that are evaluated together; a worker has one such group, or two that take turns.
struct Group<'a> {
    live: Vec<LiveGame<'a>>,
    /// Whether a batch of its leaves is under way.
    under_way: bool,
}

/// What a worker has besides its groups.
struct Desk<'a, G> {
    waiting: G,
    records: Vec<GameRecord>,
    cache: Cache,
    counters: &'a Counters,
}

impl Worker<'_> {
    fn play<'g>(
        &self,
        waiting: impl Iterator<Item = LiveGame<'g>>,
        make_evaluator: &MakeEvaluator<'_>,
        counters: &Counters,
    ) -> Result<Vec<GameRecord>, WorkerError> {
        let mut evaluator = make_evaluator().map_err(|reason| WorkerError::NoEvaluator {
            worker: self.number,
            reason,
        })?;
        let mut desk = Desk {
            waiting,
            records: Vec::new(),
            cache: Cache::new(self.cache_places),
            counters,
        };
        // While a device computes the leaves of one half, the other half searches.
        let halves = if evaluator.overlapping().is_some() {
            2
        } else {
            1
        };
        let mut groups: Vec<Group<'g>> = (0..halves)
            .map(|_| Group {
                live: desk
                    .waiting
                    .by_ref()
                    .take(self.parallel.div_ceil(halves))
                    .collect(),
                under_way: false,
            })
            .collect();
        for group in &mut groups {
            self.begin(group, evaluator.as_mut(), &mut desk);
        }
        let mut evaluations = Vec::new();
        while groups.iter().any(|group| group.under_way) && !self.stop.is_asked() {
            for group in groups.iter_mut().filter(|group| group.under_way) {
                self.finish(group, evaluator.as_mut(), &mut evaluations, &mut desk)?;
                self.begin(group, evaluator.as_mut(), &mut desk);
            }
        }
        Ok(desk.records)
    }

    /// Brings every game of a group to its next leaf, and lets a device begin with them.
    fn begin<'g>(
        &self,
        group: &mut Group<'g>,
        evaluator: &mut dyn Evaluator,
        desk: &mut Desk<'_, impl Iterator<Item = LiveGame<'g>>>,
    ) {
        self.play_on(&mut group.live, desk);
        group.under_way = !group.live.is_empty();
        if let Some(device) = evaluator.overlapping().filter(|_| group.under_way) {
            let leaves: Vec<_> = group.live.iter().map(LiveGame::leaf).collect();
            device.begin(&leaves);
        }
        (self.watch.progress)(desk.counters.snapshot());
    }

    /// Takes the evaluations of a group's leaves into their searches.
    fn finish<'g>(
        &self,
        group: &mut Group<'g>,
        evaluator: &mut dyn Evaluator,
        evaluations: &mut Vec<Evaluation>,
        desk: &mut Desk<'_, impl Iterator<Item = LiveGame<'g>>>,
    ) -> Result<(), WorkerError> {
        let leaves: Vec<_> = group.live.iter().map(LiveGame::leaf).collect();
        match evaluator.overlapping() {
            Some(device) => device.finish(evaluations),
            None => evaluator.evaluate(&leaves, evaluations),
        }
        check_evaluations(self.number, &leaves, evaluations)?;
        desk.counters.count_batch(leaves.len());
        for (game, evaluation) in group.live.iter_mut().zip(&*evaluations) {
            desk.cache.keep(&game.leaf(), evaluation);
            game.expand(evaluation);
        }
        group.under_way = false;
        Ok(())
    }

    /// Brings every game to its next leaf that is not in the cache; a game that ends makes room for the next one.
    fn play_on<'g>(
        &self,
        live: &mut Vec<LiveGame<'g>>,
        desk: &mut Desk<'_, impl Iterator<Item = LiveGame<'g>>>,
    ) {
        let mut slot = 0;
        while slot < live.len() {
            let pause = live[slot].play_on();
            live[slot].count_new_plies(desk.counters);
            match pause {
                Pause::Evaluate => match desk.cache.find(&live[slot].leaf()) {
                    Some(evaluation) => {
                        live[slot].expand(evaluation);
                        desk.counters.count_cache_hit();
                    }
                    None => slot += 1,
                },
                Pause::Ended(ending) => {
                    let ended = match desk.waiting.next() {
                        Some(next) => std::mem::replace(&mut live[slot], next),
                        None => live.remove(slot),
                    };
                    let record = ended.into_record(ending);
                    desk.counters.count_game(ending);
                    (self.watch.finished)(&record);
                    desk.records.push(record);
                }
            }
        }
    }
}
