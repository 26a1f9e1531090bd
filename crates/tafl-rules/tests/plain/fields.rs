//! The fields of rulesets and the values that they may have, from the JSON schema.

use serde_json::Value;
use std::sync::LazyLock;

/// Every field of words or of `true` and `false` with its values; the start and numbers have too many.
pub(crate) static FIELDS: LazyLock<Vec<(String, Vec<Value>)>> = LazyLock::new(|| {
    let schema = include_str!("../../rulesets/ruleset.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("a schema");
    let fields = schema["properties"].as_object().expect("fields").iter();
    let fields: Vec<_> = fields
        .map(|(field, schema)| (field.clone(), values(schema)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    assert!(fields.len() > 12, "{fields:?}");
    fields
});

fn values(schema: &Value) -> Vec<Value> {
    if schema["type"] == "boolean" {
        return vec![true.into(), false.into()];
    }
    let words = schema["oneOf"].as_array().into_iter().flatten();
    let words: Option<Vec<Value>> = words.map(|word| word.get("const").cloned()).collect();
    words.unwrap_or_default()
}
