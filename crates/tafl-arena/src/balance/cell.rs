//! One player against itself under one ruleset: its games, and all numbers that they give.

use super::compare::imbalance;
use super::posterior::posterior_score;
use super::{Sampling, StudyGame};
use crate::elo::elo_of_score;
use crate::estimate::{mean_with_interval, sorted};
use crate::{Endings, Estimate, Tally};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tafl_rules::{EndReason, Side};
use tafl_samples::{Ending, EndingReason};

/// Games from which on a score is taken for more than a hint: with fewer its interval is 30 points wide or more where sides are
/// near even.
const FEW_GAMES: u64 = 30;

/// The games of one player against itself under one ruleset.
#[derive(Debug, Clone)]
pub struct PlayedCell {
    /// The ruleset.
    pub ruleset: String,
    /// The player's name.
    pub player: String,
    /// The games, by opening.
    pub games: Vec<StudyGame>,
    /// Files of games within the study's folder.
    pub games_files: Vec<String>,
    /// Whether the checkpoint learned the ruleset; nothing for players without a network.
    pub trained: Option<bool>,
    /// How strong the player is, if that was measured.
    pub strength: Option<MeasuredStrength>,
}

/// The numbers of one player against itself under one ruleset. Scores, Elo points and results are the attackers'.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The ruleset.
    pub ruleset: String,
    /// The player's name.
    pub player: String,
    /// Files of games within the study's folder, by rising opening. Where the player searches, `root_wdl` is the value
    /// curve, `policy` the search's opinion of the moves.
    pub games_files: Vec<String>,
    /// All games as the attackers see them, each once.
    pub results: Tally,
    /// Games that are left out of all numbers: they ended in the same position after as many plies as another one, to which
    /// their openings led too.
    pub repeated: u64,
    /// Points a game, 0 to 1: the posterior's mean and interval.
    pub score: Estimate,
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
pub struct EndingCount {
    /// The side that won; nothing for a draw or a cut game.
    pub winner: Option<Side>,
    /// The word of files: `king-captured`, `king-escaped`, `encirclement`, `fort`, `no-move`,
    /// `repetition`, `captureless`, `unfinishable` or `capped`.
    pub reason: String,
    /// The same for readers, such as `king escaped`.
    pub text: String,
    /// Such games.
    pub games: u64,
    /// Their share of all games, 0 to 1.
    pub rate: Estimate,
}

/// How numbers of games are spread; all zero without games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Mean with its interval, which does not reach below 0.
    pub mean: Estimate,
    /// A quarter of the games are not above.
    pub lower_quartile: f64,
    /// The middle.
    pub median: f64,
    /// Three quarters of the games are not above.
    pub upper_quartile: f64,
}

/// When the winner's expected score last rose above one half, as the player's own searches saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Games with a winner and with searches.
    pub games: u64,
    /// Ply from which on every search put the winner above one half, counted from the start; the
    /// length of the game where even the last search did not.
    pub ply: Distribution,
    /// Mean of that ply divided by the game's length, 0 to 1.
    pub share_of_length: Estimate,
}

/// How strong a player is: matches with a player that is always the same, with both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

impl PlayedCell {
    /// Returns every game once, however many openings led to it.
    fn distinct_games(&self) -> Vec<&StudyGame> {
        let mut seen = BTreeSet::new();
        let games = self.games.iter();
        games.filter(|game| seen.insert(game.end())).collect()
    }

    /// Draws the attackers' score from its posterior; the draws do not depend on what other cells there are.
    pub(super) fn draws(&self, sampling: &Sampling) -> Vec<f64> {
        let own = sampling.named(&[&self.ruleset, &self.player]);
        own.scores(&endings_of(&self.distinct_games()).attackers())
    }
}

impl Cell {
    /// Returns whether the results of most games are unknown, so that nobody knows which side they favor.
    pub const fn is_mostly_cut(&self) -> bool {
        2 * self.results.capped > self.results.games()
    }

    /// Returns whether there are so few games that chance may have made the score; without any there is none.
    pub(super) fn has_few_games(&self) -> bool {
        (1..FEW_GAMES).contains(&self.results.games())
    }

    /// Returns wins, draws and losses, such as `0/2/8`, and how many games were cut, where the games are so few that the score
    /// lies closer to 1/2 than they came out.
    pub fn few_results(&self) -> Option<String> {
        let Tally {
            wins,
            draws,
            losses,
            capped,
        } = self.results;
        let cut = match capped {
            0 => String::new(),
            _ => format!(" and {capped} cut"),
        };
        self.has_few_games()
            .then(|| format!("{wins}/{draws}/{losses}{cut}"))
    }

