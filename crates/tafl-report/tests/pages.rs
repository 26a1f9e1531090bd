//! Pages of runs and studies that are made here, without a search.

use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::{Provenance, WrittenGeneration, write_generation};
use tafl_report::{Page, RunReport, ViewedGame, html, read_study, report_run, report_study};
use tafl_rules::{Game, Rules, Setup, Side};
use tafl_samples::{Ending, GameKind, GameRecord, Handicap, PlyRecord, SearchRecord};
use tafl_store::{RunSettings, ShardCount, Store};

/// Plays a game in which each side takes the first capture it can, and else a move by number.
fn game(rules: &Arc<Rules>, game_id: u64, generation: u32) -> GameRecord {
    let mut game = Game::new(Arc::clone(rules));
    let (mut plies, mut moves) = (Vec::new(), Vec::new());
    let mut state = game_id * 77 + 5;
    while game.outcome().is_none() && plies.len() < 120 {
        game.legal_moves(&mut moves);
        let captures = moves.iter().position(|&mv| {
            let mut next = *game.position();
            !rules.play_unchecked(&mut next, mv).captured.is_empty()
        });
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let index = captures.unwrap_or((state >> 33) as usize % moves.len());
        let search =
            (plies.len() >= 4 && plies.len().is_multiple_of(3)).then(|| search(&moves, index));
        plies.push(PlyRecord {
            mv: moves[index],
            search,
        });
        game.play(moves[index]).expect("a legal move");
    }
    GameRecord {
        game_id,
        seed: game_id,
        ruleset: rules.ruleset().name.clone(),
        ruleset_fingerprint: rules.ruleset().fingerprint(),
        start: Setup::of(&rules.start(), rules.shape()),
        generation,
        kind: match game_id % 5 {
            0 => GameKind::Handicap,
            3 => GameKind::Partner,
            _ => GameKind::Even,
        },
        attackers: if game_id % 5 == 3 {
            "alphabeta:2"
        } else {
            "checkpoint 0"
        }
        .into(),
        defenders: "checkpoint 0".into(),
        opening_plies: 4,
        handicap: (game_id.is_multiple_of(5)).then_some(Handicap {
            side: Side::Defender,
            rate: 0.5,
        }),
        plies,
        ending: game.outcome().map_or(Ending::CAPPED, Ending::from),
    }
}

fn search(moves: &[tafl_rules::Move], played: usize) -> SearchRecord {
    let rest = 0.5 / moves.len() as f32;
    let share = |index: usize| rest + if index == played { 0.5 } else { 0.0 };
    SearchRecord {
        policy: moves
            .iter()
            .enumerate()
            .map(|(index, &mv)| (mv, share(index)))
            .collect(),
        wdl: [0.625, 0.125, 0.25],
        network_wdl: [0.5, 0.25, 0.25],
        visits: 40,
        prior_divergence: 0.5,
        ..SearchRecord::default()
    }
}

/// A run of `games` games in each of two generations.
fn write_run(folder: &Path, rules: &[Arc<Rules>], games: u64) {
    let provenance = |generation| Provenance {
        run: "made".to_owned(),
        generation,
        checkpoint: "checkpoint 0".to_owned(),
        config_sha256: "0".to_owned(),
        weights_sha256: None,
    };
    let mut written = Vec::new();
    for generation in 0..2 {
        let number = |id: u64| &rules[id as usize % rules.len()];
        let records: Vec<GameRecord> = (0..games)
            .map(|id| game(number(id), id, generation))
            .collect();
        let provenance = provenance(generation);
        let generation = write_generation(folder, &records, rules, &provenance).expect("written");
        written.push(generation);
    }
    let settings = RunSettings {
        run: "a </script><b>run".to_owned(),
        git_commit: None,
        seed: 1,
        config_sha256: "0".to_owned(),
        libtorch: "0".to_owned(),
        device: "cpu".to_owned(),
        precision: "f32".to_owned(),
        stages: Vec::new(),
    };
    let store = Store::create(folder, settings).expect("a new run");
    for WrittenGeneration { samples, path, .. } in &written {
        let count = ShardCount {
            games,
            samples: samples.len() as u64,
            to_learn: samples.len() as u64,
        };
        let entered = store.enter_counted(&[(path, Some(count))]);
        entered.expect("entered");
    }
    std::fs::write(folder.join("config.toml"), "seed = 1\n").expect("written");
}

