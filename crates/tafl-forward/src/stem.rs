//! The first convolution of a tower in integers, looked up by the planes that a square and those around it are marked in.
//!
//! Marked planes hold 0 and 1 alone. So what eight of them add to an output is one of 256 numbers, of which few occur, and a square's
//! output is a sum of numbers looked up for the nine squares that it sees. The other planes are the same on all squares: what they
//! add depends on the edges that a square lies on, and is computed once for each position.

#[cfg(test)]
pub(crate) mod tests;

use crate::convolution::{Grid, padded};
use crate::integer::{Integers, Plain, Wholes};
use crate::vector::{LANES, Lanes, Terms, Vector};
use ndarray::{Array1, Array4, ArrayView1, ArrayView3, ArrayView4, ArrayViewMut2, s};
use tafl_rules::Rules;
use tafl_samples::{Facts, MARKED_PLANES, PLANES, plane_sets};

/// The squares that an output sees, its own in the middle.
const TAPS: usize = 9;

/// Marked planes that are looked up together, in a byte.
const TOGETHER: usize = 8;

/// What they may be.
const SETS: usize = 1 << TOGETHER;

/// Entries of a table: with one that is never looked up, the same sets of two tables do not lie in the same lines of the cache.
const ENTRIES: usize = SETS + 1;

const GROUPS: usize = MARKED_PLANES.div_ceil(TOGETHER);

/// Planes that are the same on all squares.
const UNIFORM_PLANES: usize = PLANES - MARKED_PLANES;

/// Places of a square on a board: on the first, a middle or the last rank, and file.
const PLACES: usize = 9;

/// Vectors of outputs that are computed together, at most.
const MOST_BLOCKS: usize = 4;

/// The largest sum of looked up numbers; rounding may add one for each.
const MOST_SUM: f32 = (i16::MAX as usize - TAPS * GROUPS) as f32;

/// The planes of a position, apart by kind.
#[derive(Debug, Clone)]
pub struct StemPlanes {
    grid: Grid,
    /// For each cell, which planes of each group it is marked in; 0 on the rim.
    sets: Vec<[u8; GROUPS]>,
    uniform: [f32; UNIFORM_PLANES],
}

/// A convolution of planes with its bias and a rectifier, whose outputs are integers from 0 to 255.
#[derive(Debug, Clone)]
pub struct Stem {
    outputs: usize,
    /// Outputs side by side.
    bundles: Vec<Bundle>,
    /// `[places, outputs / LANES]`: what the uniform planes of a position add, with the bias.
    places: Vec<Lanes>,
}

/// Up to [`MOST_BLOCKS`] vectors of outputs.
#[derive(Debug, Clone)]
struct Bundle {
    /// `[taps, groups, ENTRIES, blocks]`
    tables: Vec<Entry>,
    /// What one in a table is worth, for each output.
    worth: Vec<Lanes>,
    /// `[uniform planes, places, blocks]`
    uniform: Vec<Lanes>,
    bias: Vec<Lanes>,
}

#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Entry(Wholes);

/// Where outputs go.
trait Output {
    /// Puts the nearest integers of some outputs of a square, [`LANES`] of them or as many as are left.
    fn put<I: Integers>(&mut self, square: usize, block: usize, outputs: I::Float);
}

/// `[cells, outputs / LANES]`
struct Cells<'a>(Grid, usize, &'a mut [Wholes]);

impl Output for Cells<'_> {
    #[inline(always)]
    fn put<I: Integers>(&mut self, square: usize, block: usize, outputs: I::Float) {
        I::round(outputs, &mut self.2[self.0.cell(square) * self.1 + block]);
    }
}

/// `[squares, outputs]`
struct Bytes<'a>(usize, &'a mut [u8]);

impl Output for Bytes<'_> {
    #[inline(always)]
    fn put<I: Integers>(&mut self, square: usize, block: usize, outputs: I::Float) {
        let square = &mut self.1[square * self.0..][..self.0];
        let bytes = &mut square[block * LANES..];
        if let Some(bytes) = bytes.first_chunk_mut::<LANES>() {
            I::round_to_bytes(outputs, bytes);
        } else {
            let mut all = [0; LANES];
            I::round_to_bytes(outputs, &mut all);
            bytes.copy_from_slice(&all[..bytes.len()]);
        }
    }
}

impl StemPlanes {
    /// Returns those of an empty board with so many squares along a side.
    pub fn new(size: usize) -> Self {
        let grid = Grid::new(size);
        Self {
            grid,
            sets: vec![[0; GROUPS]; grid.cells()],
            uniform: [0.0; UNIFORM_PLANES],
        }
    }

    /// Takes the planes of a position.
    ///
    /// # Panics
    /// If its board has another size.
    pub fn encode(&mut self, facts: &Facts, rules: &Rules) {
        let shape = rules.shape();
        assert_eq!(shape.squares(), self.grid.squares(), "another board");
        let (marked, numbers) = plane_sets(facts, rules);
        self.uniform.copy_from_slice(&numbers[MARKED_PLANES..]);
        self.sets.fill([0; GROUPS]);
        for (plane, squares) in marked.into_iter().enumerate() {
            for square in squares.squares() {
                self.mark(shape.index(square), plane);
            }
        }
    }

