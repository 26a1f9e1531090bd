#![doc = include_str!("../README.md")]

mod graph;
mod plan;
mod values;

pub use graph::{
    Graph, INPUT, MOVES_LEFT_SCALE, OUTPUTS, Operation, OperationKind, Parameter, Role, VALUE_LEN,
    VALUES,
};
pub use plan::{Plan, PlanError, Unit};
pub use values::{ValueHead, WdlAndLength};
