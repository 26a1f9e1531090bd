//! Every way of computing against the definition.

use super::*;
use crate::stem::tests::numbers;
use tafl_graph::{Operation, OperationKind};

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

/// What heads of `read` are by the definition.
struct Defined<'a> {
    shape: BoardShape,
    plan: &'a Plan,
    weights: &'a BTreeMap<String, Vec<f32>>,
    scale: f32,
    read: &'a [u8],
}

impl Defined<'_> {
    /// Returns a plane's number on a square.
    fn number(&self, unit: usize, square: usize, plane: usize) -> f64 {
        let unit = &self.plan.units[unit];
        let [inputs, _] = unit.planes;
        let own = &self.weights[&format!("{}.weight", unit.name)][plane * inputs..][..inputs];
        let products = self.read[square * inputs..].iter().zip(own);
        let products = products.map(|(read, weight)| f64::from(*read) * f64::from(*weight));
        let bias = self.weights[&format!("{}.bias", unit.name)][plane];
        products.sum::<f64>() * f64::from(self.scale) + f64::from(bias)
    }

    fn value(&self, output: usize) -> f64 {
        let squares = self.shape.squares();
        let plane = |plane: usize| (0..squares).map(move |it| self.number(2, it, plane).max(0.0));
        let planes = 0..self.plan.units[2].planes[1];
        let means = planes
            .clone()
            .map(|it| plane(it).sum::<f64>() / squares as f64);
        let pooled: Vec<f64> = means
            .chain(planes.map(|it| plane(it).fold(0.0, f64::max)))
            .collect();
        let row = self.weights["last.weight"][output * pooled.len()..].iter();
        let products = row.zip(&pooled).map(|(weight, it)| f64::from(*weight) * it);
        products.sum::<f64>() + f64::from(self.weights["last.bias"][output])
    }

    fn logit(&self, output: usize) -> f64 {
        if output + 1 == self.shape.policy_len() {
            return self.value(VALUE_LEN - 1);
        }
        let moves = self.plan.units[0].planes[1];
        let mv = Move::from_policy_index(PolicyIndex(output as u16), self.shape).expect("a move");
        let arriving = self.number(1, self.shape.index(mv.to()), mv.direction() as usize);
        self.number(0, output / moves, output % moves) + arriving
    }
}

#[test]
fn numbers_are_those_of_the_definition() {
    for (size, inputs, pooled) in [(7, 5, 3), (9, 32, 16), (11, 48, 33)] {
        let shape = BoardShape::new(size).expect("a board");
        let moves = 4 * (usize::from(size) - 1);
        let (plan, weights) = plan(inputs, moves, pooled);
        let scale = 1.0 / 64.0;
        let mut heads = IntegerHeads::new((&plan, shape), &weights, scale).expect("heads");
        let read = numbers(shape.squares() * inputs, 9);
        let read: Vec<u8> = read.iter().map(|it| (it * 300.0) as u8).collect();
        let defined = Defined {
            shape,
            plan: &plan,
            weights: &weights,
            scale,
            read: &read,
        };
        let is_move =
            |output: &usize| Move::from_policy_index(PolicyIndex(*output as u16), shape).is_some();
        let outputs: Vec<usize> = (0..shape.policy_len()).filter(is_move).collect();
        assert!(outputs.len() > 10 * moves && outputs.contains(&(shape.policy_len() - 1)));
        let close = |found: f32, exact: f64| (f64::from(found) - exact).abs() < 1e-3;
        for is_plain in [false, true] {
            let mut logits = Vec::new();
            let asked = outputs.iter().copied();
            let values = match is_plain {
                false => {
                    let read = ArrayView2::from_shape((shape.squares(), inputs), &read);
                    heads.apply(read.expect("as many numbers"), asked, &mut logits)
                }
                true => heads.compute::<Lanes>(&read, asked, &mut logits),
            };
            let mut all = values.iter().enumerate();
            assert!(
                all.all(|(output, it)| close(*it, defined.value(output))),
                "{values:?}"
            );
            assert_eq!(logits.len(), outputs.len());
            for (found, &output) in logits.iter().zip(&outputs) {
                let exact = defined.logit(output);
                assert!(
                    close(*found, exact),
                    "{size}x{size}, output {output}: {found}, {exact}"
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
