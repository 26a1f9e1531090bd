//! Vectors of numbers: what a convolution does with them, for each kind of processor.

/// Numbers in a vector: one register of AVX-512, two of AVX2, of NEON or of WebAssembly.
pub(crate) const LANES: usize = if cfg!(target_arch = "x86_64") { 16 } else { 8 };

/// A vector in memory.
pub(crate) type Lanes = [f32; LANES];

/// Numbers that transforms add and subtract, lane by lane.
pub(crate) trait Terms: Copy {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
}

/// A vector in registers.
pub(crate) trait Vector: Terms {
    fn load(lanes: &Lanes) -> Self;
    fn store(self, lanes: &mut Lanes);
    fn splat(number: f32) -> Self;
    /// Returns `sum + self * factor`.
    fn mul_add(self, factor: Self, sum: Self) -> Self;
    /// Returns the larger of each two numbers.
    fn max(self, other: Self) -> Self;
    /// Returns the numbers above 0, and 0 for the others.
    #[inline(always)]
    fn rectified(self) -> Self {
        self.max(Self::splat(0.0))
    }
}

impl Terms for Lanes {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + other[lane])
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] - other[lane])
    }
}

/// As compilers make them of loops.
impl Vector for Lanes {
    #[inline(always)]
    fn load(lanes: &Lanes) -> Self {
        *lanes
    }

    #[inline(always)]
    fn store(self, lanes: &mut Lanes) {
        *lanes = self;
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        [number; LANES]
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, sum: Self) -> Self {
        let fused = |lane: usize| self[lane].mul_add(factor[lane], sum[lane]);
        let apart = |lane: usize| sum[lane] + self[lane] * factor[lane];
        // Where the processor has no such instruction, a function would be called for each number.
        if cfg!(target_arch = "aarch64") {
            return std::array::from_fn(fused);
        }
        std::array::from_fn(apart)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let larger = |lane: usize| match self[lane] > other[lane] {
            true => self[lane],
            false => other[lane],
        };
        std::array::from_fn(larger)
    }
}

/// Vectors of x86 processors. They are made and used in functions alone that are compiled for a processor which has them.
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use super::{LANES, Lanes, Terms, Vector};
    use std::arch::x86_64::*;

    /// Declares a vector of some registers, by the instructions of its operations.
    macro_rules! vector {
        ($name:ident, $feature:literal, $register:ident, $parts:literal, [$load:ident, $store:ident, $splat:ident],
         [$add:ident, $sub:ident, $mul_add:ident, $max:ident]) => {
            #[doc = concat!("A vector of ", $feature, ".")]
            #[derive(Clone, Copy)]
            pub(crate) struct $name(pub(crate) [$register; $parts]);

            #[expect(unsafe_code, reason = "instructions of one kind of processor")]
            impl Terms for $name {
                // Loops by reference, not closures or arrays by value: those are not always compiled into the function that has the
                // instructions, these go through memory.
                #[inline(always)]
                fn add(mut self, other: Self) -> Self {
                    for (part, other) in self.0.iter_mut().zip(&other.0) {
                        // SAFETY: the processor has the instruction.
                        *part = unsafe { $add(*part, *other) };
                    }
                    self
                }

                #[inline(always)]
                fn sub(mut self, other: Self) -> Self {
                    for (part, other) in self.0.iter_mut().zip(&other.0) {
                        // SAFETY: the processor has the instruction.
                        *part = unsafe { $sub(*part, *other) };
                    }
                    self
                }
            }

            #[expect(unsafe_code, reason = "instructions of one kind of processor")]
            impl Vector for $name {
                #[inline(always)]
                fn load(lanes: &Lanes) -> Self {
                    let mut parts = Self::splat(0.0);
                    for (part, lanes) in parts.0.iter_mut().zip(lanes.chunks_exact(LANES / $parts))
                    {
                        // SAFETY: the processor has the instruction; as many numbers of the array are behind the pointer.
                        *part = unsafe { $load(lanes.as_ptr()) };
                    }
                    parts
                }

                #[inline(always)]
                fn store(self, lanes: &mut Lanes) {
                    for (part, lanes) in self.0.iter().zip(lanes.chunks_exact_mut(LANES / $parts)) {
                        // SAFETY: the processor has the instruction; as many numbers of the array are behind the pointer.
                        unsafe { $store(lanes.as_mut_ptr(), *part) };
                    }
                }

                #[inline(always)]
                fn splat(number: f32) -> Self {
                    // SAFETY: the processor has the instruction.
                    Self([unsafe { $splat(number) }; $parts])
                }

                #[inline(always)]
                fn mul_add(self, factor: Self, mut sum: Self) -> Self {
                    for ((sum, part), factor) in sum.0.iter_mut().zip(&self.0).zip(&factor.0) {
                        // SAFETY: the processor has the instruction.
                        *sum = unsafe { $mul_add(*part, *factor, *sum) };
                    }
                    sum
                }

                #[inline(always)]
                fn max(mut self, other: Self) -> Self {
                    for (part, other) in self.0.iter_mut().zip(&other.0) {
                        // SAFETY: the processor has the instruction.
                        *part = unsafe { $max(*part, *other) };
                    }
                    self
                }
            }
        };
    }

    vector!(
        Avx512,
        "AVX-512",
        __m512,
        1,
        [_mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps],
        [_mm512_add_ps, _mm512_sub_ps, _mm512_fmadd_ps, _mm512_max_ps]
    );
    vector!(
        Avx2,
        "AVX2 and FMA",
        __m256,
        2,
        [_mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps],
        [_mm256_add_ps, _mm256_sub_ps, _mm256_fmadd_ps, _mm256_max_ps]
    );
}
