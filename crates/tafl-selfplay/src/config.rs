//! What the user decides about self-play.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use tafl_search::SearchConfig;

/// Section `[selfplay]` of a run config.
///
/// An untrained network's games are won by the defenders nearly always, or by nobody. What makes
/// learning start: searches see won and lost leaves exactly, `max_plies` ends games that lead
/// nowhere (what such a game counts is the training targets' business), `random_opening_plies` puts
/// every game on a board of its own, and handicapped games show the side that loses nearly always
/// how winning looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Games in a generation, 1 to 10,000,000; workers and the asynchronous loop, which have no
    /// generations, play on. `AlphaZero` ran without generations too; `AlphaGo` Zero: 25,000.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub games: u32,
    /// Games that one worker plays at the same time, 1 to 65,536; the largest batch of evaluations.
    /// More fill a GPU better, but take longer until the first ones end. Sensible: 64 to 256 on a CPU
    /// core, 512 and more on a GPU.
    #[schemars(range(min = 1, max = 65_536))]
    pub parallel_games: u32,
    /// Worker threads, each with an evaluator of its own, 0 to 1,024; 0 for one a core. Records do
    /// not depend on it when evaluations do not depend on their batch.
    #[schemars(range(min = 0, max = 1_024))]
    pub workers: u32,
    /// Positions whose evaluations each worker keeps for when they come again, 0 to 10,000,000; about
    /// 600 bytes each, for each checkpoint that has games in progress (in workers and the asynchronous loop up to
    /// three). Games stay the same, bit for bit; 0 turns it off. `KataGo`: 2^20 for all threads.
    #[schemars(range(min = 0, max = 10_000_000))]
    #[schemars(extend("x-before" = 0))]
    pub cache_positions: u32,
    /// Plies (opening included) after which an unfinished game is cut and reported as capped, 1 to
    /// 100,000. Of random Copenhagen games 12 % are unfinished at 1,000. Sensible: 200 to 500.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_plies: u32,
    /// Most random plies at the start of a game, 0 to 1,000 and below `max_plies`; each game takes
    /// 0 to as many, all equally likely. They are no training samples. `KataGo` starts games with a
    /// few moves drawn from the policy; 0 turns it off.
    #[schemars(range(min = 0, max = 1_000))]
    pub random_opening_plies: u32,
    /// Share of plies that get the full number of visits and become training samples, above 0 up to
    /// 1. `KataGo`'s playout cap randomization: 0.25; 1 turns it off.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub full_search_fraction: f32,
    /// Visits of the other plies, 1 to 1,000,000, but never more than the full number; without
    /// exploration noise. `KataGo`: a sixth of the full number.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub cheap_visits: u32,
    /// Share of games in which an older checkpoint of the run, drawn from all that passed the gate once for
    /// the games of each new one, plays one side, 0 to 1; it searches as the newest does, and its plies
    /// are no samples. Fictitious self-play (Heinrich et al. 2015) plays all games so, `OpenAI` Five
    /// 0.2; 0 turns it off, as in `AlphaZero`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-before" = 0.0))]
    pub past_opponent_fraction: f32,
    /// Visits of the full searches of generation 0, 1 to 1,000,000; they grow evenly to `search.visits`.
    /// Early networks know little that more visits could find (progressive simulation, `MiniZero`).
    #[schemars(range(min = 1, max = 1_000_000), extend("x-before" = 1))]
    pub first_visits: u32,
    /// Generations in which they grow, 0 to 1,000,000; 0: all of them search with `search.visits`.
    #[schemars(range(min = 0, max = 1_000_000), extend("x-before" = 0))]
    pub growing_generations: u32,
    /// Share of games that begin with the first plies of a game of the generation before, however many, 0
    /// to 1, so that rare positions are seen often (`Go-Exploit`). 0 turns it off.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-before" = 0.0))]
    pub archive_fraction: f32,
    /// Share of games in which one side is handicapped, 0 to 1: some of its plies are random unless
    /// they win at once, and no samples. `KataGo` plays a share of handicap games too. 0 turns it off.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub handicap_fraction: f32,
    /// Which side is handicapped in such a game.
    pub handicap_side: HandicapSide,
    /// Least and greatest probability that a ply of that side is random, 0 to 1; each such game
    /// draws its own between them. With `stronger` they bound the rate that is followed.
    #[schemars(inner(range(min = 0.0, max = 1.0)))]
    pub handicap_rates: [f32; 2],
    /// Least and greatest ply, 0 to 1,000,000, at which a handicap ends, drawn for each such game. Both sides play on as
    /// well as they can, and samples come from those plies alone: positions that are worth playing for either side, with
    /// values that no random ply made false. `[0, 0]`: it lasts for the whole game, and samples come from all of it.
    #[schemars(inner(range(min = 0, max = 1_000_000)), extend("x-before" = [0, 0]))]
    pub handicap_plies: [u32; 2],
    /// Generations at first, 0 to 1,000,000, in which `stronger` handicaps the defenders by rates from 0.3 below the
    /// greatest one up to it, whatever the results: untrained attackers hardly ever win, and learn how against
    /// defenders who err. 0: results decide from the first games on.
    #[schemars(range(min = 0, max = 1_000_000), extend("x-before" = 0))]
    pub fixed_handicap_generations: u32,
    /// Share of games in which one side is played by alpha-beta, 0 to 1; its plies are no samples, and such a game has
    /// neither a handicap nor a past opponent. Networks whose one side wins nearly always teach their other one
    /// nothing; a partner of about even strength does. 0 turns it off.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-before" = 0.0))]
    pub sparring_fraction: f32,
    /// Which side the partner plays.
    #[schemars(extend("x-before" = "stronger"))]
    pub sparring_side: HandicapSide,
    /// Turns that partners look ahead, 1 to 12 each. There is a partner for each of these depths with each of
    /// `sparring_rates`; one is drawn for each game, with a chance in proportion to s(1 - s), s being the network's
    /// score against it in the last games (`AlphaStar`'s prioritized fictitious self-play).
    #[schemars(inner(range(min = 1, max = 12)), extend("x-before" = [1, 2, 3]))]
    pub sparring_depths: Vec<u32>,
    /// Probabilities that a ply of a partner is random, 0 to 1 each: steps between a depth and the next one, which only a
    /// network that is nearly as strong bridges by itself.
    #[schemars(inner(range(min = 0.0, max = 1.0)), extend("x-before" = [0.0]))]
    pub sparring_rates: Vec<f32>,
    /// Value of a search, win minus loss, from which on it calls the game decided for the one side or the
    /// other, 0 to 1. `KataGo`: 0.9 (`reduceVisitsThreshold`).
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-before" = 0.9))]
    pub decided_value: f32,
    /// Full searches in a row by which each side must call the game decided for the same winner, 0 to
    /// 1,000. From then on until one disagrees fewer plies are searched fully; no game is cut short.
    /// `KataGo`: 3 of both sides together; 0 turns it off.
    #[schemars(range(min = 0, max = 1_000))]
    #[schemars(extend("x-before" = 0))]
    pub decided_searches: u32,
    /// Share of the full searches that a decided game keeps, 0 to 1; the other plies get `cheap_visits`
    /// and are no samples, so that its samples weigh that much less. `KataGo`: a weight of 0.1.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-before" = 0.1))]
    pub decided_search_fraction: f32,
    /// Share of games that are played without regard to this, 0 to 1, and show how often it is wrong
    /// (counted in the synchronous loop only).
    /// `AlphaGo` Zero let 0.1 of its games go on where it resigned others.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(extend("x-before" = 0.1))]
    pub decided_test_fraction: f32,
}

