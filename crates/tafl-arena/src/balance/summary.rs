//! What a study says: the contents of `summary.json`.

use super::posterior::posterior_score;
use super::{Cell, Comparison, Difficulty, Effect, FieldChange, Ranking, Sampling};
use crate::{Estimate, PeopleBand, Tally};
use serde::{Deserialize, Serialize};
use tafl_samples::StrengthUnit;

/// The version of [`Summary`]; changes with the meaning of a field. A number that is new is an `Option` with `serde(default)`, one
/// that is no longer there is not read, so neither changes it.
pub const SUMMARY_VERSION: u32 = 5;

/// All results of a study. Scores, Elo points and results are those of the attackers everywhere.
///
/// Every number is finite. Intervals ([`Estimate`]) are 95 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SUMMARY_VERSION`].
    pub summary_version: u32,
    /// What was played.
    #[serde(flatten)]
    pub study: Study,
    /// The answer in a few sentences, the most important first; nothing where no player played every ruleset.
    pub verdict: Vec<String>,
    /// The name of the player by whose games the verdict goes, where there is a verdict.
    pub verdict_player: Option<String>,
    /// How the numbers were made, in sentences for readers.
    pub notes: Vec<String>,
    /// What keeps a reader from taking numbers at face value.
    pub warnings: Vec<Warning>,
    /// One for each ruleset and player, by ruleset, then player.
    pub cells: Vec<Cell>,
    /// How hard each side is to play, by ruleset, then side; nothing where that was not measured.
    pub difficulties: Vec<Difficulty>,
    /// All pairs of rulesets, by player; empty with one ruleset, and of variants, which have effects.
    pub comparisons: Vec<Comparison>,
    /// How likely each ruleset is the most balanced of all, by player; empty of variants.
    pub rankings: Vec<Ranking>,
    /// The effect of each changed field, by player; only of variants.
    pub effects: Vec<Effect>,
}

/// What a study plays, and who.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// The study's name.
    #[serde(rename = "study")]
    pub name: String,
    /// What is compared.
    pub kind: StudyKind,
    /// Where openings and everything random in games and intervals come from.
    pub seed: u64,
    /// Openings requested; each is played once by each player against itself.
    pub openings: u32,
    /// Random plies of an opening; of openings drawn from a policy at most.
    pub opening_plies: u32,
    /// The title of the player from whose policy the openings were drawn; nothing where they are random.
    pub opening_policy: Option<String>,
    /// Visits of that player's search, if they were drawn from its policy after a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_visits: Option<u32>,
    /// Plies, opening included, after which a game was cut; cut games score half.
    pub max_plies: u32,
    /// The rulesets, in the order of the study; of variants the base first.
    pub rulesets: Vec<StudyRuleset>,
    /// The players, by config and rising strength.
    pub players: Vec<StudyPlayer>,
    /// Results of people, to set beside those of the players.
    pub people: Vec<PeopleResults>,
}

/// What a study compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudyKind {
    /// Rulesets with each other.
    Rulesets,
    /// A ruleset with variants that differ in one field.
    Variants,
}

/// A ruleset of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyRuleset {
    /// Its name.
    pub name: String,
    /// [`tafl_rules::Ruleset::fingerprint`], 16 hexadecimal digits.
    pub fingerprint: String,
    /// Its file within the study's folder, for rulesets that are not built in.
    pub file: Option<String>,
    /// The field in which it differs from the base; of variants only.
    pub change: Option<FieldChange>,
    /// Different openings that were played.
    pub openings: u32,
}

/// A player of a study at one strength.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyPlayer {
    /// Its name in all tables, such as `quickstart 28@64` or `alphabeta:2`; no other player has it.
    pub name: String,
    /// What it is, for readers, such as `quickstart, 64 visits` or `alphabeta, 2 turns ahead`.
    pub title: String,
    /// What it is whatever its strength, such as `quickstart 28`.
    pub family: String,
    /// What its strength is counted in, if it has several.
    pub unit: StrengthUnit,
    /// The strength in that unit; nothing for `random` and `greedy`.
    pub strength: Option<u32>,
    /// SHA-256 of a checkpoint's weights.
    pub weights_sha256: Option<String>,
    /// The number format in which it computes, such as `int8`; nothing of players without a network, and in older studies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    /// Names of the rulesets that a checkpoint learned; nothing for players without a network.
    pub trained_on: Option<Vec<String>>,
}

