//! What a user can do about an error of the libraries, in the words of the command line.

use std::error::Error;
use std::path::Path;
use tafl_config::{FolderName, nearest};
use tafl_dataset::DatasetError;
use tafl_store::StoreError;
use tafl_training::{
    Hinted, RUN_CONFIG, RunError, RunPart, SourceError, StoredConfigFor, WorkerError, ruleset_names,
};

/// Returns advice about one of the causes of an error.
pub(crate) fn about(cause: &(dyn Error + 'static)) -> Option<String> {
    if let Some(hinted) = cause.downcast_ref::<Hinted>() {
        return Some(hinted.hint().to_owned());
    }
    if let Some(error) = cause.downcast_ref() {
        return about_files(error);
    }
    if let Some(DatasetError::Store(error)) = cause.downcast_ref() {
        return about_files(error);
    }
    if let Some(error) = cause.downcast_ref() {
        return Some(about_run(error));
    }
    if let Some(error) = cause.downcast_ref() {
        return Some(about_worker(error));
    }
    cause.downcast_ref().map(about_source)
}

fn about_files(error: &StoreError) -> Option<String> {
    match error {
        StoreError::OtherFormat { .. } => {
            Some("use another folder; `tafl rules replay` reads the games in this one".to_owned())
        }
        error => error.hint().map(str::to_owned),
    }
}

fn about_run(error: &RunError) -> String {
    match error {
        RunError::Name { .. } => format!("use {}", FolderName::FORM),
        RunError::NoConfig { .. } => {
            "put the file back, or use --run NAME to start another run".to_owned()
        }
        RunError::Exists { .. } => {
            "use --resume to continue it, or --run NAME to start another".to_owned()
        }
        RunError::Missing { .. } => "omit --resume to start it".to_owned(),
        RunError::Damaged { part, .. } => match part {
            RunPart::Manifest => format!(
                "put manifest.json back from a copy; without it, {ANOTHER_RUN} continues with the weights of the last checkpoint"
            ),
            RunPart::Games => {
                "put the file back from a copy, or remove it: the run then goes on without it".to_owned()
            }
            RunPart::Metrics => "put the file back from a copy, or remove it: the run goes on without what was \
                                 measured before"
                .to_owned(),
            RunPart::Checkpoint(folder) => format!(
                "put it back from a copy, or remove {}: the run goes on from the checkpoint before it",
                folder.display()
            ),
        },
        RunError::ConfigChanged { config } => format!(
            "put it back from a copy; `{} --set FIELD=VALUE` changes a field",
            resume(config.parent())
        ),
        RunError::OtherFields { config, .. } => format!(
            "`{}` goes on with the run's own config; --run NAME starts another run",
            resume(config.parent())
        ),
        RunError::Shorter { folder, .. } => format!(
            "`{}` goes on with the run's own config",
            resume(Some(folder))
        ),
        RunError::NoSamples => {
            "raise loop.synchronous.games or selfplay.full_search_fraction".to_owned()
        }
        RunError::Memory { .. } => {
            "lower runner.parallel_games, runner.workers, search.visits, network.* or loop.batch_size".to_owned()
        }
    }
}

/// Returns the command that goes on with the run in a folder.
fn resume(run: Option<&Path>) -> String {
    let run = run.unwrap_or(Path::new("RUN"));
    format!("tafl train {} --resume", run.display())
}

/// A run that goes on from the weights of another.
const ANOTHER_RUN: &str = "`tafl train CONFIG --run NAME --from CHECKPOINT`";

fn about_worker(error: &WorkerError) -> String {
    match error {
        WorkerError::NoRun { .. } => "--out names the folder of a run, or a new one".to_owned(),
        WorkerError::Synchronous { .. } => {
            "workers play for a run whose config has [loop.asynchronous]; give another \
                                            --out to keep games by themselves"
                .to_owned()
        }
        WorkerError::OtherRuleset { folder, .. } => {
            format!(
                "give the run's own config: {}/{RUN_CONFIG}",
                folder.display()
            )
        }
        WorkerError::NoCheckpoint { .. } => {
            "give a checkpoint, a folder of checkpoints, or a run; --wait waits for the first one"
                .to_owned()
        }
        WorkerError::Unwritten { .. } => {
            "its games are kept in in-progress/; the next start of this worker writes them"
                .to_owned()
        }
        WorkerError::LeftGames { .. } => {
            "start the worker with the config of these games, or move the file away".to_owned()
        }
        WorkerError::NoGames => {
            "use --games to play as a worker, or --set loop.synchronous.games=100".to_owned()
        }
        WorkerError::Exists { .. } => "use another --generation or --out".to_owned(),
    }
}

fn about_source(error: &SourceError) -> String {
    match error {
        SourceError::NoFolder { .. } | SourceError::NoCheckpoint { .. } => {
            "a checkpoint is a folder such as data/runs/quickstart/checkpoints/000008 or data/nets/copenhagen".to_owned()
        }
        SourceError::LearnedRuleset { .. } => "use --ruleset FILE".to_owned(),
        SourceError::Ruleset { .. } => format!(
            "use one of {}, or a path to a .toml file",
            ruleset_names().join(", ")
        ),
        SourceError::RulesetField { field, known } => match nearest(field, known.iter().copied()) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("fields: {}", known.join(", ")),
        },
        SourceError::StoredConfig { purpose, .. } => match purpose {
            StoredConfigFor::Resume => format!(
                "a run of another version cannot be resumed; {ANOTHER_RUN} continues with its weights"
            ),
            StoredConfigFor::Worker => "a worker must know how its run plays; give another --out to keep games by \
                                        themselves"
                .to_owned(),
            StoredConfigFor::Prune => {
                "this program cannot tell what the run needs; it removes nothing".to_owned()
            }
            StoredConfigFor::Search => {
                "use --search CONFIG, such as configs/quickstart.toml, if the run is from another version".to_owned()
            }
            StoredConfigFor::Rules => "--ruleset FILE names the rules".to_owned(),
        },
        SourceError::Bf16 { .. } => {
            "use another precision, such as int8 on CPUs: `--set precision=int8`".to_owned()
        }
        SourceError::Cuda { .. } => {
            "scripts/setup-libtorch --cuda installs the CUDA libraries; --set device=cpu does without".to_owned()
        }
    }
}
