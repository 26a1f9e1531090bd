//! A trained network, read from an export in safetensors.

use crate::convolution::{Convolution, Finish, Grid, Kernel, Scratch, padded};
use safetensors::{Dtype, SafeTensors};
use tafl_rules::{BoardShape, Direction, Move, Rules, Square};
use tafl_samples::{Facts, PLANES, encode};

/// Numbers that the value head puts out: win, draw, loss, moves left, end of a chain.
const VALUE_OUTPUTS: usize = 5;

/// Directions of moves, each of which has a plane of destinations.
const DIRECTIONS: usize = Direction::ALL.len();

/// A network with its weights, and memory for what it computes.
#[derive(Debug, Clone)]
pub struct Net {
    shape: BoardShape,
    grid: Grid,
    stem: Convolution,
    blocks: Vec<[Convolution; 2]>,
    policy: Convolution,
    destinations: Convolution,
    value: Convolution,
    hidden: Linear,
    output: Linear,
    planes: Vec<f32>,
    input: Vec<f32>,
    tower: Vec<f32>,
    between: Vec<f32>,
    moves: Vec<f32>,
    ends: Vec<f32>,
    values: Vec<f32>,
    scratch: Scratch,
}

/// A file that is no network of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// It is not in the format.
    #[error("not a safetensors file: {0}")]
    Format(String),
    /// A tensor is missing.
    #[error("tensor {0} is missing")]
    Missing(String),
    /// A tensor has another shape, or numbers of another type.
    #[error("tensor {0} does not have the expected shape in f32")]
    Shape(String),
}

/// A layer of weights `[outputs, inputs]` and biases.
#[derive(Debug, Clone)]
struct Linear {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    fn apply(&self, inputs: &[f32]) -> Vec<f32> {
        let rows = self.weights.chunks_exact(inputs.len()).zip(&self.bias);
        let dot = |row: &[f32]| -> f32 { row.iter().zip(inputs).map(|(a, b)| a * b).sum() };
        rows.map(|(row, bias)| dot(row) + bias).collect()
    }
}

/// Tensors by name.
struct Tensors<'a>(SafeTensors<'a>);

impl Tensors<'_> {
    fn shape(&self, name: &str) -> Result<Vec<usize>, NetError> {
        let tensor = self.0.tensor(name);
        let tensor = tensor.map_err(|_| NetError::Missing(name.to_owned()))?;
        Ok(tensor.shape().to_vec())
    }

    /// Returns the numbers of a tensor that must have a shape.
    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, NetError> {
        let tensor = self.0.tensor(name);
        let tensor = tensor.map_err(|_| NetError::Missing(name.to_owned()))?;
        if tensor.shape() != shape || tensor.dtype() != Dtype::F32 {
            return Err(NetError::Shape(name.to_owned()));
        }
        let (numbers, _) = tensor.data().as_chunks::<4>();
        Ok(numbers.iter().map(|it| f32::from_le_bytes(*it)).collect())
    }

    fn convolution(
        &self,
        name: &str,
        [outputs, inputs]: [usize; 2],
        kernel: Kernel,
    ) -> Result<Convolution, NetError> {
        let width = kernel.width();
        let weights = self.numbers(&format!("{name}.weight"), &[outputs, inputs, width, width])?;
        let bias = self.numbers(&format!("{name}.bias"), &[outputs])?;
        Ok(Convolution::new([outputs, inputs], kernel, &weights, &bias))
    }

    fn linear(&self, name: &str, [outputs, inputs]: [usize; 2]) -> Result<Linear, NetError> {
        Ok(Linear {
            weights: self.numbers(&format!("{name}.weight"), &[outputs, inputs])?,
            bias: self.numbers(&format!("{name}.bias"), &[outputs])?,
        })
    }
}

