//! Who plays the games to come, chosen by the results of earlier games.

use crate::SelfplayConfig;
use crate::seeds::Purpose;
use crate::sparring::{Partner, SparringPlan};
use crate::taught::{TaughtPlan, Teachers};
use crate::uneven::{UnevenGames, UnevenSide};
use rand::RngExt;
use std::sync::Arc;
use tafl_rules::{Rules, Side};
use tafl_samples::{GameRecord, Handicap};

/// Prior games added to every estimate, half of their points for each side.
const PRIOR_GAMES: f32 = 4.0;
/// Lead of a side, 0 to 1, up to which all games are even, and from which on the full share has a handicap or a partner.
const LEADS: [f32; 2] = [0.2, 0.6];
/// Share of games that are handicapped, at most: without even games nobody knows who is stronger.
const MOST_HANDICAPPED: f32 = 0.9;
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
enum Plan {
    Taught(TaughtPlan),
    Sparring(SparringPlan),
    Handicap(HandicapPlan),
}

/// What makes a game uneven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Uneven {
    /// Alpha-beta plays both sides.
    Taught(Teachers),
    /// Alpha-beta plays one side.
    Partner(Partner),
    /// Plies of one side are random.
    Handicap(Handicap),
}

/// How a share of one ruleset's games is handicapped.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HandicapPlan {
    /// Share of games that are.
    share: f32,
    /// The side whose plies are partly random; either side if there is none.
    side: Option<Side>,
    /// Least and greatest share of its plies.
    rates: [f32; 2],
}

/// Games of one ruleset in which the network played both sides, counted.
#[derive(Debug, Clone, Copy, Default)]
struct Played {
    even: Results,
    /// By the handicapped side.
    handicapped: [Results; 2],
    /// The sum of their rates.
    rates: [f32; 2],
}

/// Games, counted.
#[derive(Debug, Clone, Copy, Default)]
struct Results {
    games: f32,
    /// By side.
    wins: [f32; 2],
}

impl Results {
    fn add(&mut self, game: &GameRecord) {
        self.games += 1.0;
        if let Some(winner) = game.ending.winner {
            self.wins[winner.index()] += 1.0;
        }
    }

    /// Returns the attackers' wins less the defenders', a game, -1 to 1; drawn to 0 by few games.
    fn lead(self) -> f32 {
        let [attackers, defenders] = Side::ALL.map(|side| self.wins[side.index()]);
        (attackers - defenders) / (self.games + PRIOR_GAMES)
    }

    /// Returns how far the wins of a side are from half of the games: 1 where it wins none, -1 where it wins all.
    fn lack_of(self, side: Side) -> f32 {
        (self.games - 2.0 * self.wins[side.index()]) / (self.games + PRIOR_GAMES)
    }
}

