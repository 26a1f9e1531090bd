//! What the readers of other programs' notations promise of every text.

use crate::readers::laws::{assert_playable, assert_plays};
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::games::read_games;
use tafl_rules::notation::opentafl::{read_position, read_ruleset, write_position, write_ruleset};
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Game, RankOrder, Ruleset};

const ORDERS: [RankOrder; 2] = [RankOrder::LowestFirst, RankOrder::HighestFirst];

/// A FEN or a position record that is read can be written, and reads the same.
pub(crate) fn position(text: &str) {
    if let Ok(fen) = text.parse::<Fen>() {
        let written = fen.to_string();
        assert_eq!(written.parse().as_ref(), Ok(&fen), "{written}");
        assert_playable(&fen.setup);
    }
    if let Ok(setup) = read_position(text) {
        for order in ORDERS {
            let written = write_position(&setup, order).expect("a record has no chains");
            assert_eq!(read_position(&written).as_ref(), Ok(&setup), "{written}");
        }
        assert_playable(&setup);
    }
}

/// A line that is read can be written, and reads the same.
pub(crate) fn record(line: &str) {
    for game in read_games(line).into_iter().filter_map(|it| it.1.ok()) {
        let recorded = game.recorded();
        if recorded.captures.is_some() {
            assert_written(&recorded);
        }
        let plies = recorded.turns.iter().map(|turn| turn.plies.len());
        assert_eq!(recorded.plies().count(), plies.sum::<usize>());
    }
}

/// Returns the turns of a game from the start as a line has them.
pub(crate) fn turns_text(game: &Game) -> String {
    let recorded = RecordedGame::of_game(game).expect("a game from the start");
    assert_written(&recorded);
    recorded.turns_text()
}

fn assert_written(recorded: &RecordedGame) {
    let written = recorded.to_fields();
    let (_, again) = read_games(&written.join(",")).remove(0);
    let again = again.map(|game| game.recorded());
    assert_eq!(again.as_ref(), Ok(recorded), "{written:?}");
}

/// A rules record that is read can be written and played, and reads the same.
pub(crate) fn ruleset(text: &str) {
    if let Ok(ruleset) = read_ruleset(text) {
        for order in ORDERS {
            let written = write_ruleset(&ruleset, order).expect("what was read has words");
            assert_eq!(read_ruleset(&written).as_ref(), Ok(&ruleset), "{written}");
        }
        assert_plays(ruleset);
    }
}

/// A ruleset is refused, or written so that it reads the same but for what has no meaning in it.
pub(crate) fn assert_written_or_refused(ruleset: &Ruleset) {
    for order in ORDERS {
        if let Ok(written) = write_ruleset(ruleset, order) {
            let read = read_ruleset(&written).expect("what was written");
            let expected = Ruleset {
                jump_hostile: read.jump_hostile,
                captureless_reason: read.captureless_reason,
                ..ruleset.clone()
            };
            assert_eq!(read, expected, "{written}");
            assert!(!ruleset.ranks.is_on() || ruleset.jump_hostile.is_on());
        }
    }
}
