#![doc = include_str!("../README.md")]

mod train;

mod asynchronous;
mod config;
mod differences;
mod error;
mod found_rules;
mod memory;
mod observer;
mod player;
mod pool;
mod rulesets;
mod run;
mod stages;
mod storage;
mod worker;

pub use config::shipped::SHIPPED;
pub use config::{
    AsynchronousConfig, Keep, LadderConfig, Loaded, LoopConfig, RUN_CONFIG, RunConfig, load,
    load_for_games,
};
pub use differences::differing_rules;
pub use error::{RunError, RunPart, SourceError, StoredConfigFor, WorkerError};
pub use found_rules::{
    FoundRules, Learned, RulesOfGames, first_learned, learned_by_name, learned_rules,
};
pub use observer::{
    Notice, Observer, Progress, SelfPlaySummary, Silent, Stage, Summary, TrainingSummary,
};
pub use player::{
    OpenedPlayer, PlayerCard, PlayerSource, card, check_machine, load as load_network, load_any,
    prepare, quickstart, run_config_of, run_of,
};
pub use rulesets::{
    AllVariants, RulesetVariant, add as add_rules, all_variants as all_ruleset_variants,
    fingerprint, load_all as load_all_rules, load_rules, told as told_ruleset,
    variants as ruleset_variants, word as ruleset_word,
};
pub use run::{Begin, Run, VerifiedRun, changed_fields, differing_fields};
pub use stages::alone::play_generation;
pub use stages::even_out::{OwnGames, own_games};
pub use stages::learn::load_origin;
pub use stages::match_settings::OutdatedMatches;
pub use stages::matches::{
    files_of_matches, ladder_games, matches_of, play_ladder, readable_matches,
};
pub use stages::one_sided::OneSided;
pub use storage::{Freed, Kept, prune, remove_samples, rungs, window_of_run};
pub use tafl_config::load_ruleset as load_ruleset_file;
pub use train::train;
pub use worker::{
    WORKER, WorkerJob, WorkerReport, WorkerState, WorkerStatus, WorkerSummary, learning_run,
    others, purge, put_aside, tell_ended, work, workers,
};
