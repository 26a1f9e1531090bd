//! Reading some rows of many files.

use crate::DatasetError;
use crate::catalog::KnownFile;
use crate::parquet_file::Rows;
use rayon::prelude::*;
use std::sync::Arc;
use tafl_samples::Sample;

/// A row of a file of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: u32,
    pub(crate) row: u32,
}

/// Rows of one row group that are to be read: what one thread does at a time.
struct Part<'a> {
    file: &'a KnownFile,
    group: usize,
    /// Row and place in the result, by row; a row may come several times.
    wanted: &'a [(Place, u32)],
}

/// Reads the samples at some places, in their order; a row that comes several times is decoded once.
pub(crate) fn read_places(
    files: &[Arc<KnownFile>],
    places: &[Place],
) -> Result<Vec<Sample>, DatasetError> {
    let mut wanted: Vec<(Place, u32)> = places.iter().copied().zip(0..).collect();
    wanted.par_sort_unstable();
    let group_of = |place: Place| files[place.file as usize].group_of(place.row);
    let parts = wanted
        .chunk_by(|(one, _), (next, _)| one.file == next.file && group_of(*one) == group_of(*next));
    let parts = parts.map(|wanted| Part {
        file: &files[wanted[0].0.file as usize],
        group: group_of(wanted[0].0),
        wanted,
    });
    let parts: Vec<Part<'_>> = parts.collect();
    // In order of the parts, so the first error by file and row is the one to tell.
    let read: Vec<Result<Vec<Sample>, DatasetError>> = parts.par_iter().map(Part::read).collect();
    let mut samples: Vec<Option<Sample>> = vec![None; places.len()];
    for (part, read) in parts.iter().zip(read) {
        part.put(read?, &mut samples);
    }
    Ok(samples.into_iter().flatten().collect())
}

impl Part<'_> {
    /// Reads each wanted row once, by rising row.
    fn read(&self) -> Result<Vec<Sample>, DatasetError> {
        let mut rows: Vec<u32> = self.wanted.iter().map(|(place, _)| place.row).collect();
        rows.dedup();
        let opened = self.file.open()?;
        opened.samples(Rows::Picked(&[self.group], &rows))
    }

    /// Puts what was read where it was wanted.
    fn put(&self, read: Vec<Sample>, samples: &mut [Option<Sample>]) {
        let same_row = self
            .wanted
            .chunk_by(|(one, _), (next, _)| one.row == next.row);
        for (sample, wanted) in read.into_iter().zip(same_row) {
            let [others @ .., (_, last)] = wanted else {
                continue;
            };
            for (_, place) in others {
                samples[*place as usize] = Some(sample.clone());
            }
            samples[*last as usize] = Some(sample);
        }
    }
}
