//! First positions about the throne, the corners and rows that lack a piece in front.

use super::board::{At, STEPS, plus};
use super::placements::Draft;
use rand::RngExt;
use rand::seq::IndexedRandom;
use tafl_rules::Side;

impl Draft<'_> {
    fn any_side(&mut self) -> Side {
        *Side::ALL.choose(self.rng).expect("two")
    }

    fn put_any(&mut self, at: At) {
        let side = self.any_side();
        self.put(at, side);
    }

    /// Pieces on the throne, beside it and in line with it; the king on it, near it or elsewhere.
    pub(super) fn throne(&mut self, side: Side) -> Side {
        let throne = self.board.throne();
        let out = *STEPS.choose(self.rng).expect("four");
        let distance = self.rng.random_range(0..4);
        match distance {
            3 => self.put_king_somewhere(),
            _ => self.put_king(plus(throne, out, distance)),
        };
        if self.chance(0.5) {
            self.put_any(throne);
        }
        for step in STEPS {
            for distance in 1..=3 {
                if self.chance(0.4) {
                    self.put_any(plus(throne, step, distance));
                }
            }
            // From here a piece arrives two squares from the throne.
            let along = (step.1, step.0);
            let from = self.rng.random_range(1..4);
            if self.chance(0.4) {
                self.put_any(plus(plus(throne, step, 2), along, from));
            }
        }
        let (attackers, defenders) = (self.rng.random_range(0..5), self.rng.random_range(0..4));
        self.strew(attackers, defenders, 0.1);
        side
    }

    /// Pieces beside corners, the king among them at times, and enemies that may close in on them.
    pub(super) fn corners(&mut self, side: Side) -> Side {
        let last = self.board.size - 1;
        if self.chance(0.5) {
            let edge = self.rng.random_range(0..4);
            self.put_king(self.at_edge(edge, 1, 0));
        } else {
            self.put_king_somewhere();
        }
        for edge in 0..4 {
            for [beside, beyond] in [[1, 2], [last - 1, last - 2]] {
                let owner = self.any_side();
                self.put(self.at_edge(edge, beside, 0), owner);
                let depth = self.rng.random_range(0..4);
                self.put(self.at_edge(edge, beyond, depth), owner.opponent());
            }
        }
        let (attackers, defenders) = (self.rng.random_range(0..4), self.rng.random_range(0..4));
        self.strew(attackers, defenders, 0.3);
        side
    }

    /// A row that is closed, and faced but for one piece or none; enemies come to its front.
    pub(super) fn unfaced_row(&mut self, owner: Side) -> Side {
        let (size, enemy) = (self.board.size, owner.opponent());
        let edge = self.rng.random_range(0..4);
        let first = self.rng.random_range(1..size - 2);
        let len = self.rng.random_range(2..5).min(size - 1 - first);
        let open = first + self.rng.random_range(0..len);
        if owner == Side::Defender && self.chance(0.2) {
            self.put_king(self.at_edge(edge, first, 0));
        }
        for along in first..first + len {
            self.put(self.at_edge(edge, along, 0), owner);
            if along == open {
                let depth = self.rng.random_range(2..4);
                self.put_closer(self.at_edge(edge, along, depth), enemy);
            } else {
                self.put(self.at_edge(edge, along, 1), enemy);
            }
        }
        for end in [first - 1, first + len] {
            if self.chance(0.93) {
                self.put(self.at_edge(edge, end, 0), enemy);
            }
        }
        self.put_king_somewhere_if_none();
        self.strew(3, 3, 0.2);
        if self.chance(0.9) { enemy } else { owner }
    }

    /// Puts a piece there that will move, the king at times.
    fn put_closer(&mut self, at: At, side: Side) {
        if side == Side::Defender && self.chance(0.3) {
            self.put_king(at);
        } else {
            self.put(at, side);
        }
    }
}
