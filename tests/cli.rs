//! The command line: help, signature, bad input, exit codes.
//!
//! `UPDATE=1 cargo test --release` writes the golden files in `tests/fixtures/cli/` anew.

mod alone;
mod scripts;
mod streams;

use crate::support::{root, run, succeeds, tafl};
use std::path::{Path, PathBuf};
use std::process::Output;

/// Compares a text with a golden file.
fn check_golden(name: &str, text: &str) {
    let path = root().join("tests/fixtures/cli").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("written");
        return;
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file exists");
    assert_eq!(text, golden, "{name}; UPDATE=1 accepts the change");
}

/// Asserts exit code 2, nothing on stdout, one line of error that is exactly `expected`, and at most one hint.
fn check_error(output: &Output, expected: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = stderr
        .lines()
        .filter(|line| !line.starts_with(' '))
        .collect();
    let error = lines.iter().position(|line| line.starts_with("error: "));
    let error = error.unwrap_or_else(|| panic!("no error in {stderr:?}"));
    assert_eq!(lines[error].strip_prefix("error: "), Some(expected));
    let hints = &lines[error + 1..];
    assert!(
        hints.len() <= 1 && hints.iter().all(|hint| hint.starts_with("hint: ")),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        output.stdout.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// A sound config, from which bad ones are made.
const CONFIG: &str = r#"name = "smoke"
seed = 1
rulesets = ["copenhagen"]
device = "cpu"

[loop]
reuse = 6.0
games = 16

[replay]
minimum = 200
maximum = 1000000

[arena]
openings = 3

[ladder]
baselines = ["random"]
"#;

/// A folder with a changed copy of [`CONFIG`].
struct Changed {
    folder: tempfile::TempDir,
}

impl Changed {
    fn new(from: &str, to: &str) -> Self {
        assert_eq!(CONFIG.matches(from).count(), 1, "{from:?} stands once");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("c.toml"), CONFIG.replace(from, to)).expect("written");
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("c.toml")
    }

    /// Asserts what `tafl train` says of the config; `LINE` stands for the line where `to` begins.
    fn check(&self, to: &str, expected: &str) {
        let text = std::fs::read_to_string(self.path()).expect("readable");
        let first = to.lines().next().expect("a line");
        let line = text.lines().position(|line| line == first);
        let line = line.expect("it stands there") + 1;
        let path = self.path().display().to_string();
        let expected = expected.replace("LINE", &format!("{path}: line {line}"));
        check_error(&run(self.folder.path(), &["train", &path]), &expected);
        assert!(
            !self.folder.path().join("runs").exists(),
            "nothing has begun"
        );
    }
}

#[test]
fn help_says_what_there_is() {
    let data = Path::new("data");
    let commands = [
        "train",
        "selfplay",
        "arena",
        "balance",
        "balance vary",
        "play",
        "analyze",
        "engine",
        "report",
        "web",
        "run verify",
        "run prune",
        "run workers",
        "rules",
        "perft",
        "config",
        "bench",
        "export",
        "doctor",
    ];
    let mut text = succeeds(&run(data, &["--help"]));
    for command in commands {
        text.push_str(&format!("\n=== tafl {command} --help\n\n"));
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        text.push_str(&succeeds(&run(data, &words)));
    }
    check_golden("help.txt", &text);
}

#[test]
fn the_signature_changes_only_when_meant() {
    let signature = succeeds(&run(Path::new("data"), &["bench", "signature"]));
    check_golden("signature.txt", &signature);
}

#[test]
fn every_config_of_the_repository_is_sound() {
    let configs = std::fs::read_dir(root().join("configs")).expect("a folder");
    let paths = configs.map(|entry| entry.expect("an entry").path());
    let tomls = paths.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    let names: Vec<String> = tomls.map(|path| path.display().to_string()).collect();
    let mut arguments = vec!["config", "check"];
    arguments.extend(names.iter().map(String::as_str));
    let checked = succeeds(&run(Path::new("data"), &arguments));
    assert_eq!(checked.lines().count(), names.len());
    let catalog = std::fs::read_to_string(root().join("configs/README.md")).expect("readable");
    for name in &names {
        let name = Path::new(name)
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert!(
            catalog.contains(&format!("| `{name}`")),
            "{name} is not in configs/README.md"
        );
    }
}

#[test]
fn smoke_differs_from_quickstart_in_counts_only() {
    let read = |name: &str| {
        let text = succeeds(&run(Path::new("data"), &["config", "show", name]));
        text.parse::<toml::Table>().expect("TOML")
    };
    let (quickstart, smoke) = (read("configs/quickstart.toml"), read("configs/smoke.toml"));
    check_counts("", &quickstart, &smoke);
}

fn check_counts(section: &str, one: &toml::Table, other: &toml::Table) {
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        other.keys().collect::<Vec<_>>(),
        "[{section}]"
    );
    for (name, value) in one {
        match (value, &other[name]) {
            (toml::Value::Table(one), toml::Value::Table(other)) => check_counts(name, one, other),
            (toml::Value::Array(one), toml::Value::Array(other))
                if one.iter().any(toml::Value::is_table) =>
            {
                assert_eq!(one.len(), other.len(), "[{section}] {name}");
                let tables = |values: &[toml::Value]| -> Vec<toml::Table> {
                    values
                        .iter()
                        .filter_map(|it| it.as_table().cloned())
                        .collect()
                };
                for (one, other) in tables(one).iter().zip(&tables(other)) {
                    check_counts(name, one, other);
                }
            }
            (one, other) if are_counts(one) && are_counts(other) => {}
            (one, other) => {
                let is_free = name == "name" || name == "pool";
                assert!(
                    is_free || one == other,
                    "[{section}] {name}: {one} and {other}"
                );
            }
        }
    }
}

