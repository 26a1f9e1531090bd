//! The tables of standings as text.

use super::table::{self, Align, signed};
use tafl_arena::{Estimate, LEAST_PAIRS, SprtConfig, Tally, Verdict, rounded};
use tafl_studies::{MatchRow, PlayerRow, RulesetRow, SprtRow, Standings};

/// Returns all tables of standings.
pub(crate) fn tables(standings: &Standings) -> String {
    let mut parts = vec![players(standings), rulesets(standings), matches(standings)];
    parts.extend(forfeits(standings));
    if standings.players.len() > 2 {
        parts.push(superiority(standings));
    }
    let tested = standings.sprt.as_ref().zip(standings.matches.first());
    parts.extend(tested.map(|(sprt, met)| sprt_line(sprt, &met.players)));
    parts.join("\n")
}

fn players(standings: &Standings) -> String {
    let head = "player | >Elo | >bootstrap | >attackers W/D/L | >defenders W/D/L | >games | >score";
    let row = |player: &PlayerRow| {
        let both = player.attackers + player.defenders;
        vec![
            player.name.clone(),
            with_margin(player.elo),
            player.bootstrap.map_or_else(String::new, range),
            counts(player.attackers),
            counts(player.defenders),
            both.games().to_string(),
            percent(both.score()),
        ]
    };
    let table = table::of(head, standings.players.iter().map(row));
    let anchor = &standings.anchor;
    let mut names = standings.players.iter().map(|player| &player.name);
    let note = if names.any(|name| name.contains('@')) {
        "\nNAME@VISITS is a player with so many visits a move.\n"
    } else {
        ""
    };
    let unsure = unsure_of(standings);
    format!("Elo above {anchor}, with 95 % intervals\n\n{table}{note}{unsure}")
}

/// Says which numbers of the table are known badly, or not at all.
fn unsure_of(standings: &Standings) -> String {
    let games = |it: &PlayerRow| it.attackers + it.defenders;
    let players = standings.players.iter();
    let players: Vec<_> = players.map(|it| (&*it.name, games(it))).collect();
    let mut note = unsure_of_games(&players);
    let lacks = |it: &PlayerRow| it.bootstrap.is_none() && it.name != standings.anchor;
    if standings.bootstrap_resamples > 0 && standings.players.iter().any(lacks) {
        note += &format!(
            "\nNo bootstrap interval from fewer than {LEAST_PAIRS} pairs of games, nor where they all end alike.\n"
        );
    }
    note
}

