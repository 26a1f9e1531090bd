//! Games that the browser keeps (analyses in `analyze.rs`), and the question before one is left.

use crate::own_rules::Place;
use crate::support::browser::{Browser, LEFT};
use crate::web::page::{
    begin, choose, is_quiet, opened, page, press_button, record, state, store, trouble,
    wait_for_ply,
};
use serde_json::json;

pub(crate) const GAME: &str = "taflforge.parts.play.game";
const UI: &str = "taflforge.parts.play.ui";

/// Plays a move of the reader's, and waits for the opponent's.
fn play(browser: &Browser, [from, to]: [usize; 2], ply: usize) {
    browser.ask(&format!("taflforge.parts.play.onMove({from}, {to})"));
    wait_for_ply(browser, ply);
}

/// Opens the page anew, as after its tab was closed.
pub(crate) fn reopen(browser: &Browser) {
    browser.open(page());
}

pub(crate) fn answer_question(browser: &Browser, words: &str) {
    browser.wait("document.querySelector('dialog[open]') !== null");
    let pressed = browser.ask(&format!(
        "const found = [...document.querySelectorAll('dialog button')].find((one) => one.textContent === {});
         found?.click(); return found !== undefined",
        json!(words)
    ));
    assert_eq!(pressed, json!(true), "no answer {words:?}");
}

fn kept(browser: &Browser) -> Vec<String> {
    let rows =
        "return [...document.querySelectorAll('.kept .mistake')].map((row) => row.textContent)";
    serde_json::from_value(browser.ask(rows)).expect("texts")
}

/// Returns the text as which the page saves the game that is over.
pub(crate) fn saved(browser: &Browser) -> String {
    browser.ask(
        "URL.createObjectURL = (file) => { file.text().then((text) => { window.saved = text; }); return '#'; }",
    );
    press_button(browser, "See the mistakes");
    let save = "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Save as text')";
    browser.wait(&format!("{save} !== undefined"));
    browser.ask(&format!("{save}.click()"));
    browser.wait("window.saved !== undefined");
    let text = browser.text("window.saved");
    browser.ask("document.getElementById('tab-play').click()");
    text
}

#[test]
fn several_games_are_kept_over_closed_tabs_and_none_is_left_without_a_question() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    begin(&browser, "brandubh", "casual");
    assert_eq!(kept(&browser), Vec::<String>::new(), "nobody has moved");
    play(&browser, [3, 5], 2);
    press_button(&browser, "New game");
    browser.wait("document.querySelector('dialog[open]') !== null");
    browser.assert_readable("the question");
    browser.assert_nothing_is_cut("dialog, dialog button", "dialog button", "the question");
    answer_question(&browser, "Cancel");
    browser.wait("document.querySelector('dialog') === null");
    press_button(&browser, "New game");
    answer_question(&browser, "Go on with it");
    browser.wait("document.querySelector('dialog') === null");
    assert_eq!(state(&browser, "ply"), 2, "it goes on");
    choose(&browser, &format!("{UI}.rules.select"), "copenhagen");
    choose(&browser, &format!("{UI}.against.select"), "people");
    press_button(&browser, "New game");
    answer_question(&browser, "Keep it and begin a new one");
    browser.wait(&format!(
        "{GAME}.tree.current.ply === 0 && {GAME}.tree.ruleset.form.name === 'copenhagen'"
    ));
    for (ply, squares) in (1..).zip([[3, 25], [82, 84], [114, 92]]) {
        play(&browser, squares, ply);
    }
    press_button(&browser, "Resign");
    press_button(&browser, "Really resign?");
    let second = state(&browser, "parent.parent.move");
    reopen(&browser);
    assert_eq!(state(&browser, "parent.parent.move"), second);
    assert_eq!(
        browser.text("document.querySelector('.result').textContent"),
        "Attackers win: by resignation"
    );
    let text = saved(&browser);
    assert!(text.ends_with(" resigned Black\n"), "{text}");
    let rows = kept(&browser);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(
        rows[0].contains("two people; 3 plies; Attackers win"),
        "{rows:?}"
    );
    assert!(
        rows[1].contains("attackers against casual player; 2 plies"),
        "{rows:?}"
    );
    browser.ask("document.querySelectorAll('.kept .mistake')[1].click()");
    browser.wait(&format!("{GAME}.tree.ruleset.form.name === 'brandubh'"));
    assert_eq!(state(&browser, "ply"), 2);
    assert_eq!(browser.text(&format!("{GAME}.level.name")), "casual");
    let remove = "document.querySelectorAll('.kept li > button:last-child')[0]";
    browser.ask(&format!("{remove}.click()"));
    assert_eq!(kept(&browser).len(), 2, "asked once more");
    let name = browser.text(&format!("{remove}.getAttribute('aria-label')"));
    assert!(name.starts_with("Really delete? Delete: "), "{name}");
    browser.ask(&format!("{remove}.click()"));
    assert_eq!(kept(&browser).len(), 1);
    browser.ask(&format!("{remove}.click(); {remove}.click()"));
    reopen(&browser);
    assert_eq!(kept(&browser), Vec::<String>::new());
    assert_eq!(state(&browser, "ply"), 0);
    is_quiet(&browser);
}

