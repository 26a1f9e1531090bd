//! The run config: what a run does, read and checked once.

mod high_loss;
mod older;
pub(crate) mod shipped;
mod stored;

use stored::check_rulesets;
pub(crate) use stored::{load_stored, load_stored_file, read_stored};

use crate::pool;
use crate::rulesets;
use anyhow::anyhow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_config::{Change, Config, ConfigError, Document, Faults, FolderName};
use tafl_dataset::WindowConfig;
use tafl_network::{Device, NetworkConfig, Precision, TrainerConfig};
use tafl_play::{
    MakeEvaluator, MatchConfig, Player, Repertoire, RunnerConfig, SelfplayConfig, SelfplayPlan,
    Session,
};
use tafl_samples::{Baseline, GameRecord, PlayerId, TargetConfig};
use tafl_search::SearchConfig;

/// The file with the config of a run in the run's folder, from its beginning on; written last.
pub const RUN_CONFIG: &str = "config.toml";

/// The config of the run that a network came from, beside the network if it is not in its run, as in `data/nets/`.
pub(crate) const CONFIG_BESIDE: &str = "run.toml";

/// Where a run, or another folder with games, keeps the files of its rulesets.
pub(crate) const RULESETS: &str = "rulesets/";

/// A run config. A file states what differs from the defaults; a run stores all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    /// Name of the run, and of its folder unless `--run` is given: letters, digits, `.`, `-` and `_`. Default `run`.
    #[schemars(with = "FolderName")]
    pub name: String,
    /// Random seed of the run. Default 1.
    #[schemars(extend("x-fixed" = true))]
    pub seed: u64,
    /// Rulesets to learn, all on boards of one size: names of presets, or paths relative to this file. Default
    /// `copenhagen`.
    #[schemars(length(min = 1))]
    pub rulesets: Vec<String>,
    /// Fields of rulesets whose other values are learned too, in a fifth of the games without teachers, so that
    /// `tafl balance vary` can say what each is worth: `shieldwall` stands for its other values, `captureless_limit=50`
    /// for one. Each variant differs in one field from a ruleset. Default none.
    #[schemars(extend("x-fixed" = true))]
    pub rule_changes: Vec<String>,
    /// Device of the network: `cpu`, `cuda` or `cuda:1`. Default `cpu`.
    pub device: Device,
    /// Number format that self-play and matches compute in. Default `auto`.
    pub precision: Precision,
    /// What stays on the disk. Default `all`.
    pub keep: Keep,
    /// Length of the run, and amounts.
    #[serde(rename = "loop")]
    pub training_loop: LoopConfig,
    /// The size of the network.
    #[schemars(extend("x-fixed" = true))]
    pub network: NetworkConfig,
    /// How it searches.
    pub search: SearchConfig,
    /// Parallel games and workers.
    pub runner: RunnerConfig,
    /// How it plays against itself.
    pub selfplay: SelfplayConfig,
    /// Training targets of a position.
    pub targets: TargetConfig,
    /// Positions to learn from.
    pub replay: WindowConfig,
    /// How it learns.
    pub trainer: TrainerConfig,
    /// How matches are played.
    pub arena: MatchConfig,
    /// Who plays whom.
    pub ladder: LadderConfig,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            name: "run".to_owned(),
            seed: 1,
            rulesets: vec!["copenhagen".to_owned()],
            rule_changes: Vec::new(),
            device: Device::Cpu,
            precision: Precision::Auto,
            keep: Keep::All,
            training_loop: LoopConfig::default(),
            network: NetworkConfig::default(),
            search: SearchConfig::default(),
            runner: RunnerConfig::default(),
            selfplay: SelfplayConfig::default(),
            targets: TargetConfig::default(),
            replay: WindowConfig::default(),
            trainer: TrainerConfig::default(),
            arena: MatchConfig::default(),
            ladder: LadderConfig::default(),
        }
    }
}

