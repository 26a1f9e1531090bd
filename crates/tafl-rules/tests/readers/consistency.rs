//! What holds of every position that was read or reached.

use std::collections::BTreeSet;
use tafl_rules::{Bitboard, Move, Piece, Position, Rules, Side};

/// Returns the legal moves, none of them twice.
pub(crate) fn legal_moves(rules: &Rules, position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    rules.legal_moves(position, &mut moves);
    let different: BTreeSet<Move> = moves.iter().copied().collect();
    assert_eq!(different.len(), moves.len());
    assert_eq!(rules.has_legal_move(position), !moves.is_empty());
    moves
}

/// Checks the sets of pieces, the king, the chain and the key against each other.
pub(crate) fn assert_consistent(rules: &Rules, position: &Position) {
    assert_eq!(position.key(), position.recomputed_key());
    let [attackers, defenders] = Side::ALL.map(|side| position.pieces(side));
    assert!((attackers & defenders).is_empty());
    assert!((position.occupied() - rules.shape().board()).is_empty());
    assert!(defenders.contains(position.king()));
    let kinds = Piece::ALL.map(|kind| position.pieces_of_kind(kind));
    let all = kinds
        .into_iter()
        .fold(Bitboard::EMPTY, |all, set| all | set);
    assert_eq!(all, position.occupied());
    let counts: u32 = kinds.into_iter().map(Bitboard::count).sum();
    assert_eq!(counts, position.occupied().count());
    let others = position.occupied().without(position.king());
    assert!((others & rules.restricted()).is_empty());
    if let Some(square) = position.chain() {
        assert!(position.pieces(position.side()).contains(square));
    }
}
