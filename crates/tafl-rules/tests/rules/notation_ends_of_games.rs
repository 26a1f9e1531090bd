//! Where a game of a text ends and another begins: numbers, ends that are told, and tags.

use tafl_rules::Side;
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::games::{WrittenGame, read_games};
use tafl_rules::notation::words::OffBoard;

pub(super) fn one(text: &str) -> WrittenGame {
    let mut games = read_games(text);
    assert_eq!(games.len(), 1, "{text}: {games:?}");
    games.remove(0).1.expect(text)
}

/// Returns the turns of each game, or what is wrong.
fn games(text: &str) -> Vec<String> {
    let read = read_games(text).into_iter();
    read.map(|(_, game)| game.map_or_else(|it| it.to_string(), |it| it.recorded().turns_text()))
        .collect()
}

pub(super) fn error(text: &str) -> String {
    let (_, game) = read_games(text).remove(0);
    game.expect_err(text).to_string()
}

#[test]
fn a_first_number_begins_a_game_and_a_later_one_or_an_end_goes_on() {
    assert_eq!(
        games("1. d1-d3\n2. f8-h8\n1. h1-h3\n"),
        ["d1-d3 f8-h8", "h1-h3"]
    );
    let wrapped = "1. d1-d3 f8-h8 2. d11-d9\nf6-g6 3. h1-h3\nWhite\n1. White\n";
    assert_eq!(games(wrapped), ["d1-d3 f8-h8 d11-d9 f6-g6 h1-h3", ""]);
}

#[test]
fn an_end_may_stand_in_a_line_of_its_own_and_is_no_title() {
    let resigned = Some(OffBoard::Resigned);
    for (text, end) in [
        ("1. d1-d3 f8-h8\n2. d11-d9\n\nWhite wins.\n", None),
        ("d1-d3 f8-h8#\nBlack resigned", resigned),
        ("[Termination \"won\"]\n\n1. d1d3 f8h8# White", None),
    ] {
        let game = one(text).recorded();
        let white = RecordedResult::Won(Side::Defender);
        assert_eq!((game.end, game.result), (end, white), "{text}");
    }
    let told = read_games("d1-d3 f8-h8\nBlack won at last\nd1-d3\n");
    let told = told.iter().map(|(line, game)| (*line, game.is_ok()));
    assert!(told.eq([(1, true), (2, false), (3, true)]));
    assert!(error("d1-d3 f8-h8 wins").contains("no side before it"));
    for line in [
        "Anna beat Bo",
        "Outcome: the best",
        "Loser: Bo",
        "Final score = Black",
        "Result of the game: Anna",
        "Ended: Draw",
        "Final - Black",
        "Anna lost by forfeit",
    ] {
        let told = error(&format!("{line}\n1. d1-d3 f8-h8"));
        assert!(told.contains(&format!("not by {line:?}")), "{told}");
    }
    let told = error("Black won, by resignation\n1. d1-d3 f8-h8");
    assert!(told.contains("a result without turns"), "{told}");
}

#[test]
fn words_of_a_head_that_tell_no_end_are_passed_over() {
    for line in [
        "Final: Oslo 2021",
        "Ended: 12:30",
        "Victor Hugo - Anna",
        "King's Cup, table 1",
    ] {
        let game = one(&format!("{line}\n1. d1-d3 f8-h8")).recorded();
        assert_eq!(game.result, RecordedResult::Ongoing, "{line}");
    }
}

