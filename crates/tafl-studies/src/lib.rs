#![doc = include_str!("../README.md")]

mod engine;
mod kept;
mod ladder;
mod standings;
mod study;
mod tournament;

pub use engine::{EngineLimit, EngineSpec};
pub use ladder::{run_standings, standings as ladder_standings, strength_of};
pub use standings::{
    ForfeitRow, MatchRow, Meeting, Meetings, PlayerRow, Resampling, RulesetRow, SetsRow, SprtRow,
    Standing, Standings,
};
pub use study::{
    FIVE_RULESETS, LoadedStudy, OpeningConfig, PlannedRuleset, StatisticsConfig, StrengthConfig,
    StudyConfig, StudyPlan, StudyPlayerConfig, load as load_study, load_numbers, plan_variants,
    play as play_study, resolve as resolve_study,
};
pub use tournament::{Format, OpeningFile, Openings, Tournament, TournamentSettings, openings_for};
