//! What goes into a ply of self-play.

use crate::SelfplayConfig;
use crate::curriculum::Uneven;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Side;

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

/// Draws what goes into the next ply.
pub(super) fn draw_kind(
    side: Side,
    uneven: Option<Uneven>,
    config: &SelfplayConfig,
    rng: &mut Xoshiro256PlusPlus,
) -> PlyKind {
    let is_taught = matches!(uneven, Some(Uneven::Taught(..)));
    let rate = uneven.and_then(|it| it.random_rate(side));
    let is_random = rate.is_some_and(|rate| rng.random::<f32>() < rate);
    let is_learned = rng.random::<f32>() < config.full_search_fraction;
    let mover = match uneven.and_then(|it| it.alpha_beta(side)) {
        _ if is_random => Mover::Chance,
        Some(_) => Mover::AlphaBeta,
        None => Mover::Network,
    };
    let effort = match mover {
        Mover::AlphaBeta if is_taught && is_learned => Effort::Taught,
        _ if is_taught => Effort::None,
        _ if is_learned => Effort::Full,
        Mover::Network => Effort::Cheap,
        Mover::AlphaBeta | Mover::Chance => Effort::None,
    };
    PlyKind { effort, mover }
}
