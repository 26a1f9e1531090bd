//! What matches say together: ratings, the value of the sides, pairwise results.

use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use tafl_arena::{
    Bootstrap, Estimate, MatchResult, RatingError, Ratings, SetTally, Sprt, SprtConfig, Tally,
    Verdict, bootstrap, rate,
};
use tafl_rules::{MatchFormat, Ruleset, Side};
use tafl_samples::Forfeit;

/// Finished matches of many players under some rulesets.
#[derive(Debug)]
pub struct PlayedMatches<'a> {
    /// Names of the players; the first one's rating is 0.
    pub players: Vec<String>,
    /// The rulesets, by number.
    pub rulesets: Vec<&'a Ruleset>,
    /// The matches, in any order.
    pub matches: Vec<PlayedMatch>,
}

/// A match, with the numbers of its players and its ruleset.
#[derive(Debug)]
pub struct PlayedMatch {
    /// The numbers of its first and second player in [`PlayedMatches::players`], from 0.
    pub players: [usize; 2],
    /// The number of its ruleset in [`PlayedMatches::rulesets`], from 0.
    pub ruleset: usize,
    /// Its games.
    pub result: MatchResult,
}

/// Number and seed of the bootstrap resamples; 0 for no bootstrap intervals.
#[derive(Debug, Clone, Copy)]
pub struct Resampling {
    /// Bootstrap resamples of all pairs; 0 for none.
    pub resamples: u32,
    /// Where the draws come from.
    pub seed: u64,
}

/// All that is printed, and what `--json` prints.
#[derive(Debug, Serialize)]
pub struct Standings {
    /// The player whose rating is 0.
    pub anchor: String,
    /// Bootstrap resamples of pairs.
    pub bootstrap_resamples: u32,
    /// One row for each player, in the order of `superiority`.
    pub players: Vec<PlayerRow>,
    /// One row for each ruleset.
    pub rulesets: Vec<RulesetRow>,
    /// One row for each match, in the order of [`PlayedMatches::matches`].
    pub matches: Vec<MatchRow>,
    /// Probability, 0 to 1, that the player of the row is stronger than the player of the column; by the model of ratings.
    pub superiority: Vec<Vec<f64>>,
    /// The sequential test of the match, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtRow>,
}

/// How strong a player is.
#[derive(Debug, Serialize)]
pub struct PlayerRow {
    /// Its name.
    pub name: String,
    /// Elo points above the anchor at even sides, with the 95 % interval of the model.
    pub elo: Estimate,
    /// The same with the 95 % bootstrap interval; nothing without resamples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Estimate>,
    /// Its games as attackers, as it sees them.
    pub attackers: Tally,
    /// Its games as defenders, as it sees them.
    pub defenders: Tally,
}

/// What the sides of a ruleset are worth.
#[derive(Debug, Serialize)]
pub struct RulesetRow {
    /// Its name.
    pub name: String,
    /// All games as the attackers see them.
    pub attackers: Tally,
    /// Elo points that the attackers' side is worth, with the 95 % interval of the model; below 0 where the defenders are
    /// favored.
    pub attacker_advantage: Estimate,
    /// The same with the 95 % bootstrap interval; nothing without resamples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap_attacker_advantage: Option<Estimate>,
    /// Share of draws, 0 to 1, between equals whose sides are equal too; capped games are draws here.
    pub even_draw_rate: Estimate,
    /// The same as a parameter of the model in Elo points, see [`tafl_arena::RulesetRating::elo_draw`].
    pub elo_draw: Estimate,
}

/// A match of two players under one ruleset.
#[derive(Debug, Serialize)]
pub struct MatchRow {
    /// The names of its first and second player.
    pub players: [String; 2],
    /// The name of its ruleset.
    pub ruleset: String,
    /// The first player's games as attackers, as that player sees them.
    pub attackers: Tally,
    /// The first player's games as defenders, as that player sees them.
    pub defenders: Tally,
    /// Pairs by the first player's points: 0, 1/2, 1, 3/2, 2.
    pub pairs: [u64; 5],
    /// Elo points of the first player above the second with the 95 % interval, from this match's pairs alone.
    pub elo: Estimate,
    /// Probability, 0 to 1, that the first player is the stronger one, from this match's pairs alone.
    pub superiority: f64,
    /// The match as one of two sets; nothing where the ruleset does not ask for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<SetsRow>,
    /// Games that a player lost otherwise than on the board.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<ForfeitRow>,
}

/// Games that a player lost in one way otherwise than on the board.
#[derive(Debug, Serialize)]
pub struct ForfeitRow {
    /// The name of the player who lost.
    pub player: String,
    /// The way, as [`Forfeit::name`] calls it.
    pub reason: &'static str,
    /// How many games.
    pub games: u64,
}

/// Matches of two sets, where the ruleset asks for them.
#[derive(Debug, Serialize)]
pub struct SetsRow {
    /// Won, drawn, lost and undecided ones, as the first player sees them.
    pub tally: SetTally,
    /// Elo points of the first player above the second with the 95 % interval, from the decided ones.
    pub elo: Estimate,
}

/// A sequential test of the first player's strength.
#[derive(Debug, Serialize)]
pub struct SprtRow {
    /// The hypotheses and the error rates.
    #[serde(flatten)]
    pub config: SprtConfig,
    /// Natural logarithm of how much more likely the pairs are under `elo1` than under `elo0`.
    pub log_ratio: f64,
    /// Values of `log_ratio` at or beyond which the test ends: with `elo0`, with `elo1`.
    pub bounds: [f64; 2],
    /// Pairs of games that were judged.
    pub pairs: u64,
    /// What the test says.
    pub verdict: Verdict,
}

