//! Planes with the channels first, and legal actions, as arrays hold them.

use numpy::Element;
use std::ops::Range;
use tafl_rules::{Bitboard, BoardShape, Game};
use tafl_samples::{Facts, PLANES, plane_sets};

/// A number of a plane: `f32` as the trainer has it, or `u8`, of which 255 stands for 1.
pub(crate) trait Number: Default + Element + Copy + Send + Sync + 'static {
    /// What 8 squares hold, by the bits of those that are marked.
    const MARKED: &[[Self; 8]; 256];

    fn of(number: f32) -> Self;
}

macro_rules! marked {
    ($one:expr, $zero:expr) => {{
        let mut marked = [[$zero; 8]; 256];
        let mut bits = 0;
        while bits < 256 * 8 {
            if bits / 8 >> (bits % 8) & 1 != 0 {
                marked[bits / 8][bits % 8] = $one;
            }
            bits += 1;
        }
        marked
    }};
}

impl Number for f32 {
    const MARKED: &[[Self; 8]; 256] = &marked!(1.0, 0.0);

    fn of(number: f32) -> Self {
        number
    }
}

impl Number for u8 {
    const MARKED: &[[Self; 8]; 256] = &marked!(u8::MAX, 0);

    fn of(number: f32) -> Self {
        (number * 255.0).round_ties_even() as Self
    }
}

/// Returns how many numbers the planes of a board have.
pub(crate) const fn planes_len(shape: BoardShape) -> usize {
    PLANES * shape.squares()
}

/// Writes the planes of a game's position, `[plane, rank, file]`.
pub(crate) fn write_planes<T: Number>(game: &Game, planes: &mut [T]) {
    let rules = game.rules();
    let shape = rules.shape();
    let (sets, constant) = plane_sets(&Facts::of(game), rules);
    let (marked, others) = planes.split_at_mut(sets.len() * shape.squares());
    for (squares, plane) in (sets.into_iter()).zip(marked.chunks_exact_mut(shape.squares())) {
        write_squares(squares, shape, plane);
    }
    let mut rest = others;
    for alike in constant[sets.len()..].chunk_by(|one, next| one == next) {
        let (planes, after) = rest.split_at_mut(alike.len() * shape.squares());
        planes.fill(T::of(alike[0]));
        rest = after;
    }
}

fn write_squares<T: Number>(squares: Bitboard, shape: BoardShape, plane: &mut [T]) {
    let Bitboard(mut bits) = squares;
    let size = usize::from(shape.size());
    // The squares of the largest board follow each other without a gap, those of others rank by rank.
    let (run, step) = if size == GRID {
        (plane.len(), 0)
    } else {
        (size, GRID)
    };
    for run in plane.chunks_exact_mut(run) {
        let mut rest = bits;
        let (eights, last) = run.as_chunks_mut::<8>();
        for eight in eights {
            *eight = T::MARKED[rest as usize & 0xff];
            rest >>= 8;
        }
        last.copy_from_slice(&T::MARKED[rest as usize & 0xff][..last.len()]);
        bits >>= step;
    }
}

/// Files of the grid in which squares are numbered.
const GRID: usize = 11;

/// How legal actions are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaskKind {
    /// A truth value for each action.
    Bool,
    /// A bit for each, the highest of a byte first.
    Packed,
    /// Their numbers.
    Csr,
}

impl MaskKind {
    /// Returns the bytes of a game's mask; 0 where it has no fixed size.
    pub(crate) const fn len(self, shape: BoardShape) -> usize {
        match self {
            Self::Bool => shape.policy_len(),
            Self::Packed => shape.policy_len().div_ceil(8),
            Self::Csr => 0,
        }
    }

    /// Writes the mask of a game that is not over.
    pub(crate) fn write(self, game: &Game, mask: &mut [u8]) {
        mask.fill(0);
        let write = |run: Range<u16>| match self {
            Self::Bool => mask[usize::from(run.start)..usize::from(run.end)].fill(1),
            Self::Packed => set_bits(&run, mask),
            Self::Csr => {}
        };
        game.rules().legal_runs(game.position(), write);
    }
}

/// Sets the bits of a run of at most 24, the highest of a byte first.
fn set_bits(run: &Range<u16>, mask: &mut [u8]) {
    let bits = !0_u32 << (u32::BITS - run.len() as u32) >> (run.start % 8);
    let bytes = &mut mask[usize::from(run.start) / 8..];
    if let Some(bytes) = bytes.first_chunk_mut::<4>() {
        *bytes = (u32::from_be_bytes(*bytes) | bits).to_be_bytes();
        return;
    }
    for (byte, bits) in bytes.iter_mut().zip(bits.to_be_bytes()) {
        *byte |= bits;
    }
}

/// Adds the legal actions of a game that is not over, rising.
pub(crate) fn list_actions(game: &Game, actions: &mut Vec<u16>) {
    let rules = game.rules();
    rules.legal_runs(game.position(), |run| actions.extend(run));
}
