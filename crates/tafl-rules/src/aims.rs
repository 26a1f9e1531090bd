//! What either side wants, in words.

use crate::{Escape, KingCapture, Ruleset};

impl Ruleset {
    /// Returns in three sentences, a line each, how pieces move and capture and how either side wins by the king.
    #[must_use]
    pub fn aims(&self) -> String {
        let goal = match self.escape {
            Escape::Corners => "a corner",
            Escape::Edges => "an edge square",
        };
        let king = match self.king_capture {
            KingCapture::FourSides => "on all four sides (three beside the throne)",
            KingCapture::TwoSidesAwayFromThrone => {
                "on two opposite sides (on four on the throne, three beside it)"
            }
            KingCapture::TwoSides => "on two opposite sides",
        };
        format!(
            "Pieces move in straight lines over free squares and capture by standing on two opposite sides of an enemy.\n\
             The attackers win by capturing the king: they surround him {king}.\n\
             The defenders win when the king reaches {goal}."
        )
    }
}
