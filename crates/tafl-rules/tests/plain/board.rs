//! The board as an array of arrays.

use tafl_rules::{BoardShape, Move, Piece, Ruleset, Setup, Side, Square, ThroneUse};

/// File and rank, both from 0; may lie off the board.
pub(crate) type At = (i8, i8);

pub(crate) const STEPS: [At; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// The square `distance` steps away.
pub(crate) fn plus(at: At, step: At, distance: i8) -> At {
    (at.0 + step.0 * distance, at.1 + step.1 * distance)
}

/// A set of squares.
pub(crate) type Marks = [[bool; 11]; 11];

pub(crate) fn mark(marks: &mut Marks, at: At) {
    marks[at.1 as usize][at.0 as usize] = true;
}

pub(crate) fn marked(marks: &Marks, at: At) -> bool {
    marks[at.1 as usize][at.0 as usize]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Board {
    pub(crate) size: i8,
    cells: [[Option<Piece>; 11]; 11],
}

impl Board {
    pub(crate) fn empty(size: i8) -> Self {
        Self {
            size,
            cells: [[None; 11]; 11],
        }
    }

    pub(crate) fn of(setup: &Setup) -> Self {
        let mut board = Self::empty(setup.shape.size() as i8);
        for at in board.squares() {
            board.put(at, setup.pieces[setup.shape.index(square(at))]);
        }
        board
    }

    pub(crate) fn to_described(self) -> tafl_rules::Board {
        let shape = BoardShape::new(self.size as u8).expect("7, 9 or 11");
        let pieces = self.squares().map(|at| self.at(at)).collect();
        tafl_rules::Board { shape, pieces }
    }

    pub(crate) fn squares(&self) -> impl Iterator<Item = At> + use<> {
        let size = self.size;
        (0..size).flat_map(move |rank| (0..size).map(move |file| (file, rank)))
    }

    pub(crate) fn has(&self, at: At) -> bool {
        (0..self.size).contains(&at.0) && (0..self.size).contains(&at.1)
    }

    /// What stands on a square of the board.
    pub(crate) fn at(&self, at: At) -> Option<Piece> {
        self.cells[at.1 as usize][at.0 as usize]
    }

    pub(crate) fn put(&mut self, at: At, piece: Option<Piece>) {
        self.cells[at.1 as usize][at.0 as usize] = piece;
    }

    pub(crate) fn is_empty(&self, at: At) -> bool {
        self.has(at) && self.at(at).is_none()
    }

    /// Whether a piece of the side stands there; false off the board.
    pub(crate) fn is_side(&self, at: At, side: Side) -> bool {
        self.has(at) && self.at(at).is_some_and(|piece| piece.side() == side)
    }

    pub(crate) fn is_edge(&self, at: At) -> bool {
        let last = self.size - 1;
        at.0 == 0 || at.1 == 0 || at.0 == last || at.1 == last
    }

    pub(crate) fn is_corner(&self, at: At) -> bool {
        let last = self.size - 1;
        (at.0 == 0 || at.0 == last) && (at.1 == 0 || at.1 == last)
    }

    pub(crate) fn throne(&self) -> At {
        (self.size / 2, self.size / 2)
    }

    pub(crate) fn king(&self) -> At {
        self.squares()
            .find(|&at| self.at(at) == Some(Piece::King))
            .expect("a king")
    }

    /// Rank 11 first, like the crate's texts but written here.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for rank in (0..self.size).rev() {
            let mut empty = 0;
            for file in 0..self.size {
                let Some(piece) = self.at((file, rank)) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text += &empty.to_string();
                }
                empty = 0;
                text.push(match piece {
                    Piece::Attacker => 't',
                    Piece::Commander => 'c',
                    Piece::Defender => 'T',
                    Piece::Knight => 'N',
                    Piece::King => 'K',
                });
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }
}

/// Reads a drawing, the highest rank first, `.` for an empty square.
pub(crate) fn read(drawing: &str) -> Board {
    let ranks: Vec<Vec<char>> = drawing
        .lines()
        .map(|line| line.chars().filter(|c| !c.is_whitespace()).collect())
        .filter(|rank: &Vec<char>| !rank.is_empty())
        .collect();
    let mut board = Board::empty(ranks.len() as i8);
    for at in board.squares() {
        let letter = ranks[ranks.len() - 1 - at.1 as usize][at.0 as usize];
        board.put(at, Piece::from_letter(letter));
    }
    board
}

pub(crate) fn square(at: At) -> Square {
    Square::new(at.0 as u8, at.1 as u8)
}

pub(crate) fn at(square: Square) -> At {
    (square.file() as i8, square.rank() as i8)
}

/// One ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    End,
    Go(At, At),
}

