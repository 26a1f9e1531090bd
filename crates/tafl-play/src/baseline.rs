//! Players without a network, and how each of them chooses moves. Their names are in `tafl_samples::Baseline`.

use crate::opening::{lets_opponent_win, wins};
use crate::player::{Method, MoveChooser, NoMove, Player, Searcher, Turn};
use rand::RngExt;
use std::sync::Arc;
use tafl_rules::{Game, Move};
use tafl_samples::{Baseline, Family, PlayerId};
use tafl_search::{AlphaBeta, RolloutEvaluator, SearchConfig};

impl Player {
    /// Returns a player without a network.
    pub fn baseline(baseline: Baseline) -> Self {
        Self {
            id: PlayerId::Baseline(baseline),
            method: method(baseline),
        }
    }
}

/// Returns how a baseline chooses its moves.
fn method(baseline: Baseline) -> Method {
    let strength = baseline.strength().unwrap_or(1);
    match baseline.family() {
        Family::Random => direct(|game, turn| random_move(game, turn)),
        Family::Greedy => direct(greedy_move),
        Family::AlphaBeta => Method::Direct {
            make: Arc::new(move |rules| Box::new(AlphaBeta::new(strength, rules))),
            is_program: false,
            refuses_earlier_boards: false,
        },
        Family::Rollouts => Method::Search(rollouts(strength)),
    }
}

