//! `tafl engine` and `tafl arena --engine`: our engine against itself in both protocols, and engines that fail.
#![cfg(unix)]

use crate::support::nets::{write_config, write_net};
use crate::support::{run, succeeds, tafl};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use tafl_dataset::read_games;
use tafl_rules::Side;
use tafl_samples::EndingReason;

/// Returns the games of the only match in a tournament's folder.
fn games(folder: &Path) -> Vec<tafl_samples::GameRecord> {
    let files = std::fs::read_dir(folder.join("games")).expect("a folder");
    let paths = files.map(|file| file.expect("readable").path());
    paths
        .flat_map(|path| read_games(&path).expect("games"))
        .collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the command line of our own engine.
fn own(net: &Path, config: &str, protocol: &str) -> String {
    let binary = env!("CARGO_BIN_EXE_tafl");
    let net = net.display();
    format!("{binary} engine --checkpoint {net} --search {config} --visits 2 --protocol {protocol}")
}

#[test]
fn our_engine_plays_itself_in_both_protocols_under_every_ruleset() {
    let folder = tempfile::tempdir().expect("a folder");
    let boards: [&[&str]; 3] = [
        &[
            "copenhagen",
            "copenhagen-tournament",
            "fetlar",
            "berserk-2017",
            "berserk-2024",
        ],
        &["tablut"],
        &["brandubh"],
    ];
    let config = write_config(folder.path());
    for rulesets in boards {
        let net = folder.path().join(format!("net-{}", rulesets[0]));
        write_net(&net, "tiny", rulesets);
        let place = folder.path().join(format!("games-{}", rulesets[0]));
        let place_text = place.display().to_string();
        let (uci, htp) = (own(&net, &config, "uci"), own(&net, &config, "htp"));
        let mut arguments = vec!["arena", "--engine", &uci, "--engine", &htp];
        arguments.extend(["--protocol", "uci", "--protocol", "htp"]);
        arguments.extend([
            "--engine-limit",
            "nodes=2",
            "--engine-name",
            "uci",
            "--engine-name",
            "htp",
        ]);
        arguments.extend([
            "--openings",
            "1",
            "--opening-plies",
            "6",
            "--max-plies",
            "5000",
        ]);
        arguments.extend([
            "--workers",
            "2",
            "--bootstrap",
            "0",
            "--folder",
            &place_text,
        ]);
        rulesets
            .iter()
            .for_each(|name| arguments.extend(["--ruleset", name]));
        succeeds(&run(folder.path(), &arguments));
        let games = games(&place);
        assert_eq!(games.len(), 2 * rulesets.len());
        for game in games {
            let is_by_rule = matches!(game.ending.reason, EndingReason::Rule(_));
            assert!(is_by_rule, "{}: {}", game.ruleset, game.ending);
        }
    }
}

/// Writes a UCI engine as a shell script that does something at `go`; returns its command line.
fn script(folder: &Path, name: &str, at_go: &str) -> String {
    let path = folder.join(name);
    let text = format!(
        "while read line; do case \"$line\" in \
         uci) echo 'id name {name}'; echo uciok;; isready) echo readyok;; go*) {at_go};; quit) exit;; esac; done\n"
    );
    std::fs::write(&path, text).expect("writable");
    format!("sh {}", path.display())
}

/// Lets an engine play the greedy player, two games; returns the standings.
fn against_greedy(folder: &Path, engine: &str, more: &[&str]) -> Output {
    let place = folder.join("tournament").display().to_string();
    let mut arguments = vec!["arena", "greedy", "--engine", engine, "--protocol", "uci"];
    arguments.extend([
        "--ruleset",
        "brandubh",
        "--openings",
        "1",
        "--bootstrap",
        "0",
        "--json",
    ]);
    arguments.extend(["--folder", &place, "--workers", "1"]);
    arguments.extend(more);
    run(folder, &arguments)
}

#[test]
fn an_engine_that_fails_loses_the_game_and_the_reason_is_kept() {
    let cases = [
        ("crash", "echo no memory >&2; exit 3"),
        ("illegal-move", "echo bestmove a1a2"),
        ("illegal-move", "echo bestmove up"),
        ("timeout", "true"),
        ("resignation", "echo bestmove resign"),
        (
            "refusal",
            "echo 'info string error: no such square'; echo 'bestmove (none)'",
        ),
    ];
    for (reason, at_go) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = script(folder.path(), "faulty", at_go);
        let more = ["--move-timeout", "1", "--engine-limit", "nodes=1"];
        let output = against_greedy(folder.path(), &engine, &more);
        let standings: Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
        let row = &standings["matches"][0];
        assert_eq!(row["players"][1], "faulty@nodes=1");
        assert_eq!(row["forfeits"][0]["reason"], reason);
        assert_eq!(row["forfeits"][0]["player"], "faulty@nodes=1");
        assert_eq!(
            row["forfeits"][0]["games"], 2,
            "it is started anew for the second game"
        );
        let losses = |side: &str| row[side]["wins"].as_u64().expect("a count");
        assert_eq!(losses("attackers") + losses("defenders"), 2);
        let told_nothing = "Note: faulty takes no ruleset";
        assert!(
            stderr(&output).contains(told_nothing),
            "{}",
            stderr(&output)
        );
        let said = format!("faulty@nodes=1 loses ({reason})");
        assert!(stderr(&output).contains(&said), "{}", stderr(&output));
        let place = folder.path().join("tournament");
        let log = std::fs::read_to_string(place.join("forfeits.log")).expect("a log");
        assert_eq!(log.lines().filter(|line| line.contains(&said)).count(), 2);
        for game in games(&place) {
            assert_eq!(game.ending.reason.name(), reason);
        }
        // What is stored is not played again, and says the same.
        let again = against_greedy(folder.path(), &engine, &more);
        let again: Value = serde_json::from_str(&succeeds(&again)).expect("JSON");
        assert_eq!(again["matches"], standings["matches"]);
        assert_eq!(running(folder.path()), Vec::<String>::new());
    }
}

