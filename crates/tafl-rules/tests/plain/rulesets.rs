//! Rulesets drawn at random, every field of spec.md 7 varied.

use super::draw::draw_fields;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::num::NonZeroU32;
use tafl_rules::{Escape, KingCapture, Repetition, Ruleset, Switch, preset};

/// A ruleset of any field values; 11x11 mostly, and mostly with what makes rare captures and ends.
pub(crate) fn draw(rng: &mut Xoshiro256PlusPlus) -> Ruleset {
    let copenhagen = preset("copenhagen").expect("a preset");
    let mut drawn = draw_fields(&copenhagen, rng);
    let berserk = drawn.ranks.is_on() && rng.random_bool(0.7);
    let start = match rng.random_range(0..10) {
        0 | 1 => "brandubh",
        2 | 3 => "tablut",
        _ if berserk => "berserk-2024",
        _ => "copenhagen",
    };
    drawn.start = preset(start).expect("a preset").start;
    let limit = match rng.random_range(0..10) {
        0 => Some(rng.random_range(1..=4)),
        1 | 2 => Some(rng.random_range(5..=40)),
        _ => None,
    };
    drawn.captureless_limit = limit.and_then(NonZeroU32::new);
    if rng.random_bool(0.4) {
        drawn.shieldwall = Switch::On;
        drawn.king_armed = Switch::On;
        drawn.throne_hostile = Switch::On;
        drawn.escape = Escape::Corners;
    }
    drawn
}

/// A preset under which repetition is judged by 4.4, on a board of any size.
pub(crate) fn draw_aggressor(rng: &mut Xoshiro256PlusPlus) -> Ruleset {
    let base = preset("berserk-2017").expect("a preset");
    if rng.random_bool(0.4) {
        return base;
    }
    let other = draw(rng);
    Ruleset {
        repetition: Repetition::Aggressor,
        captureless_limit: None,
        encirclement: rng.random_bool(0.2).into(),
        repetition_occurrence: *[2, 3, 3, 3].choose(rng).expect("some"),
        ..other
    }
}

/// The ruleset with edges as the king's goal, where he falls to four.
pub(crate) fn with_edges_to_flee_to(ruleset: Ruleset) -> Ruleset {
    Ruleset {
        escape: Escape::Edges,
        king_capture: KingCapture::FourSides,
        encirclement: Switch::Off,
        ..ruleset
    }
}