fn are_counts(value: &toml::Value) -> bool {
    match value {
        toml::Value::Integer(_) => true,
        toml::Value::Array(values) => !values.is_empty() && values.iter().all(are_counts),
        _ => false,
    }
}

/// A line of [`CONFIG`], what stands there instead, and what is said of it.
const BAD_CONFIGS: [(&str, &str, &str); 14] = [
    (
        "reuse = 6.0",
        "reuses = 8.0",
        "LINE: field `loop.reuses`: unknown field; did you mean `loop.reuse`?",
    ),
    (
        "reuse = 6.0",
        "reuse = \"many\"",
        "LINE: field `loop.reuse`: expected number from 0.01 to 1000, found \"many\"",
    ),
    (
        "reuse = 6.0",
        "reuse = 0.0",
        "LINE: field `loop.reuse`: expected number from 0.01 to 1000, found 0.0",
    ),
    (
        "reuse = 6.0",
        "reuse = nan",
        "LINE: field `loop.reuse`: expected number from 0.01 to 1000, found nan",
    ),
    (
        "games = 16",
        "synchronous.games = 16",
        "LINE: field `loop.synchronous`: no longer a field; use `loop.games`",
    ),
    (
        "games = 16",
        "games = 0",
        "LINE: field `loop.games`: expected whole number from 1 to 10000000, found 0",
    ),
    (
        "maximum = 1000000",
        "maximum = 100",
        "LINE: field `replay.maximum`: 100 is less than `minimum`, 200",
    ),
    (
        "openings = 3",
        "openings = 2000000",
        "LINE: field `arena.openings`: expected whole number from 1 to 1000000, found 2000000",
    ),
    (
        "baselines = [\"random\"]",
        "baselines = [\"best\"]",
        "LINE: field `ladder.baselines[0]`: unknown baseline \"best\"; use random, greedy, rollouts:VISITS (1 to 1000000) or alphabeta:DEPTH (1 to 12)",
    ),
    (
        "device = \"cpu\"",
        "device = \"gpu\"",
        "LINE: field `device`: expected `cpu`, `cuda` or `cuda:1`, found \"gpu\"",
    ),
    (
        "name = \"smoke\"",
        "name = \"../smoke\"",
        "LINE: field `name`: expected letters, digits, `.`, `-` and `_`, 100 characters at most, found \"../smoke\"",
    ),
    (
        "rulesets = [\"copenhagen\"]",
        "rulesets = []",
        "LINE: field `rulesets`: expected list of 1 or more, each: string, found []",
    ),
    (
        "rulesets = [\"copenhagen\"]",
        "rulesets = [\"copenhagen\", \"tablut\"]",
        "LINE: field `rulesets`: boards of different sizes",
    ),
    (
        "seed = 1",
        "seed 1",
        "LINE: key with no value, expected `=`",
    ),
];

