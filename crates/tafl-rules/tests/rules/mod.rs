//! The rules against spec.md, by drawn boards, laws and vectors.

mod board;
mod fixtures;
mod random;

mod aggressors;
mod captures;
mod chains;
mod commanders;
mod diagram;
mod edge_kings;
mod endings;
mod fit;
mod forts;
mod frail_kings;
mod jumps;
mod kings;
mod matches;
mod moves;
mod off_throne_kings;
mod people;
mod relaxed_rows;
mod repetition;
mod rulesets;
mod shieldwalls;
mod small_boards;
mod throneless;
mod thrones;
mod thrones_use;
mod unfinishable;

mod notation_aagenielsen;
mod notation_ends_of_games;
mod notation_games;
mod notation_opentafl;
mod notation_opentafl_written;
mod notation_taflzero;
mod notation_titles;
mod notation_told;

mod laws;
mod shortcuts;
mod states;
mod sure_moves;
mod vectors_cases;
mod vectors_games;
mod vectors_perft;
mod vectors_states;
mod vectors_traces;
