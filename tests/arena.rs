//! `tafl arena`: tournaments that are stored, added to, interrupted and replayed.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};
use support::{root, run, succeeds, tafl};

/// Runs `tafl arena` on the small board and returns what it printed as JSON.
fn standings(data: &Path, arguments: &[&str]) -> Value {
    let common = [
        "--ruleset",
        "brandubh",
        "--openings",
        "6",
        "--bootstrap",
        "50",
        "--json",
    ];
    let arguments = [&["arena"], arguments, &common].concat();
    serde_json::from_str(&succeeds(&run(data, &arguments))).expect("JSON")
}

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
fn games(data: &Path) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(tournament(data).join("games")).expect("a folder");
    let mut games: Vec<_> = files
        .map(|file| {
            let path = file.expect("readable").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(path).expect("readable"))
        })
        .collect();
    games.sort();
    games
}

#[test]
fn a_player_who_is_added_plays_only_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let two = standings(data, &["greedy", "random"]);
    assert_eq!(two["players"].as_array().map(Vec::len), Some(2));
    let before = games(data);
    assert_eq!(before.len(), 1);

    let three = standings(data, &["greedy", "random", "alphabeta:1"]);
    let after = games(data);
    assert_eq!(after.len(), 3);
    assert!(after.contains(&before[0]), "the stored match is as it was");
    let all: u64 = three["matches"]
        .as_array()
        .expect("matches")
        .iter()
        .map(match_games)
        .sum();
    assert_eq!(all, 3 * 12);
    let superiority = |row: usize, column: usize| three["superiority"][row][column].as_f64();
    assert_eq!(superiority(1, 1), Some(0.5));
    let both = superiority(0, 1).expect("a number") + superiority(1, 0).expect("a number");
    assert!((both - 1.0).abs() < 1e-9);

    // The same the other way round plays nothing and says the same.
    let again = standings(
        data,
        &["alphabeta:1", "random", "greedy", "--format", "gauntlet"],
    );
    assert_eq!(again["matches"].as_array().map(Vec::len), Some(2));
    assert_eq!(games(data), after);
}

fn match_games(row: &Value) -> u64 {
    let sides = ["attackers", "defenders"];
    let counts = ["wins", "draws", "losses", "capped"];
    let numbers = sides
        .iter()
        .flat_map(|side| counts.map(|count| row[*side][count].as_u64()));
    numbers.map(|number| number.expect("a count")).sum()
}

#[test]
fn more_openings_are_the_same_ones_and_some_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    standings(data, &["greedy", "random"]);
    let file = |data: &Path| {
        let folder = tournament(data).join("games");
        let read = |(name, _): (String, _)| tafl_dataset::read_games(&folder.join(name));
        let records = games(data).into_iter().map(read);
        records
            .flat_map(|records| records.expect("games"))
            .collect::<Vec<_>>()
    };
    let before = file(data);
    let more: Vec<&str> = "arena random greedy --ruleset brandubh --openings 9"
        .split(' ')
        .collect();
    succeeds(&run(data, &more));
    let after = file(data);
    assert_eq!((before.len(), after.len()), (12, 18));
    assert_eq!(after[..12], before);
}

#[test]
fn other_settings_other_weights_and_damage_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let place = data.join("here").display().to_string();
    let arena = |more: &[&str]| {
        let words: Vec<&str> = "arena greedy random --ruleset brandubh --openings 2"
            .split(' ')
            .collect();
        run(data, &[&words[..], &["--folder", &place], more].concat())
    };
    succeeds(&arena(&[]));
    for (more, field) in [
        (["--seed", "2"], "settings.seed`: played with 1, now 2"),
        (
            ["--max-plies", "90"],
            "settings.max_plies`: played with 400, now 90",
        ),
        (
            ["--opening-plies", "2"],
            "settings.opening_plies`: played with 4, now 2",
        ),
    ] {
        let output = arena(&more);
        assert_eq!(output.status.code(), Some(2));
        let expected = format!("error: {place}/manifest.json: field `{field}\n");
        assert!(
            stderr(&output).starts_with(&expected),
            "{}",
            stderr(&output)
        );
    }
    let file = data.join("here/manifest.json");
    let text = std::fs::read_to_string(&file).expect("readable");
    std::fs::write(
        &file,
        text.replace("\"kind\": \"greedy\"", "\"kind\": \"other\""),
    )
    .expect("written");
    let error = stderr(&arena(&[]));
    assert!(
        error.contains("field `players.greedy.kind`: played with other, now greedy"),
        "{error}"
    );
    std::fs::write(&file, text).expect("written");
    damage_is_refused(&data.join("here/games"), || arena(&[]));
}

