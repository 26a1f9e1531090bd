//! The finished games of a generation or shard that is still being played, so that a killed process leaves them behind.
//!
//! One line of JSON for each game, appended as it ends. Floats are kept as their bits, so a game that
//! was read back is the one that was written. The file is private to this program and goes when the games are stored.

use crate::failure::hinted;
use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tafl_dataset::temporary_name;
use tafl_rules::{Move, PolicyIndex, Rules, Setup, Side};
use tafl_samples::{Ending, GameRecord, Handicap, PlyRecord, SearchRecord};

/// What all games of a file have in common.
#[derive(Debug, Clone)]
pub(crate) struct Common {
    pub(crate) rules: Vec<Arc<Rules>>,
    pub(crate) generation: u32,
}

/// The open file.
#[derive(Debug)]
pub(crate) struct Spool {
    path: PathBuf,
    common: Common,
    file: Mutex<Appended>,
}

/// Time after which games are on the disk, and not only with the operating system, at the latest with the next one.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

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
    fn append(&mut self, line: &[u8]) -> std::io::Result<()> {
        if self.is_torn {
            return Err(std::io::Error::other("a game before could not be written"));
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

#[derive(Serialize, Deserialize)]
struct Line {
    game_id: u64,
    seed: u64,
    ruleset: String,
    attackers: String,
    defenders: String,
    opening_plies: u32,
    handicap: Option<(Side, u32)>,
    plies: Vec<(u16, Option<Search>)>,
    winner: Option<Side>,
    reason: String,
}

#[derive(Serialize, Deserialize)]
struct Search {
    policy: Vec<(u16, u32)>,
    wdl: [u32; 3],
    network_wdl: [u32; 3],
    visits: u32,
    proven: bool,
    prior_divergence: u32,
}

impl Spool {
    /// Opens or makes the file, and returns the games that it holds; what follows the last whole game is cut off.
    pub(crate) fn open(path: &Path, common: Common) -> anyhow::Result<(Self, Vec<GameRecord>)> {
        let context = || format!("opening {}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(context)?;
        }
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error).with_context(context),
        };
        let (games, whole) = read_games(&text, &common).map_err(|error| {
            let message = format!("{}: {error:#}", path.display());
            hinted(message, "move the file away to play its games anew")
        })?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(context)?;
        file.set_len(whole as u64).with_context(context)?;
        Ok((
            Self {
                path: path.to_owned(),
                common,
                file: Appended::new(file),
            },
            games,
        ))
    }

    /// Makes a file that begins with a line of its own and is locked as long as it is open; it appears with that line.
    pub(crate) fn begin(path: &Path, common: Common, first_line: &str) -> anyhow::Result<Self> {
        let context = || format!("writing {}", path.display());
        let partial = temporary_name(path);
        let begin = || {
            let mut file = File::create(&partial)?;
            lock(&file);
            file.write_all(format!("{first_line}\n").as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&partial, path)?;
            Ok::<File, std::io::Error>(file)
        };
        let file = begin().inspect_err(|_| {
            // What was begun only takes space; the first error is the one to tell.
            let _ = std::fs::remove_file(&partial);
        });
        Ok(Self {
            path: path.to_owned(),
            common,
            file: Appended::new(file.with_context(context)?),
        })
    }

    /// Appends a game.
    pub(crate) fn add(&self, game: &GameRecord) -> anyhow::Result<()> {
        let rules = self.common.rules_of(&game.ruleset)?;
        let mut line = serde_json::to_vec(&Line::of(game, rules))?;
        line.push(b'\n');
        let mut file = self
            .file
            .lock()
            .map_err(|_| anyhow!("another worker failed"))?;
        file.append(&line)
            .with_context(|| format!("writing {}", self.path.display()))
    }

    /// Removes the file, once its games are stored elsewhere.
    pub(crate) fn remove(self) -> anyhow::Result<()> {
        remove_if_there(&self.path)
    }
}

