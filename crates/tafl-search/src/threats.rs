//! Forced wins by threats against the king, or by his: found by trying everything within a few turns.
//!
//! The side to move tries only moves after which it threatens to decide the king's fate; the opponent has every reply.
//! So few lines are left that wins in several turns are found in about a thousand positions, where a search by visits
//! needs a proof of each of a hundred replies. Known as threat-space search (Allis, van den Herik and Huntjens 1993).

use crate::Proof;
use tafl_rules::{Chain, Game, Move, Side};

/// The most turns of its own in which the side to move may win.
const MOST_TURNS: u32 = 5;

/// Turns within which a win that begins with a quiet move is looked for.
const QUIET_TURNS: u32 = 3;

/// What the first move may be; those after it threaten always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstMove {
    Threatens,
    Any,
}

/// Looks for forced wins; keeps its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThreatSolver {
    /// Lists of moves that are not in use.
    spare: Vec<Vec<Move>>,
    /// Positions that may still be looked at.
    left: u32,
    /// Of each first move whether it is known to threaten nothing.
    quiet: Vec<bool>,
}

/// A line that could not be followed to its end with the positions that were left.
struct OutOfPositions;

/// Plies to the end of a forced win, or nothing where none was found.
type Found = Result<Option<u16>, OutOfPositions>;

impl ThreatSolver {
    /// Returns a move that wins by force, and the proof of the position after it.
    ///
    /// Looks at `positions` at most, for wins in one turn first, then in two, and so on; none found proves nothing.
    pub(crate) fn winning_move(
        &mut self,
        game: &mut Game,
        positions: u32,
    ) -> Option<(Move, Proof)> {
        self.left = positions;
        let moves = self.list(game);
        let mut quiet = std::mem::take(&mut self.quiet);
        quiet.clear();
        quiet.resize(moves.len(), false);
        let found = self.first_move(game, &moves, &mut quiet);
        self.quiet = quiet;
        self.give_back(moves);
        let winner = Some(game.position().side());
        let (mv, plies) = found.ok().flatten()?;
        Some((mv, Proof { winner, plies }))
    }

    /// Returns one of `moves` that wins, and the plies after it; `quiet` are those that are found to threaten nothing.
    fn first_move(
        &mut self,
        game: &mut Game,
        moves: &[Move],
        quiet: &mut [bool],
    ) -> Result<Option<(Move, u16)>, OutOfPositions> {
        if let Some(index) = game.rules().king_deciding_move(game.position(), moves) {
            return Ok(Some((moves[index], 0)));
        }
        let hunter = game.position().side();
        let fewest = if has_chains(game) { 1 } else { 2 };
        let by_threats = (fewest..=MOST_TURNS).map(|turns| (turns, FirstMove::Threatens));
        let mark = game.mark();
        for (turns, first) in by_threats.chain([(QUIET_TURNS, FirstMove::Any)]) {
            for (&mv, quiet) in moves.iter().zip(&mut *quiet) {
                self.look()?;
                let must_threaten = turns > 1 && first == FirstMove::Threatens;
                if must_threaten && *quiet {
                    continue;
                }
                game.play_unchecked(mv);
                *quiet = must_threaten && is_quiet(game, hunter);
                let won = if *quiet {
                    Ok(None)
                } else {
                    self.after_move(game, hunter, turns, first)
                };
                game.rewind(&mark);
                if let Some(plies) = won? {
                    return Ok(Some((mv, plies)));
                }
            }
        }
        Ok(None)
    }

    /// Returns the plies in which the hunter, whose ply it is, wins within so many of its turns.
    fn hunt(&mut self, game: &mut Game, hunter: Side, turns: u32, first: FirstMove) -> Found {
        let moves = self.list(game);
        let decides = game.rules().king_deciding_move(game.position(), &moves);
        let mut found = Ok(decides.map(|_| 1));
        if decides.is_none() && (turns > 1 || has_chains(game)) {
            found = self.first_winning(game, hunter, turns, first, &moves);
        }
        self.give_back(moves);
        found
    }

