//! Convolutions over a board, in loops of fixed length that compilers turn into vector instructions.
//!
//! 3x3 convolutions are Winograd's of 2x2 outputs (Lavin and Gray 2016, 4.1), which need 16 multiplications in place of 36.

use crate::aligned::Aligned;
use crate::vector::{LANES, Lanes, Terms, Vector};

/// Tiles or squares that are computed at once; their sums of [`LANES`] outputs fill twelve of the sixteen registers of AVX2 and
/// WebAssembly, those of four times as many 24 of the 32 of AVX-512.
const ROWS: usize = 6;

/// Points of a tile: its inputs, 4x4, and as many products.
pub(crate) const POINTS: usize = 16;

/// A board in tiles of 2x2 squares, with a rim of one cell, so that nobody asks what lies beyond it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    size: usize,
}

impl Grid {
    pub(crate) const fn new(size: usize) -> Self {
        Self { size }
    }

    /// Returns the squares along a side.
    pub(crate) const fn size(self) -> usize {
        self.size
    }

    /// Returns the tiles along a side; the last ones reach beyond a board of odd size.
    pub(crate) const fn tiles(self) -> usize {
        self.size.div_ceil(2)
    }

    pub(crate) const fn width(self) -> usize {
        2 * self.tiles() + 2
    }

    /// Returns the number of cells, the rim's included.
    pub(crate) const fn cells(self) -> usize {
        self.width() * self.width()
    }

    /// Returns the cell of a square, given by rank * size + file.
    pub(crate) const fn cell(self, square: usize) -> usize {
        (square / self.size + 1) * self.width() + square % self.size + 1
    }

    /// Returns the first of the 4x4 cells that the outputs of a tile see.
    pub(crate) const fn corner(self, tile: usize) -> usize {
        2 * (tile / self.tiles()) * self.width() + 2 * (tile % self.tiles())
    }

    /// Returns the cells of the four outputs of a tile; none for those beyond the board.
    pub(crate) fn outputs(self, tile: usize) -> [Option<usize>; 4] {
        let (rank, file) = (2 * (tile / self.tiles()), 2 * (tile % self.tiles()));
        let first = (rank + 1) * self.width() + file + 1;
        let has = [rank + 1 < self.size, file + 1 < self.size];
        [
            Some(first),
            has[1].then_some(first + 1),
            has[0].then_some(first + self.width()),
            (has[0] && has[1]).then_some(first + self.width() + 1),
        ]
    }

    /// Returns the number of squares.
    pub(crate) const fn squares(self) -> usize {
        self.size * self.size
    }
}

/// What happens to the sums of a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    /// They are the outputs.
    Keep,
    /// Those below 0 become 0.
    Rectify,
    /// What was in the outputs is added; those below 0 become 0.
    AddAndRectify,
}

/// Memory that convolutions use on their way. Tiles or squares are rows of groups of [`ROWS`]; what lies in those beyond the board is
/// not read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// `[groups, inputs / LANES, points, ROWS, LANES]`
    inputs: Aligned,
    /// `[groups, outputs / LANES, points, ROWS, LANES]`
    products: Aligned,
}

/// A vector of each row of a group.
type Rows = [Lanes; ROWS];

/// Returns memory for some vectors of all rows of a group.
fn rows_of(memory: &mut Aligned, count: usize) -> &mut [Rows] {
    let len = count * ROWS * LANES;
    if memory.len() < len {
        *memory = Aligned::zeros(len);
    }
    let (lanes, _) = memory[..len].as_chunks_mut::<LANES>();
    lanes.as_chunks_mut::<ROWS>().0
}

/// What a convolution computes with.
pub(crate) struct Job<'a> {
    pub(crate) grid: Grid,
    /// `[cells, inputs]`; its rim is 0.
    pub(crate) input: &'a [f32],
    /// `[cells, outputs]`; its rim stays as it is.
    pub(crate) output: &'a mut [f32],
    pub(crate) finish: Finish,
    pub(crate) scratch: &'a mut Scratch,
}

