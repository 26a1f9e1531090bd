//! Test vectors of an export: positions from the middle of a game, their planes, and what the stored weights give.

use super::stored::{Named, POSITIONS, planes as planes_of, positions};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::{Game, Piece, RankOrder, Rules, Setup, Side};
use tafl_samples::{Facts, MARKED_PLANES, plane_names};

/// Moves of the policy that are listed.
const MOVES: usize = 5;

/// A position, its planes, and what the network says of it.
#[derive(Serialize)]
pub(super) struct TestVector {
    pub(super) ruleset: String,
    pub(super) position: String,
    pub(super) side: Side,
    pub(super) chain: Option<String>,
    pub(super) last_move: Option<String>,
    pub(super) occurrences: u32,
    pub(super) captureless: u32,
    pub(super) planes: BTreeMap<&'static str, PlaneNumbers>,
    pub(super) policy: Vec<(String, f32)>,
    pub(super) outputs: Named,
}

/// The numbers of a plane.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum PlaneNumbers {
    /// The squares with a 1, separated by spaces; 0 elsewhere.
    Squares(String),
    /// The number that all squares have.
    Everywhere(f32),
}

/// Returns the vectors, of positions on which the weights were checked and gave `outputs`.
pub(super) fn vectors(rules: &[Arc<Rules>], outputs: &Named) -> Vec<TestVector> {
    let games: Vec<Vec<Game>> = rules.iter().map(|it| positions(it, POSITIONS)).collect();
    let later = |of_rules: usize| -> Vec<(usize, usize)> {
        let places = (0..POSITIONS).filter(|&place| !games[of_rules][place].moves().is_empty());
        places.map(|place| (of_rules, place)).collect()
    };
    // One of the middle of a game of each ruleset, and what these do not show.
    let mut chosen: Vec<(usize, usize)> = (0..games.len())
        .filter_map(|of_rules| later(of_rules).get(POSITIONS / 2).copied())
        .collect();
    for shows in SHOWN {
        let is_shown = |&(of_rules, place): &(usize, usize)| shows(&games[of_rules][place]);
        if !chosen.iter().any(is_shown) {
            chosen.extend((0..games.len()).flat_map(later).find(is_shown));
        }
    }
    let vector = |(of_rules, place): (usize, usize)| {
        vector(
            &games[of_rules][place],
            of_rules * POSITIONS + place,
            outputs,
        )
    };
    chosen.into_iter().map(vector).collect()
}

/// What an encoder may get wrong without a position that shows it: a piece within a chain, ranks, a position that occurred
/// before, and a limit of moves without a capture.
const SHOWN: [fn(&Game) -> bool; 4] = [
    |game| game.position().chain().is_some(),
    |game| !game.position().pieces_of_kind(Piece::Knight).is_empty(),
    |game| Facts::of(game).occurrences > 1,
    |game| game.position().captureless() > 0 && game.rules().ruleset().captureless_limit.is_some(),
];

/// Returns a position with what stands in a row of the outputs.
fn vector(game: &Game, row: usize, outputs: &Named) -> TestVector {
    let (rules, facts) = (game.rules(), Facts::of(game));
    let shape = rules.shape();
    let rows = |name: &str| outputs[name].len() / outputs["moves_left"].len();
    let row_of = |name: &str| &outputs[name][row * rows(name)..][..rows(name)];
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    let logit = |mv: &tafl_rules::Move| {
        let index = usize::from(mv.policy_index(shape).0);
        (mv.to_string(), row_of("policy")[index])
    };
    let mut policy: Vec<(String, f32)> = legal.iter().map(logit).collect();
    policy.sort_by(|one, other| other.1.total_cmp(&one.1));
    policy.truncate(MOVES);
    let names = outputs.keys().filter(|name| **name != "policy");
    TestVector {
        ruleset: rules.ruleset().name.clone(),
        position: Setup::of(game.position(), shape).to_text(RankOrder::HighestFirst),
        side: facts.side,
        chain: facts.chain.map(|square| square.to_string()),
        last_move: facts.last_move.map(|mv| mv.to_string()),
        occurrences: facts.occurrences,
        captureless: facts.captureless,
        planes: planes(game),
        policy,
        outputs: names.map(|name| (*name, row_of(name).to_vec())).collect(),
    }
}

fn planes(game: &Game) -> BTreeMap<&'static str, PlaneNumbers> {
    let shape = game.rules().shape();
    let numbers = planes_of([game], Facts::of);
    let planes = numbers.chunks_exact(shape.squares()).enumerate();
    let shown = planes.filter(|(_, numbers)| numbers.iter().any(|number| *number != 0.0));
    let shown = shown.map(|(plane, numbers)| {
        let squares = (0..shape.squares()).filter(|&square| numbers[square] == 1.0);
        let squares: Vec<String> = squares.map(|it| shape.square(it).to_string()).collect();
        let numbers = match plane < MARKED_PLANES {
            true => PlaneNumbers::Squares(squares.join(" ")),
            false => PlaneNumbers::Everywhere(numbers[0]),
        };
        (plane_names()[plane], numbers)
    });
    shown.collect()
}
