//! What texts tell beside turns: turns that are missing, colors of sides, rules of one game, and ends in common words.

use super::notation_ends_of_games::{error, one};
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::counted::read_counted;
use tafl_rules::notation::games::read_games;
use tafl_rules::{Rules, Side};

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
fn the_title_of_a_game_parts_it_from_turns_above() {
    for title in ["Game 1 continued", "\nGame 1 (page 2)\n", "Game 1"] {
        let two = read_games(&format!(
            "Game 1\n{GAME}{title}\n3. h1-h3 e5-c5\nWhite won\n"
        ));
        assert!(two.len() == 2 && two[0].1.is_ok(), "{two:?}");
        let told = two[1].1.as_ref().expect_err(title).to_string();
        assert!(
            told.starts_with("turns before number `3.` are missing"),
            "{told}"
        );
    }
}

#[test]
fn a_number_that_goes_on_with_a_turn_that_is_over_is_refused() {
    for text in [
        "1. d1-d3 f8-h8\n2... resigned",
        "1. d1-d3 f8-h8 1... resigned",
        "1. d1-d3 2... f8-h8",
    ] {
        assert!(error(text).contains("another game begins"), "{text}");
    }
    for text in [
        "1. d1-d3\n1... resigned",
        "1. d1-d3 f8-h8 2. d11-d9 {so} 2... f6-g6 3. h1-h3",
        "1. d1-d3 (1. h1-h3 f8-i8) 1... f8-h8 2. d11-d9 2... resigned",
    ] {
        assert!(read_games(text)[0].1.is_ok(), "{text}");
    }
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
        "White: Erik, attackers",
        "White Erik attackers",
        "White, the attackers, are Erik",
        "Erik attackers/white - Anna defenders/black",
        "Attackers (W): Erik",
        "Attackers: Erik (W)",
        "White att., Black def.",
        "Defenders (Anna): Black",
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
        "{White attacks}",
        "Attackers: Anna\nAnna had white",
        "Anna played Black, Bo White\nDefenders: Anna",
        "Attackers: J. White\nDefenders: T. Smith",
        "Anna v Jo\nDefenders: Jo Black (1650)",
    ] {
        for text in ends(told) {
            let (_, last) = read_games(&text).pop().expect("a game");
            let read = last.expect_err(&text).to_string();
            assert!(read.contains("White are the attackers, but here"), "{read}");
        }
        let mut read = read_games(&format!("{told}\n{GAME}attackers won\n"));
        let sides = read.remove(read.len() - 1).1.expect(told).recorded();
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
}

