//! Event files for `TensorBoard`: scalars, and the hyper-parameters of a run for its plugin `HParams`.
//!
//! The messages are those of tensorflow/core (event, summary, tensor) and tensorboard/plugins/hparams (plugin_data), as far as
//! they are used.

use crate::protobuf::Message;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Writes scalars to an event file.
#[derive(Debug)]
pub struct EventWriter {
    file: File,
}

impl EventWriter {
    /// Makes an event file, in place of one that is there; `TensorBoard` reads files with `tfevents` in their names.
    ///
    /// `wall_time` is the time in seconds since 1970.
    ///
    /// # Errors
    /// If the file cannot be made or written.
    pub fn create(path: &Path, wall_time: f64) -> io::Result<Self> {
        let file = tafl_store::create_file(path)?;
        let mut writer = Self { file };
        writer.write(&event(wall_time, 0).text(3, "brain.Event:2"))?;
        Ok(writer)
    }

    /// Appends the values of some curves at a step; they are in the file when this returns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn scalars(&mut self, step: u64, wall_time: f64, values: &[(&str, f64)]) -> io::Result<()> {
        let summary = Message::default().each(values, |it, (tag, value)| {
            it.message(1, Message::default().text(1, tag).float(2, *value as f32))
        });
        self.write(&event(wall_time, step).message(5, summary))
    }

    /// Appends what a run was told, by name; lists become text.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn hyper_parameters(
        &mut self,
        wall_time: f64,
        values: &BTreeMap<String, Value>,
    ) -> io::Result<()> {
        let session = Message::default()
            .each(values, |it, (name, value)| {
                it.message(1, Message::default().text(1, name).message(2, told(value)))
            })
            .double(5, wall_time);
        let content = Message::default().message(3, session);
        let plugin = Message::default().text(1, "hparams").message(2, content);
        // The plugin reads nothing of the value, but one without a tensor is passed over: of type 1, a float, and length 1.
        let length = Message::default().message(2, Message::default().number(1, 1));
        let nothing = Message::default().number(1, 1).message(2, length);
        let value = Message::default()
            .text(1, "_hparams_/session_start_info")
            .message(8, nothing.bytes(5, vec![0; size_of::<f32>()]))
            .message(9, Message::default().message(1, plugin));
        let summary = Message::default().message(1, value);
        self.write(&event(wall_time, 0).message(5, summary))
    }

    fn write(&mut self, event: &Message) -> io::Result<()> {
        let Message(content) = event;
        let length = (content.len() as u64).to_le_bytes();
        let mut record = Vec::with_capacity(content.len() + 16);
        record.extend(length);
        record.extend(masked_crc(&length).to_le_bytes());
        record.extend(content);
        record.extend(masked_crc(content).to_le_bytes());
        self.file.write_all(&record)
    }
}

fn event(wall_time: f64, step: u64) -> Message {
    let event = Message::default().double(1, wall_time);
    match i64::try_from(step) {
        Ok(0) => event,
        step => event.number(2, step.unwrap_or(i64::MAX)),
    }
}

/// Returns a `google.protobuf.Value`.
fn told(value: &Value) -> Message {
    let told = Message::default();
    match value {
        Value::Number(number) => told.double(2, number.as_f64().unwrap_or_default()),
        Value::Bool(switch) => told.bool(4, *switch),
        Value::String(text) => told.text(3, text),
        other => told.text(3, &other.to_string()),
    }
}

/// Returns the checksum of the `TFRecord` format: CRC-32C, rotated and shifted.
fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
        .rotate_right(15)
        .wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_format() {
        // "123456789" has CRC-32C e3069283 (RFC 3720 B.4 family), masked by hand.
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(masked_crc(b"123456789"), 0xc78a_b0e5);
    }

    #[test]
    fn scalars_are_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.out.tfevents.0.tafl");
        std::fs::write(&path, "of a killed process").unwrap();
        let mut writer = EventWriter::create(&path, 1.0).unwrap();
        writer
            .scalars(7, 2.0, &[("loss/policy", 0.5), ("loss/value", 0.25)])
            .unwrap();
        let whole = std::fs::read(&path).unwrap();
        let [first, second] = &read_back(&whole)[..] else {
            panic!("two events");
        };
        // The second is at 2.0, step 7, with a summary of two values: 0.5 and 0.25.
        assert_eq!(first, b"\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0dbrain.Event:2");
        let expected = b"\x09\0\0\0\0\0\0\0\x40\x10\x07\x2a\x27\
            \x0a\x12\x0a\x0bloss/policy\x15\0\0\0\x3f\x0a\x11\x0a\x0aloss/value\x15\0\0\x80\x3e";
        assert_eq!(second, expected);
    }

    #[test]
    fn hyper_parameters_keep_their_kinds() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.out.tfevents.0.tafl");
        let mut writer = EventWriter::create(&path, 1.0).unwrap();
        let given = [
            ("search.visits", Value::from(32)),
            ("targets.proven_results", Value::from(true)),
            ("precision", Value::from("int8")),
            ("ladder.pool", Value::from(vec!["random", "greedy"])),
        ];
        let given = given.map(|(name, value)| (name.to_owned(), value));
        writer.hyper_parameters(2.0, &given.into()).unwrap();
        let events = read_back(&std::fs::read(&path).unwrap());
        let holds = |part: &[u8]| events[1].windows(part.len()).any(|it| it == part);
        assert!(holds(
            b"\x0a\x1c_hparams_/session_start_info\x42\x0e\x08\x01\x12"
        ));
        assert!(holds(b"\x0a\x07hparams\x12"));
        // An entry of the map has the name as its field 1, and as its field 2 a number, a text or a switch.
        assert!(holds(
            b"\x0a\x0dsearch.visits\x12\x09\x11\0\0\0\0\0\0\x40\x40"
        ));
        assert!(holds(b"\x0a\x16targets.proven_results\x12\x02\x20\x01"));
        assert!(holds(b"\x0a\x09precision\x12\x06\x1a\x04int8"));
        assert!(holds(
            b"\x0a\x0bladder.pool\x12\x15\x1a\x13[\"random\",\"greedy\"]"
        ));
    }

    /// Returns the contents of the records of an event file.
    fn read_back(mut bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut events = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk::<8>() {
            let length = u64::from_le_bytes(*length) as usize;
            let (content, crc) = (&rest[4..4 + length], &rest[4 + length..8 + length]);
            assert_eq!(crc, masked_crc(content).to_le_bytes());
            events.push(content.to_vec());
            bytes = &rest[8 + length..];
        }
        events
    }
}
