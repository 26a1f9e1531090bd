//! What is wrong is told in a sentence; the page is never blank.

use crate::support::browser::Browser;
use crate::support::{run, succeeds};
use crate::web::page::{answer, choose, opened, page, press_button, trouble};
use serde_json::json;
use std::path::Path;

#[test]
fn a_damaged_link_leads_to_a_sentence_and_the_game_is_there() {
    let Some(browser) = Browser::start() else {
        return;
    };
    for (place, reason) in [
        ("#hello", "it has parts that are not a position"),
        ("#moves=d1-d3", "it has parts that are not a position"),
        ("#ruleset=chess", "There is no ruleset named \"chess\"."),
        (
            "#ruleset=copenhagen&moves=d1-d3.x",
            "Ply 2: \"x\" is not a move",
        ),
        (
            "#ruleset=copenhagen&moves=a1-a2",
            "Ply 1: a1-a2 is not legal for the attackers: there is no piece on a1.",
        ),
        (
            "#ruleset=copenhagen&position=7%2F7",
            "The position cannot be played: ",
        ),
        ("#rules=%7B", "JSON"),
    ] {
        browser.open_at(page(), place);
        let said = trouble(&browser);
        assert!(
            said.starts_with("The link is damaged: ") && said.contains(reason),
            "{place}: {said}"
        );
        assert_eq!(
            browser.number("document.querySelectorAll('.squares button').length"),
            121.0
        );
        assert_eq!(browser.complaints(), Vec::<String>::new());
        browser.ask("window.location.href = 'about:blank'");
    }
}

#[test]
fn a_text_that_is_no_game_leaves_the_board_as_it_is() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-analyze').click()");
    let ui = "taflforge.parts.analyze.ui";
    let open = |text: &str| {
        browser.ask(&format!(
            "{ui}.told.textContent = ''; {ui}.text.value = {}",
            json!(text)
        ));
        press_button(&browser, "Open the text");
        browser.wait(&format!("{ui}.told.textContent !== ''"));
    };
    for (text, reason) in [
        ("", "There is no game and no position in the text."),
        ("Dear friend,", "\"Dear\" is not a move"),
        (
            "d1-d3 f8-h8 (f8-f11)",
            "Ply 2 of a variation: f8-f11 is not legal for the defenders: f11 is not free.",
        ),
        ("3t3/7/7 defenders", "3 ranks; a board has 7, 9 or 11"),
    ] {
        open(text);
        let said = browser.text(&format!("{ui}.told.textContent"));
        assert!(said.contains(reason), "{text}: {said}");
        assert_eq!(
            browser.number("taflforge.parts.analyze.view.tree.root.children.length"),
            0.0
        );
    }
    // The list of a text's games goes with the text.
    let hidden = format!("return {ui}.games.node.hidden");
    let games = "d1-d3,0,0,White\nd1-d3 f8-h8,0,0,Ongoing\n";
    for (text, is_hidden) in [(games, false), ("Dear friend,", true), (games, false)] {
        open(text);
        assert_eq!(browser.ask(&hidden), json!(is_hidden), "{text}");
    }
    press_button(&browser, "New analysis");
    browser.wait(&format!("{ui}.told.textContent === ''"));
    assert_eq!(browser.ask(&hidden), json!(true));
    // A game that cannot be read hides no others.
    open("d1-zz,0,0,White\nd1-d3 f8-h8,0,0,Ongoing\n");
    choose(&browser, &format!("{ui}.games.select"), "2");
    browser.wait(&format!("{ui}.told.textContent.includes('game 2 of 2')"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_browser_without_vectors_is_told_so() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let old = json!({ "source": "WebAssembly.validate = () => false;" });
    let added = browser.devtools("Page.addScriptToEvaluateOnNewDocument", &old);
    browser.open(page());
    assert!(trouble(&browser).starts_with("This browser cannot compute networks"));
    browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &added);
    let none = json!({ "source": "delete globalThis.WebAssembly;" });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &none);
    browser.open(page());
    assert!(trouble(&browser).starts_with("This browser cannot compute networks"));
}

#[test]
fn a_question_that_the_engine_does_not_know_does_not_stop_it() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    let said = browser.text("taflforge.engine.ask('dance').catch((error) => error.message)");
    assert!(said.contains("the engine does not know"), "{said}");
    let about = answer(&browser, "about", &json!({}));
    assert_eq!(about["nets"].as_array().expect("a list").len(), 4);
}

#[test]
fn the_command_names_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    page();
    let games = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let illegal = games("brandubh.csv", "k11-k9,0,0,White\n");
    let far = games("fetlar.csv", "a2-a3,0,0,White\n");
    for (arguments, reason) in [
        (&["web", "data/games"][..], "data/games: no checkpoint"),
        (
            &["web", "--output", "data"],
            "data: is a folder, not a file",
        ),
        (
            &["web", "--games", &illegal],
            "brandubh.csv: line 1: ply 1: ",
        ),
        (&["web", "--games", &far], "fetlar.csv: line 1: "),
        (
            &["web", "--games", "data/games/results.csv"],
            "data/games/results.csv: line 2: ",
        ),
        (&["web", "--games", "data/no.parquet"], "data/no.parquet"),
        (
            &["web", "--games", "data/nets"],
            "data/nets: neither the folder of a run or tournament with games nor one of .csv",
        ),
        // The texts of a folder, one by one.
        (
            &["web", "--games", "data/games"],
            "data/games/results.csv: line 2: ",
        ),
    ] {
        let mut arguments = arguments.to_vec();
        let output = folder.path().join("page.html");
        if !arguments.contains(&"--output") {
            arguments.extend(["--output", output.to_str().expect("text")]);
        }
        let output = run(Path::new("data"), &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
    assert!(!folder.path().join("page.html").exists());
    let output = folder.path().join("one.html");
    let arguments = [
        "web",
        "data/nets/brandubh",
        "--output",
        output.to_str().expect("text"),
    ];
    let said = succeeds(&run(Path::new("data"), &arguments));
    assert!(said.contains("networks: brandubh"), "{said}");
}
