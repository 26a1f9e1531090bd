//! The ONNX operators (version 17) that an export uses, as their definitions say.

use super::interpret::{Array, Data};
use super::message::{FLOAT, Node};
use half::f16;

/// Computes a node.
///
/// # Errors
/// If the operator or one of its attributes is not known here, or the inputs do not fit.
pub(super) fn compute(node: &Node, inputs: &[&Array]) -> Result<Array, String> {
    let attributes = Attributes(node);
    match (&*node.op_type, inputs) {
        ("Conv", &[x, weight, bias]) => convolve(x, weight, bias, &attributes),
        ("Gemm", [x, weight, rest @ ..]) => {
            let transposed = attributes.int("transB", 0)? == 1;
            gemm(x, weight, rest.first().copied(), transposed)
        }
        ("Relu", &[x]) => map(x, |v| v.max(0.0)),
        // ln(1 + e^v), written so that e^v cannot grow too large.
        ("Softplus", &[x]) => map(x, |v| v.max(0.0) + (-v.abs()).exp().ln_1p()),
        ("Add", &[a, b]) => zip(a, b, |a, b| a + b),
        ("Mul", &[a, b]) => zip(a, b, |a, b| a * b),
        ("Greater", &[a, b]) => greater(a, b),
        ("Where", &[condition, a, b]) => choose(condition, a, b),
        ("Cast", &[x]) if attributes.int("to", 0)? == i64::from(FLOAT) => cast(x),
        ("Reshape", &[x, shape]) => reshape(x, shape.integers()?),
        ("Flatten", &[x]) if attributes.int("axis", 1)? == 1 => {
            let rows = x.shape.first().copied().unwrap_or(1) as i64;
            reshape(x, &[rows, -1])
        }
        ("Transpose", &[x]) => transpose(x, attributes.ints("perm")?),
        ("ReduceMean", &[x]) => {
            let squares = pooled(x, &attributes)?;
            reduce(x, |plane| plane.iter().sum::<f32>() / squares as f32)
        }
        ("ReduceMax", &[x]) => {
            pooled(x, &attributes)?;
            reduce(x, |plane| plane.iter().copied().fold(f32::MIN, f32::max))
        }
        ("Concat", &[a, b]) if attributes.int("axis", 0)? == 1 => concat(a, b),
        ("Softmax", &[x]) if attributes.int("axis", -1)? == 1 => softmax(x),
        ("Slice", &[x, from, to, axes]) => {
            slice(x, from.integers()?, to.integers()?, axes.integers()?)
        }
        _ => Err(format!(
            "not known with {} inputs and these attributes",
            inputs.len()
        )),
    }
}

/// A node's attributes by name.
struct Attributes<'a>(&'a Node);

impl Attributes<'_> {
    fn int(&self, name: &str, default: i64) -> Result<i64, String> {
        match self.0.attributes.iter().find(|a| a.name == name) {
            Some(attribute) => attribute.int.ok_or(format!("{name} has no value")),
            None => Ok(default),
        }
    }

    fn ints(&self, name: &str) -> Result<&[i64], String> {
        let found = self.0.attributes.iter().find(|a| a.name == name);
        Ok(&found.ok_or(format!("no {name}"))?.ints)
    }
}

fn map(x: &Array, f: impl Fn(f32) -> f32) -> Result<Array, String> {
    let values = x.floats()?.iter().map(|&v| f(v)).collect();
    Ok(Array::f32(x.shape.clone(), values))
}

