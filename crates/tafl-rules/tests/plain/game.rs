//! One ply on the board, and a game with its past (2.6 to 2.8, 7.9).

use super::aggressor::aggressor_loses;
use super::board::{At, Board, State, Step, is_goal};
use super::captures::effect;
use super::judge::{is_encircled, is_fort};
use super::moves::{continuations, legal};
use tafl_rules::{
    CapturelessReason, Chain, EndReason, NoMove, Outcome, Piece, Repetition, Ruleset, Side,
};

/// What one ply did.
pub(crate) struct Played {
    pub(crate) state: State,
    pub(crate) captured: Vec<At>,
    pub(crate) shieldwall: bool,
    /// The end that the board alone shows.
    pub(crate) outcome: Option<Outcome>,
}

/// Plays a ply and judges what the board alone shows: the first half of 2.7.
pub(crate) fn play_on_board(rules: &Ruleset, before: &State, step: Step) -> Played {
    let mut state = *before;
    state.chain = None;
    let Step::Go(from, to) = step else {
        state.side = state.side.opponent();
        return Played {
            state,
            captured: Vec::new(),
            shieldwall: false,
            outcome: None,
        };
    };
    let effect = effect(rules, &before.board, from, to);
    state.board = effect.after;
    let captures = !effect.captured.is_empty();
    state.captureless = if captures { 0 } else { state.captureless + 1 };
    let outcome = judge_board(rules, &state, effect.king_captured);
    if outcome.is_none() {
        let goes_on = captures
            && rules.chain != Chain::None
            && !continuations(rules, &state.board, to).is_empty();
        if goes_on {
            state.chain = Some(to);
        } else {
            state.side = state.side.opponent();
        }
    }
    Played {
        state,
        captured: effect.captured,
        shieldwall: effect.shieldwall,
        outcome,
    }
}

fn wins(side: Side, reason: EndReason) -> Option<Outcome> {
    Some(Outcome {
        winner: Some(side),
        reason,
    })
}

/// `state.side` is still the side that played.
fn judge_board(rules: &Ruleset, state: &State, king_captured: bool) -> Option<Outcome> {
    let board = &state.board;
    if king_captured {
        return wins(Side::Attacker, EndReason::KingCaptured);
    }
    if is_goal(rules, board, board.king()) {
        return wins(Side::Defender, EndReason::KingEscaped);
    }
    match state.side {
        Side::Attacker if rules.encirclement.is_on() && is_encircled(board) => {
            wins(Side::Attacker, EndReason::Encirclement)
        }
        Side::Defender if rules.edge_fort.is_on() && is_fort(rules, board) => {
            wins(Side::Defender, EndReason::Fort)
        }
        _ => None,
    }
}

/// A position between two turns, and how many plies led to it.
struct Occurrence {
    board: Board,
    side: Side,
    plies: usize,
}

/// A game from its first position on.
pub(crate) struct Game {
    pub(crate) rules: Ruleset,
    pub(crate) state: State,
    pub(crate) outcome: Option<Outcome>,
    /// Every ply with the state that it was played in.
    pub(crate) history: Vec<(State, Step)>,
    turns: Vec<Occurrence>,
}

impl Game {
    pub(crate) fn new(rules: Ruleset, state: State) -> Self {
        let mut game = Self {
            rules,
            state,
            outcome: None,
            history: Vec::new(),
            turns: Vec::new(),
        };
        if state.chain.is_none() {
            game.remember();
        }
        game.outcome = game.no_move();
        game
    }

    pub(crate) fn legal(&self) -> Vec<Step> {
        match self.outcome {
            Some(_) => Vec::new(),
            None => legal(&self.rules, &self.state),
        }
    }

    pub(crate) fn play(&mut self, step: Step) -> Played {
        let played = play_on_board(&self.rules, &self.state, step);
        self.history.push((self.state, step));
        self.state = played.state;
        self.outcome = played.outcome;
        if played.outcome.is_none() && self.state.chain.is_none() {
            self.remember();
            self.outcome = self
                .repetition()
                .or_else(|| self.captureless())
                .or_else(|| self.no_move());
        }
        played
    }

    /// How often the position has occurred between turns, this time included; 1 inside a chain.
    pub(crate) fn occurrences(&self) -> usize {
        let (board, side) = (self.state.board, self.state.side);
        match self.state.chain {
            Some(_) => 1,
            None => {
                let turns = self.turns.iter();
                turns
                    .filter(|turn| (turn.board, turn.side) == (board, side))
                    .count()
            }
        }
    }

    fn remember(&mut self) {
        self.turns.push(Occurrence {
            board: self.state.board,
            side: self.state.side,
            plies: self.history.len(),
        });
    }

    /// The result of the occurrence that decides (7.9).
    fn repetition(&self) -> Option<Outcome> {
        if self.rules.repetition == Repetition::Off {
            return None;
        }
        let same = self
            .turns
            .iter()
            .filter(|turn| turn.side == self.state.side && turn.board == self.state.board);
        let plies: Vec<usize> = same.map(|turn| turn.plies).collect();
        let decides = self.rules.repetition_occurrence as usize;
        if plies.len() < decides {
            return None;
        }
        let winner = match self.rules.repetition {
            Repetition::Off => None,
            Repetition::Defenders => Some(Side::Attacker),
            Repetition::Attackers => Some(Side::Defender),
            Repetition::Draw => None,
            Repetition::Aggressor => {
                let cycle = &self.history[plies[decides - 2]..plies[decides - 1]];
                Some(aggressor_loses(&self.rules, cycle).opponent())
            }
        };
        Some(Outcome {
            winner,
            reason: EndReason::Repetition,
        })
    }

    fn captureless(&self) -> Option<Outcome> {
        let limit = self.rules.captureless_limit?;
        let reason = match self.rules.captureless_reason {
            CapturelessReason::Captureless => EndReason::Captureless,
            CapturelessReason::Unfinishable => EndReason::Unfinishable,
        };
        (self.state.captureless >= limit.get()).then_some(Outcome {
            winner: None,
            reason,
        })
    }

    fn no_move(&self) -> Option<Outcome> {
        if !legal(&self.rules, &self.state).is_empty() {
            return None;
        }
        let winner = match self.rules.no_move {
            NoMove::Loses => Some(self.state.side.opponent()),
            NoMove::Draw => None,
        };
        Some(Outcome {
            winner,
            reason: EndReason::NoMove,
        })
    }
}

/// Whether the piece that a step moves is the king.
pub(crate) fn moves_king(board: &Board, step: Step) -> bool {
    matches!(step, Step::Go(from, _) if board.at(from) == Some(Piece::King))
}
