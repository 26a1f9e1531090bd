//! Text that people and programs write, read up to a size: what never ends fills no memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of a file that people write, such as a config, at most: 1 MiB.
pub const MOST_CONFIG_BYTES: u64 = 1 << 20;

/// Bytes of a text of games or positions, at most: 256 MiB.
pub const MOST_GAMES_BYTES: u64 = 256 << 20;

/// Reads a file as text.
///
/// # Errors
/// If it cannot be read, has more bytes, or is not UTF-8.
pub fn text_of_file(path: &Path, most_bytes: u64) -> io::Result<String> {
    text_of(&mut File::open(path)?, most_bytes)
}

/// Reads text to its end.
///
/// # Errors
/// As [`text_of_file`].
pub fn text_of(reader: &mut dyn Read, most_bytes: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = reader.take(most_bytes + 1).read_to_string(&mut text)?;
    if read as u64 > most_bytes {
        let reason = format!(
            "larger than {} MiB, the most that is read",
            most_bytes >> 20
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_refused() {
        let mut endless = io::repeat(b'a');
        let error = text_of(&mut endless, MOST_CONFIG_BYTES).expect_err("no end");
        assert_eq!(
            error.to_string(),
            "larger than 1 MiB, the most that is read"
        );
        let mut longest = io::repeat(b'a').take(MOST_CONFIG_BYTES);
        let text = text_of(&mut longest, MOST_CONFIG_BYTES).expect("not more");
        assert_eq!(text.len() as u64, MOST_CONFIG_BYTES);
    }
}
