//! 3x3 convolutions of 8-bit integers: Winograd's of 2x2 outputs, which stay exact in 16 and 32 bits.
//!
//! Activations are from 0 to 255, weights from -127 to 127. A tile of inputs holds sums of at most four of the first, twice the
//! transform of the weights sums of at most nine of the second on each side, and so sums of products four times a convolution's:
//! those of up to 200 planes fit 32 bits whatever they are.

#[cfg(test)]
mod tests;

use crate::convolution::{Grid, POINTS, outputs_of, transform_inputs};
use crate::vector::{LANES, Terms, Vector};

/// Tiles that are computed at once; their sums fill twelve of the sixteen registers of AVX2.
const ROWS: usize = 6;

/// Activations in memory.
pub(crate) type Wholes = [i16; LANES];

/// Weights of [`LANES`] outputs for two inputs each.
type Pairs = [[i16; 2]; LANES];

/// Sums in memory.
type Sums = [i32; LANES];

/// What a processor does with integers.
pub(crate) trait Integers {
    /// [`LANES`] numbers of 16 bits.
    type Whole: Terms;
    /// [`LANES`] numbers of 32 bits.
    type Sum: Terms;
    type Float: Vector;
    fn load(wholes: &Wholes) -> Self::Whole;
    fn store(whole: Self::Whole, wholes: &mut Wholes);
    fn zero() -> Self::Sum;
    fn load_sum(sums: &Sums) -> Self::Sum;
    fn store_sum(sum: Self::Sum, sums: &mut Sums);
    /// Adds to the sums of some rows the products of the weights with the row's inputs.
    fn add_products(
        sums: &mut [Self::Sum; ROWS],
        weights: &[Pairs; LANES / 2],
        rows: [&Wholes; ROWS],
    );
    fn float(sum: Self::Sum) -> Self::Float;
    fn float_of(wholes: &Wholes) -> Self::Float;
    fn float_of_whole(whole: Self::Whole) -> Self::Float;
    /// Puts the nearest integers from 0 to 255.
    fn round(float: Self::Float, wholes: &mut Wholes);
    /// The same in a byte each.
    fn round_to_bytes(float: Self::Float, bytes: &mut [u8; LANES]);
}

/// Declares sums and differences of arrays.
macro_rules! terms {
    ($name:ty) => {
        impl Terms for $name {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                std::array::from_fn(|lane| self[lane].wrapping_add(other[lane]))
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                std::array::from_fn(|lane| self[lane].wrapping_sub(other[lane]))
            }
        }
    };
}

terms!(Wholes);
terms!(Sums);

/// As compilers make them of loops.
pub(crate) struct Plain;

impl Integers for Plain {
    type Whole = Wholes;
    type Sum = Sums;
    type Float = crate::vector::Lanes;

    #[inline(always)]
    fn load(wholes: &Wholes) -> Wholes {
        *wholes
    }

    #[inline(always)]
    fn store(whole: Wholes, wholes: &mut Wholes) {
        *wholes = whole;
    }

    #[inline(always)]
    fn zero() -> Sums {
        [0; LANES]
    }

    #[inline(always)]
    fn load_sum(sums: &Sums) -> Sums {
        *sums
    }

    #[inline(always)]
    fn store_sum(sum: Sums, sums: &mut Sums) {
        *sums = sum;
    }

    #[inline(always)]
    fn add_products(sums: &mut [Sums; ROWS], weights: &[Pairs; LANES / 2], rows: [&Wholes; ROWS]) {
        for (pair, weights) in weights.iter().enumerate() {
            for (sums, row) in sums.iter_mut().zip(rows) {
                let [x, y] = [row[2 * pair], row[2 * pair + 1]].map(i32::from);
                for (sum, &[a, b]) in sums.iter_mut().zip(weights) {
                    *sum = sum.wrapping_add(x * i32::from(a) + y * i32::from(b));
                }
            }
        }
    }

