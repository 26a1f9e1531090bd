//! Sweeps: variants of a run config, each trained with several seeds, and how much stronger each is than the first.

mod config;

pub use config::{Sweep, SweepConfig, Variant, VariantConfig, Vary};

use crate::error::StudiesError;
use crate::players::enter;
use crate::standings::{Anchor, Resampling};
use crate::tournament::{Format, Openings, Tournament, TournamentSettings};
use anyhow::Context;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::{Estimate, Tally, mean_of_few};
use tafl_dataset::worked_seconds;
use tafl_store::{
    StoreError, SweepVariants, checkpoint_folder, entries, is_checkpoint, lock_folder, sha256_hex,
    write_json,
};
use tafl_training::{
    Begin, Loaded, Notice, Observer, PlayerSource, RUN_CONFIG, Run, RunConfig, changed_fields,
    check_machine, differing_fields, train,
};

/// Up to so many variants everyone meets everyone; of more, each meets the first.
const MOST_OF_ROUND_ROBIN: usize = 4;

/// The file with what a sweep found.
const RESULTS: &str = "results.json";

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepResult {
    /// Its name.
    pub name: String,
    /// The variant that the others are measured against.
    pub anchor: String,
    /// The seeds of the runs of each variant.
    pub seeds: Vec<u64>,
    /// The variants, in their order.
    pub variants: Vec<VariantResult>,
    /// Runs that did not come to their end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedRun>,
    /// Variants and seeds, such as `seed 3`, that sweeps before trained in the folder and this one leaves out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A run of a sweep that did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedRun {
    /// Its name.
    pub run: String,
    /// Why.
    pub reason: String,
}

/// What the runs of a variant came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct VariantResult {
    /// Its name.
    pub name: String,
    /// Its changes of the run config.
    pub changes: Vec<String>,
    /// Elo points of its last checkpoint above that of the first variant with the same seed, for each seed; nothing where one of
    /// the two failed.
    pub elo_by_seed: Vec<Option<Estimate>>,
    /// Their mean with a 95 % interval over seeds (Student's t); nothing of one seed, or if one is missing.
    pub elo: Option<Estimate>,
    /// Hours that each run took that came to its end.
    pub hours: Vec<f64>,
    /// Games of its matches.
    pub games: u64,
    /// How these ended, as it sees them.
    pub tally: Tally,
}

impl Sweep {
    /// Trains what is not trained yet and plays what is not played yet; `observer` is asked for one before each run and
    /// each tournament. A run that fails, as one that diverges, leaves the others to go on.
    ///
    /// # Errors
    /// If the folder holds runs of the same names that other configs made, or a match fails.
    pub fn play(
        &self,
        folder: &Path,
        observer: &dyn Fn(Option<&RunConfig>) -> Arc<dyn Observer>,
    ) -> anyhow::Result<SweepResult> {
        for variant in &self.variants {
            let loaded = self.loaded(variant, self.seeds[0])?;
            let machine = check_machine(&loaded);
            machine.with_context(|| format!("variant {}", variant.name))?;
        }
        // Two processes would share the runs out between them, and each would call those of the other failed.
        let _lock = lock_folder(folder, "sweep")?;
        self.admit(folder)?;
        self.check_runs(folder)?;
        let failed = self.train_all(folder, observer)?;
        let mut results: Vec<VariantResult> = self.variants.iter().map(VariantResult::of).collect();
        for &seed in &self.seeds {
            self.measure(seed, folder, &*observer(None), &mut results)?;
        }
        for result in &mut results {
            let by_seed: Option<Vec<Estimate>> = result.elo_by_seed.iter().copied().collect();
            result.elo = by_seed.and_then(|by_seed| mean_over_seeds(&by_seed));
        }
        let found = SweepResult {
            name: self.name.clone(),
            anchor: self.variants[0].name.clone(),
            seeds: self.seeds.clone(),
            variants: results,
            failed,
            left_out: self.left_out(folder)?,
        };
        write_json(&folder.join(RESULTS), &found)?;
        Ok(found)
    }

