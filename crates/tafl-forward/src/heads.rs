//! The heads of a network in f32, of which the policy is computed only for the moves that are asked for.

#[cfg(test)]
mod tests;

use crate::NetError;
use crate::aligned::Aligned;
use crate::convolution::padded;
use crate::vector::{LANES, Lanes, Vector};
use ndarray::ArrayView2;
use std::collections::BTreeMap;
use tafl_graph::{Plan, Unit, VALUE_LEN, ValueHead};
use tafl_rules::{BoardShape, Move, PolicyIndex};

/// Squares that are computed at once; their sums are independent of each other.
const ROWS: usize = 6;

/// A convolution of squares alone, of which few outputs are asked for.
#[derive(Debug, Clone)]
pub(crate) struct Sparse {
    /// `[outputs, inputs]`, filled up.
    weights: Aligned,
    /// Inputs, filled up.
    stride: usize,
    bias: Vec<f32>,
}

/// Heads that read integers from 0 to 255.
#[derive(Debug, Clone)]
pub struct IntegerHeads {
    squares: usize,
    inputs: usize,
    leaving: Sparse,
    arriving: Sparse,
    /// For each policy output but `end`: square and plane of what its two numbers are, see [`Net::logit`](crate::Net::logit).
    places: Vec<[[u16; 2]; 2]>,
    /// `[outputs / LANES, inputs]`: the value head's planes.
    pooled: Vec<Lanes>,
    bias: Vec<Lanes>,
    value_head: ValueHead,
    /// What was read last, `[squares, inputs]`, filled up.
    numbers: Aligned,
}

impl Sparse {
    /// Makes one that reads numbers in which 1 is worth `scale`.
    pub(crate) fn new(unit: &Unit, weights: &BTreeMap<String, Vec<f32>>, scale: f32) -> Self {
        let numbers = |part: &str| &weights[&format!("{}.{part}", unit.name)];
        let [inputs, outputs] = unit.planes;
        let stride = padded(inputs);
        let mut filled = Aligned::zeros(outputs * stride);
        let rows = filled.chunks_exact_mut(stride);
        for (row, weights) in rows.zip(numbers("weight").chunks_exact(inputs)) {
            for (number, weight) in row.iter_mut().zip(weights) {
                *number = weight * scale;
            }
        }
        Self {
            weights: filled,
            stride,
            bias: numbers("bias").clone(),
        }
    }

    /// Returns one output of a square.
    pub(crate) fn number(&self, square: &[f32], plane: usize) -> f32 {
        total(self.add::<Lanes>(square, plane, [0.0; LANES])) + self.bias[plane]
    }

    /// Adds what an output of a square is the sum of, without its bias.
    #[inline(always)]
    fn add<V: Vector>(&self, square: &[f32], plane: usize, mut sums: V) -> V {
        let weights = &self.weights[plane * self.stride..][..self.stride];
        let (square, weights) = (
            square.as_chunks::<LANES>().0,
            weights.as_chunks::<LANES>().0,
        );
        for (square, weights) in square.iter().zip(weights) {
            sums = V::load(square).mul_add(V::load(weights), sums);
        }
        sums
    }
}

/// Returns the sum of the numbers in a vector.
#[inline(always)]
fn total(mut sums: Lanes) -> f32 {
    let mut len = LANES;
    while len > 1 {
        len /= 2;
        let (low, high) = sums.split_at_mut(len);
        low.iter_mut()
            .zip(high)
            .for_each(|(low, high)| *low += *high);
    }
    sums[0]
}

impl IntegerHeads {
    /// Makes those of a plan and the numbers of its tensors; 1 in what they read is worth `scale`.
    ///
    /// # Errors
    /// If they are no convolutions of squares alone that read the same value.
    pub fn new(
        (plan, shape): (&Plan, BoardShape),
        weights: &BTreeMap<String, Vec<f32>>,
        scale: f32,
    ) -> Result<Self, NetError> {
        let units = [plan.leaving, plan.arriving, plan.pooled].map(|index| &plan.units[index]);
        for unit in units {
            let is_mere = unit.kernel == 1 && unit.added.is_none();
            if !is_mere || unit.from != units[0].from {
                return Err(NetError::Graph(format!("{} as a head", unit.name)));
            }
        }
        let [leaving, arriving, pooled] = units;
        let [inputs, outputs] = pooled.planes;
        let numbers = |part: &str| &weights[&format!("{}.{part}", pooled.name)];
        let blocks = outputs.div_ceil(LANES);
        let mut filled = vec![[0.0; LANES]; blocks * inputs];
        for (index, weight) in numbers("weight").iter().enumerate() {
            let (output, input) = (index / inputs, index % inputs);
            filled[output / LANES * inputs + input][output % LANES] = weight * scale;
        }
        let mut bias = vec![[0.0; LANES]; blocks];
        bias.as_flattened_mut()[..outputs].copy_from_slice(numbers("bias"));
        let moves = leaving.planes[1];
        let places = (0..shape.policy_len() as u16 - 1).map(|output| {
            let from = [output / moves as u16, output % moves as u16];
            let mv = Move::from_policy_index(PolicyIndex(output), shape);
            let to = mv.map(|mv| [shape.index(mv.to()) as u16, mv.direction() as u16]);
            // Of a move that would leave the board, nobody asks.
            [from, to.unwrap_or_default()]
        });
        Ok(Self {
            squares: shape.squares(),
            inputs,
            places: places.collect(),
            leaving: Sparse::new(leaving, weights, scale),
            arriving: Sparse::new(arriving, weights, scale),
            pooled: filled,
            bias,
            value_head: ValueHead::new(plan, |name| weights[name].clone()),
            numbers: Aligned::zeros(shape.squares() * padded(inputs)),
        })
    }

