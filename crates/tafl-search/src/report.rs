//! What a search thinks of a position, as lines of play.

use crate::{MoverWdl, Proof, RootMove, RootStats, Search};
use std::cmp::Ordering;
use std::time::Duration;
use tafl_rules::{Move, Side};

/// Plies of a line that are reported.
const LONGEST_LINE: usize = 64;

/// A search of one position, as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchReport {
    /// The side to move, whose point of view all values have.
    pub side: Side,
    /// What the search says of the root.
    pub stats: RootStats,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The move to play, then the others by visits, but certain wins before and certain losses behind them; at least one.
    pub lines: Vec<PrincipalLine>,
}

/// A move and what follows it.
#[derive(Debug, Clone, PartialEq)]
pub struct PrincipalLine {
    /// Expected result of the side to move at the root.
    pub value: MoverWdl,
    /// The certain result of this move, once known; plies are counted from the root.
    pub proven: Option<Proof>,
    /// Visits of the move.
    pub visits: u32,
    /// The evaluator's probability of the move among those that the search looked at, 0 to 1.
    pub prior: f32,
    /// The search's share for the move, 0 to 1.
    pub policy: f32,
    /// The moves, this one first.
    pub moves: Vec<Move>,
}

impl SearchReport {
    /// Returns what a search thinks, with at most `lines` of the moves that it looked at, but the move to play always.
    ///
    /// # Panics
    /// If the root has no evaluation.
    pub fn of(search: &Search, lines: usize, elapsed: Duration) -> Self {
        let stats = search.root_stats();
        let side = search.game().position().side();
        let seen = |root: &&RootMove| root.mv == stats.chosen || root.wdl.is_some();
        let mut moves: Vec<&RootMove> = stats.moves.iter().filter(seen).collect();
        moves.sort_by(|one, other| by_preference([one, other], stats.chosen, side));
        moves.truncate(lines.max(1));
        let line = |root| PrincipalLine::of(search, &stats, root);
        let lines = moves.into_iter().map(line).collect();
        Self {
            side,
            stats,
            elapsed,
            lines,
        }
    }

    /// Returns the move to play.
    ///
    /// # Panics
    /// Never: there is a line.
    pub fn best(&self) -> Move {
        self.lines[0].moves[0]
    }

    /// Returns visits a second, 0 where no time has passed.
    pub fn visits_per_second(&self) -> u64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 {
            (f64::from(self.stats.visits) / seconds) as u64
        } else {
            0
        }
    }
}

/// Compares moves as Leela Chess Zero orders them; of as many visits that comes first which the search prefers.
fn by_preference(moves: [&RootMove; 2], chosen: Move, side: Side) -> Ordering {
    let certain = |root: &RootMove| match root.proven.and_then(|proof| proof.winner) {
        None => 1,
        Some(winner) => 2 * u8::from(winner == side),
    };
    let key = |root: &RootMove| (root.mv == chosen, certain(root), root.visits);
    let [one, other] = moves;
    let by_key = key(other).cmp(&key(one));
    by_key.then(other.policy.total_cmp(&one.policy))
}

impl PrincipalLine {
    fn of(search: &Search, stats: &RootStats, root: &RootMove) -> Self {
        Self {
            // Before the first visit nothing is known but the root's own value.
            value: root.wdl.unwrap_or(stats.value),
            proven: root.proven.map(Proof::a_ply_before),
            visits: root.visits,
            prior: root.prior,
            policy: root.policy,
            moves: search.line_after(root.mv, LONGEST_LINE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_move_to_play_comes_first_and_a_lost_one_last_whatever_its_visits() {
        let root = |mv: &str, visits, policy, winner: Option<Side>| RootMove {
            mv: mv.parse().expect("a move"),
            prior: 0.2,
            visits,
            wdl: None,
            policy,
            proven: winner.map(|side| Proof {
                winner: Some(side),
                plies: 1,
            }),
        };
        let side = Side::Defender;
        let mut moves = [
            root("a1-a2", 9, 0.0, Some(Side::Attacker)),
            root("a1-a3", 5, 0.1, None),
            root("a1-a4", 7, 0.2, None),
            root("a1-a5", 5, 0.3, None),
            root("a1-a6", 1, 0.0, Some(side)),
            root("a1-a7", 2, 0.4, None),
        ];
        let chosen = moves[5].mv;
        moves.sort_by(|one, other| by_preference([one, other], chosen, side));
        let ends = moves.map(|it| it.mv.to_string());
        let expected = ["a1-a7", "a1-a6", "a1-a4", "a1-a5", "a1-a3", "a1-a2"];
        assert_eq!(ends, expected);
    }
}
