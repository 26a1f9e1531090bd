//! Writing a file, reading it back, and comparing what it computes.

use super::interpret::{Array, Data, Program};
use super::{
    Difference, Export, ExportError, ExportFormat, Named, card, eager, io_error, onnx, taflzero,
    torchscript, verify,
};
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{Game, Rules};

/// What is the same for writing a file and for checking it.
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
    /// What the file computed.
    pub(super) found: Named,
    pub(super) differences: Vec<Difference>,
    /// How far libtorch itself is from itself where planes are left out.
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

    pub(super) fn write(&self, job: &Export<'_>, path: &Path) -> Result<(), ExportError> {
        let (network, stored) = (job.network, job.stored);
        let bytes = match job.format {
            ExportFormat::Onnx | ExportFormat::Taflzero => {
                let doc = "A policy/value network for Hnefatafl; the metadata says what its numbers mean.";
                let texts = (doc, &self.metadata[..]);
                onnx::write(network, stored, self.adapter.as_ref(), texts)?
            }
            ExportFormat::Safetensors => eager::safetensors(network, stored, &self.metadata)?,
            ExportFormat::Torchscript => torchscript::write(network, stored)?,
        };
        super::write_synced(path, &bytes).map_err(io_error(path))
    }

    /// Reads the file back, executes it and compares.
    pub(super) fn check(
        &self,
        job: &Export<'_>,
        path: &Path,
        name: &Path,
    ) -> Result<Checked, ExportError> {
        let positions = self.rules.iter();
        let positions = positions.flat_map(|rules| verify::positions(rules, verify::POSITIONS));
        let games: Vec<Game> = positions.collect();
        let planes = verify::own_planes(&games);
        let mut reference = eager::reference(job.network, &planes)?;
        let mut left_out = None;
        let broken = |reason| ExportError::Broken {
            path: name.to_path_buf(),
            reason,
        };
        if let Some(adapter) = &self.adapter {
            let whole = adapter.outputs(&reference);
            let told = eager::reference(job.network, &verify::told_planes(&games))?;
            reference = adapter.outputs(&told);
            left_out = Some(verify::compare(&reference, &whole).map_err(broken)?);
        }
        let found = self.execute(job, path, (&games, &planes)).map_err(broken)?;
        let differences = verify::compare(&found, &reference).map_err(broken)?;
        let bound = job.stored.bound();
        let furthest = differences
            .iter()
            .max_by(|a, b| a.largest.total_cmp(&b.largest));
        match furthest {
            Some(&Difference { output, largest }) if largest > bound => Err(ExportError::Differs {
                path: name.to_path_buf(),
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

    fn execute(
        &self,
        job: &Export<'_>,
        path: &Path,
        (games, planes): (&[Game], &[f32]),
    ) -> Result<Named, String> {
        let network = job.network;
        if job.format == ExportFormat::Torchscript {
            return eager::run_torchscript(path, network, planes);
        }
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        if job.format == ExportFormat::Safetensors {
            return eager::run_safetensors(&bytes, network, job.stored, planes);
        }
        let size = network.architecture().size();
        let (channels, planes) = match self.adapter {
            None => (tafl_samples::PLANES, planes.to_vec()),
            Some(_) => {
                let mut theirs = Vec::new();
                for game in games {
                    taflzero::write_planes(game, &mut theirs);
                }
                (taflzero::PLANES, theirs)
            }
        };
        let input = Array::f32(vec![games.len(), channels, size, size], planes);
        let mut outputs = Program::read(&bytes)?.run(input)?;
        let names = if self.adapter.is_some() {
            taflzero::OUTPUTS
        } else {
            onnx::OUTPUTS
        };
        let mut named = Named::new();
        for name in names {
            match outputs.remove(name).map(|array| array.data) {
                Some(Data::F32(values)) => named.insert(name, values),
                _ => return Err(format!("no output {name}")),
            };
        }
        Ok(named)
    }
}
