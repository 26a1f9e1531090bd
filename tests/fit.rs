//! `tafl rules fit`: what it prints and writes, and what it refuses.

use crate::support::{only_file, run, succeeds};
use std::path::Path;
use tafl_rules::{RankOrder, Repetition, Rules};
use tafl_training::load_ruleset_file;

/// The king goes to an edge, once by resignation of the attackers, in two types of an archive.
fn archive(folder: &Path) -> String {
    let moves = "d6-c6 d5-e5 f4-f5 d3-c3 b4-b5 d4-d5 b5-b6 d5-c5 f5-f6 c5-a5";
    let line = |kind: u32, end: &str| {
        format!(
            "{{\"type\": {kind}, \"winner\": \"defenders\", \"end\": \"{end}\", \"moves\": \"{moves}\", \
             \"attackers_lost\": 0, \"defenders_lost\": null}}\n"
        )
    };
    let text = line(7, "resigned") + &line(51, "played") + &line(51, "resigned");
    write(folder, "games.jsonl", &text)
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("written");
    file.display().to_string()
}

#[test]
fn the_ruleset_found_is_a_file_that_is_read_again() {
    let place = tempfile::tempdir().expect("a folder");
    let games = "data/games/copenhagen.csv";
    let fit = ["rules", "fit", games, "--base", "copenhagen"];
    let said = succeeds(&run(place.path(), &fit));
    assert!(said.starts_with("# copenhagen: "), "{said}");
    let file = write(place.path(), "printed.toml", &said);
    let rules = load_ruleset_file(Path::new(&file)).expect("a ruleset");
    let base = Rules::preset("copenhagen").expect("a preset");
    assert_eq!(rules.ruleset().escape, base.ruleset().escape);
    assert!(said.contains("#   escape = edges: "), "{said}");
    let out = place.path().join("mine.toml").display().to_string();
    let games = archive(place.path());
    let fit = ["rules", "fit", &games, "--base", "brandubh", "--out", &out];
    let said = succeeds(&run(place.path(), &[&fit[..], &["--type", "51"]].concat()));
    assert!(
        said.contains("found: brandubh with escape = edges\n"),
        "{said}"
    );
    assert!(said.contains("2 of 2 (100.0 %) replay"), "{said}");
    let rules = load_ruleset_file(Path::new(&out)).expect("a ruleset");
    // Nor does it write what would not be read: this name at once, that of the base for what was found.
    for name in ["tablut", "brandubh"] {
        let out = place.path().join(name).with_extension("toml");
        let out = out.display().to_string();
        let fit = ["rules", "fit", &games, "--base", "brandubh", "--out", &out];
        let output = run(place.path(), &[&fit[..], &["--type", "51"]].concat());
        let expected = format!("error: {out}: {name:?} is the name of a shipped ruleset, ");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with(&expected), "{said}");
        assert!(!Path::new(&out).exists());
    }
    let fit_nowhere = [
        "rules", "fit", &games, "--base", "brandubh", "--out", "mine",
    ];
    let said = run(place.path(), &fit_nowhere).stderr;
    let expected = "error: mine: the name of a ruleset file ends in .toml\n";
    assert_eq!(String::from_utf8_lossy(&said), expected);
    let out_of_words = place.path().join("my rules.toml").display().to_string();
    let fit_there = [
        "rules",
        "fit",
        &games,
        "--base",
        "brandubh",
        "--out",
        &out_of_words,
    ];
    let said = run(place.path(), &fit_there).stderr;
    let expected = format!(
        "error: {out_of_words}: the ruleset is called as the file: \"my rules\" is not made of "
    );
    assert!(String::from_utf8_lossy(&said).starts_with(&expected));
    assert_eq!(rules.ruleset().name, "mine");
    assert_eq!(rules.ruleset().repetition, Repetition::Draw);
    // The same again is the same; what was changed since stays.
    let again = || run(place.path(), &[&fit[..], &["--type", "51"]].concat());
    succeeds(&again());
    let changed = std::fs::read_to_string(&out).expect("a text") + "# mine\n";
    std::fs::write(&out, &changed).expect("written");
    let said = again().stderr;
    let expected = format!("error: {out}: is already there, with other rules; ");
    assert!(String::from_utf8_lossy(&said).starts_with(&expected));
    assert_eq!(std::fs::read_to_string(&out).expect("a text"), changed);
}

