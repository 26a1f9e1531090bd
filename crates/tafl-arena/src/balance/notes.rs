//! What readers of a study must know: how its numbers were made, and where they say little.

use super::{Cell, MeasuredStrength, StudyKind, Summary, Warning, WarningKind};

/// Share of cut games above which their results weigh too much.
const MOST_CAPPED: f64 = 0.05;

/// Share of drawn games above which the score says little of the sides.
const MOST_DRAWN: f64 = 0.5;

/// Returns how the numbers were made.
pub(super) fn notes(summary: &Summary) -> Vec<String> {
    let study = &summary.study;
    let mut notes = vec![
        "Scores, Elo and results are the attackers'. Each player plays itself: the same on both sides, though it may have learned \
         one side better."
            .to_owned(),
        openings(summary),
        "Intervals are 95 %. Probabilities of win, draw and loss have a Dirichlet posterior with Jeffreys' prior; \
         games that were cut count as draws. Elo is 400 log10(score / (1 - score)). Balance is the distance of the score from 1/2."
            .to_owned(),
        "\"Clear\" means a two-sided tail probability below 0.05 after Holm's correction for all pairs of rulesets, or all \
         variants, of one player. Players and strengths are not corrected for, nor is which side is ahead; the \
         probability of being the most balanced is joint and needs no correction."
            .to_owned(),
    ];
    if study.kind == StudyKind::Variants {
        notes.push(
            "An effect is the variant's score minus the base's over the openings that both played. The nine pairs of \
             results have a Dirichlet posterior with 1/6 pseudo-opening each, so the effects of the openings cancel."
                .to_owned(),
        );
    }
    if let Some(measured) = summary.difficulties.first() {
        notes.push(format!(
            "How hard a side is: the visits from which on every search of a network chooses the move that it chooses with \
             {}; geometric means over positions of its own games, one a game and side, that it did not take for decided \
             (expected score 10 to 90 %). A side that it learned better looks easier.",
            measured.deepest
        ));
    }
    if study.players.iter().any(|it| it.trained_on.is_some()) {
        notes.push(
            "A network gets the ruleset's fields as input planes (all but the match format and the captureless \
             reason; for a captureless limit, how near it is). A network that never learned a field's other value \
             does not know its meaning: its games show the effect of the rule on play that ignores it."
                .to_owned(),
        );
    }
    notes
}

/// Returns where openings came from, and how many games they gave twice.
fn openings(summary: &Summary) -> String {
    let study = &summary.study;
    let shared = match study.kind {
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
    let repeated: u64 = summary.cells.iter().map(|cell| cell.repeated).sum();
    let counted: u64 = summary.cells.iter().map(|it| it.results.games()).sum();
    format!(
        "Games of one player differ by their openings: {plies}, {shared}. Each player plays each opening once. A \
         game that ends in the same position after as many plies as another one is that game again, and counts once: \
         {repeated} of {} games are left out.",
        counted + repeated
    )
}

/// Returns warnings about the numbers.
pub(super) fn warnings(summary: &Summary) -> Vec<Warning> {
    let asked = summary.study.openings;
    let rulesets = summary.study.rulesets.iter();
    let few = rulesets.filter(|it| it.openings < asked);
    let few = few.map(|ruleset| Warning {
        kind: WarningKind::FewOpenings,
        ruleset: Some(ruleset.name.clone()),
        player: None,
        text: format!(
            "{}: only {} of {asked} openings are distinct and playable; the others were left out",
            ruleset.name, ruleset.openings
        ),
    });
    let of_cells = summary.cells.iter().flat_map(|cell| of_cell(summary, cell));
    few.chain(of_cells).collect()
}

fn of_cell(summary: &Summary, cell: &Cell) -> Vec<Warning> {
    let (ruleset, player) = (&cell.ruleset, summary.title(&cell.player));
    let mut found = Vec::new();
    if cell.trained == Some(false) {
        let text = format!("{player} never learned {ruleset}; its games say little about it");
        found.push((WarningKind::Untrained, text));
    }
    if let Some(strength) = cell.strength.as_ref().filter(|it| !it.enough) {
        let text = format!("{player} under {ruleset}: {}", weak(strength));
        found.push((WarningKind::Weak, text));
    }
    let (results, games) = (&cell.results, cell.results.games());
    let (capped, drawn) = (results.capped, results.draws);
    if cell.has_few_games() {
        let games = match games {
            1 => "1 game".to_owned(),
            games => format!("{games} games"),
        };
        let text = format!("{player} under {ruleset}: only {games}, which tell little");
        found.push((WarningKind::FewGames, text));
    }
    if capped as f64 > MOST_CAPPED * games as f64 {
        let limit = summary.study.max_plies;
        let text = format!(
            "{player} under {ruleset}: {capped} of {games} games were cut at {limit} plies and score half"
        );
        found.push((WarningKind::Capped, text));
    }
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

fn weak(strength: &MeasuredStrength) -> String {
    let elo = strength.elo;
    let found = if elo.value < strength.wanted_elo {
        "below"
    } else {
        "which does not show"
    };
    format!(
        "{:+.0} Elo ({:+.0} to {:+.0}) relative to {}, {found} the required {:+.0}; weak play favors the defenders",
        elo.value, elo.low, elo.high, strength.reference, strength.wanted_elo
    )
}
