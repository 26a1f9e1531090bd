//! The ranges in the schema are those that the checks enforce.

use super::RunConfig;
use super::schema::{Field, Kind, fields, schema};
use super::shipped::QUICKSTART;
use crate::toml_file::{self, Fault};
use serde_json::Value;

/// Settings with which no field keeps another from its bounds; where fields depend on each other, the loosest pair.
const LOOSE: &[(&str, i64)] = &[
    ("selfplay.max_plies", 100_000),
    ("selfplay.random_opening_plies", 0),
    ("arena.max_plies", 100_000),
    ("arena.opening_plies", 0),
    ("loop.gate.test.elo0", -1_000),
    ("loop.gate.test.elo1", 1_000),
    ("replay.minimum", 1),
    ("replay.maximum", 4_000_000_000),
    ("replay.surprise_share", 0),
    ("replay.value_surprise_share", 0),
];

/// Learning rates that allow different things, with numbers of drops.
const SCHEDULES: [(&str, i64); 2] = [("cosine", 0), ("step", 1)];

/// A number in a config: the field itself, or an item of a list.
struct Number {
    field: Field,
    /// What the schema says of the number.
    schema: Value,
    /// Items that the list is made of, all the same.
    items: Option<usize>,
}

/// Returns all numbers of run configs.
fn numbers() -> Vec<Number> {
    let is_number = |schema: &Value| matches!(schema["type"].as_str(), Some("integer" | "number"));
    let of = |field: Field| {
        let schema = field.described().clone();
        let items = &schema["items"];
        if is_number(&schema) {
            return Some(Number {
                field,
                schema,
                items: None,
            });
        }
        let count = schema["minItems"].as_u64().unwrap_or(1) as usize;
        is_number(items).then(|| Number {
            field,
            schema: items.clone(),
            items: Some(count),
        })
    };
    fields(Kind::Run).into_iter().filter_map(of).collect()
}

impl Number {
    /// Returns what is said of the value where other fields leave it the most room.
    fn check(&self, value: f64) -> Result<(), Fault> {
        let [cosine, step] = SCHEDULES.map(|schedule| self.check_with(schedule, value));
        cosine.or_else(|fault| step.map_err(|_| fault))
    }

    fn check_with(&self, (schedule, drops): (&str, i64), value: f64) -> Result<(), Fault> {
        let mut table: toml::Table = QUICKSTART.parse().expect("it is sound");
        let mut put = |path: &str, value: toml::Value| {
            toml_file::put(&mut table, path, value).expect("a field");
        };
        put("trainer.learning_rate.schedule", schedule.into());
        put("trainer.learning_rate.drops", drops.into());
        for (path, value) in LOOSE {
            put(path, (*value).into());
        }
        let value = if self.schema["type"] == "integer" {
            toml::Value::Integer(value as i64)
        } else {
            toml::Value::Float(value)
        };
        let value = match self.items {
            Some(count) => toml::Value::Array(vec![value; count]),
            None => value,
        };
        put(&self.field.path, value);
        let config: RunConfig = toml_file::decode(table)?;
        config.check()
    }

    fn bound(&self, keyword: &str) -> Option<f64> {
        self.schema.get(keyword).and_then(Value::as_f64)
    }

    fn accepts(&self, value: f64) {
        let path = &self.field.path;
        let fault = self.check(value).err();
        assert_eq!(
            fault, None,
            "{path}: {value} is within the range of the schema; \
             #[schemars(range(min = .., max = ..))] at the field gives it, LOOSE keeps other fields out of its way"
        );
    }

    fn refuses(&self, value: f64) {
        let path = &self.field.path;
        let fault = self.check(value).err();
        let fault =
            fault.unwrap_or_else(|| panic!("{path}: {value} is beyond the range of the schema"));
        // Of two fields that contradict each other, the other one may be named.
        let section = |path: &str| path.rsplit_once('.').map(|(section, _)| section.to_owned());
        assert_eq!(
            section(&fault.place()),
            section(path),
            "{fault:?} names another field"
        );
    }

    /// Returns a value a little beyond a bound.
    fn beyond(&self, bound: f64, direction: f64) -> f64 {
        if self.schema["type"] == "integer" {
            return bound + direction;
        }
        bound + direction * (bound.abs() * 1e-6).max(1e-6)
    }
}

#[test]
fn numbers_are_accepted_up_to_the_bounds_of_the_schema_and_no_further() {
    let numbers = numbers();
    assert!(numbers.len() > 40, "{} numbers", numbers.len());
    for number in &numbers {
        let bounds = [
            ("minimum", "exclusiveMinimum", -1.0),
            ("maximum", "exclusiveMaximum", 1.0),
        ];
        for (keyword, exclusive, direction) in bounds {
            match (number.bound(keyword), number.bound(exclusive)) {
                // Beyond it there is no number in TOML, and this test's numbers lose their last digits.
                (Some(bound), None) if bound >= i64::MAX as f64 => {}
                (Some(bound), None) => {
                    number.accepts(bound);
                    number.refuses(number.beyond(bound, direction));
                }
                (None, Some(bound)) => {
                    number.accepts(bound - direction * 1e-6);
                    number.refuses(bound);
                }
                (None, None) => number.accepts(direction * 1e30),
                (Some(_), Some(_)) => panic!("{}: two bounds", number.field.path),
            }
        }
        if number.schema["type"] == "number" {
            number.refuses(f64::NAN);
        }
    }
}

#[test]
fn every_field_is_documented_and_required_and_what_older_runs_get_is_allowed() {
    let required = |schema: &Value| schema["required"].as_array().map(Vec::len);
    let declared = |schema: &Value| schema["properties"].as_object().map(serde_json::Map::len);
    let root = schema(Kind::Run).to_value();
    assert_eq!(required(&root), declared(&root));
    for field in fields(Kind::Run) {
        let path = &field.path;
        assert_eq!(
            required(field.described()),
            declared(field.described()),
            "{path}"
        );
        assert!(
            !field.documentation().is_empty(),
            "{path} has no documentation"
        );
        let Some(before) = field.before() else {
            continue;
        };
        let mut table: toml::Table = QUICKSTART.parse().expect("it is sound");
        let line: toml::Table = format!("v = {before}").parse().expect("TOML");
        toml_file::put(&mut table, path, line["v"].clone()).expect("a field");
        let config = toml_file::decode::<RunConfig>(table);
        let checked = config.and_then(|config| config.check());
        assert_eq!(checked, Ok(()), "{path}: {before}");
    }
}
