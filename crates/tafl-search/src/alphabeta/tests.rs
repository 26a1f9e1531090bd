//! Against plain minimax.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{PRESET_NAMES, SMALL_BOARD_NAMES};

/// Returns a new game after `plies` random plies, or fewer if it ended before.
fn random_game(rules: &Arc<Rules>, plies: u32, seed: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = Game::new(rules.clone());
    for _ in 0..plies {
        let moves = game.legal();
        if !moves.is_empty() {
            game.play_unchecked(moves[rng.random_range(0..moves.len())]);
        }
    }
    game
}

/// Returns what a search by all moves, without any shortcut, finds.
fn minimax(evaluation: &Evaluation, game: &mut Game, depth: u32, ply: i32) -> i32 {
    if depth == 0 {
        return evaluation.for_mover(game.position());
    }
    let (mark, side) = (game.mark(), game.position().side());
    let moves = game.legal();
    let scores = moves.into_iter().map(|mv| {
        game.play_unchecked(mv);
        let score = match game.outcome().map(|outcome| outcome.winner) {
            Some(None) => 0,
            Some(Some(winner)) if winner == side => AlphaBeta::WIN - (ply + 1),
            Some(Some(_)) => ply + 1 - AlphaBeta::WIN,
            None if game.position().side() == side => minimax(evaluation, game, depth, ply + 1),
            None => -minimax(evaluation, game, depth - 1, ply + 1),
        };
        game.rewind(&mark);
        score
    });
    scores.max().expect("a game that goes on has a move")
}

/// Returns what minimax says of the best move at the least depth at which it is certain, as
/// iterative deepening does.
fn deepen(evaluation: &Evaluation, game: &mut Game, depth: u32) -> i32 {
    let mut score = 0;
    for depth in 1..=depth {
        score = minimax(evaluation, game, depth, 0);
        if score.abs() >= LEAST_WIN {
            break;
        }
    }
    score
}

fn compare(ruleset: &str, depth: u32, games: u64) {
    let rules = Rules::preset(ruleset).unwrap();
    let mut player = AlphaBeta::new(depth, &rules);
    let mut compared = 0;
    for seed in 0..games {
        let mut game = random_game(&rules, 10 + 7 * (seed % 8) as u32, seed);
        if game.outcome().is_some() || game.rules().moves(game.position()).len() < 2 {
            continue;
        }
        let choice = player.choose(&mut game);
        let expected = deepen(&player.evaluation, &mut game, depth);
        assert_eq!(
            choice.score, expected,
            "{ruleset}, depth {depth}, seed {seed}"
        );
        let key = game.position().key();
        let again = AlphaBeta::new(depth, &rules).choose(&mut game);
        assert_eq!(choice, again, "what came before must not matter");
        assert_eq!(game.position().key(), key);
        compared += 1;
    }
    assert!(compared > games / 2, "{ruleset}: {compared}");
}

#[test]
fn scores_are_those_of_minimax_under_every_ruleset() {
    for ruleset in PRESET_NAMES.into_iter().chain(SMALL_BOARD_NAMES) {
        compare(ruleset, 2, 12);
    }
    compare("brandubh", 3, 10);
}

#[test]
fn scores_are_those_of_minimax_deeper_down() {
    if std::env::var_os("TAFL_SLOW").is_none() {
        return;
    }
    for ruleset in PRESET_NAMES {
        compare(ruleset, 3, 12);
    }
    compare("brandubh", 4, 24);
}
