//! How well a network predicts samples that it has not learned from.

use crate::{Inference, NetworkError};
use std::iter::Sum;
use std::sync::Arc;
use tafl_rules::{Rules, Side, Symmetry};
use tafl_samples::{Batch, Sample, TargetConfig};
use tafl_search::Evaluation;

/// Samples that are evaluated at once.
const BATCH: usize = 256;

/// Parts of the range of scores, 0 to 1, in which predictions are compared with results.
const CALIBRATION_BINS: usize = 10;

/// How well a network predicts some positions. All values are those of the side to move.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assessment {
    /// Positions, those that nothing is learned from left out.
    pub positions: u64,
    policy_loss: f64,
    policy_hits: u64,
    value_loss: f64,
    /// By rising predicted score.
    pub calibration: [CalibrationBin; CALIBRATION_BINS],
}

/// Positions whose predicted scores are in one tenth of the range; a score is win plus half of draw.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CalibrationBin {
    /// Positions; the result of a game that was cut is what [`TargetConfig::result`] makes of it.
    pub positions: u64,
    predicted: f64,
    result: f64,
}

/// The positions of one ruleset with one side to move.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleAssessment {
    /// The name of the ruleset.
    pub ruleset: Arc<str>,
    /// The side to move.
    pub side: Side,
    /// How well they are predicted.
    pub assessment: Assessment,
}

/// Evaluates samples and compares with what was found and what became of their games.
///
/// Returns one entry for each ruleset and side that comes, in the order of `rules`, the attackers first.
///
/// # Errors
/// If a sample is not a position of the rules, or libtorch fails.
pub fn assess(
    inference: &mut Inference,
    samples: &[Sample],
    rules: &[Arc<Rules>],
    targets: &TargetConfig,
) -> Result<Vec<RoleAssessment>, NetworkError> {
    let mut roles: Vec<RoleAssessment> = rules
        .iter()
        .flat_map(|rules| {
            Side::ALL.map(|side| RoleAssessment {
                ruleset: rules.ruleset().name.as_str().into(),
                side,
                assessment: Assessment::default(),
            })
        })
        .collect();
    for samples in samples.chunks(BATCH) {
        let samples: Vec<&Sample> = samples.iter().collect();
        let as_they_stand = vec![Symmetry::ALL[0]; samples.len()];
        let batch = Batch::under(&samples, rules, targets, &as_they_stand)?;
        let evaluations = inference.evaluate_batch(&batch)?;
        for (index, (sample, evaluation)) in samples.iter().zip(&evaluations).enumerate() {
            let mut known = rules.iter();
            if let Some(place) = known.position(|it| *it.ruleset().name == *sample.ruleset) {
                let result = targets.result(sample, &rules[place]);
                let role = &mut roles[2 * place + sample.facts.side.index()];
                role.assessment.count((&batch, index), evaluation, result);
            }
        }
    }
    roles.retain(|role| role.assessment.positions > 0);
    Ok(roles)
}

impl Assessment {
    /// Counts a position of a batch; `result` is what its game came to.
    fn count(
        &mut self,
        (batch, index): (&Batch, usize),
        evaluation: &Evaluation,
        result: [f32; 3],
    ) {
        let legal = batch.legal.of(index);
        let legal = legal.as_slice().expect("a row lies in memory order");
        let (moves, probabilities) = batch.policy.of(index);
        let logits: Vec<f64> = evaluation.logits.iter().map(|&x| f64::from(x)).collect();
        let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let log_sum = logits.iter().map(|x| (x - highest).exp()).sum::<f64>().ln() + highest;
        self.positions += 1;
        for (mv, &probability) in moves.iter().zip(&probabilities) {
            // A batch has checked that the targets are legal.
            if let Ok(place) = legal.binary_search(mv) {
                self.policy_loss += f64::from(probability) * (log_sum - logits[place]);
            }
        }
        let expected = best(probabilities.iter()).map(|place| moves[place]);
        let found = best(evaluation.logits.iter()).map(|place| legal[place]);
        self.policy_hits += u64::from(found == expected);
        let wdl = &evaluation.wdl;
        let targets = batch.wdl.row(index);
        for (target, predicted) in targets.iter().zip([wdl.win, wdl.draw, wdl.loss]) {
            let predicted = f64::from(predicted.max(f32::MIN_POSITIVE));
            self.value_loss -= f64::from(*target) * predicted.ln();
        }
        let [win, draw, _] = result;
        let score = |win: f32, draw: f32| f64::from(win) + f64::from(draw) / 2.0;
        self.calibrate(score(wdl.win, wdl.draw), score(win, draw));
    }

