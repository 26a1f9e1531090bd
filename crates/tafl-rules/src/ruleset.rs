//! A ruleset as data (spec.md 7), one field per rule; a file has the same fields.

use crate::{Bitboard, Board, BoardShape, Piece, Setup, SetupError, Side};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
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
    /// Returns that the rule applies: the default of rules that every older ruleset has.
    const fn on() -> Self {
        Self::On
    }

    /// Returns whether the rule applies.
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

/// Whether a piece that captured may go on (spec.md 5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Chain {
    /// A turn is one ply.
    None,
    /// The same piece may go on capturing; stopping is a ply of its own, `end`.
    Optional,
    /// The same piece must go on while it can capture.
    Forced,
}

/// What a side without a legal move on its turn gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoMove {
    /// It loses.
    Loses,
    /// The game is drawn.
    Draw,
}

/// What the third occurrence of a position brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
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

/// The reason reported when the captureless limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CapturelessReason {
    /// A rule of its own.
    Captureless,
    /// The limit stands for "not possible to end the game" (spec.md 4.5).
    Unfinishable,
}

/// How many games make a match (spec.md 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MatchFormat {
    /// Single games.
    Single,
    /// Two games with sides swapped.
    TwoSets,
}

/// Where the king escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Escape {
    /// The four corners, which are restricted and hostile.
    Corners,
    /// Any edge square; the corners are ordinary squares.
    Edges,
}

/// Whose pieces are captured against a hostile square (spec.md 7.3, 7.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HostileTo {
    /// Those of both sides.
    All,
    /// The attackers'.
    Attackers,
    /// The defenders'.
    Defenders,
    /// No piece.
    Nobody,
}

impl HostileTo {
    /// Returns whether pieces of a side are captured against it.
    pub fn contains(self, side: Side) -> bool {
        match self {
            Self::All => true,
            Self::Attackers => side == Side::Attacker,
            Self::Defenders => side == Side::Defender,
            Self::Nobody => false,
        }
    }

    const fn all() -> Self {
        Self::All
    }
}

/// Who may stop on the empty throne, or pass over it (spec.md 7.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThroneUse {
    /// Nobody, not even the king once he has left it; but whoever may stop there may pass, too.
    None,
    /// The king.
    King,
    /// The king and his men.
    Defenders,
    /// All pieces.
    All,
}

impl ThroneUse {
    const fn king() -> Self {
        Self::King
    }

    const fn all() -> Self {
        Self::All
    }
}

/// How the king is captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KingCapture {
    /// By four attackers; beside the throne by three and the empty throne.
    FourSides,
    /// The same, and on an edge by three, of which a corner may be one (spec.md 7.1).
    FourSidesThreeOnEdge,
    /// On the throne by four, beside it by three and the throne, elsewhere like any other piece.
    TwoSidesAwayFromThrone,
    /// On the throne by four, elsewhere like any other piece, beside the throne by two attackers (spec.md 7.1).
    TwoSidesOffThrone,
    /// Like any other piece, on the throne and beside it too (spec.md 7.1).
    TwoSides,
}

