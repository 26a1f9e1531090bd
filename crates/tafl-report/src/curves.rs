//! What was measured while the network learned.

use crate::ReportError;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tafl_dataset::{Metric, measure_meaning, read_metrics};
use tafl_rules::Side;

/// The file of a run that holds what was measured.
pub(crate) const METRICS: &str = "metrics.parquet";
/// Points of a curve over the steps of training at most; neighboring steps are put together.
const MOST_POINTS: usize = 160;
/// The same of a curve over checkpoints, which is longer only in runs of many generations.
const MOST_CHECKPOINTS: usize = 400;

/// Everything that a run measured, as curves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learning {
    /// Losses and rates of training by their metric's name, such as `loss/value_attackers`, over training steps.
    pub training: BTreeMap<String, Curve>,
    /// Measures of each checkpoint, such as `held_out/value_loss/attackers`, over training steps.
    pub checkpoints: BTreeMap<String, Curve>,
    /// How values and results of held-out games agree.
    pub calibration: Vec<CalibrationBin>,
}

/// A measure over training steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// What its numbers are, if that is known.
    pub meaning: Option<&'static str>,
    /// The points, by rising step.
    pub points: Vec<CurvePoint>,
}

/// Some neighboring measurements of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The last training step of them.
    pub step: u64,
    /// The generation that it belongs to.
    pub generation: u32,
    /// Hours that the run had been worked on then; `None` where they were not recorded.
    pub hours: Option<f64>,
    /// Their mean.
    pub mean: f64,
    /// Four fifths of them lie between this ...
    pub low: f64,
    /// ... and this.
    pub high: f64,
}

/// Held-out positions for which a checkpoint expected about the same score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// The generation that trained the checkpoint.
    pub generation: u32,
    /// The side to move.
    pub side: Side,
    /// Positions.
    pub positions: u64,
    /// Mean of the scores that the network expected for the side to move, 0 to 1.
    pub predicted: f64,
    /// Mean of the scores that came, 0 to 1.
    pub result: f64,
}

/// Measured once a generation rather than once a step.
const OF_CHECKPOINTS: [&str; 10] = [
    "checkpoint/",
    "held_out/",
    "selfplay/",
    "replay/",
    "loop/",
    "elo/",
    "ladder/",
    "zigzag/",
    "speed/",
    "time/",
];
const CALIBRATION: &str = "held_out/calibration_";
const ENDING: &str = "selfplay/even_ending/";
const EVEN_GAMES: &str = "selfplay/even_games";

impl Learning {
    /// Reads what the run in a folder measured; `None` before the first training, and where that is missing.
    pub(crate) fn of_run(folder: &Path) -> Result<Option<Self>, ReportError> {
        let metrics = read_metrics(&folder.join(METRICS))?;
        Ok((!metrics.is_empty()).then(|| Self::of_metrics(&metrics)))
    }

    /// Sorts the metrics of a run into curves.
    pub fn of_metrics(metrics: &[Metric]) -> Self {
        let mut series: BTreeMap<&str, Vec<&Metric>> = BTreeMap::new();
        let absent = absent_endings(metrics);
        let all = metrics.iter().chain(&absent);
        for metric in all.filter(|metric| metric.value.is_finite()) {
            series.entry(&metric.name).or_default().push(metric);
        }
        let mut learning = Self {
            training: BTreeMap::new(),
            checkpoints: BTreeMap::new(),
            calibration: calibration(metrics),
        };
        for (name, mut metrics) in series {
            let is_bin = name.starts_with(CALIBRATION) && name.matches('/').count() > 2;
            // The loss of a head that the network does not have is 0 in every step.
            let is_loss = name.starts_with("loss/");
            if is_bin || is_loss && metrics.iter().all(|metric| metric.value == 0.0) {
                continue;
            }
            metrics.sort_by_key(|metric| metric.step);
            let of_checkpoints = OF_CHECKPOINTS.iter().any(|start| name.starts_with(start));
            let (curves, most) = if of_checkpoints {
                (&mut learning.checkpoints, MOST_CHECKPOINTS)
            } else {
                (&mut learning.training, MOST_POINTS)
            };
            curves.insert(name.to_owned(), curve(&metrics, most));
        }
        learning
    }
}

/// Returns the endings that did not occur among the even games of a checkpoint, which are not recorded: each is 0 of them.
fn absent_endings(metrics: &[Metric]) -> Vec<Metric> {
    let endings = metrics.iter().filter(|it| it.name.starts_with(ENDING));
    let known = endings.map(|it| (&*it.name, it.generation));
    let known: BTreeSet<(&str, u32)> = known.collect();
    let names: BTreeSet<&str> = known.iter().map(|(name, _)| *name).collect();
    let mut absent = Vec::new();
    for games in metrics.iter().filter(|it| it.name == EVEN_GAMES) {
        let lacks = |name: &&&str| !known.contains(&(**name, games.generation));
        absent.extend(names.iter().filter(lacks).map(|name| Metric {
            name: (*name).to_owned(),
            value: 0.0,
            ..games.clone()
        }));
    }
    absent
}

fn curve(metrics: &[&Metric], most: usize) -> Curve {
    let size = metrics.len().div_ceil(most).max(1);
    let points = metrics.chunks(size).map(|chunk| {
        let mut values: Vec<f64> = chunk.iter().map(|metric| metric.value).collect();
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let at = |tenths: usize| rounded(values[(last * tenths + 5) / 10]);
        CurvePoint {
            step: chunk[last].step,
            generation: chunk[last].generation,
            hours: chunk[last].seconds.map(|seconds| rounded(seconds / 3600.0)),
            mean: rounded(values.iter().sum::<f64>() / values.len() as f64),
            low: at(1),
            high: at(9),
        }
    });
    Curve {
        meaning: metrics.first().and_then(|it| measure_meaning(&it.name)),
        points: points.collect(),
    }
}

