//! How exactly numbers are stored.

use tafl_samples::Sample;

/// Moves of a policy with less probability than this are not stored.
pub const POLICY_FLOOR: f32 = 1.0 / 2048.0;

/// Parts of 1 in which win, draw and loss are counted.
const WDL_STEPS: f32 = 1024.0;

/// Returns a sample as it will be read back from a file.
///
/// Policies keep 5 significant bits of each probability (relative error at most 1/32), wins and losses
/// multiples of 1/1024; both are far below the noise of a search. Divergences keep 5 significant bits too, and
/// are 0 below 1/1024. Moves come by rising policy index.
#[must_use]
pub fn as_stored(mut sample: Sample) -> Sample {
    let search = &mut sample.search;
    let best = search.policy.iter().map(|&(_, p)| p).fold(0.0, f32::max);
    let floor = POLICY_FLOOR.min(best);
    search.policy.retain(|&(_, p)| p >= floor && p > 0.0);
    for (_, p) in &mut search.policy {
        *p = round_probability(*p);
    }
    search.policy.sort_by_key(|&(mv, _)| policy_order(mv));
    search.wdl = round_wdl(search.wdl);
    search.network_wdl = round_wdl(search.network_wdl);
    search.prior_divergence = round_divergence(search.prior_divergence);
    sample
}

/// The order of policy indices, which is the same on every board size.
fn policy_order(mv: tafl_rules::Move) -> (bool, usize, usize, u8) {
    (
        mv.is_end(),
        mv.from().grid_index(),
        mv.direction() as usize,
        mv.distance(),
    )
}

/// Returns the nearest number with 5 significant bits.
fn round_probability(p: f32) -> f32 {
    const DROPPED: u32 = 24 - 5;
    let half = 1 << (DROPPED - 1);
    f32::from_bits((p.to_bits() + half) >> DROPPED << DROPPED)
}

/// Divergences below this are stored as 0.
const DIVERGENCE_FLOOR: f32 = 1.0 / 1024.0;

fn round_divergence(divergence: f32) -> f32 {
    if divergence < DIVERGENCE_FLOOR {
        return 0.0;
    }
    round_probability(divergence)
}

fn round_wdl([win, _, loss]: [f32; 3]) -> [f32; 3] {
    let round = |p: f32| (p.clamp(0.0, 1.0) * WDL_STEPS).round() / WDL_STEPS;
    let win = round(win);
    let loss = round(loss).min(1.0 - win);
    [win, 1.0 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_keep_five_bits() {
        assert_eq!(round_probability(1.0), 1.0);
        assert_eq!(round_probability(0.999), 1.0);
        assert_eq!(round_probability(0.3), 0.296_875);
        for i in 1..10_000 {
            let p = i as f32 / 10_000.0;
            assert!((round_probability(p) / p - 1.0).abs() <= 1.0 / 32.0);
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
