//! The planes `king_one` to `defenders_reach` computed inside an ONNX graph, for engines whose planes do not hold them.
//!
//! Lines are walked square by square: a convolution moves what was reached on by one square, and a product with the
//! free squares stops it at the first other one. Every source of lines has a channel for each of four directions.

use super::graph::{Builder, int, ints};

/// The taps of a 3x3 kernel that look at the four neighbors.
const NEIGHBORS: [usize; 4] = [1, 7, 3, 5];

/// What lines begin at: the king, his goals, attackers, defenders.
pub(super) const SOURCES: usize = 4;

/// Channels of a walk: the four directions of each source.
const CHANNELS: usize = 4 * SOURCES;

/// Planes given by number among those of a graph's input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    /// How many there are.
    pub(super) planes: usize,
    pub(super) king: usize,
    pub(super) goal: usize,
    /// All soldiers of either side.
    pub(super) attackers: usize,
    pub(super) defenders: usize,
}

impl Given {
    /// Returns what a 1x1 convolution with a bias of 1 takes away where a square is not free.
    fn free(&self) -> Vec<f32> {
        let mut weight = vec![0.0; self.planes];
        for piece in [self.king, self.attackers, self.defenders] {
            weight[piece] = -1.0;
        }
        weight
    }
}

/// Adds what one move reaches, `[batch, SOURCES, size, size]`: of the king, from his goals, of attackers, of defenders; and
/// what at most two reach.
pub(super) fn add(builder: &mut Builder, planes: &str, size: usize, given: Given) -> [String; 2] {
    let (begins, open) = begin(builder, planes, given);
    let one = walk(builder, "lines.one", (&begins, &open), size);
    // From where one move ends, in all directions again.
    let spread = matrix(CHANNELS, SOURCES, |channel, source| {
        identity(channel / 4, source)
    });
    let begins = mix(builder, "lines.second", &one, &spread, &[0.0; CHANNELS]);
    let next = walk(builder, "lines.next", (&begins, &open), size);
    let sum = builder.node("Add", &[&one, &next], "lines.both", vec![]);
    let negative = matrix(SOURCES, SOURCES, |row, column| -identity(row, column));
    let two = at_most_one(builder, "lines.two", &sum, &negative);
    [one, two]
}

/// Adds where lines begin, pieces and free goals, and the squares that are walked on, for each channel.
fn begin(builder: &mut Builder, planes: &str, given: Given) -> (String, String) {
    let (count, free) = (given.planes, given.free());
    let (ones, zeros) = ([1.0; CHANNELS], [0.0; CHANNELS]);
    let sources = [given.king, given.goal, given.attackers, given.defenders];
    let begins = matrix(CHANNELS, count, |channel, plane| {
        identity(sources[channel / 4], plane)
    });
    let mask = matrix(CHANNELS, count, |channel, plane| {
        let is_goal = sources[channel / 4] == given.goal;
        if is_goal { free[plane] } else { 0.0 }
    });
    let begins = mix(builder, "lines.sources", planes, &begins, &zeros);
    let is_free = mix(builder, "lines.free", planes, &mask, &ones);
    let begins = builder.node("Mul", &[&begins, &is_free], "lines.first", vec![]);
    let open = mix(builder, "lines.open", planes, &free.repeat(CHANNELS), &ones);
    (begins, open)
}

fn identity(row: usize, column: usize) -> f32 {
    if row == column { 1.0 } else { 0.0 }
}

/// Returns a matrix, row by row.
fn matrix(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    let entry = &entry;
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| entry(row, column)))
        .collect()
}

/// Adds a 1x1 convolution, `outputs` being the length of `bias`.
pub(super) fn mix(
    builder: &mut Builder,
    name: &str,
    from: &str,
    weight: &[f32],
    bias: &[f32],
) -> String {
    let shape = [bias.len(), weight.len() / bias.len(), 1, 1];
    let weight = builder.floats(&format!("{name}.weight"), &shape, weight);
    let bias = builder.floats(&format!("{name}.bias"), &[bias.len()], bias);
    builder.node("Conv", &[from, &weight, &bias], name, vec![])
}

/// Adds what lines reach from the squares where they begin, `[batch, SOURCES, size, size]`.
fn walk(builder: &mut Builder, name: &str, (begins, open): (&str, &str), size: usize) -> String {
    // Each channel moves by itself.
    let mut kernel = [0.0; CHANNELS * 9];
    for (channel, taps) in kernel.chunks_exact_mut(9).enumerate() {
        taps[NEIGHBORS[channel % 4]] = 1.0;
    }
    let kernel = builder.floats(&format!("{name}.kernel"), &[CHANNELS, 1, 3, 3], &kernel);
    let bias = builder.floats(&format!("{name}.none"), &[CHANNELS], &[0.0; CHANNELS]);
    let mut front = begins.to_owned();
    let mut reached: Option<String> = None;
    for step in 1..size {
        let part = |what: &str| format!("{name}.{what}{step}");
        let sides = vec![
            ints("kernel_shape", &[3; 2]),
            ints("pads", &[1; 4]),
            int("group", CHANNELS as i64),
        ];
        let moved = builder.node("Conv", &[&front, &kernel, &bias], &part("moved"), sides);
        front = builder.node("Mul", &[&moved, open], &part("front"), vec![]);
        reached = Some(match reached {
            None => front.clone(),
            Some(before) => builder.node("Add", &[&before, &front], &part("sum"), vec![]),
        });
    }
    let reached = reached.unwrap_or(front);
    let per_source = matrix(SOURCES, CHANNELS, |source, channel| {
        -identity(source, channel / 4)
    });
    at_most_one(builder, name, &reached, &per_source)
}

/// Adds min(1, sums of whole numbers); `negative` says with -1 what each of the [`SOURCES`] sums.
fn at_most_one(builder: &mut Builder, name: &str, from: &str, negative: &[f32]) -> String {
    let ones = [1.0; SOURCES];
    let lack = mix(builder, &format!("{name}.lack"), from, negative, &ones);
    let none = builder.node("Relu", &[&lack], &format!("{name}.none_there"), vec![]);
    let turn = matrix(SOURCES, SOURCES, |row, column| -identity(row, column));
    mix(builder, name, &none, &turn, &ones)
}
