//! The network as a `TorchScript` program: its text, and a module that holds its weights as parameters.

use super::job::StoredAs;
use super::stored::Stored;
use super::text::render;
use crate::architecture::destinations;
use crate::archive::archive;
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;
use std::collections::BTreeMap;
use tafl_graph::OUTPUTS;
use tafl_rules::BoardShape;

/// The buffer that holds [`destinations`].
const PLACES: &str = "places";

/// A module: modules and tensors within it, by name.
#[derive(Default, Serialize)]
struct Module {
    /// `Net`, or the class of the module around it with its own name behind.
    class: String,
    parts: BTreeMap<String, Module>,
    tensors: Vec<Tensor>,
}

/// A tensor of a module, whose numbers are in a file of their own.
#[derive(Serialize)]
struct Tensor {
    name: String,
    shape: Vec<usize>,
    storage: &'static str,
    file: usize,
}

/// Returns the archive of a program of some lines.
pub(super) fn write(
    stored: &Stored,
    lines: Vec<String>,
    shape: BoardShape,
) -> Result<Vec<u8>, Error> {
    let storage = match stored.precision {
        StoredAs::F32 => "FloatStorage",
        StoredAs::F16 => "HalfStorage",
    };
    let mut net = Module::of("Net".to_owned());
    let mut files = Vec::new();
    let mut add = |path: &str, shape, storage, bytes| {
        net.add(
            path,
            Tensor {
                name: String::new(),
                shape,
                storage,
                file: files.len(),
            },
        );
        files.push(bytes);
    };
    for (name, shape, bytes) in stored.tensors() {
        add(&name, shape, storage, bytes);
    }
    let places = destinations(shape);
    let bytes = places.iter().flat_map(|it| it.to_le_bytes()).collect();
    add(PLACES, vec![places.len()], "IntStorage", bytes);
    let values = context! {
        modules => Value::from(Serde(&net.all())),
        places => PLACES,
        digits => "0123456789",
        lines,
        outputs => OUTPUTS,
    };
    let code = render(include_str!("torchscript.txt"), values)?;
    let mut pickle = b"\x80\x02".to_vec();
    net.pickle(&mut pickle);
    pickle.push(b'.');
    Ok(archive(&code, &pickle, &files))
}

impl Module {
    fn of(class: String) -> Self {
        Self {
            class,
            ..Self::default()
        }
    }

    /// Adds a tensor of a path such as `stem.conv.weight`.
    fn add(&mut self, path: &str, tensor: Tensor) {
        match path.split_once('.') {
            Some((part, rest)) => {
                let class = format!("{}_{part}", self.class);
                let part = self.parts.entry(part.to_owned());
                part.or_insert_with(|| Self::of(class)).add(rest, tensor);
            }
            None => self.tensors.push(Tensor {
                name: path.to_owned(),
                ..tensor
            }),
        }
    }

    /// Returns the module, and all within it.
    fn all(&self) -> Vec<&Self> {
        let within = self.parts.values().flat_map(Self::all);
        std::iter::once(self).chain(within).collect()
    }

    /// Writes the module as Python's pickle, version 2.
    fn pickle(&self, pickle: &mut Vec<u8>) {
        pickle.extend(format!("c__torch__\n{}\n)", self.class).bytes());
        pickle.extend(b"\x81}(");
        push_text(pickle, "training");
        pickle.push(b'\x89');
        for tensor in &self.tensors {
            push_text(pickle, &tensor.name);
            tensor.pickle(pickle);
        }
        for (part, module) in &self.parts {
            push_text(pickle, part);
            module.pickle(pickle);
        }
        pickle.extend(b"ub");
    }
}

impl Tensor {
    fn pickle(&self, pickle: &mut Vec<u8>) {
        pickle.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        push_text(pickle, "storage");
        pickle.extend(format!("ctorch\n{}\n", self.storage).bytes());
        push_text(pickle, &self.file.to_string());
        push_text(pickle, "cpu");
        push_integer(pickle, self.shape.iter().product());
        pickle.extend(b"tQK\x00("); // the storage, from its beginning
        for &length in &self.shape {
            push_integer(pickle, length);
        }
        pickle.extend(b"t(");
        for dim in 0..self.shape.len() {
            push_integer(pickle, self.shape[dim + 1..].iter().product());
        }
        pickle.push(b't');
        // Whether it learns; no hooks.
        pickle.push(if self.name == PLACES {
            b'\x89'
        } else {
            b'\x88'
        });
        pickle.extend(b"ccollections\nOrderedDict\n)RtR");
    }
}

fn push_text(pickle: &mut Vec<u8>, text: &str) {
    pickle.push(b'X');
    pickle.extend((text.len() as u32).to_le_bytes());
    pickle.extend(text.bytes());
}

fn push_integer(pickle: &mut Vec<u8>, value: usize) {
    pickle.push(b'J');
    pickle.extend((value as u32).to_le_bytes());
}
