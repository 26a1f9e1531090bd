//! Games of others for the page's book.

use super::RulesOfPage;
use crate::hint::hinted;
use crate::other_rules::OtherRules;
use crate::output::{command, counted, tell_first};
use crate::subject::{replayed_as_recorded, rules_of_text, unclear_end};
use anyhow::{Context, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_dataset::{game_files, read_games};
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::own::OwnRules;
use tafl_rules::{Move, Rules, known_names};
use tafl_samples::{Ending, PlayerId};
use tafl_store::{MOST_TEXT_BYTES, entries, read_text};
use tafl_training::{RulesOfGames, load_rules};
use tafl_web::Book;

/// Games of a run beyond which the book keeps only positions that several games came to.
const MANY_GAMES: u32 = 300;

/// Adds games to a book: those of the folder of a run or tournament, of a Parquet file, or of a text whose name is a ruleset's, such as
/// `copenhagen.csv`, unless its games name theirs, a preset's or one that a network of the page learned, or bring it along. All
/// are judged under a ruleset that is given. Returns how many there were, and the names that the page has for the rulesets by
/// which they were played, which it then has.
pub(super) fn read_book(
    mut book: Book,
    path: &Path,
    page: &mut RulesOfPage,
    given: Option<&str>,
) -> anyhow::Result<(Book, u32, BTreeSet<String>)> {
    let ends_in = |path: &Path, endings: &[&str]| {
        let ending = path.extension().unwrap_or_default();
        endings.iter().any(|it| ending == *it)
    };
    let (mut texts, mut files) = (Vec::new(), Vec::new());
    if path.is_dir() {
        files = game_files(path)?;
        if files.is_empty() {
            // Of a tournament.
            files = entries(&path.join("games"))?;
            files.retain(|it| ends_in(it, &["parquet"]));
        }
        texts = entries(path)?;
        texts.retain(|it| files.is_empty() && ends_in(it, &["csv", "txt", "pgn", "otg"]));
        let folder = path.display();
        ensure!(
            files.len() + texts.len() > 0,
            "{folder}: neither the folder of a run or tournament with games nor one of .csv, .txt, .pgn or .otg files"
        );
    } else if ends_in(path, &["parquet"]) {
        files.push(path.to_owned());
    } else {
        texts.push(path.to_owned());
    }
    let mut found = Found {
        page,
        played: BTreeSet::new(),
        left_out: LeftOut::default(),
    };
    let mut games = 0;
    for path in texts {
        let read = add_lines(&mut book, &path, &mut found, given);
        games += read.with_context(|| path.display().to_string())?;
    }
    let mut least = 1;
    if !files.is_empty() {
        let given = given.map(|name| load_rules(name, Path::new(".")));
        let mut rules_of = RulesOfGames::new(given.transpose()?);
        games = add_stored(&mut book, &files, &mut rules_of, &mut found)?;
        least = if games > MANY_GAMES { 2 } else { 1 };
    }
    if let Some(told) = found.left_out.told(games == 0) {
        eprintln!("Note: {}: {told}.", path.display());
    }
    Ok((book.of_at_least(least), games, found.played))
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
    /// Returns what is told of them, if there are any; where they are all, how even ones come about.
    fn told(&self, are_all: bool) -> Option<String> {
        let reasons = [
            (self.uneven, "a side was weakened or alpha-beta taught"),
            (self.elsewhere, "it begins elsewhere than its ruleset"),
        ];
        let reasons = reasons.iter().filter(|(games, _)| *games > 0);
        let told = reasons.map(|(games, why)| {
            let games = counted(*games, ["game", "games"]);
            format!("{games} left out, as {why}")
        });
        let mut told = told.collect::<Vec<_>>().join("; ");
        if are_all && self.uneven > 0 {
            let tafl = command();
            told += &format!(
                "; `{tafl} selfplay CONFIG --checkpoint NET --set 'selfplay.uneven=[]' --games 100 --out DIR` plays others"
            );
        }
        Some(told).filter(|told| !told.is_empty())
    }
}

/// What games come to.
#[derive(Debug)]
struct Found<'a> {
    /// The rulesets of the page, those of the games among them.
    page: &'a mut RulesOfPage,
    /// The names of those.
    played: BTreeSet<String>,
    left_out: LeftOut,
}

impl Found<'_> {
    /// Returns the rules of a game as the page has them.
    fn enter(&mut self, rules: &Arc<Rules>) -> anyhow::Result<Arc<Rules>> {
        let rules = self.page.enter(rules)?;
        self.played.insert(rules.ruleset().name.clone());
        Ok(rules)
    }
}