/// Section `[loop]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LoopConfig {
    /// Times that self-play, training and matches are repeated, 1 to 1,000,000; asynchronous: checkpoints. May be
    /// raised when a run is resumed. Default 200.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub generations: u32,
    /// Times that a position is learned from on average, 0.01 to 1,000: a generation with N new samples trains on
    /// `reuse` times N samples, drawn from the replay window, and on one whole batch at least. Default 6. KataGo: about 4.
    #[schemars(range(min = 0.01, max = 1_000.0))]
    pub reuse: f64,
    /// Samples in a step, 1 to 65,536. A generation makes one step at least: with fewer new samples than this over `reuse`,
    /// each is learned from more often. Default 256. AlphaZero: 4,096; 128 to 512 learn faster on a CPU.
    #[schemars(range(min = 1, max = 65_536))]
    pub batch_size: u32,
    /// Games in a generation where self-play and training take turns, as they do without `[loop.asynchronous]`: a seed
    /// gives the same samples and weights. 1 to 10,000,000. Default 150. AlphaGo Zero: 25,000.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub games: u32,
    /// Self-play, training and matches run side by side: nothing waits, but no two runs are equal. AlphaGo Zero and
    /// KataGo do so. Use it on machines with a GPU, which self-play or training alone cannot fill. Default off.
    ///
    /// They share the cores as the operating system divides them, and idle ones use no CPU time. On a CPU leave
    /// `runner.workers` at 0: training takes its share whenever there are samples for a step. On a GPU, where training
    /// needs one core and self-play the others, let `runner.workers` be one or two less than there are cores.
    pub asynchronous: Option<AsynchronousConfig>,
}

/// Section `[loop.asynchronous]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AsynchronousConfig {
    /// Training steps between two checkpoints, 1 to 1,000,000; a kill loses at most this many. Default 50. AlphaZero:
    /// 1,000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub checkpoint_steps: u32,
    /// Games in a file of the run's own self-play, 1 to 1,000,000; training sees them once it is written. Default 50.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub shard_games: u32,
    /// Samples needed before the first step, 0 to 1,000,000,000. Default 2,000. KataGo begins with 250,000.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub first_samples: u64,
    /// New samples that training may lag behind `loop.reuse`, 1 to 1,000,000,000; if the lag is larger, the run's own
    /// self-play pauses after its next batch until training has caught up. Samples of other workers count too; such a
    /// worker pauses when it alone has written this many more than the checkpoints since its start and the next one
    /// need. Games in progress and open shards are not counted. Default 100,000.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub most_lag: u64,
}

/// Section `[ladder]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LadderConfig {
    /// Players that checkpoints are measured against while the run goes on, with 10 games for each and each ruleset:
    /// baselines, or folders of checkpoints relative to this file, which are copied into the run. The metrics `elo/pool`
    /// are from these games. Default none.
    #[schemars(extend("x-fixed" = true))]
    pub pool: Vec<String>,
    /// Checkpoints between two that play the pool, 1 to 1,000,000. Default 20.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub pool_every: u32,
    /// Checkpoints that play a round-robin at the end of the run, 0 to 100: the first, the last and some between.
    /// Default 5.
    #[schemars(range(min = 0, max = 100))]
    pub checkpoints: u32,
    /// Reference opponents that also play against the last checkpoint. Default: `random`, `greedy`, `rollouts:1000` and `alphabeta:3`.
    pub baselines: Vec<Baseline>,
}

impl Default for LoopConfig {
    fn default() -> Self {
        Self {
            generations: 200,
            reuse: 6.0,
            batch_size: 256,
            games: 150,
            asynchronous: None,
        }
    }
}

/// What stays on the disk while a run goes on; games, matches and metrics do in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Everything.
    All,
    /// Samples that the replay window may still draw, and of the checkpoints every tenth, the first, the last two, and
    /// those that play the ladder or the pool.
    Needed,
}

