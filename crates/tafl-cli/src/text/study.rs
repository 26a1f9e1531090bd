//! A study as tables for the terminal.

use super::table::{self, Align, signed, whole_percent};
use tafl_arena::balance::{Cell, Comparison, EndingCount, PeopleResults, Summary};
use tafl_arena::{Estimate, rounded};

/// Returns what a study found, on at most one screen: the verdict, the scores behind it, and what else there is.
pub(crate) fn verdict(summary: &Summary) -> String {
    let warnings = match summary.warnings.len() {
        0 => String::new(),
        1 => "1 warning, ".to_owned(),
        count => format!("{count} warnings, "),
    };
    let rest = "how games end, their length, comparisons, people's results: --full\n";
    joined([
        listed("Verdict", &summary.verdict),
        scores(summary),
        effects(summary),
        warnings + rest,
    ])
}

/// Rulesets that stand side by side in a table.
const MOST_COLUMNS: usize = 6;

/// Returns the verdict and all tables of a study.
pub(crate) fn tables(summary: &Summary) -> String {
    let warnings = summary.warnings.iter().map(|warning| &warning.text);
    joined([
        listed("Verdict", &summary.verdict),
        results(summary),
        endings(summary),
        games(summary),
        difficulties(summary),
        effects(summary),
        comparisons(summary),
        rankings(summary),
        people(summary),
        listed("Warnings", warnings),
        listed("How to read this", &summary.notes),
    ])
}

/// Returns the parts of which there is something to show, an empty line between them.
fn joined(parts: impl IntoIterator<Item = String>) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

/// Returns lines below a title, or nothing without lines.
fn listed<'a>(title: &str, lines: impl IntoIterator<Item = &'a String>) -> String {
    let lines: Vec<String> = lines
        .into_iter()
        .map(|line| format!("- {line}\n"))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("{title}\n\n{}", lines.concat())
}

/// Returns rows below a title and a head as [`table::of`] reads it, or nothing without rows.
fn tabled(title: &str, head: &'static str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return String::new();
    }
    format!("{title}\n\n{}", table::of(head, rows))
}

/// Returns hundredths without a point: a share in per cent, or a score in points of 100.
fn percent(share: f64) -> String {
    format!("{:.0}", rounded(100.0 * share, 0))
}

fn percent_range(share: &Estimate) -> String {
    share.text("", percent)
}

/// Returns the score of a cell as the tables of its study have it, with the results behind one of few games.
pub(crate) fn score_of(summary: &Summary, cell: &Cell) -> String {
    let results = cell.few_results().map(|it| format!(" {it}"));
    let mark = if summary.is_warned(cell) { " !" } else { "  " };
    percent_range(&cell.score) + &results.unwrap_or_default() + mark
}

/// Returns what the title of a table with scores says of those of few games, if there are any.
pub(crate) fn few_games_title<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> &'static str {
    match cells.into_iter().any(|it| it.few_results().is_some()) {
        true => "; W/D/L behind scores of few games, which lean towards 50",
        false => "",
    }
}

/// Returns points of 100 with their signs.
pub(crate) fn points_range(difference: &Estimate) -> String {
    difference.text("", |it| format!("{:+.1}", rounded(100.0 * it, 1)))
}

/// Returns what stands in a column for a number that there may be.
fn or_dash(number: Option<f64>, write: impl Fn(f64) -> String) -> String {
    number.map_or_else(|| "–".to_owned(), write)
}

/// Returns the attackers' score of each player under each ruleset.
fn scores(summary: &Summary) -> String {
    let cell = |player: &str, ruleset: &str| {
        let cell = summary.cell(player, ruleset);
        cell.map_or_else(String::new, |it| score_of(summary, it))
    };
    let title = format!(
        "The attackers' score of each player against itself, per cent, with 95 % intervals; 50 is even; ! there is a warning{}",
        few_games_title(&summary.cells)
    );
    by_ruleset(summary, &title, "player", players(summary), cell)
}

fn results(summary: &Summary) -> String {
    let row = |cell: &Cell| {
        let results = &cell.results;
        let strength = cell.strength.as_ref();
        let is_weak = strength.is_some_and(|it| !it.enough);
        let strength = strength.map(|it| format!("{:+.0} to {}", it.elo.value, it.reference));
        let remarks = [
            (cell.trained == Some(false)).then_some("not learned"),
            is_weak.then_some("weak"),
        ];
        vec![
            cell.ruleset.clone(),
            summary.title(&cell.player).to_owned(),
            results.games().to_string(),
            results.wins.to_string(),
            results.draws.to_string(),
            results.capped.to_string(),
            results.losses.to_string(),
            percent_range(&cell.score),
            cell.elo.text("", signed),
            percent(cell.draw_rate.value),
            or_dash(cell.decisive_share.map(|it| it.value), percent),
            strength.unwrap_or_default(),
            remarks.into_iter().flatten().collect::<Vec<_>>().join(", "),
        ]
    };
    let head = "ruleset | player | >games | >+ | >= | >cut | >- | >score % | >Elo of the side | >drawn % | \
                >won of decisive % | >player's strength | ";
    let title = "Results of the attackers, with 95 % intervals";
    tabled(title, head, summary.cells.iter().map(row))
}

