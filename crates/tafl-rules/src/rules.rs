//! A ruleset made ready to play: the sets of squares and tables that its fields imply.

use crate::lines::{Lines, SQUARES};
use crate::{
    Bitboard, BoardShape, CapturelessReason, Chain, Direction, EndReason, KingCapture, NoMove,
    Outcome, Piece, Position, Ruleset, RulesetError, Setup, SetupError, Side, Square, Switch,
    ThroneUse,
};
use std::num::NonZeroU32;
use std::sync::Arc;

/// The king's place behind those of the sides' men.
pub(crate) const KING: usize = 2;

/// Where pieces of a kind may go.
#[derive(Debug)]
pub(crate) struct Ways {
    /// The squares on which they may stop if they are empty.
    pub(crate) landings: Bitboard,
    /// Those before which they stop; a corner ends the lines of men, so what may not stop there need not go there.
    pub(crate) closed: Bitboard,
    /// The square that they may only pass over, if there is one.
    pub(crate) crossed: Bitboard,
}

impl Ways {
    /// Returns the ways of the attackers' men, the defenders' and the king (spec.md 2.1, 7.7).
    fn of(ruleset: &Ruleset, board: Bitboard, throne: Bitboard, corners: Bitboard) -> [Self; 3] {
        let of = |least: ThroneUse, corners: Bitboard| {
            let [stops, passes] = ruleset.throne_uses().map(|who| who >= least);
            let only = |squares, is| if is { squares } else { Bitboard::EMPTY };
            Self {
                landings: board - corners - only(throne, !stops),
                closed: corners | only(throne, !passes),
                crossed: only(throne, passes && !stops),
            }
        };
        [
            of(ThroneUse::All, corners),
            of(ThroneUse::Defenders, corners),
            of(ThroneUse::King, Bitboard::EMPTY),
        ]
    }
}

/// Where slides end that are limited: for each square, those one step too far away.
#[derive(Debug)]
pub(crate) struct Limits {
    men: Vec<Bitboard>,
    king: Vec<Bitboard>,
}

impl Limits {
    fn of(ruleset: &Ruleset) -> Option<Box<Self>> {
        let [men, king] = [ruleset.men_step_limit, ruleset.king_step_limit];
        let shape = ruleset.start.shape;
        (men.or(king).is_some()).then(|| {
            let beyond = |limit: Option<NonZeroU32>| {
                let size = u32::from(shape.size());
                let distance = limit.map_or(size, |limit| size.min(limit.get())) as u8 + 1;
                let mut squares = vec![Bitboard::EMPTY; SQUARES];
                for from in shape.board().squares() {
                    let ends = Direction::ALL.map(|it| it.leap(from, distance, shape));
                    squares[from.grid_index()] = ends.into_iter().flatten().collect();
                }
                squares
            };
            Box::new(Self {
                men: beyond(men),
                king: beyond(king),
            })
        })
    }

    pub(crate) fn beyond(&self, from: Square, is_king: bool) -> Bitboard {
        let squares = if is_king { &self.king } else { &self.men };
        squares[from.grid_index()]
    }
}

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
    /// Where the king may have a fort: on the edges but for the corners, if the ruleset has forts (spec.md 4.2).
    pub(crate) forts: Bitboard,
    /// The throne; nothing where there is none.
    pub(crate) throne: Bitboard,
    /// The throne and the squares orthogonally beside it.
    pub(crate) throne_area: Bitboard,
    /// What is hostile to the pieces of each side (spec.md 7.3, 7.6), the throne while it is empty.
    hostile: [Bitboard; 2],
    /// What the king is taken against beside one attacker, the throne while it is empty.
    hostile_to_king: Bitboard,
    /// The ways of each side's men, and of the king.
    pub(crate) ways: [Ways; 3],
    /// Whether moves may be sure ([`crate::SureMoves`]): no ranks, chains, limits of steps, nor another use of the throne.
    pub(crate) is_plain: bool,
    /// How far slides go, by square (spec.md 7.8); nothing without limits.
    pub(crate) limits: Option<Box<Limits>>,
    /// Whether the king takes part in captures (spec.md 7.2).
    pub(crate) king_is_armed: bool,
    /// The special corners; empty where the king escapes to the edges.
    pub(crate) corners: Bitboard,
    /// Squares on which only the king may stop; beside him they stand for attackers while no defender is there.
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
        let hostile = Side::ALL.map(|side| ruleset.hostile_to(side, throne, corners));
        let mut rules = Self {
            shape,
            start,
            lines: Lines::of_shape(shape),
            has_ranks: ruleset.ranks.is_on(),
            board: shape.board(),
            edges: shape.edges(),
            forts: match ruleset.edge_fort {
                Switch::On => shape.edges() - corners,
                Switch::Off => Bitboard::EMPTY,
            },
            throne,
            throne_area: throne | throne.neighbors(),
            hostile_to_king: match ruleset.king_capture {
                KingCapture::TwoSidesOffThrone => hostile[Side::Defender.index()] & corners,
                _ => hostile[Side::Defender.index()],
            },
            hostile,
            ways: Ways::of(&ruleset, shape.board(), throne, corners),
            is_plain: !ruleset.ranks.is_on()
                && ruleset.chain == Chain::None
                && ruleset.throne_uses() == [ThroneUse::King, ThroneUse::All]
                && (ruleset.king_step_limit, ruleset.men_step_limit) == (None, None)
                && ruleset.repetition_occurrence == 3,
            limits: Limits::of(&ruleset),
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

    /// Returns the corners and the empty throne as far as pieces of a side are taken against them.
    ///
    /// To an attacker the king on the throne is an enemy piece, if he is armed.
    pub fn hostile(&self, position: &Position, side: Side) -> Bitboard {
        self.hostile[side.index()] - (self.throne & position.occupied())
    }

    /// Returns what the king may be taken against, also once a chain has taken a man on the throne.
    pub(crate) fn once_hostile(&self, position: &Position) -> Bitboard {
        self.hostile_to_king.without(position.king)
    }

    /// Returns the pieces of a side that take part in captures: all but an unarmed king.
    pub(crate) fn armed(&self, side: Side, position: &Position) -> Bitboard {
        match side {
            Side::Defender if !self.king_is_armed => position.defenders.without(position.king),
            _ => position.pieces(side),
        }
    }

    /// Returns the squares before which the attackers' men, the defenders' and the king stop, in this order: those that they
    /// may neither stop on nor pass.
    pub fn closed(&self) -> [Bitboard; 3] {
        self.ways.each_ref().map(|ways| ways.closed)
    }

    /// Returns the ways of a piece of the side to move.
    #[inline]
    pub(crate) fn ways_of(&self, position: &Position, is_king: bool) -> &Ways {
        &self.ways[if is_king { KING } else { position.side.index() }]
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
}
