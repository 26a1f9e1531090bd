#![doc = include_str!("../README.md")]

pub mod balance;
mod elo;
mod linear;
mod ratings;
mod result;
mod sprt;

pub use elo::{EloDifference, PairCounts, elo_of_score, score_of_elo};
pub use ratings::{
    Bootstrap, Estimate, RatedPair, RatingError, Ratings, RulesetRating, SideResults, bootstrap,
    rate,
};
pub use result::{MatchGame, MatchResult, SetTally, Tally};
pub use sprt::{PairedSprt, ParseSprtError, Sprt, SprtConfig, Verdict};
