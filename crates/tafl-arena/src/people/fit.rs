//! Strengths of people, and how the attackers' advantage changes with them.

use super::{PeopleBand, PeopleGame, PeopleScale};
use crate::Estimate;
use crate::elo::ELO;
use crate::estimate::{quantile, sorted};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Games that are enough for a fit.
const LEAST_GAMES: usize = 1_000;

/// Bands of equally many games, from weak to strong.
const BANDS: usize = 4;

/// What is known of an advantage and of its slope before any game: a normal distribution around 0 with a deviation of 3 units
/// of the log-odds (521 Elo), which keeps them finite where one side won all games.
const PRIOR: f64 = 1.0 / 9.0;

/// Rounds of improvement at most; a change below the precision ends them.
const ROUNDS: usize = 300;
const PRECISION: f64 = 1e-5;

/// Times that the spread of strengths is estimated anew.
const SPREADS: usize = 20;

/// What games say of the attackers' advantage among people of different strength.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeopleFit {
    /// Games.
    pub games: u64,
    /// People.
    pub people: u64,
    /// Elo points that attacking is worth between two people of the mean strength of all games; negative favors defenders.
    pub advantage: Estimate,
    /// Elo points that this grows for 400 points that both are stronger.
    pub growth: Estimate,
    /// Standard deviation of strengths, in Elo points.
    pub spread: f64,
    /// The games by the mean strength of both people, from weak to strong.
    #[serde(skip)]
    pub bands: Vec<PeopleBand>,
}

/// Fits strengths of people to their games, and the attackers' advantage as a line over the strength.
///
/// The model is that of Bradley and Terry (1952) with a draw as half a win: the log-odds of the attackers are their strength
/// less the defenders', and an advantage that is a straight line of the mean of both. Strengths come from a normal
/// distribution whose spread is estimated too (empirical Bayes), so that who played little is near the mean. Intervals are
/// the middle 95 % of fits to games whose pairs of people were drawn with replacement.
///
/// Returns nothing where there are fewer than 1,000 games that count.
pub fn fit_people(games: &[PeopleGame], resamples: u32, seed: u64) -> Option<PeopleFit> {
    let counted: Vec<&PeopleGame> = games.iter().filter(|it| it.counts()).collect();
    if counted.len() < LEAST_GAMES {
        return None;
    }
    let model = Model::of(&counted);
    let weights = vec![1.0; model.pairs];
    let mut best = Fitted::new(model.people);
    for _ in 0..SPREADS {
        let information = model.improve(&mut best, &weights);
        let squares = best.strengths.iter().zip(&information);
        let sum: f64 = squares.map(|(it, own)| it * it + 1.0 / own).sum();
        best.variance = sum / model.people as f64;
    }
    let summary = model.summary(&best, &weights);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn = Vec::new();
    for _ in 0..resamples {
        let mut weights = vec![0.0; model.pairs];
        (0..model.pairs).for_each(|_| weights[rng.random_range(0..model.pairs)] += 1.0);
        let mut own = best.clone();
        model.improve(&mut own, &weights);
        drawn.push(model.summary(&own, &weights));
    }
    let middle = |of: &dyn Fn(&FitSummary) -> f64| {
        let numbers = sorted(drawn.iter().map(of).collect());
        let end = |share| quantile(&numbers, share).unwrap_or_else(|| of(&summary));
        Estimate {
            value: of(&summary),
            low: end(0.025),
            high: end(0.975),
        }
    };
    let band = |number: usize| {
        let [strength, _] = summary.bands[number];
        let of_band = model.band_cells(&best, &weights, number);
        let pairs: BTreeSet<usize> = of_band.iter().map(|it| it.pair).collect();
        PeopleBand {
            scale: PeopleScale::Fitted,
            strength: strength * ELO,
            games: of_band.iter().map(|it| it.games).sum::<f64>() as u64,
            pairs: pairs.len() as u64,
            score: middle(&|it| logistic(it.bands[number][1])),
        }
    };
    Some(PeopleFit {
        games: counted.len() as u64,
        people: model.people as u64,
        advantage: middle(&|it| it.advantage * ELO),
        growth: middle(&|it| it.slope * 400.0),
        spread: best.variance.sqrt() * ELO,
        bands: (0..BANDS).map(band).collect(),
    })
}

