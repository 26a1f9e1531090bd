//! `model.json` of an export: what its numbers mean and where they come from.

use super::job::{Export, ExportError, ExportFormat, Named, StoredAs, StrengthCard};
use super::onnx::{self, OutputCard};
use super::plan::Plan;
use super::positions::own_planes;
use super::taflzero;
use super::vectors::{TestVector, vectors};
use super::weights::play_weights;
use crate::card::{ACTION_ENCODING, PROGRAM};
use crate::checkpoint::MOST_CARD_BYTES;
use crate::{ModelCard, RulesetCard};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{MARKED_PLANES, PLANE_DOCS, SIDE_PLANE, plane_names};
use tafl_store::read_file;

/// The version of an export's layout and of the fields of its `model.json`.
const EXPORT_FORMAT: u32 = 2;

/// The contents of an export's `model.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportCard {
    /// The version of the export's layout and of these fields.
    pub export_format: u32,
    /// What the file is read by.
    pub format: ExportFormat,
    /// The program that wrote it, with its version.
    pub program: &'static str,
    /// The file with the network.
    pub file: &'static str,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// How weights are stored. Inputs, outputs and arithmetic are f32.
    pub weights: StoredAs,
    /// The rulesets that it is for.
    pub rulesets: Vec<ExportRuleset>,
    /// The one input, `[batch, planes, ranks, files]`: its name.
    pub input: &'static str,
    /// The input's planes, in order.
    pub planes: Vec<PlaneCard>,
    /// The outputs, in order.
    pub outputs: [OutputCard; 3],
    /// How moves become policy outputs.
    pub action_encoding: &'static str,
    /// A move and its policy output.
    pub example: ExampleCard,
    /// Positions with their planes and outputs, to test an encoder by; empty for `TaflZero`.
    pub test_vectors: Vec<TestVector>,
    /// The tensors of a safetensors file with their shapes, in order of computation; empty for other formats.
    pub tensors: Vec<(String, Vec<usize>)>,
    /// How its weights were checked.
    pub verification: VerificationCard,
    /// How strong the network is; `null` if that is not known.
    pub strength: Option<StrengthCard>,
    /// The card of the checkpoint: architecture and training.
    pub checkpoint: ModelCard,
}

/// A ruleset, and what an encoder must know of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportRuleset {
    /// Its name and fingerprint.
    #[serde(flatten)]
    pub ruleset: RulesetCard,
    /// The planes that are 1 on all squares in every position.
    pub uniform: Vec<&'static str>,
    /// Moves without a capture that end the game; `null` if none do.
    pub captureless_limit: Option<NonZeroU32>,
}

impl ExportRuleset {
    fn of(rules: &Arc<Rules>) -> Self {
        let start = Game::new(Arc::clone(rules));
        let numbers = own_planes(std::slice::from_ref(&start));
        let first = numbers
            .chunks_exact(rules.shape().squares())
            .map(|it| it[0]);
        let uniform = (0..).zip(first).skip(MARKED_PLANES);
        let uniform = uniform.filter(|(plane, number)| *plane != SIDE_PLANE && *number == 1.0);
        Self {
            ruleset: RulesetCard::of(rules),
            uniform: uniform.map(|(plane, _)| plane_names()[plane]).collect(),
            captureless_limit: rules.ruleset().captureless_limit,
        }
    }
}

/// An input plane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlaneCard {
    /// Its name.
    pub name: &'static str,
    /// What its numbers mean.
    pub meaning: &'static str,
    /// Ranks and files; index 0 is rank 1 and file a.
    pub shape: [usize; 2],
    /// Least and greatest number.
    pub range: [f32; 2],
    /// Whether all squares have the same number.
    pub uniform: bool,
}

/// A move, and what the network says of the position in which it is possible.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExampleCard {
    /// The position.
    pub position: String,
    /// The move, such as `d1-d3`.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its policy output.
    pub index: usize,
    /// What the stored weights give for the position: the move's logit first, then the other outputs.
    pub outputs: Named,
}

/// How the weights of a file were checked: as they are stored, executed by libtorch and compared with the network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerificationCard {
    /// Positions of random games on which outputs were compared.
    pub positions: usize,
    /// How far each output is from the network's.
    pub differences: Differences,
    /// What they may be at most.
    pub bound: f32,
    /// The same measure between the network with all planes and with those that the format can tell; `null` if it can
    /// tell all.
    pub left_out: Option<Differences>,
}

/// How far each output is from a reference: the largest difference over all positions and numbers, divided by the
/// output's largest magnitude, or 1 if that is less.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Differences(pub BTreeMap<&'static str, f32>);

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter();
        let pairs = pairs.map(|(output, largest)| format!("{output} {largest:.1e}"));
        f.write_str(&pairs.collect::<Vec<_>>().join(", "))
    }
}

