//! Whether one player is stronger, asked after every pair: the sequential probability ratio test.

use crate::{MatchGame, PairCounts, score_of_elo};
use serde::Serialize;
use tafl_config::ConfigError;

mod ratio;
#[cfg(test)]
mod tests;

/// What a test decides between, and how often it may err.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SprtConfig {
    /// Elo difference, first player minus second, at which the test is to reject; -1,000 to 1,000.
    /// Elo points are logistic: 400 log10(score / (1 - score)). Stockfish: 0.
    pub elo0: f64,
    /// Elo difference at which the test is to accept; above `elo0`, at most 1,000. The nearer the
    /// two, the more games: about 10,000 pairs for 5 points, 100 for 50. Stockfish: 2 to 3.
    pub elo1: f64,
    /// Allowed false-acceptance rate: share of tests that may accept where the difference is `elo0`; 0.0001 to 0.49.
    /// Stockfish: 0.05.
    pub alpha: f64,
    /// Allowed false-rejection rate: share of tests that may reject where the difference is `elo1`; 0.0001 to 0.49.
    /// Stockfish: 0.05.
    pub beta: f64,
}

/// What a test says so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The difference is `elo1` rather than `elo0`: the first player is the stronger one.
    Accept,
    /// The difference is `elo0` rather than `elo1`.
    Reject,
    /// More pairs are needed.
    Continue,
}

/// A running test of the generalized sequential probability ratio (GSPRT) on pairs of games.
///
/// After each pair the likelihood of the pairs so far is compared under the most likely
/// distribution of points with the mean score of `elo1` and under the one with that of `elo0`. The
/// logarithm of their ratio accepts when it reaches ln((1 - beta) / alpha) and rejects when it
/// reaches ln(beta / (1 - alpha)) (Wald 1945). Pairs are counted by their five possible points, so
/// that the two games of an opening need not be independent. Sources: M. Van den Bergh, "The
/// Generalized Maximum Likelihood Ratio for the Expectation Value of a Distribution" (2019), and the
/// method that Stockfish's fishtest documents.
///
/// In simulated tests of one to thousands of pairs, wrong verdicts were between nothing and 1.6 times
/// their nominal share, mostly 0.8 to 1.1 times; least in tests so wide that few pairs decide.
///
/// Feed the pairs in an order fixed beforehand, such as that of the openings. The order in which games end favors short
/// ones, and with them players that win or lose quickly.
///
/// ```
/// use tafl_arena::{Sprt, SprtConfig, Verdict};
///
/// let config = SprtConfig { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 };
/// let mut sprt = Sprt::new(config)?;
/// while sprt.verdict() == Verdict::Continue {
///     sprt.add(3); // a win and a draw, over and over
/// }
/// assert_eq!(sprt.verdict(), Verdict::Accept);
/// assert!(sprt.pairs().pairs() < 60);
/// # Ok::<(), tafl_config::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    config: SprtConfig,
    pairs: PairCounts,
    log_ratio: f64,
    verdict: Verdict,
}

impl SprtConfig {
    /// Checks every number.
    ///
    /// # Errors
    /// Names the first field whose number cannot be used, and what it may hold.
    pub fn check(&self) -> Result<(), ConfigError> {
        let check = |field, value: f64, range: [f64; 2]| {
            if (range[0]..=range[1]).contains(&value) {
                return Ok(());
            }
            let reason = format!("{value} is not from {} to {}", range[0], range[1]);
            Err(ConfigError::new(field, reason))
        };
        check("elo0", self.elo0, [-1_000.0, 1_000.0])?;
        check("elo1", self.elo1, [-1_000.0, 1_000.0])?;
        if self.elo1 - self.elo0 < LEAST_GAP {
            let (elo0, elo1) = (self.elo0, self.elo1);
            let reason = format!("{elo1} is not at least {LEAST_GAP} above elo0, which is {elo0}");
            return Err(ConfigError::new("elo1", reason));
        }
        check("alpha", self.alpha, [0.0001, 0.49])?;
        check("beta", self.beta, [0.0001, 0.49])
    }

