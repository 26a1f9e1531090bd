//! Evaluating on a device: little goes over, little comes back, and the caller need not wait.

use super::{Number, evaluation, facts, squares_first};
use crate::architecture::Architecture;
use crate::model::{Mode, Tensors, run, tensors};
use crate::play::Heads;
use crate::tower::Tower;
use crate::{Compute, Device, Network, NetworkError};
use ndarray::Array3;
use std::collections::VecDeque;
use tafl_graph::{Graph, OperationKind, Plan, VALUE_LEN, VALUES};
use tafl_rules::Move;
use tafl_samples::{MARKED_PLANES, PLANES, encode_packed};
use tafl_search::{Evaluation, Leaf};
use tch::{Kind, TchError, Tensor};

/// Numbers behind those of the heads in each row: the logit of `end`, and 0.
const ENDS: usize = 2;

/// What unpacks positions and picks outputs on a device.
pub(super) struct Picking {
    device: tch::Device,
    kind: Kind,
    architecture: Architecture,
    heads: Heads,
    /// The first of the value head's planes, and how many there are.
    pooled: [i64; 2],
    /// What is computed of them.
    values: Graph,
    weights: Tensors,
    /// [`Heads::policy_places`].
    policy_places: Vec<[usize; 2]>,
    /// The bit of each plane among a square's marks, 0 for the planes that are the same everywhere: `[PLANES]`.
    bits: Tensor,
    /// Batches that are under way, the oldest first.
    under_way: VecDeque<Batch>,
}

/// A batch on its way back.
struct Batch {
    /// The legal moves' logits of all positions, then [`VALUE_LEN`] numbers of each position.
    numbers: Tensor,
    /// Legal moves of each position.
    moves: Vec<usize>,
}

impl Picking {
    pub(super) fn new(
        network: &Network,
        (heads, plan): (&Heads, &Plan),
        compute: Compute,
        device: Device,
    ) -> Result<Self, TchError> {
        let bit = |plane: usize| if plane < MARKED_PLANES { 1 << plane } else { 0 };
        let bits: [i16; PLANES] = std::array::from_fn(bit);
        let unit = &plan.units[plan.pooled];
        let mut values = Graph::default();
        if unit.relu {
            values.add(&plan.values[0].from[0], OperationKind::Relu, &[&unit.name]);
        }
        values.operations.extend(plan.values.iter().cloned());
        let pooled = [heads.pooled, unit.planes[1]];
        Ok(Self {
            device: device.torch(),
            kind: compute.kind(),
            policy_places: heads.policy_places(),
            heads: heads.clone(),
            architecture: *network.architecture(),
            pooled: pooled.map(|planes| planes as i64),
            weights: tensors(&values.parameters(), network.weights(), device)?,
            values,
            bits: Tensor::f_from_slice(&bits)?.f_to(device.torch())?,
            under_way: VecDeque::new(),
        })
    }

