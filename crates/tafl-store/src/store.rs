//! A folder of games that were played alike: a run, a tournament, a study.

use crate::atomic::{remove_if_there, remove_leftovers, write_atomically};
use crate::difference::difference;
use crate::lock::lock_folder;
use crate::manifest::{FILE_NAME, missing};
use crate::run::is_checkpoint;
use crate::{
    FileEntry, Journal, Manifest, Settings, ShardCount, StoreError, StoreKind, entries, sha256_hex,
};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An open folder of games that were played alike, with its `manifest.json`; no other process writes it meanwhile.
///
/// A file counts once it is entered. The manifest is replaced atomically at each change, so what a killed process leaves
/// is complete: entered files, and journals in `in-progress/` with the games that ended since. Any number of threads may
/// use a store.
#[derive(Debug)]
pub struct Store<S> {
    folder: PathBuf,
    manifest: Mutex<Manifest<S>>,
    _lock: File,
}

/// Returns a store or a checkpoint that a folder holds, or one of the folders in it, such as `runs/`, if any does.
pub fn one_within(folder: &Path) -> Option<PathBuf> {
    let within = |folder: &Path| entries(folder).unwrap_or_default();
    let all = within(folder);
    let deeper = all.iter().flat_map(|it| within(it));
    let mut found = all.iter().cloned().chain(deeper);
    found.find(|it| is_checkpoint(it) || is_store(it))
}

/// Returns whether a folder has a manifest, even a damaged one, that is not one of another program.
fn is_store(folder: &Path) -> bool {
    let is_foreign = matches!(
        StoreKind::of_folder(folder),
        Err(StoreError::Foreign { .. })
    );
    !is_foreign && folder.join(FILE_NAME).is_file()
}

/// Refuses to make a store of a folder of others, as a part of the path was left out, or of one with files that it would replace.
fn check_alone<S: Settings>(folder: &Path) -> Result<(), StoreError> {
    if StoreKind::of_folder(folder)?.is_some() {
        return Ok(());
    }
    let mut results = S::RESULTS.iter().map(|it| folder.join(it));
    match one_within(folder).or_else(|| results.find(|it| it.exists())) {
        Some(other) => Err(StoreError::foreign(folder, &other)),
        None => Ok(()),
    }
}

impl<S: Settings> Store<S> {
    /// Makes the folder of a new store. One that is there may have begun, but not hold games.
    ///
    /// # Errors
    /// If it holds games, is in use or of another format or kind, or the operating system refuses.
    pub fn create(folder: &Path, settings: S) -> Result<Self, StoreError> {
        check_alone::<S>(folder)?;
        let (lock, manifest) = Self::lock(folder)?;
        if let Some(manifest) = manifest
            && holds_games(&manifest, folder)?
        {
            return Err(StoreError::Exists(folder.into()));
        }
        Self::begin(folder, lock, settings)
    }

