//! Whose games a verdict goes by, and what its other strengths and other kinds of players say.

use super::super::{Cell, StudyPlayer, Summary};
use super::{by_fairness, score_with_draws};
use crate::Estimate;
use crate::balance::StudyKind;
use std::cmp::Ordering;
use tafl_samples::Family;

/// Games under each ruleset with which a player comes before a weaker one: they make an interval of a score of at
/// most 5 points to either side. It is not judged by the interval itself, which is narrow where a weak side always loses. Where
/// no player has so many, half of the most must do.
const ENOUGH_GAMES: u64 = 385;

/// Difference between the scores of two strengths of a player from which on a verdict depends on the strength.
const MOVES_FAR: f64 = 0.1;

/// Difference of two distances from even below which neither ruleset is nearer.
pub(super) const TIED: f64 = 0.005;

/// Returns the player by whose games a verdict goes: a network that learned every ruleset before others, then one of many games,
/// then the strongest.
pub(super) fn speaker(summary: &Summary) -> Option<&StudyPlayer> {
    let has_learned_all = |player: &&StudyPlayer| {
        let mut cells = summary.cells_of(&player.name);
        cells.all(|cell| cell.trained == Some(true))
    };
    let mut players: Vec<&StudyPlayer> = summary.study.players.iter().collect();
    players.retain(|it| fewest_games(summary, it) > 0);
    if players.iter().any(has_learned_all) {
        players.retain(has_learned_all);
    }
    strongest(summary, &with_enough_games(summary, players))
}

fn fewest_games(summary: &Summary, player: &StudyPlayer) -> u64 {
    let games = summary.cells_of(&player.name).map(|it| it.results.games());
    games.min().unwrap_or(0)
}

fn with_enough_games<'a>(
    summary: &'a Summary,
    mut players: Vec<&'a StudyPlayer>,
) -> Vec<&'a StudyPlayer> {
    let games = |player: &&StudyPlayer| fewest_games(summary, player);
    let most = players.iter().map(games).max().unwrap_or(0);
    players.retain(|it| games(it) >= ENOUGH_GAMES.min(most / 2).max(1));
    players
}

/// Returns the strongest player. Strengths of one kind are compared by their number, kinds by their matches with the reference
/// opponent, as visits are not turns; where those do not tell, by how they search.
fn strongest<'a>(summary: &Summary, players: &[&'a StudyPlayer]) -> Option<&'a StudyPlayer> {
    let mut kinds: Vec<&StudyPlayer> = Vec::new();
    for &player in players {
        match kinds.iter_mut().find(|it| it.family == player.family) {
            Some(own) if own.strength < player.strength => *own = player,
            Some(_) => {}
            None => kinds.push(player),
        }
    }
    let are_measured = kinds.iter().all(|it| rating(summary, it).is_some());
    let by_matches = |one: &StudyPlayer, other: &StudyPlayer| {
        let ratings = [one, other].map(|it| rating(summary, it));
        match ratings {
            [Some(one), Some(other)] if are_measured => order(&one, &other),
            _ => Ordering::Equal,
        }
    };
    kinds.into_iter().max_by(|one, other| {
        let by_kind = kind(one).cmp(&kind(other));
        by_matches(one, other).then(by_kind)
    })
}

/// Returns which of two ratings is higher; equal where their intervals do not tell.
fn order(one: &Estimate, other: &Estimate) -> Ordering {
    match one.low > other.high || other.low > one.high {
        true => one.value.total_cmp(&other.value),
        false => Ordering::Equal,
    }
}

/// Returns Elo points above the reference opponent, the mean over rulesets; nothing if that was not measured.
fn rating(summary: &Summary, player: &StudyPlayer) -> Option<Estimate> {
    let mut measured = summary.cells.iter().filter_map(|it| it.strength.as_ref());
    if measured.any(|it| it.reference == player.name) {
        return Some(Estimate::exact(0.0));
    }
    let own = summary.cells_of(&player.name);
    let own: Vec<Estimate> = own
        .filter_map(|it| Some(it.strength.as_ref()?.elo))
        .collect();
    (!own.is_empty()).then(|| Estimate::mean(&own))
}

/// Returns a number that is higher the better a kind of player usually plays.
fn kind(player: &StudyPlayer) -> usize {
    let mut baselines = Family::ALL.iter().rev();
    let place = baselines.position(|it| it.name() == player.family);
    place.unwrap_or(Family::ALL.len())
}

