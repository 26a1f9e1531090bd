//! The network as a `TorchScript` program of oneDNN's fused operations, made as text.
//!
//! The operations are those that PyTorch's own compiler uses; they take weights packed beforehand, and
//! do a convolution, its bias, the residual addition and the rectifier in one pass.

use crate::archive::archive;
use crate::play::{Conv, Play};
use std::fmt::Write as _;
use std::ops::Range;

/// `torch.uint8`.
const UINT8: u8 = 0;

const NO_SCALARS: &str = "annotate(List[Optional[number]], [])";

/// Returns the archive of a program that computes tower and heads.
///
/// `forward(x, weights)` takes the planes and a list of weight and bias of each convolution, in order;
/// it returns the planes of the heads.
pub(crate) fn fused(play: &Play) -> Vec<u8> {
    let tower = play.tower.len();
    let lines = text(play, 0..tower + play.heads.len(), |index, conv, other| {
        pointwise(conv, &value(conv.unit.from), other, 2 * index)
    });
    let heads = (tower..tower + play.heads.len()).map(|index| value(index + 1));
    let heads: Vec<String> = heads.collect();
    let heads = match &heads[..] {
        [heads] => heads.clone(),
        heads => format!("torch.cat([{}], 1)", heads.join(", ")),
    };
    program(&format!("{lines}    return {heads}\n"))
}

/// Returns the archive of a program that packs 8-bit weights for [`quantized`].
///
/// `forward(weights)` takes weight and scales of each convolution, in order, and returns the packed weights. Packing
/// needs `scales`, those of the values, and the board's size.
pub(crate) fn packing(convs: &[&Conv], scales: &[f64], size: i64) -> Vec<u8> {
    let mut lines = String::from("w: List[Tensor]) -> List[Tensor]:\n");
    let mut names = Vec::new();
    for (layer, conv) in convs.iter().enumerate() {
        let (weight, scale, pad) = (2 * layer, scales[conv.unit.from], conv.unit.kernel / 2);
        let [inputs, _] = conv.unit.planes;
        writeln!(
            lines,
            "    p{layer} = ops.onednn.qconv_prepack(w[{weight}], w[{}], {scale:?}, 0, \
             [1, 1], [{pad}, {pad}], [1, 1], 1, [64, {inputs}, {size}, {size}])",
            weight + 1
        )
        .expect("a string takes all text");
        names.push(format!("p{layer}"));
    }
    program(&format!("{lines}    return [{}]\n", names.join(", ")))
}

/// Returns the archive of a program that computes what lies between stem and heads in 8-bit integers.
///
/// `forward(x, weights)` takes what the stem gives as `u8` and a list: packed weight, scales, zeros and bias of each
/// convolution. It returns what the heads read as `u8`. `scales` are those of the values.
pub(crate) fn quantized(play: &Play, scales: &[f64]) -> Vec<u8> {
    let tower = play.tower.len();
    let lines = text(play, 1..tower, |index, conv, other| {
        let (w, unit) = (4 * (index - 1), &conv.unit);
        let (from, pad) = (value(unit.from), unit.kernel / 2);
        let weights = format!("w[{w}], w[{}], w[{}]", w + 1, w + 2);
        let from = format!("{from}, {:?}, 0, {weights}", scales[unit.from]);
        let form = format!(
            "w[{}], [1, 1], [{pad}, {pad}], [1, 1], 1, {:?}, 0, {UINT8}",
            w + 3,
            scales[index + 1],
        );
        let added = unit.added.map(|added| scales[added]);
        let call = match (other, added) {
            (Some(other), Some(scale)) => format!(
                "{from}, {other}, {form}, {scale:?}, 0, \"sum\", 1.0, \"relu\", {NO_SCALARS}, \"\""
            ),
            _ => format!("{from}, {form}, \"relu\", {NO_SCALARS}, \"\""),
        };
        format!("ops.onednn.qconv2d_pointwise({call})")
    });
    let read = play.heads[0].unit.from;
    program(&format!("{lines}    return {}\n", value(read)))
}

/// Returns the lines of a program that takes the value of the first of some convolutions of tower and heads: a line for each of them,
/// which `call` writes of its number, and of the value that it adds to, which it may change.
fn text(
    play: &Play,
    convs: Range<usize>,
    call: impl Fn(usize, &Conv, Option<&str>) -> String,
) -> String {
    let mut lines = format!(
        "{}: Tensor,\n    w: List[Tensor]) -> Tensor:\n",
        value(convs.start)
    );
    let all = play.tower.iter().chain(&play.heads).enumerate();
    for (index, conv) in all.skip(convs.start).take(convs.len()) {
        let other = conv.unit.added.map(|added| {
            if play.is_read_after(added, index) {
                format!("torch.clone({})", value(added))
            } else {
                value(added)
            }
        });
        let call = call(index, conv, other.as_deref());
        writeln!(lines, "    {} = {call}", value(index + 1)).expect("a string takes all text");
    }
    lines
}

fn value(number: usize) -> String {
    format!("v{number}")
}

/// Returns the call of a convolution in f32 or bf16, whose weight and bias are `w[weight]` and the one behind it.
fn pointwise(conv: &Conv, from: &str, other: Option<&str>, weight: usize) -> String {
    let (pad, relu) = (conv.unit.kernel / 2, conv.unit.relu);
    let bias = weight + 1;
    let common = format!("{from}, w[{weight}], w[{bias}], [{pad}, {pad}], [1, 1], [1, 1], 1");
    let call = match other {
        Some(other) => {
            let after = if relu { "\"relu\"" } else { "None" };
            format!(
                "_convolution_pointwise_({other}, {common}, \"add\", 1.0, {after}, {NO_SCALARS}, None)"
            )
        }
        None => {
            let after = if relu { "relu" } else { "none" };
            format!("_convolution_pointwise({common}, \"{after}\", {NO_SCALARS}, \"\")")
        }
    };
    format!("ops.mkldnn.{call}")
}

/// Returns the archive of a program without weights: `forward` is its text behind `self`.
fn program(forward: &str) -> Vec<u8> {
    /// A pickled `__torch__.Net` whose one attribute is `training`.
    const MODULE: &[u8] =
        b"\x80\x02c__torch__\nNet\nq\x00)\x81}(X\x08\x00\x00\x00trainingq\x01\x89ub.";
    let code = format!(
        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  \
         def forward(self: __torch__.Net,\n    {forward}"
    );
    archive(&code, MODULE, &[])
}
