//! How hard a side is to play well: the visits that a search needs to find the move of a deeper one.
//!
//! After Barthelemy 2025 (arXiv 2512.14319), who asks how much information a player needs in the first moves of Chess960. A score
//! near one half may hide that one side's moves are harder to find.

use crate::Estimate;
use crate::estimate::mean_with_interval;
use serde::{Deserialize, Serialize};
use tafl_rules::Side;

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

impl Difficulty {
    /// Returns what the visits say that each position needed: the least from which on every search chose the move of the
    /// deepest one. Nothing without positions.
    pub fn of(
        ruleset: &str,
        player: &str,
        side: Side,
        deepest: u32,
        needed: &[u32],
    ) -> Option<Self> {
        let positions = needed.len() as u64;
        let bits: Vec<f64> = needed.iter().map(|&it| f64::from(it).log2()).collect();
        let bits = (!bits.is_empty()).then(|| rounded(mean_with_interval(&bits), positions))?;
        let share = |visits: u32| {
            let found = needed.iter().filter(|&&it| it == visits).count();
            Estimate::share(found as u64, positions)
        };
        Some(Self {
            ruleset: ruleset.to_owned(),
            player: player.to_owned(),
            side,
            deepest,
            positions,
            visits: bits.mapped(|bits| bits.exp2().clamp(1.0, f64::from(deepest))),
            at_once: share(1),
            unsettled: share(deepest),
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

    fn difficulty(needed: &[u32]) -> Option<Difficulty> {
        Difficulty::of("r", "p", Side::Attacker, 1024, needed)
    }

    #[test]
    fn visits_are_a_geometric_mean_with_shares_of_both_ends() {
        let found = difficulty(&[1, 16, 1, 1024].repeat(25)).expect("positions");
        // 0, 4, 0 and 10 bits.
        assert!((found.visits.value.log2() - 3.5).abs() < 1e-9);
        let shares = [found.at_once.value, found.unsettled.value];
        assert_eq!(shares, [0.5, 0.25]);
        assert_eq!(difficulty(&[]), None);
    }

    #[test]
    fn equal_numbers_are_not_certain() {
        let found = difficulty(&[16; 48]).expect("positions");
        // Rounding to powers of 4 has a standard deviation of 2 / sqrt(12) bits, of the mean of 48 1 / 12.
        let reach = (found.visits.high / 16.0).log2();
        assert!((reach - 1.96 / 12.0).abs() < 1e-9, "{found:?}");
    }
}
