//! A ruleset in words: what either side wants, and every rule that is in force.

use crate::{Chain, Escape, KingCapture, NoMove, Repetition, Ruleset};

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
            "A piece moves in a straight line over free squares, as far as it likes, and never onto another piece.".to_owned(),
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
            KingCapture::TwoSides => "on two opposite sides",
        };
        format!("The attackers win by capturing the king: they surround him {king}.")
    }

    fn squares_in_words(&self) -> Vec<String> {
        let has_throne = self.throne.is_on();
        let mut lines = vec![
            match (self.escape, has_throne) {
                (Escape::Corners, true) => {
                    "Only the king may stop on the throne in the middle or on a corner."
                }
                (Escape::Corners, false) => {
                    "There is no throne. Only the king may stop on a corner."
                }
                (Escape::Edges, true) => "Only the king may stop on the throne in the middle.",
                (Escape::Edges, false) => "There is no throne: all may stop on any square.",
            }
            .to_owned(),
        ];
        if has_throne {
            lines[0] += " All may pass over the throne while it is empty.";
        }
        if self.escape == Escape::Corners {
            lines.push("A corner counts as an enemy of every piece beside it.".to_owned());
        }
        if has_throne && self.throne_hostile.is_on() {
            lines.push("The empty throne counts as an enemy of every piece beside it.".to_owned());
        }
        lines
    }

    fn groups_in_words(&self) -> Vec<String> {
        let rules = [
            (
                self.shieldwall,
                "Two or more pieces in a row on an edge are captured together when each has an enemy in front and a move closes the\n\
                 row, an enemy or a corner at either end. A king in the row stays.",
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
        on.map(|(_, words)| (*words).to_owned()).collect()
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
            let corner = if has_corners {
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
        lines
            .extend(third.map(|what| format!("When a position comes for the third time, {what}.")));
        lines.extend(self.captureless_limit.map(|limit| {
            format!("The game is drawn after {limit} plies in a row without a capture.")
        }));
        lines
    }
}

#[cfg(test)]
mod tests {

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
