//! A ruleset as data (spec.md 7), one field per rule, and its file form.

#[cfg(feature = "schema")]
mod schema;

use crate::setup::ranks;
use crate::{Bitboard, BoardShape, Setup, SetupError, Side};
use serde::{Deserialize, Deserializer, Serialize};
use std::num::NonZeroU32;

/// Whether a rule is part of a ruleset; `true` or `false` in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "bool", into = "bool")]
pub enum Switch {
    /// The rule does not apply.
    Off,
    /// The rule applies.
    On,
}

impl Switch {
    /// Returns whether the rule applies.
    #[must_use]
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

impl From<bool> for Switch {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

impl From<Switch> for bool {
    fn from(switch: Switch) -> Self {
        switch.is_on()
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All values, in the order in which they are encoded.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];
        }
    };
}

words! {
    /// Whether a piece that captured may go on (spec.md 5.4).
    Chain {
        /// A turn is one ply.
        None,
        /// The same piece may go on capturing; stopping is a ply of its own, `end`.
        Optional,
        /// The same piece must go on while it can capture.
        Forced,
    }
}
words! {
    /// What a side without a legal move on its turn gets.
    NoMove {
        /// It loses.
        Loses,
        /// The game is drawn.
        Draw,
    }
}
words! {
    /// What the third occurrence of a position brings.
    Repetition {
        /// Nothing.
        Off,
        /// The defenders lose.
        Defenders,
        /// The attackers lose.
        Attackers,
        /// A draw.
        Draw,
        /// The side that had a choice loses (spec.md 4.4).
        Aggressor,
    }
}
words! {
    /// The reason reported when the captureless limit is reached.
    CapturelessReason {
        /// A rule of its own.
        Captureless,
        /// The limit stands for "not possible to end the game" (spec.md 4.5).
        Unfinishable,
    }
}
words! {
    /// How many games make a match (spec.md 6).
    MatchFormat {
        /// Single games.
        Single,
        /// Two games with sides swapped.
        TwoSets,
    }
}
words! {
    /// Where the king escapes.
    Escape {
        /// The four corners, which are restricted and hostile.
        Corners,
        /// Any edge square; the corners are ordinary squares.
        Edges,
    }
}
words! {
    /// How the king is captured.
    KingCapture {
        /// By four attackers; beside the throne by three and the empty throne.
        FourSides,
        /// On the throne by four, beside it by three and the throne, elsewhere like any other piece.
        TwoSidesAwayFromThrone,
        /// Like any other piece, on the throne and beside it too (spec.md 7.1).
        TwoSides,
    }
}

impl Escape {
    /// Returns the corners that are the king's alone, and the squares on which he wins.
    pub(crate) fn corners_and_goals(self, shape: BoardShape) -> [Bitboard; 2] {
        match self {
            Self::Corners => [shape.corners(); 2],
            Self::Edges => [Bitboard::EMPTY, shape.edges()],
        }
    }
}

