//! What texts tell beside turns: turns that are missing, colors of sides, rules of one game, and ends in common words.

use super::notation_ends_of_games::{error, one};
use tafl_rules::Side;
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::games::{read_games, titles_of};

const GAME: &str = "1. d1-d3 f8-h8\n2. d11-d9 f6-g6\n";

#[test]
fn turns_whose_first_number_is_not_1_need_a_position() {
    for (turns, number) in [
        ("3. d1-d3 f8-h8 4. d11-d9", "3."),
        ("12... d1-d3 13. f8-h8", "12..."),
        ("1... d1-d3 2. f8-h8", "1..."),
        ("0. d1-d3 f8-h8", "0."),
        ("5) d1-d3 6) f8-h8", "5)"),
        ("\"5. d1-d3 f8-h8\",0,0,White", "5."),
        ("[Event \"a\"]\n\n7. d1d3 f8h8", "7."),
    ] {
        let told = error(turns);
        let expected = format!("turns before number `{number}` are missing");
        assert!(told.contains(&expected), "{turns}: {told}");
    }
    let place = "7/7/7/3K3/7/7/3t3 a";
    for text in [
        format!("position: {place}\n3... d1-d2 4. d4-d7"),
        format!("[FEN \"{place}\"]\n\n3... d1d2 4. d4d7"),
    ] {
        assert_eq!(one(&text).recorded().turns.len(), 2, "{text}");
    }
    // What a mail answers stands above what it quotes.
    let mail = read_games(&format!("3. h1-h3\n\n> Anna wrote:\n> {GAME}"));
    assert!(mail[0].1.is_err() && mail[1].1.is_ok(), "{mail:?}");
}

#[test]
fn a_title_with_the_number_of_the_game_goes_on_with_it_or_tells_its_result() {
    let defenders = RecordedResult::Won(Side::Defender);
    for title in [
        "Game 1 continued",
        "\nGame 1 (page 2)\n",
        "# Game 1, after lunch",
    ] {
        let text = format!("Game 1\n{GAME}{title}\n3. h1-h3 e5-c5\nWhite won\n");
        let game = one(&text).recorded();
        assert_eq!((game.turns.len(), game.result), (6, defenders), "{title}");
    }
    let two = read_games(&format!(
        "Game 1\n{GAME}Game 1: White won\n\nGame 2\n{GAME}Game 2: Black won\n"
    ));
    let two = two.into_iter();
    let results = two.map(|(line, game)| (line, game.expect("a game").recorded().result));
    let attackers = RecordedResult::Won(Side::Attacker);
    assert!(results.eq([(2, defenders), (7, attackers)]));
    // Files put one behind the other may begin alike.
    let alike = read_games(&format!("Game 1\n{GAME}Game 1\n{GAME}"));
    assert_eq!(alike.len(), 2, "{alike:?}");
}

