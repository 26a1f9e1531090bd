//! Matches: two players, many openings, each with both sides.

use crate::adjudication::{Adjudication, Agreement};
use crate::config::{MatchConfig, RunnerConfig, Sections, check_config};
use crate::evaluators::Participant;
use crate::opening::game_after;
use crate::player::{Choosers, NoMove, Player, PlayerError, Turn};
use crate::progress::{Finished, NEVER, Watch};
use crate::runner::{self, Hooks, LiveGame, Pause};
use crate::search_record;
use crate::workers::WorkerError;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_config::ConfigError;
use tafl_engine::leave_new;
use tafl_rules::{Game, Move, Rules, Setup, Side};
use tafl_samples::{Ending, GameKind, GameRecord, PlyRecord, SearchRecord, derive_seed};
use tafl_search::{Evaluation, Leaf, Mode, Search, Step};

/// A match to play.
#[derive(Debug, Clone)]
pub struct Match<'a> {
    /// The ply limit; openings are in the plan, and each player has its own visits.
    pub config: &'a MatchConfig,
    /// Parallel games and workers.
    pub runner: &'a RunnerConfig,
    /// The players. The first attacks in games with even numbers.
    pub players: [Arc<Player>; 2],
    /// The rules of all games.
    pub rules: &'a Arc<Rules>,
    /// The random seed of the match.
    pub seed: u64,
    /// The generation that the records belong to.
    pub generation: u32,
}

/// The games of a match: game `2 i` and `2 i + 1` begin with opening `i`, with sides swapped.
#[derive(Debug, Clone, Default)]
pub struct MatchPlan {
    /// The moves of each opening, from the start position.
    pub openings: Vec<Vec<Move>>,
    /// Numbers of games that are not played: those that were finished earlier, and those of openings that are left out.
    pub left_out: BTreeSet<u64>,
    /// Whether games end early when both players agree on the winner.
    pub adjudication: Option<Adjudication>,
    /// Whether the match is one of a player with itself, whose second game of a pair would say nothing
    /// new: each opening is played once, by its even number, and plies keep what the searches said.
    pub is_mirror: bool,
}

/// Why a match was not played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A number is out of its range, or two do not go together.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Games of the ruleset are over before they begin.
    #[error("ruleset {0:?}: the side to move has no legal move in the start position")]
    StartIsOver(String),
    /// An opening, counted from 1, cannot be played.
    #[error("opening {0}: {1}")]
    Opening(usize, String),
    /// A worker failed.
    #[error(transparent)]
    Worker(#[from] WorkerError),
}

impl MatchPlan {
    /// Plans a match of which nothing is played yet.
    pub fn new(openings: Vec<Vec<Move>>) -> Self {
        Self {
            openings,
            ..Self::default()
        }
    }

    /// Returns the numbers of the games to play, in order.
    pub fn missing(&self) -> Vec<u64> {
        let games = 0..2 * self.openings.len() as u64;
        let games = games.step_by(if self.is_mirror { 2 } else { 1 });
        games.filter(|game| !self.left_out.contains(game)).collect()
    }

    /// Checks that every opening to be played is legal and leaves the game open.
    fn check(&self, missing: &[u64], rules: &Arc<Rules>) -> Result<(), MatchError> {
        for (index, moves) in self.openings.iter().enumerate() {
            let refused = |reason: String| MatchError::Opening(index + 1, reason);
            if !missing.iter().any(|game| game / 2 == index as u64) {
                continue;
            }
            let mut game = Game::new(rules.clone());
            for &mv in moves {
                game.play(mv).map_err(|error| refused(error.to_string()))?;
            }
            if let Some(outcome) = game.outcome() {
                return Err(refused(format!("the game is over: {outcome}")));
            }
        }
        Ok(())
    }
}

