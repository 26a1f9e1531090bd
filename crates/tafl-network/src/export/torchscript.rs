//! The network as a `TorchScript` program: its text, and a module that holds its weights as parameters.

use super::job::StoredAs;
use super::stored::Stored;
use super::text::lines;
use crate::architecture::destinations;
use crate::program::archive;
use std::collections::BTreeMap;
use tafl_graph::{OUTPUTS, Operation, OperationKind};
use tafl_rules::BoardShape;

/// The buffer that holds [`destinations`].
const PLACES: &str = "places";

/// A module: modules and tensors within it, by name.
#[derive(Default)]
struct Module {
    parts: BTreeMap<String, Module>,
    tensors: Vec<Tensor>,
}

/// A tensor of a module, whose numbers are in a file of their own.
struct Tensor {
    name: String,
    shape: Vec<usize>,
    storage: &'static str,
    file: usize,
}

/// Returns the archive.
pub(super) fn write(stored: &Stored, shape: BoardShape) -> Vec<u8> {
    let storage = match stored.precision {
        StoredAs::F32 => "FloatStorage",
        StoredAs::F16 => "HalfStorage",
    };
    let mut net = Module::default();
    let mut files = Vec::new();
    for weight in &stored.weights {
        net.add(&weight.name, (weight.shape.clone(), storage, files.len()));
        files.push(stored.bytes(weight));
    }
    let places = destinations(shape);
    net.add(PLACES, (vec![places.len()], "IntStorage", files.len()));
    files.push(places.iter().flat_map(|it| it.to_le_bytes()).collect());
    let mut code = net.class("Net");
    code += "  def forward(self: __torch__.Net,\n    planes: Tensor) -> Tuple[Tensor, Tensor, Tensor]:\n";
    // Weights compute in the format of the planes.
    code += "    kind = ops.prim.dtype(planes)\n";
    code += &lines(&stored.graph, "    ", expression);
    code += &format!("    return ({})\n", OUTPUTS.join(", "));
    net.classes("Net", &mut code);
    let mut pickle = b"\x80\x02".to_vec();
    net.pickle("Net", &mut pickle);
    pickle.push(b'.');
    archive(&code, &pickle, &files)
}

/// Returns what an operation computes.
fn expression(operation: &Operation, from: &[String]) -> String {
    let x = &from[0];
    let weight = |part: &str| {
        let parts = operation.name.split('.');
        let module = parts.fold("self".to_owned(), |module, part| {
            match part.parse::<usize>() {
                Ok(_) => format!("getattr({module}, \"{part}\")"),
                Err(_) => format!("{module}.{part}"),
            }
        });
        format!("torch.to({module}.{part}, kind)")
    };
    let pair = || format!("{}, {}", weight("weight"), weight("bias"));
    match operation.kind {
        OperationKind::Convolution { kernel, .. } => {
            let (pair, pad) = (pair(), kernel / 2);
            format!("torch.conv2d({x}, {pair}, [1, 1], [{pad}, {pad}], [1, 1], 1)")
        }
        OperationKind::Norm { .. } => {
            let statistics = [weight("running_mean"), weight("running_var")].join(", ");
            let pair = pair();
            format!("torch.batch_norm({x}, {pair}, {statistics}, False, 0.1, 1e-05, False)")
        }
        OperationKind::Relu => format!("torch.relu({x})"),
        OperationKind::Add => format!("torch.add({})", from.join(", ")),
        OperationKind::Pool => {
            format!("torch.cat([torch.mean({x}, [2, 3]), torch.amax({x}, [2, 3])], 1)")
        }
        OperationKind::Linear { .. } => format!("torch.linear({x}, {})", pair()),
        OperationKind::Squares => format!("torch.flatten(torch.permute({x}, [0, 2, 3, 1]), 1)"),
        OperationKind::Destinations => {
            // A 0 behind them for moves that leave the board.
            let ends = format!("torch.constant_pad_nd(torch.flatten({x}, 1), [0, 1])");
            format!("torch.index_select({ends}, 1, self.{PLACES})")
        }
        OperationKind::Columns { first, count } => {
            format!("torch.slice({x}, 1, {first}, {})", first + count)
        }
        OperationKind::Concat => format!("torch.cat([{}], 1)", from.join(", ")),
        OperationKind::Softplus => format!("torch.softplus({x})"),
        OperationKind::Softmax => format!("torch.softmax({x}, 1)"),
        OperationKind::Times(factor) => format!("torch.mul({x}, {factor})"),
    }
}

impl Module {
    /// Adds a tensor of a name such as `stem.conv.weight`: shape, storage, number of its file.
    fn add(&mut self, name: &str, tensor: (Vec<usize>, &'static str, usize)) {
        match name.split_once('.') {
            Some((part, rest)) => self
                .parts
                .entry(part.to_owned())
                .or_default()
                .add(rest, tensor),
            None => self.tensors.push(Tensor {
                name: name.to_owned(),
                shape: tensor.0,
                storage: tensor.1,
                file: tensor.2,
            }),
        }
    }

    /// Returns the head of the module's class.
    fn class(&self, name: &str) -> String {
        let list = |are_buffers: bool| {
            let own = self.tensors.iter();
            let own = own.filter(|it| (it.name == PLACES) == are_buffers);
            own.map(|it| format!("\"{}\", ", it.name))
                .collect::<String>()
        };
        let tensors = self
            .tensors
            .iter()
            .map(|it| format!("  {} : Tensor\n", it.name));
        let is_number = |part: &str| part.parse::<usize>().is_ok();
        let declared = |part: &String| match is_number(part) {
            true => format!("  __annotations__[\"{part}\"] = __torch__.{name}_{part}\n"),
            false => format!("  {part} : __torch__.{name}_{part}\n"),
        };
        let has_numbers = self.parts.keys().any(|part| is_number(part));
        format!(
            "class {name}(Module):\n  __parameters__ = [{}]\n  __buffers__ = [{}]\n{}{}  training : bool\n{}",
            list(false),
            list(true),
            if has_numbers {
                "  __annotations__ = []\n"
            } else {
                ""
            },
            tensors.collect::<String>(),
            self.parts.keys().map(declared).collect::<String>(),
        )
    }

    /// Adds the classes of all modules within this one.
    fn classes(&self, name: &str, code: &mut String) {
        for (part, module) in &self.parts {
            let name = format!("{name}_{part}");
            *code += &module.class(&name);
            module.classes(&name, code);
        }
    }

    /// Writes the module as Python's pickle, version 2.
    fn pickle(&self, name: &str, pickle: &mut Vec<u8>) {
        pickle.extend(format!("c__torch__\n{name}\n)").bytes());
        pickle.extend(b"\x81}(");
        push_text(pickle, "training");
        pickle.push(b'\x89');
        for tensor in &self.tensors {
            push_text(pickle, &tensor.name);
            tensor.pickle(pickle);
        }
        for (part, module) in &self.parts {
            push_text(pickle, part);
            module.pickle(&format!("{name}_{part}"), pickle);
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
