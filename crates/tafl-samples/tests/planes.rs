//! The planes of positions that can be checked by eye.

use crate::fields::FIELDS;
use ndarray::{Array3, Axis};
use std::sync::Arc;
use tafl_rules::{Bitboard, Game, Move, RankOrder, Rules, Ruleset, Setup, Side, Square, preset};
use tafl_samples::{FRACTION_PLANES, Facts, PLANES, encode, plane_names};

pub(crate) fn encoded(facts: &Facts, rules: &Rules) -> Array3<f32> {
    let size = usize::from(rules.shape().size());
    let mut planes = Array3::from_elem((size, size, PLANES), f32::NAN);
    encode(facts, rules, planes.view_mut());
    planes
}

/// The squares on which a plane is 1, after checking that it is 0 elsewhere.
fn squares_of(name: &str, facts: &Facts, rules: &Rules) -> String {
    let shape = rules.shape();
    let planes = encoded(facts, rules);
    let plane = plane_names()
        .iter()
        .position(|plane| *plane == name)
        .unwrap();
    let (mut squares, size) = (Vec::new(), usize::from(shape.size()));
    for index in 0..shape.squares() {
        let number = planes[[index / size, index % size, plane]];
        assert!(number == 0.0 || number == 1.0, "{name}: {number}");
        if number == 1.0 {
            squares.push(shape.square(index).to_string());
        }
    }
    if squares.len() == shape.squares() {
        "all".into()
    } else {
        squares.join(" ")
    }
}

fn check(facts: &Facts, rules: &Rules, expected: &[(&str, &str)]) {
    for (name, squares) in expected {
        assert_eq!(squares_of(name, facts, rules), *squares, "{name}");
    }
}

#[test]
fn weakness_of_the_sides_is_the_same_on_all_squares_and_0_in_even_games() {
    let rules = Rules::preset("brandubh").unwrap();
    let even = Facts::of(&Game::new(Arc::clone(&rules)));
    let weakened = Facts {
        weakness: [[51, 2], [255, 0]],
        ..even
    };
    let names = [
        "attackers_random",
        "defenders_random",
        "attackers_alphabeta",
        "defenders_alphabeta",
    ];
    let all = plane_names();
    let first = all.iter().position(|name| *name == names[0]).unwrap();
    assert!(all[first..].starts_with(&names));
    let of = |facts: &Facts| {
        let planes = encoded(facts, &rules).into_raw_vec_and_offset().0;
        let (rows, _) = planes.as_chunks::<PLANES>();
        let own = first..first + names.len();
        assert!(
            rows.iter()
                .all(|row| row[own.clone()] == rows[0][own.clone()])
        );
        rows[0][own].to_vec()
    };
    for name in names {
        let plane = all.iter().position(|other| *other == name).unwrap();
        assert!(FRACTION_PLANES.contains(&plane), "{name}");
    }
    assert_eq!(of(&even), [0.0; 4]);
    assert_eq!(of(&weakened), [0.2, 1.0, 0.5, 0.0]);
}

#[test]
fn every_piece_and_mark_has_its_plane() {
    let rules = Rules::preset("brandubh").unwrap();
    // . . . t . . .
    // . . . . . . .
    // . . T . . t .
    // t . . K . . .
    // . . . . . . .
    // . T . . . . .
    // . . . t . . .
    let text = "3t3/7/2T2t1/t2K3/7/1T5/3t3";
    let setup = Setup::from_text(text, RankOrder::HighestFirst).unwrap();
    let setup = setup.with_side(Side::Defender);
    let mut game = Game::from_position(Arc::clone(&rules), rules.position(&setup).unwrap());
    game.play("c5-c7".parse::<Move>().unwrap()).unwrap();
    let facts = Facts::of(&game);
    check(
        &facts,
        &rules,
        &[
            ("attackers", "d1 a4 f5 d7"),
            ("commanders", ""),
            ("defenders", "b2 c7"),
            ("knights", ""),
            ("king", "d4"),
            ("throne", "d4"),
            ("goal", "a1 g1 a7 g7"),
            ("chain_piece", ""),
            ("last_from", "c5"),
            ("last_to", "c7"),
            ("king_one", "d2 d3 b4 c4 e4 f4 g4 d5 d6"),
            (
                "home_one",
                "b1 c1 e1 f1 g1 a2 g2 a3 g3 g4 a5 g5 a6 g6 b7 e7 f7 g7",
            ),
            (
                "defenders_reach",
                "b1 c1 a2 c2 d2 e2 f2 g2 b3 c3 b4 c4 b5 c5 b6 c6 a7 b7",
            ),
            ("board", "all"),
            ("attackers_to_move", "all"),
            ("occurred_before", ""),
        ],
    );
}

