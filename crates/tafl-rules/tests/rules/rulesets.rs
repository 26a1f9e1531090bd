//! The presets and the file form of rulesets (spec.md 3 and 7).

use crate::board::ruleset;
use serde_json::{Value, json};
use tafl_rules::{
    CapturelessReason, Chain, Escape, KingCapture, MatchFormat, NoMove, PRESET_NAMES, RankOrder,
    Repetition, Rules, Ruleset, RulesetError, RulesetFile, SMALL_BOARD_NAMES, Setup, SetupError,
    Side, Switch, preset, preset_source,
};

const SOLDIERS: &str = "3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3";
const BERSERK: &str = "3ttttt3/5c5/11/t4T4t/t3TTT3t/tc1TTKTT1ct/t3NTT3t/t4T4t/11/5c5/3ttttt3";

/// One column of the table of spec.md 3.
fn column(name: &str) -> Ruleset {
    let berserk = name.starts_with("berserk");
    let tournament = name == "copenhagen-tournament";
    let limit = match name {
        "copenhagen" => 100,
        "fetlar" | "berserk-2024" => 200,
        _ => 0,
    };
    Ruleset {
        name: name.to_owned(),
        shieldwall: Switch::from(name == "copenhagen" || tournament),
        edge_fort: Switch::from(name == "copenhagen"),
        encirclement: Switch::from(!berserk),
        ranks: Switch::from(berserk),
        jump_hostile: Switch::from(name == "berserk-2024"),
        chain: if berserk {
            Chain::Optional
        } else {
            Chain::None
        },
        no_move: if tournament {
            NoMove::Draw
        } else {
            NoMove::Loses
        },
        repetition: match name {
            "berserk-2017" => Repetition::Aggressor,
            "fetlar" => Repetition::Draw,
            _ => Repetition::Defenders,
        },
        captureless_limit: std::num::NonZeroU32::new(limit),
        captureless_reason: preset(name).expect("a preset").captureless_reason,
        match_format: if tournament {
            MatchFormat::TwoSets
        } else {
            MatchFormat::Single
        },
        escape: Escape::Corners,
        king_capture: KingCapture::FourSides,
        king_armed: Switch::On,
        throne_hostile: Switch::On,
        start: Setup::from_text(
            if berserk { BERSERK } else { SOLDIERS },
            RankOrder::HighestFirst,
        )
        .expect("a position"),
    }
}

#[test]
fn the_presets_are_the_columns_of_the_table() {
    let mut names = PRESET_NAMES;
    names.sort_unstable();
    let table = [
        "berserk-2017",
        "berserk-2024",
        "copenhagen",
        "copenhagen-tournament",
        "fetlar",
    ];
    assert_eq!(names, table);
    for name in PRESET_NAMES {
        assert_eq!(ruleset(name), column(name));
    }
    assert_eq!(
        ruleset("copenhagen").captureless_reason,
        CapturelessReason::Captureless
    );
    assert_eq!(
        ruleset("fetlar").captureless_reason,
        CapturelessReason::Unfinishable
    );
    assert_eq!(
        ruleset("berserk-2024").captureless_reason,
        CapturelessReason::Unfinishable
    );
}

#[test]
fn every_preset_starts_with_24_against_12_and_the_king() {
    for name in PRESET_NAMES {
        let start = Rules::preset(name).expect("a preset").start();
        assert_eq!(start.pieces(Side::Attacker).count(), 24, "{name}");
        assert_eq!(start.pieces(Side::Defender).count(), 13, "{name}");
        assert_eq!(start.king().to_string(), "f6", "{name}");
        assert_eq!(start.side(), Side::Attacker, "{name}");
    }
}

#[test]
fn unknown_names_are_no_preset() {
    assert_eq!(preset("Copenhagen"), None);
    assert_eq!(preset(""), None);
    assert_eq!(preset_source("hnefatafl"), None);
}

#[test]
fn every_field_of_a_preset_file_names_what_it_implements() {
    for name in PRESET_NAMES.into_iter().chain(SMALL_BOARD_NAMES) {
        let source = preset_source(name).expect("a preset");
        let fields = source
            .lines()
            .filter(|line| line.contains('=') && !line.starts_with('#'));
        for line in fields.skip(1) {
            let comment = line
                .split_once('#')
                .map_or("", |(_, comment)| comment.trim());
            assert!(!comment.is_empty(), "{name}: {line}");
        }
    }
}

#[test]
fn the_fingerprint_tells_rules_apart_and_ignores_the_name() {
    let names = PRESET_NAMES.into_iter().chain(SMALL_BOARD_NAMES);
    let mut prints: Vec<u64> = names.map(|name| ruleset(name).fingerprint()).collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), 7);
    let renamed = Ruleset {
        name: "other".to_owned(),
        ..ruleset("fetlar")
    };
    assert_eq!(renamed.fingerprint(), ruleset("fetlar").fingerprint());
    let changed = Ruleset {
        shieldwall: Switch::On,
        ..ruleset("fetlar")
    };
    assert_ne!(changed.fingerprint(), ruleset("fetlar").fingerprint());
}

