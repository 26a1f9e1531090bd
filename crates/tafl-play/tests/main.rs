//! Matches and self-play.

mod matches;
mod selfplay;
