//! The run config: every number of a run, read and checked once.

pub(crate) mod faults;
pub(crate) mod schema;
pub(crate) mod shipped;

use self::schema::{Field, Kind};
use crate::baseline::Baseline;
use crate::rulesets;
use crate::toml_file::{self, Fault, Source, split_field};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::{ArenaConfig, SprtConfig};
use tafl_dataset::WindowConfig;
use tafl_network::{Device, NetworkConfig, Precision, TrainerConfig};
use tafl_rules::Rules;
use tafl_samples::TargetConfig;
use tafl_search::SearchConfig;
use tafl_selfplay::SelfplayConfig;

/// A run config file. Every field must be given; nothing has a hidden value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunConfig {
    /// Name of the run, and of its folder unless `--run` says otherwise: letters, digits, `-` and `_`.
    #[schemars(length(min = 1, max = 100), extend("pattern" = "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"))]
    pub(crate) name: String,
    /// Where everything random in the run comes from.
    pub(crate) seed: u64,
    /// Rulesets to learn, all on boards of one size: names of presets, or paths relative to this file.
    #[schemars(length(min = 1))]
    pub(crate) rulesets: Vec<String>,
    /// Where the network computes: `cpu`, `cuda` or `cuda:1`.
    pub(crate) device: Device,
    /// In which number format: `f32`, `bf16`, or `auto`: bf16 where the device has fast instructions for it.
    pub(crate) precision: Precision,
    /// How long and how much.
    #[serde(rename = "loop")]
    pub(crate) amounts: LoopConfig,
    /// The size of the network.
    pub(crate) network: NetworkConfig,
    /// How it searches.
    pub(crate) search: SearchConfig,
    /// How it plays against itself.
    pub(crate) selfplay: SelfplayConfig,
    /// What it learns from a position.
    pub(crate) targets: TargetConfig,
    /// Which positions it learns from.
    pub(crate) replay: WindowConfig,
    /// How it learns.
    pub(crate) trainer: TrainerConfig,
    /// How matches are played.
    pub(crate) arena: ArenaConfig,
    /// Who plays whom.
    pub(crate) ladder: LadderConfig,
}

/// Section `[loop]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoopConfig {
    /// Whether self-play and training take turns (`synchronous`: the same samples and weights for a seed) or go on
    /// side by side (`asynchronous`: no one waits, but no two runs are equal). `AlphaGo` Zero and `KataGo` are
    /// asynchronous; so are machines with a GPU, which one of the two alone cannot fill.
    #[schemars(extend("x-before" = "synchronous"))]
    pub(crate) mode: LoopMode,
    /// Times that self-play, training and matches are repeated, 1 to 1,000,000; asynchronous: checkpoints. May be
    /// raised when a run is resumed.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) generations: u32,
    /// Times that a position is learned from on average, 0.01 to 1,000: a generation with so many new
    /// samples trains for `reuse` times as many, drawn from the replay window. `KataGo`: about 4.
    #[schemars(range(min = 0.01, max = 1_000.0))]
    pub(crate) reuse: f64,
    /// Samples in a step, 1 to 65,536. AlphaZero: 4,096; 128 to 512 learn faster on a CPU.
    #[schemars(range(min = 1, max = 65_536))]
    pub(crate) batch_size: u32,
    /// Which checkpoints play self-play.
    pub(crate) gate: GateConfig,
    /// What only the asynchronous mode asks for.
    pub(crate) asynchronous: AsynchronousConfig,
}

/// Section `[loop.gate]`: a new checkpoint plays self-play only if it does not lose to the last one that does.
///
/// It plays a match with it under each ruleset, searching as in `[arena]`, and is turned down if the test rejects it
/// in one. Training goes on from the newest weights in any case, as in `KataGo`; `AlphaGo` Zero asked for 55 % of 400
/// games, `AlphaZero` for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GateConfig {
    /// Openings of the match at most, each played with both sides, 0 to 100,000; where they do not decide, the
    /// checkpoint plays. 0 turns the gate off. `KataGo`: 100.
    #[schemars(range(min = 0, max = 100_000), extend("x-before" = 0))]
    pub(crate) openings: u32,
    /// The sequential test that ends the match: it rejects at `elo0`, below 0, and accepts at `elo1`.
    pub(crate) test: SprtConfig,
}

/// How self-play and training go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LoopMode {
    /// They take turns.
    Synchronous,
    /// They go on side by side.
    Asynchronous,
}