    /// Returns how many squares and planes they read for a position.
    pub const fn reads(&self) -> (usize, usize) {
        (self.squares, self.inputs)
    }

    /// Computes a position of `read`, `[squares, planes]`: adds the logits of policy outputs to `logits`, and returns the value head's
    /// outputs, as [`Net::forward`](crate::Net::forward) does.
    ///
    /// # Panics
    /// If `read` has another shape, or its squares do not lie in order.
    pub fn apply(
        &mut self,
        read: ArrayView2<'_, u8>,
        outputs: impl Iterator<Item = usize>,
        logits: &mut Vec<f32>,
    ) -> [f32; VALUE_LEN] {
        assert_eq!(read.dim(), self.reads(), "[squares, planes]");
        let read = read.as_slice().expect("squares in order");
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            if is_x86_feature_detected!("avx512f") {
                #[expect(unsafe_code, reason = "the processor was asked")]
                // SAFETY: the processor has AVX-512, AVX2 and FMA.
                return unsafe { self.apply_avx512(read, outputs, logits) };
            }
            #[expect(unsafe_code, reason = "the processor was asked")]
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { self.apply_avx2(read, outputs, logits) };
        }
        self.compute::<Lanes>(read, outputs, logits)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2,fma")]
    fn apply_avx512(
        &mut self,
        read: &[u8],
        outputs: impl Iterator<Item = usize>,
        logits: &mut Vec<f32>,
    ) -> [f32; VALUE_LEN] {
        self.compute::<crate::vector::x86::Avx512>(read, outputs, logits)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn apply_avx2(
        &mut self,
        read: &[u8],
        outputs: impl Iterator<Item = usize>,
        logits: &mut Vec<f32>,
    ) -> [f32; VALUE_LEN] {
        self.compute::<crate::vector::x86::Avx2>(read, outputs, logits)
    }

    #[inline(always)]
    fn compute<V: Vector>(
        &mut self,
        read: &[u8],
        outputs: impl Iterator<Item = usize>,
        logits: &mut Vec<f32>,
    ) -> [f32; VALUE_LEN] {
        let stride = padded(self.inputs);
        let squares = self.numbers.chunks_exact_mut(stride);
        for (square, read) in squares.zip(read.chunks_exact(self.inputs)) {
            for (number, read) in square.iter_mut().zip(read) {
                *number = f32::from(*read);
            }
        }
        let values = self.values::<V>();
        // A loop, as closures are not compiled for the processor's own instructions.
        for output in outputs {
            logits.push(match self.places.get(output) {
                Some(places) => self.logit::<V>(places),
                // The last output, which ends a chain, is the value head's.
                None => values[VALUE_LEN - 1],
            });
        }
        values
    }

    #[inline(always)]
    fn logit<V: Vector>(&self, [from, to]: &[[u16; 2]; 2]) -> f32 {
        let (mut sums, mut bias) = (V::splat(0.0), 0.0);
        for (head, place) in [(&self.leaving, from), (&self.arriving, to)] {
            let [square, plane] = place.map(usize::from);
            let square = &self.numbers[square * head.stride..][..head.stride];
            sums = head.add(square, plane, sums);
            bias += head.bias[plane];
        }
        let mut lanes = [0.0; LANES];
        sums.store(&mut lanes);
        total(lanes) + bias
    }

    /// Computes the value head.
    #[inline(always)]
    fn values<V: Vector>(&mut self) -> [f32; VALUE_LEN] {
        let blocks = self.bias.len();
        let (mut sums, mut maxima) = (vec![[0.0; LANES]; blocks], vec![[0.0; LANES]; blocks]);
        let stride = padded(self.inputs);
        let (groups, rest) = self.numbers.split_at(self.squares / ROWS * ROWS * stride);
        for block in 0..blocks {
            let weights = &self.pooled[block * self.inputs..][..self.inputs];
            let mut pool = Pool::<V>::new(self.value_head.least());
            for squares in groups.chunks_exact(ROWS * stride) {
                pool.add::<ROWS>(squares, stride, (weights, &self.bias[block]));
            }
            for square in rest.chunks_exact(stride) {
                pool.add::<1>(square, stride, (weights, &self.bias[block]));
            }
            pool.sum.store(&mut sums[block]);
            pool.maximum.store(&mut maxima[block]);
        }
        let (sums, maxima) = (sums.as_flattened(), maxima.as_flattened());
        self.value_head.finish(sums, maxima, self.squares)
    }
}

/// What is known of a plane of some squares.
struct Pool<V> {
    least: V,
    sum: V,
    maximum: V,
}

impl<V: Vector> Pool<V> {
    #[inline(always)]
    fn new(least: f32) -> Self {
        let least = V::splat(least);
        Self {
            least,
            sum: V::splat(0.0),
            maximum: least,
        }
    }

    /// Adds `N` squares.
    #[inline(always)]
    fn add<const N: usize>(
        &mut self,
        squares: &[f32],
        stride: usize,
        (weights, bias): (&[Lanes], &Lanes),
    ) {
        let mut rows = [V::load(bias); N];
        for (input, weights) in weights.iter().enumerate() {
            let weights = V::load(weights);
            for (row, sums) in rows.iter_mut().enumerate() {
                *sums = V::splat(squares[row * stride + input]).mul_add(weights, *sums);
            }
        }
        for row in rows {
            let row = row.max(self.least);
            self.sum = self.sum.add(row);
            self.maximum = self.maximum.max(row);
        }
    }
}
