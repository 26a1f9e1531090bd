//! `tafl config`: the schemas for editors, explanations, faults, defaults, differences, and what the configs state.
//!
//! `UPDATE=1 cargo test --release -p tafl-cli --test config` writes the schemas in `configs/` anew.

mod diff;
mod explain;
mod schemas;

use crate::support::{root, run, succeeds};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;
use tafl_config::Config;
use tafl_training::RunConfig;

/// Each schema and the folder whose files it describes.
const SCHEMAS: [(&str, &str); 4] = [
    ("run", "configs"),
    ("ruleset", "configs/rulesets"),
    ("balance", "configs/balance"),
    ("sweep", "configs/sweeps"),
];

const SMOKE: &str = "configs/smoke.toml";

fn config(arguments: &[&str]) -> Output {
    run(Path::new("data"), &[&["config"], arguments].concat())
}

/// Shows a config after some changes.
fn show(path: &str, changes: &[&str]) -> Output {
    let set = changes.iter().flat_map(|change| ["--set", *change]);
    config(&["show", path].into_iter().chain(set).collect::<Vec<_>>())
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks a file and returns what is wrong with it, each with its line.
fn faults(path: &str) -> Vec<(usize, String)> {
    let output = config(&["check", path]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{path}: {text}");
    let fault = |line: &str| {
        let rest = line.strip_prefix(&format!("error: {path}: line "))?;
        let (number, fault) = rest.split_once(": ")?;
        Some((number.parse().ok()?, fault.to_owned()))
    };
    let faults: Option<Vec<(usize, String)>> = text.lines().map(fault).collect();
    faults.unwrap_or_else(|| panic!("every fault has its line: {text}"))
}

/// Writes a file and returns its path.
fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("readable")
}

/// Returns the .toml files of a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    assert!(files.len() > 1, "{folder} has files");
    files
}

/// Returns the run configs of the repository, with those beside its networks.
fn run_configs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("data/nets")).expect("a folder");
    let nets = entries.map(|entry| entry.expect("an entry").path().join("run.toml"));
    let nets = nets.filter(|path| path.is_file());
    files("configs").into_iter().chain(nets).collect()
}

fn table(text: &str) -> toml::Table {
    text.parse().expect("TOML")
}

/// Returns a text with changes of it.
fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from:?} stands once");
        text.replace(from, to)
    })
}

/// Returns a changed copy of `configs/smoke.toml`.
fn changed_smoke(changes: &[(&str, &str)]) -> String {
    changed(&read(&root().join(SMOKE)), changes)
}

/// Returns the fields that a table gives, and its sections that give none.
fn given(table: &toml::Table) -> BTreeSet<String> {
    let paths = table.iter().flat_map(|(name, value)| {
        let inner = value.as_table().filter(|inner| !inner.is_empty());
        let within = |inner| {
            let paths = given(inner).into_iter();
            paths.map(|path| format!("{name}.{path}")).collect()
        };
        inner.map_or_else(|| vec![name.clone()], within)
    });
    paths.collect()
}

