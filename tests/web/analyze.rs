//! Analysis: texts, variations, what the engine thinks, mistakes, links, games of others.

use crate::support::browser::{Browser, END, HOME, RIGHT};
use crate::web::games::reopen;
use crate::web::page::{answer, choose, click_square, is_quiet, opened, press_button, square};
use serde_json::{Value, json};

const VIEW: &str = "taflforge.parts.analyze.view";

fn analyze(width: u32) -> Option<Browser> {
    let browser = opened(width, "")?;
    browser.ask("document.getElementById('tab-analyze').click()");
    Some(browser)
}

/// Looks for the mistakes of the line on the board; returns the share of the whole game that each of its plies lost.
fn lost(browser: &Browser) -> Vec<f64> {
    press_button(browser, "Find the mistakes");
    browser.ask("taflforge.parts.analyze.ui.forward.click()");
    browser.wait("document.querySelector('.curve').dataset.ready === 'yes'");
    let lost = browser.ask(&format!(
        "const lost = []; for (let at = {VIEW}.tree.root.children[0]; at; [at] = at.children) lost.push(at.lost); return lost"
    ));
    serde_json::from_value(lost).expect("numbers")
}

/// Opens a text; returns what the page says to it.
fn open_text(browser: &Browser, text: &str) -> String {
    let ui = "taflforge.parts.analyze.ui";
    browser.ask(&format!(
        "{ui}.told.textContent = ''; {ui}.text.value = {}",
        json!(text)
    ));
    press_button(browser, "Open the text");
    browser.wait(&format!("{ui}.told.textContent !== ''"));
    browser.text(&format!("{ui}.told.textContent"))
}

fn current(browser: &Browser, field: &str) -> Value {
    browser.ask(&format!("return {VIEW}.tree.current.{field}"))
}

#[test]
fn a_game_with_variations_is_read_stepped_through_and_saved() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    let text = "d1-d3 f8-h8 (f8-g8 a4-c4) d11-d9";
    let told = "5 plies are on the board. It does not say its rules: copenhagen is assumed.";
    assert_eq!(open_text(&browser, text), told);
    assert_eq!(current(&browser, "ply"), 0);
    browser.ask("document.activeElement.blur()");
    browser.press(RIGHT);
    assert_eq!(current(&browser, "move"), "d1-d3");
    browser.press(RIGHT);
    assert_eq!(current(&browser, "move"), "f8-h8");
    let variation = "document.querySelector('.variation button')";
    browser.ask(&format!("{variation}.click()"));
    assert_eq!(current(&browser, "move"), "f8-g8");
    // Another branch, by hand.
    for name in ["a5", "c5"] {
        click_square(&browser, square(name, 11));
    }
    browser.wait(&format!("{VIEW}.tree.current.move === 'a5-c5'"));
    let saved = "ruleset: copenhagen\nd1-d3 f8-h8 (f8-g8 a4-c4 (a5-c5)) d11-d9\n";
    press_button(&browser, "Copy as text");
    browser.wait("taflforge.parts.analyze.ui.copyText.dataset.copied !== undefined");
    let copied = "taflforge.parts.analyze.ui.copyText.dataset.copied";
    assert_eq!(browser.text(copied), saved);
    assert_eq!(open_text(&browser, saved), "6 plies are on the board.");
    for (key, ply) in [(END, 3), (HOME, 0)] {
        browser.press(key);
        assert_eq!(current(&browser, "ply"), ply);
    }
    // Its tab is closed, and it is there again as it was.
    browser.ask(&format!("{variation}.click()"));
    reopen(&browser);
    assert_eq!(current(&browser, "move"), "f8-g8");
    browser.ask("document.getElementById('tab-analyze').click()");
    let rows = "return [...document.querySelectorAll('.kept .mistake')].map((row) => row.textContent.split(';')[0])";
    assert_eq!(browser.ask(rows), json!(["Copenhagen (11×11)3 plies"]));
    press_button(&browser, "New analysis");
    browser.wait(&format!("{VIEW}.tree.root.children.length === 0"));
    browser.ask("document.querySelector('.kept .mistake').click()");
    browser.wait(&format!("{VIEW}.tree.current.move === 'f8-g8'"));
    press_button(&browser, "Copy as text");
    browser.wait(&format!("{copied} === {}", json!(saved)));
    let remove = "document.querySelector('.kept li > button:last-child').click()";
    browser.ask(&format!("{remove}; {remove}"));
    assert_eq!(browser.ask(rows), json!([]));
    reopen(&browser);
    assert_eq!(current(&browser, "ply"), 0);
    is_quiet(&browser);
}

