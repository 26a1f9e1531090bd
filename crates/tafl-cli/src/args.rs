//! Arguments that several subcommands share.

use crate::hint::{hinted, put_back};
use crate::output::{self, pasted, quoted, shown};
use anyhow::{Context, anyhow, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use strum::{EnumMessage, VariantArray};
use tafl_arena::balance::Summary;
use tafl_config::{Change, MOST_CONFIG_BYTES};
use tafl_rules::notation::taflzero::{Beside, Fen};
use tafl_rules::{Position, RankOrder, Rules, Setup, Side};
use tafl_store::{
    MOST_TEXT_BYTES, StoreKind, SweepVariants, checkpoints, entries, read_text, without_mark,
};
use tafl_studies::ConfigKind;
use tafl_training::{Loaded, RUN_CONFIG};
use toml::Table;

/// Returns the reader of an argument that is one of some words, each with its help and what it stands for.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    words: impl IntoIterator<Item = (&'static str, String, T)>,
) -> impl TypedValueParser<Value = T> {
    let (words, values): (Vec<_>, Vec<_>) = words
        .into_iter()
        .map(|(word, help, value)| (PossibleValue::new(word).help(help), (word, value)))
        .unzip();
    PossibleValuesParser::new(words).map(move |typed| {
        let found = values.iter().find(|(word, _)| *word == typed);
        found.expect("clap takes no other word").1.clone()
    })
}

/// Returns the reader of an argument that is the name of a variant, whose documentation is its help.
pub(crate) fn variant_of<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + EnumMessage + Into<&'static str> + Copy + Send + Sync,
{
    let help = |it: &T| it.get_documentation().unwrap_or_default().replace('`', "");
    let word = move |it: &T| ((*it).into(), help(it).trim_end_matches('.').to_owned(), *it);
    one_of(T::VARIANTS.iter().map(word))
}

/// Where runs are kept.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DataFolder {
    /// Data folder, which contains `runs/`; default: $TAFL_DATA or data.
    #[arg(
        long = "data",
        value_name = "DIR",
        default_value_os_t = DataFolder::unless_given(),
        hide_default_value = true
    )]
    pub(crate) path: PathBuf,
}

thread_local! {
    /// The data folder that the command line names.
    static GIVEN: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

impl DataFolder {
    /// Looks for the folder on a command line, whose names of networks are read before all of it is.
    pub(crate) fn look_for(arguments: &[OsString]) {
        let mut words = arguments.iter().enumerate();
        let given = words.find_map(|(at, word)| match word.to_str()? {
            "--data" => arguments.get(at + 1).map(PathBuf::from),
            word => word.strip_prefix("--data=").map(PathBuf::from),
        });
        GIVEN.set(given);
    }

    /// Returns the folder of the command line.
    pub(crate) fn usual() -> PathBuf {
        GIVEN
            .with_borrow(Clone::clone)
            .unwrap_or_else(Self::unless_given)
    }

    /// Returns the folder that is meant where the command line names none.
    fn unless_given() -> PathBuf {
        let named = std::env::var_os("TAFL_DATA").filter(|name| !name.is_empty());
        named.map_or_else(|| "data".into(), PathBuf::from)
    }
}

/// A run config and changes to it.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigSource {
    /// Run config, such as configs/quickstart.toml, or the folder of a run, for its own config.
    #[arg(required_unless_present = "config_option")]
    config: Option<PathBuf>,
    /// Same as CONFIG.
    #[arg(
        long = "config",
        id = "config_option",
        value_name = "CONFIG",
        conflicts_with = "config"
    )]
    config_option: Option<PathBuf>,
    /// Change a field of the config, such as `search.visits=32`.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    changes: Vec<String>,
}

impl ConfigSource {
    /// Reads the config and its rules.
    pub(crate) fn load(&self) -> anyhow::Result<Loaded> {
        self.load_by(tafl_training::load)
    }

    /// Does the same for who plays games of self-play alone.
    pub(crate) fn load_for_games(&self) -> anyhow::Result<Loaded> {
        self.load_by(tafl_training::load_for_games)
    }

    fn load_by(
        &self,
        load: fn(&Path, &[Change]) -> anyhow::Result<Loaded>,
    ) -> anyhow::Result<Loaded> {
        let path = self.path();
        let of_run = path.join(RUN_CONFIG);
        let path = if of_run.is_file() { &of_run } else { path };
        if path.is_dir() {
            return Err(without_config(path));
        }
        load(path, &changes(&self.changes)?)
            .map_err(|error| of_other_kind(path, ConfigKind::Run).unwrap_or(error))
    }

