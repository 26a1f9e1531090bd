//! What chooses moves in a match.

use tafl_search::{Evaluator, SearchConfig};
use tafl_selfplay::{AlphaBeta, MakeError, MakeEvaluator};

use crate::RolloutEvaluator;
use crate::engine::EngineSeat;
use std::sync::Arc;
use tafl_engine::EngineCommand;
use tafl_rules::Rules;

/// Plies after which a random game of `rollouts` counts as drawn.
const ROLLOUT_PLIES: u32 = 1_000;

/// A player with its name, under which its results are stored.
#[derive(Clone)]
pub struct Player<'a> {
    /// The name, such as a checkpoint's.
    pub name: String,
    /// How it chooses.
    pub kind: PlayerKind<'a>,
}

/// How a player chooses its moves.
#[derive(Clone)]
pub enum PlayerKind<'a> {
    /// Searches with an evaluator, such as a checkpoint's network; without exploration noise.
    Searcher {
        /// Makes the evaluator, on the thread of each worker.
        make_evaluator: &'a MakeEvaluator<'a>,
        /// How it searches.
        search: SearchConfig,
    },
    /// Any legal move, all equally likely.
    Random,
    /// Wins if it can at once; else keeps the opponent from winning at once; else captures the
    /// most.
    Greedy,
    /// Looks a fixed number of turns ahead.
    AlphaBeta {
        /// The turns, at least 1.
        depth: u32,
    },
    /// Searches with random games as evaluations.
    Rollouts {
        /// How it searches.
        search: SearchConfig,
        /// Random games for each evaluation, at least 1.
        rollouts: u32,
        /// Plies after which a random game counts as drawn.
        max_plies: u32,
    },
    /// Another program, started by each worker and spoken to in its protocol.
    Engine {
        /// How it is started, and what it is told.
        command: &'a EngineCommand,
        /// Told why a game was lost otherwise than on the board.
        report: &'a (dyn Fn(&str) + Sync),
    },
}

/// What a player keeps from ply to ply.
pub(crate) enum Thinker<'a> {
    AlphaBeta(Box<AlphaBeta>),
    Engine(Box<EngineSeat<'a>>),
}

impl std::fmt::Debug for Player<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<'a> Player<'a> {
    /// Returns a player that searches with an evaluator.
    #[must_use]
    pub fn searcher(
        name: &str,
        make_evaluator: &'a MakeEvaluator<'a>,
        search: SearchConfig,
    ) -> Self {
        Self {
            name: name.into(),
            kind: PlayerKind::Searcher {
                make_evaluator,
                search,
            },
        }
    }

    /// Returns the random mover, named `random`.
    #[must_use]
    pub fn random() -> Self {
        Self {
            name: "random".into(),
            kind: PlayerKind::Random,
        }
    }

    /// Returns the player who looks one ply ahead, named `greedy`.
    #[must_use]
    pub fn greedy() -> Self {
        Self {
            name: "greedy".into(),
            kind: PlayerKind::Greedy,
        }
    }

    /// Returns the player who looks `depth` turns ahead, named `alphabeta:DEPTH`.
    #[must_use]
    pub fn alpha_beta(depth: u32) -> Self {
        Self {
            name: AlphaBeta::name_of(depth),
            kind: PlayerKind::AlphaBeta { depth },
        }
    }

    /// Returns the player who searches with one random game for each visit, named
    /// `rollouts:VISITS`.
    ///
    /// The search is PUCT with equal priors and [`SearchConfig::puct`]'s numbers, whatever a run
    /// uses, so that the yardstick stays the same. A random game may go on for 1,000 plies; those of
    /// Copenhagen take 400 on average.
    #[must_use]
    pub fn rollouts(visits: u32) -> Self {
        let (search, evaluator) = Self::rollouts_search(visits, 0);
        Self {
            name: format!("rollouts:{visits}"),
            kind: PlayerKind::Rollouts {
                search,
                rollouts: evaluator.rollouts,
                max_plies: evaluator.max_plies,
            },
        }
    }

    /// Returns how [`Self::rollouts`] searches, and what it judges positions by.
    #[must_use]
    pub fn rollouts_search(visits: u32, seed: u64) -> (SearchConfig, RolloutEvaluator) {
        let evaluator = RolloutEvaluator {
            rollouts: 1,
            max_plies: ROLLOUT_PLIES,
            seed,
        };
        let search = SearchConfig {
            lookahead_plies: 1,
            ..SearchConfig::puct(visits)
        };
        (search, evaluator)
    }

    /// Returns how the player searches, if it does.
    pub(crate) const fn search(&self) -> Option<&SearchConfig> {
        match &self.kind {
            PlayerKind::Searcher { search, .. } | PlayerKind::Rollouts { search, .. } => {
                Some(search)
            }
            PlayerKind::Random
            | PlayerKind::Greedy
            | PlayerKind::AlphaBeta { .. }
            | PlayerKind::Engine { .. } => None,
        }
    }

    /// Returns whether the player is another program.
    pub(crate) const fn is_engine(&self) -> bool {
        matches!(self.kind, PlayerKind::Engine { .. })
    }

    /// Makes what the player keeps from ply to ply and the games of a worker share, if it keeps anything.
    pub(crate) fn thinker(&self, rules: &Arc<Rules>) -> Option<Thinker<'a>> {
        match self.kind {
            PlayerKind::AlphaBeta { depth } => {
                Some(Thinker::AlphaBeta(Box::new(AlphaBeta::new(depth, rules))))
            }
            PlayerKind::Engine { command, report } => Some(Thinker::Engine(Box::new(
                EngineSeat::new(&self.name, command, report),
            ))),
            _ => None,
        }
    }

    /// Makes the player's evaluator, if it has one.
    pub(crate) fn evaluator(
        &self,
        seed: u64,
    ) -> Result<Option<Box<dyn Evaluator + 'a>>, MakeError> {
        match self.kind {
            PlayerKind::Searcher { make_evaluator, .. } => make_evaluator()
                .map(|made| made as Box<dyn Evaluator>)
                .map(Some),
            PlayerKind::Rollouts {
                rollouts,
                max_plies,
                ..
            } => Ok(Some(Box::new(RolloutEvaluator {
                rollouts,
                max_plies,
                seed,
            }))),
            PlayerKind::Random
            | PlayerKind::Greedy
            | PlayerKind::AlphaBeta { .. }
            | PlayerKind::Engine { .. } => Ok(None),
        }
    }
}
