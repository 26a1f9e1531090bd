//! `tafl arena` as a process: kills, exit codes, errors; `crates/tafl-studies/tests` has the rest.

use crate::support::contents::contents;
use crate::support::nets::write_net;
use crate::support::{run, succeeds, tafl};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the only tournament below a folder of data.
fn tournament(data: &Path) -> PathBuf {
    let mut found = std::fs::read_dir(data.join("arena")).expect("a folder");
    let folder = found
        .next()
        .expect("a tournament")
        .expect("readable")
        .path();
    assert!(found.next().is_none());
    folder
}

/// Returns the bytes of every file of games by name.
fn games(data: &Path) -> BTreeMap<String, Vec<u8>> {
    contents(&tournament(data).join("games"), &|_| true)
}

#[test]
fn a_table_of_draws_says_what_its_ratings_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "arena random greedy --ruleset brandubh --openings 2 --bootstrap 0";
    let told = |more: &str| {
        let words = format!("{words}{more}");
        let arguments: Vec<&str> = words.split(' ').collect();
        let said = succeeds(&run(folder.path(), &arguments));
        [
            "however many are drawn",
            "Games drawn, and fewer than ten decided, or a tenth: ",
        ]
        .map(|it| said.contains(it))
    };
    assert_eq!(told(" --max-plies 9"), [true, true]);
    assert_eq!(told(""), [false, false]);
}

#[test]
fn captures_of_stored_games_are_compared_under_other_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let arena = ["arena", "greedy", "random", "--ruleset", "brandubh"];
    succeeds(&run(
        folder.path(),
        &[&arena[..], &["--openings", "5"]].concat(),
    ));
    let files = games(folder.path()).into_keys();
    let file = files.last().expect("a file of games");
    let file = tournament(folder.path()).join("games").join(file);
    // Every move may be legal under other rules, and capture otherwise.
    let unarmed = folder.path().join("unarmed.toml");
    std::fs::write(&unarmed, "base = \"brandubh\"\nking_armed = false\n").expect("written");
    let [file, unarmed] = [file, unarmed].map(|path| path.display().to_string());
    let replay = ["rules", "replay", &file, "--ruleset", &unarmed];
    let replayed = run(folder.path(), &replay);
    let said = String::from_utf8_lossy(&replayed.stdout);
    assert!(said.contains(" other captures\n"), "{said}");
}

#[test]
fn two_rulesets_of_one_name_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts: Vec<String> = ["true", "false"]
        .iter()
        .map(|armed| {
            let rules =
                format!("{{\"base\":\"brandubh\",\"name\":\"mine\",\"king_armed\":{armed}}}");
            format!("ruleset: {rules}\n1. d1-c1 d3-c3\n\n")
        })
        .collect();
    let file = folder.path().join("two.txt");
    std::fs::write(&file, texts.concat()).expect("written");
    let file = file.display().to_string();
    let said = succeeds(&run(folder.path(), &["rules", "replay", &file]));
    let told = "2 games, 4 plies under mine (2 rulesets of that name);";
    assert!(said.starts_with(told), "{said}");
}

#[test]
fn stored_games_of_two_rulesets_of_one_name_are_told() {
    let data = tempfile::tempdir().expect("a folder");
    let arena = "arena random greedy --openings 1 --max-plies 6 --bootstrap 0";
    let arena: Vec<&str> = arena.split(' ').collect();
    let files = ["true", "false"].map(|armed| {
        let folder = data.path().join(armed);
        std::fs::create_dir(&folder).expect("made");
        let text = format!("base = \"brandubh\"\nking_armed = {armed}\n");
        std::fs::write(folder.join("mine.toml"), text).expect("written");
        let ruleset = folder.join("mine.toml").display().to_string();
        let data = folder.join("data");
        let arena = [&arena[..], &["--ruleset", &ruleset]].concat();
        succeeds(&run(&data, &arena));
        let file = games(&data).into_keys().next().expect("a file");
        let file = tournament(&data).join("games").join(file);
        file.display().to_string()
    });
    let fit = |files: &[&str]| {
        let words = [&["rules", "fit", "--base", "brandubh"][..], files].concat();
        let fitted = run(data.path(), &words);
        succeeds(&fitted);
        stderr(&fitted)
    };
    let told = "Note: the games were played under more than one ruleset: mine (2 rulesets of that name).\n";
    assert_eq!(fit(&[&*files[0], &*files[1]]), told);
    assert_eq!(fit(&[&*files[0]]), "");
}

