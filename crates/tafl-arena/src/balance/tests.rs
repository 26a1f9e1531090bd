//! What the tests share: studies that are constructed, and games of chance whose truth is known.

mod counting;
mod statistics;
mod verdict;

use super::*;
use crate::Estimate;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{EndReason, Side};
use tafl_samples::{Ending, EndingReason, StrengthUnit};

const SAMPLING: Sampling = Sampling {
    draws: 1_000,
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
        precision: None,
        trained_on: None,
    }
}

/// A study with its games.
struct Played {
    study: Study,
    cells: Vec<PlayedCell>,
}

impl Played {
    fn summary(&self) -> Summary {
        self.summary_of_seed(SAMPLING.seed)
    }

    fn summary_of_seed(&self, seed: u64) -> Summary {
        let sampling = Sampling { seed, ..SAMPLING };
        summarize(self.study.clone(), &self.cells, Vec::new(), &sampling)
    }
}

/// A study of rulesets called r0, r1 and so on; games by ruleset, then player.
fn played(rulesets: usize, players: Vec<StudyPlayer>, games: Vec<Vec<StudyGame>>) -> Played {
    let openings = games[0].len() as u32;
    let ruleset = |number: usize| StudyRuleset {
        name: format!("r{number}"),
        fingerprint: format!("{number:016x}"),
        file: None,
        change: None,
        openings,
    };
    let cell = |(place, games): (usize, Vec<StudyGame>)| PlayedCell {
        ruleset: format!("r{}", place / players.len()),
        player: players[place % players.len()].name.clone(),
        games,
        games_files: Vec::new(),
        trained: None,
        strength: None,
    };
    Played {
        cells: games.into_iter().enumerate().map(cell).collect(),
        study: Study {
            name: "s".to_owned(),
            kind: StudyKind::Rulesets,
            seed: 1,
            openings,
            opening_plies: 4,
            opening_policy: None,
            opening_visits: None,
            max_plies: 200,
            rulesets: (0..rulesets).map(ruleset).collect(),
            players,
            people: Vec::new(),
        },
    }
}

/// The same as a study of variants of the first ruleset, each with another value of a field.
fn variants(base: Vec<StudyGame>, others: Vec<Vec<StudyGame>>) -> Played {
    let games: Vec<_> = [base].into_iter().chain(others).collect();
    let mut all = played(games.len(), vec![player(Some(64))], games);
    all.study.kind = StudyKind::Variants;
    for (place, ruleset) in all.study.rulesets.iter_mut().enumerate().skip(1) {
        ruleset.change = Some(FieldChange {
            field: "fort".to_owned(),
            from: "unset".to_owned(),
            to: place.to_string(),
        });
    }
    all
}
