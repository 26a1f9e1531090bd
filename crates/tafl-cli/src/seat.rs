//! Who plays in a run's matches, by name.

use crate::baseline::Baseline;
use std::fmt;
use tafl_dataset::generation_folder;

/// A player of a run's matches. Ordered as tables list them: checkpoints by age, then baselines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seat {
    /// The checkpoint of a generation; 0 is untrained.
    Checkpoint(u32),
    /// A player without a network.
    Baseline(Baseline),
}

impl Seat {
    /// Returns the part of a match's file name that stands for the player.
    pub(crate) fn file_name(self) -> String {
        match self {
            Self::Checkpoint(generation) => generation_folder(generation),
            Self::Baseline(baseline) => baseline.to_string().replace(':', ""),
        }
    }

    /// Returns a number that is the player's alone; it also says where the player stands in tables.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Checkpoint(generation) => generation.into(),
            Self::Baseline(Baseline::AlphaBeta(depth)) => (1 << 32) + u64::from(depth),
            Self::Baseline(Baseline::Rollouts(visits)) => (1 << 33) + u64::from(visits),
            Self::Baseline(Baseline::Greedy) => (1 << 34) + 1,
            Self::Baseline(Baseline::Random) => (1 << 34) + 2,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkpoint(generation) => write!(f, "checkpoint {generation}"),
            Self::Baseline(baseline) => write!(f, "{baseline}"),
        }
    }
}

impl std::str::FromStr for Seat {
    type Err = crate::baseline::UnknownBaseline;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let generation = text
            .strip_prefix("checkpoint ")
            .and_then(|number| number.parse().ok());
        match generation {
            Some(generation) => Ok(Self::Checkpoint(generation)),
            None => text.parse().map(Self::Baseline),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_numbers_differ() {
        let seats = [
            Seat::Checkpoint(12),
            Seat::Baseline(Baseline::AlphaBeta(3)),
            Seat::Baseline(Baseline::Rollouts(50)),
            Seat::Baseline(Baseline::Greedy),
            Seat::Baseline(Baseline::Random),
        ];
        for pair in seats.windows(2) {
            assert!(pair[0].number() < pair[1].number());
        }
        for seat in seats {
            assert_eq!(
                seat.to_string().parse::<Seat>().expect("its own name"),
                seat
            );
        }
        assert_eq!(seats[2].file_name(), "rollouts50");
    }
}
