//! What changing one field does: two rulesets, played from the same openings.

use super::compare::{holm, imbalance, is_clear, two_sided};
use super::posterior::estimate;
use super::{PlayedCell, Sampling, StudyGame};
use crate::Estimate;
use crate::estimate::mean;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tafl_rules::Side;

/// A field of a ruleset that was changed, with its values as ruleset files write them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// The name.
    pub field: String,
    /// The base's value.
    pub from: String,
    /// The variant's value.
    pub to: String,
}

/// What changing one field does, as one player plays: the variant minus the base, paired by opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The variant.
    pub ruleset: String,
    /// The base.
    pub base: String,
    /// The field.
    pub change: FieldChange,
    /// The player's name.
    pub player: String,
    /// Openings played under both.
    pub openings: u64,
    /// Openings from which the very same moves were played under both: the field mattered in none.
    pub same_games: u64,
    /// Difference of the attackers' scores, -1 to 1; above 0 the change helps the attackers.
    pub difference: Estimate,
    /// Difference of the imbalances; below 0 the change makes the ruleset more balanced.
    pub imbalance_difference: Estimate,
    /// Posterior probability that the variant is more balanced than the base.
    pub more_balanced: f64,
    /// Twice the posterior probability of the less likely sign of `difference`, after Holm's
    /// correction for all variants of this player, 0 to 1.
    pub adjusted: f64,
    /// Whether `adjusted` is below 0.05, and most games of neither ruleset were cut.
    pub clear: bool,
    /// Whether `more_balanced` is above one half, and 2 (1 - `more_balanced`) below 0.05 after Holm's correction for all
    /// variants of this player; never where most games of either ruleset were cut.
    pub clearly_more_balanced: bool,
}

/// Pseudo-openings of the prior for each pair of results. Nine of them make the Dirichlet prior of
/// each ruleset alone that of single games, with 1/2 for each result.
const PRIOR: f64 = 1.0 / 6.0;

/// The points of the three results of a game, as the attackers see them.
const POINTS: [f64; 3] = [1.0, 0.5, 0.0];

/// Corrects the effects of all variants of one player for their number.
pub(super) fn corrected(mut effects: Vec<Effect>, sampling: &Sampling) -> Vec<Effect> {
    let draws = sampling.draws as usize;
    let tails: Vec<f64> = effects.iter().map(|effect| effect.adjusted).collect();
    let fairer = effects.iter().map(|it| two_sided(it.more_balanced, draws));
    let fairer = holm(&fairer.collect::<Vec<f64>>());
    for ((effect, adjusted), fairer) in effects.iter_mut().zip(holm(&tails)).zip(fairer) {
        effect.adjusted = adjusted;
        effect.clear = is_clear(adjusted);
        effect.clearly_more_balanced = is_clear(fairer) && effect.more_balanced > 0.5;
    }
    effects
}

/// Measures one effect, not corrected for others; nothing without a shared opening.
///
/// The results under both rulesets from one opening are one of nine pairs, whose chances have a
/// Dirichlet posterior, so that what the openings have in common cancels.
pub(super) fn effect(
    base: &PlayedCell,
    own: &PlayedCell,
    change: &FieldChange,
    sampling: &Sampling,
) -> Option<Effect> {
    let pairs = pairs(base, own);
    if pairs.is_empty() {
        return None;
    }
    let mut parameters = [PRIOR; 9];
    for (of_base, of_own) in &pairs {
        parameters[3 * result(of_base) + result(of_own)] += 1.0;
    }
    let sampling = sampling.named(&[&base.ruleset, &own.ruleset, &own.player]);
    let (mut differences, mut imbalances) = (Vec::new(), Vec::new());
    sampling.dirichlet(&parameters, |chances| {
        let (mut of_base, mut of_own) = (0.0, 0.0);
        for (cell, chance) in chances.iter().enumerate() {
            of_base += chance * POINTS[cell / 3];
            of_own += chance * POINTS[cell % 3];
        }
        differences.push(of_own - of_base);
        imbalances.push(imbalance(of_own) - imbalance(of_base));
    });
    let terms = (0..9).map(|cell| parameters[cell] * (POINTS[cell % 3] - POINTS[cell / 3]));
    let expected = terms.sum::<f64>() / parameters.iter().sum::<f64>();
    let share = |draws: &[f64], is_so: fn(&f64) -> bool| {
        draws.iter().copied().filter(is_so).count() as f64 / draws.len() as f64
    };
    let same = pairs
        .iter()
        .filter(|(of_base, of_own)| of_base.moves == of_own.moves);
    Some(Effect {
        ruleset: own.ruleset.clone(),
        base: base.ruleset.clone(),
        change: change.clone(),
        player: own.player.clone(),
        openings: pairs.len() as u64,
        same_games: same.count() as u64,
        more_balanced: share(&imbalances, |difference| *difference < 0.0),
        adjusted: two_sided(share(&differences, |it| *it > 0.0), differences.len()),
        difference: estimate(expected, differences),
        imbalance_difference: estimate(mean(&imbalances), imbalances),
        clear: false,
        clearly_more_balanced: false,
    })
}

/// Returns the games of base and variant from each opening that both played; two games that met earlier ones count once.
fn pairs<'a>(base: &'a PlayedCell, variant: &'a PlayedCell) -> Vec<(&'a StudyGame, &'a StudyGame)> {
    let games = variant.games.iter();
    let by_opening: BTreeMap<u64, &StudyGame> = games.map(|game| (game.opening, game)).collect();
    let mut seen = BTreeSet::new();
    let both = base.games.iter();
    both.filter_map(|game| Some((game, *by_opening.get(&game.opening)?)))
        .filter(|(game, other)| seen.insert((game.end(), other.end())))
        .collect()
}

fn result(game: &StudyGame) -> usize {
    match game.ending.winner {
        Some(Side::Attacker) => 0,
        None => 1,
        Some(Side::Defender) => 2,
    }
}
