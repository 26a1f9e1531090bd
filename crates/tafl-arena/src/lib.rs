#![doc = include_str!("../README.md")]

pub mod balance;
mod elo;
mod estimate;
mod linear;
mod ratings;
mod result;
mod sprt;
mod tally;

pub use elo::{PairCounts, elo_of_score, score_of_elo};
pub use estimate::{Estimate, mean_of_few, rounded};
pub use ratings::{
    Bootstrap, LEAST_PAIRS, RatedPair, RatingError, Ratings, RulesetRating, SideResults, bootstrap,
    rate,
};
pub use result::{MatchGame, MatchResult};
pub use sprt::{PairedSprt, ParseSprtError, Sprt, SprtConfig, Verdict};
pub use tally::{Endings, SetTally, Tally};
