//! The file, its size, colors by day and by night, phones, and names for those who do not see the page.

use crate::support::browser::{Browser, assert_asks_for_nothing};
use crate::web::page::{is_quiet, opened, page, record, setup_web, store};
use serde_json::{Value, json};

const TABS: [&str; 4] = ["play", "learn", "analyze", "rules"];

#[test]
fn the_page_is_one_file_that_asks_for_nothing() {
    let html = std::fs::read_to_string(page()).expect("readable");
    assert!(html.len() < 8_000_000, "{}", html.len());
    assert!(!html.contains("{{"), "a place was not filled");
    assert_asks_for_nothing(&html);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tafl"));
    let engine = program.with_file_name("tafl_web.wasm");
    let before = std::fs::read(&engine).expect("an engine");
    setup_web();
    assert_eq!(std::fs::read(&engine).expect("an engine"), before);
}

#[test]
fn a_phone_shows_all_of_it_and_controls_have_names() {
    for width in [360, 1280] {
        let Some(browser) = with_games(width) else {
            return;
        };
        for tab in TABS {
            show(&browser, tab);
            let wide = browser.number("document.documentElement.scrollWidth");
            assert!(wide <= f64::from(width), "{tab}: {wide} of {width}");
            let what = format!("{tab}, {width}");
            let controls = "button, select, input, textarea";
            browser.assert_nothing_is_cut(&format!("{controls}, .board"), controls, &what);
            named(&browser.devtools("Accessibility.getFullAXTree", &json!({})));
            if tab == "analyze" {
                browser.wait("document.querySelector('.book tbody tr') !== null");
                let table = "const { scrollWidth, clientWidth } = document.querySelector('.book .scroll'); return scrollWidth - clientWidth";
                assert_eq!(browser.ask(table), json!(0), "the moves of others, {width}");
            }
            let has_keys = tab != "rules" && width > 500;
            let keys = "return document.querySelector('.keys')?.checkVisibility() ?? false";
            assert_eq!(browser.ask(keys), json!(has_keys), "{what}");
        }
        is_quiet(&browser);
    }
}

/// Opens the page where games are kept, and a clock waits.
fn with_games(width: u32) -> Option<Browser> {
    let browser = opened(width, "")?;
    let clock =
        json!({ "kind": "30+10", "left": { "attackers": 1e6, "defenders": 1e6 }, "runs": true });
    store(&browser, "one", &record(&json!({ "clock": clock })));
    let over = json!({ "winner": "defenders", "reason": "time" });
    let name = "a-ruleset-with-a-name-of-64-letters-".repeat(2)[..64].to_owned();
    let other = json!({ "at": 4, "end": over, "name": name });
    store(&browser, "two", &record(&other));
    browser.open(page());
    Some(browser)
}

/// Shows a tab with all that is folded there.
fn show(browser: &Browser, tab: &str) {
    browser.ask(&format!("document.getElementById('tab-{tab}').click()"));
    if tab == "learn" {
        browser.wait("document.querySelectorAll('.lesson button').length > 5");
    }
    browser.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
}

/// Everything that is used has a name.
fn named(tree: &Value) {
    let nodes = tree["nodes"].as_array().expect("a list");
    let used = [
        "button",
        "combobox",
        "checkbox",
        "textbox",
        "spinbutton",
        "tab",
        "gridcell",
        "grid",
    ];
    let mut cells = 0;
    for node in nodes.iter().filter(|node| node["ignored"] == false) {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = node["name"]["value"].as_str().unwrap_or_default();
        assert!(
            !used.contains(&role) || !name.trim().is_empty(),
            "{role} without a name: {node}"
        );
        cells += usize::from(role == "gridcell");
    }
    assert!([49, 121].contains(&cells), "{cells}");
}

#[test]
fn light_and_dark_are_readable_and_nothing_moves_where_that_is_not_wanted() {
    let Some(browser) = with_games(1280) else {
        return;
    };
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        for tab in TABS {
            show(&browser, tab);
            browser.assert_readable(&format!("{scheme}, {tab}"));
        }
        papers.push(browser.text("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(papers[0], papers[1]);
    browser.ask("document.getElementById('tab-play').click()");
    let still = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    browser.devtools("Emulation.setEmulatedMedia", &still);
    browser.ask("taflforge.parts.play.onMove(117, 106)");
    browser.wait("taflforge.parts.play.game.tree.current.ply >= 3");
    assert_eq!(browser.number("document.getAnimations().length"), 0.0);
    is_quiet(&browser);
}
