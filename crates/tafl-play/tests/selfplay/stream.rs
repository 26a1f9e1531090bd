//! Games one after the other, without a list of them.

use crate::common::{job, plan, rules, runner};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tafl_play::{RunnerConfig, Session, Stream, stream_games};
use tafl_samples::GameRecord;

/// Plays a stream with two workers; the stream is closed after so many games.
fn streamed(numbers: Range<u64>, close_after: usize) -> Vec<GameRecord> {
    let rules = rules(&["brandubh"]);
    let session = Session {
        rules: &rules,
        run_seed: 5,
        runner: RunnerConfig {
            workers: 2,
            ..runner()
        },
    };
    let (records, last) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let finished = |record, number| {
        assert_eq!(number, 9);
        let mut records = records.lock().unwrap();
        records.push(record);
        if records.len() >= close_after {
            last.store(true, Ordering::Relaxed);
        }
    };
    let stream = Stream {
        progress: &|_| {},
        finished: &finished,
        rest: &AtomicBool::new(false),
        last: &last,
        stop: &AtomicBool::new(false),
    };
    let plan = plan(9, "hash");
    stream_games(&session, numbers, &|| Arc::clone(&plan), &stream).unwrap();
    let mut records = records.into_inner().unwrap();
    records.sort_by_key(|record| record.game_id);
    records
}

#[test]
fn a_stream_plays_the_games_of_its_numbers() {
    let records = job(12).records();
    assert_eq!(streamed(0..12, 12), records);
    assert_eq!(streamed(4..9, 12), records[4..9]);
    assert_eq!(streamed(0..0, 12), []);
}

#[test]
fn a_closed_stream_ends_with_the_games_that_were_begun() {
    let first = 1 << 62;
    let records = streamed(first..u64::MAX, 10);
    // Two workers with four games each: whatever is in progress when the tenth ends is played on.
    assert!((10..=18).contains(&records.len()), "{}", records.len());
    let numbers: BTreeSet<u64> = records.iter().map(|record| record.game_id).collect();
    assert_eq!(numbers.len(), records.len());
    for worker in 0..2 {
        let own: Vec<u64> = numbers
            .iter()
            .filter(|&&number| (number - first) % 2 == worker)
            .map(|number| (number - first) / 2)
            .collect();
        assert_eq!(own, (0..own.len() as u64).collect::<Vec<_>>());
    }
}
