//! Who played: names that stand in records, tables and configs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Who played one side of a game, as records, files and tables name it.
///
/// The text and the value say the same: `checkpoint 12`, `quickstart 28@100`, `alphabeta:3`, anything else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum PlayerId {
    /// A checkpoint of the run that the record belongs to, by its generation; 0 is untrained.
    Checkpoint(u32),
    /// A checkpoint outside of its run.
    Network {
        /// The run.
        run: String,
        /// Its generation in the run.
        generation: u32,
        /// Visits for each move.
        visits: u32,
    },
    /// A player without a network.
    Baseline(Baseline),
    /// Anyone else, such as another program.
    Other(String),
}

/// A player without a network: the name of its family, with its strength where it has one.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("x-form" = Family::forms()))]
pub struct Baseline {
    family: Family,
    /// 0 where the family has none.
    strength: u32,
}

/// How a baseline chooses its moves; its strength comes on top. Tables list them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Looks a number of turns ahead.
    AlphaBeta,
    /// Searches with random games as evaluations, a number of visits for each move.
    Rollouts,
    /// Wins if it can at once, keeps the opponent from winning at once, captures the most.
    Greedy,
    /// Any legal move.
    Random,
}

/// The number behind the name of a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strength {
    /// What it counts.
    pub unit: StrengthUnit,
    /// The largest one; the smallest is 1.
    pub most: u32,
    /// What a name without a number means, where it means anything.
    usual: Option<u32>,
}

/// What makes a player stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrengthUnit {
    /// Visits for each move.
    Visits,
    /// Turns looked ahead.
    Turns,
    /// Nothing: it has one strength.
    None,
}

impl Family {
    /// All families, in the order in which tables list them.
    pub const ALL: [Self; 4] = [Self::AlphaBeta, Self::Rollouts, Self::Greedy, Self::Random];

    /// Returns the name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AlphaBeta => "alphabeta",
            Self::Rollouts => "rollouts",
            Self::Greedy => "greedy",
            Self::Random => "random",
        }
    }

    /// Returns how all baselines are written, the weakest first, such as `greedy or rollouts:VISITS (1 to 1000000)`.
    pub fn forms() -> String {
        let form = |family: Self| match family.strength() {
            None => family.name().to_owned(),
            Some(Strength { unit, most, .. }) => {
                let number = match unit {
                    StrengthUnit::Visits => "VISITS",
                    StrengthUnit::Turns | StrengthUnit::None => "DEPTH",
                };
                format!("{}:{number} (1 to {most})", family.name())
            }
        };
        let [strongest, others @ ..] = Self::ALL.map(form);
        let weakest_first: Vec<String> = others.into_iter().rev().collect();
        format!("{} or {strongest}", weakest_first.join(", "))
    }

    /// Returns what the number behind the name means; nothing where there is none.
    pub const fn strength(self) -> Option<Strength> {
        match self {
            Self::AlphaBeta => Some(Strength {
                unit: StrengthUnit::Turns,
                // No game would end in a lifetime beyond.
                most: 12,
                usual: None,
            }),
            Self::Rollouts => Some(Strength {
                unit: StrengthUnit::Visits,
                most: 1_000_000,
                usual: Some(100),
            }),
            Self::Greedy | Self::Random => None,
        }
    }
}

impl Baseline {
    /// Any legal move.
    pub const RANDOM: Self = Self::of(Family::Random, 0);

    /// Looks one ply ahead.
    pub const GREEDY: Self = Self::of(Family::Greedy, 0);

    const fn of(family: Family, strength: u32) -> Self {
        Self { family, strength }
    }

    /// Returns the player who looks `depth` turns ahead.
    pub const fn alpha_beta(depth: u32) -> Self {
        Self::of(Family::AlphaBeta, depth)
    }

    /// Returns the player who searches with random games, `visits` for each move.
    pub const fn rollouts(visits: u32) -> Self {
        Self::of(Family::Rollouts, visits)
    }

    /// Returns a baseline of a family; `strength` is `None` where the family has none.
    ///
    /// # Errors
    /// If the family has no such strength.
    pub fn new(family: Family, strength: Option<u32>) -> Result<Self, UnknownBaseline> {
        let given = strength.map_or_else(String::new, |number| format!(":{number}"));
        let unknown = || UnknownBaseline(format!("{}{given}", family.name()));
        let strength = match (family.strength(), strength) {
            (None, None) => 0,
            (Some(of), None) => of.usual.ok_or_else(unknown)?,
            (Some(of), Some(number)) if (1..=of.most).contains(&number) => number,
            (_, Some(_)) => return Err(unknown()),
        };
        Ok(Self::of(family, strength))
    }

    /// Returns how it chooses.
    pub const fn family(self) -> Family {
        self.family
    }

