//! The stages of a generation. Each reads and writes the run's folder, and does nothing where its result is complete.

pub(crate) mod alone;
pub(crate) mod even_out;
pub(crate) mod held_out;
pub(crate) mod learn;
pub(crate) mod match_settings;
pub(crate) mod matches;
pub(crate) mod meter;
pub(crate) mod one_sided;
pub(crate) mod played;
pub(crate) mod self_play;
