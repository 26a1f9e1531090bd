//! What readers of a study must know: how its numbers were made, and where they say little.

use super::{Cell, MeasuredStrength, Sampling, Study, StudyKind, Warning, WarningKind};

/// Share of cut games above which their results weigh too much.
const MOST_CAPPED: f64 = 0.05;

/// Share of drawn games above which the score says little of the sides.
const MOST_DRAWN: f64 = 0.5;

/// Returns how the numbers were made; so many of all games were repetitions.
pub(super) fn notes(
    study: &Study,
    sampling: &Sampling,
    (repeated, all): (usize, usize),
) -> Vec<String> {
    let openings = match study.kind {
        StudyKind::Rulesets => "drawn for each ruleset",
        StudyKind::Variants => "drawn under the base and the same for every variant",
    };
    let count = study.opening_plies;
    let plies = match (&study.opening_policy, study.opening_visits) {
        (None, _) => format!("{count} random plies"),
        (Some(player), None) => format!(
            "up to {count} plies from the start position, each drawn from the policy of {player}"
        ),
        (Some(player), Some(visits)) => format!(
            "{count} plies from the start position, each drawn from a search with {visits} visits by {player}"
        ),
    };
    let mut notes = vec![
        "Scores, Elo and results are the attackers'. Each player plays itself: the same on both sides, though it may have learned one side better."
            .to_owned(),
        format!(
            "Games of one player differ by their openings: {plies}, {openings}. Each player plays each opening once. A \
             game that ends in the same position after as many plies as another one is that game again, and counts once: \
             {repeated} of {all} games are left out."
        ),
        "Intervals are 95 %. Probabilities of win, draw and loss have a Dirichlet posterior with Jeffreys' prior; \
         games that were cut count as draws. Elo is 400 log10(score / (1 - score))."
            .to_owned(),
        format!(
            "Balance is the distance of the score from 1/2. Probabilities are from {} joint samples of the \
             posteriors; bootstrap intervals are from {} resamples of the openings.",
            sampling.draws, sampling.resamples
        ),
        "Trends are weighted least-squares lines through the scores. They ignore that strengths share their openings, \
         which makes their intervals a little wide. They say where stronger play leads, as far as it was played; whether \
         perfect play ends in a win of one side or in a draw, no trend can say."
            .to_owned(),
        "\"Clear\" means a two-sided tail probability below 0.05 after Holm's correction for all pairs of rulesets, \
         all variants of one player, or the trends of one family. Players and strengths are not corrected for, nor is \
         which side is ahead or harder to play; the probability of being the most balanced is joint and needs no \
         correction."
            .to_owned(),
    ];
    if study.kind == StudyKind::Variants {
        notes.push(
            "An effect is the variant's score minus the base's over the openings that both played. The nine pairs of \
             results have a Dirichlet posterior with 1/6 pseudo-opening each, so the effects of the openings cancel."
                .to_owned(),
        );
    }
    if let Some(probes) = study.probes.first() {
        notes.push(format!(
            "How hard a side is: the visits from which on every search of a network chooses the move that it chooses with \
             {}; geometric means over positions of its own games, one a game and side, that it did not take for decided \
             (expected score 10 to 90 %). A side that it learned better looks easier.",
            probes.deepest
        ));
    }
    let mut players = study.players.iter();
    if players.any(|player| player.trained_on.is_some()) {
        notes.push(
            "A network gets the ruleset's fields as input planes (all but the match format and the captureless \
             reason; for a captureless limit, how near it is). A network that never learned a field's other value \
             does not know its meaning: its games show the effect of the rule on play that ignores it. Networks were \
             not trained further for this study."
                .to_owned(),
        );
    }
    notes
}

/// Returns warnings about the numbers.
pub(super) fn warnings(study: &Study, cells: &[Cell]) -> Vec<Warning> {
    let openings = study.rulesets.iter().filter_map(|(ruleset, _)| {
        let (found, asked) = (ruleset.openings, study.openings);
        (found < asked).then(|| Warning {
            kind: WarningKind::FewOpenings,
            ruleset: Some(ruleset.name.clone()),
            player: None,
            text: format!(
                "{}: only {found} of {asked} openings are distinct and playable; the others were left out",
                ruleset.name
            ),
        })
    });
    openings
        .chain(cells.iter().flat_map(|cell| of_cell(study, cell)))
        .collect()
}

fn of_cell(study: &Study, cell: &Cell) -> Vec<Warning> {
    let ruleset = &cell.ruleset;
    let mut players = study.players.iter();
    let player = players.find(|it| it.name == cell.player);
    let player = player.map_or(&cell.player, |it| &it.title);
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
        player: Some(cell.player.clone()),
        text,
    };
    found.into_iter().map(warning).collect()
}

fn weak(ruleset: &str, player: &str, strength: &MeasuredStrength) -> String {
    let elo = strength.elo;
    let is_below = elo.value < strength.wanted_elo;
    let found = if is_below {
        "below"
    } else {
        "which does not show"
    };
    format!(
        "{player} under {ruleset}: {:+.0} Elo ({:+.0} to {:+.0}) relative to {}, {found} the required {:+.0}; weak play \
         favors the defenders",
        elo.value, elo.low, elo.high, strength.reference, strength.wanted_elo
    )
}
