//! The layout of the repository: who may depend on whom, how large files may grow, and where a change has its places.

mod circles;
mod packages;
mod places;

use crate::support::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Each crate and the crates that it may use, without the `tafl-` of their names; `CONTRIBUTING.md` has the same table.
const MAY_USE: [(&str, &[&str]); 18] = [
    ("rules", &[]),
    ("search", &["rules"]),
    ("samples", &["rules"]),
    ("graph", &[]),
    ("forward", &["rules", "search", "samples", "graph"]),
    ("store", &[]),
    ("config", &["rules", "store"]),
    ("engine", &["rules", "search"]),
    ("play", &["rules", "search", "samples", "config", "engine"]),
    ("dataset", &["rules", "samples", "store"]),
    (
        "network",
        &["rules", "search", "samples", "graph", "forward", "store"],
    ),
    ("arena", &["rules", "samples", "config"]),
    (
        "training",
        &[
            "rules", "search", "samples", "graph", "forward", "store", "config", "engine", "play",
            "dataset", "network", "arena",
        ],
    ),
    (
        "studies",
        &[
            "rules", "search", "samples", "graph", "forward", "store", "config", "engine", "play",
            "dataset", "network", "arena", "training",
        ],
    ),
    (
        "web",
        &[
            "rules", "search", "samples", "graph", "forward", "store", "config",
        ],
    ),
    ("report", &["rules", "samples", "store", "dataset", "arena"]),
    (
        "cli",
        &[
            "rules", "search", "samples", "graph", "forward", "store", "config", "engine", "play",
            "dataset", "network", "arena", "training", "studies", "web", "report",
        ],
    ),
    (
        "python",
        &[
            "rules", "search", "samples", "graph", "forward", "store", "config", "play", "dataset",
            "network", "arena", "training",
        ],
    ),
];

const LIBTORCH: [&str; 2] = ["tch", "torch-sys"];
const PARQUET: [&str; 1] = ["parquet"];

/// Returns what cargo prints.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A member that stands in for a crate from outside.
const LENT: &str = "zip";

/// Direct dependencies of every crate of the workspace, those of its tests left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo(&["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let crates = packages.iter().filter(|it| name(it) != LENT);
    crates.map(|it| (name(it), direct(it))).collect()
}

fn direct(package: &Value) -> BTreeSet<String> {
    let all = package["dependencies"].as_array().expect("a list");
    all.iter()
        .filter(|dependency| dependency["kind"].is_null())
        .map(name)
        .collect()
}

/// Returns the whole name of a crate.
fn package(name: &str) -> String {
    format!("tafl-{name}")
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
fn the_rules_depend_on_six_small_crates() {
    // By default; the feature `schema` adds schemars.
    let tree = cargo(&[
        "tree",
        "--offline",
        "--prefix=none",
        "--format={lib}",
        "--edges=normal",
        "--depth=1",
        "--package=tafl-rules",
    ]);
    let used: BTreeSet<&str> = tree.lines().filter(|name| *name != "tafl_rules").collect();
    assert_eq!(
        used,
        BTreeSet::from([
            "rayon",
            "serde",
            "serde_json",
            "strsim",
            "strum",
            "thiserror"
        ])
    );
}

#[test]
fn crates_depend_only_downwards() {
    let dependencies = dependencies();
    let known: BTreeSet<String> = MAY_USE.iter().map(|(name, _)| package(name)).collect();
    assert!(dependencies.keys().eq(&known), "{:?}", dependencies.keys());
    for (position, (crate_name, allowed)) in MAY_USE.into_iter().enumerate() {
        let allowed: BTreeSet<String> = allowed.iter().map(|name| package(name)).collect();
        let used: BTreeSet<String> = &dependencies[&package(crate_name)] & &known;
        let refused: Vec<&String> = used.difference(&allowed).collect();
        assert_eq!(refused, Vec::<&String>::new(), "{crate_name} uses them");
        // The table has no cycle: each crate may use only those listed before it.
        let before = MAY_USE[..position].iter().map(|(name, _)| package(name));
        assert!(allowed.is_subset(&before.collect()), "{crate_name}");
    }
}

#[test]
fn the_documents_say_the_same_of_who_may_use_whom() {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).expect("readable");
    let table = text.split_once("| crate | answers | may use |\n");
    let rows = table.expect("the table").1.lines().skip(1);
    let mut above: Vec<String> = Vec::new();
    for (row, (crate_name, allowed)) in rows.zip(MAY_USE) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let link = format!("[{crate_name}](crates/tafl-{crate_name}/README.md)");
        assert_eq!(cells[1], link, "{row}");
        let said = match cells[3] {
            "\u{2013}" => Vec::new(),
            "all above" => above.clone(),
            names => names.split(", ").map(str::to_owned).collect(),
        };
        assert_eq!(said, allowed, "{row}");
        above.push(crate_name.to_owned());
    }
    assert_eq!(above.len(), MAY_USE.len());
}