/// Says of players with their games whose Elo is known badly, or not at all.
pub(super) fn unsure_of_games(players: &[(&str, Tally)]) -> String {
    let named = |is_meant: fn(Tally) -> bool| {
        let meant = players.iter().filter(|(_, games)| is_meant(*games));
        meant.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    let mut note = String::new();
    if !named(|games| games.decided() < games.games()).is_empty() {
        note += "\nThis Elo is of games that were won: 400 are 10 wins for each loss, however many are drawn; few decided games make it wide.\n";
    }
    let drawn = named(|games| games.is_hardly_decided());
    if !drawn.is_empty() {
        note += &format!(
            "\nGames drawn, and fewer than ten decided, or a tenth: {drawn}. Their scores say more than this Elo.\n"
        );
    }
    let one_sided = named(|games| !games.is_mixed());
    if !one_sided.is_empty() {
        note += &format!(
            "\nWon or lost every game: {one_sided}. How far, no game says: their Elo is hardly more than what is assumed beforehand, 0 ± 2000.\n"
        );
    }
    note
}

fn rulesets(standings: &Standings) -> String {
    let row = |ruleset: &RulesetRow| {
        vec![
            ruleset.name.clone(),
            with_margin(ruleset.attacker_advantage),
            ruleset.even_draw_rate.text("", percent),
            counts(ruleset.attackers),
            percent(ruleset.attackers.score()),
        ]
    };
    let head = "ruleset | >attackers' side | >draws at equal strength | >attackers W/D/L | >score";
    let table = table::of(head, standings.rulesets.iter().map(row));
    format!("Elo advantage of the attackers\n\n{table}")
}

fn matches(standings: &Standings) -> String {
    let head = "match | ruleset | >attackers W/D/L | >defenders W/D/L | >pairs 0-½-1-1½-2 | >Elo (95 % interval) | \
                >two sets W/D/L/undecided";
    let row = |row: &MatchRow| {
        let sets = row.sets.as_ref().map(|sets| sets.tally);
        vec![
            row.players.join(" - "),
            row.ruleset.clone(),
            counts(row.attackers),
            counts(row.defenders),
            row.pairs.map(|count| count.to_string()).join("-"),
            row.elo.text("", signed),
            sets.map_or_else(String::new, |sets| {
                let numbers = [sets.wins, sets.draws, sets.losses, sets.undecided];
                numbers.map(|count| count.to_string()).join("/")
            }),
        ]
    };
    let table = table::of(head, standings.matches.iter().map(row));
    format!(
        "Matches, from the first player's point of view; an Elo here is by these games alone, above by all and by side\n\n\
         {table}"
    )
}

/// Returns which games were lost otherwise than on the board, if any were.
fn forfeits(standings: &Standings) -> Option<String> {
    let rows = standings.matches.iter().flat_map(|row| {
        row.forfeits.iter().map(|forfeit| {
            vec![
                forfeit.player.clone(),
                forfeit.reason.to_owned(),
                row.players.join(" - "),
                row.ruleset.clone(),
                forfeit.games.to_string(),
            ]
        })
    });
    let mut rows = rows.peekable();
    rows.peek()?;
    let table = table::of("player | reason | match | ruleset | >games", rows);
    Some(format!("Forfeited games; they count as losses\n\n{table}"))
}

fn superiority(standings: &Standings) -> String {
    let numbers: Vec<String> = (1..=standings.players.len())
        .map(|n| n.to_string())
        .collect();
    let mut head = vec![("player", Align::Left)];
    head.extend(numbers.iter().map(|number| (number.as_str(), Align::Right)));
    let row = |(row, player): (usize, &PlayerRow)| {
        let shares = standings.superiority[row].iter().enumerate();
        let cells = shares.map(|(column, &share)| {
            if row == column {
                "-".to_owned()
            } else {
                probability(share)
            }
        });
        let name = format!("{} {}", row + 1, player.name);
        [name].into_iter().chain(cells).collect()
    };
    let rows: Vec<_> = standings.players.iter().enumerate().map(row).collect();
    let table = table::format(&head, &rows);
    format!("Probability that the row's player is stronger than the column's\n\n{table}")
}

fn sprt_line(sprt: &SprtRow, [first, second]: &[String; 2]) -> String {
    let SprtConfig { elo0, elo1, .. } = sprt.config;
    let (verdict, difference) = match sprt.verdict {
        Verdict::Accept => ("accepted", format!("{elo1} rather than {elo0}")),
        Verdict::Reject => ("rejected", format!("{elo0} rather than {elo1}")),
        Verdict::Continue => ("undecided", format!("{elo1} or {elo0}")),
    };
    let (pairs, [low, high]) = (sprt.pairs, sprt.bounds);
    format!(
        "SPRT {verdict}: {first} is {difference} Elo above {second}, after {pairs} pairs; log-likelihood ratio {:.2} ({low:.2} to {high:.2})\n",
        sprt.log_ratio
    )
}

fn with_margin(estimate: Estimate) -> String {
    let margin = (estimate.high - estimate.low) / 2.0;
    if margin < 0.5 {
        return format!("{:.0}", rounded(estimate.value, 0));
    }
    format!("{} ± {margin:.0}", signed(estimate.value))
}

fn range(estimate: Estimate) -> String {
    format!("{} to {}", signed(estimate.low), signed(estimate.high))
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Returns a probability; no number of games makes it certain.
fn probability(share: f64) -> String {
    let text = percent(share);
    match &*text {
        "100.0 %" => "> 99.9 %".to_owned(),
        "0.0 %" => "< 0.1 %".to_owned(),
        _ => text,
    }
}

/// Returns wins, draws (capped games included) and losses.
pub(super) fn counts(tally: Tally) -> String {
    format!(
        "{}/{}/{}",
        tally.wins,
        tally.draws + tally.capped,
        tally.losses
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_probability_is_told_as_certain() {
        let texts = [0.0, 0.0004, 0.5, 0.9994, 0.9996, 1.0].map(probability);
        let expected = [
            "< 0.1 %", "< 0.1 %", "50.0 %", "99.9 %", "> 99.9 %", "> 99.9 %",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn few_decided_games_are_told_of_whoever_drew_some() {
        let of = |draws| Tally {
            wins: 4,
            draws,
            losses: 2,
            capped: 0,
        };
        let said = unsure_of_games(&[("drew", of(1)), ("won", of(0))]);
        let few = "\nGames drawn, and fewer than ten decided, or a tenth: drew. ";
        assert!(said.contains(few), "{said}");
        assert_eq!(unsure_of_games(&[("won", of(0))]), "");
    }
}
