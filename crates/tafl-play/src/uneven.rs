//! Who plays self-play's games in place of the network, and with how many random plies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_config::ConfigError;

/// An entry of `selfplay.uneven`: games in which the network does not play both sides alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnevenGames {
    /// The side that is played otherwise.
    pub side: UnevenSide,
    /// Share of the games, above 0 to 1, of those that the entries before leave. Default 1. Entries of a kind (teachers,
    /// partners, handicaps) count together: 0.2 for either side behind 0.4 for the stronger one lets partners play in 0.2
    /// to 0.4 of the games.
    #[serde(default = "all")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub share: f32,
    /// Depths in turns, 1 to 12 each, at which alpha-beta plays the side; without any, the network itself plays it, with
    /// random plies as a handicap. Default none.
    #[serde(default)]
    #[schemars(inner(range(min = 1, max = 12)))]
    pub alphabeta: Vec<u32>,
    /// Chances of the side's plies to be random, 0 to 1 each. Of a partner: one for each game, steps between a depth and
    /// the next one; default 0, 0.1, 0.2, 0.4 and 0.7. Of a handicap: the least and the greatest, between which it follows
    /// the results, so that the other side wins half of such games; default 0 and 1. Where alpha-beta plays both sides:
    /// one; default a twelfth, so that games differ and mistakes are punished.
    #[serde(default)]
    #[schemars(inner(range(min = 0.0, max = 1.0)))]
    pub random_plies: Vec<f32>,
    /// First generations that have such games, 0 to 1,000,000. Default 0: all.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub generations: u32,
}

/// Which side is played otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnevenSide {
    /// The side that won more of the last generation's even games under the ruleset (in workers and the asynchronous
    /// loop: of the last 1,000 games). Nobody up to a lead of 20 % of the games, in the whole share (0.9 at most) from
    /// 60 % on. Before there are games, either side has a handicap.
    Stronger,
    /// Either, drawn for each game, however even they are.
    Either,
    /// Both: alpha-beta teaches. The network learns its moves and who wins.
    Both,
}

/// Chances of a partner's plies to be random.
const PARTNER: &[f32] = &[0.0, 0.1, 0.2, 0.4, 0.7];
/// The least and the greatest chance of a handicapped ply to be random.
const HANDICAP: &[f32] = &[0.0, 1.0];
/// The chance of a teacher's plies to be random.
const TEACHER: &[f32] = &[1.0 / 12.0];

const fn all() -> f32 {
    1.0
}

impl UnevenGames {
    /// Returns an entry about a side with the default of every other field.
    pub const fn of(side: UnevenSide) -> Self {
        Self {
            side,
            share: all(),
            alphabeta: Vec::new(),
            random_plies: Vec::new(),
            generations: 0,
        }
    }

    /// Returns the chances of the side's plies to be random, the default in place of none.
    pub(crate) fn rates(&self) -> &[f32] {
        match (&self.random_plies[..], self.side) {
            ([], UnevenSide::Both) => TEACHER,
            ([], _) if self.alphabeta.is_empty() => HANDICAP,
            ([], _) => PARTNER,
            (given, _) => given,
        }
    }

    /// Returns whether a generation, counted from 0, has such games.
    pub const fn is_of(&self, generation: u32) -> bool {
        self.generations == 0 || generation < self.generations
    }

    /// Returns the least and the greatest of them.
    pub(crate) fn bounds(&self) -> [f32; 2] {
        let rates = self.rates().iter().copied();
        [rates.clone().fold(1.0, f32::min), rates.fold(0.0, f32::max)]
    }

    /// Returns whether this entry, before another one, has every game that the other wants.
    pub(crate) fn leaves_nothing_to(&self, other: &Self) -> bool {
        let lasts = self.generations == 0 || (1..=self.generations).contains(&other.generations);
        // The results of games decide how many the stronger side has.
        let is_whole = self.side != UnevenSide::Stronger;
        let kind = |it: &Self| (it.side == UnevenSide::Both, it.alphabeta.is_empty());
        let has_share = self.share >= 1.0 || kind(self) == kind(other) && self.share >= other.share;
        lasts && is_whole && has_share
    }

    /// Returns what does not go together in an entry.
    pub(crate) fn relations(&self) -> Option<ConfigError> {
        let wrong = |field, reason| Some(ConfigError::new(field, reason));
        match (self.side, &self.alphabeta[..], self.rates()) {
            (UnevenSide::Both, [], _) => wrong("alphabeta", "missing; it plays both sides"),
            (UnevenSide::Both, _, [_, _, ..]) => wrong("random_plies", "more than one"),
            (_, [], [_, _, _, ..]) => wrong("random_plies", "more than a least and a greatest one"),
            (_, [], [least, greatest]) if least > greatest => {
                wrong("random_plies", "the greatest comes before the least")
            }
            _ => None,
        }
    }
}
