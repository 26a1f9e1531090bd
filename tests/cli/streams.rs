//! Outputs that nobody reads, that are full, or closed.

use crate::cli::check_error;
use crate::support::{root, succeeds, tafl};
use std::path::Path;
use std::process::Stdio;

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = tafl(Path::new("data"), &["rules", "list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tafl starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_full_disk_behind_an_output_is_told_or_passed_over() {
    let full = || {
        let device = std::fs::File::options().write(true).open("/dev/full");
        device.expect("Linux has it")
    };
    let mut list = tafl(Path::new("data"), &["rules", "list"]);
    let output = list.stdout(full()).output().expect("tafl starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "error: standard output: No space left on device\n");
    assert_eq!(output.status.code(), Some(2));

    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["train", "configs/smoke.toml", "--set", "loop.generations=1"];
    let mut train = tafl(folder.path(), &arguments);
    let output = train.stderr(full()).output().expect("tafl starts");
    assert!(succeeds(&output).contains("checkpoint 1"));
}

#[test]
fn a_command_whose_output_is_closed_does_not_begin() {
    let folder = tempfile::tempdir().expect("a folder");
    // Of both programs, and one that would take long.
    let train = "train configs/smoke.toml";
    for command in [
        "rules list",
        "config show configs/smoke.toml",
        "doctor",
        train,
    ] {
        let line = format!("exec \"$0\" {command} >&-");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_tafl")]);
        let shell = shell.current_dir(root()).env("TAFL_DATA", folder.path());
        let output = shell.output().expect("a shell");
        check_error(&output, "standard output: it is closed");
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}
