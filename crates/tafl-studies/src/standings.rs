//! What matches say together: ratings, the value of the sides, pairwise results.

use serde::Serialize;
use std::cmp::Ordering;
use std::sync::Arc;
use tafl_arena::{
    Estimate, MatchResult, RatingError, SetTally, Sprt, SprtConfig, Tally, Verdict, bootstrap, rate,
};
use tafl_rules::{MatchFormat, Rules, Side};
use tafl_samples::PlayerId;

/// Number and seed of the bootstrap resamples; 0 for no bootstrap intervals.
#[derive(Debug, Clone, Copy)]
pub struct Resampling {
    /// Bootstrap resamples of all pairs; 0 for none.
    pub resamples: u32,
    /// Where the draws come from.
    pub seed: u64,
}

impl Resampling {
    /// Nothing is drawn anew.
    pub const NONE: Self = Self {
        resamples: 0,
        seed: 0,
    };
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
    /// One row for each match, in the order in which they were given.
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
    /// The same with the 95 % bootstrap interval; nothing without resamples, and where [`tafl_arena::Bootstrap`] has none.
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
    /// The same with the 95 % bootstrap interval; nothing without resamples, and where [`tafl_arena::Bootstrap`] has none.
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
    /// The way, as [`tafl_samples::Forfeit::name`] calls it.
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

/// Whose rating is 0. Above one who lost every game nothing is known well: how far they are apart is left to the prior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The first player, whatever became of it.
    First,
    /// The first player, unless it won all or lost all: then the one nearest to even who did not.
    FirstMixed,
    /// The first baseline in the order of tables that did not win all or lose all, else the player nearest to even, so that what is
    /// said of checkpoints is said by what does not change with the run.
    Reference,
}

impl Anchor {
    /// Returns the number of the player.
    fn among(self, players: &[&PlayerId], matches: &[MatchResult]) -> usize {
        let both = |id| {
            let of = |side| tally(matches.iter(), Some(id), side);
            of(Side::Attacker) + of(Side::Defender)
        };
        let mixed = players.iter().enumerate();
        let mixed = mixed.map(|(number, id)| (number, *id, both(id)));
        let mixed: Vec<_> = mixed.filter(|(_, _, games)| games.is_mixed()).collect();
        let preferred = match self {
            Self::First => return 0,
            Self::FirstMixed => mixed.iter().find(|(number, ..)| *number == 0),
            Self::Reference => mixed.iter().find(|(_, id, _)| id.baseline().is_some()),
        };
        let distance = |games: &Tally| (games.score() - 0.5).abs();
        let nearest = || {
            mixed
                .iter()
                .min_by(|one, other| distance(&one.2).total_cmp(&distance(&other.2)))
        };
        preferred.or_else(nearest).map_or(0, |(number, ..)| *number)
    }
}

/// Sums up the games of a player, or of all of them, as attackers or defenders, each as the player sees them.
fn tally<'a>(
    matches: impl Iterator<Item = &'a MatchResult>,
    player: Option<&PlayerId>,
    side: Side,
) -> Tally {
    let mut sum = Tally::default();
    for met in matches {
        for (place, own) in met.players.iter().enumerate() {
            if player.is_none_or(|player| player == own) {
                sum = sum + met.tally(place, side);
            }
        }
    }
    sum
}

impl MatchRow {
    fn of(met: &MatchResult, format: MatchFormat) -> Self {
        let pairs = met.pair_counts();
        let sets = (format == MatchFormat::TwoSets).then(|| {
            let tally = met.set_tally();
            let elo = tally.elo();
            SetsRow { tally, elo }
        });
        let forfeits = met.players.iter().zip(met.forfeits());
        let forfeits = forfeits.flat_map(|(player, counts)| {
            counts.into_iter().map(move |(forfeit, games)| ForfeitRow {
                player: player.to_string(),
                reason: forfeit.name(),
                games,
            })
        });
        Self {
            players: met.players.each_ref().map(ToString::to_string),
            ruleset: met.ruleset.clone(),
            attackers: met.tally(0, Side::Attacker),
            defenders: met.tally(0, Side::Defender),
            pairs: pairs.0,
            elo: pairs.elo(),
            superiority: pairs.superiority(),
            sets,
            forfeits: forfeits.collect(),
        }
    }
}

