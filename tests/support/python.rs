//! Python packages for tests, from the Python package index.

use crate::support::root;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Returns the folder with the packages of `scripts/<name>.txt`, which pip installs below `target/` the first time.
pub(crate) fn packages(name: &str) -> PathBuf {
    static FOLDERS: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    let install = || install(name);
    folders
        .entry(name.to_owned())
        .or_insert_with(install)
        .clone()
}

fn install(name: &str) -> PathBuf {
    let pins = root().join(format!("scripts/{name}.txt"));
    let version = Command::new("python3")
        .args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
        .output()
        .expect("python3 is there");
    let version = String::from_utf8(version.stdout).expect("text");
    let sum = tafl_store::sha256_hex(&std::fs::read(&pins).expect("readable"));
    let name = format!("{name}-{}-{}", version.trim(), &sum[..12]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !folder.exists() {
        let partial = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let pip = Command::new("python3")
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--require-hashes",
            ])
            .args([
                "--only-binary=:all:",
                "--disable-pip-version-check",
                "--target",
            ])
            .arg(partial.path())
            .arg("-r")
            .arg(&pins)
            .output()
            .expect("python3 is there");
        assert!(
            pip.status.success(),
            "installing {} failed; it needs pip, Python 3.11 to 3.14 and, the first time, the network:\n{}",
            pins.display(),
            String::from_utf8_lossy(&pip.stderr)
        );
        // Another process may have been faster.
        let renamed = std::fs::rename(partial.path(), &folder);
        assert!(renamed.is_ok() || folder.exists(), "{renamed:?}");
    }
    folder
}
