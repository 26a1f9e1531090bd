#![doc = include_str!("../README.md")]

mod alphabeta;
mod cache;
mod config;
mod course;
mod evaluators;
mod lineup;
mod live;
mod opening;
mod parallel;
mod progress;
mod seed;
mod sparring;
mod verdict;
mod workers;

pub use alphabeta::{AlphaBeta, AlphaBetaChoice};
pub use config::{ConfigError, HandicapSide, SelfplayConfig};
pub use course::{Course, HandicapPlan};
pub use lineup::{Contender, Lineup, MakeSharedEvaluator};
pub use live::search_record;
pub use opening::{random_game, random_opening};
pub use parallel::{Generation, SelfplayError, Session, generate_games, stream_games};
pub use progress::{Stream, Throughput, Watch};
pub use seed::derive_seed;
pub use sparring::{SparringPlan, SparringScore};
pub use verdict::Verdicts;
pub use workers::{
    MakeError, MakeEvaluator, Stop, WorkerError, evaluate_batch, run_workers, worker_count,
};
