//! `tafl config`: the schemas for editors, explanations, faults, differences, and runs older than a field.
//!
//! `UPDATE=1 cargo test --release -p tafl-cli --test config` writes the schemas in `configs/` anew.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{root, run, succeeds};

/// Each schema and the folder whose files it describes.
const SCHEMAS: [(&str, &str); 3] = [
    ("run", "configs"),
    ("ruleset", "configs/rulesets"),
    ("balance", "configs/balance"),
];

fn config(arguments: &[&str]) -> std::process::Output {
    run(Path::new("data"), &[&["config"], arguments].concat())
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
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

fn validator(kind: &str) -> jsonschema::Validator {
    let schema = succeeds(&config(&["schema", kind]));
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    jsonschema::draft7::meta::validate(&schema).expect("a schema of draft 7");
    jsonschema::draft7::new(&schema).expect("a schema")
}

fn parse(text: &str) -> Value {
    let table: toml::Table = text.parse().expect("TOML");
    serde_json::to_value(table).expect("a table is JSON too")
}

fn smoke() -> String {
    std::fs::read_to_string(root().join("configs/smoke.toml")).expect("readable")
}

/// Writes a changed copy of `configs/smoke.toml`.
fn changed_smoke(folder: &Path, changes: &[(&str, &str)]) -> PathBuf {
    let mut text = smoke();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from:?} stands once");
        text = text.replace(from, to);
    }
    let path = folder.join("c.toml");
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn the_schemas_in_the_repository_are_current_and_every_file_names_its_own() {
    for (kind, folder) in SCHEMAS {
        let schema = succeeds(&config(&["schema", kind]));
        let name = format!("{kind}.schema.json");
        let path = root().join(folder).join(&name);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &schema).expect("written");
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            schema == stored,
            "{name} is not current; UPDATE=1 accepts the change"
        );
        for file in files(folder) {
            let text = std::fs::read_to_string(&file).expect("readable");
            let first = text.lines().next().unwrap_or_default();
            assert_eq!(first, format!("#:schema {name}"), "{}", file.display());
        }
    }
}

#[test]
fn the_schemas_accept_every_file_of_the_repository() {
    for (kind, folder) in SCHEMAS {
        let validator = validator(kind);
        for file in files(folder) {
            let text = std::fs::read_to_string(&file).expect("readable");
            let errors: Vec<String> = validator
                .iter_errors(&parse(&text))
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert_eq!(errors, Vec::<String>::new(), "{}", file.display());
        }
    }
}

#[test]
fn the_schemas_refuse_what_the_program_refuses() {
    let run = validator("run");
    for (from, to) in [
        ("reuse = 6.0", "reuses = 6.0"),
        ("reuse = 6.0", ""),
        ("reuse = 6.0", "reuse = \"many\""),
        ("reuse = 6.0", "reuse = 0.0"),
        ("q_range = \"unit\"", "q_range = \"units\""),
        ("average_decay = 0.98", "average_decay = 1.0"),
        ("handicap_rates = [0.8, 1.0]", "handicap_rates = [0.8]"),
        ("rulesets = [\"copenhagen\"]", "rulesets = []"),
        ("device = \"cpu\"", "device = \"gpu\""),
        ("name = \"smoke\"", "name = \"../smoke\""),
    ] {
        assert_eq!(smoke().matches(from).count(), 1, "{from:?}");
        assert!(!run.is_valid(&parse(&smoke().replace(from, to))), "{to:?}");
    }
    let ruleset = validator("ruleset");
    assert!(ruleset.is_valid(&parse(
        "name = \"own\"\nbase = \"fetlar\"\nchain = \"forced\""
    )));
    for text in [
        "name = \"own\"",
        "name = \"own\"\nbase = \"hnefatafl\"",
        "name = \"own\"\nbase = \"fetlar\"\nchain = \"maybe\"",
        "name = \"own\"\nbase = \"fetlar\"\nshield_wall = true",
        "name = \"own\"\nbase = \"fetlar\"\ncaptureless_limit = 0",
    ] {
        assert!(!ruleset.is_valid(&parse(text)), "{text:?}");
    }
}