impl KingCapture {
    /// Returns whether two attackers do not capture him, unless they are commanders.
    pub fn is_by_four(self) -> bool {
        matches!(self, Self::FourSides | Self::FourSidesThreeOnEdge)
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
///
/// Its serialized form is that of a ruleset file. A file may leave out a field with a `serde` default, as those do that are
/// older than the field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
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
    #[serde(with = "limit")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "limit::schema"))]
    pub captureless_limit: Option<NonZeroU32>,
    /// Name of such a draw.
    pub captureless_reason: CapturelessReason,
    /// How many games make a match.
    #[serde(rename = "match")]
    pub match_format: MatchFormat,
    /// Where the king escapes.
    pub escape: Escape,
    /// How the king is captured.
    pub king_capture: KingCapture,
    /// Whether the king takes part in captures, as the piece that moves and as the far piece (spec.md 7.2).
    #[serde(default = "Switch::on")]
    pub king_armed: Switch,
    /// Whether pieces are captured against the empty throne (spec.md 7.3).
    #[serde(default = "Switch::on")]
    pub throne_hostile: Switch,
    /// Whose pieces are captured against it, if it is hostile (spec.md 7.3).
    #[serde(default = "HostileTo::all")]
    pub throne_hostile_to: HostileTo,
    /// Whose pieces are captured against the corners to which the king escapes (spec.md 7.6).
    #[serde(default = "HostileTo::all")]
    pub corners_hostile_to: HostileTo,
    /// Who may stop on the empty throne (spec.md 7.7).
    #[serde(default = "ThroneUse::king")]
    pub throne_stop: ThroneUse,
    /// Who may pass over the empty throne, beside those who may stop there (spec.md 7.7).
    #[serde(default = "ThroneUse::all")]
    pub throne_pass: ThroneUse,
    /// How many squares the king goes at most in a slide, if there is a limit (spec.md 7.8).
    #[serde(default, with = "limit")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "limit::steps"))]
    pub king_step_limit: Option<NonZeroU32>,
    /// How many squares the other pieces go at most in a slide, if there is a limit (spec.md 7.8).
    #[serde(default, with = "limit")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "limit::steps"))]
    pub men_step_limit: Option<NonZeroU32>,
    /// The occurrence of a position that `repetition` judges, 2 or more (spec.md 7.9).
    #[serde(default = "third", deserialize_with = "occurrence")]
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    pub repetition_occurrence: u32,
    /// Whether only a piece that closes a row captures it, else one in front of it does, too (spec.md 7.10).
    #[serde(default = "Switch::on")]
    pub shieldwall_by_end: Switch,
    /// Whether the square in the middle is a throne, else it is like any other (spec.md 7.5).
    #[serde(default = "Switch::on")]
    pub throne: Switch,
    /// The side that makes the first move.
    #[serde(default = "attackers")]
    pub moves_first: Side,
    /// The start position; its size, 7x7, 9x9 or 11x11, is the board's.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub start: Board,
}

/// The fields that came after runs, samples and networks stored fingerprints, and the values that they have by default, with
/// which fingerprints leave them out.
const LATER: [(&str, &str); 11] = [
    ("king_armed", "On"),
    ("throne_hostile", "On"),
    ("throne_hostile_to", "All"),
    ("corners_hostile_to", "All"),
    ("throne_stop", "King"),
    ("throne_pass", "All"),
    ("king_step_limit", "None"),
    ("men_step_limit", "None"),
    ("repetition_occurrence", "3"),
    ("shieldwall_by_end", "On"),
    ("throne", "On"),
];

const fn attackers() -> Side {
    Side::Attacker
}

const fn third() -> u32 {
    3
}

fn occurrence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let number = value.as_u64().and_then(|it| u32::try_from(it).ok());
    number.filter(|it| *it >= 2).ok_or_else(|| {
        D::Error::custom(format!(
            "{value} is not the number of an occurrence, 2 to 4294967295"
        ))
    })
}

/// A number of plies or steps, or the word `none`.
mod limit {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::Value;
    use std::num::NonZeroU32;

    pub(super) fn serialize<S: Serializer>(
        limit: &Option<NonZeroU32>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match limit {
            Some(plies) => serializer.serialize_u32(plies.get()),
            None => serializer.serialize_str("none"),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<NonZeroU32>, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let plies = value.as_u64().and_then(|it| u32::try_from(it).ok());
        match plies.and_then(NonZeroU32::new) {
            None if value.as_str() == Some("none") => Ok(None),
            None => Err(D::Error::custom(format!(
                "{value} is neither \"none\" nor a number from 1 to 4294967295"
            ))),
            limit => Ok(limit),
        }
    }

    #[cfg(feature = "schema")]
    pub(super) fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        described("Plies.")
    }

    #[cfg(feature = "schema")]
    pub(super) fn steps(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = described("Squares.");
        schema.insert("default".to_owned(), "none".into());
        schema
    }

