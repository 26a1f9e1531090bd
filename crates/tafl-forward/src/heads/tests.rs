//! Every way of computing against the definition.

use super::*;
use tafl_graph::{Operation, OperationKind};

/// Numbers from -1 to 1 that look random.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let number = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(number).collect()
}

/// Returns a plan of heads alone, whose value head has no hidden layer.
fn plan(inputs: usize, moves: usize, pooled: usize) -> (Plan, BTreeMap<String, Vec<f32>>) {
    let mut weights = BTreeMap::new();
    let mut tensors = |name: &str, [inputs, outputs]: [usize; 2]| {
        let seed = weights.len() as u32;
        let mut add = |part: &str, count, seed| {
            weights.insert(format!("{name}.{part}"), numbers(count, seed))
        };
        add("weight", inputs * outputs, seed);
        add("bias", outputs, seed + 1);
    };
    let units = [("leaving", moves), ("arriving", 4), ("pooled", pooled)].map(|(name, outputs)| {
        tensors(name, [inputs, outputs]);
        Unit {
            name: name.to_owned(),
            planes: [inputs, outputs],
            kernel: 1,
            from: 0,
            added: None,
            relu: name == "pooled",
        }
    });
    tensors("last", [2 * pooled, VALUE_LEN]);
    let operation = |name: &str, kind| Operation {
        name: name.to_owned(),
        kind,
        from: Vec::new(),
    };
    let last = OperationKind::Linear {
        inputs: 2 * pooled,
        outputs: VALUE_LEN,
    };
    let plan = Plan {
        units: units.to_vec(),
        leaving: 0,
        arriving: 1,
        pooled: 2,
        values: vec![
            operation("pool", OperationKind::Pool),
            operation("last", last),
        ],
    };
    (plan, weights)
}

#[test]
fn numbers_are_those_of_the_definition() {
    for (size, inputs, pooled) in [(7, 5, 3), (9, 32, 16), (11, 48, 33)] {
        let shape = BoardShape::new(size).expect("a board");
        let moves = 4 * (usize::from(size) - 1);
        let (plan, weights) = plan(inputs, moves, pooled);
        let scale = 1.0 / 64.0;
        let mut heads = IntegerHeads::new((&plan, shape), &weights, scale).expect("heads");
        let read: Vec<u8> = numbers(shape.squares() * inputs, 9)
            .iter()
            .map(|it| (it * 300.0) as u8)
            .collect();
        let number = |unit: usize, square: usize, plane: usize| -> f64 {
            let name = &plan.units[unit].name;
            let own = &weights[&format!("{name}.weight")][plane * inputs..][..inputs];
            let products = read[square * inputs..].iter().zip(own);
            let sum: f64 = products
                .map(|(read, weight)| f64::from(*read) * f64::from(*weight))
                .sum();
            sum * f64::from(scale) + f64::from(weights[&format!("{name}.bias")][plane])
        };
        let planes: Vec<(f64, f64)> = (0..pooled)
            .map(|plane| {
                let all = (0..shape.squares()).map(|square| number(2, square, plane).max(0.0));
                (
                    all.clone().sum::<f64>() / shape.squares() as f64,
                    all.fold(0.0, f64::max),
                )
            })
            .collect();
        let inner: Vec<f64> = planes
            .iter()
            .map(|it| it.0)
            .chain(planes.iter().map(|it| it.1))
            .collect();
        let value = |output: usize| -> f64 {
            let row = weights["last.weight"][output * inner.len()..].iter();
            let sum: f64 = row
                .zip(&inner)
                .map(|(weight, it)| f64::from(*weight) * it)
                .sum();
            sum + f64::from(weights["last.bias"][output])
        };
        let outputs: Vec<usize> = (0..shape.policy_len())
            .filter(|&output| {
                let mv = Move::from_policy_index(PolicyIndex(output as u16), shape);
                mv.is_some()
            })
            .collect();
        let logit = |output: usize| match output + 1 == shape.policy_len() {
            true => value(VALUE_LEN - 1),
            false => {
                let mv =
                    Move::from_policy_index(PolicyIndex(output as u16), shape).expect("a move");
                let to = shape.index(mv.to());
                number(0, output / moves, output % moves) + number(1, to, mv.direction() as usize)
            }
        };
        assert!(outputs.len() > 10 * moves && outputs.contains(&(shape.policy_len() - 1)));
        let close = |found: f32, exact: f64| (f64::from(found) - exact).abs() < 1e-3;
        for is_plain in [false, true] {
            let mut logits = Vec::new();
            let asked = outputs.iter().copied();
            let values = match is_plain {
                false => heads.apply(&read, asked, &mut logits),
                true => heads.compute::<Lanes>(&read, asked, &mut logits),
            };
            assert!(
                (0..VALUE_LEN).all(|output| close(values[output], value(output))),
                "{values:?}"
            );
            assert_eq!(logits.len(), outputs.len());
            for (found, &output) in logits.iter().zip(&outputs) {
                assert!(
                    close(*found, logit(output)),
                    "{size}x{size}, output {output}: {found}"
                );
            }
        }
    }
}

#[test]
fn other_heads_are_refused() {
    let (mut plan, weights) = plan(8, 24, 4);
    let shape = BoardShape::new(7).expect("a board");
    plan.units[1].from = 1;
    let error = IntegerHeads::new((&plan, shape), &weights, 1.0).expect_err("two values are read");
    assert!(error.to_string().contains("arriving as a head"), "{error}");
}
