//! Games that both sides' searches call decided: what soft resignation rests on.

use crate::{SelfplayConfig, derive_seed};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{Game, Rules, Side};
use tafl_samples::{GameRecord, SearchRecord};

/// What the last full searches of a game say of its result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Opinion {
    winner: Option<Side>,
    /// Searches in a row that name this winner, by [`Side::index`] of the side that searched.
    agreed: [u32; 2],
}

impl Opinion {
    /// Takes in the full search by which `side` chose its move.
    pub(crate) fn hear(&mut self, side: Side, search: &SearchRecord, config: &SelfplayConfig) {
        let [win, _, loss] = search.wdl;
        let winner = match win - loss {
            value if value >= config.decided_value => Some(side),
            value if value <= -config.decided_value => Some(side.opponent()),
            _ => None,
        };
        if winner.is_none() || winner != self.winner {
            *self = Self {
                winner,
                agreed: [0; 2],
            };
        }
        if winner.is_some() {
            self.agreed[side.index()] += 1;
        }
    }

    /// Returns the side that wins in the opinion of enough searches of both sides, if verdicts are given.
    pub(crate) fn verdict(&self, config: &SelfplayConfig) -> Option<Side> {
        let enough = self.agreed.map(|agreed| agreed >= config.decided_searches);
        let given = config.decided_searches > 0 && enough == [true; 2];
        self.winner.filter(|_| given)
    }
}

/// Returns whether a game is played without regard to verdicts, so that they can be compared with its end.
pub(crate) fn is_test(game_seed: u64, config: &SelfplayConfig) -> bool {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(game_seed, &[4]));
    rng.random::<f32>() < config.decided_test_fraction
}

/// How often games were called decided, and how often that was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// Games that were called decided at some ply.
    pub games: u64,
    /// Of those, games that were played without regard to it, both sides alike.
    pub tested: u64,
    /// Of those, games that the side first called the winner did not win, capped ones included.
    pub wrong: u64,
}

impl Verdicts {
    /// Counts the verdicts in games of one generation, whose rules are those of the generation.
    #[must_use]
    pub fn of(records: &[GameRecord], rules: &[Arc<Rules>], config: &SelfplayConfig) -> Self {
        let mut verdicts = Self::default();
        if config.decided_searches == 0 || rules.is_empty() {
            return verdicts;
        }
        for record in records {
            let rules = &rules[record.game_id as usize % rules.len()];
            let Some(winner) = first_verdict(record, rules, config) else {
                continue;
            };
            let fair = record.uneven_side().is_none();
            verdicts.games += 1;
            if fair && is_test(record.seed, config) {
                verdicts.tested += 1;
                verdicts.wrong += u64::from(record.ending.winner != Some(winner));
            }
        }
        verdicts
    }
}

/// Returns the winner that the first verdict of a game named.
fn first_verdict(record: &GameRecord, rules: &Arc<Rules>, config: &SelfplayConfig) -> Option<Side> {
    let mut game = Game::new(rules.clone());
    let mut opinion = Opinion::default();
    for ply in &record.plies {
        if let Some(search) = &ply.search {
            opinion.hear(game.position().side(), search, config);
            if let Some(winner) = opinion.verdict(config) {
                return Some(winner);
            }
        }
        game.play(ply.mv).ok()?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HandicapSide;

    fn config(decided_searches: u32) -> SelfplayConfig {
        SelfplayConfig {
            games: 1,
            parallel_games: 1,
            workers: 1,
            cache_positions: 0,
            max_plies: 10,
            random_opening_plies: 0,
            full_search_fraction: 1.0,
            cheap_visits: 1,
            past_opponent_fraction: 0.0,
            first_visits: 1,
            growing_generations: 0,
            archive_fraction: 0.0,
            handicap_fraction: 0.0,
            handicap_side: HandicapSide::Either,
            handicap_rates: [0.0, 0.0],
            handicap_plies: [0, 0],
            fixed_handicap_generations: 0,
            sparring_fraction: 0.0,
            sparring_side: HandicapSide::Stronger,
            sparring_depths: vec![1, 2, 3],
            sparring_rates: vec![0.0],
            decided_value: 0.9,
            decided_searches,
            decided_search_fraction: 0.1,
            decided_test_fraction: 0.0,
        }
    }

    /// Returns the verdict after searches that found these values, each seen by the side that searched.
    fn verdict(decided_searches: u32, searches: &[(Side, f32)]) -> Option<Side> {
        let config = config(decided_searches);
        let mut opinion = Opinion::default();
        for &(side, value) in searches {
            let search = SearchRecord {
                policy: Vec::new(),
                wdl: [f32::midpoint(1.0, value), 0.0, f32::midpoint(1.0, -value)],
                network_wdl: [0.0, 1.0, 0.0],
                visits: 1,
                proven: false,
                prior_divergence: 0.0,
            };
            opinion.hear(side, &search, &config);
        }
        opinion.verdict(&config)
    }

    #[test]
    fn both_sides_must_name_the_same_winner_often_enough() {
        use Side::{Attacker, Defender};
        let agreed = [
            (Attacker, -0.95),
            (Defender, 0.92),
            (Attacker, -0.95),
            (Defender, 0.96),
        ];
        assert_eq!(verdict(2, &agreed), Some(Defender));
        assert_eq!(verdict(2, &agreed[..3]), None, "once by the defenders");
        assert_eq!(verdict(3, &agreed), None);
        assert_eq!(verdict(0, &agreed), None, "turned off");
        let chain = [(Attacker, -0.95), (Attacker, -0.95), (Attacker, -0.95)];
        assert_eq!(verdict(1, &chain), None, "never by the defenders");
    }

    #[test]
    fn a_doubt_or_another_winner_ends_the_agreement() {
        use Side::{Attacker, Defender};
        let (lost, won) = ((Attacker, -0.95), (Defender, 0.95));
        assert_eq!(verdict(1, &[lost, won]), Some(Defender));
        assert_eq!(verdict(1, &[lost, won, (Attacker, -0.8)]), None);
        assert_eq!(verdict(1, &[lost, won, (Attacker, 0.95)]), None);
        let turned = [lost, won, (Attacker, 0.95), (Defender, -0.95)];
        assert_eq!(verdict(1, &turned), Some(Attacker));
    }
}
