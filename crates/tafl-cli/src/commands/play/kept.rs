//! The file in which a game is kept while it is played.

use std::path::{Path, PathBuf};
use tafl_store::{StoreError, remove_if_there, write_atomically, write_new};

/// Where a game is kept, turn by turn: in the first of `copenhagen-1.txt`, `copenhagen-2.txt` and so on that nobody has.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    /// The names without their numbers.
    stem: String,
    /// Chosen when it is first written, as others may play meanwhile.
    file: Option<PathBuf>,
}

impl Kept {
    pub(super) fn new(folder: PathBuf, ruleset: &str) -> Self {
        let stem = Path::new(ruleset).file_stem().unwrap_or_default();
        Self {
            folder,
            stem: stem.display().to_string(),
            file: None,
        }
    }

    /// Returns the file, if the game is in one.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Writes what there is of the game.
    pub(super) fn write(&mut self, text: &str) -> Result<(), StoreError> {
        if let Some(file) = &self.file {
            return write_atomically(file, text.as_bytes());
        }
        for number in 1_u64.. {
            let file = self.folder.join(format!("{}-{number}.txt", self.stem));
            if write_new(&file, text.as_bytes())? {
                self.file = Some(file);
                break;
            }
        }
        Ok(())
    }

    /// Removes the file of a game whose turns were all taken back.
    pub(super) fn remove(&mut self) -> Result<(), StoreError> {
        self.file().map_or(Ok(()), remove_if_there)?;
        self.file = None;
        Ok(())
    }

    /// Leaves the file as it is; another game is kept in another.
    pub(super) fn leave(&mut self) {
        self.file = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_begin_at_once_are_kept_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let begin = || Kept::new(folder.path().to_owned(), "mine/brandubh.toml");
        let (mut one, mut other) = (begin(), begin());
        other.write("1. d1-b1").expect("written");
        one.write("1. d1-c1").expect("written");
        other.write("1. d1-b1 d3-a3").expect("written");
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("kept");
        assert_eq!(text("brandubh-1.txt"), "1. d1-b1 d3-a3");
        assert_eq!(text("brandubh-2.txt"), "1. d1-c1");
        other.remove().expect("removed");
        assert_eq!(other.file(), None);
        one.leave();
        one.write("1. d7-c7").expect("written");
        assert_eq!(text("brandubh-1.txt"), "1. d7-c7");
        assert_eq!(text("brandubh-2.txt"), "1. d1-c1");
    }
}
