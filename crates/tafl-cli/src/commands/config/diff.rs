//! `tafl config diff`: the fields in which configs differ.

use crate::args::{kind_of, of_other_kind, study_in};
use crate::text::table::{self, Align};
use anyhow::Context;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tafl_arena::balance::{StudyPlayer, StudyRuleset};
use tafl_config::{Config, Difference, difference, difference_of_tables, display};
use tafl_rules::Rules;
use tafl_studies::{ConfigKind, StudyConfig, SweepConfig, ruleset_differences};
use tafl_training::{Loaded, RunConfig, load, load_rules, run_config_of};
use toml::Table;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run configs, or folders of runs or checkpoints; or configs of studies, or folders of studies, or sweeps; or rulesets,
    /// by file or name.
    #[arg(required = true, num_args = 2..)]
    configs: Vec<PathBuf>,
}

/// The exit code of configs that differ.
const DIFFERENT: u8 = 1;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (all, first) = (&args.configs, &*args.configs[0]);
    let differences = match (rulesets_at(all)?, kind_of(first)) {
        (Some(rulesets), _) => ruleset_differences(&rulesets),
        _ if study_in(first).is_ok() => of_studies(all)?,
        (_, Ok((kind @ ConfigKind::Balance, _))) => of(all, |it| read::<StudyConfig>(it, kind))?,
        (_, Ok((kind @ ConfigKind::Sweep, _))) => of(all, |it| read::<SweepConfig>(it, kind))?,
        _ => of(all, config_at)?,
    };
    if differences.is_empty() {
        println!("all fields are equal");
        return Ok(ExitCode::SUCCESS);
    }
    let row = |Difference { field, values }: Difference| {
        let cells = values.iter().map(shown);
        [field].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = differences.into_iter().map(row).collect();
    let names = args.configs.iter().map(|path| path.display().to_string());
    let names: Vec<String> = names.collect();
    let names = names.iter().map(|name| (name.as_str(), Align::Left));
    let head: Vec<(&str, Align)> = [("field", Align::Left)].into_iter().chain(names).collect();
    print!("{}", table::format(&head, &rows));
    Ok(ExitCode::from(DIFFERENT))
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

fn read<T: Config>(path: &Path, kind: ConfigKind) -> anyhow::Result<T> {
    let read = tafl_config::read::<T>(path, &[]);
    let read = read.map_err(|error| of_other_kind(path, kind).unwrap_or_else(|| error.into()))?;
    Ok(read.config)
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

/// Returns the rulesets, if the first that was given is one.
fn rulesets_at(given: &[PathBuf]) -> anyhow::Result<Option<Vec<Arc<Rules>>>> {
    let is_ruleset = |path: &Path| {
        let is_name = path.to_str().is_some_and(|it| Rules::preset(it).is_some());
        // A folder of that name that is no run, such as a study, hides no ruleset.
        is_name && !path.is_file() && run_config_of(path).is_none()
            || kind_of(path).is_ok_and(|(kind, _)| kind == ConfigKind::Ruleset)
    };
    if !given.first().is_some_and(|path| is_ruleset(path)) {
        return Ok(None);
    }
    let rules = |path: &PathBuf| load_rules(&path.display().to_string(), Path::new("."));
    let all = given.iter().map(rules);
    all.collect::<anyhow::Result<_>>().map(Some)
}

/// Returns a value as configs write it; fields of another alternative, such as `search.puct`, have none.
fn shown(value: &Option<toml::Value>) -> String {
    value.as_ref().map_or_else(|| "–".to_owned(), display)
}

fn config_at(path: &Path) -> anyhow::Result<RunConfig> {
    let file = match path.is_dir() {
        true => run_config_of(path).with_context(|| {
            format!("{}: neither a run nor a checkpoint of one", path.display())
        })?,
        false => path.to_owned(),
    };
    let Loaded {
        mut config,
        rules,
        files,
        ..
    } = load(&file, &[])?;
    // A path alone does not say what a ruleset of one's own is.
    let own = config.rulesets.iter_mut().zip(&files).zip(rules.listed());
    for ((name, file), rules) in own {
        if file.is_some() {
            let ruleset = rules.ruleset();
            *name = format!("{} ({})", ruleset.name, ruleset.fingerprint());
        }
    }
    Ok(config)
}
