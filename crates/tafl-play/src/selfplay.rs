//! Self-play: a network against itself, for samples.

mod game;
mod opening;
mod ply;

use crate::config::{RunnerConfig, Sections, SelfplayConfig, check_config};
use crate::curriculum::{Curriculum, Uneven};
use crate::player::Player;
use crate::progress::{Finished, NEVER, Stream, Watch};
use crate::repertoire::Repertoire;
use crate::runner::{self, Hooks};
use crate::seeds::Purpose;
use crate::workers::WorkerError;
use game::SelfplayGame;
use rand::RngExt;
use std::ops::Range;
use std::sync::Arc;
use tafl_config::ConfigError;
use tafl_rules::{Game, Rules};
use tafl_samples::{GameRecord, PlayerId, derive_seed};

/// Share of games under a variant of their ruleset, where there are any: a network that never saw another value of a field
/// cannot know what it means.
const VARIANT_SHARE: f32 = 0.2;

/// How new games are played; a game keeps the plan it started with, but for the player.
#[derive(Debug, Clone)]
pub struct SelfplayPlan {
    /// The caller's number for it, handed back with each of its games.
    pub number: u64,
    /// The generation that its games belong to.
    pub generation: u32,
    /// How games are played.
    pub config: SelfplayConfig,
    /// Teachers, partners and handicaps.
    pub curriculum: Curriculum,
    /// The player of both sides; its search is that of the generation's full searches.
    pub player: Arc<Player>,
}

impl SelfplayPlan {
    /// Returns the plan of a generation after some games, those of the one before; `rules` are without variants.
    pub fn after(
        games: &[GameRecord],
        config: &SelfplayConfig,
        rules: &[Arc<Rules>],
        generation: u32,
        player: Arc<Player>,
    ) -> Self {
        Self {
            number: 0,
            generation,
            curriculum: Curriculum::after(config, rules, generation, games),
            config: config.clone(),
            player,
        }
    }
}

/// What all games of a run's self-play have in common.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// The rules of the games; game `i` is played under the listed ruleset with number `i` modulo their count, or under a
    /// variant of it.
    pub rules: &'a Repertoire,
    /// The seed of the whole run.
    pub run_seed: u64,
    /// Parallel games and workers.
    pub runner: RunnerConfig,
}

/// Why self-play gave no games.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// A number is out of its range, or two do not go together.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is nothing to play.
    #[error("no ruleset to play")]
    NoRules,
    /// The player has no search whose results could be learned.
    #[error("{0} does not search, so there would be nothing to learn")]
    NoSearch(PlayerId),
    /// Games of a ruleset are over before they begin.
    #[error("ruleset {0:?}: the side to move has no legal move in the start position")]
    StartIsOver(String),
    /// A worker failed.
    #[error(transparent)]
    Worker(#[from] WorkerError),
}

/// Plays some games of a generation and returns their records, sorted by game number.
///
/// Game `i` comes from `derive_seed(run_seed, &[generation, i])` alone, so records are as repeatable as evaluations,
/// for any number of workers. When the caller stops it, the games finished by then are returned.
///
/// # Errors
/// If a number or a ruleset cannot be used, or a worker fails; the other workers are stopped then.
pub fn generate_games(
    session: &Session<'_>,
    plan: &Arc<SelfplayPlan>,
    numbers: &[u64],
    watch: &Watch<'_>,
) -> Result<Vec<GameRecord>, SelfplayError> {
    let records = Finished::default();
    let stream = Stream {
        progress: watch.progress,
        finished: &|record, _| records.add(record, watch),
        rest: &NEVER,
        stop: watch.stop,
    };
    let (count, all) = (numbers.len() as u64, || numbers.iter().copied());
    play_all(session, count, &all, &|| plan.clone(), &stream)?;
    Ok(records.sorted())
}