    fn first_winning(
        &mut self,
        game: &mut Game,
        hunter: Side,
        turns: u32,
        first: FirstMove,
        moves: &[Move],
    ) -> Found {
        let mark = game.mark();
        for &mv in moves {
            self.look()?;
            game.play_unchecked(mv);
            let won = self.after_move(game, hunter, turns, first);
            game.rewind(&mark);
            if let Some(plies) = won? {
                return Ok(Some(plies + 1));
            }
        }
        Ok(None)
    }

    /// Returns the plies in which the hunter wins after a move of its own.
    fn after_move(&mut self, game: &mut Game, hunter: Side, turns: u32, first: FirstMove) -> Found {
        if let Some(outcome) = game.outcome() {
            return Ok((outcome.winner == Some(hunter)).then_some(0));
        }
        if game.position().side() == hunter {
            return self.hunt(game, hunter, turns, first);
        }
        if turns == 1 {
            return Ok(None);
        }
        if first == FirstMove::Threatens && is_quiet(game, hunter) {
            return Ok(None);
        }
        self.every_reply(game, hunter, turns)
    }

    /// Returns the plies in which the hunter wins whatever the opponent plays.
    fn every_reply(&mut self, game: &mut Game, hunter: Side, turns: u32) -> Found {
        let mut replies = self.list(game);
        let escapes = game.rules().king_deciding_move(game.position(), &replies);
        let mut found = Ok(None);
        if escapes.is_none() {
            found = self.longest(game, hunter, turns, &mut replies);
        }
        self.give_back(replies);
        found
    }

    fn longest(
        &mut self,
        game: &mut Game,
        hunter: Side,
        turns: u32,
        replies: &mut Vec<Move>,
    ) -> Found {
        let mark = game.mark();
        // Most replies do not meet the threat; those that do decide, so they are followed last and alone.
        let mut longest = 0;
        let mut refuted = false;
        replies.retain(|&reply| {
            if refuted {
                return false;
            }
            self.left = self.left.saturating_sub(1);
            game.play_unchecked(reply);
            let ended = game.outcome();
            let is_turn = ended.is_none() && game.position().side() == hunter;
            let decides = |position| game.rules().plies_to_decide_king(position);
            let at_once = is_turn.then(|| decides(game.position())).flatten();
            refuted = match ended {
                Some(outcome) => outcome.winner != Some(hunter),
                None => is_turn && at_once.is_none() && turns == 2,
            };
            game.rewind(&mark);
            longest = longest.max(1 + at_once.unwrap_or(0));
            ended.is_none() && at_once.is_none()
        });
        if refuted {
            return Ok(None);
        }
        for &reply in &*replies {
            self.look()?;
            game.play_unchecked(reply);
            let won = if game.position().side() == hunter {
                self.hunt(game, hunter, turns - 1, FirstMove::Threatens)
            } else {
                self.every_reply(game, hunter, turns)
            };
            game.rewind(&mark);
            match won? {
                Some(plies) => longest = longest.max(plies + 1),
                None => return Ok(None),
            }
        }
        Ok(Some(longest))
    }

    fn look(&mut self) -> Result<(), OutOfPositions> {
        self.left = self.left.checked_sub(1).ok_or(OutOfPositions)?;
        Ok(())
    }

    fn list(&mut self, game: &Game) -> Vec<Move> {
        let mut moves = self.spare.pop().unwrap_or_default();
        game.legal_moves(&mut moves);
        moves
    }

    fn give_back(&mut self, mut moves: Vec<Move>) {
        moves.clear();
        self.spare.push(moves);
    }
}

/// Returns whether a turn of `hunter` is over that neither ended the game nor threatens to decide the king's fate.
fn is_quiet(game: &Game, hunter: Side) -> bool {
    game.outcome().is_none()
        && game.position().side() != hunter
        && !game.rules().king_fate_is_threatened(game.position())
}

fn has_chains(game: &Game) -> bool {
    game.rules().ruleset().chain != Chain::None
}
