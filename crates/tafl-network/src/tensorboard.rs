//! Event files for `TensorBoard`: scalars only.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Appends scalars to an event file.
///
/// A file may be written by several processes after each other: an unfinished record at its end, as a kill leaves
/// it, is cut off when the file is opened.
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

/// Bytes of a record besides its content: length, its checksum, the content's checksum.
const FRAME: usize = 16;

impl EventWriter {
    /// Opens an event file, or makes one; `TensorBoard` reads files with `tfevents` in their names.
    ///
    /// `wall_time` is the time in seconds since 1970.
    ///
    /// # Errors
    /// If the file cannot be opened or written.
    pub fn open(path: &Path, wall_time: f64) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let end = whole_records(&bytes);
        file.set_len(end as u64)?;
        file.seek(SeekFrom::End(0))?;
        let mut writer = Self { file };
        if end == 0 {
            let file_version = Some("brain.Event:2".to_owned());
            writer.write(&Event {
                wall_time,
                step: 0,
                file_version,
                summary: None,
            })?;
        }
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
        let mut record = Vec::with_capacity(content.len() + FRAME);
        record.extend(length);
        record.extend(masked_crc(&length).to_le_bytes());
        record.extend(&content);
        record.extend(masked_crc(&content).to_le_bytes());
        self.file.write_all(&record)
    }
}

/// Returns the length of a file's whole records, leaving out what follows them.
fn whole_records(bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some((length, rest)) = bytes[end..].split_first_chunk::<8>() {
        let length_is_whole = rest.starts_with(&masked_crc(length).to_le_bytes());
        let next = usize::try_from(u64::from_le_bytes(*length)).ok();
        let next = next.and_then(|length| end.checked_add(length)?.checked_add(FRAME));
        match next.filter(|next| length_is_whole && *next <= bytes.len()) {
            Some(next) => end = next,
            None => break,
        }
    }
    end
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
    fn an_unfinished_record_is_cut_off_and_the_file_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.out.tfevents.0.tafl");
        let mut writer = EventWriter::open(&path, 1.0).unwrap();
        writer
            .scalars(7, 2.0, &[("loss/policy", 0.5), ("loss/value", 0.25)])
            .unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in [1, 5, 13, 20] {
            std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let mut writer = EventWriter::open(&path, 9.0).unwrap();
            writer
                .scalars(7, 2.0, &[("loss/policy", 0.5), ("loss/value", 0.25)])
                .unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
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
