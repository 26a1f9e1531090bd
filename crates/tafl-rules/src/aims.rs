//! What either side wants, in words.

use crate::{Chain, Escape, KingCapture, Ruleset};

impl Ruleset {
    /// Returns in a few sentences, a line each, how pieces move and capture and how either side wins by the king.
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
        let mut text = format!(
            "Pieces move in straight lines over free squares and capture by standing on two opposite sides of an enemy.\n\
             The attackers win by capturing the king: they surround him {king}.\n\
             The defenders win when the king reaches {goal}."
        );
        if self.ranks.is_on() {
            text += "\nThe knight (N) and the commanders (c) may also jump over an adjacent enemy soldier to the next square, the king\n\
                     only from or to the throne or a corner; the knight captures whom he jumps over. Two commanders capture the\n\
                     king between them, away from the throne.";
        }
        match self.chain {
            Chain::None => {}
            Chain::Optional => {
                text += "\nA piece that captured may move on as long as each of its moves captures; `end` stops it.";
            }
            Chain::Forced => {
                text += "\nA piece that captured must move on as long as it can capture.";
            }
        }
        text
    }
}