impl Net {
    /// Reads what `tafl export --format safetensors` writes, in f32.
    ///
    /// # Errors
    /// Names the tensor that is missing or has another shape.
    pub fn read(bytes: &[u8]) -> Result<Self, NetError> {
        let file = SafeTensors::deserialize(bytes);
        let tensors = Tensors(file.map_err(|error| NetError::Format(error.to_string()))?);
        let first = |name: &str| Ok(*tensors.shape(name)?.first().unwrap_or(&0));
        let channels = first("stem.weight")?;
        let moves = first("policy.weight")?;
        let value_channels = first("value.weight")?;
        let hidden = first("value.hidden.weight")?;
        let size = u8::try_from(moves / DIRECTIONS + 1)
            .ok()
            .and_then(BoardShape::new);
        let shape = size.ok_or_else(|| NetError::Shape("policy.weight".to_owned()))?;
        let mut blocks = Vec::new();
        let has = |name: &str| tensors.shape(name).is_ok();
        while has(&format!("blocks.{}.first.weight", blocks.len())) {
            let part = |part: &str| {
                let name = format!("blocks.{}.{part}", blocks.len());
                tensors.convolution(&name, [channels, channels], Kernel::Three)
            };
            blocks.push([part("first")?, part("second")?]);
        }
        let stem = tensors.convolution("stem", [channels, PLANES], Kernel::Three)?;
        let policy = tensors.convolution("policy", [moves, channels], Kernel::One)?;
        let destinations = [DIRECTIONS, channels];
        let destinations = tensors.convolution("destinations", destinations, Kernel::One)?;
        let value = tensors.convolution("value", [value_channels, channels], Kernel::One)?;
        let grid = Grid::new(shape.size().into());
        let memory = |planes: usize| vec![0.0; grid.cells() * planes];
        Ok(Self {
            planes: vec![0.0; grid.squares() * PLANES],
            input: memory(padded(PLANES)),
            tower: memory(stem.outputs()),
            between: memory(stem.outputs()),
            moves: memory(policy.outputs()),
            ends: memory(destinations.outputs()),
            values: memory(value.outputs()),
            scratch: Scratch::default(),
            hidden: tensors.linear("value.hidden", [hidden, 2 * value_channels])?,
            output: tensors.linear("value.output", [VALUE_OUTPUTS, hidden])?,
            shape,
            grid,
            stem,
            blocks,
            policy,
            destinations,
            value,
        })
    }

    /// Returns the board on which it plays.
    #[must_use]
    pub const fn shape(&self) -> BoardShape {
        self.shape
    }

    /// Computes a position; returns the value head's outputs: logits of win, draw and loss of the side to move, moves left
    /// before its softplus, and the logit of the end of a chain. [`Self::logit`] has the others.
    pub(crate) fn forward(&mut self, facts: &Facts, rules: &Rules) -> [f32; VALUE_OUTPUTS] {
        let grid = self.grid;
        encode(facts, rules, &mut self.planes);
        for (square, row) in self.planes.chunks_exact(PLANES).enumerate() {
            let from = grid.cell(square) * padded(PLANES);
            self.input[from..from + PLANES].copy_from_slice(row);
        }
        let (tower, between) = (&mut self.tower, &mut self.between);
        let scratch = &mut self.scratch;
        self.stem
            .apply(grid, &self.input, tower, Finish::Rectify, scratch);
        for [first, second] in &self.blocks {
            first.apply(grid, tower, between, Finish::Rectify, scratch);
            second.apply(grid, between, tower, Finish::AddAndRectify, scratch);
        }
        self.policy
            .apply(grid, tower, &mut self.moves, Finish::Keep, scratch);
        self.destinations
            .apply(grid, tower, &mut self.ends, Finish::Keep, scratch);
        self.value
            .apply(grid, tower, &mut self.values, Finish::Rectify, scratch);
        let mut hidden = self.hidden.apply(&self.pooled());
        hidden.iter_mut().for_each(|x| *x = x.max(0.0));
        let outputs = self.output.apply(&hidden);
        std::array::from_fn(|index| outputs[index])
    }

    /// Returns means, then maxima of the value head's planes.
    fn pooled(&self) -> Vec<f32> {
        let stride = self.value.outputs();
        let channels = self.hidden.weights.len() / self.hidden.bias.len() / 2;
        let mut pooled = vec![0.0; 2 * channels];
        let (means, maxima) = pooled.split_at_mut(channels);
        for square in 0..self.grid.squares() {
            let row = &self.values[self.grid.cell(square) * stride..][..channels];
            for ((mean, maximum), &x) in means.iter_mut().zip(&mut *maxima).zip(row) {
                *mean += x;
                *maximum = maximum.max(x);
            }
        }
        let squares = self.grid.squares() as f32;
        means.iter_mut().for_each(|mean| *mean /= squares);
        pooled
    }

    /// Returns the logit of a legal move in the last position: what the square that it leaves and its destination say.
    ///
    /// `None` for [`Move::END`].
    pub(crate) fn logit(&self, mv: Move) -> Option<f32> {
        if mv.is_end() {
            return None;
        }
        let cell = |square: Square| self.grid.cell(self.shape.index(square));
        let moves = DIRECTIONS * (usize::from(self.shape.size()) - 1);
        let plane = usize::from(mv.policy_index(self.shape).0) % moves;
        let leaving = self.moves[cell(mv.from()) * self.policy.outputs() + plane];
        let direction = mv.direction() as usize;
        let arriving = self.ends[cell(mv.to()) * self.destinations.outputs() + direction];
        Some(leaving + arriving)
    }
}
