//! What a study says: the contents of `summary.json`.

use crate::{Estimate, Tally};
use serde::{Deserialize, Serialize};
use tafl_rules::Side;
use tafl_samples::StrengthUnit;

/// The version of [`Summary`]; changes with any change to a field or its meaning, but for new fields that may be missing.
pub const SUMMARY_VERSION: u32 = 4;

/// All results of a study. Scores, Elo points and results are those of the attackers everywhere.
///
/// Every number is finite. Intervals ([`Estimate`]) are 95 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// [`SUMMARY_VERSION`].
    pub summary_version: u32,
    /// The study's name.
    pub study: String,
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
    /// The answer in a few sentences, the most important first; nothing where no player played every ruleset.
    pub verdict: Vec<String>,
    /// The name of the player whose games the verdict tells, where there is a verdict.
    pub verdict_player: Option<String>,
    /// How the numbers were made, in sentences for readers.
    pub notes: Vec<String>,
    /// What keeps a reader from taking numbers at face value.
    pub warnings: Vec<Warning>,
    /// The rulesets, in the order of the study; of variants the base first.
    pub rulesets: Vec<StudyRuleset>,
    /// The players, by config and rising strength.
    pub players: Vec<StudyPlayer>,
    /// One for each ruleset and player, by ruleset, then player.
    pub cells: Vec<Cell>,
    /// How hard each side is to play, by ruleset, then side; nothing where that was not measured.
    pub difficulties: Vec<Difficulty>,
    /// How balance changes with strength, for players with several strengths.
    pub trends: Vec<Trend>,
    /// All pairs of rulesets, by player; empty with one ruleset, and of variants, which have effects.
    pub comparisons: Vec<Comparison>,
    /// How likely each ruleset is the most balanced of all, by player; empty of variants.
    pub rankings: Vec<Ranking>,
    /// The effect of each changed field, by player; only of variants.
    pub effects: Vec<Effect>,
    /// Results of people, to set beside those of the players.
    pub people: Vec<PeopleResults>,
    /// How the scores compare with those of a study that this one repeats, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
}

impl Summary {
    /// Reads the contents of `summary.json`.
    ///
    /// # Errors
    /// Says what is wrong with them, such as another [`SUMMARY_VERSION`].
    pub fn of_json(text: &str) -> Result<Self, String> {
        // The version first: a summary of another one has other fields.
        let value: serde_json::Value = serde_json::from_str(text).map_err(|it| it.to_string())?;
        let version = value
            .get("summary_version")
            .and_then(serde_json::Value::as_u64);
        if version != Some(SUMMARY_VERSION.into()) {
            let found = version.map_or_else(|| "missing".to_owned(), |version| version.to_string());
            return Err(format!(
                "field `summary_version`: {found}, where {SUMMARY_VERSION} is read"
            ));
        }
        serde_json::from_value(value).map_err(|it| it.to_string())
    }

    /// Returns what a player is called.
    #[must_use]
    pub fn title<'a>(&'a self, player: &'a str) -> &'a str {
        let own = self.players.iter().find(|it| it.name == player);
        own.map_or(player, |it| &it.title)
    }

    /// Returns how many games its numbers are from.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.cells.iter().map(|cell| cell.results.games()).sum()
    }

    /// Returns whether a warning is about the games of a player under a ruleset.
    #[must_use]
    pub fn is_warned(&self, cell: &Cell) -> bool {
        let is = |name: &Option<String>, own: &String| name.as_ref().is_none_or(|it| it == own);
        let mut warnings = self.warnings.iter();
        warnings.any(|it| is(&it.ruleset, &cell.ruleset) && is(&it.player, &cell.player))
    }
}

/// Do the games of a study bear out another one, which it repeats from other openings?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repetition {
    /// The name of the other study.
    pub study: String,
    /// Games that its numbers are from.
    pub games: u64,
    /// What it says, in sentences; nothing where the player whose games it tells is not compared.
    pub verdict: Vec<String>,
    /// The scores that both have, by ruleset, then player; at least one.
    pub scores: Vec<RepeatedScore>,
}

/// The attackers' score of one player under one ruleset in two studies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatedScore {
    /// The ruleset.
    pub ruleset: String,
    /// The player's name.
    pub player: String,
    /// The score in this study, 0 to 1.
    pub here: Estimate,
    /// The score in the other one, 0 to 1.
    pub there: Estimate,
    /// `here` minus `there`, -1 to 1.
    pub difference: Estimate,
    /// Twice the posterior probability of the less likely sign of `difference`, after Holm's correction for all scores, 0 to 1.
    pub adjusted: f64,
    /// Whether `adjusted` is below 0.05.
    pub clear: bool,
}

/// What a study compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudyKind {
    /// Rulesets with each other: `tafl balance CONFIG`.
    Rulesets,
    /// A ruleset with variants that differ in one field: `tafl balance vary BASE`.
    Variants,
}

/// Something that a reader must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
}