#[test]
fn a_field_is_explained_with_its_range_its_sources_and_its_values() {
    let text = succeeds(&config(&["explain", "search.gumbel.c_scale"]));
    let (head, rest) = text.split_once('\n').expect("lines");
    assert_eq!(head, "search.gumbel.c_scale: number from 0 to 100");
    assert!(rest.contains("mctx: 0.1"), "{text}");
    let values: Vec<Vec<&str>> = rest
        .lines()
        .map(|it| it.split_whitespace().collect())
        .collect();
    assert!(values.contains(&vec!["quickstart", "4.0"]), "{text}");

    let text = succeeds(&config(&["explain", "escape"]));
    assert!(text.starts_with("ruleset.escape: "), "{text}");
    assert!(text.contains("\"edges\": Any edge square"), "{text}");
    assert!(
        text.contains("  brandubh               \"corners\"\n"),
        "{text}"
    );

    let both = succeeds(&config(&["explain", "visits"]));
    assert!(
        both.contains("search.visits: ") && both.contains("arena.visits: "),
        "{both}"
    );

    let folder = tempfile::tempdir().expect("a folder");
    let path = changed_smoke(folder.path(), &[("draw_value = 0.0", "draw_value = -0.15")]);
    let path = path.display().to_string();
    let text = succeeds(&config(&[
        "explain",
        "search.draw_value",
        "--config",
        &path,
    ]));
    assert!(
        text.contains("-0.15") && !text.contains("quickstart"),
        "{text}"
    );
}

#[test]
fn every_field_of_the_configs_is_listed_and_explained() {
    let list = succeeds(&config(&["explain"]));
    let table: toml::Table = smoke().parse().expect("TOML");
    for (section, value) in &table {
        assert!(list.contains(&format!("\n{section} ")), "{section}: {list}");
        let text = succeeds(&config(&["explain", section]));
        for name in value.as_table().into_iter().flat_map(toml::Table::keys) {
            assert!(list.contains(&format!("  {section}.{name} ")), "{name}");
            let head = format!("\n{section}.{name}: ");
            assert!(text.contains(&head), "{head}: {text}");
        }
    }
}

