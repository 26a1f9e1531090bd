//! What happens in games that both sides call decided.

use crate::common::{config, play, rules, search};
use tafl_rules::Game;
use tafl_samples::GameRecord;
use tafl_selfplay::{SelfplayConfig, Verdicts};

/// The hashed opinions of the tests agree now and then, as often as a low threshold makes them.
fn verdicts_given() -> SelfplayConfig {
    SelfplayConfig {
        decided_value: 0.02,
        decided_searches: 1,
        decided_search_fraction: 0.25,
        decided_test_fraction: 0.0,
        ..config(24)
    }
}

fn count(records: &[GameRecord], config: &SelfplayConfig) -> Verdicts {
    Verdicts::of(records, &rules(&["brandubh"]), config)
}

fn samples(records: &[GameRecord]) -> usize {
    let plies = records.iter().flat_map(|record| &record.plies);
    plies.filter(|ply| ply.search.is_some()).count()
}

#[test]
fn decided_games_give_fewer_samples_and_are_played_to_their_end() {
    let config = verdicts_given();
    let (records, _) = play(&config, &search(8), &["brandubh"], 31);
    let plies: usize = records.iter().map(|record| record.plies.len()).sum();
    assert!(samples(&records) * 4 < plies * 3, "of {plies}");
    for record in &records {
        let mut game = Game::new(rules(&["brandubh"])[0].clone());
        for ply in &record.plies {
            game.play(ply.mv).unwrap();
        }
        assert_eq!(game.outcome().is_none(), record.ending.is_capped());
        assert!(game.outcome().is_some() || record.plies.len() == config.max_plies as usize);
    }
    let verdicts = count(&records, &config);
    assert!(verdicts.games > 12, "{verdicts:?}");
    assert_eq!((verdicts.tested, verdicts.wrong), (0, 0));
}

#[test]
fn games_that_test_the_verdict_are_the_same_as_without_it() {
    let tests = SelfplayConfig {
        decided_test_fraction: 1.0,
        ..verdicts_given()
    };
    let (without, _) = play(&config(24), &search(8), &["brandubh"], 31);
    let (tested, _) = play(&tests, &search(8), &["brandubh"], 31);
    assert_eq!(without, tested);
    assert_eq!(count(&without, &config(24)), Verdicts::default());
    let verdicts = count(&tested, &tests);
    assert_eq!(verdicts.tested, verdicts.games);
    // The first agreement of hashed opinions is as good as a coin.
    assert!(verdicts.wrong > 0 && verdicts.wrong < verdicts.tested);
}

#[test]
fn a_share_of_games_tests_the_verdict_and_handicapped_ones_do_not_count() {
    let half = SelfplayConfig {
        decided_test_fraction: 0.5,
        ..verdicts_given()
    };
    let (records, _) = play(&half, &search(8), &["brandubh"], 31);
    let verdicts = count(&records, &half);
    assert!(verdicts.tested > 4 && verdicts.tested < verdicts.games - 4);
    let handicapped = SelfplayConfig {
        handicap_fraction: 1.0,
        ..half
    };
    let (records, _) = play(&handicapped, &search(8), &["brandubh"], 31);
    assert_eq!(count(&records, &handicapped).tested, 0);
}
