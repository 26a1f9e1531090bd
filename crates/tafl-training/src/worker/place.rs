//! Where a worker's games go, and which run learns from them.

use super::location::{Checkpoint, Location, is_last};
use super::names::{WORKER_FOLDERS, is_of};
use super::{WorkerJob, purged};
use crate::config::{self, Loaded, RUN_CONFIG, RunConfig};
use crate::differences::{or_none, texts};
use crate::error::{StoredConfigFor, WorkerError};
use crate::observer::{Notice, Observer};
use crate::rulesets::fingerprint;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_config::Difference;
use tafl_dataset::is_network_of;
use tafl_rules::Rules;
use tafl_store::{StoreKind, SweepVariants, checkpoints, is_checkpoint, lock_file, one_within};

/// Refuses the folder of a run that cannot learn from games of self-play, which would lie there for nothing, the folders
/// within a run that are for something else, and those of matches, studies, sweeps and checkpoints.
///
/// Returns the run that learns from the games, if there is one.
pub(super) fn learner(out: &Path, rules: &[Arc<Rules>]) -> anyhow::Result<Option<Loaded>> {
    let Some(folder) = learning_run(out)? else {
        return Ok(None);
    };
    let loaded = config::load_stored(&folder, StoredConfigFor::Worker)?;
    if loaded.config.training_loop.asynchronous.is_none() {
        return Err(WorkerError::Synchronous(folder).into());
    }
    let own: Vec<String> = loaded.rules.iter().map(|it| fingerprint(it)).collect();
    let mut played = rules.iter();
    if let Some(rules) = played.find(|rules| !own.contains(&fingerprint(rules))) {
        let ruleset = rules.ruleset().name.clone();
        return Err(WorkerError::OtherRuleset(folder, ruleset).into());
    }
    let loaded = Loaded { folder, ..loaded };
    Ok(Some(loaded))
}

/// Returns the run that a folder is, or is the folder of a worker of.
///
/// # Errors
/// If it is a file, a part of a run that is for something else, holds other folders of these kinds, or is one of matches, studies, sweeps or checkpoints.
pub fn learning_run(out: &Path) -> anyhow::Result<Option<PathBuf>> {
    let mut above = out.ancestors();
    if let Some(file) = above.find(|it| it.exists() && !it.is_dir()) {
        return Err(WorkerError::NoFolder(file.to_owned()).into());
    }
    // Its own manifest must be readable; what else is called so above it is not ours.
    let own = StoreKind::of_folder(out)?;
    if matches!(own, Some(StoreKind::Tournament | StoreKind::Study)) {
        return Err(WorkerError::NoRun(out.to_owned()).into());
    }
    let place = resolved(out);
    for (depth, folder) in place.ancestors().enumerate() {
        let is_for_games = match depth {
            0 => true,
            2 => place
                .parent()
                .is_some_and(|it| it.ends_with(WORKER_FOLDERS)),
            _ => false,
        };
        let kind = StoreKind::of_folder(folder).ok().flatten();
        let has_config = is_for_games && folder.join(RUN_CONFIG).is_file();
        if kind == Some(StoreKind::Run) || has_config {
            // As the user wrote it, if that is the same.
            let written = out.ancestors().nth(depth).unwrap_or(folder);
            let is_same = written.canonicalize().is_ok_and(|it| it == folder);
            let folder = if is_same { written } else { folder }.to_owned();
            return match is_for_games {
                true => Ok(Some(folder)),
                false => Err(WorkerError::WithinRun(out.to_owned(), folder).into()),
            };
        }
        // What is called so further above need not be ours.
        let is_sweep = depth <= 2 && SweepVariants::is_in(folder);
        if kind.is_some() || is_sweep || depth <= 1 && is_checkpoint(folder) {
            return Err(WorkerError::NoRun(out.to_owned()).into());
        }
    }
    match one_within(out) {
        Some(other) => Err(WorkerError::HoldsOthers(out.to_owned(), other).into()),
        None => Ok(None),
    }
}

/// Refuses a folder whose games a run learns from, or is to learn from: those are of workers, each under its name.
pub(crate) fn check_apart(out: &Path) -> anyhow::Result<()> {
    if let Some(run) = run_to_come(out)? {
        return Err(WorkerError::NoRunYet(run).into());
    }
    match learning_run(out)? {
        Some(run) => Err(WorkerError::NotApart(run).into()),
        None => Ok(()),
    }
}