    /// Returns the logarithms of the ratio at which the test rejects and accepts.
    pub fn bounds(&self) -> [f64; 2] {
        [
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        ]
    }
}

/// Elo points between the two hypotheses, at least; nearer ones need millions of games.
const LEAST_GAP: f64 = 0.1;

impl Sprt {
    /// Starts a test without a pair.
    ///
    /// # Errors
    /// If a number of the config is out of range.
    pub fn new(config: SprtConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            config,
            pairs: PairCounts::default(),
            log_ratio: 0.0,
            verdict: Verdict::Continue,
        })
    }

    /// Counts a pair in which the first player made `half_points` of 4, and judges.
    ///
    /// Once the test has accepted or rejected, further pairs change nothing.
    pub fn add(&mut self, half_points: usize) {
        if self.verdict != Verdict::Continue {
            return;
        }
        self.pairs.add(half_points);
        let scores = [self.config.elo0, self.config.elo1].map(score_of_elo);
        self.log_ratio = ratio::log_likelihood_ratio(&self.pairs, scores);
        let [reject, accept] = self.config.bounds();
        if self.log_ratio >= accept {
            self.verdict = Verdict::Accept;
        } else if self.log_ratio <= reject {
            self.verdict = Verdict::Reject;
        }
    }

    /// Returns the verdict so far.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the natural logarithm of the likelihood ratio, `elo1` over `elo0`; 0 without a pair.
    pub const fn log_ratio(&self) -> f64 {
        self.log_ratio
    }

    /// Returns the pairs counted.
    pub const fn pairs(&self) -> PairCounts {
        self.pairs
    }

    /// Returns what the test decides between.
    pub const fn config(&self) -> SprtConfig {
        self.config
    }
}

/// A [`Sprt`] that judges pairs of games in the order of their openings, whatever the order in which games end, so that
/// its verdict is the same for any number of workers.
#[derive(Debug, Clone)]
pub struct PairedSprt {
    sprt: Sprt,
    /// The player, 0 or 1, whose strength is tested.
    tested: usize,
    /// The tested player's half points in both games of each opening.
    points: Vec<[Option<usize>; 2]>,
    /// The first opening that is not judged.
    next: usize,
}

impl PairedSprt {
    /// Begins with a test of one player, 0 or 1, before the first of a number of openings.
    pub fn new(sprt: Sprt, tested: usize, openings: usize) -> Self {
        Self {
            sprt,
            tested,
            points: vec![[None; 2]; openings],
            next: 0,
        }
    }

    /// Takes in a finished game, and judges every pair that is complete and has no incomplete one
    /// before it; returns the verdict so far.
    pub fn add(&mut self, game: &MatchGame) -> Verdict {
        let half = (game.record.game_id % 2) as usize;
        let points = match (self.tested, game.half_points()) {
            (0, points) => points,
            (_, points) => 2 - points,
        };
        if let Some(pair) = self.points.get_mut(game.opening() as usize) {
            pair[half] = Some(points);
        }
        while let Some([Some(first), Some(second)]) = self.points.get(self.next).copied() {
            self.sprt.add(first + second);
            self.next += 1;
        }
        self.sprt.verdict()
    }

    /// Returns the test as it stands.
    pub const fn sprt(&self) -> Sprt {
        self.sprt
    }

    /// Returns whether a game counts: any, or those up to the pair that decided.
    pub fn counts(&self, game: &MatchGame) -> bool {
        self.sprt.verdict() == Verdict::Continue || game.opening() < self.sprt.pairs().pairs()
    }
}

/// `ELO0,ELO1`, such as `0,10`, with errors of 5 % to either side.
impl std::str::FromStr for SprtConfig {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shown: String = text.chars().take(40).collect();
        let bad = || format!("{shown:?} is not ELO0,ELO1, such as 0,10");
        let (elo0, elo1) = text.split_once(',').ok_or_else(bad)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| bad());
        let config = Self {
            elo0: number(elo0)?,
            elo1: number(elo1)?,
            alpha: 0.05,
            beta: 0.05,
        };
        config.check().map_err(|error| error.to_string())?;
        Ok(config)
    }
}
