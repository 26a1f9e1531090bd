//! Runs that are broken, unfinished, or none.

use crate::report::small_run::small_run;
use crate::support::browser::Browser;
use crate::support::{run, succeeds, tafl};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A copy of the small run in which something is broken.
fn broken(change: impl FnOnce(&Path)) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("broken");
    let status = std::process::Command::new("cp")
        .arg("-r")
        .arg(small_run())
        .arg(&run)
        .status();
    assert!(status.expect("cp runs").success());
    for written in ["report.html", "summary.json"] {
        std::fs::remove_file(run.join(written)).expect("it was there");
    }
    change(&run);
    (folder, run)
}

#[test]
fn a_folder_of_nothing_is_refused_with_commands_that_can_be_pasted() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = folder.path().display().to_string();
    let mut report = tafl(folder.path(), &["report", &name]);
    let refused = report.env("TAFL_COMMAND", "./scripts/tafl").output();
    let said = String::from_utf8(refused.expect("it starts").stderr).expect("UTF-8");
    assert!(
        said.contains("\nhint: `./scripts/tafl train` makes"),
        "{said}"
    );
    assert!(!said.contains("`tafl "), "{said}");
}

#[test]
fn a_pipe_that_nobody_reads_is_not_waited_for() {
    for name in ["report.html", "summary.json"] {
        let (folder, run_folder) = broken(|run| {
            let made = std::process::Command::new("mkfifo")
                .arg(run.join(name))
                .status();
            assert!(made.expect("mkfifo").success());
        });
        let output = run(
            folder.path(),
            &["report", &run_folder.display().to_string()],
        );
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(&format!("{name}: a pipe that nobody reads")),
            "{said}"
        );
    }
}

#[test]
fn a_page_is_not_written_as_json() {
    let (folder, run_folder) = broken(|_| ());
    let output = folder.path().join("page.json").display().to_string();
    let report = run_folder.display().to_string();
    let arguments = ["report", &report, "--output", &output];
    let refused = run(Path::new("data"), &arguments);
    let said = String::from_utf8_lossy(&refused.stderr);
    let expected = format!("error: --output {output}: the page is HTML\n");
    assert_eq!(said, expected);
    assert_eq!(refused.status.code(), Some(2));
    assert!(!Path::new(&output).exists());
}

#[test]
fn a_page_replaces_no_file_of_another_kind() {
    let (_folder, run_folder) = broken(|_| ());
    let report = run_folder.display().to_string();
    for (output, lost) in [
        ("config.toml", "config.toml"),
        ("manifest.html", "manifest.json"),
    ] {
        let lost = run_folder.join(lost);
        let before = std::fs::read(&lost).expect("readable");
        let output = run_folder.join(output).display().to_string();
        let refused = run(Path::new("data"), &["report", &report, "--output", &output]);
        let said = String::from_utf8_lossy(&refused.stderr);
        let expected = format!("{}: a file of another kind is there", lost.display());
        assert!(said.contains(&expected), "{said}");
        assert_eq!(refused.status.code(), Some(2));
        assert_eq!(std::fs::read(&lost).expect("readable"), before);
    }
    // Its own it replaces.
    for _ in 0..2 {
        succeeds(&run(Path::new("data"), &["report", &report]));
    }
}

type Change = fn(&Path);

#[test]
fn broken_runs_are_named_and_leave_no_page() {
    let cases: [(&str, &str, Change); 4] = [
        ("manifest.json", "no such file", |run| {
            std::fs::remove_file(run.join("manifest.json")).expect("removed")
        }),
        ("manifest.json", "expected", |run| {
            std::fs::write(run.join("manifest.json"), "nonsense").expect("written")
        }),
        ("config.toml", "rulesets", |run| {
            std::fs::write(run.join("config.toml"), "rulesets = []\n").expect("written")
        }),
        ("metrics.parquet", "its checksum differs", |run| {
            let path = run.join("metrics.parquet");
            let mut bytes = std::fs::read(&path).expect("readable");
            bytes[40] ^= 1;
            std::fs::write(&path, &bytes).expect("written");
        }),
    ];
    for (file, reason, change) in cases {
        let (_folder, run_folder) = broken(change);
        let output = run(
            Path::new("data"),
            &["report", run_folder.to_str().expect("text")],
        );
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{file} {reason}: {said}");
        assert!(
            said.starts_with("error: ") && said.contains(file) && said.contains(reason),
            "{file} {reason}: {said}"
        );
        assert!(!run_folder.join("report.html").exists());
    }
}

#[test]
fn rules_that_were_changed_since_the_run_began_are_refused() {
    let (folder, run_folder) = broken(|run| {
        let manifest = run.join("manifest.json");
        let text = std::fs::read_to_string(&manifest).expect("readable");
        let mut manifest_of_run: Value = serde_json::from_str(&text).expect("JSON");
        let rules = manifest_of_run["rulesets"].as_object_mut().expect("named");
        for fingerprint in rules.values_mut() {
            *fingerprint = json!("0123456789abcdef");
        }
        std::fs::write(&manifest, manifest_of_run.to_string()).expect("written");
    });
    let name = run_folder.display().to_string();
    let output = run(folder.path(), &["report", &name]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("0123456789abcdef"), "{said}");
    assert!(!run_folder.join("report.html").exists());
}