/// Convolves with step 1, as far as the padding keeps the size.
fn convolve(
    x: &Array,
    w: &Array,
    bias: &Array,
    attributes: &Attributes<'_>,
) -> Result<Array, String> {
    let (&[batch, inputs, ranks, files], &[outputs, w_inputs, kernel, kernel_files]) =
        (&x.shape[..], &w.shape[..])
    else {
        return Err("inputs are not of four dimensions".to_owned());
    };
    let pad = kernel / 2;
    let pads_fit = match attributes.ints("pads") {
        Ok(pads) => pads.len() == 4 && pads.iter().all(|&p| p == pad as i64),
        Err(_) => pad == 0,
    };
    let is_known = ["strides", "dilations", "auto_pad"]
        .iter()
        .all(|&name| attributes.ints(name).is_err());
    let groups = attributes.int("group", 1)?.max(1) as usize;
    let groups_fit = inputs == w_inputs * groups && outputs % groups == 0;
    if !groups_fit || kernel != kernel_files || !pads_fit || !is_known {
        return Err("not a convolution that keeps the board's size".to_owned());
    }
    let (x, w, bias) = (x.floats()?, w.floats()?, bias.floats()?);
    let plane = ranks * files;
    let mut out = vec![0.0; batch * outputs * plane];
    for (number, out) in out.chunks_exact_mut(plane).enumerate() {
        let (row, output) = (number / outputs, number % outputs);
        out.fill(bias[output]);
        let first = output / (outputs / groups) * w_inputs;
        for input in 0..w_inputs {
            let from = &x[(row * inputs + first + input) * plane..][..plane];
            let taps = &w[(output * w_inputs + input) * kernel * kernel..][..kernel * kernel];
            for (tap, &factor) in taps.iter().enumerate() {
                let shift = (tap / kernel, tap % kernel);
                add_shifted(out, from, (ranks, files), (shift, pad, factor));
            }
        }
    }
    Ok(Array::f32(vec![batch, outputs, ranks, files], out))
}

/// Adds `factor` times a plane, moved by `shift - pad` ranks and files; what lies outside is 0.
fn add_shifted(
    out: &mut [f32],
    from: &[f32],
    (ranks, files): (usize, usize),
    ((down, right), pad, factor): ((usize, usize), usize, f32),
) {
    // The square f of the result takes f + right - pad, where that lies on the board.
    let span = |shift: usize, len: usize| {
        let first = pad.saturating_sub(shift);
        let last = (len + pad).saturating_sub(shift).min(len);
        first..last.max(first)
    };
    let columns = span(right, files);
    for rank in span(down, ranks) {
        let source = (rank + down - pad) * files + columns.start + right - pad;
        let target = &mut out[rank * files..][columns.clone()];
        let source = &from[source..][..target.len()];
        for (out, &from) in target.iter_mut().zip(source) {
            *out += factor * from;
        }
    }
}

/// Returns `x * weight + bias`, with the weight as `[outputs, inputs]` if it is transposed.
fn gemm(x: &Array, w: &Array, bias: Option<&Array>, transposed: bool) -> Result<Array, String> {
    let (&[rows, inputs], &[first, second]) = (&x.shape[..], &w.shape[..]) else {
        return Err("inputs are not of two dimensions".to_owned());
    };
    let (outputs, own) = if transposed {
        (first, second)
    } else {
        (second, first)
    };
    if own != inputs {
        return Err(format!("{inputs} columns against {own}"));
    }
    let (x, w) = (x.floats()?, w.floats()?);
    let bias = bias.map(Array::floats).transpose()?;
    let mut out = Vec::with_capacity(rows * outputs);
    for row in x.chunks_exact(inputs) {
        for output in 0..outputs {
            let weight = |input: usize| match transposed {
                true => w[output * inputs + input],
                false => w[input * outputs + output],
            };
            let sum: f32 = row.iter().enumerate().map(|(i, v)| v * weight(i)).sum();
            out.push(sum + bias.map_or(0.0, |bias| bias[output]));
        }
    }
    Ok(Array::f32(vec![rows, outputs], out))
}

/// Returns, for each place of the common shape of two tensors, their places; lengths of 1 are repeated.
fn broadcast(shapes: [&[usize]; 2]) -> Result<(Vec<usize>, [Vec<usize>; 2]), String> {
    let rank = shapes[0].len().max(shapes[1].len());
    let full = shapes.map(|shape| [vec![1; rank - shape.len()], shape.to_vec()].concat());
    let mut shape = Vec::with_capacity(rank);
    for (&a, &b) in full[0].iter().zip(&full[1]) {
        if a != b && a != 1 && b != 1 {
            return Err(format!("{:?} against {:?}", shapes[0], shapes[1]));
        }
        shape.push(a.max(b));
    }
    let len: usize = shape.iter().product();
    let places = full.map(|own| {
        let place = |index: usize| {
            let (mut rest, mut place, mut stride) = (index, 0, 1);
            for (&length, &common) in own.iter().zip(&shape).rev() {
                place += if length == 1 {
                    0
                } else {
                    rest % common * stride
                };
                stride *= length;
                rest /= common;
            }
            place
        };
        (0..len).map(place).collect()
    });
    Ok((shape, places))
}