/// Keeps other processes from taking a file over; returns whether one of them has it.
///
/// A process that ends in any way lets it go. Some network file systems know no locks; there nobody has it. The file must
/// be open for writing, which locks of NFS ask for.
pub(crate) fn lock(file: &File) -> bool {
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Removes a file, unless another process was faster.
pub(crate) fn remove_if_there(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Returns the games up to a last line that is cut off, and the length of their lines.
///
/// # Errors
/// If a whole line is no game: nothing after it may be lost in silence.
pub(crate) fn read_games(text: &[u8], common: &Common) -> anyhow::Result<(Vec<GameRecord>, usize)> {
    let mut games = Vec::new();
    let mut whole = 0;
    for (line, number) in text.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        let Some(whole_line) = line.strip_suffix(b"\n") else {
            break;
        };
        let read = || serde_json::from_slice::<Line>(whole_line)?.into_record(common);
        let game = read().with_context(|| {
            format!("game {number} is damaged, or was written by another version of the program")
        })?;
        games.push(game);
        whole += line.len();
    }
    Ok((games, whole))
}

impl Common {
    fn rules_of(&self, ruleset: &str) -> anyhow::Result<&Rules> {
        let found = self
            .rules
            .iter()
            .find(|rules| rules.ruleset().name == ruleset);
        Ok(found.with_context(|| format!("no ruleset {ruleset:?} in this run"))?)
    }
}

impl Line {
    fn of(game: &GameRecord, rules: &Rules) -> Self {
        let index = |mv: Move| mv.policy_index(rules.shape()).0;
        let plies = game.plies.iter().map(|ply| {
            let search = ply.search.as_ref().map(|search| Search {
                policy: search
                    .policy
                    .iter()
                    .map(|&(mv, p)| (index(mv), p.to_bits()))
                    .collect(),
                wdl: search.wdl.map(f32::to_bits),
                network_wdl: search.network_wdl.map(f32::to_bits),
                visits: search.visits,
                proven: search.proven,
                prior_divergence: search.prior_divergence.to_bits(),
            });
            (index(ply.mv), search)
        });
        Self {
            game_id: game.game_id,
            seed: game.seed,
            ruleset: game.ruleset.clone(),
            attackers: game.attackers.clone(),
            defenders: game.defenders.clone(),
            opening_plies: game.opening_plies,
            handicap: game
                .handicap
                .map(|handicap| (handicap.side, handicap.rate.to_bits())),
            plies: plies.collect(),
            winner: game.ending.winner,
            reason: game.ending.reason.name().to_owned(),
        }
    }

    fn into_record(self, common: &Common) -> anyhow::Result<GameRecord> {
        let rules = common.rules_of(&self.ruleset)?;
        let mv = |index: u16| {
            let mv = Move::from_policy_index(PolicyIndex(index), rules.shape());
            mv.ok_or_else(|| anyhow!("{index} is no move"))
        };
        let plies = self.plies.into_iter().map(|(index, search)| {
            let search = match search {
                Some(search) => Some(search.into_record(&mv)?),
                None => None,
            };
            Ok(PlyRecord {
                mv: mv(index)?,
                search,
            })
        });
        Ok(GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            ruleset: self.ruleset,
            generation: common.generation,
            attackers: self.attackers,
            defenders: self.defenders,
            opening_plies: self.opening_plies,
            handicap: self.handicap.map(|(side, rate)| Handicap {
                side,
                rate: f32::from_bits(rate),
            }),
            plies: plies.collect::<anyhow::Result<_>>()?,
            ending: Ending {
                winner: self.winner,
                reason: self.reason.parse()?,
            },
        })
    }
}

impl Search {
    fn into_record(self, mv: &dyn Fn(u16) -> anyhow::Result<Move>) -> anyhow::Result<SearchRecord> {
        let policy = self
            .policy
            .into_iter()
            .map(|(index, p)| Ok((mv(index)?, f32::from_bits(p))));
        Ok(SearchRecord {
            policy: policy.collect::<anyhow::Result<_>>()?,
            wdl: self.wdl.map(f32::from_bits),
            network_wdl: self.network_wdl.map(f32::from_bits),
            visits: self.visits,
            proven: self.proven,
            prior_divergence: f32::from_bits(self.prior_divergence),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Seek;

    fn common() -> Common {
        let rules = vec![Rules::preset("brandubh").expect("a preset")];
        Common {
            rules,
            generation: 3,
        }
    }

    fn game(game_id: u64) -> GameRecord {
        let mv = "d6-f6".parse().expect("a move");
        let search = SearchRecord {
            policy: vec![(mv, 0.1 + 0.2), (Move::END, 1.0 / 3.0)],
            wdl: [0.1, 0.2, 0.7],
            network_wdl: [0.3, f32::MIN_POSITIVE, 0.7],
            visits: 16,
            proven: false,
            prior_divergence: 0.7,
        };
        let line = Line {
            game_id,
            seed: u64::MAX,
            ruleset: "brandubh".to_owned(),
            attackers: "checkpoint 3".to_owned(),
            defenders: "checkpoint 1".to_owned(),
            opening_plies: 1,
            handicap: Some((Side::Defender, 0.9_f32.to_bits())),
            plies: Vec::new(),
            winner: None,
            reason: "capped".to_owned(),
        };
        let plies = vec![
            PlyRecord { mv, search: None },
            PlyRecord {
                mv,
                search: Some(search),
            },
        ];
        GameRecord {
            plies,
            ..line.into_record(&common()).expect("a record")
        }
    }

    /// Half a line with another game behind it would be a damaged one, and cost all games after it.
    #[test]
    fn nothing_follows_a_line_that_was_not_written_as_a_whole() {
        let full = OpenOptions::new().write(true).open("/dev/full");
        let spool = Spool {
            path: "full.jsonl".into(),
            common: common(),
            file: Appended::new(full.expect("Linux has it")),
        };
        let error = |game_id| format!("{:#}", spool.add(&game(game_id)).expect_err("no space"));
        assert!(error(0).contains("writing full.jsonl: No space left"));
        assert!(error(1).contains("a game before could not be written"));
    }

    #[test]
    fn games_come_back_as_they_were_and_half_a_game_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("in-progress/000003.jsonl");
        let (spool, games) = Spool::open(&path, common()).expect("opened");
        assert_eq!(games, []);
        spool.add(&game(0)).expect("written");
        spool.add(&game(7)).expect("written");
        let mut file = OpenOptions::new().append(true).open(&path).expect("opened");
        file.write_all(b"{\"game_id\":9,\"seed\"").expect("written");
        let torn = file.stream_position().expect("a position");
        let (spool, games) = Spool::open(&path, common()).expect("opened");
        assert_eq!(games, [game(0), game(7)]);
        assert!(path.metadata().expect("there").len() < torn);
        spool.add(&game(8)).expect("written");
        let (spool, games) = Spool::open(&path, common()).expect("opened");
        assert_eq!(games.len(), 3);
        spool.remove().expect("removed");
        assert!(!path.exists());
    }
}
