//! Which worker plays which game, and how their leaves become batches.

use crate::evaluators::Evaluators;
use crate::lineup::{Contender, Lineup};
use crate::live::{LiveGame, Pause};
use crate::progress::Counters;
use crate::sparring::Partners;
use crate::workers::{check_evaluations, run_workers, worker_count};
use crate::{ConfigError, Course, MakeEvaluator, SelfplayConfig, Stop, Stream, Watch, WorkerError};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tafl_rules::{Game, Rules};
use tafl_samples::GameRecord;
use tafl_search::{Evaluation, SearchConfig};

/// Time between two looks of a resting worker.
const REST: Duration = Duration::from_millis(20);

/// The games to play: one generation of self-play.
#[derive(Debug, Clone, Copy)]
pub struct Generation<'a> {
    /// How many games, and how.
    pub config: &'a SelfplayConfig,
    /// How both sides search.
    pub search: &'a SearchConfig,
    /// What the games begin with.
    pub course: &'a Course,
    /// The rules of the games; game `i` is played under number `i` modulo their count.
    pub rules: &'a [Arc<Rules>],
    /// The seed of the whole run.
    pub run_seed: u64,
    /// The number of the generation.
    pub generation: u32,
    /// The name of what plays, such as a checkpoint's.
    pub player: &'a str,
    /// Who plays one side of `config.past_opponent_fraction` of the games, if there is an older player.
    pub past: Option<&'a Contender<'a>>,
    /// Numbers of games that are not played, because they were before the run was interrupted.
    pub done: &'a BTreeSet<u64>,
}

impl<'a> Generation<'a> {
    fn lineup(&self, make_evaluator: &'a MakeEvaluator<'a>) -> Arc<Lineup<'a>> {
        Arc::new(Lineup {
            number: 0,
            generation: self.generation,
            config: self.config.clone(),
            search: self.config.search_of(self.search, self.generation),
            course: self.course.clone(),
            newest: Contender {
                name: self.player.to_owned(),
                make_evaluator: Arc::new(make_evaluator),
            },
            past: self.past.cloned(),
        })
    }
}

/// Why self-play gave no games.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// A number of `[selfplay]` is out of range.
    #[error("[selfplay] {0}")]
    Config(#[from] ConfigError),
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
/// them searches until it needs an evaluation, then all are evaluated in one batch (those that wait for
/// the past player in one of their own); where a device computes beside the worker, two halves take turns. Towards the end of the generation the batches
/// shrink. Game `i` comes from `derive_seed(run_seed, &[generation, i])` alone, so records repeat as
/// far as evaluations do. When the caller stops it, the games finished by then are returned.
///
/// # Errors
/// If a number or a ruleset cannot be used, or a worker fails; the other workers are stopped then.
pub fn generate_games<'a>(
    generation: &Generation<'a>,
    make_evaluator: &'a MakeEvaluator<'a>,
    watch: &Watch<'_>,
) -> Result<Vec<GameRecord>, SelfplayError> {
    let games: Vec<u64> = (0..generation.config.games.into())
        .filter(|game_id| !generation.done.contains(game_id))
        .collect();
    let records = Mutex::new(Vec::with_capacity(games.len()));
    let finished = |record: GameRecord, _| {
        (watch.finished)(&record);
        records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(record);
    };
    let stream = Stream {
        progress: watch.progress,
        finished: &finished,
        rest: &AtomicBool::new(false),
        last: &AtomicBool::new(false),
        stop: watch.stop,
    };
    let session = Session {
        rules: generation.rules,
        run_seed: generation.run_seed,
        numbers: 0..0,
    };
    let lineup = generation.lineup(make_evaluator);
    let count = games.len() as u64;
    let numbers = || games.iter().copied();
    play_all(&session, (count, &numbers), &|| lineup.clone(), &stream)?;
    let mut records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
    records.sort_unstable_by_key(|record| record.game_id);
    Ok(records)
}

/// The games of a stream.
#[derive(Debug, Clone)]
pub struct Session<'a> {
    /// The rules of the games; game `i` is played under number `i` modulo their count.
    pub rules: &'a [Arc<Rules>],
    /// The seed of the whole run.
    pub run_seed: u64,
    /// The numbers of the games, which are played one after the other.
    pub numbers: Range<u64>,
}

