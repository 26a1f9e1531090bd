//! A player at one board: moves one at a time, for a game with a person.

use crate::player::{Choosers, Method, NoMove, Player, PlayerError, Turn};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{Game, Move};
use tafl_search::{Evaluator, Mode, RootStats, Search, SearchConfig};

/// A player that is ready to choose one move after the other.
pub struct SoloPlayer {
    player: Player,
    evaluator: Option<Box<dyn Evaluator>>,
    choosers: Choosers,
    rng: Xoshiro256PlusPlus,
    seed: u64,
}

/// Visits of a search that advises a human, at least.
const ADVICE_VISITS: u32 = 100;

impl SoloPlayer {
    /// Makes a player ready; everything random in it follows from the seed.
    ///
    /// # Errors
    /// If its evaluator cannot be made.
    pub fn new(player: Player, seed: u64) -> Result<Self, PlayerError> {
        let evaluator = match &player.method {
            Method::Search(searcher) => Some((searcher.make_evaluator)(seed)?),
            Method::Direct { .. } => None,
        };
        Ok(Self {
            player,
            evaluator,
            choosers: Choosers::default(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            seed,
        })
    }

    /// Returns what a search says of a position that is thorough enough to advise a human, however little the player itself
    /// searches; nothing if it does not search. The game must not be over.
    pub fn advise(&mut self, game: &Game) -> Option<RootStats> {
        self.search(game, ADVICE_VISITS)
    }

    /// Searches with the player's own visits, or with `least` if that is more.
    fn search(&mut self, game: &Game, least: u32) -> Option<RootStats> {
        let (searcher, evaluator) = (self.player.searcher()?, self.evaluator.as_mut()?);
        let config = SearchConfig {
            visits: searcher.search.visits.max(least),
            ..searcher.search.clone()
        };
        let mut search = Search::new(&config, game.clone(), Mode::Match, self.seed);
        Some(tafl_search::run(&mut search, evaluator.as_mut()))
    }

    /// Returns the player's move in a game that is not over: one drawn by the search's policy, sharpened by
    /// `1 / temperature`; at 0, and of a player that does not search, the best one.
    ///
    /// # Errors
    /// If it is another program that gives none.
    pub fn choose_at(&mut self, game: &Game, temperature: f32) -> Result<Move, NoMove> {
        if let Some(stats) = self.search(game, 0) {
            return Ok(stats.draw(temperature, &mut self.rng));
        }
        let mut turn = Turn {
            game_id: 0,
            only: Vec::new(),
            rng: &mut self.rng,
        };
        self.choosers
            .choose(&self.player, &mut game.clone(), &mut turn)
    }
}
