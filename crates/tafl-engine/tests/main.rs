//! Conversations in both protocols, with ours and with other programs.

mod support;

mod client;
mod fuzz;
mod htp;
mod uci;
