//! Sparring partners, and players that change while games are played.

use crate::selfplay::common::{Job, config, handicaps, job, plan, rules, runner, streamed};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tafl_play::{
    RunnerConfig, SelfplayConfig, Session, Stream, UnevenGames, UnevenSide, stream_games,
};
use tafl_rules::{Game, Rules, Side};
use tafl_samples::{Baseline, Ending, GameRecord, PlayerId, SearchRecord, samples_of};
use tafl_search::AlphaBeta;

/// Checks that a partner played its side as alpha-beta does, and that both sides' plies are learned from.
fn check_sparring(record: &GameRecord, side: Side, partner: Baseline) {
    assert_eq!(record.player(side), &PlayerId::Baseline(partner));
    assert_eq!(record.player(side.opponent()), &PlayerId::from("hash"));
    assert_eq!(record.uneven_side(), Some(side));
    let [own, others] = [side, side.opponent()].map(|side| record.weakness()[side.index()]);
    assert_eq!(u32::from(own[1]), partner.strength().unwrap());
    assert_eq!((own[0] > 0, others), (record.handicap.is_some(), [0; 2]));
    let rules = Rules::preset(&record.ruleset).unwrap();
    let depth = partner.strength().unwrap();
    let (mut game, mut own) = (Game::new(Arc::clone(&rules)), AlphaBeta::new(depth, &rules));
    for (number, ply) in record.plies.iter().enumerate() {
        let is_opening = number < record.opening_plies as usize;
        let is_partner = game.position().side() == side;
        assert_eq!(ply.search.is_none(), is_opening, "ply {number}");
        if is_partner && !is_opening && record.handicap.is_none() {
            assert_eq!(ply.mv, own.choose(&mut game).mv, "ply {number}");
        }
        game.play(ply.mv).unwrap();
    }
}

/// Returns games without a handicap that one side won.
fn won_by(side: Side, rules: &[Arc<Rules>]) -> Vec<GameRecord> {
    let lengths = Job {
        config: SelfplayConfig {
            max_plies: 5,
            ..config()
        },
        rules: rules.to_vec().into(),
        ..job(80)
    };
    let mut games = lengths.records();
    for game in &mut games {
        game.ending = Ending {
            winner: Some(side),
            ..game.ending
        };
    }
    games
}

#[test]
fn sparring_partners_play_the_stronger_side_as_alpha_beta_does() {
    let rules = rules(&["brandubh", "tablut"]);
    let mut kinds = BTreeSet::new();
    for stronger in Side::ALL {
        let job = Job {
            config: SelfplayConfig {
                uneven: vec![
                    UnevenGames {
                        share: 0.6,
                        alphabeta: vec![1, 2],
                        random_plies: vec![0.0, 0.5],
                        ..UnevenGames::of(UnevenSide::Stronger)
                    },
                    handicaps(0.5),
                ],
                ..config()
            },
            runner: RunnerConfig {
                workers: 2,
                ..runner()
            },
            rules: rules.clone(),
            earlier: won_by(stronger, &rules),
            run_seed: 8,
            ..job(40)
        };
        let records = job.records();
        for record in &records {
            let partner = record.partner();
            let kind = partner.map(|(side, partner)| (side.index(), partner));
            kinds.insert((kind, record.handicap.is_some()));
            if let Some((side, partner)) = partner {
                assert_eq!(side, stronger);
                check_sparring(record, side, partner);
            }
        }
        let alone = Job {
            runner: runner(),
            ..job
        };
        assert_eq!(records, alone.records());
    }
    // Either side at two depths with and without random plies; even and handicapped games without a partner.
    assert_eq!(kinds.len(), 10, "{kinds:?}");
}

/// Checks that alpha-beta played both sides, chance some plies, and that the others may be learned from; returns how many
/// are, and how many were random.
fn check_taught(record: &GameRecord) -> [usize; 2] {
    let rules = Rules::preset(&record.ruleset).unwrap();
    let teachers = record.teachers().expect("both sides");
    assert_eq!((record.partner(), record.handicap), (None, None));
    assert_eq!(record.weakness(), [[0; 2]; 2]);
    assert!(!record.is_even());
    let mut players = teachers.map(|it| AlphaBeta::new(it.strength().unwrap(), &rules));
    let mut game = Game::new(rules.clone());
    let mut counts = [0; 2];
    for (number, ply) in record.plies.iter().enumerate() {
        let side = game.position().side();
        let chosen = players[side.index()].choose(&mut game).mv;
        let is_opening = number < record.opening_plies as usize;
        if let Some(search) = &ply.search {
            assert!(!is_opening);
            let result = record.ending.wdl_for(side);
            assert_eq!(
                *search,
                SearchRecord::taught(chosen, result),
                "ply {number}"
            );
            counts[0] += 1;
        }
        counts[1] += usize::from(!is_opening && ply.mv != chosen);
        game.play(ply.mv).unwrap();
    }
    assert!(
        samples_of(record, &rules)
            .unwrap()
            .iter()
            .all(|it| it.search.visits == 0)
    );
    counts
}

