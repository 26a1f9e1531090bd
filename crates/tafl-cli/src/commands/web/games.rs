//! Games of others for the page's book.

use crate::hint::hinted;
use crate::subject::{OtherRules, judged, rules_of_text};
use anyhow::{Context, ensure};
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::{game_files, read_games};
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::games::WrittenGame;
use tafl_rules::notation::own::OwnRules;
use tafl_rules::{Move, Rules, known_names, preset_named};
use tafl_samples::{Ending, PlayerId};
use tafl_store::{MOST_TEXT_BYTES, entries, read_text};
use tafl_training::{RulesOfGames, load_rules};
use tafl_web::Book;

/// Games of a run beyond which the book keeps only positions that several games came to.
const MANY_GAMES: u32 = 300;

/// Adds games to a book: those of a run's folder, of a Parquet file, or of a text whose name is a ruleset's, such as
/// `copenhagen.csv`, unless its games name theirs, a preset's or one that a network of the page learned, or bring it along. All
/// are judged under a ruleset that is given. Returns how many there were, and the rules that they brought or were stored with.
pub(super) fn read_book(
    mut book: Book,
    path: &Path,
    learned: &[Arc<Rules>],
    given: Option<&str>,
) -> anyhow::Result<(Book, u32, Vec<Arc<Rules>>)> {
    let is_text = |path: &Path| {
        let ending = path.extension().unwrap_or_default();
        ["csv", "txt", "pgn", "otg"].iter().any(|it| ending == *it)
    };
    let (mut texts, mut files) = (Vec::new(), Vec::new());
    if is_text(path) {
        texts.push(path.to_owned());
    } else if path.is_dir() {
        files = game_files(path)?;
        texts = entries(path)?;
        texts.retain(|it| files.is_empty() && is_text(it));
        let folder = path.display();
        ensure!(
            files.len() + texts.len() > 0,
            "{folder}: neither the folder of a run with games nor one of .csv, .txt, .pgn or .otg files"
        );
    } else {
        let is_stored = path.extension().is_some_and(|ending| ending == "parquet");
        ensure!(
            is_stored || !path.is_file(),
            "{}: games are read from files that end in .parquet, .csv, .txt, .pgn or .otg",
            path.display()
        );
        files.push(path.to_owned());
    }
    let mut written = 0;
    let mut played: Vec<Arc<Rules>> = Vec::new();
    for path in texts {
        let read = add_lines(&mut book, &path, (learned, &mut played), given);
        written += read.with_context(|| path.display().to_string())?;
    }
    if files.is_empty() {
        return Ok((book, written, played));
    }
    let given = given.map(|name| load_rules(name, Path::new(".")));
    let (mut rules_of, mut games) = (RulesOfGames::new(given.transpose()?), 0);
    for file in files {
        for game in read_games(&file)? {
            let rules = rules_of.of(&game, &file)?;
            if game.is_even() && game.start == rules.ruleset().setup() {
                let moves: Vec<Move> = game.plies.iter().map(|ply| ply.mv).collect();
                let are_networks = [&game.attackers, &game.defenders]
                    .iter()
                    .all(|it| matches!(it, PlayerId::Checkpoint(_) | PlayerId::Network { .. }));
                let source = if are_networks {
                    "self-play"
                } else {
                    "programs"
                };
                let result = (game.ending != Ending::CAPPED).then_some(game.ending.winner);
                let opening = game.opening_plies as usize;
                book.add(source, &rules, (&moves, opening), result);
                if !played.iter().any(|it| Arc::ptr_eq(it, &rules)) {
                    played.push(rules);
                }
                games += 1;
            }
        }
    }
    let least = if games > MANY_GAMES { 2 } else { 1 };
    Ok((book.of_at_least(least), games, played))
}

/// Returns the ruleset of the page that is as the rules that a text brings along.
fn like_own(own: &OwnRules, learned: &[Arc<Rules>]) -> Option<Arc<Rules>> {
    let start = own.setup().ok()?;
    let presets = known_names().filter_map(Rules::preset);
    let mut all = learned.iter().cloned().chain(presets);
    all.find(|rules| {
        let ruleset = rules.ruleset();
        ruleset.setup() == start && own.unlike(ruleset).is_none()
    })
}

/// Returns the rules that a game brings along and the page has not, the same for all that bring them.
fn brought(written: &WrittenGame, played: &mut Vec<Arc<Rules>>) -> anyhow::Result<Arc<Rules>> {
    let rules = rules_of_text(written, None)?.context("it brings no rules")?;
    let fingerprint = rules.ruleset().fingerprint();
    let mut known = played.iter();
    if let Some(known) = known.find(|it| it.ruleset().fingerprint() == fingerprint) {
        return Ok(Arc::clone(known));
    }
    let name = &rules.ruleset().name;
    ensure!(
        played.iter().all(|it| it.ruleset().name != *name),
        "its rules are others than those of a game above with their name, {name}"
    );
    played.push(Arc::clone(&rules));
    Ok(rules)
}

/// Adds the games of a text; the rules that they bring along join those that were played.
fn add_lines(
    book: &mut Book,
    path: &Path,
    (learned, played): (&[Arc<Rules>], &mut Vec<Arc<Rules>>),
    given: Option<&str>,
) -> anyhow::Result<u32> {
    let mut others = given.map(OtherRules::than).transpose()?;
    let given = given.map(|name| load_rules(name, Path::new(".")));
    let given = given.transpose()?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let known = |name: &str| {
        let own = learned.iter().find(|it| it.ruleset().name == name);
        let preset = || preset_named(name).and_then(Rules::preset);
        own.cloned().or_else(preset)
    };
    let text = read_text(path, MOST_TEXT_BYTES)?;
    let mut games = 0;
    for (number, game) in tafl_rules::notation::games::read_games(&text) {
        let line = || format!("line {number}");
        let written = game.with_context(line)?;
        if let Some(others) = &mut others {
            others.look_at(number, &written);
        }
        let rules = match (&given, &written.own, &written.ruleset) {
            (Some(given), ..) => Arc::clone(given),
            (None, Some(own), _) => like_own(own, learned)
                .map_or_else(|| brought(&written, played), Ok)
                .with_context(line)?,
            (None, None, Some(named)) => known(named).ok_or_else(|| {
                let message = format!("{}: the page has no ruleset named {named:?}", line());
                let advice =
                    "--ruleset NAME or FILE says it; a network that learned it brings it along, too";
                hinted(message, advice)
            })?,
            (None, None, None) => known(&name).with_context(|| {
                format!("{name:?} is not the name of a ruleset that the page knows, as that of a text with games must be, unless --ruleset says it")
            })?,
        };
        let lenient = judged(Arc::clone(&rules), false)?;
        let replayed = written.replay(&lenient).with_context(line)?;
        if *replayed.start.position() != lenient.start() {
            // The book's positions follow from the ruleset's own start.
            continue;
        }
        let recorded = written.recorded();
        let winner = recorded.winner(&replayed.game);
        let is_known = winner.is_some()
            || replayed.game.outcome().is_some()
            || recorded.result == RecordedResult::Draw;
        let moves = (replayed.game.moves(), 0);
        book.add("players", &rules, moves, is_known.then_some(winner));
        games += 1;
    }
    if let Some(others) = &others {
        others.tell();
    }
    ensure!(games > 0, "no games");
    Ok(games)
}
