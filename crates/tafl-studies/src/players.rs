//! Players, as a user names them.

use crate::error::StudiesError;
use anyhow::ensure;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use tafl_training::{OpenedPlayer, PlayerSource, rungs};

/// Returns the players of some names; the folder of a run means `count` checkpoints spread over it.
///
/// # Errors
/// If a name is neither that of a baseline nor a folder, or a run has no checkpoints.
pub fn player_sources(names: &[String], count: u32) -> anyhow::Result<Vec<PlayerSource>> {
    let mut sources = Vec::new();
    for name in names {
        match name.parse()? {
            PlayerSource::Checkpoint { folder, visits } if folder.join("checkpoints").is_dir() => {
                let found = checkpoints(&folder, count)?.into_iter();
                sources.extend(found.map(|folder| PlayerSource::Checkpoint { folder, visits }));
            }
            source => sources.push(source),
        }
    }
    Ok(sources)
}

/// Returns checkpoints spread over a run, from the first to the last.
fn checkpoints(run: &Path, count: u32) -> anyhow::Result<Vec<PathBuf>> {
    let found = tafl_store::checkpoints(run)?;
    ensure!(!found.is_empty(), "{}: no checkpoints", run.display());
    let rungs = rungs(found.len() as u32 - 1, count).into_iter();
    Ok(rungs.map(|rung| found[rung as usize].1.clone()).collect())
}

/// Adds a player to others, `given` as the user named it.
///
/// # Errors
/// If another one has its name.
pub fn enter(
    players: &mut Vec<OpenedPlayer>,
    player: OpenedPlayer,
    given: &impl Display,
) -> anyhow::Result<()> {
    let name = player.name();
    if players.iter().any(|other| other.name() == name) {
        let given = given.to_string();
        return Err(StudiesError::SameName { given, name }.into());
    }
    players.push(player);
    Ok(())
}
