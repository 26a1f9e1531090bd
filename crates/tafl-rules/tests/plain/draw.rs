//! Rulesets with every field drawn by lot.

use super::fields::FIELDS;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use serde_json::Value;
use tafl_rules::Ruleset;

/// The fields of spec.md 7.6 to 7.10, and the sides of 7.3.
const SELDOM: [&str; 8] = [
    "throne_hostile_to",
    "corners_hostile_to",
    "throne_stop",
    "throne_pass",
    "king_step_limit",
    "men_step_limit",
    "repetition_occurrence",
    "shieldwall_by_end",
];

/// Returns the ruleset with a value drawn for each of these fields; its start may not fit them.
pub(crate) fn draw_fields(base: &Ruleset, random: &mut impl Rng) -> Ruleset {
    let usual = base.to_fields();
    let mut drawn = usual.clone();
    for (field, values) in FIELDS.iter().filter(|(field, _)| field != "throne") {
        let value = values.choose(random).expect("a value");
        drawn.insert(field.clone(), value.clone());
    }
    for field in ["king_step_limit", "men_step_limit"] {
        let limit = match random.random_range(1..=10) {
            steps @ 1..=5 => steps.into(),
            _ => "none".into(),
        };
        drawn.insert(field.to_owned(), limit);
    }
    let occurrence = random.random_range(2..=5);
    drawn.insert("repetition_occurrence".to_owned(), occurrence.into());
    // Half have the usual values of what few games vary, so that both kinds are played.
    if random.random_bool(0.5) {
        for field in SELDOM {
            drawn.insert(field.to_owned(), usual[field].clone());
        }
    }
    // A quarter has no throne, and all other draws stay as they are without this field.
    let is_harmless = drawn["throne_hostile"] == false && drawn["edge_fort"] == false;
    drawn.insert("throne".to_owned(), (!is_harmless).into());
    serde_json::from_value(Value::Object(drawn)).expect("values of the schema")
}
