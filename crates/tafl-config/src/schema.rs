//! JSON schemas made from the documentation, the ranges and the defaults at the fields.

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// Returns the JSON schema (draft 7, which editors know) of a config, with the default of each field.
pub fn schema<T: JsonSchema>() -> Value {
    let mut schema = whole::<T>(Contract::Deserialize);
    RecursiveTransform(|schema: &mut Schema| {
        // The fields have theirs.
        if schema.get("properties").is_some() {
            schema.remove("default");
        }
        schema.remove("format");
    })
    .transform(&mut schema);
    schema.to_value()
}

/// Returns the schema with the defaults of sections too, of what is read or of what is written.
pub(crate) fn whole<T: JsonSchema>(contract: Contract) -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(tidy).transform(&mut schema);
    schema
}

/// Returns the schema of a field or of an entry of a list.
pub(crate) fn at<'a>(schema: &'a Value, field: &str) -> &'a Value {
    crate::path::steps(field).fold(schema, |schema, step| match step {
        crate::path::Step::Name(name) => &schema["properties"][name],
        crate::path::Step::Index(_) => &schema["items"],
    })
}

fn tidy(schema: &mut Schema) {
    drop_null(schema);
    join_lines(schema);
    limit_integers(schema);
    if let Some(default) = schema.get_mut("default") {
        clean(default);
    }
}

/// Leaves out that a field may be null, which there is not in TOML: it may be left out.
fn drop_null(schema: &mut Schema) {
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.retain(|word| !word.is_null());
    }
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
        if let [name] = &types[..] {
            let name = name.clone();
            schema.insert("type".to_owned(), name);
        }
    }
    let either = schema.get_mut("anyOf").and_then(Value::as_array_mut);
    if let Some(either) = either.filter(|either| either.iter().any(|it| it["type"] == "null")) {
        either.retain(|it| it["type"] != "null");
        if either.len() == 1 {
            let Some(Value::Array(mut either)) = schema.remove("anyOf") else {
                return;
            };
            let inner = either.pop();
            for (key, value) in inner.iter().filter_map(Value::as_object).flatten() {
                if schema.get(key).is_none() {
                    schema.insert(key.clone(), value.clone());
                }
            }
        }
    }
}

/// Makes a paragraph of documentation one line.
fn join_lines(schema: &mut Schema) {
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let paragraphs: Vec<String> = text.split("\n\n").map(joined).collect();
        schema.insert("description".to_owned(), paragraphs.join("\n\n").into());
    }
}

/// The format of a number of 32 bits.
pub(crate) const FLOAT: &str = "float";

/// Gives integers the range of their type in place of its name.
fn limit_integers(schema: &mut Schema) {
    let format = schema.remove("format");
    let most = match format.as_ref().and_then(Value::as_str) {
        Some(FLOAT) => {
            // What a number becomes in it is checked.
            schema.insert("format".to_owned(), FLOAT.into());
            return;
        }
        Some("uint8") => u64::from(u8::MAX),
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        // TOML's numbers end there.
        Some("uint" | "uint64") => i64::MAX as u64,
        _ => return,
    };
    if schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), most.into());
    }
}

/// Leaves out what is null, and writes an `f32` as short as it can be: 0.1, not 0.10000000149011612.
fn clean(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(clean);
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Number(number) if number.is_f64() => {
            let wide = number.as_f64().unwrap_or_default();
            let narrow = wide as f32;
            if f64::from(narrow) == wide {
                *value = shortest(narrow).into();
            }
        }
        _ => {}
    }
}

/// Returns the number of 64 bits that is written as one of 32 bits is.
pub(crate) fn shortest(narrow: f32) -> f64 {
    narrow.to_string().parse().unwrap_or_else(|_| narrow.into())
}
