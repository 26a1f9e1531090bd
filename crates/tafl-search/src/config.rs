//! Every number of a search.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the search chooses what to look at, what to play and what to teach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Gumbel AlphaZero (Danihelka et al. 2022): improves the policy even with a few visits.
    Gumbel,
    /// AlphaZero (Silver et al. 2018): PUCT with Dirichlet noise, visit counts as the policy target.
    Puct,
}

/// The scale on which Gumbel AlphaZero's sigma sees the values of the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QRange {
    /// 0 is a certain loss of the side to move, 1/2 a draw, 1 a certain win.
    Unit,
    /// 0 is the worst move of the node, 1 its best, as in mctx. Makes much of small differences.
    MinMax,
}

/// The search section of a run config. Both algorithms' fields are always present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Which algorithm searches.
    pub algorithm: Algorithm,
    /// Visits a move, 1 to 1,000,000, those kept from the last move not counted.
    /// AlphaZero: 800; Gumbel AlphaZero learns from 16 up.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub visits: u32,
    /// Gumbel: moves that the root considers (m), 1 to 4,841. Danihelka et al.: 16.
    #[schemars(range(min = 1, max = 4_841))]
    pub considered_moves: u32,
    /// Gumbel: visits that sigma adds to the largest visit count, 0 to 10,000. Danihelka et al., eq. 8: 50.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub c_visit: f32,
    /// Gumbel: weight of the values against the logits, 0 to 100. Danihelka et al., eq. 8: 1.0 (on the
    /// range `unit`); mctx: 0.1 (on `min-max`).
    #[schemars(range(min = 0.0, max = 100.0))]
    pub c_scale: f32,
    /// Gumbel: the range of the values that `c_scale` weighs.
    pub q_range: QRange,
    /// PUCT: weight of the prior against the value at few visits, 0 to 100. AlphaZero: 1.25 (`pb_c_init`).
    #[schemars(range(min = 0.0, max = 100.0))]
    pub c_puct: f32,
    /// PUCT: visits at which that weight begins to grow, 0 to 10,000,000; 0 keeps it constant.
    /// AlphaZero: 19,652 (`pb_c_base`).
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub c_puct_base: f32,
    /// PUCT: how much less than its parent an unvisited move is worth, where all the prior is on
    /// visited moves, 0 to 2 on the scale of win minus loss. Leela Chess Zero: 0.33; 0 is the parent's value.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub fpu_reduction: f32,
    /// PUCT in self-play: concentration of the root noise summed over the n legal moves, each getting
    /// `dirichlet_alpha / n`, above 0 to 1,000. AlphaZero's 0.3 (chess) and 0.03 (Go) are near 10 / n.
    #[schemars(range(min = 0.001, max = 1_000.0))]
    pub dirichlet_alpha: f32,
    /// PUCT in self-play: share of the root prior replaced by noise, 0 to 1. AlphaZero: 0.25.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub dirichlet_fraction: f32,
    /// PUCT in self-play: k of forced playouts, 0 to 100; a root move once visited gets at least
    /// sqrt(k P(a) sum_b N(b)) visits, and the policy target gives them back where they led to
    /// nothing. 0 turns both off. Wu 2019, section 3.2 (KataGo): 2.
    #[schemars(range(min = 0.0, max = 100.0))]
    #[schemars(extend("x-before" = 0.0))]
    pub forced_visits: f32,
    /// PUCT in self-play: moves are drawn from visits^(1/temperature), 0 to 10; 0 plays the most
    /// visited one. AlphaZero: 1; KataGo: 0.75 at first.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub temperature: f32,
    /// PUCT in self-play: plies from the game's first position in which `temperature` applies;
    /// `final_temperature` does after them. AlphaZero: 30.
    pub temperature_plies: u32,
    /// PUCT in self-play: plies in which the temperature goes half of its way to
    /// `final_temperature`, 0 to 10,000; 0 keeps it until `temperature_plies`. KataGo: 19 on a
    /// board of 19x19.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    #[schemars(extend("x-before" = 0.0))]
    pub temperature_half_life: f32,
    /// PUCT in self-play: the temperature that later plies come to, 0 to 10. AlphaZero: 0;
    /// KataGo: 0.15.
    #[schemars(range(min = 0.0, max = 10.0))]
    #[schemars(extend("x-before" = 0.0))]
    pub final_temperature: f32,
    /// Gumbel in self-play: plies from the game's first position in which moves are drawn from the
    /// visits by the temperature, as with PUCT; the others are already drawn by the noise at the root.
    /// Danihelka et al., appendix F: 30; mctx: 0.
    #[schemars(extend("x-before" = 0))]
    pub gumbel_temperature_plies: u32,
    /// Whether a search that is not learned from ends as soon as its visits can no longer change the
    /// move it plays. What the visits left out might still have proven is forgone. lc0 calls it smart
    /// pruning.
    #[schemars(extend("x-before" = false))]
    pub early_stop: bool,
    /// Plies that are looked through in each new position for moves that take the king or bring him home,
    /// 0 to 2. 1 (formerly `win_in_one = true`): where the side to move has one, it is a proven win and
    /// needs no evaluation. 2: where the opponent threatens one, moves that allow it are left out too;
    /// where all do, it is a proven loss. Costs little beside a network. AlphaZero: 0.
    #[schemars(range(min = 0, max = 2), extend("x-before" = 1))]
    pub lookahead_plies: u32,
    /// Positions in which each search first looks for a win by threats against the king or by him,
    /// 0 to 10,000,000: one found is proven and ends the search. Of the tests' wins in three turns 1,000
    /// find 70 %, 20,000 nearly all, 300,000 all; 1,000 take about 0.1 ms, with chains of captures 0.3.
    /// 0 turns it off. Not in AlphaZero.
    #[schemars(range(min = 0, max = 10_000_000), extend("x-before" = 0))]
    pub solver_positions: u32,
    /// Positions in which each other new position of the tree is searched for such a win, 0 to 10,000,000: one
    /// found is proven and needs no evaluation, so that a search sees combinations of several turns coming. 0 turns
    /// it off. Not in AlphaZero.
    #[schemars(range(min = 0, max = 10_000_000), extend("x-before" = 0))]
    pub leaf_solver_positions: u32,
    /// What a draw is worth to either side, -1 (a loss) to 1 (a win). `AlphaZero`: 0. Below 0 both sides
    /// shun draws, so that games which lead nowhere get an end; lc0 calls it the draw score.
    #[schemars(range(min = -1.0, max = 1.0))]
    pub draw_value: f32,
    /// Whether the subtree of the played move is kept for the next search. AlphaZero: yes.
    pub reuse_tree: bool,
}

