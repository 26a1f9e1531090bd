//! `tafl selfplay`: self-play alone, as a worker or for one generation.

use crate::args::{ConfigSource, run_named};
use crate::hint::hinted;
use crate::nets::checkpoint_named;
use crate::observer::Terminal;
use crate::output::pasted;
use crate::process::{self, ExitCode};
use crate::text::ended_text;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tafl_config::FolderName;
use tafl_training::{Loaded, WORKER, WorkerJob, learning_run, play_generation, tell_ended, work};

/// Games in a shard where nothing else is said.
const SHARD_GAMES: u32 = 100;

/// How a worker goes on that was stopped.
const AGAIN: &str = "the same command plays on";

const ABOUT: &str = "\
With --checkpoint, --out RUN or a worker option (--worker, --games, --shards, --shard-games, --shard-seconds) a worker plays until it is stopped. \
Otherwise, or with --generation, one generation is played, with the config's number of games.

Any number of workers on any machines may write to one folder, each under a name of its own. A shard is a file \
games/<generation>/<worker>-<random number>-<shard>.parquet, with games that began with one checkpoint.
--out RUN adds games to a run that trains in asynchronous mode, until that has its last checkpoint.

Ctrl-C, SIGTERM or SIGHUP stops a worker after it has written its finished games; games in progress are lost. A killed \
worker leaves its finished games in in-progress/; the next start with the same --worker writes them (with --games 0 it does \
only that).";

#[derive(Debug, clap::Args)]
#[command(after_help = ABOUT)]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Checkpoint that plays; or a run or a folder of checkpoints, to use the newest, and newer ones as they appear.
    /// Default: those of the run that --out names, else an untrained network.
    #[arg(long, value_name = "DIR", value_parser = checkpoint_named)]
    checkpoint: Option<PathBuf>,
    /// Wait for the run that --out names, and for the first checkpoint, if they are not there yet; CONFIG is not waited for.
    #[arg(long, alias = "watch")]
    wait: bool,
    /// Output folder, for games/ and the rulesets of its games that are not built in.
    #[arg(long, visible_alias = "output", value_name = "DIR")]
    out: PathBuf,
    /// Name of the worker, and prefix of its shards' names; default: that of its folder RUN/workers/NAME, or the machine's.
    #[arg(long, value_name = "NAME")]
    worker: Option<String>,
    /// Games per shard; default: 100. Also written when all games begun by an older checkpoint have ended, and at the end.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    shard_games: Option<u32>,
    /// Seconds after its first game at which a shard is written, full or not; default: no limit.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    shard_seconds: Option<u64>,
    /// Stop after this many games; default: no limit.
    #[arg(long)]
    games: Option<u64>,
    /// Stop after the games of this many full shards.
    #[arg(long, conflicts_with = "games")]
    shards: Option<u32>,
    /// Play one generation instead, with the config's number of games; the result is repeatable and goes to
    /// `games/<generation>/games.parquet`. Default: 0.
    #[arg(long, conflicts_with_all = ["wait", "worker", "shard_games", "shard_seconds", "games", "shards"])]
    generation: Option<u32>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let config = args.source.path();
    if args.wait && !config.exists() {
        let error = format!("{}: no such file or folder", config.display());
        let advice = "--wait waits for the run, not for CONFIG: give the config that the run is trained with";
        return Err(hinted(error, advice));
    }
    let loaded = args.source.load_for_games()?;
    if let Some(run) = run_named(&args.out) {
        let (out, run) = (args.out.display(), pasted(&run));
        eprintln!("Note: --out {out} is a new folder; the run of that name is {run}.");
    }
    // A run learns from those of workers.
    if args.generation.is_none() && (args.is_of_worker() || learning_run(&args.out)?.is_some()) {
        return play_shards(args, &loaded);
    }
    play_one(args, &loaded, args.generation.unwrap_or(0))
}

impl Args {
    fn is_of_worker(&self) -> bool {
        self.checkpoint.is_some()
            || self.wait
            || self.worker.is_some()
            || self.games.is_some()
            || self.shard_seconds.is_some()
            || self.shard_games.or(self.shards).is_some()
    }
}

fn play_shards(args: &Args, loaded: &Loaded) -> anyhow::Result<ExitCode> {
    let name = args.worker.clone().or_else(|| folder_of_worker(&args.out));
    let name = name.unwrap_or_else(process::machine_name);
    if !FolderName::is(&name) {
        let message = format!("--worker: {name:?} is not a valid folder name");
        return Err(hinted(message, format!("use {}", FolderName::FORM)));
    }
    if name == WORKER {
        let message = format!("--worker: {name} is reserved for runs");
        return Err(hinted(message, "use another --worker NAME"));
    }
    let shard_games = args.shard_games.unwrap_or(SHARD_GAMES);
    let of_shards = |shards| u64::from(shards) * u64::from(shard_games);
    let worker = (args.out.clone(), name.clone());
    let asked = process::end_when_asked(AGAIN, move || tell_ended(&worker.0, &worker.1))?;
    let terminal = Terminal::of_worker();
    let job = WorkerJob {
        config: &loaded.config,
        rules: &loaded.rules,
        checkpoint: args.checkpoint.as_deref(),
        wait: args.wait,
        out: &args.out,
        name: &name,
        shard_games,
        shard_time: args.shard_seconds.map(Duration::from_secs),
        games: args.games.or(args.shards.map(of_shards)),
        asked,
        rest: &AtomicBool::new(false),
        observer: &terminal,
        follow: &|_| {},
    };
    let written = work(&job)?;
    println!("games    {} in {} shards", written.games, written.shards);
    println!("samples  {} in {}", written.samples, args.out.display());
    let is_done = job.games.is_some_and(|games| written.games >= games);
    if is_done || !asked.load(Ordering::Relaxed) {
        return Ok(ExitCode::SUCCESS);
    }
    process::tell_stopped(AGAIN);
    Ok(ExitCode::from(process::INTERRUPTED))
}

/// Returns the name of the worker whose folder is `RUN/workers/NAME`.
fn folder_of_worker(out: &Path) -> Option<String> {
    let is_of_run = out.parent()?.ends_with("workers");
    is_of_run.then(|| Some(out.file_name()?.to_str()?.to_owned()))?
}

fn play_one(args: &Args, loaded: &Loaded, generation: u32) -> anyhow::Result<ExitCode> {
    process::end_on_interrupt("nothing was written; the same command starts again".to_owned())?;
    let terminal = Terminal::default();
    let place = (&*args.out, generation);
    let (summary, written) = play_generation(loaded, args.checkpoint.as_deref(), place, &terminal)?;
    println!("games    {}: {}", summary.games, ended_text(&summary.ended));
    println!("samples  {}", summary.samples);
    println!("file     {}", written.path.display());
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hinted;
    use clap::Parser;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn a_run_that_is_to_come_is_no_config_to_wait_for() {
        let words = "selfplay no/run --out no/run --wait".split(' ');
        let line = Line::try_parse_from(words).expect("a line");
        let error = run(&line.args).expect_err("no config");
        assert_eq!(error.to_string(), "no/run: no such file or folder");
        let hint = error.downcast::<Hinted>().expect("a hint").hint;
        assert!(hint.contains("not for CONFIG"), "{hint}");
    }
}
