//! What the scripts say to those who ask how they are called.

use crate::support::root;
use std::process::Command;

#[test]
fn scripts_say_how_they_are_called_without_building_or_fetching_anything() {
    let place = tempfile::tempdir().expect("a folder");
    let target = place.path().join("target");
    for call in [
        "bench-gpu --help",
        "bench-train-pytorch --help",
        "cluster --help",
        "cluster balance --help",
        "cluster",
        "fuzz --help",
        "lint --help",
        "setup-chromium --help",
        "setup-libtorch --help",
        "setup-web --help",
        "test --help",
        "test-python --help",
        "wheel --help",
    ] {
        let words: Vec<&str> = call.split(' ').collect();
        let output = Command::new(root().join("scripts").join(words[0]))
            .args(&words[1..])
            .env("CARGO_TARGET_DIR", &target)
            .output()
            .expect("it starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(said.starts_with("usage: "), "{call}: {said}");
        assert!(!target.exists(), "{call}");
    }
}

#[test]
fn scripts_say_what_is_missing() {
    let place = tempfile::tempdir().expect("a folder");
    // A machine that has nothing but what every one has.
    for name in ["bash", "dirname", "readlink"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").expect("a path"))
            .map(|folder| folder.join(name))
            .find(|path| path.is_file());
        std::os::unix::fs::symlink(found.expect("it is there"), place.path().join(name))
            .expect("linked");
    }
    let cargo = "error: cargo is not installed\nhint: install Rust with rustup, ";
    for (script, expected) in [
        ("tafl", cargo),
        ("setup-web", cargo),
        ("test-python", "no wheel in it\nhint: ./scripts/wheel "),
    ] {
        let output = Command::new(root().join("scripts").join(script))
            .env("PATH", place.path())
            .env("CARGO_TARGET_DIR", place.path())
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{script}: {said}");
        assert!(said.contains(expected), "{script}: {said}");
    }
}