    /// Returns the number behind its name; nothing where the family has none.
    pub fn strength(self) -> Option<u32> {
        self.family.strength().map(|_| self.strength)
    }
}

impl PlayerId {
    /// Returns a number by which tables order players: checkpoints by age, then baselines, each with its own, then all others,
    /// which share one.
    pub fn order(&self) -> u64 {
        match self {
            Self::Checkpoint(generation) => (*generation).into(),
            Self::Network { .. } | Self::Other(_) => u64::MAX,
            Self::Baseline(Baseline { family, strength }) => {
                ((1 + *family as u64) << 32) | u64::from(*strength)
            }
        }
    }

    /// Returns the baseline, if it is one.
    pub const fn baseline(&self) -> Option<Baseline> {
        match self {
            Self::Baseline(baseline) => Some(*baseline),
            _ => None,
        }
    }

    /// Returns the generation of a checkpoint of the record's own run.
    pub const fn checkpoint(&self) -> Option<u32> {
        match self {
            Self::Checkpoint(generation) => Some(*generation),
            _ => None,
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family.name())?;
        match self.strength() {
            Some(strength) => write!(f, ":{strength}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkpoint(generation) => write!(f, "checkpoint {generation}"),
            Self::Network {
                run,
                generation,
                visits,
            } => write!(f, "{run} {generation}@{visits}"),
            Self::Baseline(baseline) => write!(f, "{baseline}"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// A text that is not the name of a baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown baseline {0:?}; use {forms}", forms = Family::forms())]
pub struct UnknownBaseline(String);

impl FromStr for Baseline {
    type Err = UnknownBaseline;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownBaseline(text.chars().take(80).collect());
        let (name, strength) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse().map_err(|_| unknown())?)),
            None => (text, None),
        };
        let family = Family::ALL.into_iter().find(|it| it.name() == name);
        Self::new(family.ok_or_else(unknown)?, strength).map_err(|_| unknown())
    }
}

impl From<&str> for PlayerId {
    fn from(text: &str) -> Self {
        let checkpoint = text.strip_prefix("checkpoint ").and_then(number);
        if let Some(generation) = checkpoint {
            return Self::Checkpoint(generation);
        }
        if let Ok(baseline) = text.parse::<Baseline>()
            && baseline.to_string() == text
        {
            return Self::Baseline(baseline);
        }
        network(text).unwrap_or_else(|| Self::Other(text.to_owned()))
    }
}

/// Reads `RUN GENERATION@VISITS`.
fn network(text: &str) -> Option<PlayerId> {
    let (run, rest) = text.rsplit_once(' ')?;
    let (generation, visits) = rest.split_once('@')?;
    Some(PlayerId::Network {
        run: run.to_owned(),
        generation: number(generation)?,
        visits: number(visits)?,
    })
}

/// Reads a number that is written as [`fmt::Display`] would.
fn number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

impl From<String> for PlayerId {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<PlayerId> for String {
    fn from(id: PlayerId) -> Self {
        id.to_string()
    }
}

tafl_rules::serde_as_text!(Baseline);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_as_what_it_names() {
        let network = PlayerId::Network {
            run: "a run".to_owned(),
            generation: 28,
            visits: 100,
        };
        for (text, id) in [
            ("checkpoint 12", PlayerId::Checkpoint(12)),
            ("a run 28@100", network),
            ("alphabeta:3", PlayerId::Baseline(Baseline::alpha_beta(3))),
            ("rollouts:50", PlayerId::Baseline(Baseline::rollouts(50))),
            ("greedy", PlayerId::Baseline(Baseline::GREEDY)),
            ("random", PlayerId::Baseline(Baseline::RANDOM)),
        ] {
            assert_eq!(PlayerId::from(text), id);
            assert_eq!(id.to_string(), text);
        }
        for text in [
            "",
            "checkpoint",
            "checkpoint 012",
            "rollouts",
            "alphabeta:13",
            "TaflZero 0.3@nodes=9",
            "a 1@x",
        ] {
            assert_eq!(PlayerId::from(text), PlayerId::Other(text.to_owned()));
            assert_eq!(PlayerId::from(text).to_string(), text);
        }
    }

    #[test]
    fn baselines_without_their_number_or_out_of_range_are_refused() {
        assert_eq!("rollouts".parse(), Ok(Baseline::rollouts(100)));
        for text in [
            "alphabeta",
            "alphabeta:0",
            "alphabeta:13",
            "greedy:1",
            "rollouts:0",
            "rollouts:x",
            "ranDom",
            "",
        ] {
            assert_eq!(
                text.parse::<Baseline>(),
                Err(UnknownBaseline(text.to_owned()))
            );
        }
    }
}
