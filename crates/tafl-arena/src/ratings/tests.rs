//! Simulated tournaments with known strengths.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Elo points of the simulated players, of the attackers, and the logarithm of the draw parameter.
struct Truth {
    players: Vec<f64>,
    advantage: f64,
    draw: f64,
}

impl Truth {
    fn chances(&self, attackers: usize, defenders: usize) -> [f64; 3] {
        let elo = self.players[attackers] + self.advantage - self.players[defenders];
        chances(elo / ELO, self.draw)
    }

    /// Plays `games` of every player as attackers against every other.
    fn tournament(&self, games: u64, rng: &mut Xoshiro256PlusPlus) -> Vec<SideResults> {
        let mut results = Vec::new();
        for attackers in 0..self.players.len() {
            for defenders in (0..self.players.len()).filter(|&d| d != attackers) {
                let [win, draw, _] = self.chances(attackers, defenders);
                let mut counts = [0; 3];
                for _ in 0..games {
                    let number: f64 = rng.random();
                    let result = usize::from(number >= win) + usize::from(number >= win + draw);
                    counts[result] += 1;
                }
                results.push(cell(attackers, defenders, counts));
            }
        }
        results
    }
}

fn cell(attackers: usize, defenders: usize, games: [u64; 3]) -> SideResults {
    let [attacker_wins, draws, defender_wins] = games;
    SideResults {
        ruleset: 0,
        attackers,
        defenders,
        attacker_wins,
        draws,
        defender_wins,
    }
}

#[test]
fn expected_results_give_back_the_parameters() {
    let truth = Truth {
        players: vec![0.0, 150.0, -80.0, 400.0],
        advantage: -120.0,
        draw: -1.0,
    };
    let mut results = Vec::new();
    for (attackers, defenders) in (0..16).map(|sides| (sides / 4, sides % 4)) {
        let chances = truth.chances(attackers, defenders);
        let games = chances.map(|p| (p * 1e7).round() as u64);
        results.push(cell(attackers, defenders, games));
    }
    let ratings = rate(4, 1, &results, 0).unwrap();
    for (player, elo) in ratings.players.iter().zip(&truth.players) {
        assert!((player.value - elo).abs() < 0.5, "{player:?} {elo}");
    }
    assert!((ratings.rulesets[0].attacker_advantage.value + 120.0).abs() < 0.5);
    let even_draws = (-1.0_f64).exp() / (2.0 + (-1.0_f64).exp());
    assert!((ratings.rulesets[0].even_draw_rate.value - even_draws).abs() < 1e-3);
}

/// Simulates tournaments of four players under two rulesets; returns how often each interval holds
/// its truth: players 1 to 3, then the advantage and the draws of each ruleset.
fn coverage(games: u64, tournaments: u32, seed: u64) -> [u32; 7] {
    let players = vec![0.0, 120.0, 250.0, -60.0];
    let truths = [(-150.0, -1.2), (40.0, 0.3)].map(|(advantage, draw)| Truth {
        players: players.clone(),
        advantage,
        draw,
    });
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut covered = [0; 7];
    for _ in 0..tournaments {
        let mut results = truths[0].tournament(games, &mut rng);
        let more = truths[1].tournament(games, &mut rng).into_iter();
        results.extend(more.map(|cell| SideResults { ruleset: 1, ..cell }));
        let ratings = rate(4, 2, &results, 0).unwrap();
        let own = ratings.players.iter().zip(&players).skip(1);
        let mut all: Vec<bool> = own.map(|(found, &truth)| found.holds(truth)).collect();
        for (found, truth) in ratings.rulesets.iter().zip(&truths) {
            all.push(found.attacker_advantage.holds(truth.advantage));
            all.push(found.even_draw_rate.holds(draw_rate(truth.draw)));
        }
        for (count, held) in covered.iter_mut().zip(all) {
            *count += u32::from(held);
        }
    }
    covered
}

#[test]
fn intervals_cover_the_truth_in_93_to_97_of_100_tournaments() {
    let covered = coverage(20, 1_000, 3);
    let all_within = covered.iter().all(|count| (930..=970).contains(count));
    assert!(all_within, "{covered:?}");
}

#[test]
fn intervals_cover_the_truth_in_longer_tournaments_too() {
    if std::env::var_os("TAFL_SLOW").is_none() {
        return;
    }
    let covered = coverage(100, 10_000, 4);
    let all_within = (covered.iter()).all(|count| (9_400..=9_600).contains(count));
    assert!(all_within, "{covered:?}");
}

