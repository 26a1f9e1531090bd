//! A run goes on after any system call that changes files has failed, or was its last.
//!
//! Only with `TAFL_SLOW=1`: every such call of a small run fails once and kills once, under strace, for a quarter of an hour.

use crate::support::compare::assert_same;
use crate::support::smoke::SMOKE;
use crate::support::{run, succeeds, tafl};
use std::path::Path;
use std::process::{Command, Output};

const FEW_GAMES: [&str; 10] = [
    "--set",
    "ladder.pool=[]",
    "--set",
    "ladder.baselines=[]",
    "--set",
    "loop.games=4",
    "--set",
    "arena.openings=1",
    "--set",
    "keep=needed",
];

/// System calls that change what is on a disk, or make sure that it is there.
const CALLS: [&str; 8] = [
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "mkdir",
    "unlink",
    "unlinkat",
    "ftruncate",
];

/// Trains with a fault at the `number`-th of each thread's calls; `None` if there is no such call.
fn train_with(fault: &str, call: &str, number: u32, data: &Path) -> Option<Output> {
    let log = data.join("strace.log");
    let plain = tafl(data, &[&["train"], &SMOKE[..], &FEW_GAMES].concat());
    let mut traced = Command::new("strace");
    traced
        .args(["--follow-forks", "--seccomp-bpf", "--output"])
        .arg(&log)
        .arg(format!("--trace={call}"))
        .arg(format!("--inject={call}:{fault}:when={number}"))
        .arg(plain.get_program())
        .args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    traced.current_dir(plain.get_current_dir().expect("the repository"));
    let output = traced
        .output()
        .expect("strace (Debian: apt-get install strace)");
    let log = std::fs::read_to_string(log).expect("what was traced");
    (log.contains("INJECTED") || log.contains("killed by SIGKILL")).then_some(output)
}

#[test]
fn a_run_goes_on_after_any_fault_of_its_files() {
    if std::env::var_os("TAFL_SLOW").is_none() {
        return;
    }
    let whole = tempfile::tempdir().expect("a folder");
    succeeds(&run(
        whole.path(),
        &[&["train"], &SMOKE[..], &FEW_GAMES].concat(),
    ));
    let whole = whole.path().join("runs/smoke");
    let mut faults = 0;
    for (fault, call) in ["error=EIO", "error=ENOSPC", "signal=KILL"]
        .iter()
        .flat_map(|fault| CALLS.map(|call| (fault, call)))
    {
        for number in 1.. {
            let place = tempfile::tempdir().expect("a folder");
            let Some(output) = train_with(fault, call, number, place.path()) else {
                break;
            };
            faults += 1;
            let about = format!("{fault} at {call} {number}");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!stderr.contains("panicked"), "{about}: {stderr}");
            if !output.status.success() && *fault != "signal=KILL" {
                assert!(stderr.contains("error: "), "{about}: {stderr}");
            }
            let folder = place.path().join("runs/smoke");
            let resume: &[&str] = if folder.exists() { &["--resume"] } else { &[] };
            let again = run(
                place.path(),
                &[&["train"], &SMOKE[..], &FEW_GAMES, resume].concat(),
            );
            let stderr = String::from_utf8_lossy(&again.stderr);
            assert!(again.status.success(), "{about}: {stderr}");
            assert_same(&whole, &folder);
            let folder = folder.display().to_string();
            succeeds(&run(place.path(), &["run", "verify", &folder]));
        }
    }
    assert!(faults > 100, "{faults} faults");
}
