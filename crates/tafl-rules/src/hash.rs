//! Hashes that are the same on every machine.

/// A hash that is the same on every machine and in every version (FNV-1a, 64 bits).
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Returns bits in which every bit depends on every given one: the output of `SplitMix64` (Steele, Lea, Flood 2014).
pub(crate) const fn scramble(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Returns the seed of what `path` names below `seed`: a generation, a game, a player.
///
/// Starting with the bits of `seed` mixed, each number of the path is xored in after a
/// multiplication by the golden ratio's odd 64-bit neighbor, and the sum is mixed again. Self-play
/// game `i` of generation `g` has the seed `derive_seed(run_seed, &[g, i])`.
pub fn derive_seed(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(scramble(seed), |sum, &number| {
        scramble(sum ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    })
}

/// Random numbers, one a piece and square, whose exclusive or is a position's key.
pub(crate) mod zobrist {
    use crate::{Piece, Side, Square};

    const KEYS: [u64; 5 * 128 + 1] = {
        let mut keys = [0; 5 * 128 + 1];
        let mut state: u64 = 0x7461_666c_666f_7267;
        let mut index = 0;
        while index < keys.len() {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            keys[index] = super::scramble(state);
            index += 1;
        }
        keys
    };

    pub(crate) const fn piece(piece: Piece, square: Square) -> u64 {
        KEYS[piece as usize * 128 + square.grid_index()]
    }

    pub(crate) const fn side(side: Side) -> u64 {
        match side {
            Side::Attacker => 0,
            Side::Defender => KEYS[5 * 128],
        }
    }
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