    /// Returns what was given.
    pub(crate) fn path(&self) -> &Path {
        let path = self.config.as_deref().or(self.config_option.as_deref());
        // clap has made sure that it is given one way or the other.
        path.unwrap_or(Path::new(""))
    }

    /// Returns whether a field is given on the command line.
    pub(crate) fn sets(&self, field: &str) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|it| {
            it.split('=')
                .next()
                .is_some_and(|name| name.trim() == field)
        })
    }

    /// Returns the folder of a run, if that or its own config is what was given.
    pub(crate) fn run(&self) -> Option<&Path> {
        let path = self.path();
        match path.join(RUN_CONFIG).is_file() {
            true => Some(path),
            false => run_of_config(path),
        }
    }
}

/// Returns the folder of the run whose own config this is: beside its manifest, whatever name it says, which a copy keeps.
pub(crate) fn run_of_config(config: &Path) -> Option<&Path> {
    let folder = config.parent().filter(|_| config.ends_with(RUN_CONFIG))?;
    let is_here = folder.as_os_str().is_empty();
    let folder = if is_here { Path::new(".") } else { folder };
    (config.is_file() && folder.join("manifest.json").exists()).then_some(folder)
}

/// Returns the error of a folder that was given as that of a run.
fn without_config(folder: &Path) -> anyhow::Error {
    let error = format!("{}: this folder has no {RUN_CONFIG}", folder.display());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let has_manifest = matches!(StoreKind::of_folder(folder), Ok(Some(StoreKind::Run)));
    let has_checkpoints = checkpoints(folder).is_ok_and(|it| !it.is_empty());
    let hint = match (has_manifest, has_checkpoints) {
        (true, false) => format!(
            "`tafl train CONFIG --run {} --resume` goes on with the run",
            quoted(&name)
        ),
        (_, true) => put_back("the file"),
        (false, false) => {
            "give a config such as configs/quickstart.toml, or the folder of a run such as \
                           data/runs/quickstart"
                .to_owned()
        }
    };
    hinted(error, hint)
}

/// Returns what a config file is, and its text; one that is no TOML passes for a run config, whose reader says what is wrong.
pub(crate) fn kind_of(path: &Path) -> anyhow::Result<(ConfigKind, String)> {
    let text = read_text(path, MOST_CONFIG_BYTES)?;
    Ok((ConfigKind::of(&text.parse().unwrap_or_default()), text))
}

/// Returns what is wrong with a file that is another kind of config than expected.
pub(crate) fn of_other_kind(path: &Path, expected: ConfigKind) -> Option<anyhow::Error> {
    let (kind, text) = kind_of(path).ok()?;
    // What is no TOML, or says nothing, is of no kind; its reader tells what is wrong.
    let table: Table = text.parse().ok()?;
    if table.is_empty() {
        return None;
    }
    let command = match kind {
        _ if kind == expected => return None,
        ConfigKind::Run => "train",
        ConfigKind::Balance => "balance",
        ConfigKind::Sweep => "sweep",
        ConfigKind::Ruleset => "rules check",
    };
    let [found, expected] = [kind, expected].map(|kind| kind.about().to_lowercase());
    Some(hinted(
        format!("{}: is {found}, not {expected}", shown(path)),
        format!("{} {command} {}", output::command(), pasted(path)),
    ))
}

/// Returns the run of that name in the data folder, where a folder is not there.
pub(crate) fn run_named(folder: &Path) -> Option<PathBuf> {
    let run = DataFolder::usual().join("runs").join(folder);
    (!folder.exists() && run.is_dir()).then_some(run)
}

