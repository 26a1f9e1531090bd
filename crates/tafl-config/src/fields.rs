//! The fields of a config and what is known of each.

use crate::path::join;
use crate::schema::whole;
use schemars::JsonSchema;
use schemars::generate::Contract;
use serde_json::Value;

/// A field or a section as its documentation and its type describe it.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name with those of the sections around it, such as `search.visits`; `players[].player` for entries of a list.
    pub path: String,
    /// What it is if a file does not give it; nothing where a file must.
    pub default: Option<toml::Value>,
    /// Whether a file that gives nothing of its section has it: not so for sections that are off.
    pub is_on: bool,
    pub(crate) schema: Value,
}

/// Returns all fields and sections in the order in which they are declared, sections before their fields.
pub fn fields<T: JsonSchema>() -> Vec<Field> {
    let [read, written] = [Contract::Deserialize, Contract::Serialize].map(whole::<T>);
    let mut fields = Vec::new();
    let root = Section {
        path: "",
        default: None,
        is_on: true,
    };
    root.collect(read.as_value(), written.as_value(), &mut fields);
    fields
}

/// Returns the field or section that is called `typed`, with what is in it, or else the fields that are called so in
/// any section.
pub fn find<'a>(fields: &'a [Field], typed: &str) -> Vec<&'a Field> {
    let typed = typed.trim_end_matches('.');
    let is_within = |field: &&Field| {
        let rest = field.path.strip_prefix(typed);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let found: Vec<&Field> = fields.iter().filter(is_within).collect();
    if !found.is_empty() {
        return found;
    }
    let is_called = |field: &&Field| crate::path::split(&field.path).1 == typed;
    fields.iter().filter(is_called).collect()
}

/// A section whose fields are collected.
#[derive(Clone, Copy)]
struct Section<'a> {
    path: &'a str,
    default: Option<&'a Value>,
    is_on: bool,
}

impl Section<'_> {
    fn collect(self, schema: &Value, written: &Value, fields: &mut Vec<Field>) {
        let Some(properties) = schema["properties"].as_object() else {
            return;
        };
        // Properties are sorted by name, but the list of those that are always written is as declared.
        let declared = written["required"].as_array();
        let declared =
            declared.or_else(|| written["anyOf"].as_array()?.last()?["required"].as_array());
        let declared = declared.into_iter().flatten().filter_map(Value::as_str);
        let declared: Vec<&str> = declared.filter(|it| properties.contains_key(*it)).collect();
        let others = properties.keys().map(String::as_str);
        let others = others.filter(|name| !declared.contains(name));
        for name in declared.iter().copied().chain(others) {
            let (schema, written) = (&properties[name], &written["properties"][name]);
            let default = self.default.and_then(|default| default.get(name));
            let default = default.or_else(|| schema.get("default"));
            let path = join(self.path, name);
            let inner = Section {
                path: &path,
                default,
                is_on: self.is_on && default.is_some(),
            };
            fields.push(Field {
                path: path.clone(),
                default: default.and_then(|it| toml::Value::try_from(it).ok()),
                is_on: inner.is_on,
                schema: schema.clone(),
            });
            inner.collect(schema, written, fields);
            // Entries of a list of sections, such as `[[players]]`.
            let entry = Section {
                path: &format!("{path}[]"),
                default: None,
                is_on: false,
            };
            entry.collect(&schema["items"], &written["items"], fields);
        }
    }
}

impl Field {
    /// Returns the field as one of a config in which `section` holds all that it is in.
    #[must_use]
    pub fn within(mut self, section: &str) -> Self {
        self.path = join(section, &self.path);
        self
    }

    /// Returns the field's documentation.
    pub fn documentation(&self) -> &str {
        self.schema["description"].as_str().unwrap_or_default()
    }

    /// Returns whether it is a section with fields of its own.
    pub fn is_section(&self) -> bool {
        self.schema["properties"].is_object()
    }

