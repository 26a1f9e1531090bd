//! What keeps a reader from taking the numbers of a study at face value.

use super::{Cell, MeasuredStrength, Study, Warning, WarningKind};

/// Share of cut games above which their results weigh too much.
const MOST_CAPPED: f64 = 0.05;

/// Share of drawn games above which the score says little of the sides.
const MOST_DRAWN: f64 = 0.5;

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
