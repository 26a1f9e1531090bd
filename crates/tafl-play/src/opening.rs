//! Random plies at the start of a game, and the first positions of matches.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::derive_seed;

/// How often an opening is redrawn because the game ended in it, before there is none.
const ATTEMPTS: u64 = 32;

/// Returns a new game after 0 to `most` random plies, all numbers equally likely; it is not over.
///
/// An opening in which the game ends is redrawn. If that happens 32 times in a row, the game starts without one.
pub(crate) fn random_opening(rules: &Arc<Rules>, most: u32, seed: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, &[0]));
    let plies = rng.random_range(0..=most);
    let draw = |attempt| random_game(rules, plies, derive_seed(seed, &[1, attempt]));
    let found = (0..ATTEMPTS)
        .map(draw)
        .find(|game| game.outcome().is_none());
    found.unwrap_or_else(|| Game::new(rules.clone()))
}

/// Returns a new game after `plies` random plies, or fewer if it ended before.
///
/// Each legal move is equally likely; plies within a chain count.
pub fn random_game(rules: &Arc<Rules>, plies: u32, seed: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = Game::new(rules.clone());
    let mut moves = Vec::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.play_unchecked(moves[rng.random_range(0..moves.len())]);
    }
    game
}

/// How often an opening of a match is redrawn because a win is near or another opening is the same.
const MATCH_ATTEMPTS: u64 = 64;

/// Returns `count` openings of `plies` random plies each, as the moves that lead to them.
///
/// An opening is redrawn if the game is over, the side to move wins at once or cannot keep its opponent from winning at
/// once, or the opening leads to the position of an earlier one. After 64 times any opening that is not over is used,
/// and as the last resort the start.
pub fn openings(rules: &Arc<Rules>, count: u32, plies: u32, seed: u64) -> Vec<Vec<Move>> {
    let mut seen = BTreeSet::new();
    let draw = |index: u64| {
        let game = |attempt, _| random_game(rules, plies, derive_seed(seed, &[index, attempt]));
        draw_open(rules, &mut seen, game)
    };
    (0..u64::from(count)).map(draw).collect()
}

/// Returns the openings of [`openings`] without those that repeat an earlier one: played again by players who do not vary,
/// their games would be counted as new ones. The start, which stands for an opening that was not found, is among them only
/// where none was.
pub fn distinct_openings(rules: &Arc<Rules>, count: u32, plies: u32, seed: u64) -> Vec<Vec<Move>> {
    let drawn = openings(rules, count, plies, seed);
    let left_out = repeated_openings(rules, &drawn);
    let numbered = (0..).zip(drawn);
    let kept = numbered.filter(|(number, _)| !left_out.contains(number));
    let mut kept: Vec<Vec<Move>> = kept.map(|(_, moves)| moves).collect();
    if kept.len() > 1 {
        kept.retain(|moves| moves.len() == plies as usize);
    }
    kept
}

/// Returns the numbers of the openings that cannot be played, end the game, or lead to the position of an earlier one.
pub fn repeated_openings(rules: &Arc<Rules>, openings: &[Vec<Move>]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut is_new = |moves: &Vec<Move>| {
        let mut game = Game::new(rules.clone());
        let is_legal = moves.iter().all(|&mv| game.play(mv).is_ok());
        is_legal && game.outcome().is_none() && seen.insert(game.position().key())
    };
    let numbers = 0..openings.len();
    numbers
        .filter(|&number| !is_new(&openings[number]))
        .collect()
}

/// Returns an opening of a match, redrawn as [`openings`] says, and adds its position to those that were seen.
///
/// `draw` is given the number of the attempt, and how many of those before led to a position that was seen.
pub(crate) fn draw_open(
    rules: &Arc<Rules>,
    seen: &mut BTreeSet<u64>,
    mut draw: impl FnMut(u64, usize) -> Game,
) -> Vec<Move> {
    let (mut spare, mut repeats) = (None, 0);
    let found = (0..MATCH_ATTEMPTS).find_map(|attempt| {
        let mut game = draw(attempt, repeats);
        if game.outcome().is_some() {
            return None;
        }
        let is_new = !seen.contains(&game.position().key());
        repeats += usize::from(!is_new);
        if is_new && is_open(&mut game) {
            return Some(game);
        }
        spare.get_or_insert(game);
        None
    });
    let game = (found.or(spare)).unwrap_or_else(|| Game::new(rules.clone()));
    seen.insert(game.position().key());
    game.moves().to_vec()
}

