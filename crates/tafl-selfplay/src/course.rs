//! How the games that begin now depend on those before them: handicaps, starts from an archive, visits.

use crate::sparring::Partner;
use crate::{HandicapSide, SelfplayConfig, SparringPlan, derive_seed, random_opening};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules, Side};
use tafl_samples::{GameRecord, Handicap};

/// Games that every estimate is mixed with, half of their points for each side.
const PRIOR_GAMES: f32 = 4.0;
/// Lead of a side, -1 to 1, up to which nobody is handicapped, and from which on the full share of games is.
const LEADS: [f32; 2] = [0.2, 0.6];
/// Share of games that are handicapped, at most: without free games nobody knows who is stronger.
const MOST_HANDICAPPED: f32 = 0.9;
/// How fast the rate of random plies follows the results of handicapped games.
const RATE_STEP: f32 = 0.3;
/// Rates of single games lie so far around the one that is followed.
const RATE_SPREAD: f32 = 0.1;
/// Rates of the first generations lie up to so far below the greatest one.
const FIRST_SPREAD: f32 = 0.3;
/// Share of `max_plies` that an opening from the archive has at most.
const OPENING_SHARE: f32 = 0.75;

/// What the games of a generation begin with, as the config and earlier games say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Course {
    /// For each ruleset of the run.
    handicaps: Vec<HandicapPlan>,
    /// For each ruleset of the run.
    sparring: Vec<SparringPlan>,
    /// For each ruleset the moves of earlier games.
    archive: Vec<Vec<Box<[Move]>>>,
}

/// How the games of one ruleset are handicapped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandicapPlan {
    /// Share of games that are.
    pub fraction: f32,
    /// The side whose plies are random in part; either where there is none.
    pub side: Option<Side>,
    /// Least and greatest share of its plies.
    pub rates: [f32; 2],
    /// The attackers' wins less the defenders', a game, in the last games without a handicap that began at the
    /// start, -1 to 1; drawn to 0 by few games.
    pub lead: f32,
}

impl HandicapPlan {
    /// Returns the side that won more games without a handicap; the defenders before there are any.
    fn stronger(&self) -> Side {
        if self.lead > 0.0 {
            Side::Attacker
        } else {
            Side::Defender
        }
    }
}

/// Games of one ruleset, counted.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    games: f32,
    /// By side.
    wins: [f32; 2],
}

impl Tally {
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

impl Course {
    /// Returns the course of a generation after some games, those of the one before; without games, the first one.
    ///
    /// `config` and `rules` are those of the games to come.
    #[must_use]
    pub fn after<'a>(
        config: &SelfplayConfig,
        rules: &[Arc<Rules>],
        generation: u32,
        games: impl Iterator<Item = &'a GameRecord> + Clone,
    ) -> Self {
        let of = |rules: &Arc<Rules>| {
            let name = rules.ruleset().name.clone();
            games.clone().filter(move |game| game.ruleset == name)
        };
        let handicaps: Vec<_> = rules
            .iter()
            .map(|rules| plan(config, generation, of(rules)))
            .collect();
        let sparring = rules.iter().zip(&handicaps);
        let sparring =
            sparring.map(|(rules, plan)| SparringPlan::after(config, plan.stronger(), of(rules)));
        let archive = rules.iter().map(|rules| match config.archive_fraction {
            0.0 => Vec::new(),
            _ => of(rules).map(moves_of).collect(),
        });
        Self {
            sparring: sparring.collect(),
            handicaps,
            archive: archive.collect(),
        }
    }

    /// Returns how the games of each ruleset are handicapped.
    #[must_use]
    pub fn handicaps(&self) -> &[HandicapPlan] {
        &self.handicaps
    }

    /// Returns who spars in the games of each ruleset.
    #[must_use]
    pub fn sparring(&self) -> &[SparringPlan] {
        &self.sparring
    }

    /// Draws the sparring partner of a game of one ruleset, if it has one.
    pub(crate) fn partner(&self, ruleset: usize, game_seed: u64) -> Option<Partner> {
        let plan = self.sparring.get(ruleset)?;
        plan.draw(&mut Xoshiro256PlusPlus::seed_from_u64(derive_seed(
            game_seed,
            &[8],
        )))
    }

