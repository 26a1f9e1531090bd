//! Exports: the network as files that other programs read, with a card that says what they hold.
//!
//! Batch norms are folded into the convolutions and the auxiliary head left out. Before a file is written, libtorch
//! executes the weights as they are stored on positions, and the outputs are compared with the network's. That the
//! file computes the same in the programs that it is for is tested with these programs, not at every export.

mod card;
mod graph;
mod job;
mod lines;
mod message;
mod onnx;
mod plan;
mod positions;
mod readme;
mod taflzero;
#[cfg(test)]
mod tests;
mod torchscript;
mod vectors;
mod verify;
mod weights;

pub use card::ExportCard;
pub use job::{Export, ExportError, ExportFormat, StoredAs, StrengthCard};

use crate::Network;
use plan::Plan;
use std::path::{Path, PathBuf};
use tafl_store::write_atomically;

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The files: the network, the README, and others.
    pub files: Vec<PathBuf>,
    /// Bytes of the network's file.
    pub bytes: u64,
    /// What its card says.
    pub card: ExportCard,
}

/// Encodes positions and decodes policies in Python, for all formats but that of `TaflZero`.
const PYTHON: &str = include_str!("export/tafl_planes.py");

/// Writes an export into the folder `dir`: the network, `model.json`, `README.md` and `tafl_planes.py`.
///
/// # Errors
/// If the network cannot be expressed in the format, the stored weights do not compute the same, or a file cannot be
/// written. What was in the folder before is still there then, unless only the README or the card could not be written:
/// the old card's checksum is not the new network's.
pub fn export(job: &Export<'_>, dir: &Path) -> Result<Exported, ExportError> {
    card::check_folder(dir, job)?;
    let plan = Plan::new(job)?;
    let bytes = encode(&plan)?;
    let (outputs, verification) = verify::check(&plan)?;
    let card = card::card(&plan, &outputs, verification, &bytes);
    let text = readme::write(&plan, &card);
    let mut json =
        serde_json::to_vec_pretty(&card).map_err(|error| ExportError::Format(error.to_string()))?;
    json.push(b'\n');
    // The card comes last: it holds the network's checksum, so a network that a kill left without its card is noticed.
    let mut contents = vec![
        (job.format.file_name(), &bytes[..]),
        ("README.md", text.as_bytes()),
        ("tafl_planes.py", PYTHON.as_bytes()),
        ("model.json", &json[..]),
    ];
    contents.retain(|(name, _)| job.format != ExportFormat::Taflzero || !name.ends_with(".py"));
    let mut files = Vec::new();
    for (name, contents) in contents {
        files.push(dir.join(name));
        write_atomically(&dir.join(name), contents)?;
    }
    let bytes = bytes.len() as u64;
    Ok(Exported { files, bytes, card })
}

/// Returns the file that [`ExportFormat::Safetensors`] writes, in f32 and without its README.
///
/// # Errors
/// If the weights cannot be written in the format.
pub fn safetensors(network: &Network) -> Result<Vec<u8>, ExportError> {
    weights::safetensors(network, StoredAs::F32, &[])
}

/// Returns the bytes of the file with the network.
fn encode(plan: &Plan<'_>) -> Result<Vec<u8>, ExportError> {
    let (network, stored) = (plan.job.network, plan.job.stored);
    let metadata = card::metadata(plan);
    match plan.job.format {
        ExportFormat::Onnx | ExportFormat::Taflzero => {
            onnx::write(network, stored, plan.adapter.as_ref(), &metadata)
        }
        ExportFormat::Safetensors => weights::safetensors(network, stored, &metadata),
        ExportFormat::Torchscript => torchscript::write(network, stored),
    }
}
