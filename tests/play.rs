//! `tafl play`: games typed at the terminal, saved and read again.

use crate::support::{run, succeeds, tafl};
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

/// Plays against `greedy` what is typed; returns what is said.
fn play(data: &Path, ruleset: &str, moves: &str) -> String {
    let arguments = ["play", "--against", "greedy", "--ruleset", ruleset];
    typed(data, &arguments, moves)
}

/// Does the same with these arguments.
fn typed(data: &Path, arguments: &[&str], text: &str) -> String {
    succeeds(&answered(data, arguments, text))
}

fn answered(data: &Path, arguments: &[&str], text: &str) -> Output {
    let mut child = tafl(data, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tafl starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("written");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

/// Returns the game that was kept under a name.
fn kept(data: &Path, name: &str) -> String {
    std::fs::read_to_string(data.join("played").join(name)).expect("kept")
}

#[test]
fn a_game_is_played_from_typed_moves_to_the_end_of_the_input() {
    let data = tempfile::tempdir().expect("a folder");
    let play = |typed: &str| play(data.path(), "brandubh", typed);
    let text = play("d6–f6\nd7-f1\nundo\nhint\nd6 e6\nresign\n");
    assert!(
        text.contains("[.] . [t]") || text.contains("The defenders play"),
        "{text}"
    );
    assert!(text.contains("d7-f1 is not in a straight line"), "{text}");
    assert!(text.contains("You resign: defenders win.\n"), "{text}");
    assert!(
        !text.contains('\u{1b}'),
        "no colors where there is no terminal"
    );
    let saved = data.path().join("played/brandubh-1.txt");
    let load = play(&format!("load {}\n", saved.display()));
    assert!(
        load.contains("the game is over, attackers resigned"),
        "{load}"
    );
    assert!(load.ends_with("The game is left unfinished.\n"), "{load}");
}

#[test]
fn a_game_is_kept_and_gone_on_with_and_nothing_is_written_over() {
    let data = tempfile::tempdir().expect("a folder");
    let play = |typed: &str| play(data.path(), "brandubh", typed);
    let file = data.path().join("mine.txt").display().to_string();
    let text = play(&format!("d6 f6\nsave {file}\nsave {file}\nquit\n"));
    assert_eq!(
        text.matches(&format!("saved to {file}")).count(),
        2,
        "{text}"
    );
    assert!(text.contains("played/brandubh-1.txt.\n"), "{text}");
    let text = play(&format!("load {file}\nsave {file}\nquit\n"));
    assert!(text.contains("mine.txt is there already"), "{text}");
    assert!(text.contains("2 plies of "), "{text}");
    assert_eq!(
        kept(data.path(), "brandubh-1.txt"),
        kept(data.path(), "brandubh-2.txt")
    );
    let saved = kept(data.path(), "brandubh-1.txt");
    assert!(saved.starts_with("# brandubh, attackers by a human\nd6-f6"));
    // The game in progress stays when another is loaded.
    play(&format!("d6 e6\nload {file}\nquit\n"));
    assert!(kept(data.path(), "brandubh-3.txt").contains("d6-e6"));
    assert_eq!(kept(data.path(), "brandubh-4.txt"), saved);
    assert!(play("load none.txt\n").contains("none.txt: no such file"));
}

#[test]
fn a_game_that_is_loaded_keeps_its_title_and_one_without_a_move_is_not_written() {
    let data = tempfile::tempdir().expect("a folder");
    let [loaded, saved, none] = ["game.pgn", "saved.txt", "none.txt"].map(|it| {
        let file = data.path().join(it);
        file.display().to_string()
    });
    let tags = "[Black \"Anna\"]\n[White \"Bo\"]\n[Date \"2024.05.01\"]\n";
    let game = format!("{tags}[Variant \"Brandubh\"]\n\n1. d6f6 d5f5\n");
    std::fs::write(&loaded, game).expect("written");
    let typed = format!("load {none}\nsave {none}\nload {loaded}\nsave {saved}\nquit\n");
    let said = play(data.path(), "brandubh", &typed);
    assert!(said.contains("no move was played yet"), "{said}");
    assert!(!Path::new(&none).exists());
    let text = std::fs::read_to_string(&saved).expect("saved");
    let title = "# Anna (Black) - Bo (White), 2024.05.01\nd6-f6 d5-f5\n";
    assert_eq!(text, format!("# brandubh, attackers by a human\n{title}"));
    assert_eq!(kept(data.path(), "brandubh-1.txt"), text);
}

#[test]
fn a_game_that_cannot_be_kept_is_printed_at_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("file");
    std::fs::write(&data, "").expect("written");
    let arguments = ["play", "--against", "greedy", "--ruleset", "brandubh"];
    let ended = answered(&data, &arguments, "d6 f6\nresign\n");
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(!ended.status.success(), "{said}");
    let game = said.split_once("# brandubh, attackers by a human\n");
    let (_, turns) = game.expect("the game is in what is printed");
    assert!(turns.starts_with("d6-f6 "), "{said}");
    assert!(turns.ends_with(" resigned\n"), "{said}");
}

#[test]
fn a_game_is_loaded_by_its_number_and_only_where_it_can_go_on() {
    let data = tempfile::tempdir().expect("a folder");
    let play = |typed: &str| play(data.path(), "brandubh", typed);
    let file = data.path().join("games.txt").display().to_string();
    let games = "d6-f6 d5-f5\nd6-e6 d5-f5 d2-e2\nd6-f6 d5-a5 d7-f7 d4-d7 g4-g5 d7-a7\n";
    std::fs::write(&file, games).expect("written");
    let said = play(&format!("load {file}\nload {file} 2\nload {file} 9\n"));
    assert!(
        said.contains("it contains 3 games; choose one by its number (1 to 3, on lines 1, 2, 3)"),
        "{said}"
    );
    assert!(said.contains("3 plies of "), "{said}");
    assert!(said.contains("its rules: brandubh is assumed"), "{said}");
    let none = "it contains no game 9, but 3 games, on lines 1, 2, 3";
    assert!(said.contains(none), "{said}");
    let other = data.path().join("other.txt").display().to_string();
    let text = "Ruleset: tablut\ne9-f9\n# brandubh, attackers by a human\nd6-f6\n";
    std::fs::write(&other, text).expect("written");
    let said = play(&format!("load {other} 1\nload {other} 2\n"));
    assert!(said.contains("is a game of tablut; `--ruleset`"), "{said}");
    assert!(said.contains("1 plies of "), "{said}");
}

#[test]
fn a_game_from_another_position_goes_on_and_is_kept_with_it() {
    let data = tempfile::tempdir().expect("a folder");
    let file = data.path().join("later.txt").display().to_string();
    let text = "ruleset: brandubh\nposition: 3t3/7/7/3K3/7/7/7 defenders\nd4-d1\n";
    std::fs::write(&file, text).expect("written");
    let said = play(
        data.path(),
        "brandubh",
        &format!("load {file}\nundo\nd7 e7\nhint\nquit\n"),
    );
    assert!(said.contains("1 plies of "), "{said}");
    assert!(said.contains("There is no turn to take back"), "{said}");
    let saved = kept(data.path(), "brandubh-1.txt");
    assert!(
        saved.contains("position: 3a3/7/7/3k3/7/7/7 - d 0 0\nd4-d1 d7-e7"),
        "{saved}"
    );
    let again = data.path().join("played/brandubh-1.txt");
    let said = play(
        data.path(),
        "brandubh",
        &format!("load {}\n", again.display()),
    );
    assert!(said.contains("the game is over, defenders win"), "{said}");
}

#[test]
fn a_game_that_is_over_is_not_gone_on_with() {
    let data = tempfile::tempdir().expect("a folder");
    let said = play(
        data.path(),
        "copenhagen",
        "load data/games/copenhagen.csv 5\nquit\n",
    );
    assert!(
        said.contains("copenhagen.csv: the game is over, defenders win"),
        "{said}"
    );
    assert!(said.ends_with("The game is left unfinished.\n"), "{said}");
}

#[test]
fn what_is_special_in_a_ruleset_is_told() {
    let data = tempfile::tempdir().expect("a folder");
    let said = |ruleset: &str| play(data.path(), ruleset, "rules\n");
    let (berserk, copenhagen) = (said("berserk-2024"), said("copenhagen"));
    for (words, in_copenhagen) in [
        ("The knight (N) and the commanders (c)", false),
        ("as long as each of its moves captures", false),
        ("on all four sides (three beside the throne)", true),
        ("when the king reaches a corner", true),
        ("rules show ", true),
    ] {
        // Before the first move, and when asked.
        let times = |text: &str| text.matches(words).count();
        assert_eq!(times(&berserk), 2, "{words}: {berserk}");
        let expected = if in_copenhagen { 2 } else { 0 };
        assert_eq!(times(&copenhagen), expected, "{words}: {copenhagen}");
    }
}

#[test]
fn a_game_of_an_own_ruleset_brings_its_rules() {
    let data = tempfile::tempdir().expect("a folder");
    let file = data.path().join("mine.toml");
    std::fs::write(&file, "base = \"brandubh\"\nking_armed = false\n").expect("written");
    let ruleset = file.display().to_string();
    let said = play(data.path(), &ruleset, "d6 f6\nrules\nquit\n");
    let command = format!("tafl rules show {ruleset}`");
    assert!(said.contains(&command), "{said}");
    assert!(kept(data.path(), "mine-1.txt").starts_with("# mine, attackers"));
    let saved = data.path().join("played/mine-1.txt").display().to_string();
    let analyze = [
        "analyze",
        &saved,
        "--checkpoint",
        "data/nets/brandubh",
        "--visits",
        "2",
    ];
    // A ruleset of that name is another one.
    let other = data.path().join("other").join("mine.toml");
    std::fs::create_dir_all(other.parent().expect("a folder")).expect("made");
    std::fs::write(&other, "base = \"brandubh\"\nescape = \"edges\"\n").expect("written");
    let text = kept(data.path(), "mine-1.txt");
    let fields = text.lines().nth(1).expect("a line");
    assert!(fields.contains("\"king_armed\":false"), "{text}");
    let analyzed = succeeds(&run(data.path(), &analyze));
    assert!(analyzed.contains("\nmine; 2 visits"), "{analyzed}");
    let other = other.display().to_string();
    let refused = play(data.path(), &other, &format!("load {saved}\nquit\n"));
    assert!(refused.contains("has other rules of its own"), "{refused}");
    let with_rules = [&analyze[..], &["--ruleset", &ruleset]].concat();
    let analyzed = succeeds(&run(data.path(), &with_rules));
    assert!(analyzed.contains("\nmine; 2 visits"), "{analyzed}");
}

#[test]
fn players_go_by_the_names_of_networks_and_misspelled_ones_are_told() {
    let data = tempfile::tempdir().expect("a folder");
    let levels: [&[&str]; 2] = [&[], &["--level", "beginner"]];
    for level in levels {
        let against = [&["play", "--against", "brandubh"][..], level].concat();
        let said = succeeds(&run(data.path(), &against));
        assert!(
            said.contains("You play the attackers against brandubh."),
            "{said}"
        );
    }
    for (arguments, advice) in [
        (&["play", "--against", "grady"][..], "did you mean greedy?"),
        (
            &["play", "--checkpoint", "brandub"],
            "did you mean brandubh?",
        ),
        (
            &["arena", "greedy", "alphbeta:3"],
            "did you mean alphabeta:3?",
        ),
        (&["arena", "greedy", "stockfish"], "networks are berserk, "),
        (
            &["arena", "greedy", "stockfish"],
            "other players are random, greedy, ",
        ),
    ] {
        let refused = run(data.path(), arguments);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{error}");
        assert!(error.contains(advice), "{error}");
    }
}

#[test]
fn games_say_their_rules_and_other_ones_are_told() {
    let data = tempfile::tempdir().expect("a folder");
    let file = data.path().join("game.txt");
    std::fs::write(&file, "[Variant \"Brandubh\"]\n\n1. d6f6 d5f5\n").expect("written");
    let file = file.display().to_string();
    let replayed = succeeds(&run(data.path(), &["rules", "replay", &file]));
    assert!(replayed.contains("brandubh"), "{replayed}");
    let text = "ruleset: hnefatafl of my village\nd1-d3 f8-h8\n";
    let analyze = ["analyze", text, "--visits", "2"];
    let refused = run(data.path(), &analyze);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        said.contains("unknown ruleset \"hnefatafl of my village\"\nhint: --ruleset NAME"),
        "{said}"
    );
    let given = ["--ruleset", "copenhagen"];
    let analyzed = run(data.path(), &[&analyze[..], &given].concat());
    let note = String::from_utf8_lossy(&analyzed.stderr).into_owned();
    succeeds(&analyzed);
    assert!(note.contains("\"hnefatafl of my village\""), "{note}");
    assert!(note.contains("under copenhagen"), "{note}");
    for (subject, ruleset) in [
        ("d1-d3 f8-h8", "copenhagen"),
        ("3t3/7/7/3K3/7/7/7", "brandubh"),
    ] {
        let analyze = |more: &[&str]| {
            let words = ["analyze", subject, "--visits", "2"];
            let done = run(data.path(), &[&words[..], more].concat());
            succeeds(&done);
            String::from_utf8_lossy(&done.stderr).into_owned()
        };
        let note = analyze(&[]);
        let assumed =
            format!("it does not say its rules; {ruleset} is assumed (--ruleset NAME).\n");
        assert!(note.contains(&assumed), "{note}");
        assert!(!analyze(&["--ruleset", ruleset]).contains("assumed"));
    }
}