impl Played {
    fn of<'a>(games: impl Iterator<Item = &'a GameRecord>) -> Self {
        let mut played = Self::default();
        for game in games.filter(|game| game.partner().is_none() && game.teachers().is_none()) {
            match game.handicap {
                Some(handicap) => {
                    played.handicapped[handicap.side.index()].add(game);
                    played.rates[handicap.side.index()] += handicap.rate;
                }
                None => played.even.add(game),
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

    /// Returns how much of the full share of an entry for the stronger side its lead asks for, 0 to 1.
    fn ramp(&self) -> f32 {
        ((self.even.lead().abs() - LEADS[0]) / (LEADS[1] - LEADS[0])).clamp(0.0, 1.0)
    }
}

impl HandicapPlan {
    /// Decides the handicap of one ruleset's games by its last ones: the side that wins even games is handicapped, by so
    /// much that the other one wins half of the handicapped ones.
    ///
    /// Before any game is known either side is handicapped, drawn for each game: unequal play shows at once how games are
    /// won, while untrained equals mostly shuffle.
    fn after(entry: &UnevenGames, played: &Played) -> Self {
        let [least, greatest] = entry.bounds();
        if entry.side == UnevenSide::Either || played.is_nothing() {
            return Self {
                share: entry.share,
                side: None,
                rates: [least, greatest],
            };
        }
        let side = played.stronger();
        let spread = RATE_SPREAD.min((greatest - least) / 2.0);
        let last = played.handicapped[side.index()];
        let rate = if last.games == 0.0 {
            greatest
        } else {
            // Draws teach the other side nothing of how to win.
            played.rates[side.index()] / last.games + RATE_STEP * last.lack_of(side.opponent())
        };
        // Room for the spread on both sides: the mean of what is drawn must stay the rate that is followed. No `clamp`:
        // where the two bounds are one number, rounding may put them in the wrong order.
        let rate = rate.min(greatest - spread).max(least + spread);
        Self {
            share: entry.share.min(MOST_HANDICAPPED) * played.ramp(),
            side: Some(side),
            rates: [(rate - spread).max(least), (rate + spread).min(greatest)],
        }
    }

    fn draw(&self, game_seed: u64) -> Option<Handicap> {
        let mut rng = Purpose::Handicap.rng(game_seed);
        let handicapped = rng.random::<f32>() < self.share;
        let side = match self.side {
            Some(side) => side,
            None => Side::ALL[rng.random_range(0..2)],
        };
        let [least, greatest] = self.rates;
        let rate = least + rng.random::<f32>() * (greatest - least);
        handicapped.then_some(Handicap { side, rate })
    }
}

impl Plan {
    /// Makes the plan of an entry after the games of one ruleset, which `played` counts.
    fn after<'a>(
        entry: &UnevenGames,
        played: &Played,
        games: impl Iterator<Item = &'a GameRecord>,
    ) -> Self {
        match entry.side {
            UnevenSide::Both => Self::Taught(TaughtPlan::after(entry, games)),
            _ if entry.alphabeta.is_empty() => Self::Handicap(HandicapPlan::after(entry, played)),
            UnevenSide::Stronger => {
                let (side, share) = (Some(played.stronger()), entry.share * played.ramp());
                Self::Sparring(SparringPlan::after(entry, (side, share), games))
            }
            UnevenSide::Either => {
                Self::Sparring(SparringPlan::after(entry, (None, entry.share), games))
            }
        }
    }

    /// Draws whether a game is of these, and who plays it.
    fn draw(&self, game_seed: u64) -> Option<Uneven> {
        let partners = || Purpose::Partner.rng(game_seed);
        match self {
            Self::Taught(plan) => plan.draw(&mut partners()).map(Uneven::Taught),
            Self::Sparring(plan) => plan.draw(&mut partners()).map(Uneven::Partner),
            Self::Handicap(plan) => plan.draw(game_seed).map(Uneven::Handicap),
        }
    }
}

impl Curriculum {
    /// Returns the curriculum of a generation after some games, those of the one before; without games, the first one.
    ///
    /// `config` and `rules` are those of the games to come.
    #[must_use]
    pub fn after(
        config: &SelfplayConfig,
        rules: &[Arc<Rules>],
        generation: u32,
        games: &[GameRecord],
    ) -> Self {
        let plans = rules.iter().map(|rules| {
            let name = &rules.ruleset().name;
            let own = || games.iter().filter(|game| game.ruleset == *name);
            let played = Played::of(own());
            let entries = config.uneven.iter().filter(|it| it.is_of(generation));
            let plans = entries.map(|entry| Plan::after(entry, &played, own()));
            plans.collect()
        });
        Self {
            plans: plans.collect(),
        }
    }

    /// Draws what makes a game of one ruleset uneven, if anything does.
    pub(crate) fn draw(&self, ruleset: usize, game_seed: u64) -> Option<Uneven> {
        let plans = self.plans.get(ruleset)?.iter();
        plans.filter_map(|plan| plan.draw(game_seed)).next()
    }
}

#[cfg(test)]
mod tests;
