//! To whom a throne is hostile, and who stops on it and passes over it (spec.md 7.3, 7.7).

use crate::rules::board::{
    ALL_HOSTILE, check, check_turned, drawn, game, play_all, ruleset, targets,
};
use tafl_rules::{HostileTo, Ruleset, Side, Switch, ThroneUse};

const CAPTURED: &str = "attackers win (king-captured)";
const FORT: &str = "defenders win (fort)";

const ALL_USERS: [ThroneUse; 4] = [
    ThroneUse::None,
    ThroneUse::King,
    ThroneUse::Defenders,
    ThroneUse::All,
];

fn hostile_to(name: &str, throne_hostile_to: HostileTo) -> Ruleset {
    Ruleset {
        throne_hostile_to,
        ..ruleset(name)
    }
}

fn used_by(name: &str, throne_stop: ThroneUse, throne_pass: ThroneUse) -> Ruleset {
    Ruleset {
        throne_stop,
        throne_pass,
        ..ruleset(name)
    }
}

/// All may stop on the throne.
fn open(name: &str) -> Ruleset {
    used_by(name, ThroneUse::All, ThroneUse::All)
}

#[test]
fn a_throne_captures_pieces_of_the_side_to_which_it_is_hostile() {
    let defender = "
        . . . . . . .
        . . . . . . K
        . t . . . . .
        . . T . . . .
        . . . . . . .
        . . . . . . .
        . . . . t T .";
    let attacker = "
        . . . . . . .
        . . . . . . K
        . T . . . . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . . . . t T .";
    for (hostile, side) in [(defender, Side::Defender), (attacker, Side::Attacker)] {
        for to in ALL_HOSTILE {
            let captured = if to.contains(side) { "c4" } else { "" };
            check_turned(
                &hostile_to("fetlar", to),
                hostile,
                "b5-b4",
                captured,
                "ongoing",
            );
        }
        let harmless = Ruleset {
            throne_hostile: Switch::Off,
            ..ruleset("fetlar")
        };
        check(&harmless, hostile, "b5-b4", "", "ongoing");
    }
}

#[test]
fn a_stone_of_a_fort_falls_against_a_throne_that_is_hostile_to_defenders() {
    // The throne on d4 lies within: against it attackers could take c4, d5 and e4 from outside.
    let board = "
        . . . . T . .
        . . . . . . .
        . . T T . . .
        t . T . T . t
        . . T . T . .
        . . T . T . .
        . . T K T . .";
    for to in ALL_HOSTILE {
        let result = match to.contains(Side::Defender) {
            true => "ongoing",
            false => FORT,
        };
        check(&hostile_to("copenhagen", to), board, "e7-e5", "", result);
    }
}

#[test]
fn a_defender_on_the_throne_shields_the_one_beside_it() {
    let board = "
        . . . . . . .
        . . . . . . K
        . t . . . . .
        . . T X . . .
        . . . . . . .
        . . . . . . .
        . . . . . t .";
    let shielded = board.replace('X', "T");
    check_turned(&open("fetlar"), &shielded, "b5-b4", "", "ongoing");
    // An attacker there is an enemy piece, on a throne that is hostile to nobody too.
    let harmless = Ruleset {
        throne_hostile_to: HostileTo::Nobody,
        ..open("fetlar")
    };
    let closed = board.replace('X', "t");
    check_turned(&harmless, &closed, "b5-b4", "c4", "ongoing");
}

#[test]
fn a_piece_on_the_throne_is_captured_between_two() {
    for (own, enemy) in [("T", "t"), ("t", "T")] {
        let board = "
            . . . . . . .
            . . . . . . K
            . . x . . . .
            . . . y x . .
            . . . . . . .
            . . . . . . T
            . . . . . t .";
        let board = board.replace('x', enemy).replace('y', own);
        check_turned(&open("fetlar"), &board, "c5-c4", "d4", "ongoing");
    }
}

#[test]
fn a_piece_that_arrives_on_the_throne_captures() {
    let board = "
        . . . . . . .
        . . . . . . K
        . . . . . . .
        t . . . T t .
        . . . . . . .
        . . . . . . .
        . . . . . T .";
    check_turned(&open("fetlar"), board, "a4-d4", "e4", "ongoing");
}

/// Beside the king two attackers; a third comes.
const SURROUNDED: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . X . . .
    . . t K t . .
    . . . . . . .
    . . . t . T .";

