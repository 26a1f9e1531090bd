//! A network as it plays: convolutions with what follows each, batch norms folded in, those of the heads as one.

use crate::architecture::HEADS;
use crate::{Network, NetworkError};
use tafl_graph::{Graph, Plan, Unit};
use tafl_rules::{BoardShape, Direction, Move, PolicyIndex};

/// The convolutions of a network in play. Values are numbered: 0 is the input, 1 what the first of the tower gives.
pub(crate) struct Play {
    /// In order of computation.
    pub(crate) tower: Vec<Conv>,
    /// Those of the heads that read the same value are one: to read it takes longer than to compute with it. Their planes
    /// lie one behind the other on each square, see [`Heads`].
    pub(crate) heads: Vec<Conv>,
}

/// A convolution with its weights, and what follows it.
pub(crate) struct Conv {
    /// `from` and `added` are values of [`Play`].
    pub(crate) unit: Unit,
    /// `[outputs, inputs, kernel, kernel]`.
    pub(crate) weight: Vec<f32>,
    /// `[outputs]`.
    pub(crate) bias: Vec<f32>,
}

/// Where the heads' planes lie in their memory, `[squares, planes]`.
#[derive(Debug, Clone)]
pub(crate) struct Heads {
    pub(crate) shape: BoardShape,
    /// Planes of all heads.
    pub(crate) planes: usize,
    leaving: usize,
    arriving: usize,
    /// The first of the value head's planes, before their rectifier.
    pub(crate) pooled: usize,
}

impl Play {
    /// Makes it of a network.
    pub(crate) fn new(network: &Network) -> Result<(Self, Heads, Plan), NetworkError> {
        let (graph, weights) = network.folded();
        let plan = plan(&graph)?;
        let last = [plan.leaving, plan.arriving, plan.pooled];
        // The tower's values keep their order, without those of the heads.
        let value = |value: usize| value - last.iter().filter(|&&head| head < value).count();
        let conv = |index: usize| {
            let unit = &plan.units[index];
            let numbers = |part: &str| weights[&format!("{}.{part}", unit.name)].clone();
            Conv {
                unit: Unit {
                    from: value(unit.from),
                    added: unit.added.map(value),
                    ..unit.clone()
                },
                weight: numbers("weight"),
                bias: numbers("bias"),
            }
        };
        let others = (0..plan.units.len()).filter(|index| !last.contains(index));
        let tower = others.map(conv).collect();
        let (heads, [leaving, arriving, pooled]) = joined(last.map(conv));
        let shape = network.architecture().shape();
        let places = Heads {
            shape: shape.expect("networks are made for boards"),
            planes: heads.iter().map(|it| it.unit.planes[1]).sum(),
            leaving,
            arriving,
            pooled,
        };
        Ok((Self { tower, heads }, places, plan))
    }

    /// Returns whether only the first convolution reads the planes, all values behind it are at least 0, and all heads read the same,
    /// square by square.
    pub(crate) fn fits_8_bits(&self) -> bool {
        let is_stem = self.tower[0].unit.kernel == 3 && !self.is_read_after(0, 0);
        let [heads] = &self.heads[..] else {
            return false;
        };
        is_stem && heads.unit.kernel == 1 && self.tower.iter().all(|it| it.unit.relu)
    }

    /// Returns whether a value is read by a convolution behind the one of number `index`.
    pub(crate) fn is_read_after(&self, value: usize, index: usize) -> bool {
        let later = self.tower.iter().chain(&self.heads).skip(index + 1);
        let mut later = later.map(|it| &it.unit);
        later.any(|it| it.from == value || it.added == Some(value))
    }
}

/// Joins the heads that read the same value; returns also the first plane of each.
fn joined(heads: [Conv; HEADS]) -> (Vec<Conv>, [usize; HEADS]) {
    let ways = |it: &Conv| (it.unit.from, it.unit.kernel);
    let mut joined: Vec<Conv> = Vec::new();
    let places = heads.map(|mut head| {
        head.unit.relu = false;
        let Some(group) = joined.iter().position(|it| ways(it) == ways(&head)) else {
            joined.push(head);
            return (joined.len() - 1, 0);
        };
        let first = &mut joined[group];
        let place = (group, first.unit.planes[1]);
        first.unit.planes[1] += head.unit.planes[1];
        first.weight.extend(head.weight);
        first.bias.extend(head.bias);
        place
    });
    let planes = |groups: &[Conv]| groups.iter().map(|it| it.unit.planes[1]).sum::<usize>();
    let places = places.map(|(group, plane)| planes(&joined[..group]) + plane);
    (joined, places)
}

/// Returns how a folded graph is computed.
fn plan(graph: &Graph) -> Result<Plan, NetworkError> {
    let plan = Plan::new(graph).map_err(|error| NetworkError::Torch(error.to_string()))?;
    let is_last =
        |&unit: &usize| plan.units[unit].added.is_none() && !plan.is_read_after(unit + 1, unit);
    let moves = [plan.leaving, plan.arriving];
    let has_relu = moves.iter().any(|&unit| plan.units[unit].relu);
    let fits = !has_relu && moves.iter().all(is_last) && is_last(&plan.pooled);
    if fits {
        return Ok(plan);
    }
    let reason = "a head is no mere convolution";
    Err(NetworkError::Torch(reason.to_owned()))
}

impl Heads {
    /// Returns the numbers of one position.
    pub(crate) const fn row(&self) -> usize {
        self.shape.squares() * self.planes
    }

    /// Returns, for each policy output but `end`, the two places whose numbers add up to its logit: on the square that the
    /// move leaves, in the plane of its direction and distance, and on its destination, in the plane of its direction. Those
    /// of moves that would leave the board mean nothing.
    pub(crate) fn policy_places(&self) -> Vec<[usize; 2]> {
        let moves = Direction::ALL.len() * (usize::from(self.shape.size()) - 1);
        let places = |output: u16| {
            let (from, plane) = (usize::from(output) / moves, usize::from(output) % moves);
            let leaving = from * self.planes + self.leaving + plane;
            let mv = Move::from_policy_index(PolicyIndex(output), self.shape);
            let arriving = mv.map(|mv| {
                let to = self.shape.index(mv.to());
                to * self.planes + self.arriving + mv.direction() as usize
            });
            [leaving, arriving.unwrap_or(leaving)]
        };
        (0..self.shape.policy_len() as u16 - 1)
            .map(places)
            .collect()
    }

    /// Returns the value head's planes of each square, `[squares][planes]`.
    pub(crate) fn value_planes<'a, T>(&self, row: &'a [T]) -> impl Iterator<Item = &'a [T]> {
        let (planes, pooled) = (self.planes, self.pooled);
        row.chunks_exact(planes)
            .map(move |square| &square[pooled..])
    }
}
