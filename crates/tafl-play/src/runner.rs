//! Many games at once: which worker plays which game, and how the positions that wait become batches.
//!
//! Self-play and matches are two kinds of [`LiveGame`] over it. A worker owns its games: it brings each one to the next
//! position that needs an evaluation, evaluates all of them as one batch for each player, and goes on. Nothing is locked
//! and nothing queued between games.

use crate::cache::Key;
use crate::config::RunnerConfig;
use crate::evaluators::{CachedEvaluator, Evaluators, Participant};
use crate::player::{Choosers, Player};
use crate::progress::{Counters, Throughput};
use crate::workers::{Stop, WorkerError, check_evaluations, run_workers, worker_count};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tafl_samples::Ending;
use tafl_search::{Evaluation, Leaf};

/// Time between two looks of a resting worker.
const REST: Duration = Duration::from_millis(20);

/// Why a game that plays on came back.
#[derive(Debug)]
pub(crate) enum Pause {
    /// The game is over or cut.
    Ended(Ending),
    /// A search waits for the evaluation of its leaf.
    Evaluate,
    /// Another program has moved, which may have taken long: others have their turn.
    Moved,
}

/// A game in progress.
pub(crate) trait LiveGame {
    /// Plays on until a search needs an evaluation or the game ends.
    fn play_on(&mut self, choosers: &mut Choosers) -> Result<Pause, crate::PlayerError>;
    /// Returns the players who search.
    fn participants(&self) -> &[Participant];
    /// Returns the player whose search waits after [`Pause::Evaluate`]; unless said otherwise, the first who searches.
    fn searching(&self) -> &Arc<Player> {
        &self.participants()[0].player
    }
    /// Returns what it waits for.
    fn leaf(&self) -> Leaf<'_>;
    /// Lets a newer player go on, if the search that waits has seen nothing yet; returns whether it does now.
    fn go_on_with(&mut self, _newest: &Arc<Player>) -> bool {
        false
    }
    /// Goes on with the evaluation of the leaf.
    fn expand(&mut self, evaluation: &Evaluation);
    /// Returns the plies so far and how many of them were searched for records.
    fn counts(&self) -> [u64; 2];
}

/// Callbacks of the runner's caller.
pub(crate) struct Hooks<'a, G> {
    pub(crate) progress: &'a (dyn Fn(Throughput) + Sync),
    /// Returns who goes on with the games in progress, if they do not keep their players.
    pub(crate) newest: &'a (dyn Fn() -> Option<Arc<Player>> + Sync),
    /// Takes each game as it ends, on the worker's thread.
    pub(crate) finished: &'a (dyn Fn(G, Ending) + Sync),
    /// While true, workers rest after their next batch.
    pub(crate) rest: &'a AtomicBool,
    /// Once true, games in progress are dropped.
    pub(crate) stop: &'a AtomicBool,
}

/// Plays `count` games on the workers of a config; `games` gives worker `w` of `W` its own.
pub(crate) fn run<I: Iterator<Item: LiveGame>>(
    config: &RunnerConfig,
    count: u64,
    games: &(dyn Fn(usize, usize) -> I + Sync),
    hooks: &Hooks<'_, I::Item>,
) -> Result<(), WorkerError> {
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    let workers = worker_count(config.workers).min(most);
    let counters = Counters::default();
    let work = |number: usize, stop: &Stop<'_>| {
        let worker = Worker {
            number,
            parallel: config.parallel_games as usize,
            counters: &counters,
            hooks,
            stop,
            games: games(number, workers),
            evaluators: Evaluators::new(number, config.cache_positions as usize),
            choosers: Choosers::default(),
        };
        worker.play()
    };
    run_workers(workers, hooks.stop, &work)
}

struct Worker<'w, I: Iterator> {
    number: usize,
    /// Games at a time, all groups together.
    parallel: usize,
    counters: &'w Counters,
    hooks: &'w Hooks<'w, I::Item>,
    stop: &'w Stop<'w>,
    games: I,
    evaluators: Evaluators,
    choosers: Choosers,
}

/// A place at which one game is played after another.
pub(crate) struct Slot<G> {
    pub(crate) game: G,
    /// Whether its search waits for an evaluation.
    waits: bool,
    /// Under which that evaluation is to be kept, if it is.
    key: Option<Key>,
    /// Plies and searched plies that the counters know.
    counted: [u64; 2],
}

/// Games that take turns with those of the other group, if there is one.
struct Group<G> {
    slots: Vec<Slot<G>>,
    /// Whether batches of its leaves are under way.
    is_under_way: bool,
}

impl<G: LiveGame> Group<G> {
    fn waiting(&mut self) -> Vec<&mut Slot<G>> {
        self.slots.iter_mut().filter(|slot| slot.waits).collect()
    }
}

