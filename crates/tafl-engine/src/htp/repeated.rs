//! The repetition that hnefatafl-copenhagen 6.4 forbids: the defenders may not make an earlier board again.
//!
//! Boards are compared before captures are taken off, and whoever is to move. Where the ruleset's own repetition may cost the
//! defenders the game, our engine neither offers nor chooses such a ply, so that it can play there; nor do players of a match
//! against such a program.

use tafl_rules::{Bitboard, Game, Move, Position, Repetition, Side};

/// Attackers, defenders with their king, and the king.
type Squares = [Bitboard; 3];

fn squares(position: &Position) -> Squares {
    let king = Bitboard::EMPTY.with(position.king());
    let [attackers, defenders] = Side::ALL.map(|side| position.pieces(side));
    [attackers, defenders, king]
}

/// Removes the defenders' plies that make a board again that the game has had since `start`, unless none is left.
pub fn leave_new(game: &Game, start: &Game, moves: &mut Vec<Move>) {
    let rules = game.rules();
    let may_cost = matches!(
        rules.ruleset().repetition,
        Repetition::Defenders | Repetition::Aggressor
    );
    let position = game.position();
    if !may_cost || position.side() != Side::Defender || position.chain().is_some() {
        return;
    }
    let mut earlier = vec![squares(start.position())];
    let mut replayed = start.clone();
    for &mv in game.moves() {
        replayed.play_unchecked(mv);
        earlier.push(squares(replayed.position()));
    }
    let [attackers, defenders, king] = squares(position);
    let is_new = |mv: &Move| {
        let moved = |own: Bitboard| match own.contains(mv.from()) {
            true => own.without(mv.from()).with(mv.to()),
            false => own,
        };
        !earlier.contains(&[attackers, moved(defenders), moved(king)])
    };
    if moves.iter().any(is_new) {
        moves.retain(is_new);
    }
}
