//! The rulesets that come with the crate: the files of `configs/rulesets`, compiled in.

use crate::{Ruleset, RulesetFile};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, MapDeserializer};

macro_rules! presets {
    ($(#[$doc:meta] $list:ident [$($name:literal)*])*) => {
        $(
            #[$doc]
            pub const $list: [&str; [$($name),*].len()] = [$($name),*];
        )*
        const SOURCES: &[(&str, &str)] = &[
            $($(($name, include_str!(concat!("../rulesets/", $name, ".toml"))),)*)*
        ];
    };
}
presets! {
    /// The five rulesets of spec.md.
    PRESET_NAMES ["copenhagen" "copenhagen-tournament" "fetlar" "berserk-2017" "berserk-2024"]
    /// Games on smaller boards, for fast experiments.
    SMALL_BOARD_NAMES ["brandubh" "tablut"]
}

/// Returns the names of all presets and small boards.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(name, _)| *name)
}

/// Returns the file of a preset or small board, with the clause that each field implements.
#[must_use]
pub fn preset_source(name: &str) -> Option<&'static str> {
    let found = SOURCES.iter().find(|(known, _)| *known == name);
    found.map(|(_, source)| *source)
}

/// Returns a preset or a small board by its name.
///
/// # Panics
/// Never: the files are tested.
#[must_use]
pub fn preset(name: &str) -> Option<Ruleset> {
    let fields = preset_source(name)?.lines().filter_map(read_line);
    let file = RulesetFile::deserialize(MapDeserializer::<_, Error>::new(fields));
    let ruleset = file.expect("compiled-in files are tested").resolve();
    Some(ruleset.expect("compiled-in files are tested"))
}

/// A value as the compiled-in files write it; other people's files are read by a TOML library.
enum Scalar {
    Bool(bool),
    Number(u64),
    Text(&'static str),
}

impl IntoDeserializer<'_, Error> for Scalar {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> serde::Deserializer<'de> for Scalar {
    type Error = Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Number(value) => visitor.visit_u64(value),
            Self::Text(value) => visitor.visit_str(value),
        }
    }

    fn deserialize_option<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: serde::de::Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Text(value) => {
                let word: serde::de::value::StrDeserializer<'_, Error> = value.into_deserializer();
                word.deserialize_enum(name, variants, visitor)
            }
            other => other.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Reads `field = value # clause`; nothing in a comment or an empty line.
fn read_line(line: &'static str) -> Option<(&'static str, Scalar)> {
    let (field, rest) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = rest.split('#').next().unwrap_or(rest).trim();
    let value = match value {
        "true" => Scalar::Bool(true),
        "false" => Scalar::Bool(false),
        _ => match value.parse() {
            Ok(number) => Scalar::Number(number),
            Err(_) => Scalar::Text(value.trim_matches('"')),
        },
    };
    Some((field.trim(), value))
}
