//! How the numbers of a study were made, for those who read them.

use super::{Sampling, Study, StudyKind};

pub(super) fn notes(study: &Study, sampling: &Sampling) -> Vec<String> {
    let openings = match study.kind {
        StudyKind::Rulesets => "drawn for each ruleset",
        StudyKind::Variants => "drawn under the base and the same for every variant",
    };
    let mut notes = vec![
        "Scores, Elo points and results are the attackers'; a player meets itself, so both sides are \
         equally strong."
            .to_owned(),
        format!(
            "What makes games of one player differ are the openings: {} random plies, {openings}; each \
             is played once by each player, so games of a cell are independent.",
            study.opening_plies
        ),
        "Intervals are 95 %. Chances of win, draw and loss have a Dirichlet posterior with Jeffreys' \
         prior; games that were cut count as drawn. Elo points are 400 log10(score / (1 - score))."
            .to_owned(),
        format!(
            "Balance is the distance of the score from 1/2. Probabilities are shares of {} joint draws \
             from the posteriors; second intervals are from openings drawn anew {} times.",
            sampling.draws, sampling.resamples
        ),
        "Trends are weighted least-squares lines through the scores; that strengths share their openings is \
         left out of account, which makes their intervals a little wide."
            .to_owned(),
        "\"Clear\" is a twofold tail probability below 0.05 after Holm's correction for all pairs \
         of rulesets, or all variants, of one player. Players and strengths are not corrected for; the \
         probability of being the most balanced is joint and needs no correction."
            .to_owned(),
    ];
    if study.kind == StudyKind::Variants {
        notes.push(
            "An effect is the variant's score minus the base's over the openings that both played: the nine \
             pairs of results have a Dirichlet posterior with 1/6 pseudo-opening each, so what the openings \
             have in common cancels."
                .to_owned(),
        );
    }
    if study
        .players
        .iter()
        .any(|player| player.trained_on.is_some())
    {
        notes.push(
            "A network sees the ruleset's fields as input planes (all but the match format and the \
             captureless reason; of a captureless limit how near it is). One that never learned a \
             field's other value cannot know what it means: its games show what the rule does to play \
             that ignores it. Networks were not trained further for this study."
                .to_owned(),
        );
    }
    notes
}