#[test]
fn colors_tell_no_winner_where_white_attacks() {
    let ends = |told: &str| {
        [
            format!("{told}\n{GAME}White won\n"),
            format!("{told}\n1. d1-d3 f8-h8 White\n"),
            format!("{told}\nd1-d3 f8-h8,0,0,White\n"),
        ]
    };
    for told in [
        "White = attackers",
        "White are the attackers here.",
        "Anna (White, attackers) - Bo (Black, defenders)",
        "Anna (attackers, white) - Bo (defenders, black)",
        "White: Anna (attackers)",
        "# Black (defenders): Bo",
        "White attacks, Black defends",
        "Attackers play White",
        "Game 1: Anna (white) plays the attackers",
        "White: Anna\nBlack: Bo\nAttackers: Anna\nDefenders: Bo",
        "White: Anna (A)\nBlack: Bo (D)",
        "White begins",
        "Anna is white and attacks",
        "Anna attacks with white",
        "Anna - Bo (attackers have the white men)",
        "Black has the king",
        "White: Muscovites, Black: Swedes",
        "White (Anna) moves first",
        "White   Black",
        "Black: king",
        "Attackers: J. White\nDefenders: T. Smith",
        "Anna v Jo\nDefenders: Jo Black (1650)",
    ] {
        for text in ends(told) {
            let read = read_games(&text).remove(0).1.expect_err(&text);
            let read = read.to_string();
            assert!(read.contains("White are the attackers, but here"), "{read}");
        }
        let sides = one(&format!("{told}\n{GAME}attackers won\n")).recorded();
        assert_eq!(sides.result, RecordedResult::Won(Side::Attacker), "{told}");
    }
    for told in [
        "White: Anna (defenders), Black: Bo (attackers)",
        "Attackers (Black): Anna; Defenders (White): Bo",
        "Attackers: Anna - White: Bo",
        "Attackers - Anna, White - Bo",
        "# White attacks the corner, Black defends well",
        "White beat the attackers last time",
        "White won the first game",
        "White: Anna\n# Black: Bo\n# Attackers: Bo\n# Defenders: Anna",
        "White's king",
    ] {
        for text in ends(&format!("# {}", told.trim_start_matches("# "))) {
            assert!(read_games(&text)[0].1.is_ok(), "{text}");
        }
    }
    let rows = |attackers: &str| {
        format!("attackers,defenders,plies,result\n{attackers},Bo,d1-d3 f8-h8,White\n")
    };
    assert!(error(&rows("Jim White")).contains("White are the attackers"));
    assert!(read_games(&rows("Jim"))[0].1.is_ok());
    let tags = |result: &str| {
        format!("[White \"Anna (attackers)\"]\n[Result \"{result}\"]\n\n1. d1d3 f8h8\n")
    };
    assert!(error(&tags("White")).contains("White are the attackers"));
    assert!(read_games(&tags("attackers"))[0].1.is_ok());
}

#[test]
fn rules_in_the_title_of_one_game_hold_for_it_alone_where_others_hold_for_all() {
    let rules = |text: String| -> Vec<String> {
        let read = read_games(&text).into_iter();
        read.map(|(_, game)| game.expect("a game").ruleset.unwrap_or_default())
            .collect()
    };
    let three =
        |first: &str| format!("{first}Game 1\n{GAME}\nGame 2 (Fetlar)\n{GAME}\nGame 3\n{GAME}");
    assert_eq!(
        rules(three("Ruleset: Copenhagen\n\n")),
        ["copenhagen", "fetlar", "copenhagen"]
    );
    assert_eq!(rules(three("")), ["", "fetlar", "fetlar"]);
    let tagged = ["1", "2 (Fetlar)", "3"]
        .map(|number| format!("# Game {number}\n[Event \"cup\"]\n\n1. d1d3 f8h8\n\n"))
        .concat();
    assert_eq!(
        rules(format!("Ruleset: Brandubh\n\n{tagged}")),
        ["brandubh", "fetlar", "brandubh"]
    );
    // What is not known holds on, unless it is of one game.
    let unknown =
        |title: &str| format!("Ruleset: Fetlar\n{GAME}\n{title}\n{GAME}\nAnna v Bo\n{GAME}");
    assert_eq!(
        rules(unknown("Game 2: Berserk")),
        ["fetlar", "Game 2: Berserk", "fetlar"]
    );
    assert_eq!(rules(unknown("Berserk")), ["fetlar", "Berserk", "Berserk"]);
}

