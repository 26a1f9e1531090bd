//! The whole program, as a user starts it. One executable, as each links libtorch, and as tests share what is made for them.

mod support;

mod analyze;
mod arena;
mod asynchronous;
mod balance;
mod bench;
mod cli;
mod commands;
mod config;
mod convert;
mod diagrams;
mod engine;
mod export;
mod faults;
mod fit;
mod hour;
mod layout;
mod notebooks;
mod own_rules;
mod pipeline;
mod play;
mod refused;
mod report;
mod results;
mod resume;
mod storage;
mod sweep;
mod web;
mod worker;
