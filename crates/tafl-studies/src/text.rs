//! Results as text for the terminal.

mod analysis;
mod stages;
mod standings;
mod study;
mod sweep;
pub mod table;

pub use analysis::{game_text, position_text};
pub use stages::{
    ended_text, few_openings, freed_text, held_out_text, losses_text, match_text, no_run,
    other_field, self_match_text, versus_text,
};
pub use standings::tables as standings_tables;
pub use study::text as study_text;
pub use sweep::table_of_sweep;
