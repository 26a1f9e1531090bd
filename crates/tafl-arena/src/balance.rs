//! Is a ruleset fair? What games of equally strong sides say.
//!
//! A study lets players meet themselves under some rulesets, from openings that differ. `tafl-studies` plays and stores it;
//! [`Summary`] is the contents of its `summary.json`.

mod compare;
mod difficulty;
mod effect;
mod game;
mod notes;
mod posterior;
mod repetition;
mod spread;
mod study;
mod summary;
mod verdict;

#[cfg(test)]
mod tests;

pub use difficulty::Probes;
pub use game::StudyGame;
pub use posterior::Sampling;
pub use repetition::can_repeat;
pub use study::{Study, StudyCell, people_score, summarize};
pub use summary::{
    Bin, Cell, Comparison, Decision, Difficulty, Distribution, Effect, EndingCount, FieldChange,
    MeasuredStrength, PeopleResults, Ranking, RepeatedScore, Repetition, SUMMARY_VERSION,
    StudyKind, StudyPlayer, StudyRuleset, Summary, Trend, Warning, WarningKind,
};