    #[cfg(feature = "schema")]
    fn described(unit: &str) -> schemars::Schema {
        schemars::json_schema!({
            "oneOf": [
                { "type": "string", "const": "none", "description": "No limit." },
                { "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": unit },
            ]
        })
    }
}

/// A ruleset that cannot be read or played: what is wrong with [one field](Self::field).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesetError {
    /// The base is none of the presets.
    #[error("unknown ruleset {0:?}")]
    UnknownBase(String),
    /// A field is missing, unknown, or has a value that it cannot have: its name if it is there, and the reason.
    #[error("{1}")]
    Fields(String, String),
    /// The name is empty or has characters that file names lack.
    #[error("{0:?} is not made of letters, digits, `-` and `_`")]
    BadName(String),
    /// The start position breaks a rule.
    #[error("{0}")]
    Start(#[from] SetupError),
}

impl RulesetError {
    /// Returns the field that is wrong, as ruleset files call it; nothing where only the message says.
    pub const fn field(&self) -> &str {
        match self {
            Self::UnknownBase(_) => "base",
            Self::Fields(field, _) => field.as_str(),
            Self::BadName(_) => "name",
            Self::Start(_) => "start",
        }
    }
}

impl Ruleset {
    /// Returns the ruleset of a file: a complete one, or one with a `base`, a preset, and the fields that differ.
    ///
    /// # Errors
    /// If the base is unknown, a field is missing, unknown or has another value than it can have, or the start position
    /// cannot be played.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tafl_rules::Ruleset;
    ///
    /// let file = json!({ "name": "mine", "base": "copenhagen", "edge_fort": false });
    /// let ruleset = Ruleset::from_fields(file.as_object().expect("an object").clone())?;
    /// assert!(ruleset.shieldwall.is_on() && !ruleset.edge_fort.is_on());
    /// # Ok::<(), tafl_rules::RulesetError>(())
    /// ```
    pub fn from_fields(mut fields: Map<String, Value>) -> Result<Self, RulesetError> {
        if let Some(base) = fields.remove("base") {
            let name = base.as_str().map_or(base.to_string(), str::to_owned);
            let unknown = || RulesetError::UnknownBase(name.chars().take(64).collect());
            let preset = crate::preset_named(&name).and_then(crate::preset);
            let preset = preset.ok_or_else(unknown)?;
            for (field, value) in preset.to_fields() {
                if field != "name" {
                    fields.entry(field).or_insert(value);
                }
            }
        }
        let ruleset: Self = serde_json::from_value(Value::Object(fields.clone()))
            .map_err(|error| Self::misread(fields, &error))?;
        ruleset.check()?;
        Ok(ruleset)
    }

    /// Returns the error of fields that are no ruleset's, about the one that is wrong.
    fn misread(fields: Map<String, Value>, error: &serde_json::Error) -> RulesetError {
        let mut sound = crate::preset("copenhagen").map_or_else(Map::new, |it| it.to_fields());
        for (field, value) in fields {
            sound.insert(field.clone(), value);
            let read = serde_json::from_value::<Self>(Value::Object(sound.clone()));
            if let Err(error) = read {
                return RulesetError::Fields(field, error.to_string());
            }
        }
        RulesetError::Fields(String::new(), error.to_string())
    }

