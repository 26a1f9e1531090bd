//! Self-play: a network against itself, for samples.

use crate::config::{RunnerConfig, Sections, SelfplayConfig, check_config};
use crate::evaluators::Participant;
use crate::opening::{random_opening, winning_move};
use crate::player::{Choosers, NoMove, Player, PlayerError, Searcher, Turn};
use crate::progress::{Finished, NEVER, Stream, Watch};
use crate::runner::{self, Games, Hooks, LiveGame, Pause};
use crate::seeds::Purpose;
use crate::sparring::Partner;
use crate::workers::WorkerError;
use crate::{Curriculum, search_record};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use tafl_config::ConfigError;
use tafl_rules::{Game, Move, Rules, Setup, Side};
use tafl_samples::{
    Ending, GameRecord, Handicap, PlayerId, PlyRecord, SearchRecord, derive_seed, weakness,
};
use tafl_search::{Evaluation, Leaf, Mode, Search, SearchConfig, Step, Weakness};

/// How new games are played; a game keeps the plan it started with.
#[derive(Debug, Clone)]
pub struct SelfplayPlan {
    /// The caller's number for it, handed back with each of its games.
    pub number: u64,
    /// The generation that its games belong to.
    pub generation: u32,
    /// How games are played.
    pub config: SelfplayConfig,
    /// Handicaps and sparring partners.
    pub curriculum: Curriculum,
    /// The player of both sides; its search is that of the generation's full searches.
    pub player: Arc<Player>,
}

impl SelfplayPlan {
    /// Returns the plan of a generation after some games, those of the one before.
    #[must_use]
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
    /// The rules of the games; game `i` is played under number `i` modulo their count.
    pub rules: &'a [Arc<Rules>],
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
    play_all(session, (count, &all), &|| plan.clone(), &stream)?;
    Ok(records.sorted())
}

/// Plays games one after the other and hands each to the caller as it ends.
///
/// For an unlimited number of games: nothing is kept here, so memory use is constant. `plan` is called at the start of
/// each game, and must be quick. If the plan changes, games in progress keep their plan. New games use the new one as
/// soon as a worker has games of at most two other players. Games are those that [`generate_games`] plays for the same
/// numbers.
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
    play_all(session, (count, &|| numbers.clone()), plan, stream)
}

/// Plays `count` games; `numbers` gives each worker its own iterator of game numbers.
fn play_all<I: Iterator<Item = u64>>(
    session: &Session<'_>,
    (count, numbers): (u64, &(impl Fn() -> I + Sync)),
    plan: &(dyn Fn() -> Arc<SelfplayPlan> + Sync),
    stream: &Stream<'_>,
) -> Result<(), SelfplayError> {
    check(session, &plan())?;
    let finished = |game: SelfplayGame, ending| {
        // Callers may tell from the plan's owners whether games of it can still come.
        let plan = Arc::clone(&game.plan);
        (stream.finished)(game.into_record(ending), plan.number);
    };
    let hooks = Hooks {
        progress: stream.progress,
        finished: &finished,
        rest: stream.rest,
        stop: stream.stop,
    };
    let games = |worker: usize, workers: usize| SelfplayGames {
        session,
        numbers: numbers().skip(worker).step_by(workers),
        newest: plan(),
        plan,
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

/// The games of one worker.
struct SelfplayGames<'a, I> {
    session: &'a Session<'a>,
    numbers: I,
    plan: &'a (dyn Fn() -> Arc<SelfplayPlan> + Sync),
    /// The plan of the game that was begun last.
    newest: Arc<SelfplayPlan>,
}

impl<I: Iterator<Item = u64>> Games for SelfplayGames<'_, I> {
    type Game = SelfplayGame;

    fn next(&mut self, may_play: &dyn Fn(&Arc<Player>) -> bool) -> Option<SelfplayGame> {
        let game_id = self.numbers.next()?;
        let plan = (self.plan)();
        if may_play(&plan.player) {
            self.newest = plan;
        }
        let Session {
            rules, run_seed, ..
        } = self.session;
        let ruleset = game_id as usize % rules.len();
        let plan = Arc::clone(&self.newest);
        Some(SelfplayGame::start(
            plan,
            (ruleset, &rules[ruleset]),
            game_id,
            *run_seed,
        ))
    }
}

