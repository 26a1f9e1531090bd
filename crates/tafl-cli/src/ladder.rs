//! The tables at the end of a run: how strong each checkpoint is.

use crate::seat::Seat;
use crate::stages::Played;
use crate::table::{self, Align};
use tafl_arena::{Estimate, PairCounts, RatingError, Ratings, SideResults, Tally, rate};
use tafl_rules::Side;

/// Returns both tables: ratings of all players, and the last checkpoint against each opponent.
pub(crate) fn tables(matches: &[Played]) -> Result<String, RatingError> {
    let players = players(matches);
    if players.is_empty() {
        return Ok("No matches were played.\n".to_owned());
    }
    let mut text = ratings(&players, matches)?;
    let last = players
        .iter()
        .rev()
        .find(|seat| matches!(seat, Seat::Checkpoint(_)));
    if let Some(&last) = last {
        text.push('\n');
        text.push_str(&opponents(last, &players, matches));
    }
    Ok(text)
}

/// Where a player stands in a run.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) elo: Estimate,
    /// Whose Elo is 0.
    pub(crate) above: Seat,
    pub(crate) games: u64,
}

/// Returns where a player stands, if there are matches that tie it to the first one of the ladder.
pub(crate) fn standing(seat: Seat, matches: &[Played]) -> Result<Option<Standing>, RatingError> {
    let players = players(matches);
    let place = players.iter().position(|&player| player == seat);
    // The first player is 0 by definition, which says nothing of it.
    let Some(place) = place.filter(|&place| place > 0) else {
        return Ok(None);
    };
    let elo = rated(&players, matches)?.1.players[place];
    let games = Side::ALL.map(|side| tally(matches, seat, None, side).games());
    Ok(Some(Standing {
        elo,
        above: players[0],
        games: games[0] + games[1],
    }))
}

/// Returns everyone who played, checkpoints by age in front.
fn players(matches: &[Played]) -> Vec<Seat> {
    let mut players: Vec<Seat> = matches.iter().flat_map(|played| played.seats).collect();
    players.sort_by_key(|seat| seat.number());
    players.dedup();
    players
}

/// Returns the rulesets that were played, by name, and the ratings.
fn rated<'a>(
    players: &[Seat],
    matches: &'a [Played],
) -> Result<(Vec<&'a str>, Ratings), RatingError> {
    let number = |seat: Seat| {
        players
            .iter()
            .position(|&player| player == seat)
            .unwrap_or(0)
    };
    let mut rulesets: Vec<&str> = matches
        .iter()
        .map(|played| played.result.ruleset.as_str())
        .collect();
    rulesets.sort_unstable();
    rulesets.dedup();
    let results: Vec<SideResults> = matches
        .iter()
        .flat_map(|played| {
            let name = played.result.ruleset.as_str();
            let ruleset = rulesets.binary_search(&name).unwrap_or(0);
            played
                .result
                .side_results(played.seats.map(number), ruleset)
        })
        .collect();
    let ratings = rate(players.len(), rulesets.len(), &results, 0)?;
    Ok((rulesets, ratings))
}

fn ratings(players: &[Seat], matches: &[Played]) -> Result<String, RatingError> {
    let (rulesets, ratings) = rated(players, matches)?;
    let rows: Vec<Vec<String>> = players
        .iter()
        .zip(&ratings.players)
        .map(|(&seat, rating)| {
            let [attackers, defenders] = Side::ALL.map(|side| tally(matches, seat, None, side));
            let games = (attackers + defenders).games();
            vec![
                seat.to_string(),
                elo(rating),
                counts(attackers),
                counts(defenders),
                games.to_string(),
            ]
        })
        .collect();
    let head = [
        ("player", Align::Left),
        ("Elo", Align::Right),
        ("attackers W/D/L", Align::Right),
        ("defenders W/D/L", Align::Right),
        ("games", Align::Right),
    ];
    let advantages = rulesets
        .iter()
        .zip(&ratings.rulesets)
        .map(|(name, rating)| {
            let advantage = elo(&rating.attacker_advantage);
            format!("{advantage} ({name})")
        });
    let advantage = advantages.collect::<Vec<_>>().join(", ");
    Ok(format!(
        "Elo above {}, with 95 % intervals; the attackers' side is worth {advantage}\n\n{}",
        players[0],
        table::format(&head, &rows)
    ))
}

fn opponents(last: Seat, players: &[Seat], matches: &[Played]) -> String {
    let rows: Vec<Vec<String>> = players
        .iter()
        .filter(|&&opponent| opponent != last && meetings(matches, last, opponent).next().is_some())
        .map(|&opponent| {
            let [attackers, defenders] =
                Side::ALL.map(|side| tally(matches, last, Some(opponent), side));
            let elo = pairs(matches, last, opponent).elo();
            vec![
                opponent.to_string(),
                format!("{:+.0} ({:+.0} to {:+.0})", elo.elo, elo.low, elo.high),
                counts(attackers),
                counts(defenders),
            ]
        })
        .collect();
    let head = [
        ("opponent", Align::Left),
        ("Elo (95 % interval)", Align::Right),
        ("attackers W/D/L", Align::Right),
        ("defenders W/D/L", Align::Right),
    ];
    format!(
        "{last} against each of its opponents\n\n{}",
        table::format(&head, &rows)
    )
}

/// Iterates over the matches of two players, each with the place of the first one in it.
fn meetings(
    matches: &[Played],
    player: Seat,
    opponent: Seat,
) -> impl Iterator<Item = (&Played, usize)> {
    matches.iter().filter_map(move |played| match played.seats {
        [first, second] if first == player && second == opponent => Some((played, 0)),
        [first, second] if first == opponent && second == player => Some((played, 1)),
        _ => None,
    })
}

/// Counts a player's games with one side, against one opponent or all.
fn tally(matches: &[Played], player: Seat, opponent: Option<Seat>, side: Side) -> Tally {
    let mut sum = Tally::default();
    for played in matches {
        for place in [0, 1] {
            let met = opponent.is_none_or(|opponent| played.seats[1 - place] == opponent);
            if played.seats[place] == player && met {
                sum = sum + played.result.tally(place, side);
            }
        }
    }
    sum
}

fn pairs(matches: &[Played], player: Seat, opponent: Seat) -> PairCounts {
    let mut sum = PairCounts::default();
    for (played, place) in meetings(matches, player, opponent) {
        let counts = played.result.pair_counts();
        let counts = if place == 0 {
            counts
        } else {
            counts.for_opponent()
        };
        sum.0
            .iter_mut()
            .zip(counts.0)
            .for_each(|(sum, count)| *sum += count);
    }
    sum
}

fn elo(estimate: &Estimate) -> String {
    let margin = (estimate.high - estimate.low) / 2.0;
    if margin < 0.5 {
        return format!("{:.0}", estimate.value);
    }
    // Adding 0 after rounding makes +0 of -0.
    format!("{:+.0} ± {margin:.0}", estimate.value.round() + 0.0)
}

/// Returns wins, draws (capped games included) and losses.
fn counts(tally: Tally) -> String {
    format!(
        "{}/{}/{}",
        tally.wins,
        tally.draws + tally.capped,
        tally.losses
    )
}
