//! Drawn boards: rank by rank, the highest first, a character a square.

use tafl_rules::{
    Bitboard, BoardShape, Game, HostileTo, Move, Position, RankOrder, Rules, Ruleset, Setup, Side,
    Square, Symmetry, preset,
};

/// All that a square may be hostile to.
pub(crate) const ALL_HOSTILE: [HostileTo; 4] = [
    HostileTo::All,
    HostileTo::Attackers,
    HostileTo::Defenders,
    HostileTo::Nobody,
];

/// Returns a preset, known to exist.
pub(crate) fn ruleset(name: &str) -> Ruleset {
    preset(name).unwrap_or_else(|| panic!("no preset {name}"))
}

/// Reads a drawing; `.` is an empty square.
pub(crate) fn drawn(drawing: &str, side: Side) -> Setup {
    let ranks = drawing
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let ranks = ranks.map(|line| line.replace(' ', "").replace('.', "1"));
    let text = merge_numbers(&ranks.collect::<Vec<_>>().join("/"));
    Setup::from_text(&text, RankOrder::HighestFirst)
        .unwrap_or_else(|error| panic!("{error}:\n{drawing}"))
        .with_side(side)
}

/// Turns a run of ones into its length, because `11` means eleven.
fn merge_numbers(text: &str) -> String {
    let mut merged = String::new();
    let mut ones = 0;
    for letter in text.chars().chain(['/']) {
        if letter == '1' {
            ones += 1;
            continue;
        }
        if ones > 0 {
            merged += &ones.to_string();
        }
        ones = 0;
        merged.push(letter);
    }
    merged.pop();
    merged
}

/// Starts a game from a drawn board.
pub(crate) fn game(ruleset: &Ruleset, drawing: &str, side: Side) -> Game {
    let start = drawn(drawing, side);
    let rules = Rules::new(Ruleset {
        start: start.board(),
        moves_first: side,
        ..ruleset.clone()
    });
    let rules = rules.unwrap_or_else(|error| panic!("{error}:\n{drawing}"));
    Game::from_setup(rules, &start).expect("the start was accepted")
}

/// Plays `mv` on a drawn board and compares the captured squares and how the game stands.
///
/// `result` is `illegal`, `ongoing`, `chain` or an outcome as it prints. The side to move is the
/// mover's.
#[track_caller]
pub(crate) fn check(ruleset: &Ruleset, drawing: &str, mv: &str, captured: &str, result: &str) {
    let from: Move = mv.parse().expect("a move");
    let shape = drawn(drawing, Side::Attacker).shape;
    let piece = drawn(drawing, Side::Attacker).pieces[shape.index(from.from())];
    let side = piece
        .unwrap_or_else(|| panic!("{mv} moves nothing:\n{drawing}"))
        .side();
    let mut game = game(ruleset, drawing, side);
    let found = play(&mut game, mv);
    assert_eq!(
        found,
        (captured.to_owned(), result.to_owned()),
        "{mv} under {}:\n{drawing}",
        ruleset.name
    );
}

/// As [`check`], on all eight rotations and reflections of the drawn board.
#[track_caller]
pub(crate) fn check_turned(
    ruleset: &Ruleset,
    drawing: &str,
    mv: &str,
    captured: &str,
    result: &str,
) {
    check(ruleset, drawing, mv, captured, result);
    let shape = drawn(drawing, Side::Attacker).shape;
    let mv: Move = mv.parse().expect("a move");
    let captured = captured.split_whitespace();
    let captured: Bitboard = captured
        .map(|name| name.parse().expect("a square"))
        .collect();
    for symmetry in Symmetry::ALL {
        let drawing = turned(drawing, symmetry);
        let mv = symmetry.mv(mv, shape).to_string();
        let captured = names(symmetry.bitboard(captured, shape));
        check(ruleset, &drawing, &mv, &captured, result);
    }
}