/// Plays games one after the other and hands each to the caller as it ends.
///
/// For an unlimited number of games: nothing is kept here, so memory use is constant. `plan` is called at the start of
/// each game and before each batch, and must be quick. If the plan changes, games in progress keep theirs, but the new
/// one's player goes on with them from their next ply, as in KataGo: batches stay whole. Games are those that
/// [`generate_games`] plays for the same numbers, as long as the plan stays.
///
/// # Errors
/// As [`generate_games`]; games handed over by then are whole.
pub fn stream_games(
    session: &Session<'_>,
    numbers: Range<u64>,
    plan: &(dyn Fn() -> Arc<SelfplayPlan> + Sync),
    stream: &Stream<'_>,
) -> Result<(), SelfplayError> {
    let count = numbers.end.saturating_sub(numbers.start);
    play_all(session, count, &|| numbers.clone(), plan, stream)
}

/// Plays `count` games; `numbers` gives each worker its own iterator of game numbers.
fn play_all<I: Iterator<Item = u64>>(
    session: &Session<'_>,
    count: u64,
    numbers: &(impl Fn() -> I + Sync),
    plan: &(dyn Fn() -> Arc<SelfplayPlan> + Sync),
    stream: &Stream<'_>,
) -> Result<(), SelfplayError> {
    check(session, &plan())?;
    let finished = |game: SelfplayGame, ending| {
        // Callers may tell from the plan's owners whether games of it can still come.
        let plan = Arc::clone(game.plan());
        (stream.finished)(game.into_record(ending), plan.number);
    };
    let hooks = Hooks {
        progress: stream.progress,
        newest: &|| Some(Arc::clone(&plan().player)),
        finished: &finished,
        rest: stream.rest,
        stop: stream.stop,
    };
    let games = |worker: usize, workers: usize| {
        let own = numbers().skip(worker).step_by(workers);
        own.map(move |game_id| begin_game(session, plan(), game_id))
    };
    Ok(runner::run(&session.runner, count, &games, &hooks)?)
}

fn check(session: &Session<'_>, plan: &SelfplayPlan) -> Result<(), SelfplayError> {
    let Some(searcher) = plan.player.searcher() else {
        return Err(SelfplayError::NoSearch(plan.player.id.clone()));
    };
    let sections = Sections {
        selfplay: plan.config.clone(),
        runner: session.runner,
        search: searcher.search.clone(),
        ..Sections::default()
    };
    check_config(&sections)?;
    if session.rules.is_empty() {
        return Err(SelfplayError::NoRules);
    }
    let over = |rules: &&Arc<Rules>| Game::new((*rules).clone()).outcome().is_some();
    match session.rules.iter().find(over) {
        Some(rules) => Err(SelfplayError::StartIsOver(rules.ruleset().name.clone())),
        None => Ok(()),
    }
}

fn begin_game(session: &Session<'_>, plan: Arc<SelfplayPlan>, game_id: u64) -> SelfplayGame {
    let rules = session.rules;
    let ruleset = game_id as usize % rules.listed().len();
    let seed = derive_seed(session.run_seed, &[plan.generation.into(), game_id]);
    // A variant has the handicaps and partners of its base.
    let uneven = plan.curriculum.draw(ruleset, seed);
    let rules = match uneven {
        // Teachers are to show how games of the rulesets themselves are won.
        Some(Uneven::Taught(..)) => &rules[ruleset],
        _ => drawn_rules(rules, ruleset, seed),
    };
    SelfplayGame::start(plan, rules, game_id, seed, uneven)
}

/// Returns the rules of a game: those of a listed ruleset, or in a share of the games those of one of its variants.
fn drawn_rules(rules: &Repertoire, ruleset: usize, game_seed: u64) -> &Arc<Rules> {
    let variants = rules.variants_of(ruleset);
    let mut rng = Purpose::Variant.rng(game_seed);
    let is_variant = rng.random::<f32>() < VARIANT_SHARE;
    if is_variant && !variants.is_empty() {
        variants[rng.random_range(0..variants.len())]
    } else {
        &rules[ruleset]
    }
}
