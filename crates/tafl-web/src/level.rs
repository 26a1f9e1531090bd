//! How well the opponent of a person plays.

/// Visits a move, and how often another move than the best is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// What it is called.
    pub name: &'static str,
    /// What a player may expect.
    pub about: &'static str,
    /// Visits of each search.
    pub visits: u32,
    /// Moves are drawn by the search's policy, sharpened by `1 / temperature`; at 0 the best one is played.
    pub temperature: f32,
}

/// Turns that alpha-beta looks ahead, as opponents of any rules.
pub(crate) const ALPHABETA_DEPTHS: [u32; 3] = [1, 2, 3];

/// The levels, the weakest first; `tests/web/levels.rs` shows that each is stronger than the one before.
pub const LEVELS: [Level; 4] = [
    Level {
        name: "beginner",
        about: "2 visits, and often a weak move",
        visits: 2,
        temperature: 1.5,
    },
    Level {
        name: "casual",
        about: "8 visits, and now and then a weak move",
        visits: 8,
        temperature: 1.0,
    },
    Level {
        name: "club",
        about: "32 visits, not always the best move",
        visits: 32,
        temperature: 0.5,
    },
    Level {
        name: "strong",
        about: "400 visits, always the best move it finds",
        visits: 400,
        temperature: 0.0,
    },
];
