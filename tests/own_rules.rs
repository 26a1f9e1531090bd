//! A network that learned a ruleset of its run alone: every command finds that ruleset, or says that it does not.

use crate::support::nets::{write_config, write_net_of};
use crate::support::{run, succeeds, tafl};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tafl_training::load_ruleset_file;

/// A run that learned rules of its own, as far as its checkpoint needs it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    run: PathBuf,
    pub(crate) checkpoint: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("runs/mine");
        std::fs::create_dir_all(run.join("rulesets")).expect("made");
        let file = run.join("rulesets/own.toml");
        let text = "base = \"brandubh\"\nking_armed = false\n";
        std::fs::write(&file, text).expect("written");
        let checkpoint = run.join("checkpoints/000003");
        let rules = load_ruleset_file(&file).expect("sound");
        write_net_of(&checkpoint, "mine", &[rules]);
        let config = write_config(folder.path());
        let config = std::fs::read_to_string(config).expect("written");
        let config = format!("rulesets = [\"rulesets/own.toml\"]\n{config}");
        std::fs::write(run.join("config.toml"), config).expect("written");
        Self {
            checkpoint: checkpoint.display().to_string(),
            folder,
            run,
        }
    }

    pub(crate) fn data(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        succeeds(&run(self.data(), arguments))
    }

    /// Returns what a command answers to lines.
    fn answers(&self, command: &str, lines: &str) -> String {
        let arguments = [command, "--checkpoint", &self.checkpoint, "--visits", "2"];
        let mut tafl = tafl(self.data(), &arguments);
        let piped = tafl.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("it starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(lines.as_bytes()).expect("it reads");
        drop(input);
        succeeds(&child.wait_with_output().expect("it ends"))
    }
}

#[test]
fn a_network_plays_by_the_rules_that_it_learned() {
    let place = Place::new();
    let analyze = [
        "analyze",
        "start",
        "--visits",
        "2",
        "--json",
        "--checkpoint",
    ];
    let report = place.says(&[&analyze[..], &[&place.checkpoint]].concat());
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["ruleset"], "own");
    // It learned these rules, whatever they are called, and no others of their name.
    let king_armed =
        |value: bool| format!("name = \"own\"\nbase = \"brandubh\"\nking_armed = {value}\n");
    for (name, text, warning) in [
        ("same", king_armed(false).replace("own", "same"), None),
        (
            "own",
            king_armed(true),
            Some("mine 3 has not learned own, but other rules under this name;"),
        ),
        (
            "other",
            king_armed(true).replace("own", "other"),
            Some("mine 3 has not learned other;"),
        ),
    ] {
        let file = place
            .data()
            .join(format!("{name}.toml"))
            .display()
            .to_string();
        std::fs::write(&file, text).expect("written");
        let named = ["--ruleset", &file, "--checkpoint", &place.checkpoint];
        let done = run(place.data(), &[&analyze[..5], &named].concat());
        succeeds(&done);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let warned = warning.is_none_or(|it| said.contains(it));
        assert!(
            warned && warning.is_some() == said.contains("has not learned"),
            "{name}: {said}"
        );
    }
    let said = place.answers("play", "d6 f6\nquit\n");
    assert!(!said.contains("has not learned"), "{said}");
    // What was played names the rules, which the checkpoint has.
    let game = place.data().join("played/own-1.txt").display().to_string();
    let text = std::fs::read_to_string(&game).expect("kept");
    assert!(
        text.starts_with("# own, attackers by a human\n"),
        "no path of this machine: {text}"
    );
    let again = ["analyze", &game, "--visits", "2", "--checkpoint"];
    let again = place.says(&[&again[..], &[&place.checkpoint]].concat());
    assert!(again.contains("\nown; 2 visits"), "{again}");
    for text in ["[Variant \"own\"]\n\n1. d6f6", "ruleset: own\nd6-f6"] {
        let analyze = ["analyze", text, "--visits", "2", "--checkpoint"];
        let said = place.says(&[&analyze[..], &[&place.checkpoint]].concat());
        assert!(said.contains("\nown; 2 visits"), "{said}");
    }
    let named = ["--ruleset", "own", "--checkpoint", &place.checkpoint];
    let named = place.says(&[&analyze[..5], &named].concat());
    assert!(named.contains("\"ruleset\": \"own\""), "{named}");
    let lines =
        "uci\nsetoption name Ruleset value tablut\nsetoption name Ruleset value own\nboard\n";
    let said = place.answers("engine", lines);
    assert!(said.contains("combo default own var own\n"), "{said}");
    assert!(said.contains("\nruleset: own\n"), "{said}");
    assert!(!said.contains("unknown ruleset"), "{said}");
}