fn report(folder: &Path, rules: &[Arc<Rules>], games: usize) -> RunReport {
    report_run(folder, rules, &[], Vec::new(), games).expect("a run")
}

/// Returns whether neither side of a game was handicapped or a sparring partner's.
fn is_even(game: &ViewedGame) -> bool {
    game.handicap.is_none() && !game.attackers.starts_with("alphabeta:")
}

fn two_rulesets() -> Vec<Arc<Rules>> {
    ["copenhagen", "berserk-2024"]
        .map(|name| Rules::preset(name).expect("a preset"))
        .into()
}

#[test]
fn plies_of_a_chain_are_of_one_side_and_captures_are_those_of_the_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = two_rulesets();
    write_run(folder.path(), &rules, 20);
    let report = report(folder.path(), &rules, 100);
    assert_eq!(report.games.len(), 40);
    let chained: usize = report.games.iter().map(|game| game.chained.len()).sum();
    assert!(chained > 0, "games of berserk have chains");
    for game in &report.games {
        assert_eq!(game.plies.split(' ').count(), game.sides.len());
        let sides = game.sides.as_bytes();
        for &ply in &game.chained {
            assert_eq!(game.ruleset, "berserk-2024");
            assert_eq!(sides[ply], sides[ply - 1]);
        }
        let turns = (1..sides.len()).filter(|ply| !game.chained.contains(ply));
        assert!(turns.into_iter().all(|ply| sides[ply] != sides[ply - 1]));
    }
    let captures = |ruleset: &str| {
        let own = report
            .games
            .iter()
            .filter(|game| game.ruleset == ruleset && is_even(game));
        own.map(|game| game.plies.matches('x').count() as f64)
            .sum::<f64>()
    };
    for balance in report
        .balance
        .iter()
        .filter(|balance| balance.games_of == "self-play")
    {
        let all = balance.captures * balance.attackers.games() as f64;
        assert!((all - captures(&balance.ruleset)).abs() < 1e-6);
        assert!(all > 0.0 && balance.is_few);
    }
}

#[test]
fn values_are_the_attackers_whoever_searched() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = two_rulesets();
    write_run(folder.path(), &rules, 4);
    let mut seen = [false; 2];
    for game in report(folder.path(), &rules, 100).games {
        for (&ply, search) in &game.searches {
            let is_attackers = game.sides.as_bytes()[ply as usize] == b'a';
            seen[usize::from(is_attackers)] = true;
            let expected = if is_attackers {
                [625, 125, 250]
            } else {
                [250, 125, 625]
            };
            assert_eq!(search.search, expected);
            let played = game.plies.split(' ').nth(ply as usize).expect("a ply");
            let (best, share) = &search.moves[0];
            assert_eq!(
                played.split('x').next(),
                Some(best.as_str()),
                "the played move has half"
            );
            assert!(*share >= 500 && search.moves.len() <= 6 && search.visits == 40);
        }
    }
    assert_eq!(seen, [true; 2]);
}

#[test]
fn heat_and_results_leave_out_handicaps_partners_and_openings() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = two_rulesets();
    write_run(folder.path(), &rules, 10);
    let report = report(folder.path(), &rules, 100);
    for map in &report.heat {
        let own = report
            .games
            .iter()
            .filter(|game| game.ruleset == map.ruleset && is_even(game));
        let own: Vec<_> = own.collect();
        assert_eq!(map.games, own.len() as u64);
        let moves: usize = own
            .iter()
            .map(|game| {
                game.plies
                    .split(' ')
                    .skip(4)
                    .filter(|ply| *ply != "end")
                    .count()
            })
            .sum();
        for lists in [&map.from, &map.to] {
            let counted: u32 = lists.iter().flatten().sum();
            assert_eq!(counted as usize, moves);
        }
    }
    for side in Side::ALL {
        let uneven = report
            .self_play
            .iter()
            .filter(|results| results.handicap == Some(side));
        let games: u64 = uneven.map(|results| results.attackers.games()).sum();
        assert_eq!(games, 4, "handicapped defenders, attackers of a partner");
    }
    assert_eq!(report.self_play_games, 20);
}