#[test]
fn berserk_has_ranks_and_its_switches() {
    let rules = Rules::preset("berserk-2024").unwrap();
    let facts = Facts::of(&Game::new(Arc::clone(&rules)));
    check(
        &facts,
        &rules,
        &[
            ("commanders", "f2 b6 j6 f10"),
            ("knights", "e5"),
            ("king", "f6"),
            ("ranks", "all"),
            ("chain_optional", "all"),
            ("chain_forced", ""),
            ("last_from", ""),
            ("escape_edges", ""),
        ],
    );
}

#[test]
fn tablut_shows_its_edges_as_goals() {
    let rules = Rules::preset("tablut").unwrap();
    let facts = Facts::of(&Game::new(Arc::clone(&rules)));
    let goals = squares_of("goal", &facts, &rules);
    assert_eq!(goals.split(' ').count(), 32);
    let edges: Bitboard = goals
        .split(' ')
        .map(|s| s.parse::<Square>().unwrap())
        .collect();
    assert_eq!(edges, rules.shape().edges());
    check(
        &facts,
        &rules,
        &[("escape_edges", "all"), ("king_two_sides", "all")],
    );
}

/// Names of results and how games begin need no plane.
const UNSEEN: [&str; 3] = ["captureless_reason", "match", "moves_first"];

#[test]
fn every_value_of_every_rule_is_seen() {
    let planes = |ruleset: Ruleset| {
        let rules = Rules::new(ruleset).unwrap();
        let mut facts = Facts::of(&Game::new(Arc::clone(&rules)));
        facts.side = Side::Attacker;
        encoded(&facts, &rules)
    };
    let base = preset("copenhagen").unwrap();
    for (field, values) in FIELDS.iter() {
        let mut seen = Vec::new();
        for value in values {
            let mut fields = base.to_fields();
            fields.insert(field.clone(), value.clone());
            seen.push(planes(Ruleset::from_fields(fields).unwrap()));
        }
        let differ = |(index, one)| seen[index + 1..].iter().all(|other| other != one);
        let is_seen = seen.iter().enumerate().all(differ);
        assert_eq!(is_seen, !UNSEEN.contains(&field.as_str()), "{field}");
    }
    let unlimited = Ruleset {
        captureless_limit: None,
        ..base.clone()
    };
    assert_ne!(planes(unlimited), planes(base));
}

#[test]
fn repetition_and_the_clock_are_seen() {
    let rules = Rules::preset("copenhagen").unwrap();
    let mut game = Game::new(Arc::clone(&rules));
    for mv in ["d1-d2", "f8-g8", "d2-d1", "g8-f8"] {
        assert_eq!(squares_of("occurred_before", &Facts::of(&game), &rules), "");
        game.play(mv.parse::<Move>().unwrap()).unwrap();
    }
    let facts = Facts::of(&game);
    assert_eq!((facts.occurrences, facts.captureless), (2, 4));
    check(
        &facts,
        &rules,
        &[("occurred_before", "all"), ("occurred_twice_before", "")],
    );
    let planes = encoded(&facts, &rules);
    let clock = plane_names()
        .iter()
        .position(|name| *name == "captureless")
        .unwrap();
    let limit = rules
        .ruleset()
        .captureless_limit
        .map_or(100, |limit| limit.get());
    let clock = planes.index_axis(Axis(2), clock);
    assert!(clock.iter().all(|&p| p == 4.0 / limit as f32));
}

#[test]
fn the_end_of_a_chain_leaves_the_last_move_empty() {
    let rules = Rules::preset("berserk-2024").unwrap();
    let mut facts = Facts::of(&Game::new(Arc::clone(&rules)));
    facts.last_move = Some(Move::END);
    facts.chain = Some("f2".parse().unwrap());
    check(
        &facts,
        &rules,
        &[("last_from", ""), ("last_to", ""), ("chain_piece", "f2")],
    );
}
