//! What is measured in a run: `metrics.parquet`, and event files for `TensorBoard`.

use super::Run;
use anyhow::Context;
use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Instant;
use tafl_dataset::Metric;
use tafl_network::EventWriter;

/// The stage of the Elo of checkpoints, whose points all move with every match.
pub(super) const LADDER: &str = "ladder";

/// The stage of the time that parts of the work took.
const TIME: &str = "time";

impl Run {
    /// Puts what was measured in a stage of a generation in the place of what an earlier attempt measured.
    ///
    /// `stage` is the first part of the metrics' names, such as `loss`; other stages keep theirs.
    pub(super) fn record(
        &self,
        generation: u32,
        stage: &str,
        metrics: Vec<Metric>,
    ) -> anyhow::Result<()> {
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.metrics_path();
        tafl_dataset::record_metrics(&path, generation, stage, &metrics)?;
        let stage = (generation, stage.to_owned());
        if let Some(stages) = &mut measured.stages {
            match metrics.is_empty() {
                true => stages.remove(&stage),
                false => stages.insert(stage.clone()),
            };
        }
        if let Some((events, told)) = &mut measured.events
            && told.insert(stage)
        {
            return self.append(events, &metrics);
        }
        // What was measured before, as by a process that was killed, must not stay beside it.
        measured.events = Some((self.events()?, tafl_dataset::measured_stages(&path)?));
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

    /// Records the time that each part of the work took since the last record, besides what is recorded of the generation.
    pub(crate) fn record_times(&self, generation: u32, step: u64) -> anyhow::Result<()> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let values = self.times(generation, &parts)?;
        self.record_values((generation, TIME), step, &values)?;
        parts.clear();
        Ok(())
    }

    /// Does so for a generation that goes on, in case that the process is killed; `TensorBoard` gets the whole times.
    pub(crate) fn keep_times(&self, generation: u32) -> anyhow::Result<()> {
        let step = self.steps_of_checkpoint(generation)?;
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let values = self.times(generation, &parts)?.into_iter();
        let metrics: Vec<Metric> = self.metrics(generation, step, values).collect();
        let _measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        tafl_dataset::record_metrics(&self.metrics_path(), generation, TIME, &metrics)?;
        parts.clear();
        Ok(())
    }

    fn times(
        &self,
        generation: u32,
        parts: &BTreeMap<&'static str, f64>,
    ) -> anyhow::Result<Vec<(String, f64)>> {
        let now = parts.iter();
        let now = now.map(|(part, seconds)| (format!("time/{part}_s"), *seconds));
        let mut values: BTreeMap<String, f64> = now.collect();
        let known = tafl_dataset::read_metrics(&self.metrics_path())?.into_iter();
        let is_own = |it: &Metric| it.generation == generation && it.name.starts_with("time/");
        for metric in known.filter(is_own) {
            *values.entry(metric.name).or_default() += metric.value;
        }
        Ok(values.into_iter().collect())
    }

    /// Returns the wall-clock time that all processes together worked on the run until now.
    fn seconds(&self) -> f64 {
        self.seconds_before + self.begun.elapsed().as_secs_f64()
    }

    /// Returns whether a stage of a generation was measured.
    pub(crate) fn has_measured(&self, generation: u32, stage: &str) -> anyhow::Result<bool> {
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        let stages = match &mut measured.stages {
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
        self.record_steps((generation, stage), [(step, values.collect())])
    }

    /// Does the same after each of some steps.
    pub(crate) fn record_steps(
        &self,
        (generation, stage): (u32, &str),
        steps: impl IntoIterator<Item = (u64, Vec<(String, f64)>)>,
    ) -> anyhow::Result<()> {
        let steps = steps.into_iter();
        let metrics = steps.flat_map(|(step, values)| self.metrics(generation, step, values));
        self.record(generation, stage, metrics.collect())
    }

    fn metrics(
        &self,
        generation: u32,
        step: u64,
        values: impl IntoIterator<Item = (String, f64)>,
    ) -> impl Iterator<Item = Metric> {
        let seconds = Some(self.seconds());
        values.into_iter().map(move |(name, value)| Metric {
            generation,
            step,
            name,
            value,
            seconds,
        })
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

    /// Records the Elo of checkpoints in the ladder, each with both ends of its 95 % interval, in place of that of an
    /// earlier ladder. Its time is that of the checkpoint's training.
    ///
    /// # Errors
    /// If a file of the run is damaged or cannot be written.
    pub fn record_ladder(&self, elo: &[(u32, [f64; 3])]) -> anyhow::Result<()> {
        let known = tafl_dataset::read_metrics(&self.metrics_path())?;
        let mut metrics = Vec::new();
        for &(checkpoint, values) in elo.iter().filter(|(it, _)| self.has_checkpoint(*it)) {
            let step = self.steps_of_checkpoint(checkpoint)?;
            let trained = known
                .iter()
                .filter(|it| it.name.starts_with("loss/") && it.step < step);
            let seconds = trained.filter_map(|it| it.seconds).reduce(f64::max);
            let named = ["ladder/elo", "ladder/elo_low", "ladder/elo_high"].into_iter();
            metrics.extend(named.zip(values).map(|(name, value)| Metric {
                generation: checkpoint.saturating_sub(1),
                step,
                name: name.to_owned(),
                value,
                seconds: seconds.or(Some(0.0)),
            }));
        }
        let told = known.iter().filter(|it| it.name.starts_with("ladder/"));
        match told.eq(&metrics) {
            true => Ok(()),
            false => self.record(0, LADDER, metrics),
        }
    }

    /// Makes the file of events for `TensorBoard` anew, with all metrics so far.
    fn events(&self) -> anyhow::Result<EventWriter> {
        let folder = self.folder().join("tensorboard");
        tafl_store::create_folder(&folder)?;
        let path = folder.join("events.out.tfevents.0.tafl");
        let context = || format!("writing {}", path.display());
        let mut events = EventWriter::create(&path, self.began).with_context(context)?;
        let fields = tafl_config::flat(&self.config)?.into_iter();
        let fields = fields.map(|(name, value)| Ok((name, serde_json::to_value(value)?)));
        let fields = fields.collect::<anyhow::Result<_>>()?;
        events
            .hyper_parameters(self.began, &fields)
            .with_context(context)?;
        self.append(
            &mut events,
            &tafl_dataset::read_metrics(&self.metrics_path())?,
        )?;
        Ok(events)
    }

    /// Appends metrics; their time is that of the run's beginning and the seconds that were worked on it since.
    fn append(&self, events: &mut EventWriter, metrics: &[Metric]) -> anyhow::Result<()> {
        let together = |one: &Metric, other: &Metric| {
            (one.generation, one.step, one.seconds) == (other.generation, other.step, other.seconds)
        };
        for metrics in metrics.chunk_by(together) {
            let values = metrics.iter().map(|it| (&*it.name, it.value));
            let values: Vec<(&str, f64)> = values.collect();
            let time = self.began + metrics[0].seconds.unwrap_or(0.0);
            let written = events.scalars(metrics[0].step, time, &values);
            written.context("writing events for TensorBoard")?;
        }
        Ok(())
    }
}
