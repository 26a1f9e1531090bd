//! Rulesets: by name, from a file, or with other values.

use crate::argument::{existing, number, path, quoted, text, truth, wrong, wrong_type};
use crate::threads::count_leaves;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{Ruleset, known_names, preset_named};

/// A ruleset: by name, from a TOML file, or a named one with other values.
///
/// Rules("tablut"); Rules("mine.toml"); Rules("tablut", edge_fort=True, captureless_limit=100).
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Rules(pub(crate) Arc<tafl_rules::Rules>);

/// Returns the rules that an argument names, Copenhagen's if it is not given.
pub(crate) fn rules_or_usual(
    ruleset: Option<&Bound<'_, PyAny>>,
) -> PyResult<Arc<tafl_rules::Rules>> {
    match ruleset {
        Some(ruleset) => rules(ruleset),
        None => named("copenhagen"),
    }
}

pub(crate) fn rules(ruleset: &Bound<'_, PyAny>) -> PyResult<Arc<tafl_rules::Rules>> {
    if let Ok(rules) = ruleset.cast::<Rules>() {
        return Ok(Arc::clone(&rules.get().0));
    }
    if let Ok(name) = ruleset.cast::<PyString>()
        && let Ok(name) = name.to_str()
        && !name.contains('/')
        && !name.ends_with(".toml")
    {
        return named(name);
    }
    let wanted = "a name, a path or Rules";
    let file = path(ruleset, "ruleset").map_err(|_| wrong_type("ruleset", wanted, ruleset))?;
    let file = existing(file, "ruleset")?;
    let loaded = tafl_training::load_ruleset_file(&file);
    loaded.map_err(|error| wrong("ruleset", format!("{error:#}")))
}

fn named(name: &str) -> PyResult<Arc<tafl_rules::Rules>> {
    let preset = preset_named(name).and_then(tafl_rules::Rules::preset);
    preset.ok_or_else(|| {
        if Path::new(name).is_file() {
            return wrong("ruleset", format!("{name:?}: a file's name ends in .toml"));
        }
        let known = known_names().collect::<Vec<_>>().join(", ");
        wrong("ruleset", format!("{} is none of {known}", quoted(name)))
    })
}

/// Returns a ruleset with other values; it gets a name that says so, unless one is given.
fn changed(ruleset: &Ruleset, changes: &Bound<'_, PyDict>) -> PyResult<Ruleset> {
    let mut fields = ruleset.to_fields();
    for (field, value) in changes {
        let field = text(&field, "a field")?;
        if !fields.contains_key(&field) {
            let known: Vec<&str> = fields.keys().map(String::as_str).collect();
            let known = known.join(", ");
            return Err(wrong(
                &field,
                format!("no field of rulesets; they are {known}"),
            ));
        }
        let value = json(&value, &field)?;
        fields.insert(field, value);
    }
    if !changes.contains("name")? {
        let name = format!("{}_changed", ruleset.name);
        fields.insert("name".to_owned(), Value::String(name));
    }
    Ruleset::from_fields(fields).map_err(|error| wrong(error.field(), &error))
}

fn json(value: &Bound<'_, PyAny>, field: &str) -> PyResult<Value> {
    if let Ok(truth) = truth(value, field) {
        return Ok(truth.into());
    }
    if value.is_instance_of::<PyString>() {
        return Ok(text(value, field)?.into());
    }
    let whole = number(value, field, 0..=u32::MAX.into());
    match whole {
        Ok(number) => Ok(number.into()),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(value.py()) => Err(
            wrong_type(field, "a truth value, a number or a text", value),
        ),
        Err(error) => Err(error),
    }
}

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (ruleset = None, **fields), text_signature = "(ruleset='copenhagen', **fields)")]
    fn new(
        ruleset: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let base = rules_or_usual(ruleset)?;
        let Some(fields) = fields.filter(|fields| !fields.is_empty()) else {
            return Ok(Self(base));
        };
        let ruleset = changed(base.ruleset(), fields)?;
        let rules = tafl_rules::Rules::new(ruleset);
        let rules = rules.map_err(|error| wrong(error.field(), &error))?;
        if let Some(reason) = tafl_rules::name_refusal(rules.ruleset()) {
            return Err(wrong("name", reason));
        }
        if !rules.has_legal_move(&rules.start()) {
            return Err(wrong("start", "the side to move has no legal move"));
        }
        Ok(Self(rules))
    }

    /// Reads the text of a ruleset file.
    #[staticmethod]
    #[pyo3(signature = (toml))]
    fn from_toml(toml: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = text(toml, "toml")?;
        let rules = tafl_config::read_ruleset(Path::new("ruleset.toml"), &text);
        rules.map(Self).map_err(|error| wrong("toml", error))
    }

    /// Of a ruleset with other values: that of the other one and `_changed`, unless `name` is among them.
    #[getter]
    fn name(&self) -> &str {
        &self.0.ruleset().name
    }

    /// Files of the board: 7, 9 or 11.
    #[getter]
    fn size(&self) -> u8 {
        self.0.shape().size()
    }

    /// Number of actions, legal or not: 4,841 on 11x11, 2,593 on 9x9, 1,177 on 7x7. The last one is "end".
    #[getter]
    fn actions(&self) -> usize {
        self.0.shape().policy_len()
    }

    /// All fields with their values, as ruleset files have them.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for (field, value) in self.0.ruleset().to_fields() {
            match value {
                Value::Bool(truth) => fields.set_item(field, truth)?,
                Value::Number(number) => fields.set_item(field, number.as_u64())?,
                Value::String(text) => fields.set_item(field, text)?,
                other => fields.set_item(field, other.to_string())?,
            }
        }
        Ok(fields)
    }

    /// Returns a complete ruleset file, which `from_toml` reads.
    fn to_toml(&self) -> String {
        self.0.ruleset().to_toml()
    }

    /// Returns the rules in sentences.
    fn describe(&self) -> Vec<String> {
        self.0.ruleset().in_words()
    }

    /// Returns the leaves of the tree `depth` plies from the start, 0 to 8, without repetitions and limits.
    fn perft(&self, py: Python<'_>, depth: &Bound<'_, PyAny>) -> PyResult<u64> {
        let depth = number(depth, "depth", 0..=8)? as u32;
        count_leaves(py, &self.0, &self.0.start(), depth)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| other.get().__hash__() == self.__hash__())
    }

    fn __hash__(&self) -> u64 {
        self.0.ruleset().fingerprint()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let make = slf.get_type().getattr("from_toml")?;
        Ok((make, (slf.get().to_toml(),)))
    }

    fn __repr__(&self) -> String {
        format!("<Rules {}>", self.name())
    }
}
