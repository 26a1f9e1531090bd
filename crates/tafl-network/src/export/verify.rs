//! Real positions, and how far the outputs of an export are from libtorch's on them.

use super::{Named, taflzero};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use tafl_rules::{Game, Rules};
use tafl_samples::{Facts, PLANES, encode};

/// Positions of each ruleset on which an export is compared.
pub(super) const POSITIONS: usize = 12;

/// Plies between two of them in a game.
const PLIES_BETWEEN: usize = 9;

/// Plies after which another game is begun.
const LONGEST: usize = 120;

/// How far an output of an export is from libtorch's.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The output.
    pub output: &'static str,
    /// The largest difference over all positions and numbers, divided by the largest magnitude of the output in
    /// libtorch or 1, whichever is more.
    pub largest: f32,
}

/// Returns the start and later positions of random games, all of them that lie within chains.
pub(super) fn positions(rules: &Arc<Rules>, count: usize) -> Vec<Game> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut positions, mut moves) = (Vec::with_capacity(count), Vec::new());
    let mut game = Game::new(Arc::clone(rules));
    while positions.len() < count {
        if game.outcome().is_some() || game.moves().len() >= LONGEST {
            game = Game::new(Arc::clone(rules));
        }
        let is_within_chain = game.position().chain().is_some();
        if game.moves().len().is_multiple_of(PLIES_BETWEEN) || is_within_chain {
            positions.push(game.clone());
        }
        game.legal_moves(&mut moves);
        if let Some(&mv) = moves.get((rng.next_u64() % moves.len().max(1) as u64) as usize) {
            game.play_unchecked(mv);
        }
    }
    positions
}

/// Returns the planes of positions, `[batch, PLANES, size, size]`.
pub(super) fn planes<'a>(positions: impl Iterator<Item = (&'a Rules, Facts)>) -> Vec<f32> {
    let mut all = Vec::new();
    for (rules, facts) in positions {
        let squares = rules.shape().squares();
        let mut rows = vec![0.0; squares * PLANES];
        encode(&facts, rules, &mut rows);
        for plane in 0..PLANES {
            all.extend((0..squares).map(|square| rows[square * PLANES + plane]));
        }
    }
    all
}

/// Returns the planes of games as the network sees them.
pub(super) fn own_planes(games: &[Game]) -> Vec<f32> {
    planes(games.iter().map(|game| (&**game.rules(), Facts::of(game))))
}

/// Returns the planes of games with what `TaflZero` can tell of them.
pub(super) fn told_planes(games: &[Game]) -> Vec<f32> {
    planes(
        games
            .iter()
            .map(|game| (&**game.rules(), taflzero::told(game))),
    )
}

/// Returns how far each output is from the reference.
///
/// # Errors
/// If an output is missing, of another length, or holds what is no finite number.
pub(super) fn compare(found: &Named, reference: &Named) -> Result<Vec<Difference>, String> {
    let mut differences = Vec::with_capacity(reference.len());
    for (&output, expected) in reference {
        let found = found.get(output).ok_or(format!("no output {output}"))?;
        if found.len() != expected.len() {
            let (found, expected) = (found.len(), expected.len());
            return Err(format!("{output} has {found} numbers, expected {expected}"));
        }
        if !found.iter().all(|number| number.is_finite()) {
            return Err(format!("{output} holds what is no finite number"));
        }
        let most = |numbers: &mut dyn Iterator<Item = f32>| numbers.fold(0.0, f32::max);
        let scale = most(&mut expected.iter().map(|number| number.abs())).max(1.0);
        let apart = most(&mut found.iter().zip(expected).map(|(a, b)| (a - b).abs()));
        differences.push(Difference {
            output,
            largest: apart / scale,
        });
    }
    Ok(differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_measured_by_the_largest_number() {
        let named = |values: [f32; 2]| Named::from([("policy", values.to_vec())]);
        let apart = |a, b| compare(&named(a), &named(b)).unwrap()[0].largest;
        assert_eq!(apart([8.5, 1.0], [8.0, 1.0]), 0.0625);
        assert_eq!(apart([0.25, 0.5], [0.25, 0.75]), 0.25);
        assert!(compare(&named([f32::NAN, 0.0]), &named([0.0, 0.0])).is_err());
        assert!(compare(&Named::new(), &named([0.0, 0.0])).is_err());
    }

    #[test]
    fn positions_are_of_games_that_go_on() {
        let rules = Rules::preset("berserk-2024").unwrap();
        let games = positions(&rules, 20);
        assert!(games.iter().all(|game| game.outcome().is_none()));
        assert_eq!(games[0].moves().len(), 0);
        assert!(games.iter().any(|game| game.moves().len() > 60));
        assert!(games.iter().any(|game| game.position().chain().is_some()));
    }
}
