//! Weights that a module of an export as pytorch saved, after it was trained elsewhere.

use crate::architecture::{Architecture, Auxiliary, MOST_BLOCKS, NetworkConfig, REPLY};
use crate::checkpoint::{
    CheckpointError, MOST_CARD_BYTES, MOST_WEIGHTS_BYTES, Stored, refused, unpack,
};
use crate::{Network, Origin};
use safetensors::SafeTensors;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tafl_samples::PLANES;
use tafl_store::{read_file, sha256_hex};

/// Returns the file of such weights that a path leads to: itself if it is no folder, or that of an export as pytorch.
#[must_use]
pub fn module_weights(path: &Path) -> Option<PathBuf> {
    if !path.is_dir() {
        return Some(path.to_owned());
    }
    let card = read_file(&path.join("model.json"), MOST_CARD_BYTES).ok()?;
    let card: Value = serde_json::from_slice(&card).ok()?;
    (card["format"] == "pytorch").then(|| path.join("weights.safetensors"))
}

/// Reads such weights of a network of a size; an auxiliary head may be among them or not.
///
/// # Errors
/// Names both sizes if the network has another one, else the first tensor that is missing, unexpected, or of another shape
/// or kind.
pub fn load_module_weights(
    path: &Path,
    architecture: Architecture,
) -> Result<(Network, Origin), CheckpointError> {
    let bytes = read_file(path, MOST_WEIGHTS_BYTES)?;
    let file = SafeTensors::deserialize(&bytes);
    let file = file.map_err(|error| refused(path, format!("no safetensors file: {error}")))?;
    if let Some(found) = size_of(&file) {
        let other = architecture.other_size(&found);
        other.map_or(Ok(()), |error| Err(refused(path, error.to_string())))?;
    }
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

/// Returns the size of the network that a file holds, by the shapes of its tensors, where it has them.
fn size_of(file: &SafeTensors<'_>) -> Option<Architecture> {
    let outputs = |name: &str| {
        let weight = file.tensor(&format!("{name}.weight"));
        weight.ok()?.shape().first().copied()
    };
    let number = |name: &str| u32::try_from(outputs(name)?).ok();
    let is_there = |block: &u32| outputs(&format!("blocks.{block}.first.conv")).is_some();
    Some(Architecture {
        board_size: u8::try_from(outputs("policy.conv")? / 4 + 1).ok()?,
        planes: PLANES as u32,
        network: NetworkConfig {
            blocks: (0..MOST_BLOCKS).take_while(is_there).count() as u32,
            channels: number("stem.conv")?,
            value_channels: number("value.conv")?,
            value_hidden: number("value.hidden")?,
        },
        auxiliary: Auxiliary::default(),
    })
}
