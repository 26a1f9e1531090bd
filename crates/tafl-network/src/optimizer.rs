//! Muon for the 3x3 convolutions, `AdamW` for all other tensors, with a state that can be stored.
//!
//! Muon (Jordan et al. 2024) takes the mean of the gradients of a weight as a matrix and makes its singular values nearly
//! equal, so that rare directions are learned as fast as frequent ones; scaled as in Liu et al. 2025 ("Muon is Scalable for
//! LLM Training"), its steps are as large as Adam's. `AdamW` is Adam with decoupled weight decay (Loshchilov and Hutter
//! 2019). libtorch's own optimizers reach Rust without their state, so a run resumed with them goes another way.

use crate::model::Tensors;
use tafl_graph::{Parameter, Role};
use tch::{Kind, TchError, Tensor};

/// Share of the old running mean of gradients kept in each step (beta 1; Kingma and Ba 2015).
const MOMENTUM: f64 = 0.9;

/// The same of the squared gradients (beta 2; Kingma and Ba 2015).
const SECOND_MOMENTUM: f64 = 0.999;

/// Keeps the divisor above 0 (Kingma and Ba 2015).
const EPSILON: f64 = 1e-8;

/// Share of the old running mean of gradients kept in each step of Muon (Jordan et al. 2024).
const MATRIX_MOMENTUM: f64 = 0.95;

/// Weight decay of `AdamW`, times the learning rate; not of biases and batch norms. A usual value; AlphaZero: 1e-4 in the
/// loss.
const WEIGHT_DECAY: f64 = 0.01;

/// The longest gradient as one vector, a usual value.
const LONGEST: f64 = 1.0;

/// The learning rate of Muon, in that of `AdamW`; of 1, 2.5, 6, 12 and 25 the best (`notebooks/ablations.md`).
const MATRIX_RATE: f64 = 12.0;

/// The weight decay of Muon, in that of `AdamW`; of 1, 10 and 30 the last two are alike (`notebooks/ablations.md`).
const MATRIX_DECAY: f64 = 10.0;

/// Root mean square of the numbers of a step of Muon with a learning rate of 1, about that of Adam (Liu et al. 2025).
const MATRIX_STEP: f64 = 0.2;

/// The quintic `a x + b x^3 + c x^5` that takes singular values from 0 to 1 towards 1 when it is repeated (Jordan et al. 2024).
const QUINTIC: [f64; 3] = [3.4445, -4.775, 2.0315];

/// How often it is repeated (Jordan et al. 2024).
const QUINTIC_STEPS: usize = 5;

/// Running means of the gradients (first) and of their squares (second), by parameter; the latter stay 0 where Muon learns.
pub(crate) struct Moments {
    pub(crate) first: Tensors,
    pub(crate) second: Tensors,
}

impl Moments {
    pub(crate) fn zeros(weights: &Tensors, learned: &[Parameter]) -> Result<Self, TchError> {
        let zeros = || -> Result<Tensors, TchError> {
            let each = learned.iter().map(|parameter| {
                Ok((
                    parameter.name.clone(),
                    weights[&parameter.name].f_zeros_like()?,
                ))
            });
            each.collect()
        };
        Ok(Self {
            first: zeros()?,
            second: zeros()?,
        })
    }

    /// Changes the learned weights by one step, the first being number 1.
    pub(crate) fn step(
        &mut self,
        (weights, gradients): (&mut Tensors, &[Tensor]),
        learned: &[Parameter],
        (learning_rate, step): (f64, u64),
    ) -> Result<(), TchError> {
        for (parameter, gradient) in learned.iter().zip(gradients) {
            let name = &parameter.name;
            let known = "weights and moments hold every parameter";
            let weight = weights.get_mut(name).expect(known);
            let first = self.first.get_mut(name).expect(known);
            if is_matrix(parameter) {
                let decay = MATRIX_RATE * learning_rate * MATRIX_DECAY * WEIGHT_DECAY;
                let _ = weight.f_mul_scalar_((1.0 - decay).max(0.0))?;
                let change = muon(first, gradient)?;
                let _ = weight.f_add_(&change.f_mul_scalar(-MATRIX_RATE * learning_rate)?)?;
                continue;
            }
            if parameter.role == Role::Weight {
                let _ = weight.f_mul_scalar_(1.0 - learning_rate * WEIGHT_DECAY)?;
            }
            let second = self.second.get_mut(name).expect(known);
            adam((weight, first, second), gradient, (learning_rate, step))?;
        }
        Ok(())
    }
}

/// Returns whether Muon learns a tensor: the weights of 3x3 convolutions, all of which a batch norm follows.
fn is_matrix(parameter: &Parameter) -> bool {
    matches!(parameter.shape[..], [_, _, 3, 3])
}

