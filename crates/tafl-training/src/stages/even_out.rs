//! Values that do not depend on whose turn it is.

use crate::player;
use crate::run::{Purpose, Run};
use std::sync::Arc;
use tafl_network::{Compute, Device, Inference, Network, Trainer, turn_offset};
use tafl_play::{Curriculum, Player, Repertoire, RunnerConfig, SelfplayConfig, SelfplayPlan};
use tafl_play::{Session, Watch, generate_games};
use tafl_rules::Rules;
use tafl_samples::{GameRecord, PlayerId};
use tafl_search::SearchConfig;

/// Games by which the last checkpoint is set, and as many by which it is measured: a second each on a CPU.
const GAMES: u64 = 32;

/// Plies of each at most.
const PLIES: u32 = 60;

/// Sets the values of a run's last checkpoint so that they do not depend on whose turn it is, by games whose moves are
/// drawn from the policy; records what other such games then show of it as `zigzag/mean`.
///
/// The checkpoints before play as they learned: to what the short searches of self-play lead their values are right.
///
/// `now` is the generation and the training steps made in the whole run.
pub(crate) fn even_out(run: &Run, now: (u32, u64), trainer: &mut Trainer) -> anyhow::Result<()> {
    let (generation, step) = now;
    if generation + 1 != run.config.training_loop.generations {
        return Ok(());
    }
    let (device, compute) = (run.config.device, run.compute);
    let rules = run.rules.listed();
    let play = |network: &Network, part: u64| {
        let wanted = OwnGames {
            number: GAMES,
            visits: 1,
            most_plies: PLIES,
            seed: run.seed(Purpose::Turns, &[generation.into(), part]),
            runner: run.config.runner,
        };
        own_games(network, (device, compute), rules, wanted)
    };
    let network = trainer.network()?;
    let games = play(&network, 0)?;
    let mut inference = Inference::new(&network, device, compute)?;
    trainer.lower_mover(turn_offset(&mut inference, &games, rules))?;
    let network = trainer.network()?;
    let games = play(&network, 1)?;
    let mut inference = Inference::new(&network, device, compute)?;
    let Some(mean) = tafl_network::zigzag(&mut inference, &games, rules) else {
        return Ok(());
    };
    run.record_values((generation, "zigzag"), step, &[("zigzag/mean", mean)])
}

/// Games of a network against itself.
#[derive(Debug, Clone, Copy)]
pub struct OwnGames {
    /// How many.
    pub number: u64,
    /// Visits of every move; with 1, moves are drawn from the policy.
    pub visits: u32,
    /// Plies after which they are cut.
    pub most_plies: u32,
    /// Where their randomness begins.
    pub seed: u64,
    /// How they are spread over the machine.
    pub runner: RunnerConfig,
}

/// Plays games of a network against itself, under each of some rules in turn.
///
/// # Errors
/// If the network cannot be computed on the device.
pub fn own_games(
    network: &Network,
    (device, compute): (Device, Compute),
    rules: &[Arc<Rules>],
    games: OwnGames,
) -> anyhow::Result<Vec<GameRecord>> {
    let make = player::evaluator_maker(network.clone(), device, compute);
    let search = SearchConfig {
        visits: games.visits,
        ..SearchConfig::default()
    };
    let plan = SelfplayPlan {
        number: 0,
        generation: 0,
        config: SelfplayConfig {
            full_search_fraction: 1.0,
            max_plies: games.most_plies,
            ..SelfplayConfig::default()
        },
        curriculum: Curriculum::default(),
        player: Arc::new(Player::network(PlayerId::Checkpoint(0), search, make)),
    };
    let session = Session {
        rules: &Repertoire::from(rules.to_vec()),
        run_seed: games.seed,
        runner: games.runner,
    };
    let numbers: Vec<u64> = (0..games.number).collect();
    Ok(generate_games(
        &session,
        &Arc::new(plan),
        &numbers,
        &Watch::default(),
    )?)
}
