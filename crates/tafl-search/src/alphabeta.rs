//! A plain alpha-beta search, the reference opponent that never changes.

use crate::alphabeta::evaluate::Evaluation;
use crate::alphabeta::order::Ordering;
use crate::alphabeta::table::{Bound, Entry, Table};
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};

mod evaluate;
mod order;
mod table;
#[cfg(test)]
mod tests;

/// A player that looks a fixed number of turns ahead (Knuth and Moore 1975).
///
/// A position is judged by material, the king's distance to his goals and mobility. Searches of one
/// turn, two turns and so on follow each other, each with the former's best moves in front; later
/// moves of a position get a window of no width first (Marsland and Campbell 1982), and what was
/// found is kept in a table of bounded size. All plies of a capture chain are one turn, so a search
/// never stops inside one. A win counts the more the sooner it comes; a draw is worth 0.
///
/// The choice follows from the game and the depth alone; nothing is random and nothing is kept from
/// one move to the next. From 5 turns on, a line that leads to a third repetition may be taken for
/// one that does not, because the table knows positions and not what came before them.
#[derive(Debug)]
pub struct AlphaBeta {
    depth: u32,
    evaluation: Evaluation,
    table: Table,
    ordering: Ordering,
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlphaBetaChoice {
    /// The best move.
    pub mv: Move,
    /// What it is worth to the side to move, in hundredths of an attacker; a forced win in n plies
    /// is worth [`AlphaBeta::WIN`] - n.
    pub score: i32,
    /// Turns looked ahead; fewer than asked for where the result was certain before, and 0 where
    /// there was no choice.
    pub depth: u32,
}

/// Scores beyond this are those of forced wins.
const LEAST_WIN: i32 = AlphaBeta::WIN - 10_000;

/// Alpha and beta before anything is known.
const FULL_WINDOW: [i32; 2] = [-AlphaBeta::WIN - 1, AlphaBeta::WIN + 1];

/// A node of the search: how far it may look, how far it is from the root, what still matters.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Turns left.
    depth: u32,
    /// Plies from the root.
    ply: u32,
    /// Scores outside change nothing.
    window: [i32; 2],
}

impl AlphaBeta {
    /// The score of a game that is won.
    pub const WIN: i32 = 1_000_000;

    /// Makes a player that looks `depth` turns ahead, at least 1, under `rules`.
    pub fn new(depth: u32, rules: &Arc<Rules>) -> Self {
        Self {
            depth: depth.max(1),
            evaluation: Evaluation::new(rules),
            table: Table::new(),
            ordering: Ordering::new(),
        }
    }

    /// Returns the best move, and what it is worth; the game is left as it was.
    ///
    /// # Panics
    /// If the game is over.
    pub fn choose(&mut self, game: &mut Game) -> AlphaBetaChoice {
        let moves = game.legal();
        self.choose_among(game, moves)
    }

    /// Does what [`Self::choose`] does, with some of the legal moves.
    ///
    /// # Panics
    /// If there is none.
    pub fn choose_among(&mut self, game: &mut Game, mut moves: Vec<Move>) -> AlphaBetaChoice {
        self.table.begin();
        self.ordering.begin();
        let mut choice = AlphaBetaChoice {
            mv: moves[0],
            score: 0,
            depth: 0,
        };
        if moves.len() == 1 {
            return choice;
        }
        for depth in 1..=self.depth {
            choice = self.search_root(game, &mut moves, depth);
            // Looking farther cannot mend what is certain.
            if choice.score.abs() >= LEAST_WIN {
                break;
            }
        }
        choice
    }

    /// Searches all moves to a depth; the best one comes first.
    fn search_root(&mut self, game: &mut Game, moves: &mut [Move], depth: u32) -> AlphaBetaChoice {
        let [mut alpha, beta] = FULL_WINDOW;
        let mut best = 0;
        for (index, &mv) in moves.iter().enumerate() {
            let node = Node {
                depth,
                ply: 0,
                window: [alpha, beta],
            };
            let score = self.principal(game, mv, &node, index == 0);
            if score > alpha {
                (alpha, best) = (score, index);
            }
        }
        moves[..=best].rotate_right(1);
        AlphaBetaChoice {
            mv: moves[0],
            score: alpha,
            depth,
        }
    }

