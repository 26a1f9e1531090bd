//! Players from the names a user gives: baselines, and folders of checkpoints.

use crate::config::shipped::QUICKSTART;
use crate::config::{self, CONFIG_BESIDE, Loaded, RUN_CONFIG, RunConfig};
use crate::error::{SourceError, StoredConfigFor};
use crate::found_rules::Learned;
use crate::memory::Memory;
use crate::observer::Silent;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_network::{
    Compute, Device, Evaluators, ModelCard, Network, Origin, Precision, RulesetCard,
};
use tafl_play::{MakeEvaluator, Player};
use tafl_rules::Rules;
use tafl_samples::{Baseline, PlayerId, derive_seed};
use tafl_search::Evaluator;
use tafl_store::is_checkpoint;

/// Where a player comes from: `BASELINE`, `FOLDER` or `FOLDER@visits=N`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerSource {
    /// A player without a network.
    Baseline(Baseline),
    /// The folder of a checkpoint.
    Checkpoint {
        /// The folder.
        folder: PathBuf,
        /// Visits of each move, where they are the player's own; 1 to 1,000,000.
        visits: Option<u32>,
    },
}

impl PlayerSource {
    /// Returns the checkpoint in a folder, without visits of its own.
    pub const fn checkpoint(folder: PathBuf) -> Self {
        Self::Checkpoint {
            folder,
            visits: None,
        }
    }

    /// Returns a checkpoint with this number of visits, if it has no visits of its own.
    #[must_use]
    pub fn with_visits(self, wanted: u32) -> Self {
        match self {
            Self::Checkpoint { folder, visits } => Self::Checkpoint {
                folder,
                visits: visits.or(Some(wanted)),
            },
            Self::Baseline(_) => self,
        }
    }

    /// Returns the folder of a checkpoint.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Checkpoint { folder, .. } => Some(folder),
            Self::Baseline(_) => None,
        }
    }

    /// Returns the config with which the player searches: that of the run it comes from, else the quickstart's. What a run
    /// computed on a GPU plays on the CPU of a machine without one.
    ///
    /// # Errors
    /// If the run's config cannot be read.
    pub fn own_config(&self) -> anyhow::Result<RunConfig> {
        self.own_config_for(StoredConfigFor::Search)
    }

    pub(crate) fn own_config_for(&self, purpose: StoredConfigFor) -> anyhow::Result<RunConfig> {
        let mut config = match self.folder().and_then(run_config_of) {
            Some(path) => config::read_stored(&path, purpose)?,
            None => quickstart()?,
        };
        if open_device(config.device).is_err() {
            config.device = Device::Cpu;
            config.precision = Precision::Auto;
        }
        Ok(config)
    }

    /// Sets the player up, with its own visits or else those of matches in a config; a checkpoint must fit the board of
    /// `rules`.
    ///
    /// # Errors
    /// If the checkpoint or the device cannot be used.
    pub fn open(&self, config: &RunConfig, rules: &Rules) -> anyhow::Result<OpenedPlayer> {
        match self {
            Self::Baseline(baseline) => Ok(OpenedPlayer::baseline(*baseline)),
            Self::Checkpoint { folder, visits } => {
                OpenedPlayer::checkpoint(folder, *visits, config, rules)
            }
        }
    }
}

impl std::str::FromStr for PlayerSource {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, visits) = match text.rsplit_once("@visits=") {
            None => (text, None),
            Some((name, visits)) => {
                let number = visits.parse().ok();
                let number = number.filter(|it| (1..=1_000_000).contains(it));
                let refused = || format!("{text}: `visits` is not a number from 1 to 1000000");
                (name, Some(number.with_context(refused)?))
            }
        };
        match (name.parse::<Baseline>(), visits) {
            (Ok(baseline), None) => Ok(Self::Baseline(baseline)),
            (Ok(baseline), Some(_)) => anyhow::bail!("{text}: {baseline} takes no `visits`"),
            (Err(_), visits) if name.contains('/') || Path::new(name).is_dir() => {
                let folder = PathBuf::from(name);
                Ok(Self::Checkpoint { folder, visits })
            }
            (Err(error), _) => Err(anyhow::anyhow!(
                "{error}, or the folder of a checkpoint, of which there is none called so here"
            )),
        }
    }
}

