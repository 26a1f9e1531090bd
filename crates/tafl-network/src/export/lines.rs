//! The planes `king_one` to `defenders_reach` computed inside an ONNX graph, for engines whose planes do not hold them.
//!
//! Lines are walked square by square: a convolution moves what was reached on by one square, and a product with the
//! free squares stops it at the first other one. Every source of lines has a channel for each of four directions.

use super::graph::Onnx;
use super::taflzero::{ATTACKERS, DEFENDERS, KING, PLANES};
use tafl_graph::INPUT;

/// The taps of a 3x3 kernel that look at the four neighbors.
const NEIGHBORS: [usize; 4] = [1, 7, 3, 5];

/// What lines begin at: the king, his goals, attackers, defenders.
pub(super) const SOURCES: usize = 4;

/// Channels of a walk: the four directions of each source.
const CHANNELS: usize = 4 * SOURCES;

const ONES: [f32; CHANNELS] = [1.0; CHANNELS];
const ZEROS: [f32; CHANNELS] = [0.0; CHANNELS];

/// Adds what one move reaches, `[batch, SOURCES, size, size]`: of the king, from his goals (the plane `goal`), of attackers, of
/// defenders (`lines.one`); and what at most two reach (`lines.two`).
pub(super) fn add(graph: &mut Onnx, size: usize, goal: usize) {
    let sources = [KING, goal, ATTACKERS, DEFENDERS];
    let begins = matrix(CHANNELS, PLANES, |channel, plane| {
        identity(sources[channel / 4], plane)
    });
    mix(graph, "lines.sources", INPUT, &begins, &ZEROS);
    // What the bias of 1 loses where a square is not free: everywhere, or, as pieces begin where they stand, on goals alone.
    let taken = |plane| match plane {
        KING | ATTACKERS | DEFENDERS => -1.0,
        _ => 0.0,
    };
    let free = matrix(CHANNELS, PLANES, |channel, plane| {
        if sources[channel / 4] == goal {
            taken(plane)
        } else {
            0.0
        }
    });
    mix(graph, "lines.free", INPUT, &free, &ONES);
    graph.add("lines.first = Mul(lines.sources, lines.free)");
    let open = matrix(CHANNELS, PLANES, |_, plane| taken(plane));
    mix(graph, "lines.open", INPUT, &open, &ONES);
    walk(graph, "lines.one", "lines.first", size);
    // From where one move ends, in all directions again.
    let spread = matrix(CHANNELS, SOURCES, |channel, source| {
        identity(channel / 4, source)
    });
    mix(graph, "lines.second", "lines.one", &spread, &ZEROS);
    walk(graph, "lines.next", "lines.second", size);
    graph.add("lines.both = Add(lines.one, lines.next)");
    at_most_one(graph, "lines.two", "lines.both", SOURCES);
}

fn identity(row: usize, column: usize) -> f32 {
    if row == column { 1.0 } else { 0.0 }
}

/// Returns a matrix, row by row.
fn matrix(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    let places = (0..rows * columns).map(|place| (place / columns, place % columns));
    places.map(|(row, column)| entry(row, column)).collect()
}

/// Adds a 1x1 convolution, `outputs` being the length of `bias`.
pub(super) fn mix(graph: &mut Onnx, name: &str, from: &str, weight: &[f32], bias: &[f32]) {
    let shape = [bias.len(), weight.len() / bias.len(), 1, 1];
    graph.floats(&format!("{name}.weight"), &shape, weight);
    graph.floats(&format!("{name}.bias"), &[bias.len()], bias);
    graph.add(&format!(
        "{name} = Conv({from}, {name}.weight, {name}.bias)"
    ));
}

/// Adds what lines reach from the squares where they begin, `[batch, SOURCES, size, size]`.
fn walk(graph: &mut Onnx, name: &str, begins: &str, size: usize) {
    // Each channel moves by itself.
    let kernel = matrix(CHANNELS, 9, |channel, tap| {
        identity(NEIGHBORS[channel % 4], tap)
    });
    graph.floats(&format!("{name}.kernel"), &[CHANNELS, 1, 3, 3], &kernel);
    graph.floats(&format!("{name}.none"), &[CHANNELS], &ZEROS);
    let (mut front, mut reached) = (begins.to_owned(), String::new());
    for step in 1..size {
        let (moved, sum) = (format!("{name}.moved{step}"), format!("{name}.sum{step}"));
        let attributes = format!("kernel_shape=3,3 pads=1,1,1,1 group={CHANNELS}");
        graph.add(&format!(
            "{moved} = Conv<{attributes}>({front}, {name}.kernel, {name}.none)"
        ));
        front = format!("{name}.front{step}");
        graph.add(&format!("{front} = Mul({moved}, lines.open)"));
        if step == 1 {
            reached.clone_from(&front);
        } else {
            graph.add(&format!("{sum} = Add({reached}, {front})"));
            reached = sum;
        }
    }
    at_most_one(graph, name, &reached, CHANNELS);
}

/// Adds for each source min(1, the sum of its whole numbers), which lie in so many channels of `from`.
fn at_most_one(graph: &mut Onnx, name: &str, from: &str, channels: usize) {
    let negative = |channels: usize| {
        matrix(SOURCES, channels, |source, channel| {
            -identity(source, channel * SOURCES / channels)
        })
    };
    let ones = &ONES[..SOURCES];
    let (lack, none) = (format!("{name}.lack"), format!("{name}.none_there"));
    mix(graph, &lack, from, &negative(channels), ones);
    graph.add(&format!("{none} = Relu({lack})"));
    mix(graph, name, &none, &negative(SOURCES), ones);
}