#[test]
fn tags_of_ends_are_read_or_refused_where_nothing_else_tells_the_end() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    let [resigned, timeout] = [OffBoard::Resigned, OffBoard::Timeout].map(Some);
    for (tags, end, result) in [
        ("[Winner \"Attackers\"]", None, attackers),
        ("[Result \"*\"]\n[WonBy \"White\"]", None, defenders),
        ("[Outcome \"Attackers won\"]", None, attackers),
        ("[Score \"Black\"]", None, attackers),
        ("[Loser \"attackers\"]", None, defenders),
        ("[Resigned_By \"White\"]", resigned, attackers),
        ("[Timeout \"Black\"]", timeout, defenders),
        ("[Winner \"Anna\"]\n[Victory \"Black\"]", None, attackers),
        (
            "[Termination \"Anna resigned\"]\n[Result \"Draw\"]",
            None,
            RecordedResult::Draw,
        ),
        ("[Termination \"Normal\"]", None, RecordedResult::Ongoing),
        ("[Timeout \"60\"]", None, RecordedResult::Ongoing),
        ("[Winner \"?\"]", None, RecordedResult::Ongoing),
    ] {
        let game = one(&format!("{tags}\n\n1. d1d3 f8h8")).recorded();
        assert_eq!((game.end, game.result), (end, result), "{tags}");
    }
    for (tag, value) in [
        ("Winner", "Anna"),
        ("Loser", "Draw"),
        ("Resigned", "Bo"),
        ("Termination", "Anna resigned"),
        ("Termination", "Agreed draw"),
        ("Termination", "time forfeit"),
        ("Termination", "king escaped"),
    ] {
        let told = error(&format!("[{tag} \"{value}\"]\n\n1. d1d3 f8h8"));
        assert!(
            told.starts_with(&format!("tag `{tag}`: {value:?}")),
            "{told}"
        );
    }
    let both = error("[Result \"White\"]\n[Winner \"Black\"]\n\n1. d1d3 f8h8");
    assert!(both.contains("both White and Black are said"), "{both}");
}

#[test]
fn ends_are_read_in_common_words_in_parentheses_and_in_comments() {
    let [attackers, defenders] = [Side::Attacker, Side::Defender].map(RecordedResult::Won);
    let [resigned, timeout] = [OffBoard::Resigned, OffBoard::Timeout].map(Some);
    for (told, end, result) in [
        ("Draw by agreement", None, RecordedResult::Draw),
        ("Draw agreed.", None, RecordedResult::Draw),
        ("drawn", None, RecordedResult::Draw),
        ("0.5-0.5", None, RecordedResult::Draw),
        ("White won on time", timeout, defenders),
        ("Attackers won on time", timeout, attackers),
        ("defenders won by resignation", resigned, defenders),
        ("Black lost on time", timeout, defenders),
        ("White lost", None, attackers),
        ("unfinished", None, RecordedResult::Ongoing),
    ] {
        for text in [
            told.to_owned(),
            format!("({told})"),
            format!("{{{told}}}"),
            format!("; {told}"),
        ] {
            for between in [" ", "\n", "\n\n"] {
                let game = one(&format!("1. d1-d3 f8-h8\n2. d11-d9{between}{text}\n")).recorded();
                assert_eq!((game.end, game.result), (end, result), "{text:?}");
            }
        }
    }
    for score in ["0-1", "0:1", "(0-1)", "{0-1}"] {
        let game = one(&format!("1. d1-d3 f8-h8\n{score}\n")).recorded();
        assert_eq!(game.score, Some("0-1"), "{score}");
    }
    for comment in ["{Black won}", "; Black won"] {
        let two = format!("d1-d3 f8-h8\n\n{comment}\nh1-h3 f8-i8\n");
        assert!(read_games(&two)[1].1.is_err(), "of either: {comment}");
        let within = one(&format!("1. d1-d3 f8-h8 {comment}\n2. d11-d9\n"));
        assert_eq!(within.recorded().result, RecordedResult::Ongoing);
    }
    for alone in ["White time", "on time", "Draw won"] {
        assert!(error(&format!("d1-d3 f8-h8 {alone}")).contains("no side before it"));
    }
}

#[test]
fn what_stands_behind_a_tag_in_its_line_counts() {
    for text in [
        "[Event \"a [b]\"] [Ruleset \"fetlar\"] 1. d1d3 f8h8",
        "[event:a [b]][rules:fetlar]\n\n1. d1-d3 f8-h8",
    ] {
        let game = one(text);
        assert_eq!(game.ruleset.as_deref(), Some("fetlar"), "{text}");
        assert_eq!(game.recorded().turns_text(), "d1-d3 f8-h8", "{text}");
    }
}

