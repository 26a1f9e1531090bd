//! `AdamW` and SGD over tensors, with a state that can be stored.
//!
//! libtorch's own optimizers reach Rust without their state, so a run resumed with them goes another way.

use crate::TrainerConfig;
use crate::architecture::{Parameter, Role};
use crate::model::Tensors;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tch::{Kind, TchError, Tensor};

/// The rule by which gradients change weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKind {
    /// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
    AdamW,
    /// Stochastic gradient descent with momentum.
    Sgd,
}

/// Running means of the gradients (first) and of their squares (second, Adam only), by parameter.
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
        config: &TrainerConfig,
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
            if parameter.role == Role::Weight && config.weight_decay > 0.0 {
                let _ = weight.f_mul_scalar_(1.0 - learning_rate * config.weight_decay)?;
            }
            match config.optimizer {
                OptimizerKind::Sgd => {
                    let _ = first.f_mul_scalar_(config.momentum)?.f_add_(gradient)?;
                    let _ = weight.f_sub_(&first.f_mul_scalar(learning_rate)?)?;
                }
                OptimizerKind::AdamW => {
                    let second = self
                        .second
                        .get_mut(name)
                        .expect("moments hold every parameter");
                    let _ = first.f_lerp_(gradient, 1.0 - config.momentum)?;
                    let _ = second.f_lerp_(&gradient.f_square()?, 1.0 - config.second_momentum)?;
                    let scale = 1.0 / corrected(config.second_momentum).sqrt();
                    let root = second.f_sqrt()?.f_mul_scalar_(scale)?;
                    let divisor = root.f_add_scalar(config.epsilon)?;
                    let size = -learning_rate / corrected(config.momentum);
                    let _ = weight.f_addcdiv_(&first.f_mul_scalar(size)?, &divisor)?;
                }
            }
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
