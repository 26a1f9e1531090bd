//! The heads, the auxiliary one among them, while they learn.

use crate::common::{batch, config, every_option, network_with, provenance};
use tafl_network::{
    Auxiliary, Compute, Device, Losses, Network, NetworkError, Trainer, TrainerConfig,
    load_network, load_trainer, save_checkpoint,
};
use tafl_samples::{Batch, SIDE_PLANE};

const ALL: Auxiliary = Auxiliary { reply: true };

fn trainer(network: &Network, config: TrainerConfig, compute: Compute) -> Trainer {
    Trainer::new(network, config, Device::Cpu, compute).unwrap()
}

#[test]
fn every_head_learns_a_small_batch_by_heart() {
    let batch = batch(24, 1);
    let network = network_with(ALL);
    let mut trainer = trainer(&network, every_option(), Compute::F32);
    let first = trainer.step(&batch, 0.01).unwrap();
    // Untrained, every move is as likely as the others.
    assert!(
        (first.reply - (49.0 * 24.0_f64).ln()).abs() < 0.2,
        "{first:?}"
    );
    let mut last = first;
    (0..150).for_each(|_| last = trainer.step(&batch, 0.01).unwrap());
    assert!(last.policy < 0.3 && last.value < 0.15, "{last:?}");
    assert!(last.reply < 0.3 * first.reply, "{last:?}");
}

#[test]
fn the_total_is_the_weighted_sum_of_all_losses() {
    let config = every_option();
    let mut trainer = trainer(&network_with(ALL), config, Compute::F32);
    let losses = trainer.step(&batch(16, 2), 0.01).unwrap();
    let sum = losses.policy
        + losses.value
        + 0.05 * losses.moves_left
        + config.reply_weight * losses.reply;
    assert!((losses.total - sum).abs() < 1e-9, "{losses:?}");
    assert!(losses.reply > 0.0, "{losses:?}");
}

/// Losses of each role are those of a batch of that role alone, and the whole is their weighted mean.
#[test]
fn losses_by_role_are_means_over_the_roles_samples() {
    let mut batch = batch(32, 3);
    let of_attackers = |batch: &Batch, i: usize| batch.planes[[i, 0, 0, SIDE_PLANE]] > 0.5;
    let attackers = (0..32).filter(|&i| of_attackers(&batch, i)).count() as f64;
    let config = TrainerConfig {
        shards: 1,
        ..config()
    };
    let network = network_with(Auxiliary::default());
    let step = |batch: &Batch| -> Losses {
        let mut trainer = trainer(&network, config, Compute::F32);
        trainer.step(batch, 0.01).unwrap()
    };
    let both = step(&batch);
    let whole = |a: f64, b: f64| (attackers * a + (32.0 - attackers) * b) / 32.0;
    for (whole, found) in [
        (
            whole(both.policy_attackers, both.policy_defenders),
            both.policy,
        ),
        (
            whole(both.value_attackers, both.value_defenders),
            both.value,
        ),
        (
            whole(
                both.policy_accuracy_attackers,
                both.policy_accuracy_defenders,
            ),
            both.policy_accuracy,
        ),
    ] {
        assert!((whole - found).abs() < 1e-6, "{both:?}");
    }
    for i in 0..32 {
        batch.weight[i] = if of_attackers(&batch, i) { 1.0 } else { 0.0 };
    }
    let alone = step(&batch);
    assert!((alone.policy - both.policy_attackers).abs() < 1e-6);
    assert!((alone.value - both.value_attackers).abs() < 1e-6);
    assert_eq!((alone.policy_defenders, alone.value_defenders), (0.0, 0.0));
}

