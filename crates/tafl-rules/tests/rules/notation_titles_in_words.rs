//! Titles as people write them: scores, brackets and names of towns in them.

use super::notation_ends_of_games::{error, one};
use tafl_rules::Side;
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::games::{read_games, titles_of};

const GAME: &str = "1. d1-d3 f8-h8\n2. d11-d9\n";

#[test]
fn a_score_counts_only_where_it_stands_alone_between_or_behind_two_names() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    for (title, result) in [
        ("Anna (attackers) 1-0 Bo (defenders)", attackers),
        ("anna (attackers) 0 - 1 bo (defenders)", defenders),
        ("Anna (attackers) vs. Bo (defenders): 0-1", defenders),
        ("Anna-Lena (D) - Erik the Red (A), 1-0.", defenders),
        ("Round 3, Anna (1650) (A) 1:0 Bo (D), 14.11.2026", attackers),
        ("2026-11-14: Anna (A) - Bo (D) 1-0", attackers),
        ("Anna - Bo 1/2-1/2", RecordedResult::Draw),
    ] {
        let told = one(&format!("{title}\n{GAME}")).recorded();
        assert_eq!(told.result, result, "{title}");
    }
    for title in [
        "Anna (attackers) lost to Bo (defenders) 1-0",
        "Anna (attackers) loses 1-0 to Bo (defenders)",
        "Anna (attackers) - Bo (defenders) 1-0 for Bo",
        "Anna (attackers) - Bo (defenders), won 1-0 by Bo",
        "Anna (attackers) leads 1-0 against Bo (defenders)",
        "Anna (attackers) - Bo (defenders), match score 1-0",
        "Anna (attackers) - Bo (defenders), 1-0 after game 1",
        "Anna (attackers) - Bo (defenders), not 1-0",
        "Anna (attackers) - Bo (defenders), 1-0 0-1",
        "Score so far: Anna (attackers) 1-0 Bo (defenders)",
        "Anna refused ½-½ with Bo",
    ] {
        let told = error(&format!("{title}\n{GAME}"));
        assert!(told.contains("does not say which side won"), "{told}");
    }
    let before = "Game 2, Anna (attackers) - Bo (defenders), score before the game 0-1";
    assert!(error(&format!("{before}\n{GAME}")).contains("how a game ended is said"));
}

#[test]
fn a_score_above_a_game_that_is_said_to_be_unfinished_is_refused() {
    for told in ["Ongoing", "unfinished"] {
        let text = format!("Anna (attackers) 1-0 Bo (defenders)\n{GAME}{told}\n");
        let told = error(&text);
        assert!(told.contains("both Ongoing and Black are said"), "{told}");
    }
}

#[test]
fn rules_that_are_told_hold_against_a_comment_that_begins_with_a_name() {
    let town = "# Copenhagen, 14 Nov 2026, Anna - Bo";
    for above in [
        format!("ruleset: brandubh\n{town}\n"),
        format!("{town}\nRules: brandubh\n"),
        format!("# Ruleset: brandubh\n\n{town}\n"),
        format!("brandubh\n{town}\n"),
        "brandubh\nGame 1: Copenhagen\n".to_owned(),
        format!("[Variant \"brandubh\"]\n{town}\n"),
        format!("ruleset: brandubh\n[Event \"Cup\"]\n{town}\n"),
    ] {
        let game = one(&format!("{above}\n{GAME}"));
        assert_eq!(game.ruleset.as_deref(), Some("brandubh"), "{above}");
    }
    let rules = |text: String| -> Vec<Option<String>> {
        let read = read_games(&text).into_iter();
        read.map(|(_, game)| game.expect("a game").ruleset)
            .collect()
    };
    let named = |names: [&str; 2]| names.map(|it| Some(it.to_owned()));
    let two = |first: &str, second: &str| format!("{first}\n{GAME}\n{second}\n{GAME}");
    for (first, second, names) in [
        ("ruleset: brandubh", town, ["brandubh"; 2]),
        ("# Fetlar, Anna - Bo", town, ["Fetlar", "Copenhagen"]),
        ("Fetlar", "Game 2: Tablut", ["fetlar", "tablut"]),
        // As a game of `tafl play` begins.
        (
            "ruleset: brandubh",
            "# tablut, attackers by a human",
            ["brandubh", "tablut"],
        ),
    ] {
        assert_eq!(rules(two(first, second)), named(names), "{first}, {second}");
    }
    let text = format!("ruleset: brandubh\n{town}\n{GAME}");
    assert_eq!(titles_of(&text, &[3]), [&town[2..]]);
}

