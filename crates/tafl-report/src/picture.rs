//! The pictures of a study: the attackers' score under each ruleset, and by strength, as SVG files.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Value, context};
use tafl_arena::balance::{StudyPlayer, Summary};
use tafl_arena::{Estimate, PeopleBand, rounded};
use tafl_samples::StrengthUnit;

/// The picture, with what differs between studies in the places of Jinja.
const SCORES: &str = include_str!("../page/scores.svg.jinja");
const STRENGTH: &str = include_str!("../page/strength.svg.jinja");

/// Returns the pictures that a study has, with the names of their files.
pub fn of_study(summary: &Summary) -> Vec<(&'static str, String)> {
    let pictures = [
        ("scores.svg", scores(summary)),
        ("strength.svg", strengths(summary)),
    ];
    let drawn = pictures.into_iter();
    drawn
        .filter_map(|(file, picture)| Some((file, picture?)))
        .collect()
}

/// Returns the scores of the player by whose games the verdict goes, with those of its other strengths and of people; nothing
/// without a verdict.
///
/// # Panics
/// Never: the template is a part of the program, and tests draw it.
pub(crate) fn scores(summary: &Summary) -> Option<String> {
    let study = &summary.study;
    let name = summary.verdict_player.as_ref()?;
    let player = study.players.iter().find(|it| it.name == *name)?;
    let mut others = family_of(summary, player);
    others.retain(|it| it.name != *name);
    let strengths = others.iter().filter_map(|it| it.strength);
    let strengths = strengths.collect::<Vec<_>>();
    let own = player.strength.map(|it| it.to_string());
    let games = summary.cells_of(name).map(|it| it.results.games());
    let is_shown = |name: &String| study.rulesets.iter().any(|it| it.name == *name);
    let rows = study.rulesets.iter();
    let picture = context! {
        title => player.title.clone(),
        games => games.sum::<u64>(),
        rows => rows.map(|it| row(summary, &it.name, name, &others)).collect::<Vec<_>>(),
        strength => own.unwrap_or_else(|| player.title.clone()),
        unit => unit(player, player.strength == Some(1)),
        unit_of_others => unit(player, strengths == [1]),
        strengths,
        has_people => study.people.iter().filter_map(|it| it.ruleset.as_ref()).any(is_shown),
    };
    Some(drawn(SCORES, picture))
}

/// Returns the attackers' scores by strength, of people and of the player by whose games the verdict goes: a panel for each
/// ruleset. Nothing without a verdict, and where the player has one strength and people played none of the rulesets.
///
/// # Panics
/// As [`scores`].
pub(crate) fn strengths(summary: &Summary) -> Option<String> {
    let study = &summary.study;
    let name = summary.verdict_player.as_ref()?;
    let player = study.players.iter().find(|it| it.name == *name)?;
    let family = family_of(summary, player);
    let rulesets = study.rulesets.iter().map(|it| &*it.name);
    let panels: Vec<[Vec<Value>; 2]> = rulesets
        .clone()
        .map(|it| {
            [
                people_by_strength(summary, it),
                players_by_strength(summary, it, &family),
            ]
        })
        .collect();
    let has_people = panels.iter().any(|[people, _]| !people.is_empty());
    if !has_people && panels.iter().all(|[_, players]| players.len() < 2) {
        return None;
    }
    let columns = panels.len().min(3);
    let panel = |(ruleset, series): (&str, &[Vec<Value>; 2])| {
        let classes = ["people", "network"].into_iter();
        let series = classes
            .zip(series)
            .map(|(class, points)| context! { class, points });
        context! { ruleset, series => series.collect::<Vec<_>>() }
    };
    let picture = context! {
        columns,
        lines => panels.len().div_ceil(columns),
        panels => rulesets.zip(&panels).map(panel).collect::<Vec<_>>(),
        has_people,
        title => player.title.split(',').next().unwrap_or_default(),
        unit => unit(player, false),
    };
    Some(drawn(STRENGTH, picture))
}

/// Returns a score in a panel, in its coordinates, and the strength in words.
fn point(x: f64, score: &Estimate, text: String) -> Value {
    let heights = [score.value, score.low, score.high];
    let [y, low, high] = heights.map(|score| rounded(144.0 - 120.0 * score, 1));
    context! { x => rounded(x, 1), y, low, high, text }
}

fn people_by_strength(summary: &Summary, ruleset: &str) -> Vec<Value> {
    let people = summary.study.people.iter();
    let mut people = people.filter(|it| it.ruleset.as_deref() == Some(ruleset));
    let bands = people.find_map(|it| (!it.bands.is_empty()).then_some(&it.bands));
    let of_band = |(place, band): (usize, &PeopleBand)| {
        let text = format!("{:+.0}", rounded(band.strength, 0));
        point(56.0 + 32.0 * place as f64, &band.score, text)
    };
    let bands = bands.into_iter().flatten().enumerate();
    bands.map(of_band).collect()
}

