//! How much worse a move is than the best one.

use crate::{MoverWdl, RootStats};
use tafl_rules::Move;

/// Share of the best move's visits from which on a search's own judgment of another move is good enough.
const ENOUGH_VISITS: f32 = 0.25;

/// Visits without which it is not: where a proof ends a search early, no move has many, and what they say is the network's guess.
const LEAST_VISITS: u32 = 8;

/// What a search thinks of a move that was played. Values are win minus loss of the side that played it, -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judged {
    /// It is what the search would have played.
    Best,
    /// It was looked at; by how much it is worth less.
    Worse(f32),
    /// It had few visits; the value of the best move.
    Unknown(f32),
}

impl Judged {
    /// Returns what a search of the position before the move thinks of it.
    pub fn of(stats: &RootStats, mv: Move) -> Self {
        let root_of = |mv| stats.moves.iter().find(|root| root.mv == mv);
        let best = root_of(stats.chosen);
        let best_value = best
            .and_then(|best| best.wdl)
            .unwrap_or(stats.value)
            .value();
        let enough = best.map_or(0.0, |best| best.visits as f32 * ENOUGH_VISITS);
        let is_enough = |visits: u32| visits >= LEAST_VISITS && visits as f32 >= enough;
        match root_of(mv) {
            _ if mv == stats.chosen => Self::Best,
            Some(played) if played.proven.is_some() || is_enough(played.visits) => {
                let value = played.wdl.map_or(best_value, MoverWdl::value);
                Self::Worse((best_value - value).max(0.0))
            }
            _ => Self::Unknown(best_value),
        }
    }

    /// Returns by how much the move is worth less than the best one, 0 to 2; `after` is the value of the search after it,
    /// for the side that played it, and `usual` is by how much two such searches differ anyway.
    pub fn drop(self, after: f32, usual: f32) -> f32 {
        match self {
            Self::Best => 0.0,
            Self::Worse(drop) => drop,
            Self::Unknown(best) => (best - after - usual).max(0.0),
        }
    }
}
