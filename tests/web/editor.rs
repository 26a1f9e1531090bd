//! The editor of rulesets: what it writes is what `tafl` reads, and it is played at once.

use crate::support::browser::Browser;
use crate::support::{run, succeeds};
use crate::web::games::{GAME, answer_question, reopen, saved};
use crate::web::page::{choose, is_quiet, opened, page, press_button, square, state, wait_for_ply};
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
    choose(&browser, &format!("{UI}.controls.repetition"), "off");
    let words =
        "The network “brandubh” has learned these rules with other limits to games without an end.";
    browser.wait(&format!("{told} === '{words}'"));
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
fn a_king_that_is_taken_away_takes_nobody_along() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-rules').click()");
    let men = browser.ask(
        "const { squares } = taflforge.parts.rules.edit;
         document.querySelector('.pieces [data-piece=\"K\"]').click();
         for (let times = 0; times < 2; times += 1) document.querySelector('.place .squares [data-square=\"3\"]').click();
         const count = (all) => all.filter((letter) => letter === 't').length;
         return [count(squares), count(taflforge.parts.rules.edit.squares)]",
    );
    assert_eq!(men, json!([24, 23]), "but who stood on d1");
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
        "{told}.startsWith('These rules cannot be played yet. captureless_limit: 0 is neither')"
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

#[test]
fn a_text_that_was_changed_is_what_is_played_and_analyzed() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-rules').click()");
    choose(&browser, &format!("{UI}.base.select"), "brandubh");
    browser.wait(&format!("{UI}.toml.value.includes('my-brandubh')"));
    let write = |text: &str| {
        browser.ask(&format!(
            "{UI}.toml.value = {}; {UI}.toml.dispatchEvent(new Event('input'))",
            json!(text)
        ));
    };
    let before = browser.text("taflforge.parts.play.game.tree.ruleset.form.name");
    write("base = \"brandubh\"\nescape = \"edge\"\n");
    press_button(&browser, "Play these rules");
    browser.wait(&format!(
        "{UI}.told.textContent.startsWith('my-brandubh.toml: ')"
    ));
    assert_eq!(browser.text("taflforge.tab"), "rules");
    let played = browser.text("taflforge.parts.play.game.tree.ruleset.form.name");
    assert_eq!(played, before);
    for (button, name, part) in [
        ("Play these rules", "played", "play.game"),
        ("Analyze these rules", "analyzed", "analyze.view"),
    ] {
        let form = format!("taflforge.parts.{part}.tree.ruleset.form");
        browser.ask("document.getElementById('tab-rules').click()");
        write(&format!(
            "base = \"brandubh\"\nname = \"{name}\"\nescape = \"edges\"\n"
        ));
        press_button(&browser, button);
        browser.wait(&format!("{form}.name === '{name}'"));
        assert_eq!(browser.text(&format!("{form}.escape")), "edges");
    }
    is_quiet(&browser);
}

#[test]
fn a_text_that_was_changed_is_taken_before_the_form_changes() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-rules').click()");
    let [repetition, toml] = ["controls.repetition", "toml"].map(|it| format!("{UI}.{it}"));
    let write = |text: &str| {
        browser.ask(&format!(
            "{toml}.value = {}; {toml}.dispatchEvent(new Event('input'))",
            json!(text)
        ));
    };
    write("base = \"brandubh\"\nname = \"typed\"\nescape = \"edges\"\n");
    choose(&browser, &repetition, "off");
    browser.wait(&format!("{toml}.value.includes('repetition = \"off\"')"));
    let taken = browser.text(&format!("{toml}.value"));
    for line in ["name = \"typed\"", "escape = \"edges\""] {
        assert!(taken.contains(line), "{taken}");
    }
    let unread = "escape = ";
    write(unread);
    choose(&browser, &repetition, "draw");
    answer_question(&browser, "Keep the text");
    browser.wait(&format!("{repetition}.value === 'off'"));
    assert_eq!(browser.text(&format!("{toml}.value")), unread);
    choose(&browser, &repetition, "draw");
    answer_question(&browser, "Give it up");
    browser.wait(&format!("{toml}.value.includes('repetition = \"draw\"')"));
    is_quiet(&browser);
}

#[test]
fn new_rules_take_no_place_of_those_of_another_day_or_tab() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("document.getElementById('tab-rules').click()");
    let [base, name, escape] =
        ["base.select", "name", "controls.escape"].map(|it| format!("{UI}.{it}"));
    choose(&browser, &base, "brandubh");
    choose(&browser, &escape, "edges");
    browser.wait(&format!("{UI}.toml.value.includes('escape = \"edges\"')"));
    press_button(&browser, "Play these rules");
    browser.wait("taflforge.tab === 'play'");
    browser.ask("document.getElementById('tab-rules').click()");
    for (begin_with, named) in [
        ("brandubh", "my-brandubh-2"),
        ("my-brandubh", "my-brandubh"),
    ] {
        choose(&browser, &base, begin_with);
        assert_eq!(browser.text(&format!("{name}.value")), named);
    }
    choose(&browser, &base, "brandubh");
    choose(&browser, &name, "my-brandubh");
    browser.wait(&format!(
        "{UI}.told.textContent.includes('“my-brandubh” is that of other rules')"
    ));
    let stays = browser.ask(
        "const key = 'taflforge-rules:my-brandubh';
         localStorage.setItem(key, 'of another tab');
         const ruleset = taflforge.rulesets.find((one) => one.form.name === 'my-brandubh');
         return taflforge.parts.play.begin({ ruleset, you: null, level: null }).then(() => localStorage.getItem(key))",
    );
    assert_eq!(stays, json!("of another tab"));
    is_quiet(&browser);
}

