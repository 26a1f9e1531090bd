//! The configs that runs stored.

use super::{Loaded, RUN_CONFIG, RunConfig, resolve};
use crate::error::{RunError, SourceError, StoredConfigFor};
use crate::rulesets::fingerprint;
use std::path::Path;
use tafl_config::{Document, Faults};
use tafl_store::{Manifest, RunSettings};

/// Reads the config that the run in a folder stored. Who goes on with it or plays for it needs the rulesets with which it
/// began.
pub(crate) fn load_stored(folder: &Path, purpose: StoredConfigFor) -> anyhow::Result<Loaded> {
    let loaded = load_stored_file(&folder.join(RUN_CONFIG), purpose)?;
    if matches!(purpose, StoredConfigFor::Resume | StoredConfigFor::Worker) {
        check_rulesets(&loaded)?;
    }
    Ok(loaded)
}

/// Checks that the rulesets of a run are those that its manifest tells; one that cannot be read tells nothing.
pub(super) fn check_rulesets(loaded: &Loaded) -> Result<(), RunError> {
    let Ok(manifest) = Manifest::<RunSettings>::read(&loaded.folder) else {
        return Ok(());
    };
    for (rules, file) in loaded.rules.listed().iter().zip(&loaded.files) {
        let (name, found) = (&rules.ruleset().name, fingerprint(rules));
        let Some(known) = manifest.rulesets.get(name).filter(|it| **it != found) else {
            continue;
        };
        return Err(RunError::OtherRules {
            place: file
                .as_ref()
                .map_or_else(|| format!("ruleset {name}"), |it| it.display().to_string()),
            is_shipped: file.is_none(),
            found,
            known: known.clone(),
            program: manifest.program,
        });
    }
    Ok(())
}

/// Reads a config that a run stored. Where it is wrong, the error names the first fault: the config of another version may
/// have many.
pub(crate) fn load_stored_file(path: &Path, purpose: StoredConfigFor) -> anyhow::Result<Loaded> {
    let document = document_of_run(path, purpose)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    // Only who goes on with the run plays its pool, which need not be where else its config is.
    let plays_pool = purpose == StoredConfigFor::Resume;
    resolve(&document, folder, plays_pool).map_err(|error| of_stored(purpose, &error))
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
