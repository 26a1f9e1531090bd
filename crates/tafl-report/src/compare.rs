//! Several runs beside each other.

use crate::ReportError;
use crate::curves::Learning;
use crate::run::{RunInfo, info_of};
use serde::Serialize;
use std::path::Path;
use tafl_store::Manifest;

/// A run among others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRun {
    /// What made it.
    pub info: RunInfo,
    /// Checkpoints trained.
    pub checkpoints: u32,
    /// What was measured; `None` before the first training, and where that is missing.
    pub learning: Option<Learning>,
}

/// A field in which the configs of runs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedField {
    /// Its name, such as `search.visits`.
    pub field: String,
    /// Its value in each run, in their order; `None` where the config has no such field.
    pub values: Vec<Option<String>>,
}

/// A tournament in which some of the runs met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedTournament {
    /// The name of its folder.
    pub name: String,
    /// Its ratings in the form of `tafl arena --json`.
    pub standings: serde_json::Value,
}

/// All that the page shows of several runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The runs, in the order given.
    pub runs: Vec<ComparedRun>,
    /// The fields of the config in which they differ, seeds and names included.
    pub differences: Vec<ComparedField>,
    /// Matches between them that were played.
    pub tournaments: Vec<ComparedTournament>,
    /// The command that plays a match of their last checkpoints; nothing where they share no ruleset.
    pub match_command: Option<String>,
}

/// Reads what a run measured, to be shown beside others.
///
/// # Errors
/// If its manifest or metrics are missing or damaged.
pub fn compared_run(folder: &Path, checkpoints: u32) -> Result<ComparedRun, ReportError> {
    Ok(ComparedRun {
        info: info_of(Manifest::read(folder)?),
        checkpoints,
        learning: Learning::of_run(folder)?,
    })
}
