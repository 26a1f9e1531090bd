//! Every number of a search: section `[search]` of a run config.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How positions are searched.
///
/// In files the numbers of the algorithm stand in a section of its name, `[search.gumbel]` or
/// `[search.puct]`; without either it is Gumbel with its defaults. `tafl config explain search` prints ranges and
/// sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "SearchFields", into = "SearchFields")]
pub struct SearchConfig {
    /// Visits a move.
    pub visits: u32,
    /// Plies that are looked through in each new position for the king's fate, 0 to 2.
    pub lookahead_plies: u32,
    /// Positions in which each search first looks for a forced win; 0 turns it off.
    pub solver_positions: u32,
    /// The same for each new position of the tree; 0 turns it off.
    pub leaf_solver_positions: u32,
    /// What a draw is worth to the attackers, -1 (a loss) to 1 (a win); to the defenders it is 0.
    pub attackers_draw_value: f32,
    /// How the search chooses what to look at, what to play and what to teach.
    pub algorithm: Algorithm,
}

/// How the search chooses what to look at, what to play and what to teach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Algorithm {
    /// Gumbel AlphaZero (Danihelka et al. 2022): improves the policy even with a few visits.
    Gumbel(GumbelConfig),
    /// AlphaZero (Silver et al. 2018): PUCT with Dirichlet noise, visit counts as the policy target.
    Puct(PuctConfig),
}

/// The numbers of Gumbel AlphaZero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GumbelConfig {
    /// Moves considered at the root (m), 1 to 4,841. Default 16, as in Danihelka et al.
    #[schemars(range(min = 1, max = 4_841))]
    pub considered_moves: u32,
    /// Weight of the values against the logits, 0 to 100. Default 1.0, as in Danihelka et al., eq. 8. On `min-max` mctx:
    /// 0.1.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub c_scale: f32,
    /// The range of the values that `c_scale` weighs. Default `unit`, as in Danihelka et al.
    pub q_range: QRange,
}

/// The scale on which Gumbel AlphaZero's sigma sees the values of the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QRange {
    /// 0 is a certain loss of the side to move, 1/2 a draw, 1 a certain win.
    Unit,
    /// 0 is the worst move of the node, 1 its best, as in mctx. Amplifies small differences, too much where visits are many.
    MinMax,
}

/// The numbers of AlphaZero's PUCT; noise and temperature are for self-play alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PuctConfig {
    /// Weight of the prior against the value at few visits, 0 to 100. Default 1.25, AlphaZero's `pb_c_init`.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub c_puct: f32,
    /// How much lower the value of an unvisited move is than its parent's, when all the prior is on visited moves, 0 to
    /// 2 on the scale of win minus loss. Default 0.33, Leela Chess Zero's; 0 is the parent's value.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub fpu_reduction: f32,
    /// Concentration of the root noise summed over the n legal moves, each getting `dirichlet_alpha / n`,
    /// 0.001 to 1,000. Default 10: AlphaZero's 0.3 (chess) and 0.03 (Go) are near 10 / n.
    #[schemars(range(min = 0.001, max = 1_000.0))]
    pub dirichlet_alpha: f32,
    /// Share of the root prior replaced by noise, 0 to 1. Default 0.25, AlphaZero's.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub dirichlet_fraction: f32,
    /// Moves are drawn from visits^(1/temperature), 0 to 10; 0 plays the most visited one. Default 1, AlphaZero's.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub temperature: f32,
    /// Plies from the game's first position in which `temperature` applies; later the most visited move is
    /// played. Default 30, AlphaZero's.
    pub temperature_plies: u32,
}

