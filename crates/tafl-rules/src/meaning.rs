//! Which fields mean something beside the others.

use crate::{
    CapturelessReason, Escape, HostileTo, KingCapture, MatchFormat, Piece, Repetition, Ruleset,
    Switch, ThroneUse,
};

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

    /// Returns whether pieces move and capture the same, whatever becomes of games without an end.
    pub fn moves_as(&self, other: &Self) -> bool {
        let with_its_limits = Self {
            repetition: other.repetition,
            repetition_occurrence: other.repetition_occurrence,
            captureless_limit: other.captureless_limit,
            captureless_reason: other.captureless_reason,
            ..self.clone()
        };
        with_its_limits.plays_as(other)
    }

    /// Returns the ruleset without encirclement, forts and a captureless limit: the ends after which people play on.
    pub fn played_on(&self) -> Self {
        Self {
            encirclement: Switch::Off,
            edge_fort: Switch::Off,
            captureless_limit: None,
            ..self.clone()
        }
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
            meaning.corners_hostile_to = HostileTo::All;
            meaning.edge_fort = Switch::Off;
            if self.king_capture == KingCapture::FourSidesThreeOnEdge {
                meaning.king_capture = KingCapture::FourSides;
            }
        }
        // A square on which all stop, and that hinders and helps nobody.
        let is_plain = self.throne_stop == ThroneUse::All
            && (!self.throne_hostile.is_on() || self.throne_hostile_to == HostileTo::Nobody)
            && self.king_capture == KingCapture::TwoSides
            && !self.ranks.is_on();
        if is_plain {
            meaning.throne = Switch::Off;
        }
        if !meaning.throne.is_on() {
            meaning.throne_hostile = Switch::Off;
            meaning.throne_stop = ThroneUse::King;
            meaning.throne_pass = ThroneUse::All;
            let weaker = [
                KingCapture::TwoSidesAwayFromThrone,
                KingCapture::TwoSidesOffThrone,
            ];
            if weaker.contains(&self.king_capture) {
                meaning.king_capture = KingCapture::TwoSides;
            }
        }
        if meaning.throne_hostile_to == HostileTo::Nobody {
            meaning.throne_hostile = Switch::Off;
        }
        if !meaning.throne_hostile.is_on() {
            meaning.throne_hostile_to = HostileTo::All;
        }
        [_, meaning.throne_pass] = meaning.throne_uses();
        if !self.shieldwall.is_on() {
            meaning.shieldwall_by_end = Switch::On;
        }
        if self.repetition == Repetition::Off {
            meaning.repetition_occurrence = 3;
        }
        for limit in [&mut meaning.king_step_limit, &mut meaning.men_step_limit] {
            let longest = u32::from(self.start.shape.size()) - 1;
            *limit = limit.filter(|limit| limit.get() < longest);
        }
        meaning
    }
}