/// Plays games one after the other and hands each to the caller as it ends.
///
/// For numbers without an end in sight: nothing is kept here, so memory stays flat, and batches stay full until the
/// caller says that no more games begin. `lineup` is asked who plays whenever a game begins, and must be quick: where it
/// returns another lineup than before, the games in progress are played to their ends by the players with whom they were
/// begun, while the next ones begin beside them, by the new one as soon as a worker has games of at most two others.
/// Workers and games at a time are those of the first lineup. Games are what [`generate_games`] makes of the same numbers;
/// `config.games` does not count.
///
/// # Errors
/// As [`generate_games`]; games handed over by then are whole.
pub fn stream_games<'a>(
    session: &Session<'_>,
    lineup: &(dyn Fn() -> Arc<Lineup<'a>> + Sync),
    stream: &Stream<'_>,
) -> Result<(), SelfplayError> {
    let numbers = &session.numbers;
    let count = numbers.end.saturating_sub(numbers.start);
    play_all(session, (count, &|| numbers.clone()), lineup, stream)
}

/// Plays `count` games, whose numbers `numbers` gives anew to each worker.
fn play_all<'a, I: Iterator<Item = u64>>(
    session: &Session<'_>,
    (count, numbers): (u64, &(impl Fn() -> I + Sync)),
    lineup: &(dyn Fn() -> Arc<Lineup<'a>> + Sync),
    stream: &Stream<'_>,
) -> Result<(), SelfplayError> {
    // Not kept: who plays no more must not be held back by anybody, as its end is told by that.
    let (workers, parallel, cache_positions) = {
        let first = lineup();
        first.check()?;
        let config = &first.config;
        let parallel = config.parallel_games as usize;
        (config.workers, parallel, config.cache_positions as usize)
    };
    check_rules(session.rules)?;
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    let workers = worker_count(workers).min(most);
    let counters = Counters::new(count);
    let work = |number: usize, stop: &Stop<'_>| {
        let numbers = numbers().skip(number).step_by(workers);
        let worker = Worker {
            number,
            parallel,
            session,
            lineup,
            stream,
            stop,
        };
        let desk = Desk {
            numbers: numbers.fuse(),
            newest: lineup(),
            evaluators: Evaluators::new(number, cache_positions),
            partners: Partners::default(),
            counters: &counters,
        };
        worker.play(desk)
    };
    run_workers(workers, stream.stop, &work)?;
    Ok(())
}

fn check_rules(rules: &[Arc<Rules>]) -> Result<(), SelfplayError> {
    if rules.is_empty() {
        return Err(SelfplayError::NoRules);
    }
    let over = |rules: &&Arc<Rules>| Game::new((*rules).clone()).outcome().is_some();
    match rules.iter().find(over) {
        Some(rules) => Err(SelfplayError::StartIsOver(rules.ruleset().name.clone())),
        None => Ok(()),
    }
}

struct Worker<'w, 'g> {
    number: usize,
    /// Games at a time, all groups together.
    parallel: usize,
    session: &'w Session<'w>,
    lineup: &'w (dyn Fn() -> Arc<Lineup<'g>> + Sync),
    stream: &'w Stream<'w>,
    stop: &'w Stop<'w>,
}

/// Games that take turns with those of the other group, if there is one.
struct Group<'g> {
    live: Vec<LiveGame<'g>>,
    /// Whether batches of its leaves are under way.
    under_way: bool,
}

/// What a worker has besides its groups.
struct Desk<'w, 'g, N> {
    numbers: N,
    newest: Arc<Lineup<'g>>,
    evaluators: Evaluators<'g>,
    partners: Partners,
    counters: &'w Counters,
}

