//! Results as text for the terminal.

mod analysis;
mod people;
mod stages;
mod standings;
mod study;
mod sweep;
pub(crate) mod table;

pub(crate) use analysis::{game_text, position_text};
pub(crate) use people::people_table;
pub(crate) use stages::{
    capped_text, ended_text, freed_text, held_out_text, losses_text, match_text, one_sided_text,
    self_match_text, versus_text,
};
pub(crate) use standings::tables as standings_tables;
pub(crate) use study::{
    few_games_title, points_range, score_of, tables as study_tables, verdict as study_verdict,
};
pub(crate) use sweep::table_of_sweep;
