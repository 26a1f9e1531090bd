//! Turns as text: `f6-f9xf8`, and chains as joined steps, `d5-f5xe5-f8xf7`.

use crate::{Bitboard, Move, ParseTurnError, Square};

/// Lets serde write a type by its `Display` and read it by its `FromStr`, given `try_from` and `into` of `String` at the type.
#[macro_export]
macro_rules! serde_as_text {
    ($type:ty) => {
        impl TryFrom<String> for $type {
            type Error = <Self as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }
    };
}

/// One turn with its captures: a ply, or the joined plies of a chain.
///
/// `d5-f5xe5-f8xf7` goes from d5 to f5 capturing e5 and on to f8 capturing f7. A chain that the
/// player stopped although he could go on ends in `-end`. Captures follow by rising square number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnText {
    /// Each ply with the squares it captured.
    pub plies: Vec<(Move, Bitboard)>,
}

impl std::fmt::Display for TurnText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (mv, captured)) in self.plies.iter().enumerate() {
            match (index, mv.is_end()) {
                (0, _) => write!(f, "{mv}")?,
                (_, true) => f.write_str("-end")?,
                (_, false) => write!(f, "-{}", mv.to())?,
            }
            for square in captured.squares() {
                write!(f, "x{square}")?;
            }
        }
        Ok(())
    }
}

impl std::str::FromStr for TurnText {
    type Err = ParseTurnError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseTurnError(short(text));
        if text == "end" {
            return Ok(Self {
                plies: vec![(Move::END, Bitboard::EMPTY)],
            });
        }
        let mut steps = text.split('-');
        let start = steps.next().unwrap_or_default();
        let mut from: Square = start.parse().map_err(|_| error())?;
        let mut plies: Vec<(Move, Bitboard)> = Vec::new();
        for step in steps {
            if plies.last().is_some_and(|(mv, _)| mv.is_end()) {
                return Err(error());
            }
            if step == "end" && !plies.is_empty() {
                plies.push((Move::END, Bitboard::EMPTY));
                continue;
            }
            let mut squares = step.split('x').map(str::parse::<Square>);
            let to = squares.next().and_then(Result::ok).ok_or_else(error)?;
            let mv = Move::new(from, to).ok_or_else(error)?;
            let captured: Result<Bitboard, _> = squares.collect();
            plies.push((mv, captured.map_err(|_| error())?));
            from = to;
        }
        if plies.is_empty() {
            return Err(error());
        }
        Ok(Self { plies })
    }
}

/// Returns so much of a text as an error shows.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Returns the items separated by spaces, or a word for none.
pub(crate) fn listed<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match &*items {
        [] => "nothing".to_owned(),
        items => items.join(" "),
    }
}
