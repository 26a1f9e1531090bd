//! Weights that a module of an export as pytorch saved, after it was trained elsewhere.

use crate::architecture::{Architecture, Auxiliary, REPLY};
use crate::checkpoint::{
    CheckpointError, MOST_CARD_BYTES, MOST_WEIGHTS_BYTES, Stored, refused, unpack,
};
use crate::{Network, Origin};
use safetensors::SafeTensors;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tafl_store::{read_file, sha256_hex};

/// Returns the file of such weights that a path leads to: a file, or the folder of an export as pytorch.
#[must_use]
pub fn module_weights(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let card = read_file(&path.join("model.json"), MOST_CARD_BYTES).ok()?;
    let card: Value = serde_json::from_slice(&card).ok()?;
    (card["format"] == "pytorch").then(|| path.join("weights.safetensors"))
}

/// Reads such weights of a network of a size; an auxiliary head may be among them or not.
///
/// # Errors
/// Names the first tensor that is missing, unexpected, or of another shape or kind.
pub fn load_module_weights(
    path: &Path,
    architecture: Architecture,
) -> Result<(Network, Origin), CheckpointError> {
    let bytes = read_file(path, MOST_WEIGHTS_BYTES)?;
    let file = SafeTensors::deserialize(&bytes);
    let file = file.map_err(|error| refused(path, format!("damaged: {error}")))?;
    let reply = file.tensor(&format!("{REPLY}.conv.weight")).is_ok();
    let architecture = architecture.with_auxiliary(Auxiliary { reply });
    let stored = Stored {
        architecture,
        has_destinations: true,
    };
    let weights = unpack(path, &bytes, stored, &[("", true)])?;
    let network = Network::from_weights(architecture, weights);
    let network = network.map_err(|error| refused(path, error.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let origin = Origin {
        run: name.into_owned(),
        generation: 0,
        steps: 0,
        weights_sha256: sha256_hex(&bytes),
    };
    Ok((network, origin))
}
