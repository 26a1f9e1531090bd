//! Players of matches and games: checkpoints and baselines, ready to choose moves.

use crate::baseline::Baseline;
use crate::config::shipped::QUICKSTART;
use crate::config::{self, RunConfig};
use crate::failure::hinted;
use anyhow::Context;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::{Player, PlayerKind};
use tafl_network::{Compute, Device, Inference, ModelCard, Network, Precision, RulesetCard};
use tafl_rules::Rules;
use tafl_search::{Evaluator, SearchConfig};
use tafl_selfplay::{Contender, MakeEvaluator, derive_seed};

/// Who is to play: a baseline by name, or the folder of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlayerName {
    /// A player without a network.
    Baseline(Baseline),
    /// The folder of a checkpoint.
    Checkpoint(PathBuf),
}

impl std::str::FromStr for PlayerName {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(baseline) => Ok(Self::Baseline(baseline)),
            Err(_) if text.contains('/') || Path::new(text).is_dir() => {
                Ok(Self::Checkpoint(PathBuf::from(text)))
            }
            Err(error) => Err(anyhow::anyhow!("{error}, and no folder of a checkpoint")),
        }
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline(baseline) => write!(f, "{baseline}"),
            Self::Checkpoint(folder) => write!(f, "{}", folder.display()),
        }
    }
}

/// A player of a tournament: who, and with how many visits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlayerSpec {
    pub(crate) player: PlayerName,
    /// Visits a move, where they are the player's own.
    pub(crate) visits: Option<u32>,
}

impl PlayerSpec {
    /// Returns a checkpoint with so many visits, where it has none of its own.
    pub(crate) fn with_visits(self, visits: u32) -> Self {
        let is_checkpoint = matches!(self.player, PlayerName::Checkpoint(_));
        Self {
            visits: self.visits.or(is_checkpoint.then_some(visits)),
            ..self
        }
    }
}

/// `PLAYER` or `PLAYER@visits=N`.
impl std::str::FromStr for PlayerSpec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (player, visits) = match text.rsplit_once("@visits=") {
            None => (text.parse()?, None),
            Some((player, visits)) => {
                let number = visits.parse::<u32>().ok();
                let visits = number.filter(|visits| (1..=1_000_000).contains(visits));
                let refused = || format!("{text}: `visits` is not a number from 1 to 1000000");
                (player.parse()?, Some(visits.with_context(refused)?))
            }
        };
        if let (PlayerName::Baseline(baseline), Some(_)) = (&player, visits) {
            anyhow::bail!("{text}: {baseline} takes no `visits` of this kind");
        }
        Ok(Self { player, visits })
    }
}

/// How players of `arena` and `play` search.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SearchArgs {
    /// Visits of each move; more play better and slower.
    #[arg(long)]
    pub(crate) visits: Option<u32>,
    /// Run config whose search section is used; without it, that of the checkpoint's run (`run.toml` beside a network of
    /// data/nets), or of the quickstart.
    #[arg(long = "search", value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Where everything random comes from.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Returns the quickstart's config.
pub(crate) fn quickstart() -> anyhow::Result<RunConfig> {
    toml::from_str(QUICKSTART).context("the config that is compiled in")
}

impl SearchArgs {
    /// Returns what is used where nothing is said on the command line.
    pub(crate) const fn plain(seed: u64) -> Self {
        Self {
            visits: None,
            config: None,
            seed,
        }
    }

    /// Returns the config that a player searches by: the file given, else that of the player's own run, else the quickstart's.
    pub(crate) fn config_of(&self, spec: &PlayerSpec) -> anyhow::Result<RunConfig> {
        let mut config = self.config(&[&spec.player])?;
        config.arena.visits = spec.visits.unwrap_or(config.arena.visits);
        Ok(config)
    }

    /// Returns the config to play by: the file given, else that of the first player's run, else the quickstart's.
    pub(crate) fn config(&self, players: &[&PlayerName]) -> anyhow::Result<RunConfig> {
        let mut run_configs = players.iter().filter_map(|player| match player {
            PlayerName::Checkpoint(folder) => run_config_of(folder),
            PlayerName::Baseline(_) => None,
        });
        let mut config = match (&self.config, run_configs.next()) {
            (Some(path), _) => config::load(path, &[])?.config,
            (None, Some(path)) => {
                let advice =
                    "--search CONFIG takes another config, such as configs/quickstart.toml";
                let loaded = config::load(&path, &[]);
                loaded
                    .map_err(|error| hinted(error.to_string(), advice))?
                    .config
            }
            (None, None) => quickstart()?,
        };
        if let Some(visits) = self.visits {
            config.arena.visits = visits;
        }
        config.arena.check()?;
        Ok(config)
    }
}

/// The config of the run that a network came from, beside the network where it lies apart from the run, as in `data/nets/`.
const CONFIG_BESIDE: &str = "run.toml";

/// Returns the config of the run that a checkpoint came from: the one beside it, or else that of the run it lies in.
pub(crate) fn run_config_of(checkpoint: &Path) -> Option<PathBuf> {
    let beside = checkpoint.join(CONFIG_BESIDE);
    let of_run = || run_of(checkpoint).map(|run| run.join("config.toml"));
    beside.is_file().then_some(beside).or_else(of_run)
}

/// Returns the folder of the run that a checkpoint lies in, if it lies in one.
pub(crate) fn run_of(checkpoint: &Path) -> Option<PathBuf> {
    let checkpoint = checkpoint.canonicalize().ok()?;
    let run = checkpoint.parent()?.parent()?;
    run.join("config.toml").is_file().then(|| run.to_owned())
}

