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
    /// By how much it is worth less than the best one, 0 to 2; 0 for the best one itself.
    Worse(f32),
    /// It had few visits: searches of the positions after it and after the best move tell, both of the same length, as each
    /// leans to whoever is to move. The value of the best move, where that is certain and needs none.
    Unknown(Option<f32>),
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
            _ if mv == stats.chosen => Self::Worse(0.0),
            Some(played) if played.proven.is_some() || is_enough(played.visits) => {
                let value = played.wdl.map_or(best_value, MoverWdl::value);
                Self::Worse((best_value - value).max(0.0))
            }
            _ => {
                let is_certain = best.is_some_and(|best| best.proven.is_some());
                Self::Unknown(is_certain.then_some(best_value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Proof, RootMove};
    use tafl_rules::Side;

    #[test]
    fn what_was_hardly_looked_at_is_compared_with_a_certain_value_alone() {
        let root = |mv: &str, visits, win| RootMove {
            mv: mv.parse().expect("a move"),
            prior: 0.3,
            visits,
            wdl: Some(MoverWdl {
                win,
                draw: 0.0,
                loss: 1.0 - win,
            }),
            policy: 0.3,
            proven: None,
        };
        let moves = vec![
            root("a1-a2", 40, 0.75),
            root("a1-a3", 10, 0.5),
            root("a1-a4", 9, 0.25),
        ];
        let best = moves[0].clone();
        let value = best.wdl.expect("a value");
        let mut stats = RootStats {
            chosen: best.mv,
            value,
            network_value: value,
            visits: 59,
            proven: None,
            moves,
        };
        let judged = |stats: &RootStats, place: usize| Judged::of(stats, stats.moves[place].mv);
        assert_eq!(judged(&stats, 0), Judged::Worse(0.0));
        assert_eq!(judged(&stats, 1), Judged::Worse(0.5));
        assert_eq!(judged(&stats, 2), Judged::Unknown(None));
        stats.moves[0].proven = Some(Proof {
            winner: Some(Side::Attacker),
            plies: 3,
        });
        stats.moves[0].wdl = Some(MoverWdl::certain(Some(Side::Attacker), Side::Attacker));
        assert_eq!(judged(&stats, 2), Judged::Unknown(Some(1.0)));
    }
}