/// Changes a byte of the stored games, then nearly all of them; each time a tournament that goes on must refuse them.
fn damage_is_refused(games: &Path, arena: impl Fn() -> Output) {
    let mut stored = std::fs::read_dir(games).expect("a folder");
    let games = stored.next().expect("a file").expect("readable").path();
    let mut bytes = std::fs::read(&games).expect("readable");
    bytes[9] ^= 1;
    for (bytes, reason) in [
        (&bytes[..], "its checksum differs from the manifest's"),
        (b"PAR1", "4 bytes instead of"),
    ] {
        std::fs::write(&games, bytes).expect("written");
        let error = stderr(&arena());
        assert!(error.contains(reason), "{error}");
    }
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
    // The stored games answer for the other player too.
    let rejected = sprt(["random", "greedy"]);
    assert_eq!(rejected.status.code(), Some(1), "{}", stderr(&rejected));
    for (arguments, reason) in [
        (&["greedy", "random", "--sprt", "10,0"][..], "elo1"),
        (
            &["greedy", "random", "alphabeta:1", "--sprt", "0,10"],
            "--sprt is for two players, not 3",
        ),
    ] {
        let output = run(folder.path(), &[&["arena"], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn a_killed_match_goes_on_with_the_games_it_has() {
    let whole = tempfile::tempdir().expect("a folder");
    let killed = tempfile::tempdir().expect("a folder");
    let words: Vec<&str> = "arena rollouts:60 alphabeta:1 --ruleset brandubh"
        .split(' ')
        .collect();
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
fn stored_games_replay_and_matches_of_two_sets_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let openings = root()
        .join("data/openings/copenhagen.txt")
        .display()
        .to_string();
    let words: Vec<&str> = "arena alphabeta:1 greedy --ruleset copenhagen-tournament"
        .split(' ')
        .collect();
    let more = [
        "--ruleset",
        "fetlar",
        "--openings",
        "3",
        "--openings-file",
        &openings,
        "--json",
    ];
    let output = run(folder.path(), &[&words[..], &more].concat());
    let found: Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
    assert_eq!(found["rulesets"].as_array().map(Vec::len), Some(2));
    let sets = &found["matches"][0]["sets"]["tally"];
    let counted: u64 = ["wins", "draws", "losses", "undecided"]
        .iter()
        .map(|count| sets[*count].as_u64().expect("a count"))
        .sum();
    assert_eq!(counted, 3);
    assert!(found["matches"][1]["sets"].is_null());
    for (name, _) in games(folder.path()) {
        let file = tournament(folder.path())
            .join("games")
            .join(&name)
            .display()
            .to_string();
        let ruleset = if name.contains("fetlar") {
            "fetlar"
        } else {
            "copenhagen-tournament"
        };
        let said = succeeds(&run(
            folder.path(),
            &["rules", "replay", &file, "--ruleset", ruleset],
        ));
        assert!(said.starts_with("6 games, "), "{said}");
        let other = run(
            folder.path(),
            &["rules", "replay", &file, "--ruleset", "copenhagen"],
        );
        assert_eq!(other.status.code(), Some(1));
    }
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
    let expected = format!("error: {bad}: line 3: turn 1: f6-f7 is not legal for the attackers\n");
    assert_eq!(stderr(&output), expected);
}