#[test]
fn damaged_games_and_a_full_storage_break_nothing() {
    let Some(browser) = opened(390, "") else {
        return;
    };
    for (key, text) in [
        ("a", "{".to_owned()),
        ("b", "null".to_owned()),
        ("c", "[1]".to_owned()),
        ("d", "{\"link\": 5}".to_owned()),
        ("e", record(&json!({ "you": "kings" }))),
        (
            "f",
            record(&json!({ "end": { "winner": null, "reason": "constructor" } })),
        ),
        ("g", record(&json!({ "clock": { "kind": "5+3" } }))),
        (
            "h",
            record(&json!({ "link": "ruleset=chess", "name": "of another page", "at": 7 })),
        ),
        ("i", record(&json!({ "level": "a level of another page" }))),
    ] {
        store(&browser, key, &text);
    }
    browser.ask(
        "const kept = JSON.stringify({ text: 'ruleset: chess\\nd1-d3', name: 'of another page', path: [0], plies: 1, at: 1 });
         Object.entries({ a: '{', b: 'null', c: kept }).forEach(([key, text]) => localStorage.setItem(`taflforge-analysis:${key}`, text))",
    );
    reopen(&browser);
    let analyzed = "taflforge.parts.analyze.view.tree.root.children.length";
    assert_eq!(browser.number(analyzed), 0.0);
    assert_eq!(state(&browser, "ply"), 0, "the last one is damaged");
    assert_eq!(kept(&browser).len(), 2, "{:?}", kept(&browser));
    browser.ask("document.querySelector('.kept .mistake').click()");
    let said = trouble(&browser);
    let expected = "The game that was kept is damaged: There is no ruleset named \"chess\".";
    assert_eq!(said, expected);
    browser.ask("document.querySelector('#trouble button').click()");
    browser.ask("document.querySelectorAll('.kept .mistake')[1].click()");
    browser.wait(&format!("{GAME}.tree.current.ply === 2"));
    browser.ask("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }");
    play(&browser, [120 - 3, 120 - 14], 4);
    assert!(trouble(&browser).starts_with("The browser's storage is full"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn an_analysis_by_rules_that_were_changed_since_says_so() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask(
        "const keep = ({ form }) => {
           const put = (key, value) => localStorage.setItem(`taflforge-${key}`, JSON.stringify(value));
           const analysis = (escape, at) => ({ text: `ruleset: ${JSON.stringify({ ...form, escape })}\\nd6-f6\\n`, name: 'mine', path: [0], plies: 1, at });
           put('rules:mine', form);
           put('analysis:a', analysis('corners', 1));
           put('analysis:b', analysis('edges', 2));
         };
         return taflforge.engine.ask('ruleset', { ruleset: { name: 'mine', base: 'brandubh', escape: 'edges' } }).then(keep)",
    );
    reopen(&browser);
    browser.ask("document.getElementById('tab-analyze').click()");
    let rows = kept(&browser);
    let told: Vec<bool> = rows.iter().map(|it| it.contains("other rules")).collect();
    assert_eq!(told, [false, true], "{rows:?}");
    is_quiet(&browser);
}

#[test]
fn clocks_are_kept_and_stand_until_the_reader_is_there() {
    let Some(browser) = opened(390, "") else {
        return;
    };
    let clock = json!({ "kind": "5+3", "left": { "attackers": 61_000.0, "defenders": 299_000.0 }, "runs": true });
    store(&browser, "clock", &record(&json!({ "clock": clock })));
    reopen(&browser);
    let faces =
        "[...document.querySelectorAll('.clock')].map((face) => face.textContent).join(', ')";
    assert_eq!(browser.text(faces), "Attackers 1:01, Defenders 4:59");
    let running = "return document.querySelectorAll('.clock.running').length";
    assert_eq!(browser.ask(running), json!(0));
    browser.press(LEFT);
    assert_eq!(browser.ask(running), json!(1));
    browser.wait(&format!("{faces} !== 'Attackers 1:01, Defenders 4:59'"));
    let left = "JSON.parse(localStorage.getItem('taflforge-game:clock')).clock.left";
    reopen(&browser);
    assert!(browser.number(&format!("{left}.attackers")) < 61_000.0);
    assert_eq!(browser.number(&format!("{left}.defenders")), 299_000.0);
    // The click that ends the wait takes a piece as any other.
    browser.tap("[data-square='117']");
    browser.wait("document.querySelectorAll('.chosen').length === 1");
    is_quiet(&browser);
}

#[test]
fn what_is_taken_back_gives_the_clocks_of_its_position() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    choose(&browser, &format!("{UI}.clocks.select"), "5+3");
    begin(&browser, "brandubh", "people");
    for (ply, squares) in (1..).zip([[3, 5], [17, 14], [10, 12]]) {
        play(&browser, squares, ply);
    }
    let left = format!("{GAME}.clock.kept().left");
    let ended = "document.querySelector('.result').textContent";
    press_button(&browser, "Take back");
    wait_for_ply(&browser, 2);
    for _ in 0..3 {
        play(&browser, [10, 12], 3);
        press_button(&browser, "Take back");
        wait_for_ply(&browser, 2);
        let now = browser.number(&format!("{left}.attackers"));
        assert!(now <= 300_000.0, "nothing is added: {now}");
    }
    // The time of the attackers is all but up.
    browser.ask(
        "const { key } = taflforge.parts.play.game;
         window.dispatchEvent(new Event('pagehide'));
         const kept = JSON.parse(localStorage.getItem(key));
         kept.clock.left.attackers = 1;
         localStorage.setItem(key, JSON.stringify(kept));
         Storage.prototype.setItem = () => {};",
    );
    reopen(&browser);
    browser.press(LEFT);
    browser.wait(&format!("{ended}.includes('time is up')"));
    press_button(&browser, "Take back");
    wait_for_ply(&browser, 1);
    assert_eq!(browser.text(ended), "");
    for side in ["attackers", "defenders"] {
        let now = browser.number(&format!("{left}.{side}"));
        assert!(now > 200_000.0, "{side}: {now}");
    }
    reopen(&browser);
    browser.press(LEFT);
    browser.wait(&format!("{GAME}.clock.kept().runs"));
    assert_eq!(browser.text(ended), "", "the game goes on");
    is_quiet(&browser);
}

