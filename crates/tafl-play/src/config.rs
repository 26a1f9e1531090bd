//! What the user decides about self-play and matches.

use crate::uneven::{UnevenGames, UnevenSide};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_config::{Config, ConfigError};
use tafl_search::SearchConfig;

/// Section `[runner]` of a run config: how games are run on this machine, in self-play and in matches.
///
/// Games do not depend on it where evaluations do not depend on their batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunnerConfig {
    /// Worker threads, each with its own evaluators, 0 to 1,024. Default 0: one per core.
    #[schemars(range(min = 0, max = 1_024))]
    pub workers: u32,
    /// Parallel games per worker, 1 to 65,536; also the largest evaluation batch. Default 64. More fill a GPU better,
    /// but the first games end later. Sensible: 64 to 256 on a CPU core, 192 and more on a GPU.
    #[schemars(range(min = 1, max = 65_536))]
    pub parallel_games: u32,
    /// Positions whose evaluations each worker keeps for each network, 0 to 10,000,000; about 600 bytes each. Default
    /// 20,000; 0 turns it off. Games stay the same, bit for bit. KataGo: 2^20 for all threads.
    #[schemars(range(min = 0, max = 10_000_000))]
    pub cache_positions: u32,
}

impl Default for RunnerConfig {
    fn default() -> Self {
        Self {
            workers: 0,
            parallel_games: 64,
            cache_positions: 20_000,
        }
    }
}

/// Section `[selfplay]` of a run config.
///
/// An untrained network's games are won by the defenders nearly always, or by nobody. What makes
/// learning start: searches see won and lost leaves exactly, `max_plies` ends games that lead
/// nowhere, openings put games on boards of their own, and uneven games show how winning looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Plies (opening included) after which an unfinished game is cut and reported as capped, 1 to
    /// 100,000. Default 600. Of random Copenhagen games 12 % are unfinished at 1,000; won ones last up to 440.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_plies: u32,
    /// Share of plies that get the full number of visits and become training samples, above 0 up to
    /// 1. Default 0.25, KataGo's playout cap randomization; 1 turns it off.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub full_search_fraction: f32,
    /// Visits of the other plies, 1 to 1,000,000, but never more than the full number; without exploration noise but in
    /// the first 12 plies behind the opening. Default 6. KataGo: a sixth of the full number.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub cheap_visits: u32,
    /// Games in which the network does not play both sides alike: who plays which side, in which share of the games, with
    /// how many random plies. The first entry that wants a game has it. Default: random plies of the stronger side in up to
    /// 0.6 of the games. KataGo plays a share of handicap games too.
    ///
    /// Untrained attackers hardly ever win, and learn nothing from losing: a teacher, who plays both sides in the first
    /// generations, shows how. If one side of a network nearly always wins, the other learns nothing from self-play, and
    /// networks forget the role that always loses: partners of similar strength and handicaps teach it. Networks that only
    /// play each other forget to finish a game against one that waits: so some partners for either side.
    pub uneven: Vec<UnevenGames>,
    /// The first plies of games. Not a field of files.
    #[serde(skip)]
    pub opening: OpeningConfig,
}

/// The first plies of games of self-play, which are not training samples.
///
/// Positions that the network takes as decided, by a win chance that is 0.7 above or below that of a loss, are no
/// openings: another is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpeningConfig {
    /// Share of games that begin in the start position. Default 0.25.
    pub start_fraction: f32,
    /// Largest number of random plies at the start of other games; each game has 0 to this many, all equally likely.
    /// Default 2: more cost the attackers the game more often than not.
    pub random_plies: u32,
    /// Largest number of plies after them that are drawn from the network's policy; each game has 0 to this many, all
    /// equally likely. Default 8. KataGo begins games so.
    pub policy_plies: u32,
}

impl Default for OpeningConfig {
    fn default() -> Self {
        Self {
            start_fraction: 0.25,
            random_plies: 2,
            policy_plies: 8,
        }
    }
}

impl Default for SelfplayConfig {
    fn default() -> Self {
        Self {
            max_plies: 600,
            full_search_fraction: 0.25,
            cheap_visits: 6,
            uneven: vec![UnevenGames {
                share: 0.6,
                ..UnevenGames::of(UnevenSide::Stronger)
            }],
            opening: OpeningConfig::default(),
        }
    }
}

/// Section `[arena]` of a run config: how matches are played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MatchConfig {
    /// Openings of a match, 1 to 1,000,000; each is played twice with sides swapped. Default 40. The interval is 30 to
    /// 60 Elo points to either side with 100, a third of that with 1,000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub openings: u32,
    /// Random plies of an opening, 0 to 1,000 and below `max_plies`. Default 4. With 0 all games of players
    /// without randomness are the same two. Sensible: 4 to 8.
    #[schemars(range(min = 0, max = 1_000))]
    pub opening_plies: u32,
    /// Visits per move of players that search, 1 to 1,000,000; replaces that of `[search]`. Default 100.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub visits: u32,
    /// Plies (opening included) after which an unfinished game is cut and reported as capped, 1 to
    /// 100,000. It scores half a point for each player. Default 1,000: strong attackers need up to 300.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_plies: u32,
}

impl Default for MatchConfig {
    fn default() -> Self {
        Self {
            openings: 40,
            opening_plies: 4,
            visits: 100,
            max_plies: 1_000,
        }
    }
}

