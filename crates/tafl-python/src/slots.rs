//! Many games side by side, each begun anew when it is over.

use crate::batch::{Ended, Outputs, Part, PartDone};
use crate::planes::{MaskKind, Number};
use crate::threads::{self, on_all_cores};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use std::sync::Arc;
use tafl_rules::{Game, Move, PolicyIndex, Rules, Side, derive_seed};
use tafl_samples::{Ending, EndingReason};

/// The games of an environment.
pub(crate) struct Slots {
    rules: Arc<Rules>,
    slots: Vec<Slot>,
    mask: Option<MaskKind>,
    max_plies: u32,
}

/// A game, and what draws its random actions.
pub(crate) struct Slot {
    pub(crate) game: Game,
    random: SplitMix64,
    /// Plies since the game began, of which the game remembers the latest only.
    plies: u32,
}

/// Games that a thread takes at a time, at least: some 20 microseconds of work.
const LEAST_PART: usize = 64;

/// Plies for which a game takes memory at a time.
const MORE_PLIES: u32 = 8;

/// An action that cannot be played, with its game.
pub(crate) struct Refused {
    pub(crate) index: usize,
    pub(crate) reason: String,
}

impl Slots {
    pub(crate) fn new(
        rules: Arc<Rules>,
        len: usize,
        mask: Option<MaskKind>,
        max_plies: u32,
    ) -> Self {
        let slot = || Slot {
            game: Game::new(Arc::clone(&rules)),
            random: SplitMix64::seed_from_u64(0),
            plies: 0,
        };
        Self {
            slots: std::iter::repeat_with(slot).take(len).collect(),
            rules,
            mask,
            max_plies,
        }
    }

    pub(crate) fn seed(&mut self, seed: u64) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            slot.random = SplitMix64::seed_from_u64(derive_seed(seed, &[index as u64]));
        }
    }

    /// Begins all games anew.
    pub(crate) fn reset(&mut self) {
        for slot in &mut self.slots {
            slot.begin(&self.rules);
        }
    }

    /// Draws a legal action of each game.
    pub(crate) fn sample(&mut self, actions: &mut [u16]) {
        let size = self.part_len();
        let parts = self.slots.chunks_mut(size).zip(actions.chunks_mut(size));
        let sample = |(slots, actions): (&mut [Slot], &mut [u16])| {
            for (slot, action) in slots.iter_mut().zip(actions) {
                *action = slot.draw();
            }
        };
        in_parallel(parts.collect(), sample);
    }

    /// Finds the first action that is not legal in its game.
    pub(crate) fn check(&self, actions: &[u16]) -> Result<(), Refused> {
        let refused = |(index, (slot, action)): (usize, (&Slot, &u16))| {
            let reason = slot.refusal(*action)?;
            Some(Refused { index, reason })
        };
        let size = self.part_len();
        let found = if self.slots.len() <= size {
            self.slots.iter().zip(actions).enumerate().find_map(refused)
        } else {
            let games = self.slots.par_iter().zip(actions).enumerate();
            let games = games.with_min_len(size);
            on_all_cores(|| games.find_map_first(refused))
        };
        found.map_or(Ok(()), Err)
    }

    /// Plays an action that was checked in each game, if there are any, and writes what is there then.
    pub(crate) fn advance<T: Number>(
        &mut self,
        actions: Option<&[u16]>,
        outputs: Outputs<'_, T>,
    ) -> Vec<PartDone<T>> {
        let size = self.part_len();
        let shape = self.rules.shape();
        let mask = self.mask.map_or(0, |mask| mask.len(shape));
        let parts = outputs.split(&mut self.slots, actions, (size, mask), shape);
        let (rules, mask, max_plies) = (&self.rules, self.mask, self.max_plies);
        in_parallel(parts, |part: Part<'_, T>| {
            part.advance(
                mask,
                |slot, action| slot.play(action, max_plies),
                |slot| slot.begin(rules),
            )
        })
    }

    /// Returns how many games a thread takes at a time.
    fn part_len(&self) -> usize {
        if self.slots.len() <= LEAST_PART {
            return LEAST_PART;
        }
        let parts = 4 * threads::count();
        self.slots.len().div_ceil(parts).max(LEAST_PART)
    }
}

/// Does some work on all cores, or here if there is little.
fn in_parallel<I: Send, O: Send>(parts: Vec<I>, work: impl Fn(I) -> O + Send + Sync) -> Vec<O> {
    if parts.len() < 2 {
        return parts.into_iter().map(work).collect();
    }
    on_all_cores(|| parts.into_par_iter().map(work).collect())
}

impl Slot {
    fn begin(&mut self, rules: &Arc<Rules>) {
        self.game = Game::new(Arc::clone(rules));
        self.plies = 0;
    }

    fn draw(&mut self) -> u16 {
        let rules = self.game.rules();
        let moves = rules.moves(self.game.position());
        let random = u128::from(self.random.next_u64());
        let index = ((random * moves.len() as u128) >> 64) as usize;
        // A game that is over has begun anew, so there is a move.
        let mv = moves.nth(index).unwrap_or(Move::END);
        mv.policy_index(rules.shape()).0
    }

    fn refusal(&self, action: u16) -> Option<String> {
        let rules = self.game.rules();
        match Move::from_policy_index(PolicyIndex(action), rules.shape()) {
            Some(mv) if rules.is_legal(self.game.position(), mv) => None,
            Some(mv) => (self.game.clone().play(mv).err()).map(|it| it.to_string()),
            None => Some(format!("{action} leads off the board")),
        }
    }

    /// Plays an action; returns who moved, and how the game ended if it did.
    fn play(&mut self, action: u16, max_plies: u32) -> (Side, Option<Ending>) {
        let mover = self.game.position().side();
        let shape = self.game.rules().shape();
        // Memory grows by small steps: there are many games.
        if self
            .game
            .position()
            .captureless()
            .is_multiple_of(MORE_PLIES)
        {
            self.game.reserve(MORE_PLIES as usize);
        }
        if let Some(mv) = Move::from_policy_index(PolicyIndex(action), shape) {
            let ply = self.game.play_unchecked(mv);
            if !ply.captured.is_empty() {
                self.game.forget(MORE_PLIES as usize);
            }
        }
        self.plies += 1;
        let ending = self.game.outcome().map(Ending::from);
        let is_capped = self.plies >= max_plies;
        (
            mover,
            ending.or_else(|| is_capped.then_some(Ending::CAPPED)),
        )
    }
}

impl Ended {
    /// Returns how a game ended, and its reward for the side that moved last.
    pub(crate) fn of(index: usize, ending: Ending, mover: Side) -> (Self, f32) {
        let reward = match ending.winner {
            Some(winner) if winner == mover => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        };
        let reason: EndingReason = ending.reason;
        (
            Self {
                index,
                reason: reason.name(),
            },
            reward,
        )
    }
}