    /// Enters the variants into a folder, which must not have others of their names.
    fn admit(&self, folder: &Path) -> anyhow::Result<()> {
        let path = SweepVariants::path(folder);
        let known = SweepVariants::read_if_there(folder)?;
        if known.is_none() && folder.join(RESULTS).exists() {
            return Err(StoreError::foreign(folder, &folder.join(RESULTS)).into());
        }
        let mut trained = known.unwrap_or_default();
        for variant in &self.variants {
            let mut config = self.loaded(variant, self.seeds[0])?.config;
            (config.name, config.seed) = (variant.name.clone(), 0);
            let sum = sha256_hex(tafl_config::show(&config)?.as_bytes());
            let known = trained.variants.insert(variant.name.clone(), sum.clone());
            if known.is_some_and(|known| known != sum) {
                let variant = variant.name.clone();
                return Err(StudiesError::OtherVariant { path, variant }.into());
            }
        }
        Ok(write_json(&path, &trained)?)
    }

    /// Returns the variants and seeds of runs in a folder that are not of this sweep, but of others before.
    fn left_out(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        let known = SweepVariants::read_if_there(folder)?.unwrap_or_default();
        let own: BTreeSet<&str> = self.variants.iter().map(|it| &*it.name).collect();
        let mut left_out = BTreeSet::new();
        for run in entries(&folder.join("runs"))? {
            let name = run.file_name().unwrap_or_default().to_string_lossy();
            let Some((variant, seed)) = name.rsplit_once("-seed-") else {
                continue;
            };
            let is_known = known.variants.contains_key(variant);
            let is_other = |seed: u64| !self.seeds.contains(&seed);
            if is_known && !own.contains(variant) {
                left_out.insert(variant.to_owned());
            } else if is_known && seed.parse().is_ok_and(is_other) {
                left_out.insert(format!("seed {seed}"));
            }
        }
        Ok(left_out.into_iter().collect())
    }

    /// Checks that the runs that have begun are those of the variants: someone may have gone on with one by other values.
    fn check_runs(&self, folder: &Path) -> anyhow::Result<()> {
        for &seed in &self.seeds {
            for variant in &self.variants {
                let run = folder.join("runs").join(self.run_name(variant, seed));
                if !run.join(RUN_CONFIG).exists() {
                    continue;
                }
                let mut fields = differing_fields(&self.loaded(variant, seed)?, &run)?;
                if fields.is_empty() {
                    fields = changed_fields(&run)?;
                }
                if !fields.is_empty() {
                    let variant = variant.name.clone();
                    let other = StudiesError::OtherRun {
                        run,
                        variant,
                        fields,
                    };
                    return Err(other.into());
                }
            }
        }
        Ok(())
    }

    /// Trains what is not trained yet; returns the runs that failed.
    fn train_all(
        &self,
        folder: &Path,
        observer: &dyn Fn(Option<&RunConfig>) -> Arc<dyn Observer>,
    ) -> anyhow::Result<Vec<FailedRun>> {
        let mut failed = Vec::new();
        for &seed in &self.seeds {
            for variant in &self.variants {
                let loaded = self.loaded(variant, seed)?;
                let run = loaded.config.name.clone();
                let observer = observer(Some(&loaded.config));
                if let Err(reason) = train_one(loaded, folder, Arc::clone(&observer)) {
                    let reason = &reason;
                    observer.noticed(&Notice::FailedRun { run: &run, reason });
                    let reason = format!("{reason:#}");
                    failed.push(FailedRun { run, reason });
                }
            }
        }
        Ok(failed)
    }