#[test]
fn only_an_empty_throne_stands_for_an_attacker() {
    for name in ["fetlar", "brandubh"] {
        let empty = SURROUNDED.replace('X', ".");
        check_turned(&open(name), &empty, "d1-d2", "", CAPTURED);
        let defended = SURROUNDED.replace('X', "T");
        check_turned(&open(name), &defended, "d1-d2", "", "ongoing");
        let fourth = SURROUNDED.replace('X', "t");
        check_turned(&open(name), &fourth, "d1-d2", "", CAPTURED);
    }
}

#[test]
fn an_attacker_who_arrives_on_the_throne_surrounds_the_king_beside_it() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t . . . . . .
        . . t K t . .
        . . . t . . .
        . . . . . T .";
    for name in ["fetlar", "brandubh"] {
        check_turned(&open(name), board, "a4-d4", "", CAPTURED);
    }
}

/// King, defender and attacker, each with an empty way over the throne.
const THREE_WAYS: [(&str, &str, &str); 3] = [
    ("king", "d6", "d2"),
    ("defender", "g4", "b4"),
    ("attacker", "a4", "f4"),
];
const USERS: &str = "
    . . . . . . .
    . . . K . . .
    . . . . . . .
    x . . . . . y
    . . . . . . .
    . . . . . . .
    . t . . . T .";

/// Returns which of king, defender and attacker reach the throne, and which the square beyond it.
fn uses(rules: &Ruleset) -> [Vec<&'static str>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for (piece, from, beyond) in THREE_WAYS {
        let board = match piece {
            "defender" => USERS.replace('x', ".").replace('y', "T"),
            _ => USERS.replace('x', "t").replace('y', "."),
        };
        let targets = targets(rules, &board, from);
        for (found, square) in found.iter_mut().zip(["d4", beyond]) {
            if targets.split(' ').any(|target| target == square) {
                found.push(piece);
            }
        }
    }
    found
}

/// Returns those whom a value allows.
fn allowed(users: ThroneUse) -> Vec<&'static str> {
    match users {
        ThroneUse::None => vec![],
        ThroneUse::King => vec!["king"],
        ThroneUse::Defenders => vec!["king", "defender"],
        ThroneUse::All => vec!["king", "defender", "attacker"],
    }
}

#[test]
fn who_may_stop_on_the_throne_does() {
    for stop in ALL_USERS {
        let [found, _] = uses(&used_by("fetlar", stop, ThroneUse::All));
        assert_eq!(found, allowed(stop), "{stop:?}");
    }
}

#[test]
fn who_may_pass_over_the_throne_does() {
    for pass in ALL_USERS {
        let [_, found] = uses(&used_by("fetlar", ThroneUse::None, pass));
        assert_eq!(found, allowed(pass), "{pass:?}");
    }
}

#[test]
fn who_may_stop_on_the_throne_may_pass_over_it_too() {
    for stop in ALL_USERS {
        let [_, found] = uses(&used_by("fetlar", stop, ThroneUse::None));
        assert_eq!(found, allowed(stop), "{stop:?}");
    }
}

#[test]
fn nobody_passes_over_a_piece_on_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . K
        . . . . . . .
        t . . T . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    let found = targets(&open("fetlar"), board, "a4");
    assert_eq!(found, "a2 a3 a5 a6 b4 c4");
}

#[test]
fn a_king_who_left_the_throne_stays_off_it_where_nobody_stops_there() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    for (stop, comes_back) in [(ThroneUse::None, false), (ThroneUse::King, true)] {
        let rules = used_by("fetlar", stop, ThroneUse::All);
        let mut game = game(&rules, board, Side::Defender);
        play_all(&mut game, "d4-d5 b1-c1");
        let back = game.play("d5-d4".parse().expect("a move"));
        assert_eq!(back.is_ok(), comes_back, "{stop:?}");
    }
}

#[test]
fn a_jump_ends_on_the_throne_only_for_those_who_may_stop_there() {
    for (piece, over, users) in [
        ("c", "T", vec![ThroneUse::All]),
        ("N", "t", vec![ThroneUse::Defenders, ThroneUse::All]),
        (
            "K",
            "t",
            vec![ThroneUse::King, ThroneUse::Defenders, ThroneUse::All],
        ),
    ] {
        let board = "
            . . . . . . .
            . . . . . . k
            . . . . . . .
            . x y . . . .
            . . . . . . .
            . . . . . . .
            . . . . T t .";
        let king = if piece == "K" { "." } else { "K" };
        let board = board.replace('k', king);
        let board = board.replace('x', piece).replace('y', over);
        for stop in ALL_USERS {
            // The king's jump stays special where all may stop on the throne.
            let rules = used_by("berserk-2024", stop, ThroneUse::None);
            let found = targets(&rules, &board, "b4");
            let lands = found.split(' ').any(|target| target == "d4");
            assert_eq!(lands, users.contains(&stop), "{piece} {stop:?}");
        }
    }
}