/// Returns a path without symbolic links; of its end nothing need be there.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in path.ancestors() {
        if let (Ok(whole), Ok(rest)) = (there.canonicalize(), path.strip_prefix(there)) {
            return whole.components().chain(rest.components()).collect();
        }
    }
    path
}

/// Keeps other processes from playing under the name of this worker as long as the file is open.
pub(super) fn take_name(job: &WorkerJob<'_>) -> anyhow::Result<File> {
    let lock = lock_file(&job.out.join(format!(".{}.lock", job.name)))?;
    let in_use = || WorkerError::NameInUse(job.out.to_owned(), job.name.to_owned());
    Ok(lock.ok_or_else(in_use)?)
}

/// Returns whether the run that learns from the games has its last checkpoint.
///
/// Where none is known, that whose checkpoint plays counts, unless a number of games was asked for.
pub(super) fn has_ended(
    job: &WorkerJob<'_>,
    learner: Option<&Path>,
    location: Option<&Location>,
) -> bool {
    let Some(run) = learner else {
        return job.games.is_none() && location.is_some_and(Location::has_ended);
    };
    let last = checkpoints(run).unwrap_or_default().pop();
    last.is_some_and(|(last, _)| is_last(last, run))
}

/// Refuses to go on where a run was.
pub(super) fn check_there(run: &Path) -> anyhow::Result<()> {
    match run.join(RUN_CONFIG).try_exists() {
        Ok(false) => Err(WorkerError::RunGone(run.to_owned()).into()),
        _ => Ok(()),
    }
}

/// Refuses to play for a run that leaves the games of this worker out.
pub(super) fn check_purged(job: &WorkerJob<'_>, run: &Path) -> anyhow::Result<()> {
    let names = purged(run)?;
    let own = Some(job.name.to_owned()).filter(|name| names.contains(name));
    // By the name of its folder, too, as games are left out.
    let of_folder = || {
        let whole = [run, job.out].map(resolved);
        let is_out = is_of(&names, &whole[0], &whole[1].join("games"));
        let name = whole[1].file_name().filter(|_| is_out)?;
        Some(name.to_string_lossy().into_owned())
    };
    match own.or_else(of_folder) {
        Some(name) => Err(WorkerError::Purged(run.to_owned(), name).into()),
        None => Ok(()),
    }
}

/// Returns the run that a folder is for by its name, `runs/NAME` or `runs/NAME/workers/WORKER`, if it is not there yet.
pub(super) fn run_to_come(out: &Path) -> anyhow::Result<Option<PathBuf>> {
    let place = resolved(out);
    let worker = place.parent().filter(|it| it.ends_with(WORKER_FOLDERS));
    let run = worker.and_then(Path::parent).unwrap_or(&place);
    let is_among_runs = run.parent().is_some_and(|it| it.ends_with("runs"));
    if !is_among_runs || learning_run(out)?.is_some() {
        return Ok(None);
    }
    // As the user wrote it, if that is the same.
    let mut written = out.ancestors().step_by(2);
    let written = written.find(|it| resolved(it) == *run);
    Ok(Some(written.unwrap_or(run).to_owned()))
}

/// Tells in which fields of self-play a worker's config differs from that of its run, whose samples its own join and some
/// of whose rulesets it plays; of those that were told before only what is new, as a resumed run may have other values.
pub(super) fn tell_differences(
    own: &RunConfig,
    run: &RunConfig,
    told: &mut Vec<Difference>,
    observer: &dyn Observer,
) -> anyhow::Result<()> {
    const PARTS: [&str; 4] = ["rule_changes", "search.", "selfplay.", "targets."];
    let differences = tafl_config::difference(&[run, own])?.into_iter();
    // The same ones may have other names.
    let has_fewer = own.rulesets.len() < run.rulesets.len();
    let differences = differences.filter(|it| {
        let is_of_part = PARTS.iter().any(|part| it.field.starts_with(part));
        is_of_part || has_fewer && it.field == "rulesets"
    });
    let before = std::mem::replace(told, differences.collect());
    for Difference { field, values } in told.iter().filter(|it| !before.contains(it)) {
        let [of_run, own] = texts(values);
        observer.noticed(&Notice::OtherField {
            field,
            own: or_none(&own),
            of_run: or_none(&of_run),
        });
    }
    Ok(())
}

