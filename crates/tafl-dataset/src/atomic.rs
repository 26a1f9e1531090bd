//! Files that are there whole or not at all.

use crate::DatasetError;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place, brings it to the disk and renames it.
///
/// The folder is made if it is missing. After a crash at any moment the file is the former one or the
/// new one; a left-over temporary file is overwritten by the next attempt.
///
/// # Errors
/// If the operating system refuses; the former file is untouched and the temporary one removed.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), DatasetError> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let temporary = temporary_name(path);
    let written = write_durably(&temporary, contents).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // The disk may be full: what was begun only takes space. The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        DatasetError::writing(path, &error)
    })?;
    sync_folder_of(path).map_err(|error| DatasetError::writing(path, &error))
}

/// Makes a folder and those above it.
///
/// # Errors
/// If the operating system refuses.
pub fn create_folder(folder: &Path) -> Result<(), DatasetError> {
    fs::create_dir_all(folder).map_err(|error| DatasetError::writing(folder, &error))
}

/// Returns the name under which a file is written before it is renamed: `a.parquet` becomes
/// `a.tmp.parquet`, with the extension kept for writers that choose the format by it.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.file_stem().unwrap_or_default());
    name.push(".tmp");
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Returns what is in a folder, by name; nothing if it is missing.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let paths = || -> io::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder)?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    };
    match paths() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(|error| DatasetError::reading(folder, &error)),
    }
}

/// Removes the temporary files that a killed writer left in a folder; returns how many there were.
///
/// # Errors
/// If the operating system refuses; a folder that is missing holds none.
pub fn remove_leftovers(folder: &Path) -> Result<usize, DatasetError> {
    let mut paths = entries(folder)?;
    paths.retain(|path| is_temporary(path) && path.is_file());
    for path in &paths {
        fs::remove_file(path).map_err(|error| DatasetError::writing(path, &error))?;
    }
    Ok(paths.len())
}

/// Removes what a killed writer left in a folder and below: temporary files, and folders being written, `*.partial`.
pub(crate) fn remove_leftovers_below(folder: &Path) -> Result<(), DatasetError> {
    remove_leftovers(folder)?;
    for path in entries(folder)? {
        // Folders alone, and no links to folders elsewhere.
        if !path.symlink_metadata().is_ok_and(|it| it.is_dir()) {
            continue;
        }
        if path.extension().is_some_and(|end| end == "partial") {
            fs::remove_dir_all(&path).map_err(|error| DatasetError::writing(&path, &error))?;
        } else {
            remove_leftovers_below(&path)?;
        }
    }
    Ok(())
}

/// Returns whether a file is one that is being written, by its name.
pub(crate) fn is_temporary(path: &Path) -> bool {
    let tmp = |name: Option<&std::ffi::OsStr>| name.is_some_and(|name| name == "tmp");
    tmp(path.extension())
        || tmp(path
            .file_stem()
            .and_then(|stem| Path::new(stem).extension()))
}

fn write_durably(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// Brings the new name itself to the disk.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) && !folder.as_os_str().is_empty() => {
            File::open(folder)?.sync_all()
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_leftovers_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/a.parquet");
        write_atomically(&path, b"one").unwrap();
        fs::write(temporary_name(&path), b"half of tw").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(!temporary_name(&path).exists());
        fs::write(temporary_name(&path), b"half").unwrap();
        assert_eq!(remove_leftovers(path.parent().unwrap()).unwrap(), 1);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert_eq!(remove_leftovers(&folder.path().join("missing")).unwrap(), 0);
    }

    #[test]
    fn the_extension_stays() {
        assert_eq!(
            temporary_name(Path::new("d/w.safetensors")),
            Path::new("d/w.tmp.safetensors")
        );
        assert_eq!(temporary_name(Path::new("d/w")), Path::new("d/w.tmp"));
    }

    #[test]
    fn a_refusal_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let error = write_atomically(&file.join("a.parquet"), b"x")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("writing {}", file.display())),
            "{error}"
        );
    }
}