#[test]
fn a_title_of_two_names_names_a_ruleset_between_marks_where_no_line_tells_rules() {
    for (title, ruleset) in [
        ("Anna - Bo (Brandubh)", "brandubh"),
        ("Brandubh: Anna v Bo", "brandubh"),
        ("Hans - Karl, Tablut", "tablut"),
        ("Game 1, Fetlar, Anna - Bo", "fetlar"),
        ("Game 2 (Copenhagen 11x11): Anna v Bo", "copenhagen"),
        ("Rules: Copenhagen Hnefatafl", "copenhagen"),
        ("Variant: Sea Battle (9x9)", "sea-battle-9"),
    ] {
        let text = format!("{title}\n{GAME}");
        assert_eq!(one(&text).ruleset.as_deref(), Some(ruleset), "{title}");
        if !title.contains("s: ") && !title.starts_with("Variant") {
            assert_eq!(titles_of(&text, &[2]), [title]);
        }
        let same = one(&format!("ruleset: {ruleset}\n{text}"));
        assert_eq!(same.ruleset.as_deref(), Some(ruleset), "{title}");
    }
    // A town, a club's name or a second ruleset: nobody knows.
    for (told, title) in [
        ("ruleset: fetlar\n", "Anna - Bo (Copenhagen)"),
        ("", "Anna - Bo, Brandubh by own rules"),
        ("", "Anna - Bo (Fetlar or Brandubh)"),
        ("", "Copenhagen club championship"),
    ] {
        let game = one(&format!("{told}{title}\n{GAME}"));
        assert_eq!(game.ruleset.as_deref(), Some(title), "{title}");
    }
}

#[test]
fn ends_are_read_in_more_words_where_a_line_has_no_others() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    for (told, result) in [
        ("Winner: attackers", attackers),
        ("Winner Black", attackers),
        ("Loser: Black", defenders),
        ("Victor: White", defenders),
        ("Won by White", defenders),
        ("Outcome: the attackers", attackers),
        ("Sieger: White", defenders),
        ("The defenders", defenders),
        ("The attackers resigned.", defenders),
        ("King escaped!", defenders),
        ("The king captured", attackers),
        ("Remis", RecordedResult::Draw),
        ("Ergebnis: Remis", RecordedResult::Draw),
    ] {
        for text in [format!("{GAME}{told}\n"), format!("> {GAME}> {told}\n")] {
            let ended = one(&text).recorded();
            assert_eq!((ended.result, ended.turns.len()), (result, 4), "{text}");
        }
    }
    for told in ["Winner: Anna", "Winner: the best", "King"] {
        let read = read_games(&format!("{GAME}{told}\n"));
        assert!(read.iter().any(|it| it.1.is_err()), "{told}");
    }
    let told = error(&format!("Result: 1-0\n{GAME}"));
    assert!(told.contains("does not say which side won"), "{told}");
}

#[test]
fn an_end_by_the_name_of_a_player_is_that_of_the_side_told_above_the_game() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    for (above, below, result) in [
        ("Attackers: Anna\nDefenders: Bo Berg", "Anna won", attackers),
        (
            "Attackers: Anna\nDefenders: Bo Berg\nWinner: Bo Berg",
            "",
            defenders,
        ),
        (
            "Anna (attackers) - Bo (defenders)",
            "Anna resigned.",
            defenders,
        ),
        (
            "Round 3: Anna (A) v Bo (D), 1.5.2024",
            "Bo lost on time",
            attackers,
        ),
        (
            "White: Anna (1650), Black: Bo",
            "Anna wins by resignation!",
            defenders,
        ),
        (
            "White: Anna (attackers), Black: Bo (defenders)",
            "Anna won",
            attackers,
        ),
        ("Attackers: White\nDefenders: Black", "White won", attackers),
        (
            "Attackers: Anna Berg\nDefenders: Bo Berg",
            "Anna won",
            attackers,
        ),
    ] {
        let ended = one(&format!("{above}\n{GAME}{below}\n")).recorded();
        assert_eq!((ended.result, ended.turns.len()), (result, 4), "{above}");
    }
    for (tag, result) in [
        ("Winner", defenders),
        ("Loser", attackers),
        ("Result", defenders),
    ] {
        let tags = format!("[White \"Anna\"]\n[Black \"Bo\"]\n[{tag} \"Anna\"]");
        let ended = one(&format!("{tags}\n\n1. d1d3 f8h8\n")).recorded();
        assert_eq!(ended.result, result, "{tag}");
    }
    // Names hold for the game below them; both may be in a line, or have one name.
    let first = format!("Anna (attackers) - Bo (defenders)\n{GAME}");
    for text in [
        format!("{first}\nBo - Anna\n{GAME}Bo won\n"),
        format!("{first}\nGame 2\n{GAME}Bo won\n"),
        format!("{first}\n{GAME}Bo won\n"),
        format!("{first}Anna beat Bo\n"),
        format!("{first}Anna, not Bo, won\n"),
        format!("{first}Carl won\n"),
        format!("Round 1: Anna (A) - Bo (D)\nRound 2: Bo (A) - Anna (D)\n\n{GAME}Bo won\n"),
        format!(
            "Attackers: Anna\nDefenders: Bo\nNext: Bo (attackers) - Anna (defenders)\n{GAME}Bo won\n"
        ),
        format!("Anna (A) - Bo (D)\n\nGame 1: Bo - Anna\n{GAME}Bo won\n"),
        format!("Attackers: Anna\nDefenders: Anna\n{GAME}Anna won\n"),
    ] {
        let (_, last) = read_games(&text).pop().expect("games");
        let told = last.expect_err(&text).to_string();
        assert!(told.contains("how a game ended is said"), "{told}");
    }
}

