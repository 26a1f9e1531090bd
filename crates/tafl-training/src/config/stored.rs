//! The configs that runs stored.

use super::{Loaded, RUN_CONFIG, RunConfig, resolve};
use crate::error::{SourceError, StoredConfigFor};
use std::path::Path;
use tafl_config::{Document, Faults};

/// Reads the config that the run in a folder stored.
pub(crate) fn load_stored(folder: &Path, purpose: StoredConfigFor) -> anyhow::Result<Loaded> {
    load_stored_file(&folder.join(RUN_CONFIG), purpose)
}

/// Reads a config that a run stored. Where it is wrong, the error names the first fault: the config of another version may
/// have many.
pub(crate) fn load_stored_file(path: &Path, purpose: StoredConfigFor) -> anyhow::Result<Loaded> {
    let mut document = document_of_run(path, purpose)?;
    let pool = std::mem::take(&mut document.config.ladder.pool);
    if purpose == StoredConfigFor::Resume {
        document.config.ladder.pool.clone_from(&pool);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut loaded = resolve(&document, folder).map_err(|error| of_stored(purpose, &error))?;
    // Only who goes on with the run plays its pool, which need not be where else its config is.
    loaded.config.ladder.pool = pool;
    Ok(loaded)
}

/// Reads what such a config says of itself: its rulesets and its pool need not be where it is.
pub(crate) fn read_stored(path: &Path, purpose: StoredConfigFor) -> anyhow::Result<RunConfig> {
    Ok(document_of_run(path, purpose)?.config)
}

fn document_of_run(path: &Path, purpose: StoredConfigFor) -> anyhow::Result<Document<RunConfig>> {
    let document = tafl_config::read(path, &[]);
    document.map_err(|faults| of_stored(purpose, &faults.into()))
}

/// Returns what is wrong with the config of a run, in one line.
fn of_stored(purpose: StoredConfigFor, error: &anyhow::Error) -> anyhow::Error {
    let faults = error.downcast_ref::<Faults>();
    let reason = match faults.map(|faults| &faults.0[..]) {
        Some([first, more @ ..]) if !more.is_empty() => {
            format!("{}, and {} more", first.text, more.len())
        }
        _ => format!("{error:#}"),
    };
    SourceError::StoredConfig(purpose, reason).into()
}
