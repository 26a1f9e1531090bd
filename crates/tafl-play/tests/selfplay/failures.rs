//! What happens when something goes wrong, or is stopped; and batches.

use crate::common::{HashEvaluator, config, rules, search};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tafl_rules::{RankOrder, Rules, Setup, preset};
use tafl_search::{Evaluation, Evaluator, Leaf};
use tafl_selfplay::{
    Course, Generation, MakeEvaluator, SelfplayConfig, SelfplayError, Watch, WorkerError,
    generate_games,
};

fn error_with(make_evaluator: &MakeEvaluator<'_>) -> SelfplayError {
    let config = SelfplayConfig {
        workers: 2,
        ..config(6)
    };
    let (search, rules) = (search(4), rules(&["brandubh"]));
    let generation = Generation {
        course: &Course::default(),
        config: &config,
        search: &search,
        rules: &rules,
        run_seed: 0,
        generation: 0,
        player: "",
        past: None,
        done: &BTreeSet::new(),
    };
    let stop = AtomicBool::new(false);
    let watch = Watch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &stop,
    };
    generate_games(&generation, make_evaluator, &watch).unwrap_err()
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

#[test]
fn an_evaluator_that_cannot_be_made_is_an_error() {
    let error = error_with(&|| Err("no weights".into()));
    assert!(matches!(
        error,
        SelfplayError::Worker(WorkerError::NoEvaluator { worker: 0, .. })
    ));
    assert_eq!(error.to_string(), "worker 0: no evaluator: no weights");
}

#[test]
fn a_panicking_evaluator_is_an_error_and_no_hang() {
    let then = |_: &mut Vec<Evaluation>| panic!("out of memory");
    let error = error_with(&move || {
        Ok(Box::new(Breaks {
            batches_left: 5,
            then,
        }))
    });
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
        let error = error_with(&move || {
            Ok(Box::new(Breaks {
                batches_left: 3,
                then,
            }))
        });
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn bad_numbers_no_rules_and_finished_starts_are_refused() {
    let (good, search) = (config(2), search(4));
    let with = |config: &SelfplayConfig, rules: &[std::sync::Arc<Rules>]| {
        let generation = Generation {
            course: &Course::default(),
            config,
            search: &search,
            rules,
            run_seed: 0,
            generation: 0,
            player: "",
            past: None,
            done: &BTreeSet::new(),
        };
        let stop = AtomicBool::new(false);
        let watch = Watch {
            progress: &|_| {},
            finished: &|_| {},
            stop: &stop,
        };
        let make = || Ok(Box::new(HashEvaluator { batches: None }) as Box<dyn Evaluator>);
        generate_games(&generation, &make, &watch)
            .unwrap_err()
            .to_string()
    };
    let no_games = with(
        &SelfplayConfig {
            games: 0,
            ..good.clone()
        },
        &rules(&["brandubh"]),
    );
    assert_eq!(
        no_games,
        "[selfplay] field `games`: 0 is not a number from 1 to 10000000"
    );
    assert_eq!(with(&good, &[]), "no ruleset to play");
    let mut stuck = preset("brandubh").unwrap();
    stuck.start = Setup::from_text("7/7/7/3K3/7/7/7", RankOrder::HighestFirst).unwrap();
    let over = with(&good, &[Rules::new(stuck).unwrap()]);
    assert!(
        over.contains("no legal move in the start position"),
        "{over}"
    );
}

#[test]
fn batches_hold_all_games_at_a_time_and_shrink_at_the_end() {
    let sizes: &'static Mutex<Vec<usize>> = Box::leak(Box::default());
    let config = SelfplayConfig {
        parallel_games: 4,
        max_plies: 10,
        ..config(10)
    };
    let (search, rules) = (search(3), rules(&["brandubh"]));
    let generation = Generation {
        course: &Course::default(),
        config: &config,
        search: &search,
        rules: &rules,
        run_seed: 1,
        generation: 0,
        player: "",
        past: None,
        done: &BTreeSet::new(),
    };
    let stop = AtomicBool::new(false);
    let watch = Watch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &stop,
    };
    let make = || {
        Ok(Box::new(HashEvaluator {
            batches: Some(sizes),
        }) as Box<dyn Evaluator>)
    };
    let records = generate_games(&generation, &make, &watch).unwrap();
    assert_eq!(records.len(), 10);
    let sizes = sizes.lock().unwrap();
    assert_eq!(sizes[..20], [4; 20]);
    assert!(*sizes.last().unwrap() < 4 && sizes.iter().all(|&size| size > 0));
}

#[test]
fn a_stopped_generation_returns_what_is_finished() {
    let config = SelfplayConfig {
        games: 1_000,
        max_plies: 20,
        ..config(1)
    };
    let (search, rules) = (search(3), rules(&["brandubh"]));
    let generation = Generation {
        course: &Course::default(),
        config: &config,
        search: &search,
        rules: &rules,
        run_seed: 1,
        generation: 0,
        player: "",
        past: None,
        done: &BTreeSet::new(),
    };
    let (stop, finished) = (AtomicBool::new(false), AtomicU64::new(0));
    let watch = Watch {
        progress: &|_| {},
        finished: &|_| {
            if finished.fetch_add(1, Ordering::Relaxed) == 4 {
                stop.store(true, Ordering::Relaxed);
            }
        },
        stop: &stop,
    };
    let make = || Ok(Box::new(HashEvaluator { batches: None }) as Box<dyn Evaluator>);
    let records = generate_games(&generation, &make, &watch).unwrap();
    assert_eq!(records.len() as u64, finished.load(Ordering::Relaxed));
    assert!((5..1_000).contains(&records.len()), "{}", records.len());
}

#[test]
fn games_that_were_played_before_are_left_out_and_the_others_stay_the_same() {
    let (config, search, rules) = (config(6), search(4), rules(&["brandubh"]));
    let play = |done: &BTreeSet<u64>| {
        let generation = Generation {
            course: &Course::default(),
            config: &config,
            search: &search,
            rules: &rules,
            run_seed: 5,
            generation: 1,
            player: "hash",
            past: None,
            done,
        };
        let watch = Watch {
            progress: &|_| {},
            finished: &|_| {},
            stop: &AtomicBool::new(false),
        };
        let make = || Ok(Box::new(HashEvaluator { batches: None }) as Box<dyn Evaluator>);
        generate_games(&generation, &make, &watch).unwrap()
    };
    let mut all = play(&BTreeSet::new());
    let rest = play(&BTreeSet::from([0, 3, 4]));
    all.retain(|record| [1, 2, 5].contains(&record.game_id));
    assert_eq!(rest, all);
    assert_eq!(play(&(0..6).collect()), []);
}