#[test]
fn first_games_are_taught_by_alpha_beta_on_both_sides() {
    let job = |generations, workers| Job {
        config: SelfplayConfig {
            uneven: vec![
                UnevenGames {
                    alphabeta: vec![1, 2],
                    generations,
                    ..UnevenGames::of(UnevenSide::Both)
                },
                handicaps(1.0),
            ],
            full_search_fraction: 0.5,
            ..config()
        },
        runner: RunnerConfig {
            workers,
            ..runner()
        },
        rules: rules(&["brandubh", "berserk-2024"]),
        ..job(24)
    };
    // These are games of generation 3.
    assert!(job(3, 1).records().iter().all(|it| it.teachers().is_none()));
    let records = job(4, 2).records();
    assert_eq!(records, job(4, 1).records());
    let pairs: BTreeSet<_> = records.iter().map(GameRecord::teachers).collect();
    assert_eq!(pairs.len(), 4, "{pairs:?}");
    let mut plies = 0;
    let [mut learned, mut random] = [0; 2];
    for record in &records {
        let [more_learned, more_random] = check_taught(record);
        (learned, random) = (learned + more_learned, random + more_random);
        plies += record.plies.len() - record.opening_plies as usize;
    }
    assert!((0.38..0.55).contains(&(learned as f32 / plies as f32)));
    assert!((0.04..0.12).contains(&(random as f32 / plies as f32)));
}

#[test]
fn a_stream_plays_the_games_of_its_numbers() {
    let two = RunnerConfig {
        workers: 2,
        ..runner()
    };
    let plan = plan(9, "hash");
    let played = |numbers| {
        streamed(two, numbers, &|| plan.clone(), &|_, number| {
            assert_eq!(number, 9)
        })
    };
    let records = job(12).records();
    assert_eq!(played(0..12), records);
    assert_eq!(played(4..9), records[4..9]);
    assert_eq!(played(0..0), []);
}

#[test]
fn a_new_plan_is_for_the_games_begun_after_it_came_and_the_others_end_as_they_began() {
    let two = RunnerConfig {
        workers: 2,
        ..runner()
    };
    let first = plan(0, "first");
    let oldest = Arc::downgrade(&first);
    let newest = Mutex::new(first);
    let numbers = Mutex::new(Vec::new());
    let finished = |record: &GameRecord, number: u64| {
        let name = PlayerId::from(["first", "second", "third"][number as usize]);
        assert_eq!((&record.attackers, &record.defenders), (&name, &name));
        let mut numbers = numbers.lock().unwrap();
        numbers.push(number);
        match numbers.len() {
            20 => *newest.lock().unwrap() = plan(1, "second"),
            40 => *newest.lock().unwrap() = plan(2, "third"),
            // By then nobody plays by the first any more, and nobody keeps it.
            60 => assert_eq!(oldest.strong_count(), 0),
            _ => {}
        }
    };
    let records = streamed(two, 0..60, &|| newest.lock().unwrap().clone(), &finished);
    let mut games = [0; 3];
    let numbers = numbers.into_inner().unwrap();
    numbers
        .iter()
        .for_each(|&number| games[number as usize] += 1);
    // Eight games at a time are in progress when a plan comes, and as many may begin meanwhile.
    assert!((20..=36).contains(&games[0]), "{games:?}");
    assert!(games[1] >= 4 && games[2] >= 4, "{games:?}");
    assert_eq!(Arc::strong_count(&newest.into_inner().unwrap()), 1);
    let alone = job(60).records();
    assert_eq!(records.len(), alone.len());
    for (record, alone) in records.iter().zip(alone) {
        assert_eq!(record.plies, alone.plies);
    }
}

/// Batches of many players would be small, so the newest one plays all games from their next ply on.
#[test]
fn games_in_progress_go_on_with_the_newest_checkpoint() {
    let checkpoint =
        |number: u32| plan(u64::from(number), &PlayerId::Checkpoint(number).to_string());
    let newest = Mutex::new(checkpoint(0));
    let count = Mutex::new(0);
    let finished = |record: &GameRecord, number: u64| {
        assert_eq!(record.attackers, PlayerId::Checkpoint(number as u32));
        let mut count = count.lock().unwrap();
        *count += 1;
        *newest.lock().unwrap() = checkpoint(*count);
    };
    let numbers = 0..30;
    let records = streamed(
        runner(),
        numbers,
        &|| newest.lock().unwrap().clone(),
        &finished,
    );
    let mut several = 0;
    for record in &records {
        let searches = record.plies.iter().filter_map(|ply| ply.search.as_ref());
        let by: Vec<u32> = searches.map(|search| search.checkpoint.unwrap()).collect();
        assert!(by.is_sorted(), "{by:?}");
        several += usize::from(by.first() < by.last());
    }
    assert!(several > 15, "{several} of {} games", records.len());
    // These evaluators have the same opinions, so the change of hands changes no game.
    for (record, alone) in records.iter().zip(job(30).records()) {
        let moves = |record: &GameRecord| record.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>();
        assert_eq!(moves(record), moves(&alone));
    }
}

#[test]
fn workers_that_rest_play_nothing_and_go_on_where_they_were() {
    let rules = rules(&["brandubh"]);
    let session = Session {
        rules: &rules,
        run_seed: 5,
        runner: runner(),
    };
    let plan = plan(0, "hash");
    let (rest, resting) = (AtomicBool::new(true), AtomicUsize::new(0));
    let records = Mutex::new(Vec::new());
    let stream = Stream {
        progress: &|_| {
            resting.fetch_add(1, Ordering::Relaxed);
        },
        finished: &|record, _| records.lock().unwrap().push(record),
        rest: &rest,
        stop: &AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let playing = scope.spawn(|| stream_games(&session, 0..12, &|| plan.clone(), &stream));
        // One round is played before the rest, so the count of rounds stands still from then on.
        while resting.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
        let rounds = resting.load(Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert_eq!(resting.load(Ordering::Relaxed), rounds);
        rest.store(false, Ordering::Relaxed);
        playing.join().unwrap().unwrap();
    });
    let mut records = records.into_inner().unwrap();
    records.sort_by_key(|record| record.game_id);
    assert_eq!(records, job(12).records());
}
