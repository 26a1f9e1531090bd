//! What a human types at the board.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use tafl_rules::{Game, Move, ParseTurnError, Position, Square, TurnText};

const HELP: &str = "\
f6-f9      move from f6 to f9 (f6 f9 and f6f9 do, too); captures may be added (f6-f9xf8), and
           chains joined (d5-f5-f8)
end        end a capture chain
moves      all legal moves
hint       what the opponent would play in your place
undo       take your last turn back
board      draw the board again
save FILE  write the game to a file, which `tafl analyze FILE` reads, too
load FILE  go on with the game in a file
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
    /// To go on with the game in a file.
    Load(PathBuf),
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
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line)? == 0 {
        println!();
        return Ok(Request::Leave);
    }
    Ok(read(line.trim(), game))
}

fn read(line: &str, game: &Game) -> Request {
    match line {
        "" | "board" => Request::Board,
        "help" | "?" => Request::Say(HELP.to_owned()),
        "moves" => Request::Say(list_moves(game)),
        "hint" => Request::Hint,
        "undo" => Request::Undo,
        "resign" => Request::Resign,
        "quit" | "exit" => Request::Leave,
        "save" | "load" => Request::Say(format!("`{line}` needs the name of a file")),
        text => match (text.split_once(' '), turn(text)) {
            (Some(("save", file)), _) => Request::Save(file.trim().into()),
            (Some(("load", file)), _) => Request::Load(file.trim().into()),
            (_, Ok(turn)) => Request::Moves(turn.plies.into_iter().map(|(mv, _)| mv).collect()),
            (_, Err(error)) => Request::Say(not_a_move(text, &error)),
        },
    }
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

/// Reads a turn, whose hyphens may be spaces or left out: `d3-e3`, `d3 e3`, `d3e3`.
fn turn(text: &str) -> Result<TurnText, ParseTurnError> {
    text.parse().or_else(|error| {
        let text = text.to_ascii_lowercase();
        let mut hyphenated = String::new();
        for letter in text.chars().filter(|it| !matches!(it, ' ' | '-')) {
            let begins_square = letter.is_ascii_alphabetic() && letter != 'x';
            if begins_square && hyphenated.ends_with(|it: char| it.is_ascii_digit()) {
                hyphenated.push('-');
            }
            hyphenated.push(letter);
        }
        hyphenated.parse().map_err(|_| error)
    })
}

/// Returns why a move is not legal, with help; nothing if it is.
pub(super) fn refusal(game: &Game, mv: Move) -> Option<String> {
    if let Some(outcome) = game.outcome() {
        return Some(format!("{mv} comes after the end of the game ({outcome})"));
    }
    let position = game.position();
    if game.rules().is_legal(position, mv) {
        return None;
    }
    let own = position.pieces(position.side());
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    legal.sort_unstable();
    let targets: Vec<String> = legal
        .iter()
        .filter(|other| !mv.is_end() && !other.is_end() && other.from() == mv.from())
        .map(|other| other.to().to_string())
        .collect();
    Some(match position.chain() {
        Some(square) => format!("{mv} is not legal: the piece on {square} goes on, or type `end`"),
        None if mv.is_end() => "no chain is in progress".to_owned(),
        None if !own.contains(mv.from()) => match position.occupied().contains(mv.from()) {
            true => format!("the piece on {} is not yours", mv.from()),
            false => format!("there is no piece on {}", mv.from()),
        },
        None if position.occupied().contains(mv.to()) => format!("{} is not free", mv.to()),
        None if let Some(square) = in_the_way(position, mv) => {
            format!("{mv} is not legal: {square} is in the way")
        }
        None if targets.is_empty() => format!("{mv} is not legal: {} cannot move", mv.from()),
        None => format!(
            "{mv} is not legal; legal targets from {}: {}",
            mv.from(),
            targets.join(" ")
        ),
    })
}

/// Returns a square with a piece on it between those of a move in a straight line.
fn in_the_way(position: &Position, mv: Move) -> Option<Square> {
    let is_inside = |at: u8, one: u8, other: u8| one.min(other) < at && at < one.max(other);
    let (from, to) = (mv.from(), mv.to());
    position.occupied().squares().find(|square| {
        let is_in_file = square.file() == from.file() && square.file() == to.file();
        let is_in_rank = square.rank() == from.rank() && square.rank() == to.rank();
        is_in_file && is_inside(square.rank(), from.rank(), to.rank())
            || is_in_rank && is_inside(square.file(), from.file(), to.file())
    })
}

/// Returns the legal moves, one line for each piece.
fn list_moves(game: &Game) -> String {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
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

    fn refused(mv: &str) -> String {
        let reason = refusal(&game(), mv.parse().expect("a move"));
        reason.unwrap_or_else(|| "legal".to_owned())
    }

    #[test]
    fn words_moves_and_nonsense_are_told_apart() {
        assert_eq!(read("undo", &game()), Request::Undo);
        assert_eq!(
            read("d6-f6", &game()),
            Request::Moves(vec!["d6-f6".parse().expect("a move")])
        );
        for text in ["d6 f6", "d6f6", "D6-F6", "d6 - f6"] {
            assert_eq!(read(text, &game()), read("d6-f6", &game()), "{text}");
        }
        assert_eq!(read("d5f5xf4 f8", &game()), read("d5-f5xf4-f8", &game()));
        assert_eq!(
            read("save a b.txt", &game()),
            Request::Save("a b.txt".into())
        );
        let crooked = Request::Say("d6-e5 is not in a straight line".to_owned());
        assert_eq!(read("d6 e5", &game()), crooked);
        let Request::Say(text) = read("go away", &game()) else {
            panic!("nonsense is not played")
        };
        assert!(text.starts_with("\"go away\" is not a move"), "{text}");
    }

    #[test]
    fn a_refusal_says_why() {
        assert_eq!(refused("d6-f6"), "legal");
        assert_eq!(refused("e5-e6"), "there is no piece on e5");
        assert_eq!(refused("e4-e5"), "the piece on e4 is not yours");
        assert_eq!(refused("d6-d5"), "d5 is not free");
        let mut game = game();
        for mv in ["d6-f6", "c4-c6"] {
            game.play(mv.parse().expect("a move")).expect("legal");
        }
        assert_eq!(
            refusal(&game, "f6-a6".parse().expect("a move")).as_deref(),
            Some("f6-a6 is not legal: c6 is in the way")
        );
        assert_eq!(
            refused("d7-a7"),
            "d7-a7 is not legal; legal targets from d7: b7 c7 e7 f7"
        );
        assert_eq!(refused("end"), "no chain is in progress");
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
