//! A trained network: operations and their numbers, given, or read from an export in safetensors, which says what to compute.

use crate::aligned::Aligned;
use crate::convolution::{Convolution, Finish, Grid, Job, Kernel, Scratch, padded};
use crate::heads::Sparse;
use crate::tower::{Tower, is_head};
use ndarray::{Array3, ArrayView3, ArrayView4};
use safetensors::{Dtype, SafeTensors};
use std::collections::BTreeMap;
use tafl_graph::{Graph, Parameter, Plan, Unit, VALUE_LEN, ValueHead};
use tafl_rules::{BoardShape, Direction, Move, PolicyIndex, Rules};
use tafl_samples::{Facts, PLANES, encode};

/// A network with its weights, and memory for what it computes.
#[derive(Debug, Clone)]
pub struct Net {
    shape: BoardShape,
    grid: Grid,
    plan: Plan,
    /// By unit; none for those in integers, or of which only what is asked for is computed.
    convolutions: Vec<Option<Convolution>>,
    /// By unit; those of which only what is asked for is computed.
    sparse: Vec<Option<Sparse>>,
    /// In integers, if it is.
    tower: Option<Tower>,
    value_head: ValueHead,
    planes: Array3<f32>,
    /// The memory of each value of the plan, by its number; 0 is the input.
    memory: Vec<Aligned>,
    /// Where each value lies in the memory.
    places: Vec<usize>,
    scratch: Scratch,
}

/// A file that is no network of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// It is not in the format.
    #[error("not a safetensors file: {0}")]
    Format(String),
    /// It does not say what to compute, or nothing that can be computed.
    #[error("its list of operations: {0}")]
    Graph(String),
    /// A tensor is missing.
    #[error("tensor {0} is missing")]
    Missing(String),
    /// A tensor has another shape, or numbers of another type.
    #[error("tensor {0} does not have the expected shape in f32")]
    Shape(String),
}

