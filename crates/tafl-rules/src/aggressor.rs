//! Who loses by the occurrence of a position that decides.

use crate::{EndReason, Move, Outcome, Position, Repetition, Rules, Side};
use std::ops::ControlFlow;

impl Rules {
    /// Returns the result of that occurrence; `cycle` are the plies since the one before.
    pub(crate) fn repetition(&self, position: &Position, cycle: &[Move]) -> Outcome {
        let winner = match self.ruleset().repetition {
            Repetition::Off | Repetition::Draw => None,
            Repetition::Defenders => Some(Side::Attacker),
            Repetition::Attackers => Some(Side::Defender),
            Repetition::Aggressor => Some(self.aggressor(position, cycle).opponent()),
        };
        Outcome {
            winner,
            reason: EndReason::Repetition,
        }
    }

    /// Returns the side that had a choice in the cycle; the defenders where that does not tell (spec.md 4.4).
    fn aggressor(&self, position: &Position, cycle: &[Move]) -> Side {
        let mut bound = [true, true];
        let mut position = *position;
        for mv in cycle.iter().rev() {
            // Whether the attackers' ring stood then is not what it is now: a king may have leapt in.
            position = self.kept_up(position.before_quiet(*mv));
            let side = position.side.index();
            bound[side] = bound[side] && self.is_forced(&position, *mv);
        }
        match bound {
            [false, true] => Side::Attacker,
            _ => Side::Defender,
        }
    }

    /// Returns whether every other turn lets the opponent capture the king or bring him to his goal at once.
    fn is_forced(&self, position: &Position, played: Move) -> bool {
        !self.any_turn(position, Some(played), &mut |end| match end {
            TurnEnd::Outcome(_) => true,
            TurnEnd::Handover(after) => !self.king_falls_or_escapes(after),
        })
    }

    fn king_falls_or_escapes(&self, position: &Position) -> bool {
        self.any_turn(position, None, &mut |end| match end {
            TurnEnd::Outcome(outcome) => {
                matches!(
                    outcome.reason,
                    EndReason::KingCaptured | EndReason::KingEscaped
                )
            }
            TurnEnd::Handover(_) => false,
        })
    }

    /// Returns whether `wanted` holds of one of the turns, each way of playing or stopping a chain being one.
    fn any_turn(
        &self,
        position: &Position,
        except: Option<Move>,
        wanted: &mut dyn FnMut(TurnEnd<'_>) -> bool,
    ) -> bool {
        let found = self.visit_moves(position, |mv| {
            if Some(mv) == except {
                return ControlFlow::Continue(());
            }
            let mut after = *position;
            let ply = self.play_unchecked(&mut after, mv);
            let is_wanted = match ply.outcome {
                Some(outcome) => wanted(TurnEnd::Outcome(outcome)),
                None if after.is_in_chain() => self.any_turn(&after, None, wanted),
                None => wanted(TurnEnd::Handover(&after)),
            };
            if is_wanted {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        found.is_break()
    }
}

/// How a turn ended: the game over on the board, or the move handed over.
enum TurnEnd<'a> {
    Outcome(Outcome),
    Handover(&'a Position),
}
