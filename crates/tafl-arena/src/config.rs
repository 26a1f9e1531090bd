//! What the user decides about matches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_search::SearchConfig;
use tafl_selfplay::ConfigError;

/// Section `[arena]` of a run config.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArenaConfig {
    /// Openings of a match, 1 to 1,000,000; each is played twice with sides changed. The
    /// interval is 30 to 60 Elo points to either side with 100, a third of that with 1,000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub openings: u32,
    /// Random plies of an opening, 0 to 1,000 and below `max_plies`. With 0 all games of players
    /// without randomness are the same two. Sensible: 4 to 8.
    #[schemars(range(min = 0, max = 1_000))]
    pub opening_plies: u32,
    /// Visits a move of players that search, 1 to 1,000,000, in place of those of `[search]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub visits: u32,
    /// Plies (opening included) after which an unfinished game is cut and reported as capped, 1 to
    /// 100,000. It scores half a point for each player.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_plies: u32,
    /// Games that one worker plays at the same time, 2 to 65,536; rounded up to an even number.
    /// They are the largest batch.
    #[schemars(range(min = 2, max = 65_536))]
    pub parallel_games: u32,
    /// Worker threads, 0 to 1,024; 0 for one a core. Results do not depend on it when evaluations
    /// do not depend on their batch.
    #[schemars(range(min = 0, max = 1_024))]
    pub workers: u32,
}

impl ArenaConfig {
    /// Checks every number.
    ///
    /// # Errors
    /// Names the first field whose number cannot be used, and what it may hold.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::check_range("openings", self.openings, [1, 1_000_000])?;
        ConfigError::check_range("visits", self.visits, [1, 1_000_000])?;
        ConfigError::check_range("max_plies", self.max_plies, [1, 100_000])?;
        let most = (self.max_plies - 1).min(1_000);
        ConfigError::check_range("opening_plies", self.opening_plies, [0, most])?;
        ConfigError::check_range("parallel_games", self.parallel_games, [2, 65_536])?;
        ConfigError::check_range("workers", self.workers, [0, 1_024])
    }

    /// Returns the search of a player in a match: `search` with this section's visits.
    #[must_use]
    pub fn match_search(&self, search: &SearchConfig) -> SearchConfig {
        SearchConfig {
            visits: self.visits,
            ..search.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_out_of_range_is_refused_by_its_name() {
        type Change = fn(&mut ArenaConfig);
        let good = ArenaConfig {
            openings: 10,
            opening_plies: 4,
            visits: 16,
            max_plies: 200,
            parallel_games: 8,
            workers: 0,
        };
        let breakers: [(&str, Change); 6] = [
            ("openings", |c| c.openings = 0),
            ("opening_plies", |c| c.opening_plies = 200),
            ("visits", |c| c.visits = 0),
            ("max_plies", |c| c.max_plies = 0),
            ("parallel_games", |c| c.parallel_games = 1),
            ("workers", |c| c.workers = 1_025),
        ];
        assert_eq!(good.check(), Ok(()));
        for (field, break_it) in breakers {
            let mut broken = good.clone();
            break_it(&mut broken);
            assert_eq!(broken.check().unwrap_err().field, field);
        }
    }
}
