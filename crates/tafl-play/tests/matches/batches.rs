//! Whose positions are evaluated together.

use crate::matches::common::{Job, config, job, searcher};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tafl_play::{MakeEvaluator, MatchConfig, RunnerConfig};
use tafl_search::{Evaluation, Evaluator, Leaf, OverlappingEvaluator, UniformEvaluator};

/// Leaves and batches that an evaluator was asked for.
type Counts = [Arc<AtomicUsize>; 2];

/// A [`UniformEvaluator`] that counts what it is asked for, on a device or not.
struct Asked {
    counts: Counts,
    begun: VecDeque<Vec<Evaluation>>,
    on_a_device: bool,
}

impl Evaluator for Asked {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        let [asked, batches] = &self.counts;
        asked.fetch_add(leaves.len(), Ordering::Relaxed);
        batches.fetch_add(1, Ordering::Relaxed);
        assert!(!leaves.is_empty(), "an empty batch");
        UniformEvaluator.evaluate(leaves, evaluations);
    }

    fn overlapping(&mut self) -> Option<&mut dyn OverlappingEvaluator> {
        self.on_a_device
            .then_some(self as &mut dyn OverlappingEvaluator)
    }
}

impl OverlappingEvaluator for Asked {
    fn begin(&mut self, leaves: &[Leaf<'_>]) {
        let mut evaluations = Vec::new();
        self.evaluate(leaves, &mut evaluations);
        self.begun.push_back(evaluations);
    }

    fn finish(&mut self, evaluations: &mut Vec<Evaluation>) {
        *evaluations = self.begun.pop_front().expect("a batch was begun");
    }
}

fn asked(counts: &Counts, on_a_device: bool) -> MakeEvaluator {
    let counts = counts.clone();
    Arc::new(move |_| {
        Ok(Box::new(Asked {
            counts: counts.clone(),
            begun: VecDeque::new(),
            on_a_device,
        }))
    })
}

#[test]
fn each_player_is_asked_in_batches_of_its_own_whatever_the_workers_and_the_device() {
    let mut played = Vec::new();
    for (workers, parallel_games, on_a_device) in
        [(1, 32, false), (3, 5, false), (1, 32, true), (2, 4, true)]
    {
        let counts = [Counts::default(), Counts::default()];
        let player = |number: usize, name: &str, visits| {
            searcher(name, visits, asked(&counts[number], on_a_device))
        };
        let job = Job {
            config: MatchConfig {
                openings: 40,
                ..config()
            },
            runner: RunnerConfig {
                workers,
                parallel_games,
                cache_positions: 0,
            },
            ..job([&player(0, "more", 12), &player(1, "less", 4)], 5)
        };
        let records = job.records();
        let counted = counts.map(|counts| counts.map(|count| count.load(Ordering::Relaxed)));
        if parallel_games == 32 && !on_a_device {
            for [leaves, batches] in counted {
                assert!(leaves > batches * 2, "{leaves} leaves in {batches} batches");
            }
        }
        played.push((records, counted.map(|[leaves, _]| leaves)));
    }
    assert!(played.iter().all(|other| *other == played[0]));
    // Each is asked for its own searches alone, so three times the visits are about as many times the leaves.
    let [more, less] = played[0].1;
    assert!(more > 2 * less && less > 0, "{more} and {less}");
}
