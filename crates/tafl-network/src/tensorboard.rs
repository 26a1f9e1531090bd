//! Event files for `TensorBoard`: scalars only.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Writes scalars to an event file.
#[derive(Debug)]
pub struct EventWriter {
    file: File,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Event {
    #[prost(double, tag = "1")]
    wall_time: f64,
    #[prost(int64, tag = "2")]
    step: i64,
    #[prost(string, optional, tag = "3")]
    file_version: Option<String>,
    #[prost(message, optional, tag = "5")]
    summary: Option<Summary>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Summary {
    #[prost(message, repeated, tag = "1")]
    values: Vec<Value>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Value {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(float, optional, tag = "2")]
    simple_value: Option<f32>,
}

impl EventWriter {
    /// Makes an event file, in place of one that is there; `TensorBoard` reads files with `tfevents` in their names.
    ///
    /// `wall_time` is the time in seconds since 1970.
    ///
    /// # Errors
    /// If the file cannot be made or written.
    pub fn create(path: &Path, wall_time: f64) -> io::Result<Self> {
        let mut writer = Self {
            file: File::create(path)?,
        };
        writer.write(&Event {
            wall_time,
            step: 0,
            file_version: Some("brain.Event:2".to_owned()),
            summary: None,
        })?;
        Ok(writer)
    }

    /// Appends the values of some curves at a step; they are in the file when this returns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn scalars(&mut self, step: u64, wall_time: f64, values: &[(&str, f64)]) -> io::Result<()> {
        let value = |&(tag, value): &(&str, f64)| Value {
            tag: tag.to_owned(),
            simple_value: Some(value as f32),
        };
        let summary = Some(Summary {
            values: values.iter().map(value).collect(),
        });
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        self.write(&Event {
            wall_time,
            step,
            file_version: None,
            summary,
        })
    }

    fn write(&mut self, event: &Event) -> io::Result<()> {
        let content = prost::Message::encode_to_vec(event);
        let length = (content.len() as u64).to_le_bytes();
        let mut record = Vec::with_capacity(content.len() + 16);
        record.extend(length);
        record.extend(masked_crc(&length).to_le_bytes());
        record.extend(&content);
        record.extend(masked_crc(&content).to_le_bytes());
        self.file.write_all(&record)
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
        let events = read_back(&whole);
        assert_eq!(events[0].file_version.as_deref(), Some("brain.Event:2"));
        assert_eq!((events[1].step, events[1].wall_time), (7, 2.0));
        let values = &events[1].summary.as_ref().unwrap().values;
        assert_eq!(
            (&*values[1].tag, values[1].simple_value),
            ("loss/value", Some(0.25))
        );
    }

    fn read_back(mut bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk::<8>() {
            let length = u64::from_le_bytes(*length) as usize;
            let (content, crc) = (&rest[4..4 + length], &rest[4 + length..8 + length]);
            assert_eq!(crc, masked_crc(content).to_le_bytes());
            events.push(prost::Message::decode(content).unwrap());
            bytes = &rest[8 + length..];
        }
        events
    }
}
