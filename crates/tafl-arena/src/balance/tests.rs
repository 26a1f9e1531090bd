//! What the tests share: studies that are constructed, and games of chance whose truth is known.

mod counting;
mod repetition;
mod statistics;
mod verdict;

use super::*;
use crate::Estimate;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{EndReason, Escape, Side};
use tafl_samples::{Ending, EndingReason, StrengthUnit};

const SAMPLING: Sampling = Sampling {
    draws: 1_000,
    resamples: 500,
    seed: 1,
};

/// How a game of chance ends, with the chances of wins and draws of the attackers.
fn outcome(rng: &mut Xoshiro256PlusPlus, chances: [f64; 2]) -> Ending {
    ending(rng.random(), chances)
}

/// How it ends where the number drawn is this.
fn ending(number: f64, [win, draw]: [f64; 2]) -> Ending {
    let (winner, reason) = if number < win {
        (Some(Side::Attacker), EndReason::KingCaptured)
    } else if number < win + draw {
        (None, EndReason::Captureless)
    } else {
        (Some(Side::Defender), EndReason::KingEscaped)
    };
    Ending {
        winner,
        reason: EndingReason::Rule(reason),
    }
}

fn game(opening: u64, ending: Ending) -> StudyGame {
    StudyGame {
        opening,
        ending,
        moves: Vec::new(),
        last: opening,
        captures: [0; 2],
        plies: [0; 2],
        choices: [0; 2],
        values: Vec::new(),
    }
}

fn games(rng: &mut Xoshiro256PlusPlus, chances: [f64; 2], count: u64) -> Vec<StudyGame> {
    (0..count)
        .map(|opening| game(opening, outcome(rng, chances)))
        .collect()
}

fn cell(games: Vec<StudyGame>) -> StudyCell {
    StudyCell {
        games,
        games_files: Vec::new(),
        samples_files: Vec::new(),
        trained: None,
        strength: None,
    }
}

fn player(strength: Option<u32>) -> StudyPlayer {
    StudyPlayer {
        name: strength.map_or("p".to_owned(), |visits| format!("p@{visits}")),
        title: strength.map_or("p".to_owned(), |visits| format!("p, {visits} visits")),
        family: "p".to_owned(),
        unit: match strength {
            Some(_) => StrengthUnit::Visits,
            None => StrengthUnit::None,
        },
        strength,
        weights_sha256: None,
        trained_on: None,
    }
}

/// A study of rulesets called r0, r1 and so on; cells by ruleset, then player.
fn study(rulesets: usize, players: Vec<StudyPlayer>, cells: Vec<Vec<StudyGame>>) -> Study {
    let openings = cells[0].len() as u32;
    let ruleset = |number: usize| StudyRuleset {
        name: format!("r{number}"),
        fingerprint: String::new(),
        file: None,
        change: None,
        openings,
    };
    Study {
        name: "s".to_owned(),
        kind: StudyKind::Rulesets,
        seed: 1,
        openings,
        opening_plies: 4,
        opening_policy: None,
        opening_visits: None,
        max_plies: 200,
        rulesets: (0..rulesets)
            .map(|it| (ruleset(it), Escape::Corners))
            .collect(),
        players,
        cells: cells.into_iter().map(cell).collect(),
        probes: Vec::new(),
        people: Vec::new(),
        repeats: None,
    }
}

fn covers(estimate: &Estimate, truth: f64) -> bool {
    estimate.low <= truth && truth <= estimate.high
}
