//! The replay window: the latest positions, from which training draws.
//!
//! The window is an index of files. Rows are read when they were drawn, so memory holds what a stretch of
//! training draws, and 8 bytes for each position of the window while it is drawn from.

use crate::catalog::{Catalog, KnownFile};
use crate::pick::{Place, read_places};
use crate::{DatasetError, WindowConfig, games_path, parquet_checksum};
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_samples::Sample;
use tafl_store::{Settings, Store};

/// The samples of a run or of many workers, from which windows are made.
///
/// It remembers which files it has verified and counted, so keep it from one window to the next.
#[derive(Debug)]
pub struct Replay {
    config: WindowConfig,
    catalog: Catalog,
}

/// The latest positions, as they were when the window was made.
#[derive(Debug, Clone)]
pub struct ReplayWindow {
    config: WindowConfig,
    files: Vec<Arc<KnownFile>>,
    /// Places of the positions that may be drawn, in order.
    drawn_from: Segments,
    /// Places of those that are never learned from, in order.
    held_out: Segments,
    total: u64,
}

/// The place of a position among those that a [`ReplayWindow`] draws from, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowIndex(pub(crate) u32);

/// Rows of several files, numbered through.
#[derive(Debug, Clone, Default)]
struct Segments {
    segments: Vec<Segment>,
    len: u32,
}

/// Some rows of a file that follow each other.
#[derive(Debug, Clone, Copy)]
struct Segment {
    /// The number of the first one.
    start: u32,
    file: u32,
    row: u32,
}

impl Segments {
    fn push(&mut self, file: u32, rows: Range<u32>) {
        if rows.is_empty() {
            return;
        }
        let start = self.len;
        let row = rows.start;
        self.segments.push(Segment { start, file, row });
        self.len += rows.end - rows.start;
    }

    fn place(&self, number: u32) -> Place {
        let after = self
            .segments
            .partition_point(|segment| segment.start <= number);
        let Segment { start, file, row } = self.segments[after - 1];
        let row = row + (number - start);
        Place { file, row }
    }
}

impl Replay {
    /// Begins without having seen a file; `seed` decides which games are held out.
    pub fn new(config: WindowConfig, seed: u64) -> Self {
        let catalog = Catalog::new(&config, seed);
        Self { config, catalog }
    }

    /// Returns the window as it is after the first `generations` generations of an open run.
    ///
    /// Files are checked against the manifest when they come to be read for the first time.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn window_of_store<S: Settings>(
        &self,
        store: &Store<S>,
        generations: u32,
    ) -> Result<ReplayWindow, DatasetError> {
        let paths = (0..generations).map(|generation| games_path(store.folder(), generation));
        let (mut there, mut gone) = (Vec::new(), 0);
        for path in paths {
            match store.count(&path) {
                Some(shard) if store.is_pruned(&path) || !path.exists() => gone += shard.samples,
                _ => there.push(path),
            }
        }
        self.window((&there, gone), &|path| {
            store.verified(path)?;
            Ok(())
        })
    }

    /// Returns the window as it is after some files of games, the oldest first, such as the shards of many workers.
    ///
    /// [`crate::game_files`] lists those of a folder; `gone` samples were in others that are no longer there. A file's
    /// checksums are checked when it comes to be read for the first time, if it has any.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn window_of_files(
        &self,
        paths: &[PathBuf],
        gone: u64,
    ) -> Result<ReplayWindow, DatasetError> {
        self.window((paths, gone), &parquet_checksum::check)
    }

    /// Returns how many positions of a file are learned from, which is all but those of games held out.
    ///
    /// # Errors
    /// If the file is missing or damaged.
    pub fn positions_to_learn(&self, path: &Path) -> Result<u64, DatasetError> {
        let file = self.catalog.file(path)?;
        if self.config.held_out_fraction > 0.0 {
            self.catalog.admit(&file, parquet_checksum::check)?;
        }
        let held_out = file.held_out().iter().map(|rows| rows.end - rows.start);
        Ok(u64::from(file.rows() - held_out.sum::<u32>()))
    }

    fn window(
        &self,
        (paths, gone): (&[PathBuf], u64),
        check: &(dyn Fn(&Path) -> Result<(), DatasetError> + Sync),
    ) -> Result<ReplayWindow, DatasetError> {
        let files = paths.par_iter().map(|path| self.catalog.file(path));
        let mut files = files.collect::<Result<Vec<_>, _>>()?;
        let there: u64 = files.iter().map(|file| u64::from(file.rows())).sum();
        let total = there + gone;
        // Counted from the latest position back.
        let mut left = self.config.size(total);
        let mut first = files.len();
        while left > 0 && first > 0 {
            first -= 1;
            left = left.saturating_sub(files[first].rows().into());
        }
        let files = files.split_off(first);
        let admit = |file: &Arc<KnownFile>| self.catalog.admit(file, check);
        files.par_iter().try_for_each(admit)?;
        let mut window = ReplayWindow {
            config: self.config,
            files,
            drawn_from: Segments::default(),
            held_out: Segments::default(),
            total,
        };
        window.number();
        Ok(window)
    }
}