#[test]
fn a_target_without_weight_teaches_its_head_nothing() {
    let mut unknown = batch(16, 5);
    unknown.reply_weight.fill(0.0);
    let config = TrainerConfig {
        average_decay: 0.0,
        ..every_option()
    };
    let before = network_with(ALL);
    let mut trainer = trainer(&before, config, Compute::F32);
    let losses = trainer.step(&unknown, 0.01).unwrap();
    assert_eq!(losses.reply, 0.0);
    let after = trainer.network().unwrap();
    // Weights decay in any case.
    for (name, left) in [
        ("reply.conv.weight", 1.0 - 0.01 * 0.01),
        ("reply.conv.bias", 1.0),
    ] {
        let pairs = before.weights()[name].iter().zip(&after.weights()[name]);
        let mut off = pairs.map(|(before, after)| (before * left - after).abs());
        assert!(off.all(|off| off < 1e-6), "{name}");
    }
    assert!(before.weights()["stem.conv.weight"] != after.weights()["stem.conv.weight"]);
}

/// Weights of an untrained network without the auxiliary head are those of one with it.
#[test]
fn the_auxiliary_head_leaves_the_others_as_they_start() {
    let (with, without) = (network_with(ALL), network_with(Auxiliary::default()));
    assert_eq!(with.weights().len(), without.weights().len() + 2);
    for (name, numbers) in without.weights() {
        assert_eq!(*numbers, with.weights()[name], "{name}");
    }
}

#[test]
fn a_weighted_head_that_is_not_there_is_named() {
    let network = network_with(Auxiliary::default());
    let error = Trainer::new(&network, every_option(), Device::Cpu, Compute::F32).unwrap_err();
    assert_eq!(error, NetworkError::MissingHead);
    assert!(
        error.to_string().starts_with("field `reply_weight`"),
        "{error}"
    );
}

#[test]
fn training_goes_on_bit_for_bit_with_every_option_on() {
    for compute in [Compute::F32, Compute::Bf16] {
        let config = every_option();
        let network = network_with(ALL);
        let mut whole = trainer(&network, config, compute);
        (0..6).for_each(|step| _ = whole.step(&batch(24, step), 0.003).unwrap());
        let mut half = trainer(&network, config, compute);
        (0..3).for_each(|step| _ = half.step(&batch(24, step), 0.003).unwrap());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("3");
        save_checkpoint(&path, &half, provenance()).unwrap();
        drop(half);
        let (mut half, card) = load_trainer(&path, config, Device::Cpu, compute).unwrap();
        assert_eq!(card.architecture, *network.architecture());
        assert!(load_network(&path).unwrap().0 == half.network().unwrap());
        (3..6).for_each(|step| _ = half.step(&batch(24, step), 0.003).unwrap());
        let folders = ["whole", "half"].map(|name| dir.path().join(name));
        for (trainer, folder) in [&whole, &half].into_iter().zip(&folders) {
            save_checkpoint(folder, trainer, provenance()).unwrap();
        }
        for file in ["weights.safetensors", "optimizer.safetensors"] {
            let read = |i: usize| std::fs::read(folders[i].join(file)).unwrap();
            assert!(read(0) == read(1), "{file} {compute}");
        }
    }
}

/// On a task that can be learned, bf16 comes as far as f32, and is not f32 in disguise.
#[test]
fn bf16_learns_as_f32_does() {
    let network = network_with(ALL);
    let learned = |compute| {
        let mut trainer = trainer(&network, every_option(), compute);
        let steps = (0..60).map(|step| trainer.step(&batch(24, step % 2), 0.01).unwrap());
        steps.collect::<Vec<Losses>>()
    };
    let (f32, bf16) = (learned(Compute::F32), learned(Compute::Bf16));
    let (first, last) = (&f32[0], &f32[59]);
    assert!(last.total < 0.5 * first.total, "{first:?} {last:?}");
    assert!(f32[0].total != bf16[0].total, "rounding is seen at once");
    for step in [0, 1, 2] {
        assert!((f32[step].total - bf16[step].total).abs() < 0.05);
    }
    let bf16 = Losses::mean(&bf16[50..]);
    let f32 = Losses::mean(&f32[50..]);
    let bound = 0.1 * first.total;
    assert!((f32.total - bf16.total).abs() < bound, "{f32:?} {bf16:?}");
    assert!((f32.policy - bf16.policy).abs() < 0.3 && (f32.value - bf16.value).abs() < 0.2);
}
