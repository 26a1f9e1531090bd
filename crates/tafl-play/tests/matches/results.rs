//! Who wins matches: players of known strength.

use crate::matches::common::{
    Job, config, equal_opinions, greedy, job, random, rollouts, searcher, uniform,
};
use tafl_arena::rate;
use tafl_play::MatchConfig;
use tafl_rules::{Rules, Side};

#[test]
fn greedy_beats_random_and_the_interval_says_so() {
    let job = Job {
        config: MatchConfig {
            openings: 40,
            ..config()
        },
        ..job([&greedy(), &random()], 1)
    };
    let result = job.result();
    let (attacks, defends) = (
        result.tally(0, Side::Attacker),
        result.tally(0, Side::Defender),
    );
    assert_eq!((attacks.games(), defends.games()), (40, 40));
    assert!(
        attacks.score() > 0.7 && defends.score() > 0.7,
        "{attacks:?} {defends:?}"
    );
    assert_eq!(result.total(0).wins, result.total(1).losses);
    assert_eq!(result.pair_counts().pairs(), 40);
    let elo = result.pair_counts().elo();
    let superiority = result.pair_counts().superiority();
    assert!(elo.low > 100.0 && superiority > 0.999, "{elo:?}");
    let ratings = rate(2, 1, &result.side_results([1, 0], 0), 0).unwrap();
    assert!(ratings.players[1].low > 100.0, "{ratings:?}");
}

#[test]
fn rollouts_beat_random() {
    let job = Job {
        config: MatchConfig {
            openings: 10,
            ..config()
        },
        ..job([&rollouts(100), &random()], 5)
    };
    let total = job.result().total(0);
    assert!(total.score() > 0.8, "{total:?}");
}

#[test]
fn capped_games_are_counted_by_themselves_and_score_half() {
    let job = Job {
        config: MatchConfig {
            max_plies: 6,
            ..config()
        },
        rules: Rules::preset("copenhagen").unwrap(),
        ..job([&random(), &random()], 1)
    };
    let result = job.result();
    let total = result.total(0);
    assert_eq!((total.capped, total.draws, total.games()), (12, 0, 12));
    assert!((total.score() - 0.5).abs() < f64::EPSILON);
    assert_eq!(result.pair_counts().0, [0, 0, 6, 0, 0]);
    assert_eq!(result.set_tally().undecided, 6);
}

#[test]
fn a_player_against_itself_or_its_twin_is_even() {
    let (uniform, twin) = (uniform(8), searcher("twin", 8, equal_opinions()));
    let twins = job([&uniform, &twin], 4);
    let result = twins.result();
    // Without randomness both games of an opening are the same, so the sides' results cancel out.
    assert_eq!(result.pair_counts().0, [0, 0, 6, 0, 0]);
    for games in result.games.chunks(2) {
        assert_eq!(games[0].record.plies, games[1].record.plies);
    }
    let itself = job([&uniform, &uniform], 4);
    for (alone, game) in itself.records().iter().zip(&result.games) {
        assert_eq!(alone.plies, game.record.plies);
    }
}
