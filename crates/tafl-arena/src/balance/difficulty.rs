//! How hard a side is to play well: the visits that a search needs to find the move of a deeper one.
//!
//! After Barthelemy 2025 (arXiv 2512.14319), who asks how much information a player needs in the first moves of Chess960. A score
//! near one half may hide that one side's moves are harder to find.

use super::spread::mean;
use super::{Difficulty, posterior::rate};
use crate::Estimate;
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

impl Probes {
    /// Returns what they say; nothing without positions.
    pub(super) fn difficulty(&self) -> Option<Difficulty> {
        if self.needed.is_empty() {
            return None;
        }
        let bits: Vec<f64> = (self.needed.iter())
            .map(|&visits| f64::from(visits).log2())
            .collect();
        let most = f64::from(self.deepest);
        let count = self.needed.len() as u64;
        let unsettled = self.needed.iter().filter(|&&it| it == self.deepest).count();
        let at_once = self.needed.iter().filter(|&&visits| visits == 1).count();
        Some(Difficulty {
            ruleset: self.ruleset.clone(),
            player: self.player.clone(),
            side: self.side,
            deepest: self.deepest,
            positions: count,
            visits: rounded(mean(&bits), count).mapped(|bits| bits.exp2().clamp(1.0, most)),
            at_once: rate(at_once as u64, count),
            unsettled: rate(unsettled as u64, count),
        })
    }
}

/// Positions of a side below which it is not compared with the other one.
const FEWEST: u64 = 10;

/// Returns a mean with an interval that is not narrower than rounding up to the next search, of four times the visits, makes it.
fn rounded(mean: Estimate, count: u64) -> Estimate {
    let reach = 1.96 * 2.0 / (12.0 * count as f64).sqrt();
    Estimate {
        low: mean.low.min(mean.value - reach),
        high: mean.high.max(mean.value + reach),
        ..mean
    }
}

/// Returns how many times as many visits the attackers need as the defenders, with the interval of independent positions;
/// nothing of few positions.
pub(super) fn ratio(attackers: &Difficulty, defenders: &Difficulty) -> Option<Estimate> {
    if attackers.positions.min(defenders.positions) < FEWEST {
        return None;
    }
    let [of_attackers, of_defenders] = [attackers, defenders].map(|it| it.visits.mapped(f64::log2));
    // Where one end of an interval is cut at a bound, the other one tells its width.
    let half = |it: &Estimate| (it.high - it.value).max(it.value - it.low);
    let value = of_attackers.value - of_defenders.value;
    let reach = half(&of_attackers).hypot(half(&of_defenders));
    let bits = Estimate {
        value,
        low: value - reach,
        high: value + reach,
    };
    Some(bits.mapped(f64::exp2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probes(side: Side, needed: Vec<u32>) -> Difficulty {
        let probes = Probes {
            ruleset: "r".to_owned(),
            player: "p".to_owned(),
            side,
            deepest: 1024,
            needed,
        };
        probes.difficulty().expect("positions")
    }

    #[test]
    fn visits_are_a_geometric_mean_and_sides_are_compared_by_their_quotient() {
        let attackers = probes(Side::Attacker, [16, 64, 16, 64].repeat(25));
        let defenders = probes(Side::Defender, [1, 16, 1, 16].repeat(25));
        assert!((attackers.visits.value - 32.0).abs() < 1e-9);
        assert!((defenders.visits.value - 4.0).abs() < 1e-9);
        assert_eq!(attackers.at_once.value.round() as i32, 0);
        assert!((defenders.at_once.value - 0.5).abs() < 0.01);
        // The bits are 4 and 6, and 0 and 4: standard deviations 1 and 2, errors 0.1 and 0.2.
        let found = ratio(&attackers, &defenders).expect("enough positions");
        assert!((found.value - 8.0).abs() < 1e-9);
        let reach = 1.98 * (0.1_f64.powi(2) + 0.2_f64.powi(2)).sqrt();
        assert!(((found.high / found.value).log2() - reach).abs() < 0.01);
    }

    #[test]
    fn equal_numbers_are_not_certain_and_few_say_nothing() {
        let of = |count, visits| probes(Side::Attacker, vec![visits; count]);
        let (attackers, defenders) = (of(48, 1024), of(48, 16));
        assert_eq!(
            (attackers.unsettled.value, defenders.unsettled.value),
            (1.0, 0.0)
        );
        let found = ratio(&attackers, &defenders).expect("enough positions");
        // Rounding to powers of 4 has a standard deviation of 2 / sqrt(12) bits, of the mean of 48 1 / 12.
        let reach = 1.96 / 12.0 * 2.0_f64.sqrt();
        assert!(
            ((found.high / 64.0).log2() - reach).abs() < 1e-9,
            "{found:?}"
        );
        assert_eq!(ratio(&of(9, 16), &of(9, 4)), None);
    }

    #[test]
    fn without_positions_nothing_is_said() {
        let probes = Probes {
            ruleset: "r".to_owned(),
            player: "p".to_owned(),
            side: Side::Attacker,
            deepest: 4,
            needed: Vec::new(),
        };
        assert_eq!(probes.difficulty(), None);
    }
}