/// Changes a tensor by one step of Adam, the first being number 1.
fn adam(
    (weight, first, second): (&mut Tensor, &mut Tensor, &mut Tensor),
    gradient: &Tensor,
    (learning_rate, step): (f64, u64),
) -> Result<(), TchError> {
    let exponent = i32::try_from(step).unwrap_or(i32::MAX);
    let corrected = |momentum: f64| 1.0 - momentum.powi(exponent);
    let _ = first.f_lerp_(gradient, 1.0 - MOMENTUM)?;
    let _ = second.f_lerp_(&gradient.f_square()?, 1.0 - SECOND_MOMENTUM)?;
    let scale = 1.0 / corrected(SECOND_MOMENTUM).sqrt();
    let root = second.f_sqrt()?.f_mul_scalar_(scale)?;
    let divisor = root.f_add_scalar(EPSILON)?;
    let size = -learning_rate / corrected(MOMENTUM);
    let _ = weight.f_addcdiv_(&first.f_mul_scalar(size)?, &divisor)?;
    Ok(())
}

/// Returns the direction of a step of Muon for a tensor `[outputs, inputs, 3, 3]`, and updates the mean of its gradients.
fn muon(first: &mut Tensor, gradient: &Tensor) -> Result<Tensor, TchError> {
    let _ = first.f_lerp_(gradient, 1.0 - MATRIX_MOMENTUM)?;
    // Nesterov's: what the mean will be, roughly, after the next gradient.
    let ahead = gradient.f_lerp(first, MATRIX_MOMENTUM)?;
    let shape = ahead.size();
    let matrix = ahead.f_reshape([shape[0], -1])?;
    let longer = matrix.size().into_iter().max().unwrap_or(1);
    let step = with_equal_singular_values(&matrix)?;
    step.f_reshape(&shape[..])?
        .f_mul_scalar(MATRIX_STEP * (longer as f64).sqrt())
}

/// Returns a matrix with the singular vectors of another one, and singular values of about 1.
fn with_equal_singular_values(matrix: &Tensor) -> Result<Tensor, TchError> {
    let is_tall = matrix.size()[0] > matrix.size()[1];
    let turned = |it: &Tensor| {
        if is_tall {
            it.f_tr()
        } else {
            Ok(it.shallow_clone())
        }
    };
    let mut x = turned(matrix)?;
    // No singular value is above the root of the sum of their squares.
    x = x.f_div(&x.f_norm()?.f_add_scalar(EPSILON)?)?;
    let [linear, cubic, quintic] = QUINTIC;
    for _ in 0..QUINTIC_STEPS {
        let square = x.f_matmul(&x.f_tr()?)?;
        let higher = square.f_matmul(&square)?.f_mul_scalar(quintic)?;
        let factor = square.f_mul_scalar(cubic)?.f_add(&higher)?;
        x = x.f_mul_scalar(linear)?.f_add(&factor.f_matmul(&x)?)?;
    }
    turned(&x)
}

/// Returns the length of the gradient as one vector, and shortens it to [`LONGEST`].
pub(crate) fn clip(gradients: &mut [Tensor]) -> Result<f64, TchError> {
    let squares = gradients.iter();
    let squares = squares.map(|gradient| gradient.f_square()?.f_sum(Kind::Double));
    let squares = squares.collect::<Result<Vec<_>, _>>()?;
    // One copy, for which a GPU stops once.
    let squares = Tensor::f_stack(&squares, 0)?.f_to(tch::Device::Cpu)?;
    let norm = Vec::<f64>::try_from(squares)?.iter().sum::<f64>().sqrt();
    if norm > LONGEST {
        for gradient in gradients {
            let _ = gradient.f_mul_scalar_(LONGEST / norm)?;
        }
    }
    Ok(norm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libtorch::use_one_core;

    #[test]
    fn steps_of_muon_have_singular_values_near_one_whatever_the_gradient() {
        use_one_core();
        for shape in [[8, 4, 3, 3], [64, 2, 3, 3]] {
            // Gradients of very different size by row, whose own singular values span some orders.
            let count = shape.iter().product::<i64>();
            let numbers: Vec<f32> = (0..count).map(|i| ((i * i) as f32).sin()).collect();
            let rows = Tensor::from_slice(&numbers).view([shape[0], -1]);
            let sizes = Tensor::from_slice(&[1e-3_f32, 1.0]).repeat([shape[0] / 2]);
            let gradient = (rows * sizes.view([-1, 1])).view(&shape[..]);
            let step = muon(&mut gradient.zeros_like(), &gradient).unwrap();
            let rows = step.view([shape[0], -1]);
            let longer = rows.size().into_iter().max().unwrap() as f64;
            let (_, values, _) = (rows / (MATRIX_STEP * longer.sqrt())).svd(true, false);
            let values = Vec::<f32>::try_from(values).unwrap();
            let largest = values.iter().copied().fold(0.0, f32::max);
            let smallest = values.iter().copied().fold(f32::MAX, f32::min);
            assert!(largest < 1.3 && smallest > 0.1, "{values:?}");
        }
    }

    #[test]
    fn a_gradient_of_zero_changes_nothing() {
        use_one_core();
        let gradient = Tensor::zeros([4, 4, 3, 3], (Kind::Float, tch::Device::Cpu));
        let step = muon(&mut gradient.zeros_like(), &gradient).unwrap();
        assert_eq!(Vec::<f32>::try_from(step.view([-1])).unwrap(), [0.0; 144]);
    }
}
