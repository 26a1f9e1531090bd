//! `tafl sweep`: what it trains and plays, and what it refuses.

use crate::support::swept::{arguments, folder, run_of, sweep};
use crate::support::{run, succeeds};
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use tafl_store::lock_folder;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(path: &Path) -> Value {
    let text = std::fs::read(path).expect("readable");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn variants_are_trained_and_meet_by_seed() {
    let said = &sweep().1;
    for part in ["visits-2 ", "visits-8 ", "Seeds 1, 2;", "W/D/L"] {
        assert!(said.contains(part), "{said}");
    }
    let results = json(&folder().join("results.json"));
    assert_eq!(results["anchor"], "visits-2");
    let variants = results["variants"].as_array().expect("variants");
    assert_eq!(variants.len(), 2);
    for variant in variants {
        // Two openings from both sides with each of two seeds.
        assert_eq!(variant["games"], 8, "{variant}");
        assert_eq!(variant["elo_by_seed"].as_array().map(Vec::len), Some(2));
        let elos = variant["elo_by_seed"].as_array().expect("numbers").iter();
        let elos: Vec<f64> = elos.filter_map(|elo| elo["value"].as_f64()).collect();
        let mean = variant["elo"]["value"].as_f64().expect("a mean");
        assert!((mean - (elos[0] + elos[1]) / 2.0).abs() < 1e-9, "{variant}");
    }
    assert_eq!(variants[0]["elo_by_seed"][0]["value"], 0.0);
    for (name, visits, seed) in [("visits-2-seed-1", 2, 1), ("visits-8-seed-2", 8, 2)] {
        let text = std::fs::read_to_string(Path::new(&run_of(name)).join("config.toml"));
        let config: toml::Table = text.expect("a run").parse().expect("TOML");
        assert_eq!(config["search"]["visits"].as_integer(), Some(visits));
        assert_eq!(config["seed"].as_integer(), Some(seed));
    }
}

#[test]
fn what_is_trained_and_played_is_not_done_again() {
    let manifests = || {
        let names = ["visits-2-seed-1", "visits-8-seed-2"];
        names.map(|name| {
            std::fs::read(Path::new(&run_of(name)).join("manifest.json")).expect("a run")
        })
    };
    let before = manifests();
    let again = run(sweep().0.path(), &arguments());
    assert_eq!(succeeds(&again), sweep().1);
    assert!(!stderr(&again).contains("self-play"), "{}", stderr(&again));
    assert_eq!(before, manifests());
    // Other numbers under the same name would be another variant.
    let more = [&arguments()[..], &["--set", "trainer.reply_weight=0.1"]].concat();
    let refused = run(sweep().0.path(), &more);
    assert!(stderr(&refused).contains("visits-2 was another variant"));
    assert!(stderr(&refused).contains("--folder"));
    assert_eq!(before, manifests());
}

#[test]
fn mistakes_are_told_before_anything_is_trained() {
    let data = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str]| {
        let output = run(data.path(), &[&["sweep"], arguments].concat());
        assert!(!output.status.success(), "{arguments:?}");
        stderr(&output)
    };
    let smoke = "configs/smoke.toml";
    assert!(refused(&[smoke]).contains("--vary FIELD=A,B is needed"));
    assert!(refused(&[smoke, "--vary", "search.visits=4"]).contains("is not FIELD=VALUE,VALUE"));
    let error = refused(&[smoke, "--vary", "search.visits=4,0"]);
    assert!(
        error.contains("--vary search.visits: ") && error.contains("found 0"),
        "{error}"
    );
    assert!(
        refused(&[smoke, "--vary", "search.vists=4,8"]).contains("did you mean `search.visits`")
    );
    for (vary, expected) in [
        ("search.visits=4,4", "visits-4 is given twice"),
        (
            "ladder.baselines=['greedy'],[ 'greedy' ]",
            "baselines-greedy is given twice",
        ),
        (
            "rulesets=['a-b'],['a_b']",
            "two are named rulesets-a_b: `rulesets=[\"a-b\"]` and `rulesets=[\"a_b\"]`",
        ),
        (
            "rulesets=['brandubh'],['tablut']",
            "variant rulesets-tablut does not learn brandubh",
        ),
        (
            "rulesets=['fetlar'],['copenhagen']",
            "variant rulesets-copenhagen does not learn fetlar",
        ),
    ] {
        let error = refused(&[smoke, "--vary", vary]);
        assert!(error.contains(expected), "{vary}: {error}");
    }
    assert!(refused(&[smoke, "--vary", "name='a','b'"]).contains("--vary name: a sweep gives"));
    let error = refused(&[smoke, "--vary", "arena.visits=4,8"]);
    assert!(
        error.contains("arena.visits: the matches of a sweep are alike"),
        "{error}"
    );
    let file = "configs/sweeps/brandubh.toml";
    assert!(refused(&[file, "--vary", "seed=1,2"]).contains("names its variants"));
    let own = data.path().join("own.toml");
    let text = "config = \"smoke.toml\"\n[[variants]]\nname = \"a\"\n";
    std::fs::write(&own, text).expect("written");
    let name = own.display().to_string();
    assert!(refused(&[&name]).contains("a sweep compares at least two"));
    let smoke = crate::support::root().join("configs/smoke.toml");
    let text = format!(
        "config = {smoke:?}\n[[variants]]\nname = \"a\"\n[[variants]]\nname = \"b\"\nset = [\"search.visits=0\"]\n"
    );
    std::fs::write(&own, &text).expect("written");
    let error = refused(&[&name]);
    let place = format!("{name}: variants[1].set search.visits: ");
    assert!(error.contains(&place), "{error}");
    std::fs::write(&own, text.replace("search.visits=0", "seed=7")).expect("written");
    let error = refused(&[&name]);
    assert!(
        error.contains("field `variants`: `seed`: a sweep gives"),
        "{error}"
    );
    std::fs::write(&own, text.replace("search.visits=0", "arena.visits=8")).expect("written");
    assert!(refused(&[&name]).contains("`arena.visits`: the matches of a sweep are alike"));
    assert!(std::fs::read_dir(data.path()).expect("a folder").count() == 1);
}

