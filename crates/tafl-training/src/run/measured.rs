//! What is measured in a run: `metrics.parquet`, and event files for `TensorBoard`.

use super::Run;
use anyhow::Context;
use std::sync::PoisonError;
use std::time::Instant;
use tafl_dataset::Metric;
use tafl_network::EventWriter;

impl Run {
    /// Puts what was measured in a stage of a generation in the place of what an earlier attempt measured.
    ///
    /// `stage` is the first part of the metrics' names, such as `loss`; other stages keep theirs.
    fn record(&self, generation: u32, stage: &str, metrics: Vec<Metric>) -> anyhow::Result<()> {
        let mut measured = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.metrics_path();
        tafl_dataset::record_metrics(&path, generation, stage, &metrics)?;
        if let Some(measured) = &mut *measured {
            measured.insert((generation, stage.to_owned()));
        }
        Ok(())
    }

    /// Does a part of the work, whose time is recorded with that of the others.
    pub(crate) fn timed<T>(&self, part: &'static str, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let done = work();
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        *parts.entry(part).or_default() += begin.elapsed().as_secs_f64();
        done
    }

    /// Records the time that each part of the work took since the last record.
    pub(crate) fn record_times(&self, generation: u32, step: u64) -> anyhow::Result<()> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = std::mem::take(&mut *parts).into_iter();
        let values: Vec<_> = parts
            .map(|(part, seconds)| (format!("time/{part}_s"), seconds))
            .collect();
        self.record_values((generation, "time"), step, &values)
    }

    /// Returns the wall-clock time that all processes together worked on the run until now.
    fn seconds(&self) -> f64 {
        self.seconds_before + self.begun.elapsed().as_secs_f64()
    }

    /// Returns whether a stage of a generation was measured.
    pub(crate) fn has_measured(&self, generation: u32, stage: &str) -> anyhow::Result<bool> {
        let mut measured = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let stages = match &mut *measured {
            Some(stages) => stages,
            none => none.insert(tafl_dataset::measured_stages(&self.metrics_path())?),
        };
        Ok(stages.contains(&(generation, stage.to_owned())))
    }

    /// Records values that were measured together after a number of training steps, for notebooks and `TensorBoard`.
    pub(crate) fn record_values(
        &self,
        (generation, stage): (u32, &str),
        step: u64,
        values: &[(impl AsRef<str>, f64)],
    ) -> anyhow::Result<()> {
        let values = values.iter();
        let values = values.map(|(name, value)| (name.as_ref().to_owned(), *value));
        self.record_steps(generation, [stage; 2], [(step, values.collect())])
    }

    /// Does the same after each of some steps, where `TensorBoard` has another name of the stage.
    pub(crate) fn record_steps(
        &self,
        generation: u32,
        [stage, of_events]: [&str; 2],
        steps: impl IntoIterator<Item = (u64, Vec<(String, f64)>)>,
    ) -> anyhow::Result<()> {
        let mut events = self.events(generation, of_events)?;
        let mut metrics = Vec::new();
        for (step, values) in steps {
            let named: Vec<(&str, f64)> = values.iter().map(|(name, it)| (&**name, *it)).collect();
            events.scalars(step, now(), &named)?;
            metrics.extend(values.into_iter().map(|(name, value)| Metric {
                generation,
                step,
                name,
                value,
                seconds: Some(self.seconds()),
            }));
        }
        self.record(generation, stage, metrics)
    }

    /// Does what [`Self::record_values`] does, at the step of the checkpoint that played in the generation.
    pub(crate) fn record_played(
        &self,
        generation: u32,
        stage: &str,
        values: &[(impl AsRef<str>, f64)],
    ) -> anyhow::Result<()> {
        let step = self.steps_of_checkpoint(generation)?;
        self.record_values((generation, stage), step, values)
    }

    /// Returns an empty event file for `TensorBoard`, one for each stage of each generation.
    fn events(&self, generation: u32, stage: &str) -> anyhow::Result<EventWriter> {
        let name = format!("events.out.tfevents.{generation:010}.{stage}");
        let path = self.folder().join(name);
        let context = || format!("writing {}", path.display());
        if path.exists() {
            std::fs::remove_file(&path).with_context(context)?;
        }
        EventWriter::open(&path, now()).with_context(context)
    }
}

/// Returns the time in seconds since 1970; for logs only, nothing depends on it.
fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
