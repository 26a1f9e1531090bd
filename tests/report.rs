//! Pages of runs and studies as a reader sees them: in Chromium, without a network, by keys, by night, on a phone.

mod small_run;

mod broken;
mod compare;
mod looks;
mod study;
mod viewer;

use crate::support::browser::{Browser, assert_asks_for_nothing};
use serde_json::{Value, json};
use small_run::{page, records, small_run};
use std::collections::BTreeSet;
use std::path::PathBuf;
use tafl_rules::Side;
use tafl_samples::GameRecord;

#[test]
fn a_page_is_one_file_of_moderate_size_that_asks_for_nothing() {
    let html = std::fs::read_to_string(page()).expect("readable");
    assert!(html.len() < 5_000_000, "{}", html.len());
    assert!(!html.contains("{{"), "a place was not filled");
    assert_asks_for_nothing(&html);
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
    browser.open(&page());
    assert_eq!(
        browser.ask("return performance.getEntriesByType('resource').map((one) => one.name)"),
        json!([])
    );
    let titles = browser
        .ask("return [...document.querySelectorAll('main h2')].map((one) => one.textContent)");
    let expected = [
        "Strength",
        "Learning",
        "Self-play and balance",
        "Where pieces move",
        "Games",
        "About this run",
    ];
    assert_eq!(titles, json!(expected));
    // Diagnoses are folded.
    browser.ask(
        "document.querySelectorAll('#learning > details').forEach((one) => { one.open = true; })",
    );
    browser.wait("document.querySelectorAll('#learning > details .plot svg').length > 1");
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

/// By how much a checkpoint that won every game is ahead, no game says.
#[test]
fn the_best_checkpoint_is_one_that_games_rate() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let html = std::fs::read_to_string(page()).expect("readable");
    let (head, rest) = html.split_once("id=\"data\">").expect("the data");
    let (data, tail) = rest.split_once("</script>").expect("their end");
    let mut data: Value = serde_json::from_str(data).expect("JSON");
    let row = |name: &str, elo: f64, [wins, losses]: [u64; 2]| {
        json!({
            "name": name, "elo": { "value": elo, "low": elo - 99.0, "high": elo + 99.0 },
            "attackers": { "wins": wins, "draws": 0, "losses": losses, "capped": 0 },
            "defenders": { "wins": 0, "draws": 0, "losses": 0, "capped": 0 },
        })
    };
    let standings = &mut data["run"]["standings"];
    standings["anchor"] = "random".into();
    standings["superiority"] = vec![vec![0.5; 3]; 3].into();
    standings["players"] = json!([
        row("checkpoint 1", 900.0, [9, 0]),
        row("checkpoint 2", 300.0, [8, 1]),
        row("random", 0.0, [1, 17]),
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    let html = format!("{head}id=\"data\">{data}</script>{tail}");
    std::fs::write(&path, html).expect("written");
    browser.open(&path);
    let best = browser.text("[...document.querySelectorAll('.tile')].at(-1).textContent");
    assert!(best.contains("best, checkpoint 2, above random"), "{best}");
    let text = browser.text("document.querySelector('#strength').textContent");
    assert!(
        text.contains("won or lost every game: checkpoint 1."),
        "{text}"
    );
}

#[test]
fn what_is_measured_is_explained() {
    let metrics = tafl_dataset::read_metrics(&small_run().join("metrics.parquet"));
    let names = metrics.expect("readable").into_iter().map(|it| it.name);
    let names: BTreeSet<String> = names.collect();
    assert!(names.len() > 100, "{names:?}");
    for name in names {
        assert!(tafl_dataset::measure_meaning(&name).is_some(), "{name}");
    }
    let text = std::fs::read_to_string(small_run().join("summary.json")).expect("readable");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    let curve = &summary["learning"]["checkpoints"]["zigzag/mean"];
    let meaning = curve["meaning"].as_str().expect("a text");
    assert!(
        meaning.starts_with("how much more the last checkpoint"),
        "{meaning}"
    );
}

#[test]
fn the_elo_of_the_ladder_is_measured_beside_the_rest() {
    let text = std::fs::read_to_string(small_run().join("summary.json")).expect("readable");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    let metrics = tafl_dataset::read_metrics(&small_run().join("metrics.parquet"));
    let metrics = metrics.expect("readable");
    let ladder = metrics.iter().filter(|it| it.name == "ladder/elo");
    let told: Vec<(u64, f64)> = ladder.clone().map(|it| (it.step, it.value)).collect();
    let players = summary["standings"]["players"].as_array().expect("a list");
    let rated = players.iter().filter(|row| {
        let name = row["name"].as_str().expect("a name");
        name.starts_with("checkpoint ")
    });
    let rated: Vec<f64> = rated
        .filter_map(|row| row["elo"]["value"].as_f64())
        .collect();
    let values: Vec<f64> = told.iter().map(|it| it.1).collect();
    assert_eq!(values, rated, "{told:?}");
    assert!(
        values.len() > 1 && told.is_sorted_by_key(|it| it.0),
        "{told:?}"
    );
    // Its time is that of training, not that of the ladder.
    let hours: Vec<f64> = ladder.map(|it| it.seconds.expect("a time")).collect();
    let all = metrics.iter().filter(|it| it.name == "loss/total");
    let last = all.filter_map(|it| it.seconds).reduce(f64::max);
    assert_eq!((hours[0], hours.last().copied()), (0.0, last));
    let events = small_run().join("tensorboard/events.out.tfevents.0.tafl");
    let events = std::fs::read(events).expect("readable");
    let has = |tag: &[u8]| events.windows(tag.len()).any(|bytes| bytes == tag);
    assert!(has(b"ladder/elo_low") && has(b"loss/total"));
}

#[test]
fn the_summary_counts_what_the_files_hold() {
    let text = std::fs::read_to_string(small_run().join("summary.json")).expect("readable");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    let records = records();
    let matches = records.iter().filter(|(is_match, _)| *is_match).count();
    let files = tafl_dataset::game_files(small_run()).expect("readable");
    let games = |file: &PathBuf| tafl_dataset::read_games(file).expect("readable").len();
    let self_play: usize = files.iter().map(games).sum();
    assert!(self_play > records.len() - matches, "some are taught");
    assert_eq!(summary["summary_version"], 1);
    assert_eq!(summary["self_play_games"], self_play);
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
