//! The stages of a generation. Each reads and writes the run's folder, and does nothing where its result is complete.

mod held_out;
mod learn;
mod matches;
mod self_play;

pub(crate) use learn::{create_first_checkpoint, learn};
pub(crate) use matches::{Played, play_ladder, play_opponents, show_match};
pub(crate) use self_play::{Ended, rate, self_play, show_games};