    /// Returns the score of a node for its side to move: exact inside the window, a bound outside.
    fn negamax(&mut self, game: &mut Game, node: Node) -> i32 {
        if node.depth == 0 {
            return self.evaluation.for_mover(game.position());
        }
        let key = self.key(game, node.depth);
        let known = self.table.find(key);
        if let Some(score) = known.and_then(|entry| entry.score(node.depth, node.ply, node.window))
        {
            return score;
        }
        let mut moves = self.ordering.list(game, node.ply);
        let decided = game
            .rules()
            .king_deciding_move(game.position(), self.ordering.legal());
        if decided.is_some() {
            self.ordering.give_back(moves);
            return Self::WIN - (node.ply as i32 + 1);
        }
        let first = known.map(|entry| entry.mv);
        self.ordering.sort(game, &mut moves, first, &node);
        let found = self.search_moves(game, &moves, node);
        self.ordering.give_back(moves);
        let entry = Entry::new(key, found, &node);
        self.table.store(entry);
        found.score
    }

    fn search_moves(&mut self, game: &mut Game, moves: &[(i32, Move)], node: Node) -> Found {
        let [mut alpha, beta] = node.window;
        let mut found = Found {
            mv: moves[0].1,
            score: FULL_WINDOW[0],
            bound: Bound::AtMost,
        };
        for (index, &(_, mv)) in moves.iter().enumerate() {
            let window = [alpha, beta];
            let score = self.principal(game, mv, &Node { window, ..node }, index == 0);
            if score > found.score {
                (found.score, found.mv) = (score, mv);
            }
            if score >= beta {
                found.bound = Bound::AtLeast;
                self.ordering.reward(game, mv, &node);
                return found;
            }
            if score > alpha {
                alpha = score;
                found.bound = Bound::Exact;
            }
        }
        found
    }

    /// Returns the score of a move: with the whole window if it is the first of its node or turns
    /// out better than the ones before.
    fn principal(&mut self, game: &mut Game, mv: Move, node: &Node, is_first: bool) -> i32 {
        let [alpha, beta] = node.window;
        if !is_first && beta - alpha > 1 {
            let score = self.after(game, mv, node, [alpha, alpha + 1]);
            if score <= alpha || score >= beta {
                return score;
            }
        }
        self.after(game, mv, node, [alpha, beta])
    }

    /// Returns what a move is worth to the side that plays it.
    fn after(&mut self, game: &mut Game, mv: Move, node: &Node, window: [i32; 2]) -> i32 {
        let (mark, side) = (game.mark(), game.position().side());
        game.play_unchecked(mv);
        let ply = node.ply + 1;
        let score = match game.outcome() {
            Some(outcome) => match outcome.winner {
                Some(winner) if winner == side => Self::WIN - ply as i32,
                Some(_) => ply as i32 - Self::WIN,
                None => 0,
            },
            // The same side goes on with its chain: the turn is not over.
            None if game.position().side() == side => {
                let depth = node.depth;
                self.negamax(game, Node { depth, ply, window })
            }
            None => {
                let depth = node.depth - 1;
                let window = [-window[1], -window[0]];
                -self.negamax(game, Node { depth, ply, window })
            }
        };
        game.rewind(&mark);
        score
    }

    /// Returns a number for what a search of `depth` turns may depend on: the position, the chain,
    /// and the captureless count where its limit is within reach.
    fn key(&self, game: &Game, depth: u32) -> u64 {
        let position = game.position();
        let chain = position
            .chain()
            .map_or(0, |square| square.grid_index() as u64 + 1);
        let limit = game.rules().ruleset().captureless_limit;
        let near = limit.is_some_and(|limit| position.captureless() + depth >= limit.get());
        let count = if near {
            u64::from(position.captureless()) + 1
        } else {
            0
        };
        let more = chain | count << 8;
        position.key() ^ more.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[derive(Debug, Clone, Copy)]
struct Found {
    mv: Move,
    score: i32,
    bound: Bound,
}