#[test]
fn a_game_of_a_text_keeps_its_title() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    let tags = "[Event \"Cup\"]\n[White \"Anna\"]\n[Black \"Bo\"]\n\n1. d1d3 f8h8\n";
    open_text(
        &browser,
        &format!("{tags}\n{}", tags.replace("Anna", "Eva")),
    );
    let games = "taflforge.parts.analyze.ui.games.select";
    assert_eq!(
        browser.text(&format!("{games}.innerText")),
        "1 of 2 (line 1): Bo (Black) - Anna (White), Cup\n2 of 2 (line 7): Bo (Black) - Eva (White), Cup"
    );
    choose(&browser, games, "2");
    let title = format!("{VIEW}.tree.title");
    browser.wait(&format!("{title} === 'Bo (Black) - Eva (White), Cup'"));
    reopen(&browser);
    assert_eq!(browser.text(&title), "Bo (Black) - Eva (White), Cup");
    let row =
        browser.text("taflforge.parts.analyze.ui.node.querySelector('.kept .mistake').textContent");
    assert!(
        row.contains("Bo (Black) - Eva (White), Cup; 2 plies"),
        "{row}"
    );
    is_quiet(&browser);
}

#[test]
fn every_notation_of_the_program_is_read() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    let fixture = include_str!("../fixtures/rules/games-copenhagen.csv");
    let line = fixture.lines().next().expect("a game");
    let line = &format!("# copenhagen\n{line}");
    let said = open_text(&browser, line);
    let plies = answer(
        &browser,
        "read",
        &json!({ "text": line, "ruleset": "copenhagen" }),
    );
    let plies = plies["plies"].as_array().expect("a list").len();
    let ended = "How it ended: ";
    let opened = format!("{plies} plies are on the board.");
    assert_eq!(said.split(ended).next().map(str::trim), Some(&*opened));
    let brandubh = "A position is on the board. Read as brandubh.";
    assert_eq!(
        open_text(&browser, "3t3/7/7/3K3/7/7/7 defenders 5"),
        brandubh
    );
    let rest = "A position is on the board.";
    assert_eq!(open_text(&browser, "3a3/7/7/3k3/7/7/7 - d 5 11"), rest);
    assert_eq!(open_text(&browser, "/7/7/7/3K3/7/7/3t3/"), rest);
    let opentafl = "dim:7 name:mine ks:c start:/3t3/7/7/3K3/7/7/7/";
    // A new analysis would have the rules of the one on the board.
    let rules = "taflforge.parts.analyze.ui.rules.select.value";
    assert_eq!(browser.text(rules), "brandubh");
    let said = open_text(&browser, opentafl);
    assert_eq!(said, "A position is on the board. Read as mine.");
    assert_eq!(browser.text(rules), "mine");
    is_quiet(&browser);
}

