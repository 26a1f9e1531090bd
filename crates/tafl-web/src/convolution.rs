//! Convolutions over a board, in loops of fixed length that compilers turn into vector instructions.
//!
//! 3x3 convolutions are Winograd's of 2x2 outputs (Lavin and Gray 2016, 4.1), which need 16 multiplications in place of 36.

/// Outputs that are computed at once: two vectors of WebAssembly.
const LANES: usize = 8;

/// Tiles or squares that are computed at once; with [`LANES`] their sums fill twelve of sixteen vector registers.
const ROWS: usize = 6;

/// Points of a tile: its inputs, 4x4, and as many products.
const POINTS: usize = 16;

/// Outputs, by [`LANES`].
type Lanes = [f32; LANES];

/// A board in tiles of 2x2 squares, with a rim of one cell, so that nobody asks what lies beyond it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    size: usize,
}

impl Grid {
    pub(crate) const fn new(size: usize) -> Self {
        Self { size }
    }

    /// Returns the tiles along a side; the last ones reach beyond a board of odd size.
    const fn tiles(self) -> usize {
        self.size.div_ceil(2)
    }

    const fn width(self) -> usize {
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

/// Memory that convolutions use on their way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// `[points, tiles / ROWS, inputs, ROWS]`
    inputs: Vec<[f32; ROWS]>,
    /// `[points, tiles, outputs / LANES, LANES]`
    products: Vec<Lanes>,
}

/// A convolution with its bias; outputs are filled up to a multiple of [`LANES`].
#[derive(Debug, Clone)]
pub(crate) struct Convolution {
    inputs: usize,
    kernel: Kernel,
    /// `[points, outputs / LANES, inputs, LANES]`
    weights: Vec<Lanes>,
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
        let mut weights = vec![[0.0; LANES]; kernel.points() * blocks * stride];
        let pairs = numbers.chunks_exact(kernel.width() * kernel.width());
        for (index, pair) in pairs.enumerate() {
            let (output, input) = (index / inputs, index % inputs);
            for (point, weight) in kernel.transformed(pair).into_iter().enumerate() {
                let place = (point * blocks + output / LANES) * stride + input;
                weights[place][output % LANES] = weight;
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

    /// Returns the planes of its outputs in memory.
    pub(crate) const fn outputs(&self) -> usize {
        self.bias.len() * LANES
    }

    /// Computes the squares of `output`, `[cells, outputs]`, from `input`, `[cells, inputs]`, whose rim is 0 and stays so.
    pub(crate) fn apply(
        &self,
        grid: Grid,
        input: &[f32],
        output: &mut [f32],
        finish: Finish,
        scratch: &mut Scratch,
    ) {
        let rows = match self.kernel {
            Kernel::One => grid.squares(),
            Kernel::Three => grid.tiles() * grid.tiles(),
        };
        let groups = rows.div_ceil(ROWS);
        let points = self.kernel.points();
        scratch.inputs.clear();
        let numbers = points * groups * self.inputs;
        scratch.inputs.resize(numbers, [0.0; ROWS]);
        let blocks = self.bias.len();
        let numbers = points * groups * ROWS * blocks;
        scratch.products.resize(numbers, [0.0; LANES]);
        match self.kernel {
            Kernel::One => self.gather(grid, input, &mut scratch.inputs),
            Kernel::Three => self.transform(grid, input, &mut scratch.inputs),
        }
        self.multiply(scratch);
        let (output, _) = output.as_chunks_mut::<LANES>();
        for row in 0..rows {
            for block in 0..blocks {
                let product =
                    |point: usize| scratch.products[(point * groups * ROWS + row) * blocks + block];
                match self.kernel {
                    Kernel::One => {
                        let sum = add(product(0), self.bias[block]);
                        finish.put(sum, &mut output[grid.cell(row) * blocks + block]);
                    }
                    Kernel::Three => {
                        let sums = outputs_of(std::array::from_fn(product));
                        self.put_tile(grid, (row, block), sums, output, finish);
                    }
                }
            }
        }
    }

    /// Puts the inputs of the squares into their place.
    fn gather(&self, grid: Grid, input: &[f32], out: &mut [[f32; ROWS]]) {
        for square in 0..grid.squares() {
            let from = &input[grid.cell(square) * self.inputs..][..self.inputs];
            let to = &mut out[square / ROWS * self.inputs..][..self.inputs];
            for (to, from) in to.iter_mut().zip(from) {
                to[square % ROWS] = *from;
            }
        }
    }

    /// Puts the inputs of the tiles, transformed, into their place.
    fn transform(&self, grid: Grid, input: &[f32], out: &mut [[f32; ROWS]]) {
        let (input, _) = input.as_chunks::<LANES>();
        let blocks = self.inputs / LANES;
        let tiles = grid.tiles();
        let point_len = (tiles * tiles).div_ceil(ROWS) * self.inputs;
        for tile in 0..tiles * tiles {
            let corner = 2 * (tile / tiles) * grid.width() + 2 * (tile % tiles);
            for block in 0..blocks {
                let cell = |point: usize| corner + point / 4 * grid.width() + point % 4;
                let points = inputs_of(std::array::from_fn(|point| {
                    input[cell(point) * blocks + block]
                }));
                for (point, lanes) in points.iter().enumerate() {
                    let from = point * point_len + tile / ROWS * self.inputs + block * LANES;
                    let Some(to) = out[from..].first_chunk_mut::<LANES>() else {
                        continue;
                    };
                    for (to, lane) in to.iter_mut().zip(lanes) {
                        to[tile % ROWS] = *lane;
                    }
                }
            }
        }
    }

    /// Multiplies the inputs of every point by its weights.
    fn multiply(&self, scratch: &mut Scratch) {
        let blocks = self.bias.len();
        let groups = scratch.inputs.len() / self.kernel.points() / self.inputs;
        for point in 0..self.kernel.points() {
            let weights = &self.weights[point * blocks * self.inputs..];
            for (block, weights) in weights.chunks_exact(self.inputs).take(blocks).enumerate() {
                for group in 0..groups {
                    let group = point * groups + group;
                    let inputs = &scratch.inputs[group * self.inputs..][..self.inputs];
                    for (row, sums) in product(inputs, weights).into_iter().enumerate() {
                        scratch.products[(group * ROWS + row) * blocks + block] = sums;
                    }
                }
            }
        }
    }

    fn put_tile(
        &self,
        grid: Grid,
        (tile, block): (usize, usize),
        sums: [Lanes; 4],
        output: &mut [Lanes],
        finish: Finish,
    ) {
        let (rank, file) = (2 * (tile / grid.tiles()), 2 * (tile % grid.tiles()));
        for (index, sum) in sums.into_iter().enumerate() {
            let (rank, file) = (rank + index / 2, file + index % 2);
            if rank < grid.size && file < grid.size {
                let place = grid.cell(rank * grid.size + file) * self.bias.len() + block;
                finish.put(add(sum, self.bias[block]), &mut output[place]);
            }
        }
    }
}

/// Returns the sum over the inputs of their products with the weights.
#[inline]
fn product(inputs: &[[f32; ROWS]], weights: &[Lanes]) -> [Lanes; ROWS] {
    let mut sums = [[0.0; LANES]; ROWS];
    for (inputs, weights) in inputs.iter().zip(weights) {
        for (sum, input) in sums.iter_mut().zip(inputs) {
            for (sum, weight) in sum.iter_mut().zip(weights) {
                *sum += input * weight;
            }
        }
    }
    sums
}

/// Returns B' d B of a tile: the rows of B' are (1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1).
#[inline]
fn inputs_of(d: [Lanes; POINTS]) -> [Lanes; POINTS] {
    let line = |[a, b, c, e]: [Lanes; 4]| [sub(a, c), add(b, c), sub(c, b), sub(b, e)];
    let columns: [[Lanes; 4]; 4] = std::array::from_fn(|column| {
        line([d[column], d[column + 4], d[column + 8], d[column + 12]])
    });
    let rows: [[Lanes; 4]; 4] = std::array::from_fn(|row| line(columns.map(|column| column[row])));
    std::array::from_fn(|point| rows[point / 4][point % 4])
}

/// Returns A' m A of a tile: the rows of A' are (1, 1, 1, 0), (0, 1, -1, -1).
#[inline]
fn outputs_of(m: [Lanes; POINTS]) -> [Lanes; 4] {
    let line = |[a, b, c, d]: [Lanes; 4]| [add(add(a, b), c), sub(sub(b, c), d)];
    let columns: [[Lanes; 2]; 4] = std::array::from_fn(|column| {
        line([m[column], m[column + 4], m[column + 8], m[column + 12]])
    });
    let rows: [[Lanes; 2]; 2] = std::array::from_fn(|row| line(columns.map(|column| column[row])));
    [rows[0][0], rows[0][1], rows[1][0], rows[1][1]]
}

#[inline]
fn add(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|lane| a[lane] + b[lane])
}

#[inline]
fn sub(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|lane| a[lane] - b[lane])
}

impl Finish {
    #[inline]
    fn put(self, sums: Lanes, out: &mut Lanes) {
        let rectified = |sum: f32| if sum > 0.0 { sum } else { 0.0 };
        *out = match self {
            Self::Keep => sums,
            Self::Rectify => sums.map(rectified),
            Self::AddAndRectify => add(*out, sums).map(rectified),
        };
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

    #[test]
    fn sums_are_those_of_the_definition() {
        let [one, three] = [Kernel::One, Kernel::Three];
        for (size, inputs, outputs, kernel) in [
            (7, 5, 11, three),
            (9, 8, 16, three),
            (11, 7, 3, three),
            (9, 6, 3, one),
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
            let before = numbers(grid.cells() * conv.outputs(), 4);
            let mut output = before.clone();
            let finish = Finish::AddAndRectify;
            conv.apply(grid, &input, &mut output, finish, &mut Scratch::default());
            for (square, plane) in (0..size * size * outputs).map(|it| (it / outputs, it % outputs))
            {
                let weights = &weights[plane * inputs * width * width..];
                let sum = defined(&squares, weights, size, (square, width));
                let place = grid.cell(square) * conv.outputs() + plane;
                let expected = (before[place] + bias[plane] + sum).max(0.0);
                let found = output[place];
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
            let rim = |cell: &usize| (0..grid.squares()).all(|square| grid.cell(square) != *cell);
            for place in (0..grid.cells())
                .filter(rim)
                .map(|cell| cell * conv.outputs())
            {
                assert_eq!(output[place..place + 3], before[place..place + 3]);
            }
        }
    }
}
