//! `tafl config diff` of rulesets, studies and sweeps; of runs it is tested beside their configs.

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
    // Where nothing gives a result, its name says nothing.
    let text =
        "base = \"brandubh\"\ncaptureless_limit = \"none\"\ncaptureless_reason = \"captureless\"\n";
    let endless = write(folder.path(), "endless.toml", text);
    let output = config(&["diff", "brandubh", &endless]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("\ncaptureless_limit ") && !said.contains("captureless_reason"),
        "{said}"
    );
    let same = config(&["diff", "brandubh", "brandubh"]);
    assert_eq!(same.status.code(), Some(0));
    let run = config(&["diff", "brandubh", "configs/smoke.toml"]);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("smoke.toml"), "{said}");
}

#[test]
fn configs_of_studies_and_of_sweeps_are_compared() {
    let said = |one: &str, other: &str| {
        let output = config(&["diff", one, other]);
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    let [five, tenth] = ["five-rulesets", "tenth"].map(|it| format!("configs/balance/{it}.toml"));
    let (code, text) = said(&five, &tenth);
    assert_eq!(code, Some(1), "{text}");
    let has = |field: &str| {
        text.lines()
            .any(|line| line.split(' ').next() == Some(field))
    };
    assert!(has("seed") && has("players") && !has("rulesets"), "{text}");
    assert_eq!(said(&five, &five).0, Some(0));
    let [small, large] = ["brandubh", "copenhagen"].map(|it| format!("configs/sweeps/{it}.toml"));
    let (code, text) = said(&small, &large);
    assert!(code == Some(1) && text.contains("\nvariants "), "{text}");
    // Of two kinds nothing is compared.
    let sweep = tempfile::tempdir().expect("a folder");
    write(sweep.path(), "sweep.json", "{\"variants\": {}}");
    let sweep = sweep.path().display().to_string();
    let (run, study) = ("configs/smoke.toml", "data/balance/published");
    for (one, other, expected) in [
        (&*five, run, "is a run config, not a balance study"),
        (run, &*five, "is a balance study, not a run config"),
        (study, run, "is a run config, not the folder of a study"),
        (
            &*five,
            study,
            "is the folder of a study, not a balance study",
        ),
        (run, &*sweep, "is the folder of a sweep, not a run config"),
        (&*sweep, &*sweep, "a sweep, not one of its runs"),
    ] {
        let (code, text) = said(one, other);
        assert!(code == Some(2) && text.contains(expected), "{text}");
    }
}

#[test]
fn own_rulesets_are_compared_by_what_they_say() {
    let folders = [false, true].map(|is_armed| {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!("base = \"brandubh\"\nking_armed = {is_armed}\n");
        write(folder.path(), "mine.toml", &text);
        let run = "name = \"own\"\nrulesets = [\"mine.toml\"]\n";
        let study = "players = [{ player = \"greedy\" }]\n";
        let run = write(folder.path(), "run.toml", run);
        let study = format!("rulesets = [\"mine.toml\"]\n{study}");
        let study = write(folder.path(), "study.toml", &study);
        (folder, [run, study])
    });
    let [(_, one), (_, other)] = &folders;
    for (one, other) in one.iter().zip(other) {
        let output = config(&["diff", one, other]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains("\nrulesets ") && said.contains("mine ("),
            "{said}"
        );
        assert_eq!(config(&["diff", one, one]).status.code(), Some(0));
    }
}
