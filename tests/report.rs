//! Pages of runs as a reader sees them: in Chromium, without a network, by keys, by night, on a phone.

#[path = "support/browser.rs"]
mod browser;
mod support;

use browser::{Browser, END, HOME, LEFT, RIGHT};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use support::{run, succeeds};
use tafl_dataset::{game_files, read_games};
use tafl_rules::{Game, Piece, Rules, Side};
use tafl_samples::GameRecord;

/// A small real run with everything that a page shows: two rulesets, one with chains, games held out, matches.
fn small_run() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut arguments = vec!["train", "configs/smoke.toml", "--run", "small"];
        let changes = [
            "rulesets=[\"copenhagen\", \"berserk-2024\"]",
            "precision=\"f32\"",
            "selfplay.games=24",
            "selfplay.workers=1",
            "selfplay.full_search_fraction=0.5",
            "replay.held_out_fraction=0.3",
            "arena.openings=2",
        ];
        changes
            .iter()
            .for_each(|change| arguments.extend(["--set", change]));
        succeeds(&run(folder.path(), &arguments));
        folder
    });
    // The run's path would be the value, but the folder has to stay as long.
    static RUN: OnceLock<PathBuf> = OnceLock::new();
    RUN.get_or_init(|| folder.path().join("runs/small"))
}

/// The page of the small run, beside its summary.
fn page() -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| {
        let folder = small_run().to_str().expect("text");
        let said = succeeds(&run(Path::new("data"), &["report", folder]));
        assert!(
            said.contains("report.html") && said.contains("summary.json"),
            "{said}"
        );
        small_run().join("report.html")
    })
}

fn records() -> Vec<(bool, GameRecord)> {
    let mut found = Vec::new();
    for path in game_files(small_run()).expect("readable") {
        found.extend(
            read_games(&path)
                .expect("readable")
                .into_iter()
                .map(|game| (false, game)),
        );
    }
    for entry in std::fs::read_dir(small_run().join("arena")).expect("matches") {
        let games = read_games(&entry.expect("an entry").path()).expect("readable");
        found.extend(games.into_iter().map(|game| (true, game)));
    }
    found
}

/// Where each kind of piece stands at the end of a game: letters by rising square.
fn final_pieces(record: &GameRecord) -> BTreeMap<usize, char> {
    let rules = Rules::preset(&record.ruleset).expect("a preset");
    let mut game = Game::new(Arc::clone(&rules));
    for ply in &record.plies {
        game.play(ply.mv).expect("a legal move");
    }
    let shape = rules.shape();
    let squares = (0..shape.squares()).filter_map(|index| {
        let piece = game.position().piece_at(shape.square(index))?;
        Some((index, Piece::letter(piece)))
    });
    squares.collect()
}

/// The pieces that the page draws, in the same form, from the places of the drawn shapes.
fn drawn_pieces(browser: &Browser) -> BTreeMap<usize, char> {
    let drawn = browser.ask(
        "return [...document.querySelectorAll('#viewer .board .piece')].map((piece) =>
           [piece.classList[1], ...piece.getAttribute('transform').match(/[\\d.]+/g).map(Number)])",
    );
    let size = browser.number("document.querySelectorAll('#viewer .board .coordinate').length / 2")
        as usize;
    let letters = [
        ("attacker", 't'),
        ("commander", 'c'),
        ("defender", 'T'),
        ("knight", 'N'),
        ("king", 'K'),
    ];
    let place = |piece: &Value| {
        let number =
            |index: usize| ((piece[index].as_f64().expect("a number") - 22.0) / 40.0) as usize;
        let (_, letter) = letters
            .iter()
            .find(|(name, _)| piece[0] == *name)
            .expect("a kind");
        ((size - 1 - number(2)) * size + number(1), *letter)
    };
    drawn
        .as_array()
        .expect("a list")
        .iter()
        .map(place)
        .collect()
}