/// A convolution with its bias; outputs are filled up to a multiple of [`LANES`].
#[derive(Debug, Clone)]
pub(crate) struct Convolution {
    inputs: usize,
    kernel: Kernel,
    /// `[points, inputs, outputs / LANES, LANES]`
    weights: Aligned,
    /// `[outputs / LANES, LANES]`
    bias: Vec<Lanes>,
}

/// The squares that an output sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Its own.
    One,
    /// Its own and the eight around it.
    Three,
}

impl Kernel {
    pub(crate) const fn width(self) -> usize {
        match self {
            Self::One => 1,
            Self::Three => 3,
        }
    }

    const fn points(self) -> usize {
        match self {
            Self::One => 1,
            Self::Three => POINTS,
        }
    }

    /// Returns what stands at each point for the weights of one input and output.
    fn transformed(self, weights: &[f32]) -> Vec<f32> {
        if self == Self::One {
            return weights.to_vec();
        }
        // G g G', with the rows of G: (1, 0, 0), (1, 1, 1) / 2, (1, -1, 1) / 2, (0, 0, 1).
        let stretch = |[a, b, c]: [f64; 3]| [a, (a + b + c) / 2.0, (a - b + c) / 2.0, c];
        let at = |row: usize, column: usize| f64::from(weights[3 * row + column]);
        let columns: [[f64; 4]; 3] =
            std::array::from_fn(|column| stretch([at(0, column), at(1, column), at(2, column)]));
        let rows = (0..4).map(|row| stretch(columns.map(|column| column[row])));
        rows.flatten().map(|weight| weight as f32).collect()
    }
}

/// Returns a number of planes as they lie in memory.
pub(crate) const fn padded(planes: usize) -> usize {
    planes.next_multiple_of(LANES)
}

impl Convolution {
    /// Makes one of weights `[outputs, inputs, kernel, kernel]`.
    pub(crate) fn new(
        [outputs, inputs]: [usize; 2],
        kernel: Kernel,
        numbers: &[f32],
        biases: &[f32],
    ) -> Self {
        let (blocks, stride) = (padded(outputs) / LANES, padded(inputs));
        let mut weights = Aligned::zeros(kernel.points() * stride * blocks * LANES);
        let pairs = numbers.chunks_exact(kernel.width() * kernel.width());
        for (index, pair) in pairs.enumerate() {
            let (output, input) = (index / inputs, index % inputs);
            for (point, weight) in kernel.transformed(pair).into_iter().enumerate() {
                weights[(point * stride + input) * blocks * LANES + output] = weight;
            }
        }
        let mut bias = vec![[0.0; LANES]; blocks];
        for (output, &number) in biases.iter().enumerate() {
            bias[output / LANES][output % LANES] = number;
        }
        Self {
            inputs: stride,
            kernel,
            weights,
            bias,
        }
    }

