//! A study as tables for the terminal.

use crate::table::{self, Align};
use tafl_arena::Estimate;
use tafl_arena::balance::{Cell, PeopleResults, Summary, Warning};
use tafl_samples::StrengthUnit;

/// Returns all tables of a study.
pub(crate) fn text(summary: &Summary) -> String {
    let mut parts = vec![
        titled(
            "Results of the attackers, with 95 % intervals",
            results(summary),
        ),
        titled("How the games ended, per cent", endings(summary)),
        titled(
            "Games: quartiles of plies; means of captures and legal moves, attackers / defenders; \
             ply of the decision, and its share of the game",
            games(summary),
        ),
    ];
    if !summary.trends.is_empty() {
        let title = "Change with strength: of score and distance from even, in points of 100";
        parts.push(titled(title, trends(summary)));
    }
    if !summary.effects.is_empty() {
        let title = "Effects: score of the attackers with the change, minus that without, in points of 100; paired \
                     by opening; * clear after Holm's correction";
        parts.push(titled(title, effects(summary)));
    }
    parts.extend(comparisons(summary));
    if summary.rulesets.len() > 1 && !summary.rankings.is_empty() {
        let title = "Probability of being the most balanced, per cent";
        parts.push(titled(title, rankings(summary)));
    }
    parts.push(titled("People", people(summary)));
    if !summary.warnings.is_empty() {
        parts.push(titled("Warnings", warnings(&summary.warnings)));
    }
    let notes = summary.notes.iter().map(|note| format!("- {note}\n"));
    parts.push(titled("How to read this", notes.collect()));
    parts.join("\n")
}

fn titled(title: &str, table: String) -> String {
    format!("{title}\n\n{table}")
}

/// Returns hundredths without a point: a share in per cent, or a score in points of 100.
fn percent(share: f64) -> String {
    format!("{:.0}", (100.0 * share).round() + 0.0)
}

fn percent_range(share: &Estimate) -> String {
    let [value, low, high] = [share.value, share.low, share.high].map(percent);
    format!("{value} ({low} to {high})")
}

fn signed_range(estimate: &Estimate, unit: f64) -> String {
    // Zero has no sign, nor has what is rounded to it.
    let tenths = |it: f64| (10.0 * it * unit).round() / 10.0 + 0.0;
    let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(tenths);
    format!("{value:+.1} ({low:+.1} to {high:+.1})")
}

fn elo_range(elo: &Estimate) -> String {
    let [value, low, high] = [elo.value, elo.low, elo.high].map(|it| it.round() + 0.0);
    format!("{value:+.0} ({low:+.0} to {high:+.0})")
}

fn results(summary: &Summary) -> String {
    let head = [
        ("ruleset", Align::Left),
        ("player", Align::Left),
        ("games", Align::Right),
        ("+", Align::Right),
        ("=", Align::Right),
        ("cut", Align::Right),
        ("-", Align::Right),
        ("score %", Align::Right),
        ("Elo of the side", Align::Right),
        ("drawn %", Align::Right),
        ("won of decisive %", Align::Right),
        ("player's strength", Align::Right),
        ("", Align::Left),
    ];
    let row = |cell: &Cell| {
        let results = &cell.results;
        let strength = cell.strength.as_ref().map(|strength| {
            let elo = strength.elo.value;
            format!("{elo:+.0} to {}", strength.reference)
        });
        let doubts = [
            (cell.trained == Some(false), "not learned"),
            (cell.strength.as_ref().is_some_and(|it| !it.enough), "weak"),
        ];
        let doubts = doubts
            .iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, word)| *word);
        vec![
            cell.ruleset.clone(),
            cell.player.clone(),
            results.games().to_string(),
            results.wins.to_string(),
            results.draws.to_string(),
            results.capped.to_string(),
            results.losses.to_string(),
            percent_range(&cell.score),
            elo_range(&cell.elo),
            percent(cell.draw_rate.value),
            percent(cell.decisive_share.value),
            strength.unwrap_or_default(),
            doubts.collect::<Vec<_>>().join(", "),
        ]
    };
    table::format(&head, &summary.cells.iter().map(row).collect::<Vec<_>>())
}

