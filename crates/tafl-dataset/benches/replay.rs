//! Samples per second from Parquet files to batches, and what the metrics of a long run cost.
//!
//! The figures are those of the machine at the moment: compare lines of one run, or with `tafl bench` of the same time.
#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]

#[path = "../../tafl-samples/tests/playouts/mod.rs"]
mod playouts;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tafl_dataset::{
    DatasetError, Feed, Metric, Provenance, Replay, ReplayWindow, WindowConfig, read_metrics,
    record_metrics, write_shard,
};
use tafl_rules::Rules;
use tafl_samples::TargetConfig;

/// Positions in a batch.
const BATCH: usize = 256;

/// Copies of one generation that make up the window.
const COPIES: usize = 40;

fn main() {
    assert_eq!(playouts::all_rules().len(), 7);
    let rules = Rules::preset("copenhagen").expect("a preset");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let few = files(&rules, folder.path(), 60);
    measure("one file a generation", &rules, &few);
    let many = files(&rules, folder.path(), 3);
    measure("shards of three games", &rules, &many);
    metrics(&folder.path().join("metrics.parquet"));
}

/// Writes 60 games, so many a file, and returns the files, each as often as there are copies.
fn files(rules: &Arc<Rules>, folder: &Path, games_a_file: usize) -> Vec<PathBuf> {
    let provenance = Provenance {
        run: "bench".into(),
        generation: games_a_file as u32,
        checkpoint: "000001".into(),
        config_sha256: "0".repeat(64),
        weights_sha256: None,
    };
    let records: Vec<_> = (0..60)
        .map(|game_id| playouts::random_record(rules, game_id, 200))
        .collect();
    let mut files = Vec::new();
    for (shard, records) in records.chunks(games_a_file).enumerate() {
        let (name, rules) = (format!("{shard}-0"), [Arc::clone(rules)]);
        let written = write_shard(folder, &name, records, &rules, &provenance);
        let written = written.expect("a written shard").path;
        for copy in 1..COPIES {
            let path = written.with_file_name(format!("{shard}-{copy}.parquet"));
            std::fs::copy(&written, &path).expect("a copy");
            files.push(path);
        }
        files.push(written);
    }
    files
}

fn measure(name: &str, rules: &Arc<Rules>, files: &[PathBuf]) {
    let config = WindowConfig {
        minimum: 10_000_000,
        scale: 0.0,
        maximum: 10_000_000,
        ..WindowConfig::default()
    };
    let replay = Replay::new(config, 1);
    let open = || {
        let start = Instant::now();
        let window = replay.window_of_files(files, 0).expect("readable files");
        (window, start.elapsed().as_secs_f64())
    };
    let (window, first_s) = open();
    let (_, again_s) = open();
    println!(
        "{name}: {} positions in {} files, opened in {first_s:.3} s, again in {again_s:.3} s",
        window.len(),
        files.len()
    );
    let start = Instant::now();
    let drawn = window.draw(window.len(), 1);
    assert_eq!(drawn.len(), window.len());
    let took = start.elapsed().as_secs_f64();
    println!("  drawn: {took:.3} s for {} positions", drawn.len());
    for share in [1.0, 0.25, 0.05, 0.01] {
        feed(&window, rules, share);
    }
}

/// Feeds batches of a share of the window.
fn feed(window: &ReplayWindow, rules: &Arc<Rules>, share: f64) {
    let count = ((window.len() as f64 * share) as usize / BATCH).max(1) * BATCH;
    let drawn = window.draw(count, 2);
    let targets = TargetConfig {
        value_lambda: 0.5,
        proven_results: true,
    };
    let feed = Feed {
        rules: &[Arc::clone(rules)],
        targets: &targets,
        batch_size: BATCH,
        seed: &|batch| batch as u64,
    };
    let start = Instant::now();
    let samples = window.read(&drawn).expect("readable files");
    let read_s = start.elapsed().as_secs_f64();
    assert_eq!(samples.len(), count);
    drop(samples);
    let (start, mut fed) = (Instant::now(), 0);
    let result: Result<(), DatasetError> = window.feed(&drawn, &feed, |batch| {
        fed += batch.len();
        Ok(())
    });
    result.expect("positions of the rules");
    assert_eq!(fed, count);
    let rate = |seconds: f64| count as f64 / seconds;
    println!(
        "  {count} drawn ({:.0} %): {:.0} samples/s read, {:.0} samples/s as batches of {BATCH}",
        100.0 * share,
        rate(read_s),
        rate(start.elapsed().as_secs_f64()),
    );
}

/// Records the metrics of 1,000 generations of 100 steps, and times the first and the last ones.
fn metrics(path: &Path) {
    let of = |generation: u32| -> Vec<Metric> {
        let steps = 0..100_u32;
        let metric = |step: u32, name: u32| Metric {
            seconds: None,
            generation,
            step: u64::from(100 * generation + step),
            name: format!("loss/number_{name}"),
            value: f64::from(step * name).sqrt(),
        };
        steps
            .flat_map(|step| (0..10).map(move |name| metric(step, name)))
            .collect()
    };
    let mut times = Vec::new();
    for generation in 0..1000 {
        let start = Instant::now();
        record_metrics(path, generation, "loss", &of(generation)).expect("written");
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let start = Instant::now();
    let rows = read_metrics(path).expect("readable").len();
    let read_ms = start.elapsed().as_secs_f64() * 1e3;
    assert_eq!(rows, 1_000_000);
    let median = |times: &[f64]| {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    println!(
        "metrics of a generation recorded in {:.1} ms at first, {:.1} ms after 1,000 generations (to decode all: {read_ms:.0} ms)",
        median(&times[..20]),
        median(&times[980..]),
    );
}