impl Step {
    pub(crate) fn to_move(self) -> Move {
        match self {
            Self::End => Move::END,
            Self::Go(from, to) => Move::new(square(from), square(to)).expect("along a line"),
        }
    }
}

/// The board, whose ply it is, and what spec.md 2.7 counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) board: Board,
    pub(crate) side: Side,
    pub(crate) chain: Option<At>,
    pub(crate) captureless: u32,
}

/// Corners are special squares only where the king escapes to them.
pub(crate) fn is_special_corner(rules: &Ruleset, board: &Board, at: At) -> bool {
    rules.escape == tafl_rules::Escape::Corners && board.is_corner(at)
}

/// Whether the king may leap from the square or to it (5.2).
pub(crate) fn is_restricted(rules: &Ruleset, board: &Board, at: At) -> bool {
    is_throne(rules, board, at) || is_special_corner(rules, board, at)
}

/// Whether the piece may stop on the square while it is empty (1, 7.7).
pub(crate) fn may_stop(rules: &Ruleset, board: &Board, piece: Piece, at: At) -> bool {
    if is_throne(rules, board, at) {
        return is_among(rules.throne_stop, piece);
    }
    piece == Piece::King || !is_special_corner(rules, board, at)
}

/// Whether the piece may pass over the square while it is empty (7.7).
pub(crate) fn may_pass(rules: &Ruleset, board: &Board, piece: Piece, at: At) -> bool {
    !is_throne(rules, board, at)
        || is_among(rules.throne_stop, piece)
        || is_among(rules.throne_pass, piece)
}

fn is_among(users: ThroneUse, piece: Piece) -> bool {
    match users {
        ThroneUse::None => false,
        ThroneUse::King => piece == Piece::King,
        ThroneUse::Defenders => piece.side() == Side::Defender,
        ThroneUse::All => true,
    }
}

/// Whether the square is a throne (7.5).
pub(crate) fn is_throne(rules: &Ruleset, board: &Board, at: At) -> bool {
    rules.throne.is_on() && at == board.throne()
}

/// Whether the king wins on the square.
pub(crate) fn is_goal(rules: &Ruleset, board: &Board, at: At) -> bool {
    match rules.escape {
        tafl_rules::Escape::Corners => board.is_corner(at),
        tafl_rules::Escape::Edges => board.is_edge(at),
    }
}

/// Whether the square itself helps to capture pieces of the side (2.4, 7.3, 7.6).
///
/// The throne with the king on it is not hostile to defenders; to attackers the king is an enemy piece.
pub(crate) fn is_hostile(rules: &Ruleset, board: &Board, at: At, side: Side) -> bool {
    if !board.has(at) {
        return false;
    }
    if is_throne(rules, board, at) {
        let to_side = rules.throne_hostile.is_on() && rules.throne_hostile_to.contains(side);
        return to_side && board.at(at).is_none();
    }
    is_special_corner(rules, board, at) && rules.corners_hostile_to.contains(side)
}

/// Whether a piece of the side stands there that takes part in captures: any but an unarmed king (7.2).
pub(crate) fn is_armed(rules: &Ruleset, board: &Board, at: At, side: Side) -> bool {
    let king = board.has(at) && board.at(at) == Some(Piece::King);
    board.is_side(at, side) && (!king || rules.king_armed.is_on())
}
