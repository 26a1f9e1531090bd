//! What the whole-program tests share: running `tafl`.

pub(crate) mod browser;
pub(crate) mod compare;
pub(crate) mod contents;
pub(crate) mod nets;
pub(crate) mod place;
pub(crate) mod python;
pub(crate) mod smoke;
pub(crate) mod swept;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the folder exists")
}

/// Returns `tafl` with arguments, to be run in the root of the repository, keeping its runs in `data`.
pub(crate) fn tafl(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tafl"));
    command
        .args(arguments)
        .current_dir(root())
        .env("TAFL_DATA", data)
        .env_remove("TAFL_SLOW");
    command
}

/// Runs `tafl` to its end.
pub(crate) fn run(data: &Path, arguments: &[&str]) -> Output {
    tafl(data, arguments).output().expect("tafl starts")
}

/// Returns what a command printed, after asserting that it succeeded.
pub(crate) fn succeeds(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Returns the only file of a folder.
pub(crate) fn only_file(folder: &Path) -> PathBuf {
    let mut files = std::fs::read_dir(folder).expect("a folder");
    files.next().expect("a file").expect("readable").path()
}
