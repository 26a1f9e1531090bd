//! What a study says, in a few sentences for people who read no tables.

use super::{Cell, Effect, StudyKind, StudyPlayer, Summary};
use crate::Estimate;

/// Games under each ruleset with which a player comes before a weaker one: they make an interval of a score of at
/// most 5 points to either side. It is not judged by the interval itself, which is narrow where a weak side always loses. Where
/// no player has so many, half of the most must do.
const ENOUGH_GAMES: u64 = 385;

/// A probability from which on something is said without a "may".
const SURE: f64 = 0.95;

/// A probability below which a ruleset is no candidate for the fairest.
const POSSIBLE: f64 = 0.05;

/// Returns the answer of a study: the fairest ruleset, or what changes of rules do, by how much and how sure; and the name of the
/// player by whose games it goes. Nothing where no player played every ruleset.
pub(super) fn verdict(summary: &Summary) -> Option<(String, Vec<String>)> {
    let player = chosen_player(summary)?;
    let cells: Vec<&Cell> = summary.cells_of(&player.name).collect();
    let mut sentences = match summary.study.kind {
        StudyKind::Rulesets => of_rulesets(summary, &cells),
        StudyKind::Variants => of_changes(summary, &cells),
    };
    sentences.extend(caution(summary, &cells));
    Some((player.name.clone(), sentences))
}

/// Returns the player by whose games a verdict goes: a network that learned every ruleset before others, then one of many games,
/// then the strongest.
fn chosen_player(summary: &Summary) -> Option<&StudyPlayer> {
    let fewest_games = |player: &StudyPlayer| {
        let games = summary.cells_of(&player.name).map(|it| it.results.games());
        games.min().unwrap_or(0)
    };
    let has_learned_all = |player: &&StudyPlayer| {
        let mut cells = summary.cells_of(&player.name);
        cells.all(|cell| cell.trained == Some(true))
    };
    let players = summary.study.players.iter();
    let mut players: Vec<&StudyPlayer> = players.filter(|it| fewest_games(it) > 0).collect();
    if players.iter().any(has_learned_all) {
        players.retain(has_learned_all);
    }
    let most = players.iter().map(|it| fewest_games(it)).max()?;
    players.retain(|it| fewest_games(it) >= ENOUGH_GAMES.min(most / 2));
    players.into_iter().max_by_key(|it| it.strength)
}

fn of_rulesets(summary: &Summary, cells: &[&Cell]) -> Vec<String> {
    let by_fairness = by_fairness(summary, cells);
    let mut others: Vec<&Cell> = match &by_fairness[..] {
        [] => return Vec::new(),
        [(only, _)] => return vec![under(summary, only)],
        [_, others @ ..] => others.iter().map(|(cell, _)| *cell).collect(),
    };
    others.sort_by(|one, other| one.imbalance.value.total_cmp(&other.imbalance.value));
    let others = others
        .iter()
        .map(|it| format!("{} {}", it.ruleset, it.score.in_percent()));
    let others = others.collect::<Vec<_>>().join(", ");
    vec![
        fairest(summary, &by_fairness),
        format!("Then, from the fairest on: {others}."),
        favored(cells),
    ]
}

/// Returns the cells with the probability of each to be the most even, the most likely first.
fn by_fairness<'a>(summary: &Summary, cells: &[&'a Cell]) -> Vec<(&'a Cell, f64)> {
    let probability = |cell: &Cell| {
        let mut rankings = summary.rankings.iter();
        let own = rankings.find(|it| it.player == cell.player && it.ruleset == cell.ruleset);
        own.map_or(0.0, |ranking| ranking.probability)
    };
    let mut cells: Vec<_> = cells
        .iter()
        .map(|&cell| (cell, probability(cell)))
        .collect();
    cells.sort_by(|one, other| {
        let by_distance = one.0.imbalance.value.total_cmp(&other.0.imbalance.value);
        other.1.total_cmp(&one.1).then(by_distance)
    });
    cells
}

