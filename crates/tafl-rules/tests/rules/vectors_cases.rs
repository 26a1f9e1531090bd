//! `cases.tsv`: one-move questions.

use crate::rules::board::{names, ruleset, standing};
use crate::rules::fixtures;
use tafl_rules::{Game, RankOrder, Rules, Setup, Side};

#[test]
fn every_case_captures_and_ends_as_asked() {
    let text = fixtures::read("cases.tsv");
    let mut cases = 0;
    for row in fixtures::rows(&text) {
        let [case, name, side, mv, position, captured, result] = row[..7] else {
            panic!("seven columns: {row:?}");
        };
        let rules = Rules::new(ruleset(name)).expect("a ruleset");
        let side: Side = side.parse().expect("a side");
        let setup = Setup::from_text(position, RankOrder::HighestFirst).expect("a position");
        let game = Game::from_setup(rules, &setup.with_side(side));
        let mut game = game.expect("a playable position");
        let found = match game.play(mv.parse().expect("a move")) {
            Err(_) => (String::new(), "illegal".to_owned()),
            Ok(ply) => (names(ply.captured), short(&standing(&game)).to_owned()),
        };
        let captured = if captured == "-" {
            String::new()
        } else {
            captured.replace('/', " ")
        };
        assert_eq!(
            found,
            (captured, result.to_owned()),
            "{case}: {mv} on {}",
            row[4]
        );
        cases += 1;
    }
    assert_eq!(cases, 55);
}

/// Cuts `attackers win (king-captured)` to the side.
fn short(standing: &str) -> &str {
    standing.split(' ').next().unwrap_or(standing)
}
