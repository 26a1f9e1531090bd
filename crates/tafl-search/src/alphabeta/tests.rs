//! Against plain minimax, and against positions with a forced win.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{PRESET_NAMES, RankOrder, SMALL_BOARD_NAMES, Setup, Side};

/// Returns a new game after `plies` random plies, or fewer if it ended before.
pub(super) fn random_game(rules: &Arc<Rules>, plies: u32, seed: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = Game::new(rules.clone());
    for _ in 0..plies {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
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
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
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
    for ruleset in PRESET_NAMES {
        compare(ruleset, 2, 12);
    }
    for ruleset in SMALL_BOARD_NAMES {
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

/// A position with a forced win, from the fixtures.
struct Mate {
    game: Game,
    turns: u32,
    winning: Vec<Move>,
    line: &'static str,
}

fn mates() -> impl Iterator<Item = Mate> {
    let text = include_str!("../../tests/fixtures/mates.txt");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&str> = line.split(" | ").collect();
            let [ruleset, side, turns, board, winning] = fields[..] else {
                panic!("five fields in {line:?}");
            };
            let side: Side = side.parse().unwrap();
            let setup = Setup::from_text(board, RankOrder::HighestFirst).unwrap();
            let rules = Rules::preset(ruleset).unwrap();
            let position = rules.position(&setup.with_side(side)).unwrap();
            Mate {
                game: Game::from_position(rules, position),
                turns: turns.parse().unwrap(),
                winning: winning.split(' ').map(|mv| mv.parse().unwrap()).collect(),
                line,
            }
        })
}

fn check_mates(turns: u32, ruleset: &str) {
    let mut count = 0;
    let wanted = |mate: &Mate| mate.turns == turns && mate.line.starts_with(ruleset);
    for mut mate in mates().filter(wanted) {
        let rules = mate.game.rules().clone();
        let choice = AlphaBeta::new(2 * turns - 1, &rules).choose(&mut mate.game);
        assert!(choice.score >= LEAST_WIN, "{choice:?}: {}", mate.line);
        assert_eq!(choice.depth, 2 * turns - 1, "{choice:?}: {}", mate.line);
        // The fixture names wins by the king's fate; others, by a fort for example, are as good.
        let mut after = mate.game.clone();
        after.play(choice.mv).unwrap();
        let by_king = mate.winning.contains(&choice.mv);
        assert!(
            by_king || proves(&mut after, &choice),
            "{choice:?}: {}",
            mate.line
        );
        count += 1;
    }
    assert!(count > 0);
}

/// Returns whether the position after a choice is lost for the opponent within the depth left.
fn proves(after: &mut Game, choice: &AlphaBetaChoice) -> bool {
    match after.outcome() {
        Some(outcome) => outcome.winner.is_some(),
        None => {
            let rules = after.rules().clone();
            AlphaBeta::new(choice.depth, &rules)
                .choose(after)
                .score
                .abs()
                >= LEAST_WIN
        }
    }
}

#[test]
fn wins_in_one_and_two_turns_are_found_at_their_depth() {
    for ruleset in PRESET_NAMES.into_iter().chain(["brandubh"]) {
        check_mates(1, ruleset);
        check_mates(2, ruleset);
    }
}

#[test]
fn wins_in_three_turns_are_found_at_their_depth() {
    check_mates(3, "brandubh");
    if std::env::var_os("TAFL_SLOW").is_some() {
        PRESET_NAMES
            .into_iter()
            .for_each(|ruleset| check_mates(3, ruleset));
    }
}
