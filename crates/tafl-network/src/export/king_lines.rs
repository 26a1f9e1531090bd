//! The planes `king_one` to `home_two` computed inside an ONNX graph, for engines whose planes do not hold them.
//!
//! Lines are walked square by square: a convolution moves what was reached on by one square, and a product with the
//! free squares stops it at the first other one. The channels are two sources, the king and his goals, in four
//! directions each.

use super::graph::{Builder, ints};

/// Sources times directions.
const CHANNELS: usize = 8;

/// The taps of a 3x3 kernel that look at the four neighbors.
const NEIGHBORS: [usize; 4] = [1, 7, 3, 5];

/// Adds the planes of one move for king and goals, `[batch, 2, size, size]`, and those of at most two.
///
/// `planes` has `count` channels, of which the king, his goals and all pieces (king included) are given.
pub(super) fn add(
    builder: &mut Builder,
    planes: &str,
    (count, size): (usize, usize),
    (king, goal, pieces): (usize, usize, [usize; 3]),
) -> [String; 2] {
    let mut free = vec![0.0; count];
    for piece in pieces {
        free[piece] = -1.0;
    }
    // The squares that are walked on, for each channel; and where lines begin: the king's square, free goals.
    let all_free: Vec<f32> = (0..CHANNELS).flat_map(|_| free.clone()).collect();
    let open = mix(builder, "lines.open", planes, &all_free, &[1.0; CHANNELS]);
    let mut sources = vec![0.0; CHANNELS * count];
    for direction in 0..4 {
        sources[direction * count + king] = 1.0;
        sources[(4 + direction) * count + goal] = 1.0;
    }
    let begins = mix(builder, "lines.sources", planes, &sources, &[0.0; CHANNELS]);
    let mut mask = all_free;
    mask[..4 * count].fill(0.0);
    let is_free = mix(builder, "lines.free", planes, &mask, &[1.0; CHANNELS]);
    let begins = builder.node("Mul", &[&begins, &is_free], "lines.first", vec![]);

    let one = walk(builder, "lines.one", (&begins, &open), size);
    let spread: Vec<f32> = (0..CHANNELS)
        .flat_map(|channel| [[1.0, 0.0], [0.0, 1.0]][channel / 4])
        .collect();
    let begins = mix(builder, "lines.second", &one, &spread, &[0.0; CHANNELS]);
    let next = walk(builder, "lines.next", (&begins, &open), size);
    let sum = builder.node("Add", &[&one, &next], "lines.both", vec![]);
    let two = at_most_one(builder, "lines.two", &sum, &[-1.0, 0.0, 0.0, -1.0]);
    [one, two]
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

/// Adds what lines reach from the squares where they begin, `[batch, 2, size, size]`.
fn walk(builder: &mut Builder, name: &str, (begins, open): (&str, &str), size: usize) -> String {
    let mut kernel = vec![0.0; CHANNELS * CHANNELS * 9];
    for channel in 0..CHANNELS {
        kernel[(channel * CHANNELS + channel) * 9 + NEIGHBORS[channel % 4]] = 1.0;
    }
    let shape = [CHANNELS, CHANNELS, 3, 3];
    let kernel = builder.floats(&format!("{name}.kernel"), &shape, &kernel);
    let bias = builder.floats(&format!("{name}.none"), &[CHANNELS], &[0.0; CHANNELS]);
    let mut front = begins.to_owned();
    let mut reached: Option<String> = None;
    for step in 1..size {
        let part = |what: &str| format!("{name}.{what}{step}");
        let sides = vec![ints("kernel_shape", &[3; 2]), ints("pads", &[1; 4])];
        let moved = builder.node("Conv", &[&front, &kernel, &bias], &part("moved"), sides);
        front = builder.node("Mul", &[&moved, open], &part("front"), vec![]);
        reached = Some(match reached {
            None => front.clone(),
            Some(before) => builder.node("Add", &[&before, &front], &part("sum"), vec![]),
        });
    }
    let reached = reached.unwrap_or(front);
    let per_source: Vec<f32> = (0..2 * CHANNELS)
        .map(|tap| {
            if tap / CHANNELS == tap % CHANNELS / 4 {
                -1.0
            } else {
                0.0
            }
        })
        .collect();
    at_most_one(builder, name, &reached, &per_source)
}

/// Adds min(1, sums of whole numbers), two of them; `negative` says with -1 what is summed.
fn at_most_one(builder: &mut Builder, name: &str, from: &str, negative: &[f32]) -> String {
    let lack = mix(builder, &format!("{name}.lack"), from, negative, &[1.0; 2]);
    let none = builder.node("Relu", &[&lack], &format!("{name}.none_there"), vec![]);
    mix(builder, name, &none, &[-1.0, 0.0, 0.0, -1.0], &[1.0; 2])
}
