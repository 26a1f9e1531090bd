//! Recorded games and states compared with the rules.

use crate::text::listed;
use crate::{Bitboard, Board, Game, Move, Rules, Setup, SetupError, Side, Square, known_names};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A place where a record and the rules disagree.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct Disagreement {
    /// What the rules say and what is recorded.
    pub text: String,
    /// The game before the ply in question.
    pub game: Box<Game>,
}

impl Disagreement {
    pub(crate) fn new(game: &Game, text: String) -> Self {
        let game = Box::new(game.clone());
        Self { text, game }
    }
}

/// A position of a recorded game with its legal moves, the move played there, and what it did.
///
/// It is read from an object with these fields, in the notations of this crate; `move` and what belongs to it may be
/// absent in the last state of a game. The first state of a game counts as the first occurrence of its position, with
/// no plies since the last capture.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedState {
    /// The number of the game, for itself in each ruleset.
    pub game: u64,
    /// The name of a preset, of a small board, or of a ruleset that the checker was told.
    pub ruleset: String,
    /// The number of the ply; rises within a game.
    pub ply: u64,
    position: Board,
    side: Side,
    #[serde(deserialize_with = "Option::deserialize")]
    chain: Option<Square>,
    moves: Vec<Move>,
    #[serde(rename = "move", deserialize_with = "Option::deserialize")]
    mv: Option<Move>,
    captured: Vec<Square>,
    #[serde(deserialize_with = "status")]
    status: String,
    #[serde(deserialize_with = "Option::deserialize")]
    reason: Option<String>,
}

const STATUSES: [&str; 4] = ["ongoing", "attackers", "defenders", "draw"];

fn status<'de, D: Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    let status = String::deserialize(text)?;
    if STATUSES.contains(&&*status) {
        Ok(status)
    } else {
        Err(D::Error::unknown_variant(&status, &STATUSES))
    }
}

/// A state that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// There is no such ruleset.
    #[error("field `ruleset`: unknown ruleset {0:?} (known are {known})", known = known_names().collect::<Vec<_>>().join(", "))]
    UnknownRuleset(String),
    /// A game cannot begin from the position.
    #[error("field `position`: {0}")]
    Position(SetupError),
}

/// What became of a state.
#[derive(Debug, Clone)]
pub struct CheckedState {
    /// Whether a game begins with the state.
    pub begins_game: bool,
    /// Where the rules disagree with it; the game's further states are not compared then.
    pub disagreement: Option<Disagreement>,
}

/// Follows recorded games from state to state.
#[derive(Debug, Default)]
pub struct StateChecker {
    rules: BTreeMap<String, Arc<Rules>>,
    open: BTreeMap<(String, u64), OpenGame>,
}

/// A game of which more states may come.
#[derive(Debug)]
struct OpenGame {
    game: Game,
    first_ply: u64,
    last_ply: Option<u64>,
    disagrees: bool,
}

impl StateChecker {
    /// Takes a ruleset of one's own, by the name that states have for it.
    pub fn know(&mut self, rules: &Arc<Rules>) {
        let name = rules.ruleset().name.clone();
        self.rules.insert(name, Arc::clone(rules));
    }

    /// Compares a state with its game.
    ///
    /// A game begins with its first state, or where the ply goes back to that of the first one in a position that does not come
    /// next. Other states that do not stand in the order of their plies disagree.
    ///
    /// # Errors
    /// If the ruleset is unknown, or a game cannot begin from the position.
    pub fn check(&mut self, state: &RecordedState) -> Result<CheckedState, StateError> {
        let rules = self.rules_of(&state.ruleset)?;
        let key = (state.ruleset.clone(), state.game);
        let goes_on =
            |it: &OpenGame| it.first_ply != state.ply || state.compare_before(&it.game).is_ok();
        let open = self.open.remove(&key).filter(goes_on);
        let begins_game = open.is_none();
        let mut open = match open {
            Some(open) => open,
            None => OpenGame {
                game: state.begin(rules).map_err(StateError::Position)?,
                first_ply: state.ply,
                last_ply: None,
                disagrees: false,
            },
        };
        let last_ply = open.last_ply.replace(state.ply);
        let mut disagreement = None;
        if !open.disagrees {
            disagreement = state.compare(&mut open.game, last_ply).err();
            open.disagrees = disagreement.is_some();
        }
        if state.mv.is_some() {
            self.open.insert(key, open);
        }
        Ok(CheckedState {
            begins_game,
            disagreement,
        })
    }

