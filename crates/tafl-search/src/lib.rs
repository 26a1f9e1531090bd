#![doc = include_str!("../README.md")]

mod alphabeta;
mod clock;
mod config;
mod evaluator;
mod gumbel;
mod halving;
mod judged;
mod lookahead;
mod noise;
mod puct;
mod report;
mod rollout;
mod search;
mod select;
mod softmax;
mod solver;
mod stats;
mod threats;
mod tree;
mod value;

pub use alphabeta::{AlphaBeta, AlphaBetaChoice};
pub use clock::{SearchTimes, start_search_clock, stop_search_clock};
pub use config::{PuctConfig, SearchConfig};
pub use evaluator::{
    Evaluation, Evaluator, Leaf, OverlappingEvaluator, UniformEvaluator, Weakness,
};
pub use judged::Judged;
pub use report::{PrincipalLine, SearchReport};
pub use rollout::RolloutEvaluator;
pub use search::{Search, Step, run};
pub use select::Mode;
pub use solver::Proof;
pub use stats::{RootMove, RootStats};
pub use tree::TreeSize;
pub use value::{AttackerValue, MoverWdl};
