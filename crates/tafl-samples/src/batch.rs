//! Many samples as flat arrays.

use crate::{AuxiliaryTargets, FactsError, PLANES, Sample, TargetConfig, encode};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use tafl_rules::{BoardShape, Move, Rules, Symmetry};

/// Samples as a network learns from them, each seen under a symmetry of its own.
///
/// Everything that names squares or moves (planes, policy, legal moves) is under that symmetry.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Samples.
    pub len: usize,
    /// Squares of the board.
    pub squares: usize,
    /// Input planes, `[len, squares, PLANES]`.
    pub planes_f32: Vec<f32>,
    /// The policies to learn.
    pub policy: PolicyTargets,
    /// The legal moves, by rising index.
    pub legal: LegalMoves,
    /// Win, draw, loss of the side to move, to learn.
    pub wdl: Vec<[f32; 3]>,
    /// Plies to the end of the game, at least 1, to learn.
    pub moves_left: Vec<f32>,
    /// Weight of each sample in the policy and value losses.
    pub weight: Vec<f32>,
    /// Weight of each sample in the moves-left loss: 0 where the game was cut.
    pub moves_left_weight: Vec<f32>,
    /// What the auxiliary heads learn.
    pub auxiliary: AuxiliaryTargets,
}

/// Probabilities of some policy outputs of each sample; all others are 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PolicyTargets {
    /// Where each sample's entries begin, and one more for where the last one's end.
    pub offsets: Vec<u32>,
    /// Policy outputs, [`tafl_rules::PolicyIndex`].
    pub indices: Vec<u16>,
    /// Their probabilities, which sum to 1 for each sample.
    pub probabilities: Vec<f32>,
}

/// Policy outputs of the legal moves of each sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LegalMoves {
    /// Where each sample's entries begin, and one more for where the last one's end.
    pub offsets: Vec<u32>,
    /// Policy outputs, [`tafl_rules::PolicyIndex`].
    pub indices: Vec<u16>,
}

/// Samples that make no batch.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BatchError {
    /// A sample's ruleset is not among those given.
    #[error("a sample has ruleset {0:?}, which this run does not have")]
    UnknownRuleset(String),
    /// Rulesets on boards of different sizes cannot share a batch.
    #[error("samples from boards of {0}x{0} and {1}x{1} in one batch")]
    MixedSizes(u8, u8),
    /// A sample's facts do not make a position.
    #[error("game {game_id}, ply {ply}: {reason}")]
    Facts {
        /// The game.
        game_id: u64,
        /// The ply, from 0.
        ply: u32,
        /// What is wrong with it.
        reason: FactsError,
    },
    /// A sample's policy names a move that is not legal, or is not a distribution.
    #[error("game {game_id}, ply {ply}: policy: {reason}")]
    Policy {
        /// The game.
        game_id: u64,
        /// The ply, from 0.
        ply: u32,
        /// What is wrong with it.
        reason: String,
    },
}