/// All games of one person against another, by side.
#[derive(Debug, Clone, Copy)]
struct Cell {
    attackers: usize,
    defenders: usize,
    pair: usize,
    points: f64,
    games: f64,
}

struct Model {
    people: usize,
    pairs: usize,
    cells: Vec<Cell>,
    /// The cells of each person.
    of_person: Vec<Vec<usize>>,
}

/// Parameters, in units of the log-odds.
#[derive(Debug, Clone)]
struct Fitted {
    strengths: Vec<f64>,
    /// The attackers' advantage at the mean strength.
    advantage: f64,
    /// What the advantage grows by with the mean strength of both.
    slope: f64,
    /// The mean strength of all games.
    center: f64,
    /// Of the strengths' distribution.
    variance: f64,
}

struct FitSummary {
    advantage: f64,
    slope: f64,
    /// Mean strength above the mean of all games, and the advantage, by band.
    bands: [[f64; 2]; BANDS],
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

impl Fitted {
    fn new(people: usize) -> Self {
        Self {
            strengths: vec![0.0; people],
            advantage: 0.0,
            slope: 0.0,
            center: 0.0,
            variance: 1.0,
        }
    }

    fn mean(&self, cell: &Cell) -> f64 {
        f64::midpoint(
            self.strengths[cell.attackers],
            self.strengths[cell.defenders],
        )
    }

    fn difference(&self, cell: &Cell) -> f64 {
        self.strengths[cell.attackers] - self.strengths[cell.defenders]
    }

    fn chance(&self, cell: &Cell) -> f64 {
        let advantage = self.advantage + self.slope * (self.mean(cell) - self.center);
        logistic(self.difference(cell) + advantage)
    }
}

impl Model {
    fn of(games: &[&PeopleGame]) -> Self {
        let (mut people, mut pairs) = (BTreeMap::new(), BTreeMap::new());
        let mut cells: BTreeMap<[u32; 2], Cell> = BTreeMap::new();
        for game in games {
            let [attackers, defenders] = game.people.map(|person| {
                let next = people.len();
                *people.entry(person).or_insert(next)
            });
            let next = pairs.len();
            let pair = *pairs.entry(game.pair()).or_insert(next);
            let cell = cells.entry(game.people).or_insert(Cell {
                attackers,
                defenders,
                pair,
                points: 0.0,
                games: 0.0,
            });
            cell.points += game.points();
            cell.games += 1.0;
        }
        let cells: Vec<Cell> = cells.into_values().collect();
        let mut of_person = vec![Vec::new(); people.len()];
        for (number, cell) in cells.iter().enumerate() {
            of_person[cell.attackers].push(number);
            of_person[cell.defenders].push(number);
        }
        Self {
            people: people.len(),
            pairs: pairs.len(),
            cells,
            of_person,
        }
    }

    /// Moves to the most likely parameters, by Newton's method for one at a time, with the variance given. Returns how
    /// much is known of each strength: the second derivative.
    fn improve(&self, at: &mut Fitted, weights: &[f64]) -> Vec<f64> {
        let mut information = vec![0.0; self.people];
        for _ in 0..ROUNDS {
            let mut largest = self.improve_line(at, weights);
            for (person, own) in information.iter_mut().enumerate() {
                let (mut gradient, mut known) =
                    (-at.strengths[person] / at.variance, 1.0 / at.variance);
                for cell in self.of_person[person]
                    .iter()
                    .map(|&number| &self.cells[number])
                {
                    let side = if cell.attackers == person { 1.0 } else { -1.0 };
                    let factor = side + at.slope / 2.0;
                    let (chance, weight) = (at.chance(cell), weights[cell.pair]);
                    gradient += weight * factor * (cell.points - cell.games * chance);
                    known += weight * factor * factor * cell.games * chance * (1.0 - chance);
                }
                let step = (gradient / known).clamp(-1.0, 1.0);
                at.strengths[person] += step;
                largest = step.abs().max(largest);
                *own = known;
            }
            if largest < PRECISION {
                break;
            }
        }
        information
    }

