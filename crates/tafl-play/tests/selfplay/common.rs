//! An evaluator whose opinions are hashes, and the configs of the tests.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tafl_rules::Rules;
use tafl_samples::GameRecord;
use tafl_search::{
    Algorithm, Evaluation, Evaluator, GumbelConfig, Leaf, MoverWdl, OverlappingEvaluator,
    SearchConfig,
};
use tafl_selfplay::{
    Contender, Course, Generation, HandicapSide, Lineup, MakeEvaluator, SelfplayConfig,
    SelfplayError, Throughput, Watch, derive_seed, generate_games,
};

/// Has firm and arbitrary opinions that depend on the leaf alone; notes the sizes of its batches.
pub(crate) struct HashEvaluator<'a> {
    pub(crate) batches: Option<&'a Mutex<Vec<usize>>>,
}

impl Evaluator for HashEvaluator<'_> {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        if let Some(batches) = self.batches {
            batches.lock().unwrap().push(leaves.len());
        }
        evaluations.clear();
        evaluations.extend(leaves.iter().map(opinion));
    }
}

fn opinion(leaf: &Leaf<'_>) -> Evaluation {
    let key = leaf.game.position().key();
    let shape = leaf.game.rules().shape();
    let fraction = |path: &[u64]| (derive_seed(key, path) >> 40) as f32 / (1_u64 << 24) as f32;
    let logit = |mv: &tafl_rules::Move| 4.0 * fraction(&[mv.policy_index(shape).0.into()]);
    let win = 0.9 * fraction(&[9, 9]);
    Evaluation {
        logits: leaf.moves.iter().map(logit).collect(),
        wdl: MoverWdl {
            win,
            draw: 0.1,
            loss: 0.9 - win,
        },
        moves_left: 40.0,
    }
}

pub(crate) fn search(visits: u32) -> SearchConfig {
    let gumbel = GumbelConfig {
        considered_moves: 4,
        c_scale: 1.0,
        ..GumbelConfig::default()
    };
    SearchConfig {
        algorithm: Algorithm::Gumbel(gumbel),
        ..SearchConfig::gumbel(visits)
    }
}

pub(crate) fn config(games: u32) -> SelfplayConfig {
    SelfplayConfig {
        games,
        parallel_games: 4,
        workers: 1,
        cache_positions: 0,
        max_plies: 80,
        random_opening_plies: 4,
        full_search_fraction: 1.0,
        cheap_visits: 2,
        past_opponent_fraction: 0.0,
        first_visits: 1,
        growing_generations: 0,
        archive_fraction: 0.0,
        handicap_fraction: 0.0,
        handicap_side: HandicapSide::Either,
        handicap_rates: [0.5, 1.0],
        handicap_plies: [0, 0],
        fixed_handicap_generations: 0,
        sparring_fraction: 0.0,
        sparring_side: HandicapSide::Stronger,
        sparring_depths: vec![1, 2, 3],
        sparring_rates: vec![0.0],
        decided_value: 0.9,
        decided_searches: 0,
        decided_search_fraction: 0.1,
        decided_test_fraction: 0.1,
    }
}

/// Players of generation 3 with opinions that are hashes, each with the seed of its own.
pub(crate) fn lineup(
    number: u64,
    config: &SelfplayConfig,
    newest: &str,
    past: Option<&str>,
) -> Arc<Lineup<'static>> {
    Arc::new(Lineup {
        course: Course::default(),
        number,
        generation: 3,
        config: config.clone(),
        search: search(4),
        newest: contender(newest),
        past: past.map(contender),
    })
}

/// A player that has the opinions of [`HashEvaluator`].
pub(crate) fn contender(name: &str) -> Contender<'static> {
    Contender {
        name: name.to_owned(),
        make_evaluator: Arc::new(|| Ok(Box::new(HashEvaluator { batches: None }))),
    }
}

pub(crate) fn rules(names: &[&str]) -> Vec<Arc<Rules>> {
    names
        .iter()
        .map(|name| Rules::preset(name).unwrap())
        .collect()
}

/// A device: computes a batch when it is asked for, not when it is begun.
#[derive(Default)]
struct Device {
    begun: VecDeque<Vec<Evaluation>>,
}

impl Evaluator for Device {
    fn evaluate(&mut self, _: &[Leaf<'_>], _: &mut Vec<Evaluation>) {
        panic!("a device is asked in two steps");
    }

    fn overlapping(&mut self) -> Option<&mut dyn OverlappingEvaluator> {
        Some(self)
    }
}

impl OverlappingEvaluator for Device {
    fn begin(&mut self, leaves: &[Leaf<'_>]) {
        assert!(self.begun.len() < 2, "two batches are under way already");
        self.begun.push_back(leaves.iter().map(opinion).collect());
    }

    fn finish(&mut self, evaluations: &mut Vec<Evaluation>) {
        *evaluations = self.begun.pop_front().expect("a batch was begun");
    }
}

/// Plays with [`HashEvaluator`]s on a device and returns the records.
pub(crate) fn play_on_a_device(config: &SelfplayConfig, search: &SearchConfig) -> Vec<GameRecord> {
    let make = || Ok(Box::new(Device::default()) as Box<dyn Evaluator>);
    play_with(config, search, &["brandubh", "tablut"], 11, &make).0
}

/// Plays with [`HashEvaluator`]s and returns the records and the last progress.
pub(crate) fn play(
    config: &SelfplayConfig,
    search: &SearchConfig,
    names: &[&str],
    run_seed: u64,
) -> (Vec<GameRecord>, Throughput) {
    let make = || Ok(Box::new(HashEvaluator { batches: None }) as Box<dyn Evaluator>);
    play_with(config, search, names, run_seed, &make)
}

fn play_with(
    config: &SelfplayConfig,
    search: &SearchConfig,
    names: &[&str],
    run_seed: u64,
    make: &MakeEvaluator<'_>,
) -> (Vec<GameRecord>, Throughput) {
    let rules = rules(names);
    let course = Course::after(config, &rules, 0, [].iter());
    let generation = Generation {
        course: &course,
        config,
        search,
        rules: &rules,
        run_seed,
        generation: 3,
        player: "hash",
        past: None,
        done: &BTreeSet::new(),
    };
    let last = Mutex::new(Throughput::default());
    let progress = |now: Throughput| {
        let mut last = last.lock().unwrap();
        if now.evaluations >= last.evaluations && now.games_done >= last.games_done {
            *last = now;
        }
    };
    let watch = Watch {
        progress: &progress,
        finished: &|_| {},
        stop: &AtomicBool::new(false),
    };
    let records: Result<_, SelfplayError> = generate_games(&generation, make, &watch);
    (records.unwrap(), last.into_inner().unwrap())
}
