//! Files that are there whole or not at all.

use crate::{StoreError, entries};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes a file beside its place, brings it to the disk and renames it.
///
/// The folder is made if it is missing. After a crash at any moment the file is the former one or the new one; a
/// temporary file, `a.parquet` being `a.parquet.<random>.tmp`, may be left until its store is opened: who looks for files
/// by their ending does not find it. Any number of processes may write one file: the last wins.
///
/// # Errors
/// If the operating system refuses; the former file is untouched and the temporary one removed.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), StoreError> {
    let temporary = written_beside(path, contents)?;
    // Dropped before, it is removed: what was begun only takes space.
    let persisted = temporary.persist(path);
    persisted.map_err(|failed| StoreError::writing(path, &failed.error))?;
    sync_folder_of(path).map_err(|error| StoreError::writing(path, &error))
}

/// Writes a value as JSON, as [`write_atomically`] does.
///
/// # Errors
/// If there is no JSON of it, or the operating system refuses.
pub fn write_json(path: &Path, content: &impl Serialize) -> Result<(), StoreError> {
    let text = serde_json::to_string_pretty(content);
    let text = text.map_err(|error| StoreError::unreadable(path, error))?;
    write_atomically(path, (text + "\n").as_bytes())
}

/// Writes a file as [`write_atomically`] does, but over none: returns whether there was nothing of its name. Of several
/// processes that write one file so, one does.
///
/// # Errors
/// If the operating system refuses.
pub fn write_new(path: &Path, contents: &[u8]) -> Result<bool, StoreError> {
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    // Another process may have made one meanwhile.
    if let Err(failed) = written_beside(path, contents)?.persist_noclobber(path) {
        return match failed.error.kind() {
            io::ErrorKind::AlreadyExists => Ok(false),
            _ => Err(StoreError::writing(path, &failed.error)),
        };
    }
    sync_folder_of(path).map_err(|error| StoreError::writing(path, &error))?;
    Ok(true)
}

/// Writes a temporary file beside the place of another one and brings it to the disk.
fn written_beside(path: &Path, contents: &[u8]) -> Result<NamedTempFile, StoreError> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let write = || -> io::Result<NamedTempFile> {
        let mut temporary = temporary_file(path)?;
        temporary.write_all(contents)?;
        temporary.as_file().sync_all()?;
        Ok(temporary)
    };
    write().map_err(|error| StoreError::writing(path, &error))
}

/// Makes a file beside the place of another one, which is removed when it is dropped.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(TEMPORARY);
    // As other new files, not private as temporary ones.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

/// Writes the files of a folder, which appears whole, in place of one that is there.
///
/// They are made in `folder.partial`; a process may be killed at any moment.
///
/// # Errors
/// If the operating system refuses.
pub fn write_folder(folder: &Path, files: &[(&str, &[u8])]) -> Result<(), StoreError> {
    let mut partial = folder.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    remove_folder_if_there(&partial)?;
    create_folder(&partial)?;
    for (name, bytes) in files {
        let path = partial.join(name);
        let write = || -> io::Result<()> {
            let mut file = File::create(&path)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(|error| StoreError::writing(&path, &error))?;
    }
    remove_folder_if_there(folder)?;
    let appear = || -> io::Result<()> {
        File::open(&partial)?.sync_all()?;
        fs::rename(&partial, folder)?;
        sync_folder_of(folder)
    };
    appear().map_err(|error| StoreError::writing(folder, &error))
}

fn remove_folder_if_there(folder: &Path) -> Result<(), StoreError> {
    unless_gone(folder, fs::remove_dir_all(folder))
}

fn unless_gone(path: &Path, removed: io::Result<()>) -> Result<(), StoreError> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::writing(path, &error))
        }
        _ => Ok(()),
    }
}

/// Makes a folder and those above it.
///
/// # Errors
/// If the operating system refuses.
pub fn create_folder(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|error| {
        let is_other = error.kind() == io::ErrorKind::AlreadyExists;
        let is_file = io::Error::other("it is a file, not a folder");
        StoreError::writing(folder, if is_other { &is_file } else { &error })
    })
}

/// What the name of a file that is being written ends in.
const TEMPORARY: &str = ".tmp";

/// Returns the name under which a file that one process alone writes is begun: `a.jsonl` becomes `a.jsonl.tmp`.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    name.into()
}

/// Returns the name of the file, without its extension, that a temporary file `a.parquet.<random>.tmp` was to be.
pub fn leftover_of(temporary: &Path) -> Option<String> {
    let name = temporary.file_name()?.to_str()?;
    let (name, _random) = name.strip_suffix(TEMPORARY)?.rsplit_once('.')?;
    let stem = Path::new(name).file_stem()?;
    Some(stem.to_str()?.to_owned())
}

