//! What variants that people play have: corners hostile to some, step limits, other occurrences (spec.md 7.6, 7.8, 7.9).

use crate::rules::board::{
    ALL_HOSTILE, check, check_turned, game, play_all, ruleset, standing, targets,
};
use serde_json::{Value, json};
use std::num::NonZeroU32;
use tafl_rules::{HostileTo, KingCapture, Repetition, Ruleset, Side};

const CAPTURED: &str = "attackers win (king-captured)";
const ESCAPED: &str = "defenders win (king-escaped)";
const FORT: &str = "defenders win (fort)";

fn corners(name: &str, corners_hostile_to: HostileTo) -> Ruleset {
    Ruleset {
        corners_hostile_to,
        ..ruleset(name)
    }
}

#[test]
fn a_corner_captures_pieces_of_the_side_to_which_it_is_hostile() {
    for (own, enemy, side) in [("T", "t", Side::Defender), ("t", "T", Side::Attacker)] {
        let board = "
            . . . . . . .
            . . . . t . K
            . . . . . . .
            . . y . . . .
            . . . . . . .
            . . . . . . .
            . x . . . . .";
        let board = board.replace('x', own).replace('y', enemy);
        for to in ALL_HOSTILE {
            let captured = if to.contains(side) { "b1" } else { "" };
            check_turned(&corners("fetlar", to), &board, "c4-c1", captured, "ongoing");
        }
    }
}

#[test]
fn a_row_ends_at_a_corner_that_is_hostile_to_its_side() {
    for (own, enemy, side) in [("T", "t", Side::Defender), ("t", "T", Side::Attacker)] {
        let board = "
            . . . . . . .
            . . . . . . .
            . . . . t K .
            . . . . . . .
            . . . y . . .
            . y y . . . .
            . x x . . . .";
        let board = board.replace('x', own).replace('y', enemy);
        for to in ALL_HOSTILE {
            let captured = if to.contains(side) { "b1 c1" } else { "" };
            let rules = corners("copenhagen", to);
            check_turned(&rules, &board, "d3-d1", captured, "ongoing");
        }
    }
}

#[test]
fn the_king_falls_between_an_attacker_and_a_corner_that_is_hostile_to_defenders() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . x . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . K . . . . .";
    for (name, piece) in [("brandubh", "t"), ("berserk-2024", "c")] {
        let board = board.replace('x', piece);
        for to in ALL_HOSTILE {
            let result = match to.contains(Side::Defender) {
                true => CAPTURED,
                false => "ongoing",
            };
            check_turned(&corners(name, to), &board, "c5-c1", "", result);
        }
    }
}

#[test]
fn a_harmless_corner_stands_for_one_of_three_on_an_edge() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        . K . . t . .";
    let rules = Ruleset {
        king_capture: KingCapture::FourSidesThreeOnEdge,
        ..corners("fetlar", HostileTo::Nobody)
    };
    check_turned(&rules, board, "e1-c1", "", CAPTURED);
}

#[test]
fn a_stone_of_a_fort_falls_against_a_corner_that_is_hostile_to_defenders() {
    let board = "
        . . . . . . .
        . . . . . t .
        . . T . . t .
        . . . . . . .
        . . . . . . .
        T T . . . . .
        . K . . . . .";
    for to in ALL_HOSTILE {
        let result = match to.contains(Side::Defender) {
            true => "ongoing",
            false => FORT,
        };
        check(&corners("copenhagen", to), board, "c5-c1", "", result);
    }
}

#[test]
fn a_harmless_corner_is_still_the_kings_alone() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        K . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    let rules = corners("fetlar", HostileTo::Nobody);
    let found = targets(&rules, board, "b1");
    assert_eq!(found, "b2 b3 b4 b5 b6 b7 c1 d1 e1 f1");
    check(&rules, board, "a4-a1", "", ESCAPED);
}

#[test]
fn a_king_who_arrives_on_a_harmless_corner_closes_a_row() {
    let board = "
        . . . . . . .
        . . . . . . .
        K . . . . . .
        . . . . . . t
        . . . . . . .
        . T T . . . .
        . t t T . . .";
    let rules = corners("copenhagen", HostileTo::Nobody);
    check(&rules, board, "a5-a1", "b1 c1", ESCAPED);
}

#[test]
fn where_the_king_escapes_to_the_edges_corners_are_hostile_to_nobody_anyway() {
    for to in ALL_HOSTILE {
        assert!(corners("tablut", to).plays_as(&ruleset("tablut")), "{to:?}");
    }
    let other = corners("brandubh", HostileTo::Defenders);
    assert!(!other.plays_as(&ruleset("brandubh")));
}

fn limited(name: &str, king: Option<u32>, men: Option<u32>) -> Ruleset {
    Ruleset {
        king_step_limit: king.and_then(NonZeroU32::new),
        men_step_limit: men.and_then(NonZeroU32::new),
        ..ruleset(name)
    }
}

