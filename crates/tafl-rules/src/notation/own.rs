//! The rules that the text of a game brings along.

use super::opentafl::{self, RecordError};
use super::taflzero::FenError;
use crate::{RankOrder, Ruleset, RulesetError, Setup, name_refusal};
use serde_json::Value;

/// Rules with their start position, as a text has them above a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnRules {
    /// A rules record of `OpenTafl`.
    Record(String),
    /// The fields of a ruleset file, as JSON.
    Fields(String),
}

/// Rules or a first position that cannot be read or played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OwnRulesError {
    /// Of a rules record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Of a first position.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The fields are no JSON, or not those of a ruleset.
    #[error("{0}")]
    Fields(String),
}

impl From<RulesetError> for OwnRulesError {
    fn from(error: RulesetError) -> Self {
        Self::Fields(match error.field() {
            "" => error.to_string(),
            field => format!("field `{field}`: {error}"),
        })
    }
}

impl OwnRules {
    /// Returns the ruleset.
    ///
    /// # Errors
    /// If it cannot be read or played, or its fields go by the name of a shipped ruleset that differs.
    ///
    /// # Examples
    /// ```
    /// use tafl_rules::notation::own::OwnRules;
    ///
    /// let text = r#"{ "name": "mine", "base": "brandubh", "escape": "edges", "moves_first": "defenders" }"#;
    /// let own = OwnRules::Fields(text.to_owned());
    /// assert_eq!(own.ruleset()?.name, "mine");
    /// let brandubh = tafl_rules::preset("brandubh").expect("a preset");
    /// assert_eq!(own.unlike(&brandubh).as_deref(), Some("escape, moves_first"));
    /// # Ok::<(), tafl_rules::notation::own::OwnRulesError>(())
    /// ```
    pub fn ruleset(&self) -> Result<Ruleset, OwnRulesError> {
        let text = match self {
            Self::Record(record) => return Ok(opentafl::read_ruleset(record)?),
            Self::Fields(text) => text,
        };
        let fields = serde_json::from_str::<Value>(text);
        let fields = fields.map_err(|error| OwnRulesError::Fields(error.to_string()))?;
        let Value::Object(fields) = fields else {
            return Err(OwnRulesError::Fields("it has no fields".to_owned()));
        };
        let ruleset = Ruleset::from_fields(fields)?;
        match name_refusal(&ruleset) {
            None => Ok(ruleset),
            Some(reason) => Err(OwnRulesError::Fields(format!("field `name`: {reason}"))),
        }
    }

    /// Returns the start position.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn setup(&self) -> Result<Setup, OwnRulesError> {
        match self {
            Self::Record(record) => Ok(opentafl::read_position(record)?),
            Self::Fields(_) => Ok(self.ruleset()?.setup()),
        }
    }

    /// Returns in what these rules differ from a ruleset, beyond the first position, which of a record has the side to move,
    /// repetition, and what a record cannot say; nothing where they do not.
    pub fn unlike(&self, ruleset: &Ruleset) -> Option<String> {
        let own = match self.ruleset() {
            Err(error) => return Some(error.to_string()),
            Ok(own) => own,
        };
        let mut told = ruleset.clone();
        // Sites often did not enforce repetition.
        let mut passed_over = vec!["name", "start", "repetition"];
        if let Self::Record(_) = self {
            passed_over.push("moves_first");
            let written = opentafl::write_ruleset(ruleset, RankOrder::LowestFirst);
            if let Err(RecordError::NoWords(unsaid)) = written {
                for (field, _) in unsaid {
                    opentafl::approximate(&mut told, field);
                    passed_over.push(field);
                }
            }
            // Written and read, it has the fields without meaning as a record has them.
            let written = opentafl::write_ruleset(&told, RankOrder::LowestFirst).ok()?;
            told = opentafl::read_ruleset(&written).ok()?;
        }
        let says = |field: &str| own.says(field) && told.says(field);
        let fields = told.to_fields();
        let differ = own.to_fields().into_iter().filter(|(field, value)| {
            !passed_over.contains(&field.as_str())
                && says(field)
                && fields.get(field) != Some(value)
        });
        let fields: Vec<String> = differ.map(|(field, _)| field).collect();
        Some(fields.join(", ")).filter(|fields| !fields.is_empty())
    }
}
