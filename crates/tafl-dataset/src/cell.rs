//! What a value is in a file: the type of its column, how it is written and how it is read.

use crate::rounding::{five_bits, round_wdl};
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeListArray, ListArray,
    PrimitiveArray, StringArray, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields};
use std::sync::Arc;
use tafl_rules::{Bitboard, BoardShape, Move, Piece, PolicyIndex, RankOrder, Setup, Side, Square};
use tafl_samples::{EndingReason, GameKind, PlayerId, ProvenResult};

/// A value of a column. Squares and moves are numbered by the board of their row.
pub(crate) trait Cell: Sized {
    /// Whether null is one of the values.
    const NULLABLE: bool = false;

    /// Returns the type of the column.
    fn data_type() -> DataType;

    /// Makes a column.
    fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef;

    /// Returns how the value of a row is read from a column of this type. Null is found out before, unless it is a value.
    fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String>;
}

/// A value that is a number in files.
pub(crate) trait Number: Sized {
    type Arrow: ArrowPrimitiveType;

    fn number(self, shape: BoardShape) -> <Self::Arrow as ArrowPrimitiveType>::Native;

    fn of(
        number: <Self::Arrow as ArrowPrimitiveType>::Native,
        shape: BoardShape,
    ) -> Result<Self, String>;
}

macro_rules! plain_numbers {
    ($($number:ty: $arrow:ty,)*) => {$(
        impl Number for $number {
            type Arrow = $arrow;

            fn number(self, _: BoardShape) -> Self {
                self
            }

            fn of(number: Self, _: BoardShape) -> Result<Self, String> {
                Ok(number)
            }
        }
    )*};
}

plain_numbers! {
    u8: UInt8Type,
    u16: UInt16Type,
    u32: UInt32Type,
    u64: UInt64Type,
    f32: Float32Type,
    f64: Float64Type,
}

impl Number for Move {
    type Arrow = UInt16Type;

    fn number(self, shape: BoardShape) -> u16 {
        self.policy_index(shape).0
    }

    fn of(index: u16, shape: BoardShape) -> Result<Self, String> {
        let mv = Self::from_policy_index(PolicyIndex(index), shape);
        mv.ok_or_else(|| format!("policy index {index} is not a move"))
    }
}

impl Number for Square {
    type Arrow = UInt8Type;

    fn number(self, shape: BoardShape) -> u8 {
        u8::try_from(shape.index(self)).expect("a board has at most 121 squares")
    }

    fn of(index: u8, shape: BoardShape) -> Result<Self, String> {
        if usize::from(index) < shape.squares() {
            return Ok(shape.square(index.into()));
        }
        Err(format!("the board has no square {index}"))
    }
}

impl Number for ProvenResult {
    type Arrow = Int8Type;

    fn number(self, _: BoardShape) -> i8 {
        match self.winner {
            Some(Side::Attacker) => 1,
            Some(Side::Defender) => -1,
            None => 0,
        }
    }

    fn of(number: i8, _: BoardShape) -> Result<Self, String> {
        let winner = match number {
            0 => None,
            1 => Some(Side::Attacker),
            -1 => Some(Side::Defender),
            other => return Err(format!("{other} is not a result")),
        };
        Ok(Self { winner })
    }
}

impl<N: Number> Cell for N {
    fn data_type() -> DataType {
        N::Arrow::DATA_TYPE
    }

    fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef {
        let numbers = cells.map(|(cell, shape)| cell.number(shape));
        Arc::new(PrimitiveArray::<N::Arrow>::from_iter_values(numbers))
    }

    fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String> {
        let numbers = column.as_primitive::<N::Arrow>();
        move |row, shape| N::of(numbers.value(row), shape)
    }
}

impl<N: Number> Cell for Option<N> {
    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        N::Arrow::DATA_TYPE
    }

    fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef {
        let numbers = cells.map(|(cell, shape)| Some(cell?.number(shape)));
        Arc::new(PrimitiveArray::<N::Arrow>::from_iter(numbers))
    }

    fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String> {
        let numbers = column.as_primitive::<N::Arrow>();
        move |row, shape| {
            let number = numbers.is_valid(row).then(|| numbers.value(row));
            number.map(|number| N::of(number, shape)).transpose()
        }
    }
}

impl Cell for bool {
    fn data_type() -> DataType {
        DataType::Boolean
    }

    fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef {
        Arc::new(BooleanArray::from_iter(cells.map(|(cell, _)| Some(cell))))
    }

    fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String> {
        let flags = column.as_boolean();
        move |row, _| Ok(flags.value(row))
    }
}

/// Values that are words in files, each stored once: how they are made a word, and made of one.
macro_rules! words {
    ($($word:ty: |$cell:ident| $text:expr, |$read:ident| $of:expr;)*) => {$(
        impl Cell for $word {
            fn data_type() -> DataType {
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
            }

            fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef {
                let mut builder = StringDictionaryBuilder::<Int32Type>::new();
                cells.for_each(|($cell, _)| builder.append_value($text));
                Arc::new(builder.finish())
            }

            fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String> {
                let words = column.as_dictionary::<Int32Type>();
                let values: &StringArray = words.values().as_string();
                let of = |value: Option<&str>| {
                    let $read = value.ok_or("null")?;
                    $of
                };
                let values: Vec<Result<Self, String>> = values.iter().map(of).collect();
                move |row, _| {
                    let value = words.key(row).and_then(|key| values.get(key));
                    value.cloned().unwrap_or_else(|| Err("null".to_owned()))
                }
            }
        }
    )*};
}

