//! Where two values differ.

use serde_json::Value;

/// The first difference of two values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The field, its parts separated by `.`; empty if the values are not objects.
    pub(crate) field: String,
    /// The one value, as a user reads it.
    pub(crate) stored: String,
    /// The other value.
    pub(crate) wanted: String,
}

/// Returns the first field in which two values differ, those of `ignored` left out. A field that is missing equals null.
pub(crate) fn difference(stored: &Value, wanted: &Value, ignored: &[&str]) -> Option<Difference> {
    below("", stored, wanted, ignored)
}

fn below(field: &str, stored: &Value, wanted: &Value, ignored: &[&str]) -> Option<Difference> {
    if stored == wanted || ignored.contains(&field) {
        return None;
    }
    if let (Value::Object(one), Value::Object(other)) = (stored, wanted) {
        let missing = one.keys().filter(|name| !other.contains_key(*name));
        return other.keys().chain(missing).find_map(|name| {
            let field = match field {
                "" => name.clone(),
                above => format!("{above}.{name}"),
            };
            let [one, other] = [one, other].map(|it| it.get(name).unwrap_or(&Value::Null));
            below(&field, one, other, ignored)
        });
    }
    Some(Difference {
        field: field.to_owned(),
        stored: shown(stored),
        wanted: shown(wanted),
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_field_that_differs_is_named_with_both_values() {
        let stored = json!({"a": 1, "b": {"c": "one", "d": [1]}, "e": null});
        let check = |wanted: Value, expected: Option<[&str; 3]>| {
            let found = difference(&stored, &wanted, &["a", "b.d"]);
            let expected = expected.map(|texts| {
                let [field, stored, wanted] = texts.map(str::to_owned);
                Difference {
                    field,
                    stored,
                    wanted,
                }
            });
            assert_eq!(found, expected);
        };
        check(stored.clone(), None);
        check(json!({"a": 2, "b": {"c": "one", "d": 7}}), None);
        check(json!({"b": {"c": "two"}}), Some(["b.c", "one", "two"]));
        check(
            json!({"b": {"c": "one"}, "f": 1.5}),
            Some(["f", "none", "1.5"]),
        );
        check(
            json!({"a": 1}),
            Some(["b", r#"{"c":"one","d":[1]}"#, "none"]),
        );
        check(json!(true), Some(["", &stored.to_string(), "true"]));
    }
}
