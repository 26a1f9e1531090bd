//! The presets and the file form of rulesets (spec.md 3 and 7).

use crate::plain::fields::FIELDS;
use crate::rules::board::ruleset;
use crate::rules::random::{all_rulesets, random_ruleset};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use tafl_rules::{
    Board, CapturelessReason, Game, PLAYED_NAMES, PRESET_NAMES, RULESET_NAMES, Rules, Ruleset,
    RulesetError, SetupError, Side, Switch, preset, preset_named, preset_source, unlike_preset,
};

const SOLDIERS: &str = "3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3";
const BERSERK: &str = "3ttttt3/5c5/11/t4T4t/t3TTT3t/tc1TTKTT1ct/t3NTT3t/t4T4t/11/5c5/3ttttt3";

/// Plays the same moves by lot under two rulesets, and returns whether all is the same.
fn is_same_game(rulesets: [Ruleset; 2], random: &mut impl Rng) -> bool {
    let mut games = rulesets.map(|it| Game::new(Rules::new(it).expect("sound")));
    for _ in 0..80 {
        let legal = games.each_ref().map(Game::legal);
        let winner = |game: &Game| game.outcome().map(|it| it.winner);
        if legal[0] != legal[1] || winner(&games[0]) != winner(&games[1]) {
            return false;
        }
        let Some(&mv) = legal[0].choose(random) else {
            return true;
        };
        for game in &mut games {
            game.play(mv).expect("legal");
        }
    }
    true
}

#[test]
fn fields_without_meaning_change_no_game() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(56);
    let mut without_meaning = BTreeSet::new();
    for _ in 0..600 {
        let base = random_ruleset(&mut random);
        let fields = base.to_fields();
        let others = random_ruleset(&mut random).to_fields();
        for (field, value) in &others {
            let mut changed = fields.clone();
            changed.insert(field.clone(), value.clone());
            let Ok(other) = Ruleset::from_fields(changed) else {
                continue;
            };
            if *value == fields[field] || field == "name" || !other.plays_as(&base) {
                continue;
            }
            without_meaning.insert(field.clone());
            assert!(
                is_same_game([base.clone(), other], &mut random),
                "{field}: {fields:?}"
            );
        }
    }
    let expected = [
        "captureless_reason",
        "corners_hostile_to",
        "edge_fort",
        "jump_hostile",
        "king_capture",
        "match",
        "repetition_occurrence",
        "shieldwall_by_end",
        "throne",
        "throne_hostile",
        "throne_hostile_to",
        "throne_pass",
        "throne_stop",
    ];
    let found: Vec<&String> = without_meaning.iter().collect();
    assert_eq!(found, expected);
    let copenhagen = ruleset("copenhagen");
    for field in ["shieldwall", "edge_fort", "throne_hostile", "king_armed"] {
        let mut fields = copenhagen.to_fields();
        fields.insert(field.to_owned(), false.into());
        let other = Ruleset::from_fields(fields).expect("sound");
        assert!(!other.plays_as(&copenhagen), "{field}");
    }
}

