//! How much of a clock a turn may take.

use std::time::Duration;

/// Turns that are expected to come, among which the time left is shared.
const TURNS_TO_COME: u32 = 30;

/// Returns how long a side may think about its turn: with time left on its clock, time added after each turn, and the
/// turns until the clock is filled again, if it is.
pub(crate) fn time_for_turn(left: Duration, added: Duration, turns: Option<u32>) -> Duration {
    let turns = turns.map_or(TURNS_TO_COME, |turns| turns.clamp(1, TURNS_TO_COME));
    let share = left / turns + added.mul_f64(0.8);
    // What is left is never used up: answering takes time, too.
    share.min(left / 2).max(Duration::from_millis(1))
}