    /// Returns whether it is declared with `#[schemars(extend("x-fixed" = true))]`: what was begun with a value keeps it.
    pub fn is_fixed(&self) -> bool {
        self.schema["x-fixed"] == true
    }

    /// Returns whether it is a field of each entry of a list.
    pub fn is_of_entries(&self) -> bool {
        self.path.contains("[]")
    }

    /// Returns the words that it may hold, each with its meaning.
    pub fn choices(&self) -> Vec<(String, &str)> {
        let choices = self.schema["oneOf"].as_array().into_iter().flatten();
        choices
            .filter_map(|choice| Some((kind_of(choice), choice["description"].as_str()?)))
            .collect()
    }

    /// Returns its type and range in words, such as "number from 0 to 100".
    pub fn kind(&self) -> String {
        kind_of(&self.schema)
    }
}

/// Returns a type and its range in words.
pub(crate) fn kind_of(schema: &Value) -> String {
    let words = words(schema).join(" | ");
    match schema["x-form"].as_str() {
        None if words.is_empty() => {}
        None => return words,
        Some(form) if words.is_empty() => return form.to_owned(),
        Some(form) => return format!("{form}: {words}"),
    }
    let name = schema["type"].as_str();
    match name.unwrap_or("object") {
        "object" => "section".to_owned(),
        "array" => {
            let items = &schema["items"];
            let count = count_of(&schema["minItems"], &schema["maxItems"]);
            match kind_of(items) {
                kind if kind == "section" => format!("list{count} of sections"),
                kind => format!("list{count}, each: {kind}"),
            }
        }
        "boolean" => "true | false".to_owned(),
        "string" => match (&schema["minLength"], &schema["pattern"]) {
            (_, Value::String(pattern)) => format!("string like {pattern}"),
            (Value::Number(_), _) => {
                let count = count_of(&schema["minLength"], &schema["maxLength"]);
                format!("string{count} characters")
            }
            _ => "string".to_owned(),
        },
        "integer" => format!("whole number{}", range_of(schema)),
        name => format!("{name}{}", range_of(schema)),
    }
}

/// Returns the words, and types in words, of which a field has one.
pub(crate) fn words(schema: &Value) -> Vec<String> {
    let listed = schema["enum"].as_array().into_iter().flatten();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let choices = choices.flat_map(|choice| match words(choice) {
        found if found.is_empty() => vec![kind_of(choice)],
        found => found,
    });
    let constant = schema.get("const").into_iter();
    let listed = listed.chain(constant).map(Value::to_string);
    listed.chain(choices).collect()
}

fn count_of(least: &Value, most: &Value) -> String {
    match (least, most) {
        (Value::Number(least), Value::Number(most)) if least == most => format!(" of {least}"),
        (Value::Number(least), Value::Number(most)) => format!(" of {least} to {most}"),
        (Value::Number(least), _) => format!(" of {least} or more"),
        (_, Value::Number(most)) => format!(" of at most {most}"),
        _ => String::new(),
    }
}

fn range_of(schema: &Value) -> String {
    // The last number of a type is not a limit that somebody set.
    let is_set =
        |most: &&Value| !matches!(most.as_u64(), Some(most) if most >= u64::from(u32::MAX));
    let least = schema.get("minimum").map(number);
    let above = schema.get("exclusiveMinimum").map(number);
    let most = schema.get("maximum").filter(is_set).map(number);
    let below = schema.get("exclusiveMaximum").map(number);
    let low = match (&least, &above) {
        (Some(least), _) => format!(" from {least}"),
        (_, Some(above)) => format!(" above {above}"),
        _ => String::new(),
    };
    match (most, below) {
        (Some(most), _) => format!("{low} to {most}"),
        (_, Some(below)) => format!("{low} to below {below}"),
        _ if least.is_some() => format!("{low} up"),
        _ => low,
    }
}

/// Returns a number without the point that whole ones do not need.
fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => number.to_string(),
        _ => value.to_string(),
    }
}
