//! Players and matches of the tests.

use std::sync::Arc;
use tafl_arena::MatchResult;
use tafl_play::{
    MakeEvaluator, Match, MatchConfig, MatchPlan, Player, RunnerConfig, Watch, openings, play_match,
};
use tafl_rules::Rules;
use tafl_samples::{Baseline, GameRecord, derive_seed};
use tafl_search::{SearchConfig, UniformEvaluator};

pub(crate) fn config() -> MatchConfig {
    MatchConfig {
        openings: 6,
        opening_plies: 4,
        visits: 8,
        max_plies: 120,
    }
}

pub(crate) fn runner() -> RunnerConfig {
    RunnerConfig {
        workers: 1,
        parallel_games: 6,
        cache_positions: 0,
    }
}

pub(crate) fn search(visits: u32) -> SearchConfig {
    SearchConfig::puct(visits)
}

pub(crate) fn baseline(baseline: Baseline) -> Arc<Player> {
    Arc::new(Player::baseline(baseline))
}

pub(crate) fn greedy() -> Arc<Player> {
    baseline(Baseline::GREEDY)
}

pub(crate) fn random() -> Arc<Player> {
    baseline(Baseline::RANDOM)
}

pub(crate) fn rollouts(visits: u32) -> Arc<Player> {
    baseline(Baseline::rollouts(visits))
}

/// A player that searches with this evaluator.
pub(crate) fn searcher(name: &str, visits: u32, make: MakeEvaluator) -> Arc<Player> {
    Arc::new(Player::network(name.into(), search(visits), make))
}

/// Makes evaluators to which all moves and both sides look alike.
pub(crate) fn equal_opinions() -> MakeEvaluator {
    Arc::new(|_| Ok(Box::new(UniformEvaluator)))
}

pub(crate) fn uniform(visits: u32) -> Arc<Player> {
    searcher("uniform", visits, equal_opinions())
}

pub(crate) fn brandubh() -> Arc<Rules> {
    Rules::preset("brandubh").unwrap()
}

/// A match under one ruleset.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) config: MatchConfig,
    pub(crate) runner: RunnerConfig,
    pub(crate) players: [Arc<Player>; 2],
    pub(crate) rules: Arc<Rules>,
    pub(crate) seed: u64,
}

/// Returns a match of Brandubh.
pub(crate) fn job(players: [&Arc<Player>; 2], seed: u64) -> Job {
    Job {
        config: config(),
        runner: runner(),
        players: players.map(Arc::clone),
        rules: brandubh(),
        seed,
    }
}

impl Job {
    pub(crate) fn as_match(&self) -> Match<'_> {
        Match {
            config: &self.config,
            runner: &self.runner,
            players: self.players.clone(),
            rules: &self.rules,
            seed: self.seed,
            generation: 2,
        }
    }

    /// Plans the openings that the config asks for, drawn from the seed.
    pub(crate) fn plan(&self) -> MatchPlan {
        let (count, plies) = (self.config.openings, self.config.opening_plies);
        let seed = derive_seed(self.seed, &[0]);
        MatchPlan::new(openings(&self.rules, count, plies, seed))
    }

    pub(crate) fn records(&self) -> Vec<GameRecord> {
        self.records_of(&self.plan())
    }

    pub(crate) fn records_of(&self, plan: &MatchPlan) -> Vec<GameRecord> {
        play_match(&self.as_match(), plan, &Watch::default()).unwrap()
    }

    pub(crate) fn result(&self) -> MatchResult {
        self.result_of(self.records())
    }

    pub(crate) fn result_of(&self, records: Vec<GameRecord>) -> MatchResult {
        let ids = self.players.each_ref().map(|player| player.id.clone());
        MatchResult::of_records(records, ids, &self.rules)
    }
}
