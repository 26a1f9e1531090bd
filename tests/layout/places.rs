//! The tables of `README.md` and `CONTRIBUTING.md` that say where to make a change, followed.

use crate::support::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tafl_config::RulesetFile;
use tafl_samples::Family;

/// A row of a table: the files that it names, what to do there, and what must stand in them.
struct Row {
    files: Vec<PathBuf>,
    what: String,
    names: String,
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the rows of the table that follows a heading, its own first two lines left out.
fn rows(document: &str, heading: &str) -> Vec<Vec<String>> {
    let text = read(Path::new(document));
    let (_, rest) = text
        .split_once(heading)
        .unwrap_or_else(|| panic!("{heading}"));
    let table = rest.lines().skip_while(|line| !line.starts_with('|'));
    let table = table.take_while(|line| line.starts_with('|')).skip(2);
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim_start_matches('|').trim_end_matches('|');
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let rows: Vec<_> = table.map(cells).collect();
    assert!(rows.len() > 2, "{document}: {heading}");
    rows
}

/// Returns the texts between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns the files and folders that a cell names; a name without a folder lies beside the one before it.
fn files(cell: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for name in quoted(cell).filter(|name| name.contains('/') || name.contains('.')) {
        let inside = [
            "crates/",
            "configs/",
            "tests/",
            "data/",
            "notebooks/",
            "scripts/",
        ];
        let is_whole = inside.iter().any(|folder| name.starts_with(folder));
        let before = found.last().and_then(|path| path.parent());
        let path = match before.filter(|_| !is_whole) {
            Some(folder) => folder.join(name),
            None => PathBuf::from(name),
        };
        match path.to_str().and_then(|path| path.strip_suffix("*.toml")) {
            Some(folder) => found.extend(toml_files(folder)),
            None => found.push(path),
        }
    }
    found
}

fn toml_files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let paths = names.map(|name| Path::new(folder).join(name));
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect();
    paths.sort();
    assert!(paths.len() > 1, "{folder}");
    paths
}

/// Returns the table of `CONTRIBUTING.md` about a change.
fn places(heading: &str) -> Vec<Row> {
    let rows = rows("CONTRIBUTING.md", heading).into_iter();
    rows.map(|cells| {
        let [place, what, names] = <[String; 3]>::try_from(cells).expect("three columns");
        Row {
            files: files(&place),
            what,
            names,
        }
    })
    .collect()
}

const SWITCH: &str = "**A switch of rulesets**";
const OPPONENT: &str = "**A reference opponent**";

/// Returns whether a text has a name as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns whether a file names a field of rulesets, of which one has a name that Rust has another use for.
fn names_field(path: &Path, text: &str, field: &str) -> bool {
    let is_rust = path.extension().is_some_and(|it| it == "rs");
    match field {
        "match" if is_rust => ["match_format", "`match`"]
            .iter()
            .any(|name| text.contains(name)),
        _ => has_word(text, field),
    }
}

#[test]
fn every_file_that_a_table_of_changes_names_is_there() {
    let table = rows("CONTRIBUTING.md", "## Where to make changes").into_iter();
    let own = table.flat_map(|cells| files(&cells[1]));
    let of = |heading| places(heading).into_iter().flat_map(|row| row.files);
    let all = own.chain([SWITCH, OPPONENT].into_iter().flat_map(of));
    let all: BTreeSet<PathBuf> = all.collect();
    assert!(all.len() > 40, "{}", all.len());
    for path in all {
        assert!(root().join(&path).exists(), "{}", path.display());
    }
}

#[test]
fn every_field_of_rulesets_has_all_its_places() {
    let fields = tafl_config::fields::<RulesetFile>();
    let fields = fields.iter().map(|field| field.path.as_str());
    let fields: Vec<&str> = fields.filter(|it| !["name", "base"].contains(it)).collect();
    assert!(fields.contains(&"king_armed"), "{fields:?}");
    let mut checked = 0;
    let mut lacking = Vec::new();
    for row in places(SWITCH) {
        match &*row.names {
            "" => continue,
            names => assert_eq!(names, "every field", "{}", row.what),
        }
        for path in row.files {
            let text = read(&path);
            let missing = fields
                .iter()
                .filter(|field| !names_field(&path, &text, field));
            lacking.extend(missing.map(|field| format!("{} lacks {field}", path.display())));
            checked += 1;
        }
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
    assert!(checked > 2, "{checked}");
}

#[test]
fn the_table_of_a_switch_of_rulesets_is_whole() {
    let listed: Vec<PathBuf> = places(SWITCH)
        .into_iter()
        .flat_map(|row| row.files)
        .collect();
    let mut checked = 0;
    let sources = super::files(&["crates/*/src/*", "crates/*/page/*"]);
    for (name, text) in sources {
        // Unit tests follow the code that they test.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        // What others call a switch is a help, and none of its places.
        if name == "crates/tafl-config/src/ruleset_words.txt" {
            continue;
        }
        for switch in ["throne_hostile", "king_armed"] {
            if has_word(code, switch) {
                let is_listed = listed.iter().any(|path| path == Path::new(&name));
                assert!(
                    is_listed,
                    "CONTRIBUTING.md does not name {name}, of {switch}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 8, "{checked}");
}

#[test]
fn every_reference_opponent_has_all_its_places() {
    let mut checked = 0;
    for row in places(OPPONENT) {
        match &*row.names {
            "" => continue,
            names => assert_eq!(names, "every opponent", "{}", row.what),
        }
        for path in row.files {
            let text = read(&path).to_lowercase();
            for family in Family::ALL {
                let name = family.name();
                assert!(has_word(&text, name), "{} lacks {name}", path.display());
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 2);
}