/// Which side is handicapped, or played by a sparring partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandicapSide {
    /// The attackers.
    Attackers,
    /// The defenders, who win nearly always while networks are weak.
    Defenders,
    /// Either, drawn for each game.
    Either,
    /// Under each ruleset the one that won more of the last generation's games without a handicap (in workers and the
    /// asynchronous loop: of the last 1,000 games, whenever a newer checkpoint comes): nobody up to a lead of 20 % of
    /// the games, from 60 % on in the whole share of games, and by a rate that lets the other side win half of the
    /// handicapped games; before there are games, either. Networks are known to forget the role that always loses.
    Stronger,
}

/// A number that a config may not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: {value} is not {allowed}")]
pub struct ConfigError {
    /// The field.
    pub field: &'static str,
    /// What it holds.
    pub value: String,
    /// What it may hold.
    pub allowed: String,
}

impl ConfigError {
    /// Checks that a number lies in a range, both ends included.
    ///
    /// # Errors
    /// If it does not; names the field and the range.
    pub fn check_range(field: &'static str, value: u32, range: [u32; 2]) -> Result<(), Self> {
        if (range[0]..=range[1]).contains(&value) {
            return Ok(());
        }
        let allowed = format!("a number from {} to {}", range[0], range[1]);
        Err(Self {
            field,
            value: value.to_string(),
            allowed,
        })
    }

