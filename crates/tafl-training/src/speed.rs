//! How fast this machine plays, searches and learns, measured, and how rules and search behave: what `tafl bench` prints.

mod search;
mod selfplay;
mod signature;
mod train;

pub use search::{SearchSpeed, search_speed};
pub use selfplay::{Phases, SelfplaySpeed, selfplay_speed};
pub use signature::{rules_signature, search_signature};
pub use train::{TrainSpeed, train_speed};