#[test]
fn commas_may_stand_between_any_number_of_turns() {
    for text in [
        "d1-d3, f8-h8, d11-d9, f6-g6, h1-h3, White",
        "1: d1-d3, f8-h8; 2: d11-d9, f6-g6; 3: h1-h3 White",
    ] {
        let game = one(text).recorded();
        assert_eq!(game.turns.len(), 5, "{text}");
        assert_eq!(game.result, RecordedResult::Won(Side::Defender), "{text}");
    }
    for text in ["d1-d3,,0,White", "d1-d3,x,0,White"] {
        assert!(error(text).contains("is not a number of pieces"), "{text}");
    }
}

#[test]
fn captures_may_stand_in_parentheses_and_variations_stay() {
    for (text, turns) in [
        ("g3-e3 (e2) d1-d3,1,0,White", "g3-e3xe2 d1-d3"),
        ("g3-e3(xe2, Xf3), d1-d3", "g3-e3xe2xf3 d1-d3"),
        ("g3-e3 (e2 f3) d1-d3", "g3-e3xe2xf3 d1-d3"),
        ("1. g3-e3 (xe2) (g3-f3 (xf2)) d1-d3", "g3-e3xe2 d1-d3"),
        ("g3-e3 (g3-f3 f8-h8 Black won) d1-d3", "g3-e3 d1-d3"),
    ] {
        assert_eq!(games(text), [turns], "{text}");
    }
    let empty = "g3-e3 (Black won) d1-d3";
    for text in ["(e2) g3-e3", "g3-e3 (e2xf3)", empty] {
        assert!(read_games(text)[0].1.is_err(), "{text}");
    }
}

#[test]
fn columns_that_stand_twice_are_refused_where_they_differ() {
    let two = error("moves,plies\nd1-d3,h1-h3\n");
    assert_eq!(two, "the line that names the columns: two are `plies`");
    let row = |result: &str| format!("moves,result,winner\nd1-d3,White,{result}\n");
    assert!(error(&row("Black")).contains("both White and Black are said"));
    let white = RecordedResult::Won(Side::Defender);
    assert_eq!(one(&row("defenders")).recorded().result, white);
}

#[test]
fn columns_of_sides_hold_captures_or_names() {
    let rows = |row: &str| format!("plies,Attackers,Defenders,result\n{row}\n");
    let named = one(&rows("d1-d3,Anna,,White")).recorded();
    assert_eq!((named.captures, named.turns.len()), (None, 1));
    let counted = one(&rows("d1-d3,1,0,White")).recorded();
    assert_eq!(counted.captures, Some([1, 0]));
    let by = rows("d1-d3,Anna,0,White").replace("Att", "by att");
    assert!(error(&by).contains("is not a number of pieces"));
}

#[test]
fn numbers_that_count_no_turns_are_refused() {
    for text in [
        "1. d1-d3 (1. h1-h3 f8-i8 2. a4-c4) 1... f8-h8 2. d11-d9",
        "1. d1-d3 2. f8-h8 3. d11-d9",
        "1. d1-d3 f8-h8 3. d11-d9",
        "1: d1-d3, f8-h8; 2: d11-d9",
    ] {
        assert_eq!(read_games(text)[0].1.as_ref().err(), None, "{text}");
    }
    for text in [
        "1. d1-d3 f8-h8 2. d11-d9 f6-g6 1. h1-h3 e5-d5",
        "[Event \"a\"]\n\n1. d1d3 f8h8 2. d11d9\n\n1. h1h3 e5d5",
        "1. d1-d3 f8-h8\n2. d11-d9 f6-g6\n4. h1-h3 e5-d5",
    ] {
        assert!(error(text).contains("another game begins"), "{text}");
    }
    assert!(error("1 d1-d3").ends_with("a turn is written `1.`"));
    assert!(error("d1-d3 f8-h8 1-0 h1-h3 f8-i8 0-1").contains("\"1-0\" is not a move"));
}