#[test]
fn a_game_that_is_left_for_another_keeps_what_its_clocks_show() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    choose(&browser, &format!("{UI}.clocks.select"), "5+3");
    begin(&browser, "brandubh", "people");
    play(&browser, [3, 5], 1);
    let is_kept = browser.ask(
        "const { begin, game } = taflforge.parts.play;
         const { key, tree: { ruleset } } = game;
         const leave = async () => {
           await new Promise((done) => { setTimeout(done, 300); });
           const { left } = game.clock.kept();
           await begin({ ruleset, you: 'attackers', level: null });
           return JSON.parse(localStorage.getItem(key)).clock.left.defenders <= left.defenders;
         };
         return leave()",
    );
    assert_eq!(is_kept, json!(true));
    is_quiet(&browser);
}

#[test]
fn a_game_that_another_tab_has_is_kept_again_once_it_changes() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    choose(&browser, &format!("{UI}.clocks.select"), "5+3");
    begin(&browser, "brandubh", "people");
    play(&browser, [3, 5], 1);
    let lose = format!("window.dispatchEvent(new StorageEvent('storage', {{ key: {GAME}.key }}))");
    browser.ask(&lose);
    let running = "return document.querySelectorAll('.clock.running').length";
    assert_eq!(browser.ask(running), json!(0), "nobody loses on time");
    for tab in ["analyze", "play"] {
        browser.ask(&format!("document.getElementById('tab-{tab}').click()"));
    }
    assert_eq!(kept(&browser).len(), 1, "its clocks are no move");
    play(&browser, [17, 14], 2);
    assert_eq!(kept(&browser).len(), 2);
    browser.ask(&lose);
    press_button(&browser, "Resign");
    press_button(&browser, "Really resign?");
    let rows = kept(&browser);
    assert_eq!(rows.len(), 3, "its result is kept: {rows:?}");
    assert!(rows[0].contains("by resignation"), "{rows:?}");
    reopen(&browser);
    assert_eq!(
        browser.text("document.querySelector('.result').textContent"),
        "Defenders win: by resignation"
    );
    press_button(&browser, "Play again");
    wait_for_ply(&browser, 0);
    play(&browser, [3, 5], 1);
    browser.ask(&lose);
    press_button(&browser, "New game");
    answer_question(&browser, "Keep it and begin a new one");
    wait_for_ply(&browser, 0);
    play(&browser, [3, 5], 1);
    assert_eq!(kept(&browser).len(), 5, "the same moves, another game");
    is_quiet(&browser);
}

