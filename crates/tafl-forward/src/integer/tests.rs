//! Every way of computing against the definition.

use super::*;

/// Computes one sum by the definition; `squares` are the inputs `[squares, inputs]`.
fn defined(grid: Grid, squares: &[i16], weights: &[i8], square: usize) -> i32 {
    let inputs = squares.len() / grid.squares();
    let size = grid.squares().isqrt();
    let taps = (0..9).filter_map(|tap| {
        let rank = (square / size + tap / 3).checked_sub(1)?;
        let file = (square % size + tap % 3).checked_sub(1)?;
        (rank < size && file < size).then_some((tap, rank * size + file))
    });
    let products = taps.flat_map(|(tap, seen)| {
        let product = move |input: usize| {
            i32::from(weights[9 * input + tap]) * i32::from(squares[seen * inputs + input])
        };
        (0..inputs).map(product)
    });
    products.sum()
}

/// Computes in every way that the processor has, of what was in the outputs before.
fn ways(
    conv: &IntegerConvolution,
    grid: Grid,
    input: &[Wholes],
    before: &[Wholes],
) -> Vec<Vec<Wholes>> {
    let ways: [&dyn Fn(&mut IntegerJob<'_>); 3] = [
        &|job| conv.apply(job),
        &|job| conv.apply_by_vectors(job),
        &|job| conv.compute::<Plain>(job),
    ];
    let compute = |way: &dyn Fn(&mut IntegerJob<'_>)| {
        let mut output = before.to_vec();
        way(&mut IntegerJob {
            grid,
            input,
            output: &mut output,
            added: Some(0.5),
            scratch: &mut IntegerScratch::default(),
        });
        output
    };
    ways.into_iter().map(compute).collect()
}

#[test]
fn sums_are_exact() {
    let mut state = 1_u32;
    let mut number = move |most: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % (most + 1)
    };
    for (size, inputs, outputs, extreme) in [
        (7, 5, 11, false),
        (9, 16, 33, false),
        (11, 40, 3, false),
        (11, 48, 2, true),
    ] {
        let grid = Grid::new(size);
        let mut weight = || match extreme {
            true => 127 - 254 * i32::try_from(number(1)).unwrap(),
            false => i32::try_from(number(254)).unwrap() - 127,
        };
        let weights: Vec<i8> = (0..outputs * inputs * 9).map(|_| weight() as i8).collect();
        let mut activation = || if extreme { 255 } else { number(255) as i16 };
        let squares: Vec<i16> = (0..grid.squares() * inputs).map(|_| activation()).collect();
        let blocks = inputs.div_ceil(LANES);
        let mut input = vec![[0; LANES]; grid.cells() * blocks];
        for (place, &it) in squares.iter().enumerate() {
            let cell = grid.cell(place / inputs);
            input.as_flattened_mut()[cell * blocks * LANES + place % inputs] = it;
        }
        let before: Vec<Wholes> = (0..grid.cells() * outputs.div_ceil(LANES))
            .map(|_| [number(255) as i16; LANES])
            .collect();
        // Ones of the sums show in the outputs, one sum after the other.
        for (output, square) in [
            (0, 0),
            (outputs - 1, grid.squares() - 1),
            (outputs / 2, size + 3),
        ] {
            let sum = defined(
                grid,
                &squares,
                &weights[output * inputs * 9..][..inputs * 9],
                square,
            );
            let mut bias = vec![0.0; outputs];
            bias[output] = 100.0 - sum as f32;
            let conv = IntegerConvolution::new(inputs, &weights, &vec![1.0; outputs], &bias);
            for out in ways(&conv, grid, &input, &before) {
                let place = grid.cell(square) * outputs.div_ceil(LANES) + output / LANES;
                let added = f32::from(before[place][output % LANES]) / 2.0;
                let expected = (added + 100.0).round_ties_even() as i16;
                assert_eq!(
                    out[place][output % LANES],
                    expected,
                    "{size} {inputs}: {sum}"
                );
                assert_eq!(out[0], before[0], "the rim");
            }
        }
    }
}

#[test]
fn the_largest_sums_of_200_planes_fit() {
    let (grid, inputs) = (Grid::new(11), 200);
    let weights = vec![127; inputs * 9];
    let input = vec![[255; LANES]; grid.cells() * inputs.div_ceil(LANES)];
    let most = 9.0 * 200.0 * 255.0 * 127.0;
    let conv = IntegerConvolution::new(inputs, &weights, &[200.0 / most], &[0.0]);
    let before = vec![[0; LANES]; grid.cells()];
    for out in ways(&conv, grid, &input, &before) {
        assert_eq!(out[grid.cell(60)][0], 200);
    }
}
