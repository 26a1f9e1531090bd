//! The legal moves as runs of policy outputs, for masks.

use crate::{Direction, Move, PolicyIndex, Position, Rules, Square};
use std::ops::{ControlFlow, Range};

impl Rules {
    /// Calls `visit` with the legal moves as policy outputs, which are rising: those of one line are a run, or two.
    ///
    /// The same as [`Self::legal_moves`] with [`Move::policy_index`], and twice as fast as a mask.
    pub fn legal_runs(&self, position: &Position, mut visit: impl FnMut(Range<u16>)) {
        if position.is_in_chain() {
            let listed = self.visit_moves(position, |mv| {
                let PolicyIndex(output) = mv.policy_index(self.shape());
                visit(output..output + 1);
                ControlFlow::<()>::Continue(())
            });
            debug_assert!(listed.is_continue());
            return;
        }
        let longest = u16::from(self.shape().size()) - 1;
        for from in position.pieces(position.side).squares() {
            let mut first = self.shape().index(from) as u16 * 4 * longest;
            for direction in Direction::ALL {
                for run in self.runs(position, from, direction) {
                    if !run.is_empty() {
                        visit(first + run.start..first + run.end);
                    }
                }
                first += longest;
            }
        }
    }

    /// Returns the distances, 0 for one step, that a piece may go along a line: those before the throne, and those beyond.
    // Without the attribute the caller is half as fast.
    #[inline(always)]
    fn runs(&self, position: &Position, from: Square, direction: Direction) -> [Range<u16>; 2] {
        let way = self.way(position, from);
        let steps = u16::from(self.lines.open_steps(from, direction, way.blockers));
        if steps == 0 {
            let jumps = way.may_jump && self.jump(position, from, direction).is_some();
            return [if jumps { 1..2 } else { 0..0 }, 0..0];
        }
        if (self.lines.ray(from, direction) & way.crossed).is_empty() {
            return [0..steps, 0..0];
        }
        let throne = u16::from(Move::between(from, self.shape().throne()).distance());
        [0..steps.min(throne - 1), throne.min(steps)..steps]
    }
}