impl<'g> Worker<'_, 'g> {
    fn play(&self, mut desk: Desk<'_, 'g, impl Iterator<Item = u64>>) -> Result<(), WorkerError> {
        let mut live = Vec::new();
        self.fill(&mut live, 1, &mut desk)?;
        // While a device computes the leaves of one half, the other half searches.
        let halves = if desk.evaluators.overlap() { 2 } else { 1 };
        let mut groups = Vec::with_capacity(halves);
        for _ in 0..halves {
            self.fill(&mut live, self.parallel.div_ceil(halves), &mut desk)?;
            groups.push(Group {
                live: std::mem::take(&mut live),
                under_way: false,
            });
        }
        for group in &mut groups {
            self.begin(group, &mut desk)?;
        }
        let mut evaluations = Vec::new();
        while groups.iter().any(|group| group.under_way) && !self.stop.is_asked() {
            for group in groups.iter_mut().filter(|group| group.under_way) {
                self.finish(group, &mut evaluations, &mut desk)?;
                self.begin(group, &mut desk)?;
            }
            while self.stream.rest.load(Ordering::Relaxed) && !self.stop.is_asked() {
                std::thread::sleep(REST);
            }
        }
        Ok(())
    }

    /// Begins games until there are as many, or no more.
    fn fill(
        &self,
        live: &mut Vec<LiveGame<'g>>,
        count: usize,
        desk: &mut Desk<'_, 'g, impl Iterator<Item = u64>>,
    ) -> Result<(), WorkerError> {
        while live.len() < count {
            let Some(game) = self.next_game(desk)? else {
                break;
            };
            live.push(game);
        }
        Ok(())
    }

    /// Begins the next game, if there is one, with those who are to play now.
    fn next_game(
        &self,
        desk: &mut Desk<'_, 'g, impl Iterator<Item = u64>>,
    ) -> Result<Option<LiveGame<'g>>, WorkerError> {
        if self.stream.last.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let Some(game_id) = desk.numbers.next() else {
            return Ok(None);
        };
        desk.newest = desk.evaluators.admit((self.lineup)(), &desk.newest);
        let Session {
            rules, run_seed, ..
        } = *self.session;
        let ruleset = game_id as usize % rules.len();
        let lineup = Arc::clone(&desk.newest);
        let game = LiveGame::start(lineup, (ruleset, &rules[ruleset]), game_id, run_seed);
        desk.evaluators.enter(&game)?;
        Ok(Some(game))
    }

    /// Brings every game of a group to its next leaf, and lets a device begin with them.
    fn begin(
        &self,
        group: &mut Group<'g>,
        desk: &mut Desk<'_, 'g, impl Iterator<Item = u64>>,
    ) -> Result<(), WorkerError> {
        self.play_on(&mut group.live, desk)?;
        group.under_way = !group.live.is_empty();
        desk.evaluators.for_each(&mut group.live, |brain, games| {
            if let Some(device) = brain.evaluator.overlapping() {
                let leaves: Vec<_> = games.iter().map(|game| game.leaf()).collect();
                device.begin(&leaves);
            }
            Ok(())
        })?;
        (self.stream.progress)(desk.counters.snapshot());
        Ok(())
    }

    /// Takes the evaluations of a group's leaves into their searches.
    fn finish(
        &self,
        group: &mut Group<'g>,
        evaluations: &mut Vec<Evaluation>,
        desk: &mut Desk<'_, 'g, impl Iterator<Item = u64>>,
    ) -> Result<(), WorkerError> {
        group.under_way = false;
        desk.evaluators.for_each(&mut group.live, |brain, games| {
            let leaves: Vec<_> = games.iter().map(|game| game.leaf()).collect();
            match brain.evaluator.overlapping() {
                Some(device) => device.finish(evaluations),
                None => brain.evaluator.evaluate(&leaves, evaluations),
            }
            check_evaluations(self.number, &leaves, evaluations)?;
            desk.counters.count_batch(leaves.len());
            for (game, evaluation) in games.into_iter().zip(&*evaluations) {
                brain.cache.keep(&game.leaf(), evaluation);
                game.expand(evaluation);
            }
            Ok(())
        })
    }

    /// Brings every game to its next leaf that is not in a cache; a game that ends makes room for the next one.
    fn play_on(
        &self,
        live: &mut Vec<LiveGame<'g>>,
        desk: &mut Desk<'_, 'g, impl Iterator<Item = u64>>,
    ) -> Result<(), WorkerError> {
        let mut slot = 0;
        while slot < live.len() {
            let pause = live[slot].play_on(&mut desk.partners);
            live[slot].count_new_plies(desk.counters);
            match pause {
                Pause::Evaluate => {
                    let cache = &desk.evaluators.of(&live[slot]).cache;
                    match cache.find(&live[slot].leaf()) {
                        Some(evaluation) => {
                            live[slot].expand(evaluation);
                            desk.counters.count_cache_hit();
                        }
                        None => slot += 1,
                    }
                }
                Pause::Ended(ending) => {
                    let ended = match self.next_game(desk)? {
                        Some(next) => std::mem::replace(&mut live[slot], next),
                        None => live.remove(slot),
                    };
                    desk.evaluators.leave(ended.lineup(), &desk.newest);
                    desk.counters.count_game(ending);
                    // Callers may tell from the lineup's owners whether games of it can still come.
                    let lineup = Arc::clone(ended.lineup());
                    (self.stream.finished)(ended.into_record(ending), lineup.number);
                }
            }
        }
        Ok(())
    }
}
