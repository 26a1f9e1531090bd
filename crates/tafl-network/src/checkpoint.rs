//! Checkpoints: a folder with weights, the optimizer's state and `model.json`.
//!
//! `weights.safetensors` holds the weights that play, `optimizer.safetensors` those that learn with their
//! moments; it may be removed where training does not continue. A folder appears whole or not at all; a file that was
//! changed afterwards is noticed.

use crate::architecture::{Architecture, DESTINATIONS, MOST_BLOCKS};
use crate::card::{
    ACCEPTED_CHECKPOINT_FORMATS, ACTION_ENCODING, CHECKPOINT_FORMAT, ModelCard, PROGRAM, Provenance,
};
use crate::network::Weights;
use crate::{Compute, Device, Network, NetworkError, Trainer, TrainerConfig};
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tafl_graph::{Parameter, Role};
use tafl_samples::{ENCODING_VERSION, ENCODINGS, PLANES, plane_names};
use tafl_store::{CARD, StoreError, WEIGHTS, read_file, remove_if_there, sha256_hex, write_folder};

/// Tensors, and what their names begin with in a file.
type Group<'a> = (&'a str, &'a Weights);

const OPTIMIZER: &str = "optimizer.safetensors";

/// The largest file of tensors that is read.
pub const MOST_WEIGHTS_BYTES: u64 = 8 << 30;

/// The largest card that is read.
pub(crate) const MOST_CARD_BYTES: u64 = 64 << 20;

/// The first checkpoint format whose policy head has planes of destinations.
const WITH_DESTINATIONS: u32 = 6;

/// What tensors of the optimizer's file begin with: those of weights that learn, running statistics included, of running means of
/// gradients, and of squared gradients.
const LEARNING: [&str; 3] = ["weights.", "first.", "second."];

/// All that a trainer must be given to go on, as plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrainerState {
    /// The weights that play.
    pub(crate) network: Network,
    /// Those of [`LEARNING`].
    pub(crate) learning: [Weights; 3],
    /// Steps made.
    pub(crate) steps: u64,
}

/// A checkpoint that cannot be written or read; names the file and the reason.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file is damaged, of a version that this program does not read, or its tensors do not fit.
    #[error("{}: {}", .0.display(), .1)]
    Refused(PathBuf, String),
    /// A file of a version that this program does not read.
    #[error("{}: {}", .0.display(), .1)]
    OtherVersion(PathBuf, String),
    /// libtorch failed.
    #[error("{0}")]
    Network(#[from] NetworkError),
}

/// Writes a checkpoint into the folder `dir`, in place of one that is there.
///
/// The files are made in `dir.partial` and appear together; a process may be killed at any moment.
///
/// # Errors
/// If a file cannot be written.
pub fn save_checkpoint(
    dir: &Path,
    trainer: &Trainer,
    provenance: Provenance,
) -> Result<ModelCard, CheckpointError> {
    let state = trainer.state()?;
    let learning = LEARNING.into_iter().zip(&state.learning);
    let learning: Vec<Group<'_>> = learning.collect();
    write(dir, &state.network, provenance, state.steps, &learning)
}

/// Writes a network that does not go on learning into the folder `dir`, in place of one that is there, with the card of the
/// checkpoint that it comes from; returns the card that it has now.
///
/// # Errors
/// If a file cannot be written.
pub fn save_network(
    dir: &Path,
    network: &Network,
    card: ModelCard,
) -> Result<ModelCard, CheckpointError> {
    write(dir, network, card.provenance, card.steps, &[])
}

