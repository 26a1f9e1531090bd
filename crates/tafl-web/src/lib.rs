#![doc = include_str!("../README.md")]

mod error;
mod network;

mod convolution;

mod evaluator;

mod ruleset;
mod state;
mod text;

mod book;
mod thinking;

mod level;

mod engine;

#[cfg(target_arch = "wasm32")]
mod exports;

#[cfg(not(target_arch = "wasm32"))]
mod page;

pub use book::{BOOK_PLIES, Book, BookMove};
pub use engine::{Engine, NetCard};
pub use error::EngineError;
pub use evaluator::NetEvaluator;
pub use level::{LEVELS, Level};
pub use network::{Net, NetError};
#[cfg(not(target_arch = "wasm32"))]
pub use page::PlayPage;
pub use ruleset::Fields;