    /// Returns all fields with their values, as files have them.
    ///
    /// # Panics
    /// Never: a struct becomes an object.
    pub fn to_fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            other => unreachable!("a struct becomes an object: {other:?}"),
        }
    }

    /// Returns the fields, with their values, that differ from all that is older than they, which other programs may not know.
    pub fn later_changed(&self) -> Vec<(&'static str, Value)> {
        let said = self.later_said();
        let is_said = |field: &str| said.iter().any(|it| it.starts_with(&format!("{field}: ")));
        let fields = self.to_fields();
        let changed = LATER.into_iter().filter(|(field, _)| is_said(field));
        changed
            .map(|(field, _)| (field, fields[field].clone()))
            .collect()
    }

    /// Returns the later fields with other values than their defaults, as `field: Value`.
    fn later_said(&self) -> Vec<String> {
        let text = format!("{self:?}");
        let fields = text
            .split(", ")
            .skip_while(|it| !it.starts_with(&format!("{}: ", LATER[0].0)));
        let later = fields.take_while(|it| !it.starts_with("moves_first: "));
        let is_default = |it: &&str| {
            LATER
                .iter()
                .any(|(field, value)| **it == format!("{field}: {value}"))
        };
        later
            .filter(|it| !is_default(it))
            .map(str::to_owned)
            .collect()
    }

    /// Returns a complete ruleset file.
    ///
    /// # Panics
    /// Never: every field is a word, a number or a truth value.
    pub fn to_toml(&self) -> String {
        // One field a line, with a value that TOML writes as JSON does.
        let json = serde_json::to_string_pretty(self).expect("every field has a value in JSON");
        let lines = json.lines().filter_map(|line| {
            let (field, value) = line.trim().trim_end_matches(',').split_once(": ")?;
            Some(format!("{} = {value}\n", field.trim_matches('"')))
        });
        lines.collect()
    }

    /// Returns the start position with its side to move.
    pub fn setup(&self) -> Setup {
        self.start.clone().with_side(self.moves_first)
    }

    /// Checks what the type cannot: the name and the start position.
    ///
    /// # Errors
    /// Names the field and the reason.
    pub fn check(&self) -> Result<(), RulesetError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(plain) {
            return Err(RulesetError::BadName(self.name.chars().take(64).collect()));
        }
        self.setup().check(self)?;
        Ok(())
    }

    /// Returns whether a piece takes part in captures (spec.md 7.2).
    pub(crate) fn is_armed(&self, piece: Piece) -> bool {
        piece != Piece::King || self.king_armed.is_on()
    }

    /// Returns the throne of a board, if there is one (spec.md 7.5).
    pub(crate) fn throne_of(&self, shape: BoardShape) -> Bitboard {
        match self.throne {
            Switch::On => Bitboard::EMPTY.with(shape.throne()),
            Switch::Off => Bitboard::EMPTY,
        }
    }

    /// Returns what pieces of a side are captured against, the throne while it is empty (spec.md 7.3, 7.6).
    pub(crate) fn hostile_to(&self, side: Side, throne: Bitboard, corners: Bitboard) -> Bitboard {
        let throne_is = self.throne_hostile.is_on() && self.throne_hostile_to.contains(side);
        let squares = [
            (throne, throne_is),
            (corners, self.corners_hostile_to.contains(side)),
        ];
        let hostile = squares.into_iter().filter(|(_, is)| *is);
        hostile.fold(Bitboard::EMPTY, |all, (squares, _)| all | squares)
    }

    /// Returns who may stop on the empty throne, and who may pass over it: those who may stop, too (spec.md 7.7).
    pub(crate) fn throne_uses(&self) -> [ThroneUse; 2] {
        [self.throne_stop, self.throne_pass.max(self.throne_stop)]
    }

    /// Returns whether a man of a side may stop on the throne.
    pub(crate) fn may_stop_on_throne(&self, side: Side) -> bool {
        let least = [ThroneUse::All, ThroneUse::Defenders][side.index()];
        self.throne_stop >= least
    }

    /// Returns a number that is equal for equal rules, whatever they are called, on every machine.
    ///
    /// # Panics
    /// Never: the fields that it looks for are declared above.
    pub fn fingerprint(&self) -> u64 {
        let nameless = Self {
            name: String::new(),
            ..self.clone()
        };
        let text = format!("{nameless:?}");
        let (first, _) = (text.split_once(&format!(", {}: ", LATER[0].0))).expect("a field");
        let later: String = self
            .later_said()
            .iter()
            .map(|it| format!(", {it}"))
            .collect();
        crate::hash::fnv(format!("{first}, start: {:?}{later} }}", self.setup()).as_bytes())
    }
}
