//! The next batch is made while the trainer computes.

use std::sync::mpsc::sync_channel;
use tafl_samples::Batch;

/// Batches that wait for the trainer: one is being learned from, one waits, one is in the making.
const WAITING: usize = 1;

/// Calls `learn` with the batches that `make` gives for 0 to `count`, in order; a thread of their own makes them.
///
/// The batches, and so what is learned, do not depend on which of the two is faster.
///
/// # Errors
/// The first error of either.
pub(crate) fn feed(
    count: usize,
    make: impl Fn(usize) -> anyhow::Result<Batch> + Sync,
    mut learn: impl FnMut(Batch) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING);
        let make = &make;
        scope.spawn(move || {
            for index in 0..count {
                let batch = make(index);
                let failed = batch.is_err();
                // A trainer that gave up no longer listens.
                if sender.send(batch).is_err() || failed {
                    return;
                }
            }
        });
        receiver.iter().try_for_each(|batch| learn(batch?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{anyhow, ensure};
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
        let mut seen = Vec::new();
        let learn = |batch: Batch| {
            seen.push(batch.squares);
            Ok(())
        };
        feed(20, |index| Ok(batch(index)), learn).unwrap();
        assert_eq!(seen, (0..20).collect::<Vec<_>>());
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
        let error = feed(1_000_000, make, learn).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), learned),
            ("batch 3 cannot be made", 3)
        );
        let learn = |batch: Batch| match batch.squares {
            5 => Err(anyhow!("step 5 fails")),
            _ => Ok(()),
        };
        let error = feed(usize::MAX, |index| Ok(batch(index)), learn).unwrap_err();
        assert_eq!(error.to_string(), "step 5 fails");
    }
}
