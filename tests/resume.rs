//! A run that is killed again and again ends as one that nobody stopped.
//!
//! Three kills by default; `TAFL_SLOW=1` makes it twenty.

#[path = "support/compare.rs"]
mod compare;
mod support;

use compare::{assert_same, contents};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use support::{run, succeeds, tafl};

const CONFIG: [&str; 2] = ["train", "configs/smoke.toml"];

#[test]
fn a_killed_run_resumes_to_the_same_samples_and_weights() {
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
    succeeds(&run(whole.path(), &CONFIG));
    let longest = started.elapsed();

    let folder = killed.path().join("runs/smoke");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for kill in 0..kills {
        // The moments lie anywhere in a run, so that every stage is hit sooner or later.
        let moment = longest.mul_f64(rng.random_range(0.05..1.0) / f64::from(kills).sqrt());
        kill_after(start(killed.path()), moment);
        check_readable(&folder, kill);
    }
    let table = succeeds(&start(killed.path()).wait_with_output().expect("it ends"));
    assert!(table.contains("checkpoint 2"), "{table}");
    assert_same(&whole.path().join("runs/smoke"), &folder);
    assert!(
        contents(&folder, &|name| name.contains("tmp")).is_empty(),
        "temporary files are left"
    );
}

/// Starts the run, or continues it once its folder exists.
fn start(data: &Path) -> Child {
    let mut arguments = CONFIG.to_vec();
    if data.join("runs/smoke").exists() {
        arguments.push("--resume");
    }
    tafl(data, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
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
    for name in contents(folder, &|name| {
        name.ends_with(".parquet") && !name.contains("tmp")
    })
    .keys()
    {
        let path = folder.join(name);
        let read = match name.split('/').next() {
            Some("samples") => tafl_dataset::read_samples(&path).map(|_| ()),
            Some("games") => tafl_dataset::read_games(&path).map(|_| ()),
            _ => Ok(()),
        };
        assert!(read.is_ok(), "after kill {kill}: {name}: {read:?}");
    }
}
