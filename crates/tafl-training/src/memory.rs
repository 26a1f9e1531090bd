//! What a config needs of a machine's memory, estimated before anything is allocated.

use crate::config::RunConfig;
use crate::error::RunError;
use crate::observer::{Notice, Observer};
use std::fmt::{self, Display, Formatter};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};
use tafl_network::{Architecture, Device};
use tafl_play::worker_count;
use tafl_rules::BoardShape;

/// Bytes of a position of a search tree: a node, and an edge for each of the moves.
const TREE_NODE: u64 = 36 + 16 * MOVES;

/// Legal moves of a position in the middle of a game on 11x11, about the most of the presets.
const MOVES: u64 = 110;

/// Bytes of a game in progress besides its tree: its plies so far with their searches.
const GAME: u64 = 40_000;

/// Bytes of an evaluation that is kept.
const CACHED: u64 = 600;

/// What libtorch, the program and a window of samples take in any case.
const BASE: u64 = 500_000_000;

/// Copies of the weights while they are learned: weights, gradients, two moments of Adam, their average.
const LEARNED_COPIES: u64 = 5;

/// Values that each convolution keeps of a sample for its gradient: its result, and those of batch norm and ReLU.
const KEPT_RESULTS: u64 = 3;

/// Bytes that the parts of a run take at most, about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    training: u64,
    evaluation: u64,
    trees: u64,
    cache: u64,
}

impl Memory {
    /// Estimates it for a config.
    pub(crate) fn of(config: &RunConfig, shape: BoardShape, trains: bool) -> Self {
        let network = config.network;
        let weights = 4 * Architecture::new(network, shape).parameter_count();
        let layer = 4 * u64::from(network.channels) * shape.squares() as u64;
        let layers = 2 * u64::from(network.blocks) + 2;
        let batch = u64::from(config.training_loop.batch_size);
        let workers = worker_count(config.runner.workers) as u64;
        let games = u64::from(config.runner.parallel_games);
        // On a GPU weights and activations are in its own memory, of which nothing is known here.
        let on_cpu = u64::from(config.device == Device::Cpu);
        let outputs = 4 * shape.policy_len() as u64;
        Self {
            training: on_cpu
                * u64::from(trains)
                * (LEARNED_COPIES * weights + batch * layers * layer * KEPT_RESULTS),
            // Weights of the checkpoint before, too; a few layers live at a time.
            evaluation: on_cpu * workers * (2 * weights + games * (4 * layer + outputs)),
            trees: workers * games * (u64::from(config.search.visits) * TREE_NODE + GAME),
            cache: workers * u64::from(config.runner.cache_positions) * CACHED,
        }
    }

    const fn sum(self) -> u64 {
        BASE + self.training + self.evaluation + self.trees + self.cache
    }

    /// Refuses a config that needs more than the machine, or its control group, has; tells of one that needs most of it.
    pub(crate) fn check(self, observer: &dyn Observer) -> anyhow::Result<()> {
        let bytes = available();
        let text = format!("{self}; there are {}", gigabytes(bytes));
        if self.sum() > bytes {
            return Err(RunError::Memory(text).into());
        }
        if self.sum() > bytes / 4 * 3 {
            observer.noticed(&Notice::Warning(&text));
        }
        Ok(())
    }
}

impl Display for Memory {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = [
            ("training", self.training),
            ("evaluations", self.evaluation),
            ("search trees and games", self.trees),
            ("cached evaluations", self.cache),
        ];
        let parts = parts.map(|(name, bytes)| format!("{} for {name}", gigabytes(bytes)));
        write!(
            f,
            "this config needs about {}: {}",
            gigabytes(self.sum()),
            parts.join(", ")
        )
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// Returns the memory of the machine or of the process's control group, whichever is less; no limit where neither is known.
fn available() -> u64 {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let Ok(system) = System::new_with_specifics(memory) else {
        return u64::MAX;
    };
    let limits = system.cgroup_limits().map(|limits| limits.total_memory);
    limits.unwrap_or(u64::MAX).min(system.total_memory())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(change: impl FnOnce(&mut RunConfig)) -> Memory {
        let mut config = RunConfig::default();
        config.runner.workers = 2;
        change(&mut config);
        Memory::of(&config, BoardShape::new(11).expect("a size"), true)
    }

    #[test]
    fn large_numbers_are_seen_before_they_are_allocated() {
        let gigabyte = 1_000_000_000;
        assert!(needs(|_| ()).sum() < gigabyte);
        let games = needs(|it| it.runner.parallel_games = 65_536);
        assert!(games.trees > 10 * gigabyte && games.training < gigabyte);
        assert!(needs(|it| it.training_loop.batch_size = 65_536).training > 10 * gigabyte);
        let network = needs(|it| (it.network.blocks, it.network.channels) = (64, 1024));
        assert!(network.training > 20 * gigabyte);
        let on_gpu = needs(|it| {
            it.network.channels = 1024;
            it.device = Device::Cuda(0);
        });
        assert_eq!((on_gpu.training, on_gpu.evaluation), (0, 0));
        let text = games.to_string();
        assert!(text.contains("search trees and games"), "{text}");
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(available() > 1 << 28);
    }
}
