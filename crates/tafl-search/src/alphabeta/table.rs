//! What a search has found of the positions it met.

use super::{Found, LEAST_WIN, Node};
use tafl_rules::Move;

/// Entries of the table: 128 Ki of 24 bytes, 3 MiB.
const ENTRIES: usize = 1 << 17;

/// How a stored score relates to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    /// The true score may be lower.
    AtMost,
    /// The true score may be higher.
    AtLeast,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    key: u64,
    /// For the side to move; wins are counted in plies from this position.
    score: i32,
    search: u32,
    pub(super) mv: Move,
    depth: u16,
    bound: Bound,
}

impl Entry {
    pub(super) fn new(key: u64, found: Found, node: &Node) -> Self {
        Self {
            key,
            score: later(found.score, node.ply as i32),
            search: 0,
            mv: found.mv,
            depth: node.depth as u16,
            bound: found.bound,
        }
    }

    /// Returns the score as seen `ply` plies from the root, if it was looked at deeply enough and
    /// says what a node with this window must know.
    pub(super) fn score(&self, depth: u32, ply: u32, window: [i32; 2]) -> Option<i32> {
        let score = later(self.score, -(ply as i32));
        let says_enough = match self.bound {
            Bound::Exact => true,
            Bound::AtMost => score <= window[0],
            Bound::AtLeast => score >= window[1],
        };
        (u32::from(self.depth) == depth && says_enough).then_some(score)
    }
}

/// Returns a score as it is counted from a position that comes some plies later: a win is nearer there.
const fn later(score: i32, plies: i32) -> i32 {
    if score >= LEAST_WIN {
        score + plies
    } else if score <= -LEAST_WIN {
        score - plies
    } else {
        score
    }
}

/// A table of bounded size; entries of former searches count as empty.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    search: u32,
}

impl Table {
    pub(super) fn new() -> Self {
        let empty = Entry {
            key: 0,
            score: 0,
            search: 0,
            mv: Move::END,
            depth: 0,
            bound: Bound::AtMost,
        };
        Self {
            entries: vec![empty; ENTRIES],
            search: 0,
        }
    }

    /// Begins a search that knows nothing.
    pub(super) fn begin(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            *self = Self::new();
            self.search = 1;
        }
    }

    pub(super) fn find(&self, key: u64) -> Option<Entry> {
        let entry = self.entries[slot(key)];
        (entry.search == self.search && entry.key == key).then_some(entry)
    }

    /// Stores an entry unless the place holds a deeper one of another position.
    pub(super) fn store(&mut self, entry: Entry) {
        let old = &mut self.entries[slot(entry.key)];
        let stays = old.search == self.search && old.key != entry.key && old.depth > entry.depth;
        if !stays {
            *old = Entry {
                search: self.search,
                ..entry
            };
        }
    }
}

fn slot(key: u64) -> usize {
    key as usize % ENTRIES
}
