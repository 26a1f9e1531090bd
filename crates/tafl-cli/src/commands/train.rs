//! `tafl train`: the whole loop, which is `tafl_training::train`.

use super::workers::table_of;
use crate::args::{ConfigSource, DataFolder};
use crate::hint::hinted;
use crate::nets::checkpoint_named;
use crate::observer::Terminal;
use crate::output::{command, pasted, quoted, shown};
use crate::process::{self, ExitCode};
use crate::text;
use anyhow::ensure;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_studies::{Resampling, checkpoint_ratings, ladder_standings};
use tafl_training::{Begin, Run, RunError, WORKER, load_origin, tell_ended, train, workers};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Name of the run's folder; default: a run's own, or the config's name.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Continue a stopped run; complete files are kept, also matches by other settings, which no longer count.
    #[arg(long)]
    resume: bool,
    /// Start from the weights of this checkpoint instead of random ones, or from a file of weights that a module of
    /// `tafl export --format pytorch` saved; the network must have the config's size. With --resume, used only if the run
    /// has no checkpoint yet.
    #[arg(long, value_name = "PATH", value_parser = checkpoint_named)]
    from: Option<PathBuf>,
    /// Play no games here, only learn from those of workers (`tafl selfplay`); for asynchronous runs.
    #[arg(long)]
    workers_only: bool,
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let loaded = args.source.load()?;
    let from = args.from.as_deref();
    let from = from.map(|path| load_origin(path, &loaded)).transpose()?;
    let begin = if args.resume {
        Begin::Resume
    } else {
        Begin::New
    };
    let training_loop = &loaded.config.training_loop;
    let side_by_side = training_loop.asynchronous.is_some();
    if args.workers_only && !side_by_side {
        return Err(without_workers(args.resume));
    }
    let terminal = Arc::new(Terminal::of_run(training_loop.generations, side_by_side));
    let mut run = match args.folder()? {
        Some(folder) => Run::open_folder(loaded, folder, terminal)?,
        None => Run::open(
            loaded,
            &args.data.path,
            args.run.as_deref(),
            begin,
            terminal,
        )?,
    };
    run.plays = !args.workers_only;
    let mut again = format!("{} train {} --resume", command(), pasted(run.folder()));
    again += if run.plays { "" } else { " --workers-only" };
    let folder = run.folder().to_owned();
    process::end_on_interrupt_with(again, move || tell_ended(&folder, WORKER))?;
    introduce(&run);

    let matches = train(&run, from.as_ref())?;

    match ladder_standings(&matches, run.rules.listed(), Resampling::NONE)? {
        Some(standings) => {
            run.record_ladder(&checkpoint_ratings(&matches, &standings))?;
            println!("{}", text::standings_tables(&standings));
        }
        None => println!("No matches were played."),
    }
    let workers = workers(run.folder())?;
    if workers.keys().any(|name| name != WORKER) {
        println!("{}", table_of(&workers));
    }
    println!("{}", summary(&run));
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Returns the folder of the run that goes on, if that or its own config was given; by another name the config is one
    /// for another run.
    fn folder(&self) -> anyhow::Result<Option<&Path>> {
        let Some(folder) = self.source.run() else {
            return Ok(None);
        };
        let is_config = self.source.path().is_file();
        let is_named = self.source.sets("name");
        if is_config && (is_named || self.run.is_some()) {
            return Ok(None);
        }
        if is_config && !self.resume {
            return Err(RunError::Exists(folder.to_owned()).into());
        }
        ensure!(
            self.resume && self.run.is_none(),
            "{} is a run: it goes on with --resume and without --run",
            shown(folder)
        );
        if is_named {
            let error = format!(
                "--set name: the run {} is named after its folder",
                shown(folder)
            );
            let advice = "rename the folder, while nobody works on the run";
            return Err(hinted(error, advice));
        }
        Ok(Some(folder))
    }
}

