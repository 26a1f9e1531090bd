//! What changing one field does: two rulesets, played from the same openings.

use super::compare::{holm, imbalance, is_clear, two_sided};
use super::posterior::estimate;
use super::{Effect, FieldChange, Sampling, StudyGame};
use crate::estimate::mean;
use std::collections::{BTreeMap, BTreeSet};
use tafl_rules::Side;

/// Pseudo-openings of the prior for each pair of results. Nine of them make the Dirichlet prior of
/// each ruleset alone that of single games, with 1/2 for each result.
const PRIOR: f64 = 1.0 / 6.0;

/// The points of the three results of a game, as the attackers see them.
const POINTS: [f64; 3] = [1.0, 0.5, 0.0];

/// A variant and its base, as one player played them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) base: (&'a str, &'a [StudyGame]),
    pub(super) variant: (&'a str, &'a [StudyGame]),
    pub(super) change: &'a FieldChange,
    pub(super) player: &'a str,
}

/// Measures the effects of all variants for one player; those without a shared opening are left out.
pub(super) fn effects(changes: &[Change<'_>], sampling: &Sampling) -> Vec<Effect> {
    let mut effects: Vec<Effect> = changes
        .iter()
        .filter_map(|change| effect(change, sampling))
        .collect();
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

/// Measures one effect, not corrected for others.
///
/// The results under both rulesets from one opening are one of nine pairs, whose chances have a
/// Dirichlet posterior, so that what the openings have in common cancels.
fn effect(change: &Change<'_>, sampling: &Sampling) -> Option<Effect> {
    let pairs = pairs(change);
    if pairs.is_empty() {
        return None;
    }
    let mut parameters = [PRIOR; 9];
    for (base, variant) in &pairs {
        parameters[3 * result(base) + result(variant)] += 1.0;
    }
    let sampling = sampling.named(&[change.base.0, change.variant.0, change.player]);
    let (mut differences, mut imbalances) = (Vec::new(), Vec::new());
    sampling.dirichlet(&parameters, |chances| {
        let (mut base, mut variant) = (0.0, 0.0);
        for (cell, chance) in chances.iter().enumerate() {
            base += chance * POINTS[cell / 3];
            variant += chance * POINTS[cell % 3];
        }
        differences.push(variant - base);
        imbalances.push(imbalance(variant) - imbalance(base));
    });
    let terms = (0..9).map(|cell| parameters[cell] * (POINTS[cell % 3] - POINTS[cell / 3]));
    let expected = terms.sum::<f64>() / parameters.iter().sum::<f64>();
    let share = |draws: &[f64], is_so: fn(&f64) -> bool| {
        draws.iter().copied().filter(is_so).count() as f64 / draws.len() as f64
    };
    let above = share(&differences, |difference| *difference > 0.0);
    let found = pairs
        .iter()
        .map(|(base, variant)| variant.points() - base.points());
    let same = pairs
        .iter()
        .filter(|(base, variant)| base.moves == variant.moves);
    Some(Effect {
        ruleset: change.variant.0.to_owned(),
        base: change.base.0.to_owned(),
        change: change.change.clone(),
        player: change.player.to_owned(),
        openings: pairs.len() as u64,
        same_games: same.count() as u64,
        difference_bootstrap: sampling.bootstrap(&found.collect::<Vec<f64>>(), 0.0),
        more_balanced: share(&imbalances, |difference| *difference < 0.0),
        adjusted: two_sided(above, differences.len()),
        difference: estimate(expected, differences),
        imbalance_difference: estimate(mean(&imbalances), imbalances),
        clear: false,
        clearly_more_balanced: false,
    })
}

/// Returns the games of base and variant from each opening that both played; two games that met earlier ones count once.
fn pairs<'a>(change: &Change<'a>) -> Vec<(&'a StudyGame, &'a StudyGame)> {
    let variants = change.variant.1.iter();
    let variants: BTreeMap<u64, &StudyGame> = variants.map(|game| (game.opening, game)).collect();
    let bases = change.base.1.iter();
    let mut seen = BTreeSet::new();
    bases
        .filter_map(|base| Some((base, *variants.get(&base.opening)?)))
        .filter(|(base, variant)| seen.insert((base.end(), variant.end())))
        .collect()
}

fn result(game: &StudyGame) -> usize {
    match game.ending.winner {
        Some(Side::Attacker) => 0,
        None => 1,
        Some(Side::Defender) => 2,
    }
}
