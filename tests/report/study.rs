//! Studies of balance as pages.

use crate::report::small_run::{choose_game, look_at_games};
use crate::support::browser::{Browser, END};
use crate::support::{run, succeeds};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tafl_store::MANIFEST_FORMAT;

/// A small study with its page.
fn study() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    static STUDY: OnceLock<PathBuf> = OnceLock::new();
    let data = FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder"));
    STUDY.get_or_init(|| {
        let study = data.path().join("study");
        let folder = study.to_str().expect("text");
        let arguments = ["balance", "configs/balance/smoke.toml", "--folder", folder];
        succeeds(&run(data.path(), &arguments));
        let before = std::fs::read(study.join("summary.json")).expect("readable");
        succeeds(&run(data.path(), &["report", folder]));
        let after = std::fs::read(study.join("summary.json")).expect("readable");
        assert_eq!(before, after, "the study's own file");
        study
    })
}

fn summary() -> Value {
    let text = std::fs::read(study().join("summary.json")).expect("readable");
    serde_json::from_slice(&text).expect("JSON")
}

/// Opens the page of a small study that has another summary; returns its folder, which is there as long as the page.
fn open(browser: &Browser, summary: &Value) -> tempfile::TempDir {
    let data = tempfile::tempdir().expect("a folder");
    let study = data.path().join("study");
    let folder = study.to_str().expect("text");
    let arguments = ["balance", "configs/balance/smoke.toml", "--folder", folder];
    succeeds(&run(data.path(), &arguments));
    let text = serde_json::to_vec(summary).expect("JSON");
    std::fs::write(study.join("summary.json"), text).expect("written");
    succeeds(&run(data.path(), &["report", folder]));
    browser.open(&study.join("report.html"));
    data
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().expect("a list")
}

fn games(cell: &Value) -> u64 {
    let counts = cell["results"].as_object().expect("counts").values();
    counts.filter_map(Value::as_u64).sum()
}

#[test]
fn the_page_of_a_study_shows_its_numbers() {
    let summary = summary();
    let played: u64 = list(&summary, "cells").iter().map(games).sum();
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&study().join("report.html"));
    let tile = browser.text("document.querySelector('.tile b').textContent");
    assert_eq!(tile.replace('\u{2009}', ""), played.to_string());
    browser.resize(1200, 800);
    let hidden = "(({ parentNode }) => parentNode.scrollWidth - parentNode.clientWidth)(document.querySelector('#fairness table'))";
    assert_eq!(browser.number(hidden), 0.0, "columns are cut");
    let text = browser.text("document.querySelector('main').textContent");
    let sections = ["Is it fair?", "How games end", "The course of games"];
    assert!(sections.iter().all(|section| text.contains(section)));
    let verdict = browser.text("document.querySelector('#verdict .verdict').textContent");
    assert_eq!(Some(&*verdict), list(&summary, "verdict")[0].as_str());
    let field = browser.text("document.querySelector('#verdict > p > code').textContent");
    assert_eq!(field, "openings.source");
    for warning in list(&summary, "warnings") {
        let sentence = warning["text"].as_str().expect("a sentence");
        assert!(text.contains(sentence), "{warning}");
    }
    let width = browser.number("document.querySelector('#fairness img').naturalWidth");
    assert!(width > 0.0, "the picture is drawn");
    // Beyond six rulesets colors come again.
    browser.wait("[...document.querySelectorAll('#compared .part text')].some((it) => /^(brandubh|tablut) /.test(it.textContent))");
    let rows = browser.number("document.querySelector('#fairness table').tBodies[0].rows.length");
    assert_eq!(rows as usize, list(&summary, "cells").len());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// However many warnings there are, the picture begins on the first screen, and each can be read.
#[test]
fn many_warnings_are_shown_by_kind() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut summary = summary();
    let names = |name: &str| list(&summary, name).iter().map(|it| it["name"].clone());
    let mut warnings = Vec::new();
    for ruleset in names("rulesets") {
        for player in names("players") {
            for kind in ["untrained", "weak", "capped", "drawn"] {
                let text = format!("{kind}: {player} under {ruleset}");
                let (ruleset, player) = (&ruleset, &player);
                warnings.push(serde_json::json!({
                    "kind": kind, "ruleset": ruleset, "player": player, "text": text
                }));
            }
        }
    }
    let count = warnings.len();
    summary["warnings"] = warnings.into();
    let _study = open(&browser, &summary);
    let top = browser.number("document.getElementById('fairness').offsetTop");
    assert!(top < 900.0, "{top}");
    let lines = browser.number("document.querySelectorAll('.warning > ul > li').length");
    assert_eq!(lines as usize, 4);
    let folded = browser.number("document.querySelectorAll('.warning details li').length");
    assert_eq!(folded as usize, count);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Of a side whose positions were all decided there is no row, and those behind it stay below their own ruleset.
#[test]
fn rows_of_difficulty_stand_below_their_ruleset() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let mut summary = summary();
    let number = serde_json::json!({ "value": 1.0, "low": 1.0, "high": 2.0 });
    let row = |ruleset: &str| {
        serde_json::json!({
            "ruleset": ruleset, "player": "greedy", "side": "attackers", "deepest": 64, "positions": 9,
            "visits": number, "at_once": number, "unsettled": number
        })
    };
    summary["difficulties"] = vec![row("brandubh"), row("tablut")].into();
    let _study = open(&browser, &summary);
    let names = "[...document.querySelectorAll('#difficulty .group-name')].map((it) => it.textContent).join()";
    browser.wait(&format!("{names} === 'brandubh,tablut'"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn games_of_a_study_are_stepped_to_their_end() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&study().join("report.html"));
    look_at_games(&browser);
    for index in [0, 5, 11] {
        choose_game(&browser, index);
        browser.press(END);
        let end = browser.text("document.getElementById('viewer').dataset.end");
        assert_ne!(end, "");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_study_without_a_readable_summary_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = format!("{{\"format\": {MANIFEST_FORMAT}, \"kind\": \"study\"}}");
    std::fs::write(folder.path().join("manifest.json"), manifest).expect("written");
    let arguments = ["report", folder.path().to_str().expect("text")];
    for (summary, reason) in [
        (None, "the study is not finished"),
        (
            Some("{}"),
            "summary.json: not a summary of a study: field `summary_version`",
        ),
    ] {
        let path = folder.path().join("summary.json");
        let _ = summary.map(|text| std::fs::write(&path, text).expect("written"));
        let output = run(folder.path(), &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}