/// Adds the games of Parquet files.
fn add_stored(
    book: &mut Book,
    files: &[PathBuf],
    rules_of: &mut RulesOfGames,
    found: &mut Found<'_>,
) -> anyhow::Result<u32> {
    let mut games = 0;
    for file in files {
        for game in read_games(file)? {
            let rules = rules_of.of(&game, file)?;
            if !game.is_even() {
                found.left_out.uneven += 1;
                continue;
            }
            if game.start != rules.ruleset().setup() {
                found.left_out.elsewhere += 1;
                continue;
            }
            let rules = found.enter(&rules)?;
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
            games += 1;
        }
    }
    Ok(games)
}

/// Returns the ruleset of the page that is as the rules that a text brings along.
fn like_own(own: &OwnRules, page: &RulesOfPage) -> Option<Arc<Rules>> {
    let start = own.setup().ok()?;
    let presets = known_names().filter_map(Rules::preset);
    let mut all = page.known.iter().cloned().chain(presets);
    all.find(|rules| {
        let ruleset = rules.ruleset();
        ruleset.setup() == start && own.unlike(ruleset).is_none()
    })
}

/// Adds the games of a text.
fn add_lines(
    book: &mut Book,
    path: &Path,
    found: &mut Found<'_>,
    given: Option<&str>,
) -> anyhow::Result<u32> {
    let mut others = given.map(OtherRules::than).transpose()?;
    let given = given.map(|name| load_rules(name, Path::new(".")));
    let given = given.transpose()?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
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
            (None, Some(own), _) => match like_own(own, found.page) {
                Some(like) => like,
                None => rules_of_text(&written, None)
                    .and_then(|own| own.context("it brings no rules"))
                    .with_context(line)?,
            },
            (None, None, Some(named)) => found.page.meant(named).ok_or_else(|| {
                let message = format!("{}: the page has no ruleset named {named:?}", line());
                let advice =
                    "--ruleset NAME or FILE says it; a network that learned it brings it along, too";
                hinted(message, advice)
            })?,
            (None, None, None) => found.page.meant(&name).with_context(|| {
                format!("{name:?} is not the name of a ruleset that the page knows, as that of a text with games must be, unless --ruleset says it")
            })?,
        };
        let replayed = replayed_as_recorded(&written, &rules, false)?.with_context(line)?;
        if *replayed.start.position() != rules.start() {
            found.left_out.elsewhere += 1;
            continue;
        }
        let rules = found.enter(&rules)?;
        let recorded = written.recorded();
        let end = unclear_end(&recorded, &replayed.game);
        unclear.extend(end.map(|end| format!("{}: line {number}: {end}", path.display())));
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
    tell_first(&unclear);
    // Why games were left out is told of all files.
    ensure!(games > 0 || found.left_out.elsewhere > 0, "no games");
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_name_the_ruleset_of_the_page_and_those_left_out_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("games.eml");
        let own = r#"ruleset: { "name": "mine", "base": "brandubh", "escape": "edges" }"#;
        let played = |text: &str| {
            std::fs::write(&file, text).expect("written");
            let mut page = RulesOfPage::default();
            let book = read_book(Book::default(), &file, &mut page, None);
            let (_, games, played) = book.expect("games");
            (games, Vec::from_iter(played))
        };
        let lines = "d1-f1,0,0,Ongoing\nd1-e1,0,0,Ongoing\n";
        let mine = vec!["mine".to_owned()];
        assert_eq!(played(&format!("{own}\n{lines}")), (2, mine));
        let other = own.replace(r#""escape": "edges""#, r#""king_armed": false"#);
        let (games, names) = played(&format!("{own}\n{lines}{other}\n{lines}"));
        assert_eq!((games, &*names[0], names.len()), (4, "mine", 2));
        assert!(names[1].starts_with("mine-"), "{names:?}");
        let shipped = vec!["brandubh".to_owned()];
        assert_eq!(played(&format!("ruleset: brandubh\n{lines}")), (2, shipped));
        let left_out = LeftOut {
            uneven: 12,
            elsewhere: 1,
        };
        let told = "12 games left out, as a side was weakened or alpha-beta taught; 1 game left out, as it begins elsewhere than its ruleset";
        assert_eq!(left_out.told(false).as_deref(), Some(told));
        assert_eq!(LeftOut::default().told(true), None);
        let told = left_out.told(true).expect("what to do");
        assert!(told.contains("--set 'selfplay.uneven=[]'"), "{told}");
    }
}
