//! Locks that keep two processes from writing the same files.

use crate::atomic::open_here;
use crate::{StoreError, create_folder};
use std::fs::{File, TryLockError};
use std::path::Path;

/// The file whose lock is that of its folder.
const FILE_NAME: &str = ".lock";

/// Takes the lock of a file that is open for writing, as NFS asks; `false` if another process holds it.
///
/// The lock lasts as long as the file is open; a process that ends in any way releases it. Some network file systems
/// have no locks: there every attempt succeeds, and the user must take care.
pub(crate) fn try_lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Creates a folder if it is missing and takes its own lock, without a file in it; `what` names it in the error.
///
/// # Errors
/// If the folder cannot be made, or another process holds the lock.
pub fn lock_plainly(folder: &Path, what: &'static str) -> Result<Option<File>, StoreError> {
    create_folder(folder)?;
    // Where folders cannot be opened there is no lock.
    let Ok(file) = File::open(folder) else {
        return Ok(None);
    };
    if try_lock(&file) {
        return Ok(Some(file));
    }
    let path = folder.into();
    Err(StoreError::InUse { path, what })
}

/// Creates a folder if it is missing and takes its lock; `what` names it in the error. The lock lasts as long as the file is
/// open.
///
/// # Errors
/// If another process holds it, or the operating system refuses.
pub fn lock_folder(folder: &Path, what: &'static str) -> Result<File, StoreError> {
    lock_file(&folder.join(FILE_NAME))?.ok_or_else(|| {
        let path = folder.into();
        StoreError::InUse { path, what }
    })
}

/// Opens a file that is there for its lock alone, made with its folder if it is missing, and takes the lock; `None` if
/// another process holds it.
///
/// # Errors
/// If the operating system refuses.
pub fn lock_file(path: &Path) -> Result<Option<File>, StoreError> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let file = open_here(path).map_err(|error| StoreError::writing(path, &error))?;
    Ok(try_lock(&file).then_some(file))
}
