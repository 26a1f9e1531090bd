//! Texts that people paste.

use super::*;

fn read(text: &str, current: &Value) -> Result<Reading, EngineError> {
    read_game(text, 1, (current, &[]))
}

fn read_game(
    text: &str,
    game: usize,
    (current, own): (&Value, &[Value]),
) -> Result<Reading, EngineError> {
    super::read(Source {
        text,
        game,
        current,
        own,
    })
}

fn moves(reading: &Reading) -> Vec<(usize, &str)> {
    let plies = reading.plies.iter();
    plies.map(|(after, mv, _)| (*after, &**mv)).collect()
}

/// What is noted where a text names no rules.
const ASSUMED: &str = "It does not say its rules: copenhagen is assumed.";

#[test]
fn a_variation_replaces_the_ply_before_it() {
    let text = "1. d1-d3 f8-h8 (f8-g8 (f8-i8) a4-c4) 2. d11-d9";
    let reading = read(text, &json!("copenhagen")).expect("a game");
    let expected = [
        (0, "d1-d3"),
        (1, "f8-h8"),
        (1, "f8-g8"),
        (1, "f8-i8"),
        (3, "a4-c4"),
        (2, "d11-d9"),
    ];
    assert_eq!(moves(&reading), expected);
    assert_eq!(reading.notes, [ASSUMED]);
    let named = "# ruleset: Brandubh\nd1-c1 d3-c3";
    let reading = read(named, &json!("brandubh")).expect("a game");
    assert_eq!(reading.notes, Vec::<String>::new());
}

#[test]
fn a_game_that_went_on_after_a_repetition_is_read_though_it_names_its_rules() {
    let cycle = "d1-c1 d3-c3 c1-d1 c3-d3 ";
    for above in ["", "ruleset: brandubh\n"] {
        let text = format!("{above}{}d1-c1 Black", cycle.repeat(2));
        let reading = read(&text, &json!("brandubh")).expect(above);
        assert_eq!(reading.ruleset["name"], "brandubh-repeats");
        assert_eq!(reading.plies.len(), 9);
        let why = "It is no game of brandubh: Ply 9: d1-c1 comes after the end of the game";
        assert!(reading.notes[0].starts_with(why), "{:?}", reading.notes);
    }
    let text = "ruleset: brandubh\nd1-c1 d3-c3 d1-c1";
    let error = read(text, &json!("brandubh")).expect_err("no piece");
    assert!(error.to_string().starts_with("Ply 3"), "{error}");
}

#[test]
fn a_game_of_another_board_is_read_by_the_first_ruleset_that_it_fits() {
    let reading = read("d1-c1 d3-c3", &json!("copenhagen")).expect("a game");
    assert_eq!(reading.ruleset, json!("brandubh"));
    let why = "It is no game of copenhagen: Ply 2: d3-c3 is not legal for the defenders: there is no piece on d3.";
    assert_eq!(reading.notes, [why, "Read as brandubh."]);
    // Tablut's corners are like any square, but one ply is no sign of it.
    let error = read("d1-a1", &json!("copenhagen")).expect_err("a corner");
    assert!(
        error.to_string().contains("only the king may stop on a1"),
        "{error}"
    );
}

#[test]
fn positions_of_three_programs_are_read() {
    for text in [
        "3t3/7/7/3K3/7/7/7 defenders 5",
        "3a3/7/7/3k3/7/7/7 - d 5 11",
        "/7/7/7/3K3/7/7/3t3/",
    ] {
        let reading = read(text, &json!("brandubh")).expect(text);
        let start = reading.start.expect("a position");
        assert!(start.starts_with("3t3/7/7/3K3/7/7/7"), "{text}: {start}");
        assert!(reading.plies.is_empty());
    }
    // A board alone begins as games of the ruleset do.
    let mut fields = tafl_rules::preset("brandubh")
        .expect("a preset")
        .to_fields();
    fields.insert("name".to_owned(), "mine".into());
    fields.insert("moves_first".to_owned(), "defenders".into());
    let reading = read("3t3/7/7/3K3/7/7/7", &Value::Object(fields)).expect("a position");
    let start = reading.start.expect("a position");
    assert_eq!(start, "3t3/7/7/3K3/7/7/7 defenders");
}