#[test]
fn the_search_goes_on_and_shows_lines_arrows_and_a_heat_map() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    let visits = "Number(document.querySelector('.best-lines').dataset.visits)";
    browser.wait(&format!("{visits} > 100"));
    assert_eq!(
        browser.number("document.querySelectorAll('.best-lines li').length"),
        3.0
    );
    assert_eq!(
        browser.number("document.querySelectorAll('.hints .arrow').length"),
        3.0
    );
    // Lines and moves are written anew under whoever is on them.
    let is_on = |list: &str| {
        let held = format!("return document.activeElement.closest('{list}') !== null");
        assert_eq!(browser.ask(&held), json!(true), "{list}");
    };
    browser.ask("document.querySelector('.best-lines button').focus()");
    let before = browser.number(visits);
    browser.wait(&format!("{visits} > {before}"));
    is_on(".best-lines");
    let thought = browser.text("document.querySelector('.thought').textContent");
    assert!(thought.contains("network “five-rulesets”"), "{thought}");
    assert_eq!(
        browser.number("document.querySelectorAll('.marks .warm').length"),
        0.0
    );
    browser.ask("taflforge.parts.analyze.ui.heatBox.click()");
    browser.wait("document.querySelectorAll('.marks .warm').length > 3");
    // A move of the best line is a move on the board.
    let first = browser.text("document.querySelector('.line-moves').textContent");
    browser.ask("document.querySelector('.best-lines button').click()");
    browser.wait(&format!("{VIEW}.tree.current.ply === 1"));
    let played = current(&browser, "move");
    assert!(
        first.starts_with(played.as_str().expect("text")) || first.contains('-'),
        "{first} {played}"
    );
    browser.ask("document.querySelector('.tree button').focus(); document.activeElement.click()");
    is_on(".tree");
    for (key, ply) in [(HOME, 0), (RIGHT, 1)] {
        browser.press(key);
        assert_eq!(current(&browser, "ply"), ply, "keys go on from there");
    }
    browser.ask("taflforge.parts.analyze.ui.engineBox.click()");
    browser.wait(&format!("{visits} === 0"));
    is_quiet(&browser);
}

#[test]
fn a_search_for_mistakes_that_was_stopped_says_so() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    open_text(&browser, "d1-f1 d3-a3 d2-e2 d4-d3 b4-b2 d3-d2");
    let said = browser.ask(
        "const { progress, review } = taflforge.parts.analyze.ui;
         review.click();
         const { textContent } = progress;
         review.click();
         return [textContent, progress.textContent]",
    );
    assert_eq!(said, json!(["Looking at ply 0 of 7 …", ""]));
    // Also between two questions about one ply.
    browser.ask(
        "const { engine, parts: { analyze: { ui } } } = taflforge;
         const { ask } = engine;
         engine.ask = async (op, fields) => {
           const answer = await ask(op, fields);
           if (op === 'findings' && ui.review.textContent === 'Stop') ui.review.click();
           return answer;
         };
         ui.lines.dataset.visits = 0;
         ui.review.click();",
    );
    browser.wait("Number(document.querySelector('.best-lines').dataset.visits) > 0");
    let is_untroubled = "return document.getElementById('trouble').hidden";
    assert_eq!(browser.ask(is_untroubled), json!(true));
    is_quiet(&browser);
}

#[test]
fn mistakes_of_a_game_are_found_by_size() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    // At ply 6 the king steps beside an attacker, where he is captured, in place of going to an edge with two ways out.
    let text = "d1-f1 d3-a3 d2-e2 d4-d3 b4-b2 d3-d2";
    let said = open_text(&browser, text);
    assert!(
        said.contains("no game of copenhagen: Ply 1: d1-f1 is not legal"),
        "{said}"
    );
    assert!(said.ends_with(" Read as brandubh."), "{said}");
    let lost = lost(&browser);
    assert_eq!(lost.len(), 6);
    assert!(lost.iter().all(|it| (0.0..=1.0).contains(it)), "{lost:?}");
    let worst = lost.iter().copied().fold(0.0, f64::max);
    assert!(worst > 0.9 && lost[5] >= worst, "{lost:?}");
    let first = browser.text("document.querySelector('.mistake').getAttribute('aria-label')");
    let ply = 1 + lost
        .iter()
        .position(|it| *it >= worst)
        .expect("there is one");
    assert!(first.starts_with(&format!("Ply {ply}, ")), "{first}");
    let rows = browser.ask("return [...document.querySelectorAll('.curve .book tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
    let rows: Vec<[String; 3]> = serde_json::from_value(rows).expect("three columns");
    for (side, own) in [(1, [0, 2, 4]), (2, [1, 3, 5])] {
        let mean = 100.0 * own.iter().map(|ply| lost[*ply]).sum::<f64>() / 3.0;
        assert_eq!(rows[0][side], format!("{mean:.1}"), "{rows:?}");
    }
    assert_eq!((&*rows[6][0], &*rows[6][2]), ("blunders", "1"), "{rows:?}");
    assert_eq!(
        (&*rows[7][0], &*rows[7][2]),
        ("worst ply", "6. d3-d2"),
        "{rows:?}"
    );
    browser.ask("document.querySelector('.mistake').click()");
    assert_eq!(current(&browser, "ply"), ply - 1, "the position before it");
    browser.wait("document.querySelectorAll('.curve .series.kind-blunder .dot, .curve .series.kind-mistake .dot').length >= 1");
    let listed =
        "return document.querySelectorAll('.mistakes .mistake, .hints .arrow.cut').length > 0";
    browser.ask("taflforge.parts.analyze.ui.forward.click()");
    assert_eq!(browser.ask(listed), json!(true));
    press_button(&browser, "Delete from here");
    browser.wait("document.querySelectorAll('.hints .arrow').length > 0");
    assert_eq!(browser.ask(listed), json!(false), "none of what is gone");
    let is_over = "const { playHere, last } = taflforge.parts.analyze.ui; last.click(); return playHere.disabled";
    for (text, expected) in [
        ("d1-f1", false),
        ("d1-f1 d3-a3 d2-f2 d4-d1 f2-e2 d1-a1", true),
    ] {
        open_text(&browser, &format!("ruleset: brandubh\n{text}"));
        assert_eq!(browser.ask(is_over), json!(expected), "{text}");
    }
    is_quiet(&browser);
}

