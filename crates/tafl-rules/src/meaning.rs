//! Which fields mean something beside the others.

use crate::{CapturelessReason, Escape, KingCapture, MatchFormat, Piece, Ruleset, Switch};

impl Ruleset {
    /// Returns whether single games from the start position are the same under both rulesets, whatever is played: they differ
    /// in names, and in fields that mean nothing beside the others.
    ///
    /// ```
    /// let mut deaf = tafl_rules::preset("copenhagen").expect("a preset");
    /// deaf.jump_hostile = true.into();
    /// // Nothing jumps there.
    /// assert!(deaf.plays_as(&tafl_rules::preset("copenhagen").expect("a preset")));
    /// ```
    pub fn plays_as(&self, other: &Self) -> bool {
        self.meaning() == other.meaning()
    }

    /// Returns whether a field says anything: a reason for a result says nothing where nothing gives that result.
    pub fn says(&self, field: &str) -> bool {
        field != "captureless_reason" || self.captureless_limit.is_some()
    }

    /// Returns the ruleset with one value for every field that means nothing.
    fn meaning(&self) -> Self {
        let mut meaning = self.clone();
        meaning.name = String::new();
        meaning.match_format = MatchFormat::Single;
        meaning.captureless_reason = CapturelessReason::Captureless;
        // The knight's jumps have rules of their own.
        let capture_after_jumps =
            self.king_armed.is_on() || self.start.pieces.contains(&Some(Piece::Commander));
        if !self.ranks.is_on() || !capture_after_jumps {
            meaning.jump_hostile = Switch::Off;
        }
        // The king wins on every edge square before a fort is looked for, or he can be surrounded.
        if self.escape == Escape::Edges {
            meaning.edge_fort = Switch::Off;
            if self.king_capture == KingCapture::FourSidesThreeOnEdge {
                meaning.king_capture = KingCapture::FourSides;
            }
        }
        if !self.throne.is_on() {
            meaning.throne_hostile = Switch::Off;
            if self.king_capture == KingCapture::TwoSidesAwayFromThrone {
                meaning.king_capture = KingCapture::TwoSides;
            }
        }
        meaning
    }
}