    /// Takes planes as [`tafl_samples::encode`] writes them, `[rank, file, plane]`. Those that differ between squares are taken for 1
    /// wherever they are not 0, the others as they are on a1.
    ///
    /// # Panics
    /// If they are those of another board.
    pub fn read(&mut self, numbers: ArrayView3<'_, f32>) {
        let (ranks, files, count) = numbers.dim();
        assert_eq!(
            [ranks * files, count],
            [self.grid.squares(), PLANES],
            "another board"
        );
        for (uniform, number) in
            self.uniform
                .iter_mut()
                .zip(numbers.slice(s![0, 0, MARKED_PLANES..]))
        {
            *uniform = *number;
        }
        self.sets.fill([0; GROUPS]);
        for ((rank, file, plane), number) in
            numbers.slice(s![.., .., ..MARKED_PLANES]).indexed_iter()
        {
            if *number != 0.0 {
                self.mark(rank * files + file, plane);
            }
        }
    }

    fn mark(&mut self, square: usize, plane: usize) {
        self.sets[self.grid.cell(square)][plane / TOGETHER] |= 1 << (plane % TOGETHER);
    }
}

impl Bundle {
    /// Makes the blocks from `first` on of all weights and biases; see [`Stem::new`].
    fn new(weights: &Array4<f32>, biases: &Array1<f32>, first: usize) -> Self {
        let outputs = first * LANES..biases.len().min((first + MOST_BLOCKS) * LANES);
        let blocks = outputs.len().div_ceil(LANES);
        let weight = |output: usize, plane: usize, tap: usize| {
            weights[[outputs.start + output, plane, tap / 3, tap % 3]]
        };
        let lanes = |number: &dyn Fn(usize) -> f32| {
            let mut lanes = vec![[0.0; LANES]; blocks];
            let numbers = lanes.as_flattened_mut().iter_mut().take(outputs.len());
            numbers
                .enumerate()
                .for_each(|(output, it)| *it = number(output));
            lanes
        };
        let in_group = |output: usize, tap: usize, group: usize| {
            let planes = (0..TOGETHER).map(move |plane| group * TOGETHER + plane);
            planes.map(move |plane| match plane < MARKED_PLANES {
                true => weight(output, plane, tap),
                false => 0.0,
            })
        };
        let groups = (0..TAPS * GROUPS).map(|at| (at / GROUPS, at % GROUPS));
        let worth = lanes(&|output| {
            let most = groups.clone().map(|(tap, group)| {
                let sum = |sign: f32| -> f32 {
                    let weights = in_group(output, tap, group);
                    weights.map(|it| (sign * it).max(0.0)).sum()
                };
                sum(1.0).max(sum(-1.0))
            });
            most.sum::<f32>().max(f32::MIN_POSITIVE) / MOST_SUM
        });
        let mut tables = Vec::with_capacity(TAPS * GROUPS * ENTRIES * blocks);
        for (tap, group) in groups.clone() {
            let mut sums = vec![vec![[0.0; LANES]; blocks]; ENTRIES];
            let planes: Vec<_> = (0..TOGETHER)
                .map(|plane| {
                    lanes(&|output| in_group(output, tap, group).nth(plane).unwrap_or(0.0))
                })
                .collect();
            for set in 1..SETS {
                let others = sums[set & (set - 1)].clone();
                let added = others.iter().zip(&planes[set.trailing_zeros() as usize]);
                sums[set] = added.map(|(sum, weights)| sum.add(*weights)).collect();
            }
            for (sums, worth) in sums.iter().flat_map(|sums| sums.iter().zip(&worth)) {
                let entry = |lane: usize| match worth[lane] {
                    0.0 => 0,
                    worth => (sums[lane] / worth).round() as i16,
                };
                tables.push(Entry(std::array::from_fn(entry)));
            }
        }
        let mut uniform = Vec::with_capacity(UNIFORM_PLANES * PLACES * blocks);
        for at in 0..UNIFORM_PLANES * PLACES {
            let (plane, place) = (MARKED_PLANES + at / PLACES, at % PLACES);
            // Beyond an edge all planes are 0.
            let is_seen = |edge: usize, step: usize| edge != step || edge == 1;
            let taps = |tap: &usize| is_seen(place / 3, tap / 3) && is_seen(place % 3, tap % 3);
            uniform.extend(lanes(&|output| {
                let taps = (0..TAPS).filter(taps);
                taps.map(|tap| weight(output, plane, tap)).sum()
            }));
        }
        Self {
            bias: lanes(&|output| biases[outputs.start + output]),
            tables,
            worth,
            uniform,
        }
    }

    /// Returns how many vectors of outputs these are.
    fn blocks(&self) -> usize {
        self.bias.len()
    }

