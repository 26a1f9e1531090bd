//! What a user can do about an error of the libraries, in the words of the command line.

use crate::hint::{Hinted, put_back};
use crate::nets::checkpoint_named;
use crate::output::pasted;
use std::error::Error;
use std::path::{Component, Path, PathBuf};
use tafl_config::{ConfigError, Fault, Faults, FolderName, nearest};
use tafl_dataset::DatasetError;
use tafl_network::{CheckpointError, NetworkError, RulesetCard, keeps_optimizer, load_network};
use tafl_rules::known_names;
use tafl_samples::PlayerId;
use tafl_store::{StoreError, checkpoints, is_checkpoint};
use tafl_studies::StudiesError;
use tafl_training::{RUN_CONFIG, RunError, RunPart, SourceError, StoredConfigFor, WorkerError};

/// Returns advice about one of the causes of an error.
pub(crate) fn about(cause: &(dyn Error + 'static)) -> Option<String> {
    if let Some(hinted) = cause.downcast_ref::<Hinted>() {
        return Some(hinted.hint.clone());
    }
    if let Some(error) = cause.downcast_ref() {
        return about_files(error);
    }
    match cause.downcast_ref() {
        Some(DatasetError::Store(error)) => return about_files(error),
        Some(DatasetError::OtherSchema { .. }) => return Some(OLDER.to_owned()),
        _ => {}
    }
    if let Some(NetworkError::NotFinite { step, part }) = cause.downcast_ref() {
        return Some(about_numbers(*step, part).to_owned());
    }
    if let Some(CheckpointError::OtherVersion(..)) = cause.downcast_ref() {
        return Some(OTHER_NETWORK.to_owned());
    }
    if let Some(NetworkError::NoLibtorch(_)) = cause.downcast_ref() {
        return Some(WITH_LIBTORCH.to_owned());
    }
    if let Some(error) = cause.downcast_ref() {
        return Some(about_run(error));
    }
    if let Some(error) = cause.downcast_ref() {
        return Some(about_worker(error));
    }
    if let Some(error) = cause.downcast_ref() {
        return about_studies(error);
    }
    if let Some(faults) = cause.downcast_ref() {
        let advice = about_players(faults).or_else(|| about_list(faults));
        return advice.or_else(|| about_own_config(faults));
    }
    cause.downcast_ref().map(about_source)
}

/// Returns what to do about a config that names a network as the command line does, where it must give the folder.
fn about_players(faults: &Faults) -> Option<String> {
    let network = |error: &ConfigError| {
        let is_player = error.field.starts_with("players[") && error.field.ends_with("].player");
        let reason = match &*error.field {
            "ladder.pool" => error.reason.strip_prefix("unknown baseline ")?,
            _ if is_player => error.reason.as_str(),
            _ => return None,
        };
        let (name, rest) = reason.strip_prefix('"')?.split_once('"')?;
        if let Some(last) = last_of_run(rest) {
            let whole = Path::new(name).join(last);
            return Some(format!(
                "{name} is a run, whose last checkpoint is {whole:?}"
            ));
        }
        let folder = checkpoint_named(name).ok()?;
        let tried = rest.split_once("no checkpoint in ");
        let seen = tried.and_then(|(_, place)| {
            let place = Path::new(place.split(';').next()?);
            Some(format!(": {:?}", seen_from(place.parent()?, &folder)?))
        });
        is_checkpoint(&folder).then(|| {
            format!(
                "the network {name} is {}; a config names its folder, as seen from the config{}",
                folder.display(),
                seen.unwrap_or_default()
            )
        })
    };
    faults.0.iter().find_map(|fault| network(&fault.error))
}

/// Returns where the last checkpoint is within the folder that is said to have no `model.json`.
fn last_of_run(said: &str) -> Option<PathBuf> {
    let (_, place) = said.split_once("nor a checkpoint (")?;
    let run = place.strip_suffix(" has no model.json)")?;
    let (_, last) = checkpoints(Path::new(run)).ok()?.pop()?;
    last.strip_prefix(run).ok().map(Path::to_owned)
}

/// Returns where something is, as seen from a folder.
fn seen_from(folder: &Path, path: &Path) -> Option<PathBuf> {
    let whole = |it: &Path| Path::new(".").join(it).canonicalize().ok();
    let [folder, path] = [whole(folder)?, whole(path)?];
    let both = folder.components().zip(path.components());
    let common = both.take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common);
    let up = up.map(|_| Component::ParentDir);
    Some(up.chain(path.components().skip(common)).collect())
}

