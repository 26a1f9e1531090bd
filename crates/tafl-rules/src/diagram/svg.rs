//! Drawings as SVG. Outline and mark tell pieces apart; color only helps.

use super::{Diagram, Ground};
use crate::{Piece, Square};

/// Length of a square's side, in units of the document.
const CELL: i32 = 40;
/// Width of the frame around the board, which carries the coordinates.
const FRAME: i32 = 26;

const WOOD: &str = "#4a3728";
const BOARD: &str = "#ead7b0";
const EDGE: &str = "#dfc594";
const SPECIAL: &str = "#cfae78";
const GRID: &str = "#b6966a";
const WRITING: &str = "#f1e4cb";
const LAST: &str = "#f2cf4a";
const LAST_BRACKETS: &str = "#7a4b00";
const POINTER: &str = "#1565c0";
const CROSS: &str = "#b3261e";

pub(super) fn draw(diagram: &Diagram<'_>) -> String {
    let side = inner(diagram) + 2 * FRAME;
    [
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" \
             width=\"{side}\" height=\"{side}\" role=\"img\">\n"
        ),
        // No text needs escaping: a ruleset's name is made of letters, digits, `-` and `_`.
        format!("<title>{}</title>\n", diagram.title()),
        format!("<desc>{}</desc>\n", diagram.description()),
        definitions(diagram),
        board(diagram, side),
        last_move(diagram),
        coordinates(diagram, side),
        pieces(diagram),
        marks(diagram),
        arrows(diagram),
        "</svg>\n".to_owned(),
    ]
    .concat()
}

/// Returns the length of the board's side, without the frame.
fn inner(diagram: &Diagram<'_>) -> i32 {
    CELL * i32::from(diagram.rules.shape().size())
}

/// Returns the upper left corner of a square.
fn corner(diagram: &Diagram<'_>, square: Square) -> (i32, i32) {
    let row = diagram.rules.shape().size() - 1 - square.rank();
    let (column, row) = (i32::from(square.file()), i32::from(row));
    (FRAME + CELL * column, FRAME + CELL * row)
}

fn center(diagram: &Diagram<'_>, square: Square) -> (i32, i32) {
    let (x, y) = corner(diagram, square);
    (x + CELL / 2, y + CELL / 2)
}

const DIAMOND: &str = "<path d=\"M0-15L15 0L0 15L-15 0Z\" fill=\"#2b2a33\" stroke=\"#2b2a33\" \
                       stroke-width=\"3\" stroke-linejoin=\"round\"/>";
const DISC: &str = "<circle r=\"13.5\" fill=\"#fffaf0\" stroke=\"#3a2c20\" stroke-width=\"2\"/>";
const INNER_RING: &str =
    "<circle r=\"7.5\" fill=\"none\" stroke=\"#3a2c20\" stroke-width=\"1.4\"/>";
const GOLDEN_CHEVRONS: &str = "<path d=\"M-6 6L0 0L6 6M-6 0L0-6L6 0\" fill=\"none\" stroke=\"#f0c75e\" \
                               stroke-width=\"2.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>";
const RED_CHEVRONS: &str = "<path d=\"M-6 6L0 0L6 6M-6 0L0-6L6 0\" fill=\"none\" stroke=\"#8a1c1c\" \
                            stroke-width=\"2.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>";
const WIDE_DISC: &str =
    "<circle r=\"15.5\" fill=\"#fffaf0\" stroke=\"#3a2c20\" stroke-width=\"2\"/>";
const CROWN: &str = "<path d=\"M-9.5 7.5L-11-5.5L-5-.5L0-9L5-.5L11-5.5L9.5 7.5Z\" fill=\"#e0a92a\" \
                     stroke=\"#3a2c20\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>";

/// Returns what a kind of piece is made of, around the origin: diamonds for attackers, discs for defenders.
const fn parts(piece: Piece) -> [&'static str; 2] {
    match piece {
        Piece::Attacker => [DIAMOND, ""],
        Piece::Commander => [DIAMOND, GOLDEN_CHEVRONS],
        Piece::Defender => [DISC, INNER_RING],
        Piece::Knight => [DISC, RED_CHEVRONS],
        Piece::King => [WIDE_DISC, CROWN],
    }
}

/// Returns the shapes of the kinds that stand on the board.
fn definitions(diagram: &Diagram<'_>) -> String {
    let kinds = Piece::ALL.into_iter();
    let present = kinds.filter(|&piece| !diagram.position.pieces_of_kind(piece).is_empty());
    let shapes = present.map(|piece| {
        let (name, shape) = (piece.name(), parts(piece).concat());
        format!("<g id=\"tafl-{name}\">{shape}</g>\n")
    });
    format!("<defs>\n{}</defs>\n", shapes.collect::<String>())
}

