//! How many visits a search needs to find the move of a deeper one.

use crate::config::RunnerConfig;
use crate::evaluators::Participant;
use crate::player::{Choosers, Player, PlayerError};
use crate::progress::{NEVER, Watch};
use crate::runner::{self, Hooks, LiveGame, Pause};
use crate::workers::WorkerError;
use std::sync::{Arc, Mutex, PoisonError};
use tafl_rules::{Game, Move};
use tafl_samples::Ending;
use tafl_search::{Evaluation, Leaf, Mode, Search, SearchConfig, Step};

/// Visits of each search, as a share of those of the next deeper one.
const STEP: u32 = 4;

/// What searches of a position found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbedPosition {
    /// The number of the position among those that were given.
    pub number: usize,
    /// The least visits from which on every search chose the move of the deepest one: it, a quarter of it and so on down to 1.
    pub needed: u32,
    /// The expected score of the side to move after the deepest search, 0 to 1.
    pub score: f32,
}

/// Searches positions with `deepest` visits, then with a quarter of them, and so on, as long as the chosen move stays; returns
/// what was found by number. Positions of games that are over are left out.
///
/// # Errors
/// If the player does not search, or a worker fails.
pub fn probe(
    player: &Arc<Player>,
    deepest: u32,
    positions: &[Game],
    runner: &RunnerConfig,
    watch: &Watch<'_>,
) -> Result<Vec<ProbedPosition>, WorkerError> {
    let unable = || WorkerError::NoPlayer(0, "it does not search".into());
    let search = &player.searcher().ok_or_else(unable)?.search;
    let is_open = |game: &Game| game.outcome().is_none();
    let count = positions.iter().filter(|game| is_open(game)).count() as u64;
    let found = Mutex::new(Vec::new());
    let hooks = Hooks {
        progress: watch.progress,
        newest: &|| None,
        finished: &|probe: Probe<'_>, _| {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.extend(probe.found.map(|(_, found)| found));
        },
        rest: &NEVER,
        stop: watch.stop,
    };
    let games = |worker: usize, workers: usize| {
        let numbered = positions.iter().enumerate();
        let open = numbered.filter(move |(_, game)| is_open(game));
        let own = open.skip(worker).step_by(workers);
        own.map(move |(number, game)| Probe {
            search: Search::new(&with_visits(search, deepest), game.clone(), Mode::Match, 0),
            config: search,
            number,
            visits: deepest,
            found: None,
            searched: 0,
            participant: [Participant {
                player: Arc::clone(player),
                seed: 0,
            }],
        })
    };
    runner::run(runner, count, &games, &hooks)?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|it| it.number);
    Ok(found)
}

fn with_visits(search: &SearchConfig, visits: u32) -> SearchConfig {
    SearchConfig {
        visits,
        ..search.clone()
    }
}

/// A position in progress.
struct Probe<'a> {
    participant: [Participant; 1],
    config: &'a SearchConfig,
    number: usize,
    /// The search that goes on, and its visits.
    search: Search,
    visits: u32,
    /// What the deepest search chose, and what is found so far.
    found: Option<(Move, ProbedPosition)>,
    searched: u64,
}

impl LiveGame for Probe<'_> {
    fn play_on(&mut self, _: &mut Choosers) -> Result<Pause, PlayerError> {
        loop {
            if self.search.select() == Step::Evaluate {
                return Ok(Pause::Evaluate);
            }
            let stats = self.search.root_stats();
            self.searched += 1;
            match &mut self.found {
                None => {
                    let found = ProbedPosition {
                        number: self.number,
                        needed: self.visits,
                        score: f32::midpoint(1.0, stats.value.value()),
                    };
                    self.found = Some((stats.chosen, found));
                }
                Some((deepest, found)) if *deepest == stats.chosen => found.needed = self.visits,
                Some(_) => return Ok(Pause::Ended(Ending::CAPPED)),
            }
            if self.visits == 1 {
                return Ok(Pause::Ended(Ending::CAPPED));
            }
            self.visits = (self.visits / STEP).max(1);
            let search = with_visits(self.config, self.visits);
            self.search.begin_anew(&search, Mode::Match, 0);
        }
    }

    fn participants(&self) -> &[Participant] {
        &self.participant
    }

    fn leaf(&self) -> Leaf<'_> {
        self.search.leaf()
    }

    fn expand(&mut self, evaluation: &Evaluation) {
        self.search.expand(evaluation);
    }

    fn counts(&self) -> [u64; 2] {
        [self.searched; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::random_game;
    use tafl_rules::Rules;
    use tafl_samples::{Baseline, PlayerId};
    use tafl_search::{UniformEvaluator, run};

    fn uniform() -> Arc<Player> {
        let make = Arc::new(|_| Ok(Box::new(UniformEvaluator) as Box<dyn tafl_search::Evaluator>));
        let id = PlayerId::from("uniform");
        Arc::new(Player::network(id, SearchConfig::default(), make))
    }

    fn probed(player: &Arc<Player>, games: &[Game]) -> Result<Vec<ProbedPosition>, WorkerError> {
        let runner = RunnerConfig {
            workers: 2,
            parallel_games: 3,
            ..RunnerConfig::default()
        };
        probe(player, 64, games, &runner, &Watch::default())
    }

    #[test]
    fn the_needed_visits_are_the_least_from_which_on_the_move_stays() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let games: Vec<Game> = (0..24).map(|seed| random_game(&rules, 6, seed)).collect();
        let found = probed(&uniform(), &games).expect("it searches");
        let open = games.iter().filter(|game| game.outcome().is_none());
        assert_eq!(found.len(), open.count());
        for it in &found {
            let chosen = |visits| {
                let search = with_visits(&SearchConfig::default(), visits);
                let game = games[it.number].clone();
                let mut search = Search::new(&search, game, Mode::Match, 0);
                run(&mut search, &mut UniformEvaluator).chosen
            };
            let ladder = [64, 16, 4, 1];
            let alike = ladder
                .iter()
                .take_while(|&&visits| chosen(visits) == chosen(64));
            assert_eq!(alike.last(), Some(&it.needed), "{it:?}");
            assert!((0.0..=1.0).contains(&it.score));
        }
        assert!(found.iter().any(|it| it.needed > 1), "some need more");
    }

    #[test]
    fn players_that_do_not_search_are_refused() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let random = Arc::new(Player::baseline(Baseline::RANDOM));
        let found = probed(&random, &[Game::new(rules)]);
        assert!(found.is_err());
    }
}