#[test]
fn an_end_that_may_be_of_two_games_or_of_none_is_refused() {
    let alone = "a result without turns";
    for (text, expected) in [
        (
            "Game 1\nBlack won\n1. h1-h3 f8-i8\n\nGame 2\nWhite\n1. d1-d3 e5-c5\n",
            [true, false, true, false],
        ),
        (
            "h1-h3 f8-i8\n\nResigned\n1. d1-d3 e5-c5\n",
            [false, true, false, true],
        ),
    ] {
        let read = read_games(text).into_iter();
        let read: Vec<bool> = read
            .map(|(_, game)| game.is_err_and(|it| it.to_string().contains(alone)))
            .collect();
        let expected = if expected[0] {
            &expected[..]
        } else {
            &expected[..3]
        };
        assert_eq!(read, expected, "{text}");
    }
    let twice = read_games("h1-h3 f8-i8 White\nWhite resigned\n");
    assert!(twice[0].1.is_ok() && twice[1].1.is_err());
    for text in [
        "[Event \"a\"]\n1. h1h3 f8i8\n\n1. g1i1 g5g3\n",
        "1. h1-h3 f8-i8 1. d1-d3 e5-c5",
    ] {
        assert!(error(text).contains("number 1 follows number 1"), "{text}");
    }
}

#[test]
fn squares_tell_where_a_game_of_one_ply_a_line_ends() {
    for between in ["", "\nThe second\n", "% so\n", "{so}\n", "2024-05-01\n"] {
        let text = |rest: &str| format!("d1-d3\nf8-i8\n{between}\n{rest}");
        let two = games(&text("h1-h3\nf8-b8\n"));
        assert_eq!(two, ["d1-d3 f8-i8", "h1-h3 f8-b8"], "{between}");
        let one = games(&text("d3-e3\ni8-i9\n"));
        assert_eq!(one, ["d1-d3 f8-i8 d3-e3 i8-i9"], "{between}");
        let unclear = games(&text("h1-h3\nf4-b4\n"));
        let line = 4 + between.matches('\n').count();
        assert_eq!(unclear.len(), 1, "{between}");
        assert!(unclear[0].contains(&format!("whether line {line} goes on")));
    }
    let three = "d1-d3\nf8-i8\n\nd3-e3\ni8-i9\n\nd1-d3\nf8-h8\n\nh8-h9\n";
    assert_eq!(
        games(three),
        ["d1-d3 f8-i8 d3-e3 i8-i9", "d1-d3 f8-h8 h8-h9"]
    );
    for between in [
        "White\n",
        "White\n\n",
        "---\n",
        "\n* * *\n\n",
        "Game 2\n",
        "\n# Game 2: Anna\n\n",
    ] {
        let read = games(&format!("d1-d3\nf8-i8\n{between}h1-h3\nf4-b4\n"));
        assert_eq!(read, ["d1-d3 f8-i8", "h1-h3 f4-b4"], "{between}");
    }
}

