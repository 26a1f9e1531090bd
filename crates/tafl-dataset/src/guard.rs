//! Calls of the Parquet reader, which panics at some damaged pages instead of answering.

use crate::DatasetError;
use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

thread_local! {
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is decoding a Parquet file: a panic then becomes an error that names the file, and a panic
/// hook has nothing to report.
pub fn reads_parquet() -> bool {
    READS.get()
}

/// Calls the reader of a file.
pub(crate) fn guarded<T, E: Display>(
    path: &Path,
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T, DatasetError> {
    let before = READS.replace(true);
    // What the call has half-changed is the reader's own, which is not used after an error.
    let answer = catch_unwind(AssertUnwindSafe(call));
    READS.set(before);
    match answer {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(error)) => Err(DatasetError::parquet(path, &error)),
        Err(_) => Err(DatasetError::parquet(path, &"a damaged page")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_reader_is_an_error_of_the_file() {
        let path = Path::new("a.parquet");
        let read: Result<(), _> = guarded(path, || -> Result<(), &str> {
            assert!(reads_parquet());
            panic!("offset + len out of bounds")
        });
        let error = read.expect_err("a panic").to_string();
        assert!(
            error.contains("a.parquet") && error.contains("a damaged page"),
            "{error}"
        );
        assert!(!reads_parquet());
        assert!(guarded(path, || Ok::<_, &str>(1)).is_ok());
    }
}
