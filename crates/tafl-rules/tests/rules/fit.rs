//! The rules that games were played by are found again from their records.

use crate::rules::board::ruleset;
use crate::rules::random::random_move;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use std::sync::Arc;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::fit::{Compared, Fit, Recording, Variant, fit};
use tafl_rules::notation::follow::MisfitKind;
use tafl_rules::notation::games::read_games;
use tafl_rules::{EndReason, Game, Rules, Ruleset, Side};

/// Values of fields that random games on a small board tell apart, and one that they do not.
fn values() -> Vec<(&'static str, Value)> {
    vec![
        ("escape", json!("corners")),
        ("escape", json!("edges")),
        ("king_armed", json!(true)),
        ("king_armed", json!(false)),
        ("throne_hostile", json!(true)),
        ("throne_hostile", json!(false)),
        ("no_move", json!("draw")),
        ("no_move", json!("loses")),
        ("captureless_limit", json!("none")),
        ("match", json!("single")),
        ("match", json!("two-sets")),
    ]
}

fn with(ruleset: &Ruleset, field: &str, value: &Value) -> Arc<Rules> {
    let mut fields = ruleset.to_fields();
    fields.insert(field.to_owned(), value.clone());
    Rules::new(Ruleset::from_fields(fields).expect("sound")).expect("playable")
}

fn variants(ruleset: &Ruleset) -> Vec<Variant> {
    let own = ruleset.to_fields();
    let others = values()
        .into_iter()
        .filter(|(field, value)| own[*field] != *value);
    let variant = others.map(|(field, value)| Variant {
        field: field.to_owned(),
        value: value.to_string(),
        rules: with(ruleset, field, &value),
    });
    variant.collect()
}

/// Plays random games, and returns their lines.
fn lines(rules: &Arc<Rules>, games: u64) -> String {
    let line = |seed| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = Game::new(rules.clone());
        while game.outcome().is_none() {
            let mv = random_move(&game, &mut random).expect("a move");
            game.play(mv).expect("legal");
        }
        let record = RecordedGame::of_game(&game).expect("from the start");
        record.to_fields().join(",") + "\n"
    };
    (0..games).map(line).collect()
}

fn found(text: &str, base: &Arc<Rules>) -> Fit {
    let games = read_games(text).into_iter();
    let games = games.map(|(line, game)| Recording::new(line, game.expect("a game")));
    fit(&games.collect::<Vec<_>>(), base, &variants, &|| ())
}

fn of<'a>(found: &'a Fit, field: &str) -> &'a Compared {
    let mut others = found.others.iter();
    let other = others.find(|it| it.variant.field == field);
    other.expect(field)
}

#[test]
fn two_changed_fields_are_found_again() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    let rules = with(base.ruleset(), "escape", &json!("edges"));
    let rules = with(rules.ruleset(), "king_armed", &json!(false));
    let text = lines(&rules, 60);
    let found = found(&text, &base);
    assert_eq!(found.found.ruleset(), rules.ruleset());
    let agreement = found.agreement;
    assert_eq!((agreement.games, agreement.replay), (60, 60));
    assert_eq!(agreement.captures, agreement.captures_agree);
    assert!(
        agreement.captures > 0 && found.base.replay < 60,
        "{found:?}"
    );
    assert_eq!(agreement.endings, agreement.endings_agree);
    assert!(found.left.is_empty(), "{found:?}");
    // What was refused has a game against it, which is the first.
    let refused = of(&found, "escape");
    let first = refused.first.as_ref().expect("a game");
    assert!(refused.lost > 0 && refused.gained == 0, "{refused:?}");
    let (_, game) = read_games(&text).swap_remove(first.line - 1);
    let misfit = game.expect("a game").replay(&refused.variant.rules);
    let misfit = misfit.expect_err("another game");
    assert_eq!((first.kind, &first.text), (Some(misfit.kind), &misfit.text));
    assert!(!of(&found, "match").is_told());
}

