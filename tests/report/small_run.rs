//! A small real run, its page, and how tests get around on it.

use crate::support::browser::Browser;
use crate::support::{run, succeeds};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tafl_dataset::{game_files, read_games};
use tafl_samples::GameRecord;

/// A small real run with everything that a page shows: two rulesets, one with chains, games held out, matches. Its page and
/// summary are in it before any test sees it, and no test writes in it: others copy it meanwhile.
pub(crate) fn small_run() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut arguments = vec!["train", "configs/smoke.toml", "--run", "small"];
        let changes = [
            "rulesets=[\"copenhagen\", \"berserk-2024\"]",
            "precision=\"f32\"",
            "loop.games=24",
            "runner.workers=1",
            "selfplay.full_search_fraction=0.5",
            "replay.held_out_fraction=0.3",
            "arena.openings=2",
        ];
        changes
            .iter()
            .for_each(|change| arguments.extend(["--set", change]));
        succeeds(&run(folder.path(), &arguments));
        let made = folder.path().join("runs/small");
        let said = succeeds(&run(
            folder.path(),
            &["report", made.to_str().expect("text")],
        ));
        assert!(
            said.contains("report.html") && said.contains("summary.json"),
            "{said}"
        );
        folder
    });
    // The run's path would be the value, but the folder has to stay as long.
    static RUN: OnceLock<PathBuf> = OnceLock::new();
    RUN.get_or_init(|| folder.path().join("runs/small"))
}

/// The page of the small run, beside its summary.
pub(crate) fn page() -> PathBuf {
    small_run().join("report.html")
}

/// The games whose results the page tells, each with whether it is of a match: those of self-play that alpha-beta played on
/// both sides are only counted.
pub(crate) fn records() -> Vec<(bool, GameRecord)> {
    let mut found = Vec::new();
    for path in game_files(small_run()).expect("readable") {
        let games = read_games(&path).expect("readable").into_iter();
        let own = games.filter(|game| game.teachers().is_none());
        found.extend(own.map(|game| (false, game)));
    }
    for entry in std::fs::read_dir(small_run().join("arena")).expect("matches") {
        let games = read_games(&entry.expect("an entry").path()).expect("readable");
        found.extend(games.into_iter().map(|game| (true, game)));
    }
    found
}

pub(crate) const PLY: &str = "Number(document.getElementById('viewer').dataset.ply)";
pub(crate) const LIST: &str = "document.getElementById('game-list')";

/// Puts the viewer in view and the focus on nothing, so that keys reach the page.
pub(crate) fn look_at_games(browser: &Browser) {
    browser
        .ask("document.getElementById('viewer').scrollIntoView({ behavior: 'instant' }); document.activeElement.blur()");
}

pub(crate) fn choose_game(browser: &Browser, index: usize) {
    browser.ask(&format!(
        "const list = {LIST}; list.selectedIndex = {index}; list.dispatchEvent(new Event('change'))"
    ));
}

pub(crate) fn data() -> Value {
    let html = std::fs::read_to_string(page()).expect("readable");
    let (_, rest) = html.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}