impl Standings {
    /// Rates players by their matches, the anchor at 0, and counts everything.
    ///
    /// # Errors
    /// If the results cannot be rated, such as those of no players, or of others than those given.
    pub fn of(
        players: &[&PlayerId],
        rules: &[Arc<Rules>],
        matches: &[MatchResult],
        anchor: Anchor,
        resampling: Resampling,
    ) -> Result<Self, RatingError> {
        let anchor = anchor.among(players, matches);
        // A number beyond the last stands for nobody, which the ratings refuse.
        let number = |id: &PlayerId| players.iter().take_while(|&&it| it != id).count();
        let is_other = |met: &MatchResult, it: &Arc<Rules>| it.ruleset().name != met.ruleset;
        let numbers = |met: &MatchResult| {
            let ruleset = rules.iter().take_while(|it| is_other(met, it)).count();
            (met.players.each_ref().map(number), ruleset)
        };
        let results = matches.iter().flat_map(|met| {
            let (players, ruleset) = numbers(met);
            met.side_results(players, ruleset)
        });
        let counts = [players.len(), rules.len()];
        let ratings = rate(counts[0], counts[1], &results.collect::<Vec<_>>(), anchor)?;
        let mut drawn = None;
        if resampling.resamples > 0 {
            let pairs = matches.iter().flat_map(|met| {
                let (players, ruleset) = numbers(met);
                met.rated_pairs(players, ruleset)
            });
            let (pairs, seed) = (pairs.collect::<Vec<_>>(), resampling.seed);
            drawn = Some(bootstrap(
                counts,
                &pairs,
                anchor,
                resampling.resamples,
                seed,
            )?);
        }
        let drawn = drawn.as_ref();
        let player = |(number, id): (usize, &&PlayerId)| PlayerRow {
            name: id.to_string(),
            elo: ratings.players[number],
            bootstrap: drawn.and_then(|drawn| drawn.players[number]),
            attackers: tally(matches.iter(), Some(id), Side::Attacker),
            defenders: tally(matches.iter(), Some(id), Side::Defender),
        };
        let ruleset = |(number, rules): (usize, &Arc<Rules>)| {
            let rating = ratings.rulesets[number];
            let own = matches.iter().filter(|met| !is_other(met, rules));
            RulesetRow {
                name: rules.ruleset().name.clone(),
                attackers: tally(own, None, Side::Attacker),
                attacker_advantage: rating.attacker_advantage,
                bootstrap_attacker_advantage: drawn
                    .and_then(|drawn| drawn.attacker_advantages[number]),
                even_draw_rate: rating.even_draw_rate,
                elo_draw: rating.elo_draw(),
            }
        };
        let row = |met: &MatchResult| {
            let (_, ruleset) = numbers(met);
            MatchRow::of(met, rules[ruleset].ruleset().match_format)
        };
        let superiority = |first: usize| {
            let others = 0..players.len();
            others
                .map(|second| ratings.superiority(first, second))
                .collect()
        };
        Ok(Self {
            anchor: players[anchor].to_string(),
            bootstrap_resamples: resampling.resamples,
            players: players.iter().enumerate().map(player).collect(),
            rulesets: rules.iter().enumerate().map(ruleset).collect(),
            matches: matches.iter().map(row).collect(),
            superiority: (0..players.len()).map(superiority).collect(),
            sprt: None,
        })
    }

    /// Returns the row of a player; `None` for one who did not play, and for the anchor, whose Elo is 0 by definition.
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
