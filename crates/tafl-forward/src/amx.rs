//! The same convolutions by the matrix instructions of Intel's processors (AMX-INT8), by their definition.
//!
//! A tile of inputs has sixteen cells, one in a row, with 64 bytes of what the cell sees: planes of one of the nine cells around it,
//! or, of up to 32 planes, of two that lie side by side. As many cells lie behind each other in memory, nothing is gathered.

use crate::integer::{IntegerJob, Wholes};
use crate::vector::LANES;
use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::OnceLock;

/// Rows of a tile, and outputs of one.
const ROWS: usize = 16;

/// Bytes in a row of a tile.
const DEPTH: usize = 64;

/// Cells that are computed at once, in two tiles.
const CELLS: usize = 2 * ROWS;

/// Tiles of outputs that are computed at once, at most.
const MOST_OUTPUTS: usize = 2;

/// Weights of [`ROWS`] outputs for [`DEPTH`] bytes of inputs, in groups of four bytes.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
struct Weights([i8; ROWS * DEPTH]);

/// A row of a tile, in one line of the cache: rows in two take twice as long to load.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; DEPTH]);

/// Sums of [`CELLS`] cells, `[2, outputs / ROWS, ROWS, ROWS]`.
#[derive(Clone)]
#[repr(C, align(64))]
struct Sums([[i32; ROWS]; CELLS * MOST_OUTPUTS]);

/// Memory that convolutions use on their way.
#[derive(Debug, Clone, Default)]
pub(crate) struct AmxScratch {
    /// `[cells, lines]`: the inputs; behind them what cells beyond the board would see.
    lines: Vec<Line>,
    /// Bytes from the corner that a cell sees to what each step multiplies.
    offsets: Vec<usize>,
}

/// How planes lie in memory.
#[derive(Debug, Clone, Copy)]
struct Form {
    /// Of a cell.
    lines: usize,
    /// Whether a line has the planes of a cell, and those of the next one behind them.
    is_double: bool,
}

impl Form {
    const fn new(planes: usize) -> Self {
        Self {
            lines: planes.div_ceil(DEPTH),
            is_double: planes <= DEPTH / 2,
        }
    }

    /// Returns the steps in which a rank is multiplied.
    const fn steps(self) -> usize {
        if self.is_double { 2 } else { 3 * self.lines }
    }

    /// Returns the line in which a step begins, seen from the first cell of a rank.
    const fn line(self, step: usize) -> usize {
        if self.is_double { 2 * step } else { step }
    }

    /// Returns the cell, of those that are seen in a rank, and the plane of a byte in a step.
    const fn seen(self, step: usize, byte: usize) -> (usize, usize) {
        if self.is_double {
            let half = DEPTH / 2;
            return (2 * step + byte / half, byte % half);
        }
        (step / self.lines, step % self.lines * DEPTH + byte)
    }

    /// Puts the inputs of each cell into its lines.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn pack<'a>(self, inputs: impl Iterator<Item = &'a [Wholes]>, lines: &mut [Line]) {
        for (cell, input) in inputs.enumerate() {
            if self.is_double {
                let mut bytes = [0; DEPTH / 2];
                for (byte, &number) in bytes.iter_mut().zip(input.as_flattened()) {
                    *byte = number as u8;
                }
                lines[cell].0[..DEPTH / 2].copy_from_slice(&bytes);
                lines[cell.saturating_sub(1)].0[DEPTH / 2..].copy_from_slice(&bytes);
                continue;
            }
            let lines = lines[cell * self.lines..].iter_mut();
            for (line, input) in lines.zip(input.chunks(DEPTH / LANES)) {
                for (byte, &number) in line.0.iter_mut().zip(input.as_flattened()) {
                    *byte = number as u8;
                }
            }
        }
    }
}

/// Weights in tiles.
#[derive(Debug, Clone)]
pub(crate) struct AmxConvolution {
    form: Form,
    /// For each group of outputs, how many tiles, and where their weights begin.
    groups: Vec<(usize, usize)>,
    /// `[groups, ranks, steps, tiles of the group]`
    weights: Vec<Weights>,
    scales: Vec<[f32; LANES]>,
}

/// All eight tiles with sixteen rows of 64 bytes.
#[repr(C, align(64))]
struct Shape([u8; 64]);

const SHAPE: Shape = {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        bytes[16 + 2 * tile] = DEPTH as u8;
        bytes[48 + tile] = ROWS as u8;
        tile += 1;
    }
    Shape(bytes)
};

/// Returns whether the processor has the instructions, and the system lets this process use them. Asked once.
pub(crate) fn is_there() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        // Bits 24 and 25 of EDX: tiles, and products of bytes.
        let has_tiles = __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx >> 24 & 3 == 3;
        let has_vectors = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        has_tiles && has_vectors && is_let()
    })
}

