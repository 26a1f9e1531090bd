//! One game as it was played.

use crate::{Baseline, PlayerId};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};
use tafl_rules::{EndReason, IllegalMove, Move, Outcome, Setup, SetupError, Side, UnknownName};

/// A game with all that is known of how it was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's number, which no other game of its generation has: from 0 in a run's own games, anywhere in those of
    /// workers.
    pub game_id: u64,
    /// The seed from which everything random in the game came.
    pub seed: u64,
    /// The name of the ruleset.
    pub ruleset: String,
    /// [`tafl_rules::Ruleset::fingerprint`] of the ruleset.
    pub ruleset_fingerprint: u64,
    /// The first position.
    pub start: Setup,
    /// The generation that the game belongs to.
    pub generation: u32,
    /// What kind of game it is.
    pub kind: GameKind,
    /// Who played the attackers.
    pub attackers: PlayerId,
    /// Who played the defenders.
    pub defenders: PlayerId,
    /// Plies at the beginning that were not chosen by a player.
    pub opening_plies: u32,
    /// The side whose plies were random in part, if there was one.
    pub handicap: Option<Handicap>,
    /// All plies, those of the opening included.
    pub plies: Vec<PlyRecord>,
    /// How the game ended.
    pub ending: Ending,
}

/// What kind of game a record is: of self-play, in which a side may be weakened, or of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown_kind)]
pub enum GameKind {
    /// The network played both sides alike.
    Even,
    /// The network played both sides, and some plies of one of them were random.
    Handicap,
    /// The network played against alpha-beta, its sparring partner; some plies of that may have been random.
    Partner,
    /// Alpha-beta played both sides, whose moves the network learns.
    Taught,
    /// Two players met, or one played itself, to be measured.
    Match,
}

impl GameKind {
    /// Returns the word of files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn unknown_kind(word: &str) -> UnknownName {
    UnknownName::new("a kind of game", word)
}

impl GameRecord {
    /// Returns the side that alpha-beta played as a sparring partner, and the partner.
    pub fn partner(&self) -> Option<(Side, Baseline)> {
        let baseline = |side| Some((side, self.player(side).baseline()?));
        match self.kind {
            GameKind::Partner => Side::ALL.into_iter().find_map(baseline),
            _ => None,
        }
    }

    /// Returns the alpha-beta of attackers and defenders if it played both sides of a game that the network learns.
    pub fn teachers(&self) -> Option<[Baseline; 2]> {
        match self.kind {
            GameKind::Taught => Some([self.attackers.baseline()?, self.defenders.baseline()?]),
            _ => None,
        }
    }

    /// Returns whether neither side was weakened, and no alpha-beta taught.
    pub const fn is_even(&self) -> bool {
        matches!(self.kind, GameKind::Even | GameKind::Match)
    }

    /// Returns what weakens each side, as [`crate::Facts::weakness`] has it.
    pub fn weakness(&self) -> [[u8; 2]; 2] {
        weakness(self.handicap, self.partner())
    }

    /// Returns who played a side.
    pub const fn player(&self, side: Side) -> &PlayerId {
        match side {
            Side::Attacker => &self.attackers,
            Side::Defender => &self.defenders,
        }
    }

    /// Returns the side of a game of self-play that was not played as the other one: handicapped, or by a partner.
    pub fn uneven_side(&self) -> Option<Side> {
        let handicapped = self.handicap.map(|handicap| handicap.side);
        handicapped.or_else(|| self.partner().map(|(side, _)| side))
    }
}

/// Returns what weakens each side of a game with a handicap and a sparring partner, as [`crate::Facts::weakness`] has it.
pub fn weakness(handicap: Option<Handicap>, partner: Option<(Side, Baseline)>) -> [[u8; 2]; 2] {
    let mut weakness = [[0; 2]; 2];
    if let Some(Handicap { side, rate }) = handicap {
        // The least that can be stored is no even game yet.
        let least = u8::from(rate > 0.0);
        weakness[side.index()][0] = ((rate * 255.0).round() as u8).max(least);
    }
    if let Some((side, partner)) = partner {
        let depth = partner.strength().unwrap_or(0);
        weakness[side.index()][1] = depth.min(u8::MAX.into()) as u8;
    }
    weakness
}

/// The side of a game some of whose plies were drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Handicap {
    /// The side.
    pub side: Side,
    /// The chance of each of its plies, 0 to 1.
    pub rate: f32,
}

/// One ply and what the search said before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The move played.
    pub mv: Move,
    /// The search that chose it; `None` for a ply of the opening, which is not learned from.
    pub search: Option<SearchRecord>,
}

