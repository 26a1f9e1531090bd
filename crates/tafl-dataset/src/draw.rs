//! Which positions of a window are drawn.

use crate::WindowIndex;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Draws positions from `len` without replacement, until all have been drawn.
pub(crate) fn draw_evenly(len: u32, count: usize, seed: u64) -> Vec<WindowIndex> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(count);
    let mut pass: Vec<WindowIndex> = (0..len).map(WindowIndex).collect();
    while drawn.len() < count && !pass.is_empty() {
        let (next, _) = pass.partial_shuffle(&mut rng, count - drawn.len());
        drawn.extend_from_slice(next);
    }
    drawn
}

/// Draws positions, each in proportion to its weight.
///
/// In each pass of as many draws as there are weights, or fewer, a position comes as often as expected, rounded up
/// or down: systematic sampling along a random order. Weights are at least 0.
pub(crate) fn draw_weighted(weights: &[f32], count: usize, seed: u64) -> Vec<WindowIndex> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let mut drawn: Vec<WindowIndex> = Vec::with_capacity(count);
    if sum <= 0.0 {
        return drawn;
    }
    let mut order: Vec<u32> = (0..weights.len() as u32).collect();
    while drawn.len() < count {
        order.shuffle(&mut rng);
        let begin = drawn.len();
        let draws = (count - begin).min(weights.len());
        let step = sum / draws as f64;
        // A position is drawn once for each of the marks, a step apart, that lie on its stretch of the sum.
        let mut mark = rng.random::<f64>() * step;
        let mut end = 0.0;
        for &index in &order {
            end += f64::from(weights[index as usize]);
            while mark < end && drawn.len() < begin + draws {
                drawn.push(WindowIndex(index));
                mark += step;
            }
        }
        // Rounding may leave the last mark behind the end of the sum.
        let last = order.last().map(|&index| WindowIndex(index));
        drawn.extend(last.filter(|_| drawn.len() < begin + draws));
        drawn[begin..].shuffle(&mut rng);
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(drawn: &[WindowIndex], len: usize) -> Vec<usize> {
        let mut counts = vec![0; len];
        drawn.iter().for_each(|index| counts[index.0 as usize] += 1);
        counts
    }

    #[test]
    fn weights_set_how_often_a_position_comes() {
        let weights = [0.5, 2.5, 1.0, 0.0, 1.0, 1.0];
        let mut all = [0; 6];
        for seed in 0..2000 {
            let drawn = draw_weighted(&weights, 6, seed);
            assert_eq!(drawn.len(), 6);
            for ((count, weight), sum) in counts(&drawn, 6).into_iter().zip(weights).zip(&mut all) {
                assert!((count as f32 - weight).abs() < 1.0, "{count} for {weight}");
                *sum += count;
            }
        }
        for (sum, weight) in all.into_iter().zip(weights) {
            let mean = f64::from(sum as u32) / 2000.0;
            assert!(
                (mean - f64::from(weight)).abs() < 0.05,
                "{mean} for {weight}"
            );
        }
    }

    #[test]
    fn equal_weights_draw_everyone_before_anyone_again() {
        let drawn = draw_weighted(&[1.0; 100], 250, 3);
        assert_eq!(drawn.len(), 250);
        assert_eq!(counts(&drawn[..100], 100), [1; 100]);
        assert_eq!(counts(&drawn[100..200], 100), [1; 100]);
        assert!(counts(&drawn[200..], 100).iter().all(|&count| count <= 1));
        assert_eq!(drawn, draw_weighted(&[1.0; 100], 250, 3));
        assert_ne!(drawn, draw_weighted(&[1.0; 100], 250, 4));
        assert!(draw_weighted(&[], 5, 1).is_empty());
    }
}