#[test]
fn superiority_is_what_it_says_in_tournaments_of_equals() {
    // Between equals it is spread evenly from 0 to 1.
    let truth = Truth {
        players: vec![0.0, 0.0],
        advantage: -100.0,
        draw: -1.0,
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut above = [0; 3];
    for _ in 0..1_000 {
        let ratings = rate(2, 1, &truth.tournament(60, &mut rng), 0).unwrap();
        let superiority = ratings.superiority(1, 0);
        assert!((superiority + ratings.superiority(0, 1) - 1.0).abs() < 1e-9);
        for (count, bound) in above.iter_mut().zip([0.05, 0.5, 0.95]) {
            *count += u32::from(superiority > bound);
        }
    }
    assert!((930..=970).contains(&above[0]), "{above:?}");
    assert!((450..=550).contains(&above[1]), "{above:?}");
    assert!((30..=70).contains(&above[2]), "{above:?}");
    let ratings = rate(2, 1, &[], 0).unwrap();
    assert!((ratings.superiority(0, 0) - 0.5).abs() < 1e-12);
}

#[test]
fn each_ruleset_has_its_own_advantage_and_draws() {
    let cells = [(0, [300, 0, 100]), (1, [100, 200, 100])];
    let results = cells.map(|(ruleset, games)| SideResults {
        ruleset,
        ..cell(0, 0, games)
    });
    let ratings = rate(1, 3, &results, 0).unwrap();
    let [first, second, third] = ratings.rulesets[..] else {
        panic!("three")
    };
    let [one, other] = [first, second].map(|it| it.attacker_advantage.value);
    assert!((one - 190.8).abs() < 4.0, "{first:?}");
    assert!(other.abs() < 1.0, "{second:?}");
    assert!(first.even_draw_rate.high < 0.05 && (second.even_draw_rate.value - 0.5).abs() < 0.02);
    // eloDraw of a draw rate of 1/2: 400 log10(3).
    let elo_draw = second.elo_draw();
    assert!((elo_draw.value - 190.8).abs() < 12.0, "{elo_draw:?}");
    let nothing_known = third.attacker_advantage;
    assert!(nothing_known.high > 1_000.0, "{third:?}");
}

#[test]
fn who_won_all_and_who_never_played_stay_finite() {
    let results = [cell(0, 1, [50, 0, 0]), cell(1, 0, [0, 0, 50])];
    let ratings = rate(3, 1, &results, 1).unwrap();
    let [winner, anchor, absent] = ratings.players[..] else {
        panic!("three players")
    };
    assert!(winner.value > 400.0 && winner.value < 3_000.0, "{winner:?}");
    assert!(winner.low > 100.0 && winner.high.is_finite(), "{winner:?}");
    assert_eq!(anchor, Estimate::exact(0.0));
    assert!(absent.high - absent.low > 3_000.0, "{absent:?}");
}

#[test]
fn the_anchor_moves_the_zero_and_nothing_else() {
    let truth = Truth {
        players: vec![0.0, 100.0, 300.0],
        advantage: 50.0,
        draw: -2.0,
    };
    let results = truth.tournament(30, &mut Xoshiro256PlusPlus::seed_from_u64(8));
    let [first, second] = [0, 2].map(|anchor| rate(3, 1, &results, anchor).unwrap());
    let gap = |ratings: &Ratings| ratings.players[1].value - ratings.players[0].value;
    assert!((gap(&first) - gap(&second)).abs() < 1e-6);
    assert!((first.players[2].value + second.players[0].value).abs() < 1e-6);
    assert_eq!(first.rulesets, second.rulesets);
}

#[test]
fn self_play_tells_the_advantage_but_no_ratings() {
    let ratings = rate(1, 1, &[cell(0, 0, [250, 0, 750])], 0).unwrap();
    let advantage = ratings.rulesets[0].attacker_advantage;
    assert!((advantage.value + 190.8).abs() < 3.0, "{advantage:?}");
    assert!(advantage.high < -160.0, "{advantage:?}");
    assert!(advantage.low > -220.0, "{advantage:?}");
}

#[test]
fn players_and_rulesets_that_do_not_exist_are_refused() {
    let of_ruleset = |ruleset| SideResults {
        ruleset,
        ..cell(0, 1, [0; 3])
    };
    for (players, results, expected) in [
        (2, vec![cell(0, 2, [0; 3])], "player 2 of 2 does not exist"),
        (0, vec![], "player 0 of 0 does not exist"),
        (2, vec![of_ruleset(1)], "ruleset 1 of 1 does not exist"),
    ] {
        let error = rate(players, 1, &results, 0).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