#[test]
fn runs_are_compared_by_what_their_own_rules_say() {
    let places = [Place::new(), Place::new()];
    let settings = r#"{"run": "mine", "git_commit": null, "seed": 5, "config_sha256": "", "libtorch": "", "device": "cpu", "precision": "f32", "stages": []}"#;
    let manifest = format!(
        r#"{{"format": 4, "kind": "run", "program": "0", "settings": {settings}, "rulesets": {{}}, "players": {{}}, "files": {{}}}}"#
    );
    for place in &places {
        std::fs::write(place.run.join("manifest.json"), &manifest).expect("written");
    }
    let [one, other] = places.each_ref().map(|it| it.run.display().to_string());
    let page = || {
        places[0].says(&["report", &one, &other]);
        std::fs::read_to_string(places[0].run.join("compare.html")).expect("a page")
    };
    let differs = "\"field\":\"rulesets\"";
    let same = page();
    assert!(!same.contains(differs));
    // The command is for the user's folder.
    assert!(same.contains(&format!(" --ruleset {one}/rulesets/own.toml")));
    let text = "base = \"brandubh\"\nking_armed = false\nshieldwall = true\n";
    std::fs::write(places[1].run.join("rulesets/own.toml"), text).expect("written");
    let unlike = page();
    assert!(unlike.contains(differs) && unlike.contains("\"match_command\":null"));
}

#[test]
fn games_of_own_rules_are_read_in_their_folder_and_refused_elsewhere() {
    let place = Place::new();
    let folder = place.data().join("arena").display().to_string();
    let engine = env!("CARGO_BIN_EXE_tafl");
    let engine = format!(
        "{engine} engine --checkpoint {} --visits 2",
        place.checkpoint
    );
    let mut arena = vec![
        "arena",
        &place.checkpoint,
        "--engine",
        &engine,
        "--visits",
        "2",
    ];
    arena.extend([
        "--protocol",
        "uci",
        "--engine-limit",
        "nodes=2",
        "--openings",
        "1",
    ]);
    arena.extend(["--workers", "1", "--bootstrap", "0", "--folder", &folder]);
    let played = run(place.data(), &arena);
    assert!(succeeds(&played).contains("own"));
    let said = String::from_utf8_lossy(&played.stderr).into_owned();
    assert!(
        said.contains(" is told a name alone; whether its rules are those of own ("),
        "{said}"
    );
    let mut games = std::fs::read_dir(format!("{folder}/games")).expect("a folder");
    let games = games.next().expect("a file").expect("readable").path();
    let replayed = place.says(&["rules", "replay", &games.display().to_string()]);
    assert!(replayed.contains("plies under own\n"), "{replayed}");
    let elsewhere = place.data().join("elsewhere.parquet");
    std::fs::copy(&games, &elsewhere).expect("copied");
    std::fs::remove_file(place.run.join("config.toml")).expect("it was there");
    let elsewhere = elsewhere.display().to_string();
    for arguments in [
        &["rules", "replay", &elsewhere][..],
        &[
            "analyze",
            &elsewhere,
            "--game",
            "1",
            "--checkpoint",
            &place.checkpoint,
        ],
        &["analyze", "start", "--checkpoint", &place.checkpoint],
        &["arena", &place.checkpoint, "random"],
    ] {
        let refused = run(place.data(), arguments);
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains("ruleset own ("), "{arguments:?}: {error}");
        assert!(error.contains("--ruleset FILE"), "{arguments:?}: {error}");
    }
    are_read_with_their_rules(&place, &elsewhere);
}

