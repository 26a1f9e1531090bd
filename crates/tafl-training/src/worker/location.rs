//! Where checkpoints come from: one that is replaced, or a folder that gets more and more of them.

use crate::config::{RUN_CONFIG, read_stored};
use crate::error::StoredConfigFor;
use crate::found_rules::Learned;
use crate::observer::{Notice, Observer};
use crate::player;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tafl_network::{Network, Origin};
use tafl_rules::Rules;
use tafl_samples::PlayerId;
use tafl_store::{CARD, WEIGHTS};

/// A place that is looked at again and again.
#[derive(Debug)]
pub(crate) struct Location {
    /// A checkpoint, a folder of checkpoints, or a run.
    pub(super) path: PathBuf,
    /// Every checkpoint must fit their board.
    rules: Arc<Rules>,
    taken: Option<Taken>,
    /// Checkpoints that cannot be used, one entry a folder: not read again until they change.
    refused: Vec<Stamp>,
    /// The last complaint, which is not repeated.
    complaint: String,
}

/// A network that plays, and where it comes from: a checkpoint of a run, or an untrained one.
pub(crate) struct Checkpoint {
    pub(crate) network: Network,
    pub(crate) id: PlayerId,
    pub(crate) run: String,
    pub(crate) generation: u32,
    pub(crate) learned: Learned,
    /// SHA-256 of its weights' file; none of one that is untrained.
    pub(crate) weights_sha256: Option<String>,
}

impl Checkpoint {
    fn announce(&self, folder: &Path, observer: &dyn Observer) {
        observer.noticed(&Notice::NewCheckpoint {
            run: &self.run,
            player: &self.id,
            folder,
        });
    }
}

/// Generation and checksum: tells equal checkpoints at two places, or of two times, from different ones.
type Identity = (u32, Option<String>);

#[derive(Debug)]
struct Taken {
    stamp: Stamp,
    identity: Identity,
}

/// A checkpoint's folder and how its files looked; another look means another checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    folder: PathBuf,
    /// The number that is the folder's name, if it is one of many.
    number: Option<u32>,
    files: [Option<(u64, SystemTime)>; 2],
}

impl Stamp {
    fn of(folder: PathBuf, number: Option<u32>) -> Self {
        let files = [CARD, WEIGHTS].map(|name| {
            let metadata = fs::metadata(folder.join(name)).ok()?;
            Some((metadata.len(), metadata.modified().ok()?))
        });
        Self {
            folder,
            number,
            files,
        }
    }
}

impl Location {
    pub(crate) fn new(path: &Path, rules: &Arc<Rules>) -> Self {
        Self {
            path: path.to_owned(),
            rules: Arc::clone(rules),
            taken: None,
            refused: Vec::new(),
            complaint: String::new(),
        }
    }

    /// Loads the newest valid checkpoint; `None` if there is none at all.
    ///
    /// # Errors
    /// What is wrong with the newest, if none is sound.
    pub(crate) fn first(&mut self, observer: &dyn Observer) -> anyhow::Result<Option<Checkpoint>> {
        let mut newest_error = None;
        for stamp in self.checkpoints()? {
            match self.load(&stamp) {
                Ok(checkpoint) => {
                    if let Some(error) = newest_error {
                        self.complain(&error, observer);
                    }
                    checkpoint.announce(&stamp.folder, observer);
                    self.take(stamp, &checkpoint);
                    return Ok(Some(checkpoint));
                }
                Err(error) => {
                    self.refuse(stamp);
                    newest_error.get_or_insert(error);
                }
            }
        }
        newest_error.map_or(Ok(None), Err)
    }

    /// Loads the newest sound checkpoint that is newer than the one taken, or the newest of all where none is as new: its run
    /// went back to an earlier state. Complains once of one that is not sound.
    pub(crate) fn newer(&mut self, observer: &dyn Observer) -> Option<Checkpoint> {
        let stamps = match self.checkpoints() {
            Ok(stamps) => stamps,
            Err(error) => {
                self.complain(&error, observer);
                return None;
            }
        };
        let is_older = |stamp: &Stamp, taken: &Taken| stamp.number < taken.stamp.number;
        let newest = stamps.first().zip(self.taken.as_ref());
        let went_back = newest.is_some_and(|(newest, taken)| is_older(newest, taken));
        for stamp in stamps {
            let is_enough =
                |taken: &Taken| taken.stamp == stamp || is_older(&stamp, taken) && !went_back;
            if self.taken.as_ref().is_some_and(is_enough) {
                return None;
            }
            if self.refused.contains(&stamp) {
                continue;
            }
            match self.load(&stamp) {
                Ok(checkpoint) => {
                    let folder = stamp.folder.clone();
                    let is_new = self.take(stamp, &checkpoint);
                    return is_new.then(|| {
                        checkpoint.announce(&folder, observer);
                        checkpoint
                    });
                }
                Err(error) => {
                    self.refuse(stamp);
                    self.complain(&error, observer);
                }
            }
        }
        None
    }

    /// Returns the checkpoints that are there, the newest first; one being written has another name.
    fn checkpoints(&self) -> anyhow::Result<Vec<Stamp>> {
        let single = Stamp::of(self.path.clone(), None);
        if single.files[0].is_some() {
            return Ok(vec![single]);
        }
        let numbered = tafl_store::checkpoints(&self.path)?.into_iter().rev();
        let stamps = numbered.map(|(number, path)| Stamp::of(path, Some(number)));
        Ok(stamps.collect())
    }

    /// Returns whether the checkpoint in use is the last one that its run is to have, as far as can be seen from here.
    pub(crate) fn has_ended(&self) -> bool {
        let number = self.taken.as_ref().and_then(|taken| taken.stamp.number);
        number.is_some_and(|number| is_last(number, &self.path))
    }

    fn load(&self, stamp: &Stamp) -> anyhow::Result<Checkpoint> {
        let (network, card) = player::load(&stamp.folder, &self.rules)?;
        let weights = Origin::of(&card).weights_sha256;
        let from = card.provenance;
        Ok(Checkpoint {
            network,
            id: PlayerId::Checkpoint(from.generation),
            learned: Learned::of(&stamp.folder, &from),
            run: from.run,
            generation: from.generation,
            weights_sha256: Some(weights),
        })
    }

    /// Returns whether it is another one than before.
    fn take(&mut self, stamp: Stamp, taken: &Checkpoint) -> bool {
        let identity = (taken.generation, taken.weights_sha256.clone());
        let is_new = (self.taken.as_ref()).is_none_or(|before| before.identity != identity);
        self.taken = Some(Taken { stamp, identity });
        is_new
    }

    fn refuse(&mut self, stamp: Stamp) {
        self.refused.retain(|other| other.folder != stamp.folder);
        self.refused.push(stamp);
    }

    fn complain(&mut self, error: &anyhow::Error, observer: &dyn Observer) {
        let complaint = format!("{error:#}");
        if complaint != self.complaint {
            observer.noticed(&Notice::Skipped {
                reason: error,
                is_for_now: false,
            });
            self.complaint = complaint;
        }
    }
}

/// Returns whether a checkpoint is the last one that the config of a run asks for; of a folder without one, none is.
pub(super) fn is_last(number: u32, run: &Path) -> bool {
    // Neither its rulesets nor its pool need be here.
    let config = read_stored(&run.join(RUN_CONFIG), StoredConfigFor::Worker);
    config.is_ok_and(|it| number >= it.training_loop.generations)
}