#[test]
fn lines_of_several_turns_are_one_game_where_they_go_on_with_each_other() {
    let first = [
        "h1-h3 f4-i4 g1-i1 g5-g3",
        "h3-i3 f5-i5 i1-i2 i4-h4",
        "i2-i1 g3-g2 k4-k5 b6-b5",
    ];
    let second = [
        "d1-d3 e5-c5 a4-c4 e7-e9",
        "d3-e3 c5-c6 c4-d4 e9-g9",
        "g9-g8 f8-f9",
    ];
    let joined = [first, second].map(|it| it.join(" "));
    let [one, two] = joined.each_ref().map(|it| &**it);
    for (text, expected) in [
        (first.join("\n"), vec![one]),
        (
            format!("{}\n---\n{}", first.join("\n"), second.join("\n")),
            vec![one, two],
        ),
        (
            format!(
                "Game 1\n{}\n\nGame 2\n{}",
                first.join("\n"),
                second.join("\n")
            ),
            vec![one, two],
        ),
        (
            format!("{}\nWhite won\n\n{}", first.join(" "), second.join("\n")),
            vec![one, two],
        ),
        (format!("{one}\n{two}"), vec![one, two]),
        (format!("{one}\n{two}\n{one}\n"), vec![one, two, one]),
    ] {
        assert_eq!(games(&text), expected, "{text}");
    }
    // Each line begins as a game may, and as one that goes on may, too.
    for lines in [
        "h1-h3 f4-i4 g1-i1\nd1-d3 e5-c5 a4-c4",
        "d1-d3 f8-i8\nh1-h3 f4-b4",
    ] {
        assert!(error(lines).contains("whether line 2 goes on"), "{lines}");
    }
    assert_eq!(games(&format!("a4-a5 j6-j5\n{one}")), ["a4-a5 j6-j5", one]);
    let pairs = "h1-h3 f4-i4\ng1-i1 g5-g3\n---\nd1-d3 e5-c5\na4-c4 e7-e9\n";
    assert_eq!(
        games(pairs),
        ["h1-h3 f4-i4 g1-i1 g5-g3", "d1-d3 e5-c5 a4-c4 e7-e9"]
    );
    // Of the second and the third line nothing is known.
    let unclear = format!("{}\na8-a9 f8-f9 b6-b7", first[..2].join("\n"));
    assert!(
        error(&unclear).contains("whether line 3 goes on"),
        "{:?}",
        games(&unclear)
    );
}

#[test]
fn a_line_of_fields_that_was_broken_in_several_is_one_game() {
    let turns = "h1-h3 f4-i4 g1-i1 g5-g3 h3-i3 f5-i5 i1-i2 i4-h4";
    let line = |turns: &str| format!("{turns},0,0,White");
    let whole = line(turns);
    for broken in [
        whole.replace(" h3-i3", "\nh3-i3"),
        whole
            .replace(" h3-i3", "\nh3-i3")
            .replace(" i1-i2", "\ni1-i2"),
        whole.replace(" i4-h4", "\ni4-h4"),
        whole.replace(',', ";").replace(" h3-i3", "\nh3-i3"),
    ] {
        let game = one(&broken).recorded();
        assert_eq!(game.turns_text(), turns, "{broken}");
        let white = RecordedResult::Won(Side::Defender);
        assert_eq!((game.captures, game.result), (Some([0, 0]), white));
        let three = games(&format!("{whole}\n{broken}\n{whole}\n"));
        assert_eq!(three, [turns; 3], "{broken}");
    }
    let two = ["h1-h3 f4-i4 g1-i1", "h1-h3 f5-i5 g1-i1"];
    assert_eq!(games(&format!("{}\n{}", two[0], line(two[1]))), two);
    let unclear = format!("{}\n{}", two[0], line("d1-d3 e5-c5"));
    assert!(error(&unclear).contains("whether line 2 goes on"));
    // One that stands apart is a game of its own.
    let apart = games(&format!("{}\n\n{}", two[0], line("d1-d3 e5-c5")));
    assert_eq!(apart, [two[0], "d1-d3 e5-c5"]);
}

#[test]
fn words_directly_below_turns_that_tell_no_known_end_are_refused() {
    for end in [
        "King escaped at last",
        "Anna gave up",
        "White 1 Black 0",
        "Result = Black",
        "Swedes won",
        "Nobody knows",
    ] {
        for text in [
            format!("1. d1-d3 f8-h8\n{end}\n\n1. h1-h3 f8-h8\n"),
            format!("1. d1-d3 f8-h8\n{end}\n"),
        ] {
            let (line, refused) = read_games(&text).remove(1);
            let told = refused.expect_err(&text).to_string();
            assert!(
                line == 2 && told.contains(&format!("not by {end:?}")),
                "{told}"
            );
        }
    }
    // With an empty line between, words may be the title of the next game, if they tell no end.
    for (title, count) in [
        ("Round 2 of our club", 2),
        ("Nobody knows", 3),
        ("Remis?", 3),
    ] {
        let text = format!("1. d1-d3 f8-h8\n\n{title}\n\n1. h1-h3 f8-h8\n");
        assert_eq!(read_games(&text).len(), count, "{title}");
    }
}

