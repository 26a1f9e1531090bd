//! Games in their file, a row for each ply: first those that are learned from, then the others, each by game and ply.

use crate::DatasetError;
use crate::cell::Number;
use crate::column::{Column, Row, declared, table};
use crate::parquet_file::{FileKind, Opened, Part, Rows, open, rows_of};
use crate::plies::{self, GAME, LEARNED, TURN, Turn, blank, blank_game};
use crate::rows::{GameRows, check_same};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::{Move, Rules};
use tafl_samples::{GameRecord, PlyRecord, Sample};
use tafl_store::StoreError;

/// Keys of a file's metadata under `taflforge.`: how many rows are learned from, and how many games there are.
pub(crate) const POSITIONS: &str = "positions";
pub(crate) const GAMES: &str = "games";

/// Reads the games of a file, by rising number, without what searches said of them.
///
/// Whether the moves are legal is not checked: replay a game to know.
///
/// # Errors
/// If the file is missing, damaged or of another schema, or a value cannot be; names column and row.
pub fn read_games(path: &Path) -> Result<Vec<GameRecord>, DatasetError> {
    GamesFile::of_any(path)?.games()
}

/// Reads the games of a file with what searches said of their plies, if that is there.
///
/// # Errors
/// As [`read_games`].
pub fn read_searched_games(path: &Path) -> Result<Vec<GameRecord>, DatasetError> {
    GamesFile::of_any(path)?.searched_games()
}

/// Reads the positions of a file that are learned from, in its order.
///
/// Every value is checked as far as it can be without the ruleset; whether the position and the moves are legal is found
/// out when a batch is made.
///
/// # Errors
/// As [`read_games`].
pub fn read_samples(path: &Path) -> Result<Vec<Sample>, DatasetError> {
    let file = GamesFile::open(path)?;
    file.samples(Rows::Of(&file.learned))
}