/// What a search found in one position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchRecord {
    /// The policy to learn: legal moves, each once, with probabilities above 0 that sum to 1.
    pub policy: Vec<(Move, f32)>,
    /// Win, draw, loss for the side to move after the search; sums to 1.
    pub wdl: [f32; 3],
    /// Win, draw, loss for the side to move as the network gave it before the search; sums to 1.
    pub network_wdl: [f32; 3],
    /// Visits that the search made; those carried over from earlier plies come on top.
    pub visits: u32,
    /// Whether the search proved the result, so that `wdl` is exact: all of it win, draw or loss.
    pub proven: bool,
    /// How far `policy` is from what the network expected: the Kullback-Leibler divergence of the policy
    /// from the network's prior without noise, in nats, at least 0.
    pub prior_divergence: f32,
    /// The checkpoint that searched, if it is one of a run: newer ones go on with games in progress.
    pub checkpoint: Option<u32>,
}

impl SearchRecord {
    /// Returns what is learned from a ply of a player that does not search as networks do: its move, and the game's
    /// result as win, draw, loss of the side to move. There are no visits.
    pub fn taught(mv: Move, result: [f32; 3]) -> Self {
        Self {
            policy: vec![(mv, 1.0)],
            wdl: result,
            network_wdl: result,
            ..Self::default()
        }
    }

    /// Returns whether nobody searched: a player that does not search as networks do chose the move. A search that proved the
    /// result at once has no visits either.
    pub const fn is_taught(&self) -> bool {
        self.visits == 0 && !self.proven && self.checkpoint.is_none()
    }

    /// Checks what a search found before a ply of `side`, whose legal moves are given.
    ///
    /// Small probabilities may be missing and the others rounded, as files have them.
    pub(crate) fn check(&self, side: Side, legal: &[Move]) -> Result<(), String> {
        for (i, &(mv, probability)) in self.policy.iter().enumerate() {
            if !legal.contains(&mv) {
                return Err(format!("policy: {mv} is not legal"));
            }
            if self.policy[..i].iter().any(|&(earlier, _)| earlier == mv) {
                return Err(format!("policy: {mv} is given twice"));
            }
            if !(0.0..=1.0).contains(&probability) {
                return Err(format!("policy: {mv} has probability {probability}"));
            }
        }
        let sum: f32 = self.policy.iter().map(|&(_, share)| share).sum();
        let refused = if (sum - 1.0).abs() > POLICY_ROUNDING {
            format!("policy: probabilities sum to {sum}")
        } else if let Some(wdl) = [self.wdl, self.network_wdl]
            .into_iter()
            .find(|it| !is_distribution(it))
        {
            format!("search: {wdl:?} are not probabilities that sum to 1")
        } else if self.proven && ProvenResult::of_search(side, self.wdl).is_none() {
            format!("search: {:?} is called proven", self.wdl)
        } else if !(0.0..=MOST_DIVERGENCE).contains(&self.prior_divergence) {
            format!("search: a prior divergence of {}", self.prior_divergence)
        } else if self.visits > MOST_VISITS {
            format!("search: {} visits", self.visits)
        } else {
            return Ok(());
        };
        Err(refused)
    }
}

/// Returns whether numbers are probabilities that sum to 1, but for rounding.
pub fn is_distribution(numbers: &[f32]) -> bool {
    let sum: f32 = numbers.iter().sum();
    numbers.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() < 1e-3
}

/// Visits of a search, at most.
const MOST_VISITS: u32 = 1 << 24;

/// Nats by which a policy may be off the network's prior, at most: a prior has at least the smallest `f32` above 0.
const MOST_DIVERGENCE: f32 = 128.0;

/// How far the sum of a policy may be from 1 after rounding: small probabilities are left out, the others keep 5 bits.
const POLICY_ROUNDING: f32 = 0.1;

/// A result by which a game is over, known before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProvenResult {
    /// The side that wins, `None` for a draw.
    pub winner: Option<Side>,
}

impl ProvenResult {
    /// Returns the result that a search of `mover` proved, from its exact win, draw and loss.
    ///
    /// `None` if one of them is not 1: that proves nothing.
    pub fn of_search(mover: Side, wdl: [f32; 3]) -> Option<Self> {
        let winner = match wdl {
            [win, _, _] if win >= 1.0 => Some(mover),
            [_, draw, _] if draw >= 1.0 => None,
            [_, _, loss] if loss >= 1.0 => Some(mover.opponent()),
            _ => return None,
        };
        Some(Self { winner })
    }

    /// Returns the result seen by `side`, as win, draw, loss.
    pub fn wdl_for(self, side: Side) -> [f32; 3] {
        wdl_of(self.winner, side)
    }
}

