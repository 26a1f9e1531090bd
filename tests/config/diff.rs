//! `tafl config diff` of rulesets; of runs it is tested beside their configs.

use crate::config::{config, write};

#[test]
fn rulesets_are_compared_by_name_and_by_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "base = \"brandubh\"\nking_armed = false\n";
    let file = write(folder.path(), "mine.toml", text);
    for given in [["brandubh", &file], [&file, "brandubh"]] {
        let output = config(&["diff", given[0], given[1]]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let row = |field: &str| {
            let words = said.lines().map(|line| line.split_whitespace().collect());
            words.into_iter().find(|row: &Vec<&str>| row[0] == field)
        };
        let armed = match given[0] {
            "brandubh" => vec!["king_armed", "true", "false"],
            _ => vec!["king_armed", "false", "true"],
        };
        assert_eq!(row("king_armed"), Some(armed), "{said}");
        assert_eq!(row("shieldwall"), None, "{said}");
    }
    let same = config(&["diff", "brandubh", "brandubh"]);
    assert_eq!(same.status.code(), Some(0));
    let run = config(&["diff", "brandubh", "configs/smoke.toml"]);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("smoke.toml"), "{said}");
}
