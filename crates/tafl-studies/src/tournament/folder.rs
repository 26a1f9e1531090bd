//! The folder of a tournament: `tournament.json` and the games of each match.

use super::entrant::{Entrant, EntrantCard};
use crate::failure::hinted;
use crate::spool::{self, Common, Spool};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::MatchGame;
use tafl_dataset::{
    Provenance, create_folder, read_games, sha256_hex, write_atomically, write_games,
};
use tafl_rules::Rules;
use tafl_samples::GameRecord;

/// Version of `tournament.json`.
const VERSION: u32 = 1;

/// What all games of a tournament have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// Where openings and everything random in the games come from.
    pub(crate) seed: u64,
    /// Random plies of an opening; nothing where openings are from a file.
    pub(crate) opening_plies: Option<u32>,
    /// SHA-256 of the file of openings.
    pub(crate) openings_sha256: Option<String>,
    /// Plies after which a game is cut.
    pub(crate) max_plies: u32,
    /// Value at which games were adjudicated, as text; nothing where they were not.
    pub(crate) adjudicate: Option<String>,
}

/// `tournament.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    tournament_version: u32,
    settings: Settings,
    /// Fingerprints of the rulesets by name, 16 hexadecimal digits.
    rulesets: BTreeMap<String, String>,
    players: BTreeMap<String, EntrantCard>,
    matches: Vec<StoredMatch>,
}

/// The file of a match. The first player attacked in games with even numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMatch {
    players: [String; 2],
    ruleset: String,
    file: String,
    sha256: String,
}

/// Games of a match, finished earlier.
#[derive(Debug)]
pub(crate) struct Stored {
    /// The players, in the order of the games.
    pub(crate) names: [String; 2],
    pub(crate) games: Vec<MatchGame>,
}

/// An open folder; no other process writes it meanwhile.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    contents: Contents,
    _lock: File,
}