fn fairest(summary: &Summary, by_fairness: &[(&Cell, f64)]) -> String {
    let (best, probability) = by_fairness[0];
    let (name, score) = (&best.ruleset, score_of(summary, best));
    let (count, likely) = (by_fairness.len(), chance(probability));
    if probability >= SURE && summary.is_warned(best) {
        return format!(
            "{name} came out nearest to even of the {count} rulesets, but there are warnings about its games: {score}."
        );
    }
    if probability >= SURE {
        return format!("{name} is the fairest of the {count} rulesets ({likely} sure): {score}.");
    }
    let others = by_fairness[1..].iter().filter(|it| it.1 >= POSSIBLE);
    let others = others.map(|(cell, it)| format!(", {} {}", cell.ruleset, chance(*it)));
    format!(
        "{name} may be the fairest of the {count} rulesets, but the games do not settle it ({name} {likely} likely{}): {score}.",
        others.collect::<String>()
    )
}

fn under(summary: &Summary, cell: &Cell) -> String {
    format!("Under {}, {}.", cell.ruleset, score_of(summary, cell))
}

fn score_of(summary: &Summary, cell: &Cell) -> String {
    format!(
        "between equal players ({}) attackers score {}",
        summary.title(&cell.player),
        cell.score.in_percent()
    )
}

/// Says which side each ruleset favors, as far as the intervals show.
fn favored(cells: &[&Cell]) -> String {
    let part = |ahead: &str, all: &str, is_so: fn(&Estimate) -> bool| {
        let names = cells.iter().filter(|cell| is_so(&cell.score));
        let names: Vec<&str> = names.map(|cell| &*cell.ruleset).collect();
        if names.is_empty() {
            return None;
        }
        let names = if names.len() == cells.len() {
            format!("{all} of them")
        } else {
            names.join(", ")
        };
        Some(format!("{ahead} ahead in {names}"))
    };
    let parts = [
        part("the defenders are", "all", |it| it.high < 0.5),
        part("the attackers are", "all", |it| it.low > 0.5),
        part("neither side is clearly", "any", |it| it.holds(0.5)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{}.", capital(&parts.join("; ")))
}

fn of_changes(summary: &Summary, cells: &[&Cell]) -> Vec<String> {
    let is_own = |effect: &&Effect| effect.player == cells[0].player;
    let effects: Vec<&Effect> = summary.effects.iter().filter(is_own).collect();
    let with_points = |it: &&Effect| format!("{} {}", changed(it), it.difference.in_points());
    let is_clear = |effect: &&&Effect| effect.clear;
    let clear: Vec<String> = effects.iter().filter(is_clear).map(with_points).collect();
    let count = effects.len();
    let answer = if clear.is_empty() {
        format!("None of {count} changes moves the attackers' score clearly.")
    } else {
        let effects = clear.join("; ");
        format!("Clear effects on the attackers' score, of {count} changes: {effects}.")
    };
    vec![
        under(summary, cells[0]),
        answer,
        fairest_change(&effects, cells),
    ]
}

fn fairest_change(effects: &[&Effect], cells: &[&Cell]) -> String {
    let fairer = effects.iter().filter(|it| it.clearly_more_balanced);
    let nearer = |it: &&&Effect| it.imbalance_difference.value;
    let best = fairer.min_by(|one, other| nearer(one).total_cmp(&nearer(other)));
    let Some(best) = best else {
        return "No change makes the ruleset fairer for certain.".to_owned();
    };
    let cell = cells.iter().find(|it| it.ruleset == best.ruleset);
    format!(
        "Nearest to even comes {}: attackers score {} then ({} sure that this is fairer).",
        changed(best),
        cell.map_or_else(String::new, |cell| cell.score.in_percent()),
        chance(best.more_balanced)
    )
}

/// Says about which rulesets there are warnings.
fn caution(summary: &Summary, cells: &[&Cell]) -> Option<String> {
    let warned = cells.iter().filter(|cell| summary.is_warned(cell));
    let names: Vec<&str> = warned.map(|cell| &*cell.ruleset).collect();
    let about = match names.len() {
        0 => return None,
        count if count == cells.len() => "every ruleset".to_owned(),
        _ => names.join(", "),
    };
    Some(format!(
        "Take this with care: there are warnings about {about}."
    ))
}

fn changed(effect: &Effect) -> String {
    let change = &effect.change;
    format!("{} {} instead of {}", change.field, change.to, change.from)
}

/// Returns a probability in per cent; samples of a posterior never prove anything.
fn chance(probability: f64) -> String {
    match (100.0 * probability).round() {
        100.0.. => "more than 99 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