impl fmt::Display for PlayerSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline(baseline) => write!(f, "{baseline}"),
            Self::Checkpoint { folder, .. } => write!(f, "{}", folder.display()),
        }
    }
}

/// Everything a player's moves depend on: on one machine two players with the same card play the same games.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerCard {
    /// The baseline, `checkpoint`, or `engine`.
    pub kind: String,
    /// SHA-256 of a checkpoint's weights.
    pub weights_sha256: Option<String>,
    /// How a checkpoint searches, field by field.
    pub search: Option<serde_json::Value>,
    /// The number format in which a checkpoint computes; older cards do not tell it.
    #[serde(default)]
    pub precision: Option<Compute>,
    /// How another program is started and configured.
    pub engine: Option<serde_json::Value>,
    /// SHA-256 of the files that its command names, by their names there; older cards do not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_sha256: Option<BTreeMap<String, String>>,
}

/// A player ready to play, with its origin.
#[derive(Debug, Clone)]
pub struct OpenedPlayer {
    /// The player.
    pub player: Arc<Player>,
    /// What its moves depend on.
    pub card: PlayerCard,
    /// Run and generation of a checkpoint, the family of a baseline, or the name of a program: its name without its
    /// strength.
    pub family: String,
    /// The rulesets that a network has learned, without variants; nothing without a network.
    pub learned: Option<Vec<RulesetCard>>,
    /// What it learned, variants included; nothing without a network.
    pub known: Learned,
}

impl OpenedPlayer {
    /// Returns the name under which its results are stored.
    pub fn name(&self) -> String {
        self.player.id.to_string()
    }

    /// Returns a baseline.
    pub fn baseline(baseline: Baseline) -> Self {
        Self {
            player: Arc::new(Player::baseline(baseline)),
            card: PlayerCard {
                kind: baseline.to_string(),
                ..PlayerCard::default()
            },
            family: baseline.family().name().to_owned(),
            learned: None,
            known: Learned::default(),
        }
    }

    fn checkpoint(
        folder: &Path,
        visits: Option<u32>,
        config: &RunConfig,
        rules: &Rules,
    ) -> anyhow::Result<Self> {
        let (network, card) = load(folder, rules)?;
        let compute = prepare(config.device, config.precision, &network)?;
        let mut search = config.arena.match_search(&config.search);
        search.visits = visits.unwrap_or(search.visits);
        // Those of the file that was loaded, as its card says.
        let weights_sha256 = Some(Origin::of(&card).weights_sha256);
        let from = card.provenance;
        let id = PlayerId::Network {
            run: from.run.clone(),
            generation: from.generation,
            visits: search.visits,
        };
        let make = evaluator_maker(network, config.device, compute);
        Ok(Self {
            card: PlayerCard {
                kind: "checkpoint".to_owned(),
                weights_sha256,
                search: Some(serde_json::to_value(&search)?),
                precision: Some(compute),
                ..PlayerCard::default()
            },
            player: Arc::new(Player::network(id, search, make)),
            family: format!("{} {}", from.run, from.generation),
            known: Learned::of(folder, &from),
            // An untrained network names the rulesets that it is to learn.
            learned: Some(match from.generation {
                0 => Vec::new(),
                _ => from.rulesets,
            }),
        })
    }
}

/// Returns the quickstart's config.
///
/// # Errors
/// Never, as long as the tests of this crate pass.
pub fn quickstart() -> anyhow::Result<RunConfig> {
    let path = Path::new("configs/quickstart.toml");
    Ok(tafl_config::read_text::<RunConfig>(path, QUICKSTART, &[])?.config)
}

/// Returns the config of a run, or of the run that a checkpoint came from: the one beside it, or else that of the run it
/// is in.
pub fn run_config_of(folder: &Path) -> Option<PathBuf> {
    let within = [CONFIG_BESIDE, RUN_CONFIG].map(|name| folder.join(name));
    let of_run = || run_of(folder).map(|run| run.join(RUN_CONFIG));
    let mut within = within.into_iter();
    within.find(|path| path.is_file()).or_else(of_run)
}

