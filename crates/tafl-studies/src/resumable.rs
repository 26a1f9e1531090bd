//! Matches whose games are kept as they end, so that a kill loses only those in progress.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tafl_arena::{MatchResult, Tally};
use tafl_dataset::Provenance;
use tafl_play::{Match, MatchPlan, Watch, play_match};
use tafl_samples::{GameRecord, derive_seed};
use tafl_store::{Journal, Settings, Store, StoreError, sha256_hex};
use tafl_training::{Observer, Progress, Stage, Summary};

/// A match to play on from what is stored.
pub(crate) struct ResumableMatch<'a> {
    pub(crate) job: Match<'a>,
    pub(crate) plan: MatchPlan,
    /// Takes games as they end, and those of an interrupted process.
    pub(crate) journal: (Journal, Vec<GameRecord>),
    pub(crate) stage: Stage,
    pub(crate) observer: &'a dyn Observer,
    /// Receives every game, stored ones first; returns whether the match is decided.
    pub(crate) decides: &'a (dyn Fn(&GameRecord) -> bool + Sync),
}

/// Plays the games of a plan that are neither among `stored` nor in the journal; returns all games, sorted by number.
pub(crate) fn play(
    kept: ResumableMatch<'_>,
    stored: Vec<GameRecord>,
) -> anyhow::Result<Vec<GameRecord>> {
    let ResumableMatch {
        job,
        mut plan,
        journal: (journal, found),
        stage,
        observer,
        decides,
    } = kept;
    let mut records: BTreeMap<u64, GameRecord> = BTreeMap::new();
    let known = stored.into_iter().chain(found);
    records.extend(known.map(|record| (record.game_id, record)));
    let first = job.players[0].id.clone();
    let stop = AtomicBool::new(false);
    let results = Mutex::new(Tally::default());
    let count = |record: &GameRecord| {
        let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
        results.add_game(record, &first);
        drop(results);
        if decides(record) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let planned = plan.missing();
    let earlier = planned.iter().filter_map(|number| records.get(number));
    earlier.for_each(&count);
    plan.left_out.extend(records.keys());
    if plan.missing().is_empty() || stop.load(Ordering::Relaxed) {
        return Ok(records.into_values().collect());
    }
    observer.started(stage, Some(planned.len() as u64));
    let failure: Mutex<Option<StoreError>> = Mutex::new(None);
    let watch = Watch {
        progress: &|_| {
            let now = *results.lock().unwrap_or_else(PoisonError::into_inner);
            observer.progressed(stage, now.games(), Progress::Results(now));
        },
        finished: &|record| {
            if let Err(error) = journal.append(record) {
                let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
                stop.store(true, Ordering::Relaxed);
            }
            count(record);
        },
        stop: &stop,
    };
    let played = play_match(&job, &plan, &watch)?;
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error.into());
    }
    records.extend(played.into_iter().map(|record| (record.game_id, record)));
    let of_plan = planned.iter().filter_map(|number| records.get(number));
    let ids = job.players.each_ref().map(|player| player.id.clone());
    let result = MatchResult::of_records(of_plan.cloned().collect(), ids, job.rules);
    observer.finished(stage, Some(&Summary::Match(&result)));
    Ok(records.into_values().collect())
}

/// Returns the seed of games that a text tells from all others of a folder.
pub(crate) fn seed_of(seed: u64, text: &str) -> u64 {
    let bytes = text.bytes().map(u64::from);
    derive_seed(seed, &[1].into_iter().chain(bytes).collect::<Vec<_>>())
}

/// Returns where games of a folder come from: what it is, and who played.
pub(crate) fn provenance<S: Settings>(
    store: &Store<S>,
    folder: &str,
    players: &str,
) -> anyhow::Result<Provenance> {
    Ok(Provenance {
        run: folder.to_owned(),
        generation: 0,
        checkpoint: players.to_owned(),
        config_sha256: sha256_hex(&serde_json::to_vec(&store.settings())?),
        weights_sha256: None,
    })
}
