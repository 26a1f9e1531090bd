//! Where two values differ.

use serde_json::Value;

/// Returns the first field at `field` or below in which two values differ, those of `ignored` left out, with both values as a user
/// reads them. The parts of a field are separated by `.`; one that is missing equals null.
pub(crate) fn difference(
    field: &str,
    stored: &Value,
    wanted: &Value,
    ignored: &[&str],
) -> Option<[String; 3]> {
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
            difference(&field, one, other, ignored)
        });
    }
    Some([field.to_owned(), shown(stored), shown(wanted)])
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
            let found = difference("", &stored, &wanted, &["a", "b.d"]);
            assert_eq!(found, expected.map(|texts| texts.map(str::to_owned)));
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