fn zip(a: &Array, b: &Array, f: impl Fn(f32, f32) -> f32) -> Result<Array, String> {
    let (shape, [first, second]) = broadcast([&a.shape, &b.shape])?;
    let (a, b) = (a.floats()?, b.floats()?);
    let pairs = first.iter().zip(&second);
    Ok(Array::f32(
        shape,
        pairs.map(|(&i, &j)| f(a[i], b[j])).collect(),
    ))
}

fn greater(a: &Array, b: &Array) -> Result<Array, String> {
    let (shape, [first, second]) = broadcast([&a.shape, &b.shape])?;
    let (a, b) = (a.floats()?, b.floats()?);
    let pairs = first.iter().zip(&second);
    let data = Data::Bool(pairs.map(|(&i, &j)| a[i] > b[j]).collect());
    Ok(Array { shape, data })
}

fn choose(condition: &Array, a: &Array, b: &Array) -> Result<Array, String> {
    let Data::Bool(conditions) = &condition.data else {
        return Err("the condition is not of truth values".to_owned());
    };
    if a.shape != b.shape {
        return Err(format!("{:?} against {:?}", a.shape, b.shape));
    }
    let (shape, [places, own]) = broadcast([&condition.shape, &a.shape])?;
    let (a, b) = (a.floats()?, b.floats()?);
    let pairs = places.iter().zip(&own);
    let values = pairs.map(|(&c, &i)| if conditions[c] { a[i] } else { b[i] });
    Ok(Array::f32(shape, values.collect()))
}

fn cast(x: &Array) -> Result<Array, String> {
    match &x.data {
        Data::F16(halves) => {
            let values = halves.iter().map(|&half| f16::to_f32(half)).collect();
            Ok(Array::f32(x.shape.clone(), values))
        }
        _ => Err("only 16-bit floats are cast".to_owned()),
    }
}

fn reshape(x: &Array, shape: &[i64]) -> Result<Array, String> {
    let known: usize = shape.iter().filter(|&&n| n > 0).product::<i64>() as usize;
    let len: usize = x.shape.iter().product();
    let rest = len / known.max(1);
    let length = |&n: &i64| if n < 0 { rest } else { n as usize };
    let shape: Vec<usize> = shape.iter().map(length).collect();
    if shape.iter().product::<usize>() != len {
        return Err(format!("{:?} to {shape:?}", x.shape));
    }
    let data = x.data.clone();
    Ok(Array { shape, data })
}

fn transpose(x: &Array, order: &[i64]) -> Result<Array, String> {
    let rank = x.shape.len();
    let order: Vec<usize> = order.iter().map(|&axis| axis as usize).collect();
    if order.len() != rank || !(0..rank).all(|axis| order.contains(&axis)) {
        return Err(format!("{order:?} is no order of {rank} dimensions"));
    }
    let strides: Vec<usize> = (0..rank)
        .map(|axis| x.shape[axis + 1..].iter().product())
        .collect();
    let shape: Vec<usize> = order.iter().map(|&axis| x.shape[axis]).collect();
    let values = x.floats()?;
    let place = |index: usize| {
        let (mut rest, mut place) = (index, 0);
        for (&length, &axis) in shape.iter().zip(&order).rev() {
            place += rest % length * strides[axis];
            rest /= length;
        }
        place
    };
    let moved = (0..values.len()).map(|index| values[place(index)]);
    let moved = moved.collect();
    Ok(Array::f32(shape, moved))
}

/// Returns the number of squares over which a node reduces, which must be all of the last two dimensions.
fn pooled(x: &Array, attributes: &Attributes<'_>) -> Result<usize, String> {
    let over_squares = attributes.ints("axes")? == [2, 3] && attributes.int("keepdims", 1)? == 0;
    match (&x.shape[..], over_squares) {
        (&[_, _, ranks, files], true) => Ok(ranks * files),
        _ => Err("only planes are reduced, to numbers".to_owned()),
    }
}