impl StudyPlayer {
    /// Returns its name, with the beginning of the checksum of its weights and the number format: other runs may have the same
    /// name.
    pub fn name_and_weights(&self) -> String {
        let weights = self.weights_sha256.as_deref().and_then(|it| it.get(..8));
        let parts = [weights, self.precision.as_deref()].into_iter().flatten();
        match parts.collect::<Vec<_>>().join(", ").as_str() {
            "" => self.name.clone(),
            parts => format!("{} ({parts})", self.name),
        }
    }
}

/// Results of games between people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeopleResults {
    /// Where the games were played.
    pub name: String,
    /// The ruleset that they were played by, if the source says so.
    pub ruleset: Option<String>,
    /// Games.
    pub games: u64,
    /// Games won by the attackers, per cent.
    pub attackers_percent: f64,
    /// Games won by the defenders, per cent.
    pub defenders_percent: f64,
    /// Games drawn, per cent; what is missing to 100 had no result.
    pub draws_percent: f64,
    /// Where the numbers are from.
    pub source: String,
    /// The attackers' points a game among games with a result, 0 to 1; zero in a table that has none.
    #[serde(default)]
    pub score: Estimate,
    /// The same by strength, from weak to strong; empty where strengths are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands: Vec<PeopleBand>,
}

/// Something that a reader must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// The ruleset, where it is about one.
    pub ruleset: Option<String>,
    /// The name of the player, where it is about one.
    pub player: Option<String>,
    /// A sentence.
    pub text: String,
}

/// What a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// The network never learned the ruleset.
    Untrained,
    /// The player is not shown to have the strength that the study asks for.
    Weak,
    /// Many games were cut, so their results are unknown.
    Capped,
    /// Most games were drawn, so the score is near even whatever the sides are worth.
    Drawn,
    /// There were fewer distinct openings than requested.
    FewOpenings,
    /// There are few games, so chance may have made the score.
    FewGames,
}

/// Why a text is not the contents of a `summary.json`.
#[derive(Debug, thiserror::Error)]
pub enum SummaryError {
    /// It is no JSON, or lacks a field.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is of another version, or says none.
    #[error("field `summary_version`: {0}, where {SUMMARY_VERSION} is read")]
    Version(String),
}

impl Summary {
    /// Reads the contents of `summary.json`.
    ///
    /// # Errors
    /// Says what is wrong with them, such as another [`SUMMARY_VERSION`].
    pub fn of_json(text: &str) -> Result<Self, SummaryError> {
        // The version first: a summary of another one has other fields.
        let value: serde_json::Value = serde_json::from_str(text)?;
        let version = value.get("summary_version");
        if version.and_then(serde_json::Value::as_u64) != Some(SUMMARY_VERSION.into()) {
            let found = version.map_or_else(|| "missing".to_owned(), ToString::to_string);
            return Err(SummaryError::Version(found));
        }
        Ok(serde_json::from_value(value)?)
    }

    /// Returns what a player is called.
    pub fn title<'a>(&'a self, player: &'a str) -> &'a str {
        let own = self.study.players.iter().find(|it| it.name == player);
        own.map_or(player, |it| &it.title)
    }

    /// Returns the cells of a player, by ruleset.
    pub fn cells_of<'a>(&'a self, player: &'a str) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(move |cell| cell.player == player)
    }

    /// Returns the cell of a player under a ruleset, if it has games.
    pub fn cell(&self, player: &str, ruleset: &str) -> Option<&Cell> {
        let mut cells = self.cells.iter();
        let own = cells.find(|it| it.player == player && it.ruleset == ruleset);
        own.filter(|it| it.results.games() > 0)
    }

    /// Returns whether a warning is about the games of a player under a ruleset.
    pub fn is_warned(&self, cell: &Cell) -> bool {
        let is = |name: &Option<String>, own: &String| name.as_ref().is_none_or(|it| it == own);
        let mut warnings = self.warnings.iter();
        warnings.any(|it| is(&it.ruleset, &cell.ruleset) && is(&it.player, &cell.player))
    }
}

impl PeopleResults {
    /// Returns the results with the score that their percentages make; games without a result are left out.
    #[must_use]
    pub fn with_score(self, sampling: &Sampling) -> Self {
        let count = |percent: f64| (self.games as f64 * percent / 100.0).round() as u64;
        let results = Tally {
            wins: count(self.attackers_percent),
            draws: count(self.draws_percent),
            losses: count(self.defenders_percent),
            capped: 0,
        };
        let score = if results.games() == 0 {
            Estimate::exact(0.5)
        } else {
            posterior_score(&results, sampling.scores(&results))
        };
        Self { score, ..self }
    }
}
