//! Writes a file of openings for `data/openings`: `cargo run --release --example openings -- RULESET COUNT PLIES SEED`.
//!
//! They are drawn at random and kept if the alpha-beta player, looking three turns ahead, finds the
//! position about as good for either side as the start, so that no piece hangs; positions that are
//! mirror images of each other are kept once.

use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_play::openings;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::{Game, Move, Rules, Side, Symmetry};
use tafl_search::AlphaBeta;

/// Turns that the judge looks ahead.
const DEPTH: u32 = 3;
/// How far the judge's scores may lie from that of the start, in hundredths of an attacker.
const MARGIN: i32 = 60;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [ruleset, count, plies, seed] = &arguments[..] else {
        panic!("usage: openings RULESET COUNT PLIES SEED");
    };
    let number = |text: &str| -> u32 { text.parse().expect("a number") };
    let (count, plies, seed) = (number(count), number(plies), number(seed));
    let rules = Rules::preset(ruleset).expect("a ruleset of that name");
    let mut judge = AlphaBeta::new(DEPTH, &rules);
    let start = for_attackers(&mut judge, &mut Game::new(rules.clone()));
    let mut seen = BTreeSet::new();
    let (mut lines, mut drawn) = (Vec::new(), 0);
    for moves in openings(&rules, 100 * count, plies, u64::from(seed)) {
        if lines.len() == count as usize {
            break;
        }
        drawn += 1;
        let mut game = replay(&rules, &moves);
        let score = for_attackers(&mut judge, &mut game);
        if (score - start).abs() <= MARGIN && seen.insert(image(&rules, &moves)) {
            let recorded = RecordedGame::of_game(&game).expect("it began at the start");
            lines.push(recorded.turns_text());
        }
    }
    let lines = lines.join("\n");
    print_out(&format!(
        "# {count} openings of {plies} plies under {ruleset}, of {drawn} drawn at random with seed {seed}: those that alphabeta:{DEPTH}\n\
         # puts within {MARGIN} hundredths of an attacker of the start, mirror images once (examples/openings.rs).\n{lines}\n"
    ));
}

#[expect(clippy::print_stdout, reason = "this program's purpose")]
fn print_out(text: &str) {
    print!("{text}");
}

fn replay(rules: &Arc<Rules>, moves: &[Move]) -> Game {
    let mut game = Game::new(rules.clone());
    for &mv in moves {
        game.play(mv).expect("an opening is legal");
    }
    game
}

fn for_attackers(judge: &mut AlphaBeta, game: &mut Game) -> i32 {
    let score = judge.choose(game).score;
    match game.position().side() {
        Side::Attacker => score,
        Side::Defender => -score,
    }
}

/// Returns a number that mirror images share, where the start position is its own image.
fn image(rules: &Arc<Rules>, moves: &[Move]) -> u64 {
    let shape = rules.shape();
    let images = Symmetry::ALL.into_iter().map(|symmetry| {
        let mut game = Game::new(rules.clone());
        let played = moves
            .iter()
            .all(|&mv| game.play(symmetry.mv(mv, shape)).is_ok());
        if played {
            game.position().key()
        } else {
            u64::MAX
        }
    });
    images.min().expect("there are eight")
}