const SLIDES: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . K .
    . t . . . . .
    . . . . . . .
    . . T . . . .
    . . . . . . .";

#[test]
fn a_slide_of_the_king_goes_as_far_as_his_limit() {
    let one = limited("fetlar", Some(1), None);
    assert_eq!(targets(&one, SLIDES, "f5"), "e5 f4 f6 g5");
    let two = limited("fetlar", Some(2), None);
    assert_eq!(targets(&two, SLIDES, "f5"), "d5 e5 f3 f4 f6 f7 g5");
    for piece in ["b4", "c2"] {
        let free = targets(&ruleset("fetlar"), SLIDES, piece);
        assert_eq!(targets(&one, SLIDES, piece), free);
    }
}

#[test]
fn a_slide_of_the_other_pieces_goes_as_far_as_theirs() {
    let one = limited("fetlar", None, Some(1));
    assert_eq!(targets(&one, SLIDES, "b4"), "a4 b3 b5 c4");
    assert_eq!(targets(&one, SLIDES, "c2"), "b2 c1 c3 d2");
    let two = limited("fetlar", None, Some(2));
    assert_eq!(targets(&two, SLIDES, "c2"), "a2 b2 c1 c3 c4 d2 e2");
    let free = targets(&ruleset("fetlar"), SLIDES, "f5");
    assert_eq!(targets(&one, SLIDES, "f5"), free);
}

#[test]
fn the_throne_counts_as_a_square_of_a_slide() {
    // From b4 the throne is two squares away, and e4 three.
    let found = |limit| targets(&limited("fetlar", None, Some(limit)), SLIDES, "b4");
    assert_eq!(found(2), "a4 b2 b3 b5 b6 c4");
    assert_eq!(found(3), "a4 b1 b2 b3 b5 b6 b7 c4 e4");
}

#[test]
fn a_limit_beyond_the_board_is_none() {
    let far = limited("fetlar", Some(u32::MAX), Some(u32::MAX));
    for piece in ["b4", "c2", "f5"] {
        let free = targets(&ruleset("fetlar"), SLIDES, piece);
        assert_eq!(targets(&far, SLIDES, piece), free);
    }
}

#[test]
fn a_jump_has_no_limit() {
    let one = limited("berserk-2024", Some(1), Some(1));
    let ranked = "
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . N t . T c .
        . . . . . . .";
    assert_eq!(targets(&one, ranked, "b2"), "a2 b1 b3 d2");
    assert_eq!(targets(&one, ranked, "f2"), "d2 f1 f3 g2");
    let king = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K t . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    assert_eq!(targets(&one, king, "d4"), "c4 d3 d5 f4");
}

#[test]
fn a_chain_goes_on_with_slides_within_the_limit_only() {
    // From c2 the next capture is three squares away, on c5.
    let board = "
        . . t . . . .
        . . T . . K .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t T . . . . .
        . . t . . . .";
    for (limit, result) in [(None, "chain"), (Some(3), "chain"), (Some(2), "ongoing")] {
        let rules = limited("berserk-2024", Some(1), limit);
        check_turned(&rules, board, "c1-c2", "b2", result);
    }
}

/// Both sides have all the choice in the world.
const FREE: &str = "
    . . . . . . .
    . . . . . . .
    . K . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . t .
    . . . . . . .";
const FREE_CYCLE: &str = "f2-f3 b5-b6 f3-f2 b6-b5";

fn judged_at(repetition_occurrence: u32, repetition: Repetition) -> Ruleset {
    Ruleset {
        repetition,
        repetition_occurrence,
        ..ruleset("berserk-2017")
    }
}

#[test]
fn the_occurrence_that_the_ruleset_names_decides() {
    for occurrence in [2, 3, 4] {
        for (repetition, result) in [
            (Repetition::Off, "ongoing"),
            (Repetition::Defenders, "attackers win (repetition)"),
            (Repetition::Attackers, "defenders win (repetition)"),
            (Repetition::Draw, "draw (repetition)"),
            (Repetition::Aggressor, "attackers win (repetition)"),
        ] {
            let rules = judged_at(occurrence, repetition);
            let mut game = game(&rules, FREE, Side::Attacker);
            for _ in 2..occurrence {
                play_all(&mut game, FREE_CYCLE);
            }
            assert_eq!(standing(&game), "ongoing", "{occurrence} {repetition:?}");
            assert_eq!(game.occurrences() + 1, occurrence);
            play_all(&mut game, FREE_CYCLE);
            assert_eq!(standing(&game), result, "{occurrence} {repetition:?}");
        }
    }
}

/// The king can only go to and fro between b2 and b3, unless c2 makes room; others shuffle.
const CAGED_KING: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . t . . . . .
    t K t . . t .
    t . t . . . .
    . t . . . . .";
const FORCED: &str = "b3-b2 f3-g3 b2-b3 g3-f3";
const WITH_A_CHOICE: &str = "b3-b2 c2-d2 b2-b3 d2-c2";

