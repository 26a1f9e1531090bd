//! What a rules record says of the special squares, against what holds in every ruleset.

use super::RecordError;
use super::record::Record;
use crate::{Bitboard, Board, Escape, HostileTo, KingCapture, Piece, Side, ThroneUse};

/// The pieces of a start position, as lists of pieces name them; the king's letter is not among them.
pub(super) struct Men {
    all: String,
    sides: [String; 2],
    pub(super) knights: bool,
    pub(super) commanders: bool,
}

impl Men {
    pub(super) fn of(start: &Board) -> Self {
        let stands = |piece: &Piece| start.pieces.contains(&Some(*piece));
        let men = Piece::ALL.into_iter().filter(|piece| *piece != Piece::King);
        let men: Vec<Piece> = men.filter(stands).collect();
        let of = |side| {
            let own = men.iter().filter(|piece| piece.side() == side);
            own.map(|piece| piece.letter()).collect()
        };
        Self {
            all: men.iter().map(|piece| piece.letter()).collect(),
            sides: Side::ALL.map(of),
            knights: men.contains(&Piece::Knight),
            commanders: men.contains(&Piece::Commander),
        }
    }

    fn none_in(&self, list: &str) -> bool {
        !self.all.chars().any(|letter| list.contains(letter))
    }

    fn everybody_in(&self, list: &str) -> bool {
        self.all.chars().all(|letter| list.contains(letter)) && list.contains('K')
    }

    /// Returns which sides' men a list names: all of a side's, or none.
    fn sides_in(&self, list: &str) -> Option<HostileTo> {
        let [attackers, defenders] = &self.sides;
        let named = |side: &String| {
            let count = side.chars().filter(|it| list.contains(*it)).count();
            (count == 0 || count == side.len()).then_some(count > 0)
        };
        // With a king alone on the board, any other name in the list says so.
        if self.all.is_empty() && list.chars().any(|letter| letter != 'K') {
            return Some(HostileTo::All);
        }
        Some(match (named(attackers)?, named(defenders)?) {
            (true, true) => HostileTo::All,
            (true, false) if defenders.is_empty() && list.contains('K') => HostileTo::All,
            (true, false) => HostileTo::Attackers,
            (false, true) => HostileTo::Defenders,
            (false, false) => HostileTo::Nobody,
        })
    }

    /// Returns to whom the empty throne is hostile, beside the king.
    fn read_hostile_throne(
        &self,
        record: &Record<'_>,
        king_capture: KingCapture,
    ) -> Result<HostileTo, RecordError> {
        let list = record.pieces("cenhe")?;
        let sides = self.sides_in(list);
        // A king whom four take is taken by three beside the throne, whatever it is to others.
        let is_like_men = king_capture == KingCapture::TwoSides;
        let reason = match is_like_men {
            true => "the empty throne is hostile to all pieces of a side, of both or of none",
            false => {
                "the empty throne is hostile to the king, and to all men of a side, of both or of none"
            }
        };
        let to_king = !is_like_men || sides.is_some_and(|it| it.contains(Side::Defender));
        record.require("cenhe", list.contains('K') == to_king, reason)?;
        sides.ok_or_else(|| record.refuse("cenhe", reason))
    }

    /// Returns who is in a list of those who may stop on the throne, or pass over it.
    fn read_use(&self, record: &Record<'_>, key: &'static str) -> Result<ThroneUse, RecordError> {
        let list = record.pieces(key)?;
        match (self.sides_in(list), list.contains('K')) {
            (Some(HostileTo::All), true) => Ok(ThroneUse::All),
            (Some(HostileTo::Defenders), true) => Ok(ThroneUse::Defenders),
            (Some(HostileTo::Nobody), true) => Ok(ThroneUse::King),
            (Some(HostileTo::Nobody), false) => Ok(ThroneUse::None),
            _ => {
                let reason = "the throne is for all pieces, the defenders, the king, or nobody";
                Err(record.refuse(key, reason))
            }
        }
    }
}

