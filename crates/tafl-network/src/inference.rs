//! Evaluating positions: batches of leaves in, logits of legal moves and values out.

mod batch;
mod device;
mod ends;
mod lanes;
mod packed;
mod shared;

use crate::architecture::Architecture;
use crate::libtorch::use_one_core;
use crate::play::{Heads, Play};
use crate::quantized;
use crate::times::per_second;
use crate::tower::Tower;
use crate::{Compute, Device, InferenceTimes, Network, NetworkError};
use device::Picking;
use half::bf16;
use ndarray::ArrayViewMut4;
use packed::Packed;
pub(crate) use shared::Shared;
use std::time::Instant;
use tafl_forward::{StemPlanes, evaluation, facts};
use tafl_graph::ValueHead;
use tafl_samples::{PLANES, Plane, encode};
use tafl_search::{Evaluation, Evaluator, Leaf};
use tch::{Kind, TchError, Tensor};

/// Positions that are computed at once; larger batches are cut.
const MAX_BATCH: usize = 1024;

/// A network ready to evaluate positions, on one thread.
///
/// Each worker makes its own. An evaluation does not depend on the other positions of its batch, nor on
/// how many there are.
pub struct Inference {
    architecture: Architecture,
    device: Device,
    compute: Compute,
    tower: Tower,
    heads: Heads,
    value_head: ValueHead,
    /// [`Heads::policy_places`].
    policy_places: Vec<[usize; 2]>,
    /// Picks outputs on a device beside the CPU, so that only they are copied. On the CPU the few logits that are needed are
    /// read from the memory in which libtorch left all of them.
    picking: Option<Picking>,
    planes_f32: Vec<f32>,
    planes_bf16: Vec<bf16>,
    /// The planes of a batch in 8 bits, and what the stem makes of them, `[batch, squares, outputs]`; kept for their memory.
    stem_planes: Vec<StemPlanes>,
    stemmed: Vec<u8>,
    /// Logits of earlier evaluations; kept for their memory.
    spare: Vec<Vec<f32>>,
    times: InferenceTimes,
}

impl std::fmt::Debug for Inference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Inference({:?}, {}, {})",
            self.architecture, self.device, self.compute
        )
    }
}

/// A number in a tensor's memory; tch takes `bf16` for another 16-bit format.
trait Number: Copy {
    const KIND: Kind;
}

impl Number for f32 {
    const KIND: Kind = Kind::Float;
}

impl Number for bf16 {
    const KIND: Kind = Kind::BFloat16;
}

impl Number for u8 {
    const KIND: Kind = Kind::Uint8;
}

impl Number for i16 {
    const KIND: Kind = Kind::Int16;
}

impl Number for i64 {
    const KIND: Kind = Kind::Int64;
}

impl Inference {
    /// Makes a network ready on a device, and makes the calling thread compute on one core.
    ///
    /// The first evaluation is made here, so that a device that cannot do it is noticed early.
    ///
    /// # Errors
    /// If the device is missing or cannot compute in this format.
    pub fn new(network: &Network, device: Device, compute: Compute) -> Result<Self, NetworkError> {
        use_one_core();
        if compute == Compute::Int8 && device != Device::Cpu {
            return Err(NetworkError::NoInt8);
        }
        device.check()?;
        let tower = match (device, compute) {
            (Device::Cuda(_), _) => Tower::plain(network, compute, device)?,
            (Device::Cpu, Compute::Int8) => Tower::in_8_bits(network, quantized::most_weight())?,
            (Device::Cpu, _) => Tower::fused(network, compute)?,
        };
        let is_picked = device != Device::Cpu;
        let mut inference = Self::with(network, (device, compute), tower, is_picked)?;
        inference.raw_forward(1, 0.0)?;
        Ok(inference)
    }

