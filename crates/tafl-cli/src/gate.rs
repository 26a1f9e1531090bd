//! Which checkpoints may play self-play, as a run's folder says: `gate/000005.json` beside the match that decided.

use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tafl_dataset::{generation_folder, write_atomically};

/// Folder of a run with a gate.
const FOLDER: &str = "gate";

/// What the gate says of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ruling {
    /// Whether it plays self-play.
    pub(crate) accepted: bool,
    /// The checkpoint that it was tested against.
    pub(crate) opponent: u32,
}

/// The rulings of a run.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    folder: PathBuf,
}

impl Gate {
    /// Returns the gate of a run's folder, whether it has one or not.
    pub(crate) fn of(run_folder: &Path) -> Self {
        Self {
            folder: run_folder.join(FOLDER),
        }
    }

    /// Makes the folder, by which workers know that there is a gate.
    pub(crate) fn create(&self) -> anyhow::Result<()> {
        Ok(tafl_dataset::create_folder(&self.folder)?)
    }

    /// Returns whether there is a gate.
    pub(crate) fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Returns the ruling on a checkpoint, if there is one yet. The untrained network plays in any case.
    pub(crate) fn ruling(&self, checkpoint: u32) -> anyhow::Result<Option<Ruling>> {
        if checkpoint == 0 {
            return Ok(Some(Ruling {
                accepted: true,
                opponent: 0,
            }));
        }
        let path = self.path(checkpoint);
        let context = || format!("reading {}", path.display());
        match std::fs::read(&path) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text).with_context(context)?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(context),
        }
    }

    /// Returns the newest checkpoint up to `last` that was accepted.
    pub(crate) fn newest_accepted(&self, last: u32) -> anyhow::Result<u32> {
        for checkpoint in (1..=last).rev() {
            if self.ruling(checkpoint)?.is_some_and(|it| it.accepted) {
                return Ok(checkpoint);
            }
        }
        Ok(0)
    }

    /// Writes the ruling on a checkpoint, which is final.
    pub(crate) fn rule(&self, checkpoint: u32, ruling: &Ruling) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec(ruling)?;
        text.push(b'\n');
        Ok(write_atomically(&self.path(checkpoint), &text)?)
    }

    /// Returns the file of the match that decided on a checkpoint, under one ruleset.
    pub(crate) fn match_path(&self, checkpoint: u32, opponent: u32, ruleset: &str) -> PathBuf {
        let [checkpoint, opponent] = [checkpoint, opponent].map(generation_folder);
        self.folder
            .join(format!("{checkpoint}-{opponent}-{ruleset}.parquet"))
    }

    fn path(&self, checkpoint: u32) -> PathBuf {
        let name = format!("{}.json", generation_folder(checkpoint));
        self.folder.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_accepted_checkpoint_is_found_and_half_a_ruling_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let gate = Gate::of(folder.path());
        assert!(!gate.exists());
        gate.create().expect("made");
        assert!(gate.exists());
        assert_eq!(gate.newest_accepted(9).expect("read"), 0);
        for (checkpoint, accepted) in [(1, true), (2, true), (3, false)] {
            let ruling = Ruling {
                accepted,
                opponent: 0,
            };
            gate.rule(checkpoint, &ruling).expect("written");
            assert_eq!(gate.ruling(checkpoint).expect("read"), Some(ruling));
        }
        assert_eq!(gate.newest_accepted(4).expect("read"), 2);
        assert_eq!(gate.newest_accepted(1).expect("read"), 1);
        std::fs::write(gate.path(4), "{\"accepted\": tr").expect("written");
        let error = gate.newest_accepted(4).expect_err("damaged");
        assert!(
            format!("{error:#}").contains("000004.json: EOF"),
            "{error:#}"
        );
    }
}
