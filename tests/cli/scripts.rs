//! What the scripts say to those who ask how they are called.

use crate::support::root;
use std::process::Command;

#[test]
fn scripts_say_how_they_are_called_without_building_or_fetching_anything() {
    let place = tempfile::tempdir().expect("a folder");
    let target = place.path().join("target");
    for call in [
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