#[test]
fn two_rulesets_above_one_game_are_neither() {
    for (above, told) in [
        (
            "Rules: Fetlar\nAnna - Bo\nCopenhagen\n12 May",
            "Fetlar and copenhagen",
        ),
        ("Fetlar\nCopenhagen", "fetlar and copenhagen"),
        (
            "Rules: Copenhagen\nRules: own ones",
            "copenhagen and own ones",
        ),
    ] {
        let rules = one(&format!("{above}\n{GAME}")).ruleset.unwrap_or_default();
        assert_eq!(rules.to_lowercase(), told.to_lowercase(), "{above}");
    }
    for same in ["Fetlar\nRules: fetlar", "Rules: FETLAR\n\nFetlar Hnefatafl"] {
        let rules = one(&format!("{same}\n{GAME}")).ruleset;
        assert_eq!(rules.as_deref(), Some("fetlar"), "{same}");
    }
    let tags = |first: &str, second: &str| {
        format!("[Variant \"{first}\"]\n[Rules \"{second}\"]\n\n1. d1d3 f8h8\n")
    };
    assert!(error(&tags("Copenhagen", "Fetlar")).contains("tags `rules`"));
    for same in ["fetlar", "Fetlar Hnefatafl"] {
        assert_eq!(
            one(&tags("Fetlar", same)).ruleset.as_deref(),
            Some("fetlar")
        );
    }
}

#[test]
fn a_number_behind_a_hash_may_be_that_of_a_game() {
    let turns = ["d1-d3 f8-h8 d11-d9", "h1-h3 f8-i8 k4-i4"];
    let text = format!(
        "#1 - a good one\n{} Black\n#2 {} White\n#3. {}\n",
        turns[0], turns[1], turns[0]
    );
    let read = read_games(&text).into_iter();
    let read: Vec<String> = read
        .map(|(_, game)| game.expect("a game").recorded().turns_text())
        .collect();
    assert_eq!(read, [turns[0], turns[1], turns[0]]);
    let comment = one(&format!("{GAME}# 3. h1-h3 was better\n#1 of d1-d3\n"));
    assert_eq!(comment.recorded().turns.len(), 4);
}