#[test]
fn a_misspelt_field_is_answered_with_the_nearest_one() {
    for (typed, hint) in [
        ("search.puct.c_pucta", "did you mean `search.puct.c_puct`?"),
        ("considered_move", "did you mean `search.considered_moves`?"),
        ("sarch", "did you mean `search`?"),
        ("serach.visits", "did you mean `search.visits`?"),
        ("LOOP.GAMES", "did you mean `loop.games`?"),
        ("visit", "did you mean `search.visits` or `arena.visits`?"),
        ("search.precision", "did you mean `precision`?"),
        ("ruleset.escpe", "did you mean `ruleset.escape`?"),
        (
            "study",
            "`tafl config explain` lists all fields, those of other files than run configs as ruleset, balance, sweep",
        ),
    ] {
        let output = config(&["explain", typed]);
        let expected = format!("error: {typed:?} is not a field\nhint: {hint}\n");
        assert_eq!(stderr(&output), expected);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn all_faults_of_a_file_are_named_at_once_by_their_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = changed_smoke(&[
        ("name = \"smoke\"", "seed = -1"),
        ("generations = 2", "generatons = 2"),
        ("side = \"both\"", "side = \"al\""),
        ("parallel_games = 8", "parallel_games = 0"),
        ("minimum = 500", "minimum = 500\nmaximum = 1"),
        ("opening_plies = 6", "parallel_games = 8"),
        ("baselines = [\"random\"]", "baselines = [\"best\"]"),
    ]);
    let found = faults(&write(folder.path(), "c.toml", &text));
    let line_of = |part: &str| {
        let line = text.lines().position(|line| line.contains(part));
        line.expect("a line") + 1
    };
    let expected = [
        ("seed", "`seed`: expected whole number from 0 up, found -1"),
        (
            "generatons",
            "`loop.generatons`: unknown field; did you mean `loop.generations`?",
        ),
        (
            "parallel_games = 0",
            "`runner.parallel_games`: expected whole number from 1 to 65536, found 0",
        ),
        (
            "\"al\"",
            "`selfplay.uneven[0].side`: expected \"stronger\" | \"either\" | \"both\", found \"al\"",
        ),
        ("maximum", "`replay.maximum`: 1 is less than `minimum`, 500"),
        (
            "parallel_games = 8",
            "`arena.parallel_games`: unknown field; did you mean `runner.parallel_games`?",
        ),
        (
            "best",
            "`ladder.baselines[0]`: unknown baseline \"best\"; use random, greedy, \
             rollouts:VISITS (1 to 1000000) or alphabeta:DEPTH (1 to 12)",
        ),
    ];
    let expected = expected.map(|(part, fault)| (line_of(part), format!("field {fault}")));
    assert_eq!(found, expected);
}

#[test]
fn texts_are_taken_as_they_are_and_other_values_refused_in_words() {
    for name in ["nan", "1.50", "2026-11-29"] {
        let said = succeeds(&show(SMOKE, &[&format!("name={name}")]));
        assert!(said.contains(&format!("name = \"{name}\"\n")), "{said}");
    }
    let end = "whole numbers end at 9223372036854775807";
    let said = stderr(&show(SMOKE, &["seed=18446744073709551615"]));
    let expected =
        format!("--set seed: expected whole number from 0 up, found 18446744073709551615; {end}");
    assert!(said.contains(&expected), "{said}");
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |text: &str, expected: &str| {
        let found = faults(&write(folder.path(), "c.toml", text));
        assert!(
            found.iter().any(|(_, fault)| fault.contains(expected)),
            "{found:?}"
        );
    };
    refused(
        "base = \"brandubh\"\nname = \"my rules\"\n",
        "expected letters, digits, `-` and `_`, 64 characters at most",
    );
    let braces = "loop = { games = 4 }\n[loop.asynchronous]\n";
    refused(
        braces,
        "a section in braces is whole: put the field into them",
    );
}

#[test]
fn a_name_of_another_program_is_answered_with_what_it_is_here() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "lr = 0.1\nepochs = 3\n[loop]\nbatch = 64\n[network]\nfilters = 64\nnum_layers = 5\n[search]\n\
                simulations = 100\ndirichlet_alpha = 0.3\n[selfplay]\nmax_moves = 90\n[trainer]\nmomentum = 0.9\n";
    let found = faults(&write(folder.path(), "c.toml", text));
    let expected = [
        (1, "lr", "did you mean `trainer.learning_rate.peak`?"),
        (
            2,
            "epochs",
            "did you mean `loop.reuse` or `loop.generations`?",
        ),
        (4, "loop.batch", "did you mean `loop.batch_size`?"),
        (6, "network.filters", "did you mean `network.channels`?"),
        (7, "network.num_layers", "did you mean `network.blocks`?"),
        (9, "search.simulations", "did you mean `search.visits`?"),
        (
            10,
            "search.dirichlet_alpha",
            "it is a constant of `search.puct`; the search without that section needs no such noise",
        ),
        (
            12,
            "selfplay.max_moves",
            "did you mean `selfplay.max_plies`?",
        ),
        (
            14,
            "trainer.momentum",
            "the optimizer is Muon with Adam, and its constants are not fields",
        ),
    ];
    let fault = |(line, field, advice)| (line, format!("field `{field}`: unknown field; {advice}"));
    assert_eq!(found, expected.map(fault));

    let text =
        "base = \"brandubh\"\ncorner_hostile = true\nmax_move = 80\nsurround = true\nwater = 1\n";
    let found = faults(&write(folder.path(), "r.toml", text));
    let none = "rulesets have no such rule";
    let expected = [
        (
            2,
            "corner_hostile",
            &*format!("{none}: corners that only the king enters are hostile to all"),
        ),
        (
            3,
            "max_move",
            &format!("{none}: a run cuts long games by `selfplay.max_plies`"),
        ),
        (4, "surround", "did you mean `encirclement`?"),
        (5, "water", none),
    ];
    assert_eq!(found, expected.map(fault));

    let advised = stderr(&config(&["explain", "simulations"]));
    assert!(
        advised.ends_with("hint: did you mean `search.visits`?\n"),
        "{advised}"
    );
}

