//! `tafl analyze`: positions and games, as text, JSON and drawings; networks that are found by their ruleset.

use crate::support::nets::{write_config, write_net};
use crate::support::{only_file, run, succeeds, tafl};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

/// A folder of data with a small network of brandubh.
struct Place {
    folder: tempfile::TempDir,
    config: String,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        write_net(&folder.path().join("nets/tiny"), "tiny", &["brandubh"]);
        let config = write_config(folder.path());
        Self { folder, config }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn output(&self, arguments: &[&str]) -> Output {
        let common = ["--search", &self.config, "--visits", "16"];
        run(
            self.folder.path(),
            &[&["analyze"], arguments, &common].concat(),
        )
    }

    fn text(&self, arguments: &[&str]) -> String {
        succeeds(&self.output(&[arguments, &["--ruleset", "brandubh"]].concat()))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let text = self.text(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).expect("JSON")
    }
}

#[test]
fn a_position_is_told_with_its_best_lines() {
    let place = Place::new();
    let report = place.json(&["start", "--lines", "3"]);
    assert_eq!(report["checkpoint"], "tiny 3");
    assert_eq!(report["precision"], "f32");
    assert_eq!(report["side_to_move"], "attackers");
    assert_eq!(report["visits_made"], 16);
    let lines = report["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 3);
    for line in lines {
        let value = line["value_attackers"].as_f64().expect("a value");
        let chances = &line["chances_of_side_to_move"];
        let difference =
            chances["win"].as_f64().expect("it") - chances["loss"].as_f64().expect("it");
        assert!((value - difference).abs() < 1e-6, "{line}");
        assert!(line["visits"].as_u64() > Some(0));
    }
    let text = place.text(&["start"]);
    assert!(
        text.starts_with("brandubh, attackers to move; 16 visits by tiny 3\n"),
        "{text}"
    );
    let best = lines[0]["moves"][0].as_str().expect("a move");
    assert!(text.lines().any(|line| line.contains(best)), "{text}");
}

#[test]
fn a_position_is_drawn_with_arrows_of_its_best_moves() {
    let place = Place::new();
    let file = place.path("start.svg").display().to_string();
    let report = place.json(&["start", "--lines", "3", "--svg", &file]);
    let drawing = std::fs::read_to_string(&file).expect("a drawing");
    let (_, arrows) = drawing.split_once(" Arrows: ").expect("arrows");
    for line in report["lines"].as_array().expect("lines") {
        let mv = line["moves"][0].as_str().expect("a move");
        assert!(arrows.contains(&format!("{mv} (")), "{mv}: {arrows}");
    }
    assert_eq!(drawing.matches("z\" fill=\"#1565c0\"").count(), 3);
    let game = place.output(&["d6-c6 d4-d4", "--svg", &file]);
    assert!(!game.status.success());
    // A drawing replaces a drawing alone.
    let card = place.path("model.svg");
    std::fs::write(&card, "{}").expect("written");
    let refused = place.output(&["start", "--svg", &card.display().to_string()]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(std::fs::read(&card).expect("readable"), b"{}");
}

#[test]
fn values_are_the_attackers_whoever_moves_and_a_win_is_certain() {
    let place = Place::new();
    // The king walks into a corner.
    let report = place.json(&["3K3/7/7/7/7/tt5/7 defenders"]);
    assert_eq!(report["value_attackers"], -1.0);
    assert_eq!(report["chances_of_side_to_move"]["win"], 1.0);
    assert_eq!(report["certain"]["result"], "defenders");
    assert_eq!(report["certain"]["plies"], 1);
    assert!(
        place
            .text(&["3k3/7/7/7/7/aa5/7 - d 0 0"])
            .contains("certain: defenders win in 1 ply\n")
    );
}

#[test]
fn the_board_of_a_position_chooses_the_ruleset_if_nothing_else_does() {
    let place = Place::new();
    let position = "3k3/7/7/7/7/aa5/7 - d 0 0";
    let text = succeeds(&place.output(&[position]));
    assert!(text.starts_with("brandubh, defenders to move"), "{text}");
    let copenhagen = refused(&place.output(&[position, "--ruleset", "copenhagen"]));
    assert!(copenhagen.contains("error: position: "), "{copenhagen}");
}

/// A game in which the defenders miss the way to a corner, and the attackers then let them have it.
fn game(place: &Place) -> (PathBuf, usize) {
    let path = place.path("game.txt");
    std::fs::write(&path, "# two games\nd6-c6 d4-d4\nd6-c6 d5-c5 c6-a6 c5-c7\n").expect("writable");
    (path, 4)
}

#[test]
fn a_game_is_followed_ply_by_ply() {
    let place = Place::new();
    let (path, plies) = game(&place);
    let file = path.display().to_string();
    let report = place.json(&[&file, "--game", "2", "--drops", "2"]);
    let rows = report["plies"].as_array().expect("plies");
    assert_eq!(rows.len(), plies);
    let number = |value: &Value| value.as_f64().expect("a number");
    for (row, next) in rows.iter().zip(rows.iter().skip(1)) {
        assert_eq!(row["value_attackers_after"], next["value_attackers"]);
    }
    for row in rows {
        let drop = number(&row["drop"]);
        assert!((0.0..=2.0).contains(&drop), "{row}");
        assert!(drop == 0.0 || row["best"][0] != row["move"], "{row}");
    }
    let drops = report["drops"].as_array().expect("drops");
    assert!(drops.len() <= 2);
    let drop_of = |ply: &Value| number(&rows[ply.as_u64().expect("a ply") as usize - 1]["drop"]);
    let worst = rows
        .iter()
        .map(|row| number(&row["drop"]))
        .fold(0.0, f64::max);
    assert!(drops.is_empty() || (drop_of(&drops[0]) - worst).abs() < 1e-9);
    let text = place.text(&["d6-c6 d5-c5"]);
    assert!(
        text.starts_with("game\nbrandubh; 16 visits a ply by tiny 3."),
        "{text}"
    );
}

#[test]
fn a_blunder_that_the_search_hardly_looked_at_is_found() {
    let place = Place::new();
    // A proof ends the search before ply 6 early; the king then steps where he is captured.
    let report = place.json(&["d1-f1 d3-a3 d2-e2 d4-d3 b4-b2 d3-d2 b2-c2"]);
    assert_eq!(report["drops"][0], 6, "{report}");
    assert_eq!(report["plies"][5]["drop"], 2.0, "{report}");
}

#[test]
fn a_game_of_a_parquet_file_is_chosen_by_its_number() {
    let place = Place::new();
    let arena: Vec<&str> = "arena greedy random --ruleset brandubh --openings 1"
        .split(' ')
        .collect();
    let folder = place.text_of("tournament");
    succeeds(&run(
        place.folder.path(),
        &[&arena[..], &["--folder", &folder, "--bootstrap", "0"]].concat(),
    ));
    let file = only_file(&place.path("tournament/games"));
    let file = file.display().to_string();
    // The ruleset is the record's.
    let report = succeeds(&place.output(&[&file, "--game", "1", "--json"]));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["ruleset"], "brandubh");
    assert!(
        report["title"]
            .as_str()
            .is_some_and(|title| title.starts_with("game 1: "))
    );
    let outcome = report["outcome"].as_str().unwrap_or("unfinished");
    let last = report["last_value_attackers"].as_f64().expect("a value");
    let expected = match outcome.split_whitespace().next() {
        Some("attackers") => 1.0,
        Some("defenders") => -1.0,
        _ => last,
    };
    assert_eq!(last, expected, "{outcome}");
    let fault = |arguments: &[&str]| refused(&place.output(arguments));
    let broken = place.text_of("broken.parquet");
    std::fs::write(&broken, "no games").expect("writable");
    let said = fault(&[&broken]);
    assert_eq!(said.matches("broken.parquet").count(), 1, "{said}");
    assert!(
        fault(&[&file]).contains("it contains 2 games; choose one with --game ID (such as 0, 1)")
    );
    assert!(fault(&[&file, "--game", "7"]).contains("it contains no game 7 ("));
    let other = fault(&[&file, "--game", "1", "--ruleset", "tablut"]);
    assert!(other.contains("was played under \"brandubh\""), "{other}");
    assert!(other.contains("`start` (there "), "{other}");
    // A name alone is no difference.
    let same = place.text_of("same.toml");
    std::fs::write(&same, "base = \"brandubh\"\n").expect("writable");
    let replay = ["rules", "replay", &file, "--ruleset", &same];
    succeeds(&run(place.folder.path(), &replay));
}

impl Place {
    fn text_of(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
}

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_no_position_and_no_game_is_refused() {
    let place = Place::new();
    let fault = |arguments: &[&str]| {
        refused(&place.output(&[arguments, &["--ruleset", "brandubh"]].concat()))
    };
    assert!(
        fault(&["nonsense"]).contains("\"nonsense\" is neither a position nor a game nor a file")
    );
    assert!(
        fault(&["games/none.txt"])
            .contains("error: reading games/none.txt: no such file or folder")
    );
    assert!(fault(&["games/none"]).contains("error: reading games/none: no such file or folder"));
    assert!(fault(&[&place.text_of("nets")]).contains("nets: a folder; name a file in it"));
    assert!(fault(&["d6-c6 d9-d8"]).contains("ply 2: d9-d8 is not legal for the defenders"));
    assert!(fault(&["3t3/7/7/7/7/7/7"]).contains("0 kings"));
    assert!(fault(&["start", "--game", "1"]).contains("not a file of games"));
    let (path, _) = game(&place);
    let file = path.display().to_string();
    assert!(fault(&[&file]).contains("it contains 2 games; choose one by its number"));
    assert!(fault(&[&file, "--game", "1"]).contains("line 2"));
    assert!(fault(&["3t3/7/7/3KK2/7/7/7"]).contains("2 kings"));
    let tags = place.text_of("tags.pgn");
    std::fs::write(&tags, "[Event \"a\"]\n\n*\n").expect("writable");
    assert!(fault(&[&tags]).contains("line 1: there is no move in it"));
}

#[test]
fn of_several_networks_the_one_that_learned_most_is_taken() {
    let place = Place::new();
    write_net(
        &place.path("nets/all"),
        "all",
        &["copenhagen", "fetlar", "berserk-2024"],
    );
    write_net(&place.path("nets/berserk"), "berserk", &["berserk-2024"]);
    let checkpoint = |ruleset: &str| {
        let output = place.output(&["start", "--ruleset", ruleset, "--json"]);
        let report: Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
        report["checkpoint"].as_str().expect("a name").to_owned()
    };
    assert_eq!(checkpoint("berserk-2024"), "all 3");
    assert_eq!(checkpoint("fetlar"), "all 3");
    assert_eq!(checkpoint("brandubh"), "tiny 3");
    let none = refused(&place.output(&["start", "--ruleset", "simple-tafl"]));
    assert!(
        none.contains("no network of data/nets learned ruleset simple-tafl"),
        "{none}"
    );
    assert!(
        none.contains("all (copenhagen, fetlar, berserk-2024), ")
            && none.contains(", tiny (brandubh)"),
        "{none}"
    );
    assert!(
        none.contains("--checkpoint NET takes one of other rules"),
        "{none}"
    );
    assert!(none.contains("play --against alphabeta:3"), "{none}");
}

#[test]
fn a_network_that_has_not_learned_the_ruleset_says_so() {
    let place = Place::new();
    let net = place.path("nets/both");
    write_net(&net, "both", &["copenhagen", "fetlar"]);
    let net = net.to_str().expect("text");
    let warned = |arguments: &[&str]| {
        let output = run(place.folder.path(), arguments);
        succeeds(&output);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let warnings = said
            .lines()
            .filter(|line| line.starts_with("warning: both 3 has not"));
        warnings.map(str::to_owned).collect::<Vec<_>>()
    };
    let analyze = ["analyze", "start", "--visits", "2", "--checkpoint", net];
    let expected = "warning: both 3 has not learned berserk-2024; its values mean little there, and int8 may be far from f32";
    let with = |ruleset| [&analyze[..], &["--ruleset", ruleset]].concat();
    assert_eq!(warned(&with("berserk-2024")), [expected]);
    assert!(warned(&with("fetlar")).is_empty());
    let arena = [
        "arena",
        net,
        "random",
        "--openings",
        "1",
        "--visits",
        "2",
        "--max-plies",
        "20",
    ];
    let rulesets = ["--ruleset", "fetlar", "--ruleset", "berserk-2024"];
    assert_eq!(warned(&[&arena[..], &rulesets].concat()), [expected]);
}

#[test]
fn hints_in_play_say_what_was_looked_at_most() {
    let place = Place::new();
    let play = ["play", "--ruleset", "brandubh", "--side", "attackers"];
    let search = ["--search", &place.config, "--visits", "16"];
    let mut child = tafl(place.folder.path(), &[&play[..], &search].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"hint\n").expect("written");
    drop(stdin);
    let text = succeeds(&child.wait_with_output().expect("it ends"));
    let visits = |line: &str| {
        let (before, _) = line.split_once(" visits, wins ")?;
        before.split_whitespace().last()?.parse::<u32>().ok()
    };
    let visits: Vec<u32> = text.lines().filter_map(visits).collect();
    assert!(
        visits.len() >= 2 && visits.is_sorted_by(|one, other| one >= other),
        "{text}"
    );
}

#[test]
fn a_network_says_in_play_that_it_has_not_learned_the_ruleset() {
    let place = Place::new();
    let file = place.text_of("mine.toml");
    std::fs::write(&file, "base = \"brandubh\"\nking_armed = false\n").expect("writable");
    let checkpoint = place.text_of("nets/tiny");
    let said = |ruleset: &str| {
        let play = ["play", "--against", &checkpoint, "--ruleset", ruleset];
        succeeds(&run(place.folder.path(), &play))
    };
    let note = format!("Note: {checkpoint} has not learned this ruleset.\n");
    let [mine, own] = [&file, "brandubh"].map(|ruleset| said(ruleset).contains(&note));
    assert!(mine && !own, "{}", said(&file));
}

#[test]
fn a_table_says_what_visits_in_names_are() {
    let place = Place::new();
    let network = place.text_of("nets/tiny");
    let told = |player: &str| {
        let arena = ["arena", player, "random", "--ruleset", "brandubh"];
        let little = ["--openings", "1", "--bootstrap", "0", "--max-plies", "30"];
        let words = [&arena[..], &little, &["--search", &place.config]].concat();
        let said = succeeds(&run(place.folder.path(), &words));
        said.contains("\nNAME@VISITS is a player with so many visits a move.\n")
    };
    assert!(told(&format!("{network}@visits=2")));
    assert!(!told("greedy"));
}

/// Networks that lie apart from their runs have their config beside them.
#[test]
fn a_network_searches_by_the_config_beside_it() {
    let place = Place::new();
    let quickstart = std::fs::read_to_string(&place.config).expect("readable");
    let (others, arena) = quickstart.split_at(quickstart.find("[arena]").expect("a section"));
    assert!(arena.contains("\nvisits = 32\n"), "{arena}");
    let arena = arena.replace("\nvisits = 32\n", "\nvisits = 7\n");
    let beside = place.path("nets/tiny/run.toml");
    std::fs::write(&beside, others.to_owned() + &arena).expect("writable");
    let analyze = ["analyze", "start", "--ruleset", "brandubh"];
    let output = run(place.folder.path(), &[&analyze[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
    assert_eq!(report["visits_made"], 7);
    std::fs::write(&beside, "name = 7\n").expect("writable");
    let fault = refused(&run(place.folder.path(), &analyze));
    assert!(
        fault.contains("run.toml") && fault.contains("hint: use --search"),
        "{fault}"
    );
}

#[test]
fn a_game_that_went_on_after_an_end_is_analyzed_to_its_own() {
    let place = Place::new();
    let round = "d6-f6 d5-f5 f6-d6 f5-d5 ";
    let game = format!("ruleset: brandubh\n{}", round.repeat(3));
    let output = place.output(&[&game, "--json"]);
    let report: Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("Note: ply 9: d6-f6 comes after the end"),
        "{said}"
    );
    assert!(!said.contains("has not learned"), "{said}");
    let [ruleset, plies] = [&report["ruleset"], &report["plies"]];
    assert_eq!(
        (ruleset, plies.as_array().map(Vec::len)),
        (&Value::from("brandubh"), Some(12))
    );
    // What ended it is no rule that a site would leave out: no ruleset file takes what follows.
    let escaped = "ruleset: brandubh\nposition: 3t3/7/7/K6/7/7/7 defenders\na4-a7 d7-d6";
    let said = String::from_utf8_lossy(&place.output(&[escaped]).stderr).into_owned();
    assert!(said.contains("comes after the end"), "{said}");
    assert!(!said.contains("hint: "), "{said}");
}

#[test]
fn configs_beside_the_shipped_networks_are_those_of_their_runs() {
    let nets = crate::support::root().join("data/nets");
    let cards = std::fs::read_dir(&nets).expect("a folder");
    let folders = cards.map(|entry| entry.expect("readable").path());
    let folders: Vec<PathBuf> = folders
        .filter(|folder| folder.join("model.json").is_file())
        .collect();
    assert!(folders.len() >= 4, "{folders:?}");
    for folder in folders {
        let path = folder.join("run.toml");
        let card = tafl_network::load_card(&folder).expect("a card");
        let loaded = tafl_training::load(&path, &[]).expect("a sound config");
        let (config, path) = (loaded.config, path.display());
        assert_eq!(card.architecture.network, config.network, "{path}");
        assert_eq!(card.provenance.run, config.name, "{path}");
        assert_eq!(card.provenance.seed, config.seed, "{path}");
        let rulesets = card.provenance.rulesets.into_iter();
        let names: Vec<String> = rulesets.map(|ruleset| ruleset.name).collect();
        assert_eq!(names, config.rulesets, "{path}");
    }
}

#[test]
fn of_the_config_of_another_version_one_fault_is_named_and_what_to_do() {
    let place = Place::new();
    let config = place.path("nets/tiny/run.toml");
    std::fs::write(&config, "[search]\nlucky = 1\nwin_early = true\n").expect("writable");
    let analyze = ["analyze", "start", "--ruleset", "brandubh"];
    let refused = run(place.folder.path(), &analyze);
    let said = String::from_utf8_lossy(&refused.stderr);
    let [error, hint] = said.lines().collect::<Vec<_>>()[..] else {
        panic!("two lines: {said}");
    };
    let fault = "line 2: field `search.lucky`: unknown field, and 1 more";
    assert!(error.ends_with(fault), "{said}");
    assert!(hint.starts_with("hint: use --search CONFIG"), "{said}");
    assert_eq!(refused.status.code(), Some(2));
}