words! {
    String: |text| text, |text| Ok(text.to_owned());
    Arc<str>: |text| text, |text| Ok(text.into());
    PlayerId: |id| id.to_string(), |text| Ok(Self::from(text));
    GameKind: |kind| kind.name(), |text| text.parse().map_err(|error| format!("{error}"));
    EndingReason: |reason| reason.name(), |text| text.parse().map_err(|error| format!("{error}"));
    Side: |side| side.name(), |text| text.parse().map_err(|error| format!("{error}"));
    Setup: |setup| setup.to_text(RankOrder::HighestFirst), |text| setup_of(text);
}

fn setup_of(text: &str) -> Result<Setup, String> {
    Setup::from_text(text, RankOrder::HighestFirst).map_err(|error| error.to_string())
}

/// The pieces of a position, which resemble those of the position before.
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

impl Cell for Pieces {
    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef {
        let texts = cells.map(|(pieces, _)| pieces.text());
        Arc::new(StringArray::from_iter_values(texts))
    }

    fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String> {
        let texts: &StringArray = column.as_string();
        move |row, _| Self::of(texts.value(row))
    }
}

/// Win, draw and loss.
impl Cell for [f32; 3] {
    fn data_type() -> DataType {
        DataType::FixedSizeList(item(DataType::Float32), 3)
    }

    fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef {
        let numbers = cells.flat_map(|(wdl, _)| round_wdl(wdl));
        let numbers = PrimitiveArray::<Float32Type>::from_iter_values(numbers);
        let field = item(DataType::Float32);
        Arc::new(FixedSizeListArray::new(field, 3, Arc::new(numbers), None))
    }

    fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String> {
        let lists: &FixedSizeListArray = column.as_fixed_size_list();
        let numbers = lists.values().as_primitive::<Float32Type>();
        move |row, _| {
            let first = lists.value_offset_at(row);
            let wdl = std::array::from_fn(|i| numbers.value(first + i));
            let sum: f32 = wdl.iter().sum();
            let in_range = wdl.iter().all(|p| (0.0..=1.0).contains(p));
            let is_whole = (first..first + 3).all(|at| numbers.is_valid(at));
            if in_range && (sum - 1.0).abs() < 1e-3 && is_whole {
                return Ok(wdl);
            }
            Err(format!("{wdl:?} are not probabilities that sum to 1"))
        }
    }
}

/// A policy: moves with their probabilities.
impl Cell for Vec<(Move, f32)> {
    fn data_type() -> DataType {
        DataType::List(item(DataType::Struct(policy_fields())))
    }

    fn write(cells: impl Iterator<Item = (Self, BoardShape)>) -> ArrayRef {
        let policies: Vec<_> = cells.map(|(cell, shape)| round(cell, shape)).collect();
        let all = || policies.iter().flatten();
        let moves = PrimitiveArray::<UInt16Type>::from_iter_values(all().map(|&(mv, _)| mv));
        let shares = PrimitiveArray::<Float32Type>::from_iter_values(all().map(|&(_, p)| p));
        let entries = vec![Arc::new(moves) as ArrayRef, Arc::new(shares)];
        let entries = StructArray::new(policy_fields(), entries, None);
        let offsets = OffsetBuffer::from_lengths(policies.iter().map(Vec::len));
        let field = item(DataType::Struct(policy_fields()));
        Arc::new(ListArray::new(field, offsets, Arc::new(entries), None))
    }

    fn reader(column: &ArrayRef) -> impl Fn(usize, BoardShape) -> Result<Self, String> {
        let lists: &ListArray = column.as_list();
        let entries = lists.values().as_struct();
        let moves = entries.column(0).as_primitive::<UInt16Type>();
        let shares = entries.column(1).as_primitive::<Float32Type>();
        let has_null = entries.null_count() + moves.null_count() + shares.null_count() > 0;
        move |row, shape| {
            if has_null {
                return Err("an entry is null".to_owned());
            }
            let offsets = lists.value_offsets();
            let range = offsets[row] as usize..offsets[row + 1] as usize;
            let moves = &moves.values()[range.clone()];
            if moves.is_empty() || !moves.is_sorted_by(|one, next| one < next) {
                return Err("moves are missing or not in ascending order".to_owned());
            }
            let entry = |(&index, &p): (&u16, &f32)| {
                let mv = Move::of(index, shape)?;
                let is_share = p > 0.0 && p <= 1.0;
                let entry = is_share.then_some((mv, p));
                entry.ok_or_else(|| format!("{mv} has probability {p}"))
            };
            moves
                .iter()
                .zip(&shares.values()[range])
                .map(entry)
                .collect()
        }
    }
}

fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", data_type, false))
}

/// The parts of one move of a policy.
fn policy_fields() -> Fields {
    Fields::from(vec![
        Field::new("move", DataType::UInt16, false),
        Field::new("p", DataType::Float32, false),
    ])
}

/// Moves of a policy with less probability than this are not stored.
const POLICY_FLOOR: f32 = 1.0 / 2048.0;

/// Returns a policy by rising index, with 5 significant bits of each probability: an error of at most 1/32, far below the
/// noise of a search.
fn round(policy: Vec<(Move, f32)>, shape: BoardShape) -> Vec<(u16, f32)> {
    let best = policy.iter().map(|&(_, p)| p).fold(0.0, f32::max);
    let is_kept = |p: f32| p >= POLICY_FLOOR.min(best) && p > 0.0;
    let kept = policy.into_iter().filter(|&(_, p)| is_kept(p));
    let mut kept: Vec<_> = kept
        .map(|(mv, p)| (mv.number(shape), five_bits(p)))
        .collect();
    kept.sort_unstable_by_key(|&(index, _)| index);
    kept
}
