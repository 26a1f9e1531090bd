//! Alpha-beta as a sparring partner of the network.

use crate::SelfplayConfig;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Side;
use tafl_samples::{Baseline, GameRecord};

/// Games, half of them won, that each partner's are mixed with.
pub(crate) const PRIOR_GAMES: f32 = 2.0;

/// Which partners play the games of one ruleset, and how the last games against them ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SparringPlan {
    /// Share of games in which they play `side`.
    pub(crate) fraction: f32,
    /// The side that won more even games.
    pub(crate) side: Side,
    /// Share of games in which they play either side.
    pub(crate) either_fraction: f32,
    /// The partners that there are.
    pub(crate) partners: Vec<SparringScore>,
}

/// How the network fared against one partner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SparringScore {
    /// Turns that the partner looks ahead.
    pub(crate) depth: u32,
    /// The chance of each of its plies to be random, 0 to 1.
    pub(crate) rate: f32,
    /// The network's score in the last games, 0 to 1, where the partner played attackers and where it played defenders;
    /// drawn to a half by few games.
    pub(crate) scores: [f32; 2],
}

/// A partner in a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Partner {
    pub(crate) side: Side,
    pub(crate) depth: u32,
    pub(crate) rate: f32,
}

impl Partner {
    /// Returns the partner that played in a game, if there was one.
    pub(crate) fn of(game: &GameRecord) -> Option<Self> {
        let (side, partner) = game.partner()?;
        let rate = game.handicap.map_or(0.0, |handicap| handicap.rate);
        Some(Self {
            side,
            depth: partner.strength()?,
            rate,
        })
    }

    /// Returns who it is, its random plies left out.
    pub(crate) const fn baseline(self) -> Baseline {
        Baseline::alpha_beta(self.depth)
    }
}

impl SparringPlan {
    /// Makes the plan after the games of one ruleset; `stronger` is the side that won more even ones, and `share`, 0 to 1,
    /// how much of the configured fraction its lead asks for.
    pub(crate) fn after<'a>(
        config: &SelfplayConfig,
        stronger: Side,
        share: f32,
        games: impl Iterator<Item = &'a GameRecord>,
    ) -> Self {
        let fraction = config.sparring_fraction * share;
        let either_fraction = (config.sparring_least_fraction - fraction).max(0.0);
        if config.sparring_fraction == 0.0 && either_fraction == 0.0 {
            return Self {
                fraction,
                side: stronger,
                either_fraction,
                partners: Vec::new(),
            };
        }
        let scored = |depth, rate| SparringScore {
            depth,
            rate,
            scores: [0.0; 2],
        };
        let depths = config.sparring_depths.iter();
        let mut partners: Vec<SparringScore> = depths
            .flat_map(|&depth| {
                config
                    .sparring_rates
                    .iter()
                    .map(move |&rate| scored(depth, rate))
            })
            .collect();
        let mut counts = vec![[0.0; 2]; partners.len()];
        for game in games {
            let Some(partner) = Partner::of(game) else {
                continue;
            };
            let is_it =
                |its: &SparringScore| (its.depth, its.rate) == (partner.depth, partner.rate);
            if let Some(place) = partners.iter().position(is_it) {
                let side = partner.side.index();
                counts[place][side] += 1.0;
                partners[place].scores[side] += match game.ending.winner {
                    None => 0.5,
                    Some(winner) if winner == partner.side => 0.0,
                    Some(_) => 1.0,
                };
            }
        }
        for (partner, counts) in partners.iter_mut().zip(counts) {
            for (score, games) in partner.scores.iter_mut().zip(counts) {
                *score = (*score + PRIOR_GAMES / 2.0) / (games + PRIOR_GAMES);
            }
        }
        Self {
            fraction,
            side: stronger,
            either_fraction,
            partners,
        }
    }

    /// Draws the partner of a game, if it has one.
    pub(crate) fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> Option<Partner> {
        let place = rng.random::<f32>();
        let either = Side::ALL[rng.random_range(0..2)];
        let side = if place < self.fraction {
            self.side
        } else {
            either
        };
        let partners = self.partners.iter();
        let drawn = draw_close(partners.map(|it| it.scores[side.index()]), rng)?;
        let plays = place < self.fraction + self.either_fraction;
        let drawn = Some(self.partners[drawn]).filter(|_| plays)?;
        Some(Partner {
            side,
            depth: drawn.depth,
            rate: drawn.rate,
        })
    }
}

/// Draws one of some opponents by the scores against them, 0 to 1, in proportion to s(1 - s): rather one who wins and loses.
pub(crate) fn draw_close(
    scores: impl Iterator<Item = f32> + Clone,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<usize> {
    let chances = scores.map(|score| score * (1.0 - score));
    let mut left = rng.random::<f32>() * chances.clone().sum::<f32>();
    let mut last = None;
    for (place, chance) in chances.enumerate() {
        last = Some(place);
        left -= chance;
        if left < 0.0 {
            break;
        }
    }
    // Rounding may leave a little after the last one.
    last
}