    /// Computes the outputs of all squares, with the widest vectors that the processor has.
    pub(crate) fn apply(&self, job: &mut Job<'_>) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            if is_x86_feature_detected!("avx512f") {
                #[expect(unsafe_code, reason = "the processor was asked")]
                // SAFETY: the processor has AVX-512, AVX2 and FMA.
                return unsafe { self.apply_avx512(job) };
            }
            #[expect(unsafe_code, reason = "the processor was asked")]
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { self.apply_avx2(job) };
        }
        self.compute::<Lanes, 1>(job);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn apply_avx512(&self, job: &mut Job<'_>) {
        self.compute::<crate::vector::x86::Avx512, 4>(job);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn apply_avx2(&self, job: &mut Job<'_>) {
        self.compute::<crate::vector::x86::Avx2, 1>(job);
    }

    /// Computes the outputs, those of up to `BLOCKS` times [`LANES`] planes at once.
    #[inline(always)]
    fn compute<V: Vector, const BLOCKS: usize>(&self, job: &mut Job<'_>) {
        let grid = job.grid;
        let count = match self.kernel {
            Kernel::One => grid.squares(),
            Kernel::Three => grid.tiles() * grid.tiles(),
        };
        let points = self.kernel.points();
        let groups = count.div_ceil(ROWS);
        let input_len = points * self.inputs / LANES;
        let product_len = points * self.bias.len();
        let inputs = rows_of(&mut job.scratch.inputs, groups * input_len);
        let products = rows_of(&mut job.scratch.products, groups * product_len);
        let (input, _) = job.input.as_chunks::<LANES>();
        let (output, _) = job.output.as_chunks_mut::<LANES>();
        for (group, inputs) in inputs.chunks_exact_mut(input_len).enumerate() {
            for row in 0..ROWS.min(count - group * ROWS) {
                let place = group * ROWS + row;
                match self.kernel {
                    Kernel::One => self.gather(grid.cell(place), input, (row, inputs)),
                    Kernel::Three => self.transform::<V>(grid, place, input, (row, inputs)),
                }
            }
        }
        self.multiply::<V, BLOCKS>(inputs, products);
        for (group, products) in products.chunks_exact(product_len).enumerate() {
            for row in 0..ROWS.min(count - group * ROWS) {
                let place = group * ROWS + row;
                let cells = match self.kernel {
                    Kernel::One => [Some(grid.cell(place)), None, None, None],
                    Kernel::Three => grid.outputs(place),
                };
                self.put::<V>(cells, (row, products), output, job.finish);
            }
        }
    }

    /// Puts the inputs of a square into their place.
    #[inline(always)]
    fn gather(&self, cell: usize, input: &[Lanes], (row, out): (usize, &mut [Rows])) {
        let blocks = self.inputs / LANES;
        for (from, to) in input[cell * blocks..][..blocks].iter().zip(out) {
            to[row] = *from;
        }
    }

    /// Puts the inputs of a tile, transformed, into their place.
    #[inline(always)]
    fn transform<V: Vector>(
        &self,
        grid: Grid,
        tile: usize,
        input: &[Lanes],
        (row, out): (usize, &mut [Rows]),
    ) {
        let blocks = self.inputs / LANES;
        let mut ranks = [input; 4];
        for (rank, cells) in ranks.iter_mut().enumerate() {
            let first = grid.corner(tile) + rank * grid.width();
            *cells = &input[first * blocks..][..4 * blocks];
        }
        let (out, _) = out.as_chunks_mut::<POINTS>();
        for (block, out) in out.iter_mut().enumerate() {
            let mut points = [V::splat(0.0); POINTS];
            for (point, lanes) in points.iter_mut().enumerate() {
                *lanes = V::load(&ranks[point / 4][point % 4 * blocks + block]);
            }
            transform_inputs(&mut points);
            for (lanes, out) in points.iter().zip(out) {
                lanes.store(&mut out[row]);
            }
        }
    }

    /// Multiplies the inputs of every point by its weights.
    #[inline(always)]
    fn multiply<V: Vector, const BLOCKS: usize>(&self, inputs: &[Rows], products: &mut [Rows]) {
        let (points, blocks) = (self.kernel.points(), self.bias.len());
        let (weights, _) = self.weights.as_chunks::<LANES>();
        let weights = weights.chunks_exact(self.inputs * blocks);
        for (point, weights) in weights.enumerate() {
            let inputs = inputs.chunks_exact(points * self.inputs / LANES);
            let products = products.chunks_exact_mut(points * blocks);
            for (inputs, products) in inputs.zip(products) {
                let mut block = 0;
                while block < blocks {
                    let at_once = BLOCKS.min(blocks - block);
                    let job = (point, points, block, blocks);
                    match at_once {
                        4 => put_products::<V, 4>(inputs, job, weights, products),
                        3 => put_products::<V, 3>(inputs, job, weights, products),
                        2 => put_products::<V, 2>(inputs, job, weights, products),
                        _ => put_products::<V, 1>(inputs, job, weights, products),
                    }
                    block += at_once;
                }
            }
        }
    }

    /// Puts the outputs of a row into their cells.
    #[inline(always)]
    fn put<V: Vector>(
        &self,
        cells: [Option<usize>; 4],
        (row, products): (usize, &[Rows]),
        output: &mut [Lanes],
        finish: Finish,
    ) {
        let blocks = self.bias.len();
        let (tiles, _) = products.as_chunks::<POINTS>();
        for (block, bias) in self.bias.iter().enumerate() {
            let bias = V::load(bias);
            let sums = match self.kernel {
                Kernel::One => [V::load(&products[block][row]); 4],
                Kernel::Three => {
                    let mut points = [bias; POINTS];
                    for (lanes, product) in points.iter_mut().zip(&tiles[block]) {
                        *lanes = V::load(&product[row]);
                    }
                    outputs_of(&points)
                }
            };
            for (sum, cell) in sums.into_iter().zip(cells) {
                if let Some(cell) = cell {
                    finish.put(sum.add(bias), &mut output[cell * blocks + block]);
                }
            }
        }
    }
}

