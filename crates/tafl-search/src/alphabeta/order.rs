//! In which order moves are tried: the sooner the best one, the fewer the others cost.

use super::Node;
use tafl_rules::{Game, Move, Side};

/// Squares of the grid that moves are counted by.
const SQUARES: usize = 121;

const FIRST: i32 = i32::MAX;
const WINS: i32 = 1 << 30;
const CAPTURE: i32 = 1 << 26;
const KILLER: i32 = 1 << 25;
/// The most that history counts.
const MOST: i32 = 1 << 24;

/// What refuted other moves lately.
#[derive(Debug)]
pub(super) struct Ordering {
    /// The last two moves that ended the search of a node early, by plies from the root.
    killers: Vec<[Move; 2]>,
    /// How often a move did, by side, from-square and to-square.
    history: Vec<i32>,
    legal: Vec<Move>,
    spare: Vec<Vec<(i32, Move)>>,
}

impl Ordering {
    pub(super) fn new() -> Self {
        Self {
            killers: Vec::new(),
            history: vec![0; 2 * SQUARES * SQUARES],
            legal: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Forgets everything.
    pub(super) fn begin(&mut self) {
        self.killers.clear();
        self.history.fill(0);
    }

    /// Returns room for the legal moves, with the moves in it; [`Self::legal`] holds them as well.
    pub(super) fn list(&mut self, game: &Game, ply: u32) -> Vec<(i32, Move)> {
        if self.killers.len() <= ply as usize {
            self.killers.resize(ply as usize + 1, [Move::END; 2]);
        }
        game.legal_moves(&mut self.legal);
        let mut moves = self.spare.pop().unwrap_or_default();
        moves.clear();
        moves.extend(self.legal.iter().map(|&mv| (0, mv)));
        moves
    }

    /// Returns the moves listed last.
    pub(super) fn legal(&self) -> &[Move] {
        &self.legal
    }

    /// Takes back room that [`Self::list`] gave.
    pub(super) fn give_back(&mut self, moves: Vec<(i32, Move)>) {
        self.spare.push(moves);
    }

    /// Puts the most promising moves in front.
    pub(super) fn sort(
        &self,
        game: &Game,
        moves: &mut [(i32, Move)],
        first: Option<Move>,
        node: &Node,
    ) {
        let side = game.position().side();
        let killers = self.killers[node.ply as usize];
        for (rank, mv) in moves.iter_mut() {
            *rank = if Some(*mv) == first {
                FIRST
            } else {
                let quiet = if killers.contains(mv) {
                    KILLER
                } else {
                    self.history[place(side, *mv)]
                };
                // With one turn left, trying a move costs no more than looking what it captures.
                let loud = if node.depth > 1 { gain(game, *mv) } else { 0 };
                quiet.max(loud)
            };
        }
        // The order of equals is that of the list, so that nothing depends on the sort.
        moves.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    }

    /// Notes that a move ended the search of its node early.
    pub(super) fn reward(&mut self, game: &Game, mv: Move, node: &Node) {
        let killers = &mut self.killers[node.ply as usize];
        if killers[0] != mv {
            *killers = [mv, killers[0]];
        }
        let depth = node.depth as i32;
        let count = &mut self.history[place(game.position().side(), mv)];
        *count = (*count + depth * depth).min(MOST);
    }
}

fn place(side: Side, mv: Move) -> usize {
    (side.index() * SQUARES + mv.from().grid_index()) * SQUARES + mv.to().grid_index()
}

/// Returns the rank of a move that captures or ends the game, and 0 for others.
fn gain(game: &Game, mv: Move) -> i32 {
    let mut after = *game.position();
    let ply = game.rules().play_unchecked(&mut after, mv);
    if ply.outcome.is_some() {
        return WINS;
    }
    match ply.captured.count() as i32 {
        0 => 0,
        captured => CAPTURE + captured,
    }
}
