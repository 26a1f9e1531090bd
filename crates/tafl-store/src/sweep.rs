//! The folder of a sweep: what made its runs.

use crate::{MOST_TEXT_BYTES, StoreError, read_text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What made the runs of a sweep, in `sweep.json` of its folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepVariants {
    /// SHA-256 of each variant's config, name and seed aside.
    pub variants: BTreeMap<String, String>,
}

impl SweepVariants {
    /// Returns where it is in a folder.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join("sweep.json")
    }

    /// Reads that of a folder, if it is there.
    ///
    /// # Errors
    /// If the file is damaged or of another program.
    pub fn read_if_there(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = Self::path(folder);
        if !path.exists() {
            return Ok(None);
        }
        let read = serde_json::from_str(&read_text(&path, MOST_TEXT_BYTES)?);
        read.map(Some).map_err(|error| match error.is_data() {
            true => StoreError::Foreign {
                path,
                reason: "of another program: it has not the `variants` of a sweep".to_owned(),
            },
            false => StoreError::unreadable(&path, error),
        })
    }

    /// Returns whether a folder is that of a sweep, even a damaged one; a file of that name alone does not make it one.
    pub fn is_in(folder: &Path) -> bool {
        let is_foreign = matches!(Self::read_if_there(folder), Err(StoreError::Foreign { .. }));
        !is_foreign && Self::path(folder).is_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_that_name_makes_no_sweep_of_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |text: &str| {
            std::fs::write(SweepVariants::path(folder.path()), text).expect("written");
            let read = SweepVariants::read_if_there(folder.path());
            (SweepVariants::is_in(folder.path()), read)
        };
        assert!(!SweepVariants::is_in(folder.path()));
        for text in ["{}", "[]", r#"{"variants": [1]}"#, r#"{"method": "grid"}"#] {
            let (is_sweep, read) = write(text);
            let is_foreign = matches!(read, Err(StoreError::Foreign { .. }));
            assert!(is_foreign && !is_sweep, "{text}");
        }
        let (is_sweep, read) = write(r#"{"variants": {"a": "0"}}"#);
        assert!(is_sweep && matches!(read, Ok(Some(_))));
        let (is_sweep, read) = write(r#"{"variants": {"a""#);
        assert!(is_sweep && matches!(read, Err(StoreError::Unreadable { .. })));
    }
}
