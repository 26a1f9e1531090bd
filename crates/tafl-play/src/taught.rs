//! Alpha-beta as the teacher of a network that knows nothing: it plays both sides.

use crate::SelfplayConfig;
use crate::sparring::{PRIOR_GAMES, draw_close};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Side;
use tafl_samples::{Baseline, GameRecord};

/// Who teaches under one ruleset, and how the last games of each pair ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaughtPlan {
    /// Depths of attackers and defenders in turns, and the attackers' score in the last games, 0 to 1; drawn to a half by
    /// few games.
    pairs: Vec<([u32; 2], f32)>,
}

impl TaughtPlan {
    /// Makes the plan after the games of one ruleset.
    pub(crate) fn after<'a>(
        config: &SelfplayConfig,
        games: impl Iterator<Item = &'a GameRecord>,
    ) -> Self {
        let depths = &config.sparring_depths;
        let with = |attackers: u32| depths.iter().map(move |&it| [attackers, it]);
        let pairs: Vec<[u32; 2]> = depths.iter().flat_map(|&it| with(it)).collect();
        let mut counts = vec![[0.0; 2]; pairs.len()];
        for game in games {
            let depth = |baseline: Baseline| baseline.strength().unwrap_or(0);
            let Some(pair) = game.teachers().map(|both| both.map(depth)) else {
                continue;
            };
            if let Some(place) = pairs.iter().position(|it| *it == pair) {
                let [points, played] = &mut counts[place];
                *played += 1.0;
                *points += match game.ending.winner {
                    None => 0.5,
                    Some(Side::Attacker) => 1.0,
                    Some(Side::Defender) => 0.0,
                };
            }
        }
        let score =
            |[points, played]: [f32; 2]| (points + PRIOR_GAMES / 2.0) / (played + PRIOR_GAMES);
        let scores = counts.into_iter().map(score);
        Self {
            pairs: pairs.into_iter().zip(scores).collect(),
        }
    }

    /// Draws who plays the attackers and the defenders of a game: a pair rather that wins and loses.
    pub(crate) fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> Option<[Baseline; 2]> {
        let scores = self.pairs.iter().map(|(_, score)| *score);
        let (pair, _) = self.pairs[draw_close(scores, rng)?];
        Some(pair.map(Baseline::alpha_beta))
    }
}
