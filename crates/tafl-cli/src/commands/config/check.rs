//! `tafl config check`: everything that is wrong with some files.

use crate::{failure, process};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tafl_config::{MOST_CONFIG_BYTES, text_of_file};
use tafl_studies::ConfigKind as Kind;

/// Checks files, and the files in folders; goes on after those that are not valid.
pub(super) fn run(paths: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            collect(path, &mut files)?;
            ensure!(files.len() > before, "{}: no .toml file", path.display());
        } else {
            files.push(path.clone());
        }
    }
    let mut code = ExitCode::SUCCESS;
    for path in &files {
        match name_of(path) {
            Ok(name) => println!("{}: {name} is valid", path.display()),
            Err(error) => {
                failure::print(&error);
                code = process::error_code();
            }
        }
    }
    Ok(code)
}

/// Returns the name in a file that is valid.
fn name_of(path: &Path) -> anyhow::Result<String> {
    let text = text_of_file(path, MOST_CONFIG_BYTES).with_context(|| path.display().to_string())?;
    // What cannot be read is said by whoever reads it as a run config.
    let table = text.parse::<toml::Table>().unwrap_or_default();
    Ok(match Kind::of(&table) {
        Kind::Run => tafl_training::load(path, &[])?.config.name,
        Kind::Balance => tafl_studies::load_study(path, &[])?.config.name,
        Kind::Sweep => tafl_studies::Sweep::load(path, &[])?.name,
        Kind::Ruleset => tafl_training::load_ruleset_file(path)?
            .ruleset()
            .name
            .clone(),
    })
}

/// Finds all .toml files in a folder and those below it, by name; hidden ones are left out.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let context = || folder.display().to_string();
    let entries = std::fs::read_dir(folder).with_context(context)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()
        .with_context(context)?;
    paths.sort();
    for path in paths {
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if path.is_dir() && !path.is_symlink() && !is_hidden {
            collect(&path, files)?;
        } else if path.is_file() && path.extension().is_some_and(|it| it == "toml") && !is_hidden {
            files.push(path);
        }
    }
    Ok(())
}
