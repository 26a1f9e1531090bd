//! A network in the steps in which engines compute it in play.

use crate::graph::{Graph, OUTPUTS, Operation, OperationKind};
use std::collections::BTreeMap;

/// A network, batch norms folded, as engines compute it: convolutions with what follows each, then what becomes of their
/// planes, which is read where it is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The convolutions in order.
    pub units: Vec<Unit>,
    /// The unit whose planes hold, on the square that a move leaves, the number of its direction and distance.
    pub leaving: usize,
    /// The unit whose planes hold, on the square where a move ends, the number of its direction.
    pub arriving: usize,
    /// The unit whose planes are pooled.
    pub pooled: usize,
    /// Pooling, then linear layers and rectifiers one after the other, to [`VALUES`](crate::VALUES).
    pub values: Vec<Operation>,
}

/// A convolution and what follows it, computed in one go. Values are numbered: 0 is the input, 1 the first unit's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The convolution's name.
    pub name: String,
    /// Planes that it reads, and makes.
    pub planes: [usize; 2],
    /// Squares along a side of its kernel.
    pub kernel: usize,
    /// The value that it reads.
    pub from: usize,
    /// The value that is added.
    pub added: Option<usize>,
    /// Whether a rectifier follows.
    pub relu: bool,
}

/// An operation in a place where engines cannot compute it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("operation {0} is not where it could be computed")]
pub struct PlanError(pub String);

impl Plan {
    /// Returns the plan of a graph without batch norms.
    ///
    /// # Errors
    /// Names an operation that does not fit.
    pub fn new(graph: &Graph) -> Result<Self, PlanError> {
        let mut plan = Self {
            units: Vec::new(),
            leaving: usize::MAX,
            arriving: usize::MAX,
            pooled: usize::MAX,
            values: Vec::new(),
        };
        // The numbers of planes, by name; rows are not among them.
        let mut planes = BTreeMap::from([(crate::INPUT.to_owned(), 0)]);
        for operation in &graph.needed(&OUTPUTS).operations {
            let from: Vec<_> = operation.from.iter().map(|it| planes.get(it)).collect();
            match (operation.kind, &from[..]) {
                (OperationKind::Squares, [Some(unit)]) => plan.leaving = **unit - 1,
                (OperationKind::Destinations, [Some(unit)]) => plan.arriving = **unit - 1,
                (OperationKind::Pool, [Some(unit)]) => {
                    plan.pooled = **unit - 1;
                    plan.values.push(operation.clone());
                }
                (OperationKind::Linear { .. } | OperationKind::Relu, [None]) => {
                    let before = plan.values.last().map(|it| &it.name);
                    if before != Some(&operation.from[0]) {
                        return Err(PlanError(operation.name.clone()));
                    }
                    plan.values.push(operation.clone());
                }
                (_, [None, ..]) => {}
                (_, from) => {
                    let from: Option<Vec<usize>> = from.iter().map(|it| it.copied()).collect();
                    let number = from.and_then(|from| plan.take(operation, &from));
                    let number = number.ok_or_else(|| PlanError(operation.name.clone()))?;
                    planes.insert(operation.name.clone(), number);
                }
            }
        }
        let heads = [plan.leaving, plan.arriving, plan.pooled];
        if heads.into_iter().all(|it| it < plan.units.len()) {
            return Ok(plan);
        }
        Err(PlanError(OUTPUTS[0].to_owned()))
    }

    /// Takes an operation on planes into the units; returns the number of its value, or nothing if it does not fit.
    fn take(&mut self, operation: &Operation, from: &[usize]) -> Option<usize> {
        let last = self.units.len();
        match (operation.kind, from) {
            (
                OperationKind::Convolution {
                    inputs,
                    outputs,
                    kernel,
                    ..
                },
                &[from],
            ) => {
                self.units.push(Unit {
                    name: operation.name.clone(),
                    planes: [inputs, outputs],
                    kernel,
                    from,
                    added: None,
                    relu: false,
                });
                return Some(last + 1);
            }
            (OperationKind::Add, &[own, other]) if own == last && other < last => {
                let unit = self.units.last_mut()?;
                (unit.added.is_none() && !unit.relu).then(|| unit.added = Some(other))?;
            }
            (OperationKind::Relu, &[own]) if own == last => self.units.last_mut()?.relu = true,
            _ => return None,
        }
        Some(last)
    }

    /// Returns whether a value is read by a unit behind `unit`.
    pub fn is_read_after(&self, value: usize, unit: usize) -> bool {
        let later = self.units.iter().skip(unit + 1);
        let mut later = later.map(|it| (it.from, it.added));
        later.any(|(from, added)| from == value || added == Some(value))
    }
}