/// Writes a network, and the groups of tensors with which it goes on learning, if there are any.
fn write(
    dir: &Path,
    network: &Network,
    provenance: Provenance,
    steps: u64,
    learning: &[Group<'_>],
) -> Result<ModelCard, CheckpointError> {
    let unwritten = |error: SafeTensorError| StoreError::unreadable(dir, error);
    let architecture = *network.architecture();
    let weights = pack(&architecture, &[("", network.weights())]).map_err(unwritten)?;
    let mut files = vec![(WEIGHTS, weights)];
    if !learning.is_empty() {
        let optimizer = pack(&architecture, learning).map_err(unwritten)?;
        files.push((OPTIMIZER, optimizer));
    }
    let sums = files.iter();
    let sums = sums.map(|(name, bytes)| ((*name).to_owned(), sha256_hex(bytes)));
    let card = ModelCard {
        format: CHECKPOINT_FORMAT,
        encoding_version: ENCODING_VERSION,
        program: PROGRAM.to_owned(),
        architecture,
        planes: plane_names().iter().map(|&name| name.to_owned()).collect(),
        action_encoding: ACTION_ENCODING.to_owned(),
        provenance,
        steps,
        activation_ranges: network.ranges().map(<[f32]>::to_vec),
        sha256: sums.collect(),
    };
    let json = serde_json::to_string_pretty(&card);
    let json = json.map_err(|error| StoreError::unreadable(&dir.join(CARD), error))?;
    files.push((CARD, (json + "\n").into_bytes()));
    let files = files.iter().map(|(name, bytes)| (*name, &bytes[..]));
    write_folder(dir, &files.collect::<Vec<_>>())?;
    Ok(card)
}

/// Reads the network that plays, and the card, of a checkpoint.
///
/// # Errors
/// If a file is missing, damaged, of another version, or its tensors are not the architecture's.
pub fn load_network(dir: &Path) -> Result<(Network, ModelCard), CheckpointError> {
    let (card, stored) = read_card(dir)?;
    Ok((read_network(dir, &card, stored)?, card))
}

fn read_network(dir: &Path, card: &ModelCard, stored: Stored) -> Result<Network, CheckpointError> {
    let path = dir.join(WEIGHTS);
    let weights = unpack(&path, &read_checked(&path, card)?, stored, &[("", true)])?;
    let network = Network::from_weights(card.architecture, weights);
    let network = network.map_err(|error| refused(&path, error.to_string()))?;
    Ok(network.with_ranges(card.activation_ranges.clone()))
}

/// Reads a checkpoint to go on with: the next steps are those that the stored trainer would have made.
///
/// # Errors
/// As [`load_network`], and if the device cannot be used.
pub fn load_trainer(
    dir: &Path,
    config: TrainerConfig,
    device: Device,
    compute: Compute,
) -> Result<(Trainer, ModelCard), CheckpointError> {
    let (card, stored) = read_card(dir)?;
    let network = read_network(dir, &card, stored)?;
    let path = dir.join(OPTIMIZER);
    if !path.exists() {
        let reason = "no such file; only the last two checkpoints of a run keep it";
        return Err(refused(&path, reason.to_owned()));
    }
    let bytes = read_checked(&path, &card)?;
    let groups = LEARNING.map(|prefix| (prefix, prefix == LEARNING[0]));
    let tensors = unpack(&path, &bytes, stored, &groups)?;
    let group = |prefix: &str| {
        let tensors = tensors.iter();
        let own = tensors.filter_map(|(name, it)| Some((name.strip_prefix(prefix)?, it)));
        own.map(|(name, it)| (name.to_owned(), it.clone()))
            .collect()
    };
    let state = TrainerState {
        network,
        learning: LEARNING.map(group),
        steps: card.steps,
    };
    Ok((Trainer::from_state(&state, config, device, compute)?, card))
}

/// Checks the files of a checkpoint by its card. The optimizer's state may have been removed unless the training goes on from
/// it, `learns_on`.
///
/// # Errors
/// As [`load_network`], and if the optimizer's state is damaged, or missing where it is needed.
pub fn verify_checkpoint(dir: &Path, learns_on: bool) -> Result<(), CheckpointError> {
    let (_, card) = load_network(dir)?;
    let path = dir.join(OPTIMIZER);
    let is_written = card.sha256.contains_key(OPTIMIZER);
    if is_written && (learns_on || path.symlink_metadata().is_ok()) {
        read_checked(&path, &card)?;
    }
    Ok(())
}

/// Removes what only [`load_trainer`] reads, three quarters of a checkpoint; without it the checkpoint still plays.
///
/// # Errors
/// If the file is there and cannot be removed.
pub fn drop_optimizer(dir: &Path) -> Result<(), CheckpointError> {
    Ok(remove_if_there(&dir.join(OPTIMIZER))?)
}

/// Returns whether a checkpoint still has the optimizer's state, without which nothing goes on learning from it.
pub fn keeps_optimizer(dir: &Path) -> bool {
    dir.join(OPTIMIZER).is_file()
}

/// Reads `model.json` of a checkpoint.
///
/// # Errors
/// If it is missing, damaged or of another version.
pub fn load_card(dir: &Path) -> Result<ModelCard, CheckpointError> {
    Ok(read_card(dir)?.0)
}

/// Which tensors a checkpoint has.
#[derive(Clone, Copy)]
pub(crate) struct Stored {
    /// May have fewer planes than networks have now.
    pub(crate) architecture: Architecture,
    /// Whether the policy head has planes of destinations.
    pub(crate) has_destinations: bool,
}

/// Reads `model.json`; returns the card as this version writes it, and what the stored tensors are.
fn read_card(dir: &Path) -> Result<(ModelCard, Stored), CheckpointError> {
    let path = dir.join(CARD);
    let bytes = read_file(&path, MOST_CARD_BYTES)?;
    let damaged = |reason: String| damaged(&path, &reason);
    let mut value: Value =
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if !value["export_format"].is_null() {
        let reason = "an export for other programs; give the checkpoint that it was made from, or of weights that learned on \
                      elsewhere one of a run that begins from them";
        return Err(refused(&path, reason.to_owned()));
    }
    // Versions come first: the fields of another version may be others.
    let encodings = ENCODINGS.map(|(version, _)| version);
    for (field, what, accepted) in [
        ("format", "checkpoint format", ACCEPTED_CHECKPOINT_FORMATS),
        ("encoding_version", "encoding version", &encodings),
    ] {
        let found = value[field].as_u64();
        let found = found.ok_or_else(|| damaged(format!("field `{field}` is missing")))?;
        if !accepted.iter().any(|&version| u64::from(version) == found) {
            let accepted: Vec<String> = accepted.iter().map(u32::to_string).collect();
            let (last, before) = accepted.split_last().expect("some versions are read");
            let reason = format!(
                "{what} {found}, but this program reads {} or {last}",
                before.join(", ")
            );
            return Err(CheckpointError::OtherVersion(path, reason));
        }
    }
    if value["format"] == 3 {
        take_heads(&mut value).map_err(damaged)?;
    }
    let mut card: ModelCard =
        serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
    let architecture = card.architecture;
    // A wrong number elsewhere is a tensor of the wrong shape; this one would make too many of them.
    if architecture.network.blocks > MOST_BLOCKS {
        return Err(damaged(format!(
            "field `blocks`: {} is more than {MOST_BLOCKS}",
            architecture.network.blocks
        )));
    }
    if architecture.shape().is_none() {
        return Err(damaged(format!(
            "field `board_size`: {} is not 7, 9 or 11",
            architecture.board_size
        )));
    }
    check_ranges(&card).map_err(damaged)?;
    let known = ENCODINGS.iter().find(|it| it.0 == card.encoding_version);
    let planes = known.map_or(PLANES, |&(_, planes)| planes);
    if architecture.planes as usize != planes || card.planes != plane_names()[..planes] {
        return Err(damaged(
            "field `planes`: not those of the encoding version".to_owned(),
        ));
    }
    let stored = Stored {
        architecture,
        has_destinations: card.format >= WITH_DESTINATIONS,
    };
    card.encoding_version = ENCODING_VERSION;
    card.architecture.planes = PLANES as u32;
    card.planes = plane_names().iter().map(|&name| name.to_owned()).collect();
    Ok((card, stored))
}

/// Checks the ranges of activations, if there are any.
fn check_ranges(card: &ModelCard) -> Result<(), String> {
    let expected = card.architecture.tower_len();
    let is_range = |it: &f32| it.is_finite() && *it >= 0.0;
    let is_right = |it: &Vec<f32>| it.len() == expected && it.iter().all(is_range);
    if card.activation_ranges.as_ref().is_none_or(is_right) {
        return Ok(());
    }
    Err(format!(
        "field `activation_ranges`: not {expected} finite numbers from 0 on, one for each layer"
    ))
}

/// Takes from a card the choice of heads, which format 3 had last.
///
/// # Errors
/// If the network was trained with heads for each role: their weights would have no place.
fn take_heads(card: &mut Value) -> Result<(), String> {
    let network = card.pointer_mut("/architecture/network");
    let network = network.and_then(Value::as_object_mut);
    match network.and_then(|it| it.remove("heads")) {
        Some(heads) if heads != "shared" => {
            Err("field `architecture.network.heads`: this program has no heads per role".to_owned())
        }
        _ => Ok(()),
    }
}

/// Returns the bytes of a safetensors file with some groups of tensors.
fn pack(architecture: &Architecture, groups: &[Group<'_>]) -> Result<Vec<u8>, SafeTensorError> {
    let mut tensors = Vec::new();
    for (prefix, group) in groups {
        for Parameter { name, shape, .. } in architecture.parameters() {
            if let Some(numbers) = group.get(&name) {
                let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
                tensors.push((format!("{prefix}{name}"), shape, bytes.collect()));
            }
        }
    }
    safetensors(Dtype::F32, &tensors, &BTreeMap::new())
}

/// Returns the bytes of a safetensors file: names, shapes and little-endian numbers. Equal contents make equal files.
pub(crate) fn safetensors(
    dtype: Dtype,
    tensors: &[(String, Vec<usize>, Vec<u8>)],
    metadata: &BTreeMap<&str, String>,
) -> Result<Vec<u8>, SafeTensorError> {
    let views = tensors.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(dtype, shape.clone(), bytes)?;
        Ok((name, view))
    });
    let views = views.collect::<Result<Vec<_>, SafeTensorError>>()?;
    let file = safetensors::serialize(views, None)?;
    if metadata.is_empty() {
        return Ok(file);
    }
    // The library writes metadata in an order of its own at every time.
    let (length, rest) = file
        .split_first_chunk()
        .expect("a file begins with 8 bytes");
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let metadata = serde_json::to_string(metadata)?;
    let mut all = format!("{{\"__metadata__\":{metadata},").into_bytes();
    all.extend(header[1..].trim_ascii_end());
    all.resize(all.len().next_multiple_of(8), b' ');
    Ok([&(all.len() as u64).to_le_bytes(), &all[..], data].concat())
}

