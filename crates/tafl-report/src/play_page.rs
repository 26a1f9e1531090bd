//! The page to play and analyze: one HTML file with the engine, networks and a book in it.

use crate::ReportError;
use crate::page::{STYLE, filled};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_dataset::{game_files, read_games};
use tafl_rules::notation::aagenielsen::{RecordedGame, RecordedResult};
use tafl_rules::{Move, Repetition, Rules, Ruleset};
use tafl_web::{Book, NetCard};

const FRAME: &str = include_str!("../page/play/frame.html");
const WORKER: &str = include_str!("../page/play/worker.js");
const PLAY_STYLE: &str = include_str!("../page/play/play.css");
const SCRIPTS: [&str; 14] = [
    include_str!("../page/text.js"),
    include_str!("../page/chart.js"),
    include_str!("../page/board.js"),
    include_str!("../page/play/words.js"),
    include_str!("../page/play/engine.js"),
    include_str!("../page/play/tree.js"),
    include_str!("../page/play/table.js"),
    include_str!("../page/play/clock.js"),
    include_str!("../page/play/play.js"),
    include_str!("../page/play/review.js"),
    include_str!("../page/play/analyze.js"),
    include_str!("../page/play/editor.js"),
    include_str!("../page/play/link.js"),
    include_str!("../page/play/app.js"),
];

/// Games of a run beyond which the book keeps only positions that several games came to.
const MANY_GAMES: u32 = 300;

/// What a page is made of.
#[derive(Debug, Clone, Copy)]
pub struct PlayPage<'a> {
    /// The engine, built for WebAssembly.
    pub engine: &'a [u8],
    /// Networks, in safetensors, with what is known of them.
    pub nets: &'a [(NetCard, Vec<u8>)],
    /// Games of others.
    pub book: &'a Book,
}

/// Returns the page. It needs nothing beside itself: no network, no other file.
///
/// # Panics
/// Never: the data is made of numbers, texts and lists, which JSON can hold.
#[must_use]
pub fn play_html(page: &PlayPage<'_>) -> String {
    #[derive(Serialize)]
    struct Data<'a> {
        engine: String,
        nets: Vec<(&'a NetCard, String)>,
        book: &'a Book,
    }
    let nets = page.nets.iter();
    let data = Data {
        engine: STANDARD.encode(page.engine),
        nets: nets
            .map(|(card, bytes)| (card, STANDARD.encode(bytes)))
            .collect(),
        book: page.book,
    };
    let data = serde_json::to_string(&data).expect("numbers, texts and lists");
    let parts = [
        ("{{style}}", STYLE.to_owned() + PLAY_STYLE),
        ("{{worker}}", WORKER.to_owned()),
        ("{{script}}", SCRIPTS.join("\n")),
        // Within a script element only these could end it or begin a comment.
        ("{{data}}", data.replace('<', "\\u003c")),
    ];
    filled(FRAME, &parts)
}

/// Adds games to a book: those of a run's folder, of a Parquet file, or of a text whose name is a ruleset's, such as
/// `copenhagen.csv`, with a game in each line. Returns how many there were.
///
/// # Errors
/// If a file cannot be read, or a text is named otherwise.
pub fn read_book(mut book: Book, path: &Path) -> Result<(Book, u32), ReportError> {
    let is_text = path
        .extension()
        .is_some_and(|it| it == "csv" || it == "txt");
    if is_text {
        let games = add_lines(&mut book, path)?;
        return Ok((book, games));
    }
    let files: Vec<PathBuf> = match path.is_dir() {
        true => game_files(path)?,
        false => vec![path.to_owned()],
    };
    let mut games = 0;
    for file in files {
        for game in read_games(&file)? {
            let Some(rules) = Rules::preset(&game.ruleset) else {
                continue;
            };
            if game.is_even() && game.start == rules.ruleset().start {
                let moves: Vec<Move> = game.plies.iter().map(|ply| ply.mv).collect();
                book.add("self-play", &rules, &moves, game.ending.winner);
                games += 1;
            }
        }
    }
    let least = if games > MANY_GAMES { 2 } else { 1 };
    Ok((book.of_at_least(least), games))
}

/// Adds games in the format of aagenielsen.dk.
fn add_lines(book: &mut Book, path: &Path) -> Result<u32, ReportError> {
    let refused = |reason: String| ReportError::Games {
        path: path.to_owned(),
        reason,
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let rules: Arc<Rules> = Rules::preset(&name).ok_or_else(|| {
        refused(format!(
            "{name:?} is not the name of a ruleset, as that of a text with games must be"
        ))
    })?;
    // Sites often did not enforce repetition.
    let ruleset = Ruleset {
        repetition: Repetition::Off,
        ..rules.ruleset().clone()
    };
    let played = Rules::new(ruleset).map_err(|error| refused(error.to_string()))?;
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let mut games = 0;
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let fields: Vec<&str> = line.split(',').collect();
        let game = RecordedGame::read(&fields);
        let game = game.map_err(|error| refused(format!("line {number}: {error}")))?;
        game.replay(&played)
            .map_err(|error| refused(format!("line {number}: {error}")))?;
        let moves: Vec<Move> = game.plies().map(|(mv, _)| mv).collect();
        let winner = match game.result {
            RecordedResult::Won(side) => Some(side),
            RecordedResult::Draw | RecordedResult::Ongoing => None,
        };
        book.add("people", &rules, &moves, winner);
        games += 1;
    }
    match games {
        0 => Err(refused("no games".to_owned())),
        _ => Ok(games),
    }
}
