//! Which games a match plays, and what its caller learns meanwhile.

use crate::matches::common::{
    Job, brandubh, config, greedy, job, random, rollouts, runner, searcher, uniform,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tafl_play::{MatchConfig, MatchPlan, RunnerConfig, Throughput, Watch, openings, play_match};
use tafl_rules::{Game, Rules};
use tafl_samples::PlayerId;

#[test]
fn the_seed_alone_decides_whatever_the_workers_and_games_at_a_time() {
    let players = [&rollouts(6), &uniform(6)];
    let records = |workers, parallel_games, cache_positions, seed| {
        let job = Job {
            runner: RunnerConfig {
                workers,
                parallel_games,
                cache_positions,
            },
            ..job(players, seed)
        };
        job.records()
    };
    let first = records(1, 6, 0, 1);
    assert_eq!(first.len(), 12);
    assert_eq!(first, records(1, 2, 0, 1));
    assert_eq!(first, records(2, 5, 0, 1));
    assert_eq!(first, records(9, 64, 0, 1));
    assert_eq!(first, records(2, 5, 1_000, 1));
    assert_ne!(first, records(1, 6, 0, 2));
}

#[test]
fn every_opening_is_played_twice_with_sides_changed_and_replays() {
    for ruleset in ["brandubh", "berserk-2024", "copenhagen-tournament"] {
        let rules = Rules::preset(ruleset).unwrap();
        let job = Job {
            rules: Arc::clone(&rules),
            ..job([&greedy(), &random()], 3)
        };
        let result = job.result();
        assert_eq!(result.games.len(), 12);
        for (pair, games) in result.games.chunks(2).enumerate() {
            let [first, second] = games else {
                panic!("games come in pairs")
            };
            assert_eq!((first.attackers, second.attackers), (0, 1));
            assert_eq!(
                (first.opening(), second.opening()),
                (pair as u64, pair as u64)
            );
            assert_eq!(first.record.plies[..4], second.record.plies[..4]);
            assert_eq!(first.record.attackers, PlayerId::from("greedy"));
            assert_eq!(second.record.attackers, PlayerId::from("random"));
        }
        for game in &result.games {
            let mut replay = Game::new(Arc::clone(&rules));
            let mut turns = [0; 2];
            for ply in &game.record.plies {
                let before = *replay.position();
                replay.play(ply.mv).unwrap();
                let goes_on =
                    replay.outcome().is_none() && replay.position().side() == before.side();
                turns[before.side().index()] += u32::from(!goes_on);
            }
            let cut_within_chain = replay.position().chain().is_some();
            assert!(game.turns == turns || cut_within_chain, "{ruleset}");
            assert_eq!(replay.outcome().is_none(), game.record.ending.is_capped());
        }
    }
}

#[test]
fn progress_ends_with_all_games() {
    let job = job([&uniform(4), &random()], 1);
    let (last, finished) = (Mutex::new(Throughput::default()), Mutex::new(0_u64));
    let watch = Watch {
        progress: &|now| *last.lock().unwrap() = now,
        finished: &|_| *finished.lock().unwrap() += 1,
        ..Watch::default()
    };
    let records = play_match(&job.as_match(), &job.plan(), &watch).unwrap();
    let last = last.into_inner().unwrap();
    assert_eq!(last.games_done, 12);
    let result = job.result_of(records);
    let total = result.total(0);
    let wins = result.games.iter().filter(|game| game.half_points() == 2);
    assert_eq!(wins.count() as u64, total.wins);
    let plies = result.games.iter().map(|game| game.record.plies.len());
    assert_eq!(last.plies, plies.sum::<usize>() as u64);
    assert!(last.evaluations > last.batches && last.batches > 0);
    assert_eq!(finished.into_inner().unwrap(), 12);
}

#[test]
fn a_stopped_match_returns_what_is_finished_and_counts_whole_pairs() {
    let random = random();
    let job = Job {
        config: MatchConfig {
            openings: 500,
            ..config()
        },
        ..job([&random, &random], 1)
    };
    let (stop, finished) = (AtomicBool::new(false), Mutex::new(0));
    let watch = Watch {
        finished: &|_| {
            let mut finished = finished.lock().unwrap();
            *finished += 1;
            stop.store(*finished == 7, Ordering::Relaxed);
        },
        stop: &stop,
        ..Watch::default()
    };
    let records = play_match(&job.as_match(), &job.plan(), &watch).unwrap();
    assert_eq!(records.len(), 7);
    assert!(job.result_of(records).pair_counts().pairs() <= 3);
}

#[test]
fn what_cannot_be_played_is_an_error() {
    let error = |job: &Job| {
        let plan = MatchPlan::new(openings(&job.rules, 6, 4, 1));
        let error = play_match(&job.as_match(), &plan, &Watch::default()).unwrap_err();
        error.to_string()
    };
    let missing = searcher("missing", 4, Arc::new(|_| Err("no weights".into())));
    assert_eq!(
        error(&job([&missing, &missing], 1)),
        "worker 0: cannot set up a player: no weights"
    );
    let none = Job {
        config: MatchConfig {
            openings: 0,
            ..config()
        },
        ..job([&random(), &random()], 1)
    };
    let no_games = Job {
        runner: RunnerConfig {
            parallel_games: 0,
            ..runner()
        },
        ..job([&random(), &random()], 1)
    };
    for (job, expected) in [
        (
            none,
            "field `arena.openings`: expected whole number from 1 to 1000000, found 0",
        ),
        (
            no_games,
            "field `runner.parallel_games`: expected whole number from 1 to 65536, found 0",
        ),
        (
            job([&random(), &uniform(0)], 1),
            "field `search.visits`: expected whole number from 1 to 1000000, found 0",
        ),
    ] {
        assert_eq!(error(&job), expected);
    }
}

#[test]
fn games_end_about_in_the_order_of_their_openings_whoever_plays() {
    // A test waits for the first pair that is missing, so that games far ahead would be in vain.
    let job = Job {
        runner: RunnerConfig {
            parallel_games: 8,
            ..runner()
        },
        ..job([&greedy(), &random()], 4)
    };
    let order = Mutex::new(Vec::new());
    let watch = Watch {
        finished: &|record| order.lock().unwrap().push(record.game_id),
        ..Watch::default()
    };
    let plan = MatchPlan::new(openings(&brandubh(), 60, 4, 9));
    play_match(&job.as_match(), &plan, &watch).unwrap();
    let order = order.into_inner().unwrap();
    assert_eq!(order.len(), 120);
    for (place, &game_id) in order.iter().enumerate() {
        assert!(game_id.abs_diff(place as u64) <= 16, "{order:?}");
    }
}