/// Makes a file, or empties one that is there; nothing else can be in its place.
///
/// # Errors
/// If there is a symbolic link, which may lead anywhere, a named pipe, for whose reader nobody waits, or anything else that is
/// no regular file, or the operating system refuses.
pub fn create_file(path: &Path) -> io::Result<File> {
    let file = open_here(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Appends a line to a file, which is made if it is missing; as [`create_file`] does, to regular files alone.
///
/// # Errors
/// If something else is in its place, or the operating system refuses.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut file = open_here(path)?;
    file.seek(io::SeekFrom::End(0))?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// Makes a file, or opens one that is there, as [`create_file`] does.
pub(crate) fn open_here(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK,
    );
    let is_other = fs::symlink_metadata(path).is_ok_and(|about| !about.is_file());
    let file = match is_other {
        true => None,
        false => Some(options.open(path)?),
    };
    let file = file.filter(|file| file.metadata().is_ok_and(|about| about.is_file()));
    file.ok_or_else(|| io::Error::other("not a regular file"))
}

/// Removes what a killed writer left in a folder and below: temporary files, and folders being written, `*.partial`; a folder
/// that is missing holds none.
pub(crate) fn remove_leftovers(folder: &Path) -> Result<(), StoreError> {
    for path in entries(folder)? {
        // Folders alone, and no links to folders elsewhere.
        let is_folder = path.symlink_metadata().is_ok_and(|it| it.is_dir());
        let is_partial = path.extension().is_some_and(|end| end == "partial");
        let removed = match is_folder {
            true if is_partial => fs::remove_dir_all(&path),
            true => {
                remove_leftovers(&path)?;
                Ok(())
            }
            false if is_temporary(&path) && path.is_file() => fs::remove_file(&path),
            false => Ok(()),
        };
        removed.map_err(|error| StoreError::writing(&path, &error))?;
    }
    Ok(())
}

/// Returns whether a file is one that is being written, by its name.
pub fn is_temporary(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == &TEMPORARY[1..])
}

/// Removes a file, unless it is gone already.
///
/// # Errors
/// If the operating system refuses.
pub fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    unless_gone(path, fs::remove_file(path))
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
        let half = path.with_file_name("a.parquet.x1y2z3.tmp");
        fs::write(&half, b"half of tw").unwrap();
        assert_eq!(leftover_of(&half).as_deref(), Some("a"));
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        remove_leftovers(folder.path()).unwrap();
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        remove_leftovers(&folder.path().join("missing")).unwrap();
    }

    #[test]
    fn many_may_write_one_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        std::thread::scope(|scope| {
            for writer in 0..8_u8 {
                let path = &path;
                scope.spawn(move || {
                    (0..20).for_each(|_| write_atomically(path, &[writer; 4096]).unwrap());
                });
            }
        });
        let written = fs::read(&path).unwrap();
        assert_eq!(written, [written[0]; 4096]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_new_file_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/mine.txt");
        assert!(write_new(&path, b"one").unwrap());
        assert!(!write_new(&path, b"two").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        // Whoever looked before the other wrote comes too late, too.
        let late = written_beside(&path, b"three").unwrap();
        let refused = late.persist_noclobber(&path).unwrap_err();
        assert_eq!(refused.error.kind(), io::ErrorKind::AlreadyExists);
        drop(refused);
        assert_eq!(entries(path.parent().unwrap()).unwrap(), [path]);
    }

    #[test]
    #[cfg(unix)]
    fn symbolic_links_are_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, b"of someone else").unwrap();
        for name in ["report.html.tmp", "report.html", ".lock", "one.jsonl.tmp"] {
            std::os::unix::fs::symlink(&other, folder.path().join(name)).unwrap();
        }
        write_atomically(&folder.path().join("report.html"), b"mine").unwrap();
        assert!(crate::lock::lock_folder(folder.path(), "run").is_err());
        assert!(create_file(&folder.path().join("one.jsonl.tmp")).is_err());
        assert_eq!(fs::read(&other).unwrap(), b"of someone else");
        assert_eq!(
            fs::read(folder.path().join("report.html")).unwrap(),
            b"mine"
        );
    }

    #[test]
    fn what_is_being_written_has_the_ending_of_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.parquet");
        let begun = temporary_file(&path).unwrap();
        assert!(is_temporary(begun.path()), "{begun:?}");
        assert_eq!(leftover_of(begun.path()).as_deref(), Some("w"));
        let begun = temporary_name(&path);
        assert_eq!(begun, path.with_file_name("w.parquet.tmp"));
        assert!(is_temporary(&begun) && !is_temporary(&path));
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
        let error = create_folder(&file).unwrap_err().to_string();
        assert!(error.ends_with(": it is a file, not a folder"), "{error}");
    }
}