#[test]
fn games_of_several_files_are_told_by_file_and_number() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("tournament");
    let arena = "arena greedy random --ruleset brandubh --openings 1 --bootstrap 0 --folder";
    let mut arena: Vec<&str> = arena.split(' ').collect();
    let shown = folder.display().to_string();
    arena.push(&shown);
    succeeds(&run(place.path(), &arena));
    let stored = only_file(&folder.join("games")).display().to_string();
    let moves = "d6-c6 d5-e5 f4-f5 d3-c3 b4-b5 d4-d5 b5-b6 d5-c5 f5-f6,0,0,Ongoing\n";
    let text = write(place.path(), "games.csv", moves);
    for (files, first) in [
        ([&stored, &text], format!("{stored}: game 0: ply 1: ")),
        ([&text, &stored], format!("{text}: line 1: ply 1: ")),
    ] {
        let [one, other] = files.map(String::as_str);
        let fit = ["rules", "fit", one, other, "--base", "brandubh"];
        let output = run(place.path(), &fit);
        let said = succeeds(&output);
        let expected = format!("moves_first = defenders: 3 against it, 0 for it of 3; {first}");
        assert!(said.contains(&expected), "{expected}: {said}");
        assert!(output.stderr.is_empty(), "no progress where nobody looks");
    }
}

#[test]
fn tables_of_people_replace_none_but_their_own() {
    let place = tempfile::tempdir().expect("a folder");
    let moves = "d6-c6 d5-e5 f4-f5 d3-c3 b4-b5 d4-d5 b5-b6 d5-c5 f5-f6 c5-a5";
    let game = format!(
        r#"{{"type": 51, "name": "Brandubh", "winner": "defenders", "end": "played", "attackers": 1, "defenders": 2, "attackers_rating": null, "defenders_rating": null, "moves": "{moves}"}}"#
    );
    let games = write(place.path(), "people.jsonl", &(game + "\n").repeat(100));
    let folder = place.path().display().to_string();
    let people = ["balance", "people", &games, "--folder", &folder];
    for _ in 0..2 {
        succeeds(&run(place.path(), &people));
    }
    let file = place.path().join("strength.csv");
    std::fs::write(&file, "my list").expect("written");
    let said = run(place.path(), &people).stderr;
    let expected = format!("error: {}: a file of another kind is there", file.display());
    assert!(String::from_utf8_lossy(&said).starts_with(&expected));
    assert_eq!(std::fs::read(&file).expect("bytes"), b"my list");
}

#[test]
fn games_of_two_rulesets_are_told_apart() {
    let place = tempfile::tempdir().expect("a folder");
    let moves = "d6-c6 d5-e5 f4-f5 d3-c3 b4-b5 d4-d5 b5-b6 d5-c5 f5-f6 c5-a5";
    let ends = format!("{moves},0,0,White\n").repeat(5);
    let goes_on = format!("{moves} f6-f5,0,0,Ongoing\n").repeat(2);
    let games = write(place.path(), "games.csv", &(ends + &goes_on));
    let fit = ["rules", "fit", &games, "--base", "brandubh"];
    let said = succeeds(&run(place.path(), &fit));
    let expected = "# no single ruleset explains these games: 2 of the 2 that do not replay do so with escape = corners: line 6, line 7\n";
    assert!(
        said.contains("found: brandubh with escape = edges\n"),
        "{said}"
    );
    assert!(said.contains(expected), "{said}");
}

#[test]
fn games_that_name_another_ruleset_are_told() {
    let place = tempfile::tempdir().expect("a folder");
    let games = write(place.path(), "games.txt", "ruleset: foo\nd6-c6 d5-e5\n");
    let output = run(
        place.path(),
        &["rules", "fit", &games, "--base", "brandubh"],
    );
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    succeeds(&output);
    let note =
        "Note: line 2: the game names \"foo\" as its ruleset; it is played under brandubh.\n";
    assert_eq!(said, note);
}