    /// Opens a store whatever its settings are.
    ///
    /// # Errors
    /// If it is missing, in use, damaged or of another format or kind, or the operating system refuses.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        // Where nothing is, no lock is left either.
        Manifest::<S>::read(folder)?;
        let (lock, manifest) = Self::lock(folder)?;
        match manifest {
            Some(manifest) => Ok(Self::of(folder, lock, manifest)),
            None => Err(missing(folder)),
        }
    }

    /// Opens a store that was played with the same settings, or makes it; one without games takes the new settings.
    ///
    /// # Errors
    /// If its games were played with other settings, it is in use, damaged or of another format or kind, or the
    /// operating system refuses.
    pub fn open_or_create(folder: &Path, settings: &S) -> Result<Self, StoreError> {
        check_alone::<S>(folder)?;
        let (lock, manifest) = Self::lock(folder)?;
        match manifest {
            Some(manifest) if holds_games(&manifest, folder)? => {
                let store = Self::of(folder, lock, manifest);
                let stored = store.settings();
                store.check_same("settings", &stored, settings, S::INFORMATION)?;
                Ok(store)
            }
            _ => Self::begin(folder, lock, settings.clone()),
        }
    }

    fn lock(folder: &Path) -> Result<(File, Option<Manifest<S>>), StoreError> {
        let lock = lock_folder(folder, S::KIND.into())?;
        let manifest = Manifest::read_if_there(folder)?;
        for part in S::FOLDERS {
            remove_leftovers(&folder.join(part))?;
        }
        Ok((lock, manifest))
    }

    fn begin(folder: &Path, lock: File, settings: S) -> Result<Self, StoreError> {
        let manifest = Manifest::new(settings);
        manifest.write(folder)?;
        Ok(Self::of(folder, lock, manifest))
    }

    fn of(folder: &Path, lock: File, manifest: Manifest<S>) -> Self {
        Self {
            folder: folder.to_owned(),
            manifest: Mutex::new(manifest),
            _lock: lock,
        }
    }

    /// Returns where the store is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the manifest as it is now.
    pub fn manifest(&self) -> Manifest<S> {
        self.guard().clone()
    }

    /// Returns the settings.
    pub fn settings(&self) -> S {
        self.guard().settings.clone()
    }

    /// Changes settings that may change, such as the checksum of a config that got a field.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn change_settings(&self, change: impl FnOnce(&mut S)) -> Result<(), StoreError> {
        self.change(|manifest| change(&mut manifest.settings))
    }

    /// Adds a ruleset by name and fingerprint; one of that name that was played before must be the same.
    ///
    /// # Errors
    /// If it differs, or the manifest cannot be written.
    pub fn admit_ruleset(&self, name: &str, fingerprint: u64) -> Result<(), StoreError> {
        let fingerprint = format!("{fingerprint:016x}");
        let known = self.guard().rulesets.get(name).cloned();
        match known {
            Some(known) if known == fingerprint => Ok(()),
            Some(_) => {
                let own = self.folder.join("rulesets").join(format!("{name}.toml"));
                let manifest = Manifest::<S>::path(&self.folder);
                Err(StoreError::RulesetChanged {
                    path: if own.is_file() { own } else { manifest },
                    name: name.to_owned(),
                    fingerprint: fingerprint.into(),
                    fields: Vec::new(),
                    advice: S::ADVICE,
                })
            }
            None => self.change(|manifest| {
                manifest.rulesets.insert(name.to_owned(), fingerprint);
            }),
        }
    }

    /// Adds a player by a card that says all that its moves depend on; one of that name who played before must be the
    /// same, as far as its card tells: those of older versions may lack fields.
    ///
    /// # Errors
    /// If it differs, naming the first field of the card that does, or the manifest cannot be written.
    pub fn admit_player(&self, name: &str, card: &impl Serialize) -> Result<(), StoreError> {
        let card = self.value(card)?;
        let known = self.guard().players.get(name).cloned();
        if let Some(known) = known {
            let fields = card.as_object().into_iter().flat_map(Map::keys);
            let unknown = fields.filter(|field| known.get(field).is_none());
            let unknown: Vec<&str> = unknown.map(String::as_str).collect();
            return self.check_same(&format!("players.{name}"), &known, &card, &unknown);
        }
        self.change(|manifest| {
            manifest.players.insert(name.to_owned(), card);
        })
    }

    /// Enters finished files with their checksums, in place of earlier entries. They must not change any more.
    ///
    /// # Errors
    /// If a file cannot be read or lies outside the folder, or the manifest cannot be written.
    pub fn enter(&self, paths: &[&Path]) -> Result<(), StoreError> {
        let files: Vec<_> = paths.iter().map(|&path| (path, None)).collect();
        self.enter_counted(&files)
    }

    /// Does the same with what files of games hold.
    ///
    /// # Errors
    /// As [`Self::enter`].
    pub fn enter_counted(&self, files: &[(&Path, Option<ShardCount>)]) -> Result<(), StoreError> {
        let entry = |(path, shard): &(&Path, Option<ShardCount>)| {
            let name = Manifest::<S>::name_of(&self.folder, path)?;
            let shard = *shard;
            let entry = FileEntry::of(path)?;
            Ok((name, FileEntry { shard, ..entry }))
        };
        let entries = files.iter().map(entry);
        let entries = entries.collect::<Result<Vec<_>, StoreError>>()?;
        self.change(|manifest| manifest.files.extend(entries))
    }

    /// Puts smaller files in the place of entered ones, which are marked as pruned first: until they are replaced either
    /// is right.
    ///
    /// # Errors
    /// If a file lies outside the folder or cannot be written, or the manifest cannot be.
    pub fn prune(&self, smaller: &[(PathBuf, Vec<u8>)]) -> Result<(), StoreError> {
        let named = smaller.iter().map(|(path, bytes)| {
            let name = Manifest::<S>::name_of(&self.folder, path)?;
            Ok((name, sha256_hex(bytes)))
        });
        let named = named.collect::<Result<Vec<_>, StoreError>>()?;
        self.change(|manifest| {
            for (name, sha256) in named {
                if let Some(entry) = manifest.files.get_mut(&name) {
                    entry.pruned = Some(sha256);
                }
            }
        })?;
        let mut smaller = smaller.iter();
        smaller.try_for_each(|(path, bytes)| write_atomically(path, bytes))
    }

    /// Removes entered files, which count no more from then on.
    ///
    /// # Errors
    /// If a file lies outside the folder or cannot be removed, or the manifest cannot be written.
    pub fn remove(&self, paths: &[PathBuf]) -> Result<(), StoreError> {
        if paths.is_empty() {
            return Ok(());
        }
        let names = paths.iter();
        let names = names.map(|path| Manifest::<S>::name_of(&self.folder, path));
        let names = names.collect::<Result<BTreeSet<_>, StoreError>>()?;
        self.change(|manifest| manifest.files.retain(|name, _| !names.contains(name)))?;
        paths.iter().try_for_each(|path| remove_if_there(path))
    }

    /// Marks which of the entered files are missing whose path within the store begins in one of these ways; returns those
    /// that were not marked before.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn accept_missing(&self, prefixes: &[&str]) -> Result<Vec<PathBuf>, StoreError> {
        let mut files = self.manifest().files;
        let mut missing = Vec::new();
        for (name, entry) in &mut files {
            if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                let path = self.folder.join(name);
                let was_gone = std::mem::replace(&mut entry.gone, !path.exists());
                missing.extend((entry.gone && !was_gone).then_some(path));
            }
        }
        if files != self.guard().files {
            self.change(|manifest| manifest.files = files)?;
        }
        Ok(missing)
    }

    /// Returns whether an entered file was pruned.
    pub fn is_pruned(&self, path: &Path) -> bool {
        self.guard().is_pruned(&self.folder, path)
    }

    /// Returns what a file of games holds, if it was entered with that.
    pub fn count(&self, games: &Path) -> Option<ShardCount> {
        self.guard().count(&self.folder, games)
    }

    /// Returns whether a file is entered and there.
    pub fn has(&self, path: &Path) -> bool {
        self.guard().has(&self.folder, path) && path.exists()
    }

    /// Returns the path of an entered file once its bytes are seen to be those that were entered.
    ///
    /// # Errors
    /// If it is not entered, missing, or differs in a byte.
    pub fn verified<'a>(&self, path: &'a Path) -> Result<&'a Path, StoreError> {
        let entry = self.guard().entry(&self.folder, path)?.clone();
        entry.verify(path)?;
        Ok(path)
    }

    /// Checks the entered files whose path within the store begins in some way, such as `games/`, and that are there.
    ///
    /// # Errors
    /// For the first one that differs.
    pub fn verify_there(&self, prefix: &str) -> Result<(), StoreError> {
        let files = self.files(prefix);
        let there = files.par_iter().filter(|path| path.exists());
        there.try_for_each(|path| self.verified(path).map(|_| ()))
    }

    /// Returns the entered files whose path within the store begins in some way, such as `arena/`, in order.
    pub fn files(&self, prefix: &str) -> Vec<PathBuf> {
        self.guard().paths(&self.folder, prefix)
    }

    /// Opens or makes a journal in `in-progress/`, and returns what it holds already.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn journal<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<(Journal, Vec<T>), StoreError> {
        Journal::open(&self.journal_path(name))
    }

    /// Returns whether a journal is there.
    pub fn has_journal(&self, name: &str) -> bool {
        self.journal_path(name).exists()
    }

    /// Removes a journal if it is there: a process that was killed just after its games were entered left it.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn remove_journal(&self, name: &str) -> Result<(), StoreError> {
        remove_if_there(&self.journal_path(name))
    }

    fn journal_path(&self, name: &str) -> PathBuf {
        journals(&self.folder).join(format!("{name}.jsonl"))
    }

    /// Changes the manifest, on disk first: what is not there does not count.
    fn change(&self, change: impl FnOnce(&mut Manifest<S>)) -> Result<(), StoreError> {
        let mut manifest = self.guard();
        let mut next = manifest.clone();
        change(&mut next);
        next.write(&self.folder)?;
        *manifest = next;
        Ok(())
    }

    fn check_same(
        &self,
        field: &str,
        stored: &impl Serialize,
        wanted: &impl Serialize,
        information: &[&str],
    ) -> Result<(), StoreError> {
        let [stored, wanted] = [self.value(stored)?, self.value(wanted)?];
        let Some([within, stored, wanted]) = difference("", &stored, &wanted, information) else {
            return Ok(());
        };
        Err(StoreError::Differs {
            path: Manifest::<S>::path(&self.folder),
            field: match &*within {
                "" => field.to_owned(),
                within => format!("{field}.{within}"),
            },
            stored,
            wanted,
            advice: S::ADVICE,
        })
    }

    fn value(&self, content: &impl Serialize) -> Result<Value, StoreError> {
        let path = || Manifest::<S>::path(&self.folder);
        serde_json::to_value(content).map_err(|error| StoreError::unreadable(&path(), error))
    }

    fn guard(&self) -> MutexGuard<'_, Manifest<S>> {
        // Each change is complete before it replaces what was.
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the folder of the journals of what is still being played.
fn journals(folder: &Path) -> PathBuf {
    folder.join("in-progress")
}

fn holds_games<S>(manifest: &Manifest<S>, folder: &Path) -> Result<bool, StoreError> {
    Ok(!manifest.files.is_empty() || !entries(&journals(folder))?.is_empty())
}

/// Returns the stem of a file's name that says what it is about: the readable letters of each part, and 8 digits that
/// depend on all of them, so that no other parts have it.
pub fn file_stem(parts: &[&str]) -> String {
    let readable = |part: &&str| -> String {
        let is_kept = |c: char| c.is_ascii_alphanumeric() || ".-_@".contains(c);
        let letters = part.chars().map(|c| if is_kept(c) { c } else { '_' });
        letters.take(60).collect()
    };
    let mut names: Vec<String> = parts.iter().map(readable).collect();
    let mut hash = sha256_hex(parts.join("\n").as_bytes());
    hash.truncate(8);
    names.push(hash);
    names.join("-")
}
