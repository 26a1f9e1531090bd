//! Games in every spelling that the one reader takes, and what it refuses by name.

use crate::rules::random::random_move;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use tafl_rules::notation::aagenielsen::{RecordedGame, RecordedResult};
use tafl_rules::notation::games::{WrittenGame, read_games};
use tafl_rules::notation::words::OffBoard;
use tafl_rules::{Board, Game, RankOrder, Rules, Ruleset, Setup, Side, TurnText, preset};

fn one(text: &str) -> WrittenGame {
    let mut games = read_games(text);
    assert_eq!(games.len(), 1, "{text}: {games:?}");
    let (_, game) = games.remove(0);
    game.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn turns(text: &str) -> String {
    one(text).recorded().turns_text()
}

fn error(text: &str) -> String {
    let (_, game) = read_games(text).remove(0);
    game.expect_err(text).to_string()
}

#[test]
fn one_game_in_many_spellings_is_the_same() {
    for text in [
        "d1-d3 f8-h8 d11-d9xd8",
        "\u{feff}D1-D3 F8-H8 D11-D9xD8",
        "1. d1-d3 f8-h8 2. d11-d9xd8",
        "1.d1-d3 f8-h8 2.d11-d9xd8",
        "1. d1d3 f8h8\r\n2. d11d9xd8",
        "d1–d3 f8—h8 d11−d9×d8",
        "d1 d3 f8 - h8 d11 -d9xd8",
        "1. d1-d3 f8-h8\n2. d11-d9! (xd8)",
        "d1-d3\nf8-h8\n\nd11-d9xd8\n",
        "d1-d3 {a comment, with (a comma)} f8-h8! $3 d11-d9xd8?!  # the end",
        "[Event \"Game 7\"]\n[Site \"hnefatafl.org\"]\n1. d1d3 f8h8 2. d11d9xd8",
        "[Variant \"Copenhagen\"]\n\n1. d1-d3 (d1-d2 f8-g8) f8-h8 2. d11-d9xd8 *",
        "[date:2020.01.01]\n[compiler:own]\n\n1. td1-d3 f8^h8\n[first|d4-d5]\n\n1a.1.1a. e1-e2 f8-g8\n2. d11=d9xd8+\n[|]",
    ] {
        assert_eq!(turns(text), "d1-d3 f8-h8 d11-d9xd8", "{text}");
    }
    let chain = "d5-f5xe5-f8xf7-end f2-f3";
    assert_eq!(turns(chain), chain);
    assert_eq!(turns("c3-c5xc4/d5"), "c3-c5xc4xd5");
}

#[test]
fn endings_away_from_the_board_are_kept() {
    for (text, end, result) in [
        (
            "d1-d3 resigned,0,0,White",
            Some(OffBoard::Resigned),
            RecordedResult::Won(Side::Defender),
        ),
        (
            "d1-d3 timeout,0,0,Black",
            Some(OffBoard::Timeout),
            RecordedResult::Won(Side::Attacker),
        ),
        (
            "d1-d3 Resigns 0-1",
            Some(OffBoard::Resigned),
            RecordedResult::Ongoing,
        ),
        (
            "d1-d3 White resigns",
            Some(OffBoard::Resigned),
            RecordedResult::Won(Side::Attacker),
        ),
        (
            "d1-d3 f8-h8, Attackers timeout",
            Some(OffBoard::Timeout),
            RecordedResult::Won(Side::Defender),
        ),
        (
            "d1-d3 resigned Black",
            Some(OffBoard::Resigned),
            RecordedResult::Won(Side::Attacker),
        ),
        (
            "[result:-1]\n[termination:Black resigns]\n\n1. d1-d3",
            Some(OffBoard::Resigned),
            RecordedResult::Won(Side::Defender),
        ),
        (
            "[Result \"White\"]\n[Termination \"late at night\"]\n\n1. d1d3 *",
            None,
            RecordedResult::Won(Side::Defender),
        ),
        (
            "[Result \"attackers\"]\n\n1. d1d3",
            None,
            RecordedResult::Won(Side::Attacker),
        ),
        ("d1-d3 1/2-1/2", None, RecordedResult::Draw),
        (
            "[result:-1]\n[compiler:own]\n1. d1-d3 f8-h8---",
            Some(OffBoard::Resigned),
            RecordedResult::Won(Side::Defender),
        ),
    ] {
        let game = one(text).recorded();
        assert_eq!((game.end, game.result), (end, result), "{text}");
    }
}

#[test]
fn a_draw_has_no_loser_however_it_came_about() {
    let rules = Rules::preset("copenhagen").expect("a preset");
    for word in ["timeout", "resigned"] {
        let game = one(&format!("d1-d3 {word},0,0,Draw")).recorded();
        let played = game.replay(&rules).expect("legal").game;
        assert_eq!(game.ending(&played).as_deref(), Some("a draw, as recorded"));
        assert_eq!(game.winner(&played), None);
    }
}

#[test]
fn a_score_is_no_result_but_is_told() {
    let rules = Rules::preset("copenhagen").expect("a preset");
    for text in ["d1-d3 f8-h8 1-0", "[Result \"1-0\"]\n\n1. d1d3 f8h8"] {
        let game = one(text).recorded();
        assert_eq!(
            (game.result, game.score),
            (RecordedResult::Ongoing, Some("1-0")),
            "{text}"
        );
        assert_eq!(game.turns_text(), "d1-d3 f8-h8 1-0", "{text}");
        let played = game.replay(&rules).expect("legal").game;
        let ending = game.ending(&played).expect("told");
        assert!(
            ending.starts_with("1-0, and programs do not agree"),
            "{ending}"
        );
        assert_eq!(game.winner(&played), None);
    }
    for text in ["d1-d3 1-0,0,0,White", "d1-d3 1-0 Black won"] {
        assert_eq!(one(text).recorded().score, None, "{text}");
    }
    for text in ["d1-d3 1-0 Black", "d1-d3 f8-h8 White 0-1"] {
        let told = read_games(text).remove(0).1.expect_err(text);
        assert!(told.to_string().starts_with("who won is not clear"));
    }
    assert!(read_games("d1-d3 f8-h8\nWhite 0-1")[1].1.is_err());
}

#[test]
fn rules_of_ones_own_stand_above_a_game_with_all_their_fields() {
    let fields = |changes: &[(&str, &str)]| {
        let mut fields = preset("brandubh").expect("a preset").to_fields();
        for (field, value) in changes {
            fields.insert((*field).to_owned(), (*value).into());
        }
        Value::Object(fields).to_string()
    };
    let mine = fields(&[("name", "mine"), ("escape", "edges")]);
    let turns = "d1-f1 d3-a3 d2-f2 d4-d1";
    let games = read_games(&format!(
        "ruleset: {mine}\n{turns}\nruleset: brandubh\n{turns}\n"
    ));
    let games: Vec<WrittenGame> = games
        .into_iter()
        .map(|(_, game)| game.expect("a game"))
        .collect();
    let own = games[0].own.as_ref().expect("it has its rules");
    let rules = Rules::new(own.ruleset().expect("sound")).expect("sound");
    let end = games[0]
        .replay(&rules)
        .expect("legal")
        .game
        .outcome()
        .expect("over");
    assert_eq!(
        (end.winner, &*rules.ruleset().name),
        (Some(Side::Defender), "mine")
    );
    assert_eq!(
        (&games[1].own, games[1].ruleset.as_deref()),
        (&None, Some("brandubh"))
    );
    for (text, reason) in [
        (
            fields(&[("escape", "edges")]),
            "field `name`: \"brandubh\" is the name of a shipped",
        ),
        (
            fields(&[("name", "my rules")]),
            "field `name`: \"my rules\" is not made of",
        ),
        (fields(&[("escape", "edge")]), "unknown variant `edge`"),
        ("{".to_owned(), "EOF while parsing"),
    ] {
        let own = one(&format!("ruleset: {text}\n{turns}"))
            .own
            .expect("rules");
        let error = own.ruleset().expect_err(&text).to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_game_with_tags_begins_where_they_say() {
    let rules = Rules::preset("brandubh").expect("a preset");
    for (fen, is_read) in [("7/7/7/3K3/7/7/3t3 a", true), ("7/7 a", false)] {
        let game = one(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. d1d2"));
        let replayed = game.replay(&rules);
        assert_eq!(replayed.is_ok(), is_read, "{fen}");
        if let Ok(replayed) = replayed {
            assert_eq!(replayed.start.position().pieces(Side::Attacker).count(), 1);
        }
    }
    // An .otg is one by any of its tags.
    let game = one("[attackers:me]\n[result:-1]\n\n1. d1-d3").recorded();
    assert_eq!(game.result, RecordedResult::Won(Side::Defender));
    // A comment of several paragraphs in brackets is one tag, also of a game that is not the first.
    let record = "[result:-1]\n[start-comment:Three lines.\n\nAnother paragraph [so].\n1. d9-d8]\n[date:1]\n\n1. d1-d3 [no]\n";
    let game = one(record).recorded();
    assert_eq!(game.turns_text(), "d1-d3");
    assert_eq!(game.result, RecordedResult::Won(Side::Defender));
    assert_eq!(read_games(&format!("{record}\n{record}")).len(), 2);
    // One that never ends takes nothing with it.
    assert_eq!(turns("[annotator:me\n[result:1]\n1. d1-d3"), "d1-d3");
}

#[test]
fn a_semicolon_begins_a_comment_to_the_end_of_the_line() {
    for text in [
        "; my game\nd1-d3 f8-h8 ; good, I think\n",
        "[Event \"a; b\"]\n; mine\n\n1. d1d3 ; a {brace\nf8h8\n",
        "[Event \"a\"]\n\n1. d1d3 {one; two} f8h8\n",
        "d1-d3; f8-h8",
    ] {
        let read = read_games(text);
        let games: Vec<String> = read
            .into_iter()
            .map(|(_, game)| game.expect(text).recorded().turns_text())
            .collect();
        assert_eq!(games, ["d1-d3 f8-h8"], "{text}");
    }
    // In a table it ends a field.
    let table = "event;plies;result\n;d1-d3;White\n";
    assert_eq!(read_games(table).len(), 1);
    assert!(
        read_games("[attackers:me]\n\n1. d1-d3 ; so f8-h8")[0]
            .1
            .is_err()
    );
}

#[test]
fn lines_that_are_comments_are_left_out() {
    for text in [
        "% mine\nd1-d3 f8-h8\n",
        "{mine}\nd1-d3 f8-h8\n",
        "ruleset: fetlar\n{of two: a, b}\n1. d1-d3 {so} f8-h8\n",
        "% mine\n[Event \"a\"]\n%{\n\n1. d1d3\n% so\nf8h8\n",
    ] {
        assert_eq!(turns(text), "d1-d3 f8-h8", "{text}");
    }
}

#[test]
fn other_counts_than_the_boards_and_an_end_behind_the_end_are_remarked_on() {
    let rules = Rules::preset("brandubh").expect("a preset");
    let plies = "d2-c2 e4-e2 d6-e6 e2-f2 d1-d2 d4-e4 d2-e2 d3-d2xe2 c2-c1 e4-e1 c1-d1 e1-g1";
    let remarks = |rest: &str| {
        let game = one(&format!("{plies}{rest}"));
        let replayed = game.replay(&rules).expect("legal");
        game.recorded().remarks(&replayed.start, &replayed.game)
    };
    assert_eq!(remarks(",0,1,White"), Vec::<String>::new());
    let counts = "captures 0,2 are recorded; the board has 0,1";
    assert_eq!(remarks(",0,2,White"), [counts]);
    let end = "`resigned` stands behind a game that was over already: defenders win (king-escaped)";
    assert_eq!(remarks(" resigned"), [end]);
}

#[test]
fn games_of_a_text_are_told_apart_by_their_lines() {
    let text =
        "# games\nd1-d3 f8-h8\n\nh1-h3 f8-i8,0,0,White\n1. d1-d3 f8-h8\n2. d11-d9\nh1-h3 z\n";
    let read = read_games(text);
    let lines: Vec<(usize, bool)> = read
        .iter()
        .map(|(line, game)| (*line, game.is_ok()))
        .collect();
    assert_eq!(lines, [(2, true), (4, true), (5, true), (7, false)]);
    let two = "[Event \"a\"]\n\n1. d1d3 f8h8\n\n[Event \"b\"]\n\n1. h1h3\n";
    assert_eq!(read_games(two).len(), 2);
}

#[test]
fn a_ruleset_is_named_in_any_case_in_comments_and_titles_too() {
    for above in [
        "# Fetlar",
        "# ruleset: Fetlar",
        "# Rules: fetlar",
        "Fetlar",
        "[Fetlar]",
        "Game: Fetlar",
        "Ruleset = fetlar",
        "[GameType \"Fetlar\"]\n",
        "A Title\n\nFetlar",
    ] {
        let ruleset = one(&format!("{above}\nd1-d3\nf8-h8\n")).ruleset;
        let ruleset = ruleset.map(|it| it.to_lowercase());
        assert_eq!(ruleset.as_deref(), Some("fetlar"), "{above}");
    }
    assert_eq!(
        one("# rules: chess\nd1-d3").ruleset.as_deref(),
        Some("chess")
    );
    for above in ["# rules: as we like", "# position: d1", "[Game \"3\"]\n"] {
        let game = one(&format!("{above}\nd1-d3"));
        assert_eq!((game.ruleset, game.position), (None, None), "{above}");
    }
    let place = one("position: 7/7/7/3K3/7/7/3t3 a\n# brandubh\nd1-d2").position;
    assert!(place.is_some(), "a comment names the rules of a position");
}

#[test]
fn what_stands_nearest_above_a_game_counts() {
    let place = "position: 7/7/7/3K3/7/7/3t3 a";
    let own = "ruleset: {\"name\":\"mine\",\"base\":\"brandubh\"}";
    let human = |name: &str| format!("# {name}, attackers by a human");
    let (brandubh, copenhagen) = (human("brandubh"), human("copenhagen"));
    for (text, expected) in [
        (
            format!("ruleset: fetlar\nh1-h3\n{copenhagen}\nd1-d3"),
            "fetlar, copenhagen",
        ),
        (
            format!(
                "{}\n{own}\n{place}\nd1-d2\n{brandubh}\nd6-f6",
                human("mine")
            ),
            "own at a place, brandubh",
        ),
        (
            format!("{brandubh}\n{place}\nd1-d2\nd1-d3 d4-d5\nruleset: tablut\ne8-f8"),
            "brandubh at a place, brandubh at a place, tablut",
        ),
        (
            format!("{place}\nRuleset: brandubh\nd1-d2\nVARIANT: foo\nd1-d2"),
            "brandubh at a place, foo",
        ),
        (format!("{copenhagen}\nruleset: foo\nd1-d3"), "foo"),
        (
            format!(
                "[Variant \"fetlar\"]\n\n1. d1d3\n\n{brandubh}\nd6-f6\nruleset: tablut\n{place}\ne8-f8"
            ),
            "fetlar, brandubh, tablut at a place",
        ),
        (
            format!(
                "{brandubh}\nd6-f6\n{copenhagen}\n[Event \"a\"]\n\n1. d1d3\n[Rules \"fetlar\"]\n\nd1d3"
            ),
            "brandubh, copenhagen, fetlar",
        ),
    ] {
        let games = read_games(&text).into_iter().map(|(_, game)| {
            let game = game.expect(&text);
            assert_eq!(game.recorded().turns[0].plies.len(), 1);
            let rules = match &game.own {
                Some(_) => "own".to_owned(),
                None => game.ruleset.unwrap_or_default(),
            };
            let place = if game.position.is_some() {
                " at a place"
            } else {
                ""
            };
            rules + place
        });
        assert_eq!(games.collect::<Vec<_>>().join(", "), expected, "{text}");
    }
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    for (text, reason) in [
        (
            "[Event \"chess\"]\n\n1. e4 e5",
            "this is a PGN: number 1: \"e4\" is not a move",
        ),
        (
            "[Event \"a\"]\n\nd1-d3 f8-h8,0,0,White",
            "this is a PGN: number 2: \"f8-h8,0,0,White\" is not a move",
        ),
        ("(;GM[1]FF[4])", "this is an SGF record; read are"),
        ("{\"moves\": []}", "this is JSON or HTML"),
        (
            "d1-d3 resigned f8-h8",
            "number 2: \"resigned\" is not a move",
        ),
        ("d1-d3 {open", "a comment is not closed"),
        (
            "d1-d3 Black resigned,0,0,Black",
            "both White and Black are said",
        ),
        (
            "[Result \"1-0\"]\n\n1. d1d3 0-1",
            "both 0-1 and 1-0 are said to be the result",
        ),
        (
            "[result:1]\n[termination:Black resigns]\n\n1. d1-d3",
            "both Black and White are said",
        ),
        (
            "[result:2]\n\n1. d1-d3",
            "field `result`: \"2\" is not White, Black",
        ),
        (
            "[Variant \"fetlar\"]\n[variant \"copenhagen\"]\n\n1. d1d3",
            "two tags `variant` of one game differ",
        ),
        (
            "moves,by attackers,by defenders,elo\nd1-d3,0,0,1500",
            "\"elo\" is not known",
        ),
        (
            "moves,by attackers,by defenders,result\nd1-d3,0,0",
            "it names 4, but this line has 3",
        ),
        ("d1-e5", "\"d1-e5\" is not a move"),
        ("1. 1-0", "there is no move in it"),
    ] {
        assert!(error(text).contains(reason), "{text}: {}", error(text));
    }
}

#[test]
fn chains_need_no_end_and_may_be_told_by_their_first_and_last_square() {
    let rules = Rules::preset("berserk-2024").expect("a preset");
    let ruleset = Ruleset {
        start: Board::from_text("7/4K2/Tt5/6t/7/Tt2T2/7", RankOrder::HighestFirst)
            .expect("a board"),
        moves_first: Side::Defender,
        ..rules.ruleset().clone()
    };
    let rules = Rules::new(ruleset).expect("rules");
    let whole = "e2-c2xb2-c5xb5 g4-g5";
    for text in [whole, "e2-c2xb2 c2-c5xb5 g4-g5", "e2-c5xb2xb5 g4-g5"] {
        let game = one(&format!("{text},0,2,Ongoing"))
            .recorded()
            .replay(&rules);
        let game = game
            .unwrap_or_else(|misfit| panic!("{text}: {misfit}"))
            .game;
        let written = RecordedGame::of_game(&game).expect("from the start");
        assert_eq!(written.turns_text(), whole, "{text}");
    }
    let stopped = one("e2-c2xb2 g4-g5,0,1,Ongoing").recorded().replay(&rules);
    let written = RecordedGame::of_game(&stopped.expect("legal").game).expect("from the start");
    assert_eq!(written.turns_text(), "e2-c2xb2-end g4-g5");
    let wrong = one("e2-c5xb2 g4-g5,0,1,Ongoing").recorded().replay(&rules);
    let misfit = wrong.expect_err("another chain").to_string();
    assert!(
        misfit.contains("e2-c5 is not in a straight line"),
        "{misfit}"
    );
}

#[test]
fn a_king_who_captures_on_his_way_home_may_be_told_by_his_first_and_last_square() {
    let berserk = Rules::preset("berserk-2024").expect("a preset");
    for (ranks, whole, told) in [
        ("4tT1/7/3K3/7/7/7/7", "d5-d7xe7-a7", "d5-a7xe7"),
        ("7/7/7/1tT4/K6/7/7", "a3-a4xb4-a7", "a3-a7xb4"),
    ] {
        let ruleset = Ruleset {
            start: Board::from_text(ranks, RankOrder::HighestFirst).expect("a board"),
            moves_first: Side::Defender,
            ..berserk.ruleset().clone()
        };
        let rules = Rules::new(ruleset).expect("rules");
        for text in [whole, told] {
            let game = one(&format!("{text},0,1,White")).recorded().replay(&rules);
            let game = game.unwrap_or_else(|misfit| panic!("{text}: {misfit}"));
            let written = RecordedGame::of_game(&game.game).expect("from the start");
            assert_eq!(written.turns_text(), whole, "{text}");
        }
        let other = told.replace("a7x", "b7x");
        let wrong = one(&format!("{other},0,1,White")).recorded();
        assert!(wrong.replay(&rules).is_err(), "{other}");
    }
}

#[test]
fn a_game_with_the_knight_elsewhere_at_first_is_read_and_said_so() {
    let rules = Rules::preset("berserk-2024").expect("a preset");
    let start = Setup::of(&rules.start(), rules.shape());
    let mut setup = start.clone();
    let index = |name: &str| rules.shape().index(name.parse().expect("a square"));
    setup.pieces.swap(index("e5"), index("e7"));
    let position = rules.position(&setup).expect("a position");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut elsewhere = 0;
    for _ in 0..40 {
        let mut game = Game::from_position(rules.clone(), position);
        let mut turns = Vec::new();
        while let Some(mv) = random_move(&game, &mut random).filter(|_| turns.len() < 60) {
            let captured = game.play(mv).expect("legal").captured;
            let plies = vec![(mv, captured)];
            turns.push(TurnText { plies }.to_string());
        }
        let mut written = one(&turns.join(" "));
        let replayed = written.replay(&rules).expect("it fits one of the starts");
        let is_elsewhere = replayed.knight == "e7".parse().ok();
        elsewhere += u32::from(is_elsewhere);
        // A text that gives its first position says where the knight stood.
        written.position = Some(start.to_string());
        assert_eq!(written.replay(&rules).is_err(), is_elsewhere);
    }
    assert!(elsewhere > 5, "{elsewhere}");
}

#[test]
fn old_lines_name_no_captures_where_they_have_no_hyphens() {
    let rules = Rules::preset("copenhagen").expect("a preset");
    let replayed = |plies: &str| {
        let game = one(&format!("{plies},1,0,Ongoing")).recorded();
        game.replay(&rules).is_ok()
    };
    assert!(replayed("d1d3 e5e2 g1g3 f4c4 g3e3"));
    assert!(!replayed("d1-d3 e5-e2 g1-g3 f4-c4 g3-e3"));
    assert!(replayed("d1d3 e5e2 g1g3 f4c4 g3-e3xe2"));
}

#[test]
fn lines_of_tables_are_read_as_tables_write_them() {
    let plain = "h1-h3 f8-i8,3,9,White\nh1-h3 f8-i8,3,9,Black\n";
    let lines = |text: &str| {
        let games = read_games(text).into_iter();
        let games = games.map(|(line, game)| (line, game.expect("a game").recorded()));
        games.collect::<Vec<_>>()
    };
    let same = lines(plain);
    assert_eq!(same.len(), 2);
    for text in [
        plain.to_lowercase(),
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
        plain.replace("h1-h3 f8-i8", "\"1) h1-h3 2)f8-i8\""),
        plain.replace('\n', "\n\u{feff}"),
        format!("\u{feff}{plain}"),
    ] {
        assert_eq!(lines(&text), same, "{text:?}");
    }
    let joined = plain.replacen('\n', "\u{feff}", 1);
    let games = |read: &[(usize, RecordedGame)]| -> Vec<RecordedGame> {
        read.iter().map(|(_, game)| game.clone()).collect()
    };
    assert_eq!(games(&lines(&joined)), games(&same));
    for header in [
        "plies,attackers,defenders,result",
        "moves,by attackers,by_defenders,Result",
    ] {
        let read = lines(&format!("{header}\n{plain}{header}\n"));
        assert_eq!(games(&read), games(&same), "{header}");
        assert_eq!(read[0].0, 2);
    }
    // Columns are read by their names, in any order.
    let named = "result\truleset\tcaptures by defenders\tby attackers\tmoves\nWhite\tfetlar\t9\t3\th1-h3 f8-i8\n";
    let game = one(named);
    assert_eq!(
        (game.recorded(), game.ruleset.as_deref()),
        (same[0].1.clone(), Some("fetlar"))
    );
    let quoted = lines("\"h1-h3 f8-i8\"\n\"h1-h3\"\n");
    assert_eq!(quoted[0].1.turns_text(), "h1-h3 f8-i8");
    let variation = lines("1) h1-h3 (h1-h2) 2) f8-i8\n3) h3-h4\n");
    assert_eq!(variation[0].1.turns_text(), "h1-h3 f8-i8 h3-h4");
    let tabs = lines("h1-h3\tf8-i8\th3-h4\ti8-i7\n");
    assert_eq!(tabs[0].1.turns.len(), 4);
    let wrong = &read_games("h1-h3,3,9,Purple\n")[0].1;
    assert!(wrong.is_err(), "{wrong:?}");
}