/// A player with what it needs to choose moves.
pub(crate) struct Contestant {
    name: String,
    brain: Brain,
    learned: Option<Vec<RulesetCard>>,
}

enum Brain {
    Network(Box<MakeEvaluator<'static>>),
    Baseline(Baseline),
}

impl Contestant {
    /// Makes a player of a baseline.
    pub(crate) fn baseline(baseline: Baseline) -> Self {
        Self {
            name: baseline.to_string(),
            brain: Brain::Baseline(baseline),
            learned: None,
        }
    }

    /// Makes a player of a network.
    pub(crate) fn network(
        name: String,
        network: Network,
        device: Device,
        compute: Compute,
    ) -> Self {
        Self {
            name,
            brain: Brain::Network(evaluator_maker(network, device, compute)),
            learned: Some(Vec::new()),
        }
    }

    /// Makes a player by its name; a checkpoint must fit the board of `rules`.
    pub(crate) fn open(
        name: &PlayerName,
        config: &RunConfig,
        rules: &Rules,
    ) -> anyhow::Result<Self> {
        let folder = match name {
            PlayerName::Baseline(baseline) => return Ok(Self::baseline(*baseline)),
            PlayerName::Checkpoint(folder) => folder,
        };
        let (network, card) = load(folder, rules)?;
        let compute = prepare(config.device, config.precision, &network)?;
        let provenance = card.provenance;
        let name = format!("{} {}", provenance.run, provenance.generation);
        // An untrained network names the rulesets that it is to learn.
        let learned = if provenance.generation == 0 {
            Vec::new()
        } else {
            provenance.rulesets
        };
        Ok(Self {
            learned: Some(learned),
            ..Self::network(name, network, config.device, compute)
        })
    }

    /// Returns the rulesets that its network learned; nothing without a network.
    pub(crate) fn learned(&self) -> Option<&[RulesetCard]> {
        self.learned.as_deref()
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the player of a match that searches so, if it does.
    pub(crate) fn player(&self, search: SearchConfig) -> Player<'_> {
        let kind = match &self.brain {
            Brain::Network(make) => PlayerKind::Searcher {
                make_evaluator: &**make,
                search,
            },
            Brain::Baseline(Baseline::Random) => PlayerKind::Random,
            Brain::Baseline(Baseline::Greedy) => PlayerKind::Greedy,
            Brain::Baseline(Baseline::Rollouts(visits)) => Player::rollouts(*visits).kind,
            Brain::Baseline(Baseline::AlphaBeta(depth)) => Player::alpha_beta(*depth).kind,
        };
        Player {
            name: self.name.clone(),
            kind,
        }
    }
}

/// Returns the untrained network of a config, for those who play without a run.
pub(crate) fn untrained(config: &RunConfig, rules: &[Arc<Rules>]) -> Network {
    let seed = derive_seed(config.seed, &[]);
    Network::new(config.network, rules[0].shape(), seed)
}

/// Loads a checkpoint.
pub(crate) fn load_any(folder: &Path) -> anyhow::Result<(Network, ModelCard)> {
    must_be_checkpoint(folder)?;
    Ok(tafl_network::load_network(folder)?)
}

/// Reads what a checkpoint says of itself.
pub(crate) fn card(folder: &Path) -> anyhow::Result<ModelCard> {
    must_be_checkpoint(folder)?;
    Ok(tafl_network::load_card(folder)?)
}

fn must_be_checkpoint(folder: &Path) -> anyhow::Result<()> {
    if folder.join("model.json").is_file() {
        return Ok(());
    }
    Err(hinted(
        format!("{}: no checkpoint (it has no model.json)", folder.display()),
        "a checkpoint is a folder such as data/runs/quickstart/checkpoints/000008",
    ))
}

/// Loads a checkpoint and checks that it plays on the board of `rules`.
pub(crate) fn load(folder: &Path, rules: &Rules) -> anyhow::Result<(Network, ModelCard)> {
    let (network, card) = load_any(folder)?;
    let (own, size) = (network.architecture().size(), rules.shape().size());
    if own != usize::from(size) {
        let folder = folder.display();
        anyhow::bail!(
            "{folder}: plays on {own}x{own}, but ruleset {} on {size}x{size}",
            rules.ruleset().name
        );
    }
    Ok((network, card))
}

/// Opens the device, and decides the number format; called before anything else is computed.
pub(crate) fn prepare(
    device: Device,
    precision: Precision,
    network: &Network,
) -> anyhow::Result<Compute> {
    if let Device::Cuda(_) = device {
        let advice = "scripts/setup-libtorch --cuda fetches what a GPU needs";
        tafl_network::open_cuda().map_err(|error| hinted(error.to_string(), advice))?;
    }
    device.check()?;
    Ok(precision.resolve(network, device))
}

/// Returns a network as a player of self-play.
pub(crate) fn self_player(
    name: String,
    network: Network,
    device: Device,
    compute: Compute,
) -> Contender<'static> {
    Contender {
        name,
        make_evaluator: Arc::new(move || {
            let inference = Inference::new(&network, device, compute)?;
            Ok(Box::new(inference) as Box<dyn Evaluator>)
        }),
    }
}

/// Returns what makes an evaluator for each worker.
pub(crate) fn evaluator_maker(
    network: Network,
    device: Device,
    compute: Compute,
) -> Box<MakeEvaluator<'static>> {
    Box::new(move || {
        let inference = Inference::new(&network, device, compute)?;
        Ok(Box::new(inference) as Box<dyn Evaluator>)
    })
}
