//! `tafl bench`: what does not depend on the machine is exact, and shares are shares.

use crate::support::{run, succeeds};
use serde_json::Value;
use std::path::Path;

fn bench(arguments: &[&str]) -> Vec<Value> {
    let all = [&["bench"], arguments, &["--json"]].concat();
    let text = succeeds(&run(Path::new("data"), &all));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect()
}

fn number(row: &Value, field: &str) -> f64 {
    row[field]
        .as_f64()
        .unwrap_or_else(|| panic!("{field} in {row}"))
}

#[test]
fn rules_count_the_same_leaves_and_plies_everywhere() {
    let rulesets = ["copenhagen", "berserk-2024", "brandubh"];
    let options = ["--depth", "3", "--games", "20", "--time", "0.1"];
    let rows = bench(&[&["rules"], &rulesets[..], &options].concat());
    let counts: Vec<_> = rows
        .iter()
        .map(|row| (number(row, "nodes") as u64, number(row, "plies") as u64))
        .collect();
    // The leaves of Copenhagen are those of spec.md 8.
    assert_eq!(
        counts,
        [(806_344, 8_765), (807_870, 8_640), (39_512, 1_903)]
    );
    for row in &rows {
        for rate in [
            "bulk_nodes_per_s",
            "bulk_nodes_per_s_all_cores",
            "played_nodes_per_s",
            "plies_per_s",
            "plies_per_s_all_cores",
        ] {
            assert!(number(row, rate) > 0.0, "{row}");
        }
    }
}

#[test]
fn searches_spend_their_visits_and_say_where_the_time_went() {
    let rows = bench(&[
        "search", "brandubh", "--visits", "50,400", "--budget", "500",
    ]);
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert!(number(row, "visits") >= 500.0, "{row}");
        assert!(number(row, "edges") > number(row, "nodes"), "{row}");
        assert!(number(row, "bytes_per_node") < 48.0 * 100.0, "{row}");
        let phases = ["select", "rules", "expand", "back_up"].map(|phase| number(row, phase));
        assert!((phases.iter().sum::<f64>() - 100.0).abs() < 0.01, "{row}");
        assert!(phases.iter().all(|share| *share > 0.0), "{row}");
    }
}

#[test]
fn self_play_is_measured_beside_the_network_alone() {
    let rows = bench(&["selfplay", "configs/smoke.toml", "--time", "0.5"]);
    let [row] = &rows[..] else {
        panic!("one object: {rows:?}");
    };
    let (raw, own) = (
        number(row, "raw_evaluations_per_s"),
        number(row, "evaluations_per_s"),
    );
    assert!(raw > 0.0 && own > 0.0, "{row}");
    assert!(
        (number(row, "utilization") - own / raw).abs() < 1e-9,
        "{row}"
    );
    assert!(number(row, "visits_per_s") >= own, "{row}");
    assert!((0.0..=1.0).contains(&number(row, "batch_fill")), "{row}");
    assert!((0.0..1.0).contains(&number(row, "cache_hit_rate")), "{row}");
    let phases = row["phases"].as_object().expect("an object");
    let sum: f64 = phases.values().filter_map(Value::as_f64).sum();
    assert!(phases.len() == 7 && (sum - 100.0).abs() < 0.01, "{row}");
    let rows = bench(&[
        "selfplay",
        "configs/smoke.toml",
        "--instant",
        "--time",
        "0.5",
    ]);
    let row = &rows[0];
    assert!(number(row, "evaluations_per_s") > 0.0, "{row}");
    assert!(row["raw_evaluations_per_s"].is_null() && row["network"].is_null());
    assert_eq!(number(&row["phases"], "forward"), 0.0);
    if cfg!(target_os = "linux") {
        assert!(number(row, "evaluations_per_cpu_s") > 0.0, "{row}");
    }
}

#[test]
fn training_is_measured_beside_the_reading_of_its_samples() {
    let rows = bench(&["train", "configs/smoke.toml", "--time", "0.3"]);
    let [row] = &rows[..] else {
        panic!("one object: {rows:?}");
    };
    let rate = |name: &str| number(row, &format!("{name}_samples_per_s"));
    let rates = ["trainer", "loop", "read", "encode", "pipeline"].map(rate);
    assert!(rates.iter().all(|rate| *rate > 0.0), "{row}");
    let [trainer, _, _, _, pipeline] = rates;
    let supply = number(row, "supply");
    assert!((supply * trainer / pipeline - 1.0).abs() < 1e-9, "{row}");
    let hidden = number(row, "hidden");
    assert!(
        (hidden * trainer / rate("loop") - 1.0).abs() < 1e-9,
        "{row}"
    );
    assert!(number(row, "samples") > 100.0, "{row}");
    let sizes = ["blocks", "channels", "batch", "shards"].map(|name| number(row, name) as u32);
    assert_eq!(sizes, [1, 16, 32, 2]);
    let threads = number(row, "threads");
    assert!((1.0..=2.0).contains(&threads), "{row}");
    if cfg!(target_os = "linux") {
        // No more processor time than the threads can have taken, but for the clock's ticks.
        let least = trainer / (threads + 2.0);
        assert!(number(row, "trainer_samples_per_cpu_s") > least, "{row}");
    }
}

#[test]
fn a_folder_without_samples_is_not_measured() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let empty = folder.path().display().to_string();
    let arguments = ["bench", "train", "configs/smoke.toml", "--samples", &empty];
    let output = run(Path::new("data"), &arguments);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    let told = format!("no samples to learn from in {empty}");
    assert!(error.contains(&told), "{error}");
}