#[test]
fn a_ply_that_the_other_program_refuses_is_not_its_loss() {
    let cases = [
        (
            "ongoing",
            "refused-move",
            "the opponent of fake 3 loses (refused-move)",
        ),
        ("defender_wins", "other-rules", " loses (other-rules)"),
        ("draw", "other-rules", "fake 3 ends it (other-rules)"),
    ];
    for (status, reason, said) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("fake");
        let text = format!(
            "while read line; do case \"$line\" in name) echo '= fake';; version) echo '= 3';; known*) echo '= false';; \
             generate_move) echo '= play attacker d7 c7';; play*) echo '? not by my rules';; final_status) echo '= {status}';; \
             quit) exit;; *) echo '= ';; esac; done\n"
        );
        std::fs::write(&path, text).expect("writable");
        let engine = format!("sh {}", path.display());
        let place = folder.path().join("tournament").display().to_string();
        let mut arguments = vec!["arena", "greedy", "--engine", &engine, "--protocol", "htp"];
        arguments.extend([
            "--ruleset",
            "brandubh",
            "--openings",
            "1",
            "--opening-plies",
            "0",
        ]);
        arguments.extend([
            "--bootstrap",
            "0",
            "--json",
            "--folder",
            &place,
            "--workers",
            "1",
        ]);
        let output = run(folder.path(), &arguments);
        let standings: Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
        let row = &standings["matches"][0];
        let forfeits = row["forfeits"].as_array().cloned().unwrap_or_default();
        // Endings by other rules are no forfeits.
        let players: Vec<_> = forfeits
            .iter()
            .map(|it| (&it["player"], &it["games"]))
            .collect();
        match status {
            "ongoing" => assert_eq!(players, [(&Value::from("greedy"), &Value::from(2))]),
            _ => assert!(players.is_empty(), "{row}"),
        }
        for game in games(&folder.path().join("tournament")) {
            assert_eq!(game.ending.reason.name(), reason);
            let expected = match status {
                "defender_wins" => Some(Side::Defender),
                "draw" => None,
                _ if game.attackers.to_string() == "greedy" => Some(Side::Defender),
                _ => Some(Side::Attacker),
            };
            assert_eq!(game.ending.winner, expected);
        }
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn players_leave_out_earlier_boards_where_the_other_program_refuses_them() {
    // One that is told the ruleset is taken to play by it.
    for (knows_rulesets, reason) in [(false, "capped"), (true, "refused-move")] {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name).display().to_string();
        let (fake, room, tournament) = (place("fake"), place("room.toml"), place("tournament"));
        // The king may go from f2 to f3 alone, and from there back or on to e3.
        let start = "7/7/t6/4tt1/3t2t/4tKt/5t1";
        let text =
            format!("base = \"brandubh\"\nrepetition = \"defenders\"\nstart = \"{start}\"\n");
        std::fs::write(&room, text).expect("writable");
        let text = format!(
            "while read line; do case \"$line\" in name) echo '= fake';; version) echo '= 3';; \
             known*) echo '= {knows_rulesets}';; board_size*) ply=; echo '= ';; \
             generate_move) case $ply in 'a5 a4') ply='a4 a5';; *) ply='a5 a4';; esac; echo \"= play attacker $ply\";; \
             'play defender f3 f2') echo '? an earlier board';; quit) exit;; *) echo '= ';; esac; done\n"
        );
        std::fs::write(&fake, text).expect("writable");
        let engine = format!("sh {fake}");
        let mut arguments = vec!["arena", "random", "greedy", "alphabeta:1", "rollouts:4"];
        arguments.extend(["--engine", &engine, "--protocol", "htp", "--ruleset", &room]);
        arguments.extend(["--openings", "1", "--opening-plies", "0"]);
        arguments.extend(["--max-plies", "5", "--workers", "1", "--bootstrap", "0"]);
        // With this seed the random ones go back, too, where they may.
        arguments.extend(["--seed", "3", "--folder", &tournament]);
        succeeds(&run(folder.path(), &arguments));
        let games = games(Path::new(&tournament));
        let attacked = games
            .iter()
            .filter(|game| game.attackers.to_string() == "fake 3");
        let reasons: Vec<_> = attacked.map(|game| game.ending.reason.name()).collect();
        assert_eq!(reasons, [reason; 4]);
    }
}