/// A ruleset of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// A field of a ruleset that was changed, with its values as ruleset files write them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldChange {
    /// The name.
    pub field: String,
    /// The base's value.
    pub from: String,
    /// The variant's value.
    pub to: String,
}

/// A player of a study at one strength.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyPlayer {
    /// Its name in all tables, such as `quickstart 28@64` or `alphabeta:2`; no other player has it.
    pub name: String,
    /// What it is, for readers, such as `quickstart, 64 visits` or `alphabeta, 2 turns ahead`.
    pub title: String,
    /// What it is whatever its strength, such as `quickstart 28`; players of one trend share it.
    pub family: String,
    /// What its strength is counted in, if it has several.
    pub unit: StrengthUnit,
    /// The strength in that unit; nothing for `random` and `greedy`.
    pub strength: Option<u32>,
    /// SHA-256 of a checkpoint's weights.
    pub weights_sha256: Option<String>,
    /// Names of the rulesets that a checkpoint learned; nothing for players without a network.
    pub trained_on: Option<Vec<String>>,
}

/// One player against itself under one ruleset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The ruleset.
    pub ruleset: String,
    /// The player's name.
    pub player: String,
    /// Files of games within the study's folder, by rising opening.
    pub games_files: Vec<String>,
    /// Files of samples of the same games, one for each; without rows where the player does not
    /// search. `root_wdl` there is the value curve, `policy` the search's opinion of the moves.
    pub samples_files: Vec<String>,
    /// All games as the attackers see them, each once.
    pub results: Tally,
    /// Games that are left out of all numbers: they ended in the same position after as many plies as another one, to which
    /// their openings led too.
    pub repeated: u64,
    /// Points a game, 0 to 1: the posterior's mean and interval.
    pub score: Estimate,
    /// The same from resampled games.
    pub score_bootstrap: Estimate,
    /// The score in Elo: the advantage of the attackers.
    pub elo: Estimate,
    /// How far the score is from even: |score - 1/2|, 0 to 1/2.
    pub imbalance: Estimate,
    /// Share of games drawn by a rule, 0 to 1.
    pub draw_rate: Estimate,
    /// The attackers' share of the games with a winner, 0 to 1; nothing where no game has one. Where most games are
    /// drawn, a score near 1/2 says little of the sides, and this says more.
    pub decisive_share: Option<Estimate>,
    /// How the games ended, the most frequent first.
    pub endings: Vec<EndingCount>,
    /// Plies of a game, opening included.
    pub length: Distribution,
    /// Pieces that each side captured in a game, attackers first; the king is not counted.
    pub captures: [Distribution; 2],
    /// Legal moves at each side's plies after the opening, mean over all such plies, attackers first;
    /// nothing where a side had no such ply.
    pub branching: [Option<f64>; 2],
    /// When games were decided; nothing for players whose searches have no value.
    pub decision: Option<Decision>,
    /// Whether the checkpoint learned this ruleset; nothing for players without a network.
    pub trained: Option<bool>,
    /// How strong the player is under this ruleset, if that was measured.
    pub strength: Option<MeasuredStrength>,
}

/// Games that ended one way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndingCount {
    /// The side that won; nothing for a draw or a cut game.
    pub winner: Option<Side>,
    /// The word of files: `king-captured`, `king-escaped`, `encirclement`, `fort`, `no-move`,
    /// `repetition`, `captureless`, `unfinishable` or `capped`.
    pub reason: String,
    /// The same for readers, such as `king escaped to a corner`.
    pub text: String,
    /// Such games.
    pub games: u64,
    /// Their share of all games, 0 to 1.
    pub rate: Estimate,
}

/// How numbers of games are spread; all zero without games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Mean with its interval.
    pub mean: Estimate,
    /// The least.
    pub least: f64,
    /// A quarter of the games are not above.
    pub lower_quartile: f64,
    /// The middle.
    pub median: f64,
    /// Three quarters of the games are not above.
    pub upper_quartile: f64,
    /// The most.
    pub most: f64,
    /// Games by number, in bins of one width that follow each other without gaps.
    pub bins: Vec<Bin>,
}

/// Games whose number is in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bin {
    /// The least number that counts here.
    pub from: u64,
    /// The least number that counts in the next bin.
    pub to: u64,
    /// Games.
    pub games: u64,
}

/// When the winner's expected score last rose above one half, as the player's own searches saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Games with a winner and with searches.
    pub games: u64,
    /// Ply from which on every search put the winner above one half, counted from the start; the
    /// length of the game where even the last search did not.
    pub ply: Distribution,
    /// Mean of that ply divided by the game's length, 0 to 1.
    pub share_of_length: Estimate,
    /// Games in which the winner was ahead from the first search on.
    pub from_the_opening: u64,
    /// Games in which even the last search did not see the winner ahead.
    pub unforeseen: u64,
}

/// How strong a player is: matches with a player that is always the same, with both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredStrength {
    /// The opponent.
    pub reference: String,
    /// All games as the player sees them.
    pub results: Tally,
    /// Elo points above the opponent, from pairs of games.
    pub elo: Estimate,
    /// Elo points that the study asks for.
    pub wanted_elo: f64,
    /// Whether it is certain that the player has them: the whole interval is not below.
    pub enough: bool,
}