impl MatchConfig {
    /// Returns the search of a player in a match: `search` with this section's visits.
    pub fn match_search(&self, search: &SearchConfig) -> SearchConfig {
        SearchConfig {
            visits: self.visits,
            ..search.clone()
        }
    }
}

impl Config for RunnerConfig {}

impl Config for SelfplayConfig {
    fn relations(&self) -> Vec<ConfigError> {
        let mut wrong = Vec::new();
        for (number, entry) in self.uneven.iter().enumerate() {
            let place = format!("uneven[{number}]");
            wrong.extend(entry.relations().map(|error| error.within(&place)));
            let mut before = self.uneven[..number].iter();
            if let Some(first) = before.position(|before| before.leaves_nothing_to(entry)) {
                let UnevenGames {
                    share, generations, ..
                } = self.uneven[first];
                let reason = format!(
                    "no game is left for it: uneven[{first}] has them all (share {share}, generations {generations})"
                );
                wrong.push(ConfigError::new("share", reason).within(&place));
            }
        }
        wrong
    }
}

impl Config for MatchConfig {
    fn relations(&self) -> Vec<ConfigError> {
        if self.opening_plies < self.max_plies {
            return Vec::new();
        }
        let reason = format!(
            "{} is not below max_plies, which is {}",
            self.opening_plies, self.max_plies
        );
        vec![ConfigError::new("opening_plies", reason)]
    }
}

/// All sections about games; those of other games have their defaults.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Sections {
    pub(crate) selfplay: SelfplayConfig,
    pub(crate) arena: MatchConfig,
    pub(crate) runner: RunnerConfig,
    pub(crate) search: SearchConfig,
}

impl Config for Sections {
    fn relations(&self) -> Vec<ConfigError> {
        let within = |section: &'static str, wrong: Vec<ConfigError>| {
            wrong.into_iter().map(move |error| error.within(section))
        };
        let selfplay = within("selfplay", self.selfplay.relations());
        selfplay
            .chain(within("arena", self.arena.relations()))
            .collect()
    }
}

/// Checks sections that were made in Rust; the first thing that is wrong is the error.
pub(crate) fn check_config<T: Config + Serialize>(config: &T) -> Result<(), ConfigError> {
    match tafl_config::check(config) {
        Err(wrong) => wrong.into_iter().next().map_or(Ok(()), Err),
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_do_not_go_together_are_named() {
        let named = |wrong: Vec<ConfigError>| {
            wrong
                .into_iter()
                .map(|error| error.field)
                .collect::<Vec<_>>()
        };
        assert_eq!(SelfplayConfig::default().relations(), []);
        let taught = UnevenGames::of(UnevenSide::Both);
        let rates = UnevenGames {
            alphabeta: vec![2],
            random_plies: vec![0.0, 0.1],
            ..taught.clone()
        };
        let all = SelfplayConfig {
            uneven: vec![taught, rates],
            ..SelfplayConfig::default()
        };
        assert_eq!(
            named(all.relations()),
            [
                "uneven[0].alphabeta",
                "uneven[1].random_plies",
                "uneven[1].share"
            ]
        );
        let partner = |side, share, generations| UnevenGames {
            share,
            alphabeta: vec![2],
            generations,
            ..UnevenGames::of(side)
        };
        let (either, stronger) = (UnevenSide::Either, UnevenSide::Stronger);
        let handicap = UnevenGames::of(either);
        for (before, entry, is_wrong) in [
            (partner(either, 1.0, 0), handicap.clone(), true),
            (partner(UnevenSide::Both, 1.0, 0), handicap.clone(), true),
            (partner(either, 0.5, 0), handicap.clone(), false),
            (partner(stronger, 1.0, 0), handicap.clone(), false),
            (partner(either, 1.0, 5), handicap.clone(), false),
            (partner(either, 1.0, 5), partner(stronger, 1.0, 4), true),
            (partner(either, 0.4, 0), partner(stronger, 0.4, 0), true),
            (partner(either, 0.4, 0), partner(stronger, 0.5, 0), false),
            (handicap, partner(stronger, 0.5, 0), true),
        ] {
            let all = SelfplayConfig {
                uneven: vec![before, entry],
                ..SelfplayConfig::default()
            };
            let expected: &[&str] = if is_wrong { &["uneven[1].share"] } else { &[] };
            assert_eq!(named(all.relations()), expected, "{all:?}");
        }
        let cut = MatchConfig {
            max_plies: 4,
            ..MatchConfig::default()
        };
        assert_eq!(named(cut.relations()), ["opening_plies"]);
    }

    #[test]
    fn a_handicap_has_a_least_and_a_greatest_chance_in_this_order() {
        for (rates, expected) in [
            (vec![0.1, 0.9], None),
            (vec![0.5], None),
            (vec![0.9, 0.1], Some("the greatest comes before the least")),
            (
                vec![0.1, 0.5, 0.9],
                Some("more than a least and a greatest one"),
            ),
        ] {
            let mut entry = UnevenGames {
                random_plies: rates,
                ..UnevenGames::of(UnevenSide::Either)
            };
            let found = entry.relations();
            assert_eq!(found.as_ref().map(|wrong| &*wrong.reason), expected);
            assert!(found.is_none_or(|wrong| wrong.field == "random_plies"));
            // Those of partners are drawn from as they come.
            entry.alphabeta = vec![2];
            assert_eq!(entry.relations(), None);
        }
    }
}
