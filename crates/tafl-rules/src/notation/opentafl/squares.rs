//! What a rules record says of the special squares, against what holds in every ruleset.

use super::RecordError;
use super::record::Record;
use crate::{Bitboard, Board, Escape, KingCapture, Piece, Side, Switch};

/// The pieces of a start position, as lists of pieces name them; the king's letter is not among them.
pub(super) struct Men {
    all: String,
    defenders: String,
    pub(super) knights: bool,
    pub(super) commanders: bool,
}

impl Men {
    pub(super) fn of(start: &Board) -> Self {
        let stands = |piece: &Piece| start.pieces.contains(&Some(*piece));
        let men = Piece::ALL.into_iter().filter(|piece| *piece != Piece::King);
        let men: Vec<Piece> = men.filter(stands).collect();
        let defenders = men.iter().filter(|piece| piece.side() == Side::Defender);
        Self {
            all: men.iter().map(|piece| piece.letter()).collect(),
            defenders: defenders.map(|piece| piece.letter()).collect(),
            knights: men.contains(&Piece::Knight),
            commanders: men.contains(&Piece::Commander),
        }
    }

    fn all_in(&self, list: &str) -> bool {
        self.all.chars().all(|letter| list.contains(letter))
    }

    fn none_in(&self, list: &str) -> bool {
        !self.all.chars().any(|letter| list.contains(letter))
    }

    fn king_alone_in(&self, list: &str) -> bool {
        self.none_in(list) && list.contains('K')
    }

    fn everybody_in(&self, list: &str) -> bool {
        self.all_in(list) && list.contains('K')
    }

    fn nobody_in(&self, list: &str) -> bool {
        self.none_in(list) && !list.contains('K')
    }

    /// Returns whether the empty throne is hostile to the pieces other than the king.
    fn read_hostile_throne(
        &self,
        record: &Record<'_>,
        king_capture: KingCapture,
    ) -> Result<Switch, RecordError> {
        let list = record.pieces("cenhe")?;
        // With a king alone on the board, any other name in the list says so.
        let named = |letter| self.all.contains(letter) || (self.all.is_empty() && letter != 'K');
        let hostile = list.chars().any(named);
        // A king whom four take is taken by three beside the throne, whatever it is to others.
        let to_king = hostile || king_capture != KingCapture::TwoSides;
        let reason = match king_capture {
            KingCapture::TwoSides => "the empty throne is hostile to every piece or to none",
            _ => "the empty throne is hostile to every piece or to the king alone",
        };
        let all = !hostile || self.all_in(list);
        record.require("cenhe", all && list.contains('K') == to_king, reason)?;
        Ok(hostile.into())
    }
}

/// Checks what the keys say of the corners.
pub(super) fn check_corners(
    record: &Record<'_>,
    start: &Board,
    escape: Escape,
    king_capture: KingCapture,
) -> Result<(), RecordError> {
    let corners = start.shape.corners();
    let given = record.squares("cor", start.shape, corners)?;
    for key in ["corh", "corp", "cors", "corre"] {
        record.pieces(key)?;
    }
    if escape == Escape::Edges {
        let reason = "where the king escapes to the edges, corners are ordinary squares (`cor:`)";
        return record.require("cor", given.is_empty(), reason);
    }
    let reason = "the king escapes to the four corners of the board";
    record.require("cor", given == corners, reason)?;
    let men = Men::of(start);
    // Four attackers never capture beside a corner, but commanders and two attackers do.
    let king_too = men.commanders || king_capture != KingCapture::FourSides;
    let list = record.pieces("corh")?;
    let is_hostile = men.all_in(list) && (!king_too || list.contains('K'));
    record.require("corh", is_hostile, "corners are hostile to every piece")?;
    let alone = men.king_alone_in(record.pieces("cors")?);
    record.require("cors", alone, "the king alone enters a corner")?;
    let enters = record.pieces("corp")?.contains('K');
    record.require("corp", enters, "the king enters a corner")
}

/// Checks what the keys say of the throne; returns whether there is one, and whether it is hostile while it is empty.
///
/// There is none where no square is one (`cen:`), or where the middle hinders and helps nobody.
pub(super) fn read_throne(
    record: &Record<'_>,
    start: &Board,
    king_capture: KingCapture,
    king_is_armed: bool,
) -> Result<[Switch; 2], RecordError> {
    let men = Men::of(start);
    let throne = Bitboard::EMPTY.with(start.shape.throne());
    let squares = record.squares("cen", start.shape, throne)?;
    let hostile = record.pieces("cenh")?;
    let hostile_empty = record.pieces("cenhe")?;
    let crossed = record.pieces("cenp")?;
    let stops = record.pieces("cens")?;
    let returns = record.pieces("cenre")?;
    let is_open = [crossed, stops].iter().all(|list| men.everybody_in(list))
        && men.nobody_in(hostile_empty)
        && men.none_in(hostile)
        && returns.contains('K');
    // Some kings are stronger there, whatever the square is to others.
    let is_plain = is_open && king_capture != KingCapture::TwoSidesAwayFromThrone;
    if squares.is_empty() || squares == throne && is_plain {
        return Ok([Switch::Off; 2]);
    }
    let reason = "the throne is the middle of the board, or there is none (`cen:`)";
    record.require("cen", squares == throne, reason)?;
    let is_friendly = !hostile.contains(|letter| men.defenders.contains(letter));
    let reason = "the throne with the king on it is not hostile to defenders";
    record.require("cenh", is_friendly, reason)?;
    let is_harmless = king_is_armed || men.none_in(hostile);
    let reason = "the throne with an unarmed king on it is hostile to nobody";
    record.require("cenh", is_harmless, reason)?;
    let hostile = men.read_hostile_throne(record, king_capture)?;
    let reason = "every piece crosses the empty throne";
    record.require("cenp", men.everybody_in(crossed), reason)?;
    let reason = "the king alone stops on the throne";
    record.require("cens", men.king_alone_in(stops), reason)?;
    let reason = "the king may come back to the throne";
    record.require("cenre", returns.contains('K'), reason)?;
    Ok([Switch::On, hostile])
}

/// Checks what the keys say of the fortresses.
pub(super) fn check_fortresses(record: &Record<'_>, start: &Board) -> Result<(), RecordError> {
    for key in ["afor", "dfor"] {
        let squares = record.squares(key, start.shape, Bitboard::EMPTY)?;
        record.require(key, squares.is_empty(), "there are no fortresses")?;
    }
    let without_meaning = [
        "aforh", "dforh", "aforp", "dforp", "afors", "dfors", "aforre", "dforre",
    ];
    for key in without_meaning {
        record.pieces(key)?;
    }
    Ok(())
}
