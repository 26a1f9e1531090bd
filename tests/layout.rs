//! The layout of the repository: who may depend on whom, and how large files may grow.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate and the crates of the workspace that it may use.
const MAY_USE: [(&str, &[&str]); 11] = [
    ("tafl-config", &[]),
    ("tafl-rules", &[]),
    ("tafl-search", &["tafl-rules"]),
    ("tafl-samples", &["tafl-rules"]),
    (
        "tafl-selfplay",
        &["tafl-rules", "tafl-search", "tafl-samples"],
    ),
    ("tafl-dataset", &["tafl-rules", "tafl-samples"]),
    (
        "tafl-network",
        &["tafl-rules", "tafl-search", "tafl-samples"],
    ),
    ("tafl-engine", &["tafl-rules", "tafl-search"]),
    (
        "tafl-arena",
        &[
            "tafl-rules",
            "tafl-search",
            "tafl-samples",
            "tafl-selfplay",
            "tafl-engine",
        ],
    ),
    (
        "tafl-report",
        &["tafl-rules", "tafl-samples", "tafl-dataset", "tafl-arena"],
    ),
    (
        "tafl-cli",
        &[
            "tafl-rules",
            "tafl-search",
            "tafl-samples",
            "tafl-selfplay",
            "tafl-dataset",
            "tafl-network",
            "tafl-engine",
            "tafl-arena",
            "tafl-report",
        ],
    ),
];

const LIBTORCH: [&str; 2] = ["tch", "torch-sys"];
const PARQUET: [&str; 2] = ["parquet", "arrow"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Direct dependencies of every crate of the workspace, those of its tests left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    packages
        .iter()
        .map(|package| (name(package), direct(package)))
        .collect()
}

fn direct(package: &Value) -> BTreeSet<String> {
    let all = package["dependencies"].as_array().expect("a list");
    all.iter()
        .filter(|dependency| dependency["kind"].is_null())
        .map(name)
        .collect()
}

fn name(value: &Value) -> String {
    value["name"].as_str().expect("a name").to_owned()
}

/// All files that git tracks or would track, with their number of lines.
fn files(folders: &[&str]) -> Vec<(String, String)> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "--",
        ])
        .args(folders)
        .current_dir(root())
        .output()
        .expect("git runs");
    let names = String::from_utf8(output.stdout).expect("names are UTF-8");
    let names = names.split('\0').filter(|name| !name.is_empty());
    names
        .filter_map(|name| {
            Some((
                name.to_owned(),
                std::fs::read_to_string(root().join(name)).ok()?,
            ))
        })
        .collect()
}

#[test]
fn the_rules_depend_on_three_small_crates() {
    // By default; the feature `schema` adds schemars.
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix=none", "--format={lib}"])
        .args(["--edges=normal", "--depth=1", "--package=tafl-rules"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let tree = String::from_utf8_lossy(&output.stdout);
    let used: BTreeSet<&str> = tree.lines().filter(|name| *name != "tafl_rules").collect();
    assert_eq!(used, BTreeSet::from(["rayon", "serde", "thiserror"]));
}

#[test]
fn crates_depend_only_downwards() {
    let dependencies = dependencies();
    let known: Vec<&str> = MAY_USE.iter().map(|&(name, _)| name).collect();
    assert_eq!(
        dependencies
            .keys()
            .map(String::as_str)
            .collect::<BTreeSet<_>>(),
        known.iter().copied().collect()
    );
    for (crate_name, allowed) in MAY_USE {
        for used in dependencies[crate_name]
            .iter()
            .filter(|used| known.contains(&used.as_str()))
        {
            assert!(allowed.contains(&used.as_str()), "{crate_name} uses {used}");
        }
        // The table has no cycle: each crate may use only those listed before it.
        let position = known
            .iter()
            .position(|&name| name == crate_name)
            .expect("in the table");
        assert!(
            allowed.iter().all(|name| known[..position].contains(name)),
            "{crate_name}"
        );
    }
}

#[test]
fn libtorch_and_parquet_have_one_crate_each() {
    let dependencies = dependencies();
    let users = |libraries: [&str; 2]| -> Vec<&str> {
        let uses =
            |used: &BTreeSet<String>| libraries.iter().any(|&library| used.contains(library));
        dependencies
            .iter()
            .filter(|(_, used)| uses(used))
            .map(|(name, _)| name.as_str())
            .collect()
    };
    assert_eq!(users(LIBTORCH), ["tafl-network"]);
    assert_eq!(users(PARQUET), ["tafl-dataset"]);
}

#[test]
fn most_crates_build_without_libtorch() {
    for (crate_name, _) in MAY_USE
        .into_iter()
        .filter(|(name, _)| !matches!(*name, "tafl-network" | "tafl-cli"))
    {
        let output = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--offline",
                "--prefix=none",
                "--format={lib}",
                "--edges=normal,build",
                "--package",
                crate_name,
            ])
            .current_dir(root())
            .output()
            .expect("cargo runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let tree = String::from_utf8_lossy(&output.stdout);
        let torch = tree
            .lines()
            .find(|line| matches!(*line, "tch" | "torch_sys"));
        assert_eq!(torch, None, "{crate_name} needs libtorch");
    }
}

#[test]
fn files_stay_readable() {
    let limit = |name: &str| match name {
        _ if name.ends_with("src/lib.rs") || name.ends_with("src/main.rs") => 80,
        _ if name.ends_with(".rs") => 600,
        _ if name.ends_with(".js") || name.ends_with(".css") || name.ends_with(".html") => 400,
        _ if name.starts_with("crates/") && name.ends_with("README.md") => 60,
        // What sets the program up cannot be a command of the program.
        "scripts/setup-libtorch" => 80,
        // What PyTorch does can only be written in its language.
        "scripts/bench-train-pytorch" => 200,
        _ if name.starts_with("scripts/") && !name.ends_with(".txt") => 40,
        _ => usize::MAX,
    };
    let long: Vec<String> = files(&["crates", "tests", "scripts"])
        .into_iter()
        .map(|(name, text)| (text.lines().count(), name))
        .filter(|(lines, name)| *lines > limit(name))
        .map(|(lines, name)| format!("{name}: {lines} lines, at most {}", limit(&name)))
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn nothing_is_left_for_later() {
    let marks = [
        concat!("TO", "DO"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[", "ignore"),
    ];
    let found: Vec<String> = files(&["crates", "tests", "scripts", "configs"])
        .into_iter()
        .filter(|(name, text)| {
            !name.ends_with(".jsonl") && marks.iter().any(|mark| text.contains(mark))
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_top_level_holds_what_the_layout_names() {
    let folders: BTreeSet<String> = files(&["."])
        .into_iter()
        .filter_map(|(name, _)| name.split_once('/').map(|(folder, _)| folder.to_owned()))
        .filter(|folder| !folder.starts_with('.'))
        .collect();
    let expected = ["configs", "crates", "data", "notebooks", "scripts", "tests"];
    assert_eq!(folders, expected.map(str::to_owned).into());
}
