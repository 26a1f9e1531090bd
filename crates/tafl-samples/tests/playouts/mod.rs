//! Records of random games, with searches made up to look like real ones.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{Game, Move, RULESET_NAMES, Rules, Setup};
use tafl_samples::{Ending, GameKind, GameRecord, PlyRecord, SearchRecord};

/// Returns the rules of every preset and small board.
pub(crate) fn all_rules() -> Vec<Arc<Rules>> {
    RULESET_NAMES
        .iter()
        .map(|name| Rules::preset(name).unwrap())
        .collect()
}

/// Plays a random game of at most `max_plies`, the first two of them as an opening.
pub(crate) fn random_record(rules: &Arc<Rules>, game_id: u64, max_plies: usize) -> GameRecord {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(game_id);
    let mut game = Game::new(Arc::clone(rules));
    let mut plies = Vec::new();
    let mut moves = Vec::new();
    while game.outcome().is_none() && plies.len() < max_plies {
        game.legal_moves(&mut moves);
        let mv = moves[rng.random_range(0..moves.len())];
        let search = (plies.len() >= 2).then(|| made_up_search(&moves, &mut rng));
        plies.push(PlyRecord { mv, search });
        game.play(mv).unwrap();
    }
    GameRecord {
        game_id,
        seed: rng.next_u64(),
        ruleset: rules.ruleset().name.clone(),
        ruleset_fingerprint: rules.ruleset().fingerprint(),
        start: Setup::of(&rules.start(), rules.shape()),
        generation: 3,
        kind: match game_id.is_multiple_of(3) {
            true => GameKind::Handicap,
            false => GameKind::Even,
        },
        attackers: "000003".into(),
        defenders: "000003".into(),
        opening_plies: 2.min(plies.len() as u32),
        handicap: game_id.is_multiple_of(3).then_some(tafl_samples::Handicap {
            side: tafl_rules::Side::ALL[(game_id % 2) as usize],
            rate: 0.75,
        }),
        plies,
        ending: game.outcome().map_or(Ending::CAPPED, Ending::from),
    }
}

/// A search of 64 visits that looked at 16 to 64 moves: a softmax over normal logits.
fn made_up_search(legal: &[Move], rng: &mut Xoshiro256PlusPlus) -> SearchRecord {
    let mut moves = legal.to_vec();
    let seen = rng.random_range(16..=64).min(moves.len());
    for i in 0..seen {
        moves.swap(i, rng.random_range(i..legal.len()));
    }
    let normal =
        |rng: &mut Xoshiro256PlusPlus| (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0;
    let weights: Vec<f32> = (0..seen).map(|_| (1.5 * normal(rng)).exp()).collect();
    let sum: f32 = weights.iter().sum();
    let policy = moves
        .into_iter()
        .zip(weights.iter().map(|weight| weight / sum))
        .collect();
    let mut search = SearchRecord {
        policy,
        wdl: made_up_wdl(rng),
        network_wdl: made_up_wdl(rng),
        visits: 64 + rng.random_range(0..30),
        proven: rng.random_range(0..50) == 0,
        prior_divergence: -rng.random::<f32>().max(1e-6).ln(),
        ..SearchRecord::default()
    };
    search.checkpoint = (!search.visits.is_multiple_of(4)).then_some(search.visits);
    if search.proven {
        search.wdl = [0.0; 3];
        search.wdl[rng.random_range(0..3)] = 1.0;
    }
    search
}

fn made_up_wdl(rng: &mut Xoshiro256PlusPlus) -> [f32; 3] {
    let draw = 0.2 * rng.random::<f32>();
    let win = (1.0 - draw) * rng.random::<f32>();
    [win, draw, 1.0 - draw - win]
}