#[test]
fn lines_of_other_styles_do_not_part_a_game() {
    for text in [
        "d1-d3\nf8-i8\n\n1. h1-h3 f4-b4\n",
        "1. d1-d3 f8-i8\n\nh1-h3\nf4-b4\n",
        "1. d1-d3\n1... f8-i8\n---\n1. h1-h3\n1... f4-b4\n",
        "1. d1-d3\nf8-i8\n1. h1-h3 1... f4-b4\n",
        "[Event \"a\"]\n\n1. d1d3 f8i8\n\n---\n\n[Event \"b\"]\n\n1. h1h3 f4b4\n",
    ] {
        assert_eq!(games(text), ["d1-d3 f8-i8", "h1-h3 f4-b4"], "{text}");
    }
    for text in [
        "1. d1-d3\n1... f8-i8\n2. d3-e3 i8-i9\n",
        "1. d1-d3 f8-i8 2.\nd3-e3 i8-i9\n",
        "1. d1-d3 f8-i8 2. d3-e3\ni8-i9\n",
        "1. d1-d3 {so} f8-i8 2. d3-e3 {or so}\n\ni8-i9\n",
        "d1-d3 f8-i8\nd3-e3 i8-i9\n",
        "d1-d3\nf8-i8\nd3-e3 i8-i9\n",
        "[Event \"a\"]\n\nd1d3 f8i8\nd3e3 i8i9\n",
    ] {
        assert_eq!(games(text), ["d1-d3 f8-i8 d3-e3 i8-i9"], "{text}");
    }
    for (text, line) in [
        ("d1-d3\nf8-i8\nh1-h3 f4-b4\n", 2),
        ("d1-d3 f8-i8\nh1-h3 f4-b4\nWhite won\n", 2),
        ("d1-d3 f8-i8\nh1-h3\n", 2),
        ("1. d1-d3 f8-i8 2. h1-h3\nf4-b4\n", 2),
        ("1. d1-d3 f8-i8\nh1-h3 f4-b4\nWhite\n", 2),
        ("[Event \"a\"]\n\nd1d3 f8i8\nh1h3 f8b8\n", 4),
        ("[Event \"a\"]\n\n1. d1d3 f8i8\n\nh1h3 f4b4\n", 5),
    ] {
        let told = error(text);
        assert!(
            told.contains(&format!("whether line {line} goes")),
            "{told}"
        );
    }
}

#[test]
fn lines_end_as_old_and_other_programs_end_them() {
    for end in ["\r", "\r\n", "\u{b}", "\u{c}", "\u{2028}"] {
        let text = ["d1-d3 f8-i8 d11-d9", "d1-d3 f4-b4 k4-i4"].map(|game| format!("{game}{end}"));
        let read = games(&text.concat());
        assert_eq!(read, ["d1-d3 f8-i8 d11-d9", "d1-d3 f4-b4 k4-i4"], "{end:?}");
    }
}

#[test]
fn numbers_of_games_are_not_those_of_turns() {
    let chain = "1. e2-c2xb2 c2-c5xb5 g4-g5 2. a1-a2 g5-g4";
    assert_eq!(one(chain).recorded().turns.len(), 5);
    for (text, expected) in [
        (
            "1. d1-d3 f8-i8 d11-d9 f4-c4\n2. h1-h3 f8-i8 k4-i4 f4-c4\n",
            "number 2 follows number 1",
        ),
        (
            "1. d1-d3 f8-i8 2. d11-d9 f4-c4 h1-h3 f8-i8",
            "number 2 counts not all turns",
        ),
    ] {
        assert!(error(text).contains(expected), "{text}: {}", error(text));
    }
}

