//! Boards to draw on, and where pieces go and fall on them.

use serde::Serialize;
use tafl_rules::{Bitboard, BoardShape, Move, Piece, Position, Rules, Square, unlike_preset};

/// The empty board of a ruleset. Squares are numbered rank * size + file from a1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Board {
    /// The name of the ruleset.
    pub ruleset: String,
    /// What the ruleset is if it does not come with the program: the one that it is nearest to, and the fields that differ.
    pub own_rules: Option<String>,
    /// Squares along a side.
    pub size: u8,
    /// The throne, if the board has one.
    pub throne: Option<usize>,
    /// Squares on which only the king may stop.
    pub restricted: Vec<usize>,
    /// Squares on which the king wins.
    pub goals: Vec<usize>,
}

impl Board {
    pub(crate) fn of(rules: &Rules) -> Self {
        let shape = rules.shape();
        let numbers = |squares: Bitboard| squares.squares().map(|it| shape.index(it)).collect();
        Self {
            ruleset: rules.ruleset().name.clone(),
            own_rules: unlike_preset(rules.ruleset()),
            size: shape.size(),
            throne: rules.throne().squares().next().map(|it| shape.index(it)),
            restricted: numbers(rules.restricted()),
            goals: numbers(rules.goals()),
        }
    }
}

/// How often each square was left, reached, or saw a capture, in the games of one ruleset.
///
/// Squares are numbered rank * size + file from a1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeatMap {
    /// The name of the ruleset.
    pub ruleset: String,
    /// Games that were counted: those without a handicap or a sparring partner, their openings of random plies left out.
    pub games: u64,
    /// Moves from each square, by who moved: attackers, defenders without the king, king.
    pub from: [Vec<u32>; 3],
    /// Moves to each square, by the same three.
    pub to: [Vec<u32>; 3],
    /// Pieces captured on each square, by the side that lost them: attackers, defenders.
    pub captured: [Vec<u32>; 2],
}

impl HeatMap {
    pub(crate) fn new(ruleset: &str, shape: BoardShape) -> Self {
        let none = || vec![0; shape.squares()];
        Self {
            ruleset: ruleset.to_owned(),
            games: 0,
            from: [none(), none(), none()],
            to: [none(), none(), none()],
            captured: [none(), none()],
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.games += other.games;
        let own = self.from.iter_mut().chain(&mut self.to);
        let own = own.chain(&mut self.captured).flatten();
        let others = other.from.iter().chain(&other.to);
        let others = others.chain(&other.captured).flatten();
        own.zip(others).for_each(|(sum, count)| *sum += count);
    }

    /// Counts a ply from a position, and what it captured; the end of a chain moves nothing.
    pub(crate) fn add(&mut self, from: &Position, mv: Move, captured: Bitboard, shape: BoardShape) {
        let piece = (!mv.is_end()).then(|| from.piece_at(mv.from())).flatten();
        let mover = match piece {
            None => return,
            Some(Piece::Attacker | Piece::Commander) => 0,
            Some(Piece::Defender | Piece::Knight) => 1,
            Some(Piece::King) => 2,
        };
        let count = |counts: &mut Vec<u32>, square: Square| counts[shape.index(square)] += 1;
        count(&mut self.from[mover], mv.from());
        count(&mut self.to[mover], mv.to());
        let loser = from.side().opponent();
        for square in captured.squares() {
            count(&mut self.captured[loser.index()], square);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_the_throne_of_its_ruleset() {
        let throne = |name| Board::of(&Rules::preset(name).expect("a preset")).throne;
        assert_eq!(throne("tablut"), Some(40));
        assert_eq!(throne("sea-battle"), None);
    }
}
