//! What a value is in a file: the type of its column, how it is written and how it is read.

use crate::values::{ColumnType, Raw, Values};
use parquet::basic::LogicalType;
use parquet::data_type::ByteArray;
use std::sync::Arc;
use tafl_rules::{Bitboard, BoardShape, Move, Piece, PolicyIndex, RankOrder, Setup, Side, Square};
use tafl_samples::{EndingReason, GameKind, PlayerId, ProvenResult, is_distribution};

/// A value of a column. Squares and moves are numbered by the board of their row.
pub(crate) trait Cell: Clone {
    /// Whether rows that follow each other have often the same value, which takes time to read.
    const REPEATS: bool = false;

    type Raw: Raw;

    /// Returns the type of the column.
    fn column_type() -> ColumnType;

    /// Adds the value to a column.
    fn write(self, shape: BoardShape, column: &mut Values<Self::Raw>);

    /// Reads the value of a row, which has one in Parquet too if the column is not one of lists.
    fn read(raw: &[Self::Raw], shape: BoardShape) -> Result<Self, String>;

    /// Returns the value that is null in files, if there is one.
    fn null() -> Option<Self> {
        None
    }
}

/// A value that is a number in files.
pub(crate) trait Number: Copy {
    type Raw: Raw;

    /// Bits of an integer, and whether it may be below 0; `None` for what is as Parquet has it.
    const INTEGER: Option<(i8, bool)>;

    fn number(self, shape: BoardShape) -> Self::Raw;

    fn of(number: &Self::Raw, shape: BoardShape) -> Result<Self, String>;
}

macro_rules! numbers {
    ($($number:ty as $raw:ty, $integer:expr, |$value:ident| $to:expr, |$read:ident| $of:expr;)*) => {$(
        impl Number for $number {
            type Raw = $raw;

            const INTEGER: Option<(i8, bool)> = $integer;

            fn number(self, _: BoardShape) -> $raw {
                let $value = self;
                $to
            }

            fn of($read: &$raw, _: BoardShape) -> Result<Self, String> {
                $of
            }
        }
    )*};
}

// Parquet has no unsigned integers: small ones are in range, of large ones the bits are kept.
numbers! {
    u8 as i32, Some((8, false)), |it| it.into(), |raw| Self::try_from(*raw).map_err(|_| format!("{raw} is out of range"));
    u16 as i32, Some((16, false)), |it| it.into(), |raw| Self::try_from(*raw).map_err(|_| format!("{raw} is out of range"));
    u32 as i32, Some((32, false)), |it| it.cast_signed(), |raw| Ok(raw.cast_unsigned());
    u64 as i64, Some((64, false)), |it| it.cast_signed(), |raw| Ok(raw.cast_unsigned());
    f32 as f32, None, |it| it, |raw| Ok(*raw);
    f64 as f64, None, |it| it, |raw| Ok(*raw);
    bool as bool, None, |it| it, |raw| Ok(*raw);
    ProvenResult as i32, Some((8, true)), |it| it.winner.map_or(0, |side| if side == Side::Attacker { 1 } else { -1 }), |raw| {
        let winner = match raw {
            0 => None,
            1 => Some(Side::Attacker),
            -1 => Some(Side::Defender),
            other => return Err(format!("{other} is not a result")),
        };
        Ok(Self { winner })
    };
}

impl Number for Move {
    type Raw = i32;

    const INTEGER: Option<(i8, bool)> = u16::INTEGER;

    fn number(self, shape: BoardShape) -> i32 {
        self.policy_index(shape).0.into()
    }

    fn of(index: &i32, shape: BoardShape) -> Result<Self, String> {
        let mv = u16::try_from(*index)
            .ok()
            .and_then(|index| Self::from_policy_index(PolicyIndex(index), shape));
        mv.ok_or_else(|| format!("policy index {index} is not a move"))
    }
}

impl Number for Square {
    type Raw = i32;

    const INTEGER: Option<(i8, bool)> = u8::INTEGER;

    fn number(self, shape: BoardShape) -> i32 {
        i32::try_from(shape.index(self)).expect("a board has at most 121 squares")
    }

    fn of(index: &i32, shape: BoardShape) -> Result<Self, String> {
        let square = usize::try_from(*index)
            .ok()
            .filter(|&index| index < shape.squares());
        let square = square.ok_or_else(|| format!("the board has no square {index}"))?;
        Ok(shape.square(square))
    }
}

fn type_of<N: Number>(is_list: bool) -> ColumnType {
    let meaning = N::INTEGER.map(|(bits, is_signed)| LogicalType::integer(bits, is_signed));
    ColumnType::new::<N::Raw>(meaning, is_list)
}

impl<N: Number> Cell for N {
    type Raw = N::Raw;

    fn column_type() -> ColumnType {
        type_of::<N>(false)
    }

    fn write(self, shape: BoardShape, column: &mut Values<N::Raw>) {
        column.push(self.number(shape));
    }

