//! Messages of protocol buffers, written field by field.

use prost::encoding::{bool, bytes, double, float, int64, string};

/// A message that is being written; each field has its number in the message's definition.
#[derive(Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    pub(crate) fn number(mut self, tag: u32, value: i64) -> Self {
        int64::encode(tag, &value, &mut self.0);
        self
    }

    pub(crate) fn float(mut self, tag: u32, value: f32) -> Self {
        float::encode(tag, &value, &mut self.0);
        self
    }

    pub(crate) fn double(mut self, tag: u32, value: f64) -> Self {
        double::encode(tag, &value, &mut self.0);
        self
    }

    pub(crate) fn bool(mut self, tag: u32, value: bool) -> Self {
        bool::encode(tag, &value, &mut self.0);
        self
    }

    pub(crate) fn text(mut self, tag: u32, text: &str) -> Self {
        string::encode(tag, &text.to_owned(), &mut self.0);
        self
    }

    pub(crate) fn bytes(mut self, tag: u32, content: Vec<u8>) -> Self {
        bytes::encode(tag, &content, &mut self.0);
        self
    }

    pub(crate) fn message(self, tag: u32, message: Self) -> Self {
        self.bytes(tag, message.0)
    }

    pub(crate) fn each<T>(
        self,
        all: impl IntoIterator<Item = T>,
        add: impl Fn(Self, T) -> Self,
    ) -> Self {
        all.into_iter().fold(self, add)
    }
}
