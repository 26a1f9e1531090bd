//! How hard a side is to play well: the visits that a search needs to find the move of a deeper one.
//!
//! After Barthelemy 2025 (arXiv 2512.14319), who asks how much information a player needs in the first moves of Chess960. A score
//! near one half may hide that one side's moves are harder to find.

use super::posterior::rate;
use crate::Estimate;
use crate::estimate::mean_with_interval;
use serde::{Deserialize, Serialize};
use tafl_rules::Side;

/// The visits needed in positions of one side under one ruleset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probes {
    /// The ruleset.
    pub ruleset: String,
    /// The name of the player that searched, and whose games the positions are from.
    pub player: String,
    /// The side to move.
    pub side: Side,
    /// Visits of the deepest search.
    pub deepest: u32,
    /// For each position the least visits from which on every search chose the move of the deepest one.
    pub needed: Vec<u32>,
}

/// How hard a side is to play well, as one network plays: the visits that it needs to find the move of a deeper search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difficulty {
    /// The ruleset.
    pub ruleset: String,
    /// The name of the player that searched, and whose games the positions are from.
    pub player: String,
    /// The side to move.
    pub side: Side,
    /// Visits of the deepest search.
    pub deepest: u32,
    /// Positions, one of a game: such as the game's own search took for open.
    pub positions: u64,
    /// Visits from which on every search finds the move of the deepest one: the geometric mean, 1 to `deepest`.
    pub visits: Estimate,
    /// Share of positions in which one visit finds it, 0 to 1.
    pub at_once: Estimate,
    /// Share of positions in which only the deepest search finds it, 0 to 1: they may need any number of visits, but count as
    /// `deepest`.
    pub unsettled: Estimate,
}

impl Probes {
    /// Returns what they say; nothing without positions.
    pub(super) fn difficulty(&self) -> Option<Difficulty> {
        if self.needed.is_empty() {
            return None;
        }
        let positions = self.needed.len() as u64;
        let bits = self.needed.iter().map(|&visits| f64::from(visits).log2());
        let bits = rounded(mean_with_interval(&bits.collect::<Vec<_>>()), positions);
        let share = |visits: u32| {
            let found = self.needed.iter().filter(|&&it| it == visits).count();
            rate(found as u64, positions)
        };
        Some(Difficulty {
            ruleset: self.ruleset.clone(),
            player: self.player.clone(),
            side: self.side,
            deepest: self.deepest,
            positions,
            visits: bits.mapped(|bits| bits.exp2().clamp(1.0, f64::from(self.deepest))),
            at_once: share(1),
            unsettled: share(self.deepest),
        })
    }
}

/// Returns a mean with an interval that is not narrower than rounding up to the next search, of four times the visits, makes it.
fn rounded(mean: Estimate, count: u64) -> Estimate {
    let reach = 1.96 * 2.0 / (12.0 * count as f64).sqrt();
    Estimate {
        low: mean.low.min(mean.value - reach),
        high: mean.high.max(mean.value + reach),
        ..mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difficulty(needed: Vec<u32>) -> Option<Difficulty> {
        let probes = Probes {
            ruleset: "r".to_owned(),
            player: "p".to_owned(),
            side: Side::Attacker,
            deepest: 1024,
            needed,
        };
        probes.difficulty()
    }

    #[test]
    fn visits_are_a_geometric_mean_with_shares_of_both_ends() {
        let found = difficulty([1, 16, 1, 1024].repeat(25)).expect("positions");
        // 0, 4, 0 and 10 bits.
        assert!((found.visits.value.log2() - 3.5).abs() < 1e-9);
        let shares = [found.at_once.value, found.unsettled.value];
        assert_eq!(shares, [0.5, 0.25]);
        assert_eq!(difficulty(Vec::new()), None);
    }

    #[test]
    fn equal_numbers_are_not_certain() {
        let found = difficulty(vec![16; 48]).expect("positions");
        // Rounding to powers of 4 has a standard deviation of 2 / sqrt(12) bits, of the mean of 48 1 / 12.
        let reach = (found.visits.high / 16.0).log2();
        assert!((reach - 1.96 / 12.0).abs() < 1e-9, "{found:?}");
    }
}