/// One game's rules: a value with one field per rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Ruleset {
    /// The name, as given on command lines and stored in files.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$")))]
    pub name: String,
    /// Whether rows on an edge are captured together (spec.md 4.1).
    pub shieldwall: Switch,
    /// Whether the defenders win by an unbreakable fort on an edge (spec.md 4.2).
    pub edge_fort: Switch,
    /// Whether the attackers win by surrounding everything (spec.md 4.3).
    pub encirclement: Switch,
    /// Whether a knight and commanders exist, and jumps (spec.md 5.1, 5.2, 5.5).
    pub ranks: Switch,
    /// Whether a jump captures against a hostile square (spec.md 5.3).
    pub jump_hostile: Switch,
    /// Capture chains.
    pub chain: Chain,
    /// No legal move on one's turn.
    pub no_move: NoMove,
    /// Third occurrence of a position.
    pub repetition: Repetition,
    /// Plies in a row without a capture after which the game is drawn, if there is a limit.
    #[cfg_attr(feature = "schema", schemars(with = "Limit"))]
    pub captureless_limit: Option<NonZeroU32>,
    /// Name of such a draw.
    pub captureless_reason: CapturelessReason,
    /// How many games make a match.
    #[cfg_attr(feature = "schema", schemars(rename = "match"))]
    pub match_format: MatchFormat,
    /// Where the king escapes.
    pub escape: Escape,
    /// How the king is captured.
    pub king_capture: KingCapture,
    /// Whether the king takes part in captures, as the piece that moves and as the far piece (spec.md 7.2). True where
    /// neither a file nor its base says.
    pub king_armed: Switch,
    /// Whether pieces are captured against the empty throne (spec.md 7.3). True where neither a file nor its base says.
    pub throne_hostile: Switch,
    /// The start position; its size, 7x7, 9x9 or 11x11, is the board's.
    ///
    /// Its side to move is that which moves first, `moves_first` in files.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub start: Setup,
}

/// A number of plies, or the word `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit(Option<NonZeroU32>);

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Limit;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"none\" or a number of plies from 1 to 4294967295")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Limit, E> {
                match word {
                    "none" => Ok(Limit(None)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }
            fn visit_u64<E: serde::de::Error>(self, plies: u64) -> Result<Limit, E> {
                let limit = u32::try_from(plies).ok().and_then(NonZeroU32::new);
                limit
                    .map(|limit| Limit(Some(limit)))
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Unsigned(plies), &self))
            }
            fn visit_i64<E: serde::de::Error>(self, plies: i64) -> Result<Limit, E> {
                let unsigned = u64::try_from(plies)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(plies), &self))?;
                self.visit_u64(unsigned)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A ruleset file: a complete one, or a base preset and the fields that differ.
///
/// Fields are those of [`Ruleset`]; `captureless_limit` is a number or `"none"`, `match` is
/// `"single"` or `"two-sets"`, `start` is a position text, highest rank first, and `moves_first`
/// its side to move. A complete file may leave out `king_armed`, `throne_hostile` and `moves_first`,
/// which came later: the king is armed then, the throne hostile, and the attackers move first.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesetFile {
    /// The name of the ruleset; empty where the file's own name is meant.
    #[serde(default)]
    pub name: String,
    /// The preset from which fields not given here are taken.
    pub base: Option<String>,
    shieldwall: Option<Switch>,
    edge_fort: Option<Switch>,
    encirclement: Option<Switch>,
    ranks: Option<Switch>,
    jump_hostile: Option<Switch>,
    chain: Option<Chain>,
    no_move: Option<NoMove>,
    repetition: Option<Repetition>,
    captureless_limit: Option<Limit>,
    captureless_reason: Option<CapturelessReason>,
    #[serde(rename = "match")]
    match_format: Option<MatchFormat>,
    escape: Option<Escape>,
    king_capture: Option<KingCapture>,
    king_armed: Option<Switch>,
    throne_hostile: Option<Switch>,
    moves_first: Option<Side>,
    #[serde(default, deserialize_with = "start")]
    start: Option<Setup>,
}

fn start<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Setup>, D::Error> {
    ranks(text).map(Some)
}

/// A ruleset that cannot be played: what is wrong with [one field](Self::field).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesetError {
    /// The base is none of the presets.
    #[error("unknown ruleset {0:?}")]
    UnknownBase(String),
    /// Without a base, fields without a usual value must be given.
    #[error("missing; a ruleset without `base` needs it")]
    MissingField(&'static str),
    /// The name is empty or has characters that file names lack.
    #[error("{0:?} is not made of letters, digits, `-` and `_`")]
    BadName(String),
    /// The start position breaks a rule.
    #[error("{0}")]
    Start(#[from] SetupError),
}

impl RulesetError {
    /// Returns the field that is wrong, as ruleset files call it.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        match self {
            Self::UnknownBase(_) => "base",
            Self::MissingField(field) => field,
            Self::BadName(_) => "name",
            Self::Start(_) => "start",
        }
    }
}