/// Section `[loop.asynchronous]`.
///
/// Self-play, training and matches share the cores as the operating system divides them, and whoever has nothing to do
/// waits without computing. On a CPU leave `selfplay.workers` and `trainer.threads` at 0: training takes its share
/// whenever there are samples for a step. On a GPU, where training needs one core and self-play the others, let
/// `selfplay.workers` be one or two less than there are cores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AsynchronousConfig {
    /// Training steps between two checkpoints, 1 to 1,000,000; a kill loses at most as many. `AlphaZero`: 1,000.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-before" = 1000))]
    pub(crate) checkpoint_steps: u32,
    /// Games in a file of the run's own self-play, 1 to 1,000,000; training sees them once it is written.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-before" = 100))]
    pub(crate) shard_games: u32,
    /// Samples that there must be before the first step, 0 to 1,000,000,000. `KataGo` begins with 250,000.
    #[schemars(range(min = 0, max = 1_000_000_000), extend("x-before" = 0))]
    pub(crate) first_samples: u64,
    /// New samples that training may be behind what `loop.reuse` asks for, 1 to 1,000,000,000; where it is further
    /// behind, the run's own self-play rests after its next batch until it is not. Games in progress, open shards and
    /// workers of other processes come on top.
    #[schemars(range(min = 1, max = 1_000_000_000), extend("x-before" = 1_000_000_000))]
    pub(crate) most_lag: u64,
}

/// Section `[ladder]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LadderConfig {
    /// Opponents of each new checkpoint, by how many generations they are older; those before the first are left out.
    #[schemars(inner(range(min = 1)))]
    pub(crate) opponents: Vec<u32>,
    /// Checkpoints that play everyone against everyone at the end of the run, 0 to 100: the first, the last and some between.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) checkpoints: u32,
    /// Baselines that play the last of them as well: `random`, `greedy`, `rollouts:VISITS` or `alphabeta:DEPTH`.
    pub(crate) baselines: Vec<Baseline>,
}

/// A config with its rules, checked.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) config: RunConfig,
    pub(crate) rules: Vec<Arc<Rules>>,
    /// For each ruleset its file, if it is not a preset.
    pub(crate) files: Vec<Option<PathBuf>>,
    /// What `--set` changed, such as `search.visits=32`.
    pub(crate) changes: Vec<String>,
}

/// Reads a config, applies changes such as `search.visits=32`, and checks all of it.
pub(crate) fn load(path: &Path, changes: &[String]) -> anyhow::Result<Loaded> {
    load_without(path, changes, &[])
}

/// Does what [`load`] does, as if the file had some fields not.
pub(crate) fn load_without(
    path: &Path,
    changes: &[String],
    unset: &[String],
) -> anyhow::Result<Loaded> {
    let (mut table, source) = toml_file::open(path, changes)?;
    for field in unset {
        toml_file::remove(&mut table, field);
    }
    let config: RunConfig =
        toml_file::decode(table).map_err(|fault| source.error(&fault.field, &fault.advice()))?;
    config
        .check()
        .map_err(|fault| source.error(&fault.field, &fault.reason))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let rules = load_rules(&config, folder, &source)?;
    let file = |name: &String| {
        tafl_rules::preset(name)
            .is_none()
            .then(|| folder.join(name))
    };
    let files = config.rulesets.iter().map(file).collect();
    Ok(Loaded {
        config,
        rules,
        files,
        changes: changes.to_vec(),
    })
}

/// How the fields of a file are not those of the program, because one of them is older.
pub(crate) struct Drift {
    /// Fields that the file lacks.
    pub(crate) missing: Vec<Field>,
    /// Fields that the program lacks, and what they hold.
    pub(crate) unknown: Vec<(String, String)>,
}

/// Returns the fields that only the file or only the program has, whatever is wrong with the others.
pub(crate) fn drift(path: &Path) -> anyhow::Result<Drift> {
    let (table, _) = toml_file::open(path, &[])?;
    let mut fields = schema::fields(Kind::Run);
    fields.retain(|field| !field.is_section());
    let is_known = |path: &String| fields.iter().any(|field| field.path == *path);
    let paths = toml_file::paths(&table).into_iter();
    let unknown = paths
        .filter(|path| !is_known(path))
        .filter_map(|path| Some((toml_file::value(&table, &path)?, path)))
        .map(|(value, path)| (path, toml_file::display(value)))
        .collect();
    fields.retain(|field| toml_file::value(&table, &field.path).is_none() && !field.has_default());
    Ok(Drift {
        missing: fields,
        unknown,
    })
}

