//! What readers of a study must know: how its numbers were made, and where they say little.

use super::{Cell, MeasuredStrength, Sampling, Study, StudyKind, Warning, WarningKind};

/// Share of cut games above which their results weigh too much.
const MOST_CAPPED: f64 = 0.05;

/// Share of drawn games above which the score says little of the sides.
const MOST_DRAWN: f64 = 0.5;

/// Returns how the numbers were made.
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
    let mut players = study.players.iter();
    if players.any(|player| player.trained_on.is_some()) {
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

/// Returns what keeps a reader from taking numbers at face value.
pub(super) fn warnings(study: &Study, cells: &[Cell]) -> Vec<Warning> {
    let openings = study.rulesets.iter().filter_map(|(ruleset, _)| {
        let (found, asked) = (ruleset.openings, study.openings);
        (found < asked).then(|| Warning {
            kind: WarningKind::FewOpenings,
            ruleset: Some(ruleset.name.clone()),
            player: None,
            text: format!(
                "{}: {found} of {asked} openings differ and can be played; the others were left out",
                ruleset.name
            ),
        })
    });
    openings
        .chain(cells.iter().flat_map(|cell| of_cell(study, cell)))
        .collect()
}

fn of_cell(study: &Study, cell: &Cell) -> Vec<Warning> {
    let (ruleset, player) = (&cell.ruleset, &cell.player);
    let mut found = Vec::new();
    if cell.trained == Some(false) {
        let text = format!("{player} never learned {ruleset}; its games say little about it");
        found.push((WarningKind::Untrained, text));
    }
    if let Some(strength) = cell.strength.as_ref().filter(|it| !it.enough) {
        found.push((WarningKind::Weak, weak(ruleset, player, strength)));
    }
    let (capped, games) = (cell.results.capped, cell.results.games());
    if capped as f64 > MOST_CAPPED * games as f64 {
        let text = format!(
            "{player} under {ruleset}: {capped} of {games} games were cut at {} plies and score half",
            study.max_plies
        );
        found.push((WarningKind::Capped, text));
    }
    let drawn = cell.results.draws;
    if drawn as f64 > MOST_DRAWN * games as f64 {
        let text = format!(
            "{player} under {ruleset}: {drawn} of {games} games were drawn, which makes any ruleset look even"
        );
        found.push((WarningKind::Drawn, text));
    }
    let warning = |(kind, text)| Warning {
        kind,
        ruleset: Some(ruleset.clone()),
        player: Some(player.clone()),
        text,
    };
    found.into_iter().map(warning).collect()
}

fn weak(ruleset: &str, player: &str, strength: &MeasuredStrength) -> String {
    let elo = strength.elo;
    format!(
        "{player} under {ruleset}: {:+.0} Elo ({:+.0} to {:+.0}) beside {}, below the {:+.0} that were \
         asked for; weak play favors the defenders",
        elo.value, elo.low, elo.high, strength.reference, strength.wanted_elo
    )
}
