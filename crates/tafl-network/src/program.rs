//! The network as a `TorchScript` program of oneDNN's fused operations, made as text.
//!
//! The operations are those that PyTorch's own compiler uses; they take weights packed beforehand, and
//! do a convolution, its bias, the residual addition and the rectifier in one pass.

use crate::archive::archive;
use crate::play::{Conv, Play};
use std::fmt::Write as _;

const NO_SCALARS: &str = "annotate(List[Optional[number]], [])";

/// Returns the archive of a program that computes tower and heads.
///
/// `forward(x, weights)` takes the planes and a list of weight and bias of each convolution, in order;
/// it returns the planes of the heads.
pub(crate) fn fused(play: &Play) -> Vec<u8> {
    program(&text(play, |index, conv, other| {
        pointwise(conv, &value(conv.unit.from), other, 2 * index)
    }))
}

/// Returns the archive of a program that packs 8-bit weights for [`quantized`].
///
/// `forward(weights)` takes weight and scales of each convolution, in order, and returns the packed weights. Packing
/// needs how many planes each reads, `scales`, those of the values, and the board's size.
pub(crate) fn packing(convs: &[(&Conv, usize)], scales: &[f64], size: i64) -> Vec<u8> {
    let mut lines = String::from("w: List[Tensor]) -> List[Tensor]:\n");
    let mut names = Vec::new();
    for (layer, (conv, inputs)) in convs.iter().enumerate() {
        let (weight, scale, pad) = (2 * layer, scales[conv.unit.from], conv.unit.kernel / 2);
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

/// Returns the archive of a program that computes the tower in 8-bit integers and the heads in f32.
///
/// `forward(x, weights)` takes the planes as `u8` and a list: packed weight, scales, zeros and bias of each convolution,
/// then weight and bias of the heads. `scales` are those of the values.
pub(crate) fn quantized(play: &Play, scales: &[f64]) -> Vec<u8> {
    /// `torch.uint8` and `torch.float32`.
    const KINDS: (u8, u8) = (0, 6);
    let tower = play.tower.len();
    program(&text(play, |index, conv, other| {
        let (w, unit) = (4 * index, &conv.unit);
        if index >= tower {
            let from = format!("torch.to({}, {})", value(unit.from), KINDS.1);
            return pointwise(conv, &from, None, 4 * tower + 2 * (index - tower));
        }
        let (from, pad) = (value(unit.from), unit.kernel / 2);
        let weights = format!("w[{w}], w[{}], w[{}]", w + 1, w + 2);
        let from = format!("{from}, {:?}, 0, {weights}", scales[unit.from]);
        let form = format!(
            "w[{}], [1, 1], [{pad}, {pad}], [1, 1], 1, {:?}, 0, {}",
            w + 3,
            scales[index + 1],
            KINDS.0
        );
        let added = unit.added.map(|added| scales[added]);
        let call = match (other, added) {
            (Some(other), Some(scale)) => format!(
                "{from}, {other}, {form}, {scale:?}, 0, \"sum\", 1.0, \"relu\", {NO_SCALARS}, \"\""
            ),
            _ => format!("{from}, {form}, \"relu\", {NO_SCALARS}, \"\""),
        };
        format!("ops.onednn.qconv2d_pointwise({call})")
    }))
}

/// Returns the lines of a program: one for each convolution of the tower and the heads, which `call` writes of its number, and
/// of the value that it adds to, which it may change.
fn text(play: &Play, call: impl Fn(usize, &Conv, Option<&str>) -> String) -> String {
    let mut lines = String::from("v0: Tensor,\n    w: List[Tensor]) -> Tensor:\n");
    let convs = play.tower.iter().chain(&play.heads).enumerate();
    for (index, conv) in convs {
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
    let heads = play.tower.len() + 1..=play.tower.len() + play.heads.len();
    let heads: Vec<String> = heads.map(value).collect();
    let heads = match &heads[..] {
        [heads] => heads.clone(),
        heads => format!("torch.cat([{}], 1)", heads.join(", ")),
    };
    format!("{lines}    return {heads}\n")
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
