//! The losses of some samples of a batch.

use crate::Compute;
use crate::architecture::Architecture;
use crate::model::{MOVES_LEFT_SCALE, Mode, Outputs, Tensors, forward};
use std::ops::Range;
use tafl_samples::{Batch, PLANES, plane_names};
use tch::{Device, Kind, Reduction, TchError, Tensor};

/// What is added to the logits that fill up rows of legal moves: their probability becomes 0.
const FILLER: f32 = -1e9;

/// How far off, in units of [`MOVES_LEFT_SCALE`], the moves-left loss stops being quadratic.
const HUBER_DELTA: f64 = 1.0;

/// The losses of one training step: means over the batch's samples.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Losses {
    /// Weighted sum of the three that follow, the number that is made smaller.
    pub total: f64,
    /// Cross-entropy of the policy over legal moves, in nats; never below the targets' own entropy.
    pub policy: f64,
    /// Cross-entropy of win, draw and loss, in nats.
    pub value: f64,
    /// Huber loss of the moves left, in units of 40 plies.
    pub moves_left: f64,
    /// Entropy of the policy targets, in nats: what `policy` cannot fall below.
    pub policy_entropy: f64,
    /// Share of samples whose likeliest move is the target's.
    pub policy_accuracy: f64,
    /// `value` over samples with the attackers to move; 0 without any.
    pub value_attackers: f64,
    /// `value` over samples with the defenders to move; 0 without any.
    pub value_defenders: f64,
    /// Length of the gradient before clipping.
    pub gradient_norm: f64,
}

/// How much each loss counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LossWeights {
    pub(crate) policy: f64,
    pub(crate) value: f64,
    pub(crate) moves_left: f64,
}

/// Sums over samples; those of all shards make the [`Losses`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LossSums {
    policy: f64,
    value: f64,
    moves_left: f64,
    entropy: f64,
    hits: f64,
    /// Value loss and weight by side, attackers first.
    by_side: [(f64, f64); 2],
}

/// A batch's sums of sample weights, by which its losses are divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Totals {
    weight: f64,
    moves_left_weight: f64,
}

impl Totals {
    pub(crate) fn of(batch: &Batch) -> Self {
        let sum = |weights: &[f32]| weights.iter().map(|&w| f64::from(w)).sum::<f64>();
        // A batch in which nothing counts has losses of 0.
        let at_least_one = |sum: f64| if sum > 0.0 { sum } else { 1.0 };
        Self {
            weight: at_least_one(sum(&batch.weight)),
            moves_left_weight: at_least_one(sum(&batch.moves_left_weight)),
        }
    }
}

/// Some samples of a batch as tensors; rows of legal moves are filled up to the longest.
struct Targets {
    /// Policy outputs, `[rows, longest]`.
    legal: Tensor,
    /// 0, or [`FILLER`] behind the legal moves, `[rows, longest]`.
    filler: Tensor,
    /// Probabilities, `[rows, longest]`.
    policy: Tensor,
    wdl: Tensor,
    moves_left: Tensor,
    weight: Tensor,
    moves_left_weight: Tensor,
    /// Place of the likeliest move among the legal ones.
    best: Vec<i64>,
    /// Entropies of the policies.
    entropy: Vec<f64>,
}

