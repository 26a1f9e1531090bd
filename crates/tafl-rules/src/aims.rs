//! A ruleset in words: what either side wants, and every rule that is in force.

use crate::{Chain, Escape, HostileTo, KingCapture, NoMove, Repetition, Ruleset, Side, ThroneUse};
use std::num::NonZeroU32;

impl Ruleset {
    /// Returns in a few sentences, a line each, how pieces move and capture and how either side wins by the king.
    pub fn aims(&self) -> String {
        let mut lines = vec![
            "Pieces move in straight lines over free squares and capture by standing on two opposite sides of an enemy.".to_owned(),
            self.king_in_words(),
            self.goal_in_words(),
        ];
        lines.extend(self.ranks_in_words());
        lines.extend(self.chain_in_words());
        lines.join("\n")
    }

    /// Returns every rule that is in force, a line each: the terminal and the page tell them from here.
    pub fn in_words(&self) -> Vec<String> {
        let mut lines = vec![
            format!("The {} move first.", self.moves_first),
            self.steps_in_words(),
            "A piece is captured when an enemy's move puts it between two enemies in a line. Moving between two enemies is safe.".to_owned(),
        ];
        lines.extend(self.squares_in_words());
        lines.push(self.king_in_words());
        lines.push(self.goal_in_words());
        lines.push(match self.king_armed.is_on() {
            true => "The king captures with his men, as any piece does.".to_owned(),
            false => "The king takes no part in captures.".to_owned(),
        });
        lines.extend(self.groups_in_words());
        lines.extend(self.ranks_in_words());
        lines.extend(self.chain_in_words());
        lines.extend(self.ends_in_words());
        lines
    }

    fn steps_in_words(&self) -> String {
        let limit = |limit: Option<NonZeroU32>| {
            limit.map_or("as far as it likes".to_owned(), |limit| match limit.get() {
                1 => "one square at a time".to_owned(),
                steps => format!("at most {steps} squares"),
            })
        };
        let [men, king] = [self.men_step_limit, self.king_step_limit].map(limit);
        let king = match men == king {
            true => String::new(),
            false => format!(" The king moves {king}.").replace(" it ", " he "),
        };
        format!(
            "A piece moves in a straight line over free squares, {men}, and never onto another piece.{king}"
        )
    }

    fn goal_in_words(&self) -> String {
        let goal = match self.escape {
            Escape::Corners => "a corner",
            Escape::Edges => "an edge square",
        };
        format!("The defenders win when the king reaches {goal}.")
    }

    /// Returns how the king is captured, in a sentence.
    pub fn king_in_words(&self) -> String {
        let king = match self.king_capture {
            KingCapture::FourSides if !self.throne.is_on() => "on all four sides",
            KingCapture::FourSidesThreeOnEdge if !self.throne.is_on() => {
                "on all four sides (three on an edge)"
            }
            KingCapture::TwoSidesAwayFromThrone if !self.throne.is_on() => "on two opposite sides",
            KingCapture::FourSides => "on all four sides (three beside the throne)",
            KingCapture::FourSidesThreeOnEdge => {
                "on all four sides (three beside the throne or on an edge)"
            }
            KingCapture::TwoSidesAwayFromThrone => {
                "on two opposite sides (on four on the throne, three beside it)"
            }
            KingCapture::TwoSidesOffThrone if self.throne.is_on() => {
                "on two opposite sides, not against the throne (on four on it, and beside it by three and the throne, too)"
            }
            KingCapture::TwoSides | KingCapture::TwoSidesOffThrone => "on two opposite sides",
        };
        format!("The attackers win by capturing the king: they surround him {king}.")
    }

    fn squares_in_words(&self) -> Vec<String> {
        let has_throne = self.throne.is_on();
        let is_kings = self.throne_uses()[0] == ThroneUse::King;
        let has_corners = self.escape == Escape::Corners;
        let mut lines = vec![
            match (has_corners, has_throne) {
                (true, true) if is_kings => {
                    "Only the king may stop on the throne in the middle or on a corner."
                }
                (true, true) => "Only the king may stop on a corner.",
                (true, false) => "There is no throne. Only the king may stop on a corner.",
                (false, true) if is_kings => "Only the king may stop on the throne in the middle.",
                (false, true) => "",
                (false, false) => "There is no throne: all may stop on any square.",
            }
            .to_owned(),
        ];
        if has_throne {
            lines[0] = format!("{} {}", lines[0], self.throne_in_words())
                .trim()
                .to_owned();
        }
        let hostile = |square: &str, to: HostileTo| {
            let whom = match to {
                HostileTo::All => "every piece",
                HostileTo::Attackers => "every attacker",
                HostileTo::Defenders => "every defender",
                HostileTo::Nobody => return None,
            };
            Some(format!("{square} counts as an enemy of {whom} beside it."))
        };
        if has_corners {
            lines.extend(hostile("A corner", self.corners_hostile_to));
        }
        if has_throne && self.throne_hostile.is_on() {
            lines.extend(hostile("The empty throne", self.throne_hostile_to));
        }
        lines
    }

    /// Returns who else than the king may stop on the throne, and who passes over it.
    fn throne_in_words(&self) -> String {
        let [stop, pass] = self.throne_uses();
        let stop = match stop {
            ThroneUse::None => {
                "Nobody may stop on the throne in the middle once the king has left it. "
            }
            ThroneUse::King => "",
            ThroneUse::Defenders => "The defenders may stop on the throne in the middle. ",
            ThroneUse::All => "All may stop on the throne in the middle. ",
        };
        let pass = match pass {
            ThroneUse::None => "Nobody may pass over it.",
            ThroneUse::King => "Only the king may pass over it.",
            ThroneUse::Defenders => "Of the men only defenders may pass over it while it is empty.",
            ThroneUse::All => "All may pass over the throne while it is empty.",
        };
        format!("{stop}{pass}")
    }

