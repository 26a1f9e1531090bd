//! A ruleset made ready to play: the sets of squares and tables that its fields imply.

use crate::lines::Lines;
use crate::{
    Bitboard, BoardShape, CapturelessReason, EndReason, NoMove, Outcome, Piece, Position, Ruleset,
    RulesetError, Setup, SetupError, Side, Square,
};
use std::sync::Arc;

/// A checked ruleset with its derived tables; shared by all games under it.
#[derive(Debug)]
pub struct Rules {
    ruleset: Ruleset,
    shape: BoardShape,
    start: Position,
    pub(crate) lines: &'static Lines,
    /// Whether there are knights, commanders and jumps.
    pub(crate) has_ranks: bool,
    pub(crate) board: Bitboard,
    pub(crate) edges: Bitboard,
    /// The throne; nothing where there is none.
    pub(crate) throne: Bitboard,
    /// The throne and the squares orthogonally beside it.
    pub(crate) throne_area: Bitboard,
    /// The throne where it is hostile while it is empty (spec.md 7.3), else nothing.
    hostile_throne: Bitboard,
    /// Whether the king takes part in captures (spec.md 7.2).
    pub(crate) king_is_armed: bool,
    /// The special corners; empty where the king escapes to the edges.
    pub(crate) corners: Bitboard,
    /// Squares on which only the king may stop.
    pub(crate) restricted: Bitboard,
    /// Squares on which the king wins.
    pub(crate) goals: Bitboard,
}

impl Rules {
    /// Makes a ruleset ready to play.
    ///
    /// # Errors
    /// If its name or its start position is refused; names the field.
    pub fn new(ruleset: Ruleset) -> Result<Arc<Self>, RulesetError> {
        ruleset.check()?;
        let shape = ruleset.start.shape;
        let throne = ruleset.throne_of(shape);
        let [corners, goals] = ruleset.escape.corners_and_goals(shape);
        let start = ruleset.setup().place();
        let mut rules = Self {
            shape,
            start,
            lines: Lines::of_shape(shape),
            has_ranks: ruleset.ranks.is_on(),
            board: shape.board(),
            edges: shape.edges(),
            throne,
            throne_area: throne | throne.neighbors(),
            hostile_throne: if ruleset.throne_hostile.is_on() {
                throne
            } else {
                Bitboard::EMPTY
            },
            king_is_armed: ruleset.is_armed(Piece::King),
            corners,
            restricted: throne | corners,
            goals,
            ruleset,
        };
        rules.start = rules.kept_up(start);
        Ok(Arc::new(rules))
    }

    /// Returns the rules of a preset or a small board.
    pub fn preset(name: &str) -> Option<Arc<Self>> {
        Self::new(crate::preset(name)?).ok()
    }

    /// Returns the ruleset.
    #[inline]
    pub const fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// Returns the board's shape.
    #[inline]
    pub const fn shape(&self) -> BoardShape {
        self.shape
    }

    /// Returns the start position.
    pub const fn start(&self) -> Position {
        self.start
    }

    /// Returns the throne; nothing where there is none.
    pub const fn throne(&self) -> Bitboard {
        self.throne
    }

    /// Returns whether a square is the throne.
    pub fn is_throne(&self, square: Square) -> bool {
        self.throne.contains(square)
    }

    /// Returns the squares on which only the king may stop.
    pub const fn restricted(&self) -> Bitboard {
        self.restricted
    }

    /// Returns the squares on which the king wins.
    #[inline]
    pub const fn goals(&self) -> Bitboard {
        self.goals
    }

    /// Returns the playable position that a setup describes.
    ///
    /// # Errors
    /// If the setup breaks a rule of this ruleset, such as a soldier on a corner.
    pub fn position(&self, setup: &Setup) -> Result<Position, SetupError> {
        if setup.shape != self.shape {
            return Err(SetupError::OtherSize {
                found: setup.shape.size(),
                expected: self.shape.size(),
            });
        }
        setup.check(&self.ruleset)?;
        Ok(self.kept_up(setup.place()))
    }

    /// Returns the same board with what playing keeps up computed from nothing.
    pub(crate) fn kept_up(&self, mut position: Position) -> Position {
        position.enclosed = self.judges_encirclement() && self.encircled(&position);
        position
    }

    /// Returns the corners and, unless the king is on it, a hostile throne: what pieces of both sides are taken against.
    ///
    /// To an attacker the king on the throne is an enemy piece, if he is armed.
    pub(crate) fn hostile(&self, position: &Position) -> Bitboard {
        self.corners | self.hostile_throne.without(position.king)
    }

    /// Returns the pieces of a side that take part in captures: all but an unarmed king.
    pub(crate) fn armed(&self, side: Side, position: &Position) -> Bitboard {
        match side {
            Side::Defender if !self.king_is_armed => position.defenders.without(position.king),
            _ => position.pieces(side),
        }
    }

    /// Returns the squares on which a piece may stop if they are empty.
    pub(crate) fn landings(&self, is_king: bool) -> Bitboard {
        if is_king {
            self.board
        } else {
            self.board - self.restricted
        }
    }

    pub(crate) fn no_move(&self, side: Side) -> Outcome {
        let winner = match self.ruleset.no_move {
            NoMove::Loses => Some(side.opponent()),
            NoMove::Draw => None,
        };
        Outcome {
            winner,
            reason: EndReason::NoMove,
        }
    }

    pub(crate) fn captureless(&self, position: &Position) -> Option<Outcome> {
        let limit = self.ruleset.captureless_limit?;
        let reason = match self.ruleset.captureless_reason {
            CapturelessReason::Captureless => EndReason::Captureless,
            CapturelessReason::Unfinishable => EndReason::Unfinishable,
        };
        (position.captureless >= limit.get()).then_some(Outcome {
            winner: None,
            reason,
        })
    }

    pub(crate) fn judges_encirclement(&self) -> bool {
        self.ruleset.encirclement.is_on()
    }
}