fn reduce(x: &Array, f: impl Fn(&[f32]) -> f32) -> Result<Array, String> {
    let squares: usize = x.shape[2..].iter().product();
    let values = x.floats()?.chunks_exact(squares).map(f).collect();
    Ok(Array::f32(x.shape[..2].to_vec(), values))
}

fn concat(a: &Array, b: &Array) -> Result<Array, String> {
    let (&[rows, first], &[other_rows, second]) = (&a.shape[..], &b.shape[..]) else {
        return Err("inputs are not of two dimensions".to_owned());
    };
    if rows != other_rows {
        return Err(format!("{rows} rows against {other_rows}"));
    }
    let pairs = a.floats()?.chunks_exact(first);
    let pairs = pairs.zip(b.floats()?.chunks_exact(second));
    let values = pairs.flat_map(|(a, b)| [a, b].concat()).collect();
    Ok(Array::f32(vec![rows, first + second], values))
}

fn softmax(x: &Array) -> Result<Array, String> {
    let &[_, columns] = &x.shape[..] else {
        return Err("the input is not of two dimensions".to_owned());
    };
    let mut values = Vec::with_capacity(x.floats()?.len());
    for row in x.floats()?.chunks_exact(columns) {
        let most = row.iter().copied().fold(f32::MIN, f32::max);
        let sum: f32 = row.iter().map(|v| (v - most).exp()).sum();
        values.extend(row.iter().map(|v| (v - most).exp() / sum));
    }
    Ok(Array::f32(x.shape.clone(), values))
}

fn slice(x: &Array, from: &[i64], to: &[i64], axes: &[i64]) -> Result<Array, String> {
    let mut spans: Vec<_> = x.shape.iter().map(|&length| 0..length).collect();
    for ((&from, &to), &axis) in from.iter().zip(to).zip(axes) {
        let span = spans.get_mut(axis as usize).ok_or("no such dimension")?;
        if from < 0 || to <= from || to as usize > span.end {
            return Err(format!("{from}..{to} of {}", span.end));
        }
        *span = from as usize..to as usize;
    }
    let values = x.floats()?;
    let shape: Vec<usize> = spans.iter().map(ExactSizeIterator::len).collect();
    let place = |index: usize| {
        let (mut rest, mut place, mut stride) = (index, 0, 1);
        for (span, &length) in spans.iter().zip(&x.shape).rev() {
            place += (span.start + rest % span.len()) * stride;
            stride *= length;
            rest /= span.len();
        }
        place
    };
    let len: usize = shape.iter().product();
    let taken = (0..len).map(|index| values[place(index)]).collect();
    Ok(Array::f32(shape, taken))
}

#[cfg(test)]
mod tests {
    use super::super::graph::{int, ints};
    use super::super::message::Attribute;
    use super::*;

    fn array(shape: &[usize], values: &[f32]) -> Array {
        Array::f32(shape.to_vec(), values.to_vec())
    }

    fn apply(op: &str, attributes: Vec<Attribute>, inputs: &[&Array]) -> Result<Array, String> {
        let node = Node {
            op_type: op.to_owned(),
            attributes,
            ..Node::default()
        };
        compute(&node, inputs)
    }