/// Plays the games of a plan and returns their records, sorted by game number.
///
/// Worker `w` of `W` plays every `W`-th pair of games. Everything random follows from the match's seed and a game's
/// number, so a match that is continued later has the same games, for any number of workers. When the caller stops it,
/// the games finished by then are returned. In a mirrored plan both players must be the same one.
///
/// # Errors
/// If a number, an opening or the ruleset cannot be used, or a worker fails; the other workers are
/// stopped then.
pub fn play_match(
    job: &Match<'_>,
    plan: &MatchPlan,
    watch: &Watch<'_>,
) -> Result<Vec<GameRecord>, MatchError> {
    job.check()?;
    if let Some(adjudication) = &plan.adjudication {
        let within = |error: ConfigError| error.within("adjudication");
        adjudication.check().map_err(within)?;
    }
    if Game::new(job.rules.clone()).outcome().is_some() {
        return Err(MatchError::StartIsOver(job.rules.ruleset().name.clone()));
    }
    let missing = plan.missing();
    plan.check(&missing, job.rules)?;
    let participants = job.participants(plan.is_mirror);
    let records = Finished::default();
    let hooks = Hooks {
        progress: watch.progress,
        newest: &|| None,
        finished: &|game: MatchGame<'_>, ending| records.add(game.into_record(ending), watch),
        rest: &NEVER,
        stop: watch.stop,
    };
    let games = |worker: usize, workers: usize| {
        let pairs = missing.chunk_by(|one, other| one / 2 == other / 2);
        let own = pairs.skip(worker).step_by(workers).flatten();
        let participants = &participants;
        own.map(move |&number| MatchGame::start(job, plan, participants, number))
    };
    let mut runner = *job.runner;
    if job.players.iter().any(|player| player.is_program()) {
        runner.parallel_games = 1;
    }
    runner::run(&runner, missing.len() as u64, &games, &hooks)?;
    Ok(records.sorted())
}

impl Match<'_> {
    /// Checks the sections that the games are played by.
    fn check(&self) -> Result<(), ConfigError> {
        let mut sections = Sections {
            arena: self.config.clone(),
            runner: *self.runner,
            ..Sections::default()
        };
        check_config(&sections)?;
        for searcher in self.players.iter().filter_map(|player| player.searcher()) {
            sections.search = searcher.search.clone();
            check_config(&sections)?;
        }
        Ok(())
    }

    /// Returns those who search. A player of both sides (a mirrored plan, or the same `Arc` twice) takes part once: its
    /// leaves are evaluated in one batch, by one evaluator with one seed. Each side still has a search of its own.
    fn participants(&self, is_mirror: bool) -> Vec<Participant> {
        let participant = |(number, player): (usize, &Arc<Player>)| Participant {
            player: Arc::clone(player),
            seed: derive_seed(self.seed, &[2, number as u64]),
        };
        let is_one = is_mirror || Arc::ptr_eq(&self.players[0], &self.players[1]);
        let players = self.players.iter().enumerate();
        let players = players.take(if is_one { 1 } else { 2 });
        let searching = players.filter(|(_, player)| player.searcher().is_some());
        searching.map(participant).collect()
    }
}

/// A game in progress with what its two players, 0 and 1, need to choose.
struct MatchGame<'a> {
    job: &'a Match<'a>,
    participants: &'a [Participant],
    game_id: u64,
    seed: u64,
    /// The player who attacks.
    attackers: usize,
    game: Game,
    sides: [PlayerState; 2],
    opening_plies: usize,
    adjudication: Option<Adjudication>,
    agreement: Agreement,
    plies: Vec<PlyRecord>,
    /// Whether they keep what the searches said.
    keeps_searches: bool,
    /// How many did.
    searched: u64,
}

/// What a player keeps in one game.
struct PlayerState {
    search: Option<Search>,
    rng: Xoshiro256PlusPlus,
}

impl<'a> MatchGame<'a> {
    fn start(
        job: &'a Match<'a>,
        plan: &'a MatchPlan,
        participants: &'a [Participant],
        game_id: u64,
    ) -> Self {
        let seed = derive_seed(job.seed, &[1, game_id]);
        let opening = &plan.openings[(game_id / 2) as usize];
        let game = game_after(job.rules, opening);
        let unsearched = |&mv: &Move| PlyRecord { mv, search: None };
        let sides = [0, 1].map(|player: usize| {
            let seed = derive_seed(seed, &[player as u64]);
            let searcher = job.players[player].searcher();
            PlayerState {
                search: searcher.map(|searcher| {
                    let seed = derive_seed(seed, &[1]);
                    let mut search = Search::new(&searcher.search, game.clone(), Mode::Match, seed);
                    if searcher.keeps_tree {
                        search.keep_tree();
                    }
                    search
                }),
                rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            }
        });
        // Both must say what they expect.
        let can_agree = sides.iter().all(|state| state.search.is_some());
        let mut begun = Self {
            job,
            participants,
            game_id,
            seed,
            attackers: (game_id % 2) as usize,
            game,
            sides,
            opening_plies: opening.len(),
            adjudication: plan.adjudication.filter(|_| can_agree),
            agreement: Agreement::default(),
            plies: opening.iter().map(unsearched).collect(),
            keeps_searches: plan.is_mirror,
            searched: 0,
        };
        begun.restrict_search();
        begun
    }