    #[inline(always)]
    fn float(sum: Sums) -> Self::Float {
        sum.map(|it| it as f32)
    }

    #[inline(always)]
    fn float_of(wholes: &Wholes) -> Self::Float {
        wholes.map(f32::from)
    }

    #[inline(always)]
    fn float_of_whole(whole: Wholes) -> Self::Float {
        Self::float_of(&whole)
    }

    #[inline(always)]
    fn round(float: Self::Float, wholes: &mut Wholes) {
        *wholes = float.map(|it| it.round_ties_even().clamp(0.0, 255.0) as i16);
    }

    #[inline(always)]
    fn round_to_bytes(float: Self::Float, bytes: &mut [u8; LANES]) {
        // Casts keep to the range.
        *bytes = float.map(|it| it.round_ties_even() as u8);
    }
}

/// What is computed with.
pub(crate) struct IntegerJob<'a> {
    pub(crate) grid: Grid,
    /// `[cells, inputs]`; its rim is 0.
    pub(crate) input: &'a [Wholes],
    /// `[cells, outputs]`; its rim stays as it is.
    pub(crate) output: &'a mut [Wholes],
    /// What one in the outputs, as they were before, is worth in the new ones, where it is added.
    pub(crate) added: Option<f32>,
    pub(crate) scratch: &'a mut IntegerScratch,
}

/// Memory that convolutions use on their way.
#[derive(Debug, Clone, Default)]
pub(crate) struct IntegerScratch {
    /// `[points, rows, inputs / LANES, LANES]`
    inputs: Vec<Wholes>,
    /// `[points, rows, outputs / LANES, LANES]`
    products: Vec<Sums>,
    #[cfg(target_arch = "x86_64")]
    pub(crate) amx: crate::amx::AmxScratch,
}

/// A convolution with its bias and a rectifier; planes are filled up to a multiple of [`LANES`].
#[derive(Debug, Clone)]
pub(crate) struct IntegerConvolution {
    inputs: usize,
    /// `[points, outputs / LANES, inputs / 2]`
    weights: Vec<Pairs>,
    /// What one in the sums is worth, for each output.
    scales: Vec<[f32; LANES]>,
    bias: Vec<[f32; LANES]>,
    #[cfg(target_arch = "x86_64")]
    amx: Option<crate::amx::AmxConvolution>,
}

/// Returns 2 G g (2 G)', with the rows of 2 G: (2, 0, 0), (1, 1, 1), (1, -1, 1), (0, 0, 2).
fn transformed(weights: &[i8]) -> [i16; POINTS] {
    let stretch = |[a, b, c]: [i16; 3]| [2 * a, a + b + c, a - b + c, 2 * c];
    let at = |row: usize, column: usize| i16::from(weights[3 * row + column]);
    let columns: [[i16; 4]; 3] =
        std::array::from_fn(|column| stretch([at(0, column), at(1, column), at(2, column)]));
    let rows: [[i16; 4]; 4] = std::array::from_fn(|row| stretch(columns.map(|column| column[row])));
    std::array::from_fn(|point| rows[point / 4][point % 4])
}