/// Runs, samples and networks name these.
#[test]
fn the_fingerprints_of_the_presets_stay() {
    let names = PRESET_NAMES.into_iter().chain(SMALL_BOARD_NAMES);
    let found: Vec<(&str, u64)> = names
        .map(|name| (name, ruleset(name).fingerprint()))
        .collect();
    assert_eq!(
        found,
        [
            ("copenhagen", 0x3dff_b529_e22a_6c74),
            ("copenhagen-tournament", 0xf1b2_d805_78be_8da5),
            ("fetlar", 0x25c9_7c3f_01f6_f7a0),
            ("berserk-2017", 0x8df4_0d62_624f_2011),
            ("berserk-2024", 0x6db4_d493_8081_ca9e),
            ("brandubh", 0x3152_eb0e_8482_ce50),
            ("tablut", 0x7226_cc04_3444_f496),
        ]
    );
}

#[test]
fn a_field_that_came_later_counts_in_the_fingerprint_where_it_is_not_as_usual() {
    let usual = ruleset("fetlar");
    let changes: [fn(&mut Ruleset); 4] = [
        |it| it.king_armed = Switch::Off,
        |it| it.throne_hostile = Switch::Off,
        |it| it.king_capture = KingCapture::TwoSides,
        |it| it.start.side = Side::Defender,
    ];
    let mut prints: Vec<u64> = changes
        .map(|change| {
            let mut changed = usual.clone();
            change(&mut changed);
            changed.fingerprint()
        })
        .into();
    prints.push(usual.fingerprint());
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), changes.len() + 1);
}

#[test]
fn a_complete_file_written_before_the_later_fields_has_their_usual_values() {
    let later = ["king_armed", "throne_hostile", "moves_first"];
    let source = preset_source("brandubh").expect("a preset");
    let mut file: toml::Table = source.parse().expect("TOML");
    for field in later {
        assert!(file.remove(field).is_some(), "{field}");
    }
    let file = serde_json::to_value(file).expect("words and numbers");
    assert_eq!(resolve(file), Ok(ruleset("brandubh")));
}

#[test]
fn who_moves_first_is_the_files_or_the_bases() {
    let own_start = json!({"name": "x", "base": "brandubh", "moves_first": "defenders", "start": "7/3t3/7/3K3/7/7/7"});
    assert_eq!(
        resolve(own_start).map(|it| it.start.side),
        Ok(Side::Defender)
    );
    let defenders = json!({"name": "x", "base": "brandubh", "moves_first": "defenders"});
    let defenders = resolve(defenders).expect("a ruleset");
    let expected = Ruleset {
        name: "x".to_owned(),
        start: ruleset("brandubh").start.with_side(Side::Defender),
        ..ruleset("brandubh")
    };
    assert_eq!(defenders, expected);
    let rules = Rules::new(defenders).expect("playable");
    let mut game = tafl_rules::Game::new(rules);
    assert!(game.play("d6-c6".parse().expect("a move")).is_err());
    assert!(game.play("d5-c5".parse().expect("a move")).is_ok());
    assert_eq!(game.position().side(), Side::Attacker);
}

fn resolve(file: Value) -> Result<Ruleset, String> {
    let file: RulesetFile = serde_json::from_value(file).map_err(|error| error.to_string())?;
    let named = |error: RulesetError| format!("field `{}`: {error}", error.field());
    file.resolve().map_err(named)
}