fn endings(summary: &Summary) -> String {
    let head = [
        ("ruleset", Align::Left),
        ("player", Align::Left),
        ("endings", Align::Left),
    ];
    let row = |cell: &Cell| {
        let endings = cell.endings.iter();
        let endings = endings.map(|it| format!("{} {}", it.text, percent(it.rate.value)));
        let endings = endings.collect::<Vec<_>>().join("; ");
        vec![cell.ruleset.clone(), cell.player.clone(), endings]
    };
    table::format(&head, &summary.cells.iter().map(row).collect::<Vec<_>>())
}

fn games(summary: &Summary) -> String {
    let head = [
        ("ruleset", Align::Left),
        ("player", Align::Left),
        ("plies", Align::Right),
        ("captures", Align::Right),
        ("legal moves", Align::Right),
        ("decided at", Align::Right),
    ];
    let row = |cell: &Cell| {
        let (length, captures) = (&cell.length, &cell.captures);
        let quartiles = [length.lower_quartile, length.median, length.upper_quartile];
        let branching = cell.branching.map(|moves| {
            let text = |moves| format!("{moves:.0}");
            moves.map_or_else(|| "-".to_owned(), text)
        });
        let decision = cell.decision.as_ref().map(|decision| {
            let share = percent(decision.share_of_length.value);
            format!("{:.0} ({share} %)", decision.ply.median)
        });
        let [attackers, defenders] = [&captures[0], &captures[1]].map(|it| it.mean.value);
        vec![
            cell.ruleset.clone(),
            cell.player.clone(),
            quartiles.map(|plies| format!("{plies:.0}")).join(" "),
            format!("{attackers:.1} / {defenders:.1}"),
            branching.join(" / "),
            decision.unwrap_or_default(),
        ]
    };
    table::format(&head, &summary.cells.iter().map(row).collect::<Vec<_>>())
}

fn trends(summary: &Summary) -> String {
    let head = [
        ("ruleset", Align::Left),
        ("player", Align::Left),
        ("by", Align::Left),
        ("score", Align::Right),
        ("distance from even", Align::Right),
    ];
    let rows: Vec<Vec<String>> = summary
        .trends
        .iter()
        .map(|trend| {
            let strengths = trend.strengths.iter().map(u32::to_string);
            let strengths = strengths.collect::<Vec<_>>().join(", ");
            let by = match trend.unit {
                StrengthUnit::Visits => format!("doubling of visits: {strengths}"),
                StrengthUnit::Turns | StrengthUnit::None => format!("turn ahead: {strengths}"),
            };
            vec![
                trend.ruleset.clone(),
                trend.family.clone(),
                by,
                signed_range(&trend.score_slope, 100.0),
                signed_range(&trend.imbalance_slope, 100.0),
            ]
        })
        .collect();
    table::format(&head, &rows)
}

fn effects(summary: &Summary) -> String {
    let head = [
        ("field", Align::Left),
        ("change", Align::Left),
        ("player", Align::Left),
        ("openings", Align::Right),
        ("same games", Align::Right),
        ("score", Align::Right),
        ("", Align::Left),
        ("distance from even", Align::Right),
        ("more balanced %", Align::Right),
    ];
    let rows: Vec<Vec<String>> = summary
        .effects
        .iter()
        .map(|effect| {
            let change = &effect.change;
            vec![
                change.field.clone(),
                format!("{} -> {}", change.from, change.to),
                effect.player.clone(),
                effect.openings.to_string(),
                effect.same_games.to_string(),
                signed_range(&effect.difference, 100.0),
                if effect.clear { "*" } else { "" }.to_owned(),
                signed_range(&effect.imbalance_difference, 100.0),
                percent(effect.more_balanced),
            ]
        })
        .collect();
    table::format(&head, &rows)
}