#[test]
fn a_game_below_a_position_begins_there() {
    let position = "# brandubh\n3t3/7/7/3K3/7/7/7 defenders";
    let text = format!("{position}\nd4-d5 d7-c7");
    let reading = read(&text, &json!("copenhagen")).expect("a game");
    assert_eq!(moves(&reading), [(0, "d4-d5"), (1, "d7-c7")]);
    assert_eq!(
        (reading.ruleset, reading.start.as_deref()),
        (json!("brandubh"), Some("3t3/7/7/3K3/7/7/7 defenders"))
    );
    let two = format!("{position}\n3t3/7/7/3K3/7/7/7 attackers");
    let error = read(&two, &json!("copenhagen")).expect_err("two positions");
    let words = "\"3t3/7/7/3K3/7/7/7\" is not a move";
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn what_is_no_game_is_told_so() {
    for (text, reason) in [
        ("", "no game and no position"),
        ("hello world", "\"hello\" is not a move"),
        ("d1-d3 (f8-h8", "not closed"),
        ("(d1-d3)", "before the first ply"),
        ("d1-d3 ) f8-h8", "no `(`"),
        ("d1-d3 d3-d1", "Ply 2: d3-d1 is not legal for the defenders"),
        (
            "d1-d3 f8-h8 (f8-f11)",
            "of a variation: f8-f11 is not legal",
        ),
        ("d1-d3xd4", "d1-d3 captures nothing; recorded is d4"),
        ("ruleset: chess\nd1-d3", "no ruleset named \"chess\""),
        ("ruleset: {\nd1-d3", "The ruleset cannot be read"),
        ("3t3/7/7 defenders", "3 ranks"),
        ("d1-d3,1,2,Purple", "field `result`"),
        ("dim:3 start:/3/3/3/", "key `dim`"),
    ] {
        let error = read(text, &json!("copenhagen")).expect_err(text);
        assert!(error.to_string().contains(reason), "{text}: {error}");
    }
}

#[test]
fn games_of_other_programs_are_read_with_what_they_say_of_themselves() {
    let dashes = read(
        "\u{feff}1.D1–D3 {why not} f8h8 2. d11-d9 resigned",
        &json!("copenhagen"),
    );
    let dashes = dashes.expect("a game");
    assert_eq!(moves(&dashes), [(0, "d1-d3"), (1, "f8-h8"), (2, "d11-d9")]);
    assert_eq!(dashes.notes, ["How it ended: defenders resigned.", ASSUMED]);
    let pgn = "[Event \"Game 1\"]\n[Variant \"Fetlar\"]\n1. d1d3 f8h8";
    let pgn = read(pgn, &json!("copenhagen")).expect("a game");
    assert_eq!((&pgn.ruleset, pgn.plies.len()), (&json!("fetlar"), 2));
    let otg = "[compiler:own]\n[rules:dim:7 name:own surf:n start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/]\n\n1. d1-c1 d3-c3\n[|]";
    let otg = read(otg, &json!("copenhagen")).expect("a game");
    assert_eq!((&otg.ruleset["name"], otg.plies.len()), (&json!("own"), 2));
    let brings = [&dashes, &pgn, &otg].map(|reading| reading.brings);
    assert_eq!(brings, [false, true, true]);
}

#[test]
fn a_game_of_the_terminal_is_read_under_the_ruleset_that_it_names() {
    let text =
        "# fetlar, attackers by a human\na4-c4 e5-b5\n# brandubh, defenders by a human\nd6-f6\n";
    let current = json!("copenhagen");
    for (number, name, plies) in [(1, "fetlar", 2), (2, "brandubh", 1)] {
        let reading = read_game(text, number, (&current, &[])).expect("a game");
        assert_eq!(
            (&reading.ruleset, reading.plies.len()),
            (&json!(name), plies)
        );
        let notes = [
            format!("This is game {number} of 2."),
            format!("Read as {name}."),
        ];
        let games = [2, 4].map(|line| (line, String::new()));
        assert_eq!((&*reading.notes, &*reading.games), (&notes[..], &games[..]));
    }
    let damaged = "d1-zz,0,0,White\n\nd1-d3 f8-h8,0,0,Ongoing\n";
    assert!(games(damaged).iter().map(|(line, _)| *line).eq([1, 3]));
    let told = read_game(damaged, 2, (&current, &[]))
        .expect("a game")
        .notes;
    assert_eq!(told[0], "This is game 2 of 2.");
    let unread = "1 of them cannot be read; the first, on line 1: ";
    assert!(told[1].starts_with(unread), "{told:?}");
    assert!(games("d1-zz,0,0,White\nDear friend,0,0,Black\n").is_empty());
    let titled = "(Our club in May)\n\n1. d1-d3 f8-h8\nNobody knows\n\n1. h1-h3\n";
    assert!(games(titled).iter().map(|(line, _)| *line).eq([3, 6]));
    let told = read_game(titled, 2, (&current, &[])).expect("a game");
    assert_eq!(
        (told.plies.len(), &*told.notes[0]),
        (1, "This is game 2 of 2.")
    );
    assert!(told.notes[1].starts_with("Line 1 does not count as a game: "));
    let own = "# /home/me, too/my-rules.toml, attackers by a human\nd6-f6";
    let refused = read(own, &current).expect_err("the page lacks it");
    let words = "There is no ruleset named \"my-rules\" on this page: open its file (TOML) under “Edit rules” first, or take the name out of the text.";
    assert_eq!(refused.to_string(), words);
    let mut fields = tafl_rules::preset("brandubh")
        .expect("a preset")
        .to_fields();
    fields.insert("name".to_owned(), "my-rules".into());
    let rules = [Value::Object(fields)];
    let tag = "[Variant \"my-rules\"]\n\n1. d6f6";
    let second = "ruleset: copenhagen\nd1-d3\nruleset: my-rules\nd6-f6";
    for (text, number) in [(own, 1), (tag, 1), (second, 2)] {
        let reading = read_game(text, number, (&current, &rules)).expect(text);
        assert_eq!(reading.ruleset, rules[0], "{text}");
    }
    let position = "Ruleset: my-rules\n3t3/7/7/3K3/7/7/7 defenders";
    let reading = read_game(position, 1, (&current, &rules)).expect("a position");
    assert_eq!(reading.ruleset, rules[0]);
    for unknown in [
        "[Variant \"Foo\"]\n\n1. d1d3",
        "# copenhagen, attackers by a human\nruleset: Foo\nd1-d3",
    ] {
        let error = read(unknown, &current).expect_err(unknown).to_string();
        assert!(error.contains("no ruleset named \"Foo\""), "{error}");
    }
}

#[test]
fn what_a_line_records_of_its_end_is_told() {
    for (text, note, end) in [
        (
            "d1-d3 f8-h8,0,0,White",
            "defenders won, as recorded",
            "White",
        ),
        ("d1-d3 f8-h8,0,0,Draw", "a draw, as recorded", "Draw"),
        (
            "d1-d3 resigned,0,0,Black",
            "defenders resigned",
            "resigned Black",
        ),
        (
            "d1-d3 timeout,0,0,White",
            "attackers lost on time",
            "timeout White",
        ),
    ] {
        let reading = read(text, &json!("copenhagen")).expect(text);
        let ended = format!("How it ended: {note}.");
        assert_eq!(reading.notes, [&*ended, ASSUMED], "{text}");
        assert_eq!(reading.end.as_deref(), Some(end), "{text}");
        let again = read(&format!("d1-d3 {end}"), &json!("copenhagen")).expect("as saved");
        assert_eq!(again.end.as_deref(), Some(end));
    }
    let score = read("[Result \"1-0\"]\n\n1. d1d3 f8h8", &json!("copenhagen"));
    let score = score.expect("a game");
    let told = &score.notes[0];
    assert!(
        told.contains("1-0, and programs do not agree whose win"),
        "{told}"
    );
    assert_eq!(score.end.as_deref(), Some("1-0"));
    let plies = "d2-c2 e4-e2 d6-e6 e2-f2 d1-d2 d4-e4 d2-e2 d3-d2xe2 c2-c1 e4-e1 c1-d1 e1-g1";
    let wrong = format!("# brandubh\n{plies},0,1,Black");
    let wrong = read(&wrong, &json!("brandubh")).expect("a game");
    let words = "Note: the board says defenders win (king-escaped); recorded is attackers win.";
    assert_eq!((wrong.notes, wrong.end), (vec![words.to_owned()], None));
    let open = read("d1-d3,0,0,Ongoing", &json!("copenhagen")).expect("a game");
    assert_eq!((open.notes, open.end), (vec![ASSUMED.to_owned()], None));
}

#[test]
fn lists_that_people_type_are_read_or_told_of_in_words() {
    for text in [
        "d1d3, f8h8, a4-c4",
        "1: d1-d3, f8-h8; 2: a4-c4",
        "1: d1-d3 f8-h8\n2: a4-c4",
    ] {
        let reading = read(text, &json!("copenhagen")).expect(text);
        let expected = [(0, "d1-d3"), (1, "f8-h8"), (2, "a4-c4")];
        assert_eq!(moves(&reading), expected, "{text}");
    }
    for (text, reason) in [
        ("d1-d3, yes, no", "has four parts"),
        ("d1-d3 so f8-h8", "word 2: \"so\" is not a move"),
        ("a.dk/game d1-d3", "word 1: \"a.dk/game\" is not a move"),
    ] {
        let error = read(text, &json!("copenhagen"))
            .expect_err(text)
            .to_string();
        assert!(
            error.contains(reason) && !error.contains("field"),
            "{error}"
        );
    }
}
