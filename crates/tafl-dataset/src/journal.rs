//! The finished games of what is still being played, so that a killed process leaves them behind.

mod abandoned;
mod line;

pub use abandoned::AbandonedJournal;

use self::line::Line;
use crate::atomic::{create_here, sync_folder_of, temporary_name};
use crate::lock::try_lock;
use crate::{DatasetError, create_folder};
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tafl_rules::Rules;
use tafl_samples::GameRecord;

/// A file that takes games as they end, one line of JSON each; locked as long as it is open.
///
/// Floats are kept as their bits, so a game that is read back is the one that was written. The file is private to this
/// program and is removed once its games are stored. Any number of threads may append.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    rules: Vec<Arc<Rules>>,
    file: Mutex<Appended>,
}

/// Time after which games are on the disk, and not only with the operating system, at the latest with the next one.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// How often a journal is begun, while others that start now remove what has no content yet.
const ATTEMPTS: usize = 5;

impl Journal {
    /// Opens or makes a journal without a head, and returns the games that it holds; an incomplete last line is cut off.
    ///
    /// Games are of `rules` by name, and get the number `generation`.
    ///
    /// # Errors
    /// If another process has it open, a complete line is not a game of `rules`, or the operating system refuses.
    pub fn open(
        path: &Path,
        rules: &[Arc<Rules>],
        generation: u32,
    ) -> Result<(Self, Vec<GameRecord>), DatasetError> {
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let writing = |error: io::Error| DatasetError::writing(path, &error);
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(path);
        let mut file = file.map_err(writing)?;
        if !try_lock(&file) {
            return Err(in_use(path));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)
            .map_err(|error| DatasetError::reading(path, &error))?;
        let games = read_games(path, lines(&text).zip(1..), rules, generation)?;
        file.set_len(whole_lines(&text) as u64).map_err(writing)?;
        sync_folder_of(path).map_err(writing)?;
        Ok((Self::of(path, rules, file), games))
    }

    /// Makes a journal that begins with a head, a line with content of its own; the file appears together with it.
    ///
    /// [`AbandonedJournal`] reads it back.
    ///
    /// # Errors
    /// If the operating system refuses; nothing is left then.
    pub fn create(
        path: &Path,
        rules: &[Arc<Rules>],
        head: &impl Serialize,
    ) -> Result<Self, DatasetError> {
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let partial = temporary_name(path);
        let begin = || {
            let mut file = create_here(&partial)?;
            if !try_lock(&file) {
                return Err(io::ErrorKind::NotFound.into());
            }
            file.write_all(&line_of(head)?)?;
            file.sync_all()?;
            fs::rename(&partial, path)?;
            sync_folder_of(path)?;
            Ok::<_, io::Error>(file)
        };
        // Until it is locked, a worker of the same name that starts now may take it for abandoned and remove it.
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let mut begun = begin();
        for _ in 1..ATTEMPTS {
            if begun.as_ref().is_err_and(is_taken) {
                begun = begin();
            }
        }
        begun
            .map(|file| Self::of(path, rules, file))
            .map_err(|error| {
                // What was begun only takes space; the first error is the one to tell.
                let _ = fs::remove_file(&partial);
                DatasetError::writing(path, &error)
            })
    }

    fn of(path: &Path, rules: &[Arc<Rules>], file: File) -> Self {
        Self {
            path: path.to_owned(),
            rules: rules.to_vec(),
            file: Appended::new(file),
        }
    }

    /// Appends a game, which a kill of the process does not lose then, nor a power cut a second later.
    ///
    /// # Errors
    /// If its ruleset is not one of the journal's, or the operating system refuses; after that, no game is taken.
    pub fn append(&self, game: &GameRecord) -> Result<(), DatasetError> {
        let rules = line::rules_of(&self.rules, &game.ruleset);
        let rules = rules.ok_or_else(|| DatasetError::UnknownRuleset {
            game_id: game.game_id,
            ruleset: game.ruleset.clone(),
        })?;
        let append = |line: Vec<u8>| {
            // A thread that panicked within an append left it marked as torn.
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.append(&line)
        };
        line_of(&Line::of(game, rules))
            .and_then(append)
            .map_err(|error| DatasetError::writing(&self.path, &error))
    }

    /// Removes the file, once its games are stored elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn remove(self) -> Result<(), DatasetError> {
        remove_if_there(&self.path)
    }
}

/// Removes a file, unless it is gone already.
pub(crate) fn remove_if_there(path: &Path) -> Result<(), DatasetError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(DatasetError::writing(path, &error))
        }
        _ => Ok(()),
    }
}

/// A file that grows.
#[derive(Debug)]
struct Appended {
    file: File,
    synced: Instant,
    /// Whether the last line may have been written in part.
    is_torn: bool,
}

impl Appended {
    fn new(file: File) -> Mutex<Self> {
        let synced = Instant::now();
        Mutex::new(Self {
            file,
            synced,
            is_torn: false,
        })
    }

    /// Appends a line; after one that could not be written as a whole, no other is joined to it.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            return Err(io::Error::other("an earlier game could not be written"));
        }
        self.is_torn = true;
        self.file.write_all(line)?;
        self.is_torn = false;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

fn line_of(content: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(content)?;
    line.push(b'\n');
    Ok(line)
}

/// Returns the length of all complete lines.
fn whole_lines(text: &[u8]) -> usize {
    let last = text.iter().rposition(|&byte| byte == b'\n');
    last.map_or(0, |last| last + 1)
}

/// Returns the complete lines.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = &text[..whole_lines(text)];
    whole
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| &line[..line.len() - 1])
}

