//! Stem and blocks of a network in 8-bit integers.
//!
//! Activations after a rectifier have one scale for all planes of a value, weights one for each output (Krishnamoorthi 2018,
//! "Quantizing deep convolutional networks for efficient inference", section 3.1). The stem's weights have 16 bits.

use crate::NetError;
use crate::convolution::Grid;
use crate::integer::{IntegerConvolution, IntegerJob, IntegerScratch, Wholes};
use crate::stem::{Stem, StemPlanes};
use crate::vector::LANES;
use ndarray::{ArrayView1, ArrayView3, ArrayView4};
use std::collections::BTreeMap;
use tafl_graph::{Plan, Unit};
use tafl_rules::Rules;
use tafl_samples::Facts;

/// The largest number that an activation holds.
pub const MOST_ACTIVATION: f32 = 255.0;

/// The largest number that a weight holds; -128 is left out, so that ranges are the same on both sides of 0.
pub const MOST_WEIGHT: f32 = 127.0;

/// A convolution of the tower.
#[derive(Debug, Clone)]
enum Layer {
    Stem(Stem),
    /// With what 1 in the value that it adds is worth in its own.
    Integer(IntegerConvolution, Option<f32>),
}

/// The convolutions in front of the heads, and memory for what they compute.
#[derive(Debug, Clone)]
pub(crate) struct Tower {
    /// By unit; none for the heads.
    layers: Vec<Option<Layer>>,
    /// As that of the numbers in f32.
    memory: Vec<Vec<Wholes>>,
    planes: StemPlanes,
    scratch: IntegerScratch,
}

/// Rounds the weights of each of some outputs to integers of which the largest is `most`; returns also what 1 is worth, for
/// each output.
pub fn rounded(weights: &[f32], outputs: usize, most: f32) -> (Vec<i8>, Vec<f32>) {
    let rows = weights.chunks_exact(weights.len() / outputs);
    let scale = |row: &[f32]| {
        let largest = row.iter().fold(0_f32, |most, it| most.max(it.abs()));
        if largest > 0.0 { largest / most } else { 1.0 }
    };
    let scales: Vec<f32> = rows.clone().map(scale).collect();
    let integers = rows.zip(&scales);
    let integers =
        integers.flat_map(|(row, scale)| row.iter().map(move |it| (it / scale).round() as i8));
    (integers.collect(), scales)
}

/// Returns what 1 is worth in activations that reach from 0 to `range`.
pub fn activation_scale(range: f32) -> f32 {
    if range > 0.0 {
        range / MOST_ACTIVATION
    } else {
        1.0
    }
}

/// Returns weights of a kernel of 3, which those of a kernel of 1 are the middle of.
fn widened(weights: &[f32], kernel: usize) -> Vec<f32> {
    if kernel == 3 {
        return weights.to_vec();
    }
    let mut wide = vec![0.0; 9 * weights.len()];
    for (taps, &weight) in wide.chunks_exact_mut(9).zip(weights) {
        taps[4] = weight;
    }
    wide
}

impl Layer {
    /// `scales` are what 1 is worth in each value.
    fn new(
        unit: &Unit,
        own: usize,
        weights: &BTreeMap<String, Vec<f32>>,
        scales: &[f32],
    ) -> Result<Self, NetError> {
        if !unit.relu
            || !matches!(unit.kernel, 1 | 3)
            || (unit.from == 0 && unit.added.is_some())
            || unit.added == Some(0)
        {
            return Err(NetError::Graph(format!("{} in 8-bit integers", unit.name)));
        }
        let scale = scales[own];
        let numbers = |part: &str| &weights[&format!("{}.{part}", unit.name)];
        let weight = widened(numbers("weight"), unit.kernel);
        let [inputs, outputs] = unit.planes;
        if unit.from == 0 {
            let weight = ArrayView4::from_shape((outputs, inputs, 3, 3), &weight);
            let weight = weight.expect("as many numbers as the unit has");
            let stem = Stem::new(weight, ArrayView1::from(numbers("bias")), scale);
            return Ok(Self::Stem(stem));
        }
        let bias: Vec<f32> = numbers("bias").iter().map(|it| it / scale).collect();
        let (weight, mut worth) = rounded(&weight, outputs, MOST_WEIGHT);
        worth
            .iter_mut()
            .for_each(|it| *it *= scales[unit.from] / scale);
        let added = unit.added.map(|added| scales[added] / scale);
        Ok(Self::Integer(
            IntegerConvolution::new(inputs, &weight, &worth, &bias),
            added,
        ))
    }
}

impl Tower {
    /// Makes it of a plan and the numbers of its tensors, whose convolutions in front of the heads have outputs up to `ranges`; returns
    /// also what 1 is worth in each value. `lengths` are the planes of each memory.
    pub(crate) fn new(
        plan: &Plan,
        weights: &BTreeMap<String, Vec<f32>>,
        ranges: &[f32],
        (grid, lengths): (Grid, &[usize]),
    ) -> Result<(Self, Vec<f32>), NetError> {
        let mut ranges = ranges.iter();
        let mut scales = vec![1.0];
        for index in 0..plan.units.len() {
            let is_own = !is_head(plan, index);
            let range = if is_own { ranges.next() } else { Some(&0.0) };
            let range =
                range.ok_or_else(|| NetError::Graph("a range for each convolution".to_owned()))?;
            scales.push(activation_scale(*range));
        }
        let layer = |(index, unit): (usize, &Unit)| {
            let is_own = !is_head(plan, index);
            is_own
                .then(|| Layer::new(unit, index + 1, weights, &scales))
                .transpose()
        };
        let layers = plan
            .units
            .iter()
            .enumerate()
            .map(layer)
            .collect::<Result<_, _>>()?;
        let wholes = |planes: &usize| vec![[0; LANES]; grid.cells() * planes / LANES];
        let tower = Self {
            layers,
            memory: lengths.iter().map(wholes).collect(),
            planes: StemPlanes::new(grid.size()),
            scratch: IntegerScratch::default(),
        };
        Ok((tower, scales))
    }

    /// Takes the planes of a position.
    pub(crate) fn encode(&mut self, facts: &Facts, rules: &Rules) {
        self.planes.encode(facts, rules);
    }

    /// Takes planes, `[rank, file, plane]`.
    pub(crate) fn read(&mut self, planes: ArrayView3<'_, f32>) {
        self.planes.read(planes);
    }

    /// Computes the value of a unit that is no head. `places` are those of the values in memory.
    pub(crate) fn apply(&mut self, grid: Grid, (index, unit): (usize, &Unit), places: &[usize]) {
        let Some(layer) = &mut self.layers[index] else {
            return;
        };
        let mut output = std::mem::take(&mut self.memory[places[index + 1]]);
        match layer {
            Layer::Stem(stem) => stem.apply_in_cells(&self.planes, &mut output),
            Layer::Integer(convolution, added) => convolution.apply(&mut IntegerJob {
                grid,
                input: &self.memory[places[unit.from]],
                output: &mut output,
                added: *added,
                scratch: &mut self.scratch,
            }),
        }
        self.memory[places[index + 1]] = output;
    }

    /// Writes the integers of a place in memory as numbers.
    pub(crate) fn write(&self, place: usize, numbers: &mut [f32]) {
        let integers = self.memory[place].as_flattened();
        for (number, &integer) in numbers.iter_mut().zip(integers) {
            *number = f32::from(integer);
        }
    }
}

/// Returns whether a unit's planes are read as policy or values.
pub(crate) fn is_head(plan: &Plan, unit: usize) -> bool {
    [plan.leaving, plan.arriving, plan.pooled].contains(&unit)
}
