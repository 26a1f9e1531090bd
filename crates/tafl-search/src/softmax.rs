//! Softmax over the moves of a position, written so that the compiler takes several moves at once.

/// Numbers taken at once; sums are kept apart by lane, so their order is the same on every machine.
const LANES: usize = 8;

/// Replaces logits by e^(logit - max) and returns max and the sum of what is left.
///
/// Minus infinity becomes 0. The logits need not be sorted; there must be a finite one.
pub(crate) fn exponentials(logits: &mut [f32]) -> (f32, f32) {
    let max = fold(logits, f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    for logit in logits.iter_mut() {
        *logit = exp(*logit - max);
    }
    (max, fold(logits, 0.0, |a, b| a + b))
}

/// Turns logits into probabilities, in place.
pub(crate) fn softmax(logits: &mut [f32]) {
    let (_, sum) = exponentials(logits);
    let share = 1.0 / sum;
    for weight in logits {
        *weight *= share;
    }
}

fn fold(numbers: &[f32], empty: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [empty; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = join(*lane, *number);
        }
    }
    for (lane, number) in lanes.iter_mut().zip(rest) {
        *lane = join(*lane, *number);
    }
    lanes.into_iter().fold(empty, join)
}

/// Returns e^x for x at most 0, to three units in the last place; 0 where it is below 2^-126.
fn exp(x: f32) -> f32 {
    /// Adding it rounds a number of up to 2^22 to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 as a number of few bits, whose products with integers are exact, and the rest of it.
    const LN_2_HIGH: f32 = 355.0 / 512.0;
    const LN_2_LOW: f32 = (std::f64::consts::LN_2 - 355.0 / 512.0) as f32;
    let bounded = if x < -87.0 { -87.0 } else { x };
    let shifted = bounded * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = bounded - whole * LN_2_HIGH - whole * LN_2_LOW;
    // The exponential series, to the term below the last place of numbers up to ln 2 / 2.
    let mut series = 1.0 / 5_040.0;
    for factor in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        series = series * rest + factor;
    }
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()) << 23;
    let exp = f32::from_bits(series.to_bits().wrapping_add(power));
    if x < -87.0 { 0.0 } else { exp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_as_good_as_the_librarys() {
        for step in 0..=870_000 {
            let x = -(step as f32) / 10_000.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 4e-7, "{x}: {} for {expected}", exp(x));
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-100.0), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
    }

    #[test]
    fn probabilities_of_any_number_of_moves_sum_to_one() {
        for moves in 1..40 {
            let logits: Vec<f32> = (0..moves).map(|index| (index % 7) as f32 - 3.0).collect();
            let mut found = logits.clone();
            softmax(&mut found);
            let total: f32 = logits.iter().map(|logit| logit.exp()).sum();
            for (found, logit) in found.iter().zip(&logits) {
                assert!((found - logit.exp() / total).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn great_logits_do_not_overflow() {
        let mut logits = [1e30, -1e30, f32::NEG_INFINITY, 1e30];
        softmax(&mut logits);
        assert_eq!(logits, [0.5, 0.0, 0.0, 0.5]);
    }
}
