//! Exports: the network as files that other programs read, with a card that says what they hold.
//!
//! A file is written beside its place, read back, executed on positions and compared with libtorch; only then does it
//! get its name. Batch norms are folded into the convolutions and the auxiliary head left out.

mod card;
mod eager;
mod graph;
mod interpret;
mod lines;
mod message;
mod onnx;
mod operators;
mod plan;
mod readme;
mod taflzero;
#[cfg(test)]
mod tests;
mod torchscript;
mod verify;
mod weights;

pub use card::{EXPORT_FORMAT, ExportCard, StrengthCard};
pub use verify::Difference;
pub use weights::StoredAs;

use crate::{ModelCard, Network, NetworkError};
use plan::Plan;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::Rules;

/// What a file is read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// ONNX, operators of version 17: ONNX Runtime, tract, browsers.
    Onnx,
    /// The tensors alone, by name.
    Safetensors,
    /// A program of PyTorch with its weights: `torch.jit.load`.
    Torchscript,
    /// ONNX with the planes, the order of moves and the value of `TaflZero` 0.3.
    Taflzero,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [
        Self::Onnx,
        Self::Safetensors,
        Self::Torchscript,
        Self::Taflzero,
    ];

    /// Returns its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Onnx => "onnx",
            Self::Safetensors => "safetensors",
            Self::Torchscript => "torchscript",
            Self::Taflzero => "taflzero",
        }
    }

    /// Returns the name of the file with the network.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Onnx => "network.onnx",
            Self::Safetensors => "network.safetensors",
            Self::Torchscript => "network.pt",
            Self::Taflzero => "taflzero.onnx",
        }
    }
}

impl std::fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What to export.
#[derive(Debug)]
pub struct Export<'a> {
    /// The network.
    pub network: &'a Network,
    /// Its checkpoint's card.
    pub card: &'a ModelCard,
    /// The rulesets that it is for, of its board; positions of all of them are compared.
    pub rules: &'a [Arc<Rules>],
    /// What the file is read by.
    pub format: ExportFormat,
    /// How its weights are stored.
    pub stored: StoredAs,
    /// How strong it is, where that is known.
    pub strength: Option<StrengthCard>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The files, the network first.
    pub files: [PathBuf; 3],
    /// Bytes of the network's file.
    pub bytes: u64,
    /// What its card says.
    pub card: ExportCard,
}

/// Why there is no export; no file of it is left.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder holds something else of the same name.
    #[error("{}: not the card of {format} export; give another folder", path.display())]
    Occupied {
        /// The file that would be replaced.
        path: PathBuf,
        /// Such as `an onnx`.
        format: String,
    },
    /// The other program cannot play a ruleset.
    #[error("ruleset {ruleset}: {reason}")]
    Ruleset {
        /// The ruleset.
        ruleset: String,
        /// Why.
        reason: &'static str,
    },
    /// There is no ruleset to take positions from.
    #[error("no ruleset is given")]
    NoRuleset,
    /// A ruleset's board is not the network's.
    #[error(
        "ruleset {ruleset} is played on {found}x{found}, but the network plays on {expected}x{expected}"
    )]
    Board {
        /// The ruleset.
        ruleset: String,
        /// Files of its board.
        found: u8,
        /// Files of the network's.
        expected: u8,
    },
    /// A weight is beyond what 16 bits hold.
    #[error("tensor {tensor} holds a number that is too large for f16; export it as f32")]
    TooLarge {
        /// The tensor.
        tensor: String,
    },
    /// A library cannot write the file.
    #[error("{0}")]
    Format(String),
    /// The written file cannot be executed; it was removed.
    #[error("{}: the written file fails and was removed: {reason}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The written file computes something else; it was removed.
    #[error(
        "{}: the written file was removed, as {output} is {largest:.1e} away from libtorch, more than {bound:.0e}",
        path.display()
    )]
    Differs {
        /// The file.
        path: PathBuf,
        /// The output that is furthest.
        output: &'static str,
        /// How far it is; [`Difference::largest`].
        largest: f32,
        /// How far it may be.
        bound: f32,
    },
    /// libtorch failed.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// Outputs by name, position after position.
type Named = BTreeMap<&'static str, Vec<f32>>;

/// Writes an export into the folder `dir`: the network, `model.json` and `README.md`.
///
/// # Errors
/// If the network cannot be expressed in the format, the written file does not compute the same, or a file cannot be
/// written. What was in the folder before is still there then, unless only the README or the card could not be written:
/// the old card's checksum is not the new network's.
pub fn export(job: &Export<'_>, dir: &Path) -> Result<Exported, ExportError> {
    export_with(job, dir, |_| ())
}

/// Exports, and does something with the written file before it is checked.
fn export_with(
    job: &Export<'_>,
    dir: &Path,
    written: impl FnOnce(&Path),
) -> Result<Exported, ExportError> {
    card::check_folder(dir, job.format)?;
    let expected = job.network.architecture().board_size;
    for rules in job.rules {
        let found = rules.shape().size();
        if found != expected {
            let ruleset = rules.ruleset().name.clone();
            return Err(ExportError::Board {
                ruleset,
                found,
                expected,
            });
        }
    }
    let plan = Plan::new(job)?;
    std::fs::create_dir_all(dir).map_err(io_error(dir))?;
    let path = dir.join(job.format.file_name());
    let temporary = temporary(&path);
    let checked = plan
        .write(job, &temporary)
        .map(|()| written(&temporary))
        .and_then(|()| plan.check(job, &temporary, &path))
        .and_then(|checked| {
            let bytes = std::fs::read(&temporary).map_err(io_error(&temporary))?;
            Ok((checked, bytes))
        });
    // The card comes last: it holds the network's checksum, so a network that a kill left without its card is noticed.
    let finished = checked.and_then(|(checked, bytes)| {
        let card = plan.card(job, &checked, &bytes);
        let text = readme::write(job, &card, &plan.example);
        let files = [path.clone(), dir.join("model.json"), dir.join("README.md")];
        let mut json = serde_json::to_vec_pretty(&card)
            .map_err(|error| ExportError::Format(error.to_string()))?;
        json.push(b'\n');
        std::fs::rename(&temporary, &files[0]).map_err(io_error(&files[0]))?;
        write_file(&files[2], text.as_bytes())?;
        write_file(&files[1], &json)?;
        sync(dir).map_err(io_error(dir))?;
        let bytes = bytes.len() as u64;
        Ok(Exported { files, bytes, card })
    });
    if finished.is_err() {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&temporary);
    }
    finished
}

/// Writes a small file beside its place and renames it.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let temporary = temporary(path);
    let written = write_synced(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        io_error(path)(error)
    })
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(path, bytes)?;
    sync(path)
}

fn sync(path: &Path) -> io::Result<()> {
    std::fs::File::open(path)?.sync_all()
}

/// Returns where a file is written before it has its name; the extension stays, as libtorch looks at it.
fn temporary(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}.tmp.{extension}"))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = path.to_path_buf();
    move |source| ExportError::Io { path, source }
}
