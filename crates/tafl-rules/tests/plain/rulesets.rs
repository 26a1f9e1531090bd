//! Rulesets drawn at random, every field of spec.md 7 varied that a game knows of.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::num::NonZeroU32;
use tafl_rules::{
    CapturelessReason, Chain, Escape, KingCapture, NoMove, Repetition, Ruleset, Side, Switch,
    preset,
};

fn switch(rng: &mut Xoshiro256PlusPlus, chance: f64) -> Switch {
    Switch::from(rng.random_bool(chance))
}

fn one_of<T: Copy>(rng: &mut Xoshiro256PlusPlus, all: &[T]) -> T {
    *all.choose(rng).expect("an enum has values")
}

/// A ruleset of any field values; 11x11 mostly.
pub(crate) fn draw(rng: &mut Xoshiro256PlusPlus) -> Ruleset {
    let ranks = switch(rng, 0.55);
    let berserk = ranks.is_on() && rng.random_bool(0.7);
    let base = match rng.random_range(0..10) {
        0 | 1 => "brandubh",
        2 | 3 => "tablut",
        _ if berserk => "berserk-2024",
        _ => "copenhagen",
    };
    let base = preset(base).expect("a preset");
    let limit = match rng.random_range(0..10) {
        0 => Some(rng.random_range(1..=4)),
        1 | 2 => Some(rng.random_range(5..=40)),
        _ => None,
    };
    Ruleset {
        name: "drawn".into(),
        shieldwall: switch(rng, 0.7),
        edge_fort: switch(rng, 0.6),
        encirclement: switch(rng, 0.5),
        ranks,
        jump_hostile: switch(rng, 0.5),
        chain: one_of(rng, Chain::ALL),
        no_move: one_of(rng, NoMove::ALL),
        repetition: one_of(rng, Repetition::ALL),
        captureless_limit: limit.and_then(NonZeroU32::new),
        captureless_reason: one_of(rng, CapturelessReason::ALL),
        escape: if rng.random_bool(0.75) {
            Escape::Corners
        } else {
            Escape::Edges
        },
        king_capture: one_of(rng, KingCapture::ALL),
        king_armed: switch(rng, 0.7),
        throne_hostile: switch(rng, 0.7),
        // A game knows nothing of its match.
        match_format: base.match_format,
        // What files call `moves_first`.
        start: base.start.with_side(one_of(rng, &Side::ALL)),
    }
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
        encirclement: switch(rng, 0.2),
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
