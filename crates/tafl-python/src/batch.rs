//! What a batch of games writes, cut into parts for threads.

use crate::planes::{MaskKind, Number, list_actions, planes_len, write_planes};
use crate::slots::Slot;
use tafl_rules::{BoardShape, Game, Side};
use tafl_samples::Ending;

/// Where a batch writes; without planes their slice is empty, and that of a mask without a fixed size.
pub(crate) struct Outputs<'a, T> {
    pub(crate) planes: &'a mut [T],
    pub(crate) mask: &'a mut [u8],
    pub(crate) reward: &'a mut [f32],
    pub(crate) done: &'a mut [bool],
    pub(crate) mover: &'a mut [u8],
    pub(crate) side: &'a mut [u8],
}

/// Some games of a batch that follow each other.
pub(crate) struct Part<'a, T> {
    first: usize,
    slots: &'a mut [Slot],
    actions: Option<&'a [u16]>,
    outputs: Outputs<'a, T>,
}

/// What a part has besides.
#[derive(Default)]
pub(crate) struct PartDone<T> {
    pub(crate) ended: Vec<Ended>,
    /// The last planes of the games that ended.
    pub(crate) last_planes: Vec<T>,
    /// The legal actions of all games, if they are told by their numbers, and how many each game has.
    pub(crate) legal: Vec<u16>,
    pub(crate) counts: Vec<usize>,
}

/// A game that ended.
pub(crate) struct Ended {
    pub(crate) index: usize,
    pub(crate) reason: &'static str,
}

/// Cuts a slice into parts, and goes on with empty ones.
fn cut<X>(slice: &mut [X], len: usize) -> impl Iterator<Item = &mut [X]> {
    let rest = std::iter::repeat_with(|| &mut [][..]);
    slice.chunks_mut(len.max(1)).chain(rest)
}

impl<'a, T: Number> Outputs<'a, T> {
    /// Cuts a batch into parts of so many games, whose masks have so many bytes.
    pub(crate) fn split(
        self,
        slots: &'a mut [Slot],
        actions: Option<&'a [u16]>,
        (games, mask_len): (usize, usize),
        shape: BoardShape,
    ) -> Vec<Part<'a, T>> {
        let mut planes = cut(self.planes, games * planes_len(shape));
        let mut mask = cut(self.mask, games * mask_len);
        let mut reward = cut(self.reward, games);
        let mut done = cut(self.done, games);
        let mut sides = cut(self.mover, games).zip(cut(self.side, games));
        let mut actions = actions.map(|actions| actions.chunks(games));
        let part = |(number, slots): (usize, &'a mut [Slot])| {
            let (mover, side) = sides.next()?;
            Some(Part {
                first: number * games,
                slots,
                actions: actions.as_mut().and_then(Iterator::next),
                outputs: Outputs {
                    planes: planes.next()?,
                    mask: mask.next()?,
                    reward: reward.next()?,
                    done: done.next()?,
                    mover,
                    side,
                },
            })
        };
        slots
            .chunks_mut(games)
            .enumerate()
            .filter_map(part)
            .collect()
    }
}

impl<T: Number> Part<'_, T> {
    /// Plays the actions if there are any, begins games that are over anew, and writes what is there then.
    pub(crate) fn advance(
        self,
        mask: Option<MaskKind>,
        play: impl Fn(&mut Slot, u16) -> (Side, Option<Ending>),
        begin: impl Fn(&mut Slot),
    ) -> PartDone<T> {
        let Outputs {
            planes,
            mask: masks,
            reward,
            done,
            mover,
            side,
        } = self.outputs;
        let mut found = PartDone::default();
        let games = self.slots.len();
        let mut planes = cut(planes, planes.len() / games);
        let mut masks = cut(masks, masks.len() / games);
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let planes = planes.next().unwrap_or_default();
            if let Some(actions) = self.actions {
                let (moved, ending) = play(slot, actions[index]);
                mover[index] = moved as u8;
                (reward[index], done[index]) = (0.0, ending.is_some());
                if let Some(ending) = ending {
                    let (ended, value) = Ended::of(self.first + index, ending, moved);
                    reward[index] = value;
                    found.ended.push(ended);
                    if !planes.is_empty() {
                        write_planes(&slot.game, planes);
                        found.last_planes.extend_from_slice(planes);
                    }
                    begin(slot);
                }
            }
            side[index] = slot.game.position().side() as u8;
            if !planes.is_empty() {
                write_planes(&slot.game, planes);
            }
            if let Some(kind) = mask {
                found.tell(kind, &slot.game, masks.next().unwrap_or_default());
            }
        }
        found
    }
}

impl<T> PartDone<T> {
    fn tell(&mut self, kind: MaskKind, game: &Game, mask: &mut [u8]) {
        if kind == MaskKind::Csr {
            let before = self.legal.len();
            list_actions(game, &mut self.legal);
            self.counts.push(self.legal.len() - before);
        } else {
            kind.write(game, mask);
        }
    }
}
