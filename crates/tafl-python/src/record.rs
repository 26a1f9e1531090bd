//! Stored games.

use crate::argument::{existing, path, wrong};
use crate::game::Game;
use crate::numbers::policy;
use crate::played::Played;
use crate::rules::{Rules, rules};
use crate::texts;
use crate::threads::{lock, on_all_cores};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tafl_rules::notation::words::OffBoard;
use tafl_rules::{Setup, Side};
use tafl_samples::{EndingReason, Forfeit, GameRecord, PlyRecord, SearchRecord};
use tafl_training::RulesOfGames;

/// A stored game.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Record {
    /// Its number; of a text its line.
    #[pyo3(get)]
    pub(crate) id: u64,
    /// The generation of self-play that it belongs to, from 0 as files count them; the screen counts from 1.
    #[pyo3(get)]
    pub(crate) generation: u32,
    pub(crate) rules: Arc<tafl_rules::Rules>,
    /// What it is: even, handicap, partner, taught, match or people.
    #[pyo3(get)]
    pub(crate) kind: &'static str,
    pub(crate) players: [String; 2],
    pub(crate) winner: Option<Side>,
    /// Why it ended: as `Game.reason`, or one of the words below where no rule ended it.
    ///
    /// "capped": it was cut. "adjudicated": both players' searches called it decided. "resigned". "timeout": no move came in time.
    /// "unknown": a text says no more than who won. Of matches with other programs also "crash", "illegal-move", "refusal" (of the
    /// position), "refused-move" (the opponent did not take a legal move), "other-rules" (those of the program ended it, not ours).
    #[pyo3(get)]
    pub(crate) reason: &'static str,
    pub(crate) start: Setup,
    pub(crate) plies: Vec<PlyRecord>,
}

/// A ply of a stored game, and what the search said before it.
///
/// That is None for a ply that no search chose, such as one that alpha-beta taught, although `samples` learn from that.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct RecordedPly {
    ply: PlyRecord,
    shape: tafl_rules::BoardShape,
}

/// The games of some files, one after the other.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Games(Mutex<Files>);

struct Files {
    files: VecDeque<PathBuf>,
    /// Of texts.
    ruleset: Option<Arc<tafl_rules::Rules>>,
    games: VecDeque<Result<Record, String>>,
    rules: RulesOfGames,
}

/// The positions of a stored game.
#[pyclass(module = "taflforge")]
pub(crate) struct Positions {
    record: Py<Record>,
    played: Played,
}

/// Yields the games of a run's folder, in order, generation by generation; of matches; of a Parquet file; or of a text file.
///
/// Texts are lines of aagenielsen.dk, lists of turns, PGN with squares such as h1h3, and OpenTafl's .otg; `ruleset` says
/// what was played where they do not, or no folder around a Parquet file has its ruleset. The id of a game of a text is its
/// line, its kind "people". One that cannot be replayed raises `ValueError` with line and reason; calling `next` again goes
/// on after it. A text that is in no file cannot be given: write it to one, or `play` its moves in a `Game`.
#[pyfunction]
#[pyo3(signature = (path, ruleset = None))]
pub(crate) fn games(
    path: &Bound<'_, PyAny>,
    ruleset: Option<&Bound<'_, PyAny>>,
) -> PyResult<Games> {
    let path = existing(self::path(path, "path")?, "path")?;
    let ruleset = ruleset.map(rules).transpose()?;
    let files = files(&path).map_err(|error| wrong("path", error))?;
    if files.is_empty() {
        let reason = format!("{} holds no games", path.display());
        return Err(wrong("path", reason));
    }
    Ok(Games(Mutex::new(Files {
        files: files.into(),
        games: VecDeque::new(),
        rules: RulesOfGames::new(ruleset.clone()),
        ruleset,
    })))
}

/// Returns the files of games in a folder, or the file itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let run = path.parent().filter(|_| path.ends_with("games"));
    let of_run = tafl_dataset::game_files(run.unwrap_or(path));
    let of_run = of_run.map_err(|error| error.to_string())?;
    if !of_run.is_empty() {
        return Ok(of_run);
    }
    // Those of a tournament; or the folder is that of a generation, or of a run's matches.
    let games = path.join("games");
    let folder = if games.is_dir() { &games } else { path };
    let mut files = tafl_store::entries(folder).map_err(|error| error.to_string())?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "parquet"));
    Ok(files)
}

impl Files {
    /// Reads the games of a file, with what searches said.
    fn read(&mut self, file: &Path) -> Result<VecDeque<Result<Record, String>>, String> {
        if file.extension().is_none_or(|ending| ending != "parquet") {
            return texts::read(file, self.ruleset.as_ref());
        }
        let games = tafl_dataset::read_searched_games(file);
        let games = games.map_err(|error| error.to_string())?.into_iter();
        let hint = match self.ruleset {
            Some(_) => "without `ruleset` that of each game is looked for around its file",
            None => "`ruleset` takes the path of its file",
        };
        let records = games.map(|game| {
            let rules = self.rules.of(&game, file);
            let rules = rules.map_err(|error| format!("{error:#}; {hint}"))?;
            let replayed = tafl_samples::samples_of(&game, &rules);
            replayed.map_err(|error| format!("{}: {error}", file.display()))?;
            Ok(Record::stored(game, rules))
        });
        Ok(records.collect())
    }
}