/// A number of a [`SearchConfig`] that lies outside its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{field} is {value}, but must be {range}")]
pub struct ConfigError {
    /// The field, as it is called in files.
    pub field: &'static str,
    /// What it holds.
    pub value: f64,
    /// What it may hold.
    pub range: &'static str,
}

impl SearchConfig {
    /// Returns the numbers that the fields cite, the additions to AlphaZero off but for `lookahead_plies`
    /// and lc0's `fpu_reduction`: what tests, examples and benchmarks start from.
    ///
    /// A run names every number in its file.
    #[must_use]
    pub const fn reference(algorithm: Algorithm, visits: u32) -> Self {
        Self {
            algorithm,
            visits,
            considered_moves: 16,
            c_visit: 50.0,
            c_scale: 1.0,
            q_range: QRange::Unit,
            c_puct: 1.25,
            c_puct_base: 19_652.0,
            fpu_reduction: 0.33,
            dirichlet_alpha: 10.0,
            dirichlet_fraction: 0.25,
            forced_visits: 0.0,
            temperature: 1.0,
            temperature_plies: 30,
            temperature_half_life: 0.0,
            final_temperature: 0.0,
            gumbel_temperature_plies: 0,
            early_stop: false,
            lookahead_plies: 2,
            solver_positions: 0,
            leaf_solver_positions: 0,
            draw_value: 0.0,
            reuse_tree: true,
        }
    }

    /// Returns the temperature of self-play after `plies` plies:
    /// T_end + (T - T_end) 2^(-plies / half_life), and T_end from `temperature_plies` on; with Gumbel
    /// 0 after its own plies.
    ///
    /// The decay is KataGo's (`chosenMoveTemperatureHalflife`), the end of it AlphaZero's.
    pub(crate) fn temperature_after(&self, plies: usize) -> f32 {
        if self.algorithm == Algorithm::Gumbel && plies >= self.gumbel_temperature_plies as usize {
            return 0.0;
        }
        let last = self.final_temperature;
        if plies >= self.temperature_plies as usize {
            return last;
        }
        let left = match self.temperature_half_life {
            0.0 => 1.0,
            half_life => (-(plies as f32) / half_life).exp2(),
        };
        last + (self.temperature - last) * left
    }

