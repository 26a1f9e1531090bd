//! The JSON schema of ruleset files, made from the documentation of [`Ruleset`].

use super::{Limit, Ruleset, RulesetFile};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// The fields that a file without `base` may lack: older files do.
const LATER: [&str; 2] = ["king_armed", "throne_hostile"];

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "oneOf": [
                { "type": "string", "const": "none", "description": "No limit." },
                { "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": "Plies." },
            ]
        })
    }
}

/// The fields of [`Ruleset`], of which those are optional that a base gives.
impl JsonSchema for RulesetFile {
    fn schema_name() -> Cow<'static, str> {
        "RulesetFile".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Ruleset::json_schema(generator);
        let properties = schema.get_mut("properties");
        if let Some(properties) = properties.and_then(|it| it.as_object_mut()) {
            let base = json_schema!({
                "type": "string",
                "description": "The preset from which fields not given here are taken.",
                "enum": crate::presets::names().collect::<Vec<_>>(),
            });
            properties.insert("base".to_owned(), base.to_value());
            let moves_first = json_schema!({
                "description": "The side that makes the first move from the start. The attackers where neither a file nor \
                    its base says.",
                "oneOf": [
                    { "type": "string", "const": "attackers", "description": "The attackers begin." },
                    { "type": "string", "const": "defenders", "description": "The defenders begin." },
                ],
            });
            properties.insert("moves_first".to_owned(), moves_first.to_value());
        }
        let mut every_field = schema.remove("required").unwrap_or_default();
        if let Some(fields) = every_field.as_array_mut() {
            // The file's own, unless it says another; and those that came later.
            fields.retain(|field| {
                let name = field.as_str().unwrap_or_default();
                name != "name" && !LATER.contains(&name)
            });
        }
        let either = json_schema!({
            "anyOf": [{ "required": ["base"] }, { "required": every_field }]
        });
        if let Some(either) = either.get("anyOf") {
            schema.insert("anyOf".to_owned(), either.clone());
        }
        schema
    }
}
