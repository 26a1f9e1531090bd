//! The rules: by vectors, by laws, by a second implementation, and what is read and written.

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod plain;

mod allocation;
mod differential;
mod readers;
mod rules;
