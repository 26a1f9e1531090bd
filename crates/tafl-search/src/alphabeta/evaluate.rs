//! What a position is worth, in hundredths of an attacker.

use std::sync::Arc;
use tafl_rules::{Bitboard, Direction, Piece, Position, Rules, Side};

/// Twelve defenders face twenty-four attackers.
const DEFENDER: i32 = 200;
const ATTACKER: i32 = 100;
/// What a knight or a commander is worth beyond a soldier.
const RANK: i32 = 60;
/// What a move that a side could make is worth.
const MOVE: i32 = 2;
/// What a move that the king could make is worth.
const KING_MOVE: i32 = 4;
/// What an attacker beside the king is worth.
const PRESSURE: i32 = 40;
/// What it is worth to the attackers that no way leads the king to an edge, not even through his
/// own men.
const WALLED: i32 = 300;
/// What the king's shortest way to a goal is worth, by the moves it takes; longer ways are worth
/// nothing.
const DISTANCE: [i32; 5] = [0, 350, 120, 60, 30];
/// What a second goal within one move is worth: one attacker rarely blocks both.
const SECOND_GOAL: i32 = 600;
/// What a goal within one move is worth to defenders who are to move.
const ESCAPES: i32 = 20_000;

/// Judges positions of one ruleset.
#[derive(Debug)]
pub(super) struct Evaluation {
    board: Bitboard,
    edges: Bitboard,
    /// Where pieces other than the king may stop.
    ordinary: Bitboard,
    goals: Bitboard,
}

impl Evaluation {
    pub(super) fn new(rules: &Arc<Rules>) -> Self {
        let board = rules.shape().board();
        Self {
            board,
            edges: rules.shape().edges(),
            ordinary: board - rules.restricted(),
            goals: rules.goals(),
        }
    }

    /// Returns what a position is worth to the side to move; the game is not over.
    pub(super) fn for_mover(&self, position: &Position) -> i32 {
        let defenders = material(position) + self.mobility(position) + self.king(position);
        match position.side() {
            Side::Attacker => -defenders,
            Side::Defender => defenders,
        }
    }

    /// Jumps are left out.
    fn mobility(&self, position: &Position) -> i32 {
        let open = self.board - position.occupied();
        let king = Bitboard::EMPTY.with(position.king());
        let moves = |men: Bitboard, landings: Bitboard| -> i32 {
            let reached = Direction::ALL.map(|direction| men.slides(direction, open) & landings);
            reached.iter().map(|set| set.count() as i32).sum()
        };
        let defenders = position.pieces(Side::Defender) - king;
        let attackers = position.pieces(Side::Attacker);
        MOVE * (moves(defenders, self.ordinary) - moves(attackers, self.ordinary))
            + KING_MOVE * moves(king, self.board)
    }

    /// Returns what the king's place is worth: the way to his goals, and who stands around him.
    fn king(&self, position: &Position) -> i32 {
        let king = Bitboard::EMPTY.with(position.king());
        let attackers = position.pieces(Side::Attacker);
        let beside = (king.neighbors() & attackers).count() as i32;
        self.way(position, king) - PRESSURE * beside
    }

    fn way(&self, position: &Position, king: Bitboard) -> i32 {
        let open = self.board - position.occupied();
        let mut reached = king;
        for (moves, worth) in DISTANCE.into_iter().enumerate().skip(1) {
            let next = reached | reached.lines(open);
            let goals = (next & self.goals).count();
            if goals > 0 {
                let to_move = position.side() == Side::Defender;
                return match (moves, goals) {
                    (1, _) if to_move => ESCAPES,
                    (1, 2..) => worth + SECOND_GOAL,
                    _ => worth,
                };
            }
            if next == reached {
                break;
            }
            reached = next;
        }
        let passable = self.board - position.pieces(Side::Attacker);
        let walled = (king.flood(passable) & self.edges).is_empty();
        if walled { -WALLED } else { 0 }
    }
}

fn material(position: &Position) -> i32 {
    let count = |kind| position.pieces_of_kind(kind).count() as i32;
    let (commanders, knights) = (count(Piece::Commander), count(Piece::Knight));
    DEFENDER * count(Piece::Defender) + (DEFENDER + RANK) * knights
        - ATTACKER * count(Piece::Attacker)
        - (ATTACKER + RANK) * commanders
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{RankOrder, Setup};

    fn position(ruleset: &str, board: &str, side: Side) -> (Evaluation, Position) {
        let rules = Rules::preset(ruleset).unwrap();
        let setup = Setup::from_text(board, RankOrder::HighestFirst)
            .unwrap()
            .with_side(side);
        (Evaluation::new(&rules), rules.position(&setup).unwrap())
    }

    fn way(board: &str, side: Side) -> i32 {
        let (evaluation, position) = position("brandubh", board, side);
        let king = Bitboard::EMPTY.with(position.king());
        evaluation.way(&position, king)
    }

    #[test]
    fn the_way_counts_the_kings_moves_to_a_corner() {
        let attackers = Side::Attacker;
        assert_eq!(way("7/7/7/7/7/7/1K1t3", attackers), DISTANCE[1]);
        assert_eq!(
            way("3K3/7/7/7/7/7/3t3", attackers),
            DISTANCE[1] + SECOND_GOAL
        );
        assert_eq!(way("3K3/7/7/7/7/7/3t3", Side::Defender), ESCAPES);
        assert_eq!(way("7/7/7/3K3/7/7/1t5", attackers), DISTANCE[2]);
        // From d4 by a4 or d1, where one more slide ends on a corner, but not by g4 and d7.
        assert_eq!(way("3t3/7/7/3K2t/7/7/7", attackers), DISTANCE[2]);
    }

    #[test]
    fn a_king_walled_in_with_his_men_has_no_way() {
        let open = "7/2ttt2/1t3t1/1tTKT2/1t3t1/2ttt2/7";
        let walled = "7/2ttt2/1t3t1/1tTKTt1/1t3t1/2ttt2/7";
        assert_eq!(way(open, Side::Attacker), 0);
        assert_eq!(way(walled, Side::Attacker), -WALLED);
    }

    #[test]
    fn what_one_side_has_the_other_lacks() {
        let board = "3t3/7/2T4/t2K2t/7/4T2/3t3";
        let (evaluation, attackers) = position("brandubh", board, Side::Attacker);
        let (_, defenders) = position("brandubh", board, Side::Defender);
        assert_eq!(
            evaluation.for_mover(&attackers),
            -evaluation.for_mover(&defenders)
        );
    }
}
