//! Recorded games on the board: chains that texts shorten, other starts of the same game, and where they disagree.

use super::aagenielsen::{RecordedGame, RecordedResult};
use super::games::WrittenGame;
use super::own::OwnRulesError;
use super::taflzero::Fen;
use crate::text::listed;
use crate::{Bitboard, Game, IllegalMove, Move, Piece, Rules, Setup, Square};
use std::sync::Arc;

/// What of a recorded game the rules do not bear out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
pub enum MisfitKind {
    /// The first position is not one of the ruleset's.
    #[strum(to_string = "another first position")]
    Start,
    /// A move is not legal.
    #[strum(to_string = "a move is not legal")]
    Illegal,
    /// A move comes after the end of the game.
    #[strum(to_string = "moves follow the end on the board")]
    AfterEnd,
    /// A move captures other pieces.
    #[strum(to_string = "other captures")]
    Captures,
    /// The board tells another result.
    #[strum(to_string = "another result")]
    Result,
    /// The board tells the result for another reason.
    #[strum(to_string = "another reason")]
    Reason,
}

/// A written move that cannot be played as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// The rules do not allow it.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// It captures other pieces; first those that it does.
    #[error("{0} captures {found}; recorded is {given}", found = listed(.1.squares()), given = listed(.2.squares()))]
    Captures(Move, Bitboard, Bitboard),
    /// It is crooked, and no chain is as it tells.
    #[error("{0} is not in a straight line, and no chain leads there with these captures")]
    NoChain(Move),
}

impl Unplayable {
    const fn kind(&self) -> MisfitKind {
        match self {
            Self::Illegal(IllegalMove::GameOver(..)) => MisfitKind::AfterEnd,
            Self::Illegal(_) | Self::NoChain(_) => MisfitKind::Illegal,
            Self::Captures(..) => MisfitKind::Captures,
        }
    }
}

/// A place where a recorded game and the rules disagree.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct Misfit {
    /// In what.
    pub kind: MisfitKind,
    /// What the rules say and what is recorded.
    pub text: String,
    /// The game before the ply in question.
    pub game: Box<Game>,
}

/// A recorded game on the board.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The game before its first ply.
    pub start: Game,
    /// The game after its last ply.
    pub game: Game,
    /// Where the knight stood at first, if elsewhere than in the ruleset's start position.
    pub knight: Option<Square>,
}

/// Plays a written move, and returns the plies that it stands for, each with its captures.
///
/// A chain that stops need not say so, and may be told by its first and last square with all that it captured. `strict`
/// says that nothing is captured where no capture is written.
///
/// # Errors
/// If the rules do not allow it, or it captures other pieces; the game is unchanged then.
pub fn follow(
    game: &mut Game,
    (mv, captured): (Move, Bitboard),
    strict: bool,
) -> Result<Vec<(Move, Bitboard)>, Unplayable> {
    let before = game.mark();
    let mut plies = Vec::new();
    let chain = game.position().chain();
    if chain.is_some_and(|square| !mv.is_end() && mv.from() != square) {
        game.play(Move::END)?;
        plies.push((Move::END, Bitboard::EMPTY));
    }
    let mark = game.mark();
    let error = match mv.is_end() || Move::new(mv.from(), mv.to()).is_some() {
        false => Unplayable::NoChain(mv),
        true => match game.play(mv) {
            Err(error) => error.into(),
            Ok(ply) if ply.captured == captured || captured.is_empty() && !strict => {
                plies.push((mv, ply.captured));
                return Ok(plies);
            }
            Ok(ply) => {
                game.rewind(&mark);
                Unplayable::Captures(mv, ply.captured, captured)
            }
        },
    };
    if play_chain(game, mv, captured, &mut plies) {
        return Ok(plies);
    }
    game.rewind(&before);
    Err(error)
}

