#![doc = include_str!("../README.md")]

mod catalog;
mod columns;
mod draw;
mod error;
mod feed;
mod games;
mod generation;
mod guard;
mod metrics;
mod parquet_checksum;
mod parquet_file;
mod parquet_groups;
mod pick;
mod rounding;
mod samples;
mod schema;
mod window;
mod window_config;

pub use error::DatasetError;
pub use feed::Feed;
pub use games::{game_seeds, read_games};
pub use generation::{
    EnteredSamples, Provenance, WrittenGeneration, by_generation, check_shard_size, game_files,
    games_in, games_path, positions_in, sample_files, samples_of_games, samples_path,
    shard_samples_path, write_games, write_generation, write_shard,
};
pub use guard::reads_parquet;
pub use metrics::{Metric, measured_stages, read_metrics, record_metrics};
pub use rounding::{POLICY_FLOOR, as_stored};
pub use samples::read_samples;
pub use schema::{ColumnDoc, SAMPLE_COLUMNS, SCHEMA_VERSION};
pub use window::{Replay, ReplayWindow, WindowIndex};
pub use window_config::{Span, WindowConfig};