    /// Computes what the uniform planes add in each place, with the bias.
    #[inline(always)]
    fn add_uniform<I: Integers>(&self, uniform: &[f32], places: &mut [Lanes]) {
        for (place, bias) in places.iter_mut().zip(self.bias.iter().cycle()) {
            *place = *bias;
        }
        for (number, weights) in uniform.iter().zip(self.uniform.chunks_exact(places.len())) {
            if *number != 0.0 {
                for (place, weights) in places.iter_mut().zip(weights) {
                    let sum = I::Float::load(place);
                    let weights = I::Float::load(weights);
                    I::Float::splat(*number).mul_add(weights, sum).store(place);
                }
            }
        }
    }

    /// Computes the outputs of all squares.
    #[inline(always)]
    fn compute<I: Integers, const N: usize>(
        &self,
        planes: &StemPlanes,
        places: &[Lanes],
        (first, output): (usize, &mut impl Output),
    ) {
        let grid = planes.grid;
        let last = grid.size() - 1;
        let (tables, _) = self.tables.as_chunks::<N>().0.as_chunks::<ENTRIES>();
        let (tables, _) = tables.as_chunks::<GROUPS>().0.as_chunks::<3>();
        let edge = |at: usize| usize::from(at > 0) + usize::from(at == last);
        for square in 0..grid.squares() {
            let corner = grid.cell(square) - grid.width() - 1;
            let mut sums = [I::load(&[0; LANES]); N];
            for (rank, tables) in tables.iter().enumerate() {
                let sets = &planes.sets[corner + rank * grid.width()..][..3];
                for (tables, sets) in tables.iter().zip(sets) {
                    for (table, &set) in tables.iter().zip(sets) {
                        for (sum, entry) in sums.iter_mut().zip(&table[usize::from(set)]) {
                            *sum = sum.add(I::load(&entry.0));
                        }
                    }
                }
            }
            let place = 3 * edge(square / grid.size()) + edge(square % grid.size());
            let places = &places[place * N..][..N];
            for (block, ((sum, place), worth)) in
                sums.into_iter().zip(places).zip(&self.worth).enumerate()
            {
                let sum = I::float_of_whole(sum);
                let float = sum.mul_add(I::Float::load(worth), I::Float::load(place));
                output.put::<I>(square, first + block, float);
            }
        }
    }
}

impl Stem {
    /// Makes one of weights `[outputs, PLANES, 3, 3]` and biases `[outputs]`; 1 in the outputs is worth `scale`.
    pub fn new(weights: ArrayView4<'_, f32>, biases: ArrayView1<'_, f32>, scale: f32) -> Self {
        let (weights, biases) = (&weights / scale, &biases / scale);
        let blocks = padded(biases.len()) / LANES;
        let firsts = (0..blocks).step_by(MOST_BLOCKS);
        Self {
            outputs: biases.len(),
            bundles: firsts
                .map(|first| Bundle::new(&weights, &biases, first))
                .collect(),
            places: vec![[0.0; LANES]; PLACES * MOST_BLOCKS],
        }
    }

    /// Returns how many outputs each square has.
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    /// Writes the outputs, `[squares, outputs]`.
    ///
    /// # Panics
    /// If `output` has another shape, or its squares do not lie in order.
    pub fn apply(&mut self, planes: &StemPlanes, mut output: ArrayViewMut2<'_, u8>) {
        let shape = (planes.grid.squares(), self.outputs);
        assert_eq!(output.dim(), shape, "[squares, outputs]");
        let output = output.as_slice_mut().expect("squares in order");
        self.compute(planes, &mut Bytes(self.outputs, output));
    }

    /// Writes the outputs of all squares, `[cells, outputs / LANES]`.
    pub(crate) fn apply_in_cells(&mut self, planes: &StemPlanes, output: &mut [Wholes]) {
        let blocks = padded(self.outputs) / LANES;
        self.compute(planes, &mut Cells(planes.grid, blocks, output));
    }

    fn compute(&mut self, planes: &StemPlanes, output: &mut impl Output) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "the processor was asked")]
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { self.compute_avx2(planes, output) };
        }
        self.compute_by::<Plain>(planes, output);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn compute_avx2(&mut self, planes: &StemPlanes, output: &mut impl Output) {
        self.compute_by::<crate::integer::x86::Avx2Integers>(planes, output);
    }

    #[inline(always)]
    fn compute_by<I: Integers>(&mut self, planes: &StemPlanes, output: &mut impl Output) {
        for (index, bundle) in self.bundles.iter().enumerate() {
            let places = &mut self.places[..PLACES * bundle.blocks()];
            bundle.add_uniform::<I>(&planes.uniform, places);
            let to = (index * MOST_BLOCKS, &mut *output);
            match bundle.blocks() {
                1 => bundle.compute::<I, 1>(planes, places, to),
                2 => bundle.compute::<I, 2>(planes, places, to),
                3 => bundle.compute::<I, 3>(planes, places, to),
                _ => bundle.compute::<I, MOST_BLOCKS>(planes, places, to),
            }
        }
    }
}
