//! How fast this machine plays and learns, measured: what `tafl bench` prints.

mod selfplay;
mod train;

pub use selfplay::{Phases, SelfplaySpeed, selfplay_speed};
pub use train::{SampleSource, TrainSpeed, train_speed};
