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

/// Leaves four plies from the start; those of Berserk are counted by ply, an `end` being one.
const LEAVES: [(&str, u64); 5] = [
    ("copenhagen", 50_456_804),
    ("copenhagen-tournament", 50_456_804),
    ("fetlar", 50_456_804),
    ("berserk-2017", 0),
    ("berserk-2024", 0),
];

/// Plies of the first thousand random games of seed 1.
const PLIES: [(&str, u64); 5] = [
    ("copenhagen", 0),
    ("copenhagen-tournament", 0),
    ("fetlar", 0),
    ("berserk-2017", 0),
    ("berserk-2024", 0),
];

const GAMES: RolloutConfig = RolloutConfig {
    seed: 1,
    games: 0..1_000,
    max_plies: 1_000,
};

fn names() -> impl Iterator<Item = &'static str> {
    LEAVES.iter().map(|(name, _)| *name)
}

fn rules(name: &str) -> Arc<Rules> {
    Rules::preset(name).expect("a preset")
}

fn of(table: &[(&str, u64)], name: &str) -> u64 {
    let row = table.iter().find(|(known, _)| *known == name);
    row.expect("a row for each preset").1
}

#[divan::bench(args = names(), sample_count = 10)]
fn perft_4_bulk(bencher: Bencher, name: &str) {
    let (rules, leaves) = (rules(name), of(&LEAVES, name));
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| assert_eq!(perft(&rules, &rules.start(), 4, BULK), leaves));
}

#[divan::bench(args = names(), sample_count = 5)]
fn perft_4_every_leaf_played(bencher: Bencher, name: &str) {
    let (rules, leaves) = (rules(name), of(&LEAVES, name));
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| assert_eq!(perft(&rules, &rules.start(), 4, EVERY_LEAF), leaves));
}

#[divan::bench(args = names(), sample_count = 10)]
fn random_play(bencher: Bencher, name: &str) {
    let (rules, plies) = (rules(name), of(&PLIES, name));
    bencher
        .counter(ItemsCount::new(plies))
        .bench_local(|| assert_eq!(rollouts(&rules, &GAMES).plies, plies));
}
