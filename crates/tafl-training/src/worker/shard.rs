//! Shards: finished games on their way to Parquet files with names of their own.
//!
//! The games of a shard are in `in-progress/<name>.jsonl`, which begins with what the Parquet file must say of them, until
//! `games/<generation>/<name>.parquet` is written. If the process is killed, the next one of the same worker writes the
//! same file from there: no game is lost and none comes twice.

use super::names::is_shard_of;
use crate::error::WorkerError;
use crate::found_rules::found_around;
use crate::observer::{Notice, SelfPlaySummary};
use crate::rulesets::fingerprint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_dataset::{Provenance, shard_path, write_shard};
use tafl_network::RulesetCard;
use tafl_play::Repertoire;
use tafl_rules::Rules;
use tafl_samples::GameRecord;
use tafl_store::{AbandonedJournal, Journal, entries, is_temporary};

/// The folder of a worker's shards, and who writes there.
#[derive(Debug)]
pub(crate) struct ShardFolder {
    folder: PathBuf,
    /// The worker's name.
    worker: String,
    /// A random number that no other process has.
    start: u64,
    rules: Repertoire,
    /// Shards begun so far.
    begun: u64,
}

/// A shard to which games are added.
#[derive(Debug)]
pub(crate) struct Shard {
    name: String,
    provenance: Provenance,
    journal: Journal,
    pub(crate) games: Vec<GameRecord>,
    /// When its first game came.
    first_game: Option<Instant>,
}

/// A shard on disk.
#[derive(Debug)]
pub(crate) struct Written {
    name: String,
    pub(crate) summary: SelfPlaySummary,
}

impl Written {
    /// Returns what is reported of it.
    pub(crate) fn notice(&self, is_left: bool) -> Notice<'_> {
        Notice::Shard {
            name: &self.name,
            summary: self.summary.clone(),
            is_left,
        }
    }
}

/// The first line of a shard in progress.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    provenance: Provenance,
    /// Fingerprints of the rules of the games.
    rulesets: BTreeMap<String, String>,
}

impl ShardFolder {
    /// Opens the folder for a worker; it is made if it is missing.
    pub(crate) fn open(
        folder: &Path,
        worker: &str,
        start: u64,
        rules: &Repertoire,
    ) -> anyhow::Result<Self> {
        let store = Self {
            folder: folder.to_owned(),
            worker: worker.to_owned(),
            start,
            rules: rules.clone(),
            begun: 0,
        };
        tafl_store::create_folder(&store.in_progress())?;
        Ok(store)
    }

    /// Begins the next shard.
    pub(crate) fn begin(&mut self, provenance: &Provenance) -> anyhow::Result<Shard> {
        let name = format!("{}-{:016x}-{:06}", self.worker, self.start, self.begun);
        let path = self.in_progress().join(format!("{name}.jsonl"));
        let head = Head {
            provenance: provenance.clone(),
            rulesets: fingerprints(&self.rules),
        };
        let journal = Journal::create(&path, &head)?;
        self.begun += 1;
        Ok(Shard {
            name,
            provenance: provenance.clone(),
            journal,
            games: Vec::new(),
            first_game: None,
        })
    }

    /// Writes the files of a shard; one without games leaves nothing.
    pub(crate) fn write(&self, shard: Shard) -> anyhow::Result<Option<Written>> {
        let written = self.write_files(shard.name, (&shard.games, &self.rules), &shard.provenance);
        let written = written.map_err(|error| WorkerError::Unwritten(format!("{error:#}")))?;
        shard.journal.remove()?;
        Ok(written)
    }

    /// Writes the shards that killed processes of the same worker left in progress.
    pub(crate) fn take_over(&self) -> anyhow::Result<Vec<Written>> {
        let mut taken = Vec::new();
        for path in entries(&self.in_progress())? {
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(name) = self.own_shard(&file_name) {
                let name = name.to_owned();
                taken.extend(self.take(&path, name)?);
            }
        }
        Ok(taken)
    }

    fn take(&self, path: &Path, name: String) -> anyhow::Result<Option<Written>> {
        let Some(journal) = AbandonedJournal::<Head>::take_over(path)? else {
            return Ok(None);
        };
        let mut written = None;
        // Without a head no game was written: it is there before the file has its name.
        if let Some(head) = journal.head().filter(|_| !is_temporary(path)) {
            let read = self.rules_of(path, head);
            let (rules, games) = read
                .and_then(|rules| Ok((rules, journal.entries()?)))
                .map_err(|error| WorkerError::LeftGames(path.to_owned(), format!("{error:#}")))?;
            // Where it is, it is whole, and someone may be reading it.
            if !shard_path(&self.folder, head.provenance.generation, &name).exists() {
                written = self.write_files(name, (&games, &rules), &head.provenance)?;
            }
        }
        journal.remove()?;
        Ok(written)
    }

