//! What a rules record says of the special squares, against what holds in every ruleset.

use super::RecordError;
use super::record::Record;
use crate::{Bitboard, Escape, KingCapture, Piece, Setup, Side};

/// The pieces of a start position, as lists of pieces name them; the king's letter is not among them.
pub(super) struct Men {
    all: String,
    defenders: String,
    pub(super) knights: bool,
    pub(super) commanders: bool,
}

impl Men {
    pub(super) fn of(start: &Setup) -> Self {
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

    /// Checks that a list names every piece, the king too if he is asked for.
    fn check_all(
        &self,
        record: &Record<'_>,
        key: &'static str,
        king: bool,
        reason: &'static str,
    ) -> Result<(), RecordError> {
        let list = record.pieces(key)?;
        let men = self.all.chars().all(|letter| list.contains(letter));
        if men && (!king || list.contains('K')) {
            Ok(())
        } else {
            Err(record.refuse(key, reason))
        }
    }

    /// Checks that a list names the king and nobody else.
    fn check_king_only(
        &self,
        record: &Record<'_>,
        key: &'static str,
        reason: &'static str,
    ) -> Result<(), RecordError> {
        let list = record.pieces(key)?;
        let men = self.all.chars().any(|letter| list.contains(letter));
        if !men && list.contains('K') {
            Ok(())
        } else {
            Err(record.refuse(key, reason))
        }
    }
}

/// Checks what the keys say of the corners.
pub(super) fn check_corners(
    record: &Record<'_>,
    start: &Setup,
    escape: Escape,
    king_capture: KingCapture,
) -> Result<(), RecordError> {
    let corners = start.shape.corners();
    let given = record.squares("cor", start.shape, corners)?;
    for key in ["corh", "corp", "cors", "corre"] {
        record.pieces(key)?;
    }
    match escape {
        Escape::Edges if given.is_empty() => return Ok(()),
        Escape::Edges => {
            let reason =
                "where the king escapes to the edges, corners are ordinary squares (`cor:`)";
            return Err(record.refuse("cor", reason));
        }
        Escape::Corners if given != corners => {
            let reason = "the king escapes to the four corners of the board";
            return Err(record.refuse("cor", reason));
        }
        Escape::Corners => {}
    }
    let men = Men::of(start);
    // Four attackers never capture beside a corner, but commanders and two attackers do.
    let king = men.commanders || king_capture == KingCapture::TwoSidesAwayFromThrone;
    let hostile = "corners are hostile to every piece";
    men.check_all(record, "corh", king, hostile)?;
    men.check_king_only(record, "cors", "the king alone enters a corner")?;
    if !record.pieces("corp")?.contains('K') {
        return Err(record.refuse("corp", "the king enters a corner"));
    }
    Ok(())
}

/// Checks what the keys say of the throne.
pub(super) fn check_throne(record: &Record<'_>, start: &Setup) -> Result<(), RecordError> {
    let men = Men::of(start);
    let throne = Bitboard::EMPTY.with(start.shape.throne());
    if record.squares("cen", start.shape, throne)? != throne {
        return Err(record.refuse("cen", "the throne is the middle of the board"));
    }
    if record
        .pieces("cenh")?
        .chars()
        .any(|letter| men.defenders.contains(letter))
    {
        let reason = "the throne with the king on it is not hostile to defenders";
        return Err(record.refuse("cenh", reason));
    }
    men.check_all(
        record,
        "cenhe",
        true,
        "the empty throne is hostile to every piece",
    )?;
    men.check_all(record, "cenp", true, "every piece crosses the empty throne")?;
    men.check_king_only(record, "cens", "the king alone stops on the throne")?;
    if !record.pieces("cenre")?.contains('K') {
        return Err(record.refuse("cenre", "the king may come back to the throne"));
    }
    Ok(())
}

/// Checks what the keys say of the fortresses.
pub(super) fn check_fortresses(record: &Record<'_>, start: &Setup) -> Result<(), RecordError> {
    for key in ["afor", "dfor"] {
        let squares = record.squares(key, start.shape, Bitboard::EMPTY)?;
        if !squares.is_empty() {
            return Err(record.refuse(key, "there are no fortresses"));
        }
    }
    let without_meaning = [
        "aforh", "dforh", "aforp", "dforp", "afors", "dfors", "aforre", "dforre",
    ];
    for key in without_meaning {
        record.pieces(key)?;
    }
    Ok(())
}
