//! Alpha-beta as the teacher of a network that knows nothing: it plays both sides.

use crate::sparring::{PRIOR_GAMES, draw_close};
use crate::uneven::UnevenGames;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Side;
use tafl_samples::{Baseline, GameRecord};

/// Who teaches in a share of one ruleset's games, and how the last games of each pair ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaughtPlan {
    share: f32,
    /// The chance of each ply to be random.
    rate: f32,
    /// Depths of attackers and defenders in turns, and the attackers' score in the last games, 0 to 1; drawn to a half by
    /// few games.
    pairs: Vec<([u32; 2], f32)>,
}

/// Who teaches in a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Teachers {
    /// The attackers and the defenders.
    pub(crate) players: [Baseline; 2],
    /// The chance of each ply to be random, 0 to 1.
    pub(crate) rate: f32,
}

impl TaughtPlan {
    /// Makes the plan of an entry after the games of one ruleset.
    pub(crate) fn after<'a>(
        entry: &UnevenGames,
        games: impl Iterator<Item = &'a GameRecord>,
    ) -> Self {
        let depths = &entry.alphabeta;
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
            share: entry.share,
            rate: entry.rates().iter().sum(),
            pairs: pairs.into_iter().zip(scores).collect(),
        }
    }

    /// Draws whether a game is taught, and who plays it: a pair rather that wins and loses.
    pub(crate) fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> Option<Teachers> {
        let scores = self.pairs.iter().map(|(_, score)| *score);
        let (pair, _) = self.pairs[draw_close(scores, rng)?];
        (rng.random::<f32>() < self.share).then_some(Teachers {
            players: pair.map(Baseline::alpha_beta),
            rate: self.rate,
        })
    }
}
