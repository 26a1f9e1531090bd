//! The picture of a study: the attackers' score under each ruleset, as an SVG file.

use std::fmt::Write as _;
use tafl_arena::balance::{StudyPlayer, Summary};
use tafl_samples::StrengthUnit;

const WIDTH: f64 = 820.0;
/// Where the axis begins and ends.
const AXIS: [f64; 2] = [220.0, 640.0];
/// The height of what is above the first row, of a row, and of what is below the last one.
const HEIGHTS: [f64; 3] = [76.0, 40.0, 70.0];
/// How far below its row's middle a score with another strength is drawn.
const BELOW: f64 = 13.0;
/// The radius of the weakest other strength's dot, and of the strongest one's.
const RADIUS: [f64; 2] = [2.0, 4.25];

/// Returns the scores of the player by whose games the verdict goes, with those of its other strengths and of people; nothing
/// without a verdict.
#[must_use]
pub fn scores(summary: &Summary) -> Option<String> {
    let name = summary.verdict_player.as_ref()?;
    let player = summary.study.players.iter().find(|it| it.name == *name)?;
    let [above, row, below] = HEIGHTS;
    let rows = summary.study.rulesets.len() as f64;
    let bottom = above + row * rows;
    let mut picture = Picture::default();
    let games: u64 = summary
        .cells_of(&player.name)
        .map(|it| it.results.games())
        .sum();
    picture.text(
        [16.0, 26.0],
        "title",
        "Attackers' score when a player plays itself",
    );
    let about = format!("{}, {games} games; bars: 95 % intervals", player.title);
    picture.text([16.0, 46.0], "note", &about);
    for tenth in (0..=10).step_by(2) {
        let x = across(f64::from(tenth) / 10.0);
        picture.line([x, above - 6.0], [x, bottom], "grid");
        picture.text([x, bottom + 18.0], "tick", &format!("{} %", 10 * tenth));
    }
    let even = across(0.5);
    picture.line([even, above - 6.0], [even, bottom], "even");
    picture.text([even, above - 12.0], "tick", "even");
    let others = family(summary, player);
    let steps = others.len().saturating_sub(1).max(1) as f64;
    for (number, ruleset) in summary.study.rulesets.iter().enumerate() {
        let y = above + row * (number as f64 + 0.5);
        picture.text([AXIS[0] - 16.0, y + 5.0], "label", &ruleset.name);
        for people in &summary.study.people {
            if people.ruleset.as_ref() == Some(&ruleset.name) {
                picture.mark(across(people.score.value), y, "people");
            }
        }
        for (number, other) in others.iter().enumerate() {
            let cells = summary
                .cells_of(&other.name)
                .filter(|it| it.ruleset == ruleset.name);
            let played = cells.filter(|it| it.results.games() > 0);
            let radius = RADIUS[0] + (RADIUS[1] - RADIUS[0]) * number as f64 / steps;
            played.for_each(|it| {
                picture.dot(across(it.score.value), y + BELOW, radius, "other");
            });
        }
        let cell = summary
            .cells_of(&player.name)
            .find(|it| it.ruleset == ruleset.name);
        if let Some(cell) = cell.filter(|it| it.results.games() > 0) {
            let [low, high] = [cell.score.low, cell.score.high].map(across);
            picture.line([low, y], [high, y], "bar");
            picture.dot(across(cell.score.value), y, 6.0, "score");
            let text = cell.score.in_percent();
            picture.text([AXIS[1] + 16.0, y + 5.0], "value", &text);
        }
    }
    picture.legend(summary, player, bottom + 48.0);
    Some(picture.finish(bottom + below))
}

/// Returns the other strengths of a player, the weakest first.
fn family<'a>(summary: &'a Summary, player: &StudyPlayer) -> Vec<&'a StudyPlayer> {
    let players = summary.study.players.iter();
    let others = players.filter(|it| it.family == player.family && it.name != player.name);
    let mut others: Vec<&StudyPlayer> = others.collect();
    others.sort_by_key(|it| it.strength);
    others
}

fn across(score: f64) -> f64 {
    AXIS[0] + (AXIS[1] - AXIS[0]) * score
}

/// The elements of a picture.
#[derive(Default)]
struct Picture(String);

