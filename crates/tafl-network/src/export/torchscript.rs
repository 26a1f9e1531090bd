//! The network as a `TorchScript` program: its source as text, its weights as the constants that the text names.

use super::job::{ExportError, StoredAs};
use super::weights::{Weight, play_weights};
use crate::Network;
use crate::architecture::DESTINATIONS;
use crate::model::MOVES_LEFT_SCALE;
use crate::program::archive;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tafl_rules::Direction;

/// Returns the archive.
///
/// # Errors
/// If a weight is too large for f16.
pub(super) fn write(network: &Network, stored: StoredAs) -> Result<Vec<u8>, ExportError> {
    let weights = play_weights(network);
    let numbers = weights.iter().map(|weight| weight.bytes(stored));
    let mut numbers = numbers.collect::<Result<Vec<_>, _>>()?;
    let places = network.architecture().destinations(Direction::ALL);
    numbers.push(places.iter().flat_map(|it| it.to_le_bytes()).collect());
    let source = source(network, stored, &weights);
    let constants = constants(&weights, stored, places.len());
    Ok(archive(&source, &constants, &numbers))
}

/// The text of the program, line by line.
struct Source<'a> {
    lines: String,
    stored: StoredAs,
    /// The numbers of the weights among the constants.
    numbers: BTreeMap<&'a str, usize>,
}

fn source(network: &Network, stored: StoredAs, weights: &[Weight]) -> String {
    let names = weights.iter().enumerate();
    let mut source = Source {
        lines: "planes: Tensor) -> Tuple[Tensor, Tensor, Tensor]:\n".to_owned(),
        stored,
        numbers: names.map(|(i, weight)| (&*weight.name, i)).collect(),
    };
    source.tower(network);
    source.heads(network);
    let end = "torch.slice(value, 1, 4, 5)";
    source.line("logits", &format!("torch.cat([policy, {end}], 1)"));
    source.line("wdl", "torch.softmax(torch.slice(value, 1, 0, 3), 1)");
    let moves_left = "torch.softplus(torch.slice(value, 1, 3, 4))";
    let scaled = format!("torch.mul({moves_left}, {MOVES_LEFT_SCALE:?})");
    source.line("moves_left", &scaled);
    source
        .lines
        .push_str("    return (logits, wdl, moves_left)\n");
    source.lines
}

impl Source<'_> {
    fn line(&mut self, to: &str, value: &str) {
        writeln!(self.lines, "    {to} = {value}").expect("a string takes all text");
    }

    /// Returns weight and bias of a layer, as f32.
    fn pair(&self, layer: &str) -> String {
        let constant = |part: &str| {
            let number = self.numbers[&*format!("{layer}.{part}")];
            match self.stored {
                StoredAs::F32 => format!("CONSTANTS.c{number}"),
                // 6 is PyTorch's number for f32.
                StoredAs::F16 => format!("torch.to(CONSTANTS.c{number}, 6)"),
            }
        };
        format!("{}, {}", constant("weight"), constant("bias"))
    }

    fn convolution(&self, from: &str, layer: &str, pad: u8) -> String {
        let pair = self.pair(layer);
        format!("torch.conv2d({from}, {pair}, [1, 1], [{pad}, {pad}], [1, 1], 1)")
    }

    fn tower(&mut self, network: &Network) {
        let stem = self.convolution("planes", "stem", 1);
        self.line("h", &format!("torch.relu({stem})"));
        for block in 0..network.architecture().network.blocks {
            let first = self.convolution("h", &format!("blocks.{block}.first"), 1);
            self.line("t", &format!("torch.relu({first})"));
            let second = self.convolution("t", &format!("blocks.{block}.second"), 1);
            self.line("h", &format!("torch.relu(torch.add({second}, h))"));
        }
    }

    /// Adds the outputs of the heads, `policy` and `value`.
    fn heads(&mut self, network: &Network) {
        let len = network.architecture().policy_len() - 1;
        let planes = self.convolution("h", "policy", 0);
        let squares = format!("torch.permute({planes}, [0, 2, 3, 1])");
        let policy = format!("torch.reshape({squares}, [-1, {len}])");
        self.line("policy", &policy);
        let ends = self.convolution("h", DESTINATIONS, 0);
        // A 0 behind them for moves that leave the board.
        let ends = format!("torch.constant_pad_nd(torch.flatten({ends}, 1), [0, 1])");
        self.line("ends", &ends);
        // The last constant.
        let places = self.numbers.len();
        let ends = format!("torch.index_select(ends, 1, CONSTANTS.c{places})");
        self.line("policy", &format!("torch.add(policy, {ends})"));
        let planes = self.convolution("h", "value", 0);
        self.line("v", &format!("torch.relu({planes})"));
        self.line(
            "v",
            "torch.cat([torch.mean(v, [2, 3]), torch.amax(v, [2, 3])], 1)",
        );
        let hidden = self.pair("value.hidden");
        self.line("v", &format!("torch.relu(torch.linear(v, {hidden}))"));
        let output = self.pair("value.output");
        self.line("value", &format!("torch.linear(v, {output})"));
    }
}

/// Returns the pickled tuple of all weights and, behind them, of the places of destinations; their numbers are in
/// separate files.
fn constants(weights: &[Weight], stored: StoredAs, places: usize) -> Vec<u8> {
    let storage = match stored {
        StoredAs::F32 => "FloatStorage",
        StoredAs::F16 => "HalfStorage",
    };
    let weights = weights.iter().map(|weight| (&weight.shape[..], storage));
    let places = [places];
    let mut pickle = b"\x80\x02(".to_vec();
    let constants = weights.chain([(&places[..], "IntStorage")]);
    for (index, (shape, storage)) in constants.enumerate() {
        pickle.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        push_text(&mut pickle, "storage");
        pickle.extend(format!("ctorch\n{storage}\n").bytes());
        push_text(&mut pickle, &index.to_string());
        push_text(&mut pickle, "cpu");
        push_integer(&mut pickle, shape.iter().product());
        pickle.extend(b"tQK\x00("); // the storage, from its beginning
        for &length in shape {
            push_integer(&mut pickle, length);
        }
        pickle.extend(b"t(");
        for dim in 0..shape.len() {
            push_integer(&mut pickle, shape[dim + 1..].iter().product());
        }
        // Learns nothing, has no hooks.
        pickle.extend(b"t\x89ccollections\nOrderedDict\n)RtR");
    }
    pickle.extend(b"t.");
    pickle
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