/// Returns what the folder of a run, a study or a tournament is.
pub(crate) fn store_kind(folder: &Path) -> anyhow::Result<StoreKind> {
    let name = folder.display();
    if !folder.exists() {
        let error = format!("{name}: no such file or folder");
        return Err(match run_named(folder) {
            Some(run) => hinted(error, format!("the run is {}", pasted(&run))),
            None => anyhow!(error),
        });
    }
    ensure!(folder.is_dir(), "{name}: not a folder");
    match StoreKind::of_folder(folder)? {
        Some(kind) => Ok(kind),
        // A run whose manifest is missing is told so, by the name of the file.
        None if folder.join(RUN_CONFIG).is_file() => Ok(StoreKind::Run),
        None if SweepVariants::is_in(folder) => {
            let runs = folder.join("runs");
            let mut found = entries(&runs).unwrap_or_default().into_iter();
            let first = found.find(|run| run.join(RUN_CONFIG).is_file());
            let first = first.map(|run| format!(", such as {}", pasted(&run)));
            Err(hinted(
                format!("{name}: a sweep, not one of its runs"),
                format!(
                    "give one of those in {}{}",
                    runs.display(),
                    first.unwrap_or_default()
                ),
            ))
        }
        None => Err(hinted(
            format!("{name}: neither a run, a study nor a tournament: it has no manifest.json"),
            "`tafl train` makes runs in data/runs/, `tafl balance` studies in data/balance/, `tafl arena` tournaments in \
             data/arena/",
        )),
    }
}

/// Returns the results of the study in a folder, which may hold nothing else.
pub(crate) fn study_in(folder: &Path) -> anyhow::Result<Summary> {
    let name = folder.display();
    let kind = StoreKind::of_folder(folder)?.unwrap_or(StoreKind::Study);
    let has_results = kind == StoreKind::Study && folder.join("summary.json").is_file();
    if !has_results {
        let advice =
            "give the folder of one, such as data/balance/NAME; `tafl balance CONFIG` plays it";
        return Err(hinted(format!("{name}: no study with results"), advice));
    }
    Ok(tafl_report::read_study(folder)?)
}

/// Reads the file of a drawing; one whose name says that it is of another kind is refused.
pub(crate) fn svg_file(text: &str) -> anyhow::Result<PathBuf> {
    let file = PathBuf::from(text);
    let ending = file.extension();
    ensure!(
        ending.is_none_or(|it| it.eq_ignore_ascii_case("svg")),
        "the drawing is SVG; give a name that ends in .svg, such as {}",
        file.with_extension("svg").display()
    );
    Ok(file)
}

/// Reads a file of text, or standard input for `-`.
pub(crate) fn text_of_file(file: &Path) -> anyhow::Result<String> {
    match file == Path::new("-") {
        true => text_of_stdin(),
        false => Ok(read_text(file, MOST_TEXT_BYTES)?),
    }
}

/// Reads standard input to its end.
pub(crate) fn text_of_stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    let mut input = std::io::stdin().lock().take(MOST_TEXT_BYTES + 1);
    input.read_to_string(&mut text).context("standard input")?;
    ensure!(
        text.len() as u64 <= MOST_TEXT_BYTES,
        "standard input: more than {MOST_TEXT_BYTES} bytes"
    );
    let text = without_mark(text);
    ensure!(!text.trim().is_empty(), "standard input is empty");
    Ok(text)
}

/// Returns what the values of `--set` say.
pub(crate) fn changes(texts: &[String]) -> anyhow::Result<Vec<Change>> {
    let change = |text: &String| {
        Ok(Change {
            given_by: "--set".to_owned(),
            ..text.parse().context("--set")?
        })
    };
    texts.iter().map(change).collect()
}

/// Refuses a first opening that is not among `count`.
pub(crate) fn check_first_opening(first: u32, count: usize) -> anyhow::Result<()> {
    ensure!(
        (first as usize) < count.max(1),
        "--first-opening {first}: there are {count} openings, numbered from 0"
    );
    Ok(())
}

/// A position other than the start.
#[derive(Debug, clap::Args)]
pub(crate) struct PositionSource {
    /// Position instead of the start: ranks separated by slashes, the highest first, or all of a FEN.
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
    /// The position lists rank 1 first, as in OpenTafl.
    #[arg(long, requires = "position")]
    lowest_first: bool,
    /// Side to move; default: who moves first by the rules, unless the position says it.
    #[arg(long, value_name = "SIDE", requires = "position")]
    side: Option<Side>,
}

impl PositionSource {
    /// Returns the position that was given, or the start.
    pub(crate) fn read(&self, rules: &Rules) -> anyhow::Result<Position> {
        let Some(text) = &self.position else {
            return Ok(rules.start());
        };
        let setup = if self.lowest_first {
            let side = self.side.unwrap_or(rules.ruleset().moves_first);
            Setup::from_text(text, RankOrder::LowestFirst)
                .context("--position")?
                .with_side(side)
        } else {
            let beside = Beside {
                side: self.side,
                ..Beside::default()
            };
            Fen::read_beside(text, rules, beside).context("--position")?
        };
        rules.position(&setup).context("--position")
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
        position: PositionSource,
    }

