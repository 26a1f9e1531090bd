//! The editor of rulesets: what it writes is what `tafl` reads, and it is played at once.

use crate::support::browser::Browser;
use crate::support::{run, succeeds};
use crate::web::page::{choose, is_quiet, opened, page, press_button, square};
use serde_json::json;
use std::path::Path;

const UI: &str = "taflforge.parts.rules.ui";

#[test]
fn a_ruleset_is_made_saved_and_played() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-rules').click()");
    let told = format!("{UI}.told.textContent");
    choose(&browser, &format!("{UI}.base.select"), "brandubh");
    browser.wait(&format!("{UI}.toml.value.includes('my-brandubh')"));
    assert_eq!(
        browser.text(&told),
        "The network “brandubh” has learned these rules."
    );
    choose(&browser, &format!("{UI}.controls.escape"), "edges");
    browser.wait(&format!("{UI}.toml.value.includes('escape = \"edges\"')"));
    let said = browser.text(&told);
    assert!(
        said.starts_with("No network here knows these rules"),
        "{said}"
    );
    // A defender is put beside each corner.
    browser.ask("document.querySelector('.pieces [data-piece=\"T\"]').click()");
    let index = square("b2", 7);
    browser.ask(&format!(
        "document.querySelector('.place .squares [data-square=\"{index}\"]').click()"
    ));
    browser.wait(&format!("{UI}.toml.value.includes('3t3/1T1t1T1')"));
    let toml = browser.text(&format!("{UI}.toml.value"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, &toml).expect("writable");
    let arguments = [
        "rules",
        "convert",
        "ruleset",
        "--from",
        "taflforge",
        "--to",
        "taflforge",
    ];
    let arguments = [&arguments[..], &[file.to_str().expect("text")]].concat();
    assert_eq!(succeeds(&run(Path::new("data"), &arguments)), toml);
    press_button(&browser, "Play these rules");
    browser.wait("taflforge.tab === 'play' && taflforge.parts.play.game.tree.ruleset.form.name === 'my-brandubh'");
    let said = browser.text("taflforge.parts.play.ui.knows.textContent");
    assert!(said.contains("random games"), "{said}");
    for name in ["d1", "b1"] {
        browser.ask(&format!(
            "document.querySelector('.place .squares [data-square=\"{}\"]').click()",
            square(name, 7)
        ));
    }
    browser.wait("taflforge.parts.play.game.tree.current.ply === 2");
    is_quiet(&browser);
}

#[test]
fn rules_that_cannot_be_played_are_told_so() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-rules').click()");
    let told = format!("{UI}.told.textContent");
    browser.ask(&format!(
        "{UI}.name.value = 'my rules'; {UI}.name.dispatchEvent(new Event('input'))"
    ));
    browser.wait(&format!("{told}.includes('name: ')"));
    assert_eq!(
        browser.ask(&format!("return {UI}.play.disabled")),
        json!(true)
    );
    browser.ask(&format!(
        "{UI}.name.value = 'mine'; {UI}.name.dispatchEvent(new Event('input'))"
    ));
    browser.wait(&format!("!{UI}.play.disabled"));
    choose(&browser, &format!("{UI}.controls.captureless_limit"), "0");
    browser.wait(&format!(
        "{told}.startsWith('These rules cannot be played yet.')"
    ));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert!(page().exists());
}

/// Gives the page a file, as whoever chooses one does.
fn give(browser: &Browser, name: &str, text: &str) {
    browser.ask(&format!(
        "const given = new DataTransfer(); given.items.add(new File([{}], {}));
         {UI}.told.textContent = ''; {UI}.file.files = given.files; {UI}.file.dispatchEvent(new Event('change'))",
        json!(text),
        json!(name)
    ));
    browser.wait(&format!("{UI}.told.textContent !== ''"));
}

#[test]
fn ruleset_files_are_read_as_the_terminal_reads_them() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-rules').click()");
    let told = format!("{UI}.told.textContent");
    let folder = tempfile::tempdir().expect("a folder");
    for text in [
        "base = \"brandubh\"\nescape = \"edge\"\nthrone_hostil = false\n",
        "base = \"brandubh\"\nname = \"brandubh\"\nescape = \"edges\"\n",
        "base = \"brandubh\"\nstart = \"7/7/7/3t3/7/7/7\"\n",
        "base = \"brandubh\nescape = 5",
        "",
    ] {
        give(&browser, "mine.toml", text);
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, text).expect("writable");
        let path = file.display().to_string();
        let arguments = ["rules", "show", &path];
        let output = run(folder.path(), &arguments);
        let said = String::from_utf8_lossy(&output.stderr).replace(&path, "mine.toml");
        let lines = said.lines().filter(|line| !line.starts_with("hint: "));
        let lines = lines.map(|line| line.trim_start_matches("error: "));
        let said = lines.collect::<Vec<_>>().join("\n");
        assert!(said.contains("mine.toml: "), "{said}");
        assert_eq!(browser.text(&told), said);
    }
    let unchanged = browser.text(&format!("{UI}.name.value"));
    assert_eq!(unchanged, "my-copenhagen", "the form stays");
    give(
        &browser,
        "mine.toml",
        "base = \"brandubh\" # a comment\nescape = \"edges\"\n",
    );
    browser.wait(&format!("{UI}.toml.value.startsWith('name = \"mine\"')"));
    let toml = browser.text(&format!("{UI}.toml.value"));
    assert!(toml.contains("escape = \"edges\""), "{toml}");
    // What is written there is taken as a file's text is.
    browser.ask(&format!(
        "{UI}.toml.value = {}",
        json!(
            toml.replace("\"edges\"", "\"corners\"")
                .replace("\"mine\"", "\"other\"")
        )
    ));
    press_button(&browser, "Use this text");
    browser.wait(&format!("{UI}.name.value === 'other'"));
    assert_eq!(
        browser.text(&format!("{UI}.controls.escape.value")),
        "corners"
    );
    let offered = "return [...taflforge.parts.play.ui.rules.select.options].map((one) => one.value).slice(-2)";
    assert_eq!(browser.ask(offered), json!(["mine", "other"]));
    press_button(&browser, "Play these rules");
    browser.wait("taflforge.parts.play.game.tree.ruleset.form.name === 'other'");
    assert_eq!(
        browser.text("taflforge.parts.play.ui.rules.select.value"),
        "other"
    );
    is_quiet(&browser);
}
