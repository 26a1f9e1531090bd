#![doc = include_str!("../README.md")]

mod budget;
mod lines;
mod notation;
mod search_thread;

mod serve;
mod setup;

mod htp;
mod uci;

mod client;

pub use client::{EngineCommand, EngineError, PlyLimit, Protocol, RunningEngine, Told};
pub use htp::leave_new;
pub use notation::{MoveError, read_ply, write_ply};
pub use search_thread::{Limits, MakeSearcher, Searcher};
pub use serve::serve;
pub use setup::{EngineSetup, FindRules};
