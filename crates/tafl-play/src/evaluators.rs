//! The evaluators that the games of one worker need, each with its cache.

use crate::cache::Cache;
use crate::player::Player;
use crate::runner::{LiveGame, Slot};
use crate::workers::WorkerError;
use std::sync::Arc;
use tafl_search::Evaluator;

/// A player who searches, and the seed of its evaluator.
#[derive(Debug, Clone)]
pub(crate) struct Participant {
    pub(crate) player: Arc<Player>,
    pub(crate) seed: u64,
}

/// A player's evaluator, and the evaluations that it gave.
pub(crate) struct CachedEvaluator {
    pub(crate) evaluator: Box<dyn Evaluator>,
    pub(crate) cache: Cache,
    player: Arc<Player>,
    /// Games in progress.
    games: usize,
}

/// The evaluators of a worker: those of the players in its games, and of the latest ones until others come.
pub(crate) struct Evaluators {
    worker: usize,
    cache_positions: usize,
    made: Vec<CachedEvaluator>,
}

impl Evaluators {
    pub(crate) const fn new(worker: usize, cache_positions: usize) -> Self {
        Self {
            worker,
            cache_positions,
            made: Vec::new(),
        }
    }

    /// Counts a game that begins, and makes the evaluators that its players need.
    pub(crate) fn enter(&mut self, participants: &[Participant]) -> Result<(), WorkerError> {
        for participant in participants {
            let place = match self.place(&participant.player) {
                Some(place) => place,
                None => self.make(participant)?,
            };
            self.made[place].games += 1;
        }
        Ok(())
    }

    fn make(&mut self, participant: &Participant) -> Result<usize, WorkerError> {
        let Participant { player, seed } = participant;
        let failed = |reason| WorkerError::NoPlayer(self.worker, reason);
        let searcher = player.searcher();
        let searcher = searcher.ok_or_else(|| failed("it does not search".into()))?;
        let evaluator = (searcher.make_evaluator)(*seed).map_err(failed)?;
        let positions = if searcher.is_cacheable {
            self.cache_positions
        } else {
            0
        };
        // A player without games in progress has a newer checkpoint in its place.
        self.made.retain(|made| made.games > 0);
        self.made.push(CachedEvaluator {
            evaluator,
            cache: Cache::new(positions),
            player: Arc::clone(player),
            games: 0,
        });
        Ok(self.made.len() - 1)
    }

    /// Counts a game that has ended.
    pub(crate) fn leave(&mut self, participants: &[Participant]) {
        for participant in participants {
            if let Some(place) = self.place(&participant.player) {
                self.made[place].games -= 1;
            }
        }
    }

    /// Lets a newer player go on with a game where it may.
    pub(crate) fn change(
        &mut self,
        game: &mut impl LiveGame,
        newest: &Arc<Player>,
    ) -> Result<(), WorkerError> {
        if Arc::ptr_eq(game.searching(), newest) {
            return Ok(());
        }
        let before = game.participants().to_vec();
        if game.go_on_with(newest) {
            self.leave(&before);
            self.enter(game.participants())?;
        }
        Ok(())
    }

    /// Returns whether evaluations are computed beside the worker, on a device.
    pub(crate) fn overlap(&mut self) -> bool {
        let mut made = self.made.iter_mut();
        made.any(|made| made.evaluator.overlapping().is_some())
    }

    /// Returns the evaluator of the player whose search of an entered game waits.
    pub(crate) fn of(&mut self, game: &impl LiveGame) -> &mut CachedEvaluator {
        let place = self.place(game.searching());
        &mut self.made[place.expect("a game is entered before it is played")]
    }

    /// Calls `evaluate` for each evaluator with the places of waiting games whose leaves are its to evaluate, if there are any.
    pub(crate) fn for_each<'l, G: LiveGame>(
        &mut self,
        waiting: Vec<&'l mut Slot<G>>,
        mut evaluate: impl FnMut(&mut CachedEvaluator, Vec<&'l mut Slot<G>>) -> Result<(), WorkerError>,
    ) -> Result<(), WorkerError> {
        if waiting.is_empty() {
            return Ok(());
        }
        if let [one] = &mut self.made[..] {
            return evaluate(one, waiting);
        }
        let mut waiting = waiting;
        for made in &mut self.made {
            let is_its = |slot: &&mut Slot<G>| Arc::ptr_eq(slot.game.searching(), &made.player);
            let (its, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_its);
            waiting = others;
            if !its.is_empty() {
                evaluate(made, its)?;
            }
        }
        Ok(())
    }

    fn place(&self, player: &Arc<Player>) -> Option<usize> {
        let is_its = |made: &CachedEvaluator| Arc::ptr_eq(&made.player, player);
        self.made.iter().position(is_its)
    }
}