/// Plays the steps from a square to another that capture exactly these squares, the last one of a king who gets home perhaps
/// none; nothing if there are none.
fn play_chain(
    game: &mut Game,
    mv: Move,
    left: Bitboard,
    plies: &mut Vec<(Move, Bitboard)>,
) -> bool {
    if left.is_empty() {
        // Of what goes on with a chain only the king's way home captures nothing.
        let is_chain = game.position().chain().is_some();
        let Some(step) = Move::new(mv.from(), mv.to()).filter(|_| is_chain) else {
            return false;
        };
        let is_home = game.play(step).is_ok_and(|ply| ply.captured.is_empty());
        plies.extend(is_home.then_some((step, Bitboard::EMPTY)));
        return is_home;
    }
    let mut legal = game.legal();
    legal.retain(|step| !step.is_end() && step.from() == mv.from());
    let mark = game.mark();
    for step in legal {
        let captured = game.play_unchecked(step).captured;
        plies.push((step, captured));
        let rest = Bitboard(left.0 & !captured.0);
        let is_part = !captured.is_empty() && left & captured == captured;
        let goes_on = game.position().chain() == Some(step.to());
        if is_part && rest.is_empty() && step.to() == mv.to()
            || is_part
                && goes_on
                && play_chain(game, Move::between(step.to(), mv.to()), rest, plies)
        {
            return true;
        }
        plies.pop();
        game.rewind(&mark);
    }
    false
}

impl WrittenGame {
    /// Returns the first position under the game's rules, as far as they are known, if the text gives one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn setup(&self, rules: Option<&Rules>) -> Result<Option<Setup>, OwnRulesError> {
        match (&self.position, &self.own) {
            (Some(text), _) => Ok(Some(match rules {
                Some(rules) => Fen::read_under(text, rules)?,
                None => text.parse::<Fen>()?.setup,
            })),
            (None, Some(own)) => Ok(Some(own.setup()?)),
            (None, None) => Ok(None),
        }
    }

    /// Replays the main line from the position that the text gives, or as [`RecordedGame::replay`].
    ///
    /// # Errors
    /// As [`RecordedGame::replay`], and if the first position cannot be read or is none of the ruleset's.
    pub fn replay(&self, rules: &Arc<Rules>) -> Result<Replayed, Misfit> {
        let own = Setup::of(&rules.start(), rules.shape());
        let misfit = |text: String| Misfit {
            kind: MisfitKind::Start,
            text: format!("position: {text}"),
            game: Box::new(Game::new(rules.clone())),
        };
        let setup = self
            .setup(Some(rules))
            .map_err(|error| misfit(error.to_string()))?;
        // Where the text gives a position, no other is tried.
        let is_other = |setup: &Setup| self.position.is_some() || *setup != own;
        let Some(setup) = setup.filter(is_other) else {
            return self.recorded().replay(rules);
        };
        let start = Game::from_setup(rules.clone(), &setup);
        let start = start.map_err(|error| misfit(error.to_string()))?;
        self.recorded().replay_from(start, None)
    }
}

impl RecordedGame {
    /// Replays the game.
    ///
    /// If it does not fit the start position of Berserk, those with the knight on another defender's square are tried: a
    /// site's begins with it on e7, the mirror image of e5.
    ///
    /// # Errors
    /// If a move is not legal or captures other pieces than recorded, or the board tells another result; of the start
    /// position that went furthest.
    pub fn replay(&self, rules: &Arc<Rules>) -> Result<Replayed, Misfit> {
        let mut furthest = match self.replay_from(Game::new(rules.clone()), None) {
            Err(misfit) => misfit,
            replayed => return replayed,
        };
        for (knight, setup) in other_starts(rules) {
            let Ok(start) = Game::from_setup(rules.clone(), &setup) else {
                continue;
            };
            match self.replay_from(start, Some(knight)) {
                Err(misfit) if misfit.game.moves().len() > furthest.game.moves().len() => {
                    furthest = misfit;
                    furthest.text += &format!(" (with the knight on {knight} at first)");
                }
                Err(_) => {}
                replayed => return replayed,
            }
        }
        Err(furthest)
    }

