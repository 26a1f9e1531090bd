//! What is wrong with a field of a file.

use super::split_field;
use crate::spelling::nearest;

/// A field and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its path, as in `ladder.baselines[0]`; that of a missing field is the section's.
    pub(crate) field: String,
    pub(crate) reason: String,
}

impl Fault {
    /// Returns the fault of a text such as "field `start`: ...".
    pub(crate) fn of_text(text: &str) -> Self {
        let (field, reason) = split_field(text);
        Self {
            field: field.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Returns whether there is no such field.
    pub(crate) fn is_unknown(&self) -> bool {
        self.reason.starts_with("unknown field `")
    }

    /// Returns whether the field is not given.
    pub(crate) fn is_missing(&self) -> bool {
        self.missing().is_some()
    }

    /// Returns the path of the field that can be changed to put it right.
    pub(crate) fn place(&self) -> String {
        match self.missing() {
            Some(name) if self.field.is_empty() => name.to_owned(),
            Some(name) => format!("{}.{name}", self.field),
            None => self.field.split('[').next().unwrap_or_default().to_owned(),
        }
    }

    fn missing(&self) -> Option<&str> {
        let name = self.reason.strip_prefix("missing field `")?;
        name.strip_suffix('`')
    }

    /// Returns the path of the field that a misspelt one was meant to be.
    pub(crate) fn meant(&self) -> Option<String> {
        if !self.is_unknown() {
            return None;
        }
        let mut names = self.reason.split('`').skip(1).step_by(2);
        let meant = nearest(names.next()?, names)?;
        Some(match self.field.rsplit_once('.') {
            Some((section, _)) => format!("{section}.{meant}"),
            None => meant.to_owned(),
        })
    }

    /// Returns the reason, and for a misspelt field the right name in place of the list of all.
    pub(crate) fn advice(&self) -> String {
        let Some(meant) = self.meant() else {
            return self.reason.clone();
        };
        let unknown = self.reason.split(',').next().unwrap_or_default();
        let meant = meant.rsplit('.').next().unwrap_or_default();
        format!("{unknown}; did you mean `{meant}`?")
    }
}