#[test]
fn rules_that_no_network_knows_are_told_before_the_game() {
    let Some(browser) = opened(390, "") else {
        return;
    };
    let told = format!("{UI}.foretold.hidden ? '' : {UI}.foretold.textContent");
    assert_eq!(browser.text(&told), "");
    choose(&browser, &format!("{UI}.rules.select"), "skalk-9");
    let said = browser.text(&told);
    assert!(
        said.contains("random games") && said.contains("Alpha-beta"),
        "{said}"
    );
    choose(&browser, &format!("{UI}.against.select"), "alphabeta:2");
    assert_eq!(browser.text(&told), "", "it knows any rules");
    begin(&browser, "skalk-9", "alphabeta:2");
    play(&browser, [3, 21], 2);
    assert_eq!(state(&browser, "state.mover"), "defenders");
    is_quiet(&browser);
}

#[test]
fn a_page_begins_with_the_rules_that_it_was_made_for() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    let place = Place::new();
    let own = place.data().join("own.html");
    let output = own.to_str().expect("text");
    let arguments = ["web", &place.checkpoint, "--output", output];
    place.says(&arguments);
    browser.open(&own);
    let chosen = browser.ask(
        "const { play, analyze, rules } = taflforge.parts;
         return [play.ui.rules, analyze.ui.rules, rules.ui.base].map(({ select }) => select.value)",
    );
    assert_eq!(chosen, json!(["own", "own", "own"]));
    assert_eq!(
        state(&browser, "state.board"),
        "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3"
    );
    // Of what networks learned, that of the games.
    let games = place.data().join("brandubh.csv").display().to_string();
    std::fs::write(&games, "d6-f6 d5-f5,0,0,Ongoing\n").expect("written");
    let page = place.data().join("games.html");
    let output_of_games = page.to_str().expect("text");
    let nets = ["five-rulesets", "brandubh", "--games", &games];
    place.says(&[&["web"], &nets[..], &["--output", output_of_games]].concat());
    browser.open(&page);
    let chosen = browser.ask("return taflforge.parts.analyze.ui.rules.select.value");
    assert_eq!(chosen, json!("brandubh"));
    browser.open(&own);
    // A ruleset of the reader's may not go by its name.
    let ui = "taflforge.parts.rules.ui";
    browser.ask("document.getElementById('tab-rules').click()");
    choose(&browser, &format!("{ui}.controls.escape"), "edges");
    browser.wait(&format!("{ui}.toml.value.includes('my-own')"));
    browser.ask(&format!("{ui}.name.value = 'own'"));
    choose(&browser, &format!("{ui}.controls.escape"), "edges");
    browser.wait(&format!(
        "{ui}.told.textContent.includes('“own” is that of other rules of this page')"
    ));
    is_quiet(&browser);
}
