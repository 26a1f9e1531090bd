//! What training steps do.

use crate::common::{batch, config, network, provenance};
use ndarray::Array4;
use tafl_network::{
    Compute, Device, Network, NetworkError, Trainer, TrainerConfig, load_network, load_trainer,
    save_checkpoint,
};
use tafl_samples::{Batch, PLANES};

fn trainer(config: TrainerConfig) -> Trainer {
    Trainer::new(&network(), config, Device::Cpu, Compute::F32).unwrap()
}

fn trained(config: TrainerConfig, steps: u64) -> Network {
    let mut trainer = trainer(config);
    (0..steps).for_each(|step| _ = trainer.step(&batch(24, step), 0.003).unwrap());
    trainer.network().unwrap()
}

#[test]
fn a_small_batch_is_learned_by_heart() {
    let batch = batch(32, 1);
    let mut trainer = trainer(TrainerConfig {
        shards: 2,
        ..config()
    });
    let first = trainer.step(&batch, 0.01).unwrap();
    // The untrained network is nearly indifferent between moves and between results.
    let legal = |i: usize| batch.legal.of(i).len() as f64;
    let indifferent = (0..32).map(|i| legal(i).ln()).sum::<f64>() / 32.0;
    assert!(
        (first.policy - indifferent).abs() < 0.3,
        "{first:?}, {indifferent}"
    );
    assert!((first.value - 3_f64.ln()).abs() < 0.3, "{first:?}");
    let mut last = first;
    (0..80).for_each(|_| last = trainer.step(&batch, 0.01).unwrap());
    assert!(
        last.policy < 0.3 && last.value < 0.15 && last.policy_accuracy > 0.95,
        "{last:?}"
    );
    assert!(
        last.moves_left < 0.2 * first.moves_left,
        "{first:?} {last:?}"
    );
    let by_side = [last.value_attackers, last.value_defenders];
    assert!(
        by_side.iter().all(|&loss| loss > 0.0 && loss < 0.3),
        "{last:?}"
    );
}

#[test]
fn weights_do_not_depend_on_the_number_of_threads() {
    let one = trained(
        TrainerConfig {
            threads: 1,
            ..config()
        },
        3,
    );
    for threads in [2, 3, 4, 9] {
        assert!(
            trained(
                TrainerConfig {
                    threads,
                    ..config()
                },
                3
            ) == one,
            "{threads} threads"
        );
    }
    let other_shards = trained(
        TrainerConfig {
            shards: 3,
            ..config()
        },
        3,
    );
    assert!(other_shards != one, "batch norms see a shard each");
}

#[test]
fn training_goes_on_from_a_checkpoint_as_if_it_had_never_stopped() {
    let uninterrupted = trained(config(), 6);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("3");
    let mut trainer = trainer(config());
    (0..3).for_each(|step| _ = trainer.step(&batch(24, step), 0.003).unwrap());
    save_checkpoint(&path, &trainer, provenance()).unwrap();
    drop(trainer);
    let (mut trainer, card) = load_trainer(&path, config(), Device::Cpu, Compute::F32).unwrap();
    assert_eq!((trainer.steps(), card.steps), (3, 3));
    (3..6).for_each(|step| _ = trainer.step(&batch(24, step), 0.003).unwrap());
    assert!(trainer.network().unwrap() == uninterrupted);
}

