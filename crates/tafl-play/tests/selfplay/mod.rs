//! Self-play as its callers see it.

mod common;
mod failures;
mod generate;
mod players;
mod searches;
