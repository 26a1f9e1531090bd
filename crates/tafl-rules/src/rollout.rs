//! Random play to the end, to measure speed and to have games of every kind.

use crate::{Game, Rules, Side};
use std::ops::{Add, Range};
use std::sync::Arc;

/// Which random games are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutConfig {
    /// Seed; game `i` of a seed is the same whichever others are played.
    pub seed: u64,
    /// Numbers of the games.
    pub games: Range<u64>,
    /// Plies after which a game is cut.
    pub max_plies: usize,
}

/// What random games came to; the sum over its games, in whatever order they were played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rollouts {
    /// Games played.
    pub games: u64,
    /// Plies played.
    pub plies: u64,
    /// Pieces captured, the king left out.
    pub captures: u64,
    /// Games won by [`Side::index`].
    pub wins: [u64; 2],
    /// Games drawn by rule; the others were cut.
    pub draws: u64,
    /// XOR of the last positions' keys, which differs between two implementations.
    pub digest: u64,
}

impl Add for Rollouts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            games: self.games + other.games,
            plies: self.plies + other.plies,
            captures: self.captures + other.captures,
            wins: [0, 1].map(|side| self.wins[side] + other.wins[side]),
            draws: self.draws + other.draws,
            digest: self.digest ^ other.digest,
        }
    }
}

/// Plays games of uniformly random legal moves from the start, every rule judged after every ply.
///
/// Nothing is allocated once the longest game's plies have found room.
pub fn rollouts(rules: &Arc<Rules>, config: &RolloutConfig) -> Rollouts {
    let mut game = Game::new(rules.clone());
    game.reserve(config.max_plies.min(1 << 12));
    let start = game.mark();
    let numbers = config.games.clone();
    numbers
        .map(|number| {
            game.rewind(&start);
            let mut random = SplitMix64::new(config.seed, number);
            play_out(&mut game, config.max_plies, &mut random)
        })
        .fold(Rollouts::default(), Rollouts::add)
}

/// Returns the same as [`rollouts`], played on all cores.
#[cfg(feature = "rayon")]
pub fn rollouts_parallel(rules: &Arc<Rules>, config: &RolloutConfig) -> Rollouts {
    use rayon::prelude::*;
    // Few enough pieces to cost nothing, enough of them that no core waits long for the last one.
    let pieces = 16 * rayon::current_num_threads() as u64;
    let total = config.games.end.saturating_sub(config.games.start);
    let border =
        |piece| config.games.start + (u128::from(total) * piece / u128::from(pieces)) as u64;
    (0..pieces)
        .into_par_iter()
        .map(|piece| {
            let games = border(piece.into())..border(u128::from(piece) + 1);
            rollouts(rules, &RolloutConfig { games, ..*config })
        })
        .reduce(Rollouts::default, Rollouts::add)
}

fn play_out(game: &mut Game, max_plies: usize, random: &mut SplitMix64) -> Rollouts {
    let mut captures = 0;
    while game.outcome().is_none() && game.moves().len() < max_plies {
        let moves = game.rules().moves(game.position());
        let Some(mv) = moves.nth(random.below(moves.len())) else {
            break;
        };
        captures += u64::from(game.play_unchecked(mv).captured.count());
    }
    let winner = game.outcome().map(|outcome| outcome.winner);
    Rollouts {
        games: 1,
        plies: game.moves().len() as u64,
        captures,
        wins: Side::ALL.map(|side| u64::from(winner == Some(Some(side)))),
        draws: u64::from(winner == Some(None)),
        digest: game.position().key(),
    }
}

/// The generator of Steele, Lea and Flood 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn new(seed: u64, stream: u64) -> Self {
        let mut start = Self(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        Self(start.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        crate::hash::scramble(self.0)
    }

    /// Returns a number below `len`, or 0; the bias is below 2^-50.
    fn below(&mut self, len: usize) -> usize {
        ((u128::from(self.next()) * len as u128) >> 64) as usize
    }
}