/// Refuses a folder whose files an export would replace, unless they are an export of the same format from the same run.
pub(super) fn check_folder(dir: &Path, job: &Export<'_>) -> Result<(), ExportError> {
    let occupied = |path: PathBuf, reason: &str| ExportError::Occupied {
        path,
        reason: reason.to_owned(),
    };
    let path = dir.join("model.json");
    if !path.exists() {
        let names = [job.format.file_name(), "README.md", "tafl_planes.py"];
        let mut found = names.into_iter().map(|name| dir.join(name));
        return match found.find(|path| path.exists()) {
            Some(path) => Err(occupied(path, "not of an export")),
            None => Ok(()),
        };
    }
    let card = read_file(&path, MOST_CARD_BYTES)?;
    let card = serde_json::from_slice::<Value>(&card).unwrap_or_default();
    let run = card["checkpoint"]["provenance"]["run"].as_str();
    let reason = match card["format"].as_str() {
        Some(format) if card["export_format"].is_u64() && run.is_some() => {
            if format != job.format.to_string() {
                format!("of an export as {format}")
            } else if run == Some(&*job.card.provenance.run) {
                return Ok(());
            } else {
                format!("of an export of the run {}", run.unwrap_or_default())
            }
        }
        _ => "not of an export".to_owned(),
    };
    Err(occupied(path, &reason))
}

/// Returns the file's own description of its numbers.
pub(super) fn metadata(plan: &Plan<'_>) -> [(&'static str, String); 10] {
    let job = plan.job;
    let names: Vec<&str> = PLANE_DOCS.iter().map(|plane| plane.name).collect();
    let planes = match job.format {
        ExportFormat::Taflzero => "base".to_owned(),
        _ => names.join(","),
    };
    let rulesets = ruleset_cards(plan).into_iter();
    let rulesets: Vec<String> = rulesets
        .map(|card| format!("{} {}", card.name, card.fingerprint))
        .collect();
    let provenance = &job.card.provenance;
    [
        ("planes", planes),
        ("encoding_version", job.card.encoding_version.to_string()),
        ("action_encoding", action_encoding(job.format).to_owned()),
        ("board_size", job.card.architecture.board_size.to_string()),
        ("rulesets", rulesets.join(", ")),
        ("export_format", EXPORT_FORMAT.to_string()),
        ("program", PROGRAM.to_owned()),
        ("run", provenance.run.clone()),
        ("generation", provenance.generation.to_string()),
        ("weights", job.stored.to_string()),
    ]
}

fn ruleset_cards(plan: &Plan<'_>) -> Vec<RulesetCard> {
    plan.rules.iter().map(|it| RulesetCard::of(it)).collect()
}

const fn action_encoding(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Taflzero => {
            "from_square * 4 * (size - 1) + direction * (size - 1) + distance - 1; squares rank by rank from a1; \
             directions down (towards rank 1), up, left, right"
        }
        _ => ACTION_ENCODING,
    }
}

/// Returns the card of a file whose weights were checked, and gave `outputs`.
pub(super) fn card(
    plan: &Plan<'_>,
    outputs: &Named,
    verification: VerificationCard,
    bytes: &[u8],
) -> ExportCard {
    let job = plan.job;
    let weights = match job.format {
        ExportFormat::Safetensors => play_weights(job.network),
        _ => Vec::new(),
    };
    ExportCard {
        export_format: EXPORT_FORMAT,
        format: job.format,
        program: PROGRAM,
        file: job.format.file_name(),
        sha256: tafl_store::sha256_hex(bytes),
        weights: job.stored,
        rulesets: plan.rules.iter().map(ExportRuleset::of).collect(),
        input: onnx::INPUT,
        planes: plane_cards(plan),
        outputs: onnx::outputs(job.network, plan.adapter.as_ref()),
        action_encoding: action_encoding(job.format),
        example: example(plan, outputs, verification.positions),
        test_vectors: vectors(plan, outputs),
        tensors: weights.into_iter().map(|w| (w.name, w.shape)).collect(),
        verification,
        strength: job.strength.clone(),
        checkpoint: job.card.clone(),
    }
}

/// Returns the worked example, with what the stored weights say of the first of some positions.
fn example(plan: &Plan<'_>, outputs: &Named, positions: usize) -> ExampleCard {
    let game = plan.example();
    let mv = example_move(&game);
    let own = usize::from(mv.policy_index(game.rules().shape()).0);
    let index = plan.adapter.as_ref().map_or(own, |a| a.policy_place(own));
    let first = |(&name, values): (&&'static str, &Vec<f32>)| {
        let row = &values[..values.len() / positions];
        let row = if name == "policy" {
            &row[index..=index]
        } else {
            row
        };
        (name, row.to_vec())
    };
    ExampleCard {
        position: format!("the start of {}", game.rules().ruleset().name),
        mv: mv.to_string(),
        index,
        outputs: outputs.iter().map(first).collect(),
    }
}

/// Returns the first legal move that goes further than one square.
fn example_move(game: &Game) -> Move {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let further = moves.iter().find(|mv| mv.distance() > 1);
    *further.unwrap_or(&moves[0])
}

fn plane_cards(plan: &Plan<'_>) -> Vec<PlaneCard> {
    let size = plan.job.network.architecture().size();
    let card = |(name, meaning, uniform)| PlaneCard {
        name,
        meaning,
        shape: [size; 2],
        range: [0.0, 1.0],
        uniform,
    };
    if plan.job.format == ExportFormat::Taflzero {
        return taflzero::PLANE_DOCS.map(card).to_vec();
    }
    let planes = PLANE_DOCS.iter().enumerate();
    planes
        .map(|(index, plane)| card((plane.name, plane.meaning, index >= MARKED_PLANES)))
        .collect()
}