impl ReplayWindow {
    /// Numbers the rows of the files that the window reaches.
    fn number(&mut self) {
        let held: u64 = self.files.iter().map(|file| u64::from(file.rows())).sum();
        let beyond = held.saturating_sub(self.config.size(self.total));
        // The window begins within its first file.
        let mut first = u32::try_from(beyond).unwrap_or(u32::MAX);
        for (number, file) in (0..).zip(&self.files) {
            let mut next = first;
            for held_out in file.held_out() {
                let start = held_out.start.max(next);
                let end = held_out.end.max(next);
                self.drawn_from.push(number, next..start);
                self.held_out.push(number, start..end);
                next = end;
            }
            self.drawn_from.push(number, next..file.rows());
            first = 0;
        }
    }

    /// Returns the number of positions that may be drawn.
    pub const fn len(&self) -> usize {
        self.drawn_from.len as usize
    }

    /// Returns whether no position may be drawn.
    pub const fn is_empty(&self) -> bool {
        self.drawn_from.len == 0
    }

    /// Returns the number of positions of games that are held out.
    pub const fn held_out_len(&self) -> usize {
        self.held_out.len as usize
    }

    /// Returns the number of positions that there ever were, held-out ones included.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the oldest file that the window reaches, if there is one.
    pub fn oldest(&self) -> Option<&Path> {
        self.files.first().map(|file| &*file.path)
    }

    /// Draws `count` positions without replacement, until all have been drawn.
    ///
    /// Equal windows and seeds draw equal indices. An empty window gives none.
    pub fn draw(&self, count: usize, seed: u64) -> Vec<WindowIndex> {
        draw(self.drawn_from.len, count, seed)
    }

    /// Reads drawn positions, in the order of `drawn`; each of their rows is decoded once.
    ///
    /// Files are read side by side. All samples are in memory at once: see [`Self::feed`] for more than fit there.
    ///
    /// # Errors
    /// If a file cannot be read, or has changed since the window was made.
    ///
    /// # Panics
    /// If an index was drawn from another window.
    pub fn read(&self, drawn: &[WindowIndex]) -> Result<Vec<Sample>, DatasetError> {
        let places = drawn.iter().map(|index| self.drawn_from.place(index.0));
        read_places(&self.files, &places.collect::<Vec<_>>())
    }

    /// Reads the latest positions of held-out games, up to a limit, the oldest first.
    ///
    /// # Errors
    /// If a file cannot be read, or has changed since the window was made.
    pub fn read_held_out(&self, most: usize) -> Result<Vec<Sample>, DatasetError> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let numbers = self.held_out.len.saturating_sub(most)..self.held_out.len;
        let places = numbers.map(|number| self.held_out.place(number));
        read_places(&self.files, &places.collect::<Vec<_>>())
    }
}

/// Draws positions from `len` without replacement, until all have been drawn.
fn draw(len: u32, count: usize, seed: u64) -> Vec<WindowIndex> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(count);
    let mut pass: Vec<WindowIndex> = (0..len).map(WindowIndex).collect();
    while drawn.len() < count && !pass.is_empty() {
        let (next, _) = pass.partial_shuffle(&mut rng, count - drawn.len());
        drawn.extend_from_slice(next);
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_is_drawn_before_anyone_again() {
        let drawn = draw(100, 250, 3);
        assert_eq!(drawn.len(), 250);
        let sorted = |drawn: &[WindowIndex]| {
            let mut numbers: Vec<u32> = drawn.iter().map(|index| index.0).collect();
            numbers.sort_unstable();
            numbers
        };
        let all: Vec<u32> = (0..100).collect();
        assert_eq!(sorted(&drawn[..100]), all);
        assert_eq!(sorted(&drawn[100..200]), all);
        let mut last = sorted(&drawn[200..]);
        last.dedup();
        assert_eq!(last.len(), 50);
        assert_eq!(drawn, draw(100, 250, 3));
        assert_ne!(drawn, draw(100, 250, 4));
        assert!(draw(0, 5, 1).is_empty());
    }
}