/// Returns how `--set` gives a list, where words were given without brackets, or with quotes that the shell took.
fn about_list(faults: &Faults) -> Option<String> {
    let list = |fault: &Fault| {
        let error = fault.text.starts_with("--set ").then_some(&fault.error)?;
        let reason = error.reason.strip_prefix("expected list")?;
        let (_, found) = reason.split_once(", each: string, found ")?;
        let words = found.split(',');
        let words = words.map(|it| it.trim_matches(['"', '\'', '[', ']', ' ']));
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
        let list = words.join(", ");
        (!words.is_empty()).then(|| format!("a list is given as --set '{}=[{list}]'", error.field))
    };
    faults.0.iter().find_map(list)
}

/// Returns what to do about the config of a run with a field that no run has: the run did not write it so.
fn about_own_config(faults: &Faults) -> Option<String> {
    let mut found = faults.0.iter();
    let fault = found.find(|fault| fault.error.reason.starts_with("unknown field"))?;
    let config = Path::new(fault.text.split_once(": ")?.0);
    let is_of_run = config.ends_with(RUN_CONFIG) && config.with_file_name("manifest.json").exists();
    is_of_run.then(|| about_run(&RunError::ConfigChanged(config.to_owned())))
}

/// What to do about files of another version.
const OLDER: &str = "the version of Taflforge that made it goes on with it";

/// What to do about a network of another version.
const OTHER_NETWORK: &str =
    "use it with the version of Taflforge that wrote it: an older network with 0.1";

/// What to do about what only libtorch can.
const WITH_LIBTORCH: &str = "the repository's ./scripts/tafl builds the program with it; of the Python package, taflforge[train] has it";

/// Returns what to do about a part of a training step that is no finite number.
fn about_numbers(step: u64, part: &str) -> &'static str {
    match (step, part) {
        (_, "the sum of the losses") => "trainer.reply_weight may be too large",
        (0, _) => {
            "no step was made yet, so the learning rate is not the cause: look at the weights that it began with"
        }
        _ => {
            "`tafl train RUN --resume --set trainer.learning_rate.peak=NUMBER` goes on from the last checkpoint, with a \
             lower one"
        }
    }
}

fn about_files(error: &StoreError) -> Option<String> {
    match error {
        StoreError::OtherFormat { is_run: true, .. } => Some(format!(
            "{OLDER}; `tafl train CONFIG --run NAME --from CHECKPOINT` begins a new run from its network"
        )),
        StoreError::OtherFormat { .. } => Some(format!("{OLDER}; use another folder")),
        StoreError::RulesetChanged {
            path, fingerprint, ..
        } => {
            let mut above = path.ancestors();
            let folder = above.find(|it| it.join("manifest.json").is_file())?;
            let other = format!("{}-{fingerprint:.8}", folder.display());
            Some(format!(
                "the same command with `--folder {}` plays by the rules as they are now",
                pasted(Path::new(&other))
            ))
        }
        // Of a tournament or a study; a run has a name instead.
        StoreError::Differs { advice, .. } => {
            Some(advice.replace("another folder", "another --folder"))
        }
        error => error.hint().map(str::to_owned),
    }
}

/// Returns what gives a player another name; of two with one name only a network or an engine can have one.
fn about_same_name(given: &str, name: &str) -> String {
    match PlayerId::from(name) {
        PlayerId::Network { visits, .. } => format!(
            "networks are named after run, generation and visits: `{given}@visits={}` has another name, and so has a run that \
             was trained with --run NAME. At equal visits, change `run` in model.json of a copy of the folder; the copy of \
             a run's checkpoint needs the run's {RUN_CONFIG} in it",
            visits + 1
        ),
        PlayerId::Baseline(_) => "give it once: nobody plays himself here".to_owned(),
        PlayerId::Checkpoint(_) | PlayerId::Other(_) => "name engines by --engine-name".to_owned(),
    }
}