/// Reads the seeds of the games of some files, in any order.
///
/// # Errors
/// As [`read_games`].
pub fn game_seeds(paths: &[PathBuf]) -> Result<Vec<u64>, DatasetError> {
    let seeds = paths.par_iter().map(|path| {
        let file = GamesFile::of_any(path)?;
        let mut seeds = file.numbers(&SEED, &file.groups())?;
        seeds.sort_unstable();
        seeds.dedup();
        Ok::<_, DatasetError>(seeds)
    });
    Ok(seeds.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Returns how many positions to learn from a file has, without reading them.
///
/// # Errors
/// If the file is missing, damaged or of another schema.
pub fn positions_in(path: &Path) -> Result<u64, DatasetError> {
    Ok(GamesFile::new(path)?.positions.into())
}

/// Returns how many games a file has, and how many positions to learn from, without reading them.
///
/// # Errors
/// If the file is missing, damaged or of another schema.
pub fn counts_in(path: &Path) -> Result<[u64; 2], DatasetError> {
    let file = GamesFile::new(path)?;
    Ok([file.games.unwrap_or_default(), file.positions].map(u64::from))
}

/// Returns the SHA-256 of the config that the games of a file were played by, without reading them; nothing of a file that
/// another program wrote.
///
/// # Errors
/// If the file is missing, damaged or of another schema.
pub fn config_of_games(path: &Path) -> Result<Option<String>, DatasetError> {
    let file = open(path, FileKind::Games)?;
    Ok(file.about("config_sha256").map(str::to_owned))
}

/// A number of a row.
#[derive(Debug, Clone, Copy)]
struct Id(u64);

impl Row for Id {}

table! {
    SEED: Id {} others { seed [0], }
}

table! {
    GAME_ID: Id {} others { game_id [0], }
}

/// An open file of games.
pub(crate) struct GamesFile<'a> {
    path: &'a Path,
    opened: Opened<'a>,
    /// The row groups that are learned from.
    learned: Vec<usize>,
    others: Vec<usize>,
    positions: u32,
    /// How many there are; unknown in a file that another program wrote without our metadata.
    games: Option<u32>,
}

impl<'a> GamesFile<'a> {
    /// Opens a file once its checksums are checked.
    pub(crate) fn open(path: &'a Path) -> Result<Self, DatasetError> {
        Self::of_any(path)?.parted()
    }

    /// Opens a file. Where rows are to be read, its checksums were checked before.
    pub(crate) fn new(path: &'a Path) -> Result<Self, DatasetError> {
        Self::of(path, Opened::new(path, FileKind::Games)?)?.parted()
    }

    /// Opens a file to read its games: other programs that wrote it anew may have cut it into other row groups.
    fn of_any(path: &'a Path) -> Result<Self, DatasetError> {
        Self::of(path, open(path, FileKind::Games)?)
    }

    fn of(path: &'a Path, opened: Opened<'a>) -> Result<Self, DatasetError> {
        let (positions, games) = match opened.is_rewritten {
            true => (0, None),
            false => (opened.number(POSITIONS)?, Some(opened.number(GAMES)?)),
        };
        let mut rows = 0;
        let is_learned = |group: &&u32| {
            let is_one = rows < positions;
            rows += if is_one { **group } else { 0 };
            is_one
        };
        let learned = opened.groups.iter().take_while(is_learned).count();
        Ok(Self {
            path,
            learned: (0..learned).collect(),
            others: (learned..opened.groups.len()).collect(),
            opened,
            positions,
            games,
        })
    }

    /// Refuses a file whose positions to learn from cannot be told from others.
    fn parted(self) -> Result<Self, DatasetError> {
        match self.unparted() {
            None => Ok(self),
            Some(reason) => Err(DatasetError::parquet(self.path, &reason)),
        }
    }

    /// Returns why positions to learn from cannot be told from others, if so.
    fn unparted(&self) -> Option<String> {
        if self.opened.is_rewritten {
            let reason = "another program wrote it without Taflforge's metadata, which say what to learn from";
            return Some(reason.to_owned());
        }
        let rows: u32 = self.learned_groups().iter().sum();
        (rows != self.positions).then(|| {
            let positions = self.positions;
            format!("row groups part after {rows} rows, not after {positions}")
        })
    }

    fn groups(&self) -> Vec<usize> {
        (0..self.opened.groups.len()).collect()
    }

    /// Returns the rows of each row group that is learned from.
    pub(crate) fn learned_groups(&self) -> &[u32] {
        &self.opened.groups[..self.learned.len()]
    }

    /// Returns all rows, and their bytes before compression, as the file states them.
    pub(crate) fn size(&self) -> [u64; 2] {
        let rows = self.opened.groups.iter().map(|&rows| u64::from(rows)).sum();
        [rows, self.opened.unpacked_bytes()]
    }

    pub(crate) fn about(&self, key: &str) -> Option<&str> {
        self.opened.about(key)
    }

    /// Reads the numbers of the games of the rows that are learned from.
    pub(crate) fn learned_games(&self) -> Result<Vec<u64>, DatasetError> {
        self.numbers(&GAME_ID, &self.learned)
    }

    /// Reads the numbers of the rows of some row groups.
    fn numbers(&self, table: &[Column<Id>], groups: &[usize]) -> Result<Vec<u64>, DatasetError> {
        let found = self.opened.read(table, Rows::Of(groups), &Id(0))?;
        Ok(found.into_iter().map(|id| id.0).collect())
    }

    /// Reads positions of row groups that are learned from.
    pub(crate) fn samples(&self, rows: Rows<'_>) -> Result<Vec<Sample>, DatasetError> {
        let learned = self.opened.read(&LEARNED, rows, &blank())?;
        Ok(learned.into_iter().map(|it| it.sample).collect())
    }

    fn searched_games(&self) -> Result<Vec<GameRecord>, DatasetError> {
        let mut games = self.games()?;
        let all = self.groups();
        let learned: Vec<u32> = (0..self.positions).collect();
        let learned = match self.unparted() {
            None => Rows::Of(&self.learned),
            Some(_) => Rows::Picked(&all, &learned),
        };
        for sample in self.samples(learned)? {
            let game = games.binary_search_by_key(&sample.game_id, |game| game.game_id);
            let game = game.map(|at| &mut games[at].plies);
            if let Ok(Some(ply)) = game.map(|plies| plies.get_mut(sample.ply as usize)) {
                ply.search = Some(sample.search);
            }
        }
        Ok(games)
    }

    pub(crate) fn games(&self) -> Result<Vec<GameRecord>, DatasetError> {
        let all = self.groups();
        let turns = self.opened.read(&TURN, Rows::Of(&all), &Turn::default())?;
        let mut rows: Vec<u32> = (0..).take(turns.len()).collect();
        let turn = |row: u32| &turns[row as usize];
        rows.sort_unstable_by_key(|&row| (turn(row).game_id, turn(row).ply));
        let rows_of = rows.chunk_by(|&one, &next| turn(one).game_id == turn(next).game_id);
        let mut firsts: Vec<u32> = rows_of.clone().map(|rows| rows[0]).collect();
        firsts.sort_unstable();
        let picked = Rows::Picked(&all, &firsts);
        let mut games = self.opened.read(&GAME, picked, &blank_game())?;
        games.sort_unstable_by_key(|game| game.game_id);
        if let Some(stated) = self.games.filter(|stated| *stated as usize != games.len()) {
            let reason = format!(
                "{} games, not {stated} as its metadata say, which a filter elsewhere keeps",
                games.len()
            );
            return Err(DatasetError::parquet(self.path, &reason));
        }
        for (game, rows) in games.iter_mut().zip(rows_of) {
            let of_game: Vec<&Turn> = rows.iter().map(|&row| turn(row)).collect();
            let plies = plies(game, &of_game);
            let bad = |(column, at): (_, usize)| {
                let reason = "not a game of whole plies".to_owned();
                self.opened.bad(column, rows[at] as usize, reason)
            };
            game.plies = plies.map_err(bad)?;
        }
        Ok(games)
    }

    /// Checks that the rows are these, in each column.
    fn check_rows(&self, expected: &[Part; 2]) -> Result<(), DatasetError> {
        let fields = plies::columns();
        for (groups, expected) in [&self.learned, &self.others].into_iter().zip(expected) {
            let columns = fields.iter();
            let columns = columns.map(|it| (it.name, &it.column_type, it.is_nullable));
            let mut from = 0;
            self.opened.read_parts(columns, Rows::Of(groups), |found| {
                check_same(self.path, expected, from, found)?;
                from += rows_of(found);
                Ok(())
            })?;
            if from != rows_of(expected) {
                let reason = "another number of rows than its games give";
                return Err(DatasetError::parquet(self.path, &reason));
            }
        }
        Ok(())
    }
}

/// Reads the games of a file with what searches said, and the positions to learn from, once the file is seen to be what
/// these games give by the rules. Only what searches said must be believed, within its range.
///
/// # Errors
/// As [`read_games`]; if a game is none under its ruleset in `rules`; and if a column is not what the games give.
pub fn read_checked(
    path: &Path,
    rules: &[Arc<Rules>],
) -> Result<(Vec<GameRecord>, Vec<Sample>), DatasetError> {
    let file = GamesFile::open(path)?;
    let games = file.searched_games()?;
    let rows = GameRows::new(games.iter().collect(), Some(rules));
    let rows = rows.map_err(|error| StoreError::unreadable(path, error))?;
    file.check_rows(&rows.parts)?;
    let samples = rows.samples();
    Ok((games, samples))
}

/// Returns the plies of a game by its rows; names column and row where they are not one after the other.
fn plies(game: &GameRecord, turns: &[&Turn]) -> Result<Vec<PlyRecord>, (&'static str, usize)> {
    if let [
        Turn {
            plies: 0,
            ply: 0,
            played: None,
            ..
        },
    ] = turns
    {
        return Ok(Vec::new());
    }
    if game.opening_plies as usize > turns.len() {
        return Err(("opening_plies", 0));
    }
    let ply = |(at, turn): (usize, &&Turn)| {
        if turn.ply as usize != at {
            return Err(("ply", at));
        }
        if turn.plies as usize != turns.len() {
            return Err(("plies", at));
        }
        let mv = turn
            .played
            .map(|index| Move::of(&index.into(), game.start.shape));
        let mv = mv.and_then(Result::ok).ok_or(("played", at))?;
        Ok(PlyRecord { mv, search: None })
    };
    turns.iter().enumerate().map(ply).collect()
}
