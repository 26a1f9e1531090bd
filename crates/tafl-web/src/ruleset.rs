//! Rulesets as forms: the fields of a ruleset file as JSON.

use crate::EngineError;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tafl_rules::{RankOrder, Rules, Ruleset, RulesetFile};

/// The fields of a ruleset file with their values; `start` is a position text, the highest rank first.
pub type Form = Map<String, Value>;

/// Returns a ruleset with all its fields, in the order of the files.
#[must_use]
pub fn form(ruleset: &Ruleset) -> Form {
    let limit = ruleset.captureless_limit;
    let fields = [
        ("name", json!(ruleset.name)),
        ("shieldwall", json!(ruleset.shieldwall)),
        ("edge_fort", json!(ruleset.edge_fort)),
        ("encirclement", json!(ruleset.encirclement)),
        ("ranks", json!(ruleset.ranks)),
        ("jump_hostile", json!(ruleset.jump_hostile)),
        ("chain", json!(ruleset.chain)),
        ("no_move", json!(ruleset.no_move)),
        ("repetition", json!(ruleset.repetition)),
        (
            "captureless_limit",
            limit.map_or(json!("none"), |it| json!(it)),
        ),
        ("captureless_reason", json!(ruleset.captureless_reason)),
        ("match", json!(ruleset.match_format)),
        ("escape", json!(ruleset.escape)),
        ("king_capture", json!(ruleset.king_capture)),
        ("king_armed", json!(ruleset.king_armed)),
        ("throne_hostile", json!(ruleset.throne_hostile)),
        ("moves_first", json!(ruleset.start.side.name())),
        (
            "start",
            json!(ruleset.start.to_text(RankOrder::HighestFirst)),
        ),
    ];
    let owned = fields.into_iter();
    owned
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Returns the fields that decide how a network sees a position: all but the name, the start, who
/// begins and the length of matches.
/// A captureless limit counts as there or not there.
pub(crate) fn switches(ruleset: &Ruleset) -> Form {
    let mut form = form(ruleset);
    for field in [
        "name",
        "start",
        "moves_first",
        "match",
        "captureless_reason",
    ] {
        form.remove(field);
    }
    let is_limited = ruleset.captureless_limit.is_some();
    form.insert("captureless_limit".to_owned(), json!(is_limited));
    form
}

/// Returns a ruleset as the file that `tafl` reads.
#[must_use]
pub fn toml_text(ruleset: &Ruleset) -> String {
    let form = form(ruleset);
    // In the order of `form`, which a map need not keep.
    let order = [
        "name",
        "shieldwall",
        "edge_fort",
        "encirclement",
        "ranks",
        "jump_hostile",
        "chain",
        "no_move",
        "repetition",
        "captureless_limit",
        "captureless_reason",
        "match",
        "escape",
        "king_capture",
        "king_armed",
        "throne_hostile",
        "moves_first",
        "start",
    ];
    // JSON writes words, numbers and switches as TOML does.
    let lines = order.map(|field| format!("{field} = {}\n", form[field]));
    lines.concat()
}

/// Returns the rules of a preset's name, or of a form.
pub(crate) fn rules_of(value: &Value) -> Result<Arc<Rules>, EngineError> {
    if let Value::String(name) = value {
        let known = Rules::preset(name);
        return known.ok_or_else(|| EngineError(format!("There is no ruleset named {name:?}.")));
    }
    let file: RulesetFile = serde_json::from_value(value.clone())
        .map_err(|error| EngineError(format!("The ruleset cannot be read: {error}.")))?;
    let ruleset = file.resolve().map_err(refused)?;
    Rules::new(ruleset).map_err(refused)
}

fn refused(error: tafl_rules::RulesetError) -> EngineError {
    EngineError(format!("{}: {error}.", error.field()))
}