/// Returns the command lines of processes that name a folder, but for our own.
fn running(folder: &Path) -> Vec<String> {
    let wanted = folder.display().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| {
        let bytes = std::fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&bytes).replace('\0', " "))
    });
    lines.filter(|line| line.contains(&wanted)).collect()
}

#[test]
fn an_engine_that_crashed_plays_the_next_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let net = folder.path().join("net");
    write_net(&net, "tiny", &["brandubh"]);
    let config = write_config(folder.path());
    let engine = own(&net, &config, "uci");
    let mark = folder.path().join("crashed");
    let (mark, path) = (mark.display(), folder.path().join("wrapper"));
    // The first process that is asked for a move ends; those after it are our engine.
    let text = format!(
        "if [ -e {mark} ]; then exec {engine}; fi\n\
         while read line; do case \"$line\" in uci) echo 'id name wrapper'; echo uciok;; isready) echo readyok;; \
         go*) touch {mark}; exit 1;; esac; done\n"
    );
    std::fs::write(&path, text).expect("writable");
    let command = format!("sh {}", path.display());
    let output = against_greedy(
        folder.path(),
        &command,
        &["--engine-name", "wrapper", "--engine-limit", "nodes=2"],
    );
    succeeds(&output);
    let games = games(&folder.path().join("tournament"));
    let reasons: Vec<&str> = games.iter().map(|game| game.ending.reason.name()).collect();
    assert_eq!(
        reasons.iter().filter(|reason| **reason == "crash").count(),
        1,
        "{reasons:?}"
    );
    assert!(
        games
            .iter()
            .any(|game| game.ending.reason.name() != "crash"),
        "{reasons:?}"
    );
}