#[test]
fn a_title_may_have_brackets_and_what_seems_to_be_moves_is_refused() {
    for title in [
        "Anna (attackers) - Bo (defenders)",
        "Anna (1650) vs Bo (1720)",
        "Anna - Bo (Oslo)",
        "White: Anna (1650)",
        "Date: 14.11.2026 (Saturday)",
        "Round 3 (Anna - Bo)",
        "Club evening (14 Nov)",
    ] {
        let game = one(&format!("{title}\n{GAME}")).recorded();
        assert_eq!(game.turns.len(), 3, "{title}");
        let two = read_games(&format!("{title}\n{GAME}\n{title}\n{GAME}"));
        assert!(two.iter().all(|it| it.1.is_ok()) && two.len() == 2);
    }
    for title in [
        "Anna (d1-zz)",
        "Anna (Oslo",
        "(Oslo) Anna",
        "White (on time)",
    ] {
        let read = read_games(&format!("{GAME}\n{title}\n\n{GAME}"));
        assert!(read.iter().any(|it| it.1.is_err()), "{title}");
    }
    let below = read_games(&format!("{GAME}Anna (Oslo)\n"));
    assert!(below[1].1.is_err());
    let told = error(&format!("(Oslo) Anna\n{GAME}"));
    assert!(
        told.ends_with("behind a `#` such a line is a comment"),
        "{told}"
    );
}

#[test]
fn a_comment_that_tells_a_result_of_two_names_is_a_title() {
    for title in [
        "Anna (attackers) 1-0 Bo (defenders)",
        "Anna - Bo, Black won",
    ] {
        let text = format!("# {title}\n{GAME}# {title}\n{GAME}");
        assert_eq!(titles_of(&text, &[2, 5]), [title; 2]);
    }
    let below = format!("{GAME}# Black won\n{GAME}");
    assert_eq!(titles_of(&below, &[1, 4]), [""; 2]);
}

#[test]
fn ends_are_read_behind_result_and_with_what_happened_in_brackets() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    for (told, result) in [
        ("Result: Black", attackers),
        ("Defender resigns", attackers),
        ("Attackers won (king captured)", attackers),
        ("White won (on time)", defenders),
        ("Draw by repetition", RecordedResult::Draw),
        ("Draw (same position)", RecordedResult::Draw),
        ("Black resigned\nWhite won", defenders),
        ("White won\nResult: White", defenders),
    ] {
        let ended = one(&format!("{GAME}{told}\n")).recorded();
        assert_eq!((ended.result, ended.turns.len()), (result, 3), "{told}");
    }
    for told in ["White won (d1-d3)", "White won (not Black)", "White (king)"] {
        let read = read_games(&format!("{GAME}{told}\n"));
        assert!(read.iter().any(|it| it.1.is_err()), "{told}");
    }
    let above = |first: &str, second: &str| {
        format!("Result: {first}\n\n{GAME}\nResult: {second}\n\n{GAME}")
    };
    for (second, result) in [("Black", attackers), ("White", defenders)] {
        let read = read_games(&above("White", second)).into_iter();
        let read = read.map(|(_, game)| game.expect("a game").recorded().result);
        assert!(read.eq([defenders, result]), "{second}");
    }
    assert!(error(&format!("Result: White\n{GAME}Black won\n")).contains("both Black and White"));
}

#[test]
fn lines_that_a_mail_quotes_are_read() {
    let quoted = "> Anna - Bo\n> 1. d1-d3 f8-h8\n>> 2. d11-d9\n>\n> White won\n";
    let game = one(quoted).recorded();
    let defenders = RecordedResult::Won(Side::Defender);
    assert_eq!((game.turns.len(), game.result), (3, defenders));
    assert_eq!(titles_of(quoted, &[2]), ["Anna - Bo"]);
}
