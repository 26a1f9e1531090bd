//! Speed of the rules: `cargo bench -p tafl-rules`. Each benchmark asserts its own answer.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;
use tafl_rules::{Perft, RolloutConfig, Rules, perft, perft_parallel, rollouts, rollouts_parallel};

fn main() {
    divan::main();
}

const BULK: Perft = Perft {
    by_turns: false,
    bulk: true,
};
const EVERY_LEAF: Perft = Perft {
    by_turns: false,
    bulk: false,
};

/// Ruleset, leaves four plies from the start (an `end` being a ply), plies of the games of [`GAMES`].
const ANSWERS: [(&str, u64, u64); 5] = [
    ("copenhagen", 50_456_804, 399_113),
    ("copenhagen-tournament", 50_456_804, 576_026),
    ("fetlar", 50_456_804, 557_546),
    ("berserk-2017", 50_603_686, 512_639),
    ("berserk-2024", 50_603_686, 494_564),
];

const GAMES: RolloutConfig = RolloutConfig {
    seed: 1,
    games: 0..1_000,
    max_plies: 1_000,
};

/// A preset and what is asserted of it.
struct Case {
    rules: Arc<Rules>,
    leaves: u64,
    plies: u64,
}

fn names() -> impl Iterator<Item = &'static str> {
    ANSWERS.iter().map(|(name, ..)| *name)
}

fn case(name: &str) -> Case {
    let row = ANSWERS.iter().find(|(known, ..)| *known == name);
    let (_, leaves, plies) = *row.expect("a row for each preset");
    Case {
        rules: Rules::preset(name).expect("a preset"),
        leaves,
        plies,
    }
}

#[divan::bench(args = names(), sample_count = 20)]
fn perft_4_bulk(bencher: Bencher, name: &str) {
    let Case { rules, leaves, .. } = case(name);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| assert_eq!(perft(&rules, &rules.start(), 4, BULK), leaves));
}

#[divan::bench(args = names(), sample_count = 20)]
fn perft_4_bulk_on_all_cores(bencher: Bencher, name: &str) {
    let Case { rules, leaves, .. } = case(name);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| assert_eq!(perft_parallel(&rules, &rules.start(), 4, BULK), leaves));
}

#[divan::bench(args = names(), sample_count = 5)]
fn perft_4_every_leaf_played(bencher: Bencher, name: &str) {
    let Case { rules, leaves, .. } = case(name);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| assert_eq!(perft(&rules, &rules.start(), 4, EVERY_LEAF), leaves));
}

#[divan::bench(args = names(), sample_count = 10)]
fn random_play(bencher: Bencher, name: &str) {
    let Case { rules, plies, .. } = case(name);
    bencher
        .counter(ItemsCount::new(plies))
        .bench_local(|| assert_eq!(rollouts(&rules, &GAMES).plies, plies));
}

#[divan::bench(args = names(), sample_count = 10)]
fn random_play_on_all_cores(bencher: Bencher, name: &str) {
    let Case { rules, plies, .. } = case(name);
    bencher
        .counter(ItemsCount::new(plies))
        .bench_local(|| assert_eq!(rollouts_parallel(&rules, &GAMES).plies, plies));
}

/// The list of moves that search works with, from the start.
#[divan::bench(args = names())]
fn legal_moves(bencher: Bencher, name: &str) {
    let rules = case(name).rules;
    let (start, mut moves) = (rules.start(), Vec::new());
    bencher.bench_local(|| {
        moves.clear();
        rules.legal_moves(divan::black_box(&start), &mut moves);
        assert_eq!(moves.len(), 116);
    });
}