fn endings(summary: &Summary) -> String {
    let row = |cell: &Cell| {
        let ending = |it: &EndingCount| format!("{} {}", it.text, whole_percent(it.rate.value));
        let endings: Vec<String> = cell.endings.iter().map(ending).collect();
        let player = summary.title(&cell.player).to_owned();
        vec![cell.ruleset.clone(), player, endings.join("; ")]
    };
    let head = "ruleset | player | endings";
    let title = "How the games ended, per cent";
    tabled(title, head, summary.cells.iter().map(row))
}

fn games(summary: &Summary) -> String {
    let row = |cell: &Cell| {
        let length = &cell.length;
        let quartiles = [length.lower_quartile, length.median, length.upper_quartile];
        let captures = cell.captures.each_ref();
        let branching = cell
            .branching
            .map(|moves| or_dash(moves, |it| format!("{it:.0}")));
        let decision = cell.decision.as_ref().map(|decision| {
            let share = percent(decision.share_of_length.value);
            format!("{:.0} ({share} %)", decision.ply.median)
        });
        vec![
            cell.ruleset.clone(),
            summary.title(&cell.player).to_owned(),
            quartiles.map(|plies| format!("{plies:.0}")).join(" "),
            captures
                .map(|it| format!("{:.1}", it.mean.value))
                .join(" / "),
            branching.join(" / "),
            decision.unwrap_or_default(),
        ]
    };
    let head = "ruleset | player | >quartiles of plies | >mean captures | >mean legal moves | >decided at ply: median (mean share)";
    let title = "Games: captures and legal moves of attackers / defenders; the share is of the game's plies";
    tabled(title, head, summary.cells.iter().map(row))
}

fn difficulties(summary: &Summary) -> String {
    let deepest = summary.difficulties.first().map_or(0, |it| it.deepest);
    let rows = summary.difficulties.iter().map(|it| {
        vec![
            it.ruleset.clone(),
            it.side.to_string(),
            it.positions.to_string(),
            it.visits.text("", |visits| format!("{visits:.1}")),
            percent_range(&it.at_once),
            percent_range(&it.unsettled),
        ]
    });
    let head = "ruleset | side | >positions | >visits needed | >found by one visit % | >only by the deepest %";
    let title = format!(
        "How hard each side is to play: visits from which on a search finds the move of one with {deepest}, geometric means"
    );
    tabled(&title, head, rows)
}

fn effects(summary: &Summary) -> String {
    let rows = summary.effects.iter().map(|effect| {
        let change = &effect.change;
        vec![
            change.field.clone(),
            format!("{} -> {}", change.from, change.to),
            summary.title(&effect.player).to_owned(),
            effect.openings.to_string(),
            effect.same_games.to_string(),
            points_range(&effect.difference),
            star(effect.clear).to_owned(),
            points_range(&effect.imbalance_difference),
            percent(effect.more_balanced),
        ]
    });
    let head = "field | change | player | >openings | >same games | >score | | >distance from even | \
                >more balanced %";
    let title = "Effects: score of the attackers with the change, minus that without, in percentage points; paired by \
                 opening; * clear after Holm's correction";
    tabled(title, head, rows)
}

const fn star(is_clear: bool) -> &'static str {
    if is_clear { "*" } else { "" }
}

/// Returns the players of a study, each with its title.
fn players(summary: &Summary) -> impl Iterator<Item = (&str, &str)> {
    let players = summary.study.players.iter();
    players.map(|it| (&*it.name, &*it.title))
}

/// Returns a table with a column for each ruleset, and rows, each with its title, of what `cell` says of each.
fn by_ruleset<'a>(
    summary: &'a Summary,
    title: &str,
    first: &str,
    rows: impl Iterator<Item = (&'a str, &'a str)>,
    cell: impl Fn(&str, &str) -> String,
) -> String {
    let rows: Vec<(&str, &str)> = rows.collect();
    let names = names(summary);
    // Many variants are read from above to below.
    if names.len() > MOST_COLUMNS {
        grid(title, "ruleset", &names, &rows, |ruleset, row| {
            cell(row, ruleset)
        })
    } else {
        grid(title, first, &rows, &names, cell)
    }
}

/// Returns the rulesets of a study, each with its title.
fn names(summary: &Summary) -> Vec<(&str, &str)> {
    let rulesets = summary.study.rulesets.iter();
    rulesets.map(|it| (&*it.name, &*it.name)).collect()
}

