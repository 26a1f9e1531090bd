//! What the options of a search change, and what they must not.

mod hash_evaluator;
#[expect(dead_code, reason = "drawn boards are for the other tests")]
mod support;

use hash_evaluator::HashEvaluator;
use support::{ALGORITHMS, rules};
use tafl_rules::Game;
use tafl_search::{Algorithm, Mode, RootStats, Search, SearchConfig, run};

const RULESETS: [&str; 3] = ["brandubh", "copenhagen", "berserk-2017"];

/// What is not learned from only has to find its move.
#[test]
fn an_early_stop_changes_no_move_but_where_the_visits_left_out_would_have_proven_something() {
    let (mut saved, mut compared) = (0, 0);
    for ruleset in RULESETS {
        for algorithm in ALGORITHMS {
            let whole = SearchConfig::reference(algorithm, 120);
            let early = SearchConfig {
                early_stop: true,
                ..whole.clone()
            };
            for seed in 0..4 {
                let mut game = Game::new(rules(ruleset));
                while game.outcome().is_none() && game.moves().len() < 60 {
                    let find = |config| {
                        let mut search = Search::new(config, game.clone(), Mode::Match, seed);
                        let stats = run(&mut search, &mut HashEvaluator);
                        (stats, search.line(1))
                    };
                    let ((whole, _), (early, line)) = (find(&whole), find(&early));
                    let by = |stats: &RootStats, mv| {
                        let root = stats.moves.iter().find(|root| root.mv == mv);
                        root.and_then(|root| root.proven)
                    };
                    let proven = whole.proven.is_some() && early.proven.is_none();
                    if !proven && by(&whole, early.chosen).is_none() {
                        assert_eq!(whole.chosen, early.chosen, "{ruleset} {algorithm:?}");
                        compared += 1;
                    }
                    assert!(early.visits <= whole.visits && line == [early.chosen]);
                    saved += whole.visits - early.visits;
                    // The seeds part ways by a move that both searches looked at.
                    let played = &whole.moves[(seed as usize * 7) % whole.moves.len()];
                    let mv = if seed == 0 { whole.chosen } else { played.mv };
                    game.play(mv).expect("a legal move");
                }
            }
        }
    }
    assert!(compared > 500 && saved > 1_000, "{compared}, {saved}");
}

#[test]
fn an_early_stop_is_not_for_what_is_learned_from() {
    for algorithm in ALGORITHMS {
        let config = SearchConfig {
            early_stop: true,
            ..SearchConfig::reference(algorithm, 60)
        };
        let game = Game::new(rules("brandubh"));
        let mut search = Search::new(&config, game, Mode::SelfPlay, 3);
        assert_eq!(run(&mut search, &mut HashEvaluator).visits, 60);
    }
}

#[test]
fn forced_visits_reach_more_of_the_noise_and_are_not_taught() {
    for ruleset in RULESETS {
        let find = |forced_visits| {
            let config = SearchConfig {
                forced_visits,
                ..SearchConfig::reference(Algorithm::Puct, 200)
            };
            let game = Game::new(rules(ruleset));
            let mut search = Search::new(&config, game, Mode::SelfPlay, 3);
            let stats = run(&mut search, &mut HashEvaluator);
            let policy: f32 = stats.moves.iter().map(|root| root.policy).sum();
            assert!((policy - 1.0).abs() < 1e-4 && stats.visits == 200);
            stats
        };
        let (free, forced) = (find(0.0), find(2.0));
        let single = |stats: &RootStats| {
            let moves = stats.moves.iter();
            moves.filter(|root| root.visits == 1).count()
        };
        let taught = |stats: &RootStats| {
            let moves = stats.moves.iter();
            moves.filter(|root| root.policy > 0.0).count()
        };
        assert!(single(&forced) < single(&free), "{ruleset}");
        assert!(taught(&forced) < taught(&free), "{ruleset}");
        let best = |stats: &RootStats| {
            let moves = stats.moves.iter();
            moves
                .map(|root| (root.visits, root.policy))
                .max_by_key(|best| best.0)
        };
        let (visits, policy) = best(&forced).expect("a move");
        assert!(policy > visits as f32 / 200.0, "{ruleset}");
    }
}

#[test]
fn gumbel_draws_from_the_visits_in_the_plies_of_its_temperature() {
    let config = SearchConfig {
        gumbel_temperature_plies: 1,
        ..SearchConfig::reference(Algorithm::Gumbel, 40)
    };
    let find = |config: &SearchConfig, seed| {
        let game = Game::new(rules("brandubh"));
        let mut search = Search::new(config, game, Mode::SelfPlay, seed);
        run(&mut search, &mut HashEvaluator)
    };
    let most = |stats: &RootStats| {
        let moves = stats.moves.iter();
        moves.map(|root| root.visits).max().unwrap_or(0)
    };
    let chosen = |stats: &RootStats| {
        let root = stats.moves.iter().find(|root| root.mv == stats.chosen);
        root.map_or(0, |root| root.visits)
    };
    let mut fewer = 0;
    for seed in 0..40 {
        let drawn = find(&config, seed);
        assert!(chosen(&drawn) > 0);
        fewer += usize::from(chosen(&drawn) < most(&drawn));
        let without = SearchConfig::reference(Algorithm::Gumbel, 40);
        let plain = find(&without, seed);
        assert_eq!(plain.moves, drawn.moves, "only the choice differs");
        assert_eq!(chosen(&plain), most(&plain));
    }
    assert!(fewer > 10, "{fewer} of 40");
}
