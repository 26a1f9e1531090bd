//! Memory for vectors.

use std::ops::{Deref, DerefMut};

/// Bytes of a line in the processor's cache.
const LINE: usize = 64;

/// Numbers of which the first begins a line of the cache. A vector that lies across two lines takes twice as long.
#[derive(Debug, Default)]
pub(crate) struct Aligned {
    /// Those before the first only fill up.
    numbers: Vec<f32>,
    first: usize,
}

impl Aligned {
    /// Returns as many zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        let most = LINE / size_of::<f32>() - 1;
        let mut numbers = vec![0.0; len + most];
        let first = numbers.as_ptr().align_offset(LINE).min(most);
        numbers.truncate(first + len);
        Self { numbers, first }
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.len());
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.numbers[self.first..]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.first..]
    }
}
