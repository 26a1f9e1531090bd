//! A random game as the judgment of a position.

use crate::{Evaluation, Leaf, MoverWdl};
use rand::{Rng, RngExt};

/// Plies after which a random game counts as drawn; those of Copenhagen take 400 on average.
const MOST_PLIES: usize = 1_000;

/// Judges a position by one random game from it; logits are equal.
pub fn rollout(leaf: &Leaf<'_>, rng: &mut impl Rng) -> Evaluation {
    let before = leaf.game.moves().len();
    let mut game = leaf.game.clone();
    while game.outcome().is_none() && game.moves().len() < before + MOST_PLIES {
        let moves = game.rules().moves(game.position());
        let Some(mv) = moves.nth(rng.random_range(0..moves.len())) else {
            break;
        };
        game.play_unchecked(mv);
    }
    let winner = game.outcome().and_then(|outcome| outcome.winner);
    Evaluation {
        logits: vec![0.0; leaf.moves.len()],
        wdl: MoverWdl::certain(winner, leaf.game.position().side()),
        moves_left: (game.moves().len() - before) as f32,
    }
}
