#![doc = include_str!("../README.md")]

pub mod balance;
mod elo;
mod estimate;
mod linear;
mod people;
mod ratings;
mod result;
mod sprt;
mod tally;

pub use elo::{PairCounts, score_of_elo};
pub use estimate::{Estimate, mean_of_few, rounded};
pub use people::{
    LEAST_PLIES, PeopleBand, PeopleCounts, PeopleEnd, PeopleFit, PeopleGame, PeopleScale,
    count_by_rating, count_people, fit_people,
};
pub use ratings::{
    Bootstrap, LEAST_PAIRS, RatedPair, RatingError, Ratings, RulesetRating, SideResults, bootstrap,
    rate,
};
pub use result::{MatchGame, MatchResult};
pub use sprt::{PairedSprt, Sprt, SprtConfig, Verdict};
pub use tally::{Endings, SetTally, Tally};