/// The rules are given, under any name, or put beside the games.
fn are_read_with_their_rules(place: &Place, games: &str) {
    let rules = "base = \"brandubh\"\nking_armed = false\n";
    let path = |name: &str| place.data().join(name).display().to_string();
    let [same, page] = ["same.toml", "page.html"].map(path);
    std::fs::write(&same, rules).expect("written");
    let convert = "rules convert game --from taflforge --to turns";
    let convert: Vec<&str> = convert.split(' ').collect();
    let convert = [&convert[..], &[games]].concat();
    for arguments in [
        &convert[..],
        &["rules", "replay", games],
        &["web", "brandubh", "--output", &page, "--games", games],
    ] {
        place.says(&[arguments, &["--ruleset", &same]].concat());
    }
    for (base, is_told) in [(&*same, false), ("brandubh", true)] {
        let fitted = run(place.data(), &["rules", "fit", games, "--base", base]);
        let note = String::from_utf8_lossy(&fitted.stderr).into_owned();
        let said = succeeds(&fitted);
        assert!(said.contains("2 of 2 (100.0 %) replay"), "{base}: {said}");
        let told = note.contains(": game 0: its ruleset \"own\" is not found, ");
        assert_eq!(told, is_told, "{base}: {note}");
    }
    let refused = run(place.data(), &convert);
    let error = String::from_utf8_lossy(&refused.stderr);
    let beside = path("rulesets/own.toml");
    assert!(error.contains(&beside), "{error}");
    std::fs::create_dir(path("rulesets")).expect("made");
    std::fs::write(&beside, "base = \"brandubh\"\n").expect("written");
    let changed = run(place.data(), &convert);
    let error = String::from_utf8_lossy(&changed.stderr);
    let beside_whole = Path::new(&beside).canonicalize().expect("it is there");
    let expected = format!("error: {}: not the ruleset own (", beside_whole.display());
    assert!(error.starts_with(&expected), "{error}");
    std::fs::write(beside, rules).expect("written");
    place.says(&convert);
    place.says(&["web", "brandubh", "--output", &page, "--games", games]);
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("]],\"rulesets\":[{"), "the games' ruleset");
}

#[test]
fn states_and_texts_of_own_rules_are_read_where_the_rules_are_given() {
    let place = Place::new();
    let state = r#"{"game":7,"ruleset":"own","ply":30,"position":"7/7/7/7/7/7/1tK2t1","side":"defenders","chain":null,"moves":["c1-c2","c1-c3","c1-c4","c1-c5","c1-c6","c1-c7","c1-d1","c1-e1"],"move":"c1-d1","captured":[],"status":"ongoing","reason":null}"#;
    let states = place.data().join("states.jsonl");
    std::fs::write(&states, format!("{state}\n")).expect("written");
    let rules = place.run.join("rulesets/own.toml").display().to_string();
    let check = ["rules", "check", &states.display().to_string()].map(str::to_owned);
    let check: Vec<&str> = check.iter().map(String::as_str).collect();
    let unknown = run(place.data(), &check);
    assert_eq!(unknown.status.code(), Some(2));
    let known = place.says(&[&check[..], &["--ruleset", &rules]].concat());
    assert!(known.contains("all agree"), "{known}");

    let games = place.data().join("own.pgn");
    std::fs::write(&games, "1. d6f6 d5f5 2. d7f7\n").expect("written");
    let page = place.data().join("page.html").display().to_string();
    let games = games.display().to_string();
    let web = [
        "web",
        &place.checkpoint,
        "--games",
        &games,
        "--output",
        &page,
    ];
    let said = place.says(&web);
    assert!(said.starts_with(&format!("1 game of {games}\n")), "{said}");
    // Without a network that learned it, the ruleset is given.
    let given = ["web", "brandubh", "--games", &games, "--ruleset", &rules];
    place.says(&[&given[..], &["--output", &page]].concat());
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("\"own\":{\"players\":{"), "the games");
    assert!(html.contains("]],\"rulesets\":[{"), "the ruleset");
    // Without games the page opens with it.
    place.says(&["web", "brandubh", "--ruleset", &rules, "--output", &page]);
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("}],\"first\":\"own\""), "the ruleset");
    // A record of OpenTafl tells the rules, a first position of its own is none of the book's.
    let convert = [
        "rules",
        "convert",
        "ruleset",
        "--from",
        "taflforge",
        "--to",
        "opentafl",
        "--approximate",
        "captureless_limit",
    ];
    let record = place.says(&[&convert[..], &[&rules]].concat());
    let otg = format!("[rules:{}]\n\n1. d6-f6 d5-f5 resigned\n", record.trim());
    let elsewhere = "\n[ruleset \"own\"]\n[FEN \"3t3/7/7/3K3/7/7/7 attackers\"]\n\n1. d7d6\n";
    std::fs::write(place.data().join("any.otg"), otg + elsewhere).expect("written");
    let any = place.data().join("any.otg").display().to_string();
    let said = place.says(&["web", &place.checkpoint, "--games", &any, "--output", &page]);
    assert!(said.starts_with(&format!("1 game of {any}\n")), "{said}");
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(
        html.contains("\"own\":{\"players\":{"),
        "under the network's rules"
    );
    assert!(html.contains(":[0,0,1,0]"), "the attackers resigned");
    assert!(!html.contains("\"brandubh\":{\"players\""));
    // Rules that no network learned come with the text.
    let mine = "ruleset: {\"name\": \"mine\", \"base\": \"brandubh\", \"escape\": \"edges\"}\n";
    std::fs::write(&any, format!("{mine}1. d6-f6 d5-f5 White\n1. d6-e6\n")).expect("written");
    let said = place.says(&["web", "brandubh", "--games", &any, "--output", &page]);
    assert!(said.starts_with(&format!("2 games of {any}\n")), "{said}");
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("\"mine\":{\"players\":{"), "the games");
    let first = "}],\"first\":\"mine\"";
    assert!(html.contains(first), "it opens with their rules");
}

