#![no_main]

#[path = "../../tests/readers/consistency.rs"]
mod consistency;
#[path = "../../tests/readers/laws.rs"]
mod laws;
#[path = "../../tests/readers/notation_laws.rs"]
mod notation_laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check("position", bytes));
