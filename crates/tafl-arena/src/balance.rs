//! Is a ruleset fair? What games of equally strong sides say.
//!
//! A study lets players meet themselves under some rulesets, from openings that differ. `tafl-studies` plays and stores it;
//! [`Summary`] is the contents of its `summary.json`. Each number stands beside how it is computed: those of a player under a
//! ruleset in [`Cell`], those that compare rulesets in [`Comparison`], [`Ranking`] and [`Effect`].

mod cell;
mod compare;
mod difficulty;
mod effect;
mod game;
mod notes;
mod posterior;
mod summarize;
mod summary;
mod verdict;

#[cfg(test)]
mod tests;

pub use cell::{Cell, Decision, Distribution, EndingCount, MeasuredStrength, PlayedCell};
pub use compare::{Comparison, Ranking};
pub use difficulty::Difficulty;
pub use effect::{Effect, FieldChange};
pub use game::StudyGame;
pub use posterior::Sampling;
pub use summarize::summarize;
pub use summary::{
    PeopleResults, SUMMARY_VERSION, Study, StudyKind, StudyPlayer, StudyRuleset, Summary,
    SummaryError, Warning, WarningKind,
};