fn about_studies(error: &StudiesError) -> Option<String> {
    Some(match error {
        StudiesError::Pruned(folder) => format!(
            "`tafl report {}` shows it; --set name=NAME plays a study of your own",
            pasted(folder)
        ),
        StudiesError::NotCounted { .. } => {
            "play it with all its openings, players and rulesets first; or remove the files of games that are not to count"
                .to_owned()
        }
        StudiesError::LeavesOut {
            renamed: Some([name, now]),
            ..
        } => format!(
            "{now} has the same rules: with `name = \"{name}\"` in its file the study goes on; or use another --folder"
        ),
        StudiesError::LeavesOut { .. } => {
            "--folder plays fewer in a folder of their own; with these the study goes on".to_owned()
        }
        StudiesError::SameName { given, name } => about_same_name(given, name),
        StudiesError::OtherVariant { .. } => {
            "give it another name, or use another --folder".to_owned()
        }
        StudiesError::OtherRun { run, .. } => format!(
            "remove {}, to train it again as the variant says, or add a variant with these values",
            run.display()
        ),
        StudiesError::FailedRuns { .. } => {
            "the same command tries them again; give other values to a variant of another name"
                .to_owned()
        }
        StudiesError::OwnField(_) => {
            "--seeds says how many seeds; --set seed=N is the first".to_owned()
        }
        StudiesError::OfMatches(_) => "--set changes it for all variants".to_owned(),
        StudiesError::Variants { field, .. } if *field == "variants" => {
            "give each value of a field once; a sweep config gives its variants names of its own"
                .to_owned()
        }
        StudiesError::NoOpening { .. } | StudiesError::Variants { .. } => return None,
    })
}

fn about_run(error: &RunError) -> String {
    let text = match error {
        RunError::Name(_) => return format!("use {}", FolderName::FORM),
        RunError::NoConfig(_) => "put the file back, or use --run NAME to start another run",
        RunError::NoManifest(run) if checkpoints(run).is_ok_and(|it| !it.is_empty()) => {
            return put_back("manifest.json");
        }
        RunError::NoManifest(_) => {
            "no checkpoint is in it: --run NAME starts a run in another folder"
        }
        RunError::NoRun(..) => "--run NAME starts a run in another folder",
        RunError::Exists(_) => "use --resume to continue it, or --run NAME to start another",
        RunError::HoldsGames(_) => {
            "a run learns from all games in its folder: move games/ and workers/ away, or use --run NAME for another"
        }
        RunError::Missing(_) => "omit --resume to start it",
        RunError::Damaged(RunPart::Manifest, _) => return put_back("manifest.json"),
        RunError::Damaged(RunPart::Games, _) => {
            "put the file back from a copy, or remove it: the run then goes on without it"
        }
        RunError::Damaged(RunPart::Pool, _) => "put the file back from a copy",
        RunError::Damaged(RunPart::Metrics, _) => {
            "put the file back from a copy, or remove it: the run goes on without what was measured before"
        }
        RunError::Damaged(RunPart::Checkpoint(folder), _) => return about_checkpoint(folder),
        RunError::ConfigChanged(config) => {
            let resume = resume(config.parent());
            let put_back = put_back(RUN_CONFIG);
            return format!("{put_back}; with it, `{resume} --set FIELD=VALUE` changes a field");
        }
        RunError::OtherFields(config, _) => {
            let resume = resume(config.parent());
            return format!(
                "`{resume}` goes on with the run's own config; --run NAME starts another run"
            );
        }
        RunError::OtherRules {
            is_shipped,
            program,
            ..
        } => return about_rules(*is_shipped, program),
        RunError::Shorter { folder, .. } => {
            let resume = resume(Some(folder));
            return format!("`{resume}` goes on with the run's own config");
        }
        RunError::NoSamples => "raise loop.games or selfplay.full_search_fraction",
        RunError::Memory(_) => {
            "lower runner.parallel_games, runner.workers, search.visits, network.* or loop.batch_size"
        }
    };
    text.to_owned()
}

/// Returns what to do about rules that are not those of a run, which a version of the program began.
fn about_rules(is_shipped: bool, version: &str) -> String {
    match is_shipped {
        true => format!(
            "tafl {version}, which began the run, goes on with it; `tafl train CONFIG --run NAME --from CHECKPOINT` begins \
             another with its weights"
        ),
        false => format!(
            "put the file back from a copy; where it is as it was, tafl {version}, which began the run, goes on with it"
        ),
    }
}

/// Returns what to do about a run that cannot go on from its last checkpoint.
fn about_checkpoint(folder: &Path) -> String {
    let run = folder.ancestors().nth(2).unwrap_or(folder);
    let mut before = checkpoints(run).unwrap_or_default();
    before.retain(|(_, it)| it.as_path() < folder);
    // Without the optimizer's state the run does not go on from that either, nor from those before it.
    if before.last().is_some_and(|(_, it)| keeps_optimizer(it)) {
        return format!(
            "put it back from a copy, or remove {}: the run goes on from the checkpoint before it, and leaves out the games that it played",
            folder.display()
        );
    }
    let before = before.iter().rev().map(|(_, it)| it.as_path());
    let mut there = std::iter::once(folder).chain(before);
    let whole = there.find(|it| load_network(it).is_ok());
    let from = pasted(whole.unwrap_or(Path::new("CHECKPOINT")));
    let config = pasted(&run.join(RUN_CONFIG));
    format!(
        "put it back from a copy; no earlier checkpoint goes on learning either, but `tafl train {config} --run NAME --from \
         {from}` begins a new run with its weights"
    )
}

