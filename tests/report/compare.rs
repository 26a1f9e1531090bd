//! Pages of several runs, and of a tournament.

use crate::support::browser::Browser;
use crate::support::swept::{folder, run_of, sweep};
use crate::support::{run, succeeds};
use std::path::Path;
use std::process::Output;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn runs_are_compared_on_one_page() {
    let runs = ["visits-2-seed-1", "visits-8-seed-1"].map(run_of);
    let data = sweep().0.path();
    let said = succeeds(&run(data, &["report", &runs[0], &runs[1]]));
    assert!(said.contains("compare.html"), "{said}");
    let difference = run(data, &["config", "diff", &runs[0], &runs[1]]);
    assert_eq!(difference.status.code(), Some(1));
    let difference = String::from_utf8_lossy(&difference.stdout).into_owned();
    let fields = difference
        .lines()
        .skip(2)
        .map(|it| it.split_whitespace().next());
    assert_eq!(
        fields.flatten().collect::<Vec<_>>(),
        ["name", "search.visits"]
    );
    let neither = run(data, &["config", "diff", &runs[0], "configs"]);
    assert!(stderr(&neither).contains("configs: neither a run nor a checkpoint of one"));
    let whole = run(data, &["report", &folder().display().to_string()]);
    assert!(stderr(&whole).contains("a sweep, not one of its runs"));
    let study = run(
        data,
        &[
            "report",
            &runs[0],
            &folder().join("arena/seed-1").display().to_string(),
        ],
    );
    assert!(stderr(&study).contains("only runs are compared"));
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&Path::new(&runs[0]).join("compare.html"));
    let text = browser.text("document.querySelector('main').textContent");
    for part in [
        "search.visits",
        "Tournament seed-1",
        "Policy loss",
        "Players",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Each run is a line of its own, over each measure of time.
    let lines = "[...document.querySelectorAll('#curves figure')].map((one) => one.querySelectorAll('.series').length)";
    let places = "[...document.querySelectorAll('#curves path.line')].map((one) => one.getAttribute('d').split(/[ML]/).slice(1).map(parseFloat))";
    for over in ["hours", "step", "generation"] {
        browser.ask(&format!(
            "const list = document.querySelector('#curves select'); list.value = '{over}'; list.dispatchEvent(new Event('change'))"
        ));
        // Charts are drawn when the page has laid them out.
        browser.wait(&format!("{lines}.length > 3 && {lines}.includes(2)"));
        // No line goes straight up: steps that were recorded together are one point.
        let rise = browser.ask(&format!(
            "return {places}.every((xs) => xs.every((x, at) => at === 0 || x > xs[at - 1]))"
        ));
        assert_eq!(rise, true, "over {over}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_tournament_has_a_page() {
    let tournament = folder().join("arena/seed-2");
    let said = succeeds(&run(
        sweep().0.path(),
        &["report", &tournament.display().to_string()],
    ));
    assert!(said.contains("report.html"), "{said}");
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&tournament.join("report.html"));
    assert_eq!(
        browser.text("document.querySelector('h1').textContent"),
        "seed-2"
    );
    let tile = browser.text("document.querySelector('.tile b').textContent");
    assert_eq!(tile, "4");
    let text = browser.text("document.querySelector('main').textContent");
    let parts = [
        "visits-8-seed-2 2@4",
        "How the games ended",
        "max plies",
        "All games of the tournament",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["against itself", "Latest:", "handicap", "on both sides"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