#[test]
fn three_fields_are_found_that_explain_games_only_together() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    let rules = with(base.ruleset(), "escape", &json!("edges"));
    let rules = with(rules.ruleset(), "king_armed", &json!(false));
    let rules = with(rules.ruleset(), "throne_hostile", &json!(false));
    // Ply 10 tells where the king escapes, ply 19 the throne, ply 22 the king.
    let game = "d6-g6 d5-b5 d2-g2 c4-c5 g2-e2 b5-a5 f4-f1 c5-c7 g6-c6 a5-a7 d1-d2 a7-a6 f1-a1 d4-d5 \
                d7-f7 d3-c3 d2-c2 a6-b6 g4-f4 c3-g3 c2-c3 d5-d6 f7-d7 e4-e6 a4-a5 g3-f3 a5-d5,0,0,Black\n";
    let found = found(&game.repeat(3), &base);
    assert_eq!((found.base.replay, found.agreement.replay), (0, 3));
    assert_eq!(found.found.ruleset(), rules.ruleset());
}

#[test]
fn an_end_that_the_board_does_not_know_speaks_against_a_ruleset() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    let rules = with(base.ruleset(), "escape", &json!("edges"));
    // The king goes to an edge, where the game ends.
    let text = "d6-c6 d5-e5 f4-f5 d3-c3 b4-b5 d4-d5 b5-b6 d5-c5 f5-f6 c5-a5,0,0,White\n";
    let found = found(text, &base);
    let found_rules = found.found.ruleset();
    assert_eq!(found_rules.escape, rules.ruleset().escape);
    assert_eq!((found.base.replay, found.base.endings_agree), (1, 0));
    let first = of(&found, "escape").first.as_ref().expect("a game");
    let said = "the board says nothing at the end; recorded is defenders win";
    assert_eq!((first.kind, &*first.text), (None, said));
}

#[test]
fn draws_that_the_board_ends_speak_for_a_ruleset() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    let base = with(base.ruleset(), "repetition", &json!("off"));
    let rules = with(base.ruleset(), "captureless_limit", &json!(20));
    let text = lines(&rules, 60);
    let games = read_games(&text).into_iter();
    let games = games.map(|(line, game)| Recording::new(line, game.expect("a game")));
    let games: Vec<Recording> = games.collect();
    let drawn = games.iter().filter_map(|it| it.quiet(&base)?.1);
    let drawn: Vec<usize> = drawn.collect();
    assert!(drawn.len() > 10 && drawn.contains(&20), "{drawn:?}");
    let tried = |ruleset: &Ruleset| {
        let limits = [json!("none"), json!(20)];
        let limits = limits.map(|limit| Variant {
            field: "captureless_limit".to_owned(),
            value: limit.to_string(),
            rules: with(ruleset, "captureless_limit", &limit),
        });
        limits.to_vec()
    };
    let found = fit(&games, &base, &tried, &|| ());
    assert_eq!(
        found.found.ruleset().captureless_limit,
        rules.ruleset().captureless_limit
    );
    let (before, after) = (found.base, found.agreement);
    assert_eq!((before.draws, before.draws_agree), (drawn.len(), 0));
    assert_eq!(after.draws_agree, drawn.len());
    // So a ruleset without them has a game against it.
    let mut others = found.others.iter();
    let without = others.find(|it| it.variant.value == "\"none\"");
    let first = without.and_then(|it| it.first.as_ref()).expect("a game");
    let said = "the board says nothing at the end; recorded is a draw";
    assert_eq!((first.kind, &*first.text), (None, said));
}

#[test]
fn who_moves_first_is_found_though_games_have_rules_of_their_own() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    let rules = with(base.ruleset(), "moves_first", &json!("defenders"));
    let fields = json!({"name": "mine", "base": "brandubh", "moves_first": "defenders"});
    let text = format!("ruleset: {fields}\n{}", lines(&rules, 20));
    let first = |ruleset: &Ruleset| {
        let other = ruleset.moves_first.opponent().to_string();
        vec![Variant {
            field: "moves_first".to_owned(),
            rules: with(ruleset, "moves_first", &json!(other)),
            value: other,
        }]
    };
    let games = read_games(&text).into_iter();
    let games = games.map(|(line, game)| Recording::new(line, game.expect("a game")));
    let found = fit(&games.collect::<Vec<_>>(), &base, &first, &|| ()).found;
    assert_eq!(found.ruleset().moves_first, Side::Defender);
}

