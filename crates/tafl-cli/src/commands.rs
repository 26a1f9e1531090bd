//! The subcommands, one file each.

pub(crate) mod train;

pub(crate) mod analyze;
pub(crate) mod arena;
pub(crate) mod balance;
pub(crate) mod bench;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod engine;
pub(crate) mod export;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod selfplay;
