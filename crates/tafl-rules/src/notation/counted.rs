//! The games of a text as people count them.

use super::aagenielsen::RecordedGameError;
use super::games::{Read, WrittenGameError, read_games};
use super::lines::has_moves;
use super::words::lines_of;

/// Reads every game of a text, damaged or not; behind them stand the errors of lines that are none, such as titles and ends that
/// belong to none. Where there is no game, the first of these stands for one.
///
/// ```
/// use tafl_rules::notation::counted::read_counted;
///
/// let (games, others) = read_counted("(Our club in May)\n\n1. h1h3 f8-i8\n");
/// assert_eq!((games[0].0, others[0].0), (3, 1));
/// ```
pub fn read_counted(text: &str) -> (Vec<Read>, Vec<Read>) {
    let read = read_games(text).into_iter();
    let (mut games, mut others): (Vec<Read>, Vec<Read>) = read.partition(|it| is_game(text, it));
    if games.is_empty() && !others.is_empty() {
        games.push(others.remove(0));
    }
    (games, others)
}

/// Returns whether what was read of a text is a game, damaged or not, and neither a title nor an end alone.
fn is_game(text: &str, (line, game): &Read) -> bool {
    let first = || lines_of(text).nth(line.saturating_sub(1));
    match game {
        Err(WrittenGameError::NoGame(_) | WrittenGameError::Title(_)) => false,
        Err(
            WrittenGameError::Words(_)
            | WrittenGameError::End(_)
            | WrittenGameError::Line(RecordedGameError::Words(_) | RecordedGameError::Fields(_)),
        ) => first().is_some_and(has_moves),
        _ => true,
    }
}
