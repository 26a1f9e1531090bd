//! An evaluator of one's own, without a network, beside one that knows nothing.
//!
//! `cargo run --release -p tafl-search --example own_evaluator` gives it to either side of Brandubh, where searches that know
//! nothing win with the defenders.

#![expect(clippy::print_stdout, reason = "an example prints its findings")]

use tafl_rules::{Bitboard, Game, IllegalMove, Rules, Side, derive_seed};
use tafl_search::{
    Evaluation, Evaluator, Leaf, Mode, MoverWdl, Search, SearchConfig, UniformEvaluator, run,
};

/// Counts pieces, and how far the king is from where he wins.
struct Judge;

impl Evaluator for Judge {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        for leaf in leaves {
            let position = leaf.game.position();
            let [attackers, defenders] = Side::ALL.map(|side| position.pieces(side).count() as f32);
            let lead = 0.3 * (attackers - 2.0 * (defenders - 1.0)) + 0.5 * turns_to_goal(leaf.game);
            let win = 0.5 + 0.5 * (lead - 1.0).tanh();
            let wdl = MoverWdl {
                win,
                draw: 0.0,
                loss: 1.0 - win,
            };
            evaluations.push(Evaluation {
                // All moves are equally likely; a network would say which are worth a visit.
                logits: vec![0.0; leaf.moves.len()],
                // What the attackers expect, turned to the side to move.
                wdl: match position.side() {
                    Side::Attacker => wdl,
                    Side::Defender => wdl.for_opponent(),
                },
                moves_left: 30.0,
            });
        }
    }
}

/// Returns the king's moves to a goal if nobody else moved, 6 if there is no way.
fn turns_to_goal(game: &Game) -> f32 {
    let (rules, position) = (game.rules(), game.position());
    let free = rules.shape().board() - position.occupied();
    let mut reached = Bitboard::EMPTY.with(position.king());
    let mut turns = 0.0;
    while (reached & rules.goals()).is_empty() && turns < 6.0 {
        reached |= reached.lines(free);
        turns += 1.0;
    }
    turns
}

fn main() -> Result<(), IllegalMove> {
    let neither = wins(
        "neither side",
        [&mut UniformEvaluator, &mut UniformEvaluator],
    )?;
    let attackers = wins("the attackers", [&mut Judge, &mut UniformEvaluator])?;
    wins("the defenders", [&mut UniformEvaluator, &mut Judge])?;
    assert!(
        attackers[1] < neither[1],
        "attackers who can judge lose less"
    );
    Ok(())
}

/// Plays 16 games with an evaluator for each side, and returns how many the attackers and the defenders won.
fn wins(who: &str, evaluators: [&mut dyn Evaluator; 2]) -> Result<[u32; 2], IllegalMove> {
    let rules = Rules::preset("brandubh").expect("a preset");
    let config = SearchConfig {
        visits: 32,
        ..SearchConfig::default()
    };
    let mut wins = [0; 2];
    for seed in 0..16 {
        let mut search = Search::new(&config, Game::new(rules.clone()), Mode::Match, seed);
        while search.game().outcome().is_none() {
            let (plies, side) = (search.game().moves().len(), search.game().position().side());
            // Searches for a match play the same game each time, so its first four plies are random.
            let mv = if plies < 4 {
                let moves = rules.moves(search.game().position());
                let index = derive_seed(seed, &[plies as u64]) as usize % moves.len();
                moves.nth(index).expect("one of them")
            } else {
                run(&mut search, evaluators[side.index()]).chosen
            };
            search.advance(mv)?;
        }
        if let Some(winner) = search.game().outcome().and_then(|outcome| outcome.winner) {
            wins[winner.index()] += 1;
        }
    }
    println!(
        "if {who} can judge, the attackers win {}, the defenders {}",
        wins[0], wins[1]
    );
    Ok(wins)
}