#[pymethods]
impl Games {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        let mut files = lock(&self.0, "iterator")?;
        let files = &mut *files;
        while files.games.is_empty() {
            let Some(file) = files.files.pop_front() else {
                return Ok(None);
            };
            files.games = py
                .detach(|| on_all_cores(|| files.read(&file)))
                .map_err(|error| wrong("path", error))?;
        }
        let record = files.games.pop_front().transpose();
        record.map_err(|error| wrong("path", error))
    }
}

/// Returns the word for why a stored game ended; one that a player gave up is "resigned", as in texts and in `match`.
fn word_of(reason: EndingReason) -> &'static str {
    match reason {
        EndingReason::Forfeit(Forfeit::Resignation) => OffBoard::Resigned.word(),
        reason => reason.name(),
    }
}

impl Record {
    fn stored(game: GameRecord, rules: Arc<tafl_rules::Rules>) -> Self {
        Self {
            id: game.game_id,
            generation: game.generation,
            rules,
            kind: game.kind.name(),
            players: Side::ALL.map(|side| game.player(side).to_string()),
            winner: game.ending.winner,
            reason: word_of(game.ending.reason),
            start: game.start,
            plies: game.plies,
        }
    }

    fn recorded(&self, ply: &PlyRecord) -> RecordedPly {
        RecordedPly {
            ply: ply.clone(),
            shape: self.rules.shape(),
        }
    }
}

#[pymethods]
impl Record {
    /// The rules that it was played by.
    #[getter]
    fn rules(&self) -> Rules {
        Rules(Arc::clone(&self.rules))
    }

    /// Who played the attackers and the defenders.
    #[getter]
    fn players(&self) -> (String, String) {
        let [attackers, defenders] = self.players.clone();
        (attackers, defenders)
    }

    /// Who won; None of a draw, and of a game that was cut.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.winner.map(Side::name)
    }

    /// Its plies, as moves.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.plies.iter().map(|ply| ply.mv.to_string()).collect()
    }

    /// Its plies, with what the searches said.
    #[getter]
    fn plies(&self) -> Vec<RecordedPly> {
        self.plies.iter().map(|ply| self.recorded(ply)).collect()
    }

    /// Yields each position, a game of its own, with the ply played in it.
    fn positions(slf: &Bound<'_, Self>) -> PyResult<Positions> {
        let this = slf.get();
        let game = tafl_rules::Game::from_setup(Arc::clone(&this.rules), &this.start);
        let game = game.map_err(|error| wrong("start", error))?;
        Ok(Positions {
            record: slf.clone().unbind(),
            played: Played::new(game),
        })
    }

    fn __len__(&self) -> usize {
        self.plies.len()
    }

    fn __repr__(&self) -> String {
        let (id, plies, reason) = (self.id, self.plies.len(), self.reason);
        let won = self
            .winner
            .map_or_else(|| "nobody wins".to_owned(), |side| format!("{side} win"));
        let ruleset = &self.rules.ruleset().name;
        format!("<Record {id} {ruleset}, {plies} plies, {won} ({reason})>")
    }
}

#[pymethods]
impl Positions {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> PyResult<Option<(Game, RecordedPly)>> {
        let record = self.record.get();
        let Some(ply) = record.plies.get(self.played.plies()) else {
            return Ok(None);
        };
        let game = Game::of(self.played.clone());
        let played = self.played.play(ply.mv);
        let _captured = played.map_err(|reason| wrong("move", reason))?;
        Ok(Some((game, record.recorded(ply))))
    }
}

impl RecordedPly {
    /// Returns the search that chose the ply, if one did.
    fn search(&self) -> Option<&SearchRecord> {
        let search = self.ply.search.as_ref();
        search.filter(|search| !search.is_taught())
    }
}

#[pymethods]
impl RecordedPly {
    /// The move as text, such as "d1-d3".
    #[getter]
    fn r#move(&self) -> String {
        self.ply.mv.to_string()
    }

    /// The number of the move.
    #[getter]
    fn action(&self) -> u16 {
        self.ply.mv.policy_index(self.shape).0
    }

    /// The policy to learn: probabilities by moves.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(search) = self.search() else {
            return Ok(None);
        };
        let shares = search.policy.iter();
        policy(py, shares.map(|(mv, share)| (*mv, f64::from(*share)))).map(Some)
    }

    /// Win, draw and loss of the side to move after the search.
    #[getter]
    fn wdl(&self) -> Option<(f32, f32, f32)> {
        let search = self.search()?;
        let [win, draw, loss] = search.wdl;
        Some((win, draw, loss))
    }

    /// Visits of the search; 0 where the result was proven at once.
    #[getter]
    fn visits(&self) -> Option<u32> {
        self.search().map(|search| search.visits)
    }

    fn __repr__(&self) -> String {
        format!("<RecordedPly {}>", self.ply.mv)
    }
}
