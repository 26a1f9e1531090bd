#![doc = include_str!("../README.md")]

mod error;
mod refusal;
mod ruleset;
mod state;
mod text;
mod why;

mod book;
mod thinking;

mod lesson;
mod level;
mod reasons;

mod engine;

#[cfg(target_arch = "wasm32")]
mod exports;

#[cfg(not(target_arch = "wasm32"))]
mod page;

pub use book::{Book, BookMove};
pub use engine::{Engine, NetCard};
pub use error::EngineError;
pub use level::{LEVELS, Level};
#[cfg(not(target_arch = "wasm32"))]
pub use page::PlayPage;
pub use ruleset::Fields;
