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
    board: u128,
    edges: Bitboard,
    restricted: u128,
    goals: u128,
}

impl Evaluation {
    pub(super) fn new(rules: &Arc<Rules>) -> Self {
        Self {
            board: rules.shape().board().0,
            edges: rules.shape().edges(),
            restricted: rules.restricted().0,
            goals: rules.goals().0,
        }
    }

    /// Returns what a position is worth to the side to move; the game is not over.
    pub(super) fn for_mover(&self, position: &Position) -> i32 {
        let defenders = self.for_defenders(position);
        match position.side() {
            Side::Attacker => -defenders,
            Side::Defender => defenders,
        }
    }

    fn for_defenders(&self, position: &Position) -> i32 {
        material(position) + self.mobility(position) + self.king(position)
    }

    /// Jumps are left out.
    fn mobility(&self, position: &Position) -> i32 {
        let open = self.board & !position.occupied().0;
        let king = 1 << position.king().grid_index();
        let moves = |men: u128, landings: u128| -> i32 {
            let reached = Direction::ALL.map(|direction| slide(men, open, direction) & landings);
            reached.iter().map(|set| set.count_ones() as i32).sum()
        };
        let defenders = position.pieces(Side::Defender).0 & !king;
        let attackers = position.pieces(Side::Attacker).0;
        let landings = !self.restricted;
        MOVE * (moves(defenders, landings) - moves(attackers, landings))
            + KING_MOVE * moves(king, !0)
    }

    /// Returns what the king's place is worth: the way to his goals, and who stands around him.
    fn king(&self, position: &Position) -> i32 {
        let king = Bitboard::EMPTY.with(position.king());
        let attackers = position.pieces(Side::Attacker);
        let beside = (king.neighbors() & attackers).count() as i32;
        self.way(position, king) - PRESSURE * beside
    }

    fn way(&self, position: &Position, king: Bitboard) -> i32 {
        let open = self.board & !position.occupied().0;
        let mut reached = king.0;
        for (moves, worth) in DISTANCE.into_iter().enumerate().skip(1) {
            let next = Direction::ALL.iter().fold(reached, |all, &direction| {
                all | slide(reached, open, direction)
            });
            let goals = (next & self.goals).count_ones();
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
        let passable = Bitboard(self.board & !position.pieces(Side::Attacker).0);
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

/// Returns the squares of `open` that lie on a slide in a direction from a square of `from`
/// (Kogge and Stone 1973: each step doubles the reach); it must not wrap around the first or the last file.
const fn slide(from: u128, open: u128, direction: Direction) -> u128 {
    match direction {
        Direction::Up => spread_up(from, open, 11),
        Direction::Right => spread_up(from, open & !Bitboard::FILE_A.0, 1),
        Direction::Down => spread_down(from, open, 11),
        Direction::Left => spread_down(from, open & !Bitboard::FILE_K.0, 1),
    }
}

const fn spread_up(from: u128, open: u128, step: u32) -> u128 {
    let reached = from << step & open;
    let reached = reached | reached << step & open;
    let open = open & open << step;
    let reached = reached | reached << (2 * step) & open;
    let open = open & open << (2 * step);
    let reached = reached | reached << (4 * step) & open;
    let open = open & open << (4 * step);
    reached | reached << (8 * step) & open
}

const fn spread_down(from: u128, open: u128, step: u32) -> u128 {
    let reached = from >> step & open;
    let reached = reached | reached >> step & open;
    let open = open & open >> step;
    let reached = reached | reached >> (2 * step) & open;
    let open = open & open >> (2 * step);
    let reached = reached | reached >> (4 * step) & open;
    let open = open & open >> (4 * step);
    reached | reached >> (8 * step) & open
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
    fn mobility_counts_the_moves_that_the_rules_list() {
        for ruleset in ["copenhagen", "brandubh", "tablut"] {
            let Some(rules) = Rules::preset(ruleset) else {
                continue;
            };
            let evaluation = Evaluation::new(&rules);
            for seed in 0..200 {
                let game = crate::alphabeta::tests::random_game(&rules, (seed % 80) as u32, seed);
                if game.outcome().is_some() {
                    continue;
                }
                let position = *game.position();
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                let open = rules.shape().board().0 & !position.occupied().0;
                let king = 1 << position.king().grid_index();
                let count = |men: u128, landings: u128| -> usize {
                    let slides = Direction::ALL.map(|d| slide(men, open, d) & landings);
                    slides.iter().map(|set| set.count_ones() as usize).sum()
                };
                let own = position.pieces(position.side()).0;
                let found = count(own & !king, !evaluation.restricted) + count(own & king, !0);
                assert_eq!(found, moves.len(), "{ruleset} {seed}");
            }
        }
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
