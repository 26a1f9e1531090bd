//! The last layers of the value head, in plain Rust.
//!
//! They are too small to be worth a library's calls, and computed position by position they give the same
//! numbers in a batch of any size, which a library's matrix products do not.

use crate::{MOVES_LEFT_SCALE, OperationKind, Plan, VALUE_LEN};

/// Pooling and linear layers: value planes in, [`VALUE_LEN`] numbers out.
#[derive(Debug, Clone)]
pub struct ValueHead {
    planes: usize,
    /// Whether a rectifier comes before the pooling.
    relu: bool,
    layers: Vec<Layer>,
    numbers: Vec<f32>,
    next: Vec<f32>,
}

#[derive(Debug, Clone)]
struct Layer {
    /// `[outputs, inputs]`.
    weight: Vec<f32>,
    bias: Vec<f32>,
    relu: bool,
}

/// What the value head says in the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WdlAndLength {
    /// Probabilities of win, draw and loss of the side to move.
    pub wdl: [f32; 3],
    /// Plies until the end.
    pub moves_left: f32,
}

impl ValueHead {
    /// Makes one of the numbers of a plan's tensors.
    pub fn new(plan: &Plan, tensor: impl Fn(&str) -> Vec<f32>) -> Self {
        let pooled = &plan.units[plan.pooled];
        let mut layers: Vec<Layer> = Vec::new();
        for operation in &plan.values {
            match (operation.kind, layers.last_mut()) {
                (OperationKind::Linear { .. }, _) => layers.push(Layer {
                    weight: tensor(&format!("{}.weight", operation.name)),
                    bias: tensor(&format!("{}.bias", operation.name)),
                    relu: false,
                }),
                (OperationKind::Relu, Some(layer)) => layer.relu = true,
                _ => {}
            }
        }
        Self {
            planes: pooled.planes[1],
            relu: pooled.relu,
            layers,
            numbers: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Returns the logits of win, draw and loss, moves left before its softplus, and the logit of `end`.
    ///
    /// `squares` are the value planes of each square, before the rectifier or after it.
    pub fn apply<'a, T: Copy + Into<f32> + 'a>(
        &mut self,
        squares: impl Iterator<Item = &'a [T]>,
    ) -> [f32; VALUE_LEN] {
        let (mut sums, mut maxima) = (vec![0.0; self.planes], vec![self.least(); self.planes]);
        let mut count = 0;
        for square in squares {
            for ((sum, maximum), &x) in sums.iter_mut().zip(&mut maxima).zip(square) {
                let x = if self.relu {
                    x.into().max(0.0)
                } else {
                    x.into()
                };
                *sum += x;
                *maximum = maximum.max(x);
            }
            count += 1;
        }
        self.finish(&sums, &maxima, count)
    }

    /// Returns what each number is made to be at least, before it is pooled: 0 if there is a rectifier.
    pub const fn least(&self) -> f32 {
        if self.relu { 0.0 } else { f32::NEG_INFINITY }
    }

    /// Returns the same of planes that are pooled: sums and maxima of each, of `count` squares, behind the rectifier. What lies behind
    /// those of the planes is not read.
    pub fn finish(&mut self, sums: &[f32], maxima: &[f32], count: usize) -> [f32; VALUE_LEN] {
        self.numbers.clear();
        let means = sums[..self.planes].iter().map(|sum| sum / count as f32);
        self.numbers.extend(means);
        self.numbers.extend(&maxima[..self.planes]);
        for layer in &self.layers {
            let rows = layer.weight.chunks_exact(self.numbers.len());
            let rows = rows.zip(&layer.bias);
            self.next.clear();
            self.next
                .extend(rows.map(|(row, bias)| dot(row, &self.numbers) + bias));
            if layer.relu {
                self.next.iter_mut().for_each(|it| *it = it.max(0.0));
            }
            std::mem::swap(&mut self.numbers, &mut self.next);
        }
        std::array::from_fn(|index| self.numbers[index])
    }
}

impl WdlAndLength {
    /// Returns what the numbers of [`ValueHead::apply`] say.
    pub fn of(outputs: &[f32; VALUE_LEN]) -> Self {
        let [win, draw, loss, moves_left, _] = *outputs;
        let highest = win.max(draw).max(loss);
        let exponentials = [win, draw, loss].map(|logit| (logit - highest).exp());
        let [win, draw, loss] = exponentials;
        let sum = win + draw + loss;
        // softplus, without overflow
        let softplus = moves_left.max(0.0) + (-moves_left.abs()).exp().ln_1p();
        Self {
            wdl: exponentials.map(|it| it / sum),
            moves_left: softplus * MOVES_LEFT_SCALE as f32,
        }
    }
}

#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
