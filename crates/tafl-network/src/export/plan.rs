//! What becomes a file's bytes, and what is checked before they are written.

use super::verify::Difference;
use super::{
    Export, ExportError, ExportFormat, Named, card, onnx, taflzero, torchscript, verify, weights,
};
use std::sync::Arc;
use tafl_rules::{Game, Rules};

/// What is the same for encoding a file and for checking its weights.
pub(super) struct Plan {
    /// The rulesets that the file is for.
    pub(super) rules: Vec<Arc<Rules>>,
    pub(super) adapter: Option<taflzero::Adapter>,
    pub(super) metadata: Vec<(String, String)>,
    /// The start of the first ruleset.
    pub(super) example: Game,
}

/// What a check found.
pub(super) struct Checked {
    pub(super) positions: usize,
    /// What the stored weights give.
    pub(super) found: Named,
    pub(super) differences: Vec<Difference>,
    /// How far the network is from itself where planes are left out.
    pub(super) left_out: Option<Vec<Difference>>,
}

impl Plan {
    pub(super) fn new(job: &Export<'_>) -> Result<Self, ExportError> {
        let (rules, adapter) = if job.format == ExportFormat::Taflzero {
            let (rules, adapter) = taflzero::fitting(job.rules)?;
            (vec![rules], Some(adapter))
        } else {
            (job.rules.to_vec(), None)
        };
        let first = rules.first().ok_or(ExportError::NoRuleset)?;
        Ok(Self {
            example: Game::new(Arc::clone(first)),
            metadata: card::metadata(job, &rules),
            rules,
            adapter,
        })
    }

    /// Returns the bytes of the file.
    pub(super) fn encode(&self, job: &Export<'_>) -> Result<Vec<u8>, ExportError> {
        let (network, stored) = (job.network, job.stored);
        match job.format {
            ExportFormat::Onnx | ExportFormat::Taflzero => {
                let doc = "A policy/value network for Hnefatafl; the metadata says what its numbers mean.";
                let texts = (doc, &self.metadata[..]);
                onnx::write(network, stored, self.adapter.as_ref(), texts)
            }
            ExportFormat::Safetensors => weights::safetensors(network, stored, &self.metadata),
            ExportFormat::Torchscript => torchscript::write(network, stored),
        }
    }

    /// Computes with the weights as they are stored, and compares with the network.
    pub(super) fn check(&self, job: &Export<'_>) -> Result<Checked, ExportError> {
        let positions = self.rules.iter();
        let positions = positions.flat_map(|rules| verify::positions(rules, verify::POSITIONS));
        let games: Vec<Game> = positions.collect();
        let stored = weights::as_stored(job.network, job.stored)?;
        let all = verify::own_planes(&games);
        let mut left_out = None;
        let (found, reference) = if let Some(adapter) = &self.adapter {
            let told = verify::told_planes(&games);
            let theirs = |network, planes: &[f32]| -> Result<Named, ExportError> {
                Ok(adapter.outputs(&verify::outputs(network, planes)?))
            };
            let reference = theirs(job.network, &told)?;
            left_out = Some(verify::compare(&reference, &theirs(job.network, &all)?));
            (theirs(&stored, &told)?, reference)
        } else {
            let found = verify::outputs(&stored, &all)?;
            (found, verify::outputs(job.network, &all)?)
        };
        let differences = verify::compare(&found, &reference);
        let bound = job.stored.bound();
        let furthest = differences
            .iter()
            .max_by(|a, b| a.largest.total_cmp(&b.largest));
        match furthest {
            Some(&Difference { output, largest }) if largest > bound => Err(ExportError::Differs {
                output,
                largest,
                bound,
            }),
            _ => Ok(Checked {
                positions: games.len(),
                found,
                differences,
                left_out,
            }),
        }
    }
}
