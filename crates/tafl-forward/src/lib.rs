#![doc = include_str!("../README.md")]

mod aligned;
#[cfg(target_arch = "x86_64")]
mod amx;
mod convolution;
mod evaluator;
mod heads;
mod integer;
mod network;
mod stem;
mod tower;
mod vector;

pub use evaluator::{NetEvaluator, evaluation, facts};
pub use heads::IntegerHeads;
pub use network::{Net, NetError};
pub use stem::{Stem, StemPlanes};
pub use tower::{MOST_ACTIVATION, MOST_WEIGHT, activation_scale, rounded};
