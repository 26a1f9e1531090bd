//! `model.json` of an export: what its numbers mean and where they come from.

use super::plan::{Checked, Plan};
use super::verify::Difference;
use super::weights::{StoredAs, play_weights};
use super::{Export, ExportError, ExportFormat, io_error, onnx, taflzero};
use crate::checkpoint::sha256;
use crate::{ModelCard, RulesetCard};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{MARKED_PLANES, PLANE_DOCS};

/// The version of an export's layout and of the fields of its `model.json`.
pub const EXPORT_FORMAT: u32 = 1;

/// The contents of an export's `model.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportCard {
    /// [`EXPORT_FORMAT`].
    pub export_format: u32,
    /// [`ExportFormat::name`].
    pub format: String,
    /// The program that wrote it, with its version.
    pub program: String,
    /// The file with the network.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// `f32` or `f16`: how weights are stored. Inputs, outputs and arithmetic are f32.
    pub weights: String,
    /// The rulesets that it is for.
    pub rulesets: Vec<RulesetCard>,
    /// The one input, `[batch, planes, ranks, files]`: its name.
    pub input: String,
    /// The input's planes, in order.
    pub planes: Vec<PlaneCard>,
    /// The outputs, in order.
    pub outputs: Vec<OutputCard>,
    /// How moves become policy outputs.
    pub action_encoding: String,
    /// A move and its policy output.
    pub example: ExampleCard,
    /// The tensors of a safetensors file with their shapes, in order of computation; empty for other formats.
    pub tensors: Vec<(String, Vec<usize>)>,
    /// How its weights were checked.
    pub verification: VerificationCard,
    /// How strong the network is; `null` if that is not known.
    pub strength: Option<StrengthCard>,
    /// The card of the checkpoint: architecture and training.
    pub checkpoint: ModelCard,
}

/// An input plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaneCard {
    /// Its name.
    pub name: String,
    /// What its numbers mean.
    pub meaning: String,
    /// Ranks and files; index 0 is rank 1 and file a.
    pub shape: [usize; 2],
    /// Least and greatest number.
    pub range: [f32; 2],
    /// Whether all squares have the same number.
    pub uniform: bool,
}

/// An output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputCard {
    /// Its name.
    pub name: String,
    /// Numbers of each position.
    pub len: usize,
    /// What they mean.
    pub meaning: String,
}

/// A move, and what the network says of the position in which it is possible.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleCard {
    /// The position.
    pub position: String,
    /// The move, such as `d1-d3`.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its policy output.
    pub index: usize,
    /// What the stored weights give for the position: the move's logit first, then the other outputs.
    pub outputs: BTreeMap<String, Vec<f32>>,
}

/// How the weights of a file were checked: as they are stored, executed by libtorch and compared with the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerificationCard {
    /// Positions of random games on which outputs were compared.
    pub positions: usize,
    /// How far each output is from the network's: the largest difference, divided by the output's largest magnitude,
    /// or 1 if that is less.
    pub differences: BTreeMap<String, f32>,
    /// What they may be at most.
    pub bound: f32,
    /// The same measure between the network with all planes and with those that the format can tell; `null` if it can
    /// tell all.
    pub left_out: Option<BTreeMap<String, f32>>,
}

/// How strong a network is, as its run measured it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrengthCard {
    /// Elo points.
    pub elo: f64,
    /// Ends of the 95 % interval.
    pub interval: [f64; 2],
    /// Whose Elo is 0.
    pub above: String,
    /// Games on which this rests.
    pub games: u64,
}

/// Refuses a folder whose card or text an export would replace, unless they are of the same format.
pub(super) fn check_folder(dir: &Path, format: ExportFormat) -> Result<(), ExportError> {
    let path = dir.join("model.json");
    let occupied = |path: &Path| ExportError::Occupied {
        path: path.to_path_buf(),
        format: match format {
            ExportFormat::Onnx => "an onnx".to_owned(),
            other => format!("a {other}"),
        },
    };
    match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let text = dir.join("README.md");
            if text.exists() {
                return Err(occupied(&text));
            }
            Ok(())
        }
        Err(error) => Err(io_error(&path)(error)),
        Ok(bytes) => match serde_json::from_slice::<Value>(&bytes) {
            Ok(card) if card["export_format"].is_u64() && card["format"] == format.name() => Ok(()),
            _ => Err(occupied(&path)),
        },
    }
}

/// Returns what the file itself says of its numbers.
pub(super) fn metadata(job: &Export<'_>, rules: &[Arc<Rules>]) -> Vec<(String, String)> {
    let names: Vec<&str> = PLANE_DOCS.iter().map(|plane| plane.name).collect();
    let planes = match job.format {
        ExportFormat::Taflzero => "base".to_owned(),
        _ => names.join(","),
    };
    let rulesets: Vec<String> = rules
        .iter()
        .map(|rules| RulesetCard::of(rules))
        .map(|card| format!("{} {}", card.name, card.fingerprint))
        .collect();
    let provenance = &job.card.provenance;
    let pairs = [
        ("planes", planes),
        ("encoding_version", job.card.encoding_version.to_string()),
        ("action_encoding", action_encoding(job.format).to_owned()),
        ("board_size", job.card.architecture.board_size.to_string()),
        ("rulesets", rulesets.join(", ")),
        ("export_format", EXPORT_FORMAT.to_string()),
        ("program", program()),
        ("run", provenance.run.clone()),
        ("generation", provenance.generation.to_string()),
        ("weights", job.stored.name().to_owned()),
    ];
    pairs
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}

