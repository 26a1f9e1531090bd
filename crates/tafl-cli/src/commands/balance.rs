//! `tafl balance`: is a ruleset fair?

mod compare;
mod people;

use crate::args::{DataFolder, changes, check_first_opening, of_other_kind};
use crate::failure::one_line;
use crate::hint::hinted;
use crate::nets::player_source;
use crate::observer::Terminal;
use crate::output::print_as;
use crate::process::{self, ExitCode};
use crate::text;
use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use std::path::{Path, PathBuf};
use tafl_arena::balance::{StudyKind, Summary};
use tafl_dataset::DatasetError;
use tafl_rules::Ruleset;
use tafl_store::{StoreError, write_atomically};
use tafl_studies::{ConfigKind, StudyPlan, load_numbers, load_study, play_study};
use tafl_training::{
    PlayerSource, RulesetVariant, all_ruleset_variants, load_rules, ruleset_variants,
};

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Each player plays against itself. Games start from openings that are random or drawn from a
network's policy or search, each played once. The verdict comes first: which ruleset is the
fairest, by how much and how sure; then the attackers' score of each player under each ruleset.
--full adds how and when games end, and comparisons. Players also play a fixed reference opponent,
to mark weak ones.

The study's folder contains summary.json, scores.svg, strength.svg, and all games with the results
of every search. Only missing games are played, so rulesets, players, strengths or openings
can be added later, and a stopped study continues."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Study config, such as configs/balance/five-rulesets.toml.
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
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure the effect of single fields of a ruleset.
    Vary(VaryArgs),
    /// Set the results of two studies side by side.
    Compare(compare::Args),
    /// Count games of people: who wins, by ruleset and strength.
    People(people::Args),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each variant differs from BASE in one field. The same players play all variants from the same
openings, which --set openings.source=policy draws from the first network's policy. The effect of a
field is the difference of the attackers' scores, paired by opening.

A network gets the ruleset's fields as input. But if it was never trained with the field's other
value, it plays as if the rule were unchanged, and a warning says so. Train it with `rule_changes`
in its config, so that it knows the changed rules. Baselines play every ruleset by its rules.

  tafl balance vary copenhagen --field shieldwall --field edge_fort --player alphabeta:3")]
struct VaryArgs {
    /// Name of a ruleset, or path to a ruleset file.
    base: String,
    /// Field to change: to every other value, or to one, such as captureless_limit=50 or start=RANKS; `all` for every field that
    /// needs no value and has an effect; may be given several times.
    #[arg(long = "field", value_name = "FIELD[=VALUE]", required = true)]
    fields: Vec<String>,
    /// Player: the folder of a checkpoint, with visits as in DIR@visits=100, or a baseline; may be given several times.
    #[arg(
        long = "player",
        visible_alias = "checkpoint",
        value_name = "PLAYER",
        value_parser = player_source,
        required = true
    )]
    players: Vec<PlayerSource>,
    /// Visits per move of checkpoints given without visits.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    visits: u32,
    /// Openings, each played once by every player under every variant; default: the study config's.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    openings: Option<u32>,
    /// Study config for all other settings; its rulesets and players are not used. Default: that of each field, as
    /// `tafl config explain balance` prints it.
    #[arg(long, value_name = "CONFIG")]
    config: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Change a field of the study config, such as `openings.count=50`.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    changes: Vec<String>,
    /// Number of the first opening to play, from 0; the last is that of `openings.count`. To share the openings among
    /// machines, each with its own --folder.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    first_opening: u32,
    /// Folder of the study; default: a folder in `balance/` of the data folder, named after the study.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Print all tables, notes and warnings after the verdict.
    #[arg(long)]
    full: bool,
    /// Print the contents of summary.json instead of text.
    #[arg(long, conflicts_with = "full")]
    json: bool,
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Some(Command::Vary(args)) => return args.common.play(args.plan()?),
        Some(Command::Compare(args)) => return compare::run(args),
        Some(Command::People(args)) => return people::run(args),
        None => {}
    }
    let path = args.config.as_deref().or(args.config_option.as_deref());
    let path = path.context("a study config is needed")?;
    let plan = load_study(path, &changes(&args.common.changes)?)
        .map_err(|error| of_other_kind(path, ConfigKind::Balance).unwrap_or(error))?;
    args.common.play(plan)
}

impl VaryArgs {
    fn plan(&self) -> anyhow::Result<StudyPlan> {
        let base = load_rules(&self.base, Path::new("."))?;
        let variants = self.variants(base.ruleset())?;
        let mut changes = changes(&self.common.changes)?;
        for change in &changes {
            let field = change.field.split(['.', '[']).next().unwrap_or_default();
            let instead = match field {
                "rulesets" => "BASE and --field",
                "players" => "--player",
                _ => continue,
            };
            bail!("--set {field}: variants have those of {instead}");
        }
        if let Some(count) = self.openings {
            changes.push(format!("openings.count={count}").parse()?);
        }
        let mut own_config = load_numbers(self.config.as_deref(), &changes)?;
        if !changes.iter().any(|change| change.field == "name") {
            own_config.name = format!("{}-variants", base.ruleset().name);
        }
        let mut players: Vec<PlayerSource> = Vec::new();
        for source in &self.players {
            let source = source.clone().with_visits(self.visits);
            ensure!(
                !players.contains(&source),
                "--player {source} is given twice"
            );
            players.push(source);
        }
        Ok(StudyPlan::of_variants(own_config, players, &base, variants))
    }