impl From<Sprt> for SprtRow {
    fn from(sprt: Sprt) -> Self {
        Self {
            config: sprt.config(),
            log_ratio: sprt.log_ratio(),
            bounds: sprt.config().bounds(),
            pairs: sprt.pairs().pairs(),
            verdict: sprt.verdict(),
        }
    }
}

impl PlayedMatches<'_> {
    /// Rates everyone and counts everything.
    ///
    /// # Errors
    /// If the results cannot be rated, such as those of no players.
    pub fn standings(&self, resampling: Resampling) -> Result<Standings, RatingError> {
        let met = self.matches.iter();
        let results = met
            .clone()
            .flat_map(|it| it.result.side_results(it.players, it.ruleset));
        let counts = [self.players.len(), self.rulesets.len()];
        let ratings = rate(counts[0], counts[1], &results.collect::<Vec<_>>(), 0)?;
        let drawn = match resampling.resamples {
            0 => None,
            resamples => {
                let pairs = met.flat_map(|it| it.result.rated_pairs(it.players, it.ruleset));
                let pairs: Vec<_> = pairs.collect();
                Some(bootstrap(counts, &pairs, 0, resamples, resampling.seed)?)
            }
        };
        let numbers = 0..counts[0];
        let superiority = |first: usize| -> Vec<f64> {
            let against = |second| ratings.superiority(first, second);
            numbers.clone().map(against).collect()
        };
        Ok(Standings {
            anchor: self.players[0].clone(),
            bootstrap_resamples: resampling.resamples,
            players: self.player_rows(&ratings, drawn.as_ref()),
            rulesets: self.ruleset_rows(&ratings, drawn.as_ref()),
            matches: self.matches.iter().map(|met| self.match_row(met)).collect(),
            superiority: numbers.clone().map(superiority).collect(),
            sprt: None,
        })
    }

    fn player_rows(&self, ratings: &Ratings, drawn: Option<&Bootstrap>) -> Vec<PlayerRow> {
        let row = |(number, name): (usize, &String)| PlayerRow {
            name: name.clone(),
            elo: ratings.players[number],
            bootstrap: drawn.map(|drawn| drawn.players[number]),
            attackers: self.tally(number, Side::Attacker),
            defenders: self.tally(number, Side::Defender),
        };
        self.players.iter().enumerate().map(row).collect()
    }

    fn tally(&self, player: usize, side: Side) -> Tally {
        let mut sum = Tally::default();
        for met in &self.matches {
            for (own, place) in met.players.into_iter().zip(0..) {
                if own == player {
                    sum = sum + met.result.tally(place, side);
                }
            }
        }
        sum
    }

    fn ruleset_rows(&self, ratings: &Ratings, drawn: Option<&Bootstrap>) -> Vec<RulesetRow> {
        let row = |(number, ruleset): (usize, &&Ruleset)| {
            let rating = ratings.rulesets[number];
            let own = self.matches.iter().filter(|met| met.ruleset == number);
            let attackers = own.fold(Tally::default(), |sum, met| {
                let [first, second] = [0, 1].map(|place| met.result.tally(place, Side::Attacker));
                sum + first + second
            });
            RulesetRow {
                name: ruleset.name.clone(),
                attackers,
                attacker_advantage: rating.attacker_advantage,
                bootstrap_attacker_advantage: drawn
                    .map(|drawn| drawn.rulesets[number].attacker_advantage),
                even_draw_rate: rating.even_draw_rate,
                elo_draw: rating.elo_draw(),
            }
        };
        self.rulesets.iter().enumerate().map(row).collect()
    }

    fn match_row(&self, met: &PlayedMatch) -> MatchRow {
        let ruleset = self.rulesets[met.ruleset];
        let pairs = met.result.pair_counts();
        let sets = (ruleset.match_format == MatchFormat::TwoSets).then(|| {
            let tally = met.result.set_tally();
            SetsRow {
                tally,
                elo: tally.elo(),
            }
        });
        MatchRow {
            players: met.players.map(|player| self.players[player].clone()),
            ruleset: ruleset.name.clone(),
            attackers: met.result.tally(0, Side::Attacker),
            defenders: met.result.tally(0, Side::Defender),
            pairs: pairs.0,
            elo: pairs.elo(),
            superiority: pairs.superiority(),
            sets,
            forfeits: self.forfeit_rows(met),
        }
    }

    fn forfeit_rows(&self, met: &PlayedMatch) -> Vec<ForfeitRow> {
        let players = met.players.into_iter().zip(met.result.forfeits());
        let rows = |(player, counts): (usize, BTreeMap<Forfeit, u64>)| {
            counts.into_iter().map(move |(forfeit, games)| ForfeitRow {
                player: self.players[player].clone(),
                reason: forfeit.name(),
                games,
            })
        };
        players.flat_map(rows).collect()
    }
}

impl Standings {
    /// Returns the row of a player; `None` for one who did not play, and for the anchor, whose Elo is 0 by definition.
    #[must_use]
    pub fn player(&self, name: &str) -> Option<&PlayerRow> {
        let mut others = self.players.iter().filter(|row| row.name != self.anchor);
        others.find(|row| row.name == name)
    }

    /// Puts the strongest player in front, in all tables but that of the matches.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        let elo = |player: usize| self.players[player].elo.value;
        order.sort_by(|&a, &b| elo(b).partial_cmp(&elo(a)).unwrap_or(Ordering::Equal));
        let mut rows: Vec<Option<PlayerRow>> = self.players.into_iter().map(Some).collect();
        let sorted = order.iter().filter_map(|&player| rows[player].take());
        self.players = sorted.collect();
        let rows = order.iter().map(|&row| {
            let columns = order.iter().map(|&column| self.superiority[row][column]);
            columns.collect()
        });
        self.superiority = rows.collect();
        self
    }
}
