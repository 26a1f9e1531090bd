//! `tafl arena`: matches of any number of players, or the ladder of a run.

use crate::args::DataFolder;
use crate::config::RunConfig;
use crate::engines::{EngineArgs, EngineSpec};
use crate::failure::hinted;
use crate::players::{self, PlayerName, PlayerSpec};
use crate::run::{Begin, Run};
use crate::standings::{Resampling, SprtRow, Standings};
use crate::tournament::{Entrant, Folder, Format, OpeningFile, Settings, Tournament, openings_for};
use crate::{config, ladder, rulesets, stages};
use anyhow::{Context, bail, ensure};
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tafl_arena::{Adjudication, SprtConfig, Verdict};
use tafl_rules::Rules;

/// Arguments of `tafl arena`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A player is the folder of a checkpoint, such as data/runs/quickstart/checkpoints/000028, with
visits of its own as .../000028@visits=100; the folder of a run, which stands for checkpoints
spread over it; or one of the baselines random, greedy, rollouts:VISITS and alphabeta:DEPTH.
Each opening is played twice, with sides changed. Draws include games cut at the limit of plies.
Ratings are relative to the first player. An --engine comes after the other players; it plays one
game after the other in each worker, and loses a game in which it crashes, hangs, or plays what is
not legal (forfeits.log in the folder says why). It is started anew for the next.

All games are stored in the tournament's folder. Only what is missing there is played, so that
a player, a ruleset or openings can be added, and a match that was stopped goes on.

With --sprt the exit code is 0 where the test accepts the first player as the stronger one, and
1 otherwise.")]
pub(crate) struct Args {
    /// The players; or the config of a run whose ladder is completed and shown.
    #[arg(required_unless_present = "engines", value_name = "PLAYER")]
    players: Vec<String>,
    /// Name of a ruleset, or path to a ruleset file; may be given several times.
    #[arg(long = "ruleset", value_name = "RULESET", default_value = "copenhagen")]
    rulesets: Vec<String>,
    /// Who meets whom.
    #[arg(long, value_enum, default_value = "round-robin")]
    format: Format,
    /// Openings of each match; without it as many as the config says, the file holds, or, with --sprt, up to 10000.
    #[arg(long)]
    openings: Option<u32>,
    /// File of openings, such as data/openings/copenhagen.txt; without it they are drawn from the seed.
    #[arg(long, value_name = "FILE")]
    openings_file: Option<PathBuf>,
    /// Random plies of an opening that is drawn; without it as many as the config says.
    #[arg(long, conflicts_with = "openings_file")]
    opening_plies: Option<u32>,
    /// Plies after which a game is cut and counts half; without it as many as the config says.
    #[arg(long)]
    max_plies: Option<u32>,
    /// End games where the last 3 searches of both players put win minus loss beyond this, 0 to 1; never without it.
    #[arg(long, value_name = "VALUE")]
    adjudicate: Option<f32>,
    /// Games that one worker plays at the same time; without it as many as the config says.
    #[arg(long)]
    parallel_games: Option<u32>,
    /// Worker threads, 0 for one a core; without it as many as the config says.
    #[arg(long)]
    workers: Option<u32>,
    /// Play two players until it is clear whether the first is ELO1 rather than ELO0 points stronger.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<SprtConfig>,
    /// Share of tests that may accept where ELO0 is the truth.
    #[arg(long, requires = "sprt", default_value_t = 0.05)]
    alpha: f64,
    /// Share of tests that may reject where ELO1 is the truth.
    #[arg(long, requires = "sprt", default_value_t = 0.05)]
    beta: f64,
    /// Checkpoints that the folder of a run stands for: the first, the last and some between.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    checkpoints: u32,
    /// Times that pairs are drawn anew for the second intervals; 0 for none.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    bootstrap: u32,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    /// Folder of the tournament; without it one below `arena/` of the data that is named after the settings.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Name of the run's folder, with a config.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    #[command(flatten)]
    search: players::SearchArgs,
    #[command(flatten)]
    data: DataFolder,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Openings of a sequential test that decides nothing before.
const MOST_SPRT_OPENINGS: u32 = 10_000;

/// Searches of each player that must agree before a game is adjudicated.
const ADJUDICATION_SEARCHES: u32 = 3;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let specs = args.specs()?;
    let engines = args.engines.specs()?;
    match &args.players[..] {
        [config] if config.ends_with(".toml") => {
            ensure!(
                engines.is_empty(),
                "--engine: the ladder of a run has no engines"
            );
            complete_ladder(args, Path::new(config))
        }
        _ if specs.len() + engines.len() < 2 => {
            let one = args.players.first().map_or("--engine", String::as_str);
            bail!("{one}: one player alone; give two, or the config of a run")
        }
        _ => play(args, &specs, &engines),
    }
}