#[test]
fn a_test_stops_early_and_the_exit_code_says_what_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let sprt = |players: [&str; 2]| {
        let words = [
            "arena",
            players[0],
            players[1],
            "--ruleset",
            "brandubh",
            "--sprt",
            "0,100",
        ];
        run(
            folder.path(),
            &[&words[..], &["--json", "--bootstrap", "0"]].concat(),
        )
    };
    let accepted = sprt(["greedy", "random"]);
    assert_eq!(accepted.status.code(), Some(0), "{}", stderr(&accepted));
    let parsed: Value = serde_json::from_slice(&accepted.stdout).expect("JSON");
    assert_eq!(parsed["sprt"]["verdict"], "accept");
    assert!(parsed["sprt"]["pairs"].as_u64() < Some(60), "{parsed}");
    // Its games name their ruleset.
    let files = games(folder.path()).into_keys();
    let [file] = &files.collect::<Vec<_>>()[..] else {
        panic!("one pairing, one file");
    };
    let file = tournament(folder.path()).join("games").join(file);
    let file = file.display().to_string();
    let replayed = succeeds(&run(folder.path(), &["rules", "replay", &file]));
    assert!(replayed.contains(" plies under brandubh\n"), "{replayed}");
    let other = ["rules", "replay", &file, "--ruleset", "tablut"];
    assert_eq!(run(folder.path(), &other).status.code(), Some(1));
    let without = ["rules", "replay", "data/games/copenhagen.csv"];
    let refused = stderr(&run(folder.path(), &without));
    assert!(refused.contains("--ruleset must say what was played"));
    // The stored games answer for the other player too.
    let rejected = sprt(["random", "greedy"]);
    assert_eq!(rejected.status.code(), Some(1), "{}", stderr(&rejected));
    let parsed: Value = serde_json::from_slice(&rejected.stdout).expect("JSON");
    let players = &parsed["matches"][0]["players"];
    assert_eq!(*players, serde_json::json!(["random", "greedy"]));
    // Without a ruleset it is Copenhagen.
    let words = [
        "arena",
        "greedy",
        "random",
        "--sprt",
        "0,100",
        "--openings",
        "1",
    ];
    let tables = run(folder.path(), &words).stdout;
    let tables = String::from_utf8_lossy(&tables).into_owned();
    assert!(tables.contains("copenhagen"));
    let verdict = "SPRT undecided: greedy is 100 or 0 Elo above random";
    assert!(tables.contains(verdict), "{tables}");
    let two = ["--ruleset", "brandubh", "--ruleset", "tablut"];
    for (arguments, reason) in [
        (&["greedy", "random", "--sprt", "10,0"][..], "elo1"),
        (
            &["greedy", "random", "alphabeta:1", "--sprt", "0,10"],
            "--sprt is for two players, not 3",
        ),
        (
            &[&["greedy", "random", "--sprt", "0,10"][..], &two].concat(),
            "--sprt is for one ruleset, not 2",
        ),
    ] {
        let output = run(folder.path(), &[&["arena"], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn two_of_one_name_are_refused_with_what_gives_another() {
    let place = tempfile::tempdir().expect("a folder");
    let nets = ["one", "two"].map(|name| {
        let folder = place.path().join(name);
        write_net(&folder, "twin", &["brandubh"]);
        folder.display().to_string()
    });
    let [one, two] = &nets;
    let refused = |players: [&str; 2]| {
        let words = ["arena", players[0], players[1], "--visits", "2"];
        let output = run(place.path(), &words);
        assert_eq!(output.status.code(), Some(2));
        stderr(&output)
    };
    let networks = refused([one, two]);
    assert!(networks.contains("named \"twin 3@2\""), "{networks}");
    let other = format!("`{two}@visits=3` has another name");
    assert!(networks.contains(&other), "{networks}");
    assert!(
        networks.contains("change `run` in model.json"),
        "{networks}"
    );
    let baselines = refused(["greedy", "greedy"]);
    assert!(baselines.contains("give it once"), "{baselines}");
}

#[test]
fn a_killed_match_goes_on_with_the_games_it_has() {
    let whole = tempfile::tempdir().expect("a folder");
    let killed = tempfile::tempdir().expect("a folder");
    let words = [
        "arena",
        "rollouts:60",
        "alphabeta:1",
        "--ruleset",
        "brandubh",
    ];
    let words = [
        &words[..],
        &["--openings", "40", "--workers", "1", "--bootstrap", "0"],
    ]
    .concat();
    let expected = succeeds(&run(whole.path(), &words));

    let mut child = tafl(killed.path(), &words)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("tafl starts");
    let begun = Instant::now();
    let spooled = || -> usize {
        let Ok(arena) = std::fs::read_dir(killed.path().join("arena")) else {
            return 0;
        };
        let files = arena
            .flatten()
            .filter_map(|entry| std::fs::read_dir(entry.path().join("in-progress")).ok());
        let texts = files
            .flatten()
            .flatten()
            .filter_map(|file| std::fs::read(file.path()).ok());
        texts
            .map(|text| text.iter().filter(|&&byte| byte == b'\n').count())
            .sum()
    };
    while spooled() < 3 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("it ended");
    assert!(spooled() >= 3 || !games(killed.path()).is_empty());
    assert_eq!(succeeds(&run(killed.path(), &words)), expected);
    assert_eq!(games(killed.path()), games(whole.path()));
}

#[test]
fn games_of_other_settings_are_refused_with_a_way_out() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = data.path().join("mine").display().to_string();
    let words = ["arena", "greedy", "random", "--ruleset", "brandubh"];
    let words = [&words[..], &["--openings", "1", "--folder", &folder]].concat();
    succeeds(&run(data.path(), &words));
    let refused = run(data.path(), &[&words[..], &["--seed", "2"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let expected = format!(
        "error: {folder}/manifest.json: field `settings.seed`: played with 1, now 2\n\
         hint: all games of a tournament have the same settings; use another --folder\n"
    );
    assert_eq!(stderr(&refused), expected);
}

#[test]
fn games_that_are_lost_are_played_again_and_named() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = data.path().join("mine").display().to_string();
    let more = [
        "--ruleset",
        "brandubh",
        "--openings",
        "1",
        "--folder",
        &*folder,
    ];
    let play = |players: [&str; 2]| {
        let output = run(data.path(), &[&["arena"], &players[..], &more].concat());
        succeeds(&output);
        stderr(&output)
    };
    assert!(!play(["greedy", "random"]).contains("missing"));
    let mut games = std::fs::read_dir(data.path().join("mine/games")).expect("games");
    let game = games.next().expect("a file").expect("an entry").path();
    std::fs::remove_file(&game).expect("removed");
    let expected = format!("missing: {}; its games are played again", game.display());
    let said = play(["random", "greedy"]);
    assert!(said.contains(&expected), "{said}");
    assert!(game.is_file(), "they come back where they were");
}

#[test]
fn a_bad_file_of_openings_is_named_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.txt");
    std::fs::write(&bad, "# one\nd1-d3\nf6-f7\n").expect("written");
    let bad = bad.display().to_string();
    let output = run(
        folder.path(),
        &["arena", "greedy", "random", "--openings-file", &bad],
    );
    assert_eq!(output.status.code(), Some(2));
    let expected = format!(
        "error: {bad}: line 3: turn 1: f6-f7 is not legal for the attackers: the piece on f6 is the other side's\n"
    );
    assert_eq!(stderr(&output), expected);
}

#[test]
fn stored_games_and_lines_of_games_replay_under_their_ruleset_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["arena", "greedy", "random", "--ruleset", "fetlar"];
    succeeds(&run(
        folder.path(),
        &[&words[..], &["--openings", "3"]].concat(),
    ));
    let name = games(folder.path()).into_keys().next().expect("a match");
    let file = tournament(folder.path()).join("games").join(name);
    let lines = folder.path().join("games.csv");
    let line = "d1-d3 f8-i8,0,0,Ongoing\n";
    std::fs::write(&lines, line).expect("written");
    let replay = |path: &Path, ruleset: &str| {
        let path = path.display().to_string();
        run(
            folder.path(),
            &["rules", "replay", &path, "--ruleset", ruleset],
        )
    };
    let said = succeeds(&replay(&file, "fetlar"));
    assert!(said.starts_with("6 games, "), "{said}");
    // A page shows those of the whole folder.
    let [whole, page] = [tournament(folder.path()), folder.path().join("page.html")]
        .map(|path| path.display().to_string());
    let web = ["web", "brandubh", "--games", &whole, "--output", &page];
    let said = succeeds(&run(folder.path(), &web));
    assert!(said.starts_with("6 games of "), "{said}");
    // Under other rules they are replayed, too, which is said once.
    let said = stderr(&replay(&file, "copenhagen"));
    let other = "6 games name other rules than copenhagen, under which they are played; game 0 was played under \"fetlar\"";
    assert!(said.contains(other), "{said}");
    let said = succeeds(&replay(&lines, "fetlar"));
    assert!(said.starts_with("1 game"), "{said}");
    std::fs::write(&lines, format!("{line}d1-d3 f8-i8xi7,0,1,Ongoing\n")).expect("written");
    let output = replay(&lines, "fetlar");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    assert!(said.contains("line 2"), "{said}");
    assert!(said.contains("1 of 2 games disagree"), "{said}");
    // Several files are counted together; a byte-order mark and other spellings are no matter.
    let other = folder.path().join("other.pgn");
    std::fs::write(&other, "\u{feff}[Event \"own\"]\n1. D1d3 f8–i8 resigned\n").expect("written");
    std::fs::write(&lines, line).expect("written");
    let [lines, other, file] = [&lines, &other, &file].map(|path| path.display().to_string());
    let all = [
        "rules",
        "replay",
        &lines,
        &other,
        &file,
        "--ruleset",
        "fetlar",
    ];
    let said = succeeds(&run(folder.path(), &all));
    assert!(
        said.starts_with("2 games, 4 plies") && said.contains("\n6 games, "),
        "{said}"
    );
    assert!(
        said.contains("     1 resigned\n     1 without a result\n"),
        "{said}"
    );
    assert!(
        said.contains("counts of captures were not compared"),
        "{said}"
    );
}
