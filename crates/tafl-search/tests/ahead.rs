//! Leaves that are evaluated before their turn change nothing but the size of the batches.

use crate::hash_evaluator::HashEvaluator;
use crate::support::{ALGORITHMS, reference, rules};
use tafl_rules::Game;
use tafl_search::{Evaluation, Evaluator, Leaf, Mode, Search, SearchConfig, Step, run};

const RULESETS: [&str; 4] = ["brandubh", "copenhagen", "fetlar", "berserk-2017"];

/// Counts batches and leaves.
#[derive(Default)]
struct Counting {
    batches: usize,
    leaves: usize,
}

impl Evaluator for Counting {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        self.batches += 1;
        self.leaves += leaves.len();
        HashEvaluator.evaluate(leaves, evaluations);
    }
}

fn one_by_one(search: &mut Search, counting: &mut Counting) {
    let mut evaluations = Vec::new();
    while search.select() == Step::Evaluate {
        counting.evaluate(&[search.leaf()], &mut evaluations);
        search.expand(&evaluations[0]);
    }
}

/// Searches by rounds, but now and then one leaf alone.
fn by_rounds(search: &mut Search, counting: &mut Counting, alone_every: usize) {
    let mut evaluations = Vec::new();
    for turn in 1.. {
        if search.select() == Step::Finished {
            break;
        }
        if turn % alone_every == 0 {
            counting.evaluate(&[search.leaf()], &mut evaluations);
            search.expand(&evaluations[0]);
        } else {
            search.evaluate(counting);
        }
    }
}

/// Plays a game by two searches at once, which must agree in everything; returns what each of them asked.
fn play_both(
    ruleset: &str,
    config: &SearchConfig,
    mode: Mode,
    alone_every: usize,
) -> [Counting; 2] {
    let mut searches = [0, 1].map(|_| Search::new(config, Game::new(rules(ruleset)), mode, 11));
    searches.iter_mut().for_each(Search::keep_tree);
    let [plain, batched] = &mut searches;
    let mut counts = [Counting::default(), Counting::default()];
    for ply in 0..30 {
        if plain.game().outcome().is_some() {
            break;
        }
        for budget in 0..=ply % 2 {
            if budget > 0 {
                plain.search_on();
                batched.search_on();
            }
            one_by_one(plain, &mut counts[0]);
            by_rounds(batched, &mut counts[1], alone_every);
            assert_eq!(
                plain.root_stats(),
                batched.root_stats(),
                "{ruleset}, ply {ply}"
            );
            assert_eq!(plain.tree_size(), batched.tree_size());
        }
        let chosen = plain.root_stats().chosen;
        plain.advance(chosen).expect("a legal move");
        batched.advance(chosen).expect("a legal move");
    }
    counts
}

#[test]
fn a_search_by_rounds_is_the_search_of_one_leaf_after_the_other() {
    for ruleset in RULESETS {
        for (algorithm, mode) in [
            ("gumbel", Mode::Match),
            ("gumbel", Mode::SelfPlay),
            ("puct", Mode::Match),
        ] {
            for leaf_solver_positions in [0, 200] {
                let config = SearchConfig {
                    leaf_solver_positions,
                    ..reference(algorithm, 60)
                };
                play_both(ruleset, &config, mode, 7);
            }
        }
    }
}

#[test]
fn batches_hold_the_leaves_of_a_round_and_hardly_one_in_vain() {
    for algorithm in ALGORITHMS {
        let [plain, batched] = play_both(
            "copenhagen",
            &reference(algorithm, 100),
            Mode::Match,
            usize::MAX,
        );
        assert_eq!(plain.batches, plain.leaves);
        if algorithm == "puct" {
            assert_eq!(batched.batches, plain.batches, "PUCT has no rounds");
            continue;
        }
        assert!(
            2 * batched.batches < plain.batches,
            "{} batches of {}",
            batched.batches,
            plain.batches
        );
        assert!(
            100 * batched.leaves < 102 * plain.leaves,
            "{} leaves for {}",
            batched.leaves,
            plain.leaves
        );
    }
}

#[test]
fn a_search_that_is_left_at_any_leaf_leaves_nothing_to_the_next_one() {
    let config = SearchConfig::gumbel(40);
    let new = |game| Search::new(&config, game, Mode::Match, 11);
    for evaluations in 1..40 {
        let mut left = new(Game::new(rules("brandubh")));
        for _ in 0..evaluations {
            if left.select() == Step::Evaluate {
                left.evaluate(&mut HashEvaluator);
            }
        }
        let _waits = left.select();
        let mut anew = left.clone();
        anew.begin_anew(&config, Mode::Match, 11);
        let mut fresh = new(anew.game().clone());
        let stats = run(&mut fresh, &mut HashEvaluator);
        assert_eq!(run(&mut anew, &mut HashEvaluator), stats, "{evaluations}");
        left.advance(stats.chosen).expect("a legal move");
        let stats = run(&mut new(left.game().clone()), &mut HashEvaluator);
        assert_eq!(run(&mut left, &mut HashEvaluator), stats, "{evaluations}");
    }
}
