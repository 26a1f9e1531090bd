//! What the solver of threats proves is what trying everything proves.

use crate::exhaustive::{LastMoves, Solver};
use crate::support::rules;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Game;
use tafl_search::{Mode, RootStats, Search, SearchConfig, UniformEvaluator, run};

fn solved(game: &Game, solver_positions: u32) -> RootStats {
    let config = SearchConfig {
        solver_positions,
        ..SearchConfig::gumbel(1)
    };
    let mut search = Search::new(&config, game.clone(), Mode::Match, 1);
    run(&mut search, &mut UniformEvaluator)
}

/// Plays random games, and calls `check` with their positions.
fn random_positions(ruleset: &str, games: u64, mut check: impl FnMut(&Game)) {
    for seed in 0..games {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = Game::new(rules(ruleset));
        let mut moves = Vec::new();
        while game.outcome().is_none() && game.moves().len() < 120 {
            check(&game);
            game.legal_moves(&mut moves);
            let next = moves[rng.random_range(0..moves.len())];
            game.play(next).expect("legal");
        }
    }
}

#[test]
fn a_win_that_is_proven_is_one_and_wins_of_two_turns_are_found() {
    for (ruleset, games) in [("brandubh", 40), ("tablut", 4)] {
        let (mut proven, mut in_two) = (0, 0);
        random_positions(ruleset, games, |game| {
            let side = game.position().side();
            let stats = solved(game, 100_000);
            let mut truth = Solver::new(side, LastMoves::OfTheKing);
            let mut played = game.clone();
            if let Some(proof) = stats.proven.filter(|proof| proof.winner == Some(side)) {
                let turns = u32::from(proof.plies).div_ceil(2);
                proven += 1;
                if turns <= 2 {
                    let mut all = Solver::new(side, LastMoves::All);
                    assert!(all.wins_by(&mut played, turns, stats.chosen));
                }
            } else if truth.wins_within(&mut played, 2) {
                // Wins without a threat: the opponent has no good move, or walls himself in.
                in_two += 1;
            }
        });
        assert!(proven > 50, "{ruleset}: {proven}");
        assert!(
            in_two * 50 < proven,
            "{ruleset}: {in_two} of {proven} unseen"
        );
    }
}

#[test]
fn few_positions_prove_nothing_wrong_and_none_turns_it_off() {
    random_positions("berserk-2017", 6, |game| {
        let side = game.position().side();
        let [none, few, many] = [0, 100, 20_000].map(|positions| solved(game, positions).proven);
        let won = |proof: Option<tafl_search::Proof>| {
            proof.is_some_and(|proof| proof.winner == Some(side))
        };
        assert!(!won(none) || won(few), "{:?}", game.position());
        assert!(!won(few) || won(many), "{:?}", game.position());
    });
}

/// Whoever has a forced win after every move has won, and a search sees it where its leaves are looked at.
#[test]
fn leaves_that_are_solved_show_losses_that_visits_alone_do_not() {
    let (mut with, mut without, mut checked) = (0, 0, 0);
    random_positions("brandubh", 16, |game| {
        let opponent = game.position().side().opponent();
        let lost_in = |leaf_solver_positions| {
            let config = SearchConfig {
                leaf_solver_positions,
                ..SearchConfig::gumbel(128)
            };
            let mut search = Search::new(&config, game.clone(), Mode::Match, 1);
            let proof = run(&mut search, &mut UniformEvaluator).proven;
            proof.filter(|proof| proof.winner == Some(opponent))
        };
        without += usize::from(lost_in(0).is_some());
        let Some(proof) = lost_in(3_000) else {
            return;
        };
        with += 1;
        let turns = u32::from(proof.plies).div_ceil(2);
        if turns == 2 {
            checked += 1;
            let mut all = Solver::new(opponent, LastMoves::All);
            assert!(all.wins_within(&mut game.clone(), turns), "{game:?}");
        }
    });
    assert!(with > without + 10, "{with} and {without}");
    assert!(checked > 10, "{checked} of {with}");
}
