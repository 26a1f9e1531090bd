//! A seal within a Parquet file, by which damage is noticed before anything is decoded.
//!
//! Parquet readers find the footer from the end of a file and the data by the offsets that it holds, so
//! bytes between the two concern nobody. There stand [`MARK`], the SHA-256 of all that comes before, and
//! the SHA-256 of all that comes after. Decoders may panic on damaged pages; sealed ones never reach them.

use crate::DatasetError;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

const MARK: &[u8; 8] = b"TAFLSEAL";
const SEAL: usize = MARK.len() + 32 + 32;
const TAIL: usize = 8;
const TRUNCATED: &str = "not a whole Parquet file (cut off, or something else)";
const UNSEALED: &str = "damaged, or not written by Taflforge (no seal before the footer)";
const BROKEN: &str = "damaged since it was written (its seal is broken)";

/// Puts the seal into a Parquet file, which other readers do not notice; `None` if it is none.
///
/// Every file written here has one. Whoever rewrites such a file has to seal it for it to be read here.
#[must_use]
pub fn seal(parquet: &[u8]) -> Option<Vec<u8>> {
    let footer = footer_start(parquet.len(), parquet)?;
    let (data, rest) = parquet.split_at(footer);
    let mut sealed = Vec::with_capacity(parquet.len() + SEAL);
    sealed.extend(data);
    sealed.extend(MARK);
    sealed.extend(Sha256::digest(data));
    sealed.extend(Sha256::digest(rest));
    sealed.extend(rest);
    Some(sealed)
}

/// Checks that a file is as it was sealed.
pub(crate) fn check(path: &Path) -> Result<(), DatasetError> {
    let bytes = fs::read(path).map_err(|error| DatasetError::reading(path, &error))?;
    check_bytes(path, &bytes)
}

/// Checks that the bytes of a file are as they were sealed.
pub(crate) fn check_bytes(path: &Path, bytes: &[u8]) -> Result<(), DatasetError> {
    let whole = || {
        let footer = footer_start(bytes.len(), bytes).ok_or(TRUNCATED)?;
        let seal = footer.checked_sub(SEAL).ok_or(UNSEALED)?;
        check_hash(&bytes[seal..footer], Part::Footer, &bytes[footer..])?;
        check_hash(&bytes[seal..footer], Part::Data, &bytes[..seal])
    };
    whole().map_err(|reason: &str| DatasetError::Parquet {
        path: path.into(),
        reason: reason.into(),
    })
}

/// Checks that the footer of a file, which tells its schema and its rows, is as it was sealed.
pub(crate) fn check_footer(path: &Path) -> Result<(), DatasetError> {
    let (length, end) = end_of(path).map_err(|error| DatasetError::reading(path, &error))?;
    let footer = || {
        let footer = footer_start(length, &end).ok_or(TRUNCATED)?;
        // The end holds the seal, the footer and the tail, if the file is long enough to have them.
        let after_seal = end.len().checked_sub(length - footer).ok_or(TRUNCATED)?;
        let seal = after_seal.checked_sub(SEAL).ok_or(UNSEALED)?;
        check_hash(&end[seal..after_seal], Part::Footer, &end[after_seal..])
    };
    footer().map_err(|reason: &str| DatasetError::Parquet {
        path: path.into(),
        reason: reason.into(),
    })
}

#[derive(Clone, Copy)]
enum Part {
    Data,
    Footer,
}

fn check_hash(seal: &[u8], part: Part, bytes: &[u8]) -> Result<(), &'static str> {
    let (mark, hashes) = seal.split_at(MARK.len());
    if mark != MARK {
        return Err(UNSEALED);
    }
    let expected = match part {
        Part::Data => &hashes[..32],
        Part::Footer => &hashes[32..],
    };
    if Sha256::digest(bytes)[..] == *expected {
        Ok(())
    } else {
        Err(BROKEN)
    }
}

/// Returns where the footer of a file of some length begins, given its last bytes.
fn footer_start(length: usize, end: &[u8]) -> Option<usize> {
    let tail: &[u8; TAIL] = end.last_chunk()?;
    let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    if tail[4..] != *b"PAR1" {
        return None;
    }
    length
        .checked_sub(TAIL)?
        .checked_sub(usize::try_from(footer).ok()?)
}

/// Returns the length of a file and its last bytes: the seal, the footer and the tail.
fn end_of(path: &Path) -> io::Result<(usize, Vec<u8>)> {
    let mut file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL) as u64))?;
    file.read_to_end(&mut tail)?;
    let Some(footer) = footer_start(length, &tail) else {
        return Ok((length, tail));
    };
    file.seek(SeekFrom::Start(footer.saturating_sub(SEAL) as u64))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    Ok((length, end))
}
