#![doc = include_str!("../README.md")]

mod archive;
mod error;
mod kind;
mod ladder;
mod people;
mod players;
mod resumable;
mod rulesets;
mod standings;
mod study;
mod sweep;
mod tournament;

pub use archive::{ArchiveError, ArchivedGame, read_archive};
pub use error::StudiesError;
pub use kind::ConfigKind;
pub use ladder::{checkpoint_ratings, standings as ladder_standings, strength_of};
pub use people::{PeopleVariant, count_archive, people_tables};
pub use players::{enter, player_sources};
pub use rulesets::{kept_rulesets, ruleset_differences};
pub use standings::{
    Anchor, ForfeitRow, MatchRow, PlayerRow, Resampling, RulesetRow, SetsRow, SprtRow, Standings,
};
pub use study::{
    DifficultyConfig, OpeningConfig, OpeningSource, PlannedPlayer, PlannedRuleset, StrengthConfig,
    StudyConfig, StudyPlan, StudyPlayerConfig, load as load_study, load_numbers,
    play as play_study, prune,
};
pub use sweep::{
    FailedRun, Sweep, SweepConfig, SweepResult, Variant, VariantConfig, VariantResult, Vary,
};
pub use tournament::{
    Format, Meetings, OpeningFile, Openings, Tournament, TournamentFolder, TournamentSettings,
};
