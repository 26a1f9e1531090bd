//! Results as text for the terminal.

mod standings;
mod study;
mod sweep;
pub mod table;

pub use standings::tables as standings_tables;
pub use study::tables as study_tables;
pub use sweep::table_of_sweep;