    fn groups_in_words(&self) -> Vec<String> {
        let rules = [
            (
                self.shieldwall,
                "Two or more pieces in a row on an edge are captured together when each has an enemy in front and a move closes the\n\
                 row, an enemy{corner} at either end. A king in the row stays.",
            ),
            (
                self.edge_fort,
                "The defenders win when the king stands on an edge, can still move, and no attacker can ever break in.",
            ),
            (
                self.encirclement,
                "The attackers win when a closed ring of them holds the king and all defenders away from the edges.",
            ),
        ];
        let on = rules.iter().filter(|(rule, _)| rule.is_on());
        let corner = match (self.escape, self.corners_hostile_to) {
            (Escape::Edges, _) | (_, HostileTo::Nobody) => "",
            (Escape::Corners, HostileTo::All) => " or a corner",
            (Escape::Corners, HostileTo::Attackers) => " (beside attackers a corner, too)",
            (Escape::Corners, HostileTo::Defenders) => " (beside defenders a corner, too)",
        };
        let said = on.map(|(_, words)| words.replace("{corner}", corner));
        let mut lines: Vec<String> = said.collect();
        if self.shieldwall.is_on() && !self.shieldwall_by_end.is_on() {
            lines[0] += " A move to the front of a row that is closed already captures it, too.";
        }
        lines
    }

    fn ranks_in_words(&self) -> Vec<String> {
        if !self.ranks.is_on() {
            return Vec::new();
        }
        let has_corners = self.escape == Escape::Corners;
        let (squares, king) = match (has_corners, self.throne.is_on()) {
            (true, true) => (
                "a corner or the throne",
                "only from or to the throne or a corner",
            ),
            (true, false) => ("a corner", "only to a corner"),
            (false, true) => ("the throne", "only from or to the throne"),
            (false, false) => ("", "never"),
        };
        let mut lines = vec![format!(
            "The knight (N) and the commanders (c) may also jump over an adjacent enemy soldier to the next square, the king\n\
             {king}; only the knight captures whom he jumps over."
        )];
        if self.king_capture.is_by_four() {
            let takes_king = has_corners && self.corners_hostile_to.contains(Side::Defender);
            let corner = if takes_king {
                ", or one and a corner,"
            } else {
                ""
            };
            let throne = if self.throne.is_on() {
                ", away from the throne"
            } else {
                ""
            };
            lines.push(format!(
                "Two commanders{corner} capture the king between them{throne}."
            ));
        }
        if !self.jump_hostile.is_on() && !squares.is_empty() {
            lines.push(format!(
                "A jump of the king or a commander captures between two of his side, not against {squares}."
            ));
        }
        lines
    }

    fn chain_in_words(&self) -> Option<String> {
        let words = match self.chain {
            Chain::None => return None,
            Chain::Optional => {
                "A piece that captured may move on as long as each of its moves captures; `end` stops it."
            }
            Chain::Forced => "A piece that captured must move on as long as it can capture.",
        };
        Some(words.to_owned())
    }

    fn ends_in_words(&self) -> Vec<String> {
        let mut lines = vec![match self.no_move {
            NoMove::Loses => "A side without a legal move on its turn loses.".to_owned(),
            NoMove::Draw => "The game is drawn when the side to move has no legal move.".to_owned(),
        }];
        let third = match self.repetition {
            Repetition::Off => None,
            Repetition::Defenders => Some("the defenders lose"),
            Repetition::Attackers => Some("the attackers lose"),
            Repetition::Draw => Some("the game is drawn"),
            Repetition::Aggressor => {
                Some("the side that had a choice loses, the defenders if both or neither had")
            }
        };
        let time = match self.repetition_occurrence {
            2 => "second".to_owned(),
            3 => "third".to_owned(),
            4 => "fourth".to_owned(),
            5 => "fifth".to_owned(),
            more => format!("{more}{}", ending_of(more)),
        };
        lines.extend(
            third.map(|what| format!("When a position comes for the {time} time, {what}.")),
        );
        lines.extend(self.captureless_limit.map(|limit| {
            format!("The game is drawn after {limit} plies in a row without a capture.")
        }));
        lines
    }
}

/// Returns what follows a number that counts, such as `st` after 21.
const fn ending_of(number: u32) -> &'static str {
    match (number / 10 % 10, number % 10) {
        (1, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_repetition_that_ends_the_game_is_counted_as_people_do() {
        let endings = [6, 11, 12, 21, 22, 23, 100, 111].map(super::ending_of);
        assert_eq!(endings, ["th", "th", "th", "st", "nd", "rd", "th", "th"]);
    }

    #[test]
    fn every_rule_of_berserk_is_told() {
        let words = |name: &str| crate::preset(name).expect("a preset").in_words().join("\n");
        let berserk = words("berserk-2017");
        for rule in [
            "only the knight captures whom he jumps over",
            "enemy soldier",
            "the king\nonly from or to the throne",
            "Two commanders, or one and a corner, capture the king",
            "not against a corner or the throne",
            "the side that had a choice loses",
            "without a legal move on its turn loses",
        ] {
            assert!(berserk.contains(rule), "{rule} in\n{berserk}");
        }
        let copenhagen = words("copenhagen");
        assert!(copenhagen.contains("drawn after 100 plies"), "{copenhagen}");
        assert!(copenhagen.contains("third time, the defenders lose"));
        assert!(!copenhagen.contains("knight"), "{copenhagen}");
    }
}