    /// Returns the rules of the games behind a head: this worker's, or others that were played here and are kept.
    fn rules_of(&self, path: &Path, head: &Head) -> anyhow::Result<Repertoire> {
        let own = fingerprints(&self.rules);
        let mut all = head.rulesets.iter();
        if all.all(|(name, known)| own.get(name) == Some(known)) {
            return Ok(self.rules.clone());
        }
        let found = head.rulesets.iter().map(|(name, known)| {
            let wanted = RulesetCard {
                name: name.clone(),
                fingerprint: known.clone(),
            };
            found_around(path, &wanted)
        });
        let found = found.collect::<anyhow::Result<Vec<_>>>()?;
        Ok(found.into())
    }

    fn write_files(
        &self,
        name: String,
        (games, rules): (&[GameRecord], &Repertoire),
        provenance: &Provenance,
    ) -> anyhow::Result<Option<Written>> {
        if games.is_empty() {
            return Ok(None);
        }
        let written = write_shard(&self.folder, &name, games, rules, provenance)?;
        Ok(Some(Written {
            name,
            summary: SelfPlaySummary::of(games, rules, written.samples.len() as u64, written.bytes),
        }))
    }

    fn in_progress(&self) -> PathBuf {
        self.folder.join("in-progress")
    }

    /// Returns the name of the shard that a file holds, if it is a shard of this worker.
    fn own_shard<'a>(&self, file_name: &'a str) -> Option<&'a str> {
        let name = file_name.strip_suffix(".tmp").unwrap_or(file_name);
        let name = name.strip_suffix(".jsonl")?;
        is_shard_of(&self.worker, name).then_some(name)
    }
}

impl Shard {
    /// Adds a game, which a kill of the process does not lose then, nor a power cut a second later.
    pub(crate) fn add(&mut self, game: GameRecord) -> anyhow::Result<()> {
        self.journal.append(&game)?;
        self.games.push(game);
        self.first_game.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Returns the time since its first game came.
    pub(crate) fn age(&self) -> Option<Duration> {
        self.first_game.map(|first| first.elapsed())
    }
}

/// Returns the fingerprints of rulesets by their names.
fn fingerprints(rules: &[Arc<Rules>]) -> BTreeMap<String, String> {
    let named = rules.iter();
    let named = named.map(|rules| (rules.ruleset().name.clone(), fingerprint(rules)));
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found_rules::keep_rules;

    #[test]
    fn games_that_were_left_are_written_by_rules_that_their_folder_keeps() {
        let place = tempfile::tempdir().expect("a folder");
        let rules = |limit| {
            let ruleset = tafl_rules::Ruleset {
                name: "mine".to_owned(),
                captureless_limit: std::num::NonZeroU32::new(limit),
                ..tafl_rules::preset("brandubh").expect("a preset")
            };
            vec![Rules::new(ruleset).expect("sound")]
        };
        let (folder, [old, new]) = (place.path(), [rules(20), rules(21)]);
        let opened = |start, rules: &[Arc<Rules>]| {
            let rules = Repertoire::from(rules.to_vec());
            ShardFolder::open(folder, "a", start, &rules).expect("opened")
        };
        let provenance = Provenance {
            run: String::new(),
            generation: 0,
            checkpoint: String::new(),
            config_sha256: String::new(),
            weights_sha256: None,
        };
        drop(opened(7, &old).begin(&provenance).expect("begun"));
        let after = opened(8, &new);
        keep_rules(folder, &new).expect("written");
        let error = after.take_over().expect_err("nobody has the old rules");
        assert!(error.to_string().contains("ruleset mine ("), "{error}");
        keep_rules(folder, &old).expect("written");
        assert_eq!(after.take_over().expect("they are kept").len(), 0);
        let left = entries(&folder.join("in-progress")).expect("a folder");
        assert_eq!(left, Vec::<PathBuf>::new());
    }

    #[test]
    fn only_shards_of_the_worker_itself_are_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let store =
            ShardFolder::open(folder.path(), "a-1", 7, &Repertoire::default()).expect("opened");
        let name = "a-1-0123456789abcdef-000012";
        assert_eq!(store.own_shard(&format!("{name}.jsonl")), Some(name));
        assert!(store.own_shard(&format!("{name}.jsonl.tmp")).is_some());
        let others = [
            "a-0123456789abcdef-000012.jsonl",
            "a-1-b-0123456789abcdef-000012.jsonl",
            "a-1-0123456789abcdef-000012.txt",
            "a-1-000012.jsonl",
        ];
        for other in others {
            assert_eq!(store.own_shard(other), None, "{other}");
        }
    }
}
