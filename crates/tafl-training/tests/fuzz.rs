//! Configs damaged at random are read or refused, and what is read can be written and read again.
//!
//! Three hundred of each; `TAFL_SLOW=1` goes on for ten minutes.

use crate::damage::damaged;
use std::path::{Path, PathBuf};
use tafl_training::{Loaded, load, load_rules};

/// Values that a number, a word or a list could be taken for.
const ODD: [&str; 17] = [
    "0",
    "-1",
    "0.5",
    "-0.0",
    "nan",
    "-inf",
    "1e308",
    "4294967296",
    "-9223372036854775808",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "true",
    "\"\"",
    "\"../../etc\"",
    "[]",
    "{}",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shipped(name: &str) -> PathBuf {
    root().join("configs").join(name)
}

/// Returns a config with its networks named from anywhere.
fn text_of(name: &str) -> String {
    let all = load(&shipped(name), &[]).expect("a shipped config");
    let nets = root().join("data/nets").display().to_string();
    let text = tafl_config::show(&all.config).expect("written");
    text.replace("../data/nets", &nets)
}

/// Reads a config as `tafl train` does; what is sound is the same after it was written and read again.
fn check(path: &Path, text: &[u8]) -> anyhow::Result<Loaded> {
    std::fs::write(path, text).expect("writable");
    let loaded = load(path, &[])?;
    let shown = tafl_config::show(&loaded.config).expect("what was read can be written");
    std::fs::write(path, &shown).expect("writable");
    let again = load(path, &[]).expect("what was written can be read");
    assert_eq!(tafl_config::show(&again.config).expect("written"), shown);
    Ok(loaded)
}

#[test]
fn damaged_configs_are_read_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    let whole = text_of("copenhagen-cpu.toml");
    damaged(whole.as_bytes(), |bytes| {
        let _ = check(&path, bytes);
    });
}

#[test]
fn damaged_rulesets_are_read_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = std::fs::read(shipped("rulesets/copenhagen.toml")).expect("readable");
    damaged(&whole, |bytes| {
        std::fs::write(folder.path().join("own.toml"), bytes).expect("writable");
        let _ = load_rules("own.toml", folder.path());
    });
}

#[test]
fn every_field_takes_odd_values_or_names_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    let mut refused = 0;
    for name in [
        "smoke.toml",
        "copenhagen-cpu.toml",
        "five-rulesets-h200.toml",
    ] {
        let text = text_of(name);
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let Some((field, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) else {
                continue;
            };
            for value in ODD {
                let changed = format!("{field} = {value}");
                let mut lines = lines.clone();
                lines[number] = &changed;
                if let Err(error) = check(&path, (lines.join("\n") + "\n").as_bytes()) {
                    let said = format!("{error:#}");
                    let names_it = said.contains(field) && said.contains("config.toml");
                    assert!(names_it, "{changed}: {said}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}