    /// Counts a predicted score and the score that came of it, both 0 to 1.
    fn calibrate(&mut self, predicted: f64, result: f64) {
        let bin = ((predicted * CALIBRATION_BINS as f64) as usize).min(CALIBRATION_BINS - 1);
        let bin = &mut self.calibration[bin];
        bin.positions += 1;
        bin.predicted += predicted;
        bin.result += result;
    }

    /// Adds other positions.
    pub fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.policy_loss += other.policy_loss;
        self.policy_hits += other.policy_hits;
        self.value_loss += other.value_loss;
        for (bin, other) in self.calibration.iter_mut().zip(&other.calibration) {
            bin.positions += other.positions;
            bin.predicted += other.predicted;
            bin.result += other.result;
        }
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.positions.max(1) as f64
    }

    /// Returns the cross-entropy of the policy over legal moves, in nats; 0 without positions.
    pub fn policy_loss(&self) -> f64 {
        self.mean(self.policy_loss)
    }

    /// Returns the share of positions whose likeliest move is the target's.
    pub fn policy_accuracy(&self) -> f64 {
        self.mean(self.policy_hits as f64)
    }

    /// Returns the cross-entropy of win, draw and loss, in nats; 0 without positions.
    pub fn value_loss(&self) -> f64 {
        self.mean(self.value_loss)
    }

    /// Returns the expected calibration error: how far predicted scores are from the results, 0 to 1.
    ///
    /// The mean over the bins of |mean prediction - mean result|, each bin weighted by its positions (Naeini et al.
    /// 2015, "Obtaining Well Calibrated Probabilities Using Bayesian Binning"; Guo et al. 2017, equation 3).
    pub fn calibration_error(&self) -> f64 {
        let off = |bin: &CalibrationBin| (bin.predicted - bin.result).abs();
        let positions: u64 = self.calibration.iter().map(|bin| bin.positions).sum();
        self.calibration.iter().map(off).sum::<f64>() / positions.max(1) as f64
    }
}

impl<'a> Sum<&'a RoleAssessment> for Assessment {
    fn sum<I: Iterator<Item = &'a RoleAssessment>>(roles: I) -> Self {
        let mut all = Self::default();
        roles.for_each(|role| all.add(&role.assessment));
        all
    }
}

impl CalibrationBin {
    /// Returns the mean of the predicted scores; 0 without positions.
    pub fn predicted(&self) -> f64 {
        self.predicted / self.positions.max(1) as f64
    }

    /// Returns the mean score that came of them; 0 without positions.
    pub fn result(&self) -> f64 {
        self.result / self.positions.max(1) as f64
    }
}

/// Returns the place of the greatest number, the first among equals.
fn best<'a>(numbers: impl Iterator<Item = &'a f32>) -> Option<usize> {
    let numbered = numbers.enumerate();
    let best = numbered.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_error_is_the_one_worked_out_by_hand() {
        let mut assessment = Assessment::default();
        assert_eq!(assessment.calibration_error(), 0.0);
        // Two of four at 0.8 are won, the one at 0.1 is drawn, the one at 1 is won.
        for result in [1.0, 1.0, 0.0, 0.0] {
            assessment.calibrate(0.8, result);
        }
        assessment.calibrate(0.1, 0.5);
        assessment.calibrate(1.0, 1.0);
        // (4 |0.8 - 0.5| + |0.1 - 0.5| + |1 - 1|) / 6
        assert!((assessment.calibration_error() - 1.6 / 6.0).abs() < 1e-9);
        let bin = assessment.calibration[8];
        assert_eq!(bin.positions, 4);
        assert!((bin.predicted() - 0.8).abs() < 1e-9 && (bin.result() - 0.5).abs() < 1e-9);
        assert_eq!(assessment.calibration[9].positions, 1);
        let mut twice = assessment.clone();
        twice.add(&assessment);
        assert_eq!(twice.calibration[8].positions, 8);
        assert!((twice.calibration_error() - 1.6 / 6.0).abs() < 1e-9);
    }
}
