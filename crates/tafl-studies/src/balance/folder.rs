//! The folder of a study: `study.json`, and the games and samples of each cell.

use crate::failure::hinted;
use crate::spool::{self, Common, Spool};
use crate::tournament::{Entrant, EntrantCard};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::balance::{StudyGame, StudyKind};
use tafl_dataset::{
    Provenance, create_folder, generation_folder, read_games, read_samples, remove_leftovers,
    sha256_hex, write_atomically, write_shard,
};
use tafl_rules::{Rules, Side};
use tafl_samples::GameRecord;

/// Version of `study.json`.
const VERSION: u32 = 1;

/// What all games of a study have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) kind: StudyKind,
    /// Fingerprint of the ruleset whose variants are compared.
    pub(crate) base: Option<String>,
    pub(crate) seed: u64,
    pub(crate) opening_plies: u32,
    pub(crate) max_plies: u32,
}

/// `study.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    study_version: u32,
    settings: Settings,
    /// Fingerprints of the rulesets by name, 16 hexadecimal digits.
    rulesets: BTreeMap<String, String>,
    players: BTreeMap<String, EntrantCard>,
    files: Vec<StoredFile>,
}

/// Games of a cell that were played in one go, and their samples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredFile {
    ruleset: String,
    player: String,
    /// Name of both files without folder and ending.
    name: String,
    games_sha256: String,
    samples_sha256: String,
}

/// An open folder; no other process writes it meanwhile.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    contents: Contents,
    _lock: File,
}

impl Folder {
    /// Opens or makes the folder; what it holds must have been played with the same settings.
    pub(crate) fn open(path: &Path, settings: &Settings) -> anyhow::Result<Self> {
        create_folder(path)?;
        let lock_path = path.join("study.lock");
        let lock =
            File::create(&lock_path).with_context(|| format!("opening {}", lock_path.display()))?;
        if spool::lock(&lock) {
            bail!("{}: another process plays this study", path.display());
        }
        let file = path.join("study.json");
        let context = || format!("reading {}", file.display());
        let contents = match fs::read_to_string(&file) {
            Ok(text) => read(&text).with_context(context)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Contents {
                study_version: VERSION,
                settings: settings.clone(),
                rulesets: BTreeMap::new(),
                players: BTreeMap::new(),
                files: Vec::new(),
            },
            Err(error) => return Err(error).with_context(context),
        };
        if let Some(difference) = contents.settings.difference(settings) {
            return Err(refused(&file, &difference));
        }
        for kind in ["games", "samples"] {
            remove_leftovers(&path.join(kind).join(generation_folder(0)))?;
        }
        Ok(Self {
            path: path.to_owned(),
            contents,
            _lock: lock,
        })
    }

    /// Returns where the folder is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Enters a ruleset; one of that name that was played before must be the same.
    pub(crate) fn admit_ruleset(&mut self, rules: &Rules) -> anyhow::Result<()> {
        let name = &rules.ruleset().name;
        let fingerprint = fingerprint(rules);
        let known = self.contents.rulesets.entry(name.clone());
        if *known.or_insert_with(|| fingerprint.clone()) == fingerprint {
            return Ok(());
        }
        let what = format!("field `rulesets`: other rules called {name}");
        Err(refused(&self.path.join("study.json"), &what))
    }

    /// Enters a player; one of that name who played before must be the same.
    pub(crate) fn admit(&mut self, entrant: &Entrant) -> anyhow::Result<()> {
        let known = self.contents.players.entry(entrant.name.clone());
        let known = known.or_insert_with(|| entrant.card.clone());
        match known.difference(&entrant.card) {
            None => Ok(()),
            Some(difference) => {
                let what = format!("field `players`: {} has {difference}", entrant.name);
                Err(refused(&self.path.join("study.json"), &what))
            }
        }
    }

