#![doc = include_str!("../README.md")]

mod convolution;
mod evaluator;
mod network;
mod vector;

pub use evaluator::{NetEvaluator, evaluation, facts};
pub use network::{Net, NetError};
