//! `model.json` of an export: what its numbers mean and where they come from.

use super::job::{Export, ExportFormat, OutputCard, StoredAs, StrengthCard};
use super::stored::{Named, planes};
use super::taflzero::{self, Adapter};
use super::vectors::{TestVector, vectors};
use crate::card::{ACTION_ENCODING, PROGRAM};
use crate::{ModelCard, RulesetCard};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use tafl_graph::{Graph, INPUT, OUTPUTS};
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{Facts, MARKED_PLANES, PLANE_DOCS, SIDE_PLANE, plane_names};

/// The version of an export's layout and of the fields of its `model.json`.
const EXPORT_FORMAT: u32 = 3;

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
    /// The operations that compute with the tensors of a safetensors file, in order; none for other formats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
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
        let numbers = planes([&start], Facts::of);
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

impl Differences {
    /// Returns how far each output is from the reference; infinite where a number is not finite.
    pub(super) fn of(found: &Named, reference: &Named) -> Self {
        let difference = |(&output, expected): (&&'static str, &Vec<f32>)| {
            let most = |numbers: &mut dyn Iterator<Item = f32>| numbers.fold(0.0, f32::max);
            let scale = most(&mut expected.iter().map(|number| number.abs())).max(1.0);
            let pairs = found[output].iter().zip(expected);
            let apart = most(&mut pairs.map(|(a, b)| {
                let apart = (a - b).abs();
                if apart.is_nan() { f32::INFINITY } else { apart }
            }));
            let relative = apart / scale;
            (output, if relative.is_nan() { apart } else { relative })
        };
        Self(reference.iter().map(difference).collect())
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter();
        let pairs = pairs.map(|(output, largest)| format!("{output} {largest:.1e}"));
        f.write_str(&pairs.collect::<Vec<_>>().join(", "))
    }
}

impl ExportCard {
    /// Returns the file's own description of its numbers.
    pub(super) fn metadata(&self) -> Vec<(&'static str, String)> {
        let planes: Vec<&str> = self.planes.iter().map(|plane| plane.name).collect();
        let planes = match self.format {
            ExportFormat::Taflzero => "base".to_owned(),
            _ => planes.join(","),
        };
        let rulesets = self.rulesets.iter().map(|it| &it.ruleset);
        let rulesets = rulesets.map(|it| format!("{} {}", it.name, it.fingerprint));
        let ModelCard {
            encoding_version,
            architecture,
            provenance,
            ..
        } = &self.checkpoint;
        vec![
            ("planes", planes),
            ("encoding_version", encoding_version.to_string()),
            ("action_encoding", self.action_encoding.to_owned()),
            ("board_size", architecture.board_size.to_string()),
            ("rulesets", rulesets.collect::<Vec<_>>().join(", ")),
            ("export_format", EXPORT_FORMAT.to_string()),
            ("program", PROGRAM.to_owned()),
            ("run", provenance.run.clone()),
            ("generation", provenance.generation.to_string()),
            ("weights", self.weights.to_string()),
        ]
    }
}

/// Returns the card of a file whose weights were checked, and gave `outputs`; its checksum is not known yet.
pub(super) fn card(
    job: &Export<'_>,
    (rules, adapter): (&[Arc<Rules>], Option<&Adapter>),
    outputs: &Named,
    verification: VerificationCard,
) -> ExportCard {
    let is_safetensors = job.format == ExportFormat::Safetensors;
    ExportCard {
        export_format: EXPORT_FORMAT,
        format: job.format,
        program: PROGRAM,
        file: job.format.file_name(),
        sha256: String::new(),
        weights: job.stored,
        rulesets: rules.iter().map(ExportRuleset::of).collect(),
        input: INPUT,
        planes: plane_cards(job),
        outputs: output_cards(job, adapter),
        action_encoding: match adapter {
            Some(_) => taflzero::ACTION_ENCODING,
            None => ACTION_ENCODING,
        },
        example: example(
            &Game::new(Arc::clone(&rules[0])),
            adapter,
            (outputs, verification.positions),
        ),
        // TaflZero's planes are its own.
        test_vectors: match adapter {
            Some(_) => Vec::new(),
            None => vectors(rules, outputs),
        },
        graph: is_safetensors.then(|| job.network.folded().graph),
        verification,
        strength: job.strength.clone(),
        checkpoint: job.card.clone(),
    }
}

/// Returns the worked example: a start, with what the stored weights say of the first of some positions.
fn example(
    start: &Game,
    adapter: Option<&Adapter>,
    (outputs, positions): (&Named, usize),
) -> ExampleCard {
    let mut moves = Vec::new();
    start.legal_moves(&mut moves);
    // One that goes further than one square shows more.
    let further: Option<&Move> = moves.iter().find(|mv| mv.distance() > 1);
    let mv = *further.unwrap_or(&moves[0]);
    let own = usize::from(mv.policy_index(start.rules().shape()).0);
    let index = adapter.map_or(own, |it| it.policy_place(own));
    let first = |(&name, values): (&&'static str, &Vec<f32>)| {
        let row = &values[..values.len() / positions];
        let row = match name {
            "policy" => &row[index..=index],
            _ => row,
        };
        (name, row.to_vec())
    };
    ExampleCard {
        position: format!("the start of {}", start.rules().ruleset().name),
        mv: mv.to_string(),
        index,
        outputs: outputs.iter().map(first).collect(),
    }
}

/// Returns the outputs of a file, in order.
fn output_cards(job: &Export<'_>, adapter: Option<&Adapter>) -> [OutputCard; 3] {
    let logits =
        "logits of all moves, legal or not: leave out the illegal ones, then take the softmax";
    if let Some(adapter) = adapter {
        return adapter.output_cards(logits);
    }
    let wdl = "win, draw and loss of the side to move, probabilities";
    let outputs = [
        (OUTPUTS[0], job.network.architecture().policy_len(), logits),
        (OUTPUTS[1], 3, wdl),
        (OUTPUTS[2], 1, "plies until the game ends"),
    ];
    outputs.map(|(name, len, meaning)| OutputCard { name, len, meaning })
}

fn plane_cards(job: &Export<'_>) -> Vec<PlaneCard> {
    let size = job.network.architecture().size();
    let card = |(name, meaning, uniform)| PlaneCard {
        name,
        meaning,
        shape: [size; 2],
        range: [0.0, 1.0],
        uniform,
    };
    if job.format == ExportFormat::Taflzero {
        return taflzero::PLANE_DOCS.map(card).to_vec();
    }
    let planes = PLANE_DOCS.iter().enumerate();
    planes
        .map(|(index, plane)| card((plane.name, plane.meaning, index >= MARKED_PLANES)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_measured_by_the_largest_number() {
        let named = |values: [f32; 2]| Named::from([("policy", values.to_vec())]);
        let apart = |a, b| Differences::of(&named(a), &named(b)).0["policy"];
        assert_eq!(apart([8.5, 1.0], [8.0, 1.0]), 0.0625);
        assert_eq!(apart([0.25, 0.5], [0.25, 0.75]), 0.25);
        assert_eq!(apart([f32::NAN, 0.0], [0.0, 0.0]), f32::INFINITY);
        let infinite = [f32::INFINITY, 0.0];
        assert_eq!(apart(infinite, infinite), f32::INFINITY);
    }
}