/// Returns a table of what `cell` says of each line and column, each with its title.
fn grid(
    title: &str,
    first: &str,
    lines: &[(&str, &str)],
    columns: &[(&str, &str)],
    cell: impl Fn(&str, &str) -> String,
) -> String {
    let mut head = vec![(first, Align::Left)];
    head.extend(columns.iter().map(|(_, title)| (*title, Align::Right)));
    let line = |(line, title): &(&str, &str)| {
        let cells = columns.iter().map(|(column, _)| cell(line, column));
        [(*title).to_owned()].into_iter().chain(cells).collect()
    };
    let table = table::format(&head, &lines.iter().map(line).collect::<Vec<_>>());
    format!("{title}\n\n{table}")
}

/// Returns a table of all pairs of rulesets for each player, where there are pairs.
fn comparisons(summary: &Summary) -> String {
    if summary.comparisons.is_empty() {
        return String::new();
    }
    joined(players(summary).map(|(player, title)| {
        let cell = |row: &str, column: &str| {
            let cell = |it: &Comparison| {
                let names = [it.first.as_str(), &it.second];
                let probability = if names == [row, column] {
                    it.probability
                } else if names == [column, row] {
                    1.0 - it.probability
                } else {
                    return None;
                };
                Some(percent(probability) + star(it.clear))
            };
            let mut of_player = summary.comparisons.iter().filter(|it| it.player == player);
            of_player.find_map(cell).unwrap_or_default()
        };
        let title = format!(
            "{title}: probability that the ruleset of the row is more balanced than that of the column, per cent; * \
             clear after Holm's correction"
        );
        let names = names(summary);
        grid(&title, "", &names, &names, cell)
    }))
}

fn rankings(summary: &Summary) -> String {
    if summary.study.rulesets.len() < 2 || summary.rankings.is_empty() {
        return String::new();
    }
    let share = |player: &str, ruleset: &str| {
        let mut rankings = summary.rankings.iter();
        let own = rankings.find(|it| it.player == player && it.ruleset == ruleset);
        own.map_or_else(String::new, |it| percent(it.probability))
    };
    let title = "Probability of being the most balanced, per cent";
    by_ruleset(summary, title, "player", players(summary), share)
}

fn people(summary: &Summary) -> String {
    let row = |people: &PeopleResults| {
        vec![
            people.name.clone(),
            people.ruleset.as_deref().unwrap_or("not stated").to_owned(),
            people.games.to_string(),
            format!("{:.1}", people.attackers_percent),
            format!("{:.1}", people.draws_percent),
            format!("{:.1}", people.defenders_percent),
            percent_range(&people.score),
        ]
    };
    let head = "games of | ruleset | >games | >won % | >drawn % | >lost % | >score %";
    tabled(
        "People: results of the attackers",
        head,
        summary.study.people.iter().map(row),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_arena::Tally;
    use tafl_arena::balance::StudyRuleset;

    fn summary(text: &str) -> Summary {
        serde_json::from_str(text).expect("a summary")
    }

    #[test]
    fn every_cell_and_every_pair_has_its_place() {
        let text = tables(&summary(include_str!(
            "../../../../tests/fixtures/balance/rulesets.json"
        )));
        for part in [
            "Verdict",
            "copenhagen  quickstart net, 64 visits",
            "not learned",
            "weak",
            "king escaped to a corner 53",
            "38.2 (27.5 to 53.1)",
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
    fn results_stand_beside_a_score_of_few_games_alone() {
        let mut summary = summary(include_str!(
            "../../../../tests/fixtures/balance/rulesets.json"
        ));
        let text = verdict(&summary);
        assert!(!text.contains("W/D/L"), "{text}");
        summary.cells[0].results = Tally {
            draws: 2,
            losses: 8,
            ..Tally::default()
        };
        let text = verdict(&summary);
        assert!(
            text.contains("; W/D/L behind scores of few games"),
            "{text}"
        );
        assert_eq!(text.matches(") 0/2/8 ").count(), 1, "{text}");
    }

    #[test]
    fn a_pair_stands_in_its_row_however_many_rulesets_there_are() {
        let few = summary(include_str!(
            "../../../../tests/fixtures/balance/rulesets.json"
        ));
        let first = &few.study.rulesets[0];
        let mut many = few.clone();
        let more = (0..MOST_COLUMNS).map(|number| StudyRuleset {
            name: format!("other-{number}"),
            ..first.clone()
        });
        many.study.rulesets.extend(more);
        let row = |summary: &Summary| -> Vec<String> {
            let text = comparisons(summary);
            let mut lines = text.lines();
            let line = lines.find(|line| line.starts_with(&*first.name));
            let words = line.expect("a row").split_whitespace();
            words.map(str::to_owned).collect()
        };
        assert!(row(&few).len() > 1, "{:?}", row(&few));
        assert_eq!(row(&many), row(&few));
    }

    #[test]
    fn effects_name_field_change_and_interval() {
        let summary = summary(include_str!(
            "../../../../tests/fixtures/balance/variants.json"
        ));
        let text = tables(&summary);
        assert!(text.contains("shieldwall  true -> false"), "{text}");
        let difference = points_range(&summary.effects[0].difference);
        assert!(text.contains(&difference), "{text}");
    }
}