#[test]
fn the_aggressor_is_found_in_the_cycle_since_the_occurrence_before() {
    for (cycles, result) in [
        (vec![FORCED], "defenders win (repetition)"),
        (vec![WITH_A_CHOICE], "attackers win (repetition)"),
        (vec![WITH_A_CHOICE, FORCED], "defenders win (repetition)"),
        (vec![FORCED, WITH_A_CHOICE], "attackers win (repetition)"),
        (
            vec![WITH_A_CHOICE, WITH_A_CHOICE, FORCED],
            "defenders win (repetition)",
        ),
        (
            vec![FORCED, FORCED, WITH_A_CHOICE],
            "attackers win (repetition)",
        ),
    ] {
        let occurrence = u32::try_from(cycles.len()).expect("few") + 1;
        let rules = judged_at(occurrence, Repetition::Aggressor);
        let mut game = game(&rules, CAGED_KING, Side::Defender);
        play_all(&mut game, &cycles.join(" "));
        assert_eq!(standing(&game), result, "{cycles:?}");
    }
}

#[test]
fn a_game_that_forgets_is_judged_alike_at_every_occurrence() {
    for occurrence in [2, 4] {
        let rules = judged_at(occurrence, Repetition::Draw);
        let mut forgetful = game(&rules, FREE, Side::Attacker);
        for _ in 1..occurrence {
            for mv in FREE_CYCLE.split(' ') {
                play_all(&mut forgetful, mv);
                forgetful.forget(16);
            }
        }
        assert_eq!(standing(&forgetful), "draw (repetition)", "{occurrence}");
    }
}

/// Returns Fetlar's rules with one field changed, or why there are none.
fn changed(field: &str, value: &Value) -> Result<Ruleset, String> {
    let file = json!({ "name": "x", "base": "fetlar", field: value });
    let fields = file.as_object().expect("an object").clone();
    Ruleset::from_fields(fields).map_err(|error| error.to_string())
}

/// The fields with the value that they have where a file has none, another one, and one that cannot be.
fn fields() -> [(&'static str, Value, Value, Value); 8] {
    let hostile = || (json!("all"), json!("nobody"), json!("king"));
    let steps = || (json!("none"), json!(1), json!(0));
    let of = |field, (usual, other, wrong)| (field, usual, other, wrong);
    [
        of("throne_hostile_to", hostile()),
        of("corners_hostile_to", hostile()),
        of(
            "throne_stop",
            (json!("king"), json!("all"), json!("nobody")),
        ),
        of("throne_pass", (json!("all"), json!("none"), json!(false))),
        of("king_step_limit", steps()),
        of("men_step_limit", steps()),
        of("repetition_occurrence", (json!(3), json!(2), json!(1))),
        of(
            "shieldwall_by_end",
            (json!(true), json!(false), json!("on")),
        ),
    ]
}

#[test]
fn a_file_without_the_fields_has_their_usual_values() {
    for (field, usual, other, _) in fields() {
        let mut file = ruleset("fetlar").to_fields();
        assert_eq!(file.remove(field), Some(usual), "{field}");
        assert_eq!(Ruleset::from_fields(file.clone()), Ok(ruleset("fetlar")));
        let changed = changed(field, &other).expect("a ruleset");
        assert_eq!(changed.to_fields()[field], other);
        assert_ne!(changed.fingerprint(), ruleset("fetlar").fingerprint());
        let later = changed.later_changed().into_iter().map(|(field, _)| field);
        assert_eq!(later.collect::<Vec<_>>(), [field]);
    }
}

#[test]
fn a_value_that_a_field_cannot_have_is_refused() {
    for (field, _, _, wrong) in fields() {
        assert!(changed(field, &wrong).is_err(), "{field}");
    }
    for wrong in [
        json!(0),
        json!(-1),
        json!(1.5),
        json!("two"),
        json!(1_u64 << 32),
    ] {
        for field in ["king_step_limit", "men_step_limit"] {
            let error = changed(field, &wrong).expect_err("no limit");
            assert!(error.contains("\"none\" nor a number from 1"), "{error}");
        }
        let error = changed("repetition_occurrence", &wrong).expect_err("no occurrence");
        assert!(
            error.contains("the number of an occurrence, 2 to"),
            "{error}"
        );
    }
}

/// Runs, samples and networks name these.
#[test]
fn the_fingerprints_of_rulesets_with_the_usual_values_stay() {
    let base = ruleset("fetlar");
    for (field, usual, _, _) in fields() {
        let same = changed(field, &usual).expect("a ruleset");
        assert_eq!(same.fingerprint(), base.fingerprint(), "{field}");
    }
    assert_eq!(base.fingerprint(), 0x25c9_7c3f_01f6_f7a0);
    let harmless = changed("throne_hostile", &json!(false)).expect("a ruleset");
    assert_eq!(harmless.fingerprint(), 0xeff0_8ddf_9505_3d90);
}
