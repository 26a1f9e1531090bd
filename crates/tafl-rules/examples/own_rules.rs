//! A game under rules of one's own: Brandubh, but the king escapes to any edge and a third repetition loses for the defenders.
//!
//! `cargo run --release -p tafl-rules --example own_rules` prints the game and its record.

#![expect(clippy::print_stdout, reason = "an example prints its findings")]

use serde_json::json;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::games::read_games;
use tafl_rules::{Diagram, Game, Move, Rules, Ruleset, Side};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A ruleset file says the same in TOML: a preset, and the fields that differ.
    let fields = json!({
        "name": "to-the-edge", "base": "brandubh", "escape": "edges", "repetition": "defenders",
    });
    let ruleset = Ruleset::from_fields(fields.as_object().expect("an object").clone())?;
    println!("{}\n", ruleset.aims());
    let rules = Rules::new(ruleset)?;
    let mut game = Game::new(rules.clone());

    // A move is two squares. What is not legal is refused with a reason, and nothing has changed.
    let refused = game
        .play("d6-d4".parse()?)
        .expect_err("the king stands there");
    println!("{refused}");
    game.play("d6-e6".parse()?)?;
    assert_eq!(game.position().side(), Side::Defender);

    // The set of legal moves knows their number and each of them without listing them.
    let moves = rules.moves(game.position());
    println!(
        "{} legal moves, the first is {:?}\n",
        moves.len(),
        moves.nth(0).map(|mv| mv.to_string())
    );

    while game.outcome().is_none() {
        let mv = choose(&mut game);
        game.play(mv)?;
    }
    let last = game.moves().last().copied();
    let diagram = Diagram::new(&rules, game.position()).with_last_move(last);
    println!("{}", diagram.ascii());

    // The record as game servers write it: turns with their captures, counts of captures, the winner.
    let record = RecordedGame::of_game(&game)?.to_fields();
    println!("{}", record.join(","));
    let (_, read) = read_games(&record.join(",")).remove(0);
    let replayed = read?.replay(&rules)?;
    assert_eq!(replayed.game.outcome(), game.outcome());
    Ok(())
}

/// Returns a move that wins at once, else one that captures the most.
fn choose(game: &mut Game) -> Move {
    let side = game.position().side();
    let moves = game.legal();
    let before = game.mark();
    let gain = |mv: &Move| {
        let ply = game.play_unchecked(*mv);
        let wins = game
            .outcome()
            .is_some_and(|outcome| outcome.winner == Some(side));
        game.rewind(&before);
        (wins, ply.captured.count())
    };
    moves
        .into_iter()
        .max_by_key(gain)
        .expect("the game is not over")
}