#[test]
fn a_ply_lost_as_much_whatever_was_played_after_it() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    let lost_in = |plies: &str| {
        open_text(&browser, &format!("ruleset: brandubh\n{plies}"));
        lost(&browser)
    };
    let whole = lost_in("b4-b1 c4-c6 d2-c2 d5-c5 f4-f5");
    assert_eq!(lost_in("b4-b1 c4-c6"), whole[..2]);
    assert!(whole[1] > 0.2, "{whole:?}");
    is_quiet(&browser);
}

#[test]
fn a_search_for_mistakes_that_ends_with_its_tab_says_so() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    open_text(&browser, "ruleset: fetlar\nd1-d3 f8-h8 d11-d9");
    let said = browser.ask(
        "const { parts, go } = taflforge;
         parts.analyze.ui.review.click();
         ['play', 'rules', 'analyze'].forEach((tab) => go(tab));
         return parts.analyze.ui.progress.textContent",
    );
    assert_eq!(
        said,
        json!("The search for mistakes ended when you left this tab.")
    );
    is_quiet(&browser);
}

#[test]
fn a_link_leads_to_a_position() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    open_text(&browser, "ruleset: fetlar\nd1-d3 f8-h8 d11-d9");
    browser.ask("document.activeElement.blur()");
    for _ in 0..2 {
        browser.press(RIGHT);
    }
    press_button(&browser, "Copy link to this position");
    let copied = "taflforge.parts.analyze.ui.copyLink.dataset.copied";
    browser.wait(&format!("{copied} !== undefined"));
    let link = browser.text(copied);
    let (_, place) = link.split_once('#').expect("a place");
    assert_eq!(place, "ruleset=fetlar&moves=d1-d3.f8-h8");
    browser.open_at(crate::web::page::page(), &format!("#{place}"));
    assert_eq!(browser.text("taflforge.tab"), "analyze");
    assert_eq!(current(&browser, "move"), "f8-h8");
    assert_eq!(
        browser.text(&format!("{VIEW}.tree.ruleset.form.name")),
        "fetlar"
    );
    // What is made of it is kept in its place, beside the text from which the link came.
    let kept = "return Object.keys(localStorage).filter((key) => key.startsWith('taflforge-analysis:')).length";
    assert_eq!(browser.ask(kept), json!(1));
    let [from, to] = ["d11", "d10"].map(|name| square(name, 11));
    browser.ask(&format!("taflforge.parts.analyze.onMove({from}, {to})"));
    browser.wait(&format!("{VIEW}.tree.current.move === 'd11-d10'"));
    assert_eq!(browser.ask(kept), json!(2));
    assert_eq!(browser.text("location.hash"), "");
    press_button(&browser, "Play from here");
    browser.wait("taflforge.parts.play.game.tree.start !== null && taflforge.tab === 'play'");
    let again = browser.ask(
        "const { game, ui } = taflforge.parts.play;
         const { tree, human } = game;
         ui.start.value = ''; ui.again.click();
         return new Promise((done) => { const look = () => (game.tree === tree ? setTimeout(look, 20) : done([game.tree.start === tree.start, human.defenders, game.human.defenders, game.human.attackers])); look(); })",
    );
    assert_eq!(again, json!([true, true, true, false]), "the same game");
    is_quiet(&browser);
}

