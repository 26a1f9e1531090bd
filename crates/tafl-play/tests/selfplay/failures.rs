//! What happens when something goes wrong, or is stopped; and batches.

use crate::selfplay::common::{
    HashEvaluator, Job, config, device, hash, job, plan, rules, runner, search,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tafl_play::{
    MakeEvaluator, Player, RunnerConfig, SelfplayConfig, SelfplayError, SelfplayPlan, Session,
    Watch, WorkerError, generate_games,
};
use tafl_rules::{Rules, preset};
use tafl_samples::Baseline;
use tafl_search::{Evaluation, Evaluator, Leaf};

fn error_with(make: MakeEvaluator) -> SelfplayError {
    let job = Job {
        runner: RunnerConfig {
            workers: 2,
            ..runner()
        },
        make,
        ..job(6)
    };
    job.error()
}

/// Evaluates like a [`HashEvaluator`] for a while, then does something else.
struct Breaks {
    batches_left: usize,
    then: fn(&mut Vec<Evaluation>),
}

impl Evaluator for Breaks {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        HashEvaluator { batches: None }.evaluate(leaves, evaluations);
        if self.batches_left == 0 {
            (self.then)(evaluations);
        }
        self.batches_left = self.batches_left.saturating_sub(1);
    }
}

fn breaks(batches_left: usize, then: fn(&mut Vec<Evaluation>)) -> MakeEvaluator {
    Arc::new(move |_| Ok(Box::new(Breaks { batches_left, then })))
}

#[test]
fn an_evaluator_that_cannot_be_made_is_an_error() {
    let error = error_with(Arc::new(|_| Err("no weights".into())));
    assert!(matches!(
        error,
        SelfplayError::Worker(WorkerError::NoPlayer(0, _))
    ));
    assert_eq!(
        error.to_string(),
        "worker 0: cannot set up a player: no weights"
    );
}

#[test]
fn a_panicking_evaluator_is_an_error_and_no_hang() {
    let error = error_with(breaks(5, |_| panic!("out of memory")));
    assert!(
        error.to_string().ends_with("panicked: out of memory"),
        "{error}"
    );
}

#[test]
fn evaluations_that_are_missing_or_no_numbers_are_errors() {
    type Change = fn(&mut Vec<Evaluation>);
    let cases: [(Change, &str); 3] = [
        (|evaluations| evaluations.truncate(0), "evaluations for"),
        (|evaluations| evaluations[0].wdl.win = f32::NAN, "NaN"),
        (
            |evaluations| evaluations[0].logits.truncate(0),
            "logits for",
        ),
    ];
    for (then, part) in cases {
        let error = error_with(breaks(3, then));
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn bad_numbers_no_rules_and_finished_starts_are_refused() {
    let no_visits = Job {
        config: SelfplayConfig {
            cheap_visits: 0,
            ..config()
        },
        ..job(2)
    };
    let no_games = Job {
        runner: RunnerConfig {
            parallel_games: 0,
            ..runner()
        },
        ..job(2)
    };
    let no_search = Job {
        search: search(0),
        ..job(2)
    };
    for (job, expected) in [
        (
            no_visits,
            "field `selfplay.cheap_visits`: expected whole number from 1 to 1000000, found 0",
        ),
        (
            no_games,
            "field `runner.parallel_games`: expected whole number from 1 to 65536, found 0",
        ),
        (
            no_search,
            "field `search.visits`: expected whole number from 1 to 1000000, found 0",
        ),
    ] {
        assert_eq!(job.error().to_string(), expected);
    }
    let with = |rules: Vec<Arc<Rules>>| {
        let rules = rules.into();
        Job { rules, ..job(2) }.error().to_string()
    };
    assert_eq!(with(Vec::new()), "no ruleset to play");
    let mut stuck = preset("brandubh").unwrap();
    stuck.start = "7/7/7/3K3/7/7/7".to_owned().try_into().unwrap();
    let over = with(vec![Rules::new(stuck).unwrap()]);
    assert!(
        over.contains("no legal move in the start position"),
        "{over}"
    );
}

#[test]
fn a_player_that_does_not_search_is_refused() {
    let rules = rules(&["brandubh"]);
    let session = Session {
        rules: &rules,
        run_seed: 5,
        runner: runner(),
    };
    let greedy = Arc::new(SelfplayPlan {
        player: Arc::new(Player::baseline(Baseline::GREEDY)),
        ..SelfplayPlan::clone(&plan(0, "hash"))
    });
    let error = generate_games(&session, &greedy, &[0, 1], &Watch::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "greedy does not search, so there would be nothing to learn"
    );
}

#[test]
fn batches_hold_all_games_at_a_time_and_shrink_at_the_end() {
    let sizes: &'static Mutex<Vec<usize>> = Box::leak(Box::default());
    let batches = Some(sizes);
    let job = Job {
        config: SelfplayConfig {
            max_plies: 10,
            ..config()
        },
        search: search(3),
        run_seed: 1,
        make: Arc::new(move |_| Ok(Box::new(HashEvaluator { batches }))),
        ..job(10)
    };
    assert_eq!(job.records().len(), 10);
    let sizes = sizes.lock().unwrap();
    assert_eq!(sizes[..20], [4; 20]);
    assert!(*sizes.last().unwrap() < 4 && sizes.iter().all(|&size| size > 0));
}

fn check_a_stopped_generation(make: MakeEvaluator) {
    let (stop, finished) = (AtomicBool::new(false), AtomicU64::new(0));
    let watch = Watch {
        finished: &|_| {
            if finished.fetch_add(1, Ordering::Relaxed) == 4 {
                stop.store(true, Ordering::Relaxed);
            }
        },
        stop: &stop,
        ..Watch::default()
    };
    let job = Job {
        config: SelfplayConfig {
            max_plies: 20,
            ..config()
        },
        search: search(3),
        run_seed: 1,
        make,
        ..job(1_000)
    };
    let records = job.play_watched(&watch).unwrap();
    assert_eq!(records.len() as u64, finished.load(Ordering::Relaxed));
    assert!((5..1_000).contains(&records.len()), "{}", records.len());
}

#[test]
fn a_stopped_generation_returns_what_is_finished() {
    check_a_stopped_generation(hash());
}

#[test]
fn a_generation_stops_while_a_device_computes() {
    check_a_stopped_generation(device());
}

#[test]
fn games_that_were_played_before_are_left_out_and_the_others_stay_the_same() {
    let play = |numbers: &[u64]| {
        let numbers = numbers.to_vec();
        Job { numbers, ..job(0) }.records()
    };
    let mut all = play(&[0, 1, 2, 3, 4, 5]);
    let rest = play(&[1, 2, 5]);
    all.retain(|record| [1, 2, 5].contains(&record.game_id));
    assert_eq!(rest, all);
    assert_eq!(play(&[]), []);
}
