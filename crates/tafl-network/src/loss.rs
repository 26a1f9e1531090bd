//! The losses of some samples of a batch.

use crate::Compute;
use crate::architecture::Architecture;
use crate::losses::{LossSums, PerLoss};
use crate::model::{Mode, Tensors, forward};
use ndarray::{Array1, s};
use std::ops::Range;
use tafl_graph::MOVES_LEFT_SCALE;
use tafl_rules::Side;
use tafl_samples::{Batch, PLANES, SIDE_PLANE};
use tch::{Device, Kind, Reduction, TchError, Tensor};

/// What is added to the logits that fill up rows of legal moves: their probability becomes 0.
const FILLER: f32 = -1e9;

/// How far off, in units of its scale, a Huber loss stops being quadratic.
const HUBER_DELTA: f64 = 1.0;

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
    best: Vec<usize>,
    /// Entropies of the policies.
    entropy: Vec<f64>,
}

/// Returns the loss to make smaller, over the samples `rows` of a batch, and the sums behind it.
///
/// Losses of all shards add up to the batch's mean. Running statistics among `weights` are changed.
pub(crate) fn shard_loss(
    (architecture, weights): (&Architecture, &Tensors),
    (batch, rows): (&Batch, Range<usize>),
    totals: PerLoss<f64>,
    loss_weights: PerLoss<f64>,
    compute: Compute,
) -> Result<(Tensor, LossSums), TchError> {
    let device = weights.values().next().map_or(Device::Cpu, Tensor::device);
    let input = input(architecture, (batch, rows.clone()), device)?;
    let outputs = forward(architecture, weights, &input, compute, Mode::Train)?;
    let targets = Targets::new(batch, rows.clone(), device)?;
    let logits = outputs
        .policy
        .f_gather(1, &targets.legal, false)?
        .f_add(&targets.filler)?;
    let reply = outputs.reply.as_ref();
    let reply = reply.map(|logits| reply_losses(batch, rows.clone(), logits));
    // Each `[rows]`, weighted; none of a head that is not there.
    let policy = cross_entropy(&targets.policy, &logits)?.f_mul(&targets.weight)?;
    let value = cross_entropy(&targets.wdl, &outputs.wdl)?.f_mul(&targets.weight)?;
    let (found, wanted) = (&outputs.moves_left, &targets.moves_left);
    let off = found.f_huber_loss(wanted, Reduction::None, HUBER_DELTA)?;
    let moves_left = off.f_mul(&targets.moves_left_weight)?;
    let losses = [
        Some(policy),
        Some(value),
        Some(moves_left),
        reply.transpose()?,
    ];
    let loss = weighted_sum(&losses, totals, loss_weights)?;
    let sums = targets.sums(batch, rows, losses, &logits)?;
    Ok((loss, sums))
}

/// Returns the network's input of some samples of a batch, `[rows, planes, size, size]`.
pub(crate) fn input(
    architecture: &Architecture,
    (batch, rows): (&Batch, Range<usize>),
    device: Device,
) -> Result<Tensor, TchError> {
    let size = architecture.size() as i64;
    let planes = batch.planes.slice(s![rows, .., .., ..]);
    let planes = planes.to_slice().expect("planes lie in memory order");
    let input = Tensor::f_from_slice(planes)?;
    let input = input.f_view([-1, size, size, PLANES as i64])?;
    input.f_to(device)?.f_permute([0, 3, 1, 2])
}

/// Returns the sum of all losses, each as its weight and the batch's total say.
fn weighted_sum(
    losses: &PerLoss<Option<Tensor>>,
    totals: PerLoss<f64>,
    weights: PerLoss<f64>,
) -> Result<Tensor, TchError> {
    let factors = weights.into_iter().zip(totals);
    let mut sum: Option<Tensor> = None;
    for (losses, (weight, total)) in losses.iter().zip(factors) {
        let Some(losses) = losses else { continue };
        let scaled = losses.f_sum(Kind::Float)?.f_mul_scalar(weight / total)?;
        sum = Some(match sum {
            Some(sum) => sum.f_add(&scaled)?,
            None => scaled,
        });
    }
    sum.ok_or_else(|| TchError::Torch("a network without losses".to_owned()))
}

/// Returns the weighted cross-entropies of the other side's next move, over all moves.
fn reply_losses(batch: &Batch, rows: Range<usize>, logits: &Tensor) -> Result<Tensor, TchError> {
    let reply = batch.reply.slice(s![rows.clone()]);
    let reply: Vec<i64> = reply.iter().map(|&index| i64::from(index)).collect();
    let reply = Tensor::f_from_slice(&reply)?.f_to(logits.device())?;
    let no_weights = None::<Tensor>;
    let losses = logits.f_cross_entropy_loss(&reply, no_weights, Reduction::None, -100, 0.0)?;
    losses.f_mul(&column(&batch.reply_weight, rows, logits.device())?)
}