/// Returns a table of all pairs of rulesets for each player, where there are pairs.
fn comparisons(summary: &Summary) -> Vec<String> {
    let names: Vec<&str> = summary.rulesets.iter().map(|it| it.name.as_str()).collect();
    if summary.comparisons.is_empty() {
        return Vec::new();
    }
    let table = |player: &str| {
        let heads = names.iter().map(|&name| (name, Align::Right));
        let head: Vec<(&str, Align)> = [("", Align::Left)].into_iter().chain(heads).collect();
        let cell = |row: &str, column: &str| {
            let of_player = summary.comparisons.iter().filter(|it| it.player == player);
            let mut of_player = of_player.filter_map(|it| {
                let star = if it.clear { "*" } else { "" };
                if (it.first.as_str(), it.second.as_str()) == (row, column) {
                    return Some(format!("{}{star}", percent(it.probability)));
                }
                let is_turned = (it.second.as_str(), it.first.as_str()) == (row, column);
                is_turned.then(|| format!("{}{star}", percent(1.0 - it.probability)))
            });
            of_player.next().unwrap_or_default()
        };
        let row = |row: &&str| {
            let cells = names.iter().map(|column| cell(row, column));
            [(*row).to_owned()].into_iter().chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = names.iter().map(row).collect();
        titled(
            &format!(
                "{player}: probability that the ruleset of the row is more balanced than that of the column, per \
                 cent; * clear after Holm's correction"
            ),
            table::format(&head, &rows),
        )
    };
    summary.players.iter().map(|it| table(&it.name)).collect()
}

fn rankings(summary: &Summary) -> String {
    let names = summary.rulesets.iter().map(|it| it.name.as_str());
    let heads = names.clone().map(|name| (name, Align::Right));
    let head: Vec<(&str, Align)> = [("player", Align::Left)].into_iter().chain(heads).collect();
    let rows: Vec<Vec<String>> = summary
        .players
        .iter()
        .map(|player| {
            let share = |name: &str| {
                let mut rankings = summary.rankings.iter();
                let own = rankings.find(|it| it.player == player.name && it.ruleset == name);
                own.map_or_else(String::new, |it| percent(it.probability))
            };
            [player.name.clone()]
                .into_iter()
                .chain(names.clone().map(share))
                .collect()
        })
        .collect();
    table::format(&head, &rows)
}

fn people(summary: &Summary) -> String {
    let head = [
        ("games of", Align::Left),
        ("ruleset", Align::Left),
        ("games", Align::Right),
        ("+ %", Align::Right),
        ("= %", Align::Right),
        ("- %", Align::Right),
        ("score %", Align::Right),
        ("strongest player here under that ruleset", Align::Left),
    ];
    let row = |people: &PeopleResults| {
        vec![
            people.name.clone(),
            people
                .ruleset
                .clone()
                .unwrap_or_else(|| "not stated".to_owned()),
            people.games.to_string(),
            format!("{:.1}", people.attackers_percent),
            format!("{:.1}", people.draws_percent),
            format!("{:.1}", people.defenders_percent),
            percent_range(&people.score),
            strongest(summary, people).map_or_else(String::new, |cell| {
                format!("{} by {}", percent_range(&cell.score), cell.player)
            }),
        ]
    };
    table::format(&head, &summary.people.iter().map(row).collect::<Vec<_>>())
}

/// Returns what the strongest player says of the ruleset that people played by, if strength was measured.
fn strongest<'a>(summary: &'a Summary, people: &PeopleResults) -> Option<&'a Cell> {
    let ruleset = people.ruleset.as_ref()?;
    let cells = summary.cells.iter().filter(|cell| cell.ruleset == *ruleset);
    let measured = cells.filter_map(|cell| Some((cell.strength.as_ref()?.elo.value, cell)));
    let best = measured.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.map(|(_, cell)| cell)
}

fn warnings(warnings: &[Warning]) -> String {
    let lines = warnings
        .iter()
        .map(|warning| format!("- {}\n", warning.text));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> Summary {
        serde_json::from_str(text).expect("a summary")
    }

    #[test]
    fn every_cell_and_every_pair_has_its_place() {
        let text = text(&summary(include_str!(
            "../../../tests/fixtures/balance/rulesets.json"
        )));
        for part in [
            "copenhagen  quickstart 28@64",
            "not learned",
            "weak",
            "king escaped to a corner 53",
            "doubling of visits: 16, 64",
            "Probability of being the most balanced",
            "Fetlar championship 2012",
            "6 of 60 games were cut",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
        assert!(!text.contains("Effects"));
        assert!(text.lines().all(|line| line == line.trim_end()));
    }

    #[test]
    fn effects_name_field_change_and_interval() {
        let summary = summary(include_str!(
            "../../../tests/fixtures/balance/variants.json"
        ));
        let text = text(&summary);
        assert!(text.contains("shieldwall  true -> false"), "{text}");
        let nothing = Estimate {
            value: -1e-17,
            low: -0.0149,
            high: 0.015,
        };
        assert_eq!(signed_range(&nothing, 100.0), "+0.0 (-1.5 to +1.5)");
        let difference = signed_range(&summary.effects[0].difference, 100.0);
        assert!(text.contains(&difference), "{text}");
    }
}
