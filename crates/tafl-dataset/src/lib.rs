#![doc = include_str!("../README.md")]

mod catalog;
mod cell;
mod column;
mod error;
mod feed;
mod games;
mod generation;
mod guard;
mod metrics;
mod own_network;
mod parquet_checksum;
mod parquet_file;
mod parquet_groups;
mod pick;
mod plies;
mod rounding;
mod rows;
mod values;
mod window;
mod window_config;

pub use column::SCHEMA_VERSION;
pub use error::DatasetError;
pub use feed::Feed;
pub use games::{
    config_of_games, counts_in, game_seeds, positions_in, read_checked, read_games, read_samples,
    read_searched_games,
};
pub use generation::{
    EnteredGames, Provenance, WrittenGeneration, by_generation, check_place, check_shard,
    game_files, games_path, shard_path, without_searches, write_games, write_generation,
    write_shard,
};
pub use guard::reads_parquet;
pub use metrics::{
    Metric, measure_meaning, measured_stages, measures, read_metrics, record_metrics,
    worked_seconds,
};
pub use own_network::is_network_of;
pub use window::{Replay, ReplayWindow, WindowIndex};
pub use window_config::{Span, WindowConfig};
