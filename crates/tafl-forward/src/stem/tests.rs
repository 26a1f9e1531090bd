//! Every way of computing against the definition.

use super::*;
use ndarray::{Array2, Array3};

/// Numbers from -1 to 1 that look random.
pub(crate) fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let number = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(number).collect()
}

/// Returns planes of which some are marked here and there, and the others are the same everywhere.
fn planes(size: usize) -> Array3<f32> {
    let random = numbers(size * size * PLANES, 7);
    Array3::from_shape_fn((size, size, PLANES), |(rank, file, plane)| {
        let number = random[(rank * size + file) * PLANES + plane];
        match plane {
            plane if plane >= MARKED_PLANES => random[plane].max(0.0),
            // One in four, and one plane everywhere.
            plane => f32::from(number > 0.5 || plane == 3),
        }
    })
}

/// Computes an output of a square by the definition.
fn defined(planes: &Array3<f32>, weights: &[f32], (rank, file): (usize, usize)) -> f64 {
    let size = planes.dim().0;
    let mut sum = 0.0;
    for tap in 0..TAPS {
        let seen =
            [rank + tap / 3, file + tap % 3].map(|at| at.checked_sub(1).filter(|at| *at < size));
        if let [Some(rank), Some(file)] = seen {
            for plane in 0..PLANES {
                let weight = f64::from(weights[plane * TAPS + tap]);
                sum += weight * f64::from(planes[[rank, file, plane]]);
            }
        }
    }
    sum
}

#[test]
fn outputs_are_the_nearest_integers() {
    for (size, outputs) in [(7, 5), (9, 33), (11, 48), (11, 150)] {
        // Sums of some hundreds, as those of a network whose outputs fill their range.
        let weights = numbers(outputs * PLANES * TAPS, 1);
        let weights: Vec<f32> = weights.iter().map(|it| 20.0 * it).collect();
        let biases: Vec<f32> = numbers(outputs, 2).iter().map(|it| 90.0 * it).collect();
        let kernels = ArrayView4::from_shape((outputs, PLANES, 3, 3), &weights);
        let kernels = kernels.expect("as many numbers");
        let mut stem = Stem::new(kernels, ArrayView1::from(&biases), 1.0);
        let mut marked = StemPlanes::new(size);
        let planes = planes(size);
        // What was there before does not count.
        marked.read(Array3::ones((size, size, PLANES)).view());
        marked.read(planes.view());
        let mut found = Array2::<u8>::ones((size * size, outputs));
        stem.apply(&marked, found.view_mut());
        let mut plain = vec![1; found.len()];
        stem.compute_by::<Plain>(&marked, &mut Bytes(outputs, &mut plain));
        let (mut inner, mut cut) = (0, 0);
        for (place, (found, plain)) in found.iter().zip(plain).enumerate() {
            let (square, output) = (place / outputs, place % outputs);
            let own = &weights[output * PLANES * TAPS..][..PLANES * TAPS];
            let sum = defined(&planes, own, (square / size, square % size));
            let exact = (sum + f64::from(biases[output])).clamp(0.0, 255.0);
            for found in [*found, plain] {
                // Half for the integer, the rest for the tables.
                let off = (f64::from(found) - exact).abs();
                assert!(
                    off < 0.75,
                    "{size}x{size}, output {output} of {square}: {found} for {exact}"
                );
            }
            inner += usize::from(exact > 0.0 && exact < 255.0);
            cut += usize::from(exact == 255.0);
        }
        assert!(
            inner > outputs && cut > 0,
            "{inner} of {} within the range",
            size * size * outputs
        );
    }
}

#[test]
fn planes_of_a_position_are_those_that_are_read() {
    for ruleset in ["berserk-2024", "brandubh", "tablut"] {
        let rules = Rules::preset(ruleset).expect("a preset");
        let mut game = tafl_rules::Game::new(rules);
        let mut moves = Vec::new();
        for ply in 0..30 {
            game.legal_moves(&mut moves);
            game.play(moves[ply * 7 % moves.len()]).expect("legal");
            if game.outcome().is_some() {
                break;
            }
            let size = usize::from(game.rules().shape().size());
            let mut numbers = Array3::zeros((size, size, PLANES));
            let facts = Facts::of(&game);
            tafl_samples::encode(&facts, game.rules(), numbers.view_mut());
            let [mut own, mut read] = [StemPlanes::new(size), StemPlanes::new(size)];
            own.encode(&facts, game.rules());
            read.read(numbers.view());
            assert_eq!(own.sets, read.sets, "{ruleset}");
            assert_eq!(own.uniform, read.uniform, "{ruleset}");
        }
    }
}