fn program() -> String {
    concat!("tafl ", env!("CARGO_PKG_VERSION")).to_owned()
}

const fn action_encoding(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Taflzero => {
            "from_square * 4 * (size - 1) + direction * (size - 1) + distance - 1; squares rank by rank from a1; \
             directions down (towards rank 1), up, left, right"
        }
        _ => crate::ACTION_ENCODING,
    }
}

/// Returns the first legal move that goes further than one square.
pub(super) fn example_move(game: &Game) -> Move {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let further = moves.iter().find(|mv| mv.distance() > 1);
    *further.unwrap_or(&moves[0])
}

impl Plan {
    /// Returns the card of a file whose weights were checked.
    pub(super) fn card(&self, job: &Export<'_>, checked: &Checked, bytes: &[u8]) -> ExportCard {
        let measured = |differences: &[Difference]| {
            let pairs = differences.iter();
            pairs.map(|d| (d.output.to_owned(), d.largest)).collect()
        };
        let weights = match job.format {
            ExportFormat::Safetensors => play_weights(job.network),
            _ => Vec::new(),
        };
        ExportCard {
            export_format: EXPORT_FORMAT,
            format: job.format.name().to_owned(),
            program: program(),
            file: job.format.file_name().to_owned(),
            sha256: sha256(bytes),
            weights: job.stored.name().to_owned(),
            rulesets: self.rules.iter().map(|r| RulesetCard::of(r)).collect(),
            input: onnx::INPUT.to_owned(),
            planes: plane_cards(job),
            outputs: self.output_cards(job),
            action_encoding: action_encoding(job.format).to_owned(),
            example: self.example(checked),
            tensors: weights.into_iter().map(|w| (w.name, w.shape)).collect(),
            verification: VerificationCard {
                positions: checked.positions,
                differences: measured(&checked.differences),
                bound: StoredAs::bound(job.stored),
                left_out: checked.left_out.as_deref().map(measured),
            },
            strength: job.strength.clone(),
            checkpoint: job.card.clone(),
        }
    }

    fn output_cards(&self, job: &Export<'_>) -> Vec<OutputCard> {
        let card = |name: &str, len, meaning: &str| OutputCard {
            name: name.to_owned(),
            len,
            meaning: meaning.to_owned(),
        };
        let logits =
            "logits of all moves, legal or not: leave out the illegal ones, then take the softmax";
        match &self.adapter {
            Some(adapter) => vec![
                card("policy", adapter.policy_len(), logits),
                card(
                    "value",
                    1,
                    "expected result of the side to move, from -1 (loss) to 1 (win)",
                ),
                card("moves_left", 1, "plies until the game ends, divided by 100"),
            ],
            None => vec![
                card("policy", job.network.architecture().policy_len(), logits),
                card(
                    "wdl",
                    3,
                    "win, draw and loss of the side to move, probabilities",
                ),
                card("moves_left", 1, "plies until the game ends"),
            ],
        }
    }

    /// Returns the worked example, with what the stored weights say of the first position.
    fn example(&self, checked: &Checked) -> ExampleCard {
        let mv = example_move(&self.example);
        let shape = self.example.rules().shape();
        let own = usize::from(mv.policy_index(shape).0);
        let index = self.adapter.as_ref().map_or(own, |a| a.policy_place(own));
        let first = |(&name, values): (&&'static str, &Vec<f32>)| {
            let row = &values[..values.len() / checked.positions];
            let row = if name == "policy" {
                &row[index..=index]
            } else {
                row
            };
            (name.to_owned(), row.to_vec())
        };
        ExampleCard {
            position: format!("the start of {}", self.example.rules().ruleset().name),
            mv: mv.to_string(),
            index,
            outputs: checked.found.iter().map(first).collect(),
        }
    }
}

fn plane_cards(job: &Export<'_>) -> Vec<PlaneCard> {
    let size = job.network.architecture().size();
    let card = |name: &str, meaning: &str, uniform| PlaneCard {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        shape: [size; 2],
        range: [0.0, 1.0],
        uniform,
    };
    if job.format == ExportFormat::Taflzero {
        let planes = taflzero::PLANE_DOCS.iter();
        return planes
            .map(|plane| card(plane.0, plane.1, plane.2))
            .collect();
    }
    let planes = PLANE_DOCS.iter().enumerate();
    planes
        .map(|(index, plane)| card(plane.name, plane.meaning, index >= MARKED_PLANES))
        .collect()
}
