#![doc = include_str!("../README.md")]

mod adjudication;
pub mod balance;
mod baseline;
mod config;
mod elo;
mod engine;
mod linear;
mod live;
mod matches;
mod opening;
mod opening_file;
mod plan;
mod player;
mod progress;
mod ratings;
mod result;
mod sprt;

pub use adjudication::Adjudication;
pub use baseline::{RolloutEvaluator, greedy_move, random_move};
pub use config::ArenaConfig;
pub use elo::{EloDifference, PairCounts, elo_of_score, score_of_elo};
pub use matches::{ArenaError, Match, play_match, play_planned};
pub use opening::openings;
pub use opening_file::{OpeningError, OpeningReason, read_openings, write_opening};
pub use plan::{MatchPlan, PlannedResult};
pub use player::{Player, PlayerKind};
pub use progress::{MatchProgress, MatchWatch};
pub use ratings::{
    Bootstrap, Estimate, RatedPair, RatingError, Ratings, RulesetRating, SideResults, bootstrap,
    rate,
};
pub use result::{MatchGame, MatchResult, SetTally, Tally};
pub use sprt::{ParseSprtError, Sprt, SprtConfig, Verdict};
