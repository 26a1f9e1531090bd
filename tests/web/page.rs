//! The page that all tests look at, and how they get around on it.

use crate::support::browser::Browser;
use crate::support::{root, run, succeeds};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Builds the engine, and writes the page with the networks and the games of `data`.
pub(crate) fn page() -> &'static Path {
    static FOLDER: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = FOLDER.get_or_init(|| {
        setup_web();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("play.html");
        let output = path.to_str().expect("text");
        let said = succeeds(&run(Path::new("data"), &["web", "--output", output]));
        assert!(
            said.contains("networks: berserk, tablut, brandubh, five-rulesets"),
            "{said}"
        );
        (folder, path)
    });
    path
}

/// Returns the sentence that says what is wrong, once it is there.
pub(crate) fn trouble(browser: &Browser) -> String {
    browser.wait("!document.getElementById('trouble').hidden");
    browser.text("document.getElementById('trouble').firstChild.textContent")
}

/// Puts the engine beside the program, as it is now.
pub(crate) fn setup_web() {
    let script = root().join("scripts/setup-web");
    let output = Command::new(script).output().expect("the script runs");
    succeeds(&output);
}

/// A browser with the page open, as wide as a desk or a phone.
pub(crate) fn opened(width: u32, hash: &str) -> Option<Browser> {
    let browser = Browser::start()?;
    browser.resize(width, 800);
    browser.open_at(page(), hash);
    Some(browser)
}

/// Asks the page's engine, and returns its answer.
pub(crate) fn answer(browser: &Browser, op: &str, fields: &Value) -> Value {
    let question = format!("taflforge.engine.ask({}, {fields})", json!(op));
    browser.ask(&format!("return {question}"))
}

/// Nothing was complained of, and nothing asked of a network.
pub(crate) fn is_quiet(browser: &Browser) {
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let asked = "return performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !name.startsWith('blob:'))";
    assert_eq!(browser.ask(asked), json!([]));
}

/// Returns a property of the position of the game that is played.
pub(crate) fn state(browser: &Browser, field: &str) -> Value {
    browser.ask(&format!(
        "return taflforge.parts.play.game.tree.current.{field}"
    ))
}

/// Waits until the game that is played has come to a ply.
pub(crate) fn wait_for_ply(browser: &Browser, ply: usize) {
    browser.wait(&format!(
        "taflforge.parts.play.game.tree.current.ply === {ply} && !taflforge.parts.play.game.busy"
    ));
}

/// Returns the number of a square, rank * size + file.
pub(crate) fn square(name: &str, size: usize) -> usize {
    let file = usize::from(name.as_bytes()[0] - b'a');
    let rank: usize = name[1..].parse().expect("a rank");
    (rank - 1) * size + file
}

/// Chooses in a list of the page's.
pub(crate) fn choose(browser: &Browser, select: &str, value: &str) {
    browser.ask(&format!(
        "const list = {select}; list.value = '{value}'; list.dispatchEvent(new Event('change')); list.dispatchEvent(new Event('input'))"
    ));
}

/// Presses the button with these words.
pub(crate) fn press_button(browser: &Browser, words: &str) {
    let pressed = browser.ask(&format!(
        "const found = [...document.querySelectorAll('main button')].find((one) => one.textContent === {} && one.getClientRects().length > 0);
         found?.click(); return found !== undefined",
        json!(words)
    ));
    assert_eq!(pressed, json!(true), "no button {words:?}");
}

/// Begins a game with a person beside the first one, or against a level.
pub(crate) fn begin(browser: &Browser, ruleset: &str, against: &str) {
    let ui = "taflforge.parts.play.ui";
    choose(browser, &format!("{ui}.rules.select"), ruleset);
    choose(browser, &format!("{ui}.against.select"), against);
    browser.ask(&format!("{ui}.setup.open = true"));
    press_button(browser, "New game");
    let game = "taflforge.parts.play.game";
    browser.wait(&format!(
        "{game}.tree.ruleset.form.name === '{ruleset}' && {game}.tree.current.ply === 0 && ({game}.level?.name ?? 'people') === '{against}'"
    ));
}

/// Clicks a square of the board in view.
pub(crate) fn click_square(browser: &Browser, index: usize) {
    browser.ask(&format!(
        "document.querySelector('.squares [data-square=\"{index}\"]').click()"
    ));
}

/// Puts a text under a key of the page's games.
pub(crate) fn store(browser: &Browser, key: &str, value: &str) {
    browser.ask(&format!(
        "localStorage.setItem({}, {})",
        json!(format!("taflforge-game:{key}")),
        json!(value)
    ));
}

/// A game as the page keeps it, with some fields changed.
pub(crate) fn record(changes: &Value) -> String {
    let mut record = json!({ "link": "ruleset=copenhagen&moves=d1-d3.f8-h8", "name": "a game", "you": "attackers", "level": "casual",
        "clock": null, "end": null, "plies": 2, "at": 5 });
    for (field, value) in changes.as_object().expect("fields") {
        record[field] = value.clone();
    }
    record.to_string()
}