/// Returns the command that goes on with the run in a folder.
fn resume(run: Option<&Path>) -> String {
    let run = run.unwrap_or(Path::new("RUN"));
    format!("tafl train {} --resume", pasted(run))
}

fn about_worker(error: &WorkerError) -> String {
    let text = match error {
        WorkerError::NoRun(_) | WorkerError::NoFolder(_) | WorkerError::HoldsOthers(..) => {
            "--out names the folder of a run, or a new one"
        }
        WorkerError::WithinRun(_, run) => {
            let [run, worker] = [run.clone(), run.join("workers/NAME")].map(|it| pasted(&it));
            return format!("give --out {run}, or --out {worker}");
        }
        WorkerError::Synchronous(_) => {
            "workers play for a run whose config has [loop.asynchronous]; give another --out to keep games by themselves"
        }
        WorkerError::OtherRuleset(folder, _) => {
            let config = folder.join(RUN_CONFIG);
            return format!("give the run's own config: {}", config.display());
        }
        WorkerError::NoRunYet(_) => {
            "start its training first, or add --wait; another --out keeps games by themselves"
        }
        WorkerError::NotApart(_) => "--generation plays into a folder of its own",
        WorkerError::NothingToWaitFor(_) => "give --checkpoint, or --out RUN or RUN/workers/NAME",
        WorkerError::Purged(run, _) => {
            return format!(
                "use another --worker NAME; to take it back, remove its name from {} and resume the run",
                run.join("purged-workers.txt").display()
            );
        }
        WorkerError::RunGone(_) => {
            "its games are kept where it is now; start the worker again with that folder"
        }
        WorkerError::NameInUse(..) | WorkerError::NoStatus(_) => "use another --worker NAME",
        WorkerError::NoCheckpoint(_) => {
            "give a checkpoint, a folder of checkpoints, or a run; --wait waits for the first one"
        }
        WorkerError::Unwritten(_) => {
            "its games are kept in in-progress/; the next start of this worker writes them"
        }
        WorkerError::LeftGames(..) => {
            "start the worker with the config of these games, or put their rulesets back as they were; or move the file away"
        }
        WorkerError::Exists(_) => "use another --generation or --out",
    };
    text.to_owned()
}

fn is_weights(file: &Path) -> bool {
    file.extension().is_some_and(|it| it == "safetensors")
}

fn about_unknown_ruleset(name: &str) -> String {
    let known = known_names().collect::<Vec<_>>().join(", ");
    let others = format!("use one of {known}, or a path to a .toml file");
    let file = format!("{name}.toml");
    let is_file = Path::new(&file).is_file();
    let meant = is_file.then_some(&*file);
    match meant.or_else(|| nearest(&name.to_lowercase(), known_names())) {
        Some(meant) => format!("did you mean {meant}? if not, {others}"),
        None => others,
    }
}

/// Returns what to do about games whose rules are not kept; where a file of them is looked for, as seen from another file.
fn about_kept(near: &Path, file: &str) -> String {
    let beside = near.with_file_name(file);
    format!(
        "use --ruleset FILE; or put a copy of the ruleset's file, as it was then, there as {}",
        beside.display()
    )
}

