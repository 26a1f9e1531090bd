//! Which positions of a window are drawn.

use crate::WindowIndex;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Draws positions from `len` without replacement, until all have been drawn.
pub(crate) fn draw(len: u32, count: usize, seed: u64) -> Vec<WindowIndex> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(count);
    let mut pass: Vec<WindowIndex> = (0..len).map(WindowIndex).collect();
    while drawn.len() < count && !pass.is_empty() {
        let (next, _) = pass.partial_shuffle(&mut rng, count - drawn.len());
        drawn.extend_from_slice(next);
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_is_drawn_before_anyone_again() {
        let drawn = draw(100, 250, 3);
        assert_eq!(drawn.len(), 250);
        let sorted = |drawn: &[WindowIndex]| {
            let mut numbers: Vec<u32> = drawn.iter().map(|index| index.0).collect();
            numbers.sort_unstable();
            numbers
        };
        let all: Vec<u32> = (0..100).collect();
        assert_eq!(sorted(&drawn[..100]), all);
        assert_eq!(sorted(&drawn[100..200]), all);
        let mut last = sorted(&drawn[200..]);
        last.dedup();
        assert_eq!(last.len(), 50);
        assert_eq!(drawn, draw(100, 250, 3));
        assert_ne!(drawn, draw(100, 250, 4));
        assert!(draw(0, 5, 1).is_empty());
    }
}