    /// Counts games; `draws` are from the posterior of their score.
    pub(super) fn of(played: &PlayedCell, draws: &[f64]) -> Self {
        let games = played.distinct_games();
        let endings = endings_of(&games);
        let results = endings.attackers();
        let score = posterior_score(&results, draws.to_vec());
        let decided = results.wins + results.losses;
        let spread = |of: &dyn Fn(&StudyGame) -> u64| {
            let numbers = games.iter().map(|game| of(game) as f64);
            Distribution::of(numbers.collect())
        };
        let ending = |(ending, count): (Ending, u64)| EndingCount {
            winner: ending.winner,
            reason: ending.reason.name().to_owned(),
            text: ending_text(ending),
            games: count,
            rate: Estimate::share(count, results.games()),
        };
        Self {
            ruleset: played.ruleset.clone(),
            player: played.player.clone(),
            games_files: played.games_files.clone(),
            results,
            repeated: (played.games.len() - games.len()) as u64,
            score,
            elo: score.mapped(elo_of_score),
            imbalance: imbalance_of(&score),
            draw_rate: Estimate::share(results.draws, results.games()),
            decisive_share: (decided > 0).then(|| Estimate::share(results.wins, decided)),
            endings: endings.by_frequency().into_iter().map(ending).collect(),
            length: spread(&|game| game.moves.len() as u64),
            captures: Side::ALL.map(|side| spread(&|game| game.captures[side.index()])),
            branching: Side::ALL.map(|side| branching(&games, side)),
            decision: decision(&games),
            trained: played.trained,
            strength: played.strength.clone(),
        }
    }
}

fn endings_of(games: &[&StudyGame]) -> Endings {
    let mut endings = Endings::default();
    games.iter().for_each(|game| endings.add(game.ending, 1));
    endings
}

/// Returns how far a score is from even; the interval holds what that of the score holds, so it begins
/// at 0 where the score may be even.
fn imbalance_of(score: &Estimate) -> Estimate {
    let ends = [score.low, score.high].map(imbalance);
    let least = ends[0].min(ends[1]);
    Estimate {
        value: imbalance(score.value),
        low: if score.holds(0.5) { 0.0 } else { least },
        high: ends[0].max(ends[1]),
    }
}

/// Returns how a game ended, in words for readers.
fn ending_text(ending: Ending) -> String {
    use EndReason::{Captureless, Fort, NoMove, Repetition};
    let text = match ending.reason {
        EndingReason::Capped => return "cut at the ply limit".to_owned(),
        EndingReason::Forfeit(_) => return format!("forfeited: {}", ending.reason),
        EndingReason::OtherRules => "the other program's rules".to_owned(),
        EndingReason::Rule(Fort) => "edge fort".to_owned(),
        EndingReason::Rule(NoMove) => "no legal move".to_owned(),
        EndingReason::Rule(Captureless) => "captureless limit".to_owned(),
        reason => reason.name().replace('-', " "),
    };
    match (ending.reason, ending.winner) {
        // Who wins by these depends on the ruleset or on who was stuck.
        (EndingReason::Rule(Repetition | NoMove), Some(side)) => format!("{text}, {side} win"),
        (_, Some(_)) => text,
        (_, None) => format!("draw: {text}"),
    }
}

fn branching(games: &[&StudyGame], side: Side) -> Option<f64> {
    let plies: u64 = games.iter().map(|game| game.plies[side.index()]).sum();
    let choices: u64 = games.iter().map(|game| game.choices[side.index()]).sum();
    (plies > 0).then(|| choices as f64 / plies as f64)
}

fn decision(games: &[&StudyGame]) -> Option<Decision> {
    let decided = games.iter().filter_map(|game| {
        let ply = f64::from(game.decided_at()?);
        Some((ply, ply / game.moves.len().max(1) as f64))
    });
    let (plies, shares): (Vec<f64>, Vec<f64>) = decided.unzip();
    let mean = mean_with_interval(&shares);
    (!plies.is_empty()).then(|| Decision {
        games: plies.len() as u64,
        ply: Distribution::of(plies),
        share_of_length: Estimate {
            low: mean.low.max(0.0),
            high: mean.high.min(1.0),
            ..mean
        },
    })
}

impl Distribution {
    fn of(numbers: Vec<f64>) -> Self {
        let numbers = sorted(numbers);
        let mean = mean_with_interval(&numbers);
        let at = |share: f64| {
            let place = (share * numbers.len() as f64).ceil() as usize;
            let number = numbers.get(place.saturating_sub(1));
            number.copied().unwrap_or(0.0)
        };
        Self {
            mean: Estimate {
                low: mean.low.max(0.0),
                ..mean
            },
            lower_quartile: at(0.25),
            median: at(0.5),
            upper_quartile: at(0.75),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_and_mean_of_a_few_numbers() {
        let spread = Distribution::of(vec![3.0, 1.0, 2.0, 4.0]);
        let quartiles = [spread.lower_quartile, spread.median, spread.upper_quartile];
        assert_eq!(quartiles, [1.0, 2.0, 3.0]);
        // Standard error 1.2910 / 2 = 0.6455; Student's 97.5 % point with 3 degrees is 3.1824.
        let Estimate { value, low, high } = spread.mean;
        assert!((value - 2.5).abs() < 1e-12, "{value}");
        assert!((low - 0.4457).abs() < 1e-3 && (high - 4.5543).abs() < 1e-3);
        let nothing = Distribution::of(Vec::new());
        assert_eq!((nothing.mean, nothing.median), (Estimate::exact(0.0), 0.0));
        assert_eq!(Distribution::of(vec![7.0]).mean, Estimate::exact(7.0));
    }
}
