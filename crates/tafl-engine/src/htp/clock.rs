//! The clocks of both sides: time left, and time added after each turn (Fischer).

use crate::budget::time_for_turn;
use std::time::{Duration, Instant};
use tafl_rules::Side;

/// The clocks of a game, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clocks {
    settings: Option<Settings>,
    left: [Duration; 2],
    /// Since when the clock of the side to move runs.
    since: Instant,
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    left: [Duration; 2],
    added: Duration,
}

impl Clocks {
    pub(super) fn none() -> Self {
        Self {
            settings: None,
            left: [Duration::ZERO; 2],
            since: Instant::now(),
        }
    }

    /// Starts the clocks of the attackers and of the defenders.
    pub(super) fn start(left: [Duration; 2], added: Duration) -> Self {
        Self {
            settings: Some(Settings { left, added }),
            left,
            since: Instant::now(),
        }
    }

    /// Fills the clocks as they were set.
    pub(super) fn reset(&mut self) {
        if let Some(settings) = self.settings {
            self.left = settings.left;
        }
        self.touch();
    }

    /// Lets the clock of the side to move run from now on.
    pub(super) fn touch(&mut self) {
        self.since = Instant::now();
    }

    pub(super) fn has_run_out(&self, side: Side) -> bool {
        self.settings.is_some() && self.since.elapsed() >= self.left[side.index()]
    }

    /// Takes in a ply; time is added when it hands over the move.
    pub(super) fn ply(&mut self, side: Side, is_handed_over: bool) {
        let Some(settings) = self.settings else {
            return;
        };
        let left = &mut self.left[side.index()];
        *left = left.saturating_sub(self.since.elapsed());
        if is_handed_over {
            *left = left.saturating_add(settings.added);
        }
        self.touch();
    }

    /// Returns how long a side may think about its ply; nothing where there are no clocks.
    pub(super) fn budget(&self, side: Side) -> Option<Duration> {
        let settings = self.settings?;
        let left = self.left[side.index()].saturating_sub(self.since.elapsed());
        Some(time_for_turn(left, settings.added, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_takes_a_share_of_what_is_left_and_most_of_what_is_added() {
        let (left, added) = (Duration::from_secs(60), Duration::from_secs(5));
        let mut clocks = Clocks::start([left; 2], added);
        let budget = clocks.budget(Side::Attacker).expect("clocks");
        assert!((5.9..=6.0).contains(&budget.as_secs_f64()), "{budget:?}");
        clocks.ply(Side::Attacker, true);
        assert!(clocks.left[0] > left && clocks.left[1] == left);
        clocks.ply(Side::Defender, false);
        assert!(clocks.left[1] < left, "within a chain nothing is added");
        clocks.reset();
        assert_eq!(clocks.left, [left; 2]);
        assert_eq!(Clocks::none().budget(Side::Attacker), None);
    }

    #[test]
    fn the_time_of_the_side_to_move_runs_out() {
        let clocks = Clocks::start([Duration::ZERO, Duration::from_secs(9)], Duration::ZERO);
        assert!(clocks.has_run_out(Side::Attacker) && !clocks.has_run_out(Side::Defender));
        assert!(!Clocks::none().has_run_out(Side::Attacker));
    }
}
