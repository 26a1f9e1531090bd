//! The tables and figures of Markdown files, compared with `data/results`.

use crate::support::{root, succeeds};
use std::path::Path;
use std::process::{Command, Output};

fn check(root: &Path) -> Output {
    let mut python = Command::new("python3");
    python.arg(root.join("scripts/results")).arg("--check");
    python.output().expect("python3 is there")
}

#[test]
fn tables_and_figures_are_those_of_the_results() {
    succeeds(&check(&root()));
}

#[test]
fn a_changed_figure_is_named_with_its_file() {
    let copy = tempfile::tempdir().expect("a folder");
    let folders = ["data/results", "notebooks", "scripts"];
    for folder in folders {
        std::fs::create_dir_all(copy.path().join(folder)).expect("a folder");
    }
    let data = ["matches", "training", "conclusions"].map(|it| format!("data/results/{it}.csv"));
    let text = "notebooks/ablations.md";
    for file in data
        .iter()
        .map(String::as_str)
        .chain(["scripts/results", text])
    {
        std::fs::copy(root().join(file), copy.path().join(file)).expect("copied");
    }
    succeeds(&check(copy.path()));
    let path = copy.path().join(text);
    let sound = std::fs::read_to_string(&path).expect("readable");
    // In a table, in a sentence, and where no mark stands.
    let table = sound.replacen("| +59 (", "| +58 (", 1);
    let sentence = sound.replacen(":elo-->+48 (", ":elo-->+49 (", 1);
    let loose = format!("{sound}\n+123 (+45 to +200)\n");
    for wrong in [table, sentence, loose] {
        assert_ne!(wrong, sound);
        std::fs::write(&path, wrong).expect("written");
        let output = check(copy.path());
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("notebooks/ablations.md: "), "{said}");
    }
}