    fn replay_from(&self, start: Game, knight: Option<Square>) -> Result<Replayed, Misfit> {
        let mut game = start.clone();
        let misfit = |game: &Game, kind, text| Misfit {
            kind,
            text,
            game: Box::new(game.clone()),
        };
        let turns = self.turns.iter().enumerate();
        let plies = turns.flat_map(|(turn, text)| text.plies.iter().map(move |ply| (turn, *ply)));
        for (number, (turn, written)) in (1..).zip(plies) {
            if let Err(error) = follow(&mut game, written, self.is_strict(turn)) {
                return Err(misfit(
                    &game,
                    error.kind(),
                    format!("ply {number}: {error}"),
                ));
            }
        }
        match self.contradicted(&game) {
            Some(text) => Err(misfit(&game, MisfitKind::Result, text)),
            None => Ok(Replayed {
                start,
                game,
                knight,
            }),
        }
    }

    /// Returns in what the board contradicts the result, of a game that has come to its last ply.
    pub fn contradicted(&self, game: &Game) -> Option<String> {
        let outcome = game.outcome()?;
        let is_stated = self.captures.is_some() || self.result != RecordedResult::Ongoing;
        if !is_stated || RecordedResult::of(Some(outcome)) == self.result {
            return None;
        }
        let recorded = match self.result {
            RecordedResult::Won(side) => format!("{side} win"),
            RecordedResult::Draw => "a draw".to_owned(),
            RecordedResult::Ongoing => "no result".to_owned(),
        };
        Some(format!("the board says {outcome}; recorded is {recorded}"))
    }

    /// Returns in what the counts of captures differ from those of the game as the board has it.
    pub fn miscounted(&self, board: &Self) -> Option<String> {
        let (recorded, counted) = (self.captures?, board.captures?);
        let pair =
            |[by_attackers, by_defenders]: [u32; 2]| format!("{by_attackers},{by_defenders}");
        let (recorded, counted) = (pair(recorded), pair(counted));
        let differ = recorded != counted;
        differ.then(|| format!("captures {recorded} are recorded; the board has {counted}"))
    }

    /// Returns what is odd in a record whose game went from `start` to its last ply: other counts of captures, and an end away
    /// from the board behind one on it.
    pub fn remarks(&self, start: &Game, game: &Game) -> Vec<String> {
        let board = Self::of_game_from(start.clone(), game).ok();
        let counts = board.and_then(|board| self.miscounted(&board));
        let end = self.end.zip(game.outcome()).map(|(end, outcome)| {
            let word = end.word();
            format!("`{word}` stands behind a game that was over already: {outcome}")
        });
        counts.into_iter().chain(end).collect()
    }
}

/// Returns Berserk's start position with the knight on each other square of a defender, the mirror images first; nothing for
/// another start, which says where its knight stands.
fn other_starts(rules: &Rules) -> Vec<(Square, Setup)> {
    let shape = rules.shape();
    let start = Setup::of(&rules.start(), shape);
    let at = |piece| start.pieces.iter().position(|it| *it == Some(piece));
    let is_berserk = || crate::preset("berserk-2024").is_some_and(|it| it.start == start.board());
    let Some(knight) = at(Piece::Knight).filter(|_| is_berserk()) else {
        return Vec::new();
    };
    let with_knight_at = |index: usize| {
        let mut setup = start.clone();
        setup.pieces.swap(knight, index);
        (shape.square(index), setup)
    };
    let last = shape.size() - 1;
    let square = shape.square(knight);
    let mirrored = Square::new(square.file(), last - square.rank());
    let soldiers = start.pieces.iter().enumerate();
    let soldiers = soldiers.filter(|(_, piece)| **piece == Some(Piece::Defender));
    let mut starts: Vec<_> = soldiers.map(|(index, _)| with_knight_at(index)).collect();
    starts.sort_by_key(|(square, _)| *square != mirrored);
    starts
}
