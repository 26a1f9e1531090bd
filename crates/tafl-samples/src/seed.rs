//! Seeds made of seeds.

/// Returns the seed of what `path` names below `seed`: a generation, a game, a player.
///
/// Starting with the bits of `seed` mixed, each number of the path is xored in after a
/// multiplication by the golden ratio's odd 64-bit neighbor, and the sum is mixed again; mixing is
/// `SplitMix64`'s finalizer (Steele et al. 2014). Self-play game `i` of generation `g` has the seed
/// `derive_seed(run_seed, &[g, i])`.
#[must_use]
pub fn derive_seed(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(mix(seed), |sum, &number| {
        mix(sum ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    })
}

const fn mix(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn neighboring_seeds_generations_and_games_share_no_seed() {
        let mut seen = BTreeSet::new();
        for seed in 0..20 {
            for generation in 0..20 {
                for game in 0..50 {
                    assert!(seen.insert(derive_seed(seed, &[generation, game])));
                }
            }
        }
        assert_ne!(derive_seed(1, &[2, 3]), derive_seed(1, &[3, 2]));
        assert_ne!(derive_seed(1, &[2]), derive_seed(1, &[2, 0]));
    }

    #[test]
    fn seeds_stay_the_same_from_version_to_version() {
        assert_eq!(derive_seed(0, &[]), 0);
        assert_eq!(derive_seed(1, &[]), 0x5692_161d_100b_05e5);
    }
}