impl Batch {
    /// Makes a batch, each sample under a symmetry drawn from `seed`.
    ///
    /// Equal samples and seeds make equal batches.
    ///
    /// # Errors
    /// If a sample's ruleset is not in `rules`, boards differ in size, or a sample is not a position.
    pub fn new(
        samples: &[&Sample],
        rules: &[Arc<Rules>],
        targets: &TargetConfig,
        seed: u64,
    ) -> Result<Self, BatchError> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let symmetries: Vec<Symmetry> = samples
            .iter()
            .map(|_| Symmetry::ALL[(rng.next_u64() >> 61) as usize])
            .collect();
        Self::under(samples, rules, targets, &symmetries)
    }

    /// Makes a batch with a given symmetry for each sample.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// If there is not one symmetry for each sample.
    pub fn under(
        samples: &[&Sample],
        rules: &[Arc<Rules>],
        targets: &TargetConfig,
        symmetries: &[Symmetry],
    ) -> Result<Self, BatchError> {
        assert_eq!(
            samples.len(),
            symmetries.len(),
            "one symmetry for each sample"
        );
        let rules_of = rules_of_samples(samples, rules)?;
        let squares = rules_of.first().map_or(0, |rules| rules.shape().squares());
        let row = squares * PLANES;
        let mut batch = Self::empty(samples.len(), squares);
        let mut legal = Vec::new();
        for (i, &sample) in samples.iter().enumerate() {
            let (rules, symmetry) = (rules_of[i], symmetries[i]);
            let shape = rules.shape();
            legal_moves(sample, rules, &mut legal)?;
            check_policy(sample, &legal)?;
            let facts = sample.facts.under(symmetry, shape);
            encode(&facts, rules, &mut batch.planes_f32[i * row..(i + 1) * row]);
            batch.push_policy(&sample.policy, symmetry, shape);
            batch.push_legal(&legal, symmetry, shape);
            batch.wdl.push(targets.wdl(sample, rules));
            batch.moves_left.push(sample.moves_left as f32);
            let weight = targets.weight(sample);
            batch.weight.push(weight);
            batch.auxiliary.push(sample, weight, symmetry, shape);
            let weight = targets.moves_left_weight(sample);
            batch.moves_left_weight.push(weight);
        }
        Ok(batch)
    }

    /// Returns a batch of blank planes, to which targets are yet to be added.
    #[must_use]
    pub fn empty(len: usize, squares: usize) -> Self {
        Self {
            len,
            squares,
            planes_f32: vec![0.0; len * squares * PLANES],
            policy: PolicyTargets {
                offsets: vec![0],
                ..PolicyTargets::default()
            },
            legal: LegalMoves {
                offsets: vec![0],
                ..LegalMoves::default()
            },
            wdl: Vec::with_capacity(len),
            moves_left: Vec::with_capacity(len),
            weight: Vec::with_capacity(len),
            moves_left_weight: Vec::with_capacity(len),
            auxiliary: AuxiliaryTargets::default(),
        }
    }

    fn push_policy(&mut self, policy: &[(Move, f32)], symmetry: Symmetry, shape: BoardShape) {
        let sum: f32 = policy.iter().map(|&(_, probability)| probability).sum();
        for &(mv, probability) in policy {
            let index = symmetry.mv(mv, shape).policy_index(shape).0;
            self.policy.indices.push(index);
            self.policy.probabilities.push(probability / sum);
        }
        self.policy.offsets.push(self.policy.indices.len() as u32);
    }

    fn push_legal(&mut self, legal: &[Move], symmetry: Symmetry, shape: BoardShape) {
        let begin = self.legal.indices.len();
        let indices = legal
            .iter()
            .map(|&mv| symmetry.mv(mv, shape).policy_index(shape).0);
        self.legal.indices.extend(indices);
        self.legal.indices[begin..].sort_unstable();
        self.legal.offsets.push(self.legal.indices.len() as u32);
    }
}

fn rules_of_samples<'a>(
    samples: &[&Sample],
    rules: &'a [Arc<Rules>],
) -> Result<Vec<&'a Rules>, BatchError> {
    let mut rules_of: Vec<&Rules> = Vec::with_capacity(samples.len());
    for sample in samples {
        let mut known = rules.iter();
        let found = known.find(|rules| *rules.ruleset().name == *sample.ruleset);
        let found = found.ok_or_else(|| BatchError::UnknownRuleset(sample.ruleset.to_string()))?;
        rules_of.push(found);
        let [first, last] = [rules_of[0], found].map(|rules| rules.shape().size());
        if first != last {
            return Err(BatchError::MixedSizes(first, last));
        }
    }
    Ok(rules_of)
}

fn legal_moves(sample: &Sample, rules: &Rules, legal: &mut Vec<Move>) -> Result<(), BatchError> {
    let position = sample.facts.position(rules);
    let position = position.map_err(|reason| BatchError::Facts {
        game_id: sample.game_id,
        ply: sample.ply,
        reason,
    })?;
    legal.clear();
    rules.legal_moves(&position, legal);
    Ok(())
}

fn check_policy(sample: &Sample, legal: &[Move]) -> Result<(), BatchError> {
    let error = |reason: String| BatchError::Policy {
        game_id: sample.game_id,
        ply: sample.ply,
        reason,
    };
    if let Some((mv, _)) = sample.policy.iter().find(|(mv, _)| !legal.contains(mv)) {
        return Err(error(format!("{mv} is not legal")));
    }
    let sum: f32 = sample.policy.iter().map(|(_, share)| share).sum();
    if sum.is_finite() && sum > 0.0 {
        Ok(())
    } else {
        Err(error(format!("sums to {sum}")))
    }
}