    fn rules_of(&mut self, name: &str) -> Result<Arc<Rules>, StateError> {
        if let Some(rules) = self.rules.get(name) {
            return Ok(rules.clone());
        }
        let rules = Rules::preset(name).ok_or_else(|| StateError::UnknownRuleset(name.into()))?;
        self.rules.insert(name.to_owned(), rules.clone());
        Ok(rules)
    }
}

impl RecordedState {
    fn begin(&self, rules: Arc<Rules>) -> Result<Game, SetupError> {
        let position = self.position.clone().with_side(self.side);
        let chain = self.chain;
        Game::from_setup(rules, &Setup { chain, ..position })
    }

    fn compare(&self, game: &mut Game, last_ply: Option<u64>) -> Result<(), Disagreement> {
        let before = game.mark();
        let compared = match last_ply {
            Some(last) if last >= self.ply => Err(format!(
                "it comes after ply {last} of the same game, whose states must be in order"
            )),
            Some(last) if last + 1 < self.ply => self.compare_before(game).map_err(|text| {
                format!("{text}; states after ply {last} are missing or elsewhere")
            }),
            _ => self.compare_before(game),
        };
        let compared = compared.and_then(|()| self.compare_after(game));
        compared.map_err(|text| {
            game.rewind(&before);
            let text = format!("game {}, ply {}: {text}", self.game, self.ply);
            Disagreement::new(game, text)
        })
    }

    fn compare_before(&self, game: &Game) -> Result<(), String> {
        let found = Setup::of(game.position(), game.rules().shape());
        if found.pieces != self.position.pieces {
            let texts = [found.board(), self.position.clone()].map(String::from);
            return differ("position is", texts);
        }
        // Nobody is to move once the game is over, so writers may differ.
        if game.outcome().is_none() && found.side != self.side {
            let (found, recorded) = (found.side, self.side);
            return Err(format!("{found} are to move; recorded are {recorded}"));
        }
        if found.chain != self.chain {
            return differ("chain is", [found.chain, self.chain].map(listed));
        }
        let [moves, recorded] = [game.legal(), self.moves.clone()].map(|mut moves| {
            moves.sort_unstable();
            moves
        });
        if moves != recorded {
            let surplus = listed(moves.iter().filter(|mv| !recorded.contains(mv)));
            let missing = listed(recorded.iter().filter(|mv| !moves.contains(mv)));
            return Err(format!(
                "legal but not recorded: {surplus}; recorded but not legal: {missing}"
            ));
        }
        Ok(())
    }

    fn compare_after(&self, game: &mut Game) -> Result<(), String> {
        let after = self.mv.map_or(String::new(), |mv| format!(" after {mv}"));
        let captured = match self.mv {
            Some(mv) => game.play(mv).map_err(|error| error.to_string())?.captured,
            None => Bitboard::EMPTY,
        };
        let recorded: Bitboard = self.captured.iter().copied().collect();
        if captured != recorded {
            let sets = [captured, recorded].map(|set| listed(set.squares()));
            return differ(&format!("captured{after}:"), sets);
        }
        let outcome = game.outcome();
        let status = outcome.map_or("ongoing", |it| it.winner.map_or("draw", Side::name));
        let found = (status, outcome.map(|it| it.reason.name()));
        let recorded = (&*self.status, self.reason.as_deref());
        if found != recorded {
            let words = [found, recorded].map(|(status, reason)| match reason {
                Some(reason) => format!("{status} ({reason})"),
                None => status.to_owned(),
            });
            return differ(&format!("status{after} is"), words);
        }
        Ok(())
    }
}

fn differ(what: &str, [found, recorded]: [String; 2]) -> Result<(), String> {
    Err(format!("{what} {found}; recorded is {recorded}"))
}