fn players_by_strength(summary: &Summary, ruleset: &str, family: &[&StudyPlayer]) -> Vec<Value> {
    let step = 96.0 / family.len().saturating_sub(1).max(1) as f64;
    let of_player = |(place, player): (usize, &&StudyPlayer)| {
        let cell = summary.cell(&player.name, ruleset)?;
        let text = player
            .strength
            .map_or_else(String::new, |it| it.to_string());
        Some(point(184.0 + step * place as f64, &cell.score, text))
    };
    family.iter().enumerate().filter_map(of_player).collect()
}

/// Returns the word behind a player's strengths, or behind the one of 1.
const fn unit(player: &StudyPlayer, is_one: bool) -> &'static str {
    match (player.unit, is_one) {
        (StrengthUnit::Visits, true) => " visit",
        (StrengthUnit::Visits, false) => " visits",
        (StrengthUnit::Turns, true) => " turn ahead",
        (StrengthUnit::Turns, false) => " turns ahead",
        (StrengthUnit::None, _) => "",
    }
}

/// Returns a template with its values.
fn drawn(template: &str, values: Value) -> String {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .expect("the usual places");
    let mut environment = Environment::new();
    environment.set_syntax(syntax);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let drawn = environment.render_str(template, values);
    drawn.expect("every place has its value")
}

/// Returns what is drawn of a ruleset.
fn row(summary: &Summary, ruleset: &str, player: &str, others: &[&StudyPlayer]) -> Value {
    let across = |score: f64| rounded(220.0 + 420.0 * score, 1);
    let people = summary.study.people.iter();
    let people = people.filter(|it| it.ruleset.as_deref() == Some(ruleset));
    // The stronger, the larger.
    let step = 2.25 / others.len().saturating_sub(1).max(1) as f64;
    let other = |(number, it): (usize, &&StudyPlayer)| {
        let score = summary.cell(&it.name, ruleset)?.score;
        Some(context! { x => across(score.value), radius => 2.0 + step * number as f64 })
    };
    context! {
        ruleset,
        people => people.map(|it| across(it.score.value)).collect::<Vec<_>>(),
        others => others.iter().enumerate().filter_map(other).collect::<Vec<_>>(),
        score => summary.cell(player, ruleset).map(|cell| {
            let [x, low, high] = [cell.score.value, cell.score.low, cell.score.high].map(across);
            context! { x, low, high, text => cell.score.in_percent() }
        }),
    }
}

/// Returns all strengths of a player, the weakest first.
fn family_of<'a>(summary: &'a Summary, player: &StudyPlayer) -> Vec<&'a StudyPlayer> {
    let players = summary.study.players.iter();
    let mut family: Vec<_> = players.filter(|it| it.family == player.family).collect();
    family.sort_by_key(|it| it.strength);
    family
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
            let mut cells = summary.cells_of(name);
            let score = cells
                .find(|it| it.ruleset == ruleset.name)
                .expect("a cell")
                .score;
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
    fn one_turn_ahead_is_no_turns() {
        let mut summary = summary();
        let name = summary.verdict_player.clone();
        let players = summary.study.players.iter_mut();
        let mut own = players.filter(|it| Some(&it.name) == name.as_ref());
        let player = own.next().expect("a player");
        (player.unit, player.strength) = (StrengthUnit::Turns, Some(1));
        let picture = scores(&summary).expect("there is a verdict");
        assert!(picture.contains(">1 turn ahead</text>"), "{picture}");
    }

    #[test]
    fn published_pictures_are_drawn_from_their_numbers() {
        for name in ["published", "published-start"] {
            let folder = std::path::Path::new("../../data/balance").join(name);
            let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("readable");
            let summary: Summary = serde_json::from_str(&read("summary.json")).expect("a summary");
            for (file, drawn) in [
                ("scores.svg", scores(&summary)),
                ("strength.svg", strengths(&summary)),
            ] {
                let drawn = drawn.expect("a picture");
                if std::env::var_os("UPDATE").is_some() {
                    std::fs::write(folder.join(file), &drawn).expect("writable");
                }
                assert_eq!(drawn, read(file), "UPDATE=1 draws it again");
            }
        }
    }

    #[test]
    fn the_words_of_a_picture_of_one_ruleset_are_not_cut() {
        let mut one: Summary = serde_json::from_str(include_str!(
            "../../../data/balance/published-tablut/summary.json"
        ))
        .expect("a summary");
        let picture = strengths(&one).expect("a picture");
        assert!(picture.contains("width=\"612\""), "{picture}");
        let twin = one.study.rulesets[0].clone();
        one.study.rulesets.extend([twin.clone(), twin]);
        let picture = strengths(&one).expect("a picture");
        assert!(picture.contains("width=\"910\""), "{picture}");
    }

    #[test]
    fn without_a_verdict_there_is_none() {
        let none = Summary {
            verdict_player: None,
            ..summary()
        };
        assert_eq!((scores(&none), strengths(&none)), (None, None));
    }
}
