//! From the games of a study to all that it says.

use super::compare::{Scores, comparisons, correct, imbalance, rankings, trend};
use super::effect::{Change, effects};
use super::posterior::{rate, score_of};
use super::repetition::repetition;
use super::{
    Cell, Decision, Distribution, EndingCount, MeasuredStrength, PeopleResults, Probes,
    SUMMARY_VERSION, Sampling, StudyGame, StudyKind, StudyPlayer, StudyRuleset, Summary, Trend,
    notes, spread, verdict,
};
use crate::{Estimate, Tally, elo_of_score};
use std::collections::{BTreeMap, BTreeSet};
use tafl_rules::{EndReason, Escape, Side};
use tafl_samples::{Ending, EndingReason};

/// A study whose games are played.
#[derive(Debug, Clone)]
pub struct Study {
    /// Its name.
    pub name: String,
    /// What it compares.
    pub kind: StudyKind,
    /// Where everything random came from.
    pub seed: u64,
    /// Openings requested.
    pub openings: u32,
    /// Random plies of an opening; of openings drawn from a policy at most.
    pub opening_plies: u32,
    /// The title of the player from whose policy they are drawn, if they are.
    pub opening_policy: Option<String>,
    /// Visits of that player's search, if they are drawn from its policy after a search.
    pub opening_visits: Option<u32>,
    /// Plies after which a game was cut.
    pub max_plies: u32,
    /// The rulesets, each with where its king escapes to; of variants the base first.
    pub rulesets: Vec<(StudyRuleset, Escape)>,
    /// The players; those of one family follow each other by rising strength.
    pub players: Vec<StudyPlayer>,
    /// What was played, by ruleset, then player; one for each of both.
    pub cells: Vec<StudyCell>,
    /// How many visits each side needs, by ruleset, then side, where that was measured.
    pub probes: Vec<Probes>,
    /// Results of people.
    pub people: Vec<PeopleResults>,
    /// A study with other openings that this one repeats, if it does.
    pub repeats: Option<Summary>,
}

/// The games of one player against itself under one ruleset.
#[derive(Debug, Clone)]
pub struct StudyCell {
    /// The games, by opening.
    pub games: Vec<StudyGame>,
    /// Files of games within the study's folder.
    pub games_files: Vec<String>,
    /// Files of samples of the same games.
    pub samples_files: Vec<String>,
    /// Whether the checkpoint learned the ruleset; nothing for players without a network.
    pub trained: Option<bool>,
    /// How strong the player is, if that was measured.
    pub strength: Option<MeasuredStrength>,
}

/// Computes all that a study says; equal arguments give equal results.
#[must_use]
pub fn summarize(study: &Study, sampling: &Sampling) -> Summary {
    let (played, study) = (study, &study.distinct());
    let draws: Vec<Vec<f64>> = (0..study.cells.len())
        .map(|cell| study.sampling(sampling, cell).scores(&study.results(cell)))
        .collect();
    let cells: Vec<Cell> = (0..study.cells.len())
        .map(|number| Cell {
            repeated: (played.cells[number].games.len() - study.cells[number].games.len()) as u64,
            ..study.cell(number, &draws[number], sampling)
        })
        .collect();
    let games = |study: &Study| {
        study
            .cells
            .iter()
            .map(|cell| cell.games.len())
            .sum::<usize>()
    };
    let repetitions = (games(played) - games(study), games(played));
    let by_player = |player: &usize| study.scores(*player, &draws);
    let players = 0..study.players.len();
    let name = |player: usize| study.players[player].name.as_str();
    // Variants share their openings, so they are compared by pairs of games, as effects.
    let compared = match study.kind {
        StudyKind::Rulesets => players.clone(),
        StudyKind::Variants => 0..0,
    };
    let ranked = compared.clone();
    let compared = compared.flat_map(|player| comparisons(name(player), &by_player(&player)));
    let ranked = ranked.flat_map(|player| rankings(name(player), &by_player(&player)));
    let effects = players.flat_map(|player| effects(&played.changes(player), sampling));
    let rulesets: Vec<StudyRuleset> = study.rulesets.iter().map(|(it, _)| it.clone()).collect();
    let known = (study.repeats.as_ref()).and_then(|known| {
        let own = cells.iter().zip(draws.iter().map(Vec::as_slice));
        repetition(known, (&rulesets, &study.players), own, sampling)
    });
    let mut summary = Summary {
        summary_version: SUMMARY_VERSION,
        study: study.name.clone(),
        kind: study.kind,
        seed: study.seed,
        openings: study.openings,
        opening_plies: study.opening_plies,
        opening_policy: study.opening_policy.clone(),
        opening_visits: study.opening_visits,
        max_plies: study.max_plies,
        verdict: Vec::new(),
        verdict_player: None,
        notes: notes::notes(study, sampling, repetitions),
        warnings: notes::warnings(study, &cells),
        rulesets,
        players: study.players.clone(),
        difficulties: study.probes.iter().filter_map(Probes::difficulty).collect(),
        trends: study.trends(&draws),
        comparisons: compared.collect(),
        rankings: ranked.collect(),
        effects: effects.collect(),
        cells,
        people: study.people.clone(),
        repetition: known,
    };
    let (player, verdict) = verdict::verdict(&summary).unzip();
    summary.verdict_player = player;
    summary.verdict = verdict.unwrap_or_default();
    summary
}

