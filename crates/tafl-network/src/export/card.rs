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
use tafl_rules::{Game, Move, RankOrder, Rules, Setup, Side};
use tafl_samples::{Facts, MARKED_PLANES, PLANE_DOCS, SIDE_PLANE, plane_names};

/// The version of an export's layout and of the fields of its `model.json`.
const EXPORT_FORMAT: u32 = 3;

/// The contents of an export's `model.json`.
#[derive(Serialize)]
pub(super) struct Card {
    pub(super) export_format: u32,
    pub(super) format: ExportFormat,
    pub(super) program: &'static str,
    pub(super) file: &'static str,
    pub(super) sha256: String,
    /// The other files, with the SHA-256 of each; of the card itself that of its other lines.
    pub(super) texts: BTreeMap<&'static str, String>,
    pub(super) weights: StoredAs,
    pub(super) rulesets: Vec<RulesetUse>,
    pub(super) input: &'static str,
    pub(super) planes: Vec<PlaneCard>,
    pub(super) outputs: [OutputCard; 3],
    pub(super) action_encoding: &'static str,
    pub(super) example: ExampleCard,
    pub(super) test_vectors: Vec<TestVector>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) graph: Option<Graph>,
    pub(super) verification: Verification,
    pub(super) strength: Option<StrengthCard>,
    pub(super) checkpoint: ModelCard,
}

/// A ruleset, and what an encoder must know of it.
#[derive(Serialize)]
pub(super) struct RulesetUse {
    #[serde(flatten)]
    pub(super) ruleset: RulesetCard,
    pub(super) uniform: Vec<&'static str>,
    pub(super) captureless_limit: Option<NonZeroU32>,
}

impl RulesetUse {
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
#[derive(Serialize)]
pub(super) struct PlaneCard {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) shape: [usize; 2],
    pub(super) range: [f32; 2],
    pub(super) uniform: bool,
}

/// A move, and what the network says of the position in which it is possible.
#[derive(Serialize)]
pub(super) struct ExampleCard {
    pub(super) ruleset: String,
    pub(super) position: String,
    pub(super) side: Side,
    #[serde(rename = "move")]
    pub(super) mv: String,
    pub(super) index: usize,
    pub(super) outputs: Named,
}

/// How the weights of a file were checked: as they are stored, executed by libtorch and compared with the network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
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

impl Card {
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
    verification: Verification,
) -> Card {
    let is_safetensors = job.format == ExportFormat::Safetensors;
    Card {
        export_format: EXPORT_FORMAT,
        format: job.format,
        program: PROGRAM,
        file: job.format.file_name(),
        sha256: String::new(),
        texts: BTreeMap::new(),
        weights: job.stored,
        rulesets: rules.iter().map(RulesetUse::of).collect(),
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
    let shape = start.rules().shape();
    let own = usize::from(mv.policy_index(shape).0);
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
        ruleset: start.rules().ruleset().name.clone(),
        position: Setup::of(start.position(), shape).to_text(RankOrder::HighestFirst),
        side: start.position().side(),
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
        return taflzero::PLANE_DOCS.map(card).into();
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