impl IntegerConvolution {
    /// Makes one of weights `[outputs, inputs, 3, 3]`; what one in them is worth, for each output, beside one in the outputs,
    /// and biases that are given in ones of the outputs.
    pub(crate) fn new(inputs: usize, numbers: &[i8], scales: &[f32], biases: &[f32]) -> Self {
        let outputs = scales.len();
        let (blocks, pairs) = (outputs.div_ceil(LANES), inputs.next_multiple_of(LANES) / 2);
        let mut weights = vec![[[0; 2]; LANES]; POINTS * blocks * pairs];
        for (index, taps) in numbers.chunks_exact(9).enumerate() {
            let (output, input) = (index / inputs, index % inputs);
            for (point, weight) in transformed(taps).into_iter().enumerate() {
                let place = (point * blocks + output / LANES) * pairs + input / 2;
                weights[place][output % LANES][input % 2] = weight;
            }
        }
        let lanes = |numbers: &mut dyn Iterator<Item = f32>| {
            let mut lanes = vec![[0.0; LANES]; blocks];
            for (lane, number) in lanes.as_flattened_mut().iter_mut().zip(numbers) {
                *lane = number;
            }
            lanes
        };
        Self {
            #[cfg(target_arch = "x86_64")]
            amx: crate::amx::is_there().then(|| {
                crate::amx::AmxConvolution::new(inputs, numbers, lanes(&mut scales.iter().copied()))
            }),
            inputs: 2 * pairs,
            weights,
            scales: lanes(&mut scales.iter().map(|scale| scale / 4.0)),
            bias: lanes(&mut biases.iter().copied()),
        }
    }