    /// Sends a batch to the device and lets it compute.
    pub(super) fn begin(
        &mut self,
        tower: &Tower,
        leaves: &[Leaf<'_>],
        rows: usize,
    ) -> Result<(), NetworkError> {
        let heads = tower.forward(self.input(leaves, rows)?)?;
        let outputs = self.send(&self.legal_outputs(leaves))?;
        self.under_way.push_back(Batch {
            numbers: self.pick(&heads, &outputs)?,
            moves: leaves.iter().map(|leaf| leaf.moves.len()).collect(),
        });
        Ok(())
    }

    /// Waits for the oldest batch and appends its evaluations.
    pub(super) fn finish(&mut self, evaluations: &mut Vec<Evaluation>) -> Result<(), NetworkError> {
        let Some(batch) = self.under_way.pop_front() else {
            return Err(NetworkError::Torch("no batch is under way".to_owned()));
        };
        let numbers = Vec::<f32>::try_from(batch.numbers.f_to(tch::Device::Cpu)?)?;
        let picked = batch.moves.iter().sum();
        let (mut logits, values) = numbers.split_at(picked);
        let (values, _) = values.as_chunks::<VALUE_LEN>();
        for (moves, outputs) in batch.moves.into_iter().zip(values) {
            let (own, rest) = logits.split_at(moves);
            logits = rest;
            evaluations.push(evaluation(own.to_vec(), outputs));
        }
        Ok(())
    }

    /// Returns a batch as the tower's input, filled up to a number of rows: `[rows, planes, size, size]`,
    /// channels-last in memory, unpacked on the device.
    pub(super) fn input(&self, leaves: &[Leaf<'_>], rows: usize) -> Result<Tensor, TchError> {
        let size = self.architecture.size();
        let mut marks = Array3::<u16>::zeros((rows, size, size));
        let mut constants = vec![0_f32; rows * PLANES];
        let (out, _) = constants.as_chunks_mut::<PLANES>();
        let outs = marks.outer_iter_mut().zip(out);
        for (leaf, (marks, row)) in leaves.iter().zip(outs) {
            *row = encode_packed(&facts(leaf), leaf.game.rules(), marks);
        }
        let size = size as i64;
        let marks: Vec<i16> = marks.into_iter().map(u16::cast_signed).collect();
        let marks = self.send(&marks)?.f_view([rows as i64, size, size, 1])?;
        let constants = self
            .send(&constants)?
            .f_view([rows as i64, 1, 1, PLANES as i64])?;
        let marked = marks.f_bitwise_and_tensor(&self.bits)?.f_ne(0)?;
        marked
            .f_to_kind(self.kind)?
            .f_add(&constants.f_to_kind(self.kind)?)?
            .f_permute([0, 3, 1, 2])
    }

    /// Copies numbers to the device without waiting, through memory that a GPU can read by itself.
    fn send<T: Number>(&self, numbers: &[T]) -> Result<Tensor, TchError> {
        let tensor =
            Tensor::f_from_data_size(super::bytes(numbers), &[numbers.len() as i64], T::KIND)?;
        if self.device == tch::Device::Cpu {
            return Ok(tensor);
        }
        // `pin_memory` does the same, but libtorch then writes two lines to stderr for each tensor: it no longer wants the
        // device, which tch always passes.
        let pinned = tensor.f_internal_pin_memory(self.device)?;
        pinned.f_to_device_(self.device, T::KIND, true, false)
    }

    /// Returns where the two numbers of each legal move's logit lie among those of the whole batch: the first ones of all
    /// moves, then the second ones.
    ///
    /// The second one of `end` is the 0 behind the logit that the value head puts out.
    fn legal_outputs(&self, leaves: &[Leaf<'_>]) -> Vec<i64> {
        let end = self.heads.row();
        let row_len = end + ENDS;
        let place = |part: usize| {
            let rows = leaves.iter().enumerate();
            rows.flat_map(move |(row, leaf)| {
                let shape = leaf.game.rules().shape();
                leaf.moves.iter().map(move |mv: &Move| {
                    let index = usize::from(mv.policy_index(shape).0);
                    let places = self.policy_places.get(index).copied();
                    (row * row_len + places.unwrap_or([end, end + 1])[part]) as i64
                })
            })
        };
        place(0).chain(place(1)).collect()
    }

    /// Returns the wanted logits and behind them [`VALUE_LEN`] numbers of each row, on the device.
    fn pick(&self, heads: &Tensor, outputs: &Tensor) -> Result<Tensor, TchError> {
        let [first, count] = self.pooled;
        let given = (
            &*self.values.operations[0].from[0],
            heads.f_narrow(1, first, count)?,
        );
        let values = run(
            &self.values,
            &self.weights,
            given,
            &[VALUES],
            Mode::Evaluate,
        )?;
        let values = &values[0]; // [batch, VALUE_LEN]
        let rows = values.size()[0];
        let heads = squares_first(heads)?
            .f_view([rows, -1])?
            .f_to_kind(Kind::Float)?;
        let end = values.f_narrow(1, VALUE_LEN as i64 - 1, 1)?;
        let zero = end.f_zeros_like()?;
        let logits = Tensor::f_cat(&[heads, end, zero], 1)?.f_view([-1])?; // [batch * (head_row + ENDS)]
        let parts = logits.f_index_select(0, outputs)?.f_view([2, -1])?;
        let picked = parts.f_sum_dim_intlist([0].as_slice(), false, Kind::Float)?;
        Tensor::f_cat(&[picked, values.f_view([-1])?], 0)
    }
}
