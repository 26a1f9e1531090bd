//! Networks: heads, training, checkpoints, what stands on disk.

mod common;
#[path = "../../tafl-dataset/tests/damage/mod.rs"]
mod damage;
#[path = "../../tafl-samples/tests/playouts/mod.rs"]
#[expect(
    dead_code,
    reason = "what goes through all rulesets is for tests of samples"
)]
mod playouts;

mod assess;
mod checkpoints;
mod fuzz;
mod heads;
mod machine;
mod training;