fn about_source(error: &SourceError) -> String {
    if let SourceError::NoCheckpoint(run) = error
        && let Some((_, last)) = checkpoints(run).unwrap_or_default().pop()
    {
        return format!("it is a run, whose last checkpoint is {}", pasted(&last));
    }
    let text = match error {
        SourceError::NoCheckpoint(file) if is_weights(file) => {
            "`tafl train CONFIG --from FILE` makes checkpoints of the weights of a PyTorch module"
        }
        SourceError::NoFolder(_) | SourceError::NoCheckpoint(_) => {
            "a checkpoint is a folder such as data/runs/quickstart/checkpoints/000008 or data/nets/copenhagen"
        }
        SourceError::LearnedRuleset(..) => {
            "use --ruleset FILE; `export` takes it once for each ruleset"
        }
        SourceError::NothingLearned(_) => "use --ruleset FILE",
        SourceError::PlayedRuleset(file, RulesetCard { name, .. }) => {
            return about_kept(file, &format!("rulesets/{name}.toml"));
        }
        SourceError::ChangedRuleset { kept, ruleset, .. } => {
            let RulesetCard { name, fingerprint } = ruleset;
            return about_kept(kept, &format!("{name}-{fingerprint}.toml"));
        }
        SourceError::OtherRules { is_kept: true, .. } => {
            "without --ruleset games are read by their own rules, which are kept beside them or compiled in"
        }
        SourceError::OtherRules { file, .. } => {
            return format!(
                "put the ruleset's file back as it was; or `tafl rules fit {} --base RULESET` finds the rules of the games",
                pasted(file)
            );
        }
        SourceError::Ruleset(name) => return about_unknown_ruleset(name),
        SourceError::RulesetField(field, known) => {
            return match nearest(field, known.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("fields: {}", known.join(", ")),
            };
        }
        SourceError::StoredConfig(purpose, _) => match purpose {
            StoredConfigFor::Resume => {
                "a run of another version cannot be resumed; `tafl train CONFIG --run NAME --from CHECKPOINT` \
                 continues with its weights"
            }
            StoredConfigFor::Worker => {
                "a worker must know how its run plays; give another --out to keep games by themselves"
            }
            StoredConfigFor::Prune => {
                "this program cannot tell what the run needs; it removes nothing"
            }
            StoredConfigFor::Search => {
                "use --search CONFIG, such as configs/quickstart.toml, if the run is from another version"
            }
            StoredConfigFor::Pool => {
                "leave this checkpoint out of ladder.pool, if its run is from another version"
            }
            StoredConfigFor::Rules => "--ruleset FILE names the rules",
        },
        SourceError::Bf16(_) => {
            "use another precision, such as int8 on CPUs: `--set precision=int8`"
        }
        SourceError::Cuda(_) => {
            "scripts/setup-libtorch --cuda installs the CUDA libraries; --set device=cpu does without"
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ruleset_file_without_its_ending_is_meant() {
        let hint = about(&SourceError::Ruleset("Cargo".to_owned())).expect("a hint");
        assert!(hint.starts_with("did you mean Cargo.toml?"), "{hint}");
    }

    #[test]
    fn a_ruleset_that_was_edited_is_told_a_folder_for_its_games() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("it");
        std::fs::create_dir(&folder).expect("made");
        std::fs::write(folder.join("manifest.json"), "{}").expect("written");
        for path in ["rulesets/mine.toml", "manifest.json"] {
            let error = StoreError::RulesetChanged {
                path: folder.join(path),
                name: "mine".to_owned(),
                fingerprint: "0123456789abcdef".into(),
                fields: Vec::new(),
                advice: "use another folder",
            };
            let hint = about(&error).expect("a hint");
            let other = format!("`--folder {}-01234567` plays", folder.display());
            assert!(hint.contains(&other), "{hint}");
        }
    }

    #[test]
    fn a_ruleset_whose_name_another_has_goes_beside_that() {
        let error = SourceError::ChangedRuleset {
            kept: "games/rulesets/mine.toml".into(),
            file: "games/games/000000/games.parquet".into(),
            ruleset: RulesetCard {
                name: "mine".to_owned(),
                fingerprint: "00000000000000ff".to_owned(),
            },
        };
        let hint = about(&error).expect("a hint");
        let place = " as games/rulesets/mine-00000000000000ff.toml";
        assert!(hint.ends_with(place), "{hint}");
    }

    #[test]
    fn a_network_that_is_named_in_a_pool_is_told_its_folder() {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/quickstart.toml");
        let change = "ladder.pool=['copenhagen']".parse().expect("a change");
        let error = tafl_training::load(&config, &[change]).expect_err("a name");
        let hint = error.chain().find_map(about).expect("a hint");
        let expected = "as seen from the config: \"../data/nets/copenhagen\"";
        assert!(hint.ends_with(expected), "{hint}");
    }

    #[test]
    fn a_list_that_is_given_as_words_is_told_with_brackets() {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/quickstart.toml");
        for (given, list) in [
            ("ladder.pool=random", r#"ladder.pool=["random"]"#),
            ("rulesets=[tablut]", r#"rulesets=["tablut"]"#),
            (
                "rulesets=tablut, brandubh",
                r#"rulesets=["tablut", "brandubh"]"#,
            ),
        ] {
            let change = tafl_config::Change {
                given_by: "--set".to_owned(),
                ..given.parse().expect("a change")
            };
            let error = tafl_training::load(&config, &[change]).expect_err("no list");
            let hint = error.chain().find_map(about).expect("a hint");
            assert_eq!(hint, format!("a list is given as --set '{list}'"));
        }
    }
}
