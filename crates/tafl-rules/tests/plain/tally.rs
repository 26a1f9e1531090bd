//! What happened in the games, so that a test can show that it saw the rare rules.

use super::aggressor::is_bound;
use super::board::{At, Board, STEPS, State, Step, is_hostile, is_throne, plus};
use super::captures::is_jump;
use super::game::{Game, Played};
use std::collections::BTreeMap;
use tafl_rules::{EndReason, Piece, Repetition, Ruleset, Side};

/// How often each kind of ply and of end was seen.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) plies: usize,
    seen: BTreeMap<String, usize>,
}

impl Tally {
    pub(crate) fn count(&mut self, what: &str) {
        *self.seen.entry(what.to_owned()).or_default() += 1;
    }

    /// Fails unless each of these was seen at least so often.
    #[track_caller]
    pub(crate) fn assert_seen(&self, times: usize, what: &[&str]) {
        for what in what {
            let seen = self.seen.get(*what).copied().unwrap_or(0);
            assert!(seen >= times, "{seen} of {times} {what} among {self:#?}");
        }
    }

    pub(crate) fn count_ply(
        &mut self,
        rules: &Ruleset,
        before: &State,
        step: Step,
        played: &Played,
    ) {
        self.plies += 1;
        if played.state.chain.is_some() {
            self.count("chain");
        }
        let Step::Go(from, to) = step else {
            return self.count("end");
        };
        let piece = before.board.at(from).expect("the piece that moves");
        if is_jump(&before.board, from, to) {
            self.count(&format!("jump of {}", piece.letter()));
        }
        if played.shieldwall {
            self.count(&format!("shieldwall by {}", before.side));
            if !before.board.is_edge(to) {
                self.count(&format!("row faced by {}", before.side));
            }
        }
        if piece != Piece::King && is_throne(rules, &before.board, to) {
            self.count(&format!("{} stop on the throne", before.side));
        }
        self.count_captures(rules, &before.board, to, played);
        match played.outcome.map(|outcome| outcome.reason) {
            Some(EndReason::KingCaptured) => self.count(king_capture(&played.state.board)),
            Some(EndReason::KingEscaped) if before.chain.is_some() => {
                self.count("escape in a chain")
            }
            _ => {}
        }
    }

    fn count_captures(&mut self, rules: &Ruleset, before: &Board, to: At, played: &Played) {
        match played.captured.len() {
            0 => return,
            1 => self.count("one captured"),
            2 => self.count("two captured"),
            _ => self.count("three or more captured"),
        }
        for &at in &played.captured {
            let piece = before.at(at).expect("a captured piece");
            self.count(&format!("capture of {}", piece.letter()));
            if is_throne(rules, before, at) {
                self.count("capture on the throne");
            }
            let far = (2 * at.0 - to.0, 2 * at.1 - to.1);
            let beside = STEPS.into_iter().any(|step| plus(at, step, 1) == to);
            if beside && before.is_empty(far) && is_hostile(rules, before, far, piece.side()) {
                let throne = is_throne(rules, before, far);
                self.count(if throne {
                    "against the throne"
                } else {
                    "against a corner"
                });
            }
        }
    }

    pub(crate) fn count_end(&mut self, game: &Game) {
        let Some(outcome) = game.outcome else {
            return self.count("unfinished");
        };
        let winner = outcome.winner.map_or("draw", Side::name);
        self.count(&format!("{} {winner}", outcome.reason));
        if outcome.reason == EndReason::Repetition {
            self.count(&format!("occurrence {}", game.rules.repetition_occurrence));
        }
        let aggressor = game.rules.repetition == Repetition::Aggressor;
        if aggressor && outcome.reason == EndReason::Repetition {
            let cycle = last_cycle(game);
            let [attackers, defenders] = Side::ALL.map(|side| is_bound(&game.rules, cycle, side));
            self.count(match (attackers, defenders) {
                (true, true) => "aggressor: both bound",
                (true, false) => "aggressor: attackers bound",
                (false, true) => "aggressor: defenders bound",
                (false, false) => "aggressor: neither bound",
            });
        }
    }
}

fn king_capture(board: &Board) -> &'static str {
    let king = board.king();
    let around = STEPS.map(|step| plus(king, step, 1));
    let attackers = around
        .into_iter()
        .filter(|&at| board.is_side(at, Side::Attacker));
    let on_throne = king == board.throne();
    match attackers.count() {
        0..4 if on_throne => "king on the throne captured by two",
        0..3 if around.contains(&board.throne()) => "king beside the throne captured by two",
        _ if on_throne => "king on the throne captured",
        _ if around.contains(&board.throne()) => "king beside the throne captured",
        4 => "king captured by four",
        _ if board.is_edge(king) => "king on an edge captured",
        _ => "king captured by two",
    }
}

/// The plies since the position was there last.
fn last_cycle(game: &Game) -> &[(State, Step)] {
    let same = |(state, _): &(State, Step)| {
        state.board == game.state.board && state.side == game.state.side
    };
    let begin = game.history.iter().rposition(same).expect("a repetition");
    &game.history[begin..]
}