/// Compares the speaker with its next lower strength; returns whether the answer would be another one, and a sentence about it,
/// if there is something to say.
pub(super) fn steadiness(summary: &Summary, speaker: &StudyPlayer) -> (bool, Option<String>) {
    let players = summary.study.players.iter();
    let lower = players.filter(|it| it.family == speaker.family && it.strength < speaker.strength);
    let lower = with_enough_games(summary, lower.collect());
    let Some(lower) = lower.into_iter().max_by_key(|it| it.strength) else {
        let are_few = summary.cells_of(&speaker.name).any(Cell::has_few_games);
        let which = if are_few { "No" } else { "Only one" };
        let sentence = format!(
            "{which} strength has enough games: what more thought changes, they do not say."
        );
        return (false, speaker.strength.map(|_| sentence));
    };
    let of_lower = |cell: &Cell| {
        let mut own = summary.cells_of(&lower.name);
        own.find(|it| it.ruleset == cell.ruleset && !it.is_mostly_cut())
    };
    let pairs = summary.cells_of(&speaker.name);
    let pairs = pairs.filter(|cell| !cell.is_mostly_cut());
    let pairs = pairs.filter_map(|cell| Some((cell, of_lower(cell)?)));
    let distance = |(cell, before): &(&Cell, &Cell)| (cell.score.value - before.score.value).abs();
    let farthest = pairs.max_by(|one, other| distance(one).total_cmp(&distance(other)));
    let moved = farthest.filter(|pair| {
        let (cell, before) = (pair.0.score, pair.1.score);
        distance(pair) >= MOVES_FAR && (cell.low > before.high || cell.high < before.low)
    });
    let sentence = moved.map(|(cell, before)| {
        format!(
            "Scores move with the strength: with {} attackers score {} in {} instead of {}.",
            lower.title,
            before.score.in_percent(),
            cell.ruleset,
            cell.score.in_percent()
        )
    });
    (sentence.is_some(), sentence)
}

/// Says what other kinds of players, each at its strongest, would say instead; nothing where they agree.
pub(super) fn disagreement(summary: &Summary, speaker: &StudyPlayer) -> Option<String> {
    let players = summary.study.players.iter();
    let mut others: Vec<&StudyPlayer> = players
        .filter(|it| it.family != speaker.family && fewest_games(summary, it) > 0)
        .collect();
    others = with_enough_games(summary, others);
    let mut sentences = Vec::new();
    while let Some(other) = strongest(summary, &others) {
        others.retain(|it| it.family != other.family);
        sentences.extend(other_answer(summary, speaker, other));
    }
    let sentences = sentences.join("; ");
    (!sentences.is_empty()).then(|| format!("Other kinds of players disagree: {sentences}."))
}

fn other_answer(summary: &Summary, speaker: &StudyPlayer, other: &StudyPlayer) -> Option<String> {
    let own: Vec<&Cell> = summary.cells_of(&speaker.name).collect();
    let others: Vec<&Cell> = summary.cells_of(&other.name).collect();
    let (first, first_of_other) = (first(summary, &own)?, first(summary, &others)?);
    let same = others.iter().find(|it| it.ruleset == first.ruleset)?;
    if [first, first_of_other, *same]
        .iter()
        .any(|it| it.is_mostly_cut())
    {
        return None;
    }
    let (one, another) = (first.score, same.score);
    let title = format!("{}{}", other.title, distance(summary, speaker, other));
    let is_tied = same.imbalance.value - first_of_other.imbalance.value < TIED;
    if first.ruleset != first_of_other.ruleset && !is_tied {
        let (name, score) = (&first_of_other.ruleset, score_with_draws(first_of_other));
        return Some(format!(
            "to {title}, {name} is nearest to even, with {score}"
        ));
    }
    let is_apart = one.low > another.high || one.high < another.low;
    is_apart.then(|| {
        let (name, score) = (&first.ruleset, score_with_draws(same));
        format!("with {title}, attackers score {score} in {name}")
    })
}

/// Returns the cell that a player's answer begins with: the fairest ruleset, or the base of the variants.
fn first<'a>(summary: &Summary, cells: &[&'a Cell]) -> Option<&'a Cell> {
    match summary.study.kind {
        StudyKind::Rulesets => by_fairness(summary, cells).first().map(|it| it.0),
        StudyKind::Variants => cells.first().copied(),
    }
}

/// Returns how much weaker or stronger another player is than the speaker; nothing where that was not measured.
fn distance(summary: &Summary, speaker: &StudyPlayer, other: &StudyPlayer) -> String {
    let ratings = [speaker, other].map(|it| rating(summary, it));
    let [Some(own), Some(other)] = ratings else {
        return String::new();
    };
    let points = (own.value - other.value).abs();
    match order(&own, &other) {
        Ordering::Equal => " (who is stronger is open)".to_owned(),
        Ordering::Greater => format!(" ({points:.0} Elo weaker)"),
        Ordering::Less => format!(" ({points:.0} Elo stronger)"),
    }
}