const PLY: &str = "Number(document.getElementById('viewer').dataset.ply)";
const LIST: &str = "document.getElementById('game-list')";

/// Puts the viewer in view and the focus on nothing, so that keys reach the page.
fn look_at_games(browser: &Browser) {
    browser
        .ask("document.getElementById('viewer').scrollIntoView(); document.activeElement.blur()");
}

fn choose_game(browser: &Browser, index: usize) {
    browser.ask(&format!(
        "const list = {LIST}; list.selectedIndex = {index}; list.dispatchEvent(new Event('change'))"
    ));
}

fn data() -> Value {
    let html = std::fs::read_to_string(page()).expect("readable");
    let (_, rest) = html.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn every_game_of_the_page_ends_as_it_is_recorded() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(page());
    look_at_games(&browser);
    let (records, data) = (records(), data());
    let games = data["run"]["games"].as_array().expect("a list");
    assert!(games.len() >= 40, "{}", games.len());
    for (index, game) in games.iter().enumerate() {
        let is_it = |(is_match, record): &&(bool, GameRecord)| {
            game["is_match"] == *is_match
                && game["generation"] == record.generation
                && game["game_id"] == record.game_id
                && game["ruleset"] == record.ruleset
                && game["attackers"] == record.attackers
                && game["defenders"] == record.defenders
        };
        let (_, record) = records.iter().find(is_it).expect("a game of the run");
        choose_game(&browser, index);
        assert_eq!(browser.number(PLY), 0.0);
        browser.press(END);
        assert_eq!(browser.number(PLY), record.plies.len() as f64, "{game}");
        let reason = browser.text("document.getElementById('viewer').dataset.end");
        assert_eq!(reason, record.ending.reason.name());
        let winner = browser.text("document.querySelector('#viewer h3').textContent");
        let expected = match record.ending.winner {
            Some(Side::Attacker) => "Attackers win",
            Some(Side::Defender) => "Defenders win",
            None => "",
        };
        assert!(winner.starts_with(expected), "{winner}");
        assert_eq!(drawn_pieces(&browser), final_pieces(record), "game {index}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn keys_step_through_a_game_and_through_its_chains() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(page());
    look_at_games(&browser);
    let data = data();
    let games = data["run"]["games"].as_array().expect("a list");
    let has_chain = |game: &&Value| {
        game["chained"]
            .as_array()
            .is_some_and(|chained| !chained.is_empty())
    };
    let index = games
        .iter()
        .position(|game| has_chain(&game))
        .expect("a game of berserk with a chain");
    choose_game(&browser, index);
    let game = &games[index];
    let (plies, sides) = (
        game["plies"].as_str().expect("text"),
        game["sides"].as_str().expect("text"),
    );
    let status = || browser.text("document.querySelector('#viewer .status').textContent");
    for (ply, text) in plies.split(' ').enumerate() {
        let before = browser.number("document.querySelectorAll('#viewer .board .piece').length");
        browser.press(RIGHT);
        assert_eq!(browser.number(PLY), (ply + 1) as f64);
        let captured = text.matches('x').count() as f64;
        let after = browser.number("document.querySelectorAll('#viewer .board .piece').length");
        assert_eq!(before - after, captured, "{text}");
        let is_chained = game["chained"]
            .as_array()
            .expect("a list")
            .contains(&json!(ply));
        let says = status();
        assert_eq!(
            says.contains("same side again") || text == "end",
            is_chained,
            "{says}"
        );
        let side = if sides.as_bytes()[ply] == b'a' {
            "attackers"
        } else {
            "defenders"
        };
        assert!(says.contains(&format!(" {side} ")), "{says}");
        if is_chained {
            assert_eq!(
                sides.as_bytes()[ply],
                sides.as_bytes()[ply - 1],
                "the same side moves on"
            );
        }
    }
    browser.press(LEFT);
    assert_eq!(browser.number(PLY), (sides.len() - 1) as f64);
    browser.press(HOME);
    assert_eq!(browser.number(PLY), 0.0);
    browser.press(LEFT);
    assert_eq!(
        browser.number(PLY),
        0.0,
        "there is nothing before the start"
    );
    browser.press(' ');
    browser.wait(&format!("{PLY} >= 2"));
    browser.press(' ');
    // Buttons and the slider do the same as the keys.
    browser.ask("document.querySelector('[aria-label=\"End of the game\"]').click()");
    assert_eq!(browser.number(PLY), sides.len() as f64);
    browser.ask("const slider = document.querySelector('#viewer [type=range]'); slider.value = 3; slider.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(PLY), 3.0);
    browser.ask("document.querySelector('#viewer .moves [data-ply=\"5\"]').click()");
    assert_eq!(browser.number(PLY), 5.0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_the_search_said_is_beside_the_board() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(page());
    let data = data();
    let games = data["run"]["games"].as_array().expect("a list");
    let searched = |game: &Value| {
        game["searches"]
            .as_object()
            .is_some_and(|found| found.len() > 2)
    };
    let index = games.iter().position(searched).expect("a searched game");
    choose_game(&browser, index);
    assert!(
        browser.number("document.querySelectorAll('#viewer .plot path.line').length") >= 2.0,
        "value curves"
    );
    for (ply, search) in games[index]["searches"]
        .as_object()
        .expect("searches")
        .iter()
        .take(5)
    {
        browser.ask(&format!("const slider = document.querySelector('#viewer [type=range]'); slider.value = {ply}; slider.dispatchEvent(new Event('input'))"));
        let says = browser.text("document.querySelector('#viewer .search').textContent");
        assert!(
            says.contains(&format!("{} visit", search["visits"])),
            "{says}"
        );
        for mv in search["moves"].as_array().expect("moves") {
            assert!(says.contains(mv[0].as_str().expect("text")), "{says} {mv}");
        }
        assert!(says.contains("played"), "{says}");
        assert!(browser.number("document.querySelectorAll('#viewer .arrow').length") >= 1.0);
    }
}

#[test]
fn games_are_filtered_by_ruleset_and_result() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(page());
    let data = data();
    let games = data["run"]["games"].as_array().expect("a list");
    let choose = |label: &str, value: &str| {
        let script = format!(
            "const label = [...document.querySelectorAll('#games .choice')].find((one) => one.textContent.startsWith('{label}'));
             const select = label.querySelector('select'); select.value = '{value}'; select.dispatchEvent(new Event('change'));"
        );
        browser.ask(&script);
    };
    let listed = || browser.number(&format!("{LIST}.options.length")) as usize;
    assert_eq!(listed(), games.len());
    for ruleset in ["copenhagen", "berserk-2024"] {
        choose("Ruleset", ruleset);
        let own: Vec<&Value> = games
            .iter()
            .filter(|game| game["ruleset"] == ruleset)
            .collect();
        assert_eq!(listed(), own.len());
        for (key, winner) in [("attackers", json!("attackers")), ("none", json!(null))] {
            choose("Result", key);
            let wanted = own.iter().filter(|game| game["winner"] == winner).count();
            assert_eq!(listed(), wanted, "{ruleset} {key}");
            let hidden = browser.ask("return document.getElementById('viewer').hidden");
            assert_eq!(hidden, json!(wanted == 0));
        }
        choose("Result", "");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Relative luminance contrast of two colors as `rgb(...)` (WCAG 2.2).
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |color: &str| {
        let digits = |c: char| !c.is_ascii_digit();
        let parts: Vec<f64> = color
            .split(digits)
            .filter_map(|part| part.parse().ok())
            .collect();
        let linear = |part: f64| {
            let share = part / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2])
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn light_and_dark_are_readable_and_a_button_changes_them() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(page());
    let color = |selector: &str, what: &str| {
        browser.text(&format!(
            "getComputedStyle(document.querySelector('{selector}'))['{what}']"
        ))
    };
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        let paper = color("body", "backgroundColor");
        let card = color("figure", "backgroundColor");
        for (selector, what, ground) in [
            ("body", "color", &paper),
            (".note", "color", &paper),
            (".kind", "color", &paper),
            ("figcaption", "color", &card),
            ("summary", "color", &card),
            (".legend li", "color", &card),
            (".plot text", "fill", &card),
            (".moves li.attackers button", "color", &card),
            (".moves li.defenders button", "color", &card),
        ] {
            let found = contrast(&color(selector, what), ground);
            assert!(found >= 4.5, "{scheme} {selector}: {found:.2}");
        }
        let warned = contrast(
            &color(".warning", "color"),
            &color(".warning", "backgroundColor"),
        );
        assert!(warned >= 4.5, "{scheme} warnings: {warned:.2}");
        for line in [".line", ".dot"] {
            // Parts of drawings need 3 to 1.
            let what = if line == ".line" { "stroke" } else { "fill" };
            let found = contrast(&color(line, what), &card);
            assert!(found >= 3.0, "{scheme} {line}: {found:.2}");
        }
        grounds.push(paper);
    }
    assert_ne!(grounds[0], grounds[1]);
    let press = || browser.ask("document.querySelector('.theme').click()");
    press();
    assert_eq!(
        color("body", "backgroundColor"),
        grounds[0],
        "light, whatever the system prefers"
    );
    press();
    browser.prefer("light");
    assert_eq!(
        color("body", "backgroundColor"),
        grounds[1],
        "dark, whatever the system prefers"
    );
    press();
    assert_eq!(
        color("body", "backgroundColor"),
        grounds[0],
        "as the system prefers"
    );
}

#[test]
fn a_phone_shows_all_of_it_and_controls_have_names() {
    let Some(browser) = Browser::start() else {
        return;
    };
    for width in [360, 1280] {
        browser.resize(width, 740);
        browser.open(page());
        let wide = browser.number("document.documentElement.scrollWidth");
        assert!(wide <= f64::from(width), "{wide} of {width}");
        let out = browser.ask(
            "return [...document.querySelectorAll('main figure, main button, main select, #viewer .board')]
               .filter((one) => one.getClientRects().length > 0 && !one.closest('.scroll, .moves'))
               .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 120))",
        );
        assert_eq!(out, json!([]), "{width}");
        let small = browser.number("Math.min(...[...document.querySelectorAll('.plot text')].map((one) => parseFloat(getComputedStyle(one).fontSize)))");
        assert!(small >= 12.0, "{small}");
    }
    browser.devtools("Accessibility.enable", &json!({}));
    let tree = browser.devtools("Accessibility.getFullAXTree", &json!({}));
    let mut seen = BTreeMap::new();
    for node in tree["nodes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|node| node["ignored"] == false)
    {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let wanted = [
            "button", "combobox", "slider", "checkbox", "image", "img", "figure", "region", "link",
        ];
        if wanted.contains(&role) {
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(!name.trim().is_empty(), "{role} without a name: {node}");
            *seen.entry(role.to_owned()).or_insert(0) += 1;
        }
    }
    for role in ["button", "combobox", "slider", "checkbox", "image"] {
        assert!(
            seen.get(role).is_some_and(|count| *count > 0),
            "{role}: {seen:?}"
        );
    }
    let bare = browser.ask("return [...document.querySelectorAll('main > section:not(#games) figure')].filter((one) => !one.querySelector('details table')).map((one) => one.querySelector('figcaption').textContent)");
    assert_eq!(bare, json!([]), "charts without a table behind them");
}

#[test]
fn a_page_is_one_file_of_moderate_size_that_asks_for_nothing() {
    let html = std::fs::read_to_string(page()).expect("readable");
    assert!(html.len() < 5_000_000, "{}", html.len());
    assert!(!html.contains("{{"), "a place was not filled");
    for asked in [
        " src=",
        "@import",
        "url(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ] {
        assert!(!html.contains(asked), "{asked}");
    }
    let left: Vec<PathBuf> = std::fs::read_dir(small_run())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains(".tmp"))
        .collect();
    assert_eq!(left, Vec::<PathBuf>::new());
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(page());
    assert_eq!(
        browser.ask("return performance.getEntriesByType('resource').map((one) => one.name)"),
        json!([])
    );
    let titles = browser
        .ask("return [...document.querySelectorAll('main h2')].map((one) => one.textContent)");
    let expected = [
        "Learning",
        "Strength",
        "Self-play and balance",
        "Where pieces move",
        "Games",
        "About this run",
    ];
    assert_eq!(titles, json!(expected));
    for chart in [
        "Policy loss",
        "Value loss",
        "Calibration error over training",
        "Elo of the checkpoints",
        "Results",
        "How games end",
    ] {
        let script = format!(
            "return [...document.querySelectorAll('figure')].filter((one) => one.querySelector('figcaption').textContent === '{chart}')
               .map((one) => one.querySelectorAll('.plot svg .series, .plot svg .part').length)[0]"
        );
        assert!(
            browser
                .ask(&script)
                .as_f64()
                .is_some_and(|parts| parts >= 1.0),
            "{chart}"
        );
    }
}

#[test]
fn the_summary_counts_what_the_files_hold() {
    page();
    let text = std::fs::read_to_string(small_run().join("summary.json")).expect("readable");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    let records = records();
    let matches = records.iter().filter(|(is_match, _)| *is_match).count();
    assert_eq!(summary["summary_version"], 1);
    assert_eq!(summary["self_play_games"], records.len() - matches);
    assert_eq!(summary["match_games"], matches);
    for results in summary["self_play"].as_array().expect("a list") {
        let own = records.iter().filter(|(is_match, record)| {
            !is_match
                && results["generation"] == record.generation
                && results["ruleset"] == record.ruleset
                && results["handicap"] == json!(record.handicap.map(|handicap| handicap.side))
        });
        let own: Vec<&GameRecord> = own.map(|(_, record)| record).collect();
        let won = |side: Side| {
            own.iter()
                .filter(|game| game.ending.winner == Some(side))
                .count()
        };
        assert_eq!(results["attackers"]["wins"], won(Side::Attacker));
        assert_eq!(results["attackers"]["losses"], won(Side::Defender));
        let plies: usize = own.iter().map(|game| game.plies.len()).sum();
        let mean = results["plies"].as_f64().expect("a number");
        assert!((mean - plies as f64 / own.len() as f64).abs() < 1e-9);
        let ends =
            ["low", "value", "high"].map(|end| results["score"][end].as_f64().expect("a number"));
        assert!(ends.is_sorted() && ends[0] >= 0.0 && ends[2] <= 1.0 && ends[0] < ends[2]);
    }
    for balance in summary["balance"].as_array().expect("a list") {
        let sum = |list: &Value| {
            list.as_array()
                .expect("a list")
                .iter()
                .map(|end| {
                    end.as_u64()
                        .unwrap_or_else(|| end["games"].as_u64().expect("games"))
                })
                .sum::<u64>()
        };
        let tally = &balance["attackers"];
        let games: u64 = ["wins", "draws", "losses", "capped"]
            .iter()
            .map(|key| tally[key].as_u64().expect("a count"))
            .sum();
        assert_eq!(sum(&balance["endings"]), games);
        assert_eq!(sum(&balance["lengths"]["games"]), games);
    }
    let players = summary["standings"]["players"]
        .as_array()
        .expect("standings");
    assert!(
        players
            .iter()
            .any(|player| player["name"] == "checkpoint 2")
    );
    assert!(summary.get("games").is_none(), "games are Parquet");
}

/// A copy of the small run in which something is broken.
fn broken(change: impl FnOnce(&Path)) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("broken");
    let status = std::process::Command::new("cp")
        .arg("-r")
        .arg(small_run())
        .arg(&run)
        .status();
    assert!(status.expect("cp runs").success());
    let _ = std::fs::remove_file(run.join("report.html"));
    change(&run);
    (folder, run)
}