    /// Returns the variants that the fields make, each once.
    fn variants(&self, base: &Ruleset) -> anyhow::Result<Vec<RulesetVariant>> {
        let mut all: Vec<RulesetVariant> = Vec::new();
        for field in &self.fields {
            if field == "all" {
                let every = all_ruleset_variants(base);
                eprintln!("--field all leaves out {}", every.left_out.join(", "));
                let (name, inert) = (&base.name, every.without_effect.join(", "));
                eprintln!("and, as games of {name} are the same with them, {inert}");
                if !every.repeated.is_empty() {
                    let repeated = every.repeated.join(", ");
                    eprintln!("and, as games are the same with what is in brackets, {repeated}");
                }
                all.extend(every.found);
                continue;
            }
            let found =
                ruleset_variants(base, field).with_context(|| format!("--field {field}"))?;
            if let Some(note) = without_effect(base, field, &found) {
                eprintln!("{note}");
            }
            for variant in found {
                let name = &variant.rules.ruleset().name;
                let is_new = all.iter().all(|it| it.rules.ruleset().name != *name);
                ensure!(is_new, "--field {field}: given twice");
                all.push(variant);
            }
        }
        Ok(all)
    }
}

/// Returns the error of a study with advice, where a file of its games is no longer there.
fn with_lost_games(error: anyhow::Error, folder: &Path) -> anyhow::Error {
    let is_lost = error.chain().any(|cause| {
        let file = match cause.downcast_ref::<DatasetError>() {
            Some(DatasetError::Store(error)) => Some(error),
            _ => cause.downcast_ref::<StoreError>(),
        };
        match file {
            Some(StoreError::Io { path, .. }) => path.starts_with(folder) && !path.exists(),
            _ => false,
        }
    });
    match is_lost {
        true => hinted(
            one_line(&error),
            "put it back from a copy, or give another --folder",
        ),
        false => error,
    }
}

/// Says which variants that a field makes play the same games as the base; nothing where all differ.
fn without_effect(base: &Ruleset, field: &str, found: &[RulesetVariant]) -> Option<String> {
    let inert = found.iter().filter(|it| it.rules.ruleset().plays_as(base));
    let inert: Vec<String> = inert
        .map(|it| format!("{}={}", it.change.field, it.change.to))
        .collect();
    let (name, same) = (&base.name, inert.join(", "));
    (!inert.is_empty())
        .then(|| format!("Note: --field {field}: games of {name} are the same with {same}"))
}

/// Says which rulesets play the same games as one before them, whatever they are called.
fn same_games(rulesets: &[&Ruleset]) -> Vec<String> {
    let said = rulesets.iter().enumerate().filter_map(|(number, it)| {
        let mut before = rulesets[..number].iter();
        let first = before.find(|first| first.plays_as(it))?;
        let (name, first) = (&it.name, &first.name);
        Some(format!(
            "Note: {name} and {first} are the same rules; between them any difference is chance."
        ))
    });
    said.collect()
}

impl Common {
    fn play(&self, mut plan: StudyPlan) -> anyhow::Result<ExitCode> {
        if plan.kind == StudyKind::Rulesets {
            let rulesets = plan.rulesets.iter().map(|it| it.rules.ruleset());
            for note in same_games(&rulesets.collect::<Vec<_>>()) {
                eprintln!("{note}");
            }
        }
        check_first_opening(self.first_opening, plan.config.openings.count as usize)?;
        plan.first_opening = self.first_opening;
        let name = &plan.config.name;
        let folder = self.folder.clone();
        let folder = folder.unwrap_or_else(|| self.data.path.join("balance").join(name));
        process::end_on_interrupt("the same command continues the study".to_owned())?;
        let summary = play_study(&plan, &folder, &Terminal::default())
            .map_err(|error| with_lost_games(error, &folder))?;
        for (file, picture) in tafl_report::study_pictures(&summary) {
            write_atomically(&folder.join(file), picture.as_bytes())?;
        }
        print_as(self.json, &summary, self.text())?;
        eprintln!("study in {}", folder.display());
        Ok(ExitCode::SUCCESS)
    }

    fn text(&self) -> fn(&Summary) -> String {
        if self.full {
            text::study_tables
        } else {
            text::study_verdict
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{same_games, without_effect};
    use tafl_rules::preset;
    use tafl_training::ruleset_variants;

    #[test]
    fn a_field_without_effect_is_told() {
        let base = preset("brandubh").expect("a preset");
        let note = |field: &str| {
            let found = ruleset_variants(&base, field).expect("variants");
            without_effect(&base, field, &found)
        };
        let same = "Note: --field match: games of brandubh are the same with match=two-sets";
        assert_eq!(note("match").as_deref(), Some(same));
        assert_eq!(note("king_armed"), None);
    }

    #[test]
    fn rulesets_that_are_the_same_are_told_before_they_are_played() {
        let [brandubh, tablut] = ["brandubh", "tablut"].map(|it| preset(it).expect("a preset"));
        let mut mine = brandubh.clone();
        mine.name = "mine".to_owned();
        // Nothing jumps there.
        mine.jump_hostile = true.into();
        let same =
            "Note: mine and brandubh are the same rules; between them any difference is chance.";
        assert_eq!(same_games(&[&brandubh, &tablut, &mine]), [same]);
    }
}
