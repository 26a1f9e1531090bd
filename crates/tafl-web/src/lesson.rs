//! A lesson: small boards on which the rules of a ruleset are tried, one each.

use crate::EngineError;
use crate::ruleset::words_of;
use crate::why::{Shows, missed, why};
use serde::Serialize;
use std::sync::Arc;
use tafl_rules::{Bitboard, EndReason, Game, Move, RankOrder, Rules, Ruleset, Setup, Side};

/// A board of the lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Example {
    /// What it teaches; the page has its words.
    topic: &'static str,
    /// The rule that it shows, as the ruleset tells it.
    rule: String,
    /// The first position, with its side to move.
    start: String,
    side: Side,
    /// Plies that show it; others may do as well.
    moves: Vec<&'static str>,
    #[serde(skip)]
    shows: Shows,
}

/// What became of a reader's moves on a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Attempt {
    right: bool,
    /// Whether the same piece has to go on.
    goes_on: bool,
    /// Why, in sentences.
    why: Vec<String>,
}

use EndReason::{Encirclement, Fort, KingCaptured, KingEscaped};
use Shows::{Captures, Ends, Nothing};

/// A board: its topic, its ranks, the side to move, its plies, and what the last one does.
type Board = (&'static str, &'static str, Side, &'static str, Shows);

/// Words of the rule that each topic shows.
const RULES: [(&str, &str); 18] = [
    ("capture", "captured when"),
    ("safe", "captured when"),
    ("throne", "empty throne counts"),
    ("corner", "corner counts"),
    ("armed", "king captures with"),
    ("unarmed", "king takes no part"),
    ("king", "capturing the king"),
    ("king-throne", "capturing the king"),
    ("king-edge", "on an edge)"),
    ("commanders", "Two commanders"),
    ("escape", "king reaches"),
    ("shieldwall", "row on an edge"),
    ("fort", "stands on an edge"),
    ("encirclement", "closed ring"),
    ("jump-knight", "may also jump"),
    ("jump-commander", "may also jump"),
    ("jump-king", "may also jump"),
    ("chain", "A piece that captured"),
];

const A: Side = Side::Attacker;
const D: Side = Side::Defender;

/// All boards, 7x7, in the order of the lesson. Those of one topic are for different rules, the last of them for short steps:
/// the first that holds is shown.
const BOARDS: [Board; 28] = [
    ("capture", "3t3/7/1tT4/7/7/5K1/7", A, "d7-d5", Captures(1)),
    ("capture", "7/3t3/1tT4/7/7/5K1/7", A, "d6-d5", Captures(1)),
    ("safe", "3T3/7/2t1t2/7/7/5K1/7", D, "d7-d5", Nothing),
    ("throne", "7/1T5/3t3/6t/7/5K1/7", D, "b6-d6", Captures(1)),
    ("corner", "7/7/7/2t4/7/5K1/1T5", A, "c4-c1", Captures(1)),
    ("armed", "7/2Tt3/7/6t/4K2/7/7", D, "e3-e6", Captures(1)),
    ("armed", "7/2Tt3/4K2/6t/7/7/7", D, "e5-e6", Captures(1)),
    ("unarmed", "7/2Tt3/7/6t/4K2/7/7", D, "e3-e6", Nothing),
    ("unarmed", "7/2Tt3/4K2/6t/7/7/7", D, "e5-e6", Nothing),
    (
        "king",
        "2t4/7/7/7/2K4/2t4/7",
        A,
        "c7-c4",
        Ends(KingCaptured),
    ),
    (
        "king",
        "2t4/7/7/7/1tKt3/2t4/7",
        A,
        "c7-c4",
        Ends(KingCaptured),
    ),
    (
        "king",
        "7/7/2t4/7/2K4/2t4/7",
        A,
        "c5-c4",
        Ends(KingCaptured),
    ),
    (
        "king",
        "7/7/2t4/7/1tKt3/2t4/7",
        A,
        "c5-c4",
        Ends(KingCaptured),
    ),
    (
        "king-throne",
        "7/7/7/7/2tKt2/6t/7",
        A,
        "g2-d2",
        Ends(KingCaptured),
    ),
    (
        "commanders",
        "2c4/7/7/7/2K4/2c4/7",
        A,
        "c7-c4",
        Ends(KingCaptured),
    ),
    (
        "king-edge",
        "7/7/7/7/5t1/3t3/1t1Kt2",
        A,
        "b1-c1",
        Ends(KingCaptured),
    ),
    ("escape", "7/5t1/7/K6/7/7/7", D, "a4-a1", Ends(KingEscaped)),
    ("escape", "7/5t1/7/2K4/7/7/7", D, "c4-a4", Ends(KingEscaped)),
    ("escape", "7/5t1/7/7/7/K6/7", D, "a2-a1", Ends(KingEscaped)),
    ("escape", "7/5t1/7/1K5/7/7/7", D, "b4-a4", Ends(KingEscaped)),
    (
        "shieldwall",
        "7/7/5K1/4t2/7/2tt3/1tTT3",
        A,
        "e4-e1",
        Captures(2),
    ),
    ("fort", "7/6t/t3T2/7/7/2TT3/1T1K3", D, "e5-e1", Ends(Fort)),
    (
        "encirclement",
        "7/3t3/2tTt2/1t1K1t1/2t1t2/6t/7",
        A,
        "g2-d2",
        Ends(Encirclement),
    ),
    (
        "jump-knight",
        "7/7/6t/2t4/2N4/5K1/7",
        D,
        "c3-c5",
        Captures(1),
    ),
    ("jump-commander", "7/7/7/1T5/1c5/5K1/7", A, "b3-b5", Nothing),
    ("jump-king", "7/7/t2t3/3K3/7/5T1/7", D, "d4-d6", Captures(1)),
    ("jump-king", "7/7/t2t3/3K3/7/5T1/7", D, "d4-d6", Nothing),
    (
        "chain",
        "7/2Tt3/7/t4tT/7/1K2T2/7",
        D,
        "e2-e6 e6-e4",
        Captures(1),
    ),
];

/// Returns the rules of the lesson, those of a ruleset on a small board, and its boards.
pub(crate) fn lesson(ruleset: &Ruleset) -> Result<(Arc<Rules>, Vec<Example>), EngineError> {
    let about = EngineError::about("The lesson");
    let empty = Setup::from_text("7/7/7/3K3/7/7/7", RankOrder::HighestFirst).map_err(about)?;
    let small = Ruleset {
        name: "lesson".to_owned(),
        start: empty.board(),
        ..ruleset.clone()
    };
    let rules = Rules::new(small).map_err(EngineError::about("The lesson"))?;
    let mut examples: Vec<Example> = Vec::new();
    for board in &BOARDS {
        let is_new = examples.iter().all(|it| it.topic != board.0);
        examples.extend(shown(&rules, board).filter(|_| is_new));
    }
    Ok((rules, examples))
}

/// Returns a board if it shows under these rules what it is meant to.
fn shown(rules: &Arc<Rules>, (topic, ranks, side, moves, shows): &Board) -> Option<Example> {
    let (_, key) = RULES.iter().find(|(name, _)| name == topic)?;
    let told = words_of(rules.ruleset());
    let example = Example {
        topic,
        rule: told.into_iter().find(|line| line.contains(key))?,
        start: format!("{ranks} {side}"),
        side: *side,
        moves: moves.split(' ').collect(),
        shows: *shows,
    };
    let moves: Vec<Move> = moves
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    example.is_right(rules, &moves).then_some(example)
}

/// Says what became of a reader's moves on the board of a topic.
pub(crate) fn attempt(
    ruleset: &Ruleset,
    topic: &str,
    moves: &[String],
) -> Result<Attempt, EngineError> {
    let (rules, examples) = lesson(ruleset)?;
    let none = || EngineError(format!("The lesson has no board about {topic:?}."));
    let example = examples
        .iter()
        .find(|it| it.topic == topic)
        .ok_or_else(none)?;
    let moves = moves
        .iter()
        .map(|text| text.parse().map_err(EngineError::about(text)));
    let moves: Vec<Move> = moves.collect::<Result<_, _>>()?;
    let played = example.played(&rules, &moves);
    let Some((game, before, captured)) = played.filter(|_| !moves.is_empty()) else {
        return Err(EngineError("There is nothing to judge.".to_owned()));
    };
    let mv = moves[moves.len() - 1];
    let right = example.is_right(&rules, &moves);
    let own = game.position().chain().is_some() && moves.len() < example.moves.len();
    let mut sentences = why(&game, before.position(), mv, captured);
    if right && example.shows == Nothing {
        sentences.push("Nothing is captured.".to_owned());
    }
    if !right && !own {
        sentences.push(missed(&game, mv, captured, example.shows));
    }
    Ok(Attempt {
        right,
        goes_on: own,
        why: sentences,
    })
}

impl Example {
    /// Plays moves from the start; returns the game, what it was before the last one, and what that captured.
    fn played(&self, rules: &Arc<Rules>, moves: &[Move]) -> Option<(Game, Game, Bitboard)> {
        let (ranks, _) = self.start.split_once(' ')?;
        let setup = Setup::from_text(ranks, RankOrder::HighestFirst).ok()?;
        let mut game = Game::from_setup(rules.clone(), &setup.with_side(self.side)).ok()?;
        let (mut before, mut captured) = (game.clone(), Bitboard::EMPTY);
        for mv in moves {
            before = game.clone();
            // A chain goes on with the same side.
            let is_own = game.position().side() == self.side;
            captured = game.play(*mv).ok().filter(|_| is_own)?.captured;
        }
        Some((game, before, captured))
    }

    /// Returns whether moves show what the board is about.
    fn is_right(&self, rules: &Arc<Rules>, moves: &[Move]) -> bool {
        let Some((game, _, captured)) = self.played(rules, moves) else {
            return false;
        };
        let end = game.outcome().map(|outcome| outcome.reason);
        let last = moves.last().map(Move::to_string);
        moves.len() == self.moves.len()
            && match self.shows {
                Captures(count) => end.is_none() && captured.count() == count,
                // Many moves do nothing.
                Nothing => {
                    end.is_none()
                        && captured.is_empty()
                        && last.as_deref() == self.moves.last().copied()
                }
                Ends(reason) => end == Some(reason),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topics_of(ruleset: &Ruleset) -> Vec<&'static str> {
        let (_, examples) = lesson(ruleset).expect("a lesson");
        examples.iter().map(|it| it.topic).collect()
    }

    fn topics(name: &str) -> String {
        let ruleset = tafl_rules::preset(name).expect("a preset");
        topics_of(&ruleset).join(" ")
    }

    #[test]
    fn a_lesson_has_the_boards_of_its_rules() {
        let copenhagen =
            "capture safe throne corner armed king king-throne escape shieldwall fort encirclement";
        assert_eq!(topics("copenhagen"), copenhagen);
        assert_eq!(
            topics("berserk-2024"),
            "capture safe throne corner armed king king-throne commanders escape jump-knight jump-commander jump-king chain"
        );
        assert_eq!(
            topics("tablut"),
            "capture safe throne armed king king-throne escape"
        );
        let ruleset = Ruleset {
            king_armed: tafl_rules::Switch::Off,
            throne_hostile: tafl_rules::Switch::Off,
            ..tafl_rules::preset("brandubh").expect("a preset")
        };
        let topics = topics_of(&ruleset);
        assert!(topics.contains(&"unarmed") && !topics.contains(&"armed"));
        assert!(!topics.contains(&"throne"), "{topics:?}");
    }

    #[test]
    fn short_steps_have_boards_of_their_own() {
        assert_eq!(
            topics("magpie"),
            "capture safe throne corner armed king king-throne king-edge escape"
        );
        let one = std::num::NonZeroU32::new(1);
        let ruleset = Ruleset {
            king_step_limit: one,
            men_step_limit: one,
            ..tafl_rules::preset("magpie").expect("a preset")
        };
        let expected = ["capture", "armed", "king", "king-edge", "escape"];
        assert_eq!(topics_of(&ruleset), expected);
    }

    #[test]
    fn moves_are_judged_with_their_reason() {
        let copenhagen = tafl_rules::preset("copenhagen").expect("a preset");
        let judged = |topic: &str, moves: &str| {
            let moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
            let it = attempt(&copenhagen, topic, &moves).expect("legal moves");
            (it.right, it.why.join(" "))
        };
        let expected = [
            ("capture", "d7-d5", true, "The defender on c5 stood"),
            ("throne", "b6-d6", true, "and the empty throne d4."),
            (
                "throne",
                "b6-b5",
                false,
                "b6-b5 captures nothing: no enemy stands beside b5.",
            ),
            ("capture", "d7-d6", false, "d7-d6 captures nothing"),
            (
                "king",
                "c7-c5",
                false,
                "c7-c5 does not capture the king: nobody stands on c4 beside him.",
            ),
        ];
        for (topic, moves, right, words) in expected {
            let (is_right, said) = judged(topic, moves);
            assert!(
                is_right == right && said.contains(words),
                "{topic} {moves}: {said}"
            );
        }
        let (_, said) = judged("king-throne", "g2-f2");
        assert!(said.ends_with("nobody stands on d2 beside him."), "{said}");
        // The king jumps over him, but the throne behind him is what captures.
        let berserk = tafl_rules::preset("berserk-2024").expect("a preset");
        let jump = attempt(&berserk, "jump-king", &["d4-d6".to_owned()]).expect("legal");
        let words = "The attacker on d5 stood between the king on d6 and the empty throne d4.";
        assert_eq!(jump.why, [words]);
        assert!(attempt(&copenhagen, "chain", &["a1-a2".to_owned()]).is_err());
    }
}