impl RulesetFile {
    /// Returns the ruleset that the file describes.
    ///
    /// # Errors
    /// If the base is unknown, a field is missing, or the start position cannot be played.
    pub fn resolve(self) -> Result<Ruleset, RulesetError> {
        let preset = |name: &String| {
            let unknown = || RulesetError::UnknownBase(name.chars().take(64).collect());
            crate::preset(name).ok_or_else(unknown)
        };
        let base = self.base.as_ref().map(preset).transpose()?;
        let base = base.as_ref();
        macro_rules! pick {
            ($field:ident) => {
                pick!($field, stringify!($field), self.$field)
            };
            ($field:ident, $name:expr, $given:expr) => {
                match ($given, base) {
                    (Some(value), _) => value,
                    (None, Some(base)) => base.$field.clone(),
                    (None, None) => return Err(RulesetError::MissingField($name)),
                }
            };
        }
        let later =
            |given: Option<Switch>, base: Option<Switch>| given.or(base).unwrap_or(Switch::On);
        let limit = self.captureless_limit.map(|limit| limit.0);
        let moves_first = self.moves_first.or(base.map(|base| base.start.side));
        let start = pick!(start);
        let ruleset = Ruleset {
            start: start.with_side(moves_first.unwrap_or(Side::Attacker)),
            captureless_limit: pick!(captureless_limit, "captureless_limit", limit),
            shieldwall: pick!(shieldwall),
            edge_fort: pick!(edge_fort),
            encirclement: pick!(encirclement),
            ranks: pick!(ranks),
            jump_hostile: pick!(jump_hostile),
            chain: pick!(chain),
            no_move: pick!(no_move),
            repetition: pick!(repetition),
            captureless_reason: pick!(captureless_reason),
            match_format: pick!(match_format, "match", self.match_format),
            escape: pick!(escape),
            king_capture: pick!(king_capture),
            king_armed: later(self.king_armed, base.map(|base| base.king_armed)),
            throne_hostile: later(self.throne_hostile, base.map(|base| base.throne_hostile)),
            name: self.name,
        };
        ruleset.check()?;
        Ok(ruleset)
    }
}

impl Ruleset {
    /// Checks what the type cannot: the name and the start position.
    ///
    /// # Errors
    /// Names the field and the reason.
    pub fn check(&self) -> Result<(), RulesetError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(plain) {
            return Err(RulesetError::BadName(self.name.chars().take(64).collect()));
        }
        self.start.check(self)?;
        Ok(())
    }

    /// Returns a number that is equal for equal rules, whatever they are called, on every machine.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        crate::hash::fnv(format!("{:?}", Fingerprinted(self)).as_bytes())
    }
}

/// A ruleset as its fingerprint sees it.
///
/// Runs, samples and networks name fingerprints, so they stay: a field that came later counts only where it has not its
/// usual value.
struct Fingerprinted<'a>(&'a Ruleset);

impl std::fmt::Debug for Fingerprinted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        macro_rules! fields {
            ($($field:ident)*; later $($later:ident: $usual:path,)*) => {{
                // Names every field, so that none is forgotten.
                let Ruleset { name: _, $($field,)* $($later,)* } = self.0;
                let mut text = f.debug_struct("Ruleset");
                text.field("name", &"");
                $(text.field(stringify!($field), $field);)*
                $(if *$later != $usual {
                    text.field(stringify!($later), $later);
                })*
                text.finish()
            }};
        }
        fields! {
            shieldwall edge_fort encirclement ranks jump_hostile chain no_move repetition captureless_limit
            captureless_reason match_format escape king_capture start;
            later king_armed: Switch::On, throne_hostile: Switch::On,
        }
    }
}