/// How a ply is searched: to be learned from, only to be played, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    Cheap,
    None,
}

/// Who chooses the move of a ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mover {
    /// The search of the network.
    Network,
    /// The sparring partner.
    Partner,
    /// Chance, as a handicap.
    Chance,
}

/// What goes into a ply.
///
/// Plies of a partner or of chance are searched fully as often as others, so that samples of both sides come from the
/// same games. Without them the value of a position would depend on whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlyKind {
    effort: Effort,
    mover: Mover,
}

/// A game in progress, with the search of its next ply.
struct SelfplayGame {
    plan: Arc<SelfplayPlan>,
    participant: [Participant; 1],
    partner: Option<(Partner, Player)>,
    game_id: u64,
    seed: u64,
    /// Draws the kind of each ply.
    efforts: Xoshiro256PlusPlus,
    kind: PlyKind,
    handicap: Option<Handicap>,
    weakness: Weakness,
    search: Search,
    opening_plies: usize,
    plies: Vec<PlyRecord>,
    /// How many of them were searched for samples.
    searched: u64,
}

impl SelfplayGame {
    /// Starts game number `game_id` with its random opening.
    fn start(
        plan: Arc<SelfplayPlan>,
        (ruleset, rules): (usize, &Arc<Rules>),
        game_id: u64,
        run_seed: u64,
    ) -> Self {
        let seed = derive_seed(run_seed, &[plan.generation.into(), game_id]);
        let most = plan.config.random_opening_plies;
        let game = random_opening(rules, most, Purpose::Opening.seed(seed));
        let opening = game
            .moves()
            .iter()
            .map(|&mv| PlyRecord { mv, search: None });
        let plies: Vec<PlyRecord> = opening.collect();
        let partner = plan.curriculum.partner(ruleset, seed);
        let handicap = match partner {
            // A partner bears its random plies in all of the game.
            Some(Partner { side, rate, .. }) => (rate > 0.0).then_some(Handicap { side, rate }),
            None => plan.curriculum.handicap(ruleset, seed),
        };
        let mut efforts = Purpose::Effort.rng(seed);
        let partner_side = partner.map(|partner| partner.side);
        let kind = draw_kind(&game, handicap, partner_side, &plan.config, &mut efforts);
        let (search, mode, search_seed) = search_of(&plan, kind.effort, seed, plies.len());
        let search = Search::new(&search, game, mode, search_seed);
        Self {
            partner: partner.map(|partner| (partner, Player::baseline(partner.baseline()))),
            participant: [Participant {
                player: Arc::clone(&plan.player),
                seed: 0,
            }],
            plan,
            game_id,
            seed,
            efforts,
            kind,
            handicap,
            weakness: weakness(handicap, partner.map(|it| (it.side, it.baseline()))),
            search,
            opening_plies: plies.len(),
            plies,
            searched: 0,
        }
    }

    fn into_record(self, ending: Ending) -> GameRecord {
        let rules = self.search.game().rules();
        let player = |side| match &self.partner {
            Some((partner, player)) if partner.side == side => player.id.clone(),
            _ => self.plan.player.id.clone(),
        };
        GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            generation: self.plan.generation,
            attackers: player(Side::Attacker),
            defenders: player(Side::Defender),
            opening_plies: self.opening_plies as u32,
            handicap: self.handicap,
            plies: self.plies,
            ending,
        }
    }

    /// Plays the ply that was prepared, once its search, if it has one, is finished; fails if the partner does.
    fn play_ply(&mut self, choosers: &mut Choosers) -> Result<(), NoMove> {
        let stats = (self.kind.effort != Effort::None).then(|| self.search.root_stats());
        let mv = match (self.kind.mover, &stats, &self.partner) {
            (Mover::Network, Some(stats), _) => stats.chosen,
            (Mover::Partner, _, Some((_, player))) => {
                let mut turn = Turn {
                    game_id: self.game_id,
                    rng: &mut self.efforts,
                };
                choosers.choose(player, &mut self.search.game().clone(), &mut turn)?
            }
            _ => self.random_move(),
        };
        let learned = stats.filter(|_| self.kind.effort == Effort::Full);
        self.play(mv, learned.map(|stats| search_record(&stats)));
        Ok(())
    }

    /// Returns a move that wins at once, or else any.
    fn random_move(&mut self) -> Move {
        let mut game = self.search.game().clone();
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let drawn = moves[self.efforts.random_range(0..moves.len())];
        winning_move(&mut game, &moves).unwrap_or(drawn)
    }

    fn play(&mut self, mv: Move, search: Option<SearchRecord>) {
        self.searched += u64::from(search.is_some());
        self.plies.push(PlyRecord { mv, search });
        self.search.advance(mv).expect("a legal move is chosen");
        let partner = self.partner.as_ref().map(|(partner, _)| partner.side);
        let (game, config) = (self.search.game(), &self.plan.config);
        let next = draw_kind(game, self.handicap, partner, config, &mut self.efforts);
        if [next.effort, self.kind.effort] != [Effort::Full; 2] {
            // Another effort is another search.
            let (config, mode, seed) =
                search_of(&self.plan, next.effort, self.seed, self.plies.len());
            self.search.begin_anew(&config, mode, seed);
        }
        self.kind = next;
    }
}

