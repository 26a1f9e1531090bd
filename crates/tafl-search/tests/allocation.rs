//! A search that has found its memory allocates none for its visits.

use crate::counting::allocations;
use crate::support::{ALGORITHMS, reference, rules};
use tafl_rules::Game;
use tafl_search::{Evaluator, Mode, Search, Step, UniformEvaluator};

/// Spends the visits of one move and returns how often that allocated.
fn visits(search: &mut Search, evaluator: &mut UniformEvaluator) -> u64 {
    let mut evaluations = Vec::with_capacity(1);
    // The root's evaluation gives the buffers their size.
    assert_eq!(search.select(), Step::Evaluate);
    evaluator.evaluate(&[search.leaf()], &mut evaluations);
    evaluations[0].logits.reserve(500);
    search.expand(&evaluations[0]);
    allocations(|| {
        while search.select() == Step::Evaluate {
            evaluator.evaluate(&[search.leaf()], &mut evaluations);
            search.expand(&evaluations[0]);
        }
    })
}

#[test]
fn visits_of_a_warm_search_allocate_nothing() {
    for algorithm in ALGORITHMS {
        for ruleset in ["copenhagen", "berserk-2024"] {
            let config = reference(algorithm, 300);
            let game = Game::new(rules(ruleset));
            let mut search = Search::new(&config, game, Mode::SelfPlay, 5);
            let mut counts = Vec::new();
            for _ in 0..12 {
                counts.push(visits(&mut search, &mut UniformEvaluator));
                search.advance(search.root_stats().chosen).expect("legal");
            }
            assert!(counts[0] > 0, "a cold search has to allocate");
            // A search draws its noise into a new vector, and a tree larger than all before it grows
            // two; 300 visits would show if they allocated.
            assert!(
                counts[4..].iter().all(|count| *count <= 4),
                "{algorithm:?}, {ruleset}: {counts:?}"
            );
        }
    }
}