/// Returns the frame, the ground of all squares and the lines between them.
fn board(diagram: &Diagram<'_>, side: i32) -> String {
    let inner = inner(diagram);
    let mut text = format!(
        "<rect width=\"{side}\" height=\"{side}\" rx=\"8\" fill=\"{WOOD}\"/>\n\
         <rect x=\"{FRAME}\" y=\"{FRAME}\" width=\"{inner}\" height=\"{inner}\" fill=\"{BOARD}\"/>\n"
    );
    for square in diagram.squares() {
        let (x, y) = corner(diagram, square);
        let carving = match diagram.ground(square) {
            Ground::Field => continue,
            Ground::Edge => {
                text += &filled(x, y, EDGE);
                continue;
            }
            Ground::Throne => format!("M{} {}h32v32h-32zm16 7v18m-9-9h18", x + 4, y + 4),
            Ground::Corner => format!("M{} {}l24 24m0-24l-24 24", x + 8, y + 8),
        };
        text += &filled(x, y, SPECIAL);
        text += &format!(
            "<path d=\"{carving}\" fill=\"none\" stroke=\"{WOOD}\" stroke-width=\"2\" \
             stroke-linecap=\"round\" opacity=\".75\"/>\n"
        );
    }
    let steps = (0..=i32::from(diagram.rules.shape().size())).map(|line| FRAME + CELL * line);
    let lines = steps.map(|at| format!("M{FRAME} {at}h{inner}M{at} {FRAME}v{inner}"));
    let lines = lines.collect::<String>();
    text + &format!("<path d=\"{lines}\" stroke=\"{GRID}\"/>\n")
}

fn filled(x: i32, y: i32, color: &str) -> String {
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{color}\"/>\n")
}

/// Returns the two squares of the last move, tinted and in brackets, the one that was reached more strongly.
fn last_move(diagram: &Diagram<'_>) -> String {
    let Some(mv) = diagram.last else {
        return String::new();
    };
    let squares = [(mv.from(), ".5"), (mv.to(), ".9")].map(|(square, opacity)| {
        let (x, y) = corner(diagram, square);
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{LAST}\" opacity=\"{opacity}\"/>\n\
             <path d=\"M{} {}v-8h8m20 0h8v8m0 20v8h-8m-20 0h-8v-8\" fill=\"none\" \
             stroke=\"{LAST_BRACKETS}\" stroke-width=\"2.4\"/>\n",
            x + 2,
            y + 10
        )
    });
    squares.concat()
}

fn coordinates(diagram: &Diagram<'_>, side: i32) -> String {
    let mut text = format!(
        "<g font-family=\"Helvetica,Arial,sans-serif\" font-size=\"13\" text-anchor=\"middle\" \
         fill=\"{WRITING}\">\n"
    );
    for line in 0..diagram.rules.shape().size() {
        let (x, y) = center(diagram, Square::new(line, line));
        let file = char::from(b'a' + line);
        text += &format!("<text x=\"{x}\" y=\"{}\">{file}</text>", side - 8);
        let rank = line + 1;
        text += &format!("<text x=\"{}\" y=\"{}\">{rank}</text>\n", FRAME / 2, y + 5);
    }
    text + "</g>\n"
}

fn pieces(diagram: &Diagram<'_>) -> String {
    let drawn = diagram.squares().filter_map(|square| {
        let name = diagram.position.piece_at(square)?.name();
        let (x, y) = center(diagram, square);
        Some(format!(
            "<use href=\"#tafl-{name}\" x=\"{x}\" y=\"{y}\"/>\n"
        ))
    });
    drawn.collect()
}

/// Returns crosses where pieces were captured, and a broken ring for a pending chain.
fn marks(diagram: &Diagram<'_>) -> String {
    let crosses = diagram.captured.squares().map(|square| {
        let (x, y) = corner(diagram, square);
        format!(
            "<path d=\"M{} {}l16 16m0-16l-16 16\" stroke=\"{CROSS}\" stroke-width=\"4\" stroke-linecap=\"round\"/>\n",
            x + 12,
            y + 12
        )
    });
    let chain = diagram.position.chain().into_iter().map(|square| {
        let (x, y) = center(diagram, square);
        format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"18\" fill=\"none\" stroke=\"{POINTER}\" stroke-width=\"3\" \
             stroke-dasharray=\"6 3.4\"/>\n"
        )
    });
    crosses.chain(chain).collect()
}

/// Returns the arrows, the weakest below.
fn arrows(diagram: &Diagram<'_>) -> String {
    let mut arrows = diagram.arrows.clone();
    arrows.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let drawn = arrows.into_iter().map(|(mv, weight)| {
        let (x, y) = center(diagram, mv.from());
        let (to_x, to_y) = center(diagram, mv.to());
        // Moves are along a rank or a file: one of the two is 0. Ranks rise upwards, coordinates downwards.
        let (along, across) = ((to_x - x).signum(), (to_y - y).signum());
        let weight = weight.clamp(0.0, 1.0);
        let half = 2 + (4.0 * weight) as i32;
        let length = (to_x - x).abs() + (to_y - y).abs();
        let at = |forward: i32, aside: i32| {
            let (dx, dy) = (
                along * forward - across * aside,
                across * forward + along * aside,
            );
            format!("{} {}", x + dx, y + dy)
        };
        let neck = length - 15;
        let corners = [
            at(13, half),
            at(neck, half),
            at(neck, half + 6),
            at(length - 1, 0),
            at(neck, -half - 6),
            at(neck, -half),
            at(13, -half),
        ];
        format!(
            "<path d=\"M{}z\" fill=\"{POINTER}\" stroke=\"#fff\" stroke-width=\"1\" opacity=\"{:.2}\"/>\n",
            corners.join("L"),
            0.45 + 0.45 * weight
        )
    });
    drawn.collect()
}