    fn read(raw: &[N::Raw], shape: BoardShape) -> Result<Self, String> {
        N::of(&raw[0], shape)
    }
}

impl<N: Number> Cell for Option<N> {
    type Raw = N::Raw;

    fn column_type() -> ColumnType {
        type_of::<N>(false)
    }

    fn write(self, shape: BoardShape, column: &mut Values<N::Raw>) {
        match self {
            Some(number) => column.push(number.number(shape)),
            None => column.push_null(),
        }
    }

    fn read(raw: &[N::Raw], shape: BoardShape) -> Result<Self, String> {
        N::of(&raw[0], shape).map(Some)
    }

    fn null() -> Option<Self> {
        Some(None)
    }
}

/// Numbers of a row, as many as there are.
impl<N: Number> Cell for Vec<N> {
    type Raw = N::Raw;

    fn column_type() -> ColumnType {
        type_of::<N>(true)
    }

    fn write(self, shape: BoardShape, column: &mut Values<N::Raw>) {
        column.push_list(self.into_iter().map(|number| number.number(shape)));
    }

    fn read(raw: &[N::Raw], shape: BoardShape) -> Result<Self, String> {
        raw.iter().map(|number| N::of(number, shape)).collect()
    }
}

/// Values that are words in files: how they are made a word, and made of one.
macro_rules! words {
    ($($word:ty: |$cell:ident| $text:expr, |$read:ident| $of:expr;)*) => {$(
        impl Cell for $word {
            const REPEATS: bool = true;

            type Raw = ByteArray;

            fn column_type() -> ColumnType {
                ColumnType::new::<ByteArray>(Some(LogicalType::String), false)
            }

            fn write(self, _: BoardShape, column: &mut Values<ByteArray>) {
                let $cell = self;
                column.push(String::from($text).into_bytes().into());
            }

            fn read(raw: &[ByteArray], _: BoardShape) -> Result<Self, String> {
                let $read = raw[0].as_utf8().map_err(|error| error.to_string())?;
                $of
            }
        }
    )*};
}

words! {
    String: |text| text, |text| Ok(text.to_owned());
    Arc<str>: |text| &*text, |text| Ok(text.into());
    PlayerId: |id| id.to_string(), |text| Ok(Self::from(text));
    GameKind: |kind| kind.name(), |text| text.parse().map_err(|error| format!("{error}"));
    EndingReason: |reason| reason.name(), |text| text.parse().map_err(|error| format!("{error}"));
    Side: |side| side.name(), |text| text.parse().map_err(|error| format!("{error}"));
    Setup: |setup| setup.to_text(RankOrder::HighestFirst), |text| setup_of(text);
    Pieces: |pieces| pieces.text(), |text| Self::of(text);
}

fn setup_of(text: &str) -> Result<Setup, String> {
    Setup::from_text(text, RankOrder::HighestFirst).map_err(|error| error.to_string())
}

/// The pieces of a position, which resemble those of the position before.
#[derive(Clone)]
pub(crate) struct Pieces {
    pub(crate) squares: [Bitboard; 5],
    pub(crate) shape: BoardShape,
}

impl Pieces {
    pub(crate) const fn new(squares: [Bitboard; 5], shape: BoardShape) -> Self {
        Self { squares, shape }
    }

    fn text(&self) -> String {
        let mut pieces = vec![None; self.shape.squares()];
        for (kind, squares) in Piece::ALL.into_iter().zip(self.squares) {
            let squares = squares.squares();
            squares.for_each(|square| pieces[self.shape.index(square)] = Some(kind));
        }
        // The text is of the pieces alone.
        let setup = Setup {
            shape: self.shape,
            pieces,
            side: Side::Attacker,
            chain: None,
            captureless: 0,
        };
        setup.to_text(RankOrder::HighestFirst)
    }

    fn of(text: &str) -> Result<Self, String> {
        let setup = setup_of(text)?;
        let mut squares = [Bitboard::EMPTY; 5];
        for (index, piece) in setup.pieces.iter().enumerate() {
            if let Some(piece) = piece {
                let of_kind = &mut squares[*piece as usize];
                *of_kind = of_kind.with(setup.shape.square(index));
            }
        }
        Ok(Self::new(squares, setup.shape))
    }
}

/// Win, draw and loss.
impl Cell for [f32; 3] {
    type Raw = f32;

    fn column_type() -> ColumnType {
        type_of::<f32>(true)
    }

    fn write(self, _: BoardShape, column: &mut Values<f32>) {
        column.push_list(self);
    }

    fn read(raw: &[f32], _: BoardShape) -> Result<Self, String> {
        let wdl = <[f32; 3]>::try_from(raw).ok();
        let wdl = wdl.filter(|wdl| is_distribution(wdl));
        wdl.ok_or_else(|| format!("{raw:?} are not probabilities that sum to 1"))
    }
}