#[test]
fn libtorch_and_parquet_have_one_crate_each() {
    let dependencies = dependencies();
    let users = |libraries: &[&str]| -> Vec<&str> {
        let uses =
            |used: &BTreeSet<String>| libraries.iter().any(|&library| used.contains(library));
        dependencies
            .iter()
            .filter(|(_, used)| uses(used))
            .map(|(name, _)| name.as_str())
            .collect()
    };
    assert_eq!(users(&LIBTORCH), ["tafl-network"]);
    assert_eq!(users(&PARQUET), ["tafl-dataset"]);
}

/// Returns the packages from outside that a build compiles, each with its features.
fn compiled(arguments: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "--offline", "--prefix=none", "--format={p}: {f}"];
    let tree = cargo(&[&tree, arguments].concat());
    let packages = tree.lines().filter(|line| !line.starts_with("tafl-"));
    packages
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

#[test]
fn programs_package_and_tests_share_what_they_compile() {
    let all = compiled(&["--workspace"]);
    for build in [
        &["--package=tafl-cli"][..],
        &["--package=tafl-cli", "--no-default-features"],
        &["--package=tafl-python"],
    ] {
        let own = compiled(&[build, &["--edges=normal,build"]].concat());
        let twice: Vec<&String> = own.difference(&all).collect();
        // Their features in the build of all are named in tafl-training.
        assert_eq!(twice, Vec::<&String>::new(), "{build:?} compiles them anew");
    }
}

#[test]
fn most_crates_build_without_libtorch() {
    for (crate_name, _) in MAY_USE
        .into_iter()
        .filter(|(name, used)| *name != "network" && !used.contains(&"network"))
    {
        let tree = cargo(&[
            "tree",
            "--offline",
            "--prefix=none",
            "--format={lib}",
            "--edges=normal,build",
            "--package",
            &package(crate_name),
        ]);
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
        "README.md" => 100,
        _ if name.starts_with("crates/") && name.ends_with("README.md") => 90,
        // What sets the program up cannot be a command of the program.
        "scripts/setup-libtorch" | "scripts/wheel" => 80,
        // What PyTorch does can only be written in its language.
        "scripts/bench-train-pytorch" => 200,
        // Ray can only be used from its language.
        "scripts/cluster" => 80,
        _ if name.starts_with("scripts/tafl_cluster/") => 400,
        // It writes into texts for people, which no command of the program does.
        "scripts/results" => 260,
        _ if name.starts_with("scripts/") && !name.ends_with(".txt") => 40,
        _ => usize::MAX,
    };
    let long: Vec<String> = files(&["README.md", "crates", "tests", "scripts"])
        .into_iter()
        .map(|(name, text)| (text.lines().count(), name))
        .filter(|(lines, name)| *lines > limit(name))
        .map(|(lines, name)| format!("{name}: {lines} lines, at most {}", limit(&name)))
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn files_import_each_other_in_pairs_at_most() {
    for (crate_name, _) in MAY_USE {
        let folder = format!("crates/tafl-{crate_name}/src/");
        let sources: Vec<(String, String)> = files(&[&folder])
            .into_iter()
            .filter_map(|(name, text)| Some((name.strip_prefix(&folder)?.to_owned(), text)))
            .filter(|(name, _)| name.ends_with(".rs") && !name.contains("tests"))
            .collect();
        let circles = circles::circles(&sources);
        assert_eq!(circles, BTreeSet::new(), "{crate_name}");
    }
}

#[test]
fn libraries_name_no_option_and_no_command() {
    // An option of another program, and a script of the repository.
    const OF_OTHERS: [&str; 2] = ["taflzero --net", "scripts/setup-libtorch"];
    let is_library = |name: &str| name.contains("/src/") && !name.starts_with("crates/tafl-cli/");
    let is_option = |rest: &str| rest.starts_with(|it: char| it.is_ascii_lowercase());
    let names_one = |line: &&str| {
        let is_code = !line.trim_start().starts_with("//");
        let is_of_others = OF_OTHERS.iter().any(|it| line.contains(it));
        let names = line.contains("`tafl ") || line.split("--").skip(1).any(is_option);
        is_code && !is_of_others && names
    };
    let sources = files(&["crates"]).into_iter();
    let sources = sources.filter(|(name, _)| name.ends_with(".rs") && is_library(name));
    let found: Vec<String> = sources
        .flat_map(|(name, text)| {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = code.lines().filter(names_one);
            lines
                .map(|line| format!("{name}: {}", line.trim()))
                .collect::<Vec<_>>()
        })
        .filter(|line| !line.contains("/tests"))
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

/// Returns the names by which links reach the sections of a text, as GitHub makes them of headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    // Every second part is a block of code, where `#` begins no heading.
    let prose = text.split("```").step_by(2).flat_map(str::lines);
    for heading in prose.filter_map(|line| {
        let line = line.strip_prefix('#')?;
        line.trim_start_matches('#').strip_prefix(' ')
    }) {
        let heading = heading.trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|&it| it.is_alphanumeric() || " -_".contains(it));
        let name = kept.collect::<String>().replace(' ', "-");
        let mut free = name.clone();
        let mut number = 0;
        while !anchors.insert(free) {
            number += 1;
            free = format!("{name}-{number}");
        }
    }
    anchors
}

