#![doc = include_str!("../README.md")]

mod aggressor;
mod aims;
mod bitboard;
mod board;
mod check;
mod diagram;
mod game;
mod generate;
mod hash;
mod judge;
mod lines;
mod meaning;
mod move_set;
mod mv;
pub mod notation;
mod outcome;
mod perft;
mod play;
mod position;
mod presets;
mod refusal;
mod rollout;
mod rules;
mod ruleset;
mod runs;
mod setup;
mod shape;
mod side;
#[cfg(feature = "rayon")]
mod speed;
mod square;
mod sure;
mod symmetry;
mod text;
mod two_sets;

pub use bitboard::Bitboard;
pub use board::{Board, RankOrder, SetupError};
pub use check::{CheckedState, Disagreement, RecordedState, StateChecker, StateError};
pub use diagram::{Diagram, DiagramColor};
pub use game::{Game, GameMark, IllegalMove};
pub use hash::derive_seed;
pub use move_set::MoveSet;
pub use mv::{Move, ParseTurnError, PolicyIndex};
pub use outcome::{EndReason, Outcome};
#[cfg(feature = "rayon")]
pub use perft::perft_parallel;
pub use perft::{Perft, perft, perft_divide};
pub use play::Ply;
pub use position::Position;
pub use presets::{
    PLAYED_NAMES, PRESET_NAMES, RULESET_NAMES, SMALL_BOARD_NAMES, known_names, name_refusal,
    preset, preset_named, preset_source, unlike_preset,
};
pub use refusal::Refusal;
#[cfg(feature = "rayon")]
pub use rollout::rollouts_parallel;
pub use rollout::{RolloutConfig, Rollouts, rollouts};
pub use rules::Rules;
pub use ruleset::{
    CapturelessReason, Chain, Escape, HostileTo, KingCapture, MatchFormat, NoMove, Repetition,
    Ruleset, RulesetError, Switch, ThroneUse,
};
pub use setup::Setup;
pub use shape::BoardShape;
pub use side::{Piece, Side, UnknownName};
#[cfg(feature = "rayon")]
pub use speed::{Miscount, RulesSpeed, measure};
pub use square::{Direction, ParseSquareError, Square};
pub use sure::SureMoves;
pub use symmetry::Symmetry;
pub use text::TurnText;
pub use two_sets::{MatchWinner, SetResult, two_sets};