#[test]
fn engines_that_cannot_play_are_refused_before_the_first_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |engine: &str, more: &[&str]| {
        let output = against_greedy(folder.path(), engine, more);
        assert_eq!(output.status.code(), Some(2), "{engine}");
        stderr(&output)
    };
    let missing = refused("/no/such/engine", &[]);
    assert!(
        missing.contains("/no/such/engine: no such file"),
        "{missing}"
    );
    let silent = refused("sh -c 'sleep 100'", &["--start-timeout", "1"]);
    assert!(
        silent.contains("no answer within 1 s to \"uci\""),
        "{silent}"
    );
    let open = refused("sh -c 'exit", &[]);
    assert!(open.contains("a quotation mark is not closed"), "{open}");
    let at_set = "echo ok;; setoption*) echo 'info string error: no such ruleset'";
    let choosy = script(folder.path(), "choosy", at_set);
    let text = std::fs::read_to_string(folder.path().join("choosy")).expect("readable");
    let text = text.replace(
        "echo uciok",
        "echo 'option name Ruleset type string'; echo uciok",
    );
    std::fs::write(folder.path().join("choosy"), text).expect("writable");
    let choosy = refused(&choosy, &[]);
    assert!(choosy.contains("no such ruleset"), "{choosy}");
    let twice = script(folder.path(), "twin", "true");
    let twice = refused(&twice, &["--engine", &twice]);
    assert!(twice.contains("two players are named"), "{twice}");
}

#[test]
fn the_engine_answers_on_its_standard_streams() {
    let folder = tempfile::tempdir().expect("a folder");
    let net = folder.path().join("nets/tiny");
    write_net(&net, "tiny", &["brandubh"]);
    let config = write_config(folder.path());
    let ask = |arguments: &[&str], lines: &[u8]| -> Output {
        let mut child = tafl(
            folder.path(),
            &[&["engine", "--search", &config], arguments].concat(),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(lines).expect("it reads");
        drop(input);
        child.wait_with_output().expect("it ends")
    };
    // Without a checkpoint the network is the one that has learned the ruleset, and the name is that of none.
    let lines = b"uci\nposition startpos\n\xff\ngo nodes 8\n";
    let text = succeeds(&ask(&["--ruleset", "brandubh"], lines));
    let name = concat!("id name tafl ", env!("CARGO_PKG_VERSION"), "\n");
    assert!(text.starts_with(name), "{text}");
    assert!(
        text.contains("\ninfo string error: the line is not UTF-8\n"),
        "{text}"
    );
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.starts_with("bestmove ")),
        "{text}"
    );
    let offers = text
        .lines()
        .find(|line| line.starts_with("option name Ruleset"));
    let offers = offers.expect("the option");
    assert!(
        offers.contains("default brandubh var brandubh var "),
        "{offers}"
    );
    assert!(
        offers.contains(" var copenhagen ") && !offers.contains("simple-tafl"),
        "{offers}"
    );
    let lines = b"ruleset\ngenerate_move\nruleset simple-tafl\nquit\n";
    let text = succeeds(&ask(&["--ruleset", "brandubh", "--protocol", "htp"], lines));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "= brandubh");
    assert!(lines[1].starts_with("= play attacker "), "{text}");
    assert!(
        lines[2].starts_with("? no network of data/nets learned ruleset simple-tafl"),
        "{text}"
    );
    assert!(lines[2].contains("; --checkpoint "), "{text}");
    let named = succeeds(&ask(
        &["--checkpoint", &net.display().to_string()],
        b"uci\n",
    ));
    assert!(named.starts_with("id name tafl tiny 3 "), "{named}");
    let none = ask(&["--ruleset", "simple-tafl"], b"");
    assert_eq!(none.status.code(), Some(2));
    assert!(
        stderr(&none).contains("tiny (brandubh)"),
        "{}",
        stderr(&none)
    );
}
