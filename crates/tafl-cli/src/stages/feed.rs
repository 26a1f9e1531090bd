//! The next batches are made while the trainer computes.

use anyhow::anyhow;
use std::sync::mpsc::sync_channel;
use tafl_network::Device;
use tafl_samples::Batch;

/// Batches that wait for the trainer, for each thread that makes them.
const WAITING: usize = 1;

/// Threads that make batches for a GPU, at most; there, one core may be too slow.
const MOST_MAKERS: usize = 8;

/// Returns how many threads make the batches: one where the trainer computes on the cores itself.
pub(crate) fn makers(device: Device) -> usize {
    match device {
        Device::Cpu => 1,
        Device::Cuda(_) => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            cores.saturating_sub(1).clamp(1, MOST_MAKERS)
        }
    }
}

/// Calls `learn` with the batches that `make` gives for 0 to `count`, in order; so many `makers`, threads of their own,
/// make them.
///
/// The batches, and so what is learned, do not depend on who is faster, nor on how many makers there are.
///
/// # Errors
/// The first error of a maker, in the order of the batches, or of `learn`.
pub(crate) fn feed(
    (count, makers): (usize, usize),
    make: impl Fn(usize) -> anyhow::Result<Batch> + Sync,
    mut learn: impl FnMut(Batch) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let make = &make;
        let mut receivers = Vec::with_capacity(makers);
        for maker in 0..makers {
            let (sender, receiver) = sync_channel(WAITING);
            receivers.push(receiver);
            scope.spawn(move || {
                for index in (maker..count).step_by(makers) {
                    let batch = make(index);
                    let failed = batch.is_err();
                    // A trainer that gave up no longer listens.
                    if sender.send(batch).is_err() || failed {
                        return;
                    }
                }
            });
        }
        // The receivers must go before the makers are waited for.
        let receivers = receivers;
        (0..count).try_for_each(|index| {
            let batch = receivers[index % makers].recv();
            learn(batch.map_err(|_| anyhow!("a thread that makes batches died"))??)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::ensure;
    use tafl_rules::Rules;
    use tafl_samples::{CappedValue, TargetConfig};

    /// A batch without samples, told from the others by its squares.
    fn batch(index: usize) -> Batch {
        let targets = TargetConfig {
            value_lambda: 0.0,
            capped_value: CappedValue::Draw,
        };
        let rules = Rules::preset("brandubh").unwrap();
        let mut batch = Batch::new(&[], &[rules], &targets, 1).unwrap();
        batch.squares = index;
        batch
    }

    #[test]
    fn batches_come_in_order() {
        for makers in [1, 2, 3, 30] {
            let mut seen = Vec::new();
            let learn = |batch: Batch| {
                seen.push(batch.squares);
                Ok(())
            };
            feed((20, makers), |index| Ok(batch(index)), learn).unwrap();
            assert_eq!(seen, (0..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_of_either_side_ends_both() {
        let mut learned = 0;
        let make = |index| {
            ensure!(index < 3, "batch {index} cannot be made");
            Ok(batch(index))
        };
        let learn = |_| {
            learned += 1;
            Ok(())
        };
        let error = feed((1_000_000, 2), make, learn).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), learned),
            ("batch 3 cannot be made", 3)
        );
        let learn = |batch: Batch| match batch.squares {
            5 => Err(anyhow!("step 5 fails")),
            _ => Ok(()),
        };
        let error = feed((usize::MAX, 2), |index| Ok(batch(index)), learn).unwrap_err();
        assert_eq!(error.to_string(), "step 5 fails");
    }
}
