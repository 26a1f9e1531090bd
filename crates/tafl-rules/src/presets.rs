//! The rulesets that come with the crate: the files of `configs/rulesets`, compiled in.

use crate::Ruleset;
use serde_json::{Map, Value};

macro_rules! presets {
    ($(#[$doc:meta] $list:ident [$($name:literal)*])*; #[$others_doc:meta] $others:ident [$($other:literal)*]) => {
        $(
            #[$doc]
            pub const $list: [&str; [$($name),*].len()] = [$($name),*];
        )*
        /// All of them, which stored numbers depend on.
        pub const RULESET_NAMES: [&str; [$($($name,)*)*].len()] = [$($($name,)*)*];
        #[$others_doc]
        pub const $others: [&str; [$($other),*].len()] = [$($other),*];
        const SOURCES: &[(&str, &str)] = &[
            $($(($name, include_str!(concat!("../rulesets/", $name, ".toml"))),)*)*
            $(($other, include_str!(concat!("../rulesets/", $other, ".toml"))),)*
        ];
    };
}
presets! {
    /// The five rulesets of spec.md.
    PRESET_NAMES ["copenhagen" "copenhagen-tournament" "fetlar" "berserk-2017" "berserk-2024"]
    /// Games on smaller boards, for fast experiments.
    SMALL_BOARD_NAMES ["brandubh" "tablut"];
    /// More games that people play on a site, with the fields under which theirs replay.
    PLAYED_NAMES [
        "old-hnefatafl" "tawlbwrdd" "simple-tafl" "sea-battle" "sea-battle-9" "ard-ri" "skalk" "skalk-9"
        "old-hnefatafl-9" "brandubh-walker" "ard-ri-39" "sea-battle-2526" "sea-battle-204577"
        "brandubh-2" "magpie"
    ]
}

/// Returns every name by which [`preset`] knows a ruleset.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(name, _)| *name)
}

/// Returns the preset whose name a text is, in any case, with blanks or `_` for `-`.
pub fn preset_named(text: &str) -> Option<&'static str> {
    let name = text.trim().to_lowercase().replace([' ', '_'], "-");
    known_names().find(|known| *known == name)
}

/// Returns the file of a preset or small board, with the clause that each field implements.
pub fn preset_source(name: &str) -> Option<&'static str> {
    let found = SOURCES.iter().find(|(known, _)| *known == name);
    found.map(|(_, source)| *source)
}

/// Returns a preset or a small board by its name.
///
/// # Panics
/// Never: the files are tested.
pub fn preset(name: &str) -> Option<Ruleset> {
    let fields = preset_source(name)?.lines().filter_map(field);
    Some(Ruleset::from_fields(fields.collect()).expect("compiled-in files are tested"))
}

/// Returns why a ruleset may not have its name, if it is a preset's and that one's rules differ.
pub fn name_refusal(ruleset: &Ruleset) -> Option<String> {
    let name = &ruleset.name;
    preset(name).filter(|shipped| shipped != ruleset)?;
    Some(format!(
        "{name:?} is the name of a shipped ruleset, whose rules differ; give it another"
    ))
}

/// Returns what a ruleset is by the preset that has the most fields in common with it, such as `as brandubh, but shieldwall =
/// true (not false)`; nothing of a preset.
pub fn unlike_preset(ruleset: &Ruleset) -> Option<String> {
    let own = ruleset.to_fields();
    let unlike = |name: &'static str| {
        let its = preset(name)?.to_fields();
        let differs = |field: &String| {
            field != "name" && ruleset.says(field) && own.get(field) != its.get(field)
        };
        let value = |fields: &Map<String, Value>, field| {
            fields.get(field).unwrap_or(&Value::Null).to_string()
        };
        let told = own.keys().filter(|field| differs(field));
        let told = told.map(|field| {
            format!(
                "{field} = {} (not {})",
                value(&own, field),
                value(&its, field)
            )
        });
        Some((name, told.collect::<Vec<String>>()))
    };
    let all = known_names().filter_map(unlike);
    let (name, fields) = all.min_by_key(|(_, fields)| fields.len())?;
    match fields[..] {
        [] => (name != ruleset.name).then(|| format!("as {name}")),
        _ => Some(format!("as {name}, but {}", fields.join(", "))),
    }
}

/// Reads `field = value # clause` of a compiled-in file, which has its values as JSON has them.
fn field(line: &str) -> Option<(String, Value)> {
    let (field, rest) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = serde_json::Deserializer::from_str(rest)
        .into_iter()
        .next()?;
    Some((field.trim().to_owned(), value.ok()?))
}