/// Tells that a checkpoint is none of the run that learns from its games.
pub(super) fn tell_other_run(
    first: &Checkpoint,
    learner: &Path,
    observer: &dyn Observer,
) -> anyhow::Result<()> {
    let (generation, weights) = (first.generation, first.weights_sha256.as_deref());
    let last = checkpoints(learner)?.pop();
    let is_ahead = last.is_none_or(|(number, _)| generation > number);
    if is_ahead || !is_network_of(learner, generation, &first.run, weights) {
        let effect = match is_ahead {
            true => "which has none of that number: it puts these games aside",
            false => "which puts games of other runs aside",
        };
        let (id, run, learner) = (&first.id, &first.run, learner.display());
        let text = format!("{id} of another run, {run}, plays for {learner}, {effect}");
        observer.noticed(&Notice::Warning(&text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// The fields that were told.
    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Observer for Heard {
        fn noticed(&self, notice: &Notice<'_>) {
            if let Notice::OtherField { field, .. } = notice {
                self.0.lock().expect("no panic").push((*field).to_owned());
            }
        }
    }

    #[test]
    fn a_worker_without_the_variants_or_some_rulesets_of_its_run_is_told() {
        let own = RunConfig::default();
        let run = RunConfig {
            rulesets: ["copenhagen", "fetlar"].map(str::to_owned).to_vec(),
            rule_changes: vec!["king_armed".to_owned()],
            keep: crate::config::Keep::Needed,
            ..own.clone()
        };
        let heard = Heard::default();
        let mut told = Vec::new();
        tell_differences(&own, &run, &mut told, &heard).expect("told");
        // A resumed run has another value more.
        let mut run = run;
        run.search.visits += 1;
        tell_differences(&own, &run, &mut told, &heard).expect("told");
        let mut fields = heard.0.into_inner().expect("no panic");
        fields.sort_unstable();
        assert_eq!(fields, ["rule_changes", "rulesets", "search.visits"]);
        let by_path = RunConfig {
            rulesets: vec!["rulesets/copenhagen.toml".to_owned()],
            ..own.clone()
        };
        let heard = Heard::default();
        tell_differences(&own, &by_path, &mut Vec::new(), &heard).expect("told");
        assert!(heard.0.into_inner().expect("no panic").is_empty());
    }

    #[test]
    fn games_go_to_a_run_or_to_the_folder_of_a_worker_and_nowhere_else_in_it() {
        let data = tempfile::tempdir().expect("a folder");
        let run = data.path().join("runs/one");
        for folder in ["checkpoints/000001", "arena", "workers/w"] {
            std::fs::create_dir_all(run.join(folder)).expect("made");
        }
        let text = r#"{ "format": 4, "kind": "run" }"#;
        std::fs::write(run.join("manifest.json"), text).expect("written");
        let found = |place: &Path| learning_run(place).map_err(|error| error.to_string());
        std::os::unix::fs::symlink(&run, data.path().join("link")).expect("made");
        for place in [
            "runs/one",
            "runs/one/workers/w",
            "runs/one/workers/new",
            "link",
        ] {
            let folder = found(&data.path().join(place))
                .expect("accepted")
                .expect("a run");
            let whole = |path: &Path| path.canonicalize().expect("there");
            assert_eq!(whole(&folder), whole(&run), "{place}");
        }
        for place in [
            "runs/one/checkpoints",
            "runs/one/checkpoints/000001",
            "runs/one/arena/new/deep",
            "runs/one/workers",
            "runs/one/workers/w/games",
            "link/checkpoints",
        ] {
            let error = found(&data.path().join(place)).expect_err(place);
            assert!(error.contains(": within the run "), "{place}: {error}");
        }
        let error = found(&data.path().join("runs")).expect_err("no run");
        assert!(error.contains("runs: it holds "), "{error}");
        // What lies beside runs, and a manifest of something else above.
        std::fs::write(data.path().join("manifest.json"), "{}").expect("written");
        assert_eq!(found(&data.path().join("runs/two")), Ok(None));
        let net = data.path().join("net");
        std::fs::create_dir(&net).expect("made");
        std::fs::write(net.join("model.json"), "").expect("written");
        assert!(
            found(&net.join("games"))
                .expect_err("refused")
                .contains("not a run")
        );
    }
}
