//! Files and folders as they are read: regular files only, up to a size.

use crate::StoreError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes of a text or of JSON that this program writes, at most.
pub const MOST_TEXT_BYTES: u64 = 256 << 20;

/// Opens a regular file of at most `most_bytes` for reading.
///
/// Nothing is waited for: a named pipe, a device or a folder is refused.
///
/// # Errors
/// If it is missing, no regular file or larger, or the operating system refuses.
pub fn open_file(path: &Path, most_bytes: u64) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Without this, opening a named pipe waits for its writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path);
    let file = file.map_err(|error| StoreError::reading(path, &error))?;
    check_file(path, &file, most_bytes)?;
    Ok(file)
}

/// Checks that an open file is a regular one of at most `most_bytes`.
pub(crate) fn check_file(path: &Path, file: &File, most_bytes: u64) -> Result<(), StoreError> {
    let about = file.metadata();
    let about = about.map_err(|error| StoreError::reading(path, &error))?;
    if about.is_dir() {
        return Err(StoreError::unreadable(path, "a folder; name a file in it"));
    }
    if !about.is_file() {
        return Err(StoreError::unreadable(path, "not a regular file"));
    }
    if about.len() > most_bytes {
        let reason = format!("{} bytes, at most {most_bytes} are read", about.len());
        return Err(StoreError::unreadable(path, reason));
    }
    Ok(())
}

/// Reads a regular file of at most `most_bytes`.
///
/// # Errors
/// As [`open_file`].
pub fn read_file(path: &Path, most_bytes: u64) -> Result<Vec<u8>, StoreError> {
    let file = open_file(path, most_bytes)?;
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    let read = file.take(most_bytes).read_to_end(&mut bytes);
    read.map_err(|error| StoreError::reading(path, &error))?;
    Ok(bytes)
}

/// Reads a regular file of at most `most_bytes` as text, without the byte-order mark that other programs put before it.
///
/// # Errors
/// As [`open_file`], and if it is not UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> Result<String, StoreError> {
    let bytes = read_file(path, most_bytes)?;
    let reason = match bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        true => "UTF-16; save it as UTF-8",
        false => "not UTF-8",
    };
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| StoreError::unreadable(path, reason))?;
    Ok(without_mark(text))
}

/// Returns a text without the byte-order mark at its beginning.
pub fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// Returns what is in a folder, by name; nothing if it is missing.
///
/// # Errors
/// If the operating system refuses.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let paths = || -> io::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder)?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    };
    match paths() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(|error| StoreError::reading(folder, &error)),
    }
}