impl Study {
    /// Returns the study with every game once, however many openings led to it.
    fn distinct(&self) -> Self {
        let mut study = self.clone();
        for cell in &mut study.cells {
            let mut seen = BTreeSet::new();
            cell.games.retain(|game| seen.insert(game.end()));
        }
        study
    }

    fn ruleset(&self, cell: usize) -> &(StudyRuleset, Escape) {
        &self.rulesets[cell / self.players.len()]
    }

    fn player(&self, cell: usize) -> &StudyPlayer {
        &self.players[cell % self.players.len()]
    }

    /// Returns the sampling of one cell, whatever other cells there are.
    fn sampling(&self, sampling: &Sampling, cell: usize) -> Sampling {
        sampling.named(&[&self.ruleset(cell).0.name, &self.player(cell).name])
    }

    fn results(&self, cell: usize) -> Tally {
        let mut results = Tally::default();
        for game in &self.cells[cell].games {
            results.count(game.ending, Side::Attacker);
        }
        results
    }

    /// Returns the posteriors of one player under all rulesets in which games were played.
    fn scores<'a>(&'a self, player: usize, draws: &'a [Vec<f64>]) -> Vec<Scores<'a>> {
        let cells = (0..self.rulesets.len()).map(|it| it * self.players.len() + player);
        cells
            .filter(|&cell| !self.cells[cell].games.is_empty())
            .map(|cell| Scores {
                ruleset: &self.ruleset(cell).0.name,
                draws: &draws[cell],
            })
            .collect()
    }

    fn trends(&self, draws: &[Vec<f64>]) -> Vec<Trend> {
        let mut trends = Vec::new();
        for (ruleset, (card, _)) in self.rulesets.iter().enumerate() {
            let mut first = 0;
            for family in self
                .players
                .chunk_by(|one, other| one.family == other.family)
            {
                let cell = |player: usize| ruleset * self.players.len() + first + player;
                let strengths = family.iter().enumerate().filter_map(|(player, card)| {
                    let is_played = !self.cells[cell(player)].games.is_empty();
                    let strength = card.strength.filter(|_| is_played)?;
                    Some((strength, draws[cell(player)].as_slice()))
                });
                let strengths: Vec<(u32, &[f64])> = strengths.collect();
                let names = (card.name.as_str(), family[0].family.as_str());
                trends.extend(trend(names, family[0].unit, &strengths));
                first += family.len();
            }
        }
        correct(&mut trends);
        trends
    }

    /// Returns the variants beside the base, as one player played them.
    fn changes(&self, player: usize) -> Vec<Change<'_>> {
        let games = |ruleset: usize| {
            let cell = &self.cells[ruleset * self.players.len() + player];
            (self.rulesets[ruleset].0.name.as_str(), &*cell.games)
        };
        let variants = self.rulesets.iter().enumerate();
        variants
            .filter_map(|(ruleset, (card, _))| {
                Some(Change {
                    base: games(0),
                    variant: games(ruleset),
                    change: card.change.as_ref()?,
                    player: &self.players[player].name,
                })
            })
            .collect()
    }

    fn cell(&self, number: usize, draws: &[f64], sampling: &Sampling) -> Cell {
        let cell = &self.cells[number];
        let (ruleset, escape) = self.ruleset(number);
        let results = self.results(number);
        let score = score_of(&results, draws.to_vec());
        let points: Vec<f64> = cell.games.iter().map(StudyGame::points).collect();
        let count = |of: &dyn Fn(&StudyGame) -> u64| {
            Distribution::of(&cell.games.iter().map(of).collect::<Vec<_>>())
        };
        Cell {
            ruleset: ruleset.name.clone(),
            player: self.player(number).name.clone(),
            games_files: cell.games_files.clone(),
            samples_files: cell.samples_files.clone(),
            results,
            repeated: 0,
            score,
            score_bootstrap: self.sampling(sampling, number).bootstrap(&points, 0.5),
            elo: score.mapped(elo_of_score),
            imbalance: imbalances(&score),
            draw_rate: rate(results.draws, results.games()),
            decisive_share: decisive_share(&results),
            endings: endings(&cell.games, *escape),
            length: count(&|game| game.moves.len() as u64),
            captures: Side::ALL.map(|side| count(&|game| game.captures[side.index()])),
            branching: Side::ALL.map(|side| branching(&cell.games, side)),
            decision: decision(&cell.games),
            trained: cell.trained,
            strength: cell.strength.clone(),
        }
    }
}