#[test]
fn bad_configs_are_refused_by_line_and_field() {
    for (from, to, expected) in BAD_CONFIGS {
        Changed::new(from, to).check(to, expected);
    }
}

#[test]
fn bad_rulesets_are_refused_by_file_and_field() {
    let cases = [
        (
            "name = \"own\"\nbase = \"hnefatafl\"\n",
            "line 2: field `base`: expected name of a shipped ruleset, no file: \"copenhagen\" | \"copenhagen-tournament\" | \"fetlar\" | \"berserk-2017\" | \"berserk-2024\" | \"brandubh\" | \"tablut\" | \"old-hnefatafl\" | \"tawlbwrdd\" | \"simple-tafl\" | \"sea-battle\" | \"sea-battle-9\" | \"ard-ri\" | \"skalk\" | \"skalk-9\" | \"old-hnefatafl-9\" | \"brandubh-walker\" | \"ard-ri-39\" | \"sea-battle-2526\" | \"sea-battle-204577\" | \"brandubh-2\" | \"magpie\", found \"hnefatafl\"",
        ),
        (
            "name = \"own\"\nbase = \"fetlar\"\nchain = \"maybe\"\n",
            "line 3: field `chain`: expected \"none\" | \"optional\" | \"forced\", found \"maybe\"",
        ),
        (
            "name = \"own\"\nbase = \"fetlar\"\nshield_wall = true\n",
            "line 3: field `shield_wall`: unknown field; did you mean `shieldwall`?",
        ),
        (
            "name = \"own\"\nbase = \"fetlar\"\nstart = \"4/4\"\n",
            "line 3: field `start`: 2 ranks; a board has 7, 9 or 11",
        ),
        (
            "name = \"own\"\n",
            "missing: `base`, or `shieldwall`, `edge_fort`, `encirclement`,",
        ),
    ];
    for (text, expected) in cases {
        let changed = Changed::new("rulesets = [\"copenhagen\"]", "rulesets = [\"own.toml\"]");
        let path = changed.folder.path().join("own.toml");
        std::fs::write(&path, text).expect("written");
        let output = run(
            changed.folder.path(),
            &["train", &changed.path().display().to_string()],
        );
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.starts_with(&format!("error: {}: {expected}", path.display())),
            "{stderr}"
        );
        assert_eq!(
            (output.status.code(), stderr.lines().count()),
            (Some(2), 1),
            "{stderr}"
        );
    }
}

