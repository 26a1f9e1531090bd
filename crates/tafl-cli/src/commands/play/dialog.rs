//! What a human types at the board.

use crate::output::{command, quoted};
use std::io::{BufRead, Write};
use std::path::PathBuf;
use tafl_rules::{Game, Move, ParseTurnError, Square, TurnText};

const HELP: &str = "\
f6-f9      move from f6 to f9 (f6 f9 and f6f9 do, too); captures may be added (f6-f9xf8), and
           chains joined (d5-f5-f8)
end        end a capture chain
moves      all legal moves
hint       what the opponent, at its best, would play in your place
undo       take your last turn back
board      draw the board again
save FILE  write the game to a file, which `tafl analyze FILE` reads, too
load FILE  go on with the game in a file (load FILE NUMBER where there are several)
rules      all rules in words
resign     give up
quit       leave (Ctrl-D does it, too)";

/// What the human wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// To play these plies.
    Moves(Vec<Move>),
    /// To take back a turn.
    Undo,
    /// Show a good move.
    Hint,
    /// To see the board.
    Board,
    /// To write the game to a file.
    Save(PathBuf),
    /// To go on with the game in a file, or with the one of that number.
    Load(PathBuf, Option<u64>),
    /// To read the rules.
    Rules,
    /// To give up.
    Resign,
    /// To go.
    Leave,
    /// Show this text.
    Say(String),
}

/// Asks for one line; the end of the input is a wish to leave.
pub(super) fn ask(game: &Game) -> std::io::Result<Request> {
    print!("{}> ", game.position().side());
    std::io::stdout().flush()?;
    let mut line = Vec::new();
    if std::io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
        println!();
        return Ok(Request::Leave);
    }
    let line = String::from_utf8_lossy(&line);
    // Keys such as the arrows arrive as sequences of the terminal, which no move has.
    let typed = line.split('\u{1b}').next().unwrap_or_default().trim();
    if typed.is_empty() && !line.trim().is_empty() {
        return Ok(Request::Say(
            "type a move such as f6-f9, or `help`".to_owned(),
        ));
    }
    Ok(read(typed, game))
}

fn read(line: &str, game: &Game) -> Request {
    match &*line.to_lowercase() {
        "" | "board" => Request::Board,
        "help" | "?" => Request::Say(HELP.to_owned()),
        "moves" => Request::Say(list_moves(game)),
        line if line.starts_with("help ") => Request::Say(HELP.to_owned()),
        "hint" => Request::Hint,
        "undo" => Request::Undo,
        "resign" => Request::Resign,
        "quit" | "exit" => Request::Leave,
        "save" | "load" => Request::Say(format!("`{line}` needs the name of a file")),
        "rules" => Request::Rules,
        _ => match (line.split_once(' '), TurnText::of_typed(line)) {
            (Some(("save", file)), _) => Request::Save(path_of(file)),
            (Some(("load", typed)), _) => {
                let numbered = typed.trim().rsplit_once(' ');
                let numbered = numbered.filter(|_| !path_of(typed).is_file());
                // No game has a number below 1, which is told.
                let number = |it: &str| Some(u64::try_from(it.parse::<i64>().ok()?).unwrap_or(0));
                let number = numbered.and_then(|(file, it)| Some((file, number(it)?)));
                number.map_or_else(
                    || Request::Load(path_of(typed), None),
                    |(file, number)| Request::Load(path_of(file), Some(number)),
                )
            }
            (_, Ok(turn)) => Request::Moves(turn.plies.into_iter().map(|(mv, _)| mv).collect()),
            (_, Err(error)) => Request::Say(not_a_move(line, &error)),
        },
    }
}

/// Returns the file that is meant, which may be quoted; `~/` is the human's own folder, as in a shell.
fn path_of(typed: &str) -> PathBuf {
    let typed = typed.trim();
    let quotes = ['"', '\''].into_iter();
    let mut inside = quotes.filter_map(|it| typed.strip_prefix(it)?.strip_suffix(it));
    let typed = inside.next().unwrap_or(typed);
    let home = std::env::home_dir().zip(typed.strip_prefix("~/"));
    home.map_or_else(|| typed.into(), |(home, rest)| home.join(rest))
}

/// Returns what either side wants, and where all rules are; `ruleset` as it was given, by name or file.
pub(super) fn aims(game: &Game, ruleset: &str) -> String {
    let (aims, tafl) = (game.rules().ruleset().aims(), command());
    format!(
        "{aims}\n`rules` tells all rules, and `{tafl} rules show {}` prints their fields.",
        quoted(ruleset)
    )
}

/// Returns every rule in words, and where their fields are.
pub(super) fn rules(game: &Game, ruleset: &str) -> String {
    let (rules, tafl) = (game.rules().ruleset().in_words(), command());
    format!(
        "{}\n`{tafl} rules show {}` prints their fields.",
        rules.join("\n"),
        quoted(ruleset)
    )
}

/// Returns why a text is not a move.
fn not_a_move(text: &str, error: &ParseTurnError) -> String {
    let squares: Vec<&str> = text.split([' ', '-']).filter(|it| !it.is_empty()).collect();
    match squares[..] {
        [from, to] if from.parse::<Square>().is_ok() && to.parse::<Square>().is_ok() => {
            format!("{from}-{to} is not in a straight line")
        }
        _ => format!("{error}; type `help` for a list of commands"),
    }
}

/// Returns the legal moves, one line for each piece.
fn list_moves(game: &Game) -> String {
    let mut moves = game.legal();
    moves.sort_unstable();
    let mut lines: Vec<String> = Vec::new();
    for group in moves.chunk_by(|one, other| !one.is_end() && one.from() == other.from()) {
        let from = group[0].from();
        let targets: Vec<String> = group.iter().map(|mv| mv.to().to_string()).collect();
        lines.push(match group[0].is_end() {
            true => "end".to_owned(),
            false => format!("{:<4} to {}", from.to_string(), targets.join(" ")),
        });
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::Rules;

    fn game() -> Game {
        Game::new(Rules::preset("brandubh").expect("a preset"))
    }

    #[test]
    fn words_moves_and_nonsense_are_told_apart() {
        assert_eq!(read("undo", &game()), Request::Undo);
        assert_eq!(
            read("d6-f6", &game()),
            Request::Moves(vec!["d6-f6".parse().expect("a move")])
        );
        assert_eq!(read("D6 f6", &game()), read("d6-f6", &game()));
        assert_eq!(
            read("save a b.txt", &game()),
            Request::Save("a b.txt".into())
        );
        assert_eq!(
            read("save \"a b.txt\"", &game()),
            read("save a b.txt", &game())
        );
        assert_eq!(
            read("load 'a b.csv' 3", &game()),
            read("load a b.csv 3", &game())
        );
        assert_eq!(
            read("load a b.csv 3", &game()),
            Request::Load("a b.csv".into(), Some(3))
        );
        assert_eq!(
            read("load a b.csv -1", &game()),
            Request::Load("a b.csv".into(), Some(0))
        );
        let crooked = Request::Say("d6-e5 is not in a straight line".to_owned());
        assert_eq!(read("d6 e5", &game()), crooked);
        let Request::Say(text) = read("go away", &game()) else {
            panic!("nonsense is not played")
        };
        assert!(text.starts_with("\"go away\" is not a move"), "{text}");
    }

    #[test]
    fn moves_are_listed_by_piece() {
        assert!(
            list_moves(&game())
                .lines()
                .any(|line| line.starts_with("d6   to "))
        );
    }
}