/// Returns numbers of some samples, `[rows]`.
fn column(numbers: &Array1<f32>, rows: Range<usize>, device: Device) -> Result<Tensor, TchError> {
    let numbers = numbers.slice(s![rows]);
    let numbers = numbers.to_slice().expect("numbers lie in memory order");
    Tensor::f_from_slice(numbers)?.f_to(device)
}

impl Targets {
    fn new(batch: &Batch, rows: Range<usize>, device: Device) -> Result<Self, TchError> {
        let count = rows.len();
        let legal_of = |row| {
            let legal = batch.legal.of(row).to_slice();
            legal.expect("a row lies in memory order")
        };
        let longest = rows.clone().map(|row| legal_of(row).len()).max();
        let longest = longest.unwrap_or(0).max(1);
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
            let (moves, probabilities) = batch.policy.of(row);
            for (index, &probability) in moves.iter().zip(probabilities) {
                // Legal moves come by rising index; a target that is not among them cannot be learned.
                if let Ok(place) = legal_of(row).binary_search(index) {
                    policy[start + place] = probability;
                }
            }
            let (likeliest, nats) = likeliest_and_entropy(&policy[start..start + longest]);
            best.push(likeliest);
            entropy.push(nats);
        }
        let shape = [count as i64, longest as i64];
        let column = |numbers| column(numbers, rows.clone(), device);
        let moves_left = &batch.moves_left / MOVES_LEFT_SCALE as f32;
        let wdl = batch.wdl.slice(s![rows.clone(), ..]);
        let wdl = wdl.to_slice().expect("results lie in memory order");
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

    fn sums(
        &self,
        batch: &Batch,
        rows: Range<usize>,
        losses: PerLoss<Option<Tensor>>,
        logits: &Tensor,
    ) -> Result<LossSums, TchError> {
        let found = logits.f_detach()?.f_argmax(1, false)?;
        let mut columns = vec![found.f_to_kind(Kind::Float)?];
        for losses in losses {
            columns.push(match losses {
                Some(losses) => losses.f_detach()?,
                None => columns[0].f_zeros_like()?,
            });
        }
        // One copy, for which a GPU stops once.
        let columns = Tensor::f_stack(&columns, 0)?.f_to(Device::Cpu)?;
        let columns = Vec::<f32>::try_from(columns.f_view([-1])?)?;
        let columns: Vec<&[f32]> = columns.chunks_exact(rows.len()).collect();
        let (found, policy, value) = (columns[0], columns[1], columns[2]);
        let sum = |losses: &[f32]| losses.iter().map(|&loss| f64::from(loss)).sum();
        let mut sums = LossSums {
            losses: std::array::from_fn(|loss| sum(columns[1 + loss])),
            ..LossSums::default()
        };
        for (i, row) in rows.enumerate() {
            let weight = f64::from(batch.weight[row]);
            sums.entropy += weight * self.entropy[i];
            let is_attacker = batch.planes[[row, 0, 0, SIDE_PLANE]] > 0.5;
            let side = if is_attacker {
                Side::Attacker
            } else {
                Side::Defender
            };
            let side = &mut sums.by_side[side.index()];
            side.weight += weight;
            side.policy += f64::from(policy[i]);
            side.value += f64::from(value[i]);
            if found[i] as usize == self.best[i] {
                side.hits += weight;
            }
        }
        Ok(sums)
    }
}

/// Returns the place of the first likeliest move, and the entropy in nats.
fn likeliest_and_entropy(probabilities: &[f32]) -> (usize, f64) {
    let likeliest = (0..probabilities.len()).max_by(|&a, &b| {
        probabilities[a]
            .total_cmp(&probabilities[b])
            .then(b.cmp(&a))
    });
    let numbers = probabilities.iter().map(|&p| f64::from(p));
    let entropy = numbers.filter(|&p| p > 0.0).map(|p| -p * p.ln()).sum();
    (likeliest.unwrap_or(0), entropy)
}

/// Returns minus the sum of `target * log_softmax(logits)` of each row.
fn cross_entropy(target: &Tensor, logits: &Tensor) -> Result<Tensor, TchError> {
    let products = target.f_mul(&logits.f_log_softmax(1, Kind::Float)?)?;
    products
        .f_sum_dim_intlist([1].as_slice(), false, Kind::Float)?
        .f_neg()
}
