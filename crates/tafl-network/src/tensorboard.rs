//! Event files for `TensorBoard`: scalars, and the hyper-parameters of a run for its plugin `HParams`.
//!
//! The messages are those of tensorflow/core (event, summary, tensor) and tensorboard/plugins/hparams (plugin_data), as far as
//! they are used.

use serde_json::Value as Json;
use std::collections::BTreeMap;
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
    #[prost(message, optional, tag = "8")]
    tensor: Option<Tensor>,
    #[prost(message, optional, tag = "9")]
    metadata: Option<Metadata>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Tensor {
    /// 1 is `DT_FLOAT`.
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(message, optional, tag = "2")]
    shape: Option<Shape>,
    #[prost(float, repeated, tag = "5")]
    floats: Vec<f32>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Shape {
    #[prost(message, repeated, tag = "2")]
    lengths: Vec<Length>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Length {
    #[prost(int64, tag = "1")]
    size: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Metadata {
    #[prost(message, optional, tag = "1")]
    plugin: Option<Plugin>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Plugin {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    content: Option<HyperParameters>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct HyperParameters {
    #[prost(message, optional, tag = "3")]
    session: Option<Session>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Session {
    #[prost(btree_map = "string, message", tag = "1")]
    values: BTreeMap<String, HyperParameter>,
    #[prost(double, tag = "5")]
    start_time: f64,
}

/// A `google.protobuf.Value`, of which one field is there.
#[derive(Clone, PartialEq, prost::Message)]
struct HyperParameter {
    #[prost(double, optional, tag = "2")]
    number: Option<f64>,
    #[prost(string, optional, tag = "3")]
    text: Option<String>,
    #[prost(bool, optional, tag = "4")]
    switch: Option<bool>,
}

impl From<&Json> for HyperParameter {
    fn from(value: &Json) -> Self {
        let text = match value {
            Json::Number(_) | Json::Bool(_) => None,
            Json::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        Self {
            number: value.as_f64(),
            text,
            switch: value.as_bool(),
        }
    }
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
            ..Value::default()
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

    /// Appends what a run was told, by name; lists become text.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn hyper_parameters(
        &mut self,
        wall_time: f64,
        values: &BTreeMap<String, Json>,
    ) -> io::Result<()> {
        let values = values.iter();
        let session = Session {
            values: values
                .map(|(name, value)| (name.clone(), value.into()))
                .collect(),
            start_time: wall_time,
        };
        let plugin = Plugin {
            name: "hparams".to_owned(),
            content: Some(HyperParameters {
                session: Some(session),
            }),
        };
        // The plugin reads nothing of the value, but one without a tensor is passed over.
        let nothing = Tensor {
            kind: 1,
            shape: Some(Shape {
                lengths: vec![Length { size: 1 }],
            }),
            floats: vec![0.0],
        };
        let value = Value {
            tag: "_hparams_/session_start_info".to_owned(),
            simple_value: None,
            tensor: Some(nothing),
            metadata: Some(Metadata {
                plugin: Some(plugin),
            }),
        };
        self.write(&Event {
            wall_time,
            step: 0,
            file_version: None,
            summary: Some(Summary {
                values: vec![value],
            }),
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

    #[test]
    fn hyper_parameters_keep_their_kinds() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.out.tfevents.0.tafl");
        let mut writer = EventWriter::create(&path, 1.0).unwrap();
        let given = [
            ("search.visits", Json::from(32)),
            ("targets.proven_results", Json::from(true)),
            ("precision", Json::from("int8")),
            ("ladder.pool", Json::from(vec!["random", "greedy"])),
        ];
        let given = given.map(|(name, value)| (name.to_owned(), value));
        writer.hyper_parameters(2.0, &given.into()).unwrap();
        let events = read_back(&std::fs::read(&path).unwrap());
        let value = &events[1].summary.as_ref().unwrap().values[0];
        assert_eq!(value.tag, "_hparams_/session_start_info");
        let plugin = value.metadata.as_ref().unwrap().plugin.as_ref().unwrap();
        assert_eq!(plugin.name, "hparams");
        let content = plugin.content.as_ref().unwrap();
        let values = &content.session.as_ref().unwrap().values;
        assert_eq!(values["search.visits"].number, Some(32.0));
        assert_eq!(values["targets.proven_results"].switch, Some(true));
        assert_eq!(values["precision"].text.as_deref(), Some("int8"));
        let pool = values["ladder.pool"].text.as_deref();
        assert_eq!(pool, Some("[\"random\",\"greedy\"]"));
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
