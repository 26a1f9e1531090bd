//! `tafl config diff`: the fields in which configs differ.

use crate::args::{kind_of, store_kind, study_in};
use crate::output::shown as shown_path;
use crate::process::ExitCode;
use crate::text::table::{self, Align};
use anyhow::{Context, bail};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tafl_arena::balance::{StudyPlayer, StudyRuleset};
use tafl_config::{Config, Difference, difference, difference_of_tables, display};
use tafl_rules::preset_named;
use tafl_store::SweepVariants;
use tafl_studies::{ConfigKind, StudyConfig, SweepConfig, ruleset_differences};
use tafl_training::{RunConfig, load, load_all_rules, load_rules, run_config_of, told_ruleset};
use toml::Table;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run configs, or folders of runs or checkpoints; or configs of studies, or folders of studies, or sweeps; or rulesets,
    /// by file or name.
    #[arg(required = true, num_args = 2..)]
    configs: Vec<PathBuf>,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A file, the name of a ruleset, or a run or a checkpoint for its config.
    Config(ConfigKind),
    Study,
    Sweep,
}

impl Kind {
    /// Returns what is there; nothing of what cannot be read, whose reader says why.
    fn at(path: &Path) -> Option<Self> {
        let is_name = path.to_str().is_some_and(|it| preset_named(it).is_some());
        let has_config = run_config_of(path).is_some();
        Some(match path.is_dir() {
            true if has_config => Self::Config(ConfigKind::Run),
            true if SweepVariants::is_in(path) => Self::Sweep,
            // A folder of that name that is no run, such as a study, hides no ruleset.
            _ if is_name && !path.is_file() => Self::Config(ConfigKind::Ruleset),
            true => study_in(path).ok().map(|_| Self::Study)?,
            false => {
                let (kind, text) = kind_of(path).ok()?;
                // What is no TOML, or says nothing, is of no kind.
                let table: Table = text.parse().ok()?;
                Self::Config((!table.is_empty()).then_some(kind)?)
            }
        })
    }

    fn told(self) -> String {
        match self {
            Self::Config(kind) => kind.about().to_lowercase(),
            Self::Study => "the folder of a study".to_owned(),
            Self::Sweep => "the folder of a sweep".to_owned(),
        }
    }
}

/// The widest cell of a table, in characters.
const WIDEST: usize = 60;

/// The exit code of configs that differ.
const DIFFERENT: u8 = 1;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let all = &args.configs;
    let kind = Kind::at(&all[0]);
    let mut found = all.iter().filter_map(|path| Some((path, Kind::at(path)?)));
    if let Some(kind) = kind
        && let Some((path, other)) = found.find(|(_, other)| *other != kind)
    {
        let path = shown_path(path);
        bail!("{path}: is {}, not {}", other.told(), kind.told());
    }
    let differences = match kind {
        Some(Kind::Config(ConfigKind::Ruleset)) => of_rulesets(all)?,
        Some(Kind::Config(ConfigKind::Balance)) => of(all, study_at)?,
        Some(Kind::Config(ConfigKind::Sweep)) => of(all, read::<SweepConfig>)?,
        Some(Kind::Study) => of_studies(all)?,
        _ => of(all, run_at)?,
    };
    if differences.is_empty() {
        println!("all fields are equal");
        return Ok(ExitCode::SUCCESS);
    }
    let names = args.configs.iter().map(|path| path.display().to_string());
    print!("{}", told(&names.collect::<Vec<_>>(), differences));
    Ok(ExitCode::from(DIFFERENT))
}

/// Returns a table of the fields in which files of these names differ; below it those that would make it too wide.
fn told(names: &[String], differences: Vec<Difference>) -> String {
    let row = |Difference { field, values }: Difference| -> Vec<String> {
        let cells = values.iter().map(shown);
        [field].into_iter().chain(cells).collect()
    };
    let rows = differences.into_iter().map(row);
    let (wide, rows): (Vec<Vec<String>>, Vec<_>) =
        rows.partition(|row| row.iter().any(|cell| cell.chars().count() > WIDEST));
    let columns = names.iter().map(|name| (name.as_str(), Align::Left));
    let head: Vec<(&str, Align)> = [("field", Align::Left)]
        .into_iter()
        .chain(columns)
        .collect();
    let mut parts = Vec::new();
    if !rows.is_empty() {
        parts.push(table::format(&head, &rows));
    }
    parts.extend(wide.iter().map(|row| {
        let values = names.iter().zip(&row[1..]);
        let values = values.map(|(name, value)| format!("{} of {name}: {value}\n", row[0]));
        values.collect::<String>()
    }));
    parts.join("\n")
}

