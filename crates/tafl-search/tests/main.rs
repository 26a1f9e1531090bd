//! The search: against exhaustive solutions, laws, golden trees.

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod exhaustive;
mod hash_evaluator;
mod support;

mod ahead;
mod allocation;
mod endings;
mod golden;
mod laws;
mod mates;
mod solves;
mod threats;
mod truth;
