//! A small sweep, made once.

use crate::support::smoke::SMOKE;
use crate::support::{run, succeeds};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Two variants with two seeds each.
const VARIANTS: [&str; 8] = [
    "--vary",
    "search.visits=2,8",
    "--seeds",
    "2",
    "--set",
    "arena.openings=2",
    "--set",
    "loop.games=6",
];

/// What makes the sweep.
pub(crate) fn arguments() -> Vec<&'static str> {
    [&["sweep"], &SMOKE[..], &VARIANTS].concat()
}

/// A folder of data with a finished sweep, and what it printed.
pub(crate) fn sweep() -> &'static (tempfile::TempDir, String) {
    static SWEPT: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    SWEPT.get_or_init(|| {
        let data = tempfile::tempdir().expect("a folder");
        let said = succeeds(&run(data.path(), &arguments()));
        (data, said)
    })
}

pub(crate) fn folder() -> PathBuf {
    sweep().0.path().join("sweeps/smoke-visits")
}

pub(crate) fn run_of(name: &str) -> String {
    folder().join("runs").join(name).display().to_string()
}
