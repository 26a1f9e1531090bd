//! Values, each with its point of view.

use tafl_rules::Side;

/// Probabilities of a win, a draw and a loss for the side to move; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct MoverWdl {
    /// Probability that the side to move wins.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability that the side to move loses.
    pub loss: f32,
}

impl MoverWdl {
    /// Returns the certainty that `winner` wins, or that nobody does, seen by `side`.
    pub fn certain(winner: Option<Side>, side: Side) -> Self {
        let (win, draw, loss) = match winner {
            Some(winner) if winner == side => (1.0, 0.0, 0.0),
            Some(_) => (0.0, 0.0, 1.0),
            None => (0.0, 1.0, 0.0),
        };
        Self { win, draw, loss }
    }

    /// Returns the same probabilities as the opponent sees them.
    #[must_use]
    pub const fn for_opponent(self) -> Self {
        Self {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }

    /// Returns win minus loss for the side to move, -1 to 1.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// Returns win minus loss for the attackers, -1 to 1, given who is to move.
    pub fn for_attackers(self, side_to_move: Side) -> AttackerValue {
        AttackerValue(match side_to_move {
            Side::Attacker => self.value(),
            Side::Defender => -self.value(),
        })
    }
}

/// Expected result for the attackers, -1 (defenders win) to 1 (attackers win).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct AttackerValue(pub f32);