#[test]
fn generations_count_whoever_played_their_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let [own, variants] =
        ["tablut", "brandubh"].map(|name| [Rules::preset(name).expect("a preset")]);
    write_run(folder.path(), &variants, 3);
    let report = report_run(folder.path(), &own, &variants, Vec::new(), 10).expect("a run");
    assert!(report.self_play.is_empty());
    assert_eq!((report.self_play_games, report.generations), (6, 2));
}

#[test]
fn data_within_a_page_cannot_end_its_element() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = two_rulesets();
    write_run(folder.path(), &rules, 2);
    let page = html(&Page::Run(Box::new(report(folder.path(), &rules, 1))), None);
    assert_eq!(
        page.matches("</script>").count(),
        2,
        "the script and the data"
    );
    assert!(page.contains("<title>Run a &lt;/script&gt;&lt;b&gt;run</title>"));
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let data: Value =
        serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON");
    assert_eq!(data["run"]["info"]["run"], "a </script><b>run");
    assert_eq!(data["run"]["games"].as_array().map(Vec::len), Some(1));
}

#[test]
fn files_with_games_of_other_rules_are_left_out_by_file_and_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = two_rulesets();
    write_run(folder.path(), &rules, 4);
    let of_first = |variants| {
        let report = report_run(folder.path(), &rules[..1], variants, Vec::new(), 1);
        report.map_err(|error| error.to_string())
    };
    let report = of_first(&[]).expect("a page without those games");
    assert_eq!((report.left_out.len(), report.self_play_games), (2, 0));
    let reason = &report.left_out[0];
    assert!(
        reason.contains("games.parquet: game 1 has ruleset \"berserk-2024\""),
        "{reason}"
    );
    let report = of_first(&rules[1..]).expect("a page");
    assert_eq!((report.left_out.len(), report.self_play_games), (0, 8));
    let shown = report.self_play.iter().map(|it| &*it.ruleset);
    assert!(shown.clone().count() > 0 && shown.clone().all(|it| it == "copenhagen"));
}

const STUDY: &str = include_str!("../../../tests/fixtures/balance/rulesets.json");

#[test]
fn summaries_that_are_none_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("summary.json");
    let refused = |text: Option<&str>| {
        let _ = text.map(|text| std::fs::write(&path, text).expect("written"));
        read_study(folder.path())
            .expect_err("it is none")
            .to_string()
    };
    assert!(refused(None).contains("summary.json: no such file"));
    assert!(refused(Some("{")).contains("not a summary of a study"));
    let newer = STUDY.replacen("\"summary_version\": 5", "\"summary_version\": 99", 1);
    assert!(refused(Some(&newer)).contains("field `summary_version`: 99, where 5 is read"));
    let lacking = STUDY.replacen("\"opening_plies\"", "\"plies_of_openings\"", 1);
    assert!(refused(Some(&lacking)).contains("opening_plies"));
}

#[test]
fn a_study_whose_games_are_missing_is_refused_and_one_without_files_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("summary.json"), STUDY).expect("written");
    let mut summary = read_study(folder.path()).expect("a summary");
    let rules: Vec<Arc<Rules>> = ["copenhagen", "fetlar"]
        .map(|name| Rules::preset(name).expect("a preset"))
        .into();
    let error = report_study(folder.path(), summary.clone(), &rules, 10).expect_err("no games");
    assert!(error.to_string().contains("games/000000/"), "{error}");
    for cell in &mut summary.cells {
        cell.games_files.clear();
    }
    let report = report_study(folder.path(), summary, &rules, 10).expect("a study");
    assert!(html(&Page::Study(Box::new(report)), None).contains("<title>Study sample</title>"));
}
