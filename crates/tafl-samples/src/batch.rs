//! Many samples as arrays.

use crate::{FactsError, PLANES, Sample, TargetConfig, encode};
use ndarray::{Array1, Array2, Array4, ArrayView1, Axis};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::ops::Range;
use std::sync::Arc;
use tafl_rules::{Move, PolicyIndex, Rules, Symmetry};

/// Samples as a network learns from them, each seen under a symmetry of its own.
///
/// Everything that names squares or moves (planes, policy, legal moves) is under that symmetry. The first axis of every
/// array is that of the samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Input planes, `[sample, rank, file, plane]`, in memory order; [`crate::encode`].
    pub planes: Array4<f32>,
    /// The policies to learn.
    pub policy: PolicyTargets,
    /// The legal moves, by rising index.
    pub legal: MoveLists,
    /// Win, draw, loss of the side to move, to learn, `[sample, 3]`.
    pub wdl: Array2<f32>,
    /// Plies to the end of the game, at least 1, to learn.
    pub moves_left: Array1<f32>,
    /// Weight of each sample in the policy and value losses.
    pub weight: Array1<f32>,
    /// Weight of each sample in the moves-left loss: 0 where the game was cut.
    pub moves_left_weight: Array1<f32>,
    /// The first move of the other side's next turn, as [`PolicyIndex`]: what a head learns that only shapes the tower (Wu 2019,
    /// "Accelerating Self-Play Learning in Go", 3.4 and 4.1).
    pub reply: Array1<u16>,
    /// Weight of each sample in the reply loss: 0 where the other side has no further turn, and the reply is 0.
    pub reply_weight: Array1<f32>,
}

/// Probabilities of some policy outputs of each sample; all others are 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PolicyTargets {
    moves: MoveLists,
    probabilities: Vec<f32>,
}

/// Moves of each sample, as policy outputs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MoveLists {
    /// Where each sample's entries end.
    ends: Vec<usize>,
    outputs: Vec<u16>,
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
    #[error("game {game_id}, ply {}: {reason}", .ply + 1)]
    Facts {
        /// The game.
        game_id: u64,
        /// The ply, from 0; texts count from 1.
        ply: u32,
        /// What is wrong with it.
        reason: FactsError,
    },
    /// A sample's policy names a move that is not legal, or is not a distribution.
    #[error("game {game_id}, ply {}: policy: {reason}", .ply + 1)]
    Policy {
        /// The game.
        game_id: u64,
        /// The ply, from 0; texts count from 1.
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
        let size = rules_of
            .first()
            .map_or(0, |rules| usize::from(rules.shape().size()));
        let len = samples.len();
        let mut batch = Self {
            planes: Array4::zeros((len, size, size, PLANES)),
            policy: PolicyTargets::default(),
            legal: MoveLists::default(),
            wdl: Array2::zeros((len, 3)),
            moves_left: samples.iter().map(|it| it.moves_left as f32).collect(),
            weight: Array1::ones(len),
            // The length of a game that was cut is unknown.
            moves_left_weight: weights(samples, |it| !it.ending.is_capped()),
            reply: Array1::zeros(len),
            reply_weight: weights(samples, |it| it.reply.is_some()),
        };
        let (mut legal, mut outputs) = (Vec::new(), Vec::new());
        for (i, &sample) in samples.iter().enumerate() {
            let (rules, symmetry) = (rules_of[i], symmetries[i]);
            let shape = rules.shape();
            legal_moves(sample, rules, &mut legal)?;
            let sum = check_policy(sample, &legal)?;
            let facts = sample.facts.under(symmetry, shape);
            encode(&facts, rules, batch.planes.index_axis_mut(Axis(0), i));
            let output = |mv: Move| symmetry.mv(mv, shape).policy_index(shape);
            let policy = sample.search.policy.iter();
            batch
                .policy
                .push(policy.map(|&(mv, share)| (output(mv), share / sum)));
            outputs.clear();
            outputs.extend(legal.iter().map(|&mv| output(mv)));
            outputs.sort_unstable();
            batch.legal.push(outputs.iter().copied());
            let wdl = targets.wdl(sample, rules);
            batch.wdl.row_mut(i).assign(&ArrayView1::from(&wdl));
            batch.reply[i] = sample.reply.map_or(0, |mv| output(mv).0);
        }
        Ok(batch)
    }

    /// Returns how many samples there are.
    #[expect(clippy::len_without_is_empty, reason = "a batch is to be computed")]
    pub fn len(&self) -> usize {
        self.planes.len_of(Axis(0))
    }

    /// Returns the files (and ranks) of the board; 0 without samples.
    pub fn size(&self) -> usize {
        self.planes.len_of(Axis(1))
    }
}

impl MoveLists {
    /// Adds the entries of the next sample.
    pub fn push(&mut self, outputs: impl IntoIterator<Item = PolicyIndex>) {
        self.outputs
            .extend(outputs.into_iter().map(|output| output.0));
        self.ends.push(self.outputs.len());
    }

    /// Returns the policy outputs of a sample.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn of(&self, sample: usize) -> ArrayView1<'_, u16> {
        ArrayView1::from(&self.outputs[self.span(sample)])
    }

    fn span(&self, sample: usize) -> Range<usize> {
        let before = sample.checked_sub(1);
        before.map_or(0, |before| self.ends[before])..self.ends[sample]
    }
}

impl PolicyTargets {
    /// Adds the entries of the next sample; its probabilities should sum to 1.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (PolicyIndex, f32)>) {
        let probabilities = &mut self.probabilities;
        self.moves
            .push(entries.into_iter().map(|(output, probability)| {
                probabilities.push(probability);
                output
            }));
    }

    /// Returns the policy outputs of a sample, and the probability of each.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn of(&self, sample: usize) -> (ArrayView1<'_, u16>, ArrayView1<'_, f32>) {
        let probabilities = &self.probabilities[self.moves.span(sample)];
        (self.moves.of(sample), ArrayView1::from(probabilities))
    }
}

fn weights(samples: &[&Sample], counts: impl Fn(&Sample) -> bool) -> Array1<f32> {
    let weights = samples.iter().map(|it| f32::from(u8::from(counts(it))));
    weights.collect()
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

/// Returns what a policy sums to.
fn check_policy(sample: &Sample, legal: &[Move]) -> Result<f32, BatchError> {
    let error = |reason: String| BatchError::Policy {
        game_id: sample.game_id,
        ply: sample.ply,
        reason,
    };
    let mut policy = sample.search.policy.iter();
    let sum: f32 = policy.clone().map(|(_, share)| share).sum();
    if let Some((mv, _)) = policy.find(|(mv, _)| !legal.contains(mv)) {
        return Err(error(format!("{mv} is not legal")));
    }
    if sum.is_finite() && sum > 0.0 {
        Ok(sum)
    } else {
        Err(error(format!("sums to {sum}")))
    }
}
