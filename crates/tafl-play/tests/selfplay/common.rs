//! An evaluator whose opinions are hashes, and the games of the tests.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tafl_play::{
    Curriculum, MakeEvaluator, OpeningConfig, Player, Repertoire, RunnerConfig, SelfplayConfig,
    SelfplayError, SelfplayPlan, Session, Stream, Throughput, UnevenGames, UnevenSide, Watch,
    generate_games, stream_games,
};
use tafl_rules::Rules;
use tafl_samples::{GameRecord, derive_seed};
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl, OverlappingEvaluator, SearchConfig};

/// Has firm and arbitrary opinions that depend on the leaf alone; notes the sizes of its batches.
pub(crate) struct HashEvaluator {
    pub(crate) batches: Option<&'static Mutex<Vec<usize>>>,
}

impl Evaluator for HashEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        if let Some(batches) = self.batches {
            batches.lock().unwrap().push(leaves.len());
        }
        evaluations.clear();
        evaluations.extend(leaves.iter().map(opinion));
    }
}

pub(crate) fn opinion(leaf: &Leaf<'_>) -> Evaluation {
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

/// Makes [`HashEvaluator`]s.
pub(crate) fn hash() -> MakeEvaluator {
    Arc::new(|_| Ok(Box::new(HashEvaluator { batches: None })))
}

/// Makes devices with the opinions of [`HashEvaluator`].
pub(crate) fn device() -> MakeEvaluator {
    Arc::new(|_| Ok(Box::new(Device::default())))
}

pub(crate) fn search(visits: u32) -> SearchConfig {
    SearchConfig {
        considered_moves: 4,
        ..SearchConfig::gumbel(visits)
    }
}

/// Returns openings of up to this number of random plies, and nothing else.
pub(crate) const fn random_opening(random_plies: u32) -> OpeningConfig {
    OpeningConfig {
        start_fraction: 0.0,
        random_plies,
        policy_plies: 0,
    }
}

pub(crate) fn config() -> SelfplayConfig {
    SelfplayConfig {
        max_plies: 80,
        opening: random_opening(4),
        full_search_fraction: 1.0,
        cheap_visits: 2,
        uneven: Vec::new(),
    }
}

/// Returns handicaps of the stronger side in a share of the games.
pub(crate) fn handicaps(share: f32) -> UnevenGames {
    UnevenGames {
        share,
        random_plies: vec![0.5, 1.0],
        ..UnevenGames::of(UnevenSide::Stronger)
    }
}

pub(crate) fn runner() -> RunnerConfig {
    RunnerConfig {
        workers: 1,
        parallel_games: 4,
        cache_positions: 0,
    }
}

/// Games of generation 3 without a handicap, played by [`HashEvaluator`]s of this name with a search of 4 visits.
pub(crate) fn plan(number: u64, name: &str) -> Arc<SelfplayPlan> {
    Arc::new(SelfplayPlan {
        number,
        generation: 3,
        config: config(),
        curriculum: Curriculum::default(),
        player: Arc::new(Player::network(name.into(), search(4), hash())),
    })
}

pub(crate) fn rules(names: &[&str]) -> Repertoire {
    let rules = names.iter().map(|name| Rules::preset(name).unwrap());
    rules.collect::<Vec<_>>().into()
}

/// Plays a stream of Brandubh; `finished` is told each game and the number of its plan. Returns the games by number.
pub(crate) fn streamed(
    runner: RunnerConfig,
    numbers: Range<u64>,
    plan: &(dyn Fn() -> Arc<SelfplayPlan> + Sync),
    finished: &(dyn Fn(&GameRecord, u64) + Sync),
) -> Vec<GameRecord> {
    let session = Session {
        rules: &rules(&["brandubh"]),
        run_seed: 5,
        runner,
    };
    let records = Mutex::new(Vec::new());
    let stream = Stream {
        progress: &|_| {},
        finished: &|record, number| {
            finished(&record, number);
            records.lock().unwrap().push(record);
        },
        rest: &AtomicBool::new(false),
        stop: &AtomicBool::new(false),
    };
    stream_games(&session, numbers, plan, &stream).unwrap();
    let mut records = records.into_inner().unwrap();
    records.sort_by_key(|record| record.game_id);
    records
}

/// Games of generation 3 to play by one player, who is called `hash`.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) numbers: Vec<u64>,
    pub(crate) config: SelfplayConfig,
    pub(crate) runner: RunnerConfig,
    pub(crate) search: SearchConfig,
    pub(crate) rules: Repertoire,
    /// Games by which handicaps and partners are chosen.
    pub(crate) earlier: Vec<GameRecord>,
    pub(crate) run_seed: u64,
    pub(crate) make: MakeEvaluator,
}

/// Returns so many games of Brandubh by [`HashEvaluator`]s.
pub(crate) fn job(games: u64) -> Job {
    Job {
        numbers: (0..games).collect(),
        config: config(),
        runner: runner(),
        search: search(4),
        rules: rules(&["brandubh"]),
        earlier: Vec::new(),
        run_seed: 5,
        make: hash(),
    }
}

impl Job {
    /// Returns the records and the last progress.
    pub(crate) fn play(&self) -> (Vec<GameRecord>, Throughput) {
        let last = Mutex::new(Throughput::default());
        let progress = |now: Throughput| {
            let mut last = last.lock().unwrap();
            if now.evaluations >= last.evaluations && now.games_done >= last.games_done {
                *last = now;
            }
        };
        let watch = Watch {
            progress: &progress,
            ..Watch::default()
        };
        let records = self.play_watched(&watch);
        (records.unwrap(), last.into_inner().unwrap())
    }

    pub(crate) fn records(&self) -> Vec<GameRecord> {
        self.play().0
    }

    pub(crate) fn play_watched(&self, watch: &Watch<'_>) -> Result<Vec<GameRecord>, SelfplayError> {
        let session = Session {
            rules: &self.rules,
            run_seed: self.run_seed,
            runner: self.runner,
        };
        let player = Player::network("hash".into(), self.search.clone(), self.make.clone());
        let (config, player) = (&self.config, Arc::new(player));
        let plan = SelfplayPlan::after(&self.earlier, config, self.rules.listed(), 3, player);
        generate_games(&session, &Arc::new(plan), &self.numbers, watch)
    }

    /// Plays games that fail.
    pub(crate) fn error(&self) -> SelfplayError {
        self.play_watched(&Watch::default()).unwrap_err()
    }
}