/// Returns the error of a synchronous run that was to learn from workers.
fn without_workers(resumes: bool) -> anyhow::Error {
    let advice = match resumes {
        true => {
            "a run that is synchronous stays so: without --workers-only it goes on; `tafl train CONFIG --run NAME --from \
             CHECKPOINT` begins another with its weights"
        }
        false => "add the section, or --set loop.asynchronous.checkpoint_steps=100",
    };
    let error =
        "--workers-only: the config has no [loop.asynchronous], so no worker can play for it";
    hinted(error, advice)
}

/// Says on stderr what begins.
fn introduce(run: &Run) {
    let (config, size) = (&run.config, run.rules[0].shape().size());
    let rulesets = run.rules.listed().iter();
    let rulesets = rulesets.map(|rules| rules.ruleset().name.as_str());
    eprintln!(
        "{}: {} on {size}x{size}, network of {}x{}, {} in {}, seed {}",
        run.name,
        rulesets.collect::<Vec<_>>().join(", "),
        config.network.blocks,
        config.network.channels,
        config.device,
        run.compute,
        config.seed,
    );
    eprintln!("{}", shown(run.folder()));
    match run.last_checkpoint() {
        0 => {}
        last if last == config.training_loop.generations => {
            eprintln!(
                "generation {last} of {last} is done; --set loop.generations=N continues the run"
            );
        }
        last => eprintln!("resumed after generation {last}"),
    }
}

/// Returns where everything is, and what can be done next.
fn summary(run: &Run) -> String {
    let last = run.checkpoint_folder(run.config.training_loop.generations);
    let ruleset = &run.config.rulesets[0];
    let ruleset = match tafl_rules::preset_named(ruleset) {
        Some(_) => quoted(ruleset),
        None => pasted(&run.folder().join(ruleset)),
    };
    let ([folder, last], tafl) = ([run.folder(), &last].map(shown), command());
    let [to_play, to_report] = [&last, &folder].map(|path| quoted(path));
    format!(
        "run         {folder}\nlast        {last}\nplay it     {tafl} play --checkpoint {to_play} --ruleset {ruleset}\n\
         look at it  {tafl} report {to_report}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{Args, without_workers};
    use crate::hint::Hinted;
    use clap::Parser;
    use std::path::Path;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn a_run_begins_from_a_network_by_its_name() {
        let words = ["tafl", "configs/smoke.toml", "--from", "quickstart"];
        let from = Line::try_parse_from(words).expect("read").args.from;
        let from = from.expect("a network");
        assert!(from.ends_with("data/nets/quickstart"), "{}", from.display());
    }

    #[test]
    fn a_run_s_own_config_means_the_folder_that_holds_it() {
        let place = tempfile::tempdir().expect("a folder");
        let copy = place.path().join("copy");
        std::fs::create_dir(&copy).expect("made");
        let config = copy.join("config.toml");
        std::fs::write(&config, "name = 'base'").expect("written");
        let found = |path: &Path, more: &str| {
            let words = ["tafl".into(), path.as_os_str().to_owned()].into_iter();
            let words = words.chain(more.split_whitespace().map(Into::into));
            let args = Line::try_parse_from(words).expect("read").args;
            let folder = args.folder().map_err(|error| error.to_string());
            folder.map(|it| it.map(Path::to_owned))
        };
        assert_eq!(found(&config, "--resume"), Ok(None), "no run yet");
        std::fs::write(copy.join("manifest.json"), "{}").expect("written");
        for path in [&config, &copy] {
            assert_eq!(found(path, "--resume"), Ok(Some(copy.clone())));
        }
        let exists = format!("the run {} already exists", copy.display());
        assert_eq!(found(&config, ""), Err(exists));
        for other in ["--run other", "--set name=other", "--resume --run other"] {
            assert_eq!(found(&config, other), Ok(None), "{other}");
            assert!(found(&copy, other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_run_that_goes_on_is_not_told_to_become_asynchronous() {
        let hint = |resumes| {
            let error = without_workers(resumes).downcast::<Hinted>();
            error.expect("a hint").hint
        };
        assert!(!hint(true).contains("--set"), "{}", hint(true));
        assert!(hint(false).contains("--set"), "{}", hint(false));
    }
}
