//! Evaluating on a device: little goes over, and little comes back.

use super::packed::{Packed, Packer};
use super::{Number, squares_first};
use crate::model::{Mode, Tensors, run, tensors};
use crate::play::Heads;
use crate::tower::Tower;
use crate::{Compute, Device, Network, NetworkError};
use tafl_forward::evaluation;
use tafl_graph::{Graph, OperationKind, Plan, VALUE_LEN, VALUES};
use tafl_samples::{MARKED_PLANES, PLANES};
use tafl_search::Evaluation;
use tch::{Kind, TchError, Tensor};

/// What unpacks positions and picks outputs on a device.
pub(super) struct Picking {
    device: tch::Device,
    kind: Kind,
    pub(super) packer: Packer,
    /// The first of the value head's planes, and how many there are.
    pooled: [i64; 2],
    /// What is computed of them.
    values: Graph,
    weights: Tensors,
    /// The bit of each plane among a square's marks, 0 for the planes that are the same everywhere: `[PLANES]`.
    bits: Tensor,
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
            packer: Packer::of(heads),
            pooled: pooled.map(|planes| planes as i64),
            weights: tensors(&values.parameters(), network.weights(), device)?,
            values,
            bits: Tensor::f_from_slice(&bits)?.f_to(device.torch())?,
        })
    }

    /// Evaluates positions of several askers as one batch, filled up to a number of rows.
    pub(super) fn evaluate(
        &self,
        tower: &Tower,
        parts: &[Packed],
        rows: usize,
    ) -> Result<Vec<Evaluation>, NetworkError> {
        let heads = tower.forward(self.input(parts, rows)?)?;
        let outputs = self.send(&self.packer.places(parts))?;
        let numbers = self.pick(&heads, &outputs)?.f_to(tch::Device::Cpu)?;
        let numbers = Vec::<f32>::try_from(numbers)?;
        let moves = || parts.iter().flat_map(|part| &part.moves);
        let (mut logits, values) = numbers.split_at(moves().sum());
        let (values, _) = values.as_chunks::<VALUE_LEN>();
        let own = moves().map(|&count| {
            let (own, rest) = logits.split_at(count);
            logits = rest;
            own.to_vec()
        });
        let evaluations = own.zip(values);
        Ok(evaluations
            .map(|(logits, outputs)| evaluation(logits, outputs))
            .collect())
    }

    /// Returns positions as the tower's input, filled up to a number of rows: `[rows, planes, size, size]`,
    /// channels-last in memory, unpacked on the device.
    pub(super) fn input(&self, parts: &[Packed], rows: usize) -> Result<Tensor, TchError> {
        let size = self.packer.size;
        let mut marks = Vec::with_capacity(rows * size * size);
        let mut constants = Vec::with_capacity(rows * PLANES);
        for part in parts {
            marks.extend_from_slice(&part.marks);
            constants.extend_from_slice(&part.constants);
        }
        marks.resize(rows * size * size, 0_i16);
        constants.resize(rows * PLANES, 0_f32);
        let size = size as i64;
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
        let logits = Tensor::f_cat(&[heads, end, zero], 1)?.f_view([-1])?; // rows as `Packer::places` counts them
        let parts = logits.f_index_select(0, outputs)?.f_view([2, -1])?;
        let picked = parts.f_sum_dim_intlist([0].as_slice(), false, Kind::Float)?;
        Tensor::f_cat(&[picked, values.f_view([-1])?], 0)
    }
}
