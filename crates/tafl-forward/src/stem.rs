//! The first convolution of a tower in integers: f32, by the planes that a square and those around it are marked in.

use crate::convolution::{Grid, padded};
use crate::integer::{Integers, Plain, Wholes};
use crate::vector::{LANES, Lanes, Terms, Vector};
use tafl_samples::PLANES;

/// The squares that an output sees, its own in the middle.
const TAPS: usize = 9;

/// The planes of a position, apart by kind.
#[derive(Debug, Clone)]
pub(crate) struct SparsePlanes {
    /// For each cell, a bit for each plane that differs between squares and is not 0 there; 0 on the rim.
    pub(crate) marks: Vec<u64>,
    /// The numbers of the marks, `[cells, PLANES]`, if they are not all 1.
    pub(crate) numbers: Vec<[f32; PLANES]>,
    /// The numbers of the other planes.
    pub(crate) constants: [f32; PLANES],
}

/// A convolution of planes with its bias and a rectifier; outputs are filled up to a multiple of [`LANES`].
#[derive(Debug, Clone)]
pub(crate) struct Stem {
    /// `[taps, PLANES, outputs / LANES]`
    weights: Vec<Lanes>,
    bias: Vec<Lanes>,
    /// `[taps, outputs / LANES]`: what the constants add.
    constant: Vec<Lanes>,
}

impl Stem {
    /// Makes one of weights `[outputs, PLANES, kernel, kernel]`, with a kernel of 3, and biases; both are given in ones of the
    /// outputs.
    pub(crate) fn new(numbers: &[f32], biases: &[f32]) -> Self {
        let blocks = padded(biases.len()) / LANES;
        let mut weights = vec![[0.0; LANES]; TAPS * PLANES * blocks];
        for (index, taps) in numbers.chunks_exact(TAPS).enumerate() {
            let (output, plane) = (index / PLANES, index % PLANES);
            for (tap, &weight) in taps.iter().enumerate() {
                let place = (tap * PLANES + plane) * blocks + output / LANES;
                weights[place][output % LANES] = weight;
            }
        }
        let mut bias = vec![[0.0; LANES]; blocks];
        bias.as_flattened_mut()[..biases.len()].copy_from_slice(biases);
        Self {
            weights,
            bias,
            constant: vec![[0.0; LANES]; TAPS * blocks],
        }
    }

    /// Computes the outputs, `[cells, outputs]`, of all squares.
    pub(crate) fn apply(&mut self, grid: Grid, planes: &SparsePlanes, output: &mut [Wholes]) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "the processor was asked")]
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { self.apply_avx2(grid, planes, output) };
        }
        self.compute::<Plain>(grid, planes, output);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn apply_avx2(&mut self, grid: Grid, planes: &SparsePlanes, output: &mut [Wholes]) {
        self.compute::<crate::integer::x86::Avx2Integers>(grid, planes, output);
    }

    #[inline(always)]
    fn compute<I: Integers>(&mut self, grid: Grid, planes: &SparsePlanes, output: &mut [Wholes]) {
        let blocks = self.bias.len();
        let filled = (0..PLANES).filter(|&plane| planes.constants[plane] != 0.0);
        for (place, constant) in self.constant.iter_mut().enumerate() {
            let (tap, block) = (place / blocks, place % blocks);
            let mut sum = I::Float::splat(0.0);
            for plane in filled.clone() {
                let weights = &self.weights[(tap * PLANES + plane) * blocks + block];
                let number = I::Float::splat(planes.constants[plane]);
                sum = number.mul_add(I::Float::load(weights), sum);
            }
            sum.store(constant);
        }
        let mut block = 0;
        while block < blocks {
            // Marks are found once for two blocks, whose sums fill four registers of AVX2.
            if block + 2 <= blocks {
                self.compute_blocks::<I, 2>(grid, planes, output, block);
                block += 2;
            } else {
                self.compute_blocks::<I, 1>(grid, planes, output, block);
                block += 1;
            }
        }
    }

    /// Computes some blocks of the outputs.
    #[inline(always)]
    fn compute_blocks<I: Integers, const N: usize>(
        &self,
        grid: Grid,
        planes: &SparsePlanes,
        output: &mut [Wholes],
        first: usize,
    ) {
        let blocks = self.bias.len();
        for square in 0..grid.squares() {
            let mut sums = [I::Float::splat(0.0); N];
            for (sum, bias) in sums.iter_mut().zip(&self.bias[first..]) {
                *sum = I::Float::load(bias);
            }
            for (tap, seen) in grid.around(square) {
                let constant = &self.constant[tap * blocks + first..][..N];
                for (sum, constant) in sums.iter_mut().zip(constant) {
                    *sum = sum.add(I::Float::load(constant));
                }
                let mut marks = planes.marks[seen];
                while marks != 0 {
                    let plane = marks.trailing_zeros() as usize;
                    marks &= marks - 1;
                    let weights = &self.weights[(tap * PLANES + plane) * blocks + first..][..N];
                    let number = planes.numbers.get(seen).map(|numbers| numbers[plane]);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        let weights = I::Float::load(weights);
                        *sum = match number {
                            None => sum.add(weights),
                            Some(number) => I::Float::splat(number).mul_add(weights, *sum),
                        };
                    }
                }
            }
            let cell = grid.cell(square) * blocks + first;
            for (sum, output) in sums.into_iter().zip(&mut output[cell..]) {
                I::round(sum, output);
            }
        }
    }
}