/// Puts, at one of some points, the sums over the inputs of their products with the weights of `BLOCKS` times [`LANES`] outputs,
/// of a block on; there are `blocks` of them.
#[inline(always)]
fn put_products<V: Vector, const BLOCKS: usize>(
    inputs: &[Rows],
    (point, points, first, blocks): (usize, usize, usize, usize),
    weights: &[Lanes],
    products: &mut [Rows],
) {
    let mut sums = [[V::splat(0.0); BLOCKS]; ROWS];
    for (block, weights) in weights.chunks_exact(LANES * blocks).enumerate() {
        let rows = &inputs[block * points + point];
        for (lane, weights) in (0..LANES).zip(weights.chunks_exact(blocks)) {
            let weights = &weights[first..first + BLOCKS];
            let mut factors = [V::splat(0.0); BLOCKS];
            for (factor, weights) in factors.iter_mut().zip(weights) {
                *factor = V::load(weights);
            }
            for (sums, row) in sums.iter_mut().zip(rows) {
                let input = V::splat(row[lane]);
                for (sum, factor) in sums.iter_mut().zip(factors) {
                    *sum = input.mul_add(factor, *sum);
                }
            }
        }
    }
    for (row, sums) in sums.into_iter().enumerate() {
        for (block, sum) in sums.into_iter().enumerate() {
            sum.store(&mut products[(first + block) * points + point][row]);
        }
    }
}

/// Makes of a tile d what B' d B is: the rows of B' are (1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1).
#[inline(always)]
pub(crate) fn transform_inputs<T: Terms>(d: &mut [T; POINTS]) {
    for column in 0..4 {
        transform_four(d, column, 4);
    }
    for row in 0..4 {
        transform_four(d, 4 * row, 1);
    }
}

/// Makes of four inputs what B' makes of them; they lie `step` apart.
#[inline(always)]
fn transform_four<T: Terms>(d: &mut [T; POINTS], first: usize, step: usize) {
    let [a, b] = [d[first], d[first + step]];
    let [c, e] = [d[first + 2 * step], d[first + 3 * step]];
    d[first] = a.sub(c);
    d[first + step] = b.add(c);
    d[first + 2 * step] = c.sub(b);
    d[first + 3 * step] = b.sub(e);
}

/// Returns A' m A of a tile: the rows of A' are (1, 1, 1, 0), (0, 1, -1, -1).
#[inline(always)]
pub(crate) fn outputs_of<T: Terms>(m: &[T; POINTS]) -> [T; 4] {
    let mut rows = [m[0]; 8];
    for column in 0..4 {
        let [a, b, c, d] = [m[column], m[column + 4], m[column + 8], m[column + 12]];
        rows[column] = a.add(b).add(c);
        rows[column + 4] = b.sub(c).sub(d);
    }
    let [a, b, c, d, e, f, g, h] = rows;
    [
        a.add(b).add(c),
        b.sub(c).sub(d),
        e.add(f).add(g),
        f.sub(g).sub(h),
    ]
}

