//! `tafl config explain`.

use crate::config::{config, write};
use crate::support::succeeds;
use std::collections::BTreeSet;
use tafl_training::RunConfig;

#[test]
fn a_field_is_explained_with_its_range_its_sources_and_its_values() {
    let text = succeeds(&config(&["explain", "search.puct.c_puct"]));
    let (head, rest) = text.split_once('\n').expect("lines");
    assert_eq!(head, "search.puct.c_puct: number from 0 to 100");
    assert!(rest.contains("`pb_c_init`"), "{text}");
    // Where a file says nothing it is the default.
    for (field, name, value) in [
        ("search.considered_moves", "quickstart", "16"),
        ("search.puct.c_puct", "quickstart", "–"),
        ("search.visits", "five-rulesets-cpu", "32"),
        ("search.visits", "copenhagen-h200", "64"),
    ] {
        let text = succeeds(&config(&["explain", field]));
        let is_row = |line: &str| line.split_whitespace().eq([name, value]);
        assert!(text.lines().any(is_row), "{name} {value}: {text}");
    }

    let text = succeeds(&config(&["explain", "escape"]));
    assert!(text.starts_with("ruleset.escape: "), "{text}");
    assert!(text.contains("\"edges\": Any edge square"), "{text}");
    assert!(text.contains("  brandubh               \"corners\"\n"));

    let both = succeeds(&config(&["explain", "visits"]));
    let [one, other] = ["search.visits: ", "arena.visits: "].map(|head| both.contains(head));
    assert!(one && other, "{both}");

    let folder = tempfile::tempdir().expect("a folder");
    let path = write(
        folder.path(),
        "c.toml",
        "[search]\nattackers_draw_value = -0.15\n",
    );
    let of_file = |field| succeeds(&config(&["explain", field, "--config", &path]));
    let text = of_file("search.attackers_draw_value");
    assert!(text.contains("-0.15"), "{text}");
    assert!(!text.contains("quickstart"), "{text}");
    assert!(of_file("search.visits").contains(&format!("{path}  40\n")));
}

#[test]
fn measures_of_runs_are_explained_one_by_one_by_group_or_all() {
    let one = succeeds(&config(&["explain", "elo/pool/attackers"]));
    assert!(
        one.starts_with("elo/pool/attackers\n  Elo of the checkpoint "),
        "{one}"
    );
    let [group, all] = ["loop/", "measures"].map(|typed| succeeds(&config(&["explain", typed])));
    let names = |text: &str| text.lines().filter(|line| !line.starts_with(' ')).count();
    assert_eq!(names(&group), 7, "{group}");
    assert_eq!(names(&all), tafl_dataset::measures().count(), "{all}");
    for (typed, expected) in [
        ("los/value", "a measure\nhint: "),
        ("loss", "a field\nhint: `tafl config explain loss/` "),
    ] {
        let none = config(&["explain", typed]);
        let said = String::from_utf8_lossy(&none.stderr);
        let expected = format!("error: {typed:?} is not {expected}");
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[test]
fn every_field_is_listed_and_explained() {
    let list = succeeds(&config(&["explain"]));
    let first_word = |line| str::split_whitespace(line).next();
    let listed: BTreeSet<&str> = list.lines().filter_map(first_word).collect();
    let fields = tafl_config::fields::<RunConfig>();
    let mut explained = String::new();
    for field in fields.iter().filter(|field| !field.path.contains('.')) {
        explained += &succeeds(&config(&["explain", &field.path]));
    }
    for field in fields {
        assert!(listed.contains(&*field.path), "{}: {list}", field.path);
        let kind = match field.choices()[..] {
            [] => field.kind(),
            _ => "one of these".to_owned(),
        };
        let head = format!("{}: {kind}", field.path);
        assert!(explained.lines().any(|line| line == head), "{head}");
    }
}

#[test]
fn a_file_is_explained_as_what_it_is_even_if_it_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| write(folder.path(), name, text);
    let run = write("run.toml", "[selfplay]\nmax_plies = 123\n");
    let study = write("study.toml", "max_plies = 77\n[openings]\ncount = 3\n");
    let ruleset = write(
        "mine.toml",
        "name = \"mine\"\nbase = \"fetlar\"\nedge_fort = false\n",
    );
    let wrong = write(
        "wrong.toml",
        "[selfplay]\nmax_plies = 0\nno_such_field = 1\n",
    );
    let explained = |field: &str, file: &str| {
        let text = succeeds(&config(&["explain", field, "--config", file]));
        let rows = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix(file));
        rows.map(|value| value.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        explained("max_plies", &run),
        ["123", "1000"],
        "[selfplay] and [arena]"
    );
    assert_eq!(explained("max_plies", &study), ["77"]);
    assert_eq!(explained("edge_fort", &ruleset), ["false"]);
    assert_eq!(
        explained("escape", &ruleset),
        ["\"corners\""],
        "as its base"
    );
    assert_eq!(explained("selfplay.max_plies", &wrong), ["0"]);
}