/// Returns a method that keeps nothing from move to move.
fn direct(choose: fn(&mut Game, &mut Turn<'_>) -> Move) -> Method {
    Method::Direct {
        make: Arc::new(move |_| Box::new(choose)),
        is_program: false,
        refuses_earlier_boards: false,
    }
}

impl MoveChooser for fn(&mut Game, &mut Turn<'_>) -> Move {
    fn choose(&mut self, game: &mut Game, turn: &mut Turn<'_>) -> Result<Move, NoMove> {
        Ok(self(game, turn))
    }
}

impl MoveChooser for AlphaBeta {
    fn choose(&mut self, game: &mut Game, turn: &mut Turn<'_>) -> Result<Move, NoMove> {
        let moves = turn.moves(game);
        Ok(self.choose_among(game, moves).mv)
    }
}

/// Returns a search with one random game for each evaluation.
///
/// It is PUCT with equal priors and the reference numbers of its paper, whatever a run uses, so that the player stays
/// the same from run to run.
fn rollouts(visits: u32) -> Searcher {
    Searcher {
        search: SearchConfig {
            lookahead_plies: 1,
            solver_positions: 0,
            ..SearchConfig::puct(visits)
        },
        make_evaluator: Arc::new(|seed| Ok(Box::new(RolloutEvaluator { seed }))),
        keeps_tree: true,
        // Random games from one position differ with the plies before it.
        is_cacheable: false,
    }
}

/// Returns a random legal move of a game that is not over, all equally likely.
fn random_move(game: &Game, turn: &mut Turn<'_>) -> Move {
    let moves = turn.moves(game);
    moves[turn.rng.random_range(0..moves.len())]
}

/// Returns the move of a player who looks one ply ahead, in a game that is not over.
///
/// It is a winning one; else one that does not let the opponent win with its next ply, and among
/// those one that captures the most. Ties are broken at random.
fn greedy_move(game: &mut Game, turn: &mut Turn<'_>) -> Move {
    let moves = turn.moves(game);
    let side = game.position().side();
    let mark = game.mark();
    let mut best = (0, moves[0]);
    let mut ties = 0;
    for mv in moves {
        let rank = if wins(game, mv) {
            1_000
        } else {
            let captured = game.play_unchecked(mv).captured.count();
            let drawn = game
                .outcome()
                .is_some_and(|outcome| outcome.winner != Some(side));
            game.rewind(&mark);
            let safe = !lets_opponent_win(game, mv);
            2 + 2 * captured + if safe { 500 } else { 0 } - u32::from(drawn)
        };
        if rank > best.0 {
            (best, ties) = ((rank, mv), 1);
        } else if rank == best.0 {
            ties += 1;
            if turn.rng.random_range(0..ties) == 0 {
                best.1 = mv;
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use tafl_rules::{RankOrder, Rules, Setup, Side};
    use tafl_search::{Evaluator, Leaf};

    fn game(board: &str, side: Side) -> Game {
        let rules = Rules::preset("brandubh").unwrap();
        let setup = Setup::from_text(board, RankOrder::HighestFirst)
            .unwrap()
            .with_side(side);
        Game::from_setup(rules, &setup).unwrap()
    }

    fn turn(rng: &mut Xoshiro256PlusPlus) -> Turn<'_> {
        Turn {
            game_id: 0,
            only: Vec::new(),
            rng,
        }
    }

    /// Returns the greedy moves with ten seeds.
    fn greedy(board: &str, side: Side) -> Vec<Move> {
        let seeds = (0..10).map(Xoshiro256PlusPlus::seed_from_u64);
        let mut moves: Vec<_> = seeds
            .map(|mut rng| greedy_move(&mut game(board, side), &mut turn(&mut rng)))
            .collect();
        moves.sort_unstable();
        moves.dedup();
        moves
    }

    fn moves(texts: &[&str]) -> Vec<Move> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn greedy_wins_in_one_rather_than_capture() {
        // The king on d7 has both corners; the defender on b3 could take on b2.
        let board = "3K3/7/7/7/1T5/tt5/7";
        assert_eq!(greedy(board, Side::Defender), moves(&["d7-a7", "d7-g7"]));
    }

    #[test]
    fn greedy_blocks_the_only_way_out_rather_than_capture() {
        // The king on a4 is about to walk down to a1; f6-f2 would take the defender on e2.
        let board = "7/5t1/t6/K6/3t3/3tT2/7";
        let found = greedy(board, Side::Attacker);
        for mv in &found {
            assert!(
                ["d3-a3", "d2-a2", "d3-b3"].contains(&&*mv.to_string()),
                "{found:?}"
            );
            let mut after = game(board, Side::Attacker);
            assert!(!lets_opponent_win(&mut after, *mv));
        }
    }

    #[test]
    fn greedy_captures_the_most_when_nothing_is_urgent() {
        // From c5 two are taken, from e2 one.
        let board = "2t4/7/tT1Tt2/3K3/7/5Tt/4t2";
        assert_eq!(greedy(board, Side::Attacker), moves(&["c7-c5"]));
    }

    #[test]
    fn random_moves_are_all_legal_ones() {
        let game = game("7/7/7/3K3/7/7/1t5", Side::Attacker);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut found: Vec<_> = (0..300)
            .map(|_| random_move(&game, &mut turn(&mut rng)))
            .collect();
        found.sort_unstable();
        found.dedup();
        let mut all = game.legal();
        all.sort_unstable();
        assert_eq!(found, all);
    }

    #[test]
    fn rollouts_judge_a_leaf_by_itself_and_know_a_won_position() {
        let games = [
            game("3K3/7/7/7/7/tt5/7", Side::Defender),
            game("7/7/7/3K3/7/1tt4/1t5", Side::Attacker),
        ];
        let mut all_moves = [Vec::new(), Vec::new()];
        for (game, moves) in games.iter().zip(&mut all_moves) {
            game.legal_moves(moves);
        }
        let leaf = |i: usize| Leaf::new(&games[i], &all_moves[i]);
        let (mut together, mut alone) = (Vec::new(), Vec::new());
        let mut wins = 0.0;
        for seed in 0..64 {
            let mut evaluator = RolloutEvaluator { seed };
            evaluator.evaluate(&[leaf(0), leaf(1)], &mut together);
            evaluator.evaluate(&[leaf(1)], &mut alone);
            assert_eq!(together[1], alone[0]);
            wins += together[0].wdl.win;
            for (evaluation, moves) in together.iter().zip(&all_moves) {
                let wdl = evaluation.wdl;
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1.0);
                assert_eq!(evaluation.logits.len(), moves.len());
                assert!((1.0..=1000.0).contains(&evaluation.moves_left));
            }
        }
        assert!(wins > 0.6 * 64.0, "{wins}");
    }
}
