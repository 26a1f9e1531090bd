//! How exactly numbers are stored.

use tafl_rules::{BoardShape, Move};

/// Moves of a policy with less probability than this are not stored.
const POLICY_FLOOR: f32 = 1.0 / 2048.0;

/// Returns a policy by rising index, with 5 significant bits of each probability: an error of at most 1/32, far below the
/// noise of a search.
pub(crate) fn round_policy(policy: &[(Move, f32)], shape: BoardShape) -> Vec<(Move, f32)> {
    let best = policy.iter().map(|&(_, p)| p).fold(0.0, f32::max);
    let is_kept = |p: f32| p >= POLICY_FLOOR.min(best) && p > 0.0;
    let kept = policy.iter().filter(|&&(_, p)| is_kept(p));
    let mut kept: Vec<_> = kept.map(|&(mv, p)| (mv, five_bits(p))).collect();
    kept.sort_unstable_by_key(|&(mv, _)| mv.policy_index(shape).0);
    kept
}

/// Returns the nearest number with 5 significant bits.
pub(crate) fn five_bits(number: f32) -> f32 {
    const DROPPED: u32 = 24 - 5;
    let half = 1 << (DROPPED - 1);
    f32::from_bits((number.to_bits() + half) >> DROPPED << DROPPED)
}

/// Returns a divergence with 5 significant bits; below 1/1024 it is as good as 0.
pub(crate) fn round_nats(nats: f32) -> f32 {
    if nats < 1.0 / 1024.0 {
        return 0.0;
    }
    five_bits(nats)
}

/// Returns win, draw and loss as multiples of 1/1024 that sum to 1.
pub(crate) fn round_wdl([win, _, loss]: [f32; 3]) -> [f32; 3] {
    let round = |p: f32| (p.clamp(0.0, 1.0) * 1024.0).round() / 1024.0;
    let win = round(win);
    let loss = round(loss).min(1.0 - win);
    [win, 1.0 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_keep_five_bits() {
        assert_eq!(five_bits(1.0), 1.0);
        assert_eq!(five_bits(0.999), 1.0);
        assert_eq!(five_bits(0.3), 0.296_875);
        for i in 1..10_000 {
            let p = i as f32 / 10_000.0;
            assert!((five_bits(p) / p - 1.0).abs() <= 1.0 / 32.0);
        }
    }

    #[test]
    fn wins_and_losses_still_sum_to_one() {
        assert_eq!(round_wdl([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0]);
        assert_eq!(
            round_wdl([0.3, 0.4, 0.3]),
            [307.0 / 1024.0, 410.0 / 1024.0, 307.0 / 1024.0]
        );
        assert_eq!(
            round_wdl([0.500_5, 0.0, 0.499_5]),
            [513.0 / 1024.0, 0.0, 511.0 / 1024.0]
        );
    }
}
