//! Prints positions in which a side wins in one, two or three turns of its own: the file `tests/fixtures/mates.txt`.
//!
//! `cargo run --release -p tafl-search --example mates > crates/tafl-search/tests/fixtures/mates.txt`; some minutes.
#![expect(clippy::print_stdout, reason = "an example prints its findings")]

#[path = "../tests/exhaustive/mod.rs"]
mod exhaustive;

use exhaustive::{LastMoves, Solver, moves_of};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_rules::{Game, Move, PRESET_NAMES, RankOrder, Rules, Setup, Side, Square};

/// Positions for each ruleset and side, by turns.
const POSITIONS: [usize; 3] = [10, 10, 6];
/// More winning moves than this make a position too easy.
const MOST_WINNING_MOVES: usize = 3;
/// More replies than this to the winning move that do not lose at once make a win in three too quiet:
/// with equal priors, tens of thousands of visits prove what each of a hundred replies leads to.
const MOST_DEFENSES: usize = 8;
/// What a ruleset, side and number of turns may take; what is found by then has to do.
const PATIENCE: Duration = Duration::from_secs(45);

fn main() {
    println!("# Wins in one to three turns, found by trying everything (examples/mates.rs).");
    println!(
        "# ruleset | side to move | turns | board, highest rank first | the moves that win by the king's fate"
    );
    for name in PRESET_NAMES.into_iter().chain(["brandubh"]) {
        let rules = Rules::preset(name).expect("a preset");
        for side in Side::ALL {
            for turns in 1..=3 {
                find(&rules, side, turns);
            }
        }
    }
}

/// Prints boards with a win in exactly that many turns.
fn find(rules: &Arc<Rules>, side: Side, turns: u32) {
    let mut rng =
        Xoshiro256PlusPlus::seed_from_u64(rules.ruleset().fingerprint() ^ u64::from(turns));
    let (begun, mut found) = (Instant::now(), 0);
    while found < POSITIONS[turns as usize - 1] && begun.elapsed() < PATIENCE {
        let setup = random_setup(rules, side, &mut rng).with_side(side);
        let Ok(mut game) = Game::from_setup(rules.clone(), &setup) else {
            continue;
        };
        let mut quick = Solver::new(side, LastMoves::OfTheKing);
        if game.outcome().is_some()
            || quick.wins_within(&mut game, turns - 1)
            || !quick.wins_within(&mut game, turns)
        {
            continue;
        }
        let mut solver = Solver::new(side, LastMoves::All);
        if solver.wins_within(&mut game, turns - 1) {
            continue;
        }
        let winning = winning_moves(&mut quick, &mut game, turns);
        let forces = |&mv: &Move| forces(&mut solver, &mut game, mv);
        if winning.len() > MOST_WINNING_MOVES || !winning.iter().any(forces) {
            continue;
        }
        let name = &rules.ruleset().name;
        let board = setup.to_text(RankOrder::HighestFirst);
        let moves: Vec<String> = winning.iter().map(ToString::to_string).collect();
        println!("{name} | {side} | {turns} | {board} | {}", moves.join(" "));
        found += 1;
    }
}

/// Returns the moves that win within so many turns by the king's capture or escape, or more than enough of them.
fn winning_moves(solver: &mut Solver, game: &mut Game, turns: u32) -> Vec<Move> {
    let moves = moves_of(game).into_iter();
    let winning = moves.filter(|&mv| solver.wins_by(game, turns, mv));
    winning.take(MOST_WINNING_MOVES + 1).collect()
}

/// Returns whether a move leaves the opponent few replies that do not lose at once.
fn forces(solver: &mut Solver, game: &mut Game, mv: Move) -> bool {
    let mark = game.mark();
    game.play_unchecked(mv);
    let replies = moves_of(game).into_iter();
    let defends = |reply: &Move| !solver.wins_by(game, 1, *reply);
    let defenses = replies.filter(defends).count();
    game.rewind(&mark);
    defenses <= MOST_DEFENSES
}

/// Returns a board with the king and some of the ruleset's pieces, attackers around him if they are to win.
fn random_setup(rules: &Rules, side: Side, rng: &mut Xoshiro256PlusPlus) -> Setup {
    let size = rules.shape().size();
    let mut board = vec![vec!['.'; usize::from(size)]; usize::from(size)];
    let any = |rng: &mut Xoshiro256PlusPlus| (rng.random_range(0..size), rng.random_range(0..size));
    let start = Setup::of(&rules.start(), rules.shape()).to_text(RankOrder::HighestFirst);
    let king = loop {
        let (file, rank) = any(rng);
        if !rules.restricted().contains(Square::new(file, rank)) {
            break (file, rank);
        }
    };
    board[usize::from(king.1)][usize::from(king.0)] = 'K';
    let share = rng.random_range(0.2..0.9);
    for piece in start.chars().filter(|letter| "tTcN".contains(*letter)) {
        if rng.random::<f32>() > share {
            continue;
        }
        let near = piece == 't' && side == Side::Attacker && rng.random::<f32>() < 0.4;
        let (file, rank) = if near { around(king, rng) } else { any(rng) };
        let free = file < size
            && rank < size
            && !rules.restricted().contains(Square::new(file, rank))
            && board[usize::from(rank)][usize::from(file)] == '.';
        if free {
            board[usize::from(rank)][usize::from(file)] = piece;
        }
    }
    let ranks: Vec<String> = board.iter().rev().map(|rank| text_of(rank)).collect();
    Setup::from_text(&ranks.join("/"), RankOrder::HighestFirst).expect("a board")
}

/// Returns a place at most two files and ranks away, perhaps off the board.
fn around((file, rank): (u8, u8), rng: &mut Xoshiro256PlusPlus) -> (u8, u8) {
    let mut shift = |place: u8| (place + rng.random_range(0..5)).wrapping_sub(2);
    (shift(file), shift(rank))
}

/// Writes a rank, its empty squares as numbers.
fn text_of(rank: &[char]) -> String {
    let mut text = String::new();
    for group in rank.chunk_by(|a, b| a == b) {
        if group[0] == '.' {
            text += &group.len().to_string();
        } else {
            text.extend(group);
        }
    }
    text
}