#[test]
fn a_result_below_a_title_is_that_of_the_game_below_it() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    let head = |names: [&str; 2], result: &str| {
        format!(
            "Attackers: {}\nDefenders: {}\n{result}\n",
            names[0], names[1]
        )
    };
    let results = |text: String| -> Vec<RecordedResult> {
        let read = read_games(&text).into_iter();
        read.map(|(_, game)| game.expect("a game").recorded().result)
            .collect()
    };
    let (one, two) = (["Anna", "Bo"], ["Carl", "Dora"]);
    let ongoing = RecordedResult::Ongoing;
    for (first, second, told) in [
        ("", "Result: Black\n", [ongoing, attackers]),
        ("", "Winner: Dora\n", [ongoing, defenders]),
        ("Result: White\n", "", [defenders, ongoing]),
        ("Result: White\n", "Result: White\n", [defenders; 2]),
    ] {
        let heads = head(one, first) + GAME + "\n" + &head(two, second) + GAME;
        assert_eq!(results(heads), told, "{first}, {second}");
    }
    let below = head(one, "") + GAME + "White won\n\n" + &head(two, "Result: White\n") + GAME;
    assert_eq!(results(below), [defenders; 2]);
    let dates = format!("1.3.2020\n{GAME}\n2.3.2020\nResult: Black\n\n{GAME}");
    assert_eq!(results(dates), [ongoing, attackers]);
    // In other words nobody knows whose it is.
    let other = head(one, "") + GAME + "\n" + &head(two, "Dora won\n") + GAME;
    let read = read_games(&other).into_iter();
    assert!(read.map(|it| it.1.is_ok()).eq([true, false, true]));
}

#[test]
fn a_position_holds_up_to_a_title() {
    let place = "position: 7/7/7/3K3/7/7/3t3 a";
    let places = |between: &str| -> Vec<bool> {
        let read = read_games(&format!("{place}\n1. d1-d2\n{between}\n1. d1-d3\n")).into_iter();
        read.map(|(_, game)| game.expect("a game").position.is_some())
            .collect()
    };
    for between in ["", "# so", "White won"] {
        assert_eq!(places(between), [true, true], "{between}");
    }
    for between in ["Game 2", "---", "\nAnna - Bo", "\nAttackers: Anna"] {
        assert_eq!(places(between), [true, false], "{between}");
    }
}

#[test]
fn a_number_behind_the_rules_above_may_count_games() {
    let rules = |titles: [&str; 3]| -> Vec<Option<String>> {
        let text: String = titles.map(|title| format!("{title}\n{GAME}\n")).concat();
        let read = read_games(&text).into_iter();
        read.map(|(_, game)| game.expect("a game").ruleset)
            .collect()
    };
    let named = |names: [&str; 3]| names.map(|it| Some(it.to_owned()));
    for (titles, names) in [
        (
            ["Brandubh", "Brandubh 2", "Brandubh 3"],
            ["brandubh", "Brandubh 2", "Brandubh 2"],
        ),
        (
            ["Brandubh", "brandubh-2", "Brandubh"],
            ["brandubh", "brandubh-2", "brandubh"],
        ),
        (
            ["Brandubh 2", "Tablut", "Berserk 2017"],
            ["brandubh-2", "tablut", "berserk-2017"],
        ),
        (
            ["Brandubh, 2", "Brandubh: 2", "Brandubh (2)"],
            ["Brandubh, 2", "Brandubh, 2", "Brandubh, 2"],
        ),
    ] {
        assert_eq!(rules(titles), named(names), "{titles:?}");
    }
}

#[test]
fn a_drawn_board_and_a_result_among_names_are_no_titles() {
    let rank = "  7  x  .  .  t  .  .  x\n";
    let files = "     a  b  c  d  e  f  g\n";
    for above in [
        rank,
        files,
        "Attackers: Anna, Defenders: Bo, Result: White\n",
    ] {
        let read = read_games(&format!("{above}\n{GAME}"));
        assert!(read[0].1.is_err() && read[1].1.is_ok(), "{above}");
    }
}

#[test]
fn turns_behind_a_semicolon_are_read_or_refused() {
    let turns = "1. d1-d3 f8-h8; 2. d11-d9 f6-g6; 3. h1-h3 e5-c5";
    assert_eq!(one(turns).recorded().turns.len(), 6);
    for text in [
        format!("{turns}; said Anna"),
        format!("{turns}; Anna won"),
        "1. d1-d3 f8-h8; 2. d11-d9 (5 min) f6-g6".to_owned(),
        "d1-d3 f8-h8; d11-d9 f6-g6; h1-h33 e5-c5".to_owned(),
        "1. d1-d3; f8-h8; 2. d11-d9; Anna won".to_owned(),
        "[Event \"a\"]\n\n1. d1d3 f8h8 ; 2. d11d9 f6g6 and so on".to_owned(),
    ] {
        let told = error(&text);
        assert!(told.contains("a `;` begins a comment"), "{text}: {told}");
    }
    for comment in [
        "good",
        "d11-d9 was better",
        "2. d11-d9 was better",
        "or h1-h3, h8-h9",
    ] {
        let game = one(&format!("1. d1-d3 f8-h8 ; {comment}\n2. d11-d9\n"));
        assert_eq!(game.recorded().turns.len(), 3, "{comment}");
    }
}

