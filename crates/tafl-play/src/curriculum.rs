//! Who plays the games to come, chosen by the results of earlier games.

use crate::SelfplayConfig;
use crate::scored::{Scored, points};
use crate::seeds::Purpose;
use crate::uneven::{UnevenGames, UnevenSide};
use rand::RngExt;
use std::sync::Arc;
use tafl_rules::{Rules, Side};
use tafl_samples::{Baseline, GameKind, GameRecord, Handicap};

/// Prior games added to every estimate, half of their points for each side.
const PRIOR_GAMES: f32 = 4.0;
/// Lead of a side, 0 to 1, up to which all games are even, and from which on the full share has a handicap or a partner.
const LEADS: [f32; 2] = [0.2, 0.6];
/// Share of games that an entry for the stronger side has, at most: without even games nobody knows who is stronger.
const MOST_UNEVEN: f32 = 0.9;
/// How fast the rate of random plies follows the results of handicapped games.
const RATE_STEP: f32 = 0.3;
/// Largest distance of a game's rate from the current rate.
const RATE_SPREAD: f32 = 0.1;

/// Who plays the games of a generation, as the config and earlier games say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curriculum {
    /// For each ruleset of the run, in the order of the config's entries.
    plans: Vec<Vec<Plan>>,
}

/// Who plays a share of one ruleset's games.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    share: f32,
    players: Players,
}

/// Who plays them, drawn for each game; so is the side where none is given.
#[derive(Debug, Clone, PartialEq)]
enum Players {
    /// Alpha-beta on both sides, each pair with the attackers' score, and the chance of each ply to be random.
    Teachers(Scored<[Baseline; 2]>, f32),
    /// Alpha-beta on one side; for each side the partners with the network's score against them.
    Partners(Option<Side>, [Scored<Partner>; 2]),
    /// The network, with a chance of one side's plies to be random that lies between these two.
    Handicapped(Option<Side>, [f32; 2]),
}

/// What makes a game uneven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Uneven {
    /// Alpha-beta plays both sides; the chance of each ply to be random.
    Taught([Baseline; 2], f32),
    /// Alpha-beta plays one side.
    Partner(Partner),
    /// Plies of one side are random.
    Handicap(Handicap),
}

/// Alpha-beta on one side of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Partner {
    pub(crate) side: Side,
    pub(crate) player: Baseline,
    /// The chance of each of its plies to be random, 0 to 1.
    pub(crate) rate: f32,
}

/// Games of one ruleset in which the network played both sides, counted.
#[derive(Debug, Clone, Copy, Default)]
struct Played {
    even: Results,
    /// By the handicapped side.
    handicapped: [Results; 2],
}

/// Games, counted.
#[derive(Debug, Clone, Copy, Default)]
struct Results {
    games: f32,
    /// By side.
    wins: [f32; 2],
    /// The sum of the handicaps' rates.
    rates: f32,
}

impl Results {
    fn add(&mut self, game: &GameRecord) {
        self.games += 1.0;
        self.rates += game.handicap.map_or(0.0, |handicap| handicap.rate);
        if let Some(winner) = game.ending.winner {
            self.wins[winner.index()] += 1.0;
        }
    }

    /// Returns the attackers' wins less the defenders', a game, -1 to 1; drawn to 0 by few games.
    fn lead(self) -> f32 {
        (self.wins[0] - self.wins[1]) / (self.games + PRIOR_GAMES)
    }

    /// Returns how far the wins of a side are from half of the games: 1 where it wins none, -1 where it wins all.
    fn lack_of(self, side: Side) -> f32 {
        (self.games - 2.0 * self.wins[side.index()]) / (self.games + PRIOR_GAMES)
    }
}

impl Played {
    fn of(games: &[&GameRecord]) -> Self {
        let mut played = Self::default();
        for game in games {
            match (game.kind, game.handicap) {
                (GameKind::Partner | GameKind::Taught, _) => {}
                (_, None) => played.even.add(game),
                (_, Some(handicap)) => played.handicapped[handicap.side.index()].add(game),
            }
        }
        played
    }