#[test]
fn neither_a_game_beside_tags_nor_an_end_in_other_words_is_lost() {
    let tagged = "[Event \"b\"]\n\n1. d1d3 f8i8\n";
    let damaged = read_games(&format!("1. d1-d3 f8-i8 z9\n\n{tagged}"));
    assert!(damaged.len() == 2 && damaged[0].1.is_err() && damaged[1].1.is_ok());
    assert_eq!(
        games(&format!("Of e4 and so on\n\n{tagged}")),
        ["d1-d3 f8-i8"]
    );
    let commented = read_games(&format!("{tagged}# fetlar\nh1-h3 f8-b8\n"));
    let rules = commented
        .into_iter()
        .map(|(_, game)| game.expect("a game").ruleset);
    assert!(rules.eq([None, Some("fetlar".to_owned())]));
    for told in [
        "In the end Black won",
        "A draw",
        "=> Black",
        "The king escaped, White won",
        "Black wins!",
    ] {
        let read = read_games(&format!("d1-d3 f8-i8\n\n{told}\nh1-h3 f8-b8\n"));
        let read = read.iter().map(|(line, game)| (*line, game.is_ok()));
        assert!(read.eq([(1, true), (3, false), (4, true)]), "{told}");
    }
    let white = RecordedResult::Won(Side::Defender);
    assert_eq!(one("d1-d3 f8-i8\nWhite wins!").recorded().result, white);
}

#[test]
fn what_stands_above_no_game_is_refused_below_one() {
    let place = "position: 7/7/7/3K3/7/7/3t3 a";
    for game in [
        "d1-d3 f8-i8",
        "[Event \"a\"]\n\n1. d1d3 f8i8",
        "plies,result\nd1-d3,White",
    ] {
        for below in ["ruleset: fetlar", "Fetlar", "# so\nVariant: fetlar"] {
            let text = format!("ruleset: fetlar\n{game}\n\n{below}\n\n# The end\n");
            let mut read = read_games(&text);
            let (line, alone) = read.pop().expect("games");
            assert!(read.len() == 1 && read[0].1.is_ok(), "{text}");
            assert_eq!(line, text.lines().count() - 2, "{text}");
            let told = alone.expect_err("no game").to_string();
            assert!(
                told.ends_with("holds for games below it, and there is none"),
                "{told}"
            );
        }
    }
    let read = read_games(&format!("d1-d3 f8-i8\n{place}\n"));
    assert!(read.len() == 2 && read[0].1.is_ok() && read[1].1.is_err());
    assert!(read_games("ruleset: fetlar\n").is_empty());
    let without_moves = one(&format!("{place}\nruleset: brandubh"));
    assert!(without_moves.position.is_some() && without_moves.words.plies.is_empty());
    let without_turns = "[Event \"a\"]\nruleset: fetlar\n";
    assert_eq!(one(without_turns).ruleset.as_deref(), Some("fetlar"));
    assert_eq!(games("d1-d3 f8-i8\n# fetlar"), ["d1-d3 f8-i8"]);
}

#[test]
fn squares_in_parentheses_behind_a_turn_are_captures() {
    for text in [
        "e2-f2 (f3 g3)",
        "e2-f2 (xf3 xg3)",
        "e2-f2 (xf3, xg3)",
        "e2-f2 (f3, g3)",
    ] {
        let game = one(&format!("1. d2-e2 d3-f3 2. {text} d5-c5"));
        let captured = game.words.plies[2].captured;
        assert_eq!(captured.squares().count(), 2, "{text}");
    }
    // Moves are a variation.
    let game = one("1. d2-e2 d3-f3 2. e2-f2 (e2-g2) d5-c5");
    assert_eq!(game.words.plies[2].captured.squares().count(), 0);
}
