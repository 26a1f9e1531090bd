//! What to export, and why it may fail.

use crate::{ModelCard, Network, NetworkError};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use strum::{Display, EnumMessage, IntoStaticStr, VariantArray};
use tafl_rules::Rules;
use tafl_store::StoreError;

/// What a file is read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ExportFormat {
    /// ONNX: ONNX Runtime, tract, browsers.
    Onnx,
    /// The tensors by name, with the operations that compute with them.
    Safetensors,
    /// A module of PyTorch as Python text, and weights to train on with.
    Pytorch,
    /// A program of PyTorch with its weights: `torch.jit.load`.
    Torchscript,
    /// ONNX with the planes, the order of moves and the value of `TaflZero` 0.3.
    Taflzero,
}

impl ExportFormat {
    /// Returns the name of the file with the network.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Onnx => "network.onnx",
            Self::Safetensors => "network.safetensors",
            Self::Pytorch => "weights.safetensors",
            Self::Torchscript => "network.pt",
            Self::Taflzero => "taflzero.onnx",
        }
    }
}

/// How the weights of an export are stored. Arithmetic is in f32 either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum StoredAs {
    /// 4 bytes each, as they were trained.
    F32,
    /// 2 bytes each, rounded to the nearest; half the file.
    F16,
}

impl StoredAs {
    /// Returns how far outputs may be from the network's, as a share of the output's largest magnitude or of 1.
    pub const fn bound(self) -> f32 {
        match self {
            Self::F32 => 1e-4,
            Self::F16 => 1e-2,
        }
    }

    /// Returns the bytes of a number.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
        }
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

/// How strong a network is, as its run measured it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrengthCard {
    /// Elo points.
    pub elo: f64,
    /// Ends of the 95 % interval.
    pub interval: [f64; 2],
    /// Whose Elo is 0.
    pub above: String,
    /// Games on which this rests.
    pub games: u64,
    /// The rulesets of these games.
    pub rulesets: Vec<String>,
    /// Its visits a move in them, where that is known.
    pub visits: Option<u32>,
}

/// Why there is no export; no file of it is left.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder holds a file that would be replaced and is something else, such as `of an export as onnx`.
    #[error("{}: is {}; give another folder", .0.display(), .1)]
    Occupied(PathBuf, String),
    /// The other program cannot play a ruleset, for a reason.
    #[error("ruleset {0}: {1}")]
    Ruleset(String, String),
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
    /// A number of a tensor is beyond what the file's numbers hold.
    #[error("tensor {0} holds a number that is too large for {1}; export it as f32")]
    TooLarge(String, StoredAs),
    /// A template cannot be filled in.
    #[error(transparent)]
    Text(#[from] minijinja::Error),
    /// What describes the file cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The tensors cannot be written as safetensors.
    #[error(transparent)]
    Tensors(#[from] safetensors::SafeTensorError),
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
