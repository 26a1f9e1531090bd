//! Batches as the trainer sees them.

use crate::argument::{SEEDS, existing, number_or, path, truth, wrong};
use crate::threads::{lock, on_all_cores};
use ndarray::Array2;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Mutex;
use tafl_dataset::{ReplayWindow, WindowIndex};
use tafl_play::Repertoire;
use tafl_rules::Symmetry;
use tafl_samples::{Batch, Sample, TargetConfig, derive_seed};
use tafl_training::{RUN_CONFIG, load_for_games, window_of_run};

/// Positions that are read at once, about 20 MB.
const READ_POSITIONS: usize = 1 << 15;

/// The batches of a run's replay window.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Batches(Mutex<Window>);

struct Window {
    window: ReplayWindow,
    rules: Repertoire,
    targets: TargetConfig,
    batch: usize,
    symmetries: bool,
    seed: u64,
    passes_left: u64,
    /// What is still to come of this pass.
    drawn: Vec<WindowIndex>,
    samples: Vec<Sample>,
    /// Samples of those read that were handed out.
    taken: usize,
    made: u64,
}

/// Yields batches of all positions of a run's newest games (the window that its trainer has now), in random order,
/// `epochs` times.
///
/// The value to learn is mixed as the run's config says. The last batch may be smaller.
#[pyfunction]
#[pyo3(
    signature = (run, batch = None, *, symmetries = None, seed = None, epochs = None),
    text_signature = "(run, batch=256, *, symmetries=True, seed=0, epochs=1)"
)]
pub(crate) fn samples(
    py: Python<'_>,
    run: &Bound<'_, PyAny>,
    batch: Option<&Bound<'_, PyAny>>,
    symmetries: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    epochs: Option<&Bound<'_, PyAny>>,
) -> PyResult<Batches> {
    let folder = existing(path(run, "run")?, "run")?;
    let batch = number_or(batch, "batch", 1..=1 << 20, 256)? as usize;
    let symmetries = symmetries.map_or(Ok(true), |value| truth(value, "symmetries"))?;
    let seed = number_or(seed, "seed", SEEDS, 0)?;
    let passes = number_or(epochs, "epochs", 1..=1 << 32, 1)?;
    let opened = py.detach(|| on_all_cores(|| open(&folder)));
    let (window, rules, targets) = opened.map_err(|error| wrong("run", error))?;
    Ok(Batches(Mutex::new(Window {
        window,
        rules,
        targets,
        batch,
        symmetries,
        seed,
        passes_left: passes,
        drawn: Vec::new(),
        samples: Vec::new(),
        taken: 0,
        made: 0,
    })))
}

fn open(folder: &Path) -> Result<(ReplayWindow, Repertoire, TargetConfig), String> {
    let config = folder.join(RUN_CONFIG);
    if !config.is_file() {
        return Err(format!("{} is not the folder of a run", folder.display()));
    }
    let loaded = load_for_games(&config, &[]).map_err(|error| format!("{error:#}"))?;
    let window = window_of_run(folder, &loaded.config);
    let window = window.map_err(|error| format!("{error:#}"))?;
    if window.is_empty() {
        return Err(format!(
            "{} has no positions to learn from",
            folder.display()
        ));
    }
    Ok((window, loaded.rules, loaded.config.targets))
}

impl Window {
    /// Returns the next batch, or nothing after the last one.
    fn next(&mut self) -> Result<Option<Batch>, String> {
        if self.taken == self.samples.len() && !self.read()? {
            return Ok(None);
        }
        let end = self.samples.len().min(self.taken + self.batch);
        let samples: Vec<&Sample> = self.samples[self.taken..end].iter().collect();
        let made = if self.symmetries {
            let seed = derive_seed(self.seed, &[1, self.made]);
            Batch::new(&samples, &self.rules, &self.targets, seed)
        } else {
            let as_they_are = vec![Symmetry::ALL[0]; samples.len()];
            Batch::under(&samples, &self.rules, &self.targets, &as_they_are)
        };
        self.taken = end;
        self.made += 1;
        made.map(Some).map_err(|error| error.to_string())
    }

    /// Reads the positions of the next batches; returns whether there are any.
    fn read(&mut self) -> Result<bool, String> {
        if self.drawn.is_empty() {
            if self.passes_left == 0 {
                return Ok(false);
            }
            let seed = derive_seed(self.seed, &[0, self.passes_left]);
            self.drawn = self.window.draw(self.window.len(), seed);
            self.passes_left -= 1;
        }
        let at_once = self.batch * (READ_POSITIONS / self.batch).max(1);
        let rest = self.drawn.split_off(at_once.min(self.drawn.len()));
        let drawn = std::mem::replace(&mut self.drawn, rest);
        self.samples = self
            .window
            .read(&drawn)
            .map_err(|error| error.to_string())?;
        self.taken = 0;
        Ok(true)
    }
}

#[pymethods]
impl Batches {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut window = lock(&self.0, "iterator")?;
        let window = &mut *window;
        let actions = window.rules[0].shape().policy_len();
        let made = py.detach(|| -> Result<_, String> {
            let batch = on_all_cores(|| window.next())?;
            Ok(batch.map(|batch| {
                let (policy, mask) = dense(&batch, actions);
                (batch, policy, mask)
            }))
        });
        let Some((batch, policy, mask)) = made.map_err(|error| wrong("run", error))? else {
            return Ok(None);
        };
        let planes = batch.planes.into_pyarray(py);
        let arrays = (
            planes.call_method1("transpose", ((0, 3, 1, 2),))?,
            policy.into_pyarray(py),
            batch.wdl.into_pyarray(py),
            mask.into_pyarray(py),
            batch.moves_left.into_pyarray(py),
            batch.moves_left_weight.into_pyarray(py),
        );
        let make = py.import("taflforge._tuples")?.getattr("Samples")?;
        Ok(Some(make.call1(arrays)?))
    }
}

/// Returns policies and legal actions, `[sample, action]`.
fn dense(batch: &Batch, actions: usize) -> (Array2<f32>, Array2<bool>) {
    let shape = (batch.len(), actions);
    let (mut policy, mut mask) = (Array2::zeros(shape), Array2::from_elem(shape, false));
    for sample in 0..batch.len() {
        let (outputs, shares) = batch.policy.of(sample);
        for (output, share) in outputs.iter().zip(shares) {
            policy[[sample, usize::from(*output)]] = *share;
        }
        for output in batch.legal.of(sample) {
            mask[[sample, usize::from(*output)]] = true;
        }
    }
    (policy, mask)
}