impl Picture {
    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.0, "{element}");
    }

    fn text(&mut self, [x, y]: [f64; 2], class: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
        ));
    }

    fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &str) {
        self.add(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    fn dot(&mut self, x: f64, y: f64, radius: f64, class: &str) {
        self.add(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>"
        ));
    }

    /// Draws a square on its corner.
    fn mark(&mut self, x: f64, y: f64, class: &str) {
        let [left, right, top, bottom] = [x - 7.0, x + 7.0, y - 7.0, y + 7.0];
        self.add(format_args!(
            "<path class=\"{class}\" d=\"M{left:.1} {y:.1}L{x:.1} {top:.1}L{right:.1} {y:.1}L{x:.1} {bottom:.1}Z\"/>"
        ));
    }

    /// Says what the marks mean.
    fn legend(&mut self, summary: &Summary, player: &StudyPlayer, y: f64) {
        let mut x = AXIS[0];
        self.dot(x, y, 6.0, "score");
        let strength = |it: &StudyPlayer| it.strength.map(|strength| strength.to_string());
        let unit = match player.unit {
            StrengthUnit::Visits => " visits",
            StrengthUnit::Turns => " turns ahead",
            StrengthUnit::None => "",
        };
        let own = strength(player).unwrap_or_else(|| player.title.clone());
        self.text([x + 12.0, y + 4.0], "note", &format!("{own}{unit}"));
        let others = family(summary, player).into_iter().filter_map(strength);
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            let sizes = if others.len() > 1 {
                " (small to large)"
            } else {
                ""
            };
            x += 120.0;
            self.dot(x, y, 3.5, "other");
            self.text(
                [x + 12.0, y + 4.0],
                "note",
                &format!("{}{unit}{sizes}", others.join(", ")),
            );
        }
        let is_shown = |name: &String| summary.study.rulesets.iter().any(|it| it.name == *name);
        let mut people = summary
            .study
            .people
            .iter()
            .filter_map(|it| it.ruleset.as_ref());
        if people.any(is_shown) {
            x += 270.0;
            self.mark(x, y, "people");
            self.text([x + 14.0, y + 4.0], "note", "games of people");
        }
    }

    fn finish(self, height: f64) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"14\" fill=\"#222\">\n\
             <style>.title{{font-size:18px;font-weight:bold}}.note{{font-size:13px;fill:#555}}\
             .tick{{font-size:12px;fill:#555;text-anchor:middle}}.label{{text-anchor:end}}\
             .grid{{stroke:#ddd}}.even{{stroke:#222;stroke-dasharray:4 4}}.bar{{stroke:#1f5fa8;stroke-width:4}}\
             .score{{fill:#1f5fa8}}.other{{fill:#9bbbe0}}.people{{fill:none;stroke:#b4552d;stroke-width:2}}</style>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\" rx=\"8\"/>\n{}</svg>\n",
            self.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Summary {
        let text = include_str!("../../../tests/fixtures/balance/rulesets.json");
        serde_json::from_str(text).expect("a summary")
    }

    #[test]
    fn every_ruleset_has_a_row_with_its_score_where_the_axis_says() {
        let summary = summary();
        let picture = scores(&summary).expect("there is a verdict");
        let name = summary.verdict_player.as_ref().expect("a player");
        for ruleset in &summary.study.rulesets {
            assert!(picture.contains(&format!(">{}</text>", ruleset.name)));
            let mut cells = summary.cells.iter();
            let cell = cells.find(|it| it.player == *name && it.ruleset == ruleset.name);
            let score = cell.expect("a cell").score;
            let x = 220.0 + 420.0 * score.value;
            assert!(picture.contains(&format!("class=\"score\" cx=\"{x:.1}\"")));
            assert!(picture.contains(&score.in_percent()));
        }
        assert_eq!(
            picture.matches("class=\"other\"").count(),
            3,
            "two, and the legend's"
        );
        assert_eq!(
            picture.matches("class=\"people\"").count(),
            3,
            "two, and the legend's"
        );
    }

    #[test]
    fn published_pictures_are_drawn_from_their_numbers() {
        for name in ["published", "published-start"] {
            let folder = std::path::Path::new("../../data/balance").join(name);
            let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("readable");
            let summary: Summary = serde_json::from_str(&read("summary.json")).expect("a summary");
            let drawn = scores(&summary).expect("a picture");
            if std::env::var_os("UPDATE").is_some() {
                std::fs::write(folder.join("scores.svg"), &drawn).expect("writable");
            }
            assert_eq!(drawn, read("scores.svg"), "UPDATE=1 draws it again");
        }
    }

    #[test]
    fn without_a_verdict_there_is_none() {
        let none = Summary {
            verdict_player: None,
            ..summary()
        };
        assert_eq!(scores(&none), None);
    }
}