/// How a game ended, by the rules or by a limit of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ending {
    /// The side that won, `None` for a draw or a game that was cut.
    pub winner: Option<Side>,
    /// Why it ended.
    pub reason: EndingReason,
}

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[derive(Display, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum EndingReason {
    /// A rule ended it.
    #[strum(transparent)]
    Rule(EndReason),
    /// It reached the harness's limit of plies and was cut; it has no winner.
    Capped,
    /// Both players' searches called it decided, and the config allows adjudication.
    Adjudicated,
    /// The rules that another program plays by ended it, ours did not; who won is as that program says.
    #[strum(serialize = "other-rules")]
    OtherRules,
    /// A player failed or gave up, and lost by it.
    #[strum(transparent)]
    Forfeit(Forfeit),
}

/// How a player lost a game otherwise than on the board.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Forfeit {
    /// The program ended, or could not be talked to.
    Crash,
    /// No answer came in time.
    Timeout,
    /// Its move was not legal, or no move at all.
    IllegalMove,
    /// It would not accept the position.
    Refusal,
    /// Its move is legal here, but not by the rules of its opponent, another program, which refused it.
    RefusedMove,
    /// It resigned.
    Resignation,
}

impl Forfeit {
    /// Returns the word of files and reports, such as `illegal-move`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Ending {
    /// The ending of a game that was cut.
    pub const CAPPED: Self = Self {
        winner: None,
        reason: EndingReason::Capped,
    };

    /// Returns the ending of a game that was decided by the players' own judgment.
    pub const fn adjudicated(winner: Side) -> Self {
        Self {
            winner: Some(winner),
            reason: EndingReason::Adjudicated,
        }
    }

    /// Returns the ending of a game that one side lost otherwise than on the board.
    pub const fn forfeited(loser: Side, forfeit: Forfeit) -> Self {
        Self {
            winner: Some(loser.opponent()),
            reason: EndingReason::Forfeit(forfeit),
        }
    }

    /// Returns whether the game was cut.
    pub fn is_capped(self) -> bool {
        self.reason == EndingReason::Capped
    }

    /// Returns the certain result seen by `side`, as win, draw, loss; a cut game counts as a draw.
    pub fn wdl_for(self, side: Side) -> [f32; 3] {
        wdl_of(self.winner, side)
    }
}

fn wdl_of(winner: Option<Side>, side: Side) -> [f32; 3] {
    match winner {
        Some(winner) if winner == side => [1.0, 0.0, 0.0],
        Some(_) => [0.0, 0.0, 1.0],
        None => [0.0, 1.0, 0.0],
    }
}

impl From<Outcome> for Ending {
    fn from(outcome: Outcome) -> Self {
        Self {
            winner: outcome.winner,
            reason: EndingReason::Rule(outcome.reason),
        }
    }
}

impl EndingReason {
    /// Returns the word of files and reports: that of the rule's reason or of the forfeit, `capped`, `adjudicated` or
    /// `other-rules`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

tafl_rules::serde_as_text!(EndingReason);

impl std::str::FromStr for EndingReason {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "capped" => Ok(Self::Capped),
            "adjudicated" => Ok(Self::Adjudicated),
            "other-rules" => Ok(Self::OtherRules),
            _ => match text.parse() {
                Ok(forfeit) => Ok(Self::Forfeit(forfeit)),
                Err(_) => text.parse().map(Self::Rule),
            },
        }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.winner, self.reason) {
            (Some(side), reason) => write!(f, "{side} win ({reason})"),
            (None, EndingReason::Capped) => f.write_str("unfinished (capped)"),
            (None, reason) => write!(f, "draw ({reason})"),
        }
    }
}

/// A record that is not a game under the rules given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RecordError {
    /// The record belongs to other rules.
    #[error("game {game_id} has ruleset {recorded:?}; the given {given:?} has another fingerprint")]
    OtherRuleset {
        /// The game.
        game_id: u64,
        /// The ruleset that the record names.
        recorded: String,
        /// The ruleset that it was read with.
        given: String,
    },
    /// The first position cannot be played.
    #[error("game {game_id}: start position: {reason}")]
    Start {
        /// The game.
        game_id: u64,
        /// What is wrong with it.
        reason: SetupError,
    },
    /// A ply is not legal.
    #[error("game {game_id}, ply {}: {reason}", .ply + 1)]
    IllegalMove {
        /// The game.
        game_id: u64,
        /// The ply, from 0; texts count from 1.
        ply: usize,
        /// What is wrong with it.
        reason: IllegalMove,
    },
    /// A policy is not a distribution over legal moves, or a search claims more than it may.
    #[error("game {game_id}, ply {}: {reason}", .ply + 1)]
    BadSearch {
        /// The game.
        game_id: u64,
        /// The ply, from 0; texts count from 1.
        ply: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The plies lead to another ending than the recorded one.
    #[error("game {game_id} is recorded as {recorded}, but its plies end in: {replayed}")]
    OtherEnding {
        /// The game.
        game_id: u64,
        /// What the record says.
        recorded: Ending,
        /// What replaying it says.
        replayed: String,
    },
}
