use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn game(people: [u32; 2], winner: Option<Side>) -> PeopleGame {
    PeopleGame {
        people,
        ratings: None,
        winner,
        end: PeopleEnd::Played,
        plies: 40,
    }
}

/// Returns games of 60 people whose strengths are 0 to 590 Elo, each of whom plays those near him; the attackers' advantage
/// at the middle and its growth for 400 points are given in Elo.
fn simulated(advantage: f64, growth: f64, seed: u64) -> Vec<PeopleGame> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut games = Vec::new();
    while games.len() < 6_000 {
        let [one, other] = [rng.random_range(0..60_u32), rng.random_range(0..60)];
        if one == other || one.abs_diff(other) > 20 {
            continue;
        }
        let [attackers, defenders] = [one, other].map(|it| 10.0 * f64::from(it));
        let above = f64::midpoint(attackers, defenders) - 295.0;
        let elo = attackers - defenders + advantage + growth * above / 400.0;
        let is_won = rng.random::<f64>() < crate::score_of_elo(elo);
        let winner = if is_won {
            Side::Attacker
        } else {
            Side::Defender
        };
        games.push(game([one, other], Some(winner)));
    }
    games
}

#[test]
fn games_that_ended_by_time_or_at_once_are_counted_apart() {
    let late = PeopleGame {
        end: PeopleEnd::Timeout,
        ..game([0, 1], Some(Side::Attacker))
    };
    let short = PeopleGame {
        plies: 9,
        ..game([0, 1], Some(Side::Defender))
    };
    let resigned = PeopleGame {
        end: PeopleEnd::Resigned,
        plies: 30,
        ..game([2, 1], Some(Side::Defender))
    };
    let games = [
        late,
        short,
        resigned,
        game([1, 2], None),
        game([0, 2], None),
    ];
    let counts = count_people(&games);
    assert_eq!((counts.games, counts.timeouts, counts.short), (5, 1, 1));
    assert_eq!((counts.counted, counts.resigned, counts.pairs), (3, 1, 2));
    assert_eq!(
        (counts.attacker_wins, counts.draws, counts.defender_wins),
        (0, 2, 1)
    );
    assert_eq!(counts.timeout_score, Some(1.0));
    assert!((counts.score.value - 1.0 / 3.0).abs() < 1e-9);
    assert_eq!(
        (counts.attacker_plies, counts.defender_plies),
        (None, Some(30))
    );
}

#[test]
fn two_people_who_play_often_say_little_however_often() {
    let of = |games: &[PeopleGame]| count_people(games).score;
    let alone = vec![game([0, 1], Some(Side::Attacker)); 500];
    let score = of(&alone);
    assert_eq!(
        (score.low, score.high),
        (0.0, 1.0),
        "one pair has no spread"
    );
    // Twenty pairs each of which always ends alike are twenty observations, whether they meet once or fifty times.
    let pairs = |times: usize| {
        let pair = |number: u32| {
            let winner = [Side::Attacker, Side::Defender][number as usize % 2];
            vec![game([2 * number, 2 * number + 1], Some(winner)); times]
        };
        (0..20).flat_map(pair).collect::<Vec<_>>()
    };
    let [once, often] = [1, 50].map(|times| of(&pairs(times)));
    assert!((once.low - often.low).abs() < 1e-9 && (once.high - often.high).abs() < 1e-9);
    assert!((0.2..0.3).contains(&once.low), "{once:?}");
}

#[test]
fn few_pairs_have_an_interval_by_student() {
    let meetings = |number: u32, wins: usize| {
        (0..4).map(move |it| {
            let winner = if it < wins {
                Side::Attacker
            } else {
                Side::Defender
            };
            game([2 * number, 2 * number + 1], Some(winner))
        })
    };
    let pairs = (0..).zip([1, 2, 2, 3]);
    let games = pairs.flat_map(|(number, wins)| meetings(number, wins));
    let score = count_people(&games.collect::<Vec<_>>()).score;
    // Two squares among four pairs of 16 games; t of 0.975 with 3 degrees of freedom is 3.1824.
    let half = 3.182_45 * (4.0_f64 / 3.0 * 2.0).sqrt() / 16.0;
    let ends = [score.low - (0.5 - half), score.high - (0.5 + half)];
    assert!(ends.iter().all(|end| end.abs() < 1e-4), "{score:?}");
}

#[test]
fn pairs_that_all_agree_are_not_certain() {
    let games: Vec<PeopleGame> = (0..100)
        .map(|person| game([person, 1_000], Some(Side::Attacker)))
        .collect();
    let score = count_people(&games).score;
    assert_eq!((score.value, score.high), (1.0, 1.0));
    assert!((score.low - 0.97).abs() < 1e-9, "{score:?}");
}

#[test]
fn bands_of_ratings_leave_out_unequal_and_unrated_people() {
    let rated = |ratings, winner| PeopleGame {
        ratings: Some(ratings),
        ..game([0, 1], winner)
    };
    let games = [
        rated([1_250.0, 1_400.0], Some(Side::Attacker)),
        rated([1_250.0, 1_500.0], Some(Side::Attacker)),
        rated([1_700.0, 1_750.0], Some(Side::Defender)),
        rated([1_800.0, 1_750.0], None),
        game([0, 1], None),
    ];
    assert_eq!(count_by_rating(&games), [], "too few");
    let found = count_by_rating(&games.repeat(30));
    let found: Vec<_> = found
        .iter()
        .map(|it| (it.games, it.strength, it.score.value))
        .collect();
    assert_eq!(found, [(30, 1_250.0, 1.0), (60, 1_725.0, 0.25)]);
}

#[test]
fn a_fit_finds_the_advantage_and_its_growth() {
    for (advantage, growth) in [(0.0, 0.0), (-80.0, 100.0), (60.0, -150.0)] {
        let fit = fit_people(&simulated(advantage, growth, 7), 60, 1).unwrap();
        assert!((fit.advantage.value - advantage).abs() < 15.0, "{fit:?}");
        assert!((fit.growth.value - growth).abs() < 40.0, "{fit:?}");
        assert!(
            (150.0..200.0).contains(&fit.spread),
            "173 are true: {fit:?}"
        );
        let width = fit.growth.high - fit.growth.low;
        assert!((30.0..150.0).contains(&width), "{fit:?}");
        assert!(
            fit.bands
                .windows(2)
                .all(|it| it[0].strength < it[1].strength)
        );
        assert_eq!(fit.bands.iter().map(|it| it.games).sum::<u64>(), 6_000);
        let [first, last] =
            [0, 3].map(|band| crate::elo::elo_of_score(fit.bands[band].score.value));
        assert!(growth == 0.0 || (last > first) == (growth > 0.0), "{fit:?}");
    }
}

#[test]
fn the_true_growth_is_in_the_interval_of_most_fits() {
    let covered = (0..10).filter(|&seed| {
        let fit = fit_people(&simulated(-60.0, 80.0, seed), 60, seed).unwrap();
        fit.growth.holds(80.0)
    });
    let covered = covered.count();
    assert!(covered >= 8, "{covered} of 10");
}

#[test]
fn few_games_have_no_fit() {
    assert_eq!(fit_people(&[game([0, 1], None); 999], 10, 1), None);
    let alike = fit_people(&[game([0, 1], Some(Side::Attacker)); 1_000], 10, 1).unwrap();
    assert!(alike.advantage.value.is_finite() && alike.growth.value.is_finite());
}
