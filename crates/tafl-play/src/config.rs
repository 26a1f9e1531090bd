//! What the user decides about self-play and matches.

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
    /// 20,000; 0 turns it off. Games stay the same, bit for bit. `KataGo`: 2^20 for all threads.
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
/// nowhere (what such a game counts is the training targets' business), `opening` puts games on boards of
/// their own, and handicapped games show the side that loses nearly always
/// how winning looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Plies (opening included) after which an unfinished game is cut and reported as capped, 1 to
    /// 100,000. Default 600. Of random Copenhagen games 12 % are unfinished at 1,000; won ones last up to 440.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_plies: u32,
    /// The first plies of games.
    pub opening: OpeningConfig,
    /// Share of plies that get the full number of visits and become training samples, above 0 up to
    /// 1. Default 0.25, `KataGo`'s playout cap randomization; 1 turns it off.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub full_search_fraction: f32,
    /// Visits of the other plies, 1 to 1,000,000, but never more than the full number; without
    /// exploration noise. Default 6. `KataGo`: a sixth of the full number.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub cheap_visits: u32,
    /// Share of games without a sparring partner in which one side is handicapped, 0 to 1: some of its plies are random
    /// unless they win at once.
    /// Default 0.6; 0 turns it off. `KataGo` plays a share of handicap games too. Under each ruleset it is the side that
    /// won more of the last generation's even games (in workers and the asynchronous loop: of the last 1,000 games,
    /// whenever a newer checkpoint comes): nobody up to a lead of 20 % of the games, from 60 % on in the whole share of
    /// games, and by a rate that lets the other side win half of the handicapped games; before there are games, either.
    /// Networks are known to forget the role that always loses.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub handicap_fraction: f32,
    /// Least and greatest probability that a ply of the handicapped side is random, 0 to 1; each such game draws its
    /// own between them. They bound the rate that results lead to. Default 0 to 1.
    #[schemars(inner(range(min = 0.0, max = 1.0)))]
    pub handicap_rates: [f32; 2],
    /// Share of games under a variant of their ruleset, 0 to 1, where the config names fields in `rule_changes`; none while
    /// alpha-beta teaches. A network that never saw another value of a field cannot know what it means. Default 0.2.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rule_change_fraction: f32,
    /// First generations, 0 to 1,000,000, whose games alpha-beta plays on both sides, at depths drawn from
    /// `sparring_depths` and with a random ply in twelve: the network learns its moves and who wins, before it plays by
    /// itself. Untrained attackers hardly ever win, and learn nothing from losing. Default 0.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub taught_generations: u32,
    /// Share of games in which alpha-beta plays the side that won more of the last generation's even games, 0 to 1: none up
    /// to a lead of 20 %, the full share from 60 % on. Such a game has no handicap. If one side of a network nearly always
    /// wins, the other side learns nothing from self-play; it learns from a partner of similar strength. Default 0 turns it
    /// off.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sparring_fraction: f32,
    /// Least share of games in which alpha-beta plays, 0 to 1, however even the sides are: what `sparring_fraction` leaves of
    /// it, with either side. Networks that only play each other forget to finish a game against one that waits. Default 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sparring_least_fraction: f32,
    /// Search depths of partners in turns, 1 to 12 each. There is a partner for each of these depths with each of
    /// `sparring_rates`; one is drawn for each game, with a chance in proportion to s(1 - s), s being the network's
    /// score against it in the last games (`AlphaStar`'s prioritized fictitious self-play). Default 1, 2 and 3.
    #[schemars(length(min = 1), inner(range(min = 1, max = 12)))]
    pub sparring_depths: Vec<u32>,
    /// Probabilities that a ply of a partner is random, 0 to 1 each: steps between a depth and the next one, which only a
    /// network that is nearly as strong bridges by itself. Default 0, 0.1, 0.2, 0.4 and 0.7.
    #[schemars(length(min = 1), inner(range(min = 0.0, max = 1.0)))]
    pub sparring_rates: Vec<f32>,
}

/// Section `[selfplay.opening]`: the first plies of games, which are not training samples.
///
/// Positions that the network takes as decided, by a win chance that is 0.7 above or below that of a loss, are no
/// openings: another is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OpeningConfig {
    /// Share of games that begin in the start position, 0 to 1. Default 0.25.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub start_fraction: f32,
    /// Largest number of random plies at the start of other games, 0 to 1,000; each game has 0 to this many, all equally
    /// likely. Default 2: more cost the attackers the game more often than not.
    #[schemars(range(min = 0, max = 1_000))]
    pub random_plies: u32,
    /// Largest number of plies after them that are drawn from the network's policy, 0 to 1,000; each game has 0 to this
    /// many, all equally likely. Default 8. `KataGo` begins games so.
    #[schemars(range(min = 0, max = 1_000))]
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
            opening: OpeningConfig::default(),
            full_search_fraction: 0.25,
            cheap_visits: 6,
            handicap_fraction: 0.6,
            handicap_rates: [0.0, 1.0],
            rule_change_fraction: 0.2,
            taught_generations: 0,
            sparring_fraction: 0.0,
            sparring_least_fraction: 0.0,
            sparring_depths: vec![1, 2, 3],
            sparring_rates: vec![0.0, 0.1, 0.2, 0.4, 0.7],
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
    #[must_use]
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
        let plies = self.opening.random_plies + self.opening.policy_plies;
        let mut wrong = too_long(("opening", plies), self.max_plies);
        let [least, greatest] = self.handicap_rates;
        if least > greatest {
            let reason = format!("{least} is above {greatest}; the smaller one comes first");
            wrong.push(ConfigError::new("handicap_rates", reason));
        }
        wrong
    }
}

impl Config for MatchConfig {
    fn relations(&self) -> Vec<ConfigError> {
        too_long(("opening_plies", self.opening_plies), self.max_plies)
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

fn too_long((field, plies): (&'static str, u32), max_plies: u32) -> Vec<ConfigError> {
    if plies < max_plies {
        return Vec::new();
    }
    let reason = format!("{plies} is not below max_plies, which is {max_plies}");
    vec![ConfigError::new(field, reason)]
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
        let both = SelfplayConfig {
            max_plies: 8,
            handicap_rates: [0.9, 0.3],
            ..SelfplayConfig::default()
        };
        assert_eq!(named(both.relations()), ["opening", "handicap_rates"]);
        let cut = MatchConfig {
            max_plies: 4,
            ..MatchConfig::default()
        };
        assert_eq!(named(cut.relations()), ["opening_plies"]);
    }
}