/// Returns the numbers of a tensor that must have a shape.
fn numbers(file: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Result<Vec<f32>, NetError> {
    let tensor = file.tensor(name);
    let tensor = tensor.map_err(|_| NetError::Missing(name.to_owned()))?;
    if tensor.shape() != shape || tensor.dtype() != Dtype::F32 {
        return Err(NetError::Shape(name.to_owned()));
    }
    let (numbers, _) = tensor.data().as_chunks::<4>();
    Ok(numbers.iter().map(|it| f32::from_le_bytes(*it)).collect())
}

/// Makes a convolution that reads numbers in which 1 is worth `scale`.
fn convolution(
    unit: &Unit,
    weights: &BTreeMap<String, Vec<f32>>,
    scale: f32,
) -> Result<Convolution, NetError> {
    let kernel = match unit.kernel {
        1 => Kernel::One,
        3 => Kernel::Three,
        _ => return Err(NetError::Shape(unit.name.clone())),
    };
    let numbers = |part: &str| &weights[&format!("{}.{part}", unit.name)];
    let [inputs, outputs] = unit.planes;
    let weight: Vec<f32> = numbers("weight").iter().map(|it| it * scale).collect();
    let bias = numbers("bias");
    Ok(Convolution::new([outputs, inputs], kernel, &weight, bias))
}

/// Returns the operations that a file's header lists.
fn graph(bytes: &[u8]) -> Result<Graph, NetError> {
    let header = SafeTensors::read_metadata(bytes);
    let (_, header) = header.map_err(|error| NetError::Format(error.to_string()))?;
    let graph = header.metadata().as_ref().and_then(|it| it.get("graph"));
    let graph = graph.ok_or_else(|| NetError::Graph("missing".to_owned()))?;
    serde_json::from_str(graph).map_err(|error| NetError::Graph(error.to_string()))
}

impl Net {
    /// Reads what `tafl export --format safetensors` writes, in f32.
    ///
    /// # Errors
    /// Names what is missing, or cannot be computed.
    pub fn read(bytes: &[u8]) -> Result<Self, NetError> {
        let graph = graph(bytes)?;
        let file = SafeTensors::deserialize(bytes);
        let file = file.map_err(|error| NetError::Format(error.to_string()))?;
        let mut weights = BTreeMap::new();
        for Parameter { name, shape, .. } in graph.parameters() {
            let numbers = numbers(&file, &name, &shape)?;
            weights.insert(name, numbers);
        }
        Self::new(&graph, &weights)
    }

    /// Makes a network of operations without batch norms and the numbers of their tensors.
    ///
    /// # Errors
    /// Names what is missing, or cannot be computed.
    pub fn new(graph: &Graph, weights: &BTreeMap<String, Vec<f32>>) -> Result<Self, NetError> {
        Self::make(graph, weights, None)
    }

    /// Makes the same with its tower in 8-bit integers; `ranges` are the largest outputs of the convolutions in front of the heads,
    /// in order, as [`Self::ranges`] tells them.
    ///
    /// # Errors
    /// Names what is missing, or cannot be computed.
    pub fn in_integers(
        graph: &Graph,
        weights: &BTreeMap<String, Vec<f32>>,
        ranges: &[f32],
    ) -> Result<Self, NetError> {
        Self::make(graph, weights, Some(ranges))
    }

    fn make(
        graph: &Graph,
        weights: &BTreeMap<String, Vec<f32>>,
        ranges: Option<&[f32]>,
    ) -> Result<Self, NetError> {
        let plan = Plan::new(graph).map_err(|error| NetError::Graph(error.to_string()))?;
        for Parameter { name, shape, .. } in graph.parameters() {
            let found = weights.get(&name);
            let found = found.ok_or_else(|| NetError::Missing(name.clone()))?;
            if found.len() != shape.iter().product::<usize>() {
                return Err(NetError::Shape(name));
            }
        }
        for (index, unit) in plan.units.iter().enumerate() {
            let is_sum = |added| !unit.relu || plan.is_read_after(added, index);
            if unit.added.is_some_and(is_sum) {
                return Err(NetError::Graph(format!("the sum behind {}", unit.name)));
            }
        }
        let value_head = ValueHead::new(&plan, |name| weights[name].clone());
        let leaving = &plan.units[plan.leaving];
        let size = u8::try_from(leaving.planes[1] / Direction::ALL.len() + 1);
        let shape = size.ok().and_then(BoardShape::new);
        let reads_planes = |it: &Unit| it.from != 0 || it.planes[0] == PLANES;
        let shape = shape.filter(|_| plan.units.iter().all(reads_planes));
        let shape = shape.ok_or_else(|| NetError::Shape(leaving.name.clone()))?;
        let size = usize::from(shape.size());
        let grid = Grid::new(size);
        let (places, lengths) = places(&plan);
        let tower = ranges.map(|ranges| Tower::new(&plan, weights, ranges, (grid, &lengths)));
        let (tower, scales) = tower.transpose()?.unzip();
        let scale = |unit: &Unit| scales.as_ref().map_or(1.0, |scales| scales[unit.from]);
        let sparse = plan.units.iter().enumerate().map(|(index, unit)| {
            let is_policy = index == plan.leaving || index == plan.arriving;
            let is_mere = unit.kernel == 1 && !unit.relu && unit.added.is_none();
            let is_sparse = is_policy && is_mere && !plan.is_read_after(index + 1, index);
            is_sparse.then(|| Sparse::new(unit, weights, scale(unit)))
        });
        let sparse: Vec<_> = sparse.collect();
        let convolutions = plan.units.iter().enumerate().map(|(index, unit)| {
            let is_own = tower.is_none() || is_head(&plan, index);
            let is_whole = is_own && sparse[index].is_none();
            let convolution = is_whole.then(|| convolution(unit, weights, scale(unit)));
            convolution.transpose()
        });
        let convolutions = convolutions.collect::<Result<_, _>>()?;
        let memory = lengths
            .into_iter()
            .map(|it| Aligned::zeros(grid.cells() * it));
        Ok(Self {
            planes: Array3::zeros((size, size, PLANES)),
            memory: memory.collect(),
            places,
            scratch: Scratch::default(),
            shape,
            grid,
            plan,
            convolutions,
            sparse,
            tower,
            value_head,
        })
    }

    /// Returns the board on which it plays.
    pub const fn shape(&self) -> BoardShape {
        self.shape
    }

    /// Computes a position; returns the value head's outputs: logits of win, draw and loss of the side to move, moves left
    /// before its softplus, and the logit of the end of a chain. [`Self::logit`] has the others.
    pub fn forward(&mut self, facts: &Facts, rules: &Rules) -> [f32; VALUE_LEN] {
        match &mut self.tower {
            Some(tower) => tower.encode(facts, rules),
            None => encode(facts, rules, self.planes.view_mut()),
        }
        self.compute(|_, _| {})
    }

    /// Computes the planes of a position, `[rank, file, plane]`; see [`Self::forward`].
    ///
    /// # Panics
    /// If they are those of another board.
    pub fn forward_planes(&mut self, planes: ArrayView3<'_, f32>) -> [f32; VALUE_LEN] {
        match &mut self.tower {
            Some(tower) => tower.read(planes),
            None => self.planes.assign(&planes),
        }
        self.compute(|_, _| {})
    }

    /// Returns the largest outputs, on some positions, of the convolutions in front of the heads, in order; the planes are
    /// `[position, rank, file, plane]`. Only of networks in f32.
    ///
    /// # Panics
    /// If the planes are those of another board.
    pub fn ranges(&mut self, planes: ArrayView4<'_, f32>) -> Vec<f32> {
        let mut ranges = vec![0_f32; self.plan.units.len()];
        for planes in planes.outer_iter() {
            self.planes.assign(&planes);
            self.compute(|unit, numbers| {
                ranges[unit] = numbers.iter().fold(ranges[unit], |most, it| most.max(*it));
            });
        }
        let own = (0..ranges.len()).filter(|&unit| !is_head(&self.plan, unit));
        own.map(|unit| ranges[unit]).collect()
    }

    /// Computes all units; shows `see` the numbers of each, a rim of 0 and other planes behind its own included.
    fn compute(&mut self, mut see: impl FnMut(usize, &[f32])) -> [f32; VALUE_LEN] {
        let grid = self.grid;
        if self.tower.is_none() {
            for (square, row) in self.planes.rows().into_iter().enumerate() {
                let from = grid.cell(square) * padded(PLANES);
                let cell = &mut self.memory[0][from..from + PLANES];
                cell.copy_from_slice(row.to_slice().expect("planes lie in memory order"));
            }
        }
        let mut written = None;
        let units = self.plan.units.iter().zip(&self.convolutions).enumerate();
        for (index, (unit, convolution)) in units {
            if let Some(tower) = &mut self.tower {
                if !is_head(&self.plan, index) {
                    tower.apply(grid, (index, unit), &self.places);
                } else if written.replace(unit.from) != Some(unit.from) {
                    let place = self.places[unit.from];
                    tower.write(place, &mut self.memory[place]);
                }
            }
            let Some(convolution) = convolution else {
                continue;
            };
            let finish = match (unit.added, unit.relu) {
                (Some(_), _) => Finish::AddAndRectify,
                (None, true) => Finish::Rectify,
                (None, false) => Finish::Keep,
            };
            let mut output = std::mem::take(&mut self.memory[self.places[index + 1]]);
            let input = &self.memory[self.places[unit.from]];
            convolution.apply(&mut Job {
                grid,
                input,
                output: &mut output,
                finish,
                scratch: &mut self.scratch,
            });
            see(index, &output);
            self.memory[self.places[index + 1]] = output;
        }
        let planes = &self.memory[self.places[self.plan.pooled + 1]];
        let stride = padded(self.plan.units[self.plan.pooled].planes[1]);
        let squares = 0..grid.squares();
        let squares = squares.map(|square| &planes[grid.cell(square) * stride..][..stride]);
        self.value_head.apply(squares)
    }

    /// Returns the logit of a move in the last position: what the square that it leaves and its destination say.
    ///
    /// `None` for [`Move::END`].
    pub fn logit(&self, mv: Move) -> Option<f32> {
        if mv.is_end() {
            return None;
        }
        let leaving = self.leaving(mv.policy_index(self.shape));
        let (to, direction) = (self.shape.index(mv.to()), mv.direction() as usize);
        Some(leaving + self.number(self.plan.arriving, to, direction))
    }

    /// Returns the logits of all outputs of the policy in the last position but that of `end`, which is the last of what
    /// [`Self::forward`] returned. Those of moves that would leave the board mean nothing.
    pub fn logits(&self) -> impl Iterator<Item = f32> {
        (0..self.shape.policy_len() as u16 - 1).map(|output| {
            let output = PolicyIndex(output);
            let mv = Move::from_policy_index(output, self.shape);
            let logit = mv.and_then(|mv| self.logit(mv));
            logit.unwrap_or_else(|| self.leaving(output))
        })
    }

    /// Returns what the square that a move leaves says of it.
    fn leaving(&self, output: PolicyIndex) -> f32 {
        let moves = self.plan.units[self.plan.leaving].planes[1];
        let output = usize::from(output.0);
        self.number(self.plan.leaving, output / moves, output % moves)
    }

    fn number(&self, unit: usize, square: usize, plane: usize) -> f32 {
        let cell = |value: usize, planes: usize| {
            let stride = padded(planes);
            &self.memory[self.places[value]][self.grid.cell(square) * stride..][..stride]
        };
        let Unit { planes, from, .. } = self.plan.units[unit];
        match &self.sparse[unit] {
            Some(sparse) => sparse.number(cell(from, planes[0]), plane),
            None => cell(unit + 1, planes[1])[plane],
        }
    }
}

/// Returns in which memory each value lies, and the planes of each memory. A sum lies where the value lay to which it adds; other
/// values where nothing is read any more.
fn places(plan: &Plan) -> (Vec<usize>, Vec<usize>) {
    let (mut places, mut lengths) = (vec![0], vec![padded(PLANES)]);
    for (index, unit) in plan.units.iter().enumerate() {
        let planes = padded(unit.planes[1]);
        let is_free = |place: &usize| {
            let mut values = (0..=index).filter(|&value| places[value] == *place);
            let is_read = |value: usize| {
                plan.is_read_after(value, index)
                    || value == unit.from
                    || is_head(plan, value.max(1) - 1)
            };
            lengths[*place] == planes && !values.any(is_read)
        };
        let free = (1..lengths.len()).find(is_free);
        let place = unit.added.map(|added| places[added]).or(free);
        places.push(place.unwrap_or_else(|| {
            lengths.push(planes);
            lengths.len() - 1
        }));
    }
    (places, lengths)
}
