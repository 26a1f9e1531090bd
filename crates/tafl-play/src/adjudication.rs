//! Games that end early because both players agree on the winner.

use crate::config::check_config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_config::{Config, ConfigError};
use tafl_rules::Side;
use tafl_search::MoverWdl;

/// When a game ends before the rules end it: both players search, and the last searches of both agree on who wins. Such
/// a game is recorded as adjudicated. The rules may have given another result, so this is off by default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Adjudication {
    /// Win minus loss beyond which a search calls the game decided, above 0 to 1. Sensible: 0.98.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub value: f32,
    /// Searches in a row by each player that must agree, 1 to 1,000. Sensible: 3.
    #[schemars(range(min = 1, max = 1_000))]
    pub searches: u32,
}

impl Config for Adjudication {}

impl Adjudication {
    /// Checks both numbers.
    ///
    /// # Errors
    /// Names the first one that cannot be used, and what it may hold.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_config(self)
    }
}

/// The result of a game according to its last searches.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Agreement {
    winner: Option<Side>,
    /// Searches in a row that name this winner, by [`Side::index`] of the side that searched.
    agreed: [u32; 2],
}

impl Agreement {
    /// Takes in what the search of the side to move expects; returns the winner once enough agree.
    pub(crate) fn add(
        &mut self,
        side: Side,
        expected: MoverWdl,
        adjudication: &Adjudication,
    ) -> Option<Side> {
        let winner = match expected.value() {
            value if value >= adjudication.value => Some(side),
            value if value <= -adjudication.value => Some(side.opponent()),
            _ => None,
        };
        if winner.is_none() || winner != self.winner {
            *self = Self {
                winner,
                agreed: [0; 2],
            };
        }
        self.agreed[side.index()] += u32::from(winner.is_some());
        let is_enough = self
            .agreed
            .iter()
            .all(|&count| count >= adjudication.searches);
        winner.filter(|_| is_enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Adjudication = Adjudication {
        value: 0.9,
        searches: 2,
    };

    /// Returns who wins after searches by turns, attackers first, with these expected values of the
    /// attackers.
    fn winner(values: &[f32]) -> Option<Side> {
        let mut agreement = Agreement::default();
        let mut last = None;
        for (ply, value) in values.iter().enumerate() {
            let side = Side::ALL[ply % 2];
            let chances = MoverWdl {
                win: (1.0 + value) / 2.0,
                draw: 0.0,
                loss: (1.0 - value) / 2.0,
            };
            let expected = match side {
                Side::Attacker => chances,
                Side::Defender => chances.for_opponent(),
            };
            last = agreement.add(side, expected, &STRICT);
        }
        last
    }

    #[test]
    fn both_sides_must_agree_on_the_winner_as_often_in_a_row_as_asked_for() {
        assert_eq!(winner(&[0.95; 3]), None);
        assert_eq!(winner(&[0.95; 4]), Some(Side::Attacker));
        assert_eq!(winner(&[-0.95; 4]), Some(Side::Defender));
        assert_eq!(winner(&[0.95, 0.95, 0.95, 0.5]), None);
        assert_eq!(winner(&[0.95, 0.95, 0.5, 0.95, 0.95, 0.95]), None);
        assert_eq!(winner(&[0.95, -0.95, 0.95, -0.95, 0.95, -0.95]), None);
    }
}