#[test]
fn broken_runs_are_named_and_leave_no_page() {
    type Change = fn(&Path);
    let cases: [(&str, &str, Change); 6] = [
        ("manifest.json", "no such file", |run| {
            std::fs::remove_file(run.join("manifest.json")).expect("removed")
        }),
        ("manifest.json", "expected value", |run| {
            std::fs::write(run.join("manifest.json"), "nonsense").expect("written")
        }),
        ("config.toml", "rulesets", |run| {
            std::fs::write(run.join("config.toml"), "seed = 1\n").expect("written")
        }),
        ("games.parquet", "not a whole Parquet file", |run| {
            let path = run.join("games/000001/games.parquet");
            let bytes = std::fs::read(&path).expect("readable");
            std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        }),
        ("metrics.parquet", "seal is broken", |run| {
            let path = run.join("metrics.parquet");
            let mut bytes = std::fs::read(&path).expect("readable");
            bytes[40] ^= 1;
            std::fs::write(&path, &bytes).expect("written");
        }),
        ("games.parquet", "is not among those of the run", |run| {
            let path = run.join("config.toml");
            let text = std::fs::read_to_string(&path).expect("readable");
            std::fs::write(
                &path,
                text.replace(", \"berserk-2024\"", "")
                    .replace("    \"berserk-2024\",\n", ""),
            )
            .expect("written");
            std::fs::remove_dir_all(run.join("arena")).expect("removed");
            let path = run.join("manifest.json");
            let mut manifest: Value =
                serde_json::from_str(&std::fs::read_to_string(&path).expect("readable"))
                    .expect("JSON");
            manifest["files"]
                .as_object_mut()
                .expect("files")
                .retain(|name, _| !name.starts_with("arena/"));
            std::fs::write(&path, manifest.to_string()).expect("written");
        }),
    ];
    for (file, reason, change) in cases {
        let (_folder, run_folder) = broken(change);
        let output = run(
            Path::new("data"),
            &["report", run_folder.to_str().expect("text")],
        );
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{file} {reason}: {said}");
        assert!(
            said.starts_with("error: ") && said.contains(file) && said.contains(reason),
            "{file} {reason}: {said}"
        );
        assert!(!run_folder.join("report.html").exists());
    }
}