/// Asks Linux to keep tiles when it changes threads; without that the instructions fail.
#[cfg(target_os = "linux")]
fn is_let() -> bool {
    /// `ARCH_REQ_XCOMP_PERM`, and the number of what tiles hold.
    const REQUEST: [libc::c_long; 2] = [0x1023, 18];
    #[expect(unsafe_code, reason = "libc has no function for it")]
    // SAFETY: the call reads and writes no memory of ours.
    let answer = unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST[0], REQUEST[1]) };
    answer == 0
}

#[cfg(not(target_os = "linux"))]
const fn is_let() -> bool {
    false
}

/// Cuts tiles of outputs into groups.
fn groups(tiles: usize) -> impl Iterator<Item = usize> {
    (0..tiles)
        .step_by(MOST_OUTPUTS)
        .map(move |first| MOST_OUTPUTS.min(tiles - first))
}

impl AmxConvolution {
    /// Makes one of weights `[outputs, inputs, 3, 3]` and what one in the sums is worth, filled up as outputs are.
    pub(crate) fn new(inputs: usize, numbers: &[i8], scales: Vec<[f32; LANES]>) -> Self {
        let form = Form::new(inputs);
        let steps = form.steps();
        let (mut made, mut weights, mut first) = (Vec::new(), Vec::new(), 0);
        for tiles in groups(scales.len()) {
            made.push((tiles, weights.len()));
            for (rank, step) in (0..3 * steps).map(|it| (it / steps, it % steps)) {
                for tile in first..first + tiles {
                    let weight = |place: usize| {
                        let (row, output) = (place / DEPTH, place % DEPTH / 4);
                        let (file, input) = form.seen(step, 4 * row + place % 4);
                        let output = (tile * ROWS + output) * inputs;
                        let is_own = file < 3 && input < inputs;
                        let place = is_own.then_some((output + input) * 9 + 3 * rank + file);
                        place.and_then(|place| numbers.get(place)).copied()
                    };
                    weights.push(Weights(std::array::from_fn(|place| {
                        weight(place).unwrap_or(0)
                    })));
                }
            }
            first += tiles;
        }
        Self {
            form,
            groups: made,
            weights,
            scales,
        }
    }

    /// Computes the outputs of all squares, where [`is_there`] says so; biases are given in ones of the outputs.
    #[expect(unsafe_code, reason = "instructions of one kind of processor")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(crate) fn apply(&self, bias: &[[f32; LANES]], job: &mut IntegerJob<'_>) {
        let (grid, form) = (job.grid, self.form);
        let first = grid.cell(0);
        let cells = (grid.cell(grid.squares() - 1) + 1 - first).next_multiple_of(CELLS);
        let AmxScratch {
            mut lines,
            mut offsets,
        } = std::mem::take(&mut job.scratch.amx);
        offsets.clear();
        for rank in 0..3 {
            let line = |step| rank * grid.width() * form.lines + form.line(step);
            offsets.extend((0..form.steps()).map(|step| line(step) * DEPTH));
        }
        // The last cell sees two ranks and three cells from its corner on.
        let most = grid.cells().max(cells + 2 * grid.width() + 3);
        lines.resize(most * form.lines, Line([0; DEPTH]));
        let blocks = job.input.len() / grid.cells();
        form.pack(job.input.chunks_exact(blocks), &mut lines);
        let mut sums = Sums([[0; ROWS]; CELLS * MOST_OUTPUTS]);
        // SAFETY: the processor has the instructions; the shape is 64 bytes long.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &SHAPE, options(nostack, readonly)) };
        let mut block = 0;
        for &(tiles, place) in &self.groups {
            let weights = &self.weights[place..place + tiles * offsets.len()];
            for at in (0..cells).step_by(CELLS) {
                let seen = (&lines[at * form.lines..], form.lines);
                // SAFETY: tiles are configured; rows and weights lie in their slices, as their lengths above say.
                unsafe { multiply(seen, &offsets, weights, tiles, &mut sums) };
                for tile in 0..tiles {
                    self.put(first + at, (tile, tiles), &sums, (block + tile, bias), job);
                }
            }
            block += tiles;
        }
        // SAFETY: the processor has the instruction.
        unsafe { asm!("tilerelease", options(nomem, nostack)) };
        job.scratch.amx = AmxScratch { lines, offsets };
    }

    /// Puts the sums of a tile of outputs, those of one block, into the squares among the cells from `first` on.
    #[expect(unsafe_code, reason = "instructions of one kind of processor")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn put(
        &self,
        first: usize,
        (tile, tiles): (usize, usize),
        sums: &Sums,
        (block, bias): (usize, &[[f32; LANES]]),
        job: &mut IntegerJob<'_>,
    ) {
        let (width, squares) = (job.grid.width(), job.grid.size());
        let mut file = first % width;
        let last = job.grid.cell(job.grid.squares() - 1);
        // SAFETY: all arrays are as long as a register.
        unsafe {
            let scale = _mm512_loadu_ps(self.scales[block].as_ptr());
            let bias_of = _mm512_loadu_ps(bias[block].as_ptr());
            let most = _mm512_set1_ps(f32::from(u8::MAX));
            let added = job.added.map(|added| _mm512_set1_ps(added));
            for row in 0..CELLS.min(last + 1 - first) {
                if (1..=squares).contains(&file) {
                    let place = (row / ROWS * tiles + tile) * ROWS + row % ROWS;
                    let sum = _mm512_cvtepi32_ps(_mm512_loadu_si512(sums.0[place].as_ptr().cast()));
                    let mut float = _mm512_fmadd_ps(sum, scale, bias_of);
                    let out: &mut Wholes = &mut job.output[(first + row) * bias.len() + block];
                    if let Some(added) = added {
                        let before = _mm256_loadu_si256(out.as_ptr().cast());
                        let before = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(before));
                        float = _mm512_fmadd_ps(before, added, float);
                    }
                    let nearest = _mm512_cvtps_epi32(_mm512_min_ps(float, most));
                    let nearest = _mm512_max_epi32(nearest, _mm512_setzero_si512());
                    _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(nearest));
                }
                file = if file + 1 == width { 0 } else { file + 1 };
            }
        }
    }
}

