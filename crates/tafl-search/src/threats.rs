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
    /// The first moves that may threaten something, each with its place among all.
    loud: Vec<(u32, Move)>,
}

/// A line that could not be followed to its end with the positions that were left.
struct OutOfPositions;

/// Plies to the end of a forced win, or nothing where none was found.
type Found = Result<Option<u16>, OutOfPositions>;

/// A move that wins by force and the plies after it, or nothing where none was found.
type FoundMove = Result<Option<(Move, u16)>, OutOfPositions>;

impl ThreatSolver {
    /// Returns a move that wins by force, and the proof of the position after it; `listed` are the legal moves, if they are
    /// known.
    ///
    /// Looks at `positions` at most, for wins in one turn first, then in two, and so on; none found proves nothing.
    pub(crate) fn winning_move(
        &mut self,
        game: &mut Game,
        positions: u32,
        listed: Option<&[Move]>,
    ) -> Option<(Move, Proof)> {
        self.left = positions;
        let found = match listed {
            Some(moves) => self.first_move(game, moves),
            None => {
                let moves = self.list(game);
                let found = self.first_move(game, &moves);
                self.give_back(moves);
                found
            }
        };
        let winner = Some(game.position().side());
        let (mv, plies) = found.ok().flatten()?;
        Some((mv, Proof { winner, plies }))
    }

    /// Returns one of `moves` that wins, and the plies after it.
    fn first_move(&mut self, game: &mut Game, moves: &[Move]) -> FoundMove {
        if let Some(index) = game.rules().king_deciding_move(game.position(), moves) {
            return Ok(Some((moves[index], 0)));
        }
        if has_chains(game) {
            let found = self.first_of(game, moves, 1, FirstMove::Threatens)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        let mut loud = std::mem::take(&mut self.loud);
        let found = self.first_threat(game, moves, &mut loud);
        self.loud = loud;
        match found? {
            None => self.first_of(game, moves, QUIET_TURNS, FirstMove::Any),
            found => Ok(found),
        }
    }

    /// Returns one of `moves` that wins with threats all the way, the quickest first.
    fn first_threat(
        &mut self,
        game: &mut Game,
        moves: &[Move],
        loud: &mut Vec<(u32, Move)>,
    ) -> FoundMove {
        let quiet = game.quiet_moves();
        let (hunter, mark) = (game.position().side(), game.mark());
        loud.clear();
        loud.extend(
            (0..)
                .zip(moves.iter().copied())
                .filter(|(_, mv)| !quiet.contains(*mv)),
        );
        for turns in 2..=MOST_TURNS {
            // Those left out count as looked at.
            let (mut looked, mut kept) = (0, 0);
            for place in 0..loud.len() {
                let (index, mv) = loud[place];
                self.look_at(index + 1 - looked)?;
                looked = index + 1;
                game.play_unchecked(mv);
                if turns == 2 && is_quiet(game, hunter) {
                    game.rewind(&mark);
                    continue;
                }
                loud[kept] = (index, mv);
                kept += 1;
                let won = self.after_move(game, hunter, turns, FirstMove::Threatens);
                game.rewind(&mark);
                if let Some(plies) = won? {
                    return Ok(Some((mv, plies)));
                }
            }
            loud.truncate(kept);
            self.look_at(moves.len() as u32 - looked)?;
        }
        Ok(None)
    }

    /// Returns one of `moves` that wins within so many turns.
    fn first_of(
        &mut self,
        game: &mut Game,
        moves: &[Move],
        turns: u32,
        first: FirstMove,
    ) -> FoundMove {
        let (hunter, mark) = (game.position().side(), game.mark());
        for &mv in moves {
            self.look_at(1)?;
            game.play_unchecked(mv);
            let won = self.after_move(game, hunter, turns, first);
            game.rewind(&mark);
            if let Some(plies) = won? {
                return Ok(Some((mv, plies)));
            }
        }
        Ok(None)
    }

    /// Returns the plies in which the hunter, whose ply it is, wins within so many of its turns.
    fn hunt(&mut self, game: &mut Game, hunter: Side, turns: u32, first: FirstMove) -> Found {
        if decides_at_once(game) {
            return Ok(Some(1));
        }
        if turns == 1 && !has_chains(game) {
            return Ok(None);
        }
        let moves = self.list(game);
        let found = self.first_winning(game, hunter, turns, first, &moves);
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
        let must_threaten = turns > 1 && first == FirstMove::Threatens;
        let quiet = must_threaten.then(|| game.quiet_moves());
        for &mv in moves {
            self.look_at(1)?;
            if quiet.is_some_and(|quiet| quiet.contains(mv)) {
                continue;
            }
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
        if decides_at_once(game) {
            return Ok(None);
        }
        let mut replies = self.list(game);
        let found = self.longest(game, hunter, turns, &mut replies);
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
        let (sure, threat) = game.sure_replies();
        let follows = threat.is_none() && turns > 2;
        // Most replies do not meet the threat; those that do decide, so they are followed last and alone.
        let mut longest = 0;
        let mut refuted = false;
        replies.retain(|&reply| {
            if refuted {
                return false;
            }
            self.left = self.left.saturating_sub(1);
            if sure.contains(reply) {
                refuted = threat.is_none() && !follows;
                longest = longest.max(1 + threat.unwrap_or(0));
                return follows;
            }
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
            self.look_at(1)?;
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

    fn look_at(&mut self, positions: u32) -> Result<(), OutOfPositions> {
        self.left = self.left.checked_sub(positions).ok_or(OutOfPositions)?;
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

/// Returns whether one move of the side to move takes the king or brings him home.
fn decides_at_once(game: &Game) -> bool {
    game.rules().plies_to_decide_king(game.position()) == Some(1)
}

fn has_chains(game: &Game) -> bool {
    game.rules().ruleset().chain != Chain::None
}
