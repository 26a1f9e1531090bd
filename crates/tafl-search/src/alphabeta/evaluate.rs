//! What a position is worth, in hundredths of an attacker.

use std::iter::successors;
use std::num::NonZeroU32;
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

/// The king's place behind those of the sides' men.
const KING: usize = 2;

/// Judges positions of one ruleset.
#[derive(Debug)]
pub(super) struct Evaluation {
    board: Bitboard,
    edges: Bitboard,
    /// Where pieces other than the king may stop.
    ordinary: Bitboard,
    goals: Bitboard,
    /// What the attackers, the defenders and the king may not pass over.
    closed: [Bitboard; 3],
    king_steps: Option<NonZeroU32>,
}

impl Evaluation {
    pub(super) fn new(rules: &Arc<Rules>) -> Self {
        let board = rules.shape().board();
        Self {
            board,
            edges: rules.shape().edges(),
            ordinary: board - rules.restricted(),
            goals: rules.goals(),
            closed: rules.closed(),
            king_steps: rules.ruleset().king_step_limit,
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

    /// Jumps and limits of the men's steps are left out.
    fn mobility(&self, position: &Position) -> i32 {
        let open = self.board - position.occupied();
        let king = Bitboard::EMPTY.with(position.king());
        let moves = |side: Side| -> i32 {
            let men = position.pieces(side) - king;
            let open = open - self.closed[side.index()];
            let reached = Direction::ALL.map(|it| men.slides(it, open) & self.ordinary);
            reached.iter().map(|set| set.count() as i32).sum()
        };
        let of_king = self.kings_lines(king, open - self.closed[KING]).count() as i32;
        MOVE * (moves(Side::Defender) - moves(Side::Attacker)) + KING_MOVE * of_king
    }

    /// Returns the squares that the king reaches from some squares with one slide.
    fn kings_lines(&self, from: Bitboard, open: Bitboard) -> Bitboard {
        let Some(limit) = self.king_steps else {
            return from.lines(open);
        };
        let mut reached = Bitboard::EMPTY;
        for direction in Direction::ALL {
            let steps = successors(Some(from), |it| Some(it.step(direction) & open));
            let steps = steps.take_while(|it| !it.is_empty()).skip(1);
            for step in steps.take(limit.get() as usize) {
                reached |= step;
            }
        }
        reached
    }

    /// Returns what the king's place is worth: the way to his goals, and who stands around him.
    fn king(&self, position: &Position) -> i32 {
        let king = Bitboard::EMPTY.with(position.king());
        let attackers = position.pieces(Side::Attacker);
        let beside = (king.neighbors() & attackers).count() as i32;
        self.way(position, king) - PRESSURE * beside
    }

    fn way(&self, position: &Position, king: Bitboard) -> i32 {
        let open = self.board - position.occupied() - self.closed[KING];
        let mut reached = king;
        for (moves, worth) in DISTANCE.into_iter().enumerate().skip(1) {
            let next = reached | self.kings_lines(reached, open);
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
        let passable = self.board - position.pieces(Side::Attacker) - self.closed[KING];
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
    use tafl_rules::{RankOrder, Ruleset, Setup, ThroneUse};

    fn position(board: &str, side: Side, ruleset: Ruleset) -> (Evaluation, Position) {
        let rules = Rules::new(ruleset).unwrap();
        let setup = Setup::from_text(board, RankOrder::HighestFirst)
            .unwrap()
            .with_side(side);
        (Evaluation::new(&rules), rules.position(&setup).unwrap())
    }

    fn brandubh() -> Ruleset {
        tafl_rules::preset("brandubh").unwrap()
    }

    fn way_under(board: &str, side: Side, ruleset: Ruleset) -> i32 {
        let (evaluation, position) = position(board, side, ruleset);
        let king = Bitboard::EMPTY.with(position.king());
        evaluation.way(&position, king)
    }

    fn way(board: &str, side: Side) -> i32 {
        way_under(board, side, brandubh())
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
    fn a_way_has_steps_as_far_as_the_king_may_go() {
        let way = |board: &str, steps: u32| {
            let ruleset = Ruleset {
                king_step_limit: NonZeroU32::new(steps),
                ..brandubh()
            };
            way_under(board, Side::Defender, ruleset)
        };
        assert_eq!(way("1K5/7/7/7/7/7/3t3", 1), ESCAPES);
        assert_eq!(way("2K4/7/7/7/7/7/3t3", 1), DISTANCE[2]);
        assert_eq!(way("2K4/7/7/7/7/7/3t3", 2), ESCAPES);
    }

    #[test]
    fn a_throne_that_the_king_may_not_pass_is_in_his_way() {
        let way = |throne: ThroneUse| {
            let ruleset = Ruleset {
                throne_stop: throne,
                throne_pass: throne,
                ..brandubh()
            };
            way_under("7/7/2t4/1tK4/2t4/7/7", Side::Attacker, ruleset)
        };
        assert_eq!(way(ThroneUse::King), DISTANCE[2]);
        assert_eq!(way(ThroneUse::None), -WALLED);
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
        let (evaluation, attackers) = position(board, Side::Attacker, brandubh());
        let (_, defenders) = position(board, Side::Defender, brandubh());
        assert_eq!(
            evaluation.for_mover(&attackers),
            -evaluation.for_mover(&defenders)
        );
    }
}