    fn is_nothing(&self) -> bool {
        self.even.games + self.handicapped.iter().map(|it| it.games).sum::<f32>() == 0.0
    }

    /// Returns the side that won more even games; the defenders before there are any.
    fn stronger(&self) -> Side {
        if self.even.lead() > 0.0 {
            Side::Attacker
        } else {
            Side::Defender
        }
    }

    /// Returns the share of games that an entry for the stronger side has: as much of the full one as the lead asks for.
    fn share(&self, entry: &UnevenGames) -> f32 {
        let asked = ((self.even.lead().abs() - LEADS[0]) / (LEADS[1] - LEADS[0])).clamp(0.0, 1.0);
        entry.share.min(MOST_UNEVEN) * asked
    }
}

impl Partner {
    /// Returns the partner that played in a game, if there was one, with the network's points.
    fn of(game: &GameRecord) -> Option<(Self, f32)> {
        let (side, player) = game.partner()?;
        let rate = game.handicap.map_or(0.0, |handicap| handicap.rate);
        Some((Self { side, player, rate }, points(game, side.opponent())))
    }
}

impl Uneven {
    /// Returns the alpha-beta that plays a side, if one does.
    pub(crate) fn alpha_beta(self, side: Side) -> Option<Baseline> {
        match self {
            Self::Taught(pair, _) => Some(pair[side.index()]),
            Self::Partner(partner) => (partner.side == side).then_some(partner.player),
            Self::Handicap(_) => None,
        }
    }

    /// Returns the side that has random plies where the other has none.
    pub(crate) fn handicap(self) -> Option<Handicap> {
        match self {
            Self::Taught(..) => None,
            Self::Partner(Partner { side, rate, .. }) => {
                (rate > 0.0).then_some(Handicap { side, rate })
            }
            Self::Handicap(handicap) => Some(handicap),
        }
    }

    /// Returns the chance of a side's plies to be random, if they may be.
    pub(crate) fn random_rate(self, side: Side) -> Option<f32> {
        match (self, self.handicap()) {
            (Self::Taught(_, rate), _) => Some(rate),
            (_, Some(handicap)) if handicap.side == side => Some(handicap.rate),
            _ => None,
        }
    }
}

impl Plan {
    /// Makes the plan of an entry after the games of one ruleset.
    fn after(entry: &UnevenGames, games: &[&GameRecord]) -> Self {
        let played = Played::of(games);
        let (side, share) = match entry.side {
            UnevenSide::Stronger => (Some(played.stronger()), played.share(entry)),
            UnevenSide::Either | UnevenSide::Both => (None, entry.share),
        };
        let players = match entry.side {
            UnevenSide::Both => Players::Teachers(teachers(entry, games), entry.rates()[0]),
            _ if entry.alphabeta.is_empty() => return Self::handicapped(entry, &played),
            _ => Players::Partners(side, partners(entry, games)),
        };
        Self { share, players }
    }

    /// Decides the handicap of one ruleset's games by its last ones: the side that wins even games is handicapped, by so
    /// much that the other one wins half of the handicapped ones.
    ///
    /// Before any game is known either side is handicapped, drawn for each game: unequal play shows at once how games are
    /// won, while untrained equals mostly shuffle.
    fn handicapped(entry: &UnevenGames, played: &Played) -> Self {
        let [least, greatest] = entry.bounds();
        if entry.side == UnevenSide::Either || played.is_nothing() {
            return Self {
                share: entry.share,
                players: Players::Handicapped(None, [least, greatest]),
            };
        }
        let side = played.stronger();
        let spread = RATE_SPREAD.min((greatest - least) / 2.0);
        let last = played.handicapped[side.index()];
        let wanted = if last.games == 0.0 {
            greatest
        } else {
            // Draws teach the other side nothing of how to win.
            last.rates / last.games + RATE_STEP * last.lack_of(side.opponent())
        };
        // Room for the spread on both sides: the mean of what is drawn must stay the rate that is followed. No `clamp`:
        // where the two bounds are one number, rounding may put them in the wrong order.
        let rate = wanted.min(greatest - spread).max(least + spread);
        let rates = [(rate - spread).max(least), (rate + spread).min(greatest)];
        Self {
            share: played.share(entry),
            players: Players::Handicapped(Some(side), rates),
        }
    }