#[test]
fn the_king_leaps_off_the_throne_whoever_may_stop_there() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K t . .
        . . . . . . .
        . . . . . . .
        . . . . . t .";
    for stop in ALL_USERS {
        let rules = used_by("berserk-2024", stop, ThroneUse::None);
        let found = targets(&rules, board, "d4");
        assert!(found.split(' ').any(|target| target == "f4"), "{stop:?}");
    }
}

#[test]
fn a_soldier_on_the_throne_is_leapt_over_even_where_the_leaper_may_not_pass_it() {
    let board = "
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . . c T . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    let rules = used_by("berserk-2024", ThroneUse::Defenders, ThroneUse::None);
    let found = targets(&rules, board, "c4");
    assert!(found.split(' ').any(|target| target == "e4"), "{found}");
}

#[test]
fn a_start_has_a_piece_on_the_throne_only_if_it_may_stop_there_or_is_the_king() {
    let board = "
        . . . . . . .
        . k . . . . .
        . . . . . . .
        . . . x . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    for (piece, users) in [
        ("K", &ALL_USERS[..]),
        ("T", &[ThroneUse::Defenders, ThroneUse::All]),
        ("N", &[ThroneUse::Defenders, ThroneUse::All]),
        ("t", &[ThroneUse::All]),
        ("c", &[ThroneUse::All]),
    ] {
        let king = if piece == "K" { "." } else { "K" };
        let board = board.replace('k', king).replace('x', piece);
        let start = drawn(&board, Side::Attacker);
        for stop in ALL_USERS {
            let rules = used_by("berserk-2024", stop, ThroneUse::All);
            let checked = start.check(&rules);
            assert_eq!(checked.is_ok(), users.contains(&stop), "{piece} {stop:?}");
            if let Err(error) = checked {
                assert!(error.to_string().contains("d4"), "{error}");
            }
            let throneless = Ruleset {
                throne: Switch::Off,
                ..rules
            };
            assert_eq!(start.check(&throneless), Ok(()), "{piece} {stop:?}");
        }
    }
}

#[test]
fn rings_and_forts_are_passed_over_the_throne_by_all() {
    let closed_to_all = used_by("copenhagen", ThroneUse::None, ThroneUse::None);
    let ring = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . t . .
        . . t K t . .
        . . . . . t .";
    check_turned(&closed_to_all, ring, "f1-d1", "", "ongoing");
    let fort = "
        . . . . T . .
        . . . . . . .
        . . T T . . .
        t . T . T . t
        . . T . T . .
        . . T . T . .
        . . T K T . .";
    let harmless = Ruleset {
        throne_hostile: Switch::Off,
        ..closed_to_all
    };
    check(&harmless, fort, "e7-e5", "", FORT);
    let gap = fort.replace(". . T T . . .", ". . T . . . .");
    check(&harmless, &gap, "e7-e5", "", "ongoing");
}

#[test]
fn a_stone_on_the_throne_is_part_of_a_fort() {
    let board = "
        . . . . T . .
        . . . . . . .
        . . . . . . .
        t . . T . . t
        . . T . T . .
        . . T . T . .
        . . T K T . .";
    let rules = used_by("copenhagen", ThroneUse::Defenders, ThroneUse::All);
    // c4 and e4 are open: the stone on the throne could be captured.
    check(&rules, board, "e7-e5", "", "ongoing");
    let shielded = board.replace("t . . T . . t", "t . T T T . t");
    check(&rules, &shielded, "e7-e5", "", FORT);
}

#[test]
fn without_a_throne_its_use_means_nothing() {
    let throneless = |throne_stop, throne_pass| Ruleset {
        throne: Switch::Off,
        ..used_by("fetlar", throne_stop, throne_pass)
    };
    let [stops, passes] = uses(&throneless(ThroneUse::None, ThroneUse::None));
    assert_eq!([stops, passes], [(); 2].map(|()| allowed(ThroneUse::All)));
    let usual = throneless(ThroneUse::King, ThroneUse::All);
    assert!(throneless(ThroneUse::None, ThroneUse::None).plays_as(&usual));
    let hostile = Ruleset {
        throne_hostile_to: HostileTo::Nobody,
        ..usual.clone()
    };
    assert!(hostile.plays_as(&usual));
}