impl Default for AsynchronousConfig {
    fn default() -> Self {
        Self {
            checkpoint_steps: 50,
            shard_games: 50,
            first_samples: 2_000,
            most_lag: 100_000,
        }
    }
}

impl Default for LadderConfig {
    fn default() -> Self {
        Self {
            pool: Vec::new(),
            pool_every: 20,
            checkpoints: 5,
            baselines: vec![
                Baseline::RANDOM,
                Baseline::GREEDY,
                Baseline::rollouts(1_000),
                Baseline::alpha_beta(3),
            ],
        }
    }
}

/// A config with its rules, checked.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What the file and the changes say, and the defaults.
    pub config: RunConfig,
    /// The rules of each ruleset, and of the variants to learn.
    pub rules: Repertoire,
    /// For each ruleset its file, if it is not a preset.
    pub files: Vec<Option<PathBuf>>,
    /// The folder to which the paths in it are relative.
    pub folder: PathBuf,
}

impl Loaded {
    /// Checks a config that was made in Rust, and returns it with its rules; paths of ruleset files are relative to the
    /// folder of the process.
    ///
    /// # Errors
    /// Names everything that is wrong with it, by the lines of the config as [`tafl_config::show`] writes it.
    pub fn new(config: &RunConfig) -> anyhow::Result<Self> {
        let text = tafl_config::show(config)?;
        let document = tafl_config::read_text(Path::new("run config"), &text, &[])?;
        resolve(&document, Path::new("."), true)
    }
}

/// Reads a config, applies changes such as `search.visits=32`, and checks all of it.
///
/// # Errors
/// Names everything that is wrong with the file, each with its line.
pub fn load(path: &Path, changes: &[Change]) -> anyhow::Result<Loaded> {
    let document = tafl_config::read::<RunConfig>(path, changes)?;
    resolve(&document, path.parent().unwrap_or(Path::new(".")), true)
}

/// Does the same for who plays or reads games of self-play alone: the pool need not be there, and the rulesets of a run must
/// be those that it began with.
///
/// # Errors
/// As [`load`], and if a ruleset of a run is another than its manifest tells.
pub fn load_for_games(path: &Path, changes: &[Change]) -> anyhow::Result<Loaded> {
    let document = tafl_config::read::<RunConfig>(path, changes)?;
    let loaded = resolve(&document, path.parent().unwrap_or(Path::new(".")), false)?;
    if path.file_name().is_some_and(|name| name == RUN_CONFIG) {
        check_rulesets(&loaded)?;
    }
    Ok(loaded)
}

/// Returns what a config says, with its rules; paths of ruleset files are relative to `folder`. The players of the pool must be
/// there only where it is to be played.
fn resolve(
    document: &Document<RunConfig>,
    folder: &Path,
    plays_pool: bool,
) -> anyhow::Result<Loaded> {
    let config = document.config.clone();
    let refused = |field: &str, error: &anyhow::Error| {
        document.faults(vec![ConfigError::new(field, format!("{error:#}"))])
    };
    let rules = rulesets::load_all(&config.rulesets, folder);
    let rules = rules.map_err(|error| match error.is::<Faults>() {
        true => error,
        false => {
            let faults = refused("rulesets", &error);
            error.context(faults)
        }
    })?;
    if rules.iter().any(|one| one.shape() != rules[0].shape()) {
        return Err(refused("rulesets", &anyhow!("boards of different sizes")).into());
    }
    if plays_pool {
        pool::check(&config.ladder.pool, folder, &rules[0])
            .map_err(|error| refused("ladder.pool", &error))?;
    }
    let file = |name: &String| {
        let is_file = tafl_rules::preset_named(name).is_none();
        is_file.then(|| folder.join(name))
    };
    let rules = rulesets::with_variants(rules, &config.rule_changes)
        .map_err(|error| refused("rule_changes", &error))?;
    Ok(Loaded {
        files: config.rulesets.iter().map(file).collect(),
        folder: folder.to_owned(),
        config,
        rules,
    })
}

