//! Why a verdict is to be taken with care.

use super::super::{Cell, Summary};

/// Says about which rulesets there are warnings, and first of how few games the verdict is.
pub(super) fn caution(summary: &Summary, cells: &[&Cell]) -> Option<String> {
    let warned = cells.iter().filter(|cell| summary.is_warned(cell));
    let names: Vec<&str> = warned.map(|cell| &*cell.ruleset).collect();
    let about = match names.len() {
        0 => return None,
        count if count == cells.len() => "every ruleset".to_owned(),
        _ => names.join(", "),
    };
    let few = few_games(cells).unwrap_or_default();
    Some(format!(
        "Take this with care: {few}there are warnings about {about}."
    ))
}

/// Says which rulesets have few games, and how many.
fn few_games(cells: &[&Cell]) -> Option<String> {
    let few = cells.iter().filter(|cell| cell.has_few_games());
    let few: Vec<(&str, u64)> = few
        .map(|cell| (&*cell.ruleset, cell.results.games()))
        .collect();
    let counts = || few.iter().map(|(_, games)| *games);
    let (fewest, most) = (counts().min()?, counts().max()?);
    let names: Vec<&str> = few.iter().map(|(name, _)| *name).collect();
    let of = match names.len() {
        count if count > 1 && count == cells.len() => "each ruleset".to_owned(),
        _ => names.join(", "),
    };
    let games = match (fewest, most) {
        (1, 1) => "1 game".to_owned(),
        (fewest, most) if fewest == most => format!("{most} games"),
        (fewest, most) => format!("{fewest} to {most} games"),
    };
    Some(format!(
        "only {games} of {of}, and scores of few games lean towards 50 %; "
    ))
}