#[test]
fn a_study_and_a_ruleset_are_checked_like_a_run() {
    fn owned<const N: usize>(faults: [(usize, &str); N]) -> [(usize, String); N] {
        faults.map(|(line, text)| (line, text.to_owned()))
    }
    let folder = tempfile::tempdir().expect("a folder");
    let study = read(&root().join("configs/balance/smoke.toml"));
    let wrong = changed(
        &study,
        &[
            ("max_plies = 120", "max_plys = 120"),
            ("count = 8", "count = 0"),
            ("reference = \"random\"", "yardstick = \"random\""),
        ],
    );
    let expected = [
        (
            6,
            "field `max_plys`: unknown field; did you mean `max_plies`?",
        ),
        (
            12,
            "field `openings.count`: expected whole number from 1 to 1000000, found 0",
        ),
        (16, "field `strength.yardstick`: unknown field"),
    ];
    let found = faults(&write(folder.path(), "study.toml", &wrong));
    assert_eq!(found, owned(expected));

    let wrong = changed(
        &study,
        &[
            ("\"tablut\"", "\"tabluta\""),
            ("strengths = [2, 8]", "strengths = [2, 2]"),
        ],
    );
    let found = faults(&write(folder.path(), "study.toml", &wrong));
    let expected = [
        (5, "field `rulesets`: unknown ruleset \"tabluta\""),
        (21, "field `players[0].strengths`: a number is given twice"),
    ];
    assert_eq!(found, owned(expected));

    let ruleset = "name = \"own\"\nbase = \"fetlar\"\nchain = \"maybe\"\nescpe = 1\n";
    let found = faults(&write(folder.path(), "ruleset.toml", ruleset));
    let expected = [
        (
            3,
            "field `chain`: expected \"none\" | \"optional\" | \"forced\", found \"maybe\"",
        ),
        (4, "field `escpe`: unknown field; did you mean `escape`?"),
    ];
    assert_eq!(found, owned(expected));
}

