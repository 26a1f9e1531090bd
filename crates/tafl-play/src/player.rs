//! Who plays: one side of a game, or both.

use rand_xoshiro::Xoshiro256PlusPlus;
use std::error::Error;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{Ending, PlayerId};
use tafl_search::{Evaluator, SearchConfig};

/// Why a player could not be set up, or cannot continue.
pub type PlayerError = Box<dyn Error + Send + Sync>;

/// Makes an evaluator from a seed, on the thread of the worker that uses it. Networks do not need the seed.
pub type MakeEvaluator = Arc<dyn Fn(u64) -> Result<Box<dyn Evaluator>, PlayerError> + Send + Sync>;

/// Makes what chooses moves under some rules, on the thread of the worker that uses it.
pub type MakeChooser = Arc<dyn Fn(&Arc<Rules>) -> Box<dyn MoveChooser> + Send + Sync>;

/// A player: who it is, and how it chooses its moves.
#[derive(Clone)]
pub struct Player {
    /// The identity, under which its results are stored. Two players of one identity play alike.
    pub id: PlayerId,
    /// How it chooses.
    pub method: Method,
}

/// How a player chooses its moves.
#[derive(Clone)]
pub enum Method {
    /// Searches with an evaluator, such as a network.
    Search(Searcher),
    /// Chooses by itself, without evaluations that could be batched.
    Direct {
        /// Makes what chooses; the games of a worker share it.
        make: MakeChooser,
        /// Whether it is another program: then a worker plays one game at a time, so that nobody else's thinking
        /// counts as its own.
        is_program: bool,
        /// Whether it refuses plies of the defenders that make an earlier board again.
        refuses_earlier_boards: bool,
    },
}

/// A search and where its evaluations come from.
#[derive(Clone)]
pub struct Searcher {
    /// How it searches.
    pub search: SearchConfig,
    /// Makes its evaluator.
    pub make_evaluator: MakeEvaluator,
    /// Whether what is known of the moves after the played one is kept for the next search.
    pub keeps_tree: bool,
    /// Whether equal positions get equal evaluations, so that they may be kept and used again.
    pub is_cacheable: bool,
}

/// Chooses moves without a search that waits for evaluations.
pub trait MoveChooser {
    /// Returns a move of a game that is not over; the game is left as it was.
    ///
    /// # Errors
    /// If the player loses the game instead, or cannot play at all.
    fn choose(&mut self, game: &mut Game, turn: &mut Turn<'_>) -> Result<Move, NoMove>;
}

/// What a player may know besides the position.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The game's number.
    pub game_id: u64,
    /// The only moves to choose from; all where there are none.
    pub only: Vec<Move>,
    /// Where randomness comes from; the player's own in this game.
    pub rng: &'a mut Xoshiro256PlusPlus,
}

impl Turn<'_> {
    /// Returns the moves to choose from.
    pub(crate) fn moves(&self, game: &Game) -> Vec<Move> {
        match &*self.only {
            [] => game.legal(),
            only => only.to_vec(),
        }
    }
}

/// Why there is no move.
#[derive(Debug)]
pub enum NoMove {
    /// The game is over for the player, who is another program.
    Over(Ending),
    /// It cannot play at all, so that no game means anything.
    Unusable(PlayerError),
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Player {
    /// Returns a player that searches with a network or any other evaluator whose opinion depends on the position
    /// alone.
    pub const fn network(
        id: PlayerId,
        search: SearchConfig,
        make_evaluator: MakeEvaluator,
    ) -> Self {
        Self {
            id,
            method: Method::Search(Searcher {
                search,
                make_evaluator,
                keeps_tree: false,
                is_cacheable: true,
            }),
        }
    }

    /// Returns how it searches, if it does.
    pub const fn searcher(&self) -> Option<&Searcher> {
        match &self.method {
            Method::Search(searcher) => Some(searcher),
            Method::Direct { .. } => None,
        }
    }

    /// Returns whether it is another program.
    pub(crate) const fn is_program(&self) -> bool {
        matches!(
            self.method,
            Method::Direct {
                is_program: true,
                ..
            }
        )
    }

    /// Returns whether it refuses plies of the defenders that make an earlier board again.
    pub(crate) const fn refuses_earlier_boards(&self) -> bool {
        matches!(
            self.method,
            Method::Direct {
                refuses_earlier_boards: true,
                ..
            }
        )
    }
}

/// What the players of one worker keep from move to move.
#[derive(Default)]
pub(crate) struct Choosers {
    made: Vec<(PlayerId, Arc<Rules>, Box<dyn MoveChooser>)>,
}

impl Choosers {
    /// Lets a player choose that does not search.
    pub(crate) fn choose(
        &mut self,
        player: &Player,
        game: &mut Game,
        turn: &mut Turn<'_>,
    ) -> Result<Move, NoMove> {
        let Method::Direct { make, .. } = &player.method else {
            let reason = format!("{} chooses by a search", player.id);
            return Err(NoMove::Unusable(reason.into()));
        };
        let rules = game.rules();
        let is_it =
            |made: &(PlayerId, Arc<Rules>, _)| made.0 == player.id && Arc::ptr_eq(&made.1, rules);
        let place = match self.made.iter().position(is_it) {
            Some(place) => place,
            None => {
                let chooser = make(rules);
                self.made
                    .push((player.id.clone(), Arc::clone(rules), chooser));
                self.made.len() - 1
            }
        };
        self.made[place].2.choose(game, turn)
    }
}
