//! Is a ruleset fair? What games of equally strong sides say.
//!
//! A study lets players meet themselves under some rulesets, from openings that differ. Its folder,
//! which `tafl balance` writes, is
//!
//! ```text
//! data/balance/<study>/
//!   study.json                     what was played, and the checksums of its files
//!   summary.json                   [`Summary`]
//!   summary.parquet                the same numbers, one a row
//!   games/000000/<cell>.parquet    games as the arena stores them: one file or more a cell
//!   samples/000000/<cell>.parquet  what the searches said at each ply of these games
//!   rulesets/<name>.toml           rulesets that are not built in, such as variants
//!   strength/                      the tournament that measured how strong the players are
//!   in-progress/                   games of a cell that is being played
//! ```

mod compare;
mod effect;
mod game;
mod notes;
mod posterior;
mod spread;
mod study;
mod summary;
mod warnings;

#[cfg(test)]
mod tests;

pub use game::StudyGame;
pub use posterior::Sampling;
pub use study::{Study, StudyCell, people_score, summarize};
pub use summary::{
    Bin, Cell, Comparison, Decision, Distribution, Effect, EndingCount, FieldChange,
    MeasuredStrength, PeopleResults, Ranking, SUMMARY_VERSION, StudyKind, StudyPlayer,
    StudyRuleset, Summary, Trend, Warning, WarningKind,
};