/// Reads groups of tensors, given by their prefix and whether statistics are among them, after comparing names, shapes
/// and types with those that are stored. Planes that came later, of the input or of destinations, get weights of 0, with
/// which the network computes what it did.
pub(crate) fn unpack(
    path: &Path,
    bytes: &[u8],
    stored: Stored,
    groups: &[(&str, bool)],
) -> Result<Weights, CheckpointError> {
    let all = groups.iter().flat_map(|&(prefix, with_statistics)| {
        let parameters = stored.architecture.parameters().into_iter();
        let own = parameters.filter(move |it| with_statistics || it.role != Role::Statistic);
        own.map(move |it| (format!("{prefix}{}", it.name), it.shape))
    });
    let (expected, came_later): (BTreeMap<String, Vec<usize>>, BTreeMap<_, _>) =
        all.partition(|(name, _)| stored.has_destinations || !name.contains(DESTINATIONS));
    let wrong = |reason: String| refused(path, reason);
    let file = SafeTensors::deserialize(bytes);
    let file = file.map_err(|error| damaged(path, &error.to_string()))?;
    let mut names = file.names();
    names.sort_unstable();
    // PyTorch's batch norms count their batches.
    let norm = |name: &str| {
        let norm = name.strip_suffix("num_batches_tracked")?;
        Some(format!("{norm}running_mean"))
    };
    let is_known = |name: &str| {
        expected.contains_key(name) || norm(name).is_some_and(|mean| expected.contains_key(&mean))
    };
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(wrong(format!("unexpected tensor {name}")));
    }
    let mut tensors = Weights::new();
    for (name, shape) in &expected {
        let view = file
            .tensor(name)
            .map_err(|_| wrong(format!("tensor {name} is missing")))?;
        if view.dtype() != Dtype::F32 || view.shape() != shape {
            let (dtype, found) = (view.dtype(), view.shape());
            return Err(wrong(format!(
                "tensor {name} is {dtype:?} {found:?}, expected F32 {shape:?}"
            )));
        }
        let (words, _) = view.data().as_chunks::<4>();
        let numbers: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(wrong(format!(
                "tensor {name} holds a value that is not a finite number"
            )));
        }
        let is_stem = name.ends_with("stem.conv.weight");
        let whole = is_stem.then(|| with_all_planes(&numbers, shape));
        tensors.insert(name.clone(), whole.unwrap_or(numbers));
    }
    for (name, shape) in came_later {
        tensors.insert(name, vec![0.0; shape.iter().product()]);
    }
    Ok(tensors)
}

/// Returns a tensor `[outputs, planes, 3, 3]` with zeros for the planes that came later.
fn with_all_planes(numbers: &[f32], shape: &[usize]) -> Vec<f32> {
    let [_, planes, height, width] = shape else {
        unreachable!("the stem is a convolution");
    };
    let square = height * width;
    let mut all = Vec::with_capacity(numbers.len() / planes * PLANES);
    for output in numbers.chunks_exact(planes * square) {
        all.extend_from_slice(output);
        all.resize(all.len() + (PLANES - planes) * square, 0.0);
    }
    all
}

fn read_checked(path: &Path, card: &ModelCard) -> Result<Vec<u8>, CheckpointError> {
    let bytes = read_file(path, MOST_WEIGHTS_BYTES)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if card.sha256.get(&*name) == Some(&sha256_hex(&bytes)) {
        return Ok(bytes);
    }
    let reason = format!("its SHA-256 is not the one in {CARD}");
    Err(damaged(path, &reason))
}

pub(crate) fn refused(path: &Path, reason: String) -> CheckpointError {
    CheckpointError::Refused(path.to_path_buf(), reason)
}

fn damaged(path: &Path, reason: &str) -> CheckpointError {
    refused(path, format!("damaged: {reason}"))
}