#[test]
fn arguments_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let refuses = |arguments: &[&str], expected: &str| check_error(&run(data, arguments), expected);
    let smoke = "configs/smoke.toml";
    refuses(
        &["train", "no.toml"],
        "reading no.toml: no such file or folder",
    );
    refuses(
        &["train", smoke, "--set", "search.visit=5"],
        "--set search.visit: unknown field; did you mean `search.visits`?",
    );
    refuses(
        &["train", smoke, "--set", "search.visits=0"],
        "--set search.visits: expected whole number from 1 to 1000000, found 0",
    );
    refuses(
        &["train", smoke, "--set", "search.visits"],
        "--set: \"search.visits\" is not a change such as search.visits=32",
    );
    refuses(
        &["train", smoke, "--run", "../x"],
        "\"../x\" is not a valid folder name",
    );
    let missing = format!(
        "there is no run {} to resume",
        data.join("runs/smoke").display()
    );
    refuses(&["train", smoke, "--resume"], &missing);
    refuses(
        &["arena", "random"],
        "random: only one player; give two, or the config of a run",
    );
    let empty = data.display().to_string();
    refuses(
        &["play", "--checkpoint", &empty],
        &format!("{empty}: no checkpoint (it has no model.json)"),
    );
    let weights = "data/nets/quickstart/weights.safetensors";
    let refused = run(data, &["play", "--checkpoint", weights]);
    let said = String::from_utf8_lossy(&refused.stderr);
    let expected = "\nhint: `tafl train CONFIG --from FILE` makes checkpoints of the weights";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let expected = format!(
        "writing {}: Not a directory",
        file.join("runs/smoke").display()
    );
    check_error(&run(&file, &["train", "configs/smoke.toml"]), &expected);
}

#[test]
fn damage_in_a_run_is_named_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let train = ["train", "configs/smoke.toml", "--set", "loop.generations=1"];
    succeeds(&run(data, &train));
    let run_folder = data.join("runs/smoke");

    let exists = format!("the run {} already exists", run_folder.display());
    check_error(&run(data, &train), &exists);

    let other = [&train[..], &["--resume", "--set", "network.blocks=2"]].concat();
    let differs = format!(
        "a run keeps what it began with, but other than in {}: `network.blocks` (there 1, here 2)",
        run_folder.join("config.toml").display()
    );
    check_error(&run(data, &other), &differs);

    let staged = [&train[..], &["--resume", "--set", "search.visits=5"]].concat();
    let output = run(data, &staged);
    succeeds(&output);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("from checkpoint 1 on:\n  search.visits 4 -> 5\n"),
        "{said}"
    );
    let manifest = std::fs::read_to_string(run_folder.join("manifest.json")).expect("readable");
    assert!(manifest.contains("\"stages\""), "{manifest}");
    let config = std::fs::read_to_string(run_folder.join("config.toml")).expect("readable");
    assert!(config.contains("visits = 5"), "{config}");

    let checkpoint = run_folder.join("checkpoints/000001");
    let weights = checkpoint.join("weights.safetensors");
    let whole = damage(&weights);
    let play = ["play", "--checkpoint", &checkpoint.display().to_string()];
    let damaged = format!(
        "{}: damaged: its SHA-256 is not the one in model.json",
        weights.display()
    );
    check_error(&run(data, &play), &damaged);
    std::fs::write(&weights, whole).expect("written");

    let card = checkpoint.join("model.json");
    let text = std::fs::read_to_string(&card).expect("readable");
    let here = tafl_samples::ENCODING_VERSION;
    let newer = text.replace(
        &format!("\"encoding_version\": {here}"),
        "\"encoding_version\": 999",
    );
    std::fs::write(&card, newer).expect("written");
    let version = format!(
        "{}: encoding version 999, but this program reads 3, 4, 5 or {here}",
        card.display()
    );
    check_error(&run(data, &play), &version);
    std::fs::write(&card, text).expect("written");

    let games = run_folder.join("games/000000/games.parquet");
    damage(&games);
    std::fs::remove_dir_all(&checkpoint).expect("removed");
    let resumed = run(data, &[&train[..], &["--resume"]].concat());
    let reason = "damaged since it was written (its checksum differs from the manifest's)";
    check_error(&resumed, &format!("{}: {reason}", games.display()));
    assert!(
        games.exists(),
        "a damaged file is left for its owner to look at"
    );
}

/// Changes one byte in the middle of a file; returns what it was.
fn damage(path: &Path) -> Vec<u8> {
    let whole = std::fs::read(path).expect("readable");
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(path, bytes).expect("written");
    whole
}

