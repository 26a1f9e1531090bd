//! One cell of a study: a player against itself under one ruleset, played on from what is stored.

use super::folder::{Folder, StoredFile};
use crate::progress::Progress;
use crate::tournament::Entrant;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tafl_arena::balance::StudyGame;
use tafl_arena::{
    ArenaConfig, Match, MatchGame, MatchPlan, MatchProgress, MatchResult, MatchWatch, openings,
    play_planned,
};
use tafl_rules::{Game, Move, Rules, Side};
use tafl_samples::GameRecord;
use tafl_selfplay::derive_seed;

/// The openings of one ruleset.
#[derive(Debug, Clone)]
pub(crate) struct Openings {
    /// All that were drawn, by number.
    moves: Vec<Vec<Move>>,
    /// Those that repeat an earlier one or cannot be played, by number.
    left_out: BTreeSet<usize>,
}

impl Openings {
    /// Draws openings under a ruleset. More of them are the same ones and some more.
    pub(crate) fn draw(rules: &Arc<Rules>, arena: &ArenaConfig, seed: u64) -> Self {
        let seed = derive_seed(seed, &[0]);
        Self::of(
            openings(rules, arena.openings, arena.opening_plies, seed),
            rules,
        )
    }

    /// Returns the same openings for another ruleset, without those that it does not allow.
    pub(crate) fn under(&self, rules: &Arc<Rules>) -> Self {
        let own = Self::of(self.moves.clone(), rules);
        Self {
            left_out: own.left_out.union(&self.left_out).copied().collect(),
            ..own
        }
    }

    fn of(moves: Vec<Vec<Move>>, rules: &Arc<Rules>) -> Self {
        let mut seen = BTreeSet::new();
        let mut is_new = |moves: &Vec<Move>| {
            let mut game = Game::new(Arc::clone(rules));
            let is_legal = moves.iter().all(|&mv| game.play(mv).is_ok());
            is_legal && game.outcome().is_none() && seen.insert(game.position().key())
        };
        let numbers = (0..moves.len()).filter(|&number| !is_new(&moves[number]));
        let left_out = numbers.collect();
        Self { moves, left_out }
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> u32 {
        (self.moves.len() - self.left_out.len()) as u32
    }

    fn contains(&self, number: u64) -> bool {
        let number = number as usize;
        number < self.moves.len() && !self.left_out.contains(&number)
    }
}

/// The games of a cell, and the files that hold them.
pub(crate) struct PlayedCell {
    pub(crate) games: Vec<StudyGame>,
    pub(crate) files: Vec<StoredFile>,
}

/// Plays what the folder does not hold yet of a cell, and returns the games of the openings.
pub(crate) fn play_cell(
    folder: &mut Folder,
    entrant: &Entrant,
    rules: &Arc<Rules>,
    openings: &Openings,
    arena: &ArenaConfig,
    seed: u64,
) -> anyhow::Result<PlayedCell> {
    let mut games: BTreeMap<u64, StudyGame> = BTreeMap::new();
    let mut files = Vec::new();
    for file in folder.files(&rules.ruleset().name, &entrant.name) {
        let own = folder.read(&file, rules)?;
        // A study with fewer openings than one before it leaves some out.
        let own = own
            .into_iter()
            .filter(|game| openings.contains(game.opening));
        let own: Vec<StudyGame> = own.collect();
        if !own.is_empty() {
            files.push(file);
        }
        games.extend(own.into_iter().map(|game| (game.opening, game)));
    }
    let is_stored = |number: &usize| games.contains_key(&(*number as u64));
    let stored = (0..openings.moves.len()).filter(is_stored);
    let mut plan = MatchPlan::mirrored(openings.moves.clone());
    plan.left_out = stored.chain(openings.left_out.iter().copied()).collect();
    if plan.left_out.len() == plan.openings.len() {
        folder.drop_spool(&entrant.name, rules)?;
    } else if let Some(file) = play_missing(folder, entrant, rules, plan, arena, seed)? {
        let own = folder.read(&file, rules)?.into_iter();
        games.extend(own.map(|game| (game.opening, game)));
        files.push(file);
    }
    let games = games.into_values().collect();
    Ok(PlayedCell { games, files })
}

/// Plays the games of a plan, those left out that were finished before an interruption, and stores them.
fn play_missing(
    folder: &mut Folder,
    entrant: &Entrant,
    rules: &Arc<Rules>,
    mut plan: MatchPlan,
    arena: &ArenaConfig,
    seed: u64,
) -> anyhow::Result<Option<StoredFile>> {
    let (spool, spooled) = folder.spool(&entrant.name, rules)?;
    let is_missing = |record: &GameRecord| {
        let opening = (record.game_id / 2) as usize;
        opening < plan.openings.len() && !plan.left_out.contains(&opening)
    };
    let game = |record| MatchGame::of_record(record, &entrant.name, rules);
    let finished = spooled.into_iter().filter(is_missing).map(game).collect();
    plan.finished = finished;
    let player = entrant.player();
    let job = Match {
        config: arena,
        players: [&player, &player],
        rules,
        seed: seed_of(seed, &entrant.name),
        generation: 0,
    };
    let total = plan.openings.len() - plan.left_out.len();
    let progress = Progress::start("self-match", "games", total as u64);
    let show = |now: MatchProgress| {
        let attackers = now.first;
        let draws = attackers.draws + attackers.capped;
        let (wins, losses) = (attackers.wins, attackers.losses);
        progress.show(attackers.games(), || {
            format!("attackers +{wins} ={draws} -{losses}")
        });
    };
    let (stop, failure) = (AtomicBool::new(false), Mutex::new(None));
    let keep = |game: &MatchGame| {
        if let Err(error) = spool.add(&game.record) {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            stop.store(true, Ordering::Relaxed);
        }
    };
    let watch = MatchWatch {
        progress: &show,
        finished: &keep,
        stop: &stop,
    };
    let result = play_planned(&job, &plan, &watch)?.result;
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    progress.finish(&summary(&entrant.name, &result));
    let records: Vec<GameRecord> = result.games.into_iter().map(|game| game.record).collect();
    let file = if records.is_empty() {
        None
    } else {
        Some(folder.store(&entrant.name, rules, &records)?)
    };
    spool.remove()?;
    Ok(file)
}

/// Returns a line such as `greedy under fetlar: attackers +8 =1 -11`.
fn summary(player: &str, result: &MatchResult) -> String {
    let attackers = result.tally(0, Side::Attacker);
    let (wins, draws) = (attackers.wins, attackers.draws + attackers.capped);
    let (ruleset, losses) = (&result.ruleset, attackers.losses);
    format!("{player} under {ruleset}: attackers +{wins} ={draws} -{losses}")
}

/// Returns the seed of a player's games. It is the same under all rulesets, so that variants of a ruleset give the very
/// same games up to where a rule matters.
fn seed_of(seed: u64, player: &str) -> u64 {
    let bytes = player.bytes().map(u64::from);
    derive_seed(seed, &[1].into_iter().chain(bytes).collect::<Vec<_>>())
}