    fn read(words: &str) -> anyhow::Result<Position> {
        let words = words.split_whitespace().map(|it| it.replace('_', " "));
        let words = std::iter::once("tafl".to_owned()).chain(words);
        let rules = Rules::preset("brandubh").expect("a preset");
        Line::try_parse_from(words)?.position.read(&rules)
    }

    #[test]
    fn the_name_of_a_run_is_told_its_folder() {
        let data = tempfile::tempdir().expect("a folder");
        let run = data.path().join("runs/mine");
        std::fs::create_dir_all(&run).expect("made");
        DataFolder::look_for(&["--data".into(), data.path().into()]);
        let [mine, none] = ["mine", "none"].map(|it| store_kind(Path::new(it)).expect_err("none"));
        DataFolder::look_for(&[]);
        assert_eq!(mine.to_string(), "mine: no such file or folder");
        let hint = mine.downcast::<Hinted>().expect("a hint").hint;
        assert_eq!(hint, format!("the run is {}", pasted(&run)));
        assert!(none.downcast::<Hinted>().is_err());
    }

    #[test]
    fn a_sweep_is_told_the_folders_of_its_runs() {
        let sweep = tempfile::tempdir().expect("a folder");
        let text = "{\"variants\": {}}";
        std::fs::write(sweep.path().join("sweep.json"), text).expect("written");
        let run = sweep.path().join("runs/a-seed-1");
        std::fs::create_dir_all(&run).expect("made");
        std::fs::write(run.join(RUN_CONFIG), "").expect("written");
        let error = store_kind(sweep.path()).expect_err("a sweep");
        assert!(
            error
                .to_string()
                .ends_with(": a sweep, not one of its runs"),
            "{error}"
        );
        let hint = error.downcast::<Hinted>().expect("a hint").hint;
        assert!(hint.starts_with("give one of those in "), "{hint}");
        assert!(
            hint.contains(", such as ") && hint.contains("a-seed-1"),
            "{hint}"
        );
    }

    #[test]
    fn a_ruleset_in_place_of_a_study_is_told_what_plays_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, "base = \"brandubh\"").expect("written");
        let error = study_in(&file).expect_err("no study");
        let said = error.to_string();
        assert!(said.ends_with("mine.toml: no study with results"), "{said}");
        let hint = error.downcast::<Hinted>().expect("a hint").hint;
        assert!(hint.contains("`tafl balance CONFIG`"), "{hint}");
    }

    #[test]
    fn a_drawing_gets_no_name_of_another_kind() {
        for name in ["pic.svg", "a.b/PIC.SVG", "pic", "-", "/dev/stdout"] {
            assert_eq!(svg_file(name).expect("taken"), Path::new(name));
        }
        for command in ["rules show brandubh --svg", "analyze start --svg"] {
            let words = format!("tafl {command} a/pic.png");
            let read = crate::commands::Cli::try_parse_from(words.split(' '));
            let said = read.expect_err("another kind").to_string();
            let expected = "the drawing is SVG; give a name that ends in .svg, such as a/pic.svg";
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn positions_are_read_in_the_order_asked_for_and_the_attackers_move_unless_said() {
        let board = "--position 1K5/7/7/7/7/7/1t5";
        for (words, king, side) in [
            ("", "d4", Side::Attacker),
            (board, "b7", Side::Attacker),
            (&format!("{board} --lowest-first"), "b1", Side::Attacker),
            (&format!("{board} --side defenders"), "b7", Side::Defender),
            ("--position 1k5/7/7/7/7/7/1a5_-_d_3", "b7", Side::Defender),
        ] {
            let position = read(words).expect("a position");
            assert_eq!(
                (&*position.king().to_string(), position.side()),
                (king, side)
            );
        }
        assert!(read(&format!("{board} --side red")).is_err());
        assert!(read("--position 7/7").is_err());
        let error = read("--position 1k5/7/7/7/7/7/1a5_-_d_3 --side attackers");
        let said = format!("{:#}", error.expect_err("two sides"));
        assert_eq!(
            said,
            "--position: field `side`: the text says defenders, not attackers"
        );
    }
}
