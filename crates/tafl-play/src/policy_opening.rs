//! First plies that are drawn from a network's policy, or from its search.

use crate::opening::{draw_open, game_after};
use crate::player::{Player, PlayerError};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::derive_seed;
use tafl_search::{Mode, RootStats, Search};

/// What moves of an opening are drawn from, at temperature 1, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnFrom {
    /// The policy that the network gives. An opening has 0 to so many plies, all numbers equally likely, or one more for
    /// each time that it leads to the position of an earlier one, as there are few short ones.
    Policy(u32),
    /// The policy after a search with the player's visits. An opening has so many plies.
    Search(u32),
}

/// Adds openings to `known` until there are `count`, and returns all: as the moves that lead to them from the start
/// position, each drawn as in the network's own games.
///
/// One that ends the game, in which a win is near, or that leads to the position of an earlier one, is redrawn as in
/// [`crate::openings`].
///
/// # Errors
/// If the player does not search, or cannot begin.
pub fn policy_openings(
    rules: &Arc<Rules>,
    player: &Player,
    from: DrawnFrom,
    count: u32,
    seed: u64,
    known: Vec<Vec<Move>>,
) -> Result<Vec<Vec<Move>>, PlayerError> {
    let searcher = player.searcher().ok_or("it has no policy")?;
    let mut evaluator = (searcher.make_evaluator)(seed)?;
    let mut search = searcher.search.clone();
    if let DrawnFrom::Policy(_) = from {
        (search.visits, search.solver_positions) = (1, 0);
    }
    let mut all = known;
    let mut seen: BTreeSet<u64> = all.iter().map(|moves| key_after(rules, moves)).collect();
    for index in all.len() as u64..u64::from(count) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, &[index]));
        let (least, most) = match from {
            DrawnFrom::Policy(plies) => (rng.random_range(0..=plies), plies),
            DrawnFrom::Search(plies) => (plies, plies),
        };
        all.push(draw_open(rules, &mut seen, |_, repeats| {
            let wanted = (least as usize + repeats).min(most as usize);
            let mut game = Game::new(rules.clone());
            while game.moves().len() < wanted && game.outcome().is_none() {
                let mut search = Search::new(&search, game.clone(), Mode::Match, seed);
                let stats = tafl_search::run(&mut search, evaluator.as_mut());
                game.play_unchecked(match from {
                    DrawnFrom::Policy(_) => drawn_by_prior(&stats, &mut rng),
                    DrawnFrom::Search(_) => stats.draw(1.0, &mut rng),
                });
            }
            game
        }));
    }
    Ok(all)
}

fn key_after(rules: &Arc<Rules>, moves: &[Move]) -> u64 {
    game_after(rules, moves).position().key()
}

/// Draws a move of a position in proportion to what the network expects of each.
pub(crate) fn drawn_by_prior(stats: &RootStats, rng: &mut Xoshiro256PlusPlus) -> Move {
    let sum: f32 = stats.moves.iter().map(|root| root.prior).sum();
    let mut drawn = rng.random::<f32>() * sum;
    let found = stats.moves.iter().find(|root| {
        drawn -= root.prior;
        drawn < 0.0
    });
    // Rounding may leave none.
    found.map_or(stats.chosen, |root| root.mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_samples::PlayerId;
    use tafl_search::{Evaluator, SearchConfig, UniformEvaluator};

    fn draw(from: DrawnFrom, count: u32, known: Vec<Vec<Move>>) -> (Vec<Vec<Move>>, Vec<u64>) {
        let make = Arc::new(|_| Ok(Box::new(UniformEvaluator) as Box<dyn Evaluator>));
        let search = SearchConfig {
            visits: 16,
            ..SearchConfig::default()
        };
        let player = Player::network(PlayerId::from("uniform"), search, make);
        let rules = Rules::preset("brandubh").expect("a preset");
        let all = policy_openings(&rules, &player, from, count, 1, known);
        let all = all.expect("it has a policy");
        let keys = all.iter().map(|it| key_after(&rules, it)).collect();
        (all, keys)
    }

    #[test]
    fn openings_differ_have_all_lengths_and_follow_those_that_are_known() {
        let (all, keys) = draw(DrawnFrom::Policy(3), 60, Vec::new());
        assert_eq!(all, draw(DrawnFrom::Policy(3), 60, all[..20].to_vec()).0);
        let lengths: BTreeSet<usize> = all.iter().map(Vec::len).collect();
        assert_eq!(lengths, BTreeSet::from([0, 1, 2, 3]));
        assert_eq!(BTreeSet::from_iter(keys).len(), 60);
    }

    #[test]
    fn openings_from_a_search_differ_and_have_the_full_length() {
        let (all, keys) = draw(DrawnFrom::Search(3), 30, Vec::new());
        assert!(all.iter().all(|moves| moves.len() == 3));
        assert_eq!(BTreeSet::from_iter(keys).len(), 30);
        assert_ne!(all, draw(DrawnFrom::Policy(3), 30, Vec::new()).0);
    }
}
