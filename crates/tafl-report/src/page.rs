//! The page: one HTML file with its style, its script and its data in it.

use crate::{Board, Comparison, RunReport, StudyReport, TournamentReport};
use serde::Serialize;

const FRAME: &str = include_str!("../page/frame.html");
/// How the pages look, that of `tafl web` too.
pub const STYLE: &str = include_str!("../page/style.css");
/// Scripts for text, charts and boards, which the page of `tafl web` has too.
pub const SHARED_SCRIPTS: [&str; 3] = [
    include_str!("../page/text.js"),
    include_str!("../page/chart.js"),
    include_str!("../page/board.js"),
];
const SCRIPTS: [&str; 7] = [
    include_str!("../page/learning.js"),
    include_str!("../page/strength.js"),
    include_str!("../page/compare.js"),
    include_str!("../page/balance.js"),
    include_str!("../page/study.js"),
    include_str!("../page/viewer.js"),
    include_str!("../page/main.js"),
];

/// The version of [`run_summary`].
const RUN_SUMMARY_VERSION: u32 = 1;

/// What a page is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Page {
    /// A run.
    Run(Box<RunReport>),
    /// A study of balance.
    Study(Box<StudyReport>),
    /// A tournament.
    Tournament(Box<TournamentReport>),
    /// Several runs.
    Runs(Box<Comparison>),
}

impl Page {
    /// Returns the boards of its rulesets; none of several runs.
    pub fn boards(&self) -> &[Board] {
        match self {
            Self::Run(run) => &run.boards,
            Self::Study(study) => &study.boards,
            Self::Tournament(tournament) => &tournament.boards,
            Self::Runs(_) => &[],
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Run(run) => format!("Run {}", run.info.settings.run),
            Self::Study(study) => format!("Study {}", study.summary.study.name),
            Self::Tournament(tournament) => format!("Tournament {}", tournament.name),
            Self::Runs(all) => {
                let names = all.runs.iter().map(|run| run.info.settings.run.as_str());
                format!("Runs {}", names.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Returns the numbers of a run's page as JSON: all but the config and the games, which the run has as Parquet.
///
/// `summary_version` says how they are laid out; a change to a field or its meaning changes it.
///
/// # Panics
/// Never: the data is made of numbers, texts and lists, which JSON can hold.
pub fn run_summary(run: &RunReport) -> String {
    let mut summary = serde_json::to_value(run).expect("numbers, texts and lists");
    if let Some(fields) = summary.as_object_mut() {
        fields.retain(|name, _| name != "games" && name != "config");
    }
    summary["summary_version"] = RUN_SUMMARY_VERSION.into();
    summary["kind"] = "run".into();
    format!("{summary:#}\n")
}

/// Returns the page. It needs nothing beside itself: no network, no other file. Where `refresh` is given a browser loads it
/// again every so many seconds.
///
/// # Panics
/// Never: the data is made of numbers, texts and lists, which JSON can hold.
pub fn html(page: &Page, refresh: Option<u32>) -> String {
    let data = serde_json::to_string(page).expect("numbers, texts and lists");
    // Within a script element only these could end it or begin a comment.
    let data = data.replace('<', "\\u003c");
    let scripts = [&SHARED_SCRIPTS[..], &SCRIPTS].concat().join("\n");
    let refresh = refresh.map(|it| format!("\n<meta http-equiv=\"refresh\" content=\"{it}\">"));
    // From the last place to the first, so that nothing within a part is taken for a place.
    [
        ("{{data}}", data),
        ("{{script}}", scripts),
        ("{{style}}", STYLE.to_owned()),
        ("{{title}}", escaped(&page.title())),
        ("{{refresh}}", refresh.unwrap_or_default()),
    ]
    .iter()
    .fold(FRAME.to_owned(), |html, (place, part)| {
        html.replacen(place, part, 1)
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