#[test]
fn a_misspelt_field_is_answered_with_the_nearest_one() {
    for (typed, hint) in [
        (
            "search.gumbel.c_scal",
            "did you mean search.gumbel.c_scale?",
        ),
        ("c_scal", "did you mean c_scale?"),
        ("sarch", "did you mean search?"),
        ("xyzzyxyzzy", "`tafl config explain` lists all fields"),
    ] {
        let output = config(&["explain", typed]);
        let expected = format!("error: {typed:?} is no field\nhint: {hint}\n");
        assert_eq!(stderr(&output), expected);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn all_faults_of_a_file_are_named_at_once_by_their_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let changes = [
        ("seed = 1", "seed = -1"),
        ("reuse = 6.0", "reuses = 6.0"),
        ("q_range = \"unit\"", "q_range = \"units\""),
        ("max_plies = 120\nrandom", "max_plies = 3\nrandom"),
        ("maximum = 1000000", "maximum = 1"),
        ("baselines = [\"random\"]", "baselines = [\"best\"]"),
    ];
    let path = changed_smoke(folder.path(), &changes);
    let output = config(&["check", &path.display().to_string()]);
    let text = stderr(&output);
    let faults: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            line.strip_prefix("error: ")?
                .split_once(": line ")
                .map(|it| it.1)
        })
        .collect();
    let lines: Vec<u32> = faults
        .iter()
        .map(|fault| {
            fault
                .split(':')
                .next()
                .unwrap_or_default()
                .parse()
                .expect("a line")
        })
        .collect();
    assert!(lines.is_sorted(), "{text}");
    for expected in [
        "field `seed`: invalid value",
        "field `loop.reuses`: unknown field `reuses`; did you mean `reuse`?",
        "field `search.gumbel.q_range`: unknown variant `units`, expected `unit` or `min-max`",
        "field `selfplay.random_opening_plies`: 4 is not a number from 0 to 2",
        "field `replay.maximum`: 1 is less than `minimum`, 200",
        "field `ladder.baselines[0]`: \"best\" is no baseline",
    ] {
        assert!(
            faults.iter().any(|fault| fault.contains(expected)),
            "{expected}: {text}"
        );
    }
    assert_eq!(faults.len(), changes.len(), "{text}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn folders_are_checked_with_the_rulesets_in_them() {
    let checked = succeeds(&config(&["check", "configs"]));
    let count = SCHEMAS
        .map(|(_, folder)| files(folder).len())
        .iter()
        .sum::<usize>();
    assert_eq!(checked.lines().count(), count, "{checked}");
    assert!(checked.contains("fetlar is sound"), "{checked}");

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    let empty = config(&["check", &path]);
    assert_eq!(stderr(&empty), format!("error: {path}: no .toml file\n"));

    changed_smoke(folder.path(), &[]);
    let bad = folder.path().join("a.toml");
    std::fs::write(
        &bad,
        "name = \"own\"\nbase = \"fetlar\"\nchain = \"maybe\"\nescpe = 1\n",
    )
    .expect("written");
    let output = config(&["check", &path]);
    let text = stderr(&output);
    let bad = bad.display();
    assert!(
        text.contains(&format!(
            "error: {bad}: line 3: field `chain`: unknown variant"
        )),
        "{text}"
    );
    assert!(
        text.contains(&format!(
            "error: {bad}: line 4: field `escpe`: unknown field `escpe`; did you mean `escape`?"
        )),
        "{text}"
    );
    let sound = String::from_utf8_lossy(&output.stdout);
    assert!(
        sound.contains("smoke is sound"),
        "the others are checked too: {sound}"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn two_configs_are_compared_field_by_field() {
    let output = config(&["diff", "configs/quickstart.toml", "configs/smoke.toml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let row = |name: &str| {
        let row = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name));
        row.map(|row| row.split_whitespace().skip(1).collect::<Vec<_>>())
    };
    assert_eq!(row("name"), Some(vec!["\"quickstart\"", "\"smoke\""]));
    assert_eq!(row("ladder.opponents"), Some(vec!["[]", "[1]"]));
    assert_eq!(row("search.gumbel.c_scale"), None, "{text}");
    assert_eq!(output.status.code(), Some(1));

    let folder = tempfile::tempdir().expect("a folder");
    let other = changed_smoke(
        folder.path(),
        &[("reuse = 6.0", "reuse = 6"), ("draw_value = 0.0\n", "")],
    );
    let output = config(&["diff", "configs/smoke.toml", &other.display().to_string()]);
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(rows.len(), 1, "6 is 6.0: {text}");
    assert_eq!(
        rows[0].split_whitespace().collect::<Vec<_>>(),
        ["search.draw_value", "0.0", "–"]
    );
    let same = succeeds(&config(&[
        "diff",
        "configs/smoke.toml",
        "configs/smoke.toml",
    ]));
    assert_eq!(same, "all fields are equal\n");
}

#[test]
fn a_run_of_another_version_goes_on_when_its_fields_are_set_and_unset() {
    let folder = tempfile::tempdir().expect("a folder");
    let train = ["train", "configs/smoke.toml", "--set", "loop.generations=1"];
    succeeds(&run(folder.path(), &train));
    let run_folder = folder.path().join("runs/smoke");
    let path = run_folder.join("config.toml");
    let whole = std::fs::read_to_string(&path).expect("readable");
    let is_old = |line: &&str| !line.starts_with("checkpoint_steps") && !line.starts_with("games");
    let old: String = whole
        .lines()
        .filter(is_old)
        .map(|line| format!("{line}\n"))
        .collect();
    let old = old.replace("[search]\n", "[search]\nwin_early = true\n");
    std::fs::write(&path, &old).expect("written");

    let resume = [&train[..], &["--resume"]].concat();
    let refused = run(folder.path(), &resume);
    let expected = format!(
        "error: {}: the run is from another version: it lacks \
         `loop.asynchronous.checkpoint_steps` and `selfplay.games`, \
         it has `search.win_early = true`, which this version does not know\n\
         hint: `tafl train CONFIG --resume --set loop.asynchronous.checkpoint_steps=1000 \
         --set selfplay.games=VALUE --unset search.win_early` goes on as before; \
         `tafl config explain selfplay.games` helps with VALUE\n",
        path.display()
    );
    assert_eq!(stderr(&refused), expected);
    assert_eq!(refused.status.code(), Some(2));
    let wrong = run(
        folder.path(),
        &[&resume[..], &["--unset", "search.visits"]].concat(),
    );
    assert!(
        stderr(&wrong).starts_with("error: --unset search.visits: "),
        "{wrong:?}"
    );
    let stored = || std::fs::read_to_string(&path).expect("readable");
    assert_eq!(stored(), old, "nothing is changed");

    let mended = [
        &resume[..],
        &[
            "--set",
            "loop.asynchronous.checkpoint_steps=5",
            "--set",
            "selfplay.games=16",
        ],
        &["--unset", "search.win_early"],
    ];
    let table = succeeds(&run(folder.path(), &mended.concat()));
    assert!(table.contains("checkpoint 1"), "{table}");
    assert_eq!(stored(), whole, "the values are stored");
    let manifest = std::fs::read(run_folder.join("manifest.json")).expect("readable");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    let sha256 = tafl_dataset::sha256_hex(whole.as_bytes());
    assert!(manifest.to_string().contains(&sha256), "{manifest}");
    succeeds(&run(folder.path(), &resume));
}