#[test]
fn the_average_lies_between_the_start_and_the_latest_weights() {
    let slow = trained(
        TrainerConfig {
            average_decay: 0.9,
            ..config()
        },
        4,
    );
    let latest = trained(
        TrainerConfig {
            average_decay: 0.0,
            ..config()
        },
        4,
    );
    let distance = |a: &Network, b: &Network| -> f64 {
        let pairs = a
            .weights()
            .values()
            .flatten()
            .zip(b.weights().values().flatten());
        pairs
            .map(|(a, b)| f64::from(a - b).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    assert!(distance(&slow, &latest) > 0.0);
    assert!(distance(&slow, &network()) < distance(&latest, &network()));
}

#[test]
fn weights_decay_and_biases_do_not() {
    // Where no sample has a weight, decay alone changes the network.
    let still = TrainerConfig {
        average_decay: 0.0,
        ..config()
    };
    let mut trainer = trainer(still);
    trainer.step(&ignored(8), 0.01).unwrap();
    let (before, after) = (network(), trainer.network().unwrap());
    // Muon, which learns 3x3 convolutions, has 12 times the rate and 10 times the decay.
    for (name, left) in [("stem.conv.weight", 0.988), ("value.hidden.weight", 0.9999)] {
        let (before, after) = (&before.weights()[name], &after.weights()[name]);
        assert!(
            before
                .iter()
                .zip(after)
                .all(|(b, a)| (b * left - a).abs() < 1e-6),
            "{name}"
        );
    }
    for name in ["stem.norm.weight", "policy.conv.bias", "value.output.bias"] {
        assert_eq!(before.weights()[name], after.weights()[name], "{name}");
    }
}

#[test]
fn samples_without_weight_teach_nothing() {
    let mut trainer = trainer(config());
    let losses = trainer.step(&ignored(12), 0.01).unwrap();
    assert_eq!((losses.total, losses.gradient_norm), (0.0, 0.0));
}

/// Samples that do not count.
fn ignored(len: usize) -> Batch {
    let mut batch = batch(len, 1);
    batch.weight.fill(0.0);
    batch.moves_left_weight.fill(0.0);
    batch
}

#[test]
fn a_loss_that_is_no_number_leaves_the_weights_alone() {
    let mut trainer = trainer(config());
    type Break = fn(&mut Batch);
    let breaks: [(Break, _); 3] = [
        (|it| it.planes[[0, 0, 0, 0]] = f32::NAN, "the policy loss"),
        (|it| it.wdl[[0, 0]] = f32::INFINITY, "the value loss"),
        (
            |it| it.moves_left[0] = f32::NAN,
            "the loss of the moves left",
        ),
    ];
    for (change, part) in breaks {
        let mut broken = batch(8, 1);
        change(&mut broken);
        let error = trainer.step(&broken, 0.01).unwrap_err();
        assert_eq!(error, NetworkError::NotFinite { step: 0, part });
    }
    assert!(trainer.network().unwrap() == network());
    assert_eq!(trainer.steps(), 0);
}

#[test]
fn batches_of_another_board_and_empty_batches_are_refused() {
    let mut trainer = trainer(config());
    let mut other = batch(8, 1);
    other.planes = Array4::zeros((8, 9, 9, PLANES));
    for (batch, len) in [(other, 8), (batch(0, 1), 0)] {
        let error = trainer.step(&batch, 0.01).unwrap_err();
        assert!(
            matches!(error, NetworkError::Batch { len: found, expected: 49, .. } if found == len)
        );
    }
}

#[test]
fn training_in_bf16_follows_training_in_f32() {
    let mut bf16 = Trainer::new(&network(), config(), Device::Cpu, Compute::Bf16).unwrap();
    let mut f32 = trainer(config());
    for step in 0..3 {
        let batch = batch(24, step);
        let (a, b) = (
            bf16.step(&batch, 0.003).unwrap(),
            f32.step(&batch, 0.003).unwrap(),
        );
        assert!((a.total - b.total).abs() < 0.05, "{a:?} {b:?}");
    }
}

#[test]
fn statistics_of_averaged_weights_are_those_of_the_batches() {
    let mut trainer = trainer(config());
    (0..20).for_each(|step| _ = trainer.step(&batch(24, step), 0.01).unwrap());
    let before = trainer.network().unwrap();
    let batches = [batch(64, 100), batch(64, 101)];
    trainer.prepare_to_play(&batches).unwrap();
    let after = trainer.network().unwrap();
    let is_statistic = |name: &str| name.contains("running");
    let mut changed = 0;
    for (name, numbers) in before.weights() {
        let same = *numbers == after.weights()[name];
        assert!(same || is_statistic(name), "{name}");
        changed += usize::from(!same);
    }
    assert!(changed > 0);
    // Nothing is left of what was there: estimating them once more gives the same.
    trainer.prepare_to_play(&batches).unwrap();
    assert_eq!(trainer.network().unwrap(), after);
    // And they do not depend on the order of the batches, but for rounding.
    let [one, other] = batches;
    trainer.prepare_to_play(&[other, one]).unwrap();
    let turned = trainer.network().unwrap();
    for (name, numbers) in after.weights() {
        for (a, b) in numbers.iter().zip(&turned.weights()[name]) {
            assert!((a - b).abs() <= 1e-4 * (1.0 + a.abs()), "{name}: {a} {b}");
        }
    }
}

#[test]
fn a_checkpoint_keeps_how_large_its_activations_become() {
    let folder = tempfile::tempdir().unwrap();
    let saved = |trainer: &Trainer, name: &str| {
        let path = folder.path().join(name);
        let card = save_checkpoint(&path, trainer, crate::common::provenance()).unwrap();
        (card.activation_ranges, load_network(&path).unwrap().0)
    };
    let mut trainer = trainer(config());
    trainer.step(&batch(24, 1), 0.01).unwrap();
    let (ranges, network) = saved(&trainer, "1");
    assert_eq!(ranges, None);
    assert_eq!(network, trainer.network().unwrap());
    trainer
        .prepare_to_play(&[batch(64, 100), batch(64, 101)])
        .unwrap();
    let (ranges, network) = saved(&trainer, "2");
    let ranges = ranges.unwrap();
    assert!(ranges.len() == 3 && ranges.iter().all(|range| *range > 0.0));
    assert_eq!(network, trainer.network().unwrap());
    // Other weights have other ranges.
    trainer.step(&batch(24, 2), 0.01).unwrap();
    assert_eq!(saved(&trainer, "3").0, None);
}