#[test]
fn the_end_of_a_chain_is_no_ply_without_a_capture() {
    let line = "a4-b4 d5-a5 b4-c4 a5-a3xa4-end b7-c7 d3-e3,0,1,Draw\n";
    let (_, game) = read_games(line).swap_remove(0);
    let recording = Recording::new(1, game.expect("a game"));
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    assert_eq!(recording.quiet(&base), Some((3, Some(2))));
}

#[test]
fn plies_without_a_capture_are_counted_where_captures_are_not_named() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    for turn in ["d2-d3xc3", "d2-d3"] {
        let text = format!("d6-c6 d3-c3 b4-b3 d5-e5 {turn} e5-f5 d7-c7 f5-e5 Draw\n");
        let (line, game) = read_games(&text).swap_remove(0);
        let recording = Recording::new(line, game.expect("a game"));
        assert_eq!(recording.quiet(&base), Some((4, Some(3))), "{turn}");
        // Nor is it a limit that another rule ended it.
        let ended = recording.ended(Some(EndReason::Repetition));
        assert_eq!(ended.quiet(&base), Some((4, None)));
    }
}

#[test]
fn a_reason_that_is_told_tells_rulesets_apart() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    let base = with(base.ruleset(), "repetition", &json!("off"));
    let base = with(base.ruleset(), "captureless_limit", &json!(20));
    let rules = with(base.ruleset(), "captureless_reason", &json!("unfinishable"));
    let text = lines(&rules, 60);
    let tried = |ruleset: &Ruleset| {
        let reasons = ["captureless", "unfinishable"].map(|reason| Variant {
            field: "captureless_reason".to_owned(),
            value: reason.to_owned(),
            rules: with(ruleset, "captureless_reason", &json!(reason)),
        });
        reasons.to_vec()
    };
    let found = |is_told| {
        let games = read_games(&text).into_iter().map(|(line, game)| {
            let game = game.expect("a game");
            let replayed = game.replay(&rules).expect("its rules");
            let reason = replayed.game.outcome().map(|it| it.reason);
            let recording = Recording::new(line, game);
            match is_told {
                true => recording.ended(reason),
                false => recording,
            }
        });
        fit(&games.collect::<Vec<_>>(), &base, &tried, &|| ())
    };
    assert_eq!(found(false).found.ruleset(), base.ruleset());
    let found = found(true);
    assert_eq!(found.found.ruleset(), rules.ruleset());
    let mut others = found.others.iter();
    let other = others.find(|it| it.variant.value == "captureless");
    let first = other.and_then(|it| it.first.as_ref()).expect("a game");
    let said = "the board says draw (captureless); recorded is unfinishable";
    assert_eq!((first.kind, &*first.text), (Some(MisfitKind::Reason), said));
}

#[test]
fn one_faulty_game_of_very_many_changes_no_field() {
    let base = Rules::new(ruleset("brandubh")).expect("playable");
    let base = with(base.ruleset(), "repetition", &json!("off"));
    let base = with(base.ruleset(), "captureless_limit", &json!(20));
    let to_and_fro = ["d7-c7 d5-e5 c7-d7 e5-d5"; 6].join(" ");
    let faulty = format!("{to_and_fro},0,0,Ongoing\n");
    let limit = |text: &str| {
        let found = found(text, &base);
        let own = found.found.ruleset().captureless_limit;
        (own.is_some(), found)
    };
    assert!(!limit(&faulty).0, "alone it tells");
    // Draws would tell that there is a limit.
    let games = lines(&base, 1_600);
    let decided = games
        .split_inclusive('\n')
        .filter(|it| !it.ends_with("Draw\n"));
    let decided: Vec<&str> = decided.take(520).collect();
    assert_eq!(decided.len(), 520);
    let (is_kept, found) = limit(&(decided.concat() + &faulty));
    assert!(is_kept, "{found:?}");
    let left = &found.left[0];
    assert_eq!((found.left.len(), left.0, left.1.line), (1, 1, 521));
    let other = of(&found, "captureless_limit");
    assert_eq!((other.lost, other.gained), (0, 1));
}
