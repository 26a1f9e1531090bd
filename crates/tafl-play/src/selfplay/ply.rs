//! What goes into a ply of self-play.

use crate::SelfplayConfig;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{Game, Side};
use tafl_samples::Handicap;

/// How a ply is searched: to be learned from, only to be played, or not at all; then its move may be learned as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    Full,
    Cheap,
    Taught,
    None,
}

impl Effort {
    pub(super) const fn is_search(self) -> bool {
        matches!(self, Self::Full | Self::Cheap)
    }
}

/// Who chooses the move of a ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mover {
    /// The search of the network.
    Network,
    /// Alpha-beta: a sparring partner, or who teaches.
    AlphaBeta,
    /// Chance, as a handicap.
    Chance,
}

/// What goes into a ply.
///
/// Plies of a partner or of chance are searched fully as often as others, so that samples of both sides come from the
/// same games. Without them the value of a position would depend on whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlyKind {
    pub(super) effort: Effort,
    pub(super) mover: Mover,
}

/// Draws who plays the next ply of a game that alpha-beta plays on both sides, random by this chance.
pub(super) fn draw_taught(
    rate: f32,
    config: &SelfplayConfig,
    rng: &mut Xoshiro256PlusPlus,
) -> PlyKind {
    let [is_random, is_learned] =
        [rate, config.full_search_fraction].map(|share| rng.random::<f32>() < share);
    let (mover, effort) = match (is_random, is_learned) {
        (true, _) => (Mover::Chance, Effort::None),
        (false, true) => (Mover::AlphaBeta, Effort::Taught),
        (false, false) => (Mover::AlphaBeta, Effort::None),
    };
    PlyKind { effort, mover }
}

/// Draws what goes into the next ply.
pub(super) fn draw_kind(
    game: &Game,
    handicap: Option<Handicap>,
    partner: Option<Side>,
    config: &SelfplayConfig,
    rng: &mut Xoshiro256PlusPlus,
) -> PlyKind {
    let side = game.position().side();
    let mover = match handicap {
        Some(handicap) if handicap.side == side && rng.random::<f32>() < handicap.rate => {
            Mover::Chance
        }
        _ if partner == Some(side) => Mover::AlphaBeta,
        _ => Mover::Network,
    };
    let is_full = rng.random::<f32>() < config.full_search_fraction;
    let effort = match mover {
        _ if is_full => Effort::Full,
        Mover::Network => Effort::Cheap,
        Mover::AlphaBeta | Mover::Chance => Effort::None,
    };
    PlyKind { effort, mover }
}
