//! `tafl arena`: matches of any number of players, or the ladder of a run.

use crate::args::{check_first_opening, run_of_config, variant_of};
use crate::engines::{EngineArgs, EngineSpec};
use crate::hint::hinted;
use crate::nets::{all_rules_for, player_named, rules_for};
use crate::observer::Terminal;
use crate::output::{pasted, print_as, shown};
use crate::process::{self, ExitCode};
use crate::search_args::{SearchArgs, warn_if_foreign};
use crate::text;
use anyhow::{Context, bail, ensure};
use clap::ArgMatches;
use clap::parser::ValueSource;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::{SprtConfig, Verdict};
use tafl_config::ConfigError;
use tafl_play::Adjudication;
use tafl_rules::Rules;
use tafl_samples::Family;
use tafl_store::append_line;
use tafl_studies::{
    Anchor, Format, OpeningFile, Openings, Resampling, SprtRow, Tournament, TournamentSettings,
    checkpoint_ratings, enter, ladder_standings, player_sources,
};
use tafl_training::{
    PlayerSource, RUN_CONFIG, Run, RunConfig, RunError, differing_fields, load, play_ladder,
};

#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
A player is a network of data/nets by its name; the folder of a checkpoint, such as
data/runs/quickstart/checkpoints/000020; either with its own visits, as in NAME@visits=100; the
folder of a run, for several of its checkpoints; or a baseline:
{}.
Each opening is played twice, with sides swapped. Draws include games cut at the ply limit. Ratings
are relative to the first player; if it won or lost all its games, to the one nearest to even.

Engines (--engine) come after the other players. In each worker an engine plays one game at a time.
It loses a game in which it crashes, hangs or plays an illegal move, and is restarted for the next;
forfeits.log in the folder gives the reason.

All games are stored in the tournament's folder, and only missing games are played. So players,
rulesets or openings can be added later, and a stopped match continues.

With --sprt the exit code is 0 if the test accepts that the first player is stronger, and 1
otherwise.", Family::forms()))]
pub(crate) struct Args {
    /// Players; or a run config, to complete and show the run's ladder.
    #[arg(required_unless_present = "engines", value_name = "PLAYER", value_parser = player_named)]
    players: Vec<String>,
    /// Name of a ruleset, or path to a ruleset file; may be given several times. Default: the first that the first
    /// checkpoint learned, or else Copenhagen.
    #[arg(long = "ruleset", value_name = "RULESET")]
    rulesets: Vec<String>,
    /// Who plays whom.
    #[arg(long, value_parser = variant_of::<Format>(), default_value = "round-robin")]
    format: Format,
    /// Openings per match; default: the config's number, all in the file, or up to 10000 with --sprt.
    #[arg(long)]
    openings: Option<u32>,
    /// Number of the first opening to play, from 0, to share the openings among machines, each with its own --folder.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        conflicts_with = "sprt"
    )]
    first_opening: u32,
    /// File of openings, such as data/openings/copenhagen.txt; default: random openings.
    #[arg(long, value_name = "FILE")]
    openings_file: Option<PathBuf>,
    /// Plies per random opening; default: the config's.
    #[arg(long, conflicts_with = "openings_file")]
    opening_plies: Option<u32>,
    /// Ply limit; games cut there count as draws; default: the config's.
    #[arg(long)]
    max_plies: Option<u32>,
    /// End a game when the last 3 searches of both players agree on the winner, with a win minus loss above this value,
    /// 0 to 1; off by default.
    #[arg(long, value_name = "VALUE")]
    adjudicate: Option<f32>,
    /// Parallel games per worker; default: the config's.
    #[arg(long)]
    parallel_games: Option<u32>,
    /// Worker threads, 0 for one per core; default: the config's.
    #[arg(long)]
    workers: Option<u32>,
    /// Sequential test (SPRT) of two players: is the first ELO1 rather than ELO0 points stronger?.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<SprtConfig>,
    /// Allowed false-acceptance rate.
    #[arg(long, requires = "sprt", default_value_t = 0.05)]
    alpha: f64,
    /// Allowed false-rejection rate.
    #[arg(long, requires = "sprt", default_value_t = 0.05)]
    beta: f64,
    /// Checkpoints taken from a run's folder: the first, the last and some between.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    checkpoints: u32,
    /// Resamples for bootstrap intervals; 0 for none.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    bootstrap: u32,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    /// Folder of the tournament; default: a folder in `arena/` of the data folder, named after the settings.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Name of the run's folder, if a config is given.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Openings of a sequential test that decides nothing before.
const MOST_SPRT_OPENINGS: u32 = 10_000;

/// Searches of each player that must agree before a game is adjudicated.
const ADJUDICATION_SEARCHES: u32 = 3;

/// How matches go on that were stopped.
const AGAIN: &str = "the same command plays what is missing";

/// What the ladder of a run takes from the command line.
const OF_LADDERS: [&str; 6] = ["players", "run", "path", "bootstrap", "seed", "json"];

