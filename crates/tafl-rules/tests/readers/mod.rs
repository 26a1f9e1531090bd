//! The laws of the readers on seeds, kept findings and mutations of them; `fuzz/` looks further.

mod consistency;
mod laws;
mod notation_laws;

use laws::LAWS;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::panic::catch_unwind;
use std::path::Path;

/// Reads the files of `fuzz/FOLDER/NAME`, by name.
fn files(folder: &str, name: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz")
        .join(folder)
        .join(name);
    let Ok(files) = std::fs::read_dir(&path) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let read = |path| std::fs::read(path).expect("a readable file");
    paths.into_iter().map(read).collect()
}

/// Checks a law and names the text for which it does not hold.
fn check(name: &str, bytes: &[u8]) {
    if catch_unwind(|| laws::check(name, bytes)).is_err() {
        let text = String::from_utf8_lossy(bytes);
        panic!("the law of {name} does not hold for {text:?}");
    }
}

#[test]
fn the_laws_hold_for_every_seed() {
    for (name, _) in LAWS {
        let seeds = files("seeds", name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for bytes in seeds {
            check(name, &bytes);
        }
    }
}

#[test]
fn the_laws_hold_for_every_kept_finding() {
    for (name, _) in LAWS {
        for bytes in files("regressions", name) {
            check(name, &bytes);
        }
    }
}

#[test]
fn the_laws_hold_for_mutated_seeds() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for (name, _) in LAWS {
        let mut pool = files("seeds", name);
        pool.extend(files("regressions", name));
        for _ in 0..6_000 {
            check(name, &mutated(&pool, &mut random));
        }
    }
}

#[test]
fn the_laws_hold_for_a_megabyte_of_anything() {
    for part in [
        "1", "/", "K", "a1-a2 ", "a1-", "xa1", "end ", "[", "a=[", "\n", "dim:7 ", "é",
    ] {
        let text = part.repeat(1_000_000 / part.len());
        for (name, _) in LAWS {
            check(name, text.as_bytes());
            check(name, format!("a {text}").as_bytes());
            check(name, format!("a1-a2{text}").as_bytes());
        }
    }
}

/// Returns one of the texts with up to four changes, some of them taken from another one.
fn mutated(pool: &[Vec<u8>], random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let [text, other] = [0, 1].map(|_| pool.choose(random).expect("seeds"));
    let mut text = text.clone();
    for _ in 0..random.random_range(1..=4) {
        let [begin, end] = part(text.len(), random);
        let [other_begin, other_end] = part(other.len(), random);
        match random.random_range(0..5) {
            0 => drop(text.drain(begin..end)),
            1 => drop(text.splice(begin..end, other[other_begin..other_end].iter().copied())),
            2 => drop(text.splice(begin..begin, text[begin..end].to_vec())),
            3 => text.insert(begin, random.random()),
            // Letters and digits of the same kind of text are read further than any byte.
            _ => text.insert(begin, *other.choose(random).unwrap_or(&b' ')),
        }
    }
    text
}

/// Returns the bounds of a part, short ones more often.
fn part(length: usize, random: &mut Xoshiro256PlusPlus) -> [usize; 2] {
    let begin = random.random_range(0..=length);
    let most = if random.random_bool(0.7) { 3 } else { length };
    let end = random.random_range(begin..=length.min(begin + most));
    [begin, end]
}
