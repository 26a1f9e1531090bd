//! Weights that a module of an export as pytorch saved, after it was trained elsewhere.

use crate::architecture::{Architecture, Auxiliary, NetworkConfig, REPLY};
use crate::checkpoint::{CheckpointError, MOST_WEIGHTS_BYTES, Stored, refused, unpack};
use crate::{Network, Origin};
use safetensors::{Dtype, SafeTensors};
use std::path::Path;
use tafl_samples::PLANES;
use tafl_store::{read_file, sha256_hex};

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
    check_kind(path, &file)?;
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
        samples: 0,
        rulesets: Vec::new(),
        rule_changes: Vec::new(),
    };
    Ok((network, origin))
}

/// What PyTorch puts before the names of a module within another one, and where that module is.
const WRAPPERS: [(&str, &str); 2] = [
    (
        "_orig_mod.",
        "torch.compile: save module._orig_mod.state_dict()",
    ),
    ("module.", "DataParallel: save module.module.state_dict()"),
];

/// Refuses the weights of an export that only plays, those of a wrapped module, and numbers of another kind.
fn check_kind(path: &Path, file: &SafeTensors<'_>) -> Result<(), CheckpointError> {
    let names = file.names();
    let mut wrappers = WRAPPERS.into_iter();
    let wrapper = wrappers.find(|(before, _)| names.iter().any(|name| name.starts_with(before)));
    if let Some((before, advice)) = wrapper {
        return Err(refused(
            path,
            format!("names begin with {before}, as of {advice}"),
        ));
    }
    if !names.iter().any(|name| name.ends_with(".running_mean")) {
        let reason = "no batch norms (running_mean): weights that only play; those to train on are in an export for PyTorch";
        return Err(refused(path, reason.to_owned()));
    }
    let others = [Dtype::F16, Dtype::BF16, Dtype::F64];
    let found = file.tensors().into_iter();
    let mut found = found.filter(|(_, view)| others.contains(&view.dtype()));
    found.next().map_or(Ok(()), |(name, view)| {
        let reason = format!(
            "tensor {name} is {:?}, but only F32 is read: save module.float().state_dict(), or export it in f32",
            view.dtype()
        );
        Err(refused(path, reason))
    })
}

/// Returns the size of the network that a file holds, by the shapes of its tensors, where it has them.
fn size_of(file: &SafeTensors<'_>) -> Option<Architecture> {
    let outputs = |name: &str| {
        let weight = file.tensor(&format!("{name}.weight"));
        weight.ok()?.shape().first().copied()
    };
    let number = |name: &str| u32::try_from(outputs(name)?).ok();
    // A tensor that is missing is no block less.
    let names = file.names();
    let block = |name: &str| {
        name.strip_prefix("blocks.")?
            .split('.')
            .next()?
            .parse()
            .ok()
    };
    let last = names.iter().filter_map(|name| block(name)).max();
    let blocks = last.map_or(0, |last: u32| last.saturating_add(1));
    Some(Architecture {
        board_size: u8::try_from(outputs("policy.conv")? / 4 + 1).ok()?,
        planes: PLANES as u32,
        network: NetworkConfig {
            blocks,
            channels: number("stem.conv")?,
            value_channels: number("value.conv")?,
            value_hidden: number("value.hidden")?,
        },
        auxiliary: Auxiliary::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::safetensors;
    use std::collections::BTreeMap;
    use tafl_rules::BoardShape;

    #[test]
    fn weights_that_cannot_be_trained_on_are_told_apart() {
        let shape = tafl_rules::preset("brandubh").map(|ruleset| ruleset.start.shape);
        let shape: BoardShape = shape.expect("a preset");
        let architecture = Architecture::new(NetworkConfig::default(), shape);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        type Rename<'a> = &'a dyn Fn(String) -> String;
        let error_of =
            |dtype: Dtype, bytes: usize, kept: &dyn Fn(&str) -> bool, rename: Rename<'_>| {
                let all = architecture.parameters().into_iter();
                let all = all.filter(|it| kept(&it.name)).map(|it| {
                    let size = it.shape.iter().product::<usize>() * bytes;
                    (rename(it.name), it.shape, vec![0; size])
                });
                let file = safetensors(dtype, &all.collect::<Vec<_>>(), &BTreeMap::new());
                std::fs::write(&path, file.expect("sound")).expect("written");
                let loaded = load_module_weights(&path, architecture);
                loaded.map(|_| ()).expect_err("refused").to_string()
            };
        let error =
            |dtype, bytes, kept: &dyn Fn(&str) -> bool| error_of(dtype, bytes, kept, &|it| it);
        let missing = "blocks.0.first.conv.weight";
        let said = error(Dtype::F32, 4, &|name| name != missing);
        assert!(
            said.ends_with(&format!("tensor {missing} is missing")),
            "{said}"
        );
        let said = error(Dtype::F64, 8, &|_| true);
        assert!(said.contains("is F64, but only F32 is read"), "{said}");
        let rename = |name: String| format!("_orig_mod.{name}");
        let said = error_of(Dtype::F32, 4, &|_| true, &rename);
        assert!(
            said.ends_with("save module._orig_mod.state_dict()"),
            "{said}"
        );
        let said = error(Dtype::F32, 4, &|name| !name.contains("running_"));
        assert!(said.contains("an export for PyTorch"), "{said}");
    }
}