/// Returns the fields in which configs differ.
fn of<T: Config + Serialize>(
    paths: &[PathBuf],
    read: impl Fn(&Path) -> anyhow::Result<T>,
) -> anyhow::Result<Vec<Difference>> {
    let configs = paths.iter().map(|path| read(path));
    let configs = configs.collect::<anyhow::Result<Vec<_>>>()?;
    Ok(difference(&configs.iter().collect::<Vec<_>>())?)
}

fn read<T: Config>(path: &Path) -> anyhow::Result<T> {
    Ok(tafl_config::read::<T>(path, &[])?.config)
}

/// Returns the config of a study; a path alone does not say what a ruleset of one's own is.
fn study_at(path: &Path) -> anyhow::Result<StudyConfig> {
    let mut config: StudyConfig = read(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let rules = load_all_rules(&config.rulesets, folder);
    let rules = rules.with_context(|| shown_path(path))?;
    config.rulesets = rules.iter().map(|it| told_ruleset(it)).collect();
    Ok(config)
}

/// Returns the config of a file, or of a run or a checkpoint.
fn run_at(path: &Path) -> anyhow::Result<RunConfig> {
    if SweepVariants::is_in(path) {
        // Whose error says where its runs are.
        store_kind(path)?;
    }
    let file = match path.is_dir() {
        true => run_config_of(path).with_context(|| {
            format!("{}: neither a run nor a checkpoint of one", path.display())
        })?,
        false => path.to_owned(),
    };
    let mut loaded = load(&file, &[])?;
    let told = loaded.rules.listed().iter().map(|it| told_ruleset(it));
    loaded.config.rulesets = told.collect();
    Ok(loaded.config)
}

/// Returns what was played otherwise in the studies of some folders, as their summaries say it.
fn of_studies(folders: &[PathBuf]) -> anyhow::Result<Vec<Difference>> {
    let table = |folder: &PathBuf| {
        let study = study_in(folder)?.study;
        let mut table = Table::try_from(&study)?;
        // Names alone do not say what rulesets of one's own are.
        let ruleset = |it: &StudyRuleset| match it.file {
            None => it.name.clone(),
            Some(_) => format!("{} ({})", it.name, it.fingerprint),
        };
        let rulesets: Vec<String> = study.rulesets.iter().map(ruleset).collect();
        let players = study.players.iter().map(StudyPlayer::name_and_weights);
        let players: Vec<String> = players.collect();
        table.insert("rulesets".to_owned(), rulesets.into());
        table.insert("players".to_owned(), players.into());
        table.remove("people");
        Ok(table)
    };
    let tables: Vec<Table> = folders.iter().map(table).collect::<anyhow::Result<_>>()?;
    let fields: BTreeSet<String> = tables.iter().flat_map(Table::keys).cloned().collect();
    Ok(difference_of_tables(fields, &tables))
}

fn of_rulesets(given: &[PathBuf]) -> anyhow::Result<Vec<Difference>> {
    let rules = |path: &PathBuf| load_rules(&path.display().to_string(), Path::new("."));
    let rulesets: Vec<_> = given.iter().map(rules).collect::<anyhow::Result<_>>()?;
    Ok(ruleset_differences(&rulesets))
}

/// Returns a value as configs write it; fields of another alternative, such as `search.puct`, have none.
fn shown(value: &Option<toml::Value>) -> String {
    value.as_ref().map_or_else(|| "–".to_owned(), display)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_stands_below_the_table() {
        let difference = |field: &str, values: [&str; 2]| Difference {
            field: field.to_owned(),
            values: values.map(|it| Some(it.into())).into(),
        };
        let names = ["a", "b"].map(str::to_owned);
        let long = "x".repeat(70);
        let all = vec![
            difference("long", [long.as_str(), "y"]),
            difference("seed", ["1", "2"]),
        ];
        let below = format!("long of a: \"{long}\"\nlong of b: \"y\"\n");
        let table = "field  a    b\n-----  ---  ---\nseed   \"1\"  \"2\"\n";
        assert_eq!(told(&names, all), format!("{table}\n{below}"));
        let alone = vec![difference("long", [long.as_str(), "y"])];
        assert_eq!(told(&names, alone), below);
    }
}