fn complete_ladder(args: &Args, config: &Path) -> anyhow::Result<ExitCode> {
    ensure!(args.sprt.is_none(), "--sprt is for two players");
    let loaded = config::load(config, &[])?;
    let begin = Begin::Resume { unset: Vec::new() };
    let run = Run::open(loaded, &args.data.path, args.run.as_deref(), begin)?;
    let matches = stages::play_ladder(&run)?;
    match ladder::standings(&matches, &run.rules, args.resampling())? {
        Some(standings) => args.print(&standings)?,
        None => println!("No matches were played."),
    }
    Ok(ExitCode::SUCCESS)
}

fn play(args: &Args, specs: &[PlayerSpec], engines: &[EngineSpec]) -> anyhow::Result<ExitCode> {
    let sprt = args.sprt_config(specs.len() + engines.len())?;
    let load = |name: &String| rulesets::load_rules(name, Path::new("."));
    let rules = args
        .rulesets
        .iter()
        .map(load)
        .collect::<anyhow::Result<Vec<_>>>()?;
    check_rulesets(&rules)?;
    let names: Vec<&PlayerName> = specs.iter().map(|spec| &spec.player).collect();
    let mut config = args.search.config(&names)?;
    args.change(&mut config)?;
    let file = args.opening_file()?;
    let settings = Settings {
        seed: args.search.seed,
        opening_plies: file.is_none().then_some(config.arena.opening_plies),
        openings_sha256: file
            .as_ref()
            .map(|file| tafl_dataset::sha256_hex(file.text.as_bytes())),
        max_plies: config.arena.max_plies,
        adjudicate: args.adjudicate.map(|value| value.to_string()),
    };
    let count = match (sprt, args.openings) {
        (Some(_), None) if file.is_none() => Some(MOST_SPRT_OPENINGS),
        (_, count) => count,
    };
    let draw = |rules: &Arc<Rules>| {
        openings_for(rules, file.as_ref(), count, &config.arena, args.search.seed)
    };
    let openings = rules.iter().map(draw).collect::<anyhow::Result<Vec<_>>>()?;
    let path = args.folder(&settings);
    let mut folder = Folder::open(&path, &settings, &rules)?;
    let mut entrants = own_entrants(args, specs, &rules[0])?;
    for engine in engines {
        let report = Box::new(forfeit_log(&path));
        enter(
            &mut entrants,
            Entrant::engine(engine, &rules, report)?,
            &engine.line,
        )?;
    }
    let tournament = Tournament {
        entrants,
        rules,
        openings,
        arena: &config.arena,
        format: args.format,
        sprt,
        adjudication: args.adjudication()?,
    };
    let (meetings, sprt) = tournament.play(&mut folder)?;
    let mut standings = meetings.standings(args.resampling())?.sorted();
    standings.sprt = sprt.map(SprtRow::from);
    args.print(&standings)?;
    eprintln!("games in {}", folder.path().display());
    let accepted = sprt.is_none_or(|sprt| sprt.verdict() == Verdict::Accept);
    Ok(ExitCode::from(u8::from(!accepted)))
}

/// Makes our own players ready.
fn own_entrants(args: &Args, specs: &[PlayerSpec], rules: &Rules) -> anyhow::Result<Vec<Entrant>> {
    let mut entrants: Vec<Entrant> = Vec::new();
    for spec in specs {
        let config = args.search.config_of(spec)?;
        let entrant = Entrant::open(spec, &config, rules)?;
        enter(&mut entrants, entrant, &spec.player)?;
    }
    Ok(entrants)
}

/// Adds a player; no two may have one name.
fn enter(
    entrants: &mut Vec<Entrant>,
    entrant: Entrant,
    given: &impl Display,
) -> anyhow::Result<()> {
    if entrants.iter().any(|other| other.name == entrant.name) {
        return Err(hinted(
            format!("{given}: two players are called {:?}", entrant.name),
            "tables and files know players by run, generation and visits, engines by --engine-name",
        ));
    }
    entrants.push(entrant);
    Ok(())
}

/// Returns what prints why an engine lost a game otherwise than on the board, and keeps it in the tournament's folder.
fn forfeit_log(folder: &Path) -> impl Fn(&str) + Sync + 'static {
    let path = folder.join("forfeits.log");
    move |reason: &str| {
        eprintln!("{reason}");
        let file = OpenOptions::new().create(true).append(true).open(&path);
        // The game and the word for the reason are stored all the same.
        let _ = file.and_then(|mut file| writeln!(file, "{reason}"));
    }
}