/// Returns the folder of the run that a checkpoint is in, if it is one of a run's own: `RUN/checkpoints/GENERATION`.
pub fn run_of(checkpoint: &Path) -> Option<PathBuf> {
    let checkpoint = checkpoint.canonicalize().ok()?;
    let all = checkpoint.parent()?;
    let run = all.parent()?;
    let is_of_run = all.ends_with("checkpoints") && run.join(RUN_CONFIG).is_file();
    is_of_run.then(|| run.to_owned())
}

/// Returns the untrained network of a config, to play without a run.
pub(crate) fn untrained(config: &RunConfig, rules: &[Arc<Rules>]) -> Network {
    let seed = derive_seed(config.seed, &[]);
    Network::new(config.network, rules[0].shape(), seed)
}

/// Loads a checkpoint.
///
/// # Errors
/// If it is missing or damaged.
pub fn load_any(folder: &Path) -> anyhow::Result<(Network, ModelCard)> {
    must_be_checkpoint(folder)?;
    let (network, card) = tafl_network::load_network(folder)?;
    must_compute_numbers(folder, &network)?;
    Ok((network, card))
}

/// Refuses a network whose weights are so large that it computes infinities.
pub(crate) fn must_compute_numbers(path: &Path, network: &Network) -> anyhow::Result<()> {
    anyhow::ensure!(
        tafl_network::computes_numbers(network)?,
        "{}: its weights are so large that the network's outputs are no numbers",
        path.display()
    );
    Ok(())
}

/// Reads the card of a checkpoint.
///
/// # Errors
/// If it is missing or damaged.
pub fn card(folder: &Path) -> anyhow::Result<ModelCard> {
    must_be_checkpoint(folder)?;
    Ok(tafl_network::load_card(folder)?)
}

fn must_be_checkpoint(folder: &Path) -> anyhow::Result<()> {
    let owned = || folder.to_owned();
    if is_checkpoint(folder) {
        Ok(())
    } else if folder.exists() {
        Err(SourceError::NoCheckpoint(owned()).into())
    } else {
        Err(SourceError::NoFolder(owned()).into())
    }
}

/// Loads a checkpoint and checks that it plays on the board of `rules`.
///
/// # Errors
/// If it is missing or damaged, or has another board.
pub fn load(folder: &Path, rules: &Rules) -> anyhow::Result<(Network, ModelCard)> {
    let (network, card) = load_any(folder)?;
    let (own, size) = (network.architecture().size(), rules.shape().size());
    anyhow::ensure!(
        own == usize::from(size),
        "{}: plays on {own}x{own}, but ruleset {} on {size}x{size}",
        folder.display(),
        rules.ruleset().name
    );
    Ok((network, card))
}

/// Opens the device, and decides the number format; called before anything else is computed.
///
/// # Errors
/// If the device, or on it the number format, cannot be used.
pub fn prepare(device: Device, precision: Precision, network: &Network) -> anyhow::Result<Compute> {
    open_device(device)?;
    let compute = precision.resolve(network, device);
    if compute == Compute::Bf16 && !tafl_network::computes_bf16(network, device) {
        return Err(SourceError::Bf16(device).into());
    }
    Ok(compute)
}

/// Checks that this machine can train by a config, as far as that is known without starting.
///
/// # Errors
/// If it lacks the memory, the device, or on it the number format.
pub fn check_machine(loaded: &Loaded) -> anyhow::Result<()> {
    let (config, shape) = (&loaded.config, loaded.rules[0].shape());
    Memory::of(config, shape, true).check(&Silent)?;
    if config.precision == Precision::Auto {
        // It takes a while to find out, and there is always one.
        return open_device(config.device);
    }
    let network = Network::new(config.network, shape, 0);
    prepare(config.device, config.precision, &network).map(|_| ())
}

fn open_device(device: Device) -> anyhow::Result<()> {
    if let Device::Cuda(_) = device {
        tafl_network::open_cuda().map_err(|error| SourceError::Cuda(error.to_string()))?;
    }
    Ok(device.check()?)
}

/// Returns what makes evaluators of a network on a device.
pub(crate) fn evaluator_maker(network: Network, device: Device, compute: Compute) -> MakeEvaluator {
    let evaluators = Evaluators::new(network, device, compute);
    Arc::new(move |_| Ok(evaluators.make()? as Box<dyn Evaluator>))
}
