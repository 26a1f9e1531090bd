//! Encirclement and edge fort.

use crate::play::Displacement;
use crate::{Bitboard, Direction, Position, Rules, Side, Square};

impl Rules {
    /// Returns the same board with what playing keeps up computed from nothing.
    pub(crate) fn kept_up(&self, mut position: Position) -> Position {
        position.enclosed = self.judges_encirclement() && self.encircled(&position);
        position
    }

    #[inline]
    fn judges_encirclement(&self) -> bool {
        self.ruleset().encirclement.is_on()
    }

    /// Returns [`Self::encircled`] after a displacement to `to`, from what it was before, if the ruleset judges it.
    ///
    /// Attackers close a ring only where they arrive or by a capture; defenders break one only by a
    /// capture and leave or enter one only by a jump.
    #[inline]
    pub(crate) fn is_enclosed_after(
        &self,
        position: &Position,
        to: Square,
        done: &Displacement,
    ) -> bool {
        if !self.judges_encirclement() {
            return false;
        }
        let captured = !done.captured.is_empty();
        let may_change = match position.side {
            Side::Attacker => {
                captured || position.enclosed || self.lines.parts(to, position.attackers)
            }
            Side::Defender => done.jumped || (captured && position.enclosed),
        };
        if may_change {
            self.encircled(position)
        } else {
            position.enclosed
        }
    }

    /// Returns whether the attackers surround the king and all defenders (spec.md 4.3).
    ///
    /// Computed from nothing; what is kept up move by move equals it always.
    pub fn encircled(&self, position: &Position) -> bool {
        if !(position.defenders & self.edges).is_empty() {
            return false;
        }
        let mut reached = position.defenders;
        let passable = self.board - position.attackers;
        loop {
            let next = reached | (reached.neighbors() & passable);
            if !(next & self.edges).is_empty() {
                return false;
            }
            if next == reached {
                return true;
            }
            reached = next;
        }
    }

    /// Returns squares by which a defender reaches an edge, none of which an attacker holds: while they are free, or
    /// defenders', nobody is encircled. No squares where the ruleset does not judge it, nothing where none are found.
    pub(crate) fn way_out(&self, position: &Position) -> Option<Bitboard> {
        if !self.judges_encirclement() {
            return Some(Bitboard::EMPTY);
        }
        let passable = self.board - position.attackers;
        let mut layers = [Bitboard::EMPTY; 32];
        let (mut reached, mut steps) = (position.defenders, 0);
        while (reached & self.edges).is_empty() {
            *layers.get_mut(steps)? = reached;
            let next = reached | (reached.neighbors() & passable);
            if next == reached {
                return None;
            }
            (reached, steps) = (next, steps + 1);
        }
        let mut last = Bitboard::EMPTY.with((reached & self.edges).first()?);
        let mut way = last;
        for layer in layers[..steps].iter().rev() {
            last = Bitboard::EMPTY.with((last.neighbors() & *layer).first()?);
            way |= last;
        }
        Some(way)
    }

    /// Returns whether the king is in a fort that the attackers can never break (spec.md 4.2), if the ruleset judges it.
    #[inline]
    pub fn has_fort(&self, position: &Position) -> bool {
        self.forts.contains(position.king) && self.is_fort(position)
    }

    fn is_fort(&self, position: &Position) -> bool {
        let king = Bitboard::EMPTY.with(position.king);
        let beside = self.lines.beside(position.king);
        if (beside - position.occupied()).is_empty() {
            return false;
        }
        let mut stones = position.defenders - king;
        loop {
            let open = self.board - stones - king - self.corners;
            let outside = position.attackers.flood(open);
            let walk = king.flood(self.board - stones - position.attackers);
            if !(outside & (beside | walk)).is_empty() {
                return false;
            }
            let taken = self.capturable(position, stones, outside);
            if taken.is_empty() {
                return true;
            }
            stones = stones - taken;
        }
    }

    /// Returns the stones that attackers who reach `outside` could capture between two of its squares or a hostile one.
    fn capturable(&self, position: &Position, stones: Bitboard, outside: Bitboard) -> Bitboard {
        let hostile = self.hostile(position, Side::Defender);
        let closed_in = |first: crate::Square, second: crate::Square| {
            let reached = outside | hostile;
            let alone = position.attackers.count() <= 1;
            reached.contains(first)
                && reached.contains(second)
                && (!alone || hostile.contains(first) || hostile.contains(second))
        };
        let on_line = |stone, direction: Direction| {
            let first = direction.step(stone, self.shape());
            let second = direction.opposite().step(stone, self.shape());
            first
                .zip(second)
                .is_some_and(|(first, second)| closed_in(first, second))
        };
        stones
            .squares()
            .filter(|stone| on_line(*stone, Direction::Up) || on_line(*stone, Direction::Right))
            .collect()
    }
}
