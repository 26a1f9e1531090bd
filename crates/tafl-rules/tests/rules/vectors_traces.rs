//! `trace-*.txt.xz`: random games with every legal move of every position.

use crate::rules::board::{draw, ruleset, sorted_moves};
use crate::rules::fixtures;
use std::sync::Arc;
use tafl_rules::{
    Chain, EndReason, Game, Move, RankOrder, Repetition, Rules, Ruleset, Setup, Side,
};

/// What a walk has come to.
struct Walk {
    rules: Arc<Rules>,
    game: Option<Game>,
    /// The last move, to go on from where engines disagree.
    last: Option<Move>,
    compared: usize,
    disputed: usize,
}

/// Walks through a trace; returns how many states were compared and how many were disputed.
fn walk(file: &str, ruleset: Ruleset) -> (usize, usize) {
    // The engines know no limits; one game goes on after 100 plies without a capture.
    let unlimited = Ruleset {
        captureless_limit: None,
        repetition: Repetition::Off,
        ..ruleset
    };
    let rules = Rules::new(unlimited).expect("a ruleset");
    let mut walk = Walk {
        rules,
        game: None,
        last: None,
        compared: 0,
        disputed: 0,
    };
    let mut is_disputed = false;
    for (number, line) in (1..).zip(fixtures::read(file).lines()) {
        let place = format!("{file}:{number}: {line}");
        let (kind, rest) = line.split_at(1);
        match kind {
            "G" => (walk.game, walk.last) = (None, None),
            "!" => is_disputed = true,
            "M" => walk.play(rest.trim().parse().expect("a move"), &place),
            "S" => {
                let fields: Vec<&str> = rest.trim_start().split(' ').collect();
                walk.state(&fields, is_disputed, &place);
                is_disputed = false;
            }
            other => panic!("{place}: unknown line {other}"),
        }
    }
    (walk.compared, walk.disputed)
}

impl Walk {
    fn play(&mut self, mv: Move, place: &str) {
        let game = self.game.as_mut().expect("a state before the move");
        game.play(mv)
            .unwrap_or_else(|error| panic!("{place}: {error}\n{}", draw(game)));
        self.last = Some(mv);
    }

    /// Compares a state, or goes on from what the engines say where they disagree about it.
    fn state(&mut self, fields: &[&str], is_disputed: bool, place: &str) {
        if is_disputed || self.game.is_none() {
            self.game = Some(self.begin(fields));
        }
        if is_disputed {
            self.disputed += 1;
        } else {
            compare(self.game.as_ref().expect("begun"), fields, place);
            self.compared += 1;
        }
    }

    fn begin(&self, fields: &[&str]) -> Game {
        let setup = Setup::from_text(fields[0], RankOrder::LowestFirst).expect("a position");
        let mut setup = setup.with_side(fields[1].parse().expect("a side"));
        setup.chain = self.last.filter(|_| fields[2] == "b").map(Move::to);
        Game::from_setup(self.rules.clone(), &setup).expect("a playable position")
    }
}

fn compare(game: &Game, fields: &[&str], place: &str) {
    let mut setup = Setup::of(game.position(), game.rules().shape());
    let king_captured = game
        .outcome()
        .is_some_and(|outcome| outcome.reason == EndReason::KingCaptured);
    if king_captured {
        // The traces take a captured king off the board.
        setup.pieces[setup.shape.index(game.position().king())] = None;
    }
    let text = setup.to_text(RankOrder::LowestFirst);
    assert_eq!(format!("/{text}/"), fields[0], "{place}");
    match fields[3] {
        "2" | "3" => {
            let winner = if fields[3] == "2" {
                Side::Attacker
            } else {
                Side::Defender
            };
            let outcome = game
                .outcome()
                .unwrap_or_else(|| panic!("{place}: not over"));
            assert_eq!(outcome.winner, Some(winner), "{place}");
        }
        _ => {
            assert_eq!(game.outcome(), None, "{place}");
            let side: Side = fields[1].parse().expect("a side");
            assert_eq!(game.position().side(), side, "{place}");
            assert_eq!(
                game.position().chain().is_some(),
                fields[2] == "b",
                "{place}"
            );
            let mut expected: Vec<&str> = fields[4].split(',').collect();
            expected.sort_unstable();
            let mut found = sorted_moves(game);
            found.retain(|mv| expected.contains(&mv.as_str()) || !is_quiet_finish(game, mv));
            assert_eq!(found, expected, "{place}");
        }
    }
}

/// Returns whether a move is the king's finish of a chain in a corner, which the traces do not list.
fn is_quiet_finish(game: &Game, mv: &str) -> bool {
    let mv: Move = mv.parse().expect("a move");
    let position = game.position();
    position.chain().is_some()
        && mv.from() == position.king()
        && game.rules().goals().contains(mv.to())
}

#[test]
fn copenhagen_agrees_with_its_trace() {
    assert_eq!(
        walk("trace-copenhagen.txt.xz", ruleset("copenhagen")),
        (3899, 0)
    );
}

#[test]
fn fetlar_agrees_with_its_trace() {
    assert_eq!(walk("trace-fetlar.txt.xz", ruleset("fetlar")), (12_140, 0));
}

#[test]
fn berserk_with_forced_chains_agrees_with_its_trace() {
    let ruleset = Ruleset {
        chain: Chain::Forced,
        ..ruleset("berserk-2024")
    };
    assert_eq!(walk("trace-berserk.txt.xz", ruleset), (10_250, 72));
}