/// Refuses what was given on the command line, but does nothing in the ladder of a run.
pub(crate) fn check(given: &ArgMatches) -> anyhow::Result<()> {
    let players = given.get_many::<String>("players").into_iter().flatten();
    let players: Vec<&String> = players.collect();
    if !matches!(players[..], [config] if config.ends_with(".toml")) {
        return Ok(());
    }
    let all = <Args as clap::Args>::augment_args(clap::Command::new("arena"));
    for argument in all.get_arguments() {
        let id = argument.get_id().as_str();
        let is_given = given.value_source(id) == Some(ValueSource::CommandLine);
        ensure!(
            !is_given || OF_LADDERS.contains(&id),
            "--{}: the ladder of a run is played as the config says",
            argument.get_long().unwrap_or(id)
        );
    }
    Ok(())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let [config] = &args.players[..]
        && config.ends_with(".toml")
    {
        return complete_ladder(args, Path::new(config));
    }
    let engines = args.engines.specs()?;
    let sources = player_sources(&args.players, args.checkpoints)?;
    if sources.len() + engines.len() < 2 {
        let one = args.players.first().map_or("--engine", String::as_str);
        bail!("{one}: only one player; give two, or the config of a run")
    }
    play(args, &sources, &engines)
}

fn complete_ladder(args: &Args, config: &Path) -> anyhow::Result<ExitCode> {
    let given = load(config, &[])?;
    let folder = args.run_of(config, &given.config.name);
    let own = folder.join(RUN_CONFIG);
    if !own.is_file() {
        return Err(hinted(
            format!("{}: no run of that config", shown(&folder)),
            "`train` makes it; --run NAME names another",
        ));
    }
    // The run's own config has what was changed when it began, and counts.
    let differing = differing_fields(&given, &folder).map_err(of_other_config)?;
    if !differing.is_empty() {
        eprintln!(
            "{} says otherwise than the run's own config, which counts: {}",
            shown(config),
            differing.join(", ")
        );
    }
    let loaded = load(&own, &[])?;
    let generations = loaded.config.training_loop.generations;
    let terminal = Arc::new(Terminal::of_run(generations, false));
    let run = Run::open_folder(loaded, &folder, terminal)?;
    process::end_on_interrupt(AGAIN.to_owned())?;
    let matches = play_ladder(&run)?;
    match ladder_standings(&matches, run.rules.listed(), args.resampling())? {
        Some(standings) => {
            run.record_ladder(&checkpoint_ratings(&matches, &standings))?;
            print_as(args.json, &standings, text::standings_tables)?;
        }
        None => println!("No matches were played."),
    }
    Ok(ExitCode::SUCCESS)
}

/// Puts the run's own config into the hint about one that is for another run.
fn of_other_config(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(RunError::OtherFields(own, _)) => {
            let advice = format!("`tafl arena {}` plays its ladder", pasted(own));
            hinted(error.to_string(), advice)
        }
        _ => error,
    }
}

fn play(args: &Args, sources: &[PlayerSource], engines: &[EngineSpec]) -> anyhow::Result<ExitCode> {
    let sprt = args.sprt_config(sources.len() + engines.len())?;
    let rules = rules_of(args, sources.iter().find_map(PlayerSource::folder))?;
    check_boards(&rules)?;
    let mut config = args.search.config_of_all(sources)?;
    args.change(&mut config)?;
    let file = args.openings_file.as_deref().map(OpeningFile::read);
    let file = file.transpose()?;
    let openings = Openings {
        file: file.as_ref(),
        count: match (sprt, args.openings) {
            (Some(_), None) if file.is_none() => Some(MOST_SPRT_OPENINGS),
            (_, count) => count,
        },
        config: &config.arena,
        seed: args.search.seed,
    };
    let adjudication = args.adjudication()?;
    let settings = TournamentSettings::of(&openings, adjudication);
    let terminal = Terminal::default();
    let draw = |rules: &Arc<Rules>| openings.of(rules, &terminal);
    let openings = rules.iter().map(draw).collect::<anyhow::Result<Vec<_>>>()?;
    let most = openings.iter().map(Vec::len).max().unwrap_or(0);
    check_first_opening(args.first_opening, most)?;
    let of_settings = || {
        args.search
            .data
            .path
            .join("arena")
            .join(settings.short_hash())
    };
    let folder = args.folder.clone().unwrap_or_else(of_settings);
    let mut players = Vec::new();
    for source in sources {
        let opened = args.search.open(source, &rules[0])?;
        rules.iter().for_each(|it| warn_if_foreign(&opened, it));
        enter(&mut players, opened, source)?;
    }
    for engine in engines {
        let opened = engine.open(&rules, Arc::new(forfeit_log(&folder)))?;
        enter(&mut players, opened, &engine.line)?;
    }
    let tournament = Tournament {
        players,
        rules,
        openings,
        config: &config.arena,
        runner: &config.runner,
        format: args.format,
        sprt,
        adjudication,
        first_opening: args.first_opening,
    };
    process::end_on_interrupt(AGAIN.to_owned())?;
    let (matches, sprt) = tournament.play(&folder, &settings, &terminal)?;
    let mut standings = tournament.standings(&matches, Anchor::FirstMixed, args.resampling())?;
    standings = standings.sorted();
    standings.sprt = sprt.map(SprtRow::from);
    print_as(args.json, &standings, text::standings_tables)?;
    eprintln!("games in {}", folder.display());
    let accepted = sprt.is_none_or(|sprt| sprt.verdict() == Verdict::Accept);
    Ok(ExitCode::from(u8::from(!accepted)))
}

