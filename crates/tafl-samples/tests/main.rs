//! Planes, records, targets.

#[path = "../../tafl-rules/tests/plain/fields.rs"]
mod fields;
mod playouts;

mod auxiliary;
mod laws;
mod planes;
mod records;
