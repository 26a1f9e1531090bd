//! What is to be played in a match, what of it is finished, and when it is decided.

use crate::result::{MatchGame, MatchResult};
use crate::{Adjudication, ArenaError, Sprt, SprtConfig, Verdict};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tafl_rules::{Game, Move, Rules};

/// The openings of a match, its finished games, and the test that may end it.
#[derive(Debug, Clone)]
pub struct MatchPlan {
    /// The moves of each opening, from the start position; each opening is played twice with sides
    /// changed.
    pub openings: Vec<Vec<Move>>,
    /// Games finished earlier, by number; they are not played again.
    pub finished: Vec<MatchGame>,
    /// The test that ends the match as soon as it is decided.
    pub sprt: Option<SprtConfig>,
    /// The player, 0 or 1, whose strength is tested; pairs of the test are seen by this one.
    pub tested: usize,
    /// Whether games end early that both players call decided.
    pub adjudication: Option<Adjudication>,
    /// Whether the match is one of a player with itself, whose second game of a pair would say nothing
    /// new: each opening is played once, by its even number, and plies keep what the searches said.
    pub mirror: bool,
    /// Openings that are not played, by number: those that stand for themselves elsewhere in the list
    /// or cannot be played, but keep the numbers of the others as they are.
    pub left_out: BTreeSet<usize>,
}

/// All games of a planned match.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedResult {
    /// The games.
    pub result: MatchResult,
    /// The test after them, if there was one.
    pub sprt: Option<Sprt>,
}

impl MatchPlan {
    /// Plans a match of whose games none is finished.
    #[must_use]
    pub const fn new(openings: Vec<Vec<Move>>) -> Self {
        Self {
            openings,
            finished: Vec::new(),
            sprt: None,
            tested: 0,
            adjudication: None,
            mirror: false,
            left_out: BTreeSet::new(),
        }
    }

    /// Plans a match of a player with itself, see [`Self::mirror`].
    #[must_use]
    pub fn mirrored(openings: Vec<Vec<Move>>) -> Self {
        Self {
            mirror: true,
            ..Self::new(openings)
        }
    }

    /// Returns the games of each opening.
    const fn halves(&self) -> u64 {
        if self.mirror { 1 } else { 2 }
    }

    /// Returns the games of all openings.
    pub(crate) fn games(&self) -> u64 {
        self.halves() * self.played().count() as u64
    }

    /// Returns the openings that are played, by number.
    fn played(&self) -> impl Iterator<Item = (usize, &Vec<Move>)> {
        let all = self.openings.iter().enumerate();
        all.filter(|(number, _)| !self.left_out.contains(number))
    }

    /// Checks that every opening is legal and leaves the game open.
    pub(crate) fn check(&self, rules: &Arc<Rules>) -> Result<(), ArenaError> {
        for (index, moves) in self.played() {
            let refused = |reason: String| ArenaError::Opening {
                number: index + 1,
                reason,
            };
            let mut game = Game::new(rules.clone());
            for &mv in moves {
                game.play(mv).map_err(|error| refused(error.to_string()))?;
            }
            if let Some(outcome) = game.outcome() {
                return Err(refused(format!("the game is over: {outcome}")));
            }
        }
        Ok(())
    }

    /// Returns the openings that miss a game, each with the halves of its pair that it misses.
    pub(crate) fn missing(&self) -> Vec<(usize, Vec<u64>)> {
        let finished: BTreeSet<u64> = self
            .finished
            .iter()
            .map(|game| game.record.game_id)
            .collect();
        let halves = |opening: usize| -> Vec<u64> {
            let is_missing = |half: &u64| !finished.contains(&(2 * opening as u64 + half));
            (0..self.halves()).filter(is_missing).collect()
        };
        let all = self.played().map(|(opening, _)| (opening, halves(opening)));
        all.filter(|(_, halves)| !halves.is_empty()).collect()
    }
}

/// Judges pairs in the order of their openings while workers finish them in any order.
#[derive(Debug)]
pub(crate) struct Referee {
    sheet: Option<Mutex<Sheet>>,
    decided: AtomicBool,
}

#[derive(Debug)]
struct Sheet {
    sprt: Sprt,
    tested: usize,
    /// The tested player's half points in both games of each opening.
    points: Vec<[Option<usize>; 2]>,
    /// The first opening that is not judged.
    next: usize,
}

impl Referee {
    /// Begins with the finished games of a plan.
    pub(crate) fn new(plan: &MatchPlan) -> Result<Self, ArenaError> {
        let sheet = |config| {
            let sprt = Sprt::new(config).map_err(ArenaError::Sprt)?;
            let points = vec![[None; 2]; plan.openings.len()];
            Ok::<_, ArenaError>(Mutex::new(Sheet {
                sprt,
                tested: plan.tested,
                points,
                next: 0,
            }))
        };
        let referee = Self {
            sheet: plan.sprt.map(sheet).transpose()?,
            decided: AtomicBool::new(false),
        };
        plan.finished.iter().for_each(|game| referee.hear(game));
        Ok(referee)
    }

    /// Takes in a finished game, and judges every pair that is complete and has no incomplete one
    /// before it.
    pub(crate) fn hear(&self, game: &MatchGame) {
        let Some(sheet) = &self.sheet else { return };
        let mut sheet = sheet.lock().unwrap_or_else(PoisonError::into_inner);
        let half = (game.record.game_id % 2) as usize;
        let points = match (sheet.tested, game.half_points()) {
            (0, points) => points,
            (_, points) => 2 - points,
        };
        let Some(pair) = sheet.points.get_mut(game.opening() as usize) else {
            return;
        };
        pair[half] = Some(points);
        while let Some([Some(first), Some(second)]) = sheet.points.get(sheet.next).copied() {
            sheet.sprt.add(first + second);
            sheet.next += 1;
        }
        let has_decided = sheet.sprt.verdict() != Verdict::Continue;
        self.decided.store(has_decided, Ordering::Relaxed);
    }

    pub(crate) fn has_decided(&self) -> bool {
        self.decided.load(Ordering::Relaxed)
    }

    /// Returns the test as it stands.
    pub(crate) fn verdict(&self) -> Option<Sprt> {
        let sheet = self.sheet.as_ref()?;
        Some(sheet.lock().unwrap_or_else(PoisonError::into_inner).sprt)
    }
}