#[track_caller]
fn refuses(file: Value, words: &[&str]) {
    let error = resolve(file).expect_err("must be refused");
    for word in words {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

#[test]
fn a_file_names_a_base_and_what_differs() {
    let file = json!({"name": "mine", "base": "copenhagen", "edge_fort": false, "captureless_limit": "none"});
    let expected = Ruleset {
        name: "mine".to_owned(),
        edge_fort: Switch::Off,
        captureless_limit: None,
        ..ruleset("copenhagen")
    };
    assert_eq!(resolve(file), Ok(expected));
}

#[test]
fn every_field_can_be_varied() {
    let file = json!({
        "name": "all", "base": "copenhagen", "shieldwall": false, "edge_fort": false,
        "encirclement": false, "ranks": true, "jump_hostile": true, "chain": "forced",
        "no_move": "draw", "repetition": "attackers", "captureless_limit": 7,
        "captureless_reason": "unfinishable", "match": "two-sets", "escape": "edges",
        "king_capture": "two-sides-away-from-throne", "king_armed": false, "throne_hostile": false,
        "moves_first": "defenders", "start": "7/3t3/2cN3/2TK3/7/7/7",
    });
    let ruleset = resolve(file).expect("a ruleset");
    assert_eq!(ruleset.shieldwall, Switch::Off);
    assert_eq!(ruleset.ranks, Switch::On);
    assert_eq!(ruleset.chain, Chain::Forced);
    assert_eq!(ruleset.repetition, Repetition::Attackers);
    assert_eq!(
        ruleset.captureless_limit.map(std::num::NonZeroU32::get),
        Some(7)
    );
    assert_eq!(ruleset.start.shape.size(), 7);
    let frail = (ruleset.king_armed, ruleset.throne_hostile);
    assert_eq!(frail, (Switch::Off, Switch::Off));
    assert_eq!(ruleset.start.side, Side::Defender);
    assert!(Rules::new(ruleset).is_ok());
}

#[test]
fn each_word_of_a_field_is_known() {
    for (field, words) in [
        ("chain", vec!["none", "optional", "forced"]),
        ("no_move", vec!["loses", "draw"]),
        (
            "repetition",
            vec!["off", "defenders", "attackers", "draw", "aggressor"],
        ),
        ("captureless_reason", vec!["captureless", "unfinishable"]),
        ("match", vec!["single", "two-sets"]),
        ("escape", vec!["corners", "edges"]),
        (
            "king_capture",
            vec!["four-sides", "two-sides-away-from-throne", "two-sides"],
        ),
        ("moves_first", vec!["attackers", "defenders"]),
    ] {
        for word in words {
            let file = json!({"name": "x", "base": "berserk-2024", field: word});
            assert!(resolve(file).is_ok(), "{field} = {word}");
        }
        refuses(
            json!({"name": "x", "base": "berserk-2024", field: "sometimes"}),
            &["sometimes"],
        );
    }
}

#[test]
fn unknown_fields_are_refused() {
    refuses(
        json!({"name": "x", "base": "fetlar", "shield_wall": true}),
        &["shield_wall"],
    );
}

#[test]
fn an_unknown_base_is_refused() {
    refuses(
        json!({"name": "x", "base": "hnefatafl"}),
        &["base", "hnefatafl"],
    );
}

#[test]
fn without_a_base_every_field_is_needed() {
    refuses(json!({"name": "x", "shieldwall": true}), &["missing"]);
}

#[test]
fn a_captureless_limit_below_one_is_refused() {
    for limit in [
        json!(0),
        json!(-3),
        json!(4_294_967_296_u64),
        json!(1.5),
        json!("never"),
    ] {
        let file = json!({"name": "x", "base": "fetlar", "captureless_limit": limit});
        assert!(resolve(file).is_err(), "{limit}");
    }
}

fn refuses_start(start: &str, words: &[&str]) {
    refuses(
        json!({"name": "x", "base": "fetlar", "start": start}),
        words,
    );
}

#[test]
fn a_board_that_is_not_square_or_even_or_too_small_is_refused() {
    refuses_start("7/7/7/3K3/7/7/8", &["8"]);
    refuses_start("7/7/7/3K3/7/7/6", &["6"]);
    refuses_start("8/8/8/8/4K3/8/8/8", &["8"]);
    refuses_start("5/5/2K2/5/t4", &["5"]);
    refuses_start("", &[]);
}

#[test]
fn a_board_larger_than_11_is_refused_with_the_reason() {
    let start = ["13"; 6].join("/") + "/6K6/" + &["13"; 6].join("/");
    let error = resolve(json!({"name": "x", "base": "fetlar", "start": start}));
    let expected = "13 ranks; a board has 7, 9 or 11 (the squares of a larger one do not fit the sets of \
                    128 bits that the rules compute with)";
    assert_eq!(error, Err(expected.to_owned()));
}

#[test]
fn a_letter_that_is_no_piece_is_refused() {
    refuses_start("7/7/7/3K3/7/7/x6", &["x"]);
}

#[test]
fn a_board_without_exactly_one_king_is_refused() {
    refuses_start("7/7/7/7/7/7/1t5", &["start", "king"]);
    refuses_start("7/7/7/3K3/7/7/1K5", &["start", "king"]);
}

#[test]
fn a_king_on_a_corner_is_refused() {
    refuses_start("7/7/7/7/7/7/K6", &["start", "king", "a1"]);
}

#[test]
fn another_piece_on_a_restricted_square_is_refused() {
    refuses_start("7/7/7/3K3/7/7/t6", &["start", "a1"]);
    refuses_start("7/7/1K5/3T3/7/7/7", &["start", "d4"]);
}

#[test]
fn knight_or_commanders_without_ranks_are_refused() {
    refuses_start("7/7/7/3K3/7/7/1c5", &["start", "b1"]);
    refuses_start("7/7/7/3K3/7/7/1N5", &["start", "b1"]);
    let file = json!({"name": "x", "base": "berserk-2024", "ranks": false});
    refuses(file, &["start", "ranks"]);
}

#[test]
fn chains_without_anything_that_could_capture_twice_are_allowed() {
    let file = json!({"name": "x", "base": "fetlar", "chain": "optional"});
    assert!(resolve(file).is_ok());
}

#[test]
fn a_description_with_another_number_of_squares_is_refused() {
    let brandubh = ruleset("brandubh");
    for found in [0, 48, 60] {
        let mut setup = brandubh.start.clone();
        setup.pieces.resize(found, None);
        let expected = SetupError::Squares {
            found,
            expected: 49,
        };
        assert_eq!(setup.check(&brandubh), Err(expected));
    }
}
