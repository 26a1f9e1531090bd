//! `tafl config check`: everything that is wrong with some files.

use crate::args::kind_of;
use crate::process::ExitCode;
use crate::{failure, process};
use anyhow::ensure;
use std::path::{Path, PathBuf};
use strum::VariantArray;
use tafl_play::{SelfplayConfig, UnevenSide};
use tafl_store::entries;
use tafl_studies::ConfigKind as Kind;
use tafl_training::{Loaded, LoopConfig, RunConfig, ladder_games};

/// Checks files, and the files in folders; goes on after those that are not valid.
pub(super) fn run(paths: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut within = Vec::new();
            collect(path, &mut within)?;
            ensure!(!within.is_empty(), "{}: no .toml file", path.display());
            let (own, others): (Vec<PathBuf>, Vec<PathBuf>) =
                within.into_iter().partition(|file| may_be_ours(file));
            if let [first, ..] = &others[..] {
                let (count, first) = (others.len(), first.display());
                eprintln!("left out: {count} without a field of ours, such as {first}");
            }
            files.extend(own);
        } else {
            files.push(path.clone());
        }
    }
    let mut code = ExitCode::SUCCESS;
    for path in &files {
        match checked(path) {
            Ok(found) => println!("{}: {found}", path.display()),
            Err(error) => {
                failure::print(&error);
                code = ExitCode::from(process::ERROR);
            }
        }
    }
    Ok(code)
}

/// Returns whether a file has a field of any kind of config, now or before; so has one that says nothing or cannot be read.
fn may_be_ours(file: &Path) -> bool {
    let text = kind_of(file).map(|(_, text)| text).unwrap_or_default();
    let given: toml::Table = text.parse().unwrap_or_default();
    let is_of = |kind: &Kind, key: &str| {
        let depth = usize::from(!kind.section().is_empty());
        let name = |path: &str| path.split(['.', '[']).nth(depth) == Some(key);
        kind.fields().iter().any(|field| name(&field.path)) || kind.removed(key).is_some()
    };
    let mut keys = given.keys();
    let is_own = |key: &String| key == "base" || Kind::VARIANTS.iter().any(|kind| is_of(kind, key));
    given.is_empty() || keys.any(is_own)
}

/// Returns what a file that is valid holds.
fn checked(path: &Path) -> anyhow::Result<String> {
    let (kind, text) = kind_of(path)?;
    let given: toml::Table = text.parse().unwrap_or_default();
    let mut about = String::new();
    let name = match kind {
        Kind::Run => {
            let loaded = tafl_training::load(path, &[])?;
            about = trained(&loaded, given.contains_key("rulesets"));
            loaded.config.name
        }
        Kind::Balance => tafl_studies::load_study(path, &[])?.config.name,
        Kind::Sweep => tafl_studies::Sweep::load(path, &[])?.name,
        Kind::Ruleset => tafl_training::load_ruleset_file(path)?
            .ruleset()
            .name
            .clone(),
    };
    let kind = kind.about().to_lowercase();
    Ok(match given.is_empty() {
        true => format!("no field is given; as {kind} it has all defaults{about}"),
        false => format!("{name} is valid as {kind}{about}"),
    })
}

/// Returns what a run config trains, which a copied one may not say.
fn trained(loaded: &Loaded, is_given: bool) -> String {
    let rulesets = loaded.rules.listed().iter();
    let rulesets: Vec<&str> = rulesets.map(|it| it.ruleset().name.as_str()).collect();
    let why = if is_given {
        ""
    } else {
        ", as it names no `rulesets`"
    };
    let (config, names) = (&loaded.config, rulesets.join(", "));
    let games = ladder_games(config, rulesets.len());
    let visits = config.arena.visits;
    let than = self_play_visits(config).map_or(String::new(), |per_ply| {
        let share = 100.0 * games as f64 * f64::from(visits) / per_ply;
        format!(", {share:.0} % of the visits of its self-play")
    });
    // Each ply gives one sample at most.
    let most = u64::from(config.training_loop.games) * u64::from(config.selfplay.max_plies);
    let large = config.large_batch(most).map(|_| {
        let LoopConfig { batch_size, reuse, .. } = &config.training_loop;
        format!("; a step of {batch_size} samples learns from those of a generation, {most} at most, more often than {reuse} times")
    });
    let than = than + &large.unwrap_or_default() + &warm_up(config).unwrap_or_default();
    format!("; it trains {names}{why}; its ladder has {games} games of {visits} visits a ply{than}")
}

/// Returns what is wrong if all steps of a run are too few for its learning rate to reach the peak.
fn warm_up(config: &RunConfig) -> Option<String> {
    let (of_loop, own) = (&config.training_loop, &config.selfplay);
    let of_generation = of_loop.asynchronous.map_or_else(
        || {
            let plies = f64::from(of_loop.games) * f64::from(own.max_plies);
            config.steps((plies * f64::from(own.full_search_fraction)) as u64)
        },
        |config| config.checkpoint_steps.into(),
    );
    let most = of_generation * u64::from(of_loop.generations);
    let warm_up = config.trainer.learning_rate.warmup_steps;
    (most < warm_up).then(|| {
        format!(
            "; so few training steps, {most} at most, never leave the {warm_up} of trainer.learning_rate.warmup_steps"
        )
    })
}

/// Returns the visits of all games of self-play, each counted as one ply long, where the config says how many there are.
/// Teachers have none.
fn self_play_visits(config: &RunConfig) -> Option<f64> {
    let own = &config.selfplay;
    let full = f64::from(own.full_search_fraction);
    let visits =
        full * f64::from(config.search.visits) + (1.0 - full) * f64::from(own.cheap_visits);
    let of_loop = &config.training_loop;
    let is_known = of_loop.asynchronous.is_none();
    let untaught: f64 = (0..of_loop.generations).map(|it| untaught(own, it)).sum();
    let all = untaught * f64::from(of_loop.games) * visits;
    (is_known && all > 0.0).then_some(all)
}

/// Returns the share of the games of a generation that the network plays; entries of teachers have shares of the same games.
fn untaught(own: &SelfplayConfig, generation: u32) -> f64 {
    let of_teachers = own.uneven.iter();
    let of_teachers = of_teachers.filter(|it| it.side == UnevenSide::Both && it.is_of(generation));
    let shares = of_teachers.map(|it| f64::from(it.share));
    1.0 - shares.fold(0.0, f64::max)
}

/// Finds all .toml files in a folder and those below it, by name; hidden ones are left out.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for path in entries(folder)? {
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
