//! A game with what it takes to go back in it.

use crate::argument::Playable;
use tafl_rules::{Bitboard, Diagram, Game, GameMark, Move, Position, Setup, TurnText};

/// A game from its first position on.
#[derive(Clone)]
pub(crate) struct Played {
    pub(crate) game: Game,
    pub(crate) first: Position,
    past: Vec<Past>,
}

/// A ply that was played.
#[derive(Clone, Copy)]
struct Past {
    before: GameMark,
    captured: Bitboard,
    ends_turn: bool,
}

impl Played {
    /// Begins with a game of which no ply was played yet.
    pub(crate) fn new(game: Game) -> Self {
        Self {
            first: *game.position(),
            past: Vec::new(),
            game,
        }
    }

    /// Returns how many plies were played.
    pub(crate) const fn plies(&self) -> usize {
        self.past.len()
    }

    /// Plays a move; returns what it captures.
    pub(crate) fn play(&mut self, mv: Move) -> Result<Bitboard, String> {
        let before = self.game.mark();
        let played = self.game.play(mv);
        let captured = played.map_err(|error| error.to_string())?.captured;
        self.past.push(Past {
            before,
            captured,
            ends_turn: self.game.position().chain().is_none(),
        });
        Ok(captured)
    }

    /// Plays a move or a turn; returns what it captures.
    pub(crate) fn play_any(&mut self, playable: &Playable) -> Result<Bitboard, String> {
        match playable {
            Playable::Move(mv) => self.play(*mv),
            Playable::Turn(turn) => self.play_turn(turn),
        }
    }

    /// Returns what is against a move or a turn.
    pub(crate) fn refusal(&self, playable: &Playable) -> Option<String> {
        let mut after = Self::new(self.game.clone());
        after.play_any(playable).err()
    }

    /// Plays a turn: a ply, or several in a chain, with what they capture or without.
    fn play_turn(&mut self, turn: &TurnText) -> Result<Bitboard, String> {
        let plies_before = self.plies();
        let mut captured = Bitboard::EMPTY;
        for (mv, said) in &turn.plies {
            let played = self.play(*mv).and_then(|found| {
                if said.is_empty() || *said == found {
                    return Ok(found);
                }
                Err(format!("{turn}: {mv} captures otherwise"))
            });
            match played {
                Ok(found) => captured |= found,
                Err(error) => {
                    self.take_back(self.plies() - plies_before);
                    return Err(error);
                }
            }
        }
        Ok(captured)
    }

    /// Takes back so many plies, at most all.
    pub(crate) fn take_back(&mut self, plies: usize) {
        let kept = self.plies() - plies;
        if let Some(first) = self.past.get(kept) {
            self.game.rewind(&first.before);
            self.past.truncate(kept);
        }
    }

    /// Returns the turns with their captures; the plies of a chain are joined.
    pub(crate) fn turns(&self) -> Vec<String> {
        let plies = self.game.moves().iter().copied().zip(&self.past);
        let plies: Vec<(Move, &Past)> = plies.collect();
        let turns = plies.chunk_by(|(_, past), _| !past.ends_turn);
        let told = turns.map(|plies| {
            let plies = plies.iter().map(|(mv, past)| (*mv, past.captured));
            let plies = plies.collect();
            TurnText { plies }.to_string()
        });
        told.collect()
    }

    /// Returns the position as it can be described.
    pub(crate) fn setup(&self) -> Setup {
        Setup::of(self.game.position(), self.game.rules().shape())
    }

    /// Returns the position as it can be drawn.
    pub(crate) fn drawn(&self) -> Diagram<'_> {
        let captured = self.past.last().map_or(Bitboard::EMPTY, |it| it.captured);
        Diagram::new(self.game.rules(), self.game.position())
            .with_last_move(self.game.moves().last().copied())
            .with_captured(captured)
    }
}
