//! Files with bytes changed at random, for fuzz tests of those who read them.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::{Duration, Instant};

/// Calls `check` with three hundred damaged copies of `bytes`; with `TAFL_SLOW=1` for ten minutes.
pub(crate) fn damaged(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    let slow = std::env::var_os("TAFL_SLOW").is_some();
    let (begin, mut rng) = (Instant::now(), Xoshiro256PlusPlus::seed_from_u64(7));
    let mut done = 0;
    while done < 300 || slow && begin.elapsed() < Duration::from_secs(600) {
        let mut copy = bytes.to_vec();
        for _ in 0..rng.random_range(1..6) {
            change(&mut copy, &mut rng);
        }
        check(&copy);
        done += 1;
    }
}

/// Changes, adds, removes or moves some bytes; half of the time near the end, where Parquet says what is where.
fn change(bytes: &mut Vec<u8>, rng: &mut Xoshiro256PlusPlus) {
    if bytes.is_empty() {
        return;
    }
    let first = match rng.random_bool(0.5) {
        true => bytes.len().saturating_sub(2000),
        false => 0,
    };
    let at = rng.random_range(first..bytes.len());
    match rng.random_range(0..6) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = rng.random(),
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][rng.random_range(0..5)],
        3 => bytes.truncate(at),
        4 => bytes.insert(at, rng.random()),
        _ => {
            let end = (at + rng.random_range(1..40)).min(bytes.len());
            let part: Vec<u8> = bytes.drain(at..end).collect();
            let to = rng.random_range(0..=bytes.len());
            bytes.splice(to..to, part);
        }
    }
}