#[test]
fn the_presets_are_the_columns_of_the_table() {
    let names = [
        "berserk-2017",
        "berserk-2024",
        "copenhagen-tournament",
        "fetlar",
        "copenhagen",
    ];
    let rows = json!({
        "shieldwall": [false, false, true, false, true],
        "edge_fort": [false, false, false, false, true],
        "encirclement": [false, false, true, true, true],
        "no_move": ["loses", "loses", "draw", "loses", "loses"],
        "repetition": ["aggressor", "defenders", "defenders", "draw", "defenders"],
        "captureless_limit": ["none", 200, "none", 200, 100],
        "ranks": [true, true, false, false, false],
        "chain": ["optional", "optional", "none", "none", "none"],
        "jump_hostile": [false, true, false, false, false],
        "match": ["single", "single", "two-sets", "single", "single"],
        "escape": ["corners", "corners", "corners", "corners", "corners"],
        "king_capture": ["four-sides", "four-sides", "four-sides", "four-sides", "four-sides"],
        "start": [BERSERK, BERSERK, SOLDIERS, SOLDIERS, SOLDIERS],
    });
    for (field, values) in rows.as_object().expect("rows") {
        for (column, name) in names.iter().enumerate() {
            let found = ruleset(name).to_fields()[field].clone();
            assert_eq!(found, values[column], "{name}: {field}");
        }
    }
    assert_eq!(PRESET_NAMES.len(), names.len());
    let reasons = ["copenhagen", "fetlar", "berserk-2024"]
        .map(|name| ruleset(name).to_fields()["captureless_reason"].clone());
    assert_eq!(reasons, ["captureless", "unfinishable", "unfinishable"]);
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
fn the_reason_of_a_limit_that_is_not_there_is_not_told() {
    let own = Ruleset {
        name: "own".to_owned(),
        captureless_limit: None,
        captureless_reason: CapturelessReason::Captureless,
        ..ruleset("brandubh")
    };
    let told = unlike_preset(&own).expect("no preset");
    let expected = "as brandubh, but captureless_limit = \"none\" (not 100)";
    assert_eq!(told, expected);
}

#[test]
fn unknown_names_are_no_preset() {
    assert_eq!(preset("Copenhagen"), None);
    assert_eq!(preset_named("Old_hnefatafl 9"), Some("old-hnefatafl-9"));
    assert_eq!(preset_named("copenhagen.toml"), None);
    assert_eq!(preset(""), None);
    assert_eq!(preset_source("hnefatafl"), None);
}

#[test]
fn every_field_of_a_preset_file_names_what_it_implements() {
    for name in RULESET_NAMES.into_iter().chain(PLAYED_NAMES) {
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

/// Runs, samples and networks name these.
#[test]
fn the_fingerprints_of_the_presets_stay() {
    let names = RULESET_NAMES.into_iter();
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
    let played = PLAYED_NAMES.map(|name| (name, ruleset(name).fingerprint()));
    assert_eq!(
        played,
        [
            ("old-hnefatafl", 0x6606_7f06_fe89_9888),
            ("tawlbwrdd", 0x0f4b_6462_dfa5_d9e6),
            ("simple-tafl", 0x2ae5_66f4_a1a4_9c69),
            ("sea-battle", 0x470b_61c0_376e_2827),
            ("sea-battle-9", 0xc9c9_831e_b0f3_21f2),
            ("ard-ri", 0x0947_cc9b_0822_f194),
            ("skalk", 0xd6d4_5e28_c4e7_58fa),
            ("skalk-9", 0xbfd3_980d_e60e_1a51),
            ("old-hnefatafl-9", 0x19ad_fb70_698d_ca4b),
            ("brandubh-walker", 0xe109_5f35_0896_882c),
            ("ard-ri-39", 0xbb6a_a319_af8c_4df4),
            ("sea-battle-2526", 0xcd29_dc9e_0ca2_3366),
            ("sea-battle-204577", 0x717c_8cd4_cea4_1d07),
            ("brandubh-2", 0xe43fb0fb0db8ff7a),
            ("magpie", 0xddb900260bf857cd),
        ]
    );
    let later = [
        json!({ "king_armed": false }),
        json!({ "throne_hostile": false }),
        json!({ "moves_first": "defenders" }),
        json!({ "king_armed": false, "throne_hostile": false, "moves_first": "defenders" }),
    ];
    let found = later.map(|changes| resolve(varied("fetlar", &changes)).map(|it| it.fingerprint()));
    assert_eq!(
        found,
        [
            Ok(0x5699_95a3_9546_813c),
            Ok(0xeff0_8ddf_9505_3d90),
            Ok(0x48ea_be30_5d4b_a084),
            Ok(0x7c27_2c61_fbb1_48a8),
        ]
    );
}

#[test]
fn every_value_of_every_field_is_read_and_written_and_has_its_own_fingerprint() {
    let base = ruleset("berserk-2024");
    let mut prints = BTreeSet::new();
    let mut own = 0;
    for (field, values) in FIELDS.iter() {
        for value in values {
            let mut file = base.to_fields();
            file.insert("start".to_owned(), SOLDIERS.into());
            own += usize::from(file[field] == *value);
            file.insert(field.clone(), value.clone());
            let changed = resolve(file.clone().into()).expect("a ruleset");
            assert_eq!(changed.to_fields(), file);
            let written: Map<String, Value> = toml::from_str(&changed.to_toml()).expect("TOML");
            assert_eq!(written, file);
            prints.insert(changed.fingerprint());
        }
        let wrong = varied("berserk-2024", &json!({ field: "sometimes" }));
        assert!(resolve(wrong).is_err(), "{field}");
    }
    assert_eq!(own, FIELDS.len());
    let values: usize = FIELDS.iter().map(|(_, values)| values.len()).sum();
    assert_eq!(prints.len(), values - own + 1);
}

#[test]
fn the_fingerprint_ignores_the_name() {
    let prints: BTreeSet<u64> = all_rulesets().iter().map(Ruleset::fingerprint).collect();
    assert_eq!(prints.len(), 7);
    let renamed = varied("fetlar", &json!({}));
    let renamed = resolve(renamed).expect("a ruleset");
    assert_eq!(renamed.fingerprint(), ruleset("fetlar").fingerprint());
}

#[test]
fn a_complete_file_written_before_the_later_fields_has_their_usual_values() {
    let mut file = ruleset("brandubh").to_fields();
    for field in ["king_armed", "throne_hostile", "throne", "moves_first"] {
        assert!(file.remove(field).is_some(), "{field}");
    }
    assert_eq!(resolve(file.into()), Ok(ruleset("brandubh")));
}

#[test]
fn who_moves_first_is_the_files_or_the_bases() {
    let own_start = json!({"moves_first": "defenders", "start": "7/3t3/7/3K3/7/7/7"});
    let own_start = resolve(varied("brandubh", &own_start));
    assert_eq!(own_start.map(|it| it.moves_first), Ok(Side::Defender));
    let defenders = varied("brandubh", &json!({"moves_first": "defenders"}));
    let rules = Rules::new(resolve(defenders).expect("a ruleset")).expect("playable");
    let mut game = Game::new(rules);
    assert!(game.play("d6-c6".parse().expect("a move")).is_err());
    assert!(game.play("d5-c5".parse().expect("a move")).is_ok());
    assert_eq!(game.position().side(), Side::Attacker);
}

/// Returns a file with a base and what differs.
fn varied(base: &str, changes: &Value) -> Value {
    let mut file = json!({ "name": "x", "base": base });
    let fields = file.as_object_mut().expect("an object");
    fields.extend(changes.as_object().expect("changes").clone());
    file
}

fn resolve(file: Value) -> Result<Ruleset, String> {
    let named = |error: RulesetError| format!("field `{}`: {error}", error.field());
    Ruleset::from_fields(file.as_object().expect("an object").clone()).map_err(named)
}

#[track_caller]
fn refuses(base: &str, changes: &Value, words: &[&str]) {
    let error = resolve(varied(base, changes)).expect_err("must be refused");
    for word in words {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

#[test]
fn a_file_names_a_base_and_what_differs() {
    let changes = json!({"name": "mine", "edge_fort": false, "captureless_limit": "none"});
    let expected = Ruleset {
        name: "mine".to_owned(),
        edge_fort: Switch::Off,
        captureless_limit: None,
        ..ruleset("copenhagen")
    };
    for base in ["copenhagen", "Copenhagen"] {
        assert_eq!(resolve(varied(base, &changes)), Ok(expected.clone()));
    }
}

#[test]
fn what_is_no_field_or_no_base_or_missing_is_refused() {
    refuses("fetlar", &json!({"shield_wall": true}), &["shield_wall"]);
    refuses("hnefatafl", &json!({}), &["base", "hnefatafl"]);
    let bare = resolve(json!({"name": "x", "shieldwall": true}));
    assert!(bare.is_err_and(|error| error.contains("missing")));
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
        let words = ["field `captureless_limit`: ", "none"];
        refuses("fetlar", &json!({ "captureless_limit": limit }), &words);
    }
}

fn refuses_start(start: &str, words: &[&str]) {
    refuses("fetlar", &json!({ "start": start }), words);
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
fn ranks_may_stand_on_lines_of_their_own() {
    let start = "3t3\n3t3\n3T3\nttTKTtt\n3T3\n3t3\n3t3\n";
    let of = |start: &str| Board::try_from(start.to_owned());
    assert_eq!(of(start), of(&start.trim().replace('\n', "/")));
    assert!(of(start).is_ok());
}

#[test]
fn a_board_larger_than_11_is_refused_with_the_reason() {
    let start = ["13"; 6].join("/") + "/6K6/" + &["13"; 6].join("/");
    let expected = "13 ranks; a board has 7, 9 or 11 (the squares of a larger one do not fit the sets of \
                    128 bits that the rules compute with)";
    refuses_start(&start, &[expected]);
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
    refuses(
        "berserk-2024",
        &json!({"ranks": false}),
        &["start", "ranks"],
    );
}

#[test]
fn a_description_with_another_number_of_squares_is_refused() {
    let brandubh = ruleset("brandubh");
    for found in [0, 48, 60] {
        let mut setup = brandubh.setup();
        setup.pieces.resize(found, None);
        let expected = SetupError::Squares {
            found,
            expected: 49,
        };
        assert_eq!(setup.check(&brandubh), Err(expected));
    }
}
