//! What a match promises of its games.

mod batches;
mod common;
mod games;
mod plans;
mod results;
