//! First positions with leaps, and with captures of which one leads to the next.

use super::board::{At, STEPS, plus};
use super::placements::{Draft, soldier_of};
use rand::RngExt;
use rand::seq::IndexedRandom;
use tafl_rules::{Piece, Side};

impl Draft<'_> {
    /// Ranked pieces beside enemy soldiers, around the throne, the corners and the king, who may leap too.
    pub(super) fn leaps(&mut self, side: Side) -> Side {
        let corner = self.chance(0.3);
        let king = if corner {
            let edge = self.rng.random_range(0..4);
            self.put_king(self.at_edge(edge, 2, 0))
        } else {
            let distance = *[0, 2].choose(self.rng).expect("two");
            let step = *STEPS.choose(self.rng).expect("four");
            self.put_king(plus(self.board.throne(), step, distance))
        };
        for step in STEPS {
            if self.chance(0.6) {
                self.put_soldier(plus(king, step, 1), Side::Attacker);
            }
        }
        for _ in 0..self.rng.random_range(2..6) {
            let (from, step) = (self.any(), *STEPS.choose(self.rng).expect("four"));
            let owner = *Side::ALL.choose(self.rng).expect("two");
            self.put_ranked(from, owner);
            self.put_soldier(plus(from, step, 1), owner.opponent());
            // What the landing would close in on.
            let beyond = *STEPS.choose(self.rng).expect("four");
            let landing = plus(from, step, 2);
            if self.board.is_empty(landing) {
                self.put(plus(landing, beyond, 1), owner.opponent());
                self.put(plus(landing, beyond, 2), owner);
            }
        }
        self.strew(3, 2, 0.3);
        side
    }

    /// A piece with captures strung along its way, so that one leads to the next.
    pub(super) fn chain(&mut self, side: Side) -> Side {
        let mut at = self.any();
        if side == Side::Defender && self.chance(0.3) {
            at = self.put_king(at);
        } else if self.chance(0.3) {
            self.put_ranked(at, side);
        } else {
            self.put(at, side);
        }
        for _ in 0..self.rng.random_range(1..5) {
            let (step, beside) = (
                *STEPS.choose(self.rng).expect("four"),
                *STEPS.choose(self.rng).expect("four"),
            );
            let landing = plus(at, step, self.rng.random_range(1..4));
            if self.board.is_empty(landing) {
                self.put(plus(landing, beside, 1), side.opponent());
                self.put(plus(landing, beside, 2), side);
                at = landing;
            }
        }
        self.put_king_somewhere_if_none();
        self.strew(3, 2, 0.2);
        side
    }

    fn put_soldier(&mut self, at: At, side: Side) {
        self.put(at, side);
        if self.board.is_side(at, side) && self.board.at(at) != Some(Piece::King) {
            self.board.put(at, Some(soldier_of(side)));
        }
    }

    fn put_ranked(&mut self, at: At, side: Side) {
        self.put_soldier(at, side);
        let ranked = match side {
            Side::Attacker => Piece::Commander,
            Side::Defender => Piece::Knight,
        };
        let man = self.board.is_side(at, side) && self.board.at(at) != Some(Piece::King);
        if self.rules.ranks.is_on() && man {
            self.board.put(at, Some(ranked));
        }
    }
}