/// Reads games from numbered lines; a damaged one is an error, since nothing after it may be lost in silence.
fn read_games<'a>(
    path: &Path,
    numbered: impl Iterator<Item = (&'a [u8], u64)>,
    rules: &[Arc<Rules>],
    generation: u32,
) -> Result<Vec<GameRecord>, DatasetError> {
    let read = |(line, number): (&[u8], u64)| {
        let game = serde_json::from_slice::<Line>(line).map_err(|error| error.to_string());
        game.and_then(|game| game.into_record(rules, generation))
            .map_err(|reason| damaged(path, number, reason))
    };
    numbered.map(read).collect()
}

fn damaged(path: &Path, line: u64, reason: String) -> DatasetError {
    let path = path.into();
    DatasetError::Journal { path, line, reason }
}

fn in_use(path: &Path) -> DatasetError {
    DatasetError::InUse {
        path: path.into(),
        what: "journal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use tafl_rules::{Move, Side};
    use tafl_samples::{Ending, EndingReason, Handicap, PlyRecord, SearchRecord};

    fn rules() -> Vec<Arc<Rules>> {
        vec![Rules::preset("brandubh").unwrap()]
    }

    fn game(game_id: u64) -> GameRecord {
        let rules = &rules()[0];
        let mv = "d6-f6".parse().unwrap();
        let search = SearchRecord {
            policy: vec![(mv, 0.1 + 0.2), (Move::END, 1.0 / 3.0)],
            wdl: [0.1, 0.2, 0.7],
            network_wdl: [0.3, f32::MIN_POSITIVE, 0.7],
            visits: 16,
            proven: false,
            prior_divergence: 0.7,
            checkpoint: Some(3),
        };
        GameRecord {
            game_id,
            seed: u64::MAX,
            ruleset: "brandubh".to_owned(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: tafl_rules::Setup::of(&rules.start(), rules.shape()),
            generation: 3,
            attackers: "checkpoint 3".into(),
            defenders: "checkpoint 1".into(),
            opening_plies: 1,
            handicap: Some(Handicap {
                side: Side::Defender,
                rate: 0.9,
            }),
            plies: vec![
                PlyRecord { mv, search: None },
                PlyRecord {
                    mv,
                    search: Some(search),
                },
            ],
            ending: Ending {
                winner: None,
                reason: EndingReason::Capped,
            },
        }
    }

    fn append_to(path: &Path, text: &[u8]) {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(text).unwrap();
    }

    /// Half a line with another game behind it would be a damaged one, and cost all games after it.
    #[test]
    #[cfg(target_os = "linux")]
    fn nothing_follows_a_line_that_was_not_written_as_a_whole() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let journal = Journal::of(Path::new("full.jsonl"), &rules(), full);
        let error = |game_id| journal.append(&game(game_id)).unwrap_err().to_string();
        assert_eq!(error(0), "writing full.jsonl: no space left on device");
        assert!(error(1).ends_with("an earlier game could not be written"));
    }

    #[test]
    fn games_come_back_as_they_were_and_half_a_game_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in-progress/000003.jsonl");
        let open = || Journal::open(&path, &rules(), 3);
        let (journal, games) = open().unwrap();
        assert_eq!(games, []);
        journal.append(&game(0)).unwrap();
        journal.append(&game(7)).unwrap();
        assert!(matches!(open(), Err(DatasetError::InUse { .. })));
        drop(journal);
        append_to(&path, b"{\"game_id\":9,\"seed\"");
        let (journal, games) = open().unwrap();
        assert_eq!(games, [game(0), game(7)]);
        journal.append(&game(8)).unwrap();
        drop(journal);
        let (journal, games) = open().unwrap();
        assert_eq!(games, [game(0), game(7), game(8)]);
        journal.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_damaged_line_is_named_and_nothing_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let (journal, _) = Journal::open(&path, &rules(), 3).unwrap();
        journal.append(&game(0)).unwrap();
        drop(journal);
        append_to(&path, b"{\"game_id\":9}\n");
        let before = fs::read(&path).unwrap();
        let error = Journal::open(&path, &rules(), 3).unwrap_err();
        assert!(error.to_string().contains("line 2: missing field"));
        assert!(error.hint().unwrap().contains("move the file away"));
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Head {
        checkpoint: String,
    }

    #[test]
    fn a_journal_with_a_head_is_taken_over_once_its_process_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("worker/a.jsonl");
        let head = || Head {
            checkpoint: "000003".to_owned(),
        };
        let take_over = || AbandonedJournal::<Head>::take_over(&path).unwrap();
        assert!(take_over().is_none());
        let journal = Journal::create(&path, &rules(), &head()).unwrap();
        journal.append(&game(4)).unwrap();
        assert!(take_over().is_none());
        drop(journal);
        append_to(&path, b"{\"game_");
        let abandoned = take_over().unwrap();
        assert_eq!(abandoned.head(), Some(&head()));
        assert_eq!(abandoned.games(&rules(), 3).unwrap(), [game(4)]);
        let other = vec![Rules::preset("copenhagen").unwrap()];
        let error = abandoned.games(&other, 3).unwrap_err().to_string();
        assert!(error.contains("line 2: ruleset \"brandubh\""), "{error}");
        abandoned.remove().unwrap();
        assert!(take_over().is_none());
        fs::write(&path, "{\"check").unwrap();
        assert_eq!(take_over().unwrap().head(), None);
        fs::write(&path, "{}\n").unwrap();
        let error = AbandonedJournal::<Head>::take_over(&path).unwrap_err();
        assert!(error.to_string().contains("line 1: missing field"));
    }
}
