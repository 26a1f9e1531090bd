//! The evaluators that the games of one worker need, each with its cache.

use crate::WorkerError;
use crate::cache::Cache;
use crate::lineup::{Lineup, Seat};
use crate::live::LiveGame;
use std::sync::Arc;
use tafl_search::Evaluator;

/// Lineups that have games in progress at a worker, at most: each has batches of its own, which must not become small.
const MOST_LINEUPS: usize = 3;

/// A player's evaluator, and the evaluations that it gave.
pub(crate) struct Brain {
    pub(crate) evaluator: Box<dyn Evaluator>,
    pub(crate) cache: Cache,
}

/// The brains of a lineup that has games in progress, or will have some.
struct Table<'g> {
    lineup: Arc<Lineup<'g>>,
    /// Games in progress.
    games: usize,
    /// Of the newest player and the past one, made when they are needed.
    brains: [Option<Brain>; 2],
}

/// The brains of a worker: those of the newest lineup, and those of older ones until their games have ended.
pub(crate) struct Evaluators<'g> {
    worker: usize,
    cache_places: usize,
    tables: Vec<Table<'g>>,
}

impl<'g> Evaluators<'g> {
    pub(crate) fn new(worker: usize, cache_places: usize) -> Self {
        Self {
            worker,
            cache_places,
            tables: Vec::new(),
        }
    }

    /// Returns who is to play the next game: the newest lineup, unless games of too many others are in progress; then `last`,
    /// who played the game begun before.
    pub(crate) fn admit(&self, newest: Arc<Lineup<'g>>, last: &Arc<Lineup<'g>>) -> Arc<Lineup<'g>> {
        let playing = self.tables.iter().filter(|table| table.games > 0);
        match playing.count() < MOST_LINEUPS || self.place(&newest).is_some() {
            true => newest,
            false => Arc::clone(last),
        }
    }

    /// Counts a game that begins, and makes the brains that it needs.
    pub(crate) fn enter(&mut self, game: &LiveGame<'g>) -> Result<(), WorkerError> {
        let lineup = game.lineup();
        let place = match self.place(lineup) {
            Some(place) => place,
            None => {
                self.tables.push(Table {
                    lineup: Arc::clone(lineup),
                    games: 0,
                    brains: [None, None],
                });
                self.tables.len() - 1
            }
        };
        let table = &mut self.tables[place];
        table.games += 1;
        for &seat in game.seats() {
            let brain = &mut table.brains[seat as usize];
            if brain.is_none() {
                let worker = self.worker;
                let made = (lineup.contender(seat).make_evaluator)();
                let evaluator =
                    made.map_err(|reason| WorkerError::NoEvaluator { worker, reason })?;
                let cache = Cache::new(self.cache_places);
                *brain = Some(Brain { evaluator, cache });
            }
        }
        Ok(())
    }

    /// Counts a game that has ended; brains that no game needs any more go, but those of `newest` stay.
    pub(crate) fn leave(&mut self, lineup: &Arc<Lineup<'g>>, newest: &Arc<Lineup<'g>>) {
        if let Some(place) = self.place(lineup) {
            self.tables[place].games -= 1;
        }
        self.tables
            .retain(|table| table.games > 0 || Arc::ptr_eq(&table.lineup, newest));
    }

    /// Returns whether evaluations are computed beside the worker, on a device.
    pub(crate) fn overlap(&mut self) -> bool {
        let brains = self.tables.iter_mut().flat_map(|table| &mut table.brains);
        let first = brains.flatten().next();
        first.is_some_and(|brain| brain.evaluator.overlapping().is_some())
    }

    /// Returns the brain that chooses the next ply of a game that was entered.
    pub(crate) fn of(&mut self, game: &LiveGame<'g>) -> &mut Brain {
        let place = self.place(game.lineup());
        let table = place.map(|place| &mut self.tables[place]);
        let brain = table.and_then(|table| table.brains[game.seat() as usize].as_mut());
        brain.expect("a game was entered before it is played")
    }

    /// Calls `use_brain` for each brain with the games whose leaves it is to evaluate, if there are any.
    pub(crate) fn for_each<'l>(
        &mut self,
        live: &'l mut [LiveGame<'g>],
        mut use_brain: impl FnMut(&mut Brain, Vec<&'l mut LiveGame<'g>>) -> Result<(), WorkerError>,
    ) -> Result<(), WorkerError> {
        if live.is_empty() {
            return Ok(());
        }
        if let [table] = &mut self.tables[..]
            && let [Some(brain), None] = &mut table.brains
        {
            // One player plays both sides of all games.
            return use_brain(brain, live.iter_mut().collect());
        }
        let mut live: Vec<&'l mut LiveGame<'g>> = live.iter_mut().collect();
        for table in &mut self.tables {
            for seat in [Seat::Newest, Seat::Past] {
                let Some(brain) = &mut table.brains[seat as usize] else {
                    continue;
                };
                let is_its = |game: &&mut LiveGame<'g>| {
                    game.seat() == seat && Arc::ptr_eq(game.lineup(), &table.lineup)
                };
                let (its, others): (Vec<_>, Vec<_>) = live.into_iter().partition(is_its);
                live = others;
                if !its.is_empty() {
                    use_brain(brain, its)?;
                }
            }
        }
        Ok(())
    }

    fn place(&self, lineup: &Arc<Lineup<'g>>) -> Option<usize> {
        let is_it = |table: &Table<'g>| Arc::ptr_eq(&table.lineup, lineup);
        self.tables.iter().position(is_it)
    }
}