    /// Draws the handicap of a game of one ruleset.
    pub(crate) fn handicap(&self, ruleset: usize, game_seed: u64) -> Option<Handicap> {
        let plan = self.handicaps.get(ruleset)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(game_seed, &[3]));
        let handicapped = rng.random::<f32>() < plan.fraction;
        let side = match plan.side {
            Some(side) => side,
            None => Side::ALL[rng.random_range(0..2)],
        };
        let [least, greatest] = plan.rates;
        let rate = least + rng.random::<f32>() * (greatest - least);
        handicapped.then_some(Handicap { side, rate })
    }

    /// Returns the opening of a game: random plies, or the beginning of an archived game, which is not over.
    pub(crate) fn opening(
        &self,
        config: &SelfplayConfig,
        (ruleset, rules): (usize, &Arc<Rules>),
        game_seed: u64,
    ) -> Game {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(game_seed, &[6]));
        let from_archive = rng.random::<f32>() < config.archive_fraction;
        let lines = self.archive.get(ruleset).filter(|lines| !lines.is_empty());
        match lines.filter(|_| from_archive) {
            Some(lines) => {
                let line = &lines[rng.random_range(0..lines.len())];
                let most = (config.max_plies as f32 * OPENING_SHARE) as usize;
                let plies = rng.random_range(0..line.len().min(most).max(1));
                replay(rules, &line[..plies])
            }
            None => {
                let seed = derive_seed(game_seed, &[0]);
                random_opening(rules, config.random_opening_plies, seed)
            }
        }
    }
}

fn moves_of(game: &GameRecord) -> Box<[Move]> {
    game.plies.iter().map(|ply| ply.mv).collect()
}

/// Plays moves as long as they are legal and the game is not over after them.
fn replay(rules: &Arc<Rules>, moves: &[Move]) -> Game {
    let mut game = Game::new(rules.clone());
    for &mv in moves {
        let mark = game.mark();
        if game.play(mv).is_err() {
            break;
        }
        if game.outcome().is_some() {
            game.rewind(&mark);
            break;
        }
    }
    game
}

/// Decides the handicaps of one ruleset's games by its last ones.
fn plan<'a>(
    config: &SelfplayConfig,
    generation: u32,
    games: impl Iterator<Item = &'a GameRecord>,
) -> HandicapPlan {
    let mut free = Tally::default();
    let mut handicapped = [Tally::default(); 2];
    let mut rates = [0.0; 2];
    for game in games.filter(|game| game.partner().is_none()) {
        match game.handicap {
            Some(handicap) => {
                handicapped[handicap.side.index()].add(game);
                rates[handicap.side.index()] += handicap.rate;
            }
            // A game from the archive begins where one side may stand to win.
            None if game.opening_plies <= config.random_opening_plies => free.add(game),
            None => {}
        }
    }
    let fixed = |side| HandicapPlan {
        fraction: config.handicap_fraction,
        side,
        rates: config.handicap_rates,
        lead: free.lead(),
    };
    match config.handicap_side {
        HandicapSide::Attackers => fixed(Some(Side::Attacker)),
        HandicapSide::Defenders => fixed(Some(Side::Defender)),
        HandicapSide::Either => fixed(None),
        HandicapSide::Stronger if generation < config.fixed_handicap_generations => {
            let [least, greatest] = config.handicap_rates;
            let first = least.max(greatest - FIRST_SPREAD);
            HandicapPlan {
                rates: [first, greatest],
                ..fixed(Some(Side::Defender))
            }
        }
        HandicapSide::Stronger => balancing(config, free, handicapped, rates),
    }
}

/// Handicaps the side that wins free games, by so much that the other one wins half of the handicapped ones.
///
/// Before any game is known either side is handicapped, drawn for each game: unequal play shows at once how games are
/// won, while untrained equals mostly shuffle.
fn balancing(
    config: &SelfplayConfig,
    free: Tally,
    handicapped: [Tally; 2],
    rates: [f32; 2],
) -> HandicapPlan {
    if free.games + handicapped.iter().map(|tally| tally.games).sum::<f32>() == 0.0 {
        return HandicapPlan {
            fraction: config.handicap_fraction,
            side: None,
            rates: config.handicap_rates,
            lead: 0.0,
        };
    }
    let lead = free.lead();
    let side = if lead > 0.0 {
        Side::Attacker
    } else {
        Side::Defender
    };
    let share = (lead.abs() - LEADS[0]) / (LEADS[1] - LEADS[0]);
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
        fraction: config.handicap_fraction.min(MOST_HANDICAPPED) * share.clamp(0.0, 1.0),
        side: Some(side),
        rates: [(rate - spread).max(least), (rate + spread).min(greatest)],
        lead,
    }
}

#[cfg(test)]
mod tests;