    #[test]
    fn a_convolution_sees_zeros_beyond_the_board() {
        // Adds the square above, twice the square itself, and 1.
        let w = array(&[1, 1, 3, 3], &[0., 1., 0., 0., 2., 0., 0., 0., 0.]);
        let x = array(&[1, 1, 2, 2], &[1., 2., 3., 4.]);
        let attributes = || vec![ints("kernel_shape", &[3, 3]), ints("pads", &[1; 4])];
        let y = apply("Conv", attributes(), &[&x, &w, &array(&[1], &[1.])]).unwrap();
        assert_eq!(y, array(&[1, 1, 2, 2], &[3., 5., 8., 11.]));
        // The square to the left.
        let w = array(&[1, 1, 3, 3], &[0., 0., 0., 1., 0., 0., 0., 0., 0.]);
        let y = apply("Conv", attributes(), &[&x, &w, &array(&[1], &[0.])]).unwrap();
        assert_eq!(y, array(&[1, 1, 2, 2], &[0., 1., 0., 3.]));
        // Two channels, each with a square of its own: the one to the left, and ten times itself.
        let two = array(&[1, 2, 1, 2], &[1., 2., 3., 4.]);
        let mut taps = [0.0; 18];
        (taps[3], taps[9 + 4]) = (1.0, 10.0);
        let grouped = [attributes(), vec![int("group", 2)]].concat();
        let y = apply(
            "Conv",
            grouped,
            &[&two, &array(&[2, 1, 3, 3], &taps), &array(&[2], &[0., 5.])],
        );
        assert_eq!(y.unwrap(), array(&[1, 2, 1, 2], &[0., 1., 35., 45.]));
        let three = [attributes(), vec![int("group", 3)]].concat();
        assert!(
            apply(
                "Conv",
                three,
                &[&two, &array(&[2, 1, 3, 3], &taps), &array(&[2], &[0.; 2])]
            )
            .is_err()
        );
        let strides = [attributes(), vec![ints("strides", &[2, 2])]].concat();
        assert!(apply("Conv", strides, &[&x, &w, &array(&[1], &[0.])]).is_err());
    }

    #[test]
    fn matrices_are_multiplied_as_they_lie_or_transposed() {
        let x = array(&[1, 2], &[1., 10.]);
        let w = array(&[2, 2], &[1., 2., 3., 4.]);
        assert_eq!(
            apply("Gemm", vec![], &[&x, &w]).unwrap(),
            array(&[1, 2], &[31., 42.])
        );
        let y = apply(
            "Gemm",
            vec![int("transB", 1)],
            &[&x, &w, &array(&[2], &[0.5, 0.])],
        );
        assert_eq!(y.unwrap(), array(&[1, 2], &[21.5, 43.]));
    }

    #[test]
    fn parts_are_taken_moved_and_chosen() {
        let x = array(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
        let integers = |values: &[i64]| Array {
            shape: vec![values.len()],
            data: Data::I64(values.to_vec()),
        };
        let slice = [&x, &integers(&[1]), &integers(&[3]), &integers(&[1])];
        let part = apply("Slice", vec![], &slice).unwrap();
        assert_eq!(part, array(&[2, 2], &[2., 3., 5., 6.]));
        let turned = apply("Transpose", vec![ints("perm", &[1, 0])], &[&x]).unwrap();
        assert_eq!(turned, array(&[3, 2], &[1., 4., 2., 5., 3., 6.]));
        let rows = array(&[2, 1], &[0., 1.]);
        let half = array(&[], &[0.5]);
        let condition = apply("Greater", vec![], &[&rows, &half]).unwrap();
        let other = array(&[2, 3], &[9.; 6]);
        let chosen = apply("Where", vec![], &[&condition, &x, &other]).unwrap();
        assert_eq!(chosen, array(&[2, 3], &[9., 9., 9., 4., 5., 6.]));
        let joined = apply("Concat", vec![int("axis", 1)], &[&rows, &part]).unwrap();
        assert_eq!(joined, array(&[2, 3], &[0., 2., 3., 1., 5., 6.]));
    }

    #[test]
    fn functions_are_what_their_names_say() {
        let x = array(&[1, 2], &[0.0, 3.0_f32.ln()]);
        let close = |a: Array, b: [f32; 2]| {
            let a = a.floats().unwrap().to_vec();
            assert!(
                (a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 1e-6,
                "{a:?}"
            );
        };
        close(
            apply("Softmax", vec![int("axis", 1)], &[&x]).unwrap(),
            [0.25, 0.75],
        );
        close(
            apply("Softplus", vec![], &[&x]).unwrap(),
            [2_f32.ln(), 4_f32.ln()],
        );
        let planes = array(&[1, 2, 1, 2], &[1., 3., -5., -2.]);
        let over = || vec![ints("axes", &[2, 3]), int("keepdims", 0)];
        close(apply("ReduceMean", over(), &[&planes]).unwrap(), [2., -3.5]);
        close(apply("ReduceMax", over(), &[&planes]).unwrap(), [3., -2.]);
        assert!(apply("Erf", vec![], &[&x]).is_err());
    }
}
