//! The player at the other side of the board.

use crate::baseline::Baseline;
use crate::config::RunConfig;
use crate::players::{self, PlayerName};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_arena::{Player, greedy_move, random_move};
use tafl_network::Inference;
use tafl_rules::{Game, Move, Rules};
use tafl_search::{Evaluator, Mode, RootStats, Search, SearchConfig};
use tafl_selfplay::AlphaBeta;

/// Moves that a hint lists.
const HINTED_MOVES: usize = 3;

/// A player that chooses moves one at a time.
pub(super) struct Opponent {
    mind: Mind,
    rng: Xoshiro256PlusPlus,
    seed: u64,
}

enum Mind {
    Search {
        evaluator: Box<dyn Evaluator>,
        config: SearchConfig,
    },
    AlphaBeta(Box<AlphaBeta>),
    Greedy,
    Random,
}

impl Opponent {
    /// Makes the player ready; a checkpoint must fit the board of `rules`.
    pub(super) fn open(
        name: &PlayerName,
        config: &RunConfig,
        rules: &Arc<Rules>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let search = config.arena.match_search(&config.search);
        let mind = match name {
            PlayerName::Baseline(Baseline::Random) => Mind::Random,
            PlayerName::Baseline(Baseline::Greedy) => Mind::Greedy,
            PlayerName::Baseline(Baseline::AlphaBeta(depth)) => {
                Mind::AlphaBeta(Box::new(AlphaBeta::new(*depth, rules)))
            }
            PlayerName::Baseline(Baseline::Rollouts(visits)) => {
                let (config, evaluator) = Player::rollouts_search(*visits, seed);
                Mind::Search {
                    evaluator: Box::new(evaluator),
                    config,
                }
            }
            PlayerName::Checkpoint(folder) => {
                let (network, _) = players::load(folder, rules)?;
                let compute = players::prepare(config.device, config.precision, &network)?;
                let inference = Inference::new(&network, config.device, compute)?;
                Mind::Search {
                    evaluator: Box::new(inference),
                    config: search,
                }
            }
        };
        Ok(Self {
            mind,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            seed,
        })
    }

    /// Returns the move it plays; the game must not be over.
    pub(super) fn choose(&mut self, game: &Game) -> Move {
        match &mut self.mind {
            Mind::AlphaBeta(thinker) => thinker.choose(&mut game.clone()).mv,
            Mind::Random => random_move(game, &mut self.rng),
            Mind::Greedy => greedy_move(&mut game.clone(), &mut self.rng),
            Mind::Search { evaluator, config } => {
                search(evaluator.as_mut(), config, game, self.seed).chosen
            }
        }
    }

    /// Returns lines that say what it would play, and then what else it looked at most.
    pub(super) fn hint(&mut self, game: &Game) -> Vec<String> {
        let Mind::Search { evaluator, config } = &mut self.mind else {
            return vec![format!(
                "{} (this opponent does not say why)",
                self.choose(game)
            )];
        };
        let stats = search(evaluator.as_mut(), config, game, self.seed);
        let mut moves: Vec<_> = stats.moves.iter().collect();
        moves.sort_by(|one, other| {
            let chosen = |mv: Move| mv == stats.chosen;
            let by_choice = chosen(other.mv).cmp(&chosen(one.mv));
            by_choice.then(other.visits.cmp(&one.visits))
        });
        let line = |root: &&tafl_search::RootMove| {
            let wins = root.wdl.map_or(String::new(), |wdl| {
                format!(", wins {:.0} %", 100.0 * (wdl.win + wdl.draw / 2.0))
            });
            format!("{:<10} {} visits{wins}", root.mv.to_string(), root.visits)
        };
        moves.iter().take(HINTED_MOVES).map(line).collect()
    }
}

fn search(
    evaluator: &mut dyn Evaluator,
    config: &SearchConfig,
    game: &Game,
    seed: u64,
) -> RootStats {
    let mut search = Search::new(config, game.clone(), Mode::Match, seed);
    tafl_search::run(&mut search, evaluator)
}
