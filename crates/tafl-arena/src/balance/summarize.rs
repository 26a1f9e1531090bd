//! The summary of the games of a study, and the sentences that its numbers make.

use super::compare::{Scores, comparisons, rankings};
use super::effect::{corrected, effect};
use super::{
    Cell, Difficulty, PlayedCell, SUMMARY_VERSION, Sampling, Study, StudyKind, StudyPlayer,
    StudyRuleset, Summary, notes, verdict,
};

/// Computes all that a study says of games, by ruleset, then player; equal arguments give equal results.
pub fn summarize(
    study: Study,
    played: &[PlayedCell],
    difficulties: Vec<Difficulty>,
    sampling: &Sampling,
) -> Summary {
    let draws: Vec<Vec<f64>> = played.iter().map(|cell| cell.draws(sampling)).collect();
    let with_draws = || played.iter().zip(&draws);
    let cells = with_draws().map(|(cell, draws)| Cell::of(cell, draws));
    let mut summary = Summary {
        summary_version: SUMMARY_VERSION,
        verdict: Vec::new(),
        verdict_player: None,
        notes: Vec::new(),
        warnings: Vec::new(),
        cells: cells.collect(),
        difficulties,
        comparisons: Vec::new(),
        rankings: Vec::new(),
        effects: Vec::new(),
        study,
    };
    for StudyPlayer { name, .. } in &summary.study.players {
        let is_known = |ruleset: &str| {
            let cell = summary.cell(name, ruleset);
            cell.is_some_and(|cell| !cell.is_mostly_cut())
        };
        // Variants share their openings, so they are compared by pairs of games, as effects.
        if summary.study.kind == StudyKind::Variants {
            let of = |ruleset: &StudyRuleset| {
                let mut cells = played.iter();
                cells.find(|it| it.ruleset == ruleset.name && it.player == *name)
            };
            let (base, all) = (&summary.study.rulesets[0], &summary.study.rulesets);
            let found = all.iter().filter_map(|variant| {
                let change = variant.change.as_ref()?;
                effect(of(base)?, of(variant)?, change, sampling)
            });
            let mut found = corrected(found.collect(), sampling);
            for effect in &mut found {
                let is_judged = is_known(&effect.base) && is_known(&effect.ruleset);
                effect.clear &= is_judged;
                effect.clearly_more_balanced &= is_judged;
            }
            summary.effects.extend(found);
            continue;
        }
        let own = with_draws().filter(|(it, _)| it.player == *name && is_known(&it.ruleset));
        let scores = own.map(|(cell, draws)| Scores {
            ruleset: &cell.ruleset,
            draws,
        });
        let scores: Vec<Scores<'_>> = scores.collect();
        summary.comparisons.extend(comparisons(name, &scores));
        summary.rankings.extend(rankings(name, &scores));
    }
    summary.with_sentences()
}

impl Summary {
    /// Returns the summary with the sentences that its numbers make: verdict, notes and warnings.
    #[must_use]
    pub fn with_sentences(mut self) -> Self {
        self.notes = notes::notes(&self);
        self.warnings = notes::warnings(&self);
        (self.verdict_player, self.verdict) = match verdict::verdict(&self) {
            Some((player, sentences)) => (Some(player), sentences),
            None => (None, Vec::new()),
        };
        self
    }
}
