#![doc = include_str!("../README.md")]

mod config;
mod early_stop;
mod evaluator;
mod forced;
mod gumbel;
mod halving;
mod noise;
mod puct;
mod search;
mod select;
mod softmax;
mod solver;
mod stats;
mod tree;
mod value;

pub use config::{Algorithm, ConfigError, QRange, SearchConfig};
pub use evaluator::{Evaluation, Evaluator, Leaf, UniformEvaluator};
pub use search::{Mode, Search, Step, run};
pub use solver::Proof;
pub use stats::{RootMove, RootStats};
pub use value::{AttackerValue, MoverWdl};
