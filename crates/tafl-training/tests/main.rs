//! Runs and workers, from a config to the last checkpoint.

#[path = "../../tafl-dataset/tests/damage/mod.rs"]
mod damage;
mod support;

mod fuzz;
mod matches;
mod run;
mod worker;
