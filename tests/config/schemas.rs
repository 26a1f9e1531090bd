//! The schemas that editors read: current, of draft 7, and of one mind with the program about what is valid.

use crate::config::{
    SCHEMAS, changed, changed_smoke, config, faults, files, read, run_configs, write,
};
use crate::support::python::packages;
use crate::support::{root, succeeds};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tafl_config::{Config, Field, RulesetFile};
use tafl_dataset::SCHEMA_VERSION;
use tafl_network::CHECKPOINT_FORMAT;
use tafl_samples::{ENCODING_VERSION, PLANES};
use tafl_studies::{StudyConfig, SweepConfig};
use tafl_training::RunConfig;

/// Says of each TOML text what Python's `jsonschema` refuses in it.
const VALIDATE: &str = "
import json, sys, tomllib
from jsonschema import Draft7Validator
schema, texts = json.load(sys.stdin)
Draft7Validator.check_schema(schema)
validator = Draft7Validator(schema)
json.dump([[error.json_path for error in validator.iter_errors(tomllib.loads(text))] for text in texts], sys.stdout)
";

fn schema(kind: &str) -> Value {
    let schema = succeeds(&config(&["schema", kind]));
    serde_json::from_str(&schema).expect("JSON")
}

/// Returns where a validator that knows nothing of ours finds faults in each of some TOML texts.
fn refused(kind: &str, texts: &[String]) -> Vec<Vec<String>> {
    let mut python = Command::new("python3")
        .args(["-c", VALIDATE])
        .env("PYTHONPATH", packages("notebooks"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is there");
    let question = serde_json::json!([schema(kind), texts]).to_string();
    let mut stdin = python.stdin.take().expect("piped");
    stdin.write_all(question.as_bytes()).expect("read");
    drop(stdin);
    let output = python.wait_with_output().expect("it ends");
    let answers: Vec<Vec<String>> = serde_json::from_str(&succeeds(&output)).expect("JSON");
    assert_eq!(answers.len(), texts.len());
    answers
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
            let text = read(&file);
            let first = text.lines().next().unwrap_or_default();
            assert_eq!(first, format!("#:schema {name}"), "{}", file.display());
        }
    }
}

#[test]
fn the_schemas_accept_every_file_of_the_repository() {
    for (kind, folder) in SCHEMAS {
        let files = match kind {
            "run" => run_configs(),
            _ => files(folder),
        };
        let texts: Vec<String> = files.iter().map(|file| read(file)).collect();
        for (file, found) in files.iter().zip(refused(kind, &texts)) {
            assert!(found.is_empty(), "{}: {found:?}", file.display());
        }
    }
}