/// Section `[search]` of a file, with at most one of the algorithms' sections.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "SearchConfig")]
#[schemars(extend("x-alternatives" = ["gumbel", "puct"]))]
struct SearchFields {
    /// Visits per move, 1 to 1,000,000. Default 40. AlphaZero: 800; Gumbel AlphaZero learns from 16 up.
    #[schemars(range(min = 1, max = 1_000_000))]
    visits: u32,
    /// Plies searched in each new position for moves that capture the king or let him escape, 0 to 2. 1: if the side to
    /// move has one, the position is a proven win and needs no evaluation. 2: if the opponent threatens one, moves that
    /// allow it are also left out; if all do, it is a proven loss. Default 2, which costs little compared with a
    /// network. AlphaZero: 0.
    #[schemars(range(min = 0, max = 2))]
    lookahead_plies: u32,
    /// Positions that each search first examines for a win by threats against the king or by the king, 0 to 10,000,000:
    /// a win found is proven and ends the search. Of the tests' wins in three turns, 1,000 find 70 %, 20,000 nearly
    /// all, 300,000 all; 1,000 take about 0.1 ms, with chains of captures 0.3. Default 1,000; 0 turns it off. Not in
    /// AlphaZero.
    #[schemars(range(min = 0, max = 10_000_000))]
    solver_positions: u32,
    /// Positions examined for such a win at each new node below the root, 0 to 10,000,000: a win found is proven and
    /// needs no evaluation, so a search sees combinations of several turns. Default 0, which turns it off. Not in
    /// AlphaZero.
    #[schemars(range(min = 0, max = 10_000_000))]
    leaf_solver_positions: u32,
    /// Value of a draw for the attackers, -1 (a loss) to 1 (a win). Default 0, as in AlphaZero. Below 0 they avoid
    /// draws, so that they go on where they have shut the king in; to the defenders a draw is worth 0. lc0 calls it
    /// contempt.
    #[schemars(range(min = -1.0, max = 1.0))]
    attackers_draw_value: f32,
    /// Gumbel AlphaZero (Danihelka et al. 2022): improves the policy even with a few visits. The default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GumbelConfig")]
    gumbel: Option<GumbelConfig>,
    /// AlphaZero (Silver et al. 2018): PUCT with Dirichlet noise, visit counts as the policy target; in place of
    /// `gumbel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PuctConfig")]
    puct: Option<PuctConfig>,
}

impl Default for SearchFields {
    fn default() -> Self {
        Self {
            visits: 40,
            lookahead_plies: 2,
            solver_positions: 1_000,
            leaf_solver_positions: 0,
            attackers_draw_value: 0.0,
            gumbel: None,
            puct: None,
        }
    }
}

impl Default for GumbelConfig {
    fn default() -> Self {
        Self {
            considered_moves: 16,
            c_scale: 1.0,
            q_range: QRange::Unit,
        }
    }
}

impl Default for PuctConfig {
    fn default() -> Self {
        Self {
            c_puct: 1.25,
            fpu_reduction: 0.33,
            dirichlet_alpha: 10.0,
            dirichlet_fraction: 0.25,
            temperature: 1.0,
            temperature_plies: 30,
        }
    }
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self::new(
            SearchFields::default(),
            Algorithm::Gumbel(GumbelConfig::default()),
        )
    }
}

/// Both algorithms in one section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("give one of `gumbel` and `puct`, not both")]
pub struct TwoAlgorithms;

impl TryFrom<SearchFields> for SearchConfig {
    type Error = TwoAlgorithms;

    fn try_from(fields: SearchFields) -> Result<Self, TwoAlgorithms> {
        let algorithm = match (fields.gumbel, fields.puct) {
            (Some(_), Some(_)) => return Err(TwoAlgorithms),
            (None, Some(puct)) => Algorithm::Puct(puct),
            (gumbel, None) => Algorithm::Gumbel(gumbel.unwrap_or_default()),
        };
        Ok(Self::new(fields, algorithm))
    }
}

impl From<SearchConfig> for SearchFields {
    fn from(config: SearchConfig) -> Self {
        let (gumbel, puct) = match config.algorithm {
            Algorithm::Gumbel(gumbel) => (Some(gumbel), None),
            Algorithm::Puct(puct) => (None, Some(puct)),
        };
        Self {
            visits: config.visits,
            lookahead_plies: config.lookahead_plies,
            solver_positions: config.solver_positions,
            leaf_solver_positions: config.leaf_solver_positions,
            attackers_draw_value: config.attackers_draw_value,
            gumbel,
            puct,
        }
    }
}

impl SearchConfig {
    const fn new(fields: SearchFields, algorithm: Algorithm) -> Self {
        Self {
            visits: fields.visits,
            lookahead_plies: fields.lookahead_plies,
            solver_positions: fields.solver_positions,
            leaf_solver_positions: fields.leaf_solver_positions,
            attackers_draw_value: fields.attackers_draw_value,
            algorithm,
        }
    }

    /// Returns the search of Danihelka et al. with `lookahead_plies` added: what tests and benchmarks start from.
    #[must_use]
    pub fn gumbel(visits: u32) -> Self {
        Self::plain(visits, Algorithm::Gumbel(GumbelConfig::default()))
    }

    /// Returns AlphaZero's search with `lookahead_plies` and lc0's `fpu_reduction` added: what tests and benchmarks
    /// start from.
    #[must_use]
    pub fn puct(visits: u32) -> Self {
        Self::plain(visits, Algorithm::Puct(PuctConfig::default()))
    }

    /// Returns a search without the solver.
    fn plain(visits: u32, algorithm: Algorithm) -> Self {
        Self {
            visits,
            solver_positions: 0,
            algorithm,
            ..Self::default()
        }
    }
}