#[test]
fn a_sweep_of_another_program_is_named_and_stays() {
    let data = tempfile::tempdir().expect("a folder");
    let (foreign, text) = (data.path().join("sweep.json"), "{\"method\": \"grid\"}");
    std::fs::write(&foreign, text).expect("written");
    let folder = data.path().display().to_string();
    let sweep = ["sweep", "configs/sweeps/brandubh.toml", "--folder", &folder];
    let said = stderr(&run(data.path(), &sweep));
    let expected = format!("error: {}: of another program: ", foreign.display());
    assert!(said.contains(&expected), "{said}");
    assert!(said.ends_with("hint: use another folder\n"), "{said}");
    assert!(std::fs::read(&foreign).expect("readable") == text.as_bytes());
}

#[test]
fn a_run_that_diverges_or_was_changed_is_not_rated_as_its_variant() {
    let data = tempfile::tempdir().expect("a folder");
    let file = data.path().join("sw.toml");
    let smoke = crate::support::root().join("configs/smoke.toml");
    let variants = [
        "loop.games=6",
        "trainer.learning_rate.peak=1e6",
        "search.visits=2",
    ];
    let variants = ["as-is", "lr", "fewer"].iter().zip(variants);
    let variants =
        variants.map(|(name, set)| format!("[[variants]]\nname = {name:?}\nset = [{set:?}]\n"));
    let common = "set = [\"rulesets=['brandubh']\", \"loop.generations=1\", \"replay.minimum=50\", \"arena.openings=1\"]\n";
    let text = format!(
        "name = \"sw\"\nconfig = {smoke:?}\n{common}{}",
        variants.collect::<String>()
    );
    std::fs::write(&file, text).expect("written");
    let name = file.display().to_string();
    let swept = || run(data.path(), &["sweep", &name]);

    let held = lock_folder(&data.path().join("sweeps/sw"), "sweep").expect("nobody holds it");
    let output = swept();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected = "sweeps/sw: another process is writing this sweep";
    assert!(said.contains(expected), "{said}");
    assert!(!data.path().join("sweeps/sw/runs").exists());
    drop(held);

    let output = swept();
    let (said, table) = (
        stderr(&output),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    );
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("1 of 3 runs failed: lr-seed-1"), "{said}");
    assert!(!said.contains("train RUN --resume"), "{said}");
    let words = |variant: &str| -> Vec<String> {
        let line = table
            .lines()
            .find(|line| line.starts_with(&format!("{variant} ")));
        line.expect("a line")
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(words("lr"), ["lr", "-", "-", "-"], "{table}");
    // It played two games, by which its Elo has an interval.
    assert!(words("fewer").join(" ").contains(") 2 "), "{table}");

    let lr = data.path().join("sweeps/sw/runs/lr-seed-1");
    let peak = "trainer.learning_rate.peak=0.004";
    succeeds(&run(
        data.path(),
        &[
            "train",
            &lr.display().to_string(),
            "--resume",
            "--set",
            peak,
        ],
    ));
    let output = swept();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected = format!(
        "{}: not what variant lr is: `trainer.learning_rate.peak` (there 0.004, here 1000000.0)",
        lr.display()
    );
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn the_sweeps_of_the_repository_are_sound() {
    let data = tempfile::tempdir().expect("a folder");
    let said = succeeds(&run(data.path(), &["config", "check", "configs/sweeps"]));
    assert_eq!(said.lines().count(), 2, "{said}");
}
