//! Whole search trees by the numbers, so that a change of behavior shows as a diff.
//!
//! `UPDATE=1 cargo test -p tafl-search --test golden` writes the files anew.

use crate::hash_evaluator::HashEvaluator;
use crate::support::{ALGORITHMS, reference, rules};
use serde_json::{Value, json};
use tafl_rules::{Game, Move};
use tafl_search::{Mode, MoverWdl, RootStats, Search, run};

fn name(mv: Move) -> String {
    if mv.is_end() {
        "end".into()
    } else {
        format!("{}-{}", mv.from(), mv.to())
    }
}

/// Rounds to what every machine's exponential agrees on.
fn round(value: f32) -> f64 {
    (f64::from(value) * 1e3).round() / 1e3
}

fn wdl(wdl: MoverWdl) -> Value {
    json!([round(wdl.win), round(wdl.draw), round(wdl.loss)])
}

fn describe(stats: &RootStats, line: &[Move]) -> Value {
    let visited = stats.moves.iter().filter(|root| root.visits > 0);
    let moves: Vec<Value> = visited
        .map(|root| {
            json!([
                name(root.mv),
                root.visits,
                round(root.prior),
                round(root.policy),
                root.wdl.map(wdl)
            ])
        })
        .collect();
    json!({
        "chosen": name(stats.chosen),
        "line": line.iter().copied().map(name).collect::<Vec<_>>().join(" "),
        "value": wdl(stats.value),
        "network_value": wdl(stats.network_value),
        "proven": stats.proven.map(|proof| json!([proof.winner, proof.plies])),
        "move, visits, prior, policy, wdl": moves,
    })
}

/// Puts one key, and one entry of an array under a key, on a line.
fn write(plies: &[Value]) -> String {
    let mut text = String::from("[\n");
    for (index, ply) in plies.iter().enumerate() {
        let fields = ply.as_object().expect("an object");
        let lines: Vec<String> = fields
            .iter()
            .map(|(key, value)| match value {
                Value::Array(rows) if rows.first().is_some_and(Value::is_array) => {
                    let rows: Vec<String> = rows.iter().map(|row| format!("    {row}")).collect();
                    format!("  \"{key}\": [\n{}]", rows.join(",\n"))
                }
                value => format!("  \"{key}\": {value}"),
            })
            .collect();
        let comma = if index + 1 < plies.len() { "," } else { "" };
        text += &format!("{{\n{}\n}}{comma}\n", lines.join(",\n"));
    }
    text + "]\n"
}

fn check(ruleset: &str, algorithm: &str, mode: Mode) {
    let name = format!("{ruleset}-{algorithm}-{mode:?}").to_lowercase();
    let config = reference(algorithm, 100);
    let mut search = Search::new(&config, Game::new(rules(ruleset)), mode, 11);
    search.keep_tree();
    let mut plies = Vec::new();
    for _ in 0..3 {
        let stats = run(&mut search, &mut HashEvaluator);
        plies.push(describe(&stats, &search.line(6)));
        search
            .advance(stats.chosen)
            .expect("the chosen move is legal");
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(format!("{name}.json"));
    let text = write(&plies);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the folder can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("a golden file; UPDATE=1 writes it");
    assert_eq!(golden, text, "{}", path.display());
}

#[test]
fn trees_of_brandubh_are_as_recorded() {
    for algorithm in ALGORITHMS {
        check("brandubh", algorithm, Mode::Match);
        check("brandubh", algorithm, Mode::SelfPlay);
    }
}

#[test]
fn trees_of_berserk_are_as_recorded() {
    for algorithm in ALGORITHMS {
        check("berserk-2017", algorithm, Mode::Match);
    }
}