/// How hard a side is to play well, as one network plays: the visits that it needs to find the move of a deeper search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difficulty {
    /// The ruleset.
    pub ruleset: String,
    /// The name of the player that searched, and whose games the positions are from.
    pub player: String,
    /// The side to move.
    pub side: Side,
    /// Visits of the deepest search.
    pub deepest: u32,
    /// Positions, one of a game: such as the game's own search took for open.
    pub positions: u64,
    /// Visits from which on every search finds the move of the deepest one: the geometric mean, 1 to `deepest`.
    pub visits: Estimate,
    /// Share of positions in which one visit finds it, 0 to 1.
    pub at_once: Estimate,
    /// Share of positions in which only the deepest search finds it, 0 to 1: they may need any number of visits, but count as
    /// `deepest`.
    pub unsettled: Estimate,
}

/// How the balance of a ruleset changes with a player's strength.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trend {
    /// The ruleset.
    pub ruleset: String,
    /// What the players have in common, such as `quickstart 28`.
    pub family: String,
    /// What strengths are counted in; slopes are by doubling of visits, or by turn.
    pub unit: StrengthUnit,
    /// The strengths, rising.
    pub strengths: Vec<u32>,
    /// Slope of the attackers' score.
    pub score_slope: Estimate,
    /// Slope of [`Cell::imbalance`]: below 0 the ruleset is more balanced for stronger players.
    pub imbalance_slope: Estimate,
    /// Twice the posterior probability of the less likely sign of `score_slope`, after Holm's correction for all rulesets of
    /// this family, 0 to 1.
    pub adjusted: f64,
    /// Whether `adjusted` is below 0.05.
    pub clear: bool,
    /// Chance of scores that are so far from their line, if stronger play moved them along one: a chi-square test after Holm's
    /// correction for all rulesets of this family, 0 to 1.
    pub misfit: f64,
    /// Whether `misfit` is below 0.05; a slope says little then.
    pub bent: bool,
}

/// Which of two rulesets is more balanced, as one player plays them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The player's name.
    pub player: String,
    /// The first ruleset.
    pub first: String,
    /// The second ruleset.
    pub second: String,
    /// Posterior probability that the first one's imbalance is the smaller one.
    pub probability: f64,
    /// 2 min(probability, 1 - probability) after Holm's correction for all pairs of this player, 0
    /// to 1.
    pub adjusted: f64,
    /// Whether `adjusted` is below 0.05.
    pub clear: bool,
}

/// How likely a ruleset is the most balanced of all, as one player plays them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranking {
    /// The player's name.
    pub player: String,
    /// The ruleset.
    pub ruleset: String,
    /// Posterior probability; those of a player sum to 1. Joint over all, so there is nothing to
    /// correct.
    pub probability: f64,
}

/// What changing one field does, as one player plays: the variant minus the base, paired by opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// The variant.
    pub ruleset: String,
    /// The base.
    pub base: String,
    /// The field.
    pub change: FieldChange,
    /// The player's name.
    pub player: String,
    /// Openings played under both.
    pub openings: u64,
    /// Openings from which the very same moves were played under both: the field mattered in none.
    pub same_games: u64,
    /// Difference of the attackers' scores, -1 to 1; above 0 the change helps the attackers.
    pub difference: Estimate,
    /// The same from resampled openings.
    pub difference_bootstrap: Estimate,
    /// Difference of the imbalances; below 0 the change makes the ruleset more balanced.
    pub imbalance_difference: Estimate,
    /// Posterior probability that the variant is more balanced than the base.
    pub more_balanced: f64,
    /// Twice the posterior probability of the less likely sign of `difference`, after Holm's
    /// correction for all variants of this player, 0 to 1.
    pub adjusted: f64,
    /// Whether `adjusted` is below 0.05.
    pub clear: bool,
    /// Whether `more_balanced` is above one half, and 2 (1 - `more_balanced`) below 0.05 after Holm's correction for all
    /// variants of this player.
    pub clearly_more_balanced: bool,
}

/// Results of games between people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// The attackers' points a game among games with a result, 0 to 1.
    pub score: Estimate,
    /// Where the numbers are from.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read_back_as_they_were_written() {
        for text in [
            include_str!("../../../../tests/fixtures/balance/rulesets.json"),
            include_str!("../../../../tests/fixtures/balance/variants.json"),
        ] {
            let summary: Summary = serde_json::from_str(text).expect("a summary");
            assert_eq!(summary.summary_version, SUMMARY_VERSION);
            assert_eq!(
                summary.cells.len(),
                summary.rulesets.len() * summary.players.len()
            );
            let written = serde_json::to_string(&summary).expect("JSON");
            assert_eq!(
                serde_json::from_str::<Summary>(&written).expect("a summary"),
                summary
            );
        }
    }
}