#[test]
fn the_schemas_refuse_what_the_program_refuses() {
    let run = [
        ("generations = 2", "generation = 2"),
        ("batch_size = 32", "batch_size = \"many\""),
        ("batch_size = 32", "batch_size = 0"),
        ("batch_size = 32", "mode = \"synchronous\""),
        ("considered_moves = 4", "considered_moves = 0"),
        ("minimum = 500", "held_out = 0.1"),
        ("final_fraction = 0.4", "final_fraction = 1.4"),
        ("side = \"both\"", "side = \"all\""),
        ("share = 0.4", "share = 1.4"),
        ("share = 0.4", "random_plies = 0.4"),
        ("name = \"smoke\"", "rulesets = []"),
        ("name = \"smoke\"", "device = \"gpu\""),
        ("name = \"smoke\"", "name = \"../smoke\""),
    ];
    let ruleset = [
        "name = \"own\"\nbase = \"hnefatafl\"",
        "name = \"own\"\nbase = \"fetlar\"\nchain = \"maybe\"",
        "name = \"own\"\nbase = \"fetlar\"\nshield_wall = true",
        "name = \"own\"\nbase = \"fetlar\"\ncaptureless_limit = 0",
        "name = \"own\"\nbase = \"fetlar\"\ncaptureless_limit = \"some\"",
    ];
    let study = read(&root().join("configs/balance/smoke.toml"));
    let balance = [
        ("max_plies = 120", "parallel_games = 16"),
        ("count = 8", "count = 0"),
        ("player = \"greedy\"", "players = \"greedy\""),
        ("strengths = [2, 8]", "strengths = [0]"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (kind, texts) in [
        ("run", run.map(|change| changed_smoke(&[change])).to_vec()),
        ("ruleset", ruleset.map(str::to_owned).to_vec()),
        ("balance", balance.map(|it| changed(&study, &[it])).to_vec()),
    ] {
        for (text, found) in texts.iter().zip(refused(kind, &texts)) {
            assert!(!found.is_empty(), "{text}");
            let path = write(folder.path(), "refused.toml", text);
            assert!(!faults(&path).is_empty(), "{text}");
        }
    }
    // `config check` takes such a file for that of a run.
    let incomplete = refused("ruleset", &["name = \"own\"".to_owned()]);
    assert_eq!(incomplete, [["$"]]);
}

/// A value of each kind, and near-misses of forms; none that JSON lacks, or takes for another: it has no infinity, and 1.0 is
/// a whole number there.
const VALUES: [&str; 24] = [
    "-1",
    "0",
    "1",
    "9223372036854775807",
    "0.5",
    "1e300",
    "-0.0001",
    "true",
    "1979-05-27",
    "{}",
    "{ unknown = 1 }",
    "\"\"",
    "\"x\"",
    "\".x\"",
    "\"a b\"",
    "\"cpux\"",
    "\"cuda:1\"",
    "\"cuda:x\"",
    "\"xcuda\"",
    "\"é\"",
    "[]",
    "[0]",
    "[1, 1]",
    "[\"x\"]",
];

/// Returns values of the field and values at the ends of its range, on both sides.
fn values(field: &Field, schema: &Value) -> Vec<String> {
    let mut found = VALUES.map(str::to_owned).to_vec();
    let limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    for limit in limits.iter().filter_map(|limit| schema.get(limit)) {
        match (limit.as_i64(), limit.as_f64()) {
            (Some(i64::MAX), _) | (_, None) => {}
            (Some(whole), _) => {
                found.extend([whole - 1, whole, whole + 1].map(|it| it.to_string()))
            }
            (_, Some(number)) => {
                found.extend([number - 0.001, number, number + 0.001].map(|it| format!("{it:?}")));
            }
        }
    }
    for length in ["minLength", "maxLength"]
        .iter()
        .filter_map(|it| schema[it].as_u64())
    {
        found.extend([length, length + 1].map(|it| format!("\"{}\"", "x".repeat(it as usize))));
    }
    found.extend(field.default.iter().map(tafl_config::display));
    let words = field.choices().into_iter().map(|(word, _)| word);
    found.extend(words.filter(|word| word.starts_with('"')));
    found
}

/// Asserts that the program finds those fields wrong in form in which the other validator finds a fault: each field with all
/// of its values in turn, and what is no section in place of each section. Returns how many were valid and how many not.
fn agree<C: Config>(kind: &str, common: &str) -> [usize; 2] {
    let mistakes = tafl_config::mistakes::<C>();
    assert!(mistakes.is_empty(), "{kind}: {mistakes:?}");
    let schema = schema(kind);
    let fields = tafl_config::fields::<C>().into_iter();
    let fields = fields.filter(|it| !it.is_of_entries() && !common.starts_with(&it.path));
    let (sections, fields): (Vec<Field>, Vec<Field>) = fields.partition(Field::is_section);
    let given = fields.iter().map(|field| {
        let mut path = field.path.split('.');
        values(
            field,
            path.try_fold(&schema, |it, name| it["properties"].get(name))
                .expect("known"),
        )
    });
    let given: Vec<Vec<String>> = given.collect();
    let turns = given.iter().map(Vec::len).max().unwrap_or_default();
    let mut texts: Vec<String> = (0..turns)
        .map(|turn| {
            let lines = fields.iter().zip(&given);
            let lines = lines.map(|(field, values)| {
                format!("{} = {}\n", field.path, values[turn % values.len()])
            });
            lines.collect()
        })
        .collect();
    let others = ["3", "\"x\"", "[]", "true"].into_iter().cycle();
    texts.extend(
        sections
            .iter()
            .zip(others)
            .map(|(section, other)| format!("{} = {other}\n", section.path)),
    );
    let texts: Vec<String> = texts.iter().map(|text| format!("{common}{text}")).collect();
    let mut refused_fields = 0;
    for (text, elsewhere) in texts.iter().zip(refused(kind, &texts)) {
        let own = tafl_config::read_text::<C>(Path::new("own.toml"), text, &[]);
        let own = own.err().map_or_else(Vec::new, |it| it.0).into_iter();
        let own = own.filter(|it| it.error.reason.starts_with("expected "));
        let own: BTreeSet<String> = own.map(|it| it.error.field).collect();
        let elsewhere = elsewhere
            .iter()
            .map(|it| it.trim_start_matches(['$', '.']).to_owned());
        assert_eq!(own, elsewhere.collect(), "{text}");
        refused_fields += own.len();
    }
    [turns * fields.len() - refused_fields, refused_fields]
}

#[test]
fn the_program_and_an_independent_validator_agree_on_every_field() {
    for [valid, refused] in [
        agree::<RunConfig>("run", ""),
        agree::<StudyConfig>("balance", ""),
        agree::<SweepConfig>("sweep", ""),
        agree::<RulesetFile>("ruleset", "base = \"fetlar\"\n"),
    ] {
        assert!(valid > 20 && refused > 50, "{valid} {refused}");
    }
}

/// Returns how many fields a config has.
fn declared<C: Config>() -> usize {
    let fields = tafl_config::fields::<C>();
    fields.iter().filter(|field| !field.is_section()).count()
}

#[test]
fn the_changelog_tells_the_formats_of_today() {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).expect("readable");
    let card = read("crates/tafl-network/src/export/card.rs");
    let (_, export) = card.split_once("EXPORT_FORMAT: u32 = ").expect("a version");
    let (export, _) = export.split_once(';').expect("a number");
    let told = read("CHANGELOG.md");
    for words in [
        format!("**Configs** have {} fields.", declared::<RunConfig>()),
        format!(
            "**Checkpoints**: format {CHECKPOINT_FORMAT}, encoding {ENCODING_VERSION} ({PLANES} planes)."
        ),
        format!("**Parquet**: schema version {SCHEMA_VERSION}."),
        format!("**Exports**: `export_format` {export};"),
    ] {
        assert!(told.contains(&words), "{words}");
    }
}

#[test]
fn every_field_is_documented_and_their_number_stays_small() {
    let fields = declared::<RunConfig>();
    #[expect(clippy::print_stdout, reason = "the number is what people look for")]
    {
        println!("a run config has {fields} fields");
    }
    assert!(fields <= 55, "{fields} fields");
    assert!(declared::<StudyConfig>() > 10);
}
