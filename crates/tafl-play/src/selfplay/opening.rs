//! The first plies of a game of self-play, which nobody chooses to win.

use crate::config::OpeningConfig;
use crate::opening::random_opening;
use crate::policy_opening::drawn_by_prior;
use crate::seeds::Purpose;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::derive_seed;
use tafl_search::RootStats;

/// Win minus loss, as the network sees it, beyond which a position is taken as decided and another opening drawn.
const DECIDED: f32 = 0.7;

/// Openings drawn before the game begins in the start position after all.
const ATTEMPTS: u64 = 4;

/// An opening in progress: random plies are on the board, those of the network's policy follow.
pub(super) struct Opening {
    /// How many were drawn before it.
    pub(super) attempt: u64,
    pub(super) is_start: bool,
    plies_left: u32,
    rng: Xoshiro256PlusPlus,
}

/// What is to be done in a position of an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The opening is over.
    Begin,
    /// Another one is needed.
    Again,
    /// This ply follows.
    Play(Move),
}

impl Opening {
    /// Draws an opening of a game, with its random plies.
    pub(super) fn draw(
        config: &OpeningConfig,
        rules: &Arc<Rules>,
        game_seed: u64,
        attempt: u64,
    ) -> (Self, Game) {
        let is_start = Purpose::Opening.rng(game_seed).random::<f32>() < config.start_fraction
            || config.random_plies + config.policy_plies == 0
            || attempt == ATTEMPTS;
        let seed = derive_seed(Purpose::Opening.seed(game_seed), &[attempt]);
        // Streams 0 and 1 are of `random_opening`: a shared one would let many random plies go with many of the policy.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, &[2]));
        let opening = Self {
            attempt,
            is_start,
            plies_left: rng.random_range(0..=config.policy_plies),
            rng,
        };
        let game = if is_start {
            Game::new(Arc::clone(rules))
        } else {
            random_opening(rules, config.random_plies, seed)
        };
        (opening, game)
    }

    /// Says how to go on from a position, given what the network says about it; a ply is counted.
    pub(super) fn judge(&mut self, stats: &RootStats) -> Verdict {
        let value = stats.network_value;
        if stats.proven.is_some() || (value.win - value.loss).abs() > DECIDED {
            return Verdict::Again;
        }
        let Some(left) = self.plies_left.checked_sub(1) else {
            return Verdict::Begin;
        };
        self.plies_left = left;
        Verdict::Play(drawn_by_prior(stats, &mut self.rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn random_plies_and_those_of_the_policy_are_drawn_apart() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let config = OpeningConfig {
            start_fraction: 0.0,
            random_plies: 2,
            policy_plies: 8,
        };
        let drawn = (0..500).map(|seed| {
            let (opening, game) = Opening::draw(&config, &rules, seed, 0);
            (game.moves().len(), opening.plies_left)
        });
        assert_eq!(drawn.collect::<BTreeSet<_>>().len(), 3 * 9);
    }
}
