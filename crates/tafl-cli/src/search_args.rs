//! How players of the command line search.

use crate::args::DataFolder;
use anyhow::{Context, anyhow, ensure};
use std::path::PathBuf;
use tafl_rules::Rules;
use tafl_search::{Evaluator, SearchConfig};
use tafl_training::{OpenedPlayer, PlayerSource, RunConfig, load};

/// How players of `arena`, `play`, `analyze` and `engine` search.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SearchArgs {
    /// Visits per move; more are stronger and slower. Default: `arena.visits` of the config, usually 100.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) visits: Option<u32>,
    /// Run config whose search section, device and precision are used; default: that of the checkpoint's run (`run.toml`
    /// beside a network of data/nets), or of the quickstart.
    #[arg(long = "search", value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) data: DataFolder,
}

impl SearchArgs {
    /// Returns the config with which a player searches: the file given, else that of the player's own run, else the
    /// quickstart's.
    pub(crate) fn config_of(&self, source: &PlayerSource) -> anyhow::Result<RunConfig> {
        let mut config = match &self.config {
            Some(path) => load(path, &[])?.config,
            None => source.own_config()?,
        };
        if let Some(visits) = self.visits {
            config.arena.visits = visits;
        }
        Ok(config)
    }

    /// Refuses what is said of the search of a player that has none.
    pub(crate) fn refuse_without_network(&self, source: &PlayerSource) -> anyhow::Result<()> {
        let is_said = self.visits.is_some() || self.config.is_some();
        ensure!(
            source.folder().is_some() || !is_said,
            "--visits and --search are for networks, and {source} is none"
        );
        Ok(())
    }

    /// Sets up a player that searches as [`Self::config_of`] says.
    pub(crate) fn open(
        &self,
        source: &PlayerSource,
        rules: &Rules,
    ) -> anyhow::Result<OpenedPlayer> {
        source.open(&self.config_of(source)?, rules)
    }

    /// Returns the evaluator of the network in a folder, how it searches, and what was opened.
    pub(crate) fn searcher(
        &self,
        folder: PathBuf,
        rules: &Rules,
    ) -> anyhow::Result<(Box<dyn Evaluator>, SearchConfig, OpenedPlayer)> {
        let opened = self.open(&PlayerSource::checkpoint(folder), rules)?;
        warn_if_foreign(&opened, rules);
        let searcher = opened.player.searcher().context("it does not search")?;
        let evaluator = (searcher.make_evaluator)(self.seed).map_err(|error| anyhow!(error))?;
        let search = searcher.search.clone();
        Ok((evaluator, search, opened))
    }

    /// Returns the config with which a tournament is played: that of its first checkpoint.
    pub(crate) fn config_of_all(&self, sources: &[PlayerSource]) -> anyhow::Result<RunConfig> {
        let is_run = |source: &&PlayerSource| {
            let folder = source.folder();
            folder.is_some_and(|folder| tafl_training::run_config_of(folder).is_some())
        };
        let random = PlayerSource::Baseline(tafl_samples::Baseline::RANDOM);
        let first = sources.iter().find(is_run).or(sources.first());
        self.config_of(first.unwrap_or(&random))
    }
}

/// Says that a network has not learned a ruleset, under which its values mean little, or not lately.
pub(crate) fn warn_if_foreign(player: &OpenedPlayer, rules: &Rules) {
    if let Some(doubt) = player.known.doubt(rules) {
        eprintln!("warning: {} {doubt}", player.family);
    }
}