    /// Draws whether a game is of these, and what makes it uneven.
    fn draw(&self, game_seed: u64) -> Option<Uneven> {
        let mut partners = Purpose::Partner.rng(game_seed);
        let (is_one, uneven) = match &self.players {
            Players::Teachers(pairs, rate) => {
                // Not a number of partners: those behind teachers would get what is left of it, and all have one side.
                let is_one = Purpose::Teachers.rng(game_seed).random::<f32>() < self.share;
                (is_one, Uneven::Taught(pairs.draw(&mut partners)?, *rate))
            }
            Players::Partners(side, by_side) => {
                // A game's first number decides for every entry, so that their shares are parts of each other.
                let is_one = partners.random::<f32>() < self.share;
                let either = Side::ALL[partners.random_range(0..2)];
                let own = &by_side[side.unwrap_or(either).index()];
                (is_one, Uneven::Partner(own.draw(&mut partners)?))
            }
            Players::Handicapped(side, [least, greatest]) => {
                let mut rng = Purpose::Handicap.rng(game_seed);
                let is_one = rng.random::<f32>() < self.share;
                let side = side.unwrap_or_else(|| Side::ALL[rng.random_range(0..2)]);
                let rate = least + rng.random::<f32>() * (greatest - least);
                (is_one, Uneven::Handicap(Handicap { side, rate }))
            }
        };
        is_one.then_some(uneven)
    }
}

/// Returns the pairs of an entry's depths, each with the attackers' score in its last games.
fn teachers(entry: &UnevenGames, games: &[&GameRecord]) -> Scored<[Baseline; 2]> {
    let played = games
        .iter()
        .filter_map(|game| Some((game.teachers()?, points(game, Side::Attacker))));
    let depths = entry.alphabeta.iter();
    let pairs = depths.flat_map(|&attackers| {
        let defenders = entry.alphabeta.iter();
        defenders.map(move |&it| [attackers, it].map(Baseline::alpha_beta))
    });
    Scored::by(pairs, &played.collect::<Vec<_>>())
}

/// Returns a partner for each of an entry's depths with each of its rates, by side.
fn partners(entry: &UnevenGames, games: &[&GameRecord]) -> [Scored<Partner>; 2] {
    let played: Vec<_> = games.iter().filter_map(|game| Partner::of(game)).collect();
    Side::ALL.map(|side| {
        let partners = entry.alphabeta.iter().flat_map(|&depth| {
            let player = Baseline::alpha_beta(depth);
            let rates = entry.rates().iter();
            rates.map(move |&rate| Partner { side, player, rate })
        });
        Scored::by(partners, &played)
    })
}

impl Curriculum {
    /// Returns the curriculum of a generation after some games, those of the one before; without games, the first one.
    ///
    /// `config` and `rules` are those of the games to come.
    pub fn after(
        config: &SelfplayConfig,
        rules: &[Arc<Rules>],
        generation: u32,
        games: &[GameRecord],
    ) -> Self {
        let plans = rules.iter().map(|rules| {
            let is_own = |game: &&GameRecord| game.ruleset == rules.ruleset().name;
            let own: Vec<&GameRecord> = games.iter().filter(is_own).collect();
            let entries = config.uneven.iter().filter(|it| it.is_of(generation));
            entries.map(|entry| Plan::after(entry, &own)).collect()
        });
        Self {
            plans: plans.collect(),
        }
    }

    /// Draws what makes a game of one ruleset uneven, if anything does.
    pub(crate) fn draw(&self, ruleset: usize, game_seed: u64) -> Option<Uneven> {
        let mut plans = self.plans.get(ruleset)?.iter();
        plans.find_map(|plan| plan.draw(game_seed))
    }
}

#[cfg(test)]
mod tests;
