//! Whether one side learns nothing about winning, because it never wins.

use std::collections::BTreeMap;
use std::path::Path;
use tafl_dataset::{Metric, read_metrics};
use tafl_rules::Side;

/// Games that say something: a side that wins one of twenty wins none of so many once in thirteen runs.
const LEAST_GAMES: u64 = 50;

/// A side that has won no game of self-play for at least half of the generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneSided {
    /// The side.
    pub side: Side,
    /// The last generations, in which it won none.
    pub generations: usize,
    /// The games in them.
    pub games: u64,
}

impl OneSided {
    /// Returns the side of the run in a folder, if there is one; nothing where nothing was measured.
    ///
    /// # Errors
    /// If what was measured cannot be read.
    pub fn of(run: &Path) -> anyhow::Result<Option<Self>> {
        Ok(Self::among(&read_metrics(&run.join("metrics.parquet"))?))
    }

    fn among(metrics: &[Metric]) -> Option<Self> {
        let by_generation = |name: &str| -> BTreeMap<u32, f64> {
            let own = metrics.iter().filter(|it| it.name == name);
            own.map(|it| (it.generation, it.value)).collect()
        };
        let games = by_generation("selfplay/games");
        let names = ["selfplay/attacker_win_rate", "selfplay/defender_win_rate"];
        let lost = names.map(|name| {
            let rates = by_generation(name);
            let last = rates.iter().rev().take_while(|(_, rate)| **rate == 0.0);
            let last: Vec<u32> = last.map(|(generation, _)| *generation).collect();
            (last.len() > 1 && 2 * last.len() >= rates.len()).then_some(last)
        });
        let (side, last) = match lost {
            [Some(last), None] => (Side::Attacker, last),
            [None, Some(last)] => (Side::Defender, last),
            // Where nobody wins, games are cut, which is told by itself.
            _ => return None,
        };
        let of_last = last.iter().filter_map(|it| games.get(it));
        let found = Self {
            side,
            generations: last.len(),
            games: of_last.sum::<f64>() as u64,
        };
        (found.games >= LEAST_GAMES).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is measured of generations of 20 games each, by the rates of both sides.
    fn measured(rates: &[[f64; 2]]) -> Vec<Metric> {
        let of_one = |(generation, [attackers, defenders]): (u32, &[f64; 2])| {
            let values = [
                ("selfplay/games", 20.0),
                ("selfplay/attacker_win_rate", *attackers),
                ("selfplay/defender_win_rate", *defenders),
            ];
            values.map(|(name, value)| Metric {
                generation,
                name: name.to_owned(),
                value,
                ..Metric::default()
            })
        };
        (0..).zip(rates).flat_map(of_one).collect()
    }

    #[test]
    fn a_side_that_has_not_won_for_long_is_named() {
        let of = |rates: &[[f64; 2]]| OneSided::among(&measured(rates));
        let (lost, even) = ([0.0, 0.9], [0.4, 0.5]);
        let found = OneSided {
            side: Side::Attacker,
            generations: 3,
            games: 60,
        };
        assert_eq!(of(&[lost, lost, lost]), Some(found));
        assert_eq!(of(&[even, even, lost, lost, lost]), Some(found));
        let swapped = of(&[[0.9, 0.0]; 3]).expect("it never won");
        assert_eq!(swapped.side, Side::Defender);
        // It won of late; it did for most of the run; the games are few; nobody wins.
        let (won, cut) = ([0.1, 0.9], [0.0, 0.0]);
        for rates in [
            vec![lost, lost, lost, won],
            vec![even, even, even, even, lost, lost, lost],
            vec![lost, lost],
            vec![cut, cut, cut],
        ] {
            assert_eq!(of(&rates), None, "{rates:?}");
        }
    }
}
