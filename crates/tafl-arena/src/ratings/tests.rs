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
                let mut cell = empty(attackers, defenders);
                for _ in 0..games {
                    let number: f64 = rng.random();
                    if number < win {
                        cell.attacker_wins += 1;
                    } else if number < win + draw {
                        cell.draws += 1;
                    } else {
                        cell.defender_wins += 1;
                    }
                }
                results.push(cell);
            }
        }
        results
    }
}

fn empty(attackers: usize, defenders: usize) -> SideResults {
    SideResults {
        attackers,
        defenders,
        attacker_wins: 0,
        draws: 0,
        defender_wins: 0,
    }
}

fn holds(estimate: Estimate, truth: f64) -> bool {
    estimate.low <= truth && truth <= estimate.high
}

#[test]
fn expected_results_give_back_the_parameters() {
    let truth = Truth {
        players: vec![0.0, 150.0, -80.0, 400.0],
        advantage: -120.0,
        draw: -1.0,
    };
    let mut results = Vec::new();
    for attackers in 0..4 {
        for defenders in 0..4 {
            let p = truth
                .chances(attackers, defenders)
                .map(|p| (p * 1e7).round() as u64);
            let (attacker_wins, draws, defender_wins) = (p[0], p[1], p[2]);
            let sides = empty(attackers, defenders);
            results.push(SideResults {
                attacker_wins,
                draws,
                defender_wins,
                ..sides
            });
        }
    }
    let ratings = rate(4, &results, 0).unwrap();
    for (player, elo) in ratings.players.iter().zip(&truth.players) {
        assert!((player.value - elo).abs() < 0.5, "{player:?} {elo}");
    }
    assert!((ratings.attacker_advantage.value + 120.0).abs() < 0.5);
    let even_draws = (-1.0_f64).exp() / (2.0 + (-1.0_f64).exp());
    assert!((ratings.even_draw_rate.value - even_draws).abs() < 1e-3);
}

#[test]
fn intervals_cover_the_truth_in_about_95_of_100_tournaments() {
    let truth = Truth {
        players: vec![0.0, 120.0, 250.0, -60.0],
        advantage: -150.0,
        draw: -1.2,
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut covered = [0; 5];
    let tournaments = 600;
    for _ in 0..tournaments {
        let ratings = rate(4, &truth.tournament(20, &mut rng), 0).unwrap();
        for player in 1..4 {
            covered[player - 1] +=
                usize::from(holds(ratings.players[player], truth.players[player]));
        }
        covered[3] += usize::from(holds(ratings.attacker_advantage, truth.advantage));
        let even_draws = truth.draw.exp() / (2.0 + truth.draw.exp());
        covered[4] += usize::from(holds(ratings.even_draw_rate, even_draws));
    }
    for count in covered {
        let share = f64::from(u32::try_from(count).unwrap()) / f64::from(tournaments);
        assert!(
            (0.92..=0.98).contains(&share),
            "{covered:?} of {tournaments}"
        );
    }
}

#[test]
fn who_won_all_and_who_never_played_stay_finite() {
    let results = [
        SideResults {
            attacker_wins: 50,
            ..empty(0, 1)
        },
        SideResults {
            defender_wins: 50,
            ..empty(1, 0)
        },
    ];
    let ratings = rate(3, &results, 1).unwrap();
    let [winner, anchor, absent] = ratings.players[..] else {
        panic!("three players")
    };
    assert!(
        winner.value > 400.0 && winner.value < 3_000.0 && winner.low > 100.0,
        "{winner:?}"
    );
    assert!(winner.high.is_finite());
    assert_eq!(
        anchor,
        Estimate {
            value: 0.0,
            low: 0.0,
            high: 0.0
        }
    );
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
    let [first, second] = [0, 2].map(|anchor| rate(3, &results, anchor).unwrap());
    let gap = |ratings: &Ratings| ratings.players[1].value - ratings.players[0].value;
    assert!((gap(&first) - gap(&second)).abs() < 1e-6);
    assert!((first.players[2].value + second.players[0].value).abs() < 1e-6);
    assert_eq!(first.attacker_advantage, second.attacker_advantage);
}

#[test]
fn self_play_tells_the_advantage_but_no_ratings() {
    let results = [SideResults {
        attacker_wins: 250,
        defender_wins: 750,
        ..empty(0, 0)
    }];
    let ratings = rate(1, &results, 0).unwrap();
    let advantage = ratings.attacker_advantage;
    assert!((advantage.value + 190.8).abs() < 3.0, "{advantage:?}");
    assert!(
        advantage.high < -160.0 && advantage.low > -220.0,
        "{advantage:?}"
    );
}

#[test]
fn players_who_do_not_exist_are_refused() {
    let error = rate(2, &[empty(0, 2)], 0).unwrap_err();
    assert_eq!(
        error,
        RatingError::NoSuchPlayer {
            player: 2,
            players: 2
        }
    );
    assert_eq!(
        rate(0, &[], 0).unwrap_err(),
        RatingError::NoSuchPlayer {
            player: 0,
            players: 0
        }
    );
}
