//! Checksums within a Parquet file, which detect damage before anything is decoded.
//!
//! The parquet crate writes no checksums of pages; a fifth of all single flipped bits in a file without any is read as
//! other samples, and some make its decoders panic. Parquet readers find the footer from the end of a file and the data
//! by the offsets that it holds, so they ignore bytes between the two. There stand [`MARK`], the SHA-256 of all that
//! comes before, and the SHA-256 of all that comes after. A file that another program has written has no mark and is read
//! unchecked.

use crate::DatasetError;
use sha2::{Digest, Sha256};
use std::path::Path;
use tafl_store::{StoreError, read_file};

/// The largest file that is read.
pub(crate) const MOST_BYTES: u64 = 4 << 30;

const MARK: &[u8; 8] = b"TAFLSEAL";
const LENGTH: usize = MARK.len() + 32 + 32;
const TAIL: usize = 8;

/// Returns a Parquet file with its checksums, which other readers do not notice; `None` if it is none.
pub(crate) fn add(parquet: &[u8]) -> Option<Vec<u8>> {
    let (data, rest) = parquet.split_at(footer_start(parquet)?);
    let sums = [data, rest].map(Sha256::digest);
    Some([data, MARK, &sums[0][..], &sums[1][..], rest].concat())
}

/// Checks that a file is as it was written, if it has checksums.
pub(crate) fn check(path: &Path) -> Result<(), DatasetError> {
    check_bytes(path, &read_file(path, MOST_BYTES)?)
}

/// Checks that the bytes of a file are as they were written, if there are checksums.
pub(crate) fn check_bytes(path: &Path, bytes: &[u8]) -> Result<(), DatasetError> {
    let whole = || {
        let footer =
            footer_start(bytes).ok_or("not a whole Parquet file (cut off, or something else)")?;
        let start = footer.saturating_sub(LENGTH);
        let Some(sums) = bytes[start..footer].strip_prefix(MARK) else {
            return Ok(());
        };
        let found = [&bytes[..start], &bytes[footer..]].map(Sha256::digest);
        if sums == found.concat() {
            Ok(())
        } else {
            Err("damaged since it was written (its checksum differs)")
        }
    };
    whole().map_err(|reason: &str| StoreError::unreadable(path, reason).into())
}

/// Returns where the footer of a file begins.
fn footer_start(file: &[u8]) -> Option<usize> {
    let tail: &[u8; TAIL] = file.last_chunk()?;
    let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    if tail[4..] != *b"PAR1" {
        return None;
    }
    file.len()
        .checked_sub(TAIL)?
        .checked_sub(usize::try_from(footer).ok()?)
}
