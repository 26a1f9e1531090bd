//! Handicaps and sparring partners of new games, chosen by the results of earlier games.

use crate::SelfplayConfig;
use crate::seeds::Purpose;
use crate::sparring::{Partner, SparringPlan};
use crate::taught::TaughtPlan;
use rand::RngExt;
use std::sync::Arc;
use tafl_rules::{Rules, Side};
use tafl_samples::{Baseline, GameRecord, Handicap};

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

/// The handicaps and partners of a generation's games, as the config and earlier games say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curriculum {
    /// For each ruleset of the run.
    handicaps: Vec<HandicapPlan>,
    /// For each ruleset of the run.
    sparring: Vec<SparringPlan>,
    /// For each ruleset of the run, in the first generations.
    taught: Vec<TaughtPlan>,
}

/// How the games of one ruleset are handicapped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandicapPlan {
    /// Share of games that are.
    pub fraction: f32,
    /// The side whose plies are partly random; either side if there is none.
    pub side: Option<Side>,
    /// Least and greatest share of its plies.
    pub rates: [f32; 2],
    /// The attackers' wins less the defenders', a game, in the last games without a handicap that began at the
    /// start, -1 to 1; drawn to 0 by few games.
    pub lead: f32,
}

/// Returns how much of the full share of handicaps and of sparring a lead asks for, 0 to 1.
pub(crate) fn ramp(lead: f32) -> f32 {
    ((lead.abs() - LEADS[0]) / (LEADS[1] - LEADS[0])).clamp(0.0, 1.0)
}

/// Returns the side that won more games without a handicap, by the attackers' lead in them; the defenders before there
/// are any.
const fn stronger(lead: f32) -> Side {
    if lead > 0.0 {
        Side::Attacker
    } else {
        Side::Defender
    }
}

/// Games of one ruleset, counted.
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
        let of = |rules: &Arc<Rules>| {
            let name = rules.ruleset().name.clone();
            games.iter().filter(move |game| game.ruleset == name)
        };
        let handicaps: Vec<_> = rules.iter().map(|rules| plan(config, of(rules))).collect();
        let sparring = rules.iter().zip(&handicaps);
        let sparring = sparring.map(|(rules, plan)| {
            let share = ramp(plan.lead);
            SparringPlan::after(config, stronger(plan.lead), share, of(rules))
        });
        let is_taught = generation < config.taught_generations;
        let taught = rules.iter().filter(|_| is_taught);
        Self {
            sparring: sparring.collect(),
            taught: taught
                .map(|rules| TaughtPlan::after(config, of(rules)))
                .collect(),
            handicaps,
        }
    }

    /// Returns how the games of each ruleset are handicapped.
    #[must_use]
    pub fn handicaps(&self) -> &[HandicapPlan] {
        &self.handicaps
    }

    /// Draws who plays both sides of a game of one ruleset in place of the network, if anyone does.
    pub(crate) fn teachers(&self, ruleset: usize, game_seed: u64) -> Option<[Baseline; 2]> {
        let plan = self.taught.get(ruleset)?;
        plan.draw(&mut Purpose::Partner.rng(game_seed))
    }

    /// Draws the sparring partner of a game of one ruleset, if it has one.
    pub(crate) fn partner(&self, ruleset: usize, game_seed: u64) -> Option<Partner> {
        let plan = self.sparring.get(ruleset)?;
        plan.draw(&mut Purpose::Partner.rng(game_seed))
    }

    /// Draws the handicap of a game of one ruleset.
    pub(crate) fn handicap(&self, ruleset: usize, game_seed: u64) -> Option<Handicap> {
        let plan = self.handicaps.get(ruleset)?;
        let mut rng = Purpose::Handicap.rng(game_seed);
        let handicapped = rng.random::<f32>() < plan.fraction;
        let side = match plan.side {
            Some(side) => side,
            None => Side::ALL[rng.random_range(0..2)],
        };
        let [least, greatest] = plan.rates;
        let rate = least + rng.random::<f32>() * (greatest - least);
        handicapped.then_some(Handicap { side, rate })
    }
}

/// Decides the handicaps of one ruleset's games by its last ones: the side that wins even games is handicapped, by so much
/// that the other one wins half of the handicapped ones.
///
/// Before any game is known either side is handicapped, drawn for each game: unequal play shows at once how games are
/// won, while untrained equals mostly shuffle.
fn plan<'a>(config: &SelfplayConfig, games: impl Iterator<Item = &'a GameRecord>) -> HandicapPlan {
    let mut even = Results::default();
    let mut handicapped = [Results::default(); 2];
    let mut rates = [0.0; 2];
    for game in games.filter(|game| game.partner().is_none() && game.teachers().is_none()) {
        match game.handicap {
            Some(handicap) => {
                handicapped[handicap.side.index()].add(game);
                rates[handicap.side.index()] += handicap.rate;
            }
            None => even.add(game),
        }
    }
    if even.games + handicapped.iter().map(|tally| tally.games).sum::<f32>() == 0.0 {
        return HandicapPlan {
            fraction: config.handicap_fraction,
            side: None,
            rates: config.handicap_rates,
            lead: 0.0,
        };
    }
    let lead = even.lead();
    let side = stronger(lead);
    let [least, greatest] = config.handicap_rates;
    let spread = RATE_SPREAD.min((greatest - least) / 2.0);
    let last = handicapped[side.index()];
    let rate = if last.games == 0.0 {
        greatest
    } else {
        // Draws teach the other side nothing of how to win.
        rates[side.index()] / last.games + RATE_STEP * last.lack_of(side.opponent())
    };
    // Room for the spread on both sides: the mean of what is drawn must stay the rate that is followed. No `clamp`: where
    // the two bounds are one number, rounding may put them in the wrong order.
    let rate = rate.min(greatest - spread).max(least + spread);
    HandicapPlan {
        fraction: config.handicap_fraction.min(MOST_HANDICAPPED) * ramp(lead),
        side: Some(side),
        rates: [(rate - spread).max(least), (rate + spread).min(greatest)],
        lead,
    }
}

#[cfg(test)]
mod tests;
