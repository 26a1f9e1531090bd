//! Files of games: what is written is read back, and what is damaged is refused.

mod corruption;
mod damage;
mod files;
mod fuzz;
mod rewritten;
mod runs;
mod settings;
mod shards;
mod window;