/// Returns the loss to make smaller, over the samples `rows` of a batch, and the sums behind it.
///
/// Losses of all shards add up to the batch's mean. Running statistics among `weights` are changed.
pub(crate) fn shard_loss(
    (architecture, weights): (&Architecture, &Tensors),
    (batch, rows): (&Batch, Range<usize>),
    totals: Totals,
    loss_weights: LossWeights,
    compute: Compute,
) -> Result<(Tensor, LossSums), TchError> {
    let device = weights.values().next().map_or(Device::Cpu, Tensor::device);
    let size = architecture.size() as i64;
    let row = batch.squares * PLANES;
    let input = Tensor::f_from_slice(&batch.planes_f32[rows.start * row..rows.end * row])?;
    let input = input
        .f_view([-1, size, size, PLANES as i64])?
        .f_to(device)?;
    let input = input.f_permute([0, 3, 1, 2])?;
    let outputs = forward(architecture, weights, &input, compute, Mode::Train)?;
    let targets = Targets::new(batch, rows.clone(), device)?;
    let logits = outputs
        .policy
        .f_gather(1, &targets.legal, false)?
        .f_add(&targets.filler)?;
    let policy = targets.policy_losses(&logits)?; // [rows]
    let value = targets.value_losses(&outputs)?; // [rows]
    let moves_left = targets.moves_left_losses(&outputs)?; // [rows]
    let scaled = |losses: &Tensor, factor: f64| losses.f_sum(Kind::Float)?.f_mul_scalar(factor);
    let loss = scaled(&policy, loss_weights.policy / totals.weight)?
        .f_add(&scaled(&value, loss_weights.value / totals.weight)?)?
        .f_add(&scaled(
            &moves_left,
            loss_weights.moves_left / totals.moves_left_weight,
        )?)?;
    let sums = targets.sums(batch, rows, [policy, value, moves_left], &logits)?;
    Ok((loss, sums))
}

impl Targets {
    fn new(batch: &Batch, rows: Range<usize>, device: Device) -> Result<Self, TchError> {
        let count = rows.len();
        let span = |offsets: &[u32], row: usize| offsets[row] as usize..offsets[row + 1] as usize;
        let legal_of = |row| &batch.legal.indices[span(&batch.legal.offsets, row)];
        let longest = rows
            .clone()
            .map(|row| legal_of(row).len())
            .max()
            .unwrap_or(0)
            .max(1);
        let mut legal = vec![0_i64; count * longest];
        let mut filler = vec![FILLER; count * longest];
        let mut policy = vec![0_f32; count * longest];
        let (mut best, mut entropy) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (i, row) in rows.clone().enumerate() {
            let start = i * longest;
            for (place, &index) in legal_of(row).iter().enumerate() {
                legal[start + place] = i64::from(index);
                filler[start + place] = 0.0;
            }
            for target in span(&batch.policy.offsets, row) {
                // Legal moves come by rising index; a target that is not among them cannot be learned.
                if let Ok(place) = legal_of(row).binary_search(&batch.policy.indices[target]) {
                    policy[start + place] = batch.policy.probabilities[target];
                }
            }
            let probabilities = &policy[start..start + longest];
            let likeliest = (0..longest).max_by(|&a, &b| {
                probabilities[a]
                    .total_cmp(&probabilities[b])
                    .then(b.cmp(&a))
            });
            best.push(likeliest.unwrap_or(0) as i64);
            let positive = probabilities
                .iter()
                .map(|&p| f64::from(p))
                .filter(|&p| p > 0.0);
            entropy.push(positive.map(|p| -p * p.ln()).sum());
        }
        let shape = [count as i64, longest as i64];
        let column = |numbers: &[f32]| Tensor::f_from_slice(&numbers[rows.clone()])?.f_to(device);
        let moves_left: Vec<f32> = batch
            .moves_left
            .iter()
            .map(|n| n / MOVES_LEFT_SCALE)
            .collect();
        let wdl = batch.wdl[rows.clone()].as_flattened();
        Ok(Self {
            legal: Tensor::f_from_slice(&legal)?.f_view(shape)?.f_to(device)?,
            filler: Tensor::f_from_slice(&filler)?.f_view(shape)?.f_to(device)?,
            policy: Tensor::f_from_slice(&policy)?.f_view(shape)?.f_to(device)?,
            wdl: Tensor::f_from_slice(wdl)?.f_view([-1, 3])?.f_to(device)?,
            moves_left: column(&moves_left)?,
            weight: column(&batch.weight)?,
            moves_left_weight: column(&batch.moves_left_weight)?,
            best,
            entropy,
        })
    }