    /// Plays the variants of a seed against each other, and adds what came to their results.
    fn measure(
        &self,
        seed: u64,
        folder: &Path,
        observer: &dyn Observer,
        results: &mut [VariantResult],
    ) -> anyhow::Result<()> {
        let first = self.loaded(&self.variants[0], seed)?;
        let (config, rules) = (&first.config, first.rules.listed());
        let (mut players, mut trained) = (Vec::new(), Vec::new());
        for (number, variant) in self.variants.iter().enumerate() {
            let generations = self.loaded(variant, seed)?.config.training_loop.generations;
            let run = folder.join("runs").join(self.run_name(variant, seed));
            let last = checkpoint_folder(&run, generations);
            if !is_checkpoint(&last) {
                continue;
            }
            let source = PlayerSource::checkpoint(last);
            let opened = source.open(&source.own_config()?, &rules[0])?;
            enter(&mut players, opened, &source)?;
            trained.push(number);
            let seconds = worked_seconds(&run.join("metrics.parquet"))?;
            results[number].hours.push(seconds / 3600.0);
        }
        results.iter_mut().for_each(|it| it.elo_by_seed.push(None));
        // The others are measured against the first variant.
        if trained.first() != Some(&0) || trained.len() < 2 {
            return Ok(());
        }
        let openings = Openings {
            file: None,
            count: None,
            config: &config.arena,
            seed,
        };
        let settings = TournamentSettings::of(&openings, None);
        let drawn = rules.iter().map(|rules| openings.of(rules, observer));
        let tournament = Tournament {
            players,
            openings: drawn.collect::<anyhow::Result<_>>()?,
            rules: rules.to_vec(),
            config: &config.arena,
            runner: &config.runner,
            format: match self.variants.len() {
                ..=MOST_OF_ROUND_ROBIN => Format::RoundRobin,
                _ => Format::Gauntlet,
            },
            first_opening: 0,
            sprt: None,
            adjudication: None,
        };
        let arena = folder.join("arena").join(format!("seed-{seed}"));
        let (played, _) = tournament.play(&arena, &settings, observer)?;
        let standings = tournament.standings(&played, Anchor::First, Resampling::NONE)?;
        for (own, number) in standings.players.iter().zip(trained) {
            let result = &mut results[number];
            if let Some(last) = result.elo_by_seed.last_mut() {
                *last = Some(own.elo);
            }
            result.tally = result.tally + own.attackers + own.defenders;
            result.games = result.tally.games();
        }
        Ok(())
    }
}

impl VariantResult {
    fn of(variant: &Variant) -> Self {
        Self {
            name: variant.name.clone(),
            changes: variant.changes.iter().map(ToString::to_string).collect(),
            ..Self::default()
        }
    }
}

/// Trains a run to its end, if it is not there yet.
fn train_one(loaded: Loaded, folder: &Path, observer: Arc<dyn Observer>) -> anyhow::Result<()> {
    let run = folder.join("runs").join(&loaded.config.name);
    let has_begun = run.join(RUN_CONFIG).exists();
    let last = checkpoint_folder(&run, loaded.config.training_loop.generations);
    if has_begun && is_checkpoint(&last) {
        return Ok(());
    }
    let begin = if has_begun { Begin::Resume } else { Begin::New };
    let run = Run::open(loaded, folder, None, begin, observer)?;
    train(&run, None)?;
    Ok(())
}

/// Returns the mean of a few seeds with its interval; where all are the same, the interval is that of the matches, as the seeds
/// tell none.
fn mean_over_seeds(by_seed: &[Estimate]) -> Option<Estimate> {
    let values: Vec<f64> = by_seed.iter().map(|elo| elo.value).collect();
    let mean = || (by_seed.len() > 1).then(|| Estimate::mean(by_seed));
    mean_of_few(&values).or_else(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn what_sweeps_before_trained_in_the_folder_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let variant = |name: &str| Variant {
            name: name.to_owned(),
            changes: Vec::new(),
        };
        let sweep = Sweep {
            name: "s".to_owned(),
            config: PathBuf::new(),
            seeds: vec![1, 2],
            variants: ["a", "b"].map(variant).into(),
        };
        let known = ["a", "b", "c"].map(|name| (name.to_owned(), String::new()));
        let known = SweepVariants {
            variants: known.into(),
        };
        let text = serde_json::to_string(&known).expect("JSON");
        std::fs::write(SweepVariants::path(folder.path()), text).expect("written");
        let left_out = || sweep.left_out(folder.path()).expect("readable");
        assert!(left_out().is_empty());
        for run in ["a-seed-1", "b-seed-3", "c-seed-1", "c-seed-2", "x-seed-4"] {
            tafl_store::create_folder(&folder.path().join("runs").join(run)).expect("made");
        }
        assert_eq!(left_out(), ["c", "seed 3"]);
    }
}