/// Draws the image of a drawing.
fn turned(drawing: &str, symmetry: Symmetry) -> String {
    let setup = drawn(drawing, Side::Attacker);
    let size = setup.shape.size();
    let mut image = String::new();
    for rank in (0..size).rev() {
        for file in 0..size {
            let square = symmetry
                .inverse()
                .square(Square::new(file, rank), setup.shape);
            let piece = setup.pieces[setup.shape.index(square)];
            image.push(piece.map_or('.', tafl_rules::Piece::letter));
        }
        image.push('\n');
    }
    image
}

/// Starts a game from a drawn board after so many piece moves without a capture.
pub(crate) fn game_after(ruleset: &Ruleset, drawing: &str, side: Side, captureless: u32) -> Game {
    let rules = std::sync::Arc::clone(game(ruleset, drawing, side).rules());
    let mut setup = drawn(drawing, side);
    setup.captureless = captureless;
    Game::from_setup(rules, &setup).expect("the start was accepted")
}

/// Plays a move; returns the captured squares and how the game stands.
pub(crate) fn play(game: &mut Game, mv: &str) -> (String, String) {
    match game.play(mv.parse().expect("a move")) {
        Ok(ply) => (names(ply.captured), standing(game)),
        Err(_) => (String::new(), "illegal".to_owned()),
    }
}

/// Plays moves, separated by spaces, all of which must be legal and none but the last may end the game.
#[track_caller]
pub(crate) fn play_all(game: &mut Game, moves: &str) {
    for mv in moves.split_whitespace() {
        assert_eq!(standing(game), "ongoing", "before {mv}:\n{}", draw(game));
        let illegal = game.play(mv.parse().expect("a move")).err();
        assert_eq!(illegal, None, "{mv}:\n{}", draw(game));
    }
}

/// Returns how a game stands, in the words of [`check`].
pub(crate) fn standing(game: &Game) -> String {
    match game.outcome() {
        Some(outcome) => outcome.to_string(),
        None if game.position().chain().is_some() => "chain".to_owned(),
        None => "ongoing".to_owned(),
    }
}

/// Returns the names of squares, sorted and separated by spaces.
pub(crate) fn names(squares: Bitboard) -> String {
    let mut names: Vec<String> = squares.squares().map(|square| square.to_string()).collect();
    names.sort();
    names.join(" ")
}

/// Returns the legal moves, sorted and separated by spaces.
pub(crate) fn legal(game: &Game) -> String {
    sorted_moves(game).join(" ")
}

/// Returns the legal moves as texts, sorted as byte strings.
pub(crate) fn sorted_moves(game: &Game) -> Vec<String> {
    let moves = game.legal();
    let mut moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    moves.sort();
    moves
}

/// Returns where the piece on `from` may go, sorted and separated by spaces.
pub(crate) fn targets(ruleset: &Ruleset, drawing: &str, from: &str) -> String {
    let shape = drawn(drawing, Side::Attacker).shape;
    let square = from.parse().expect("a square");
    let piece = drawn(drawing, Side::Attacker).pieces[shape.index(square)];
    let side = piece.expect("a piece on the square").side();
    let prefix = format!("{from}-");
    let moves = sorted_moves(&game(ruleset, drawing, side));
    let targets: Vec<&str> = moves
        .iter()
        .filter_map(|mv| mv.strip_prefix(&prefix))
        .collect();
    targets.join(" ")
}

/// Draws the board of a game, for messages.
pub(crate) fn draw(game: &Game) -> String {
    draw_position(game.position(), game.rules().shape())
}

/// Draws a position, for messages.
pub(crate) fn draw_position(position: &Position, shape: BoardShape) -> String {
    let size = usize::from(shape.size());
    let mut drawing = String::new();
    for rank in (0..size).rev() {
        drawing += &format!("{:>2} ", rank + 1);
        for file in 0..size {
            let piece = position.piece_at(shape.square(rank * size + file));
            drawing.push(' ');
            drawing.push(piece.map_or('.', tafl_rules::Piece::letter));
        }
        drawing.push('\n');
    }
    let files: String = ('a'..='k')
        .take(size)
        .flat_map(|file| [' ', file])
        .collect();
    drawing + "   " + &files + &format!("   {} to move\n", position.side())
}
