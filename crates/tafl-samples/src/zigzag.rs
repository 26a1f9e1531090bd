//! Whether values depend on whose turn it is, ply by ply.

use tafl_rules::Side;

/// Returns, for each ply of the attackers between two of the defenders, by how much the value before it is above the mean of
/// the values before and after: 0 in mean where values do not depend on whose turn it is.
///
/// `values` are those of the attackers, one for each side to move.
#[must_use]
pub fn zigzag_terms(sides: &[Side], values: &[f64]) -> Vec<f64> {
    let between = [Side::Defender, Side::Attacker, Side::Defender];
    let triples = sides.windows(3).zip(values.windows(3));
    let triples = triples.filter(|(sides, _)| **sides == between);
    triples
        .map(|(_, values)| values[1] - f64::midpoint(values[0], values[2]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Attacker, Defender};

    #[test]
    fn only_plies_of_attackers_between_two_of_the_defenders_count() {
        let sides = [Attacker, Defender, Attacker, Defender, Defender, Attacker];
        let values = [9.0, 0.25, 0.5, -0.25, 9.0, 9.0];
        assert_eq!(zigzag_terms(&sides, &values), [0.5]);
    }
}
