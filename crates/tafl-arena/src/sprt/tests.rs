//! Error rates by simulation, and what a test takes in.

use super::*;
use crate::elo::POINTS;
use crate::elo::tests::draw;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Returns chances of the five kinds of pairs with the mean score of `elo`: `base` tilted by
/// exp(t * points).
fn chances(base: [f64; 5], elo: f64) -> [f64; 5] {
    let tilted = |t: f64| {
        let weights: [f64; 5] = std::array::from_fn(|i| base[i] * (t * POINTS[i]).exp());
        let total: f64 = weights.iter().sum();
        weights.map(|weight| weight / total)
    };
    let mean = |p: &[f64; 5]| -> f64 { p.iter().zip(POINTS).map(|(p, x)| p * x).sum() };
    let (mut low, mut high) = (-30.0, 30.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if mean(&tilted(middle)) < score_of_elo(elo) {
            low = middle;
        } else {
            high = middle;
        }
    }
    tilted(low)
}

/// Returns how many of `tests` accept, and the mean number of pairs they take.
fn simulate(config: SprtConfig, chances: &[f64; 5], tests: u32, seed: u64) -> (u32, f64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut accepted, mut pairs) = (0, 0);
    for _ in 0..tests {
        let mut sprt = Sprt::new(config).unwrap();
        while sprt.verdict() == Verdict::Continue {
            sprt.add(draw(chances, rng.random()));
        }
        accepted += u32::from(sprt.verdict() == Verdict::Accept);
        pairs += sprt.pairs().pairs();
    }
    (accepted, pairs as f64 / f64::from(tests))
}

/// Pairs between equals: few draws; many draws; the favored side mostly wins both games.
const BASES: [[f64; 5]; 3] = [
    [0.24, 0.02, 0.48, 0.02, 0.24],
    [0.03, 0.22, 0.5, 0.22, 0.03],
    [0.08, 0.01, 0.82, 0.01, 0.08],
];

/// Checks that wrong verdicts stay within `most` of their nominal share.
fn check_errors(config: SprtConfig, tests: u32, most: f64) {
    for (number, base) in BASES.into_iter().enumerate() {
        let at = |elo, seed| simulate(config, &chances(base, elo), tests, seed);
        let (wrongly_accepted, _) = at(config.elo0, 2 * number as u64);
        let (accepted, _) = at(config.elo1, 2 * number as u64 + 1);
        let share = |count: u32| f64::from(count) / f64::from(tests);
        let errors = [share(wrongly_accepted), 1.0 - share(accepted)];
        for (error, nominal) in errors.into_iter().zip([config.alpha, config.beta]) {
            assert!(error <= most * nominal, "{config:?} {base:?}: {errors:?}");
            assert!(error >= 0.2 * nominal, "{config:?} {base:?}: {errors:?}");
        }
    }
}

/// Returns a test of 0 against `elo1` points with these errors.
const fn test(elo1: f64, alpha: f64, beta: f64) -> SprtConfig {
    SprtConfig {
        elo0: 0.0,
        elo1,
        alpha,
        beta,
    }
}

#[test]
fn wrong_verdicts_are_as_rare_as_asked_for() {
    // 1,000 tests know a share of 0.05 to within 0.014, and of 0.1 to within 0.019.
    check_errors(test(50.0, 0.05, 0.05), 1_000, 1.3);
    check_errors(test(50.0, 0.1, 0.05), 1_000, 1.3);
}

#[test]
fn wrong_verdicts_are_as_rare_as_asked_for_in_long_tests() {
    if std::env::var_os("TAFL_SLOW").is_none() {
        return;
    }
    check_errors(test(10.0, 0.05, 0.05), 4_000, 1.25);
    let strict = SprtConfig {
        elo0: -20.0,
        ..test(0.0, 0.01, 0.02)
    };
    check_errors(strict, 20_000, 1.7);
    check_errors(test(100.0, 0.05, 0.05), 20_000, 1.2);
}

#[test]
fn a_stronger_player_is_accepted_sooner() {
    let config: SprtConfig = "0,20".parse().unwrap();
    let pairs = |elo| simulate(config, &chances(BASES[0], elo), 100, 7).1;
    let (at_bound, above) = (pairs(20.0), pairs(60.0));
    assert!(above < 0.5 * at_bound, "{above} {at_bound}");
}

#[test]
fn verdicts_stay_and_later_pairs_change_nothing() {
    let mut sprt = Sprt::new("0,100".parse().unwrap()).unwrap();
    while sprt.verdict() == Verdict::Continue {
        sprt.add(4);
    }
    let decided = sprt;
    assert_eq!(sprt.verdict(), Verdict::Accept);
    (0..1_000).for_each(|_| sprt.add(0));
    assert_eq!(sprt, decided);
    let mut losing = Sprt::new("0,100".parse().unwrap()).unwrap();
    (0..200).for_each(|_| losing.add(0));
    assert_eq!(losing.verdict(), Verdict::Reject);
}

#[test]
fn one_pair_decides_nothing_however_wide_the_test() {
    for points in 0..=4 {
        let mut sprt = Sprt::new("-500,500".parse().unwrap()).unwrap();
        sprt.add(points);
        assert_eq!(sprt.verdict(), Verdict::Continue, "{points}: {sprt:?}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let from = |elo0| SprtConfig {
        elo0,
        ..test(10.0, 0.05, 0.05)
    };
    let bad = [
        ("elo0", from(f64::NAN)),
        ("elo1", test(2_000.0, 0.05, 0.05)),
        ("elo1", test(0.0, 0.05, 0.05)),
        ("alpha", test(10.0, 0.0, 0.05)),
        ("beta", test(10.0, 0.05, 0.5)),
    ];
    for (field, config) in bad {
        assert_eq!(config.check().unwrap_err().field, field);
        assert!(Sprt::new(config).is_err());
    }
    for text in ["", "5", "a,b", "0,10,20", "10,0", "0,inf"] {
        assert!(text.parse::<SprtConfig>().is_err(), "{text}");
    }
}