/// Returns a number to six significant digits: more than a page can show, and short as text.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Puts the three numbers of each tenth of the scores together again.
fn calibration(metrics: &[Metric]) -> Vec<CalibrationBin> {
    let mut bins: BTreeMap<(u32, Side, u32), [Option<f64>; 3]> = BTreeMap::new();
    for metric in metrics {
        let Some((what, side, tenth)) = bin_of(&metric.name) else {
            continue;
        };
        bins.entry((metric.generation, side, tenth)).or_default()[what] = Some(metric.value);
    }
    let bin = |((generation, side, _), numbers): (_, [Option<f64>; 3])| {
        let [Some(positions), Some(predicted), Some(result)] = numbers else {
            return None;
        };
        Some(CalibrationBin {
            generation,
            side,
            positions: positions as u64,
            predicted: rounded(predicted),
            result: rounded(result),
        })
    };
    bins.into_iter().filter_map(bin).collect()
}

/// Reads a name such as `held_out/calibration_predicted/attackers/3`.
fn bin_of(name: &str) -> Option<(usize, Side, u32)> {
    let mut parts = name.strip_prefix(CALIBRATION)?.split('/');
    let what = ["positions", "predicted", "result"];
    let word = parts.next()?;
    let what = what.iter().position(|&other| other == word)?;
    Some((
        what,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(step: u64, name: &str, value: f64) -> Metric {
        Metric {
            generation: (step / 100) as u32,
            step,
            name: name.to_owned(),
            value,
            seconds: Some(step as f64),
        }
    }

    #[test]
    fn many_steps_become_few_points_with_their_spread() {
        let metrics: Vec<Metric> = (0..1600)
            .map(|step| metric(step, "loss/policy", (step % 10) as f64))
            .collect();
        let learning = Learning::of_metrics(&metrics);
        let points = &learning.training["loss/policy"].points;
        assert_eq!(points.len(), MOST_POINTS);
        assert!(points.iter().all(|point| (point.mean - 4.5).abs() < 1e-12));
        assert!(
            points
                .iter()
                .all(|point| point.low == 1.0 && point.high == 8.0)
        );
        assert_eq!((points[0].step, points[159].step), (9, 1599));
    }

    #[test]
    fn curves_of_a_long_run_stay_small() {
        let name = |number: usize| match number {
            0..20 => format!("loss/number_{number}"),
            _ => format!("held_out/number_{number}/attackers"),
        };
        let of_step = |step: u64| {
            let numbers = 0..if step.is_multiple_of(100) { 60 } else { 20 };
            numbers.map(move |number| metric(step, &name(number), (step as f64 + 0.1).sqrt()))
        };
        let metrics: Vec<Metric> = (0..50_000).flat_map(of_step).collect();
        let text = serde_json::to_string(&Learning::of_metrics(&metrics)).expect("JSON");
        assert!(text.len() < 1_600_000, "{}", text.len());
    }

    #[test]
    fn an_ending_that_did_not_occur_is_none_of_the_games() {
        let (raid, capped) = (
            "selfplay/even_ending/capture/attackers",
            "selfplay/even_ending/capped/nobody",
        );
        let metrics = [
            metric(0, EVEN_GAMES, 4.0),
            metric(0, raid, 1.0),
            metric(100, EVEN_GAMES, 4.0),
            metric(100, raid, 0.5),
            metric(100, capped, 0.5),
            // A checkpoint under which no even game ended.
            metric(200, "selfplay/games", 1.0),
        ];
        let learning = Learning::of_metrics(&metrics);
        let of = |name: &str| -> Vec<(u64, f64)> {
            let points = learning.checkpoints[name].points.iter();
            points.map(|point| (point.step, point.mean)).collect()
        };
        assert_eq!(of(raid), [(0, 1.0), (100, 0.5)]);
        assert_eq!(of(capped), [(0, 0.0), (100, 0.5)]);
    }

    #[test]
    fn losses_of_heads_that_are_not_there_are_left_out() {
        let metrics = [
            metric(0, "loss/reply", 0.0),
            metric(0, "loss/value", 0.5),
            metric(0, "loss/total", f64::NAN),
            metric(0, "selfplay/draw_rate", 0.0),
        ];
        let learning = Learning::of_metrics(&metrics);
        assert_eq!(learning.training.keys().collect::<Vec<_>>(), ["loss/value"]);
        assert!(learning.checkpoints.contains_key("selfplay/draw_rate"));
    }

    #[test]
    fn bins_are_read_from_their_three_numbers() {
        let names = ["positions", "predicted", "result"];
        let mut metrics: Vec<Metric> = (names.iter().zip([40.0, 0.31, 0.25]))
            .map(|(name, value)| {
                metric(
                    7,
                    &format!("held_out/calibration_{name}/defenders/3"),
                    value,
                )
            })
            .collect();
        metrics.push(metric(7, "held_out/calibration_error/defenders", 0.06));
        let learning = Learning::of_metrics(&metrics);
        let bin = CalibrationBin {
            generation: 0,
            side: Side::Defender,
            positions: 40,
            predicted: 0.31,
            result: 0.25,
        };
        assert_eq!(learning.calibration, [bin]);
        let names: Vec<&String> = learning.checkpoints.keys().collect();
        assert_eq!(names, ["held_out/calibration_error/defenders"]);
    }
}