    /// Computes the outputs of all squares.
    pub(crate) fn apply(&self, job: &mut IntegerJob<'_>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(amx) = &self.amx {
            #[expect(unsafe_code, reason = "the processor was asked")]
            // SAFETY: tiles can be used, or there would be none.
            return unsafe { amx.apply(&self.bias, job) };
        }
        self.apply_by_vectors(job);
    }

    /// Computes the same without tiles.
    fn apply_by_vectors(&self, job: &mut IntegerJob<'_>) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "the processor was asked")]
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { self.apply_avx2(job) };
        }
        self.compute::<Plain>(job);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn apply_avx2(&self, job: &mut IntegerJob<'_>) {
        self.compute::<x86::Avx2Integers>(job);
    }

    #[inline(always)]
    fn compute<I: Integers>(&self, job: &mut IntegerJob<'_>) {
        let tiles = job.grid.tiles() * job.grid.tiles();
        let blocks = self.bias.len();
        let scratch = &mut *job.scratch;
        scratch
            .inputs
            .resize(POINTS * ROWS * self.inputs / LANES, [0; LANES]);
        scratch.products.resize(POINTS * ROWS * blocks, [0; LANES]);
        for first in (0..tiles).step_by(ROWS) {
            let rows = ROWS.min(tiles - first);
            self.transform::<I>(
                job.grid,
                first..first + rows,
                job.input,
                &mut scratch.inputs,
            );
            self.multiply::<I>(&scratch.inputs, &mut scratch.products);
            for row in 0..rows {
                let cells = job.grid.outputs(first + row);
                for block in 0..blocks {
                    let mut products = [I::zero(); POINTS];
                    for (point, product) in products.iter_mut().enumerate() {
                        let place = (point * ROWS + row) * blocks + block;
                        *product = I::load_sum(&scratch.products[place]);
                    }
                    let sums = outputs_of(&products);
                    self.put::<I>((cells, block), sums, job.added, job.output);
                }
            }
        }
    }

    /// Puts the inputs of some tiles, transformed, into their place.
    #[inline(always)]
    fn transform<I: Integers>(
        &self,
        grid: Grid,
        tiles: std::ops::Range<usize>,
        input: &[Wholes],
        out: &mut [Wholes],
    ) {
        let blocks = self.inputs / LANES;
        for (row, tile) in tiles.enumerate() {
            let corner = grid.corner(tile);
            for block in 0..blocks {
                let cell = |point: usize| corner + point / 4 * grid.width() + point % 4;
                let mut points = [I::load(&input[cell(0) * blocks + block]); POINTS];
                for (point, lanes) in points.iter_mut().enumerate().skip(1) {
                    *lanes = I::load(&input[cell(point) * blocks + block]);
                }
                transform_inputs(&mut points);
                for (point, lanes) in points.iter().enumerate() {
                    I::store(*lanes, &mut out[(point * ROWS + row) * blocks + block]);
                }
            }
        }
    }

    /// Multiplies the inputs of every point by its weights.
    #[inline(always)]
    fn multiply<I: Integers>(&self, inputs: &[Wholes], products: &mut [Sums]) {
        let (blocks, parts) = (self.bias.len(), self.inputs / LANES);
        let (weights, _) = self.weights.as_chunks::<{ LANES / 2 }>();
        let points = inputs
            .chunks_exact(ROWS * parts)
            .zip(products.chunks_exact_mut(ROWS * blocks));
        for ((inputs, products), weights) in points.zip(weights.chunks_exact(blocks * parts)) {
            for (block, weights) in weights.chunks_exact(parts).enumerate() {
                let mut sums = [I::zero(); ROWS];
                for (part, weights) in weights.iter().enumerate() {
                    let row = |row: usize| &inputs[row * parts + part];
                    let rows = [row(0), row(1), row(2), row(3), row(4), row(5)];
                    I::add_products(&mut sums, weights, rows);
                }
                for (row, sum) in sums.into_iter().enumerate() {
                    I::store_sum(sum, &mut products[row * blocks + block]);
                }
            }
        }
    }

    #[inline(always)]
    fn put<I: Integers>(
        &self,
        (cells, block): ([Option<usize>; 4], usize),
        sums: [I::Sum; 4],
        added: Option<f32>,
        output: &mut [Wholes],
    ) {
        let (scale, bias) = (
            I::Float::load(&self.scales[block]),
            I::Float::load(&self.bias[block]),
        );
        for (sum, cell) in sums.into_iter().zip(cells) {
            if let Some(cell) = cell {
                let out = &mut output[cell * self.bias.len() + block];
                let mut float = I::float(sum).mul_add(scale, bias);
                if let Some(added) = added {
                    float = I::float_of(out).mul_add(I::Float::splat(added), float);
                }
                I::round(float, out);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use super::{Integers, LANES, Pairs, ROWS, Sums, Wholes};
    use crate::vector::{Terms, x86::Avx2};
    use std::arch::x86_64::*;

    /// AVX2 and FMA; used in functions alone that are compiled for a processor which has them.
    pub(crate) struct Avx2Integers;

    #[derive(Clone, Copy)]
    pub(crate) struct Whole(__m256i);

    #[derive(Clone, Copy)]
    pub(crate) struct Sum([__m256i; 2]);

    #[expect(unsafe_code, reason = "instructions of one kind of processor")]
    impl Terms for Whole {
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: the processor has the instruction.
            Self(unsafe { _mm256_add_epi16(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: the processor has the instruction.
            Self(unsafe { _mm256_sub_epi16(self.0, other.0) })
        }
    }

    #[expect(unsafe_code, reason = "instructions of one kind of processor")]
    impl Terms for Sum {
        #[inline(always)]
        fn add(self, Self([c, d]): Self) -> Self {
            let [a, b] = self.0;
            // SAFETY: the processor has the instruction.
            unsafe { Self([_mm256_add_epi32(a, c), _mm256_add_epi32(b, d)]) }
        }

        #[inline(always)]
        fn sub(self, Self([c, d]): Self) -> Self {
            let [a, b] = self.0;
            // SAFETY: the processor has the instruction.
            unsafe { Self([_mm256_sub_epi32(a, c), _mm256_sub_epi32(b, d)]) }
        }
    }

    #[expect(unsafe_code, reason = "instructions of one kind of processor")]
    impl Integers for Avx2Integers {
        type Whole = Whole;
        type Sum = Sum;
        type Float = Avx2;

        #[inline(always)]
        fn load(wholes: &Wholes) -> Whole {
            // SAFETY: the processor has the instruction; the array is as long as it reads.
            Whole(unsafe { _mm256_loadu_si256(wholes.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(whole: Whole, wholes: &mut Wholes) {
            // SAFETY: the processor has the instruction; the array is as long as it writes.
            unsafe { _mm256_storeu_si256(wholes.as_mut_ptr().cast(), whole.0) }
        }

        #[inline(always)]
        fn zero() -> Sum {
            // SAFETY: the processor has the instruction.
            Sum([unsafe { _mm256_setzero_si256() }; 2])
        }

        #[inline(always)]
        fn load_sum(sums: &Sums) -> Sum {
            let from: *const __m256i = sums.as_ptr().cast();
            // SAFETY: the processor has the instruction; the array is as long as two registers.
            unsafe { Sum([_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))]) }
        }

        #[inline(always)]
        fn store_sum(Sum([low, high]): Sum, sums: &mut Sums) {
            let to: *mut __m256i = sums.as_mut_ptr().cast();
            // SAFETY: the processor has the instruction; the array is as long as two registers.
            unsafe {
                _mm256_storeu_si256(to, low);
                _mm256_storeu_si256(to.add(1), high);
            }
        }

        #[inline(always)]
        fn add_products(
            sums: &mut [Sum; ROWS],
            weights: &[Pairs; LANES / 2],
            rows: [&Wholes; ROWS],
        ) {
            for (pair, weights) in weights.iter().enumerate() {
                let weights: *const __m256i = weights.as_ptr().cast();
                // SAFETY: the processor has the instructions; weights are as long as two registers, and a row has a pair for
                // each of them.
                unsafe {
                    let low = _mm256_loadu_si256(weights);
                    let high = _mm256_loadu_si256(weights.add(1));
                    for (Sum([a, b]), row) in sums.iter_mut().zip(rows) {
                        let pair = row.as_ptr().cast::<i32>().add(pair).read_unaligned();
                        let pair = _mm256_set1_epi32(pair);
                        *a = _mm256_add_epi32(*a, _mm256_madd_epi16(pair, low));
                        *b = _mm256_add_epi32(*b, _mm256_madd_epi16(pair, high));
                    }
                }
            }
        }

        #[inline(always)]
        fn float(Sum([low, high]): Sum) -> Avx2 {
            // SAFETY: the processor has the instruction.
            unsafe { Avx2([_mm256_cvtepi32_ps(low), _mm256_cvtepi32_ps(high)]) }
        }

        #[inline(always)]
        fn float_of(wholes: &Wholes) -> Avx2 {
            Self::float_of_whole(Self::load(wholes))
        }

        #[inline(always)]
        fn float_of_whole(Whole(whole): Whole) -> Avx2 {
            // SAFETY: the processor has the instructions.
            Self::float(unsafe {
                Sum([
                    _mm256_cvtepi16_epi32(_mm256_castsi256_si128(whole)),
                    _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(whole)),
                ])
            })
        }

        #[inline(always)]
        fn round(Avx2([low, high]): Avx2, wholes: &mut Wholes) {
            Self::store(rounded(low, high), wholes);
        }

        #[inline(always)]
        fn round_to_bytes(Avx2([low, high]): Avx2, bytes: &mut [u8; LANES]) {
            let Whole(whole) = rounded(low, high);
            // SAFETY: the processor has the instructions; the array is as long as half a register.
            unsafe {
                let halves = [
                    _mm256_castsi256_si128(whole),
                    _mm256_extracti128_si256::<1>(whole),
                ];
                let packed = _mm_packus_epi16(halves[0], halves[1]);
                _mm_storeu_si128(bytes.as_mut_ptr().cast(), packed);
            }
        }
    }

    /// Returns the nearest integers from 0 to 255.
    #[expect(unsafe_code, reason = "instructions of one kind of processor")]
    #[inline(always)]
    fn rounded(low: __m256, high: __m256) -> Whole {
        // Those below 0 become 0; the halves of both registers take turns until they are ordered.
        // SAFETY: the processor has the instructions.
        Whole(unsafe {
            let most = _mm256_set1_ps(255.0);
            let low = _mm256_cvtps_epi32(_mm256_min_ps(low, most));
            let high = _mm256_cvtps_epi32(_mm256_min_ps(high, most));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high))
        })
    }
}