/// Returns the rules that are kept, and those offered for a game beyond the page's.
fn kept_and_offered(browser: &Browser) -> serde_json::Value {
    browser.ask(
        "const kept = Object.keys(localStorage).filter((key) => key.startsWith('taflforge-rules:'));
         const { play, learn, analyze, rules } = taflforge.parts;
         const lists = [play.ui.rules, learn.ui.rules, analyze.ui.rules, rules.ui.base].map(({ select }) => [...select.options].map((one) => one.value).filter((name) => !taflforge.isOfPage(name)));
         return [kept, ...lists]",
    )
}

#[test]
fn own_rules_are_kept_with_their_games_which_the_program_reads() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    browser.ask("localStorage.setItem('taflforge-rules:damaged', '{'); localStorage.setItem('taflforge-rules:none', '[]')");
    browser.ask("document.getElementById('tab-rules').click()");
    choose(&browser, &format!("{UI}.base.select"), "brandubh");
    choose(&browser, &format!("{UI}.controls.escape"), "edges");
    browser.wait(&format!("{UI}.toml.value.includes('escape = \"edges\"')"));
    press_button(&browser, "Play these rules");
    let escape = format!("{GAME}.tree.ruleset.form.escape");
    browser.wait(&format!("{escape} === 'edges'"));
    browser.ask("taflforge.parts.play.onMove(3, 5)");
    wait_for_ply(&browser, 2);
    press_button(&browser, "Resign");
    press_button(&browser, "Really resign?");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.txt");
    std::fs::write(&file, saved(&browser)).expect("writable");
    let file = file.to_str().expect("text");
    let said = succeeds(&run(folder.path(), &["rules", "replay", file]));
    assert!(
        said.starts_with("1 game, 2 plies under my-brandubh"),
        "{said}"
    );
    let analyze = ["analyze", file, "--visits", "2", "--checkpoint", "brandubh"];
    let said = succeeds(&run(folder.path(), &analyze));
    assert!(said.contains("\nmy-brandubh; 2 visits"), "{said}");
    browser.ask("localStorage.removeItem('taflforge-rules:damaged'); localStorage.removeItem('taflforge-rules:none')");
    reopen(&browser);
    assert_eq!(browser.text(&escape), "edges", "the game");
    assert_eq!(state(&browser, "ply"), 2);
    let mine = json!(["my-brandubh"]);
    let expected = json!([["taflforge-rules:my-brandubh"], mine, mine, mine, mine]);
    assert_eq!(kept_and_offered(&browser), expected);
    browser.ask("document.getElementById('tab-rules').click()");
    assert_eq!(
        browser.ask(&format!("return {UI}.remove.hidden")),
        json!(true)
    );
    choose(&browser, &format!("{UI}.base.select"), "my-brandubh");
    browser.wait(&format!("{UI}.toml.value.includes('escape = \"edges\"')"));
    assert_eq!(browser.text(&format!("{UI}.name.value")), "my-brandubh");
    press_button(&browser, "Delete these rules");
    press_button(&browser, "Really delete?");
    assert_eq!(kept_and_offered(&browser), json!([[], [], [], [], []]));
    browser.wait(&format!("{UI}.toml.value.includes('my-copenhagen')"));
    reopen(&browser);
    assert_eq!(browser.text(&escape), "edges", "the game has them still");
    let expected = json!([[], mine, mine, mine, mine]);
    assert_eq!(kept_and_offered(&browser), expected);
    is_quiet(&browser);
}

#[test]
fn rules_of_a_text_take_no_place_of_the_readers_own() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    let mine = "base = \"brandubh\"\nname = \"mine\"\nescape = \"edges\"\n";
    give(&browser, "mine.toml", mine);
    for _ in 0..2 {
        browser.ask(
            "const { engine, named, rulesets, playFrom } = taflforge;
             const { form } = rulesets.find((one) => one.form.name === 'mine');
             return engine.ask('ruleset', { ruleset: { ...form, escape: 'corners' } }).then(async (asked) => {
               const ruleset = named(asked);
               const [state] = await engine.ask('line', { game: { ruleset: ruleset.form, start: null, moves: [] }, from: 0 });
               return playFrom({ ruleset, current: { state } });
             })",
        );
    }
    let escapes = browser.ask(
        "const { form } = taflforge.parts.play.game.tree.ruleset;
         const kept = Object.keys(localStorage).filter((key) => key.startsWith('taflforge-rules:')).sort();
         return [form.name, ...kept.map((key) => JSON.parse(localStorage.getItem(key)).escape)]",
    );
    assert_eq!(escapes, json!(["mine-2", "edges", "corners"]));
    // What comes with a game's text or with a link is kept, too.
    let rules =
        |name: &str| json!({ "base": "brandubh", "name": name, "escape": "edges" }).to_string();
    let text = format!("ruleset: {}\nd1-c1\n", rules("written"));
    browser.ask("document.getElementById('tab-analyze').click()");
    browser.ask(&format!(
        "taflforge.parts.analyze.ui.text.value = {}",
        json!(text)
    ));
    press_button(&browser, "Open the text");
    let analyzed = "taflforge.parts.analyze.view.tree.ruleset.form.name";
    browser.wait(&format!("{analyzed} === 'written'"));
    browser.ask(&format!(
        "location.hash = `rules=${{encodeURIComponent({})}}`",
        json!(rules("linked"))
    ));
    browser.wait(&format!("{analyzed} === 'linked'"));
    reopen(&browser);
    let offered = "return [...taflforge.parts.play.ui.rules.select.options].map((one) => one.value).slice(-4)";
    let expected = json!(["linked", "mine", "mine-2", "written"]);
    assert_eq!(browser.ask(offered), expected);
    is_quiet(&browser);
}
