//! The two programs: `tafl` without libtorch, and `tafl-torch`, each by itself in a folder.

use crate::cli::check_error;
use crate::support::{root, succeeds};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const TAFL: &str = env!("CARGO_BIN_EXE_tafl");
const TAFL_TORCH: &str = env!("CARGO_BIN_EXE_tafl-torch");

/// Returns a program in a folder of its own.
fn alone(program: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = folder.path().join("tafl");
    // A copy could not be run while another thread starts a process, which has it open for a moment.
    std::fs::hard_link(program, &path).expect("linked");
    (folder, path)
}

fn run(program: &Path, data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    let command = command.args(arguments).current_dir(root());
    command.env("TAFL_DATA", data).output().expect("it starts")
}

/// Returns the libraries that are loaded before a program begins, as `ldd` prints them.
fn libraries(program: &str) -> String {
    let traced = Command::new(program)
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .output();
    succeeds(&traced.expect("it starts"))
}

#[test]
fn what_needs_no_network_runs_without_libtorch() {
    assert!(libraries(TAFL_TORCH).contains("libtorch"));
    let loaded = libraries(TAFL);
    assert!(
        loaded.contains("libc.so") && !loaded.contains("libtorch") && !loaded.contains("libc10"),
        "{loaded}"
    );

    let (whole_folder, whole) = alone(TAFL_TORCH);
    let data = whole_folder.path().join("data");
    let train = ["train", "configs/smoke.toml", "--set", "loop.generations=1"];
    succeeds(&run(&whole, &data, &train));
    let path = |below: &str| data.join(below).display().to_string();
    let (smoke, page) = (path("runs/smoke"), path("study.html"));

    let (_folder, tafl) = alone(TAFL);
    for arguments in [
        &["--version"][..],
        &["help", "train"],
        &["rules", "list"],
        &["perft", "brandubh", "2"],
        &["config", "show", &smoke],
        &["config", "check", "configs"],
        &["run", "verify", &smoke],
        &["run", "workers", &smoke],
        &["run", "prune", &smoke, "--samples"],
        &["report", &smoke],
        &["report", "data/balance/published", "--output", &page],
    ] {
        succeeds(&run(&tafl, &data, arguments));
    }
}

#[test]
fn a_program_that_lies_alone_says_what_it_lacks() {
    let (folder, tafl) = alone(TAFL);
    let missing = folder.path().join("tafl-torch");
    let expected = format!("{}: no such file or folder", missing.display());
    for arguments in [&["train", "configs/smoke.toml"][..], &["doctor"]] {
        check_error(&run(&tafl, folder.path(), arguments), &expected);
    }
    // Arguments are read before.
    check_error(
        &run(&tafl, folder.path(), &["play", "--visits", "0"]),
        "--visits must be from 1 to 1000000, not 0",
    );
}