#[test]
fn folders_are_checked_with_the_files_below_them() {
    let checked = succeeds(&config(&["check", "configs", "data/nets"]));
    let studies_and_rulesets = SCHEMAS[1..].iter().map(|(_, folder)| files(folder).len());
    let count = run_configs().len() + studies_and_rulesets.sum::<usize>();
    assert_eq!(checked.lines().count(), count, "{checked}");
    for expected in [
        "fetlar is valid as a ruleset\n",
        "quickstart is valid as a run config; it trains copenhagen, as it names no `rulesets`; its ladder has 240 games of 32 visits a ply, 61 % of the visits of its self-play\n",
        "brandubh-cpu is valid as a run config; it trains brandubh; its ladder has 1280 games of 100 visits a ply, 22 % of the visits of its self-play\n",
    ] {
        assert!(checked.contains(expected), "{checked}");
    }

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    let empty = config(&["check", &path]);
    assert_eq!(stderr(&empty), format!("error: {path}: no .toml file\n"));

    write(folder.path(), "c.toml", &changed_smoke(&[]));
    let bad = write(folder.path(), "a.toml", "[loop]\nreuse = 0.0\n");
    let other = write(folder.path(), "ruff.toml", "line-length = 100\n");
    let output = config(&["check", &path]);
    let fault = "line 2: field `loop.reuse`: expected number from 0.01 to 1000, found 0.0";
    let left_out = format!("left out: 1 without a field of ours, such as {other}");
    let expected = format!("{left_out}\nerror: {bad}: {fault}\n");
    assert_eq!(stderr(&output), expected);
    let valid = String::from_utf8_lossy(&output.stdout);
    assert!(
        valid.contains("smoke is valid"),
        "the others are checked too: {valid}"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_field_is_shown_with_its_default_and_after_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "c.toml", "name = \"own\"\n");
    let text = succeeds(&show(&path, &[]));
    let whole = table(&text);
    let mut defaults = tafl_config::defaults::<RunConfig>();
    defaults.insert("name".to_owned(), "own".into());
    assert_eq!(whole, defaults);

    // What is shown is a config too, of the same run.
    let again = write(folder.path(), "again.toml", &text);
    assert_eq!(succeeds(&show(&again, &[])), text);

    let set = [
        "search.visits=7",
        "ladder.baselines=[\"greedy\"]",
        "device=cuda:1",
    ];
    let changed = table(&succeeds(&show(&path, &set)));
    assert_eq!(changed["search"]["visits"].as_integer(), Some(7));
    assert_eq!(changed["ladder"]["baselines"][0].as_str(), Some("greedy"));
    assert_eq!(changed["device"].as_str(), Some("cuda:1"));
    assert_eq!(given(&changed), given(&whole));

    let wrong = ["vists=7", "search.visits=0", "loop.mode=fast"];
    let output = show(&path, &wrong);
    let expected = "error: --set vists: unknown field; did you mean `arena.visits` or `search.visits`?\n\
                    error: --set search.visits: expected whole number from 1 to 1000000, found 0\n\
                    error: --set loop.mode: unknown field\n";
    assert_eq!(stderr(&output), expected);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn two_configs_are_compared_field_by_field() {
    let output = config(&["diff", "configs/quickstart.toml", SMOKE]);
    let text = String::from_utf8_lossy(&output.stdout);
    let row = |name: &str| {
        let row = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name));
        row.map(|row| row.split_whitespace().skip(1).collect::<Vec<_>>())
    };
    assert_eq!(row("name"), Some(vec!["\"quickstart\"", "\"smoke\""]));
    assert_eq!(row("ladder.pool_every"), Some(vec!["20", "1"]));
    assert_eq!(row("loop.games"), Some(vec!["100", "16"]));
    assert_eq!(row("search.puct.c_puct"), None, "{text}");
    assert_eq!(output.status.code(), Some(1));

    let folder = tempfile::tempdir().expect("a folder");
    let compared = |text: &str| {
        let other = write(folder.path(), "c.toml", text);
        let output = config(&["diff", SMOKE, &other]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let same = changed_smoke(&[
        ("held_out_fraction = 0.0", "held_out_fraction = 0"),
        ("warmup_steps = 2\n", "warmup_steps = 2\npeak = 0.004\n"),
    ]);
    assert_eq!(compared(&same), "all fields are equal\n", "0 is 0.0");
    let puct = changed_smoke(&[("moves = 4\n", "moves = 4\n\n[search.puct]\n")]);
    let text = compared(&puct);
    let rows = text.lines().skip(2);
    let rows: Vec<Vec<&str>> = rows.map(|it| it.split_whitespace().collect()).collect();
    assert_eq!(rows, [["search.puct.c_puct", "–", "1.25"]], "{text}");
}

#[test]
fn the_configs_of_the_repository_state_only_what_differs_from_the_defaults() {
    fn check<T: Config>(path: &Path, _: &T) {
        let stated = table(&read(path));
        let fields = tafl_config::fields::<T>().into_iter();
        for field in fields.filter(|it| !it.is_section()) {
            let found = tafl_config::value(&stated, &field.path);
            let differs = found.is_none() || found != field.default.as_ref();
            assert!(differs, "{}: {}", path.display(), field.path);
        }
    }
    for path in run_configs() {
        let loaded = tafl_training::load(&path, &[]).expect("a valid config");
        check(&path, &loaded.config);
    }
    for path in files("configs/balance") {
        let loaded = tafl_studies::load_study(&path, &[]).expect("a valid study");
        check(&path, &loaded.config);
        assert!(!read(&path).contains("strengths = []"), "the default");
    }
    let quickstart = read(&root().join("configs/quickstart.toml"));
    assert!(quickstart.lines().count() <= 40, "it fits on one screen");
}

#[test]
fn a_run_of_another_version_goes_on_unless_it_has_an_unknown_field() {
    let folder = tempfile::tempdir().expect("a folder");
    let train = ["train", SMOKE, "--set", "loop.generations=1"];
    succeeds(&run(folder.path(), &train));
    let path = folder.path().join("runs/smoke/config.toml");
    let whole = read(&path);
    // As another version would have stored it.
    let store = |text: &str| {
        let manifest = folder.path().join("runs/smoke/manifest.json");
        let [before, after] = [&read(&path), text].map(|it| tafl_store::sha256_hex(it.as_bytes()));
        let changed = read(&manifest).replace(&before, &after);
        std::fs::write(&manifest, changed).expect("written");
        std::fs::write(&path, text).expect("written");
    };
    let defaults = tafl_config::defaults::<RunConfig>();
    assert_eq!(given(&table(&whole)), given(&defaults), "all are stored");

    let is_old =
        |line: &&str| !line.starts_with("average_decay") && !line.starts_with("value_lambda");
    let lines = whole.lines().filter(is_old);
    let old: String = lines.map(|line| format!("{line}\n")).collect();
    assert_eq!(whole.lines().count(), old.lines().count() + 2);
    // A field that earlier versions had, and that configs of one's own must not have.
    let old = old.replace("[replay]\n", "[replay]\nsurprise_share = 0.5\n");
    let own = write(folder.path(), "own.toml", &old);
    let (line, fault) = faults(&own).remove(0);
    assert_eq!(old.lines().nth(line - 1), Some("surprise_share = 0.5"));
    assert_eq!(
        fault,
        "field `replay.surprise_share`: no longer a field; remove it"
    );
    store(&old);
    let resume = [&train[..], &["--resume"]].concat();
    let table = succeeds(&run(folder.path(), &resume));
    assert!(table.contains("checkpoint 1"), "{table}");

    let unknown = old.replace("[search]\n", "[search]\nwin_early = true\n");
    store(&unknown);
    let refused = run(folder.path(), &resume);
    let line = unknown.lines().position(|line| line == "win_early = true");
    let expected = format!(
        "error: {}: line {}: field `search.win_early`: unknown field\nhint: a run of another version cannot be \
         resumed; `tafl train CONFIG --run NAME --from CHECKPOINT` continues with its weights\n",
        path.display(),
        line.expect("a line") + 1
    );
    assert_eq!(stderr(&refused), expected);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(read(&path), unknown, "nothing is changed");
    let own = path.with_file_name("").to_string_lossy().into_owned();
    let said = stderr(&run(folder.path(), &["train", &own, "--resume"]));
    let hint = "\nhint: put config.toml back from a copy; ";
    assert!(said.contains(hint), "{said}");
}

#[test]
fn versions_name_what_must_be_the_same_everywhere() {
    let place = tempfile::tempdir().expect("a folder");
    let said = run(place.path(), &["config", "versions", "configs/smoke.toml"]);
    let versions: serde_json::Value = serde_json::from_str(&succeeds(&said)).expect("JSON");
    assert_eq!(versions["tafl"], env!("CARGO_PKG_VERSION"));
    assert_eq!(versions["encoding"], tafl_samples::ENCODING_VERSION);
    assert_eq!(versions["samples"], tafl_dataset::SCHEMA_VERSION);
    let rules = tafl_rules::preset("copenhagen").expect("a preset");
    let fingerprint = format!("{:016x}", rules.fingerprint());
    assert_eq!(versions["rulesets"]["copenhagen"], fingerprint.as_str());
}
