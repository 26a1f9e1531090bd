//! A test on a match whose games end in any order.

use super::{Sprt, Verdict};
use crate::MatchGame;

/// A [`Sprt`] that judges pairs of games in the order of their openings, whatever the order in which games end, so that
/// its verdict is the same for any number of workers.
#[derive(Debug, Clone)]
pub struct PairedSprt {
    sprt: Sprt,
    /// The player, 0 or 1, whose strength is tested.
    tested: usize,
    /// The tested player's half points in both games of each opening.
    points: Vec<[Option<usize>; 2]>,
    /// The first opening that is not judged.
    next: usize,
}

impl PairedSprt {
    /// Begins with a test of one player, 0 or 1, before the first of a number of openings.
    #[must_use]
    pub fn new(sprt: Sprt, tested: usize, openings: usize) -> Self {
        Self {
            sprt,
            tested,
            points: vec![[None; 2]; openings],
            next: 0,
        }
    }

    /// Takes in a finished game, and judges every pair that is complete and has no incomplete one
    /// before it; returns the verdict so far.
    pub fn add(&mut self, game: &MatchGame) -> Verdict {
        let half = (game.record.game_id % 2) as usize;
        let points = match (self.tested, game.half_points()) {
            (0, points) => points,
            (_, points) => 2 - points,
        };
        if let Some(pair) = self.points.get_mut(game.opening() as usize) {
            pair[half] = Some(points);
        }
        while let Some([Some(first), Some(second)]) = self.points.get(self.next).copied() {
            self.sprt.add(first + second);
            self.next += 1;
        }
        self.sprt.verdict()
    }

    /// Returns the test as it stands.
    #[must_use]
    pub const fn sprt(&self) -> Sprt {
        self.sprt
    }

    /// Returns whether a game counts: any, or those up to the pair that decided.
    #[must_use]
    pub fn counts(&self, game: &MatchGame) -> bool {
        self.sprt.verdict() == Verdict::Continue || game.opening() < self.sprt.pairs().pairs()
    }
}