    fn to_move(&self) -> usize {
        match self.game.position().side() {
            Side::Attacker => self.attackers,
            Side::Defender => 1 - self.attackers,
        }
    }

    /// Plays a legal move, with what a search found before it; the searches follow.
    fn make(&mut self, mv: Move, search: Option<SearchRecord>) {
        self.searched += u64::from(search.is_some());
        self.plies.push(PlyRecord { mv, search });
        self.game.play_unchecked(mv);
        let sides = self.sides.iter_mut();
        for search in sides.filter_map(|side| side.search.as_mut()) {
            search.advance(mv).expect("the searches follow the game");
        }
        self.restrict_search();
    }

    /// Returns the only moves that the opponent of the side to move does not refuse; nothing where it refuses none, or all.
    fn only(&self) -> Vec<Move> {
        if !self.job.players[1 - self.to_move()].refuses_earlier_boards() {
            return Vec::new();
        }
        let legal = self.game.legal();
        let mut moves = legal.clone();
        leave_new(&self.game, &Game::new(self.job.rules.clone()), &mut moves);
        if moves == legal { Vec::new() } else { moves }
    }

    /// Keeps the search of the side to move, if it has one, from moves that its opponent refuses.
    fn restrict_search(&mut self) {
        let (player, only) = (self.to_move(), self.only());
        if let Some(search) = &mut self.sides[player].search {
            search.look_only_at(only);
        }
    }

    /// Plays what a finished search chose, unless both players call the game decided.
    fn play_chosen(&mut self, player: usize) -> Option<Ending> {
        let search = self.sides[player].search.as_ref();
        let stats = search.expect("only a search finishes").root_stats();
        let side = self.game.position().side();
        if let Some(rule) = &self.adjudication
            && let Some(winner) = self.agreement.add(side, stats.value, rule)
        {
            return Some(Ending::adjudicated(winner));
        }
        let found = self.keeps_searches.then(|| search_record(&stats));
        self.make(stats.chosen, found);
        None
    }

    fn ask(&mut self, player: usize, choosers: &mut Choosers) -> Result<Move, NoMove> {
        let mut turn = Turn {
            game_id: self.game_id,
            only: self.only(),
            rng: &mut self.sides[player].rng,
        };
        choosers.choose(&self.job.players[player], &mut self.game, &mut turn)
    }

    fn into_record(self, ending: Ending) -> GameRecord {
        let rules = self.game.rules();
        let id = |player: usize| self.job.players[player].id.clone();
        GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            generation: self.job.generation,
            kind: GameKind::Match,
            attackers: id(self.attackers),
            defenders: id(1 - self.attackers),
            opening_plies: self.opening_plies as u32,
            handicap: None,
            plies: self.plies,
            ending,
        }
    }
}

impl LiveGame for MatchGame<'_> {
    fn play_on(&mut self, choosers: &mut Choosers) -> Result<Pause, PlayerError> {
        loop {
            if let Some(outcome) = self.game.outcome() {
                return Ok(Pause::Ended(outcome.into()));
            }
            if self.game.moves().len() >= self.job.config.max_plies as usize {
                return Ok(Pause::Ended(Ending::CAPPED));
            }
            let player = self.to_move();
            if let Some(search) = &mut self.sides[player].search {
                if search.select() == Step::Evaluate {
                    return Ok(Pause::Evaluate);
                }
                if let Some(ending) = self.play_chosen(player) {
                    return Ok(Pause::Ended(ending));
                }
                continue;
            }
            match self.ask(player, choosers) {
                Ok(mv) => self.make(mv, None),
                Err(NoMove::Over(ending)) => return Ok(Pause::Ended(ending)),
                Err(NoMove::Unusable(reason)) => return Err(reason),
            }
            if self.job.players[player].is_program() {
                return Ok(Pause::Moved);
            }
        }
    }

    fn participants(&self) -> &[Participant] {
        self.participants
    }

    fn searching(&self) -> &Arc<Player> {
        // Where one player has both sides, it takes part once.
        match self.participants {
            [only] => &only.player,
            _ => &self.job.players[self.to_move()],
        }
    }

    fn leaf(&self) -> Leaf<'_> {
        let search = self.sides[self.to_move()].search.as_ref();
        search.expect("only a search asks for an evaluation").leaf()
    }

    fn expand(&mut self, evaluation: &Evaluation) {
        let player = self.to_move();
        let search = self.sides[player].search.as_mut();
        let search = search.expect("only a search asks for an evaluation");
        search.expand(evaluation);
    }

    fn counts(&self) -> [u64; 2] {
        [self.plies.len() as u64, self.searched]
    }
}