#[test]
fn files_that_cannot_be_shown_are_left_out_and_named() {
    let cases: [(&str, &str, Change); 4] = [
        ("metrics.parquet", "missing", |run| {
            std::fs::remove_file(run.join("metrics.parquet")).expect("it was there");
        }),
        ("arena/", "not a whole Parquet file", |run| {
            let entries = std::fs::read_dir(run.join("arena")).expect("matches");
            let paths = entries.map(|entry| entry.expect("an entry").path());
            std::fs::write(paths.max().expect("a match"), "cut").expect("written");
        }),
        ("games.parquet", "not a whole Parquet file", |run| {
            let path = run.join("games/000001/games.parquet");
            let bytes = std::fs::read(&path).expect("readable");
            std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        }),
        ("games.parquet", "which the run does not have", |run| {
            let path = run.join("config.toml");
            let text = std::fs::read_to_string(&path).expect("readable");
            std::fs::write(
                &path,
                text.replace(", \"berserk-2024\"", "")
                    .replace("    \"berserk-2024\",\n", ""),
            )
            .expect("written");
            std::fs::remove_dir_all(run.join("arena")).expect("removed");
            let path = run.join("manifest.json");
            let mut manifest: Value =
                serde_json::from_str(&std::fs::read_to_string(&path).expect("readable"))
                    .expect("JSON");
            manifest["files"]
                .as_object_mut()
                .expect("files")
                .retain(|name, _| !name.starts_with("arena/"));
            std::fs::write(&path, manifest.to_string()).expect("written");
        }),
    ];
    for (file, reason, change) in cases {
        let (_folder, run_folder) = broken(change);
        let output = run(
            Path::new("data"),
            &["report", run_folder.to_str().expect("text")],
        );
        succeeds(&output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.starts_with("left out: ") && said.contains(file) && said.contains(reason),
            "{file} {reason}: {said}"
        );
        let damaged = said.lines().filter(|line| line.contains("not a whole"));
        assert!(damaged.count() <= 1, "named once: {said}");
        assert!(run_folder.join("report.html").exists());
    }
}

/// What the summary of a run says of its games.
fn counts(run_folder: &Path) -> [Value; 3] {
    let text = std::fs::read_to_string(run_folder.join("summary.json")).expect("readable");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    ["self_play_games", "positions", "left_out"].map(|name| summary[name].clone())
}

#[test]
fn only_games_that_the_run_learned_from_are_counted() {
    let (folder, run_folder) = broken(|_| ());
    let name = run_folder.to_str().expect("text");
    succeeds(&run(Path::new("data"), &["report", name]));
    let [games, positions, left_out] = counts(&run_folder);
    assert!(games.as_u64() > Some(0) && positions.as_u64() > Some(0));
    assert_eq!(left_out, json!([]));

    let own = run_folder.join("games/000000/games.parquet");
    let worker = run_folder.join("workers/far/games/000000");
    std::fs::create_dir_all(&worker).expect("made");
    std::fs::copy(&own, worker.join("copy.parquet")).expect("copied");
    let other = ["selfplay", "configs/smoke.toml", "--out"];
    let elsewhere = folder.path().join("else");
    let brandubh = [elsewhere.to_str().expect("text"), "--set", "loop.games=1"];
    succeeds(&run(Path::new("data"), &[&other[..], &brandubh].concat()));
    let foreign = elsewhere.join("games/000000/games.parquet");
    std::fs::rename(foreign, worker.join("foreign.parquet")).expect("moved");
    let output = run(Path::new("data"), &["report", name]);
    succeeds(&output);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.lines().count(), 2, "{said}");
    for reason in [
        "copy.parquet: holds a game that was learned from before",
        "foreign.parquet",
    ] {
        assert!(said.contains(reason), "{said}");
    }
    let after = counts(&run_folder);
    assert_eq!([&after[0], &after[1]], [&games, &positions]);
}

#[test]
fn what_is_neither_a_run_nor_a_study_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().to_str().expect("text");
    let missing = folder.path().join("missing");
    let run_folder = small_run().to_str().expect("text");
    for (arguments, reason) in [
        (vec!["report", empty], "neither a run"),
        (
            vec!["report", missing.to_str().expect("text")],
            "no such file or folder",
        ),
        (vec!["report", run_folder, "--output", empty], "is a folder"),
        (vec!["report", run_folder, run_folder], "given twice"),
    ] {
        let output = run(Path::new("data"), &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_run_that_has_only_begun_has_a_page() {
    let (_folder, run_folder) = broken(|run| {
        for gone in ["games", "arena", "checkpoints", "metrics.parquet"] {
            let path = run.join(gone);
            let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
        }
        let path = run.join("manifest.json");
        let mut manifest: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("readable")).expect("JSON");
        manifest["files"] = json!({});
        std::fs::write(&path, manifest.to_string()).expect("written");
    });
    let output = run_folder.parent().expect("a folder").join("early.html");
    let arguments = [
        "report",
        run_folder.to_str().expect("text"),
        "--output",
        output.to_str().expect("text"),
    ];
    succeeds(&run(Path::new("data"), &arguments));
    assert!(output.with_extension("json").exists());
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&output);
    assert!(
        browser
            .text("document.querySelector('main').textContent")
            .contains("Nothing was trained yet")
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
