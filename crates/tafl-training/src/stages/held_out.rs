//! How well a new checkpoint predicts games that it never learned from.

use crate::observer::{Stage, Summary};
use crate::run::Run;
use tafl_dataset::ReplayWindow;
use tafl_network::{Assessment, Inference, RoleAssessment, Trainer, assess};
use tafl_rules::Side;

/// Positions on which a checkpoint is measured, the latest ones: a second or two on a CPU.
const MOST_POSITIONS: usize = 2000;

/// Measures the weights that will play on the latest held-out positions of the window, if there are any.
///
/// `now` is the generation and the training steps made in the whole run.
pub(crate) fn measure(
    run: &Run,
    now: (u32, u64),
    trainer: &Trainer,
    window: &ReplayWindow,
) -> anyhow::Result<()> {
    let samples = window.read_held_out(MOST_POSITIONS)?;
    if samples.is_empty() {
        return Ok(());
    }
    let observer = run.observer();
    observer.started(Stage::HeldOut, Some(samples.len() as u64));
    let mut inference = Inference::new(&trainer.network()?, run.config.device, run.compute)?;
    let roles = assess(&mut inference, &samples, &run.rules, &run.config.targets)?;
    let (generation, step) = now;
    run.record_values((generation, "held_out"), step, &values(run, &roles))?;
    observer.finished(Stage::HeldOut, Some(&Summary::HeldOut(&roles)));
    Ok(())
}

/// Returns all numbers by the names under which they are recorded: `held_out/<number>/<side>`, and where there are
/// several rulesets `held_out/<number>/<side>/<ruleset>` too.
fn values(run: &Run, roles: &[RoleAssessment]) -> Vec<(String, f64)> {
    let mut values = Vec::new();
    for side in Side::ALL {
        let all: Assessment = roles.iter().filter(|role| role.side == side).sum();
        push_values(&mut values, &all, side.name());
        push_bins(&mut values, &all, side);
        if run.rules.listed().len() == 1 {
            continue;
        }
        let is_listed = |name: &str| {
            let mut listed = run.rules.listed().iter();
            listed.any(|rules| rules.ruleset().name == name)
        };
        let own = roles.iter().filter(|role| role.side == side);
        for role in own.filter(|role| is_listed(&role.ruleset)) {
            let place = format!("{}/{}", side.name(), role.ruleset);
            push_values(&mut values, &role.assessment, &place);
        }
    }
    values
}

fn push_values(values: &mut Vec<(String, f64)>, assessment: &Assessment, place: &str) {
    if assessment.positions == 0 {
        return;
    }
    let numbers = [
        ("positions", assessment.positions as f64),
        ("policy_loss", assessment.policy_loss()),
        ("policy_accuracy", assessment.policy_accuracy()),
        ("value_loss", assessment.value_loss()),
        ("calibration_error", assessment.calibration_error()),
    ];
    values.extend(numbers.map(|(name, value)| (format!("held_out/{name}/{place}"), value)));
}

/// Adds, for each tenth of the predicted scores in which positions lie, what was predicted and what came of it.
fn push_bins(values: &mut Vec<(String, f64)>, assessment: &Assessment, side: Side) {
    for (tenth, bin) in assessment.calibration.iter().enumerate() {
        if bin.positions == 0 {
            continue;
        }
        let numbers = [
            ("predicted", bin.predicted()),
            ("result", bin.result()),
            ("positions", bin.positions as f64),
        ];
        let name = |name| format!("held_out/calibration_{name}/{}/{tenth}", side.name());
        values.extend(numbers.map(|(number, value)| (name(number), value)));
    }
}