    fn policy_losses(&self, logits: &Tensor) -> Result<Tensor, TchError> {
        let log_policy = logits.f_log_softmax(1, Kind::Float)?;
        cross_entropy(&self.policy, &log_policy)?.f_mul(&self.weight)
    }

    fn value_losses(&self, outputs: &Outputs) -> Result<Tensor, TchError> {
        let log_wdl = outputs.wdl.f_log_softmax(1, Kind::Float)?;
        cross_entropy(&self.wdl, &log_wdl)?.f_mul(&self.weight)
    }

    fn moves_left_losses(&self, outputs: &Outputs) -> Result<Tensor, TchError> {
        let off =
            outputs
                .moves_left
                .f_huber_loss(&self.moves_left, Reduction::None, HUBER_DELTA)?;
        off.f_mul(&self.moves_left_weight)
    }

    fn sums(
        &self,
        batch: &Batch,
        rows: Range<usize>,
        losses: [Tensor; 3],
        logits: &Tensor,
    ) -> Result<LossSums, TchError> {
        let to_vec = |losses: &Tensor| Vec::<f32>::try_from(losses.f_detach()?.f_to(Device::Cpu)?);
        let [policy, value, moves_left] = losses;
        let (policy, value) = (to_vec(&policy)?, to_vec(&value)?);
        let moves_left = to_vec(&moves_left)?;
        let found = logits.f_detach()?.f_argmax(1, false)?.f_to(Device::Cpu)?;
        let found = Vec::<i64>::try_from(found)?;
        let side_plane = plane_names()
            .iter()
            .position(|&name| name == "attackers_to_move");
        let mut sums = LossSums::default();
        for (i, row) in rows.enumerate() {
            let weight = f64::from(batch.weight[row]);
            sums.policy += f64::from(policy[i]);
            sums.value += f64::from(value[i]);
            sums.moves_left += f64::from(moves_left[i]);
            sums.entropy += weight * self.entropy[i];
            sums.hits += if found[i] == self.best[i] {
                weight
            } else {
                0.0
            };
            if let Some(plane) = side_plane {
                let attackers = batch.planes_f32[row * batch.squares * PLANES + plane] > 0.5;
                let side = &mut sums.by_side[usize::from(!attackers)];
                *side = (side.0 + f64::from(value[i]), side.1 + weight);
            }
        }
        Ok(sums)
    }
}

/// Returns minus the sum of `target * log_probabilities` of each row.
fn cross_entropy(target: &Tensor, log_probabilities: &Tensor) -> Result<Tensor, TchError> {
    let products = target.f_mul(log_probabilities)?;
    products
        .f_sum_dim_intlist([1].as_slice(), false, Kind::Float)?
        .f_neg()
}

impl LossSums {
    pub(crate) fn add(&mut self, other: &Self) {
        self.policy += other.policy;
        self.value += other.value;
        self.moves_left += other.moves_left;
        self.entropy += other.entropy;
        self.hits += other.hits;
        for (side, (loss, weight)) in self.by_side.iter_mut().zip(other.by_side) {
            *side = (side.0 + loss, side.1 + weight);
        }
    }

    pub(crate) fn means(&self, totals: Totals, weights: LossWeights) -> Losses {
        let policy = self.policy / totals.weight;
        let value = self.value / totals.weight;
        let moves_left = self.moves_left / totals.moves_left_weight;
        let of_side = |(loss, weight): (f64, f64)| if weight > 0.0 { loss / weight } else { 0.0 };
        Losses {
            total: weights.policy * policy
                + weights.value * value
                + weights.moves_left * moves_left,
            policy,
            value,
            moves_left,
            policy_entropy: self.entropy / totals.weight,
            policy_accuracy: self.hits / totals.weight,
            value_attackers: of_side(self.by_side[0]),
            value_defenders: of_side(self.by_side[1]),
            gradient_norm: 0.0,
        }
    }
}