#[test]
fn what_is_neither_a_run_nor_a_study_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().to_str().expect("text");
    let missing = folder.path().join("missing");
    let run_folder = small_run().to_str().expect("text");
    for (arguments, reason) in [
        (vec!["report", empty], "neither a run"),
        (
            vec!["report", missing.to_str().expect("text")],
            "no such folder",
        ),
        (
            vec!["report", run_folder, "--output", empty],
            "that is a folder",
        ),
    ] {
        let output = run(Path::new("data"), &arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_run_that_has_only_begun_has_a_page() {
    let (_folder, run_folder) = broken(|run| {
        for gone in ["games", "samples", "arena", "metrics.parquet"] {
            let path = run.join(gone);
            let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
        }
        let path = run.join("manifest.json");
        let mut manifest: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("readable")).expect("JSON");
        manifest["files"] = json!({});
        std::fs::write(&path, manifest.to_string()).expect("written");
    });
    let output = run_folder.parent().expect("a folder").join("early.html");
    let arguments = [
        "report",
        run_folder.to_str().expect("text"),
        "--output",
        output.to_str().expect("text"),
    ];
    succeeds(&run(Path::new("data"), &arguments));
    assert!(output.with_extension("json").exists());
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&output);
    assert!(
        browser
            .text("document.querySelector('main').textContent")
            .contains("Nothing was trained yet")
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