    /// Improves the advantage and its slope; returns the larger change.
    fn improve_line(&self, at: &mut Fitted, weights: &[f64]) -> f64 {
        let of_games = |of: &dyn Fn(&Cell) -> f64| -> f64 {
            let cells = self.cells.iter();
            let terms = cells.map(|cell| weights[cell.pair] * cell.games * of(cell));
            terms.sum()
        };
        let games = of_games(&|_| 1.0);
        let center = of_games(&|cell| at.mean(cell)) / games;
        at.advantage += at.slope * (center - at.center);
        at.center = center;
        let mut gradient = [-at.advantage * PRIOR, -at.slope * PRIOR];
        let mut own = [PRIOR; 2];
        let mut both = 0.0;
        for cell in &self.cells {
            let (chance, weight) = (at.chance(cell), weights[cell.pair]);
            let (miss, known) = (
                weight * (cell.points - cell.games * chance),
                weight * cell.games * chance * (1.0 - chance),
            );
            let height = at.mean(cell) - center;
            gradient = [gradient[0] + miss, gradient[1] + miss * height];
            own = [own[0] + known, own[1] + known * height * height];
            both += known * height;
        }
        let determinant = own[0] * own[1] - both * both;
        let steps = [
            (own[1] * gradient[0] - both * gradient[1]) / determinant,
            (own[0] * gradient[1] - both * gradient[0]) / determinant,
        ];
        let steps = steps.map(|step| step.clamp(-0.5, 0.5));
        at.advantage += steps[0];
        at.slope += steps[1];
        steps[0].abs().max(steps[1].abs())
    }

    /// Returns the cells of a band, from those with the weakest people on: each band has about equally many games.
    fn band_cells(&self, at: &Fitted, weights: &[f64], band: usize) -> Vec<&Cell> {
        let cells = self.cells.iter().filter(|it| weights[it.pair] > 0.0);
        let mut cells: Vec<&Cell> = cells.collect();
        cells.sort_by(|one, other| at.mean(one).total_cmp(&at.mean(other)));
        let games = |cell: &Cell| weights[cell.pair] * cell.games;
        let all: f64 = cells.iter().map(|it| games(it)).sum();
        let mut before = 0.0;
        cells.retain(|cell| {
            let middle = before + games(cell) / 2.0;
            before += games(cell);
            (middle * BANDS as f64 / all) as usize == band
        });
        cells
    }

    fn summary(&self, at: &Fitted, weights: &[f64]) -> FitSummary {
        let band = |number| {
            let cells = self.band_cells(at, weights, number);
            let weight = |cell: &Cell| weights[cell.pair];
            let games: f64 = cells.iter().map(|it| weight(it) * it.games).sum();
            let mean = cells
                .iter()
                .map(|it| weight(it) * it.games * (at.mean(it) - at.center));
            let strength = mean.sum::<f64>() / games.max(1.0);
            let mut advantage = at.advantage;
            for _ in 0..30 {
                let (mut gradient, mut known) = (-advantage * PRIOR, PRIOR);
                for cell in &cells {
                    let chance = logistic(at.difference(cell) + advantage);
                    gradient += weight(cell) * (cell.points - cell.games * chance);
                    known += weight(cell) * cell.games * chance * (1.0 - chance);
                }
                advantage += (gradient / known).clamp(-1.0, 1.0);
            }
            [strength, advantage]
        };
        FitSummary {
            advantage: at.advantage,
            slope: at.slope,
            bands: std::array::from_fn(band),
        }
    }
}