#[test]
fn a_score_beside_a_player_who_gave_up_is_no_result() {
    let rules = tafl_rules::Rules::preset("copenhagen").expect("a preset");
    for end in ["1-0 resigned", "0-1 timeout", "resigned 0-1"] {
        let game = one(&format!("d1-d3 f8-h8 {end}")).recorded();
        let played = game.replay(&rules).expect("legal").game;
        assert_eq!(game.winner(&played), None, "{end}");
        let told = game.ending(&played).expect("told");
        assert!(told.contains("programs do not agree"), "{told}");
    }
}

#[test]
fn who_gave_up_lost_and_who_is_the_result_won() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    let head = "Attackers: Anna\nDefenders: Bo\n";
    for (told, result) in [
        ("Resigned: Black", defenders),
        ("resigned: attackers", defenders),
        ("Timeout: White", attackers),
        ("Resigned: Anna", defenders),
        ("Result: Black", attackers),
        ("Result: White on time", defenders),
    ] {
        for game in [
            format!("{head}{GAME}{told}\n"),
            format!("{head}{GAME}3. h1-h3\n{told}\n"),
        ] {
            assert_eq!(one(&game).recorded().result, result, "{game}");
        }
    }
    for told in [
        "Result: Black (resigned)",
        "Result: attackers, timeout",
        "Result: Anna resigned",
    ] {
        for text in [
            format!("{head}{GAME}{told}\n"),
            format!("{head}{told}\n\n{GAME}"),
        ] {
            assert!(read_games(&text).iter().any(|it| it.1.is_err()), "{text}");
        }
    }
    let tags =
        "[Attackers \"Anna\"]\n[Defenders \"Bo\"]\n[Result \"Anna (resigned)\"]\n\n1. d1d3 f8h8\n";
    assert!(read_games(tags)[0].1.is_err());
}

#[test]
fn cells_of_columns_and_tags_below_turns_are_refused() {
    let table = "turn;attackers;defenders\n1.;d1-d3;f8-h8\n2.;d11-d9;f6-g6\n";
    assert_eq!(one(table).recorded().turns.len(), 4);
    for row in [
        ";;resigned",
        "3.;;timeout",
        ";resigned;",
        ";won",
        ";h1-h3;e5-c5",
        ";;h1-h3",
    ] {
        let read = read_games(&format!("{table}{row}\n"));
        assert!(read.iter().any(|it| it.1.is_err()), "{row}");
    }
    for comment in ["; Black won", "; so it was", "; h1-h3 was better"] {
        assert_eq!(
            read_games(&format!("{table}{comment}\n")).len(),
            1,
            "{comment}"
        );
    }
    let game = "1. d1-d3 f8-h8\n";
    for tag in ["[Result \"attackers\"]", "[Winner \"White\"]"] {
        let read = read_games(&format!("{game}{tag}\n{game}"));
        assert!(read.iter().any(|it| it.1.is_err()), "{tag}");
        let apart = read_games(&format!("{game}\n{tag}\n{game}"));
        assert!(
            apart.len() == 2 && apart.iter().all(|it| it.1.is_ok()),
            "{apart:?}"
        );
    }
    let joined = read_games(&format!(
        "{game}[Event \"cup\"]\n[Result \"White\"]\n\n{game}"
    ));
    assert!(joined.iter().all(|it| it.1.is_ok()), "{joined:?}");
}
