//! Games of others for the page's book.

use crate::hint::hinted;
use crate::output::{counted, tell_first};
use crate::subject::{OtherRules, replayed_as_recorded, rules_of_text, unclear_end};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
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
/// are judged under a ruleset that is given. Returns how many there were, and the rulesets by which they were played.
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
    let mut played: Vec<Arc<Rules>> = Vec::new();
    let mut left_out = LeftOut::default();
    let mut games = 0;
    for path in texts {
        let found = (&mut played, &mut left_out);
        let read = add_lines(&mut book, &path, learned, found, given);
        games += read.with_context(|| path.display().to_string())?;
    }
    let mut least = 1;
    if !files.is_empty() {
        let given = given.map(|name| load_rules(name, Path::new(".")));
        let mut rules_of = RulesOfGames::new(given.transpose()?);
        let found = (&mut played, &mut left_out);
        games = add_stored(&mut book, &files, &mut rules_of, found)?;
        least = if games > MANY_GAMES { 2 } else { 1 };
    }
    if let Some(told) = left_out.told() {
        eprintln!("Note: {}: {told}.", path.display());
    }
    Ok((book.of_at_least(least), games, played))
}

/// Games that are not on the page.
#[derive(Debug, Default)]
struct LeftOut {
    /// Those in which a side was weakened, or alpha-beta taught.
    uneven: u64,
    /// Those that begin otherwise than their ruleset, from which the book's positions follow.
    elsewhere: u64,
}

impl LeftOut {
    /// Returns what is told of them, if there are any.
    fn told(&self) -> Option<String> {
        let reasons = [
            (self.uneven, "a side was weakened or alpha-beta taught"),
            (self.elsewhere, "it begins elsewhere than its ruleset"),
        ];
        let reasons = reasons.iter().filter(|(games, _)| *games > 0);
        let told = reasons.map(|(games, why)| {
            let games = counted(*games, ["game", "games"]);
            format!("{games} left out, as {why}")
        });
        let told = told.collect::<Vec<_>>().join("; ");
        Some(told).filter(|told| !told.is_empty())
    }
}

/// Enters the rules of a game, each ruleset once.
fn enter(played: &mut Vec<Arc<Rules>>, rules: Arc<Rules>) {
    if !played.iter().any(|it| it.ruleset() == rules.ruleset()) {
        played.push(rules);
    }
}

/// Adds the games of Parquet files; their rules join those that were played.
fn add_stored(
    book: &mut Book,
    files: &[PathBuf],
    rules_of: &mut RulesOfGames,
    (played, left_out): (&mut Vec<Arc<Rules>>, &mut LeftOut),
) -> anyhow::Result<u32> {
    let mut games = 0;
    for file in files {
        for game in read_games(file)? {
            let rules = rules_of.of(&game, file)?;
            if !game.is_even() {
                left_out.uneven += 1;
                continue;
            }
            if game.start != rules.ruleset().setup() {
                left_out.elsewhere += 1;
                continue;
            }
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
            enter(played, rules);
            games += 1;
        }
    }
    Ok(games)
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
fn brought(written: &WrittenGame, played: &[Arc<Rules>]) -> anyhow::Result<Arc<Rules>> {
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
    Ok(rules)
}

/// Adds the games of a text; their rules join those that were played.
fn add_lines(
    book: &mut Book,
    path: &Path,
    learned: &[Arc<Rules>],
    (played, left_out): (&mut Vec<Arc<Rules>>, &mut LeftOut),
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
    let mut unclear = Vec::new();
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
        let replayed = replayed_as_recorded(&written, &rules, false)?.with_context(line)?;
        if *replayed.start.position() != rules.start() {
            left_out.elsewhere += 1;
            continue;
        }
        let recorded = written.recorded();
        let end = unclear_end(&recorded, &replayed.game);
        unclear.extend(end.map(|end| format!("{}: line {number}: {end}", path.display())));
        let winner = recorded.winner(&replayed.game);
        let is_known = winner.is_some()
            || replayed.game.outcome().is_some()
            || recorded.result == RecordedResult::Draw;
        let moves = (replayed.game.moves(), 0);
        book.add("players", &rules, moves, is_known.then_some(winner));
        enter(played, rules);
        games += 1;
    }
    if let Some(others) = &others {
        others.tell();
    }
    tell_first(&unclear);
    ensure!(games > 0, "no games");
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_name_the_ruleset_of_the_page_and_those_left_out_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("games.txt");
        let own = r#"ruleset: { "name": "mine", "base": "brandubh", "escape": "edges" }"#;
        let played = |text: &str| {
            std::fs::write(&file, text).expect("written");
            let book = read_book(Book::default(), &file, &[], None);
            let (_, games, played) = book.expect("games");
            let names = played.iter().map(|it| it.ruleset().name.clone());
            (games, names.collect::<Vec<_>>())
        };
        let lines = "d1-f1,0,0,Ongoing\nd1-e1,0,0,Ongoing\n";
        let mine = vec!["mine".to_owned()];
        assert_eq!(played(&format!("{own}\n{lines}")), (2, mine));
        let shipped = vec!["brandubh".to_owned()];
        assert_eq!(played(&format!("ruleset: brandubh\n{lines}")), (2, shipped));
        let left_out = LeftOut {
            uneven: 12,
            elsewhere: 1,
        };
        let told = "12 games left out, as a side was weakened or alpha-beta taught; 1 game left out, as it begins elsewhere than its ruleset";
        assert_eq!(left_out.told().as_deref(), Some(told));
        assert_eq!(LeftOut::default().told(), None);
    }
}
