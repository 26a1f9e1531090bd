//! spec.md once more, with arrays and loops: slow, plain, and written without a look at the crate's rules.

pub(crate) mod aggressor;
pub(crate) mod board;
pub(crate) mod captures;
pub(crate) mod draw;
pub(crate) mod fields;
pub(crate) mod game;
pub(crate) mod judge;
pub(crate) mod leaps;
pub(crate) mod moves;
pub(crate) mod placements;
pub(crate) mod policies;
pub(crate) mod rulesets;
pub(crate) mod scenes;
pub(crate) mod tally;
