//! The stages of a generation. Each reads and writes the run's folder, and does nothing where its result is complete.

mod gate;
mod held_out;
mod learn;
mod matches;
mod self_play;

pub(crate) use gate::pass_gate;
pub(crate) use held_out::measure as measure_held_out;
pub(crate) use learn::{
    Plan, by_role, create_first_checkpoint, learn, load_origin, record as record_losses,
    record_window, reuse, save, train,
};
pub(crate) use matches::{Played, matches_of, play_ladder, play_opponents, rungs};
pub(crate) use self_play::{Ended, Tally, rate, record_values, self_play, show_games};