#[test]
fn columns_and_tags_by_which_white_attacks_are_seen() {
    let rows = |attackers: &str| {
        format!("attackers,defenders,plies,result\n{attackers},Bo,d1-d3 f8-h8,White\n")
    };
    assert!(error(&rows("Jim White")).contains("White are the attackers"));
    assert!(read_games(&rows("Jim"))[0].1.is_ok());
    let tags = |result: &str| {
        format!("[White \"Anna (attackers)\"]\n[Result \"{result}\"]\n\n1. d1d3 f8h8\n")
    };
    assert!(error(&tags("White")).contains("White are the attackers"));
    for tag in [
        "White \"Erik, attackers\"",
        "WhiteSide \"attackers\"",
        "AttackerColor \"white\"",
    ] {
        let told = error(&format!("[{tag}]\n\n1. d1d3 f8h8 White\n"));
        assert!(told.contains("White are the attackers"), "{told}");
    }
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
    assert_eq!(rules(three("")), ["", "fetlar", ""]);
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
fn a_title_that_names_a_ruleset_beside_other_words_stands_for_its_name() {
    // A town, a club's name or a second ruleset: nobody knows.
    for told in ["", "ruleset: fetlar\n"] {
        for title in [
            "Anna - Bo (Brandubh)",
            "Brandubh: Anna v Bo",
            "Game 1, Tablut, Anna - Bo",
            "Anna - Bo, Brandubh by own rules",
            "Copenhagen club championship",
        ] {
            let game = one(&format!("{told}{title}\n{GAME}"));
            let named = game.ruleset.expect(title);
            assert!(named.contains(title) && named != "fetlar", "{named}");
        }
    }
    for (title, ruleset) in [
        ("Game 2 (Copenhagen 11x11)", "copenhagen"),
        ("Rules: Copenhagen Hnefatafl", "copenhagen"),
        ("Variant: Sea Battle (9x9)", "sea-battle-9"),
    ] {
        let text = format!("{title}\n{GAME}");
        assert_eq!(one(&text).ruleset.as_deref(), Some(ruleset), "{title}");
    }
}

#[test]
fn ends_in_other_words_are_refused() {
    let attackers = RecordedResult::Won(Side::Attacker);
    for text in [
        format!("{GAME}Winner: attackers\n"),
        format!("> {GAME}> Black won\n"),
    ] {
        let ended = one(&text).recorded();
        assert_eq!((ended.result, ended.turns.len()), (attackers, 4), "{text}");
    }
    for told in [
        "Winner: Anna",
        "Winner Black",
        "Loser: Black",
        "Outcome: the attackers",
        "Sieger: White",
        "The attackers resigned.",
        "White resigned (Anna)",
        "King escaped!",
    ] {
        for between in ["", "\n"] {
            let read = read_games(&format!("{GAME}{between}{told}\n"));
            let alone = read[1].1.as_ref().expect_err(told).to_string();
            assert!(
                read[0].1.is_ok() && alone.contains("how a game ended"),
                "{alone}"
            );
        }
    }
}

#[test]
fn only_names_dates_and_few_words_are_a_title() {
    for title in [
        "Round 3 of our club evening, Oslo, 14.11.2026",
        "anna vs. bo",
        "Anna-Lena (1650) - Erik the Red (1720)",
        "Final: Oslo 2021",
        "København",
    ] {
        assert_eq!(one(&format!("{title}\n{GAME}")).ruleset, None, "{title}");
    }
    for title in [
        "Erik surrenders",
        "King unarmed",
        "without shieldwall",
        "Variation: no throne",
        "Anna gewinnt",
        "Erik ran out of time",
        "Erik = Anna",
        "Anna (W) Erik (L)",
        "Attackers: Erik 0",
        "Erik 1/2 Anna",
    ] {
        let told = error(&format!("{title}\n{GAME}"));
        assert!(told.contains(&format!("not by {title:?}")), "{told}");
    }
    for title in ["Board: 9x9", "13x13 board"] {
        let named = one(&format!("{title}\n{GAME}")).ruleset;
        assert_eq!(named.as_deref(), Some(title));
    }
    for comment in ["; Fetlar", "{Fetlar}"] {
        assert_eq!(one(&format!("{comment}\n{GAME}")).ruleset, None);
    }
    let line = "d1-d3 f8-h8,0,0,Black,";
    for field in ["Fetlar", "Erik resigned"] {
        assert!(error(&format!("{line}{field}")).contains(field), "{field}");
    }
    assert!(error("plies,attackers,defenders\nd1-d3,1,0\n").contains("may be a score"));
    let tag = "[WhiteResult \"1\"]\n\n1. d1d3 f8h8\n";
    assert!(error(tag).starts_with("tag `WhiteResult`"));
    assert_eq!(one("1. d1-d3 f8-h8\n1–0\n").recorded().score, Some("1-0"));
}

#[test]
fn words_between_turns_that_may_tell_an_end_refuse_the_game() {
    for told in ["White attacks now", "Variation:", "Draw?"] {
        let (games, others) = read_counted(&format!("{GAME}{told}\n3. h1-h3 e5-c5\n"));
        assert!(games.len() == 1 && others.is_empty(), "{games:?}");
        let alone = games[0].1.as_ref().expect_err(told).to_string();
        assert!(alone.contains(&format!("not by {told:?}")), "{alone}");
    }
    let text = format!("{GAME}{{White\nresigned here last time\n}}\n3. h1-h3\n");
    assert_eq!(one(&text).recorded().turns.len(), 5);
}

#[test]
fn an_end_by_the_name_of_a_player_is_refused() {
    let heads = [
        "Attackers: Anna\nDefenders: Bo",
        "Anna (attackers) - Bo (defenders)",
    ];
    for head in heads {
        for told in ["Anna won", "Bo lost on time", "Anna beat Bo", "Winner: Bo"] {
            let read = read_games(&format!("{head}\n{GAME}{told}\n"));
            assert_eq!(read.len(), 2, "{told}: {read:?}");
            assert!(read[0].1.is_ok() && read[1].1.is_err(), "{told}");
        }
    }
    let tags = "[White \"Anna\"]\n[Black \"Bo\"]\n[Winner \"Anna\"]\n\n1. d1d3 f8h8\n";
    assert!(error(tags).starts_with("tag `Winner`: \"Anna\""));
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
fn a_drawn_board_is_no_title() {
    let rank = "  7  x  .  .  t  .  .  x\n";
    let files = "     a  b  c  d  e  f  g\n";
    for above in [rank, files] {
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
        "Resigned: Anna",
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

#[test]
fn an_answer_below_a_turn_is_of_its_game_and_any_other_line_is_asked_for() {
    let answers = "1. d1-d3\n   e5-c5\n2. a4-c4\n   e7-e9\n3. a8-a9\n   f8-f9\n";
    let broken = "1. d1-d3 e5-c5 2. a4-c4\ne7-e9\n3. a8-a9 f8-f9\n";
    for text in [answers, broken] {
        assert_eq!(one(text).recorded().plies().count(), 6, "{text}");
    }
    for text in [
        "1. d1-d3 e5-c5\n2. a4-c4 e7-e9\na8-a9 f8-f9\n4. h11-h9 d6-c6\n",
        "1. d1-d3 e5-c5\n2. a4-c4\n3. a8-a9 f8-f9\n",
        "1. d1-d3 e5-c5\n2. a4-c4\n3. resigned\n",
        "d1-d3 e5-c5\na4-c4 e7-e9\n3. a8-a9 f8-f9\n4. h11-h9 d6-c6\n",
    ] {
        let read = read_games(text);
        assert!(read.len() == 1 && read[0].1.is_err(), "{text}: {read:?}");
    }
}

#[test]
fn a_game_without_turns_is_not_that_of_the_next_tags() {
    let walkover = "[White \"Carl\"]\n[Result \"White\"]\n\n[White \"Bo\"]\n\n1. d1-d3 e5-c5\n";
    let results = read_games(walkover).into_iter().map(|(line, game)| {
        let game = game.expect("read").recorded();
        (line, game.plies().count(), game.result)
    });
    let won = RecordedResult::Won(Side::Defender);
    let expected = [(1, 0, won), (4, 2, RecordedResult::Ongoing)];
    assert_eq!(results.collect::<Vec<_>>(), expected);
}

#[test]
fn who_gave_up_behind_a_capture_that_could_go_on_is_not_clear() {
    let rules = Rules::preset("berserk-2017").expect("a preset");
    let after = |text: &str| {
        let game = one(text);
        let replayed = game.replay(&rules).expect("it replays").game;
        (
            game.recorded().winner(&replayed),
            game.recorded().ending(&replayed),
        )
    };
    let position = "11/11/11/3T7/11/4tK5/11/11/4tT5/11/7tt2 attackers";
    let turns = format!("position: {position}\n1. h1-h2 d8-d6xe6");
    let (winner, ending) = after(&format!("{turns}\n2. resigned\n"));
    assert_eq!(winner, None);
    assert!(ending.is_some_and(|it| it.contains("is not clear")));
    let (winner, _) = after(&format!("{turns} end\n2. resigned\n"));
    assert_eq!(winner, Some(Side::Defender));
}
