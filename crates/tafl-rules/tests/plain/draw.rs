//! Rulesets with every field drawn by lot.

use super::fields::FIELDS;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::Value;
use tafl_rules::Ruleset;

/// Returns the ruleset with a value drawn for each of these fields; its start may not fit them.
pub(crate) fn draw_fields(base: &Ruleset, random: &mut impl Rng) -> Ruleset {
    let mut drawn = base.to_fields();
    for (field, values) in FIELDS.iter().filter(|(field, _)| field != "throne") {
        let value = values.choose(random).expect("a value");
        drawn.insert(field.clone(), value.clone());
    }
    // A quarter has no throne, and all other draws stay as they are without this field.
    let is_harmless = drawn["throne_hostile"] == false && drawn["edge_fort"] == false;
    drawn.insert("throne".to_owned(), (!is_harmless).into());
    serde_json::from_value(Value::Object(drawn)).expect("values of the schema")
}
