//! The packages that the workspace is built from, against `deny.toml`: for machines without cargo-deny.

use super::{cargo, name};
use crate::support::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use toml::Table;

fn deny(section: &str, field: &str) -> toml::Value {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("readable");
    let config: Table = text.parse().expect("TOML");
    config[section][field].clone()
}

/// Returns the text of each entry of a list, or its `crate`.
fn listed(section: &str, field: &str) -> BTreeSet<String> {
    let list = deny(section, field);
    let text = |entry: &toml::Value| {
        let entry = entry.get("crate").unwrap_or(entry);
        entry.as_str().expect("a text").to_owned()
    };
    list.as_array().expect("a list").iter().map(text).collect()
}

fn id(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Returns all packages, those of tests and of optional features included, and which each one uses.
fn packages() -> (Vec<Value>, BTreeMap<String, Vec<String>>) {
    let target = deny("graph", "targets")[0].clone();
    let filter = format!("--filter-platform={}", target.as_str().expect("a text"));
    let arguments = [
        "metadata",
        "--format-version=1",
        "--offline",
        "--all-features",
        &filter,
    ];
    let metadata: Value = serde_json::from_str(&cargo(&arguments)).expect("cargo writes JSON");
    let nodes = metadata["resolve"]["nodes"].as_array().expect("a list");
    let uses = |node: &Value| {
        let all = node["dependencies"].as_array().expect("a list");
        all.iter().map(id).collect()
    };
    let graph = nodes.iter().map(|node| (id(&node["id"]), uses(node)));
    let graph = graph.collect();
    (
        metadata["packages"].as_array().expect("a list").clone(),
        graph,
    )
}

/// Returns whether a license may be used: of each part of it, one that is allowed.
fn may_be_used(license: &str, allowed: &BTreeSet<String>) -> bool {
    let license = license.replace(['(', ')'], "").replace('/', " OR ");
    let mut parts = license.split(" AND ");
    parts.all(|part| part.split(" OR ").any(|one| allowed.contains(one)))
}

#[test]
fn all_packages_have_a_license_that_is_allowed() {
    let allowed = listed("licenses", "allow");
    let (packages, _) = packages();
    let license = |package: &Value| package["license"].as_str().unwrap_or_default().to_owned();
    let refused = packages
        .iter()
        .filter(|package| !may_be_used(&license(package), &allowed));
    let refused: Vec<String> = refused
        .map(|it| format!("{}: {}", name(it), license(it)))
        .collect();
    assert_eq!(refused, Vec::<String>::new());
    assert!(packages.len() > 100, "{}", packages.len());
    assert!(!may_be_used("GPL-3.0", &allowed) && !may_be_used("MIT AND GPL-3.0", &allowed));
}

#[test]
fn a_crate_has_two_versions_only_where_that_is_listed() {
    let (packages, uses) = packages();
    let old = older(&packages, &uses);
    let mut skipped = listed("bans", "skip");
    let mut left: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages.iter().filter(|it| !old.contains(&id(&it["id"]))) {
        let (name, version) = (name(package), id(&package["version"]));
        let is_this = |skip: &&String| {
            let (of, series) = skip.split_once('@').expect("a name and a version");
            of == name && version.starts_with(&format!("{series}."))
        };
        match skipped.iter().find(is_this).cloned() {
            Some(skip) => assert!(skipped.remove(&skip)),
            None => assert!(left.entry(name).or_default().insert(version)),
        }
    }
    left.retain(|_, versions| versions.len() > 1);
    assert_eq!(left, BTreeMap::new());
    assert_eq!(skipped, BTreeSet::new(), "is not used any more");
}

/// Returns the packages of `skip-tree` and all that they use.
fn older(packages: &[Value], uses: &BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    let trees = listed("bans", "skip-tree");
    let roots = packages.iter().filter(|it| trees.contains(&name(it)));
    let mut open: Vec<String> = roots.map(|it| id(&it["id"])).collect();
    let mut seen = BTreeSet::new();
    while let Some(next) = open.pop() {
        if seen.insert(next.clone()) {
            open.extend(uses[&next].iter().cloned());
        }
    }
    seen
}