#[test]
fn generations_may_be_raised_when_a_run_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let smoke = ["train", "configs/smoke.toml", "--run", "grown"];
    succeeds(&run(
        data,
        &[&smoke[..], &["--set", "loop.generations=1"]].concat(),
    ));
    let table = succeeds(&run(data, &[&smoke[..], &["--resume"]].concat()));
    assert!(table.contains("checkpoint 2"), "{table}");

    // The next commands can be pasted.
    let mut again = tafl(data, &[&smoke[..], &["--resume"]].concat());
    let table = succeeds(
        &again
            .env("TAFL_COMMAND", "./scripts/tafl")
            .output()
            .expect("tafl starts"),
    );
    for command in [
        "./scripts/tafl play --checkpoint ",
        "./scripts/tafl report ",
    ] {
        assert!(table.contains(command), "{table}");
    }
    assert!(!table.contains("././"), "{table}");
}

#[test]
fn games_that_come_with_the_program_are_legal() {
    let games = "data/games/copenhagen.csv";
    let replay = ["rules", "replay", "--ruleset", "copenhagen", games];
    let said = succeeds(&run(Path::new("data"), &replay));
    assert!(said.starts_with("20 games, "), "{said}");
    assert!(said.contains("every move legal"), "{said}");
    // Given up, or ended by rules of the site: the record does not say.
    let by_record = "14 won by the record, but not on the board\n";
    assert!(said.contains(by_record), "{said}");
    let piped = std::fs::File::open(root().join(games)).expect("readable");
    let replay = ["rules", "replay", "--ruleset", "copenhagen", "-"];
    let piped = tafl(Path::new("data"), &replay).stdin(piped).output();
    assert_eq!(succeeds(&piped.expect("tafl starts")), said);
}

#[test]
fn a_check_of_nothing_is_no_success() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty.csv");
    std::fs::write(&empty, "\n").expect("written");
    let name = empty.display().to_string();
    let check = run(folder.path(), &["rules", "check", &name]);
    check_error(&check, &format!("{name}: no states"));
    let replay = ["rules", "replay", &name, "--ruleset", "fetlar"];
    check_error(&run(folder.path(), &replay), &format!("{name}: no games"));
    std::fs::write(&empty, "No games\nat all\n").expect("written");
    let replayed = run(folder.path(), &["rules", "replay", &name]);
    let said = String::from_utf8_lossy(&replayed.stdout);
    let none = "0 games, 0 plies; repetition not judged\n";
    assert!(said.starts_with(none), "{said}");
    let game = "Fetlar\n1. d1-d3 f8-i8\nNobody knows\n";
    std::fs::write(&empty, game).expect("written");
    let replayed = run(folder.path(), &["rules", "replay", &name]);
    let said = String::from_utf8_lossy(&replayed.stdout);
    assert_eq!(replayed.status.code(), Some(1));
    let line = "1 line above or below games cannot be read\nthe first: ";
    assert!(
        said.starts_with("1 game, 2 plies under fetlar") && said.contains(line),
        "{said}"
    );
}

#[test]
fn a_match_and_self_play_alone_report_what_they_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let arena: Vec<&str> = "arena greedy random --ruleset brandubh --openings 5"
        .split(' ')
        .collect();
    let report = succeeds(&run(folder.path(), &arena));
    assert!(
        report.starts_with("Elo above greedy, with 95 % intervals\n"),
        "{report}"
    );
    let out = folder.path().join("alone").display().to_string();
    let selfplay = ["selfplay", "configs/smoke.toml", "--out", &out];
    let report = succeeds(&run(folder.path(), &selfplay));
    assert!(report.starts_with("games    16: attackers"), "{report}");
    let games = folder.path().join("alone/games/000000/games.parquet");
    assert!(
        !tafl_dataset::read_samples(&games)
            .expect("readable")
            .is_empty()
    );
    check_error(
        &run(folder.path(), &selfplay),
        &format!("{} exists", games.display()),
    );
}
