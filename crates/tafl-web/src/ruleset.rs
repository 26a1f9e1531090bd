//! Rulesets as the page has them: a preset's name, or the fields of a ruleset file as JSON.

use crate::EngineError;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use tafl_config::{MOST_CONFIG_BYTES, read_ruleset};
use tafl_rules::{Rules, Ruleset, RulesetError};

/// What a network sees nothing of: names, how games begin, and how they are counted.
const UNSEEN: [&str; 5] = [
    "name",
    "start",
    "moves_first",
    "match",
    "captureless_reason",
];

/// What limits games that come to no end.
pub(crate) const LIMITS: [&str; 3] = ["captureless_limit", "repetition", "repetition_occurrence"];

/// What is said of a ruleset that is none.
pub(crate) const UNREAD: &str = "The ruleset cannot be read";

/// The fields of a ruleset file.
pub type Fields = Map<String, Value>;

/// Returns the fields that decide how a network sees a position; a captureless limit is there or not there.
pub(crate) fn switches(ruleset: &Ruleset) -> Fields {
    let mut fields = ruleset.to_fields();
    for field in UNSEEN {
        fields.remove(field);
    }
    let is_limited = ruleset.captureless_limit.is_some();
    fields.insert("captureless_limit".to_owned(), is_limited.into());
    fields
}

/// Returns a ruleset in words, as a page says them.
pub(crate) fn words_of(ruleset: &Ruleset) -> Vec<String> {
    let lines = ruleset.in_words().into_iter();
    lines.map(|line| of_page(&line)).collect()
}

/// Returns what the terminal says for a page, which needs no letters of pieces and has a button where the terminal has a word.
pub(crate) fn of_page(words: &str) -> String {
    let words = words.replace(" (N)", "").replace(" (c)", "");
    words.replace("`end`", "the button “End turn”")
}

/// Returns the rules of a preset's name, or of the fields of a file, which may not go by a preset's name.
pub(crate) fn rules_of(value: &Value) -> Result<Arc<Rules>, EngineError> {
    let ruleset = match value {
        Value::String(name) => tafl_rules::preset(name)
            .ok_or_else(|| EngineError(format!("There is no ruleset named {name:?}."))),
        Value::Object(fields) => ruleset_of(fields.clone()).and_then(|own| {
            let refusal = tafl_rules::name_refusal(&own);
            refusal.map_or(Ok(own), |reason| Err(EngineError::about("name")(reason)))
        }),
        _ => Err(EngineError::about(UNREAD)("it has no fields")),
    };
    Rules::new(ruleset?).map_err(refused)
}

/// Returns the same of rules whose first side has a move, without which no file of them is read.
pub(crate) fn playable(value: &Value) -> Result<Arc<Rules>, EngineError> {
    let rules = rules_of(value)?;
    match rules.has_legal_move(&rules.start()) {
        true => Ok(rules),
        false => Err(EngineError::about("start")(
            "the side to move has no legal move",
        )),
    }
}

/// Returns the rules of a ruleset file, in whose errors it is called `file`.
pub(crate) fn rules_of_file(file: &str, text: &str) -> Result<Arc<Rules>, EngineError> {
    if text.len() as u64 > MOST_CONFIG_BYTES {
        return Err(EngineError(format!("{file}: longer than 1 MB")));
    }
    read_ruleset(Path::new(file), text).map_err(|faults| EngineError(faults.to_string()))
}

/// Returns the ruleset of the fields of a file.
pub(crate) fn ruleset_of(fields: Fields) -> Result<Ruleset, EngineError> {
    Ruleset::from_fields(fields).map_err(refused)
}

fn refused(error: RulesetError) -> EngineError {
    match error.field() {
        "" => EngineError::about(UNREAD)(error),
        field => EngineError::about(field)(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_nothing_that_only_the_terminal_has() {
        for name in tafl_rules::RULESET_NAMES {
            let words = words_of(&tafl_rules::preset(name).expect("a preset")).join(" ");
            let found = ["`", "(N)", "(c)"].iter().find(|it| words.contains(**it));
            assert_eq!(found, None, "{name}: {words}");
        }
    }

    #[test]
    fn rules_that_nobody_can_begin_are_refused_as_their_file_is() {
        let shipped = tafl_rules::preset("brandubh").expect("a preset");
        let mut fields = shipped.to_fields();
        fields.insert("name".to_owned(), "mine".into());
        fields.insert("start".to_owned(), "7/7/7/3K3/7/7/7".into());
        let refused = playable(&Value::Object(fields.clone())).expect_err("no attacker");
        assert_eq!(refused.0, "start: the side to move has no legal move.");
        fields.insert("moves_first".to_owned(), "defenders".into());
        assert!(playable(&Value::Object(fields)).is_ok());
    }

    #[test]
    fn own_rules_may_not_go_by_a_shipped_name() {
        let shipped = tafl_rules::preset("brandubh").expect("a preset");
        let mut fields = shipped.to_fields();
        assert!(rules_of(&Value::Object(fields.clone())).is_ok(), "the same");
        fields.insert("escape".to_owned(), "edges".into());
        let refused = rules_of(&Value::Object(fields.clone())).expect_err("other rules");
        let words = "name: \"brandubh\" is the name of a shipped ruleset, whose rules differ; give it another";
        assert_eq!(refused.0.trim_end_matches('.'), words);
        fields.insert("name".to_owned(), "mine".into());
        assert!(rules_of(&Value::Object(fields)).is_ok(), "another name");
    }
}