#[test]
fn sections_have_the_names_that_github_gives_them() {
    let text = "# A\n## Its `b_c` (d): e-f\n```sh\n# no\n```\n#x\n## A\n### A\n";
    let expected = ["a", "its-b_c-d-e-f", "a-1", "a-2"];
    assert_eq!(anchors(text), expected.map(str::to_owned).into());
}

#[test]
fn links_in_documents_lead_somewhere() {
    let (mut links, mut sections) = (0, 0);
    let mut broken = Vec::new();
    for (name, text) in files(&["."]) {
        if !name.ends_with(".md") {
            continue;
        }
        let own = root().join(&name);
        let folder = own.parent().expect("a file has a folder");
        let in_text = text.split("](").skip(1).map(|rest| (rest, ')'));
        let pictures = text.split("<img src=\"").skip(1).map(|rest| (rest, '"'));
        for (rest, end) in in_text.chain(pictures) {
            let link = rest.split(end).next().unwrap_or_default();
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") || file.contains(char::is_whitespace) {
                continue;
            }
            let target = match file {
                "" => own.clone(),
                _ => folder.join(file),
            };
            let has_section = || {
                let text = std::fs::read_to_string(&target).unwrap_or_default();
                anchors(&text).contains(section)
            };
            links += 1;
            sections += usize::from(!section.is_empty());
            if !target.exists() || !section.is_empty() && !has_section() {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(links > 100 && sections > 30, "{links}, {sections}");
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn processors_are_named_in_tables_only() {
    const NAMES: [&str; 7] = ["Zen 3", "Zen 4", "Zen 5", "Rapids", "Xeon", "EPYC", "Ryzen"];
    let is_named = |line: &&str| NAMES.iter().any(|name| line.contains(name));
    let documents = files(&["."]).into_iter();
    let found: Vec<String> = documents
        .filter(|(name, _)| name.ends_with(".md"))
        .flat_map(|(name, text)| {
            let prose = text.lines().filter(|line| !line.starts_with('|'));
            let found = prose.filter(is_named);
            found
                .map(|line| format!("{name}: {line}"))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(found, Vec::<String>::new());
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
    let expected = [
        "configs",
        "crates",
        "data",
        "findings",
        "notebooks",
        "scripts",
        "tests",
    ];
    assert_eq!(folders, expected.map(str::to_owned).into());
}