    pub(crate) fn with(
        network: &Network,
        (device, compute): (Device, Compute),
        tower: Tower,
        is_picked: bool,
    ) -> Result<Self, NetworkError> {
        let (_, heads, plan) = Play::new(network)?;
        let picking = is_picked.then(|| Picking::new(network, (&heads, &plan), compute, device));
        Ok(Self {
            architecture: *network.architecture(),
            device,
            compute,
            tower,
            value_head: ValueHead::new(&plan, |name| network.weights()[name].clone()),
            policy_places: heads.policy_places(),
            heads,
            picking: picking.transpose()?,
            planes_f32: Vec::new(),
            planes_bf16: Vec::new(),
            stem_planes: Vec::new(),
            stemmed: Vec::new(),
            spare: Vec::new(),
            times: InferenceTimes::default(),
        })
    }

    /// Returns where the time went since it was made.
    pub const fn times(&self) -> InferenceTimes {
        self.times
    }

    fn try_evaluate(
        &mut self,
        leaves: &[Leaf<'_>],
        evaluations: &mut Vec<Evaluation>,
    ) -> Result<(), NetworkError> {
        self.spare.extend(evaluations.drain(..).map(|it| it.logits));
        self.spare.truncate(leaves.len());
        if let Tower::InRust(net) = &mut self.tower {
            let begun = Instant::now();
            net.evaluate(leaves, evaluations);
            self.times.forward += begun.elapsed();
            return Ok(());
        }
        let _guard = tch::no_grad_guard();
        for leaves in leaves.chunks(MAX_BATCH) {
            if let Some(picking) = &self.picking {
                let packed = picking.packer.pack(leaves);
                evaluations.extend(self.evaluate_packed(&[packed])?.into_iter().flatten());
                continue;
            }
            match self.compute {
                Compute::F32 => {
                    self.evaluate_as::<f32, f32>(leaves, |it| &mut it.planes_f32, evaluations)
                }
                Compute::Int8 => self.evaluate_int8(leaves, evaluations),
                Compute::Bf16 => {
                    self.evaluate_as::<_, bf16>(leaves, |it| &mut it.planes_bf16, evaluations)
                }
            }?;
        }
        Ok(())
    }

    /// Evaluates with planes of `I`, in memory that is kept, and heads that come as `O`.
    fn evaluate_as<I: Number + Plane, O: Number + Into<f32>>(
        &mut self,
        leaves: &[Leaf<'_>],
        memory: fn(&mut Self) -> &mut Vec<I>,
        evaluations: &mut Vec<Evaluation>,
    ) -> Result<(), NetworkError> {
        let begun = Instant::now();
        let mut planes = std::mem::take(memory(self));
        self.encode_into(leaves, &mut planes);
        let encoded = Instant::now();
        let heads = self.tower.forward(self.input(&planes, PLANES)?)?;
        *memory(self) = planes;
        self.finish_as::<O>((begun, encoded), leaves, &heads, evaluations)
    }

    /// Evaluates in 8 bits.
    fn evaluate_int8(
        &mut self,
        leaves: &[Leaf<'_>],
        evaluations: &mut Vec<Evaluation>,
    ) -> Result<(), NetworkError> {
        let begun = Instant::now();
        self.encode_for_stem(leaves);
        let encoded = Instant::now();
        let read = self.forward_from_stem()?;
        self.finish_at_heads(&read, outputs(leaves), evaluations)?;
        self.times.encode += encoded - begun;
        self.times.forward += encoded.elapsed();
        Ok(())
    }

    /// Reads the outputs of leaves, and counts the time since their encoding was begun and done.
    fn finish_as<O: Number + Into<f32>>(
        &mut self,
        (begun, encoded): (Instant, Instant),
        leaves: &[Leaf<'_>],
        heads: &Tensor,
        evaluations: &mut Vec<Evaluation>,
    ) -> Result<(), NetworkError> {
        let computed = Instant::now();
        self.read::<O>(heads, outputs(leaves), evaluations)?;
        self.times.encode += encoded - begun;
        self.times.forward += computed - encoded;
        self.times.read += computed.elapsed();
        Ok(())
    }

    /// Evaluates positions of several askers as one batch; only where outputs are picked.
    fn evaluate_packed(&self, parts: &[Packed]) -> Result<Vec<Vec<Evaluation>>, NetworkError> {
        let Some(picking) = &self.picking else {
            let reason = "outputs are picked on devices beside the CPU only";
            return Err(NetworkError::Torch(reason.to_owned()));
        };
        let _guard = tch::no_grad_guard();
        let rows = parts.iter().map(|part| part.moves.len());
        let all = picking.evaluate(&self.tower, parts, padded(rows.clone().sum()))?;
        let mut all = all.into_iter();
        Ok(rows.map(|rows| all.by_ref().take(rows).collect()).collect())
    }

    /// Writes the planes of a batch, filled up to a number of rows that the tower is ready for.
    fn encode_into<T: Number + Plane>(&self, leaves: &[Leaf<'_>], planes: &mut Vec<T>) {
        let size = self.architecture.size();
        let shape = (padded(leaves.len()), size, size, PLANES);
        planes.clear();
        planes.resize(shape.0 * size * size * PLANES, T::ZERO);
        let mut planes = ArrayViewMut4::from_shape(shape, planes).expect("as many numbers");
        for (leaf, planes) in leaves.iter().zip(planes.outer_iter_mut()) {
            encode(&facts(leaf), leaf.game.rules(), planes);
        }
    }

    /// Returns `[batch, squares, planes]` numbers as the tower's input, channels-last in memory.
    fn input<T: Number>(&self, numbers: &[T], planes: usize) -> Result<Tensor, TchError> {
        let size = self.architecture.size() as i64;
        let batch = (numbers.len() / (self.architecture.squares() * planes)) as i64;
        let shape = [batch, size, size, planes as i64];
        let input = Tensor::f_from_data_size(bytes(numbers), &shape, T::KIND)?;
        input.f_to(self.device.torch())?.f_permute([0, 3, 1, 2])
    }

    /// Returns planes in f32, `[batch, squares, planes]`, as the tower's input.
    fn input_of(&self, planes: &[f32]) -> Result<Tensor, TchError> {
        let input = self.input(planes, PLANES)?;
        input.f_to_kind(self.compute.kind())
    }

    /// Reads logits, those of `outputs` for each position, and the value head's planes where libtorch left them.
    fn read<T: Number + Into<f32>>(
        &mut self,
        heads: &Tensor,
        outputs: impl Iterator<Item = impl Iterator<Item = usize>>,
        evaluations: &mut Vec<Evaluation>,
    ) -> Result<(), NetworkError> {
        let heads = squares_first(heads)?; // [batch, size, size, planes of both heads]
        let rows = numbers::<T>(&heads)?.chunks_exact(self.heads.row());
        for (outputs, row) in outputs.zip(rows) {
            let values = self.value_head.apply(self.heads.value_planes(row));
            let logit = |index: usize| match self.policy_places.get(index) {
                Some(&[leaving, arriving]) => row[leaving].into() + row[arriving].into(),
                // The last output, which ends a chain, is the value head's.
                None => values[4],
            };
            let mut logits = self.spare.pop().unwrap_or_default();
            logits.clear();
            logits.extend(outputs.map(logit));
            evaluations.push(evaluation(logits, &values));
        }
        Ok(())
    }

    /// Returns evaluations per second in batches of `batch`, timed for `seconds` after one that is not;
    /// encoding and reading are left out.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn raw_forward(&mut self, batch: usize, seconds: f64) -> Result<f64, NetworkError> {
        let batch = batch.clamp(1, MAX_BATCH);
        if let Tower::InRust(net) = &mut self.tower {
            return net.raw_forward(batch, seconds);
        }
        let planes = vec![0.5_f32; batch * self.architecture.squares() * PLANES];
        self.time_forward(&planes, batch, seconds)
    }

    /// Returns the same as [`Self::raw_forward`] for a batch of positions, at most 1,024.
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn raw_forward_of(
        &mut self,
        leaves: &[Leaf<'_>],
        seconds: f64,
    ) -> Result<f64, NetworkError> {
        let leaves = &leaves[..leaves.len().min(MAX_BATCH)];
        if let Tower::InRust(net) = &mut self.tower {
            return net.raw_forward_of(leaves, seconds);
        }
        let mut planes = Vec::new();
        self.encode_into::<f32>(leaves, &mut planes);
        self.time_forward(&planes, leaves.len(), seconds)
    }

    fn time_forward(
        &mut self,
        planes: &[f32],
        batch: usize,
        seconds: f64,
    ) -> Result<f64, NetworkError> {
        let _guard = tch::no_grad_guard();
        if self.tower.ends().is_some() {
            return self.time_between_ends(planes, seconds);
        }
        let input = self.input_of(planes)?;
        let forward = || {
            let heads = self.tower.forward(input.shallow_clone())?;
            if let Device::Cuda(_) = self.device {
                let _waits_for_the_device = heads.f_to(tch::Device::Cpu)?;
            }
            Ok(())
        };
        per_second(batch, seconds, forward)
    }
}

/// Returns the policy outputs of each leaf's moves.
fn outputs(leaves: &[Leaf<'_>]) -> impl ExactSizeIterator<Item = impl Iterator<Item = usize>> {
    leaves.iter().map(|leaf| {
        let shape = leaf.game.rules().shape();
        let moves = leaf.moves.iter();
        moves.map(move |mv| usize::from(mv.policy_index(shape).0))
    })
}

impl Evaluator for Inference {
    /// # Panics
    /// If libtorch fails, as it may when memory is short, or a leaf's board has another size.
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        if let Err(error) = self.try_evaluate(leaves, evaluations) {
            panic!("evaluating {} positions: {error}", leaves.len());
        }
    }
}

/// Returns the number of rows that a batch is filled up to.
///
/// oneDNN prepares each batch size once, which takes milliseconds; so only some sizes are used.
const fn padded(len: usize) -> usize {
    let step = match len {
        0..=2 => 1,
        3..=8 => 2,
        9..=32 => 4,
        33..=64 => 8,
        65..=128 => 16,
        _ => 32,
    };
    len.next_multiple_of(step)
}

/// Returns `[batch, size, size, planes]`, which is the order in memory already unless a device differs.
fn squares_first(planes: &Tensor) -> Result<Tensor, TchError> {
    planes.f_permute([0, 2, 3, 1])?.f_contiguous()
}

/// Returns a tensor's numbers where they lie.
#[expect(
    unsafe_code,
    reason = "copying all logits to read a fiftieth of them costs 5 % of an evaluation"
)]
fn numbers<T: Number>(tensor: &Tensor) -> Result<&[T], NetworkError> {
    let readable = tensor.f_kind()? == T::KIND
        && tensor.device() == tch::Device::Cpu
        && tensor.is_contiguous()
        && !tensor.is_mkldnn();
    if !readable {
        return Err(NetworkError::Torch(
            "an output is not in plain memory".to_owned(),
        ));
    }
    // SAFETY: the tensor is dense, contiguous, in main memory and of T's kind, so numel numbers lie at
    // data_ptr; they live as long as the borrow of the tensor, and nothing writes to them.
    Ok(unsafe { std::slice::from_raw_parts(tensor.data_ptr().cast(), tensor.numel()) })
}

/// Returns the memory of numbers.
#[expect(unsafe_code, reason = "tch takes other numbers than f32 as bytes only")]
fn bytes<T: Number>(numbers: &[T]) -> &[u8] {
    // SAFETY: f32, bf16 and u8 have no padding, and any byte is a u8.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}

#[cfg(test)]
mod tests;