/// Returns how far a score is from even; the interval holds what that of the score holds, so it begins
/// at 0 where the score may be even.
fn imbalances(score: &Estimate) -> Estimate {
    let ends = [score.low, score.high].map(imbalance);
    let may_be_even = score.low <= 0.5 && 0.5 <= score.high;
    Estimate {
        value: imbalance(score.value),
        low: if may_be_even {
            0.0
        } else {
            ends[0].min(ends[1])
        },
        high: ends[0].max(ends[1]),
    }
}

/// Returns the attackers' share of the games with a winner, if there are any.
fn decisive_share(results: &Tally) -> Option<Estimate> {
    let decided = results.wins + results.losses;
    (decided > 0).then(|| rate(results.wins, decided))
}

/// Counts games by how they ended, the most frequent first.
fn endings(games: &[StudyGame], escape: Escape) -> Vec<EndingCount> {
    let mut counts: BTreeMap<(&str, Option<Side>), (Ending, u64)> = BTreeMap::new();
    for game in games {
        let ending = game.ending;
        let key = (ending.reason.name(), ending.winner);
        counts.entry(key).or_insert((ending, 0)).1 += 1;
    }
    let mut endings: Vec<EndingCount> = counts
        .into_values()
        .map(|(ending, count)| EndingCount {
            winner: ending.winner,
            reason: ending.reason.name().to_owned(),
            text: ending_text(ending, escape),
            games: count,
            rate: rate(count, games.len() as u64),
        })
        .collect();
    endings.sort_by_key(|ending| std::cmp::Reverse(ending.games));
    endings
}

/// Returns how a game ended, in words for readers.
fn ending_text(ending: Ending, escape: Escape) -> String {
    let reason = match ending.reason {
        EndingReason::Rule(reason) => reason,
        EndingReason::Capped => return "cut at the ply limit".to_owned(),
        EndingReason::Adjudicated => return "adjudicated".to_owned(),
        EndingReason::Forfeit(_) => return format!("forfeited: {}", ending.reason.name()),
    };
    let text = match reason {
        EndReason::KingCaptured => "king captured",
        EndReason::KingEscaped if escape == Escape::Edges => "king escaped to an edge",
        EndReason::KingEscaped => "king escaped to a corner",
        EndReason::Encirclement => "encirclement",
        EndReason::Fort => "edge fort",
        EndReason::NoMove => "no legal move",
        EndReason::Repetition => "repetition",
        EndReason::Captureless => "captureless limit",
        EndReason::Unfinishable => "unfinishable",
    };
    match (reason, ending.winner) {
        // Who wins by these depends on the ruleset or on who was stuck.
        (EndReason::Repetition | EndReason::NoMove, Some(side)) => format!("{text}, {side} win"),
        (_, Some(_)) => text.to_owned(),
        (_, None) => format!("draw: {text}"),
    }
}

fn branching(games: &[StudyGame], side: Side) -> Option<f64> {
    let sum = |of: &dyn Fn(&StudyGame) -> [u64; 2]| -> u64 {
        games.iter().map(|game| of(game)[side.index()]).sum()
    };
    let (choices, plies) = (sum(&|game| game.choices), sum(&|game| game.plies));
    (plies > 0).then(|| choices as f64 / plies as f64)
}

fn decision(games: &[StudyGame]) -> Option<Decision> {
    let decisions: Vec<_> = games.iter().filter_map(StudyGame::decision).collect();
    if decisions.is_empty() {
        return None;
    }
    let plies: Vec<u64> = decisions.iter().map(|it| it.ply.into()).collect();
    let shares: Vec<f64> = decisions
        .iter()
        .map(|it| f64::from(it.ply) / f64::from(it.length.max(1)))
        .collect();
    let mean = spread::mean(&shares);
    let count = |of: &dyn Fn(&super::game::GameDecision) -> bool| {
        decisions.iter().filter(|&it| of(it)).count() as u64
    };
    Some(Decision {
        games: decisions.len() as u64,
        ply: Distribution::of(&plies),
        share_of_length: Estimate {
            low: mean.low.max(0.0),
            high: mean.high.min(1.0),
            ..mean
        },
        from_the_opening: count(&|it| it.from_the_opening),
        unforeseen: count(&|it| it.unforeseen),
    })
}

/// Returns the attackers' score from a table of results in percent.
///
/// Games without a result are left out.
#[must_use]
pub fn people_score(games: u64, percent: [f64; 3], sampling: &Sampling) -> Estimate {
    let counts = percent.map(|percent| (games as f64 * percent / 100.0).round() as u64);
    let [wins, draws, losses] = counts;
    if counts == [0; 3] {
        return Estimate::exact(0.5);
    }
    sampling.score(&Tally {
        wins,
        draws,
        losses,
        capped: 0,
    })
}
