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
    let sentence = sound.replacen(":elo-->+18 (", ":elo-->+19 (", 1);
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

#[test]
fn a_match_says_how_it_was_played() {
    // Those until this day were told in prose, and what they left out is lost.
    const TOLD: &str = "2026-11-30";
    const STATED: [&str; 7] = [
        "openings",
        "opening_kind",
        "match_seed",
        "attackers_wins",
        "defenders_wins",
        "precision",
        "processor",
    ];
    let path = root().join("data/results/matches.csv");
    let mut rows = csv::Reader::from_path(path).expect("readable");
    let columns = rows.headers().expect("columns").clone();
    let mut by_sides = 0;
    for row in rows.records() {
        let row = row.expect("a row");
        let of = |name: &str| {
            let mut cells = columns.iter().zip(&row);
            let found = cells.find(|(column, _)| *column == name);
            found.expect("the column").1
        };
        let id = of("id");
        let empty = STATED.into_iter().filter(|name| of(name).is_empty());
        let empty: Vec<&str> = empty.filter(|_| of("date") > TOLD).collect();
        assert_eq!(empty, Vec::<&str>::new(), "{id}");
        let games = |side: &str| -> Option<u32> {
            let ends = ["wins", "draws", "losses"].map(|end| of(&format!("{side}_{end}")));
            let counts = ends.map(|end| end.parse::<u32>().ok());
            counts.into_iter().sum()
        };
        let played = [games("attackers"), games("defenders")];
        for games in played.into_iter().flatten() {
            by_sides += 1;
            // Each opening is played with both sides.
            let is_whole = of("openings") == games.to_string();
            assert!(is_whole || of("note").starts_with("unfinished"), "{id}");
            assert_eq!(of("wins"), "", "{id}: told twice");
        }
    }
    assert!(by_sides > 400, "{by_sides}");
}

#[test]
fn intervals_stand_below_each_other() {
    let text = std::fs::read_to_string(root().join("notebooks/ablations.md")).expect("readable");
    for paragraph in text.split("\n\n") {
        let intervals = paragraph.matches(":elo-->").count();
        assert!(intervals <= 1, "a table compares them: {paragraph}");
    }
}
