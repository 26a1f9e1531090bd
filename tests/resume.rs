//! A run that is killed again and again ends as one that nobody stopped.
//!
//! Three kills by default; `TAFL_SLOW=1` makes it twenty.

use crate::support::compare::assert_same;
use crate::support::contents::contents;
use crate::support::{root, run, succeeds, tafl};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tafl_dataset::read_metrics;
use tempfile::TempDir;

const CONFIG: [&str; 2] = ["train", "configs/smoke.toml"];

/// Everything that changes what a trainer keeps, or what its samples hold.
const EVERY_TRAINING_OPTION: [&str; 3] = [
    "trainer.reply_weight=0.15",
    "targets.proven_results=true",
    "replay.held_out_fraction=0.2",
];

#[test]
fn a_killed_run_resumes_to_the_same_samples_and_weights() {
    let run = kills_change_nothing(&[]);
    let learns_on = |checkpoint: &str| {
        let path = format!("runs/smoke/checkpoints/{checkpoint}/optimizer.safetensors");
        run.path().join(path).exists()
    };
    let kept = ["000000", "000001", "000002"].map(learns_on);
    assert_eq!(kept, [false, true, true]);
    // A kill just after a generation's games were stored leaves what they were kept in meanwhile.
    let folder = run.path().join("runs/smoke");
    std::fs::remove_dir_all(folder.join("checkpoints/000002")).expect("removed");
    let spool = folder.join("in-progress/000001.jsonl");
    std::fs::write(&spool, "").expect("writable");
    let again = start(run.path(), &CONFIG).wait_with_output();
    succeeds(&again.expect("it ends"));
    assert!(!spool.exists());
}

#[test]
fn matches_stay_with_the_settings_that_they_were_played_by() {
    let place = TempDir::new().expect("a folder");
    let folder = place.path().join("runs/smoke");
    let train = |more: &[&str]| {
        let small = [
            "--set",
            "loop.generations=1",
            "--set",
            "rulesets=['brandubh']",
        ];
        succeeds(&run(place.path(), &[&CONFIG, &small[..], more].concat()));
        let metrics = read_metrics(&folder.join("metrics.parquet")).expect("readable");
        let elo = metrics.iter().filter(|it| it.name.starts_with("elo/pool"));
        let elo: Vec<f64> = elo.map(|it| it.value).collect();
        (contents(&folder.join("arena"), &|_| true), elo)
    };
    let (first, elo) = train(&[]);
    // All games are cut.
    let (others, even) = train(&["--resume", "--set", "arena.max_plies=7"]);
    assert_ne!(even, elo);
    assert_eq!(others.len(), 2 * first.len());
    assert!(
        first
            .iter()
            .all(|(name, bytes)| others.get(name) == Some(bytes))
    );
    assert_eq!(train(&["--resume"]), (others, elo));
}

#[test]
fn a_killed_run_resumes_with_every_option_of_training() {
    let run = kills_change_nothing(&EVERY_TRAINING_OPTION);
    let folder = run.path().join("runs/smoke");
    let metrics = read_metrics(&folder.join("metrics.parquet")).expect("readable");
    for name in ["reply", "policy_attackers", "policy_defenders"] {
        let name = format!("loss/{name}");
        let values = metrics.iter().filter(|metric| metric.name == name);
        let values: Vec<f64> = values.map(|metric| metric.value).collect();
        assert!(values.len() > 20, "{name}: {values:?}");
        assert!(
            values.iter().any(|value| *value > 0.0),
            "{name}: {values:?}"
        );
    }
}

/// Kills a run with changes to its config again and again, and returns where it lies.
fn kills_change_nothing(changes: &[&str]) -> TempDir {
    let options: Vec<&str> = changes
        .iter()
        .flat_map(|change| ["--set", change])
        .collect();
    let arguments = [&CONFIG[..], &options].concat();
    let kills = if std::env::var_os("TAFL_SLOW").is_some() {
        20
    } else {
        3
    };
    let (whole, killed) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let started = Instant::now();
    succeeds(&run(whole.path(), &arguments));
    let longest = started.elapsed();

    let folder = killed.path().join("runs/smoke");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for kill in 0..kills {
        // The moments lie anywhere in a run, so that every stage is hit sooner or later.
        let moment = longest.mul_f64(rng.random_range(0.05..1.0) / f64::from(kills).sqrt());
        kill_after(start(killed.path(), &arguments), moment);
        check_readable(&folder, kill);
    }
    let table = succeeds(
        &start(killed.path(), &arguments)
            .wait_with_output()
            .expect("it ends"),
    );
    assert!(table.contains("checkpoint 2"), "{table}");
    assert_same(&whole.path().join("runs/smoke"), &folder);
    assert!(
        contents(&folder, &|name| name.contains("tmp")).is_empty(),
        "temporary files are left"
    );
    killed
}