impl Folder {
    /// Opens or makes the folder; what it holds must have been played with the same settings and rules.
    pub(crate) fn open(
        path: &Path,
        settings: &Settings,
        rules: &[Arc<Rules>],
    ) -> anyhow::Result<Self> {
        create_folder(path)?;
        let lock_path = path.join("tournament.lock");
        let lock =
            File::create(&lock_path).with_context(|| format!("opening {}", lock_path.display()))?;
        if spool::lock(&lock) {
            bail!("{}: another process plays this tournament", path.display());
        }
        let file = path.join("tournament.json");
        let mut contents = match fs::read_to_string(&file) {
            Ok(text) => read(&text).with_context(|| format!("reading {}", file.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Contents {
                tournament_version: VERSION,
                settings: settings.clone(),
                rulesets: BTreeMap::new(),
                players: BTreeMap::new(),
                matches: Vec::new(),
            },
            Err(error) => return Err(error).with_context(|| format!("reading {}", file.display())),
        };
        if let Some(difference) = contents.settings.difference(settings) {
            return Err(refused(&file, &difference));
        }
        for rules in rules {
            let ruleset = rules.ruleset();
            let fingerprint = format!("{:016x}", ruleset.fingerprint());
            let known = contents
                .rulesets
                .entry(ruleset.name.clone())
                .or_insert_with(|| fingerprint.clone());
            if *known != fingerprint {
                let name = &ruleset.name;
                return Err(refused(
                    &file,
                    &format!("field `rulesets`: other rules called {name}"),
                ));
            }
        }
        tafl_dataset::remove_leftovers(&path.join("games"))?;
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

    /// Returns the seed of the tournament.
    pub(crate) const fn seed(&self) -> u64 {
        self.contents.settings.seed
    }

    /// Enters a player; one of that name who played before must be the same.
    pub(crate) fn admit(&mut self, entrant: &Entrant) -> anyhow::Result<()> {
        let known = self
            .contents
            .players
            .entry(entrant.name.clone())
            .or_insert_with(|| entrant.card.clone());
        match known.difference(&entrant.card) {
            None => Ok(()),
            Some(difference) => {
                let what = format!("field `players`: {} has {difference}", entrant.name);
                Err(refused(&self.path.join("tournament.json"), &what))
            }
        }
    }

    /// Writes `tournament.json`.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&self.contents)? + "\n";
        Ok(write_atomically(
            &self.path.join("tournament.json"),
            text.as_bytes(),
        )?)
    }

    /// Returns the stored games of two players under a ruleset.
    pub(crate) fn stored(
        &self,
        names: [&str; 2],
        rules: &Arc<Rules>,
    ) -> anyhow::Result<Option<Stored>> {
        let Some(entry) = self.entry(names, rules) else {
            return Ok(None);
        };
        let path = self.path.join("games").join(&entry.file);
        let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        if sha256_hex(&bytes) != entry.sha256 {
            bail!(
                "{}: its checksum differs from that in tournament.json",
                path.display()
            );
        }
        let first = &entry.players[0];
        let game = |record| MatchGame::of_record(record, first, rules);
        let games = read_games(&path)?.into_iter().map(game).collect();
        Ok(Some(Stored {
            names: entry.players.clone(),
            games,
        }))
    }

    fn entry(&self, names: [&str; 2], rules: &Rules) -> Option<&StoredMatch> {
        let ruleset = &rules.ruleset().name;
        self.contents.matches.iter().find(|entry| {
            let players = [entry.players[0].as_str(), entry.players[1].as_str()];
            let same = players == names || players == [names[1], names[0]];
            same && entry.ruleset == *ruleset
        })
    }

    /// Returns whether a match was interrupted that had its players in this order.
    pub(crate) fn has_spool(&self, names: [&str; 2], rules: &Rules) -> bool {
        self.spool_path(names, rules).exists()
    }

    fn spool_path(&self, names: [&str; 2], rules: &Rules) -> PathBuf {
        let name = file_stem(names, rules) + ".jsonl";
        self.path.join("in-progress").join(name)
    }

    /// Opens the file that takes the games of a match as they end, and returns those that it holds already.
    pub(crate) fn spool(
        &self,
        names: [&str; 2],
        rules: &Arc<Rules>,
    ) -> anyhow::Result<(Spool, Vec<MatchGame>)> {
        let common = Common {
            rules: vec![rules.clone()],
            generation: 0,
        };
        let (spool, records) = Spool::open(&self.spool_path(names, rules), common)?;
        let game = |record| MatchGame::of_record(record, names[0], rules);
        Ok((spool, records.into_iter().map(game).collect()))
    }

    /// Stores all games of a match, in place of those it had.
    pub(crate) fn store(
        &mut self,
        names: [&str; 2],
        rules: &Arc<Rules>,
        games: &[MatchGame],
    ) -> anyhow::Result<()> {
        let file = file_stem(names, rules) + ".parquet";
        let path = self.path.join("games").join(&file);
        let records: Vec<&GameRecord> = games.iter().map(|game| &game.record).collect();
        let provenance = Provenance {
            run: "tournament".to_owned(),
            generation: 0,
            checkpoint: names.join(" - "),
            config_sha256: sha256_hex(&serde_json::to_vec(&self.contents.settings)?),
        };
        create_folder(&self.path.join("games"))?;
        write_games(&path, &records, std::slice::from_ref(rules), &provenance)?;
        let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        let entry = StoredMatch {
            players: names.map(str::to_owned),
            ruleset: rules.ruleset().name.clone(),
            file,
            sha256: sha256_hex(&bytes),
        };
        let known = &mut self.contents.matches;
        known.retain(|other| other.file != entry.file);
        known.push(entry);
        self.write()
    }
}

impl Settings {
    /// Says in what the settings of a game would differ, if in anything.
    fn difference(&self, wanted: &Self) -> Option<String> {
        let rows = [
            ("seed", self.seed.to_string(), wanted.seed.to_string()),
            (
                "max_plies",
                self.max_plies.to_string(),
                wanted.max_plies.to_string(),
            ),
            (
                "opening_plies",
                shown(self.opening_plies),
                shown(wanted.opening_plies),
            ),
            (
                "adjudicate",
                shown(self.adjudicate.as_deref()),
                shown(wanted.adjudicate.as_deref()),
            ),
            (
                "openings_sha256",
                shown(self.openings_sha256.as_deref()),
                shown(wanted.openings_sha256.as_deref()),
            ),
        ];
        let (field, stored, wanted) = rows.into_iter().find(|(_, one, other)| one != other)?;
        Some(format!(
            "field `settings.{field}`: played with {stored}, now {wanted}"
        ))
    }

    /// Returns a short text that other settings do not share.
    pub(crate) fn short_hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        sha256_hex(&text)[..8].to_owned()
    }
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

fn refused(file: &Path, what: &str) -> anyhow::Error {
    hinted(
        format!("{}: {what}", file.display()),
        "games of one tournament are played alike; name another folder by --folder",
    )
}

fn read(text: &str) -> anyhow::Result<Contents> {
    let contents: Contents = serde_json::from_str(text)?;
    let version = contents.tournament_version;
    if version != VERSION {
        bail!("field `tournament_version`: {version}, where {VERSION} is read");
    }
    Ok(contents)
}

/// Returns the name of a match's files: the players' and the ruleset's, and a number that is theirs alone.
fn file_stem(names: [&str; 2], rules: &Rules) -> String {
    let plain = |name: &str| -> String {
        let kept = |c: char| c.is_ascii_alphanumeric() || ".-_@".contains(c);
        let letters = name.chars().map(|c| if kept(c) { c } else { '_' });
        letters.take(60).collect()
    };
    let ruleset = &rules.ruleset().name;
    let hash = sha256_hex(format!("{}\n{}\n{ruleset}", names[0], names[1]).as_bytes());
    let [first, second] = names.map(plain);
    format!("{first}-vs-{second}-{ruleset}-{}", &hash[..8])
}
