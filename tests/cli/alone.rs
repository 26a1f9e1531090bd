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
        &[
            "bench", "rules", "brandubh", "--depth", "1", "--games", "1", "--time", "0.1",
        ],
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

/// Everything but training, in a folder where there is nothing else. The networks are the program's own.
#[test]
fn a_program_without_libtorch_does_all_but_train() {
    let built = Path::new(TAFL).with_file_name("tafl-without-libtorch");
    assert!(
        built.exists(),
        "{} is built by ./scripts/test",
        built.display()
    );
    // Outside of the repository, whose networks it would find. Another process copies, as in ours a thread that starts a
    // process at that moment would leave the file open for writing.
    let folder = tempfile::tempdir().expect("a folder");
    let tafl = folder.path().join("tafl");
    let copied = Command::new("cp").args([&built, &tafl]).status();
    assert!(copied.expect("cp starts").success());
    let loaded = libraries(built.to_str().expect("text"));
    assert!(!loaded.contains("libtorch"), "{loaded}");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&tafl);
        let command = command.args(arguments).current_dir(folder.path());
        let command = command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        command.env_remove("TAFL_DATA").output().expect("it starts")
    };
    let analyzed = succeeds(&run(&[
        "analyze",
        "start",
        "--ruleset",
        "berserk-2024",
        "--visits",
        "8",
    ]));
    assert!(analyzed.contains("visits by berserk"), "{analyzed}");
    // By name a network searches as its own folder says.
    let value_by = |net: &str| {
        let analyzed = run(&["analyze", "start", "--checkpoint", net, "--json"]);
        let analyzed: serde_json::Value = serde_json::from_str(&succeeds(&analyzed)).expect("JSON");
        analyzed["value_attackers"].as_f64().expect("a number")
    };
    let by_folder = value_by(&root().join("data/nets/brandubh").display().to_string());
    assert!((value_by("brandubh") - by_folder).abs() < 1e-6);
    // Networks go by their names, with and without visits.
    let arena = "arena brandubh brandubh@visits=4 alphabeta:1 --ruleset brandubh --visits 8 --openings 1 --seed 1";
    let arena: Vec<&str> = arena.split(' ').collect();
    succeeds(&run(&arena));
    for format in ["onnx", "safetensors", "pytorch", "torchscript"] {
        let said = succeeds(&run(&[
            "export", "brandubh", "--format", format, "--output", format,
        ]));
        assert!(said.contains("largest difference"), "{said}");
    }
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let auto = ["auto uses f32", "auto uses int8"][usize::from(cpu.contains(" avx2 "))];
    assert!(succeeds(&run(&["doctor"])).contains(auto));
    for training in [
        &["train", "any.toml"][..],
        &["selfplay", "any.toml", "--out", "x"],
        &["sweep", "any.toml"],
    ] {
        check_error(
            &run(training),
            "this tafl is built without libtorch, which training needs",
        );
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
