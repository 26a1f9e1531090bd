//! Alpha-beta as a sparring partner of the network.

use crate::uneven::UnevenGames;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Side;
use tafl_samples::{Baseline, GameRecord, Handicap};

/// Games, half of them won, that each partner's are mixed with.
pub(crate) const PRIOR_GAMES: f32 = 2.0;

/// Which partners play a share of one ruleset's games, and how the last games against them ended.
///
/// There is a partner for each depth with each rate; one is drawn for each game, with a chance in proportion to s(1 - s), s
/// being the network's score against it in the last games (`AlphaStar`'s prioritized fictitious self-play).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SparringPlan {
    /// Share of games in which they play.
    pub(crate) share: f32,
    /// The side that they play; either if there is none.
    pub(crate) side: Option<Side>,
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
    fn of(game: &GameRecord) -> Option<Self> {
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

    /// Returns its random plies, which it bears in all of the game.
    pub(crate) fn handicap(self) -> Option<Handicap> {
        let Self { side, rate, .. } = self;
        (rate > 0.0).then_some(Handicap { side, rate })
    }
}

impl SparringPlan {
    /// Makes the plan of an entry after the games of one ruleset; partners play that side in that share of the games.
    pub(crate) fn after<'a>(
        entry: &UnevenGames,
        (side, share): (Option<Side>, f32),
        games: impl Iterator<Item = &'a GameRecord>,
    ) -> Self {
        let with = |depth: u32| {
            let rates = entry.rates().iter();
            rates.map(move |&rate| SparringScore {
                depth,
                rate,
                scores: [0.0; 2],
            })
        };
        let mut partners: Vec<_> = entry.alphabeta.iter().flat_map(|&it| with(it)).collect();
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
            share,
            side,
            partners,
        }
    }

    /// Draws whether a partner plays a game, and which.
    ///
    /// Whatever entry a plan is of, a game's first number decides, so that the shares of entries are parts of each other.
    pub(crate) fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> Option<Partner> {
        let place = rng.random::<f32>();
        let either = Side::ALL[rng.random_range(0..2)];
        let side = self.side.unwrap_or(either);
        let scores = self.partners.iter().map(|it| it.scores[side.index()]);
        let SparringScore { depth, rate, .. } = self.partners[draw_close(scores, rng)?];
        (place < self.share).then_some(Partner { side, depth, rate })
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