impl Config for RunConfig {
    const REMOVED: &'static [(&'static str, &'static str)] = older::REMOVED;
    const WORDS: &'static str = include_str!("config/words.txt");
    const KEPT_AS: &'static [&'static str] = &[RUN_CONFIG, CONFIG_BESIDE];

    fn translate(kept: &mut toml::Table) {
        older::translate(kept);
    }

    fn relations(&self) -> Vec<ConfigError> {
        let replay = self.replay.check().err();
        let replay = replay.map(|(field, reason)| ConfigError::new(field, reason));
        let sections = [
            ("loop", Vec::from_iter(self.too_few_games())),
            ("selfplay", self.selfplay.relations()),
            ("replay", Vec::from_iter(replay)),
            ("arena", self.arena.relations()),
        ];
        let within = |(section, wrong): (&'static str, Vec<ConfigError>)| {
            wrong.into_iter().map(move |error| error.within(section))
        };
        sections.into_iter().flat_map(within).collect()
    }
}

impl RunConfig {
    /// Returns what is wrong if a generation has no game of some ruleset: the games begin with the first one each time.
    fn too_few_games(&self) -> Option<ConfigError> {
        let (games, rulesets) = (self.training_loop.games, self.rulesets.len());
        let is_few = self.training_loop.asynchronous.is_none() && (games as usize) < rulesets;
        let reason =
            || format!("{games} are too few for {rulesets} `rulesets`: some are not played");
        is_few.then(|| ConfigError::new("games", reason()))
    }

    /// Returns what is wrong if a generation of so many new samples learns from each at least twice as often as the config
    /// says, since it makes a whole step.
    pub fn large_batch(&self, samples: u64) -> Option<String> {
        let LoopConfig {
            batch_size, reuse, ..
        } = self.training_loop;
        let is_large = f64::from(batch_size) >= 2.0 * reuse * samples as f64;
        let times = f64::from(batch_size) / samples.max(1) as f64;
        (is_large && self.training_loop.asynchronous.is_none()).then(|| {
            format!(
                "one step of loop.batch_size = {batch_size} draws {times:.0} for each of {samples} new samples, not loop.reuse = {reuse}: \
                 lower it, or raise loop.games"
            )
        })
    }

    /// Returns what all games of self-play have in common.
    pub const fn session<'a>(&self, rules: &'a Repertoire) -> Session<'a> {
        Session {
            rules,
            run_seed: self.seed,
            runner: self.runner,
        }
    }

    /// Returns how a player plays itself in a generation after some games; `make` makes its evaluators.
    pub fn plan(
        &self,
        rules: &Repertoire,
        games: &[GameRecord],
        generation: u32,
        id: PlayerId,
        make: MakeEvaluator,
    ) -> SelfplayPlan {
        let player = Arc::new(Player::network(id, self.search.clone(), make));
        SelfplayPlan::after(games, &self.selfplay, rules.listed(), generation, player)
    }

    /// Returns the training steps of a generation with this number of new samples, at least one.
    pub fn steps(&self, samples: u64) -> u64 {
        let drawn = samples as f64 * self.training_loop.reuse;
        let batch_size = f64::from(self.training_loop.batch_size);
        ((drawn / batch_size).round() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_has_a_game_of_each_ruleset() {
        let mut config = RunConfig {
            rulesets: ["brandubh", "magpie"].map(str::to_owned).into(),
            ..RunConfig::default()
        };
        config.training_loop.games = 2;
        assert_eq!(config.relations(), []);
        config.training_loop.games = 1;
        let wrong = config.relations();
        assert_eq!(wrong.len(), 1);
        assert_eq!(wrong[0].field, "loop.games");
        config.training_loop.asynchronous = Some(AsynchronousConfig::default());
        assert_eq!(config.relations(), []);
    }
}