#[test]
fn games_from_another_start_bring_it_where_all_have_it() {
    let place = tempfile::tempdir().expect("a folder");
    let start = "3t3/3t3/3T3/ttTKTt1/3T3/3t3/3t3";
    let game = |start: &str| format!("position: {start} a\nd1-c1 d3-c3 c1-d1 Black\n\n");
    let games = write(place.path(), "one.txt", &game(start).repeat(2));
    let out = place.path().join("mine.toml").display().to_string();
    let fit = ["rules", "fit", &games, "--base", "brandubh", "--out", &out];
    let said = succeeds(&run(place.path(), &fit));
    let begin = "brandubh from the start of the games: 2 of 2 (100.0 %) replay";
    assert!(said.starts_with(begin), "{said}");
    assert!(
        said.contains(&format!("found: brandubh with start = {start}")),
        "{said}"
    );
    let rules = load_ruleset_file(Path::new(&out)).expect("a ruleset");
    assert_eq!(
        rules.ruleset().start.to_text(RankOrder::HighestFirst),
        start
    );
    // What the fields of the base have no place for, and who moves first there.
    let text = "base = \"brandubh\"\nthrone = false\nmoves_first = \"defenders\"\nstart = \"3t3/3t3/3K3/ttTTTtt/3T3/3t3/3t3\"\n";
    let own = write(place.path(), "own.toml", text);
    let arena = [
        "arena",
        "greedy",
        "random",
        "--ruleset",
        &own,
        "--openings",
        "3",
        "--folder",
    ];
    let folder = place.path().join("games");
    let name = folder.display().to_string();
    succeeds(&run(place.path(), &[&arena[..], &[&name]].concat()));
    let stored = only_file(&folder.join("games")).display().to_string();
    let out = place.path().join("stored.toml").display().to_string();
    let fit = ["rules", "fit", &stored, "--base", "brandubh", "--out", &out];
    succeeds(&run(place.path(), &fit));
    let [found, own] = [&out, &own].map(|it| load_ruleset_file(Path::new(it)).expect("a ruleset"));
    let [found, own] = [&found, &own].map(|it| it.ruleset());
    assert_eq!(
        (&found.start, found.moves_first),
        (&own.start, own.moves_first)
    );
    let usual = game("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3");
    let games = write(place.path(), "two.txt", &(game(start) + &usual));
    let said = succeeds(&run(
        place.path(),
        &["rules", "fit", &games, "--base", "brandubh"],
    ));
    let told = "# 1 of 2 games begin elsewhere; the start position is that of brandubh\n";
    assert!(said.contains(told), "{said}");
}

#[test]
fn what_is_no_archive_and_no_game_is_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let games = archive(place.path());
    let begun = write(place.path(), "begun.jsonl", "{\"type\": 3}\n");
    let empty = write(place.path(), "empty.csv", "\n");
    let words = write(place.path(), "words.csv", "d1-d3 ha,0,0,Draw\n");
    let ties = std::fs::read_to_string(&games).expect("written");
    let ties = write(
        place.path(),
        "ties.jsonl",
        &ties.replace("played", "adjudicated"),
    );
    let large = write(place.path(), "large.csv", "d1-d3 a8-b8 g1-g3,0,0,Draw\n");
    for (file, kind, expected) in [
        (
            &large,
            None,
            "no game replays under brandubh with other values of its fields; is it their board and start position? line 1: ply 1: ",
        ),
        (&games, None, "--type must say which games; there are 7, 51"),
        (&games, Some("8"), "no games of type 8; there are 7, 51"),
        (
            &ties,
            Some("51"),
            "line 2: field `end`: \"adjudicated\" is not played, resigned or timeout",
        ),
        (&begun, None, "line 1: missing field `moves`"),
        (&empty, None, "no games with moves"),
        (
            &words,
            None,
            "line 1: field `plies`: number 2: \"ha\" is not a move",
        ),
        (
            &words,
            Some("3"),
            "--type is for files of objects a line, and these are lines of games",
        ),
    ] {
        let mut arguments = vec!["rules", "fit", file, "--base", "brandubh"];
        arguments.extend(kind.iter().flat_map(|kind| ["--type", kind]));
        let output = run(place.path(), &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = format!("error: {file}: {expected}");
        assert!(said.starts_with(&expected), "{expected}: {said}");
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1));
    }
}
