//! Opponents drawn by how games against them ended.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Side;
use tafl_samples::GameRecord;

/// Games, half of them won, that each opponent's are mixed with.
const PRIOR_GAMES: f32 = 2.0;

/// Opponents, each with the score against it in the last games, 0 to 1, drawn to a half by few games.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scored<T>(pub(crate) Vec<(T, f32)>);

impl<T: Copy + PartialEq> Scored<T> {
    /// Scores opponents by games, each with its opponent and the points in it.
    pub(crate) fn by(opponents: impl Iterator<Item = T>, games: &[(T, f32)]) -> Self {
        let scored = opponents.map(|opponent| {
            let own = games.iter().filter(|(of, _)| *of == opponent);
            let (mut points, mut played) = (PRIOR_GAMES / 2.0, PRIOR_GAMES);
            for (_, won) in own {
                points += won;
                played += 1.0;
            }
            (opponent, points / played)
        });
        Self(scored.collect())
    }

    /// Draws an opponent in proportion to s(1 - s), s being the score against it: rather one who wins and loses
    /// (AlphaStar's prioritized fictitious self-play).
    pub(crate) fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> Option<T> {
        let chance = |score: f32| score * (1.0 - score);
        let sum: f32 = self.0.iter().map(|(_, score)| chance(*score)).sum();
        let mut left = rng.random::<f32>() * sum;
        let drawn = self.0.iter().find(|(_, score)| {
            left -= chance(*score);
            left < 0.0
        });
        // Rounding may leave a little after the last one.
        drawn.or(self.0.last()).map(|(opponent, _)| *opponent)
    }
}

/// Returns the points of a side in a game: 1 for a win, a half where nobody won.
pub(crate) fn points(game: &GameRecord, side: Side) -> f32 {
    match game.ending.winner {
        None => 0.5,
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
    }
}
