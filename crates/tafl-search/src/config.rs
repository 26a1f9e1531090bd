//! Every number of a search: section `[search]` of a run config.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How positions are searched: by Gumbel AlphaZero, or with `[search.puct]` by AlphaZero's PUCT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Visits per move, 1 to 1,000,000. Default 40. AlphaZero: 800; Gumbel AlphaZero learns from 16 up.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub visits: u32,
    /// Positions examined at each new node below the root for a win by threats against the king or by the king, 0 to
    /// 10,000,000: a win found is proven and needs no evaluation, so a search sees combinations of several turns. Default
    /// 0, which turns it off. Not in AlphaZero.
    #[schemars(range(min = 0, max = 10_000_000))]
    pub leaf_solver_positions: u32,
    /// Value of a draw for the attackers, -1 (a loss) to 1 (a win). Default 0, as in AlphaZero. Below 0 they avoid
    /// draws, so that they go on where they have shut the king in; to the defenders a draw is worth 0. lc0 calls it
    /// contempt.
    #[schemars(range(min = -1.0, max = 1.0))]
    pub attackers_draw_value: f32,
    /// Moves considered at the root (m of Gumbel AlphaZero), 1 to 4,841. Default 16, as in Danihelka et al. 2022.
    #[schemars(range(min = 1, max = 4_841))]
    pub considered_moves: u32,
    /// AlphaZero (Silver et al. 2018) in place of Gumbel AlphaZero (Danihelka et al. 2022, which improves the policy even
    /// with a few visits): PUCT with Dirichlet noise, visit counts as the policy target. Default off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub puct: Option<PuctConfig>,
    /// Plies searched in each new position for moves that capture the king or let him escape, 0 to 2; not a field of
    /// files. 1: if the side to move has one, the position is a proven win and needs no evaluation. 2: if the opponent
    /// threatens one, moves that allow it are also left out; if all do, it is a proven loss. Default 2, which costs little
    /// compared with a network. AlphaZero: 0.
    #[serde(skip)]
    pub lookahead_plies: u32,
    /// Positions that each search first examines for a win as `leaf_solver_positions` does at its nodes; not a field of
    /// files. Of the tests' wins in three turns, 1,000 find 70 %, 20,000 nearly all, 300,000 all; 1,000 take about 0.1 ms,
    /// with chains of captures 0.3. Default 1,000. AlphaZero: 0.
    #[serde(skip)]
    pub solver_positions: u32,
}

/// Section `[search.puct]`; the other numbers of AlphaZero's PUCT are its own, see `puct.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PuctConfig {
    /// Weight of the prior against the value at few visits, 0 to 100. Default 1.25, AlphaZero's `pb_c_init`.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub c_puct: f32,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            visits: 40,
            leaf_solver_positions: 0,
            attackers_draw_value: 0.0,
            considered_moves: 16,
            puct: None,
            lookahead_plies: 2,
            solver_positions: 1_000,
        }
    }
}

impl Default for PuctConfig {
    fn default() -> Self {
        Self { c_puct: 1.25 }
    }
}

impl SearchConfig {
    /// Returns the search of Danihelka et al. with `lookahead_plies` added: what tests and benchmarks start from.
    pub fn gumbel(visits: u32) -> Self {
        Self {
            visits,
            solver_positions: 0,
            ..Self::default()
        }
    }

    /// Returns AlphaZero's search with `lookahead_plies` and lc0's reduction of unvisited moves added: what tests and
    /// benchmarks start from.
    pub fn puct(visits: u32) -> Self {
        Self {
            puct: Some(PuctConfig::default()),
            ..Self::gumbel(visits)
        }
    }
}
