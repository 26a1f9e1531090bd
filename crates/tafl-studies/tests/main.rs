//! Studies, tournaments and sequential tests on disk.

#[path = "../../../tests/support/contents.rs"]
mod contents;

mod sequential;
mod study;
mod tournament;
mod words;
