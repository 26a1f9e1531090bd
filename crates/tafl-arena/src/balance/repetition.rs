//! Do the games of a study bear out another one, which it repeats from other openings?

use super::compare::{holm, is_clear, two_sided};
use super::posterior::{estimate, score_of};
use super::{
    Cell, RepeatedScore, Repetition, Sampling, StudyKind, StudyPlayer, StudyRuleset, Summary,
};
use crate::estimate::mean;

/// Returns whether `known` has a score of one of these players under one of these rulesets. A player is the same with the same
/// name and weights, a ruleset with the same rules.
#[must_use]
pub fn can_repeat(known: &Summary, rulesets: &[StudyRuleset], players: &[StudyPlayer]) -> bool {
    let mut cells = known.cells.iter();
    cells.any(|cell| cell.results.games() > 0 && is_of(cell, known, rulesets, players))
}

/// Compares scores with those of a study that had other openings; nothing where it has none of the same player and ruleset.
///
/// `cells` come with draws from the posteriors of their scores.
pub(super) fn repetition<'a>(
    known: &Summary,
    (rulesets, players): (&[StudyRuleset], &[StudyPlayer]),
    cells: impl Iterator<Item = (&'a Cell, &'a [f64])>,
    sampling: &Sampling,
) -> Option<Repetition> {
    let mut tails = Vec::new();
    let mut scores = Vec::new();
    for (own, draws) in cells.filter(|(cell, _)| cell.results.games() > 0) {
        let mut others = known.cells.iter();
        let other = others.find(|it| {
            (&it.ruleset, &it.player) == (&own.ruleset, &own.player)
                && it.results.games() > 0
                && is_of(it, known, rulesets, players)
        });
        let Some(other) = other else { continue };
        let sampling = sampling.named(&["repeated", &other.ruleset, &other.player]);
        let of_other = sampling.scores(&other.results);
        let differences = draws.iter().zip(&of_other).map(|(own, other)| own - other);
        let differences: Vec<f64> = differences.collect();
        let above = differences.iter().filter(|&&it| it > 0.0).count() as f64;
        let count = differences.len();
        tails.push(two_sided(above / count.max(1) as f64, count));
        scores.push(RepeatedScore {
            ruleset: own.ruleset.clone(),
            player: own.player.clone(),
            here: own.score,
            there: score_of(&other.results, of_other),
            difference: estimate(mean(&differences), differences),
            adjusted: 1.0,
            clear: false,
        });
    }
    for (score, adjusted) in scores.iter_mut().zip(holm(&tails)) {
        (score.adjusted, score.clear) = (adjusted, is_clear(adjusted));
    }
    let speaker = known.verdict_player.as_ref();
    let is_heard = speaker.is_some_and(|name| scores.iter().any(|it| it.player == *name));
    (!scores.is_empty()).then(|| Repetition {
        study: known.study.clone(),
        games: known.games(),
        verdict: known.verdict.iter().filter(|_| is_heard).cloned().collect(),
        scores,
    })
}

/// Returns whether a cell of `known` is of one of these rulesets and players.
fn is_of(cell: &Cell, known: &Summary, rulesets: &[StudyRuleset], players: &[StudyPlayer]) -> bool {
    let is_same = |one: &StudyRuleset, other: &StudyRuleset| {
        (&one.name, &one.fingerprint) == (&other.name, &other.fingerprint)
    };
    let is_same_player = |one: &StudyPlayer, other: &StudyPlayer| {
        (&one.name, &one.weights_sha256) == (&other.name, &other.weights_sha256)
    };
    let ruleset = known.rulesets.iter().find(|it| it.name == cell.ruleset);
    let player = known.players.iter().find(|it| it.name == cell.player);
    known.kind == StudyKind::Rulesets
        && ruleset.is_some_and(|it| rulesets.iter().any(|own| is_same(own, it)))
        && player.is_some_and(|it| players.iter().any(|own| is_same_player(own, it)))
}

impl Repetition {
    /// Says whether the other study is borne out, and if so, its verdict; `title` is what a player is called.
    pub(super) fn told(&self, title: impl Fn(&str) -> String) -> Vec<String> {
        let Self { study, games, .. } = self;
        let clear: Vec<&RepeatedScore> = self.scores.iter().filter(|it| it.clear).collect();
        let both = |it: &RepeatedScore| {
            let [here, there] = [it.here, it.there].map(|it| it.in_percent());
            format!(
                "{} ({}): {here} here, {there} there",
                it.ruleset,
                title(&it.player)
            )
        };
        if !clear.is_empty() {
            let clear: Vec<String> = clear.into_iter().map(both).collect();
            return vec![format!(
                "These games contradict the study {study:?} of {games} games. The attackers' score differs clearly: {}.",
                clear.join("; ")
            )];
        }
        let differences = self.scores.iter().map(|it| {
            let difference = it.difference.in_points();
            match self.scores.iter().all(|other| other.player == it.player) {
                true => format!("{} {difference}", it.ruleset),
                false => format!("{} by {} {difference}", it.ruleset, title(&it.player)),
            }
        });
        let differences: Vec<String> = differences.collect();
        let mut told = vec![format!(
            "These games bear out the study {study:?} of {games} games: no score of the attackers differs clearly (here minus there: \
             {}). Some of them may be games of that study, since short openings recur.",
            differences.join(", ")
        )];
        if !self.verdict.is_empty() {
            let verdict = self.verdict.iter().take(TOLD).map(String::as_str);
            told.push(format!(
                "So its verdict stands: {}",
                verdict.collect::<Vec<_>>().join(" ")
            ));
        }
        told
    }
}

/// Sentences of the other study's verdict that are told again: the fairest ruleset, the others, and who is ahead.
const TOLD: usize = 3;