/// Checks that no two rulesets share a name, and that all have one board.
fn check_rulesets(rules: &[Arc<Rules>]) -> anyhow::Result<()> {
    for (index, own) in rules.iter().enumerate() {
        let name = &own.ruleset().name;
        let earlier = &rules[..index];
        ensure!(
            earlier.iter().all(|other| other.ruleset().name != *name),
            "--ruleset {name} is given twice"
        );
        ensure!(
            earlier.iter().all(|other| other.shape() == own.shape()),
            "--ruleset {name}: its board is of another size than that of {}",
            rules[0].ruleset().name
        );
    }
    Ok(())
}

impl Args {
    /// Returns the players, each run's folder as its checkpoints.
    fn specs(&self) -> anyhow::Result<Vec<PlayerSpec>> {
        if matches!(&self.players[..], [one] if one.ends_with(".toml")) {
            return Ok(Vec::new());
        }
        let mut specs = Vec::new();
        for text in &self.players {
            let spec: PlayerSpec = text.parse()?;
            match &spec.player {
                PlayerName::Checkpoint(folder) if folder.join("checkpoints").is_dir() => {
                    let found = checkpoints(folder, self.checkpoints)?;
                    specs.extend(found.into_iter().map(|folder| PlayerSpec {
                        player: PlayerName::Checkpoint(folder),
                        visits: spec.visits,
                    }));
                }
                _ => specs.push(spec),
            }
        }
        Ok(specs)
    }

    fn sprt_config(&self, players: usize) -> anyhow::Result<Option<SprtConfig>> {
        let Some(sprt) = self.sprt else {
            return Ok(None);
        };
        let (alpha, beta) = (self.alpha, self.beta);
        let sprt = SprtConfig {
            alpha,
            beta,
            ..sprt
        };
        sprt.check().context("--sprt")?;
        ensure!(players == 2, "--sprt is for two players, not {players}");
        ensure!(self.rulesets.len() == 1, "--sprt is for one ruleset");
        Ok(Some(sprt))
    }

    /// Puts what the command line says into the config's section `[arena]`.
    fn change(&self, config: &mut RunConfig) -> anyhow::Result<()> {
        let arena = &mut config.arena;
        let set = |field: &mut u32, wanted: Option<u32>| *field = wanted.unwrap_or(*field);
        set(&mut arena.openings, self.openings);
        set(&mut arena.opening_plies, self.opening_plies);
        set(&mut arena.max_plies, self.max_plies);
        set(&mut arena.parallel_games, self.parallel_games);
        set(&mut arena.workers, self.workers);
        Ok(arena.check()?)
    }

    fn adjudication(&self) -> anyhow::Result<Option<Adjudication>> {
        let Some(value) = self.adjudicate else {
            return Ok(None);
        };
        let searches = ADJUDICATION_SEARCHES;
        let adjudication = Adjudication { value, searches };
        adjudication.check().context("--adjudicate")?;
        Ok(Some(adjudication))
    }

    fn opening_file(&self) -> anyhow::Result<Option<OpeningFile>> {
        let Some(path) = &self.openings_file else {
            return Ok(None);
        };
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {name}"))?;
        Ok(Some(OpeningFile { name, text }))
    }

    fn folder(&self, settings: &Settings) -> PathBuf {
        self.folder
            .clone()
            .unwrap_or_else(|| self.data.path.join("arena").join(settings.short_hash()))
    }

    const fn resampling(&self) -> Resampling {
        Resampling {
            resamples: self.bootstrap,
            seed: self.search.seed,
        }
    }

    fn print(&self, standings: &Standings) -> anyhow::Result<()> {
        if self.json {
            println!("{}", serde_json::to_string_pretty(standings)?);
        } else {
            print!("{}", standings.tables());
        }
        Ok(())
    }
}

/// Returns checkpoints spread over a run, from the first to the last.
fn checkpoints(run: &Path, count: u32) -> anyhow::Result<Vec<PathBuf>> {
    let folder = run.join("checkpoints");
    let context = || format!("reading {}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // One that is being written has another name.
        if name.parse::<u32>().is_ok() && path.join("model.json").is_file() {
            found.push(path);
        }
    }
    found.sort();
    ensure!(!found.is_empty(), "{}: no checkpoints", folder.display());
    let rungs = stages::rungs(found.len() as u32 - 1, count);
    Ok(rungs
        .into_iter()
        .map(|rung| found[rung as usize].clone())
        .collect())
}
