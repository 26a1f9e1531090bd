//! Who plays: chance, with a leaning.

use super::aggressor::can_win;
use super::board::{Board, Step};
use super::captures::is_jump;
use super::game::{Game, moves_king, play_on_board};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What the moves of a game lean to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    Uniform,
    /// Captures, or leaps.
    Captures,
    /// Ends the game, or captures several at once.
    Decides,
    Edges,
    King,
    /// Goes back and forth.
    Shuttle,
    /// Avoids turns that lose at once, and goes back and forth among the others.
    Careful,
}

impl Policy {
    pub(crate) const ALL: [Self; 7] = [
        Self::Uniform,
        Self::Captures,
        Self::Decides,
        Self::Edges,
        Self::King,
        Self::Shuttle,
        Self::Careful,
    ];
}

/// Draws one of the legal steps.
pub(crate) fn choose(
    policy: Policy,
    game: &Game,
    legal: &[Step],
    rng: &mut Xoshiro256PlusPlus,
) -> Step {
    let any = *legal.choose(rng).expect("a game that goes on has moves");
    if rng.random_bool(0.1) {
        return any;
    }
    let board = &game.state.board;
    match policy {
        Policy::Captures if rng.random_bool(0.3) => first(legal, rng, |step| leaps(board, step)),
        Policy::Uniform => any,
        Policy::Captures => first(legal, rng, |step| captures(game, step)),
        Policy::Decides => first(legal, rng, |step| decides(game, step)),
        Policy::Edges => sample(legal, rng, 6, |step| ends_at_edge(board, step)),
        Policy::King => sample(legal, rng, 5, |step| is_about_the_king(board, step)),
        Policy::Shuttle => back(game, legal).unwrap_or(any),
        Policy::Careful => {
            let back = back(game, legal).filter(|&step| is_safe(game, step));
            back.unwrap_or_else(|| sample(legal, rng, 8, |step| is_safe(game, step)))
        }
    }
}

/// The first of a few drawn steps that is wanted, or the last of them.
fn sample(
    legal: &[Step],
    rng: &mut Xoshiro256PlusPlus,
    tries: usize,
    wanted: impl Fn(Step) -> bool,
) -> Step {
    let mut step = *legal.choose(rng).expect("a move");
    for _ in 1..tries {
        if wanted(step) {
            break;
        }
        step = *legal.choose(rng).expect("a move");
    }
    step
}

/// The first wanted step from a drawn place on, or the one there.
fn first(legal: &[Step], rng: &mut Xoshiro256PlusPlus, wanted: impl Fn(Step) -> bool) -> Step {
    let begin = rng.random_range(0..legal.len());
    let mut around = legal[begin..].iter().chain(&legal[..begin]);
    *around.find(|&&step| wanted(step)).unwrap_or(&legal[begin])
}

fn leaps(board: &Board, step: Step) -> bool {
    matches!(step, Step::Go(from, to) if is_jump(board, from, to))
}

fn captures(game: &Game, step: Step) -> bool {
    let played = play_on_board(&game.rules, &game.state, step);
    !played.captured.is_empty() || played.outcome.is_some()
}

fn decides(game: &Game, step: Step) -> bool {
    let played = play_on_board(&game.rules, &game.state, step);
    played.captured.len() > 1 || played.outcome.is_some()
}

fn ends_at_edge(board: &Board, step: Step) -> bool {
    matches!(step, Step::Go(_, to) if board.is_edge(to))
}

fn is_about_the_king(board: &Board, step: Step) -> bool {
    let king = board.king();
    let near = |step| matches!(step, Step::Go(_, to) if (to.0 - king.0).abs() + (to.1 - king.1).abs() <= 2);
    moves_king(board, step) || near(step)
}

/// The step that takes back the side's last one.
fn back(game: &Game, legal: &[Step]) -> Option<Step> {
    let mut earlier = game.history.iter().rev();
    let (_, last) = earlier.find(|(state, _)| state.side == game.state.side)?;
    let Step::Go(from, to) = *last else {
        return None;
    };
    let back = Step::Go(to, from);
    legal.contains(&back).then_some(back)
}

/// Whether the turn wins, or leaves the opponent no win.
fn is_safe(game: &Game, step: Step) -> bool {
    let played = play_on_board(&game.rules, &game.state, step);
    match played.outcome {
        Some(outcome) => outcome.winner == Some(game.state.side),
        None => played.state.side == game.state.side || !can_win(&game.rules, &played.state),
    }
}