impl Finish {
    #[inline(always)]
    fn put<V: Vector>(self, sums: V, out: &mut Lanes) {
        let sums = match self {
            Self::Keep => sums,
            Self::Rectify => sums.rectified(),
            Self::AddAndRectify => V::load(out).add(sums).rectified(),
        };
        sums.store(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of no pattern.
    fn numbers(len: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 / 65_536.0 - 0.5
        };
        std::iter::repeat_with(next).take(len).collect()
    }

    /// Computes one output by the definition; `squares` are the inputs `[squares, inputs]`.
    fn defined(
        squares: &[f32],
        weights: &[f32],
        size: usize,
        (square, kernel): (usize, usize),
    ) -> f32 {
        let inputs = squares.len() / size / size;
        let mut sum = 0.0;
        for tap in 0..kernel * kernel {
            let rank = (square / size + tap / kernel).checked_sub(kernel / 2);
            let file = (square % size + tap % kernel).checked_sub(kernel / 2);
            let (Some(rank), Some(file)) = (rank, file) else {
                continue;
            };
            if rank >= size || file >= size {
                continue;
            }
            for input in 0..inputs {
                let x = squares[(rank * size + file) * inputs + input];
                sum += weights[input * kernel * kernel + tap] * x;
            }
        }
        sum
    }

    /// Computes with every kind of vector that the processor has, of what was in the outputs before.
    fn ways(conv: &Convolution, grid: Grid, input: &[f32], before: &[f32]) -> Vec<Vec<f32>> {
        let compute = |way: &dyn Fn(&mut Job<'_>)| {
            let mut output = before.to_vec();
            way(&mut Job {
                grid,
                input,
                output: &mut output,
                finish: Finish::AddAndRectify,
                scratch: &mut Scratch::default(),
            });
            output
        };
        let mut ways = vec![
            compute(&|job| conv.apply(job)),
            compute(&|job| conv.compute::<Lanes, 1>(job)),
            compute(&|job| conv.compute::<Lanes, 4>(job)),
        ];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "the processor was asked")]
            // SAFETY: the processor has AVX2 and FMA.
            ways.push(compute(&|job| unsafe { conv.apply_avx2(job) }));
        }
        ways
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        let [one, three] = [Kernel::One, Kernel::Three];
        for (size, inputs, outputs, kernel) in [
            (7, 5, 11, three),
            (9, 8, 16, three),
            (11, 7, 3, three),
            (7, 20, 40, three),
            (9, 6, 3, one),
            (7, 20, 90, one),
        ] {
            let (grid, width) = (Grid::new(size), kernel.width());
            let weights = numbers(outputs * inputs * width * width, 1);
            let bias = numbers(outputs, 2);
            let conv = Convolution::new([outputs, inputs], kernel, &weights, &bias);
            let squares = numbers(size * size * inputs, 3);
            let mut input = vec![0.0; grid.cells() * padded(inputs)];
            for square in 0..size * size {
                let from = grid.cell(square) * padded(inputs);
                input[from..from + inputs].copy_from_slice(&squares[square * inputs..][..inputs]);
            }
            let before = numbers(grid.cells() * padded(outputs), 4);
            for output in ways(&conv, grid, &input, &before) {
                for (square, plane) in
                    (0..size * size * outputs).map(|it| (it / outputs, it % outputs))
                {
                    let weights = &weights[plane * inputs * width * width..];
                    let sum = defined(&squares, weights, size, (square, width));
                    let place = grid.cell(square) * padded(outputs) + plane;
                    let expected = (before[place] + bias[plane] + sum).max(0.0);
                    let found = output[place];
                    assert!((found - expected).abs() < 1e-5, "{found} {expected}");
                }
                let rim =
                    |cell: &usize| (0..grid.squares()).all(|square| grid.cell(square) != *cell);
                for place in (0..grid.cells())
                    .filter(rim)
                    .map(|cell| cell * padded(outputs))
                {
                    assert_eq!(output[place..place + 3], before[place..place + 3]);
                }
            }
        }
    }
}
