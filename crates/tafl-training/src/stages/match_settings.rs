//! The settings that matches of a run were played by. Only those of today's settings are rated together: by others the same
//! checkpoint is another player.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use tafl_store::{Manifest, RunSettings};

/// Where a run keeps its matches.
pub(crate) const ARENA: &str = "arena/";

/// Matches of a run that do not count, as they were played by other settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutdatedMatches {
    /// How many there are.
    pub count: usize,
    /// The fields that differ, each with both values.
    pub fields: BTreeSet<String>,
}

impl OutdatedMatches {
    /// Returns those of the run in a folder, which need not be open; files that cannot be read are left out.
    ///
    /// # Errors
    /// If the folder is not that of a run.
    pub fn of(folder: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::<RunSettings>::read(folder)?;
        let paths = manifest.paths(folder, ARENA);
        Ok(Self::among(&paths, &manifest.settings))
    }

    pub(crate) fn among(paths: &[PathBuf], settings: &RunSettings) -> Self {
        let mut found = Self::default();
        for path in paths {
            let changed = changed_since(path, settings).unwrap_or_default();
            found.count += usize::from(!changed.is_empty());
            let fields = changed.into_iter();
            let fields = fields.map(|[field, then, now]| format!("{field} {then}, now {now}"));
            found.fields.extend(fields);
        }
        found
    }
}

impl fmt::Display for OutdatedMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        let (matches, were) = match self.count {
            1 => ("match", "was"),
            _ => ("matches", "were"),
        };
        let (count, fields) = (self.count, fields.join("; "));
        write!(
            f,
            "{count} {matches} {were} played by other settings ({fields})"
        )
    }
}

/// Returns whether the settings of matches were others at a time.
pub(crate) fn has_changed(settings: &RunSettings) -> bool {
    let mut changes = settings.stages.iter().flat_map(|stage| &stage.changes);
    changes.any(|[field, ..]| counts(field) || field.starts_with("ladder.pool"))
}

/// Returns whether a match that is there was played by today's settings.
pub(crate) fn is_current(path: &Path, settings: &RunSettings) -> anyhow::Result<bool> {
    Ok(changed_since(path, settings)?.is_empty())
}

/// Returns what was changed of the settings of matches since a match was played: each field with its value then and now.
///
/// A match tells the config that it was played by, and the run the config before each change.
fn changed_since(path: &Path, settings: &RunSettings) -> anyhow::Result<Vec<[String; 3]>> {
    if settings.stages.is_empty() {
        return Ok(Vec::new());
    }
    let played_by = tafl_dataset::config_of_games(path)?;
    let mut changed = settings.changes_since(&played_by.unwrap_or_default());
    changed.retain(|[field, ..]| counts(field));
    Ok(changed)
}

/// Returns whether a match is another one by another value of a field: the visits are those of `[arena]`, and more openings
/// are more of the same.
fn counts(field: &str) -> bool {
    let is_of_match = ["arena.", "search."].iter().any(|it| field.starts_with(it));
    is_of_match && !["arena.openings", "search.visits"].contains(&field)
}