/// Returns the rules of the matches, each once.
fn rules_of(args: &Args, checkpoint: Option<&Path>) -> anyhow::Result<Vec<Arc<Rules>>> {
    if args.rulesets.is_empty() {
        return Ok(vec![rules_for(None, checkpoint)?.rules]);
    }
    all_rules_for(&args.rulesets, checkpoint)
}

/// Returns what prints why an engine lost a game otherwise than on the board, and keeps it in the tournament's folder.
fn forfeit_log(folder: &Path) -> impl Fn(&str) + Send + Sync + 'static {
    let path = folder.join("forfeits.log");
    move |reason: &str| {
        eprintln!("{reason}");
        // The game and the word for the reason are stored all the same.
        let _ = append_line(&path, reason);
    }
}

/// Checks that all rulesets have one board.
fn check_boards(rules: &[Arc<Rules>]) -> anyhow::Result<()> {
    if let Some(other) = rules.iter().find(|own| own.shape() != rules[0].shape()) {
        let [other, first] = [other, &rules[0]].map(|rules| &rules.ruleset().name);
        bail!("--ruleset {other}: its board size differs from that of {first}");
    }
    Ok(())
}

impl Args {
    /// Returns the folder of the run whose ladder is meant: that in which its own config lies, or the one of a name.
    fn run_of(&self, config: &Path, name: &str) -> PathBuf {
        match (&self.run, run_of_config(config)) {
            (None, Some(folder)) => folder.to_owned(),
            (given, _) => {
                let name = given.as_deref().unwrap_or(name);
                self.search.data.path.join("runs").join(name)
            }
        }
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
        let rulesets = self.rulesets.len();
        ensure!(rulesets <= 1, "--sprt is for one ruleset, not {rulesets}");
        Ok(Some(sprt))
    }

    /// Puts what the command line says into the config's section `[arena]`.
    fn change(&self, config: &mut RunConfig) -> anyhow::Result<()> {
        let arena = &mut config.arena;
        let set = |field: &mut u32, wanted: Option<u32>| *field = wanted.unwrap_or(*field);
        set(&mut arena.openings, self.openings);
        set(&mut arena.opening_plies, self.opening_plies);
        set(&mut arena.max_plies, self.max_plies);
        set(&mut config.runner.parallel_games, self.parallel_games);
        set(&mut config.runner.workers, self.workers);
        let checked = tafl_config::check(&config.arena);
        let checked = checked.and_then(|()| tafl_config::check(&config.runner));
        if let Some(ConfigError { field, reason }) = checked.err().unwrap_or_default().first() {
            bail!("--{}: {reason}", field.replace('_', "-"));
        }
        Ok(())
    }

    fn adjudication(&self) -> anyhow::Result<Option<Adjudication>> {
        let searches = ADJUDICATION_SEARCHES;
        let adjudication = self
            .adjudicate
            .map(|value| Adjudication { value, searches });
        if let Some(adjudication) = &adjudication {
            adjudication.check().context("--adjudicate")?;
        }
        Ok(adjudication)
    }

    const fn resampling(&self) -> Resampling {
        Resampling {
            resamples: self.bootstrap,
            seed: self.search.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hinted;
    use clap::Parser;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn the_ladder_is_that_of_the_run_whose_own_config_is_given() {
        let place = tempfile::tempdir().expect("a folder");
        let config = place.path().join(RUN_CONFIG);
        std::fs::write(&config, "").expect("written");
        let ladder = |more: &str| {
            let words = ["tafl", "x.toml", "--data", "d"].into_iter();
            let words = words.chain(more.split_whitespace());
            let args = Line::try_parse_from(words).expect("read").args;
            args.run_of(&config, "base")
        };
        assert_eq!(ladder(""), Path::new("d/runs/base"));
        std::fs::write(place.path().join("manifest.json"), "{}").expect("written");
        assert_eq!(ladder(""), place.path());
        assert_eq!(ladder("--run other"), Path::new("d/runs/other"));
    }

    #[test]
    fn a_config_of_another_run_is_told_the_run_s_own() {
        let own = PathBuf::from("d/runs/b/config.toml");
        let error = RunError::OtherFields(own, vec!["`rulesets`".to_owned()]);
        let said = error.to_string();
        let told = of_other_config(error.into()).downcast::<Hinted>();
        let told = told.expect("a hint");
        assert_eq!(told.to_string(), said);
        assert!(
            told.hint.contains("arena d/runs/b/config.toml`"),
            "{told:?}"
        );
    }
}