/// Multiplies what [`CELLS`] cells see, which have `count` lines each, by the weights of some tiles of outputs.
///
/// # Safety
/// Tiles are configured; behind each offset from each cell there are [`DEPTH`] bytes, and `tiles` weights for each offset.
#[expect(unsafe_code, reason = "instructions of one kind of processor")]
unsafe fn multiply(
    (seen, count): (&[Line], usize),
    offsets: &[usize],
    weights: &[Weights],
    tiles: usize,
    sums: &mut Sums,
) {
    /// Assembles instructions, with all that they may name.
    macro_rules! assemble {
        ($($instruction:literal),* $(,)?) => {
            asm!(
                $($instruction,)*
                at = out(reg) _,
                offsets = inout(reg) offsets.as_ptr() => _,
                seen = in(reg) seen.as_ptr(),
                count = in(reg) DEPTH * count,
                half = in(reg) ROWS * DEPTH * count,
                weights = inout(reg) weights.as_ptr() => _,
                line = in(reg) DEPTH,
                left = inout(reg) offsets.len() => _,
                sums = in(reg) sums.0.as_mut_ptr(),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            )
        };
    }
    // SAFETY: as above; the sums have a place for each tile of outputs.
    unsafe {
        if tiles == 2 {
            assemble!(
                "tilezero tmm0; tilezero tmm1; tilezero tmm2; tilezero tmm3",
                "2:",
                "mov {at}, [{offsets}]",
                "add {offsets}, 8; add {at}, {seen}",
                "tileloadd tmm6, [{weights} + {line}*1]",
                "tileloadd tmm4, [{at} + {count}*1]",
                "tileloadd tmm7, [{weights} + {line}*1 + 1024]",
                "add {at}, {half}",
                "add {weights}, 2048",
                "tdpbusd tmm0, tmm4, tmm6",
                "tileloadd tmm5, [{at} + {count}*1]",
                "tdpbusd tmm1, tmm4, tmm7",
                "tdpbusd tmm2, tmm5, tmm6",
                "tdpbusd tmm3, tmm5, tmm7",
                "dec {left}; jnz 2b",
                "tilestored [{sums} + {line}*1], tmm0",
                "tilestored [{sums} + {line}*1 + 1024], tmm1",
                "tilestored [{sums} + {line}*1 + 2048], tmm2",
                "tilestored [{sums} + {line}*1 + 3072], tmm3",
            );
        } else {
            assemble!(
                "tilezero tmm0; tilezero tmm2",
                "2:",
                "mov {at}, [{offsets}]",
                "add {offsets}, 8; add {at}, {seen}",
                "tileloadd tmm6, [{weights} + {line}*1]",
                "tileloadd tmm4, [{at} + {count}*1]",
                "add {at}, {half}",
                "add {weights}, 1024",
                "tileloadd tmm5, [{at} + {count}*1]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm2, tmm5, tmm6",
                "dec {left}; jnz 2b",
                "tilestored [{sums} + {line}*1], tmm0",
                "tilestored [{sums} + {line}*1 + 1024], tmm2",
            );
        }
    }
}
