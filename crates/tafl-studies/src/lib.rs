#![doc = include_str!("../README.md")]

mod engine;
mod ladder;
mod players;
mod resumable;
mod standings;
mod study;
mod tournament;

pub use engine::{EngineLimit, EngineSpec};
pub use ladder::{run_standings, standings as ladder_standings, strength_of};
pub use players::{enter, player_sources};
pub use standings::{
    ForfeitRow, MatchRow, PlayedMatch, PlayedMatches, PlayerRow, Resampling, RulesetRow, SetsRow,
    SprtRow, Standings,
};
pub use study::{
    FIVE_RULESETS, OpeningConfig, PlannedRuleset, StatisticsConfig, StrengthConfig, StudyConfig,
    StudyPlan, StudyPlayerConfig, load as load_study, load_numbers, plan_variants,
    play as play_study,
};
pub use tournament::{Format, OpeningFile, Openings, Tournament, TournamentSettings};
