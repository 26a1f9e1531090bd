//! Intervals and probabilities on outcomes whose truth is known.

use super::super::posterior::posterior_score;
use super::*;
use crate::Tally;
use rand::SeedableRng;

#[test]
fn intervals_cover_the_truth_in_about_95_of_100_studies() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (chances, count) in [
        ([0.43, 0.02], 100),
        ([0.14, 0.0], 50),
        ([0.3, 0.4], 50),
        ([0.5, 0.0], 30),
    ] {
        let truth = chances[0] + chances[1] / 2.0;
        let [mut score, mut imbalance] = [0; 2];
        for seed in 0..1_000 {
            let study = played(1, vec![player(None)], vec![games(&mut rng, chances, count)]);
            let cell = &study.summary_of_seed(seed).cells[0];
            let is_held = cell.score.holds(truth);
            assert_eq!(is_held, cell.elo.holds(crate::elo::elo_of_score(truth)));
            score += u32::from(is_held);
            imbalance += u32::from(cell.imbalance.holds((truth - 0.5).abs()));
        }
        assert!((930..=970).contains(&score), "{chances:?}: {score}");
        // Where the ruleset is fair, all intervals but the farthest begin at 0.
        assert!(
            (930..=1_000).contains(&imbalance),
            "{chances:?}: {imbalance}"
        );
    }
}

#[test]
fn equal_rulesets_are_seldom_called_different_however_many_there_are() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut false_calls = 0;
    for seed in 0..400 {
        let cells = (0..5).map(|_| games(&mut rng, [0.38, 0.04], 100)).collect();
        let summary = played(5, vec![player(None)], cells).summary_of_seed(seed);
        assert_eq!(summary.comparisons.len(), 10);
        false_calls += u32::from(summary.comparisons.iter().any(|it| it.clear));
        let sum: f64 = summary.rankings.iter().map(|it| it.probability).sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
    // 5 % of 400 are 20; the limit is what chance exceeds once in a thousand times.
    assert!(false_calls <= 34, "{false_calls} of 400");
}

#[test]
fn a_fair_ruleset_is_clearly_closer_to_even_than_unfair_ones() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let cells = [0.5, 0.2, 0.8].map(|win| games(&mut rng, [win, 0.0], 300));
    let summary = played(3, vec![player(None)], cells.to_vec()).summary();
    let [fair_unfair, fair_other, both_unfair] = &summary.comparisons[..] else {
        panic!("three pairs");
    };
    assert!(fair_unfair.clear && fair_unfair.probability > 0.99);
    assert!(fair_other.clear && fair_other.probability > 0.99);
    // 20 and 80 % are as far from even.
    assert!(!both_unfair.clear, "{both_unfair:?}");
    assert!(summary.rankings[0].probability > 0.99);
}

/// Games under a base and a variant: from an opening the result is the same with a chance, else drawn anew.
fn pair(
    rng: &mut Xoshiro256PlusPlus,
    same: f64,
    wins: [f64; 2],
    count: u64,
) -> [Vec<StudyGame>; 2] {
    let mut both = [Vec::new(), Vec::new()];
    for opening in 0..count {
        let number: f64 = rng.random();
        let shared = rng.random::<f64>() < same;
        for (games, win) in both.iter_mut().zip(wins) {
            let number = if shared { number } else { rng.random() };
            games.push(game(opening, ending(number, [win, 0.0])));
        }
    }
    both
}

#[test]
fn effects_cover_the_truth_and_pairing_narrows_them() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut covered, mut paired, mut unpaired) = (0, 0.0, 0.0);
    for seed in 0..500 {
        let [base, variant] = pair(&mut rng, 0.8, [0.3, 0.4], 100);
        let summary = variants(base, vec![variant]).summary_of_seed(seed);
        let [effect] = &summary.effects[..] else {
            panic!("one effect");
        };
        assert_eq!((effect.openings, &*effect.change.field), (100, "fort"));
        covered += u32::from(effect.difference.holds(0.1));
        paired += effect.difference.high - effect.difference.low;
        let width = |cell: usize| summary.cells[cell].score.high - summary.cells[cell].score.low;
        unpaired += width(0).hypot(width(1));
    }
    assert!((460..=492).contains(&covered), "{covered} of 500");
    assert!(paired < 0.8 * unpaired, "{paired} {unpaired}");
}

#[test]
fn only_openings_that_both_played_are_paired() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let [base, mut variant] = pair(&mut rng, 1.0, [0.5, 0.5], 30);
    variant.drain(..10);
    let summary = variants(base, vec![variant]).summary();
    let effect = &summary.effects[0];
    // Equal results from all openings: no effect, and no certainty of that either.
    assert_eq!((effect.openings, effect.same_games), (20, 20));
    assert!(effect.difference.value.abs() < 1e-12);
    assert!(effect.difference.low < 0.0 && effect.difference.high > 0.0 && !effect.clear);
}

#[test]
fn what_a_cell_says_does_not_depend_on_the_others() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let own = games(&mut rng, [0.4, 0.1], 40);
    let other = games(&mut rng, [0.4, 0.1], 40);
    let alone = played(1, vec![player(None)], vec![own.clone()]).summary();
    let both = played(2, vec![player(None)], vec![own, other]).summary();
    assert_eq!(alone.cells[0], both.cells[0]);
}

#[test]
fn the_middle_of_a_posterior_is_that_of_the_beta_distribution_without_draws() {
    // Wins 30, losses 70: the score's posterior is close to Beta(30.75, 70.75); SciPy gives
    // beta.ppf([0.025, 0.975], 30.75, 70.75) = 0.2183, 0.3950.
    let results = Tally {
        wins: 30,
        losses: 70,
        ..Tally::default()
    };
    let many = Sampling {
        draws: 100_000,
        ..SAMPLING
    };
    let score = posterior_score(&results, many.scores(&results));
    assert!((score.value - 30.75 / 101.5).abs() < 1e-12);
    assert!((score.low - 0.2183).abs() < 2e-3, "{score:?}");
    assert!((score.high - 0.3950).abs() < 2e-3, "{score:?}");
}

#[test]
fn results_of_people_score_like_those_of_players() {
    let score = |games, [attackers_percent, draws_percent, defenders_percent]: [f64; 3]| {
        let people = PeopleResults {
            name: String::new(),
            ruleset: None,
            games,
            attackers_percent,
            defenders_percent,
            draws_percent,
            source: String::new(),
            score: Estimate::exact(0.0),
            bands: Vec::new(),
        };
        people.with_score(&SAMPLING).score
    };
    // 43.0 and 0.4 / 2 of 98.2 per cent that had a result.
    let found = score(1_752, [43.0, 0.4, 54.8]);
    assert!((found.value - 43.2 / 98.2).abs() < 1e-3, "{found:?}");
    assert!(found.holds(43.2 / 98.2) && found.high - found.low < 0.06);
    assert_eq!(score(0, [0.0; 3]).value, 0.5);
}