/// Starts the run, or continues it once its folder exists.
fn start(data: &Path, arguments: &[&str]) -> Child {
    let mut arguments = arguments.to_vec();
    if data.join("runs/smoke").exists() {
        arguments.push("--resume");
    }
    tafl(data, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

#[test]
fn the_folder_of_a_run_stands_for_its_own_config() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let begin = [&CONFIG[..], &["--set", "search.visits=2"]].concat();
    succeeds(&run(data, &begin));
    let own = data.join("runs/smoke").display().to_string();
    let refused = |arguments: &[&str], expected: &str| {
        let output = run(data, &[&["train"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    };
    refused(&[&own], "is a run: it goes on with --resume");
    let unchanged = run(data, &["train", &own, "--resume"]);
    succeeds(&unchanged);
    let said = String::from_utf8_lossy(&unchanged.stderr);
    assert!(!said.contains("from checkpoint"), "{said}");
    // Nothing is left to do.
    assert!(
        said.contains("generation 2 of 2 is done; --set loop.generations=N"),
        "{said}"
    );
    assert!(!said.contains("ladder:"), "{said}");
    let fewer = [&*own, "--resume", "--set", "loop.generations=1"];
    refused(&fewer, "has 2 checkpoints already");
    let other = "configs/sweeps/brandubh.toml";
    refused(&[other], "is a sweep, not a run config");
}

#[test]
fn rules_that_were_edited_are_named_and_the_ladder_is_that_of_the_run_s_own_config() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let (config, rules) = (data.join("it.toml"), data.join("own.toml"));
    let smoke = std::fs::read_to_string(root().join("configs/smoke.toml")).expect("readable");
    let smoke = smoke.replace(
        "name = \"smoke\"",
        "name = \"it\"\nrulesets = [\"own.toml\"]",
    );
    let smoke = smoke.replace("generations = 2", "generations = 1");
    std::fs::write(&config, &smoke).expect("written");
    let of_limit = |limit: u32| {
        let text = format!("base = \"brandubh\"\ncaptureless_limit = {limit}\n");
        std::fs::write(&rules, text).expect("written");
    };
    of_limit(50);
    let name = config.display().to_string();
    succeeds(&run(data, &["train", &name]));

    of_limit(40);
    let expected = format!(
        "ruleset {}: `captureless_limit` (there 50, here 40)",
        rules.display()
    );
    for again in [&["train", &*name, "--resume"][..], &["arena", &name]] {
        let output = run(data, again);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&expected), "{said}");
    }

    of_limit(50);
    let own = data.join("runs/it/config.toml");
    let before = std::fs::read(&own).expect("readable");
    std::fs::write(&config, smoke.replace("openings = 3", "openings = 4")).expect("written");
    let output = run(data, &["arena", &name]);
    succeeds(&output);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("`arena.openings` (there 3, here 4)"),
        "{said}"
    );
    assert!(
        before == std::fs::read(&own).expect("readable"),
        "it was changed"
    );

    // Without its config the run does not go on, but another from its checkpoint.
    std::fs::write(&own, "\n").expect("written");
    let folder = data.join("runs/it").display().to_string();
    let output = run(data, &["train", &folder, "--resume"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("config.toml: changed since"), "{said}");
    assert!(said.contains("--from CHECKPOINT` continues"), "{said}");
}

fn kill_after(mut child: Child, moment: Duration) {
    std::thread::sleep(moment);
    child.kill().expect("a child can be killed");
    child.wait().expect("it ends");
}

/// Every Parquet file under its final name is complete, whenever the kill came.
fn check_readable(folder: &Path, kill: u32) {
    if !folder.exists() {
        return;
    }
    for name in contents(folder, &|name| name.ends_with(".parquet")).keys() {
        let path = folder.join(name);
        let read = match name.split('/').next() {
            Some("games") => tafl_dataset::read_searched_games(&path).map(|_| ()),
            _ => Ok(()),
        };
        assert!(read.is_ok(), "after kill {kill}: {name}: {read:?}");
    }
}