/// Returns whether the side to move neither wins at once nor loses to the next ply whatever it
/// does.
fn is_open(game: &mut Game) -> bool {
    let moves = game.legal();
    winning_move(game, &moves).is_none() && moves.iter().any(|&mv| !lets_opponent_win(game, mv))
}

/// Returns the game after an opening, whose moves are known to be legal.
pub fn game_after(rules: &Arc<Rules>, opening: &[Move]) -> Game {
    let mut game = Game::new(rules.clone());
    for &mv in opening {
        game.play_unchecked(mv);
    }
    game
}

/// Returns whether a legal move ends the game in favor of the side that plays it.
pub(crate) fn wins(game: &mut Game, mv: Move) -> bool {
    let (mark, side) = (game.mark(), game.position().side());
    game.play_unchecked(mv);
    let won = game.outcome().is_some_and(|it| it.winner == Some(side));
    game.rewind(&mark);
    won
}

/// Returns the first of some legal moves that ends the game in favor of the side that plays it.
pub(crate) fn winning_move(game: &mut Game, moves: &[Move]) -> Option<Move> {
    moves.iter().copied().find(|&mv| wins(game, mv))
}

/// Returns whether a legal move loses, at once or to a ply by the opponent.
pub(crate) fn lets_opponent_win(game: &mut Game, mv: Move) -> bool {
    let (mark, side) = (game.mark(), game.position().side());
    game.play_unchecked(mv);
    let lost = match game.outcome() {
        Some(outcome) => outcome.winner == Some(side.opponent()),
        // Within a chain the next ply is this side's own.
        None if game.position().side() == side => false,
        None => {
            let replies = game.legal();
            replies.into_iter().any(|reply| wins(game, reply))
        }
    };
    game.rewind(&mark);
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brandubh() -> Arc<Rules> {
        Rules::preset("brandubh").unwrap()
    }

    #[test]
    fn openings_have_all_lengths_up_to_the_most_and_are_not_over() {
        let mut lengths = [0; 5];
        for seed in 0..200 {
            let game = random_opening(&brandubh(), 4, seed);
            assert_eq!(game.outcome(), None);
            lengths[game.moves().len()] += 1;
        }
        assert!(lengths.iter().all(|&games| games > 20), "{lengths:?}");
    }

    #[test]
    fn openings_longer_than_games_end_before_the_end() {
        for seed in 0..10 {
            assert_eq!(random_opening(&brandubh(), 1_000, seed).outcome(), None);
        }
    }

    #[test]
    fn openings_differ_are_open_and_repeat_from_the_seed() {
        let rules = Rules::preset("copenhagen").unwrap();
        let found = openings(&rules, 30, 6, 1);
        assert_eq!(found, openings(&rules, 30, 6, 1));
        assert_ne!(found, openings(&rules, 30, 6, 2));
        let mut keys = BTreeSet::new();
        for moves in &found {
            assert_eq!(moves.len(), 6);
            let mut game = game_after(&rules, moves);
            assert!(is_open(&mut game));
            assert!(keys.insert(game.position().key()));
        }
    }

    #[test]
    fn there_are_as_many_openings_as_asked_for_even_if_they_must_repeat() {
        let rules = Rules::preset("brandubh").unwrap();
        assert_eq!(openings(&rules, 5, 0, 1), vec![Vec::new(); 5]);
        let long = openings(&rules, 3, 1_000, 1);
        assert_eq!(long, vec![Vec::new(); 3]);
    }

    #[test]
    fn the_start_is_among_distinct_openings_only_alone() {
        let lengths = |count, plies| -> Vec<usize> {
            let found = distinct_openings(&brandubh(), count, plies, derive_seed(1, &[0]));
            found.iter().map(Vec::len).collect()
        };
        let long = lengths(10, 240);
        assert!(
            (1..10).contains(&long.len()) && long.iter().all(|&plies| plies == 240),
            "{long:?}"
        );
        assert_eq!([lengths(3, 1_000), lengths(3, 0)], [[0], [0]]);
    }
}