    /// Writes `study.json`.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&self.contents)? + "\n";
        let path = self.path.join("study.json");
        Ok(write_atomically(&path, text.as_bytes())?)
    }

    /// Returns the files of a cell, in the order in which they were played.
    pub(crate) fn files(&self, ruleset: &str, player: &str) -> Vec<StoredFile> {
        let files = self.contents.files.iter();
        let own = files.filter(|file| file.ruleset == ruleset && file.player == player);
        own.cloned().collect()
    }

    /// Reads the games of a file with the values of their searches.
    pub(crate) fn read(
        &self,
        file: &StoredFile,
        rules: &Arc<Rules>,
    ) -> anyhow::Result<Vec<StudyGame>> {
        let [games, samples] = file.paths().map(|path| self.path.join(path));
        for (path, sha256) in [
            (&games, &file.games_sha256),
            (&samples, &file.samples_sha256),
        ] {
            if checksum(path)? != *sha256 {
                let path = path.display();
                bail!("{path}: its checksum differs from that in study.json");
            }
        }
        let mut values: BTreeMap<u64, Vec<(u32, f64)>> = BTreeMap::new();
        for sample in read_samples(&samples)? {
            let [win, draw, _] = sample.wdl.map(f64::from);
            let score = match sample.facts.side {
                Side::Attacker => win + draw / 2.0,
                Side::Defender => 1.0 - win - draw / 2.0,
            };
            let curve = values.entry(sample.game_id).or_default();
            curve.push((sample.ply, score));
        }
        let replay = |record: GameRecord| {
            let values = values.remove(&record.game_id).unwrap_or_default();
            StudyGame::replay(&record, values, rules)
                .with_context(|| format!("reading {}", games.display()))
        };
        read_games(&games)?.into_iter().map(replay).collect()
    }

    /// Opens the file that takes the games of a cell as they end, and returns those that it holds already.
    pub(crate) fn spool(
        &self,
        player: &str,
        rules: &Arc<Rules>,
    ) -> anyhow::Result<(Spool, Vec<GameRecord>)> {
        let common = Common {
            rules: vec![rules.clone()],
            generation: 0,
        };
        Spool::open(&self.spool_path(player, rules), common)
    }

    /// Removes the file that took the games of a cell, which is left if a study was killed just after they were stored.
    pub(crate) fn drop_spool(&self, player: &str, rules: &Rules) -> anyhow::Result<()> {
        let path = self.spool_path(player, rules);
        if path.exists() {
            let failed = || format!("removing {}", path.display());
            std::fs::remove_file(&path).with_context(failed)?;
        }
        Ok(())
    }

    fn spool_path(&self, player: &str, rules: &Rules) -> PathBuf {
        let name = stem(player, rules) + ".jsonl";
        self.path.join("in-progress").join(name)
    }

    /// Stores games of a cell that are not stored yet.
    pub(crate) fn store(
        &mut self,
        player: &str,
        rules: &Arc<Rules>,
        records: &[GameRecord],
    ) -> anyhow::Result<StoredFile> {
        let first = records.iter().map(|record| record.game_id / 2).min();
        let name = format!("{}-{:06}", stem(player, rules), first.unwrap_or(0));
        let provenance = Provenance {
            run: "balance".to_owned(),
            generation: 0,
            checkpoint: player.to_owned(),
            config_sha256: sha256_hex(&serde_json::to_vec(&self.contents.settings)?),
        };
        let rulesets = std::slice::from_ref(rules);
        let written = write_shard(&self.path, &name, records, rulesets, &provenance)?;
        let file = StoredFile {
            ruleset: rules.ruleset().name.clone(),
            player: player.to_owned(),
            name,
            games_sha256: checksum(&written.games_path)?,
            samples_sha256: checksum(&written.samples_path)?,
        };
        let known = &mut self.contents.files;
        known.retain(|other| other.name != file.name);
        known.push(file.clone());
        self.write()?;
        Ok(file)
    }
}

impl StoredFile {
    /// Returns where games and samples are within the study's folder.
    pub(crate) fn paths(&self) -> [String; 2] {
        let generation = generation_folder(0);
        ["games", "samples"].map(|kind| format!("{kind}/{generation}/{}.parquet", self.name))
    }
}

impl Settings {
    /// Says in what the settings of a game would differ, if in anything.
    fn difference(&self, wanted: &Self) -> Option<String> {
        let fields = |settings: &Self| {
            let base = settings.base.clone().unwrap_or_else(|| "none".to_owned());
            let kind = match settings.kind {
                StudyKind::Rulesets => "rulesets",
                StudyKind::Variants => "variants",
            };
            [
                ("kind", kind.to_owned()),
                ("base", base),
                ("seed", settings.seed.to_string()),
                ("opening_plies", settings.opening_plies.to_string()),
                ("max_plies", settings.max_plies.to_string()),
            ]
        };
        let mut pairs = fields(self).into_iter().zip(fields(wanted));
        let ((field, stored), (_, wanted)) = pairs.find(|(one, other)| one != other)?;
        Some(format!(
            "field `settings.{field}`: played with {stored}, now {wanted}"
        ))
    }
}

/// Returns the fingerprint of a ruleset as files write it.
pub(crate) fn fingerprint(rules: &Rules) -> String {
    format!("{:016x}", rules.ruleset().fingerprint())
}

fn checksum(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(sha256_hex(&bytes))
}

fn refused(file: &Path, what: &str) -> anyhow::Error {
    hinted(
        format!("{}: {what}", file.display()),
        "games of one study are played alike; give it another name, or another folder by --folder",
    )
}

fn read(text: &str) -> anyhow::Result<Contents> {
    let contents: Contents = serde_json::from_str(text)?;
    let version = contents.study_version;
    if version != VERSION {
        bail!("field `study_version`: {version}, where {VERSION} is read");
    }
    Ok(contents)
}

/// Returns the beginning of the names of a cell's files, and a number that is the cell's alone.
fn stem(player: &str, rules: &Rules) -> String {
    let ruleset = &rules.ruleset().name;
    let kept = |c: char| c.is_ascii_alphanumeric() || ".-_@".contains(c);
    let letters = player.chars().map(|c| if kept(c) { c } else { '_' });
    let plain: String = letters.take(60).collect();
    let hash = sha256_hex(format!("{player}\n{ruleset}").as_bytes());
    format!("{ruleset}-{plain}-{}", &hash[..8])
}