impl<I: Iterator<Item: LiveGame>> Worker<'_, I> {
    fn play(mut self) -> Result<(), WorkerError> {
        let mut slots = Vec::new();
        self.fill(&mut slots, 1)?;
        // While a device computes the leaves of one half, the other half searches.
        let halves = if self.evaluators.overlap() { 2 } else { 1 };
        let mut groups = Vec::with_capacity(halves);
        for _ in 0..halves {
            self.fill(&mut slots, self.parallel.div_ceil(halves))?;
            groups.push(Group {
                slots: std::mem::take(&mut slots),
                is_under_way: false,
            });
        }
        for group in &mut groups {
            self.begin(group)?;
        }
        let mut evaluations = Vec::new();
        while groups.iter().any(|group| group.is_under_way) && !self.stop.is_asked() {
            for group in groups.iter_mut().filter(|group| group.is_under_way) {
                self.finish(group, &mut evaluations)?;
                self.begin(group)?;
            }
            while self.hooks.rest.load(Ordering::Relaxed) && !self.stop.is_asked() {
                std::thread::sleep(REST);
            }
        }
        Ok(())
    }

    /// Begins games until there are as many, or no more.
    fn fill(&mut self, slots: &mut Vec<Slot<I::Item>>, count: usize) -> Result<(), WorkerError> {
        while slots.len() < count {
            let Some(slot) = self.next_game()? else { break };
            slots.push(slot);
        }
        Ok(())
    }

    fn next_game(&mut self) -> Result<Option<Slot<I::Item>>, WorkerError> {
        let Some(game) = self.games.next() else {
            return Ok(None);
        };
        self.evaluators.enter(game.participants())?;
        Ok(Some(Slot {
            game,
            waits: false,
            key: None,
            counted: [0; 2],
        }))
    }

    /// Brings every game of a group to its next leaf, and lets a device begin with them.
    fn begin(&mut self, group: &mut Group<I::Item>) -> Result<(), WorkerError> {
        self.play_on(&mut group.slots)?;
        group.is_under_way = !group.slots.is_empty();
        self.evaluators.for_each(group.waiting(), |made, slots| {
            if let Some(device) = made.evaluator.overlapping() {
                let leaves: Vec<_> = slots.iter().map(|slot| slot.game.leaf()).collect();
                device.begin(&leaves);
            }
            Ok(())
        })?;
        (self.hooks.progress)(self.counters.snapshot());
        Ok(())
    }

    /// Takes the evaluations of a group's leaves into their searches.
    fn finish(
        &mut self,
        group: &mut Group<I::Item>,
        evaluations: &mut Vec<Evaluation>,
    ) -> Result<(), WorkerError> {
        group.is_under_way = false;
        let (worker, counters) = (self.number, self.counters);
        let evaluate = |made: &mut CachedEvaluator, slots: Vec<&mut Slot<I::Item>>| {
            let leaves: Vec<_> = slots.iter().map(|slot| slot.game.leaf()).collect();
            match made.evaluator.overlapping() {
                Some(device) => device.finish(evaluations),
                None => made.evaluator.evaluate(&leaves, evaluations),
            }
            check_evaluations(worker, &leaves, evaluations)?;
            counters.count_batch(leaves.len());
            for (slot, evaluation) in slots.into_iter().zip(&*evaluations) {
                if let Some(key) = slot.key {
                    made.cache.keep(key, evaluation);
                }
                slot.game.expand(evaluation);
            }
            Ok(())
        };
        self.evaluators.for_each(group.waiting(), evaluate)?;
        for slot in &mut group.slots {
            slot.waits = false;
        }
        Ok(())
    }

    /// Brings every game to its next leaf that is not in a cache; a game that ends makes room for the next one.
    fn play_on(&mut self, slots: &mut Vec<Slot<I::Item>>) -> Result<(), WorkerError> {
        let newest = (self.hooks.newest)();
        let mut place = 0;
        while place < slots.len() && !self.stop.is_asked() {
            let slot = &mut slots[place];
            let pause = slot.game.play_on(&mut self.choosers);
            let pause = pause.map_err(|reason| WorkerError::NoPlayer(self.number, reason))?;
            slot.counted = self.counters.count_plies(slot.game.counts(), slot.counted);
            match pause {
                Pause::Evaluate => {
                    if let Some(newest) = &newest {
                        self.evaluators.change(&mut slot.game, newest)?;
                    }
                    let known = &self.evaluators.of(&slot.game).cache;
                    slot.key = known.key(&slot.game.leaf());
                    match slot.key.and_then(|key| known.find(key)) {
                        Some(evaluation) => {
                            slot.game.expand(evaluation);
                            self.counters.count_cache_hit();
                        }
                        None => {
                            slot.waits = true;
                            place += 1;
                        }
                    }
                }
                Pause::Moved => place += 1,
                Pause::Ended(ending) => {
                    let ended = match self.next_game()? {
                        Some(next) => {
                            let ended = std::mem::replace(&mut slots[place], next);
                            // Players who never wait would play one game after the other here, and those at the
                            // places behind would never have their turn.
                            place += usize::from(slots[place].game.participants().is_empty());
                            ended
                        }
                        None => slots.remove(place),
                    };
                    self.evaluators.leave(ended.game.participants());
                    self.counters.count_game();
                    (self.hooks.finished)(ended.game, ending);
                }
            }
        }
        Ok(())
    }
}