#[test]
fn games_of_people_are_shown_move_by_move() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    browser.wait("document.querySelectorAll('.book tbody tr').length > 1");
    let games = browser.ask("return [...document.querySelectorAll('.book tbody tr')].map((row) => Number(row.cells[1].textContent))");
    let games: Vec<u32> = serde_json::from_value(games).expect("numbers");
    assert_eq!(games.iter().sum::<u32>(), 20, "{games:?}");
    assert!(games.is_sorted_by(|one, other| one >= other));
    let first = browser.text("document.querySelector('.book tbody button').textContent");
    browser.ask("document.querySelector('.book tbody button').click()");
    browser.wait(&format!("{VIEW}.tree.current.ply === 1"));
    assert_eq!(current(&browser, "move"), json!(first));
    browser.wait(&format!(
        "[...document.querySelectorAll('.book tbody tr')].reduce((sum, row) => sum + Number(row.cells[1].textContent), 0) === {}",
        games[0]
    ));
    is_quiet(&browser);
}

#[test]
fn a_game_of_the_terminal_and_each_game_of_a_text_are_read_as_what_they_are() {
    let Some(browser) = analyze(1200) else {
        return;
    };
    let header = "# fetlar, attackers by a human\na4-c4 e5-b5\n";
    let said = open_text(&browser, header);
    assert_eq!(said, "2 plies are on the board. Read as fetlar.");
    let ruleset = format!("{VIEW}.tree.ruleset.form.name");
    assert_eq!(browser.text(&ruleset), "fetlar");
    let own = open_text(
        &browser,
        "# /home/me/mine.toml, attackers by a human\na4-c4",
    );
    assert!(
        own.contains("no ruleset named \"mine\"") && own.contains("“Edit rules”"),
        "{own}"
    );
    browser.ask("document.getElementById('trouble').hidden = false");
    let text = "d1-d3,0,0,White\nd1-d3 f8-h8 resigned,0,0,Black\n";
    let said = open_text(&browser, text);
    let first = "1 ply is on the board. This is game 1 of 2. How it ended: defenders won, as recorded. \
                 It does not say its rules: fetlar is assumed.";
    assert_eq!(said, first);
    assert_eq!(
        browser.ask("return document.getElementById('trouble').hidden"),
        json!(true),
        "what was wrong is past"
    );
    let games = "taflforge.parts.analyze.ui.games.select";
    assert_eq!(
        browser.text(&format!("{games}.innerText")),
        "1 of 2 (line 1)\n2 of 2 (line 2)"
    );
    choose(&browser, games, "2");
    browser.wait("taflforge.parts.analyze.ui.told.textContent.includes('game 2 of 2')");
    let told = browser.text("taflforge.parts.analyze.ui.told.textContent");
    assert!(told.contains("How it ended: defenders resigned."), "{told}");
    press_button(&browser, "Copy as text");
    let copied = "taflforge.parts.analyze.ui.copyText.dataset.copied";
    browser.wait(&format!("{copied} !== undefined"));
    let saved = browser.text(copied);
    assert!(saved.ends_with("d1-d3 f8-h8 resigned Black\n"), "{saved}");
    // A second press changes no name of a button, and what is not copied is told.
    let button = "taflforge.parts.analyze.ui.copyLink";
    browser.ask("window.later = []; window.setTimeout = (act) => window.later.push(act)");
    for (is_there, count) in [(true, 1), (false, 2)] {
        browser.ask(&format!(
            "Object.defineProperty(navigator, 'clipboard', {{ configurable: true, value: undefined }});
             document.execCommand = () => {is_there};
             {button}.click()"
        ));
        browser.wait(&format!("window.later.length === {count}"));
        let words = ["not copied", "copied"][usize::from(is_there)];
        assert_eq!(browser.text(&format!("{button}.textContent")), words);
    }
    browser.ask("window.later.forEach((act) => act())");
    let words = browser.text(&format!("{button}.textContent"));
    assert_eq!(words, "Copy link to this position");
    is_quiet(&browser);
}