/// Checks what the keys say of the corners.
pub(super) fn check_corners(
    record: &Record<'_>,
    start: &Board,
    escape: Escape,
    king_capture: KingCapture,
) -> Result<HostileTo, RecordError> {
    let corners = start.shape.corners();
    let given = record.squares("cor", start.shape, corners)?;
    for key in ["corh", "corp", "cors", "corre"] {
        record.pieces(key)?;
    }
    if escape == Escape::Edges {
        let reason = "where the king escapes to the edges, corners are ordinary squares (`cor:`)";
        record.require("cor", given.is_empty(), reason)?;
        return Ok(HostileTo::All);
    }
    let reason = "the king escapes to the four corners of the board";
    record.require("cor", given == corners, reason)?;
    let men = Men::of(start);
    // Four attackers never capture beside a corner, but commanders and two attackers do.
    let king_too = men.commanders || king_capture != KingCapture::FourSides;
    let list = record.pieces("corh")?;
    let sides = men
        .sides_in(list)
        .filter(|sides| !king_too || sides.contains(Side::Defender) == list.contains('K'));
    let reason = "corners are hostile to all pieces of a side, of both or of none";
    let hostile = sides.ok_or_else(|| record.refuse("corh", reason))?;
    let stops = record.pieces("cors")?;
    let alone = men.none_in(stops) && stops.contains('K');
    record.require("cors", alone, "the king alone enters a corner")?;
    let enters = record.pieces("corp")?.contains('K');
    record.require("corp", enters, "the king enters a corner")?;
    Ok(hostile)
}

/// What a record says of the throne.
pub(super) struct Throne {
    pub(super) is_there: bool,
    pub(super) hostile_to: HostileTo,
    pub(super) stop: ThroneUse,
    pub(super) pass: ThroneUse,
}

/// Reads what the keys say of the throne.
///
/// There is none where no square is one (`cen:`), or where the middle hinders and helps nobody.
pub(super) fn read_throne(
    record: &Record<'_>,
    start: &Board,
    king_capture: KingCapture,
    king_is_armed: bool,
) -> Result<Throne, RecordError> {
    let men = Men::of(start);
    let throne = Bitboard::EMPTY.with(start.shape.throne());
    let squares = record.squares("cen", start.shape, throne)?;
    let hostile = record.pieces("cenh")?;
    let hostile_empty = record.pieces("cenhe")?;
    let crossed = record.pieces("cenp")?;
    let stops = record.pieces("cens")?;
    let returns = record.pieces("cenre")?;
    let is_open = [crossed, stops].iter().all(|list| men.everybody_in(list))
        && men.none_in(hostile_empty)
        && !hostile_empty.contains('K')
        && men.none_in(hostile)
        && returns.contains('K');
    // Some kings are stronger there, whatever the square is to others.
    let is_plain = is_open && king_capture != KingCapture::TwoSidesAwayFromThrone;
    if squares.is_empty() || squares == throne && is_plain {
        return Ok(Throne {
            is_there: false,
            hostile_to: HostileTo::Nobody,
            stop: ThroneUse::King,
            pass: ThroneUse::All,
        });
    }
    let reason = "the throne is the middle of the board, or there is none (`cen:`)";
    record.require("cen", squares == throne, reason)?;
    let is_friendly =
        !hostile.contains(|letter| men.sides[Side::Defender.index()].contains(letter));
    let reason = "the throne with the king on it is not hostile to defenders";
    record.require("cenh", is_friendly, reason)?;
    let is_harmless = king_is_armed || men.none_in(hostile);
    let reason = "the throne with an unarmed king on it is hostile to nobody";
    record.require("cenh", is_harmless, reason)?;
    let hostile_to = men.read_hostile_throne(record, king_capture)?;
    let pass = men.read_use(record, "cenp")?;
    // Who may not pass does not come to stop there.
    let mut stop = men.read_use(record, "cens")?.min(pass);
    if stop == ThroneUse::King && !returns.contains('K') {
        stop = ThroneUse::None;
    }
    let comes_back = stop == ThroneUse::None || returns.contains('K');
    let reason = "the king may come back to the throne if his men may stop there";
    record.require("cenre", comes_back, reason)?;
    Ok(Throne {
        is_there: true,
        hostile_to,
        stop,
        pass,
    })
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
