//! `tafl config diff`: the fields in which configs differ.

use crate::args::kind_of;
use crate::text::table::{self, Align};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tafl_config::{Difference, display};
use tafl_rules::Rules;
use tafl_studies::{ConfigKind, ruleset_differences};
use tafl_training::{RunConfig, load, load_rules, run_config_of};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run configs, or folders of runs or checkpoints; or rulesets, by file or name.
    #[arg(required = true, num_args = 2..)]
    configs: Vec<PathBuf>,
}

/// The exit code of configs that differ.
const DIFFERENT: u8 = 1;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let differences = match rulesets_at(&args.configs)? {
        Some(rulesets) => ruleset_differences(&rulesets),
        None => {
            let configs = args.configs.iter().map(|path| config_at(path));
            let configs = configs.collect::<anyhow::Result<Vec<_>>>()?;
            tafl_config::difference(&configs.iter().collect::<Vec<_>>())?
        }
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
    Ok(load(&file, &[])?.config)
}