    /// Checks that every number lies in its range.
    ///
    /// # Errors
    /// Names the first field that does not.
    pub fn check(&self) -> Result<(), ConfigError> {
        let checks = self.search_ranges().into_iter();
        let outside = checks
            .chain(self.self_play_ranges())
            .find(|(_, _, holds, _)| !holds);
        match outside {
            Some((field, value, _, range)) => Err(ConfigError {
                field,
                value,
                range,
            }),
            None => Ok(()),
        }
    }

    /// Returns the rows of what every search uses.
    fn search_ranges(&self) -> [Row; 11] {
        [
            check(
                "solver_positions",
                self.solver_positions,
                within(0.0, 1e7),
                "0 to 10000000",
            ),
            check(
                "leaf_solver_positions",
                self.leaf_solver_positions,
                within(0.0, 1e7),
                "0 to 10000000",
            ),
            check(
                "lookahead_plies",
                self.lookahead_plies,
                within(0.0, 2.0),
                "0 to 2",
            ),
            check("visits", self.visits, within(1.0, 1e6), "1 to 1000000"),
            check(
                "considered_moves",
                self.considered_moves,
                within(1.0, 4841.0),
                "1 to 4841",
            ),
            check("c_visit", self.c_visit, within(0.0, 1e4), "0 to 10000"),
            check("c_scale", self.c_scale, within(0.0, 100.0), "0 to 100"),
            check("c_puct", self.c_puct, within(0.0, 100.0), "0 to 100"),
            check(
                "c_puct_base",
                self.c_puct_base,
                within(0.0, 1e7),
                "0 to 10000000",
            ),
            check(
                "fpu_reduction",
                self.fpu_reduction,
                within(0.0, 2.0),
                "0 to 2",
            ),
            check("draw_value", self.draw_value, within(-1.0, 1.0), "-1 to 1"),
        ]
    }

    /// Returns the rows of what is for self-play only.
    fn self_play_ranges(&self) -> [Row; 6] {
        [
            check(
                "dirichlet_alpha",
                self.dirichlet_alpha,
                within(1e-3, 1e3),
                "0.001 to 1000",
            ),
            check(
                "dirichlet_fraction",
                self.dirichlet_fraction,
                within(0.0, 1.0),
                "0 to 1",
            ),
            check(
                "forced_visits",
                self.forced_visits,
                within(0.0, 100.0),
                "0 to 100",
            ),
            check(
                "temperature_half_life",
                self.temperature_half_life,
                within(0.0, 1e4),
                "0 to 10000",
            ),
            check(
                "final_temperature",
                self.final_temperature,
                within(0.0, 10.0),
                "0 to 10",
            ),
            check(
                "temperature",
                self.temperature,
                within(0.0, 10.0),
                "0 to 10",
            ),
        ]
    }
}

/// Returns whether a number lies in a range, both ends included.
fn within(low: f64, high: f64) -> impl Fn(f64) -> bool {
    move |value| (low..=high).contains(&value)
}

/// A field, what it holds, whether that is in its range, and the range.
type Row = (&'static str, f64, bool, &'static str);

/// Returns one row of [`SearchConfig::check`]; NaN lies in no range.
fn check(
    field: &'static str,
    value: impl Into<f64>,
    holds: impl Fn(f64) -> bool,
    range: &'static str,
) -> Row {
    let value = value.into();
    (field, value, holds(value), range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperature_goes_half_of_its_way_in_each_half_life_and_ends_at_the_last_ply() {
        let config = SearchConfig {
            temperature: 0.75,
            temperature_plies: 40,
            temperature_half_life: 10.0,
            final_temperature: 0.15,
            ..SearchConfig::reference(Algorithm::Puct, 1)
        };
        // 0.15 + 0.6 / 2 and 0.15 + 0.6 / 4
        for (plies, expected) in [(0, 0.75), (10, 0.45), (20, 0.3), (40, 0.15), (400, 0.15)] {
            let found = config.temperature_after(plies);
            assert!((found - expected).abs() < 1e-6, "{found} after {plies}");
        }
    }

    #[test]
    fn temperature_without_a_half_life_is_a_step() {
        let config = SearchConfig::reference(Algorithm::Puct, 1);
        let steps = [0, 29, 30, 300].map(|plies| config.temperature_after(plies));
        assert_eq!(steps, [1.0, 1.0, 0.0, 0.0]);
        let config = SearchConfig {
            gumbel_temperature_plies: 10,
            final_temperature: 0.5,
            ..SearchConfig::reference(Algorithm::Gumbel, 1)
        };
        let steps = [0, 9, 10, 300].map(|plies| config.temperature_after(plies));
        assert_eq!(steps, [1.0, 1.0, 0.0, 0.0]);
    }
}
