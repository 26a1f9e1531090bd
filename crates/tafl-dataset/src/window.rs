//! The replay window: the latest positions, from which training draws.

use crate::{DatasetError, RunManifest, positions_in, read_samples, samples_path};
use half::bf16;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use tafl_rules::Move;
use tafl_samples::Sample;

/// How many of the latest positions are kept, given how many there were so far.
///
/// `minimum * (1 + scale * ((total / minimum)^exponent - 1) / exponent)`, at most `maximum`; all of them
/// up to `minimum` (Wu 2019, "Accelerating Self-Play Learning in Go", appendix C).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowConfig {
    /// Positions below which nothing is dropped (c), at least 1. `KataGo`: 250,000.
    #[schemars(range(min = 1))]
    pub minimum: u64,
    /// How fast the window grows beyond that (beta), 0 to 1; 0 keeps its size fixed. `KataGo`: 0.4.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub scale: f64,
    /// The power of the growth (alpha), above 0, at most 1; 1 is linear. `KataGo`: 0.75.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub exponent: f64,
    /// Positions that are kept at most, a matter of memory: about 400 bytes each; at least `minimum`.
    #[schemars(range(min = 1))]
    pub maximum: u64,
}

/// A number that the window cannot use; names the field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WindowError {
    /// The window would be empty.
    #[error("field `minimum`: 0; a window has at least 1 position")]
    Minimum,
    /// The growth is out of range.
    #[error("field `scale`: {0} is not a number from 0 to 1")]
    Scale(f64),
    /// The power is out of range.
    #[error("field `exponent`: {0} is not a number above 0 and at most 1")]
    Exponent(f64),
    /// The bounds contradict each other.
    #[error("field `maximum`: {maximum} is less than `minimum`, {minimum}")]
    Maximum {
        /// The upper bound.
        maximum: u64,
        /// The lower bound.
        minimum: u64,
    },
}

impl WindowConfig {
    /// Checks the range of every field.
    ///
    /// # Errors
    /// Names the field that is out of range.
    pub fn check(&self) -> Result<(), WindowError> {
        if self.minimum == 0 {
            return Err(WindowError::Minimum);
        }
        if !(0.0..=1.0).contains(&self.scale) {
            return Err(WindowError::Scale(self.scale));
        }
        if !(self.exponent > 0.0 && self.exponent <= 1.0) {
            return Err(WindowError::Exponent(self.exponent));
        }
        if self.maximum < self.minimum {
            let (maximum, minimum) = (self.maximum, self.minimum);
            return Err(WindowError::Maximum { maximum, minimum });
        }
        Ok(())
    }

    /// Returns the size of the window after `total` positions.
    #[must_use]
    pub fn size(&self, total: u64) -> u64 {
        if total <= self.minimum {
            return total;
        }
        let minimum = self.minimum as f64;
        let growth = ((total as f64 / minimum).powf(self.exponent) - 1.0) / self.exponent;
        let size = (minimum * (1.0 + self.scale * growth)) as u64;
        size.min(self.maximum).min(total)
    }
}

/// The latest positions of a run, as compact samples in memory.
#[derive(Debug, Clone)]
pub struct ReplayWindow {
    config: WindowConfig,
    samples: VecDeque<CompactSample>,
    total: u64,
}

/// A sample whose probabilities take two bytes; stored ones have few enough bits for that.
#[derive(Debug, Clone)]
struct CompactSample {
    /// All but the policy.
    rest: Sample,
    policy: Box<[(Move, bf16)]>,
}

impl CompactSample {
    fn new(mut sample: Sample) -> Self {
        let policy = std::mem::take(&mut sample.policy);
        let policy = policy
            .iter()
            .map(|&(mv, p)| (mv, bf16::from_f32(p)))
            .collect();
        Self {
            rest: sample,
            policy,
        }
    }

    fn to_sample(&self) -> Sample {
        let policy = self
            .policy
            .iter()
            .map(|&(mv, p)| (mv, p.to_f32()))
            .collect();
        Sample {
            policy,
            ..self.rest.clone()
        }
    }
}

impl ReplayWindow {
    /// Returns a window that holds nothing.
    #[must_use]
    pub const fn new(config: WindowConfig) -> Self {
        Self {
            config,
            samples: VecDeque::new(),
            total: 0,
        }
    }

    /// Returns the window as it is after the first `generations` generations of a run.
    ///
    /// The same as pushing them one after the other. Files are checked against the manifest.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn load(
        config: WindowConfig,
        run_folder: &Path,
        manifest: &RunManifest,
        generations: u32,
    ) -> Result<Self, DatasetError> {
        let paths: Vec<_> = (0..generations)
            .map(|g| samples_path(run_folder, g))
            .collect();
        Self::of_latest(config, &paths, &|path| manifest.verify(run_folder, path))
    }

    /// Returns the window as it is after some files of samples, the oldest first, such as the shards of many workers.
    ///
    /// The same as pushing them one after the other. [`crate::sample_files`] lists those of a folder.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn of_files(config: WindowConfig, paths: &[PathBuf]) -> Result<Self, DatasetError> {
        Self::of_latest(config, paths, &|_| Ok(()))
    }

    /// Reads those of the files that reach into the window, after `check` has passed them.
    fn of_latest(
        config: WindowConfig,
        paths: &[PathBuf],
        check: &dyn Fn(&Path) -> Result<(), DatasetError>,
    ) -> Result<Self, DatasetError> {
        let counts = paths
            .iter()
            .map(|path| positions_in(path))
            .collect::<Result<Vec<_>, _>>()?;
        let total: u64 = counts.iter().sum();
        let size = config.size(total);
        let mut first = paths.len();
        let mut held = 0;
        while held < size && first > 0 {
            first -= 1;
            held += counts[first];
        }
        let mut window = Self::new(config);
        window.total = counts[..first].iter().sum();
        for path in &paths[first..] {
            check(path)?;
            window.push(read_samples(path)?);
        }
        Ok(window)
    }

    /// Adds the samples of one file, as stored, and drops the oldest beyond the window's size.
    pub fn push(&mut self, samples: Vec<Sample>) {
        self.total += samples.len() as u64;
        self.samples
            .extend(samples.into_iter().map(CompactSample::new));
        let size = usize::try_from(self.config.size(self.total)).unwrap_or(usize::MAX);
        self.samples
            .drain(..self.samples.len().saturating_sub(size));
    }

    /// Returns the number of positions in the window.
    #[must_use]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Returns whether the window holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Returns the number of positions that ever were in the window.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Draws `count` positions; no one comes again before all others have come.
    ///
    /// Equal windows and seeds draw equal indices. An empty window gives none.
    #[must_use]
    pub fn draw(&self, count: usize, seed: u64) -> Vec<WindowIndex> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut drawn = Vec::with_capacity(count);
        let mut pass: Vec<WindowIndex> = (0..self.samples.len()).map(WindowIndex).collect();
        while drawn.len() < count && !pass.is_empty() {
            let (next, _) = pass.partial_shuffle(&mut rng, count - drawn.len());
            drawn.extend_from_slice(next);
        }
        drawn
    }

    /// Returns a drawn position.
    ///
    /// # Panics
    /// If the index was drawn from another window, or before a push.
    #[must_use]
    pub fn sample(&self, index: WindowIndex) -> Sample {
        self.samples[index.0].to_sample()
    }
}

/// The place of a position in a [`ReplayWindow`], until the next push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowIndex(usize);