#[test]
fn the_ruleset_that_was_chosen_plays_a_record_that_none_can_say() {
    let data = tempfile::tempdir().expect("a folder");
    let file = data.path().join("x.otg").display().to_string();
    let record = "dim:7 name:own tfr:w start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
    std::fs::write(&file, format!("[rules:{record}]\n\n1. d1-c1 d3-c3\n")).expect("written");
    let said = play(data.path(), "brandubh", &format!("load {file}\nquit\n"));
    assert!(said.contains("2 plies of "), "{said}");
    let load = format!("load {file}\nquit\n");
    let said = typed(data.path(), &["play", "--against", "greedy"], &load);
    assert!(said.contains("its rules: "), "{said}");
    assert!(said.contains("`--ruleset NAME` or FILE plays it"), "{said}");
}

#[test]
fn games_with_tags_are_counted() {
    let data = tempfile::tempdir().expect("a folder");
    let file = data.path().join("games.pgn").display().to_string();
    let game =
        |result, turns| format!("[Variant \"brandubh\"]\n[Result \"{result}\"]\n\n{turns}\n\n");
    let games = [
        game("1-0", "1. d6f6"),
        game("Black", "1. d6c6 d5d6"),
        game("*", "1. d6f6 d5f5 resigned"),
    ];
    std::fs::write(&file, games.concat()).expect("written");
    let analyze = |number: &str| {
        let arguments = ["analyze", &file, "--visits", "2", "--game", number];
        run(data.path(), &arguments)
    };
    let first = succeeds(&analyze("1"));
    assert!(
        first.contains("line 1, 1-0, and programs do not agree"),
        "{first}"
    );
    let second = succeeds(&analyze("2"));
    assert!(
        second.contains("games.pgn, line 6, attackers won, as recorded"),
        "{second}"
    );
    // Whoever counts games by their results tells the same.
    let page = data.path().join("page.html").display().to_string();
    for arguments in [
        &["rules", "replay", &file][..],
        &["web", "brandubh", "--games", &file, "--output", &page],
    ] {
        let told = run(data.path(), arguments);
        let note = String::from_utf8_lossy(&told.stderr).into_owned();
        succeeds(&told);
        let expected = "games.pgn: line 1: 1-0, and programs do not agree whose win that is";
        assert!(note.contains(expected), "{arguments:?}: {note}");
    }
    let third = succeeds(&analyze("3"));
    assert!(third.contains(", line 11, attackers resigned"), "{third}");
    for (arguments, expected) in [
        (vec!["--game", "6"], "it contains no game 6, but 3 games"),
        (
            vec![],
            "it contains 3 games; choose one by its number (1 to 3, on lines 1, 6, 11)",
        ),
    ] {
        let refused = run(data.path(), &[&["analyze", &file], &arguments[..]].concat());
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_game_that_brings_its_rules_is_played_under_them_alone() {
    let data = tempfile::tempdir().expect("a folder");
    let mut mine = tafl_rules::preset("brandubh").expect("a preset");
    (mine.name, mine.escape) = ("mine".to_owned(), tafl_rules::Escape::Edges);
    let toml = data.path().join("mine.toml").display().to_string();
    std::fs::write(&toml, mine.to_toml()).expect("written");
    let fields = serde_json::Value::Object(mine.to_fields());
    let [open, over] = ["", " d2-f2 d4-d1"].map(|rest| {
        let file = data.path().join(format!("{}.txt", rest.len()));
        let text = format!("ruleset: {fields}\nd1-f1 d3-a3{rest}\n");
        std::fs::write(&file, text).expect("written");
        file.display().to_string()
    });
    let replayed = succeeds(&run(data.path(), &["rules", "replay", &over]));
    assert!(replayed.contains("4 plies under mine"), "{replayed}");
    assert!(replayed.contains("1 king-escaped"), "{replayed}");
    let analyze = [
        "analyze",
        &open,
        "--visits",
        "2",
        "--checkpoint",
        "brandubh",
    ];
    let analyzed = succeeds(&run(data.path(), &analyze));
    assert!(analyzed.contains("\nmine; 2 visits"), "{analyzed}");
    let loaded = play(data.path(), &toml, &format!("load {open}\nquit\n"));
    assert!(loaded.contains("2 plies of "), "{loaded}");
    let refused = play(data.path(), "brandubh", &format!("load {open}\nquit\n"));
    let expected = "has other rules of its own: `escape` (there \"edges\", here \"corners\"); `--ruleset FILE` chooses them";
    assert!(refused.contains(expected), "{refused}");
    let lines = [
        "rules",
        "convert",
        "game",
        "--from",
        "turns",
        "--to",
        "aagenielsen",
    ];
    let lines = [&lines[..], &["--ruleset", &toml, &over]].concat();
    let lines = succeeds(&run(data.path(), &lines));
    assert_eq!(lines, "d1-f1 d3-a3 d2-f2 d4-d1,0,0,White\n");
}
