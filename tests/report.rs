//! Pages of runs and studies as a reader sees them: in Chromium, without a network, by keys, by night, on a phone.

mod support;

#[path = "support/browser.rs"]
mod browser;
#[path = "report/small_run.rs"]
mod small_run;

#[path = "report/broken.rs"]
mod broken;
#[path = "report/looks.rs"]
mod looks;
#[path = "report/viewer.rs"]
mod viewer;

use browser::{Browser, END};
use serde_json::{Value, json};
use small_run::{choose_game, look_at_games, page, records, small_run};
use support::{run, succeeds};
use tafl_rules::Side;
use tafl_samples::GameRecord;

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
    let names = std::fs::read_dir(small_run()).expect("a folder");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    let left: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.contains(".tmp"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
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

#[test]
fn a_study_becomes_a_page_of_its_own_numbers() {
    let data = tempfile::tempdir().expect("a folder");
    let study = data.path().join("study");
    let folder = study.to_str().expect("text");
    succeeds(&run(
        data.path(),
        &["balance", "configs/balance/smoke.toml", "--folder", folder],
    ));
    let summary = std::fs::read(study.join("summary.json")).expect("readable");
    succeeds(&run(data.path(), &["report", folder]));
    assert_eq!(
        std::fs::read(study.join("summary.json")).expect("readable"),
        summary
    );
    let summary: Value = serde_json::from_slice(&summary).expect("JSON");
    let cells = summary["cells"].as_array().expect("cells");
    let count = |tally: &Value| -> u64 {
        let counts = tally.as_object().expect("counts").values();
        counts.filter_map(Value::as_u64).sum()
    };
    let played: u64 = cells.iter().map(|cell| count(&cell["results"])).sum();
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&study.join("report.html"));
    let tile = browser.text("document.querySelector('.tile b').textContent");
    assert_eq!(tile.replace('\u{2009}', ""), played.to_string());
    let text = browser.text("document.querySelector('main').textContent");
    for expected in [
        "Is it fair?",
        "How games end",
        "Which ruleset is more balanced?",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    for warning in summary["warnings"].as_array().expect("warnings") {
        assert!(
            text.contains(warning["text"].as_str().expect("a sentence")),
            "{warning}"
        );
    }
    let rows =
        browser.number("document.querySelectorAll('#fairness .plot .row-name').length") as usize;
    let people = summary["people"].as_array().expect("people").len();
    let own = cells
        .iter()
        .filter(|cell| count(&cell["results"]) > 0)
        .count();
    let shown = summary["people"]
        .as_array()
        .expect("people")
        .iter()
        .filter(|one| {
            one["ruleset"].is_null()
                || summary["rulesets"]
                    .as_array()
                    .expect("rulesets")
                    .iter()
                    .any(|ruleset| ruleset["name"] == one["ruleset"])
        });
    assert!(people >= 3);
    assert_eq!(rows, own + shown.count());
    look_at_games(&browser);
    for index in [0, 5, 11] {
        choose_game(&browser, index);
        browser.press(END);
        assert_ne!(
            browser.text("document.getElementById('viewer').dataset.end"),
            ""
        );
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
    // A summary that says nothing of the kind is named.
    std::fs::write(study.join("summary.json"), "{}").expect("written");
    let output = run(data.path(), &["report", folder]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("summary.json: no summary of a study: field `summary_version`"),
        "{said}"
    );
}
