//! What the page teaches: a lesson from the rules in force, hints with their reason, why pieces were taken.

use crate::support::browser::Browser;
use crate::web::page::{
    choose, click_square, is_quiet, opened, press_button, square, wait_for_ply,
};
use serde_json::json;

const LEARN: &str = "taflforge.parts.learn";

fn told(browser: &Browser) -> String {
    browser.wait(&format!("{LEARN}.ui.told.textContent !== ''"));
    browser.text(&format!("{LEARN}.ui.told.textContent"))
}

fn play(browser: &Browser, mv: &str) -> String {
    for name in mv.split('-') {
        click_square(browser, square(name, 7));
    }
    told(browser)
}

/// Plays the moves of each board of each ruleset; returns what the boards are about, or the first one that is not answered.
const BOARDS: &str = "
  return (async () => {
    const topics = {};
    for (const { form } of taflforge.rulesets) {
      const { boards } = await taflforge.engine.ask('lesson', { ruleset: form });
      topics[form.name] = boards.map((board) => board.topic);
      for (const { topic, moves } of boards) {
        const { right, why } = await taflforge.engine.ask('attempt', { ruleset: form, topic, moves });
        if (!right) return `${form.name} ${topic} ${why}`;
      }
    }
    return topics;
  })()";

fn assert_has_boards(browser: &Browser) {
    let judged = browser.ask(BOARDS);
    let has = |ruleset: &str, topic: &str| {
        let topics = judged[ruleset].as_array();
        topics
            .unwrap_or_else(|| panic!("{judged}"))
            .contains(&json!(topic))
    };
    for (topic, rulesets) in [
        ("shieldwall", ["copenhagen", "copenhagen-tournament"]),
        ("chain", ["berserk-2017", "berserk-2024"]),
        ("jump-knight", ["berserk-2017", "berserk-2024"]),
        ("corner", ["copenhagen", "brandubh"]),
    ] {
        assert!(
            rulesets.iter().all(|name| has(name, topic)),
            "{topic}: {judged}"
        );
        assert!(!has("tablut", topic), "{topic}: {judged}");
    }
}

#[test]
fn a_lesson_is_made_of_the_rules_in_force_and_says_why() {
    let Some(browser) = opened(390, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-learn').click()");
    browser.wait(&format!("{LEARN}.learn.tree !== null"));
    let said = play(&browser, "d7-d6");
    assert!(
        said.starts_with("Not that one. d7-d6 captures nothing: "),
        "{said}"
    );
    press_button(&browser, "Try again");
    browser.wait(&format!("{LEARN}.ui.told.textContent === ''"));
    click_square(&browser, square("d7", 7));
    click_square(&browser, square("e5", 7));
    let refused = "document.querySelector('.spoken').textContent";
    browser.wait(&format!("{refused} === 'd7-e5 is not in a straight line.'"));
    let said = play(&browser, "d7-d5");
    let why = "Right. The defender on c5 stood between the attacker on d5 and the attacker on b5.";
    assert_eq!(said, why);
    let first = "document.querySelector('.lesson button').textContent";
    assert_eq!(browser.text(first), "✓ Capture");
    press_button(&browser, "Next board");
    browser.wait(&format!(
        "{LEARN}.learn.at === 1 && {LEARN}.ui.told.textContent === ''"
    ));
    assert_has_boards(&browser);
    choose(
        &browser,
        &format!("{LEARN}.ui.rules.select"),
        "berserk-2024",
    );
    browser.wait(&format!(
        "{LEARN}.learn.ruleset.form.name === 'berserk-2024'"
    ));
    browser.ask("[...document.querySelectorAll('.lesson button')].at(-1).click()");
    browser.wait(&format!(
        "{LEARN}.learn.tree.current.ply === 0 && {LEARN}.learn.at > 10"
    ));
    let said = play(&browser, "e2-e6");
    assert!(said.starts_with("And on, with the same piece."), "{said}");
    for name in ["e6", "e4"] {
        click_square(&browser, square(name, 7));
    }
    browser.wait(&format!("{LEARN}.ui.told.textContent.startsWith('Right.')"));
    is_quiet(&browser);
}

#[test]
fn rules_that_changed_under_their_name_have_a_lesson_anew() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    for (armed, topic) in [("true", "armed"), ("false", "unarmed")] {
        browser.ask(&format!(
            "const {{ engine, rulesets, parts }} = taflforge;
             const {{ form }} = rulesets.find((one) => one.form.name === 'brandubh');
             return engine.ask('ruleset', {{ ruleset: {{ ...form, name: 'mine', king_armed: {armed} }} }})
               .then((ruleset) => parts.play.begin({{ ruleset, you: null, level: null }}))"
        ));
        browser.ask("document.getElementById('tab-learn').click()");
        browser.wait(&format!(
            "{LEARN}.learn.boards.some((board) => board.topic === '{topic}')"
        ));
    }
    is_quiet(&browser);
}

/// Begins a game of two people from a position of Brandubh.
fn begin_at(browser: &Browser, position: &str) {
    let ui = "taflforge.parts.play.ui";
    choose(browser, &format!("{ui}.rules.select"), "brandubh");
    choose(browser, &format!("{ui}.against.select"), "people");
    let position = json!(position);
    browser.ask(&format!("{ui}.start.value = {position}"));
    press_button(browser, "New game");
    browser.wait(&format!(
        "taflforge.parts.play.game.tree.start === {position}"
    ));
}

fn note(browser: &Browser) -> String {
    browser.wait("document.querySelector('.panel .note').textContent !== ''");
    browser.text("document.querySelector('.panel .note').textContent")
}

#[test]
fn hints_have_reasons_and_captures_are_explained() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    begin_at(&browser, "7/5t1/7/K6/7/7/7 defenders");
    press_button(&browser, "Hint");
    let said = note(&browser);
    let reasons = ": ends the game: the defenders win, as the king has escaped; Defenders win in 1 ply, for certain.";
    assert!(
        said.starts_with("Hint: a4-a") && said.ends_with(reasons),
        "{said}"
    );
    begin_at(&browser, "3t3/7/1tT4/7/7/5K1/1t3t1 attackers");
    press_button(&browser, "Hint");
    let said = note(&browser);
    assert!(said.contains("value of the attackers from "), "{said}");
    for name in ["d7", "d5"] {
        click_square(&browser, square(name, 7));
    }
    wait_for_ply(&browser, 1);
    let why = "The defender on c5 stood between the attacker on d5 and the attacker on b5.";
    assert_eq!(note(&browser), why);
    browser.ask("document.querySelector('.how').open = true");
    press_button(&browser, "Learn on small boards");
    browser.wait(&format!("{LEARN}.learn.ruleset?.form.name === 'brandubh'"));
    assert_eq!(browser.text("taflforge.tab"), "learn");
    is_quiet(&browser);
}
