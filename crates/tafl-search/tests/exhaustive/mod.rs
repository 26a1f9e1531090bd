//! The truth about small problems, by trying everything: the slow, plain answer that searches must agree with.

use tafl_rules::{Game, Move, Side};

/// Returns the legal moves of a game.
pub(crate) fn moves_of(game: &Game) -> Vec<Move> {
    game.legal()
}

/// Which last moves of a win are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastMoves {
    /// All of them.
    All,
    /// Those that take the king or bring him home; much faster, and misses rare wins.
    OfTheKing,
}

/// Looks for wins of one side by trying every move of both.
pub(crate) struct Solver {
    side: Side,
    last_moves: LastMoves,
    /// The reply that refuted the last try, by turns left; it is tried first.
    refutations: [Option<Move>; 4],
}

impl Solver {
    pub(crate) fn new(side: Side, last_moves: LastMoves) -> Self {
        Self {
            side,
            last_moves,
            refutations: [None; 4],
        }
    }

    /// Returns whether the side wins within that many of its own turns (at most 3), whatever the
    /// opponent does.
    ///
    /// A capture chain is one turn. Repetition and limits count as in the game.
    pub(crate) fn wins_within(&mut self, game: &mut Game, turns: u32) -> bool {
        if let Some(outcome) = game.outcome() {
            return outcome.winner == Some(self.side);
        }
        if turns == 0 {
            return false;
        }
        let moves = moves_of(game);
        if game.position().side() != self.side {
            return self.wins_against(game, turns, moves);
        }
        let king_falls_or_escapes = game.rules().king_deciding_move(game.position(), &moves);
        if king_falls_or_escapes.is_some() {
            return true;
        }
        let tries = turns > 1 || self.last_moves == LastMoves::All;
        tries && moves.into_iter().any(|mv| self.wins_by(game, turns, mv))
    }

    /// Returns whether the side wins within that many turns, this one included if it is its own, after a move.
    pub(crate) fn wins_by(&mut self, game: &mut Game, turns: u32, mv: Move) -> bool {
        let mark = game.mark();
        let mover = game.position().side();
        game.play_unchecked(mv);
        let handed_over = mover == self.side && game.position().side() != self.side;
        let wins = self.wins_within(game, turns - u32::from(handed_over));
        game.rewind(&mark);
        wins
    }

    fn wins_against(&mut self, game: &mut Game, turns: u32, mut replies: Vec<Move>) -> bool {
        let known = self.refutations[turns as usize];
        if let Some(index) = replies.iter().position(|&reply| Some(reply) == known) {
            replies.swap(0, index);
        }
        let mut refutes = |reply: &Move| !self.wins_by(game, turns, *reply);
        let refutation = replies.iter().copied().find(&mut refutes);
        if refutation.is_some() {
            self.refutations[turns as usize] = refutation;
        }
        refutation.is_none()
    }
}
