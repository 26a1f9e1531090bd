//! How much evaluations in one number format differ from those in another.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_search::{Evaluation, Evaluator, Leaf};

/// Positions that are evaluated at once.
const BATCH: usize = 256;

/// A position that is not over, and its legal moves.
pub(crate) type OpenPosition = (Game, Vec<Move>);

/// Differences between the evaluations of two networks, or of one in two number formats.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Agreement {
    /// Positions that were compared.
    pub positions: usize,
    /// The mean Kullback-Leibler divergence of the policy from that of the first, in nats.
    pub divergence: f64,
    /// The share of positions with the same likeliest move, 0 to 1.
    pub same_move: f64,
    /// The mean absolute difference of the value, which is win minus loss, -1 to 1.
    pub value_error: f64,
}

/// Returns positions of games that an evaluator's policy plays against itself, each move drawn with its probability. What was
/// played in two of the games counts once, as all begin alike.
pub(crate) fn policy_positions(
    evaluator: &mut dyn Evaluator,
    rules: &Arc<Rules>,
    count: usize,
    seed: u64,
) -> Vec<OpenPosition> {
    /// Games that are played at once, and their plies at most.
    const GAMES: usize = 16;
    const PLIES: usize = 200;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut games = vec![Game::new(Arc::clone(rules)); GAMES];
    let mut positions: Vec<OpenPosition> = Vec::new();
    let mut seen = BTreeSet::new();
    while positions.len() < count {
        let open = games.iter().map(|game| {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            (game.clone(), moves)
        });
        let open: Vec<OpenPosition> = open.collect();
        let evaluations = evaluated(evaluator, &open);
        for (game, ((_, moves), evaluation)) in games.iter_mut().zip(open.iter().zip(&evaluations))
        {
            let mv = moves[drawn(&softmax(&evaluation.logits), &mut rng)];
            game.play(mv).expect("a legal move");
            if game.outcome().is_some() || game.moves().len() >= PLIES {
                *game = Game::new(Arc::clone(rules));
            }
        }
        let is_new = |(game, _): &OpenPosition| seen.insert(game.moves().to_vec());
        positions.extend(open.into_iter().filter(is_new));
    }
    positions.truncate(count);
    positions
}

/// Draws an index with the probabilities of a policy.
fn drawn(policy: &[f64], rng: &mut Xoshiro256PlusPlus) -> usize {
    let mut rest = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let drawn = policy.iter().position(|probability| {
        rest -= probability;
        rest < 0.0
    });
    drawn.unwrap_or(0)
}

/// Compares the evaluations of `other` with those of `first`.
pub(crate) fn agreement(
    first: &mut dyn Evaluator,
    other: &mut dyn Evaluator,
    positions: &[OpenPosition],
) -> Agreement {
    let mut sums = Agreement::default();
    let (expected, found) = (evaluated(first, positions), evaluated(other, positions));
    for (expected, found) in expected.iter().zip(&found) {
        let value = |it: &Evaluation| f64::from(it.wdl.win - it.wdl.loss);
        let [p, q] = [expected, found].map(|it| softmax(&it.logits));
        let terms = p.iter().zip(&q).filter(|(p, _)| **p > 0.0);
        let terms = terms.map(|(p, q)| p * (p / q.max(f64::MIN_POSITIVE)).ln());
        sums.divergence += terms.sum::<f64>();
        sums.same_move += f64::from(u8::from(likeliest(&p) == likeliest(&q)));
        sums.value_error += (value(expected) - value(found)).abs();
        sums.positions += 1;
    }
    let count = sums.positions.max(1) as f64;
    Agreement {
        divergence: sums.divergence / count,
        same_move: sums.same_move / count,
        value_error: sums.value_error / count,
        ..sums
    }
}

/// Evaluates positions, some at once.
pub(crate) fn evaluated(
    evaluator: &mut dyn Evaluator,
    positions: &[OpenPosition],
) -> Vec<Evaluation> {
    let (mut all, mut latest) = (Vec::with_capacity(positions.len()), Vec::new());
    for positions in positions.chunks(BATCH) {
        let leaves = positions.iter().map(|(game, moves)| Leaf::new(game, moves));
        evaluator.evaluate(&leaves.collect::<Vec<_>>(), &mut latest);
        all.append(&mut latest);
    }
    all
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().fold(f32::MIN, |most, it| most.max(*it));
    let weights: Vec<f64> = logits.iter().map(|it| f64::from(it - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|it| it / sum).collect()
}

fn likeliest(policy: &[f64]) -> Option<usize> {
    let policy = policy.iter().enumerate();
    Some(policy.max_by(|a, b| a.1.total_cmp(b.1))?.0)
}