    fn check_share(field: &'static str, value: f32) -> Result<(), Self> {
        if (0.0..=1.0).contains(&value) {
            return Ok(());
        }
        Err(Self {
            field,
            value: value.to_string(),
            allowed: "a number from 0 to 1".into(),
        })
    }

    fn check_order<T: PartialOrd + fmt::Debug>(
        field: &'static str,
        bounds: [T; 2],
    ) -> Result<(), Self> {
        if bounds[0] <= bounds[1] {
            return Ok(());
        }
        Err(Self {
            field,
            value: format!("{bounds:?}"),
            allowed: "a least and a greatest number, in this order".into(),
        })
    }
}

impl SelfplayConfig {
    /// Returns the full search of a generation, given the one that they grow to.
    #[must_use]
    pub fn search_of(&self, full: &SearchConfig, generation: u32) -> SearchConfig {
        let mut search = full.clone();
        if generation < self.growing_generations {
            let (first, last) = (i64::from(self.first_visits), i64::from(full.visits));
            let grown =
                (last - first) * i64::from(generation) / i64::from(self.growing_generations);
            search.visits = (first + grown) as u32;
        }
        search
    }

    /// Checks every number.
    ///
    /// # Errors
    /// Names the first field whose number cannot be used, and what it may hold.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_range("games", self.games, [1, 10_000_000])?;
        ConfigError::check_range("parallel_games", self.parallel_games, [1, 65_536])?;
        ConfigError::check_range("workers", self.workers, [0, 1_024])?;
        ConfigError::check_range("cache_positions", self.cache_positions, [0, 10_000_000])?;
        ConfigError::check_range("max_plies", self.max_plies, [1, 100_000])?;
        let most = (self.max_plies - 1).min(1_000);
        ConfigError::check_range("random_opening_plies", self.random_opening_plies, [0, most])?;
        if !(self.full_search_fraction > 0.0 && self.full_search_fraction <= 1.0) {
            return Err(ConfigError {
                field: "full_search_fraction",
                value: self.full_search_fraction.to_string(),
                allowed: "a fraction above 0 and up to 1".into(),
            });
        }
        for (field, value) in [
            ("past_opponent_fraction", self.past_opponent_fraction),
            ("archive_fraction", self.archive_fraction),
            ("handicap_fraction", self.handicap_fraction),
            ("handicap_rates", self.handicap_rates[0]),
            ("handicap_rates", self.handicap_rates[1]),
            ("decided_value", self.decided_value),
            ("decided_search_fraction", self.decided_search_fraction),
            ("decided_test_fraction", self.decided_test_fraction),
        ] {
            ConfigError::check_share(field, value)?;
        }
        for plies in self.handicap_plies {
            ConfigError::check_range("handicap_plies", plies, [0, 1_000_000])?;
        }
        ConfigError::check_order("handicap_rates", self.handicap_rates)?;
        ConfigError::check_order("handicap_plies", self.handicap_plies)?;
        self.check_sparring()?;
        let generations = [0, 1_000_000];
        ConfigError::check_range("growing_generations", self.growing_generations, generations)?;
        let fixed = self.fixed_handicap_generations;
        ConfigError::check_range("fixed_handicap_generations", fixed, generations)?;
        ConfigError::check_range("first_visits", self.first_visits, [1, 1_000_000])?;
        ConfigError::check_range("decided_searches", self.decided_searches, [0, 1_000])?;
        ConfigError::check_range("cheap_visits", self.cheap_visits, [1, 1_000_000])
    }

    fn check_sparring(&self) -> Result<(), ConfigError> {
        ConfigError::check_share("sparring_fraction", self.sparring_fraction)?;
        for &rate in &self.sparring_rates {
            ConfigError::check_share("sparring_rates", rate)?;
        }
        for &depth in &self.sparring_depths {
            ConfigError::check_range("sparring_depths", depth, [1, 12])?;
        }
        for (field, is_empty) in [
            ("sparring_depths", self.sparring_depths.is_empty()),
            ("sparring_rates", self.sparring_rates.is_empty()),
        ] {
            if self.sparring_fraction > 0.0 && is_empty {
                return Err(ConfigError {
                    field,
                    value: "an empty list".into(),
                    allowed: "allowed where sparring_fraction is above 0".into(),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> SelfplayConfig {
        SelfplayConfig {
            games: 8,
            parallel_games: 4,
            workers: 1,
            cache_positions: 0,
            max_plies: 100,
            random_opening_plies: 4,
            full_search_fraction: 1.0,
            cheap_visits: 1,
            past_opponent_fraction: 0.0,
            first_visits: 1,
            growing_generations: 0,
            archive_fraction: 0.0,
            handicap_fraction: 0.0,
            handicap_side: HandicapSide::Either,
            handicap_rates: [0.0, 1.0],
            handicap_plies: [0, 0],
            fixed_handicap_generations: 0,
            sparring_fraction: 0.0,
            sparring_side: HandicapSide::Stronger,
            sparring_depths: vec![1, 2, 3],
            sparring_rates: vec![0.0],
            decided_value: 0.9,
            decided_searches: 0,
            decided_search_fraction: 0.1,
            decided_test_fraction: 0.1,
        }
    }

    #[test]
    fn every_number_out_of_range_is_refused_by_its_name() {
        type Change = fn(&mut SelfplayConfig);
        let breakers: [(&str, Change); 28] = [
            ("games", |c| c.games = 0),
            ("parallel_games", |c| c.parallel_games = 0),
            ("workers", |c| c.workers = 2_000),
            ("cache_positions", |c| c.cache_positions = 20_000_000),
            ("max_plies", |c| c.max_plies = 0),
            ("random_opening_plies", |c| c.random_opening_plies = 100),
            ("full_search_fraction", |c| c.full_search_fraction = 0.0),
            ("full_search_fraction", |c| {
                c.full_search_fraction = f32::NAN
            }),
            ("full_search_fraction", |c| c.full_search_fraction = 1.5),
            ("cheap_visits", |c| c.cheap_visits = 0),
            ("past_opponent_fraction", |c| c.past_opponent_fraction = 1.1),
            ("first_visits", |c| c.first_visits = 0),
            ("growing_generations", |c| c.growing_generations = 2_000_000),
            ("sparring_fraction", |c| c.sparring_fraction = 1.5),
            ("sparring_depths", |c| c.sparring_depths = vec![3, 13]),
            ("sparring_rates", |c| c.sparring_rates = vec![0.0, -0.5]),
            ("sparring_depths", |c| {
                c.sparring_depths.clear();
                c.sparring_fraction = 0.1;
            }),
            ("fixed_handicap_generations", |c| {
                c.fixed_handicap_generations = 2_000_000;
            }),
            ("archive_fraction", |c| c.archive_fraction = 1.5),
            ("handicap_fraction", |c| c.handicap_fraction = -0.1),
            ("handicap_rates", |c| c.handicap_rates[1] = f32::NAN),
            ("handicap_rates", |c| c.handicap_rates = [0.9, 0.3]),
            ("handicap_plies", |c| c.handicap_plies[1] = 2_000_000),
            ("handicap_plies", |c| c.handicap_plies = [60, 10]),
            ("decided_value", |c| c.decided_value = 2.0),
            ("decided_searches", |c| c.decided_searches = 2_000),
            ("decided_search_fraction", |c| {
                c.decided_search_fraction = -1.0
            }),
            ("decided_test_fraction", |c| c.decided_test_fraction = 1.5),
        ];
        assert_eq!(config().check(), Ok(()));
        for (field, break_it) in breakers {
            let mut broken = config();
            break_it(&mut broken);
            assert_eq!(broken.check().unwrap_err().field, field);
        }
    }

    #[test]
    fn an_error_names_field_value_and_range() {
        let error = SelfplayConfig {
            workers: 2_000,
            ..config()
        }
        .check()
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "field `workers`: 2000 is not a number from 0 to 1024"
        );
    }
}
