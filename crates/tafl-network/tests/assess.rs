//! What a network says of stored samples is what it says in a search.

use crate::playouts::random_record;
use std::sync::Arc;
use tafl_network::{Assessment, Compute, Device, Inference, NetworkError, assess};
use tafl_rules::{Game, Rules, Side, Symmetry};
use tafl_samples::{Batch, Sample, TargetConfig, samples_of};
use tafl_search::{Evaluation, Evaluator, Leaf};

const TARGETS: TargetConfig = TargetConfig {
    value_lambda: 0.0,
    proven_results: false,
};

/// The samples of a random game, and what the network says in the course of it.
fn game(inference: &mut Inference) -> (Vec<Sample>, Vec<Evaluation>, Arc<Rules>) {
    let rules = Rules::preset("brandubh").unwrap();
    let record = random_record(&rules, 5, 300);
    assert!(!record.ending.is_capped());
    let samples = samples_of(&record, &rules).unwrap();
    let mut game = Game::new(Arc::clone(&rules));
    let (mut moves, mut all, mut one) = (Vec::new(), Vec::new(), Vec::new());
    for ply in &record.plies {
        if ply.search.is_some() {
            game.legal_moves(&mut moves);
            // In the order in which a batch has them.
            moves.sort_by_key(|mv| mv.policy_index(rules.shape()).0);
            let (game, moves) = (&game, &moves[..]);
            inference.evaluate(&[Leaf::new(game, moves)], &mut one);
            all.push(one[0].clone());
        }
        game.play(ply.mv).unwrap();
    }
    (samples, all, rules)
}

#[test]
fn a_batch_is_evaluated_as_in_a_search() {
    let mut inference =
        Inference::new(&crate::common::network(), Device::Cpu, Compute::F32).unwrap();
    let (samples, expected, rules) = game(&mut inference);
    let samples: Vec<&Sample> = samples.iter().collect();
    let symmetries = vec![Symmetry::ALL[0]; samples.len()];
    let rules = [rules, Rules::preset("tablut").unwrap()];
    let batch = Batch::under(&samples, &rules, &TARGETS, &symmetries).unwrap();
    assert_eq!(inference.evaluate_batch(&batch).unwrap(), expected);
    let empty = Batch::under(&[], &rules, &TARGETS, &[]).unwrap();
    assert_eq!(inference.evaluate_batch(&empty).unwrap(), []);
    let other = random_record(&rules[1], 1, 30);
    let other = samples_of(&other, &rules[1]).unwrap();
    let other = Batch::under(&[&other[0]], &rules, &TARGETS, &symmetries[..1]).unwrap();
    assert!(matches!(
        inference.evaluate_batch(&other),
        Err(NetworkError::Batch { .. })
    ));
}

#[test]
fn an_assessment_is_the_mean_over_the_positions_of_a_side() {
    let mut inference =
        Inference::new(&crate::common::network(), Device::Cpu, Compute::F32).unwrap();
    let (samples, evaluations, rules) = game(&mut inference);
    let rules = [rules];
    let roles = assess(&mut inference, &samples, &rules, &TARGETS).unwrap();
    let sides: Vec<Side> = roles.iter().map(|role| role.side).collect();
    assert_eq!(sides, Side::ALL);
    let mut whole = Assessment::default();
    for role in &roles {
        let of_side: Vec<(&Sample, &Evaluation)> = samples
            .iter()
            .zip(&evaluations)
            .filter(|(sample, _)| sample.facts.side == role.side)
            .collect();
        let count = of_side.len() as f64;
        assert_eq!(role.assessment.positions, of_side.len() as u64);
        // Random games are won by one side, so all that counts of the value is that side's chance.
        let chance = |evaluation: &Evaluation, [win, draw, loss]: [f32; 3]| {
            let wdl = evaluation.wdl;
            wdl.win * win + wdl.draw * draw + wdl.loss * loss
        };
        let value_loss: f64 = of_side
            .iter()
            .map(|(sample, evaluation)| {
                let target = TARGETS.wdl(sample, &rules[0]);
                -f64::from(chance(evaluation, target)).ln()
            })
            .sum();
        assert!((role.assessment.value_loss() - value_loss / count).abs() < 1e-4);
        let agreed = of_side.iter().filter(|(sample, evaluation)| {
            let likeliest = sample
                .search
                .policy
                .iter()
                .map(|(_, p)| *p)
                .fold(0.0, f32::max);
            let highest = evaluation.logits.iter().copied().fold(f32::MIN, f32::max);
            let shape = rules[0].shape();
            let mut legal = Vec::new();
            let position = sample.facts.position(&rules[0]).unwrap();
            rules[0].legal_moves(&position, &mut legal);
            legal.sort_by_key(|mv| mv.policy_index(shape).0);
            let place = evaluation.logits.iter().position(|&logit| logit == highest);
            let best = legal[place.unwrap()];
            sample.search.policy.contains(&(best, likeliest))
        });
        let accuracy = agreed.count() as f64 / count;
        assert!((role.assessment.policy_accuracy() - accuracy).abs() < 1e-9);
        assert!(role.assessment.policy_loss() > 1.0, "an untrained network");
        let binned: u64 = role
            .assessment
            .calibration
            .iter()
            .map(|bin| bin.positions)
            .sum();
        assert_eq!(binned, role.assessment.positions);
        whole.add(&role.assessment);
    }
    assert_eq!(whole.positions, samples.len() as u64);
}
