//! What the auxiliary heads learn: what becomes of the board, and what the other side answers.

use crate::Sample;
use tafl_rules::{Bitboard, BoardShape, Piece, Side, Symmetry};

/// Targets that only shape the tower while it learns (Wu 2019, "Accelerating Self-Play Learning in Go", 3.4 and 4.1).
///
/// A target whose weight is 0 says nothing; its numbers are 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuxiliaryTargets {
    /// What stands on each square when the game is over, `[len, squares]`: 0 nothing, 1 a piece of the
    /// side to move, 2 a piece of the other side; the king is a defender.
    pub ownership: Vec<u8>,
    /// Weight of each sample in the ownership loss: 0 where the game was cut or its end is not stored.
    pub ownership_weight: Vec<f32>,
    /// Pieces that the side to move, and the other side, lose from here to the end of the game.
    pub captures: Vec<[f32; 2]>,
    /// Weight of each sample in the captures loss: 0 where the game was cut.
    pub captures_weight: Vec<f32>,
    /// The first move of the other side's next turn, as [`tafl_rules::PolicyIndex`].
    pub reply: Vec<u16>,
    /// Weight of each sample in the reply loss: 0 where the other side has no further turn.
    pub reply_weight: Vec<f32>,
}

impl AuxiliaryTargets {
    /// Adds the targets of a sample as they look under a symmetry; `weight` is its weight in the policy loss.
    pub(crate) fn push(
        &mut self,
        sample: &Sample,
        weight: f32,
        symmetry: Symmetry,
        shape: BoardShape,
    ) {
        let is_known = |known: bool| if known { 1.0 } else { 0.0 };
        let is_over = !sample.ending.is_capped();
        self.push_ownership(sample, symmetry, shape);
        self.captures.push(if is_over {
            captures_to_come(sample)
        } else {
            [0.0; 2]
        });
        self.captures_weight.push(is_known(is_over));
        let reply = sample.reply.map(|mv| symmetry.mv(mv, shape));
        self.reply
            .push(reply.map_or(0, |mv| mv.policy_index(shape).0));
        self.reply_weight.push(weight * is_known(reply.is_some()));
    }

    fn push_ownership(&mut self, sample: &Sample, symmetry: Symmetry, shape: BoardShape) {
        let begin = self.ownership.len();
        self.ownership.resize(begin + shape.squares(), 0);
        let board = sample.final_board.as_ref();
        let board = board.filter(|_| !sample.ending.is_capped());
        for (kind, squares) in Piece::ALL
            .into_iter()
            .zip(board.iter().flat_map(|b| b.iter()))
        {
            let owner = if kind.side() == sample.facts.side {
                1
            } else {
                2
            };
            for square in symmetry.bitboard(*squares, shape).squares() {
                self.ownership[begin + shape.index(square)] = owner;
            }
        }
        self.ownership_weight
            .push(if board.is_some() { 1.0 } else { 0.0 });
    }
}

/// Returns the pieces that the side to move, and the other side, have now but not at the end.
fn captures_to_come(sample: &Sample) -> [f32; 2] {
    let side = sample.facts.side;
    [side, side.opponent()].map(|side| {
        let now = pieces_of(&sample.facts.pieces, side);
        now.saturating_sub(sample.final_pieces[side.index()]) as f32
    })
}

/// Returns the number of a side's pieces, the king among the defenders.
pub(crate) fn pieces_of(pieces: &[Bitboard; 5], side: Side) -> u32 {
    let kinds = Piece::ALL.into_iter().zip(pieces);
    kinds
        .filter(|(kind, _)| kind.side() == side)
        .map(|(_, squares)| squares.count())
        .sum()
}