#[test]
fn rules_in_a_folder_are_neither_replaced_nor_changed_unseen() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("mine/rulesets/hall.toml");
    std::fs::create_dir_all(own.parent().expect("a folder")).expect("made");
    let text = "# tried in 2026\nbase = \"brandubh\"\nking_armed = false\n";
    std::fs::write(&own, text).expect("written");
    let rules = own.display().to_string();
    let match_in = |name: &str| {
        let place = folder.path().join(name).display().to_string();
        let arena = ["arena", "random", "greedy", "--ruleset", &rules];
        let few = ["--openings", "1", "--bootstrap", "0", "--folder", &place];
        run(folder.path(), &[&arena[..], &few].concat())
    };
    let refused = match_in("mine");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    let holds = format!("it holds {}", own.parent().expect("its folder").display());
    assert!(said.contains(&holds), "{said}");
    assert_eq!(std::fs::read_to_string(&own).expect("it stays"), text);

    succeeds(&match_in("games"));
    let place = folder.path().join("games");
    let verify = ["run", "verify", &place.display().to_string()].map(str::to_owned);
    let verify = || run(folder.path(), &verify.each_ref().map(String::as_str));
    succeeds(&verify());
    let others = text.replace("king_armed", "shieldwall");
    std::fs::write(place.join("rulesets/hall.toml"), others).expect("written");
    let changed = verify();
    let said = String::from_utf8_lossy(&changed.stdout);
    assert_eq!(changed.status.code(), Some(1), "{said}");
    assert!(said.contains("another ruleset named hall"), "{said}");
}

#[test]
fn a_game_that_begins_otherwise_than_the_rules_given_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let game = write(
        "game.txt",
        "ruleset: {\"name\": \"mine\", \"base\": \"brandubh\"}\nd1-c1 d5-f5\n",
    );
    let start = "base = \"brandubh\"\nstart = \"3t3/3t3/3T3/ttTKTtt/3T3/3t3/2t4\"\n";
    let rules = write("moved.toml", start);
    let replayed = run(
        folder.path(),
        &["rules", "replay", &game, "--ruleset", &rules],
    );
    succeeds(&replayed);
    let said = String::from_utf8_lossy(&replayed.stderr);
    let note = "line 2: the game has other rules of its own (start) and begins as they say; it is played under moved.";
    assert!(said.contains(note), "{said}");
    let page = folder.path().join("page.html").display().to_string();
    let web = [
        "web",
        "--games",
        &game,
        "--ruleset",
        &rules,
        "--output",
        &page,
    ];
    let web = run(folder.path(), &web);
    let said = String::from_utf8_lossy(&web.stderr);
    assert!(
        said.contains("1 game left out, as it begins elsewhere"),
        "{said}"
    );
}
