//! `AdamW` over tensors (Adam with decoupled weight decay, Loshchilov and Hutter 2019), with a state that can be stored.
//!
//! libtorch's own optimizers reach Rust without their state, so a run resumed with them goes another way.

use crate::architecture::{Parameter, Role};
use crate::model::Tensors;
use tch::{Kind, TchError, Tensor};

/// Share of the old running mean of gradients kept in each step (beta 1; Kingma and Ba 2015).
const MOMENTUM: f64 = 0.9;

/// The same of the squared gradients (beta 2; Kingma and Ba 2015).
const SECOND_MOMENTUM: f64 = 0.999;

/// Keeps the divisor above 0 (Kingma and Ba 2015).
const EPSILON: f64 = 1e-8;

/// Running means of the gradients (first) and of their squares (second), by parameter.
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
        weight_decay: f64,
        (learning_rate, step): (f64, u64),
    ) -> Result<(), TchError> {
        let exponent = i32::try_from(step).unwrap_or(i32::MAX);
        let corrected = |momentum: f64| 1.0 - momentum.powi(exponent);
        for (parameter, gradient) in learned.iter().zip(gradients) {
            let name = &parameter.name;
            let weight = weights.get_mut(name).expect("weights hold every parameter");
            let first = self
                .first
                .get_mut(name)
                .expect("moments hold every parameter");
            if parameter.role == Role::Weight && weight_decay > 0.0 {
                let _ = weight.f_mul_scalar_(1.0 - learning_rate * weight_decay)?;
            }
            let second = self
                .second
                .get_mut(name)
                .expect("moments hold every parameter");
            let _ = first.f_lerp_(gradient, 1.0 - MOMENTUM)?;
            let _ = second.f_lerp_(&gradient.f_square()?, 1.0 - SECOND_MOMENTUM)?;
            let scale = 1.0 / corrected(SECOND_MOMENTUM).sqrt();
            let root = second.f_sqrt()?.f_mul_scalar_(scale)?;
            let divisor = root.f_add_scalar(EPSILON)?;
            let size = -learning_rate / corrected(MOMENTUM);
            let _ = weight.f_addcdiv_(&first.f_mul_scalar(size)?, &divisor)?;
        }
        Ok(())
    }
}

/// Returns the length of the gradient as one vector, and shortens it to `longest` if that is above 0.
pub(crate) fn clip(gradients: &mut [Tensor], longest: f64) -> Result<f64, TchError> {
    let squares = gradients.iter();
    let squares = squares.map(|gradient| gradient.f_square()?.f_sum(Kind::Double));
    let squares = squares.collect::<Result<Vec<_>, _>>()?;
    // One copy, for which a GPU stops once.
    let squares = Tensor::f_stack(&squares, 0)?.f_to(tch::Device::Cpu)?;
    let norm = Vec::<f64>::try_from(squares)?.iter().sum::<f64>().sqrt();
    if longest > 0.0 && norm > longest {
        for gradient in gradients {
            let _ = gradient.f_mul_scalar_(longest / norm)?;
        }
    }
    Ok(norm)
}
