//! How a result and a search become a value target.

use crate::Sample;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_rules::{Rules, Side};

/// Makes the value target of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TargetConfig {
    /// Share of the search's root value in the value target, 0 to 1; the rest is the game's result.
    /// Default 0.5: it lowers the noise of single results. AlphaZero: 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub value_lambda: f32,
    /// Whether a result that a search proved also replaces the game's result for all plies before it: `true` or
    /// `false`. Lowers the noise where a proven win is thrown away by random plies or a game is cut; after the last
    /// proof in a game its own end counts. Default false. AlphaZero: no proofs.
    pub proven_results: bool,
}

impl Default for TargetConfig {
    fn default() -> Self {
        Self {
            value_lambda: 0.5,
            proven_results: false,
        }
    }
}

impl TargetConfig {
    /// Returns the value to learn, as win, draw, loss of the side to move; sums to 1.
    ///
    /// A result that the search of this very ply proved stands, whatever became of the game.
    pub fn wdl(&self, sample: &Sample, rules: &Rules) -> [f32; 3] {
        let wdl = sample.search.wdl;
        if sample.search.proven {
            return wdl;
        }
        let result = self.result(sample, rules);
        // Nobody searched, and the draw that is kept of a game that was cut is none.
        if sample.search.is_taught() {
            return result;
        }
        let lambda = self.value_lambda;
        std::array::from_fn(|i| (1.0 - lambda) * result[i] + lambda * wdl[i])
    }

    /// Returns what the game came to, as win, draw, loss of the side to move; sums to 1.
    ///
    /// A game that was cut counts the balance of material: the share of its pieces that the attackers still had less the
    /// share that the defenders had; a whole win or loss only if one side was left without any. So sides that cannot win
    /// yet learn what leads toward it. AlphaZero: a draw.
    pub fn result(&self, sample: &Sample, rules: &Rules) -> [f32; 3] {
        let side = sample.facts.side;
        match sample.proven_result.filter(|_| self.proven_results) {
            Some(proven) => proven.wdl_for(side),
            None if sample.ending.is_capped() => material_wdl(sample, rules),
            None => sample.ending.wdl_for(side),
        }
    }
}

/// Returns the balance of material at the end of a sample's game as win, draw, loss of its side to move.
fn material_wdl(sample: &Sample, rules: &Rules) -> [f32; 3] {
    let [attackers, defenders] = Side::ALL.map(|side| {
        let at_first = rules.start().pieces(side).count().max(1) as f32;
        (sample.final_pieces[side.index()] as f32 / at_first).min(1.0)
    });
    let balance = match sample.facts.side {
        Side::Attacker => attackers - defenders,
        Side::Defender => defenders - attackers,
    };
    [balance.max(0.0), 1.0 - balance.abs(), (-balance).max(0.0)]
}
