//! Exports: the network as files that other programs read, with a card that says what they hold.
//!
//! Batch norms are folded into the convolutions and the auxiliary head left out. Before a file is written, libtorch
//! executes the weights as they are stored on positions, and the outputs are compared with the network's. That the
//! file computes the same in the programs that it is for is tested with these programs, not at every export.

mod card;
mod graph;
mod lines;
mod message;
mod onnx;
mod plan;
mod readme;
mod taflzero;
#[cfg(test)]
mod tests;
mod torchscript;
mod verify;
mod weights;

pub use card::{EXPORT_FORMAT, ExportCard, StrengthCard};
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
    /// The stored weights compute something else.
    #[error(
        "{output} is {largest:.1e} away from the network with the stored weights, more than {bound:.0e}"
    )]
    Differs {
        /// The output that is furthest.
        output: &'static str,
        /// How far it is, as a share of the output's largest magnitude, or of 1 if that is less.
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
/// If the network cannot be expressed in the format, the stored weights do not compute the same, or a file cannot be
/// written. What was in the folder before is still there then, unless only the README or the card could not be written:
/// the old card's checksum is not the new network's.
pub fn export(job: &Export<'_>, dir: &Path) -> Result<Exported, ExportError> {
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
    let bytes = plan.encode(job)?;
    let checked = plan.check(job)?;
    let card = plan.card(job, &checked, &bytes);
    let text = readme::write(job, &card, &plan.example);
    let mut json =
        serde_json::to_vec_pretty(&card).map_err(|error| ExportError::Format(error.to_string()))?;
    json.push(b'\n');
    std::fs::create_dir_all(dir).map_err(io_error(dir))?;
    let names = [job.format.file_name(), "model.json", "README.md"];
    let files = names.map(|name| dir.join(name));
    // The card comes last: it holds the network's checksum, so a network that a kill left without its card is noticed.
    write_file(&files[0], &bytes)?;
    write_file(&files[2], text.as_bytes())?;
    write_file(&files[1], &json)?;
    sync(dir).map_err(io_error(dir))?;
    let bytes = bytes.len() as u64;
    Ok(Exported { files, bytes, card })
}

/// Writes a file beside its place and renames it.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let mut temporary = path.to_path_buf();
    temporary.add_extension("tmp");
    let written = std::fs::write(&temporary, bytes)
        .and_then(|()| sync(&temporary))
        .and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&temporary);
        io_error(path)(error)
    })
}

fn sync(path: &Path) -> io::Result<()> {
    std::fs::File::open(path)?.sync_all()
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = path.to_path_buf();
    move |source| ExportError::Io { path, source }
}