impl LiveGame for SelfplayGame {
    fn play_on(&mut self, choosers: &mut Choosers) -> Result<Pause, PlayerError> {
        loop {
            if let Some(outcome) = self.search.game().outcome() {
                return Ok(Pause::Ended(outcome.into()));
            }
            if self.plies.len() >= self.plan.config.max_plies as usize {
                return Ok(Pause::Ended(Ending::CAPPED));
            }
            if self.kind.effort != Effort::None && self.search.select() == Step::Evaluate {
                return Ok(Pause::Evaluate);
            }
            match self.play_ply(choosers) {
                Ok(()) => {}
                Err(NoMove::Forfeit(forfeit)) => {
                    let loser = self.search.game().position().side();
                    return Ok(Pause::Ended(Ending::forfeited(loser, forfeit)));
                }
                Err(NoMove::Unusable(reason)) => return Err(reason),
            }
        }
    }

    fn participants(&self) -> &[Participant] {
        &self.participant
    }

    fn searching(&self) -> &Arc<Player> {
        &self.plan.player
    }

    fn leaf(&self) -> Leaf<'_> {
        Leaf {
            weakness: self.weakness,
            ..self.search.leaf()
        }
    }

    fn expand(&mut self, evaluation: &Evaluation) {
        self.search.expand(evaluation);
    }

    fn counts(&self) -> [u64; 2] {
        [self.plies.len() as u64, self.searched]
    }
}

/// Draws what goes into the next ply.
fn draw_kind(
    game: &Game,
    handicap: Option<Handicap>,
    partner: Option<Side>,
    config: &SelfplayConfig,
    rng: &mut Xoshiro256PlusPlus,
) -> PlyKind {
    let side = game.position().side();
    let mover = match handicap {
        Some(handicap) if handicap.side == side && rng.random::<f32>() < handicap.rate => {
            Mover::Chance
        }
        _ if partner == Some(side) => Mover::Partner,
        _ => Mover::Network,
    };
    let is_full = rng.random::<f32>() < config.full_search_fraction;
    let effort = match mover {
        _ if is_full => Effort::Full,
        Mover::Network => Effort::Cheap,
        Mover::Partner | Mover::Chance => Effort::None,
    };
    PlyKind { effort, mover }
}

/// Returns config, mode and seed of the search of a ply.
fn search_of(
    plan: &SelfplayPlan,
    effort: Effort,
    game_seed: u64,
    ply: usize,
) -> (Cow<'_, SearchConfig>, Mode, u64) {
    let seed = Purpose::Search.seed_at(game_seed, ply);
    let Searcher { search: full, .. } = plan.player.searcher().expect("checked at the start");
    match effort {
        Effort::Full | Effort::None => (Cow::Borrowed(full), Mode::SelfPlay, seed),
        Effort::Cheap => {
            let cheap = SearchConfig {
                visits: plan.config.cheap_visits.min(full.visits),
                ..full.clone()
            };
            (Cow::Owned(cheap), Mode::Match, seed)
        }
    }
}