fn load_rules(
    config: &RunConfig,
    folder: &Path,
    source: &Source,
) -> anyhow::Result<Vec<Arc<Rules>>> {
    let mut rules: Vec<Arc<Rules>> = Vec::new();
    for name in &config.rulesets {
        let next = rulesets::load_rules(name, folder).map_err(|error| {
            match error.downcast::<rulesets::Unknown>() {
                Ok(unknown) => source.error("rulesets", &unknown.to_string()),
                Err(error) => error,
            }
        })?;
        let name = &next.ruleset().name;
        if rules.iter().any(|other| other.ruleset().name == *name) {
            return Err(source.error("rulesets", &format!("{name:?} is given twice")));
        }
        if rules
            .first()
            .is_some_and(|first| first.shape() != next.shape())
        {
            return Err(source.error("rulesets", "boards of different sizes"));
        }
        rules.push(next);
    }
    Ok(rules)
}

impl RunConfig {
    fn check(&self) -> Result<(), Fault> {
        check_name(&self.name).map_err(|reason| fault("name", &reason))?;
        if self.seed > i64::MAX as u64 {
            return Err(fault("seed", "a config file holds numbers below 2^63"));
        }
        if self.rulesets.is_empty() {
            return Err(fault("rulesets", "at least one is needed"));
        }
        let LoopConfig {
            mode: _,
            generations,
            reuse,
            batch_size,
            gate,
            ref asynchronous,
        } = self.amounts;
        check_range("loop.generations", generations, [1, 1_000_000])?;
        if !(0.01..=1000.0).contains(&reuse) {
            let reason = format!("{reuse} is not a number from 0.01 to 1000");
            return Err(fault("loop.reuse", &reason));
        }
        check_range("loop.batch_size", batch_size, [1, 65_536])?;
        gate.check()?;
        asynchronous.check()?;
        check_range("ladder.checkpoints", self.ladder.checkpoints, [0, 100])?;
        if self.ladder.opponents.contains(&0) {
            return Err(fault(
                "ladder.opponents",
                "0 is the checkpoint itself; 1 is the one before",
            ));
        }
        within("selfplay", self.selfplay.check())?;
        self.replay
            .check()
            .map_err(|(field, reason)| fault(&format!("replay.{field}"), &reason))?;
        within("arena", self.arena.check())
    }

    /// Returns the training steps of a generation with so many new samples, at least one.
    pub(crate) fn steps(&self, samples: u64) -> u64 {
        let drawn = samples as f64 * self.amounts.reuse;
        ((drawn / f64::from(self.amounts.batch_size)).round() as u64).max(1)
    }
}

impl GateConfig {
    fn check(&self) -> Result<(), Fault> {
        check_range("loop.gate.openings", self.openings, [0, 100_000])?;
        within("loop.gate.test", self.test.check())
    }

    /// Returns whether checkpoints are tested.
    pub(crate) const fn is_on(&self) -> bool {
        self.openings > 0
    }
}

impl AsynchronousConfig {
    fn check(&self) -> Result<(), Fault> {
        let within = |field: &str, value: u64, range: [u64; 2]| {
            check_range(&format!("loop.asynchronous.{field}"), value, range)
        };
        let million = 1_000_000;
        within(
            "checkpoint_steps",
            self.checkpoint_steps.into(),
            [1, million],
        )?;
        within("shard_games", self.shard_games.into(), [1, million])?;
        within("first_samples", self.first_samples, [0, 1_000 * million])?;
        within("most_lag", self.most_lag, [1, 1_000 * million])
    }
}

/// Says what is wrong with the name of a run.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(plain) {
        return Err(format!(
            "{name:?} is not made of letters, digits, `.`, `-` and `_`"
        ));
    }
    Ok(())
}

fn check_range<N: PartialOrd + std::fmt::Display>(
    field: &str,
    value: N,
    [least, most]: [N; 2],
) -> Result<(), Fault> {
    if least <= value && value <= most {
        return Ok(());
    }
    Err(fault(
        field,
        &format!("{value} is not a number from {least} to {most}"),
    ))
}

fn fault(field: &str, reason: &str) -> Fault {
    Fault {
        field: field.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Puts the name of a section before the field that an error of one of the crates names.
fn within<E: std::fmt::Display>(section: &str, checked: Result<(), E>) -> Result<(), Fault> {
    checked.map_err(|error| {
        let text = error.to_string();
        match split_field(&text) {
            ("", reason) => fault(section, reason),
            (field, reason) => fault(&format!("{section}.{field}"), reason),
        }
    })
}
