//! The network as a `TorchScript` program of oneDNN's fused operations, made as text.
//!
//! The operations are those that PyTorch's own compiler uses; they take weights packed beforehand, and
//! do a convolution, its bias, the residual addition and the rectifier in one pass.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::result::ZipResult;
use zip::write::FileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Returns the archive of a program that computes tower and heads for a number of blocks.
///
/// `forward(x, weights)` takes the planes and a list of weight and bias of each convolution, in order;
/// it returns the planes of the heads, whose convolution is the last.
pub(crate) fn fused(blocks: usize) -> Vec<u8> {
    archive(&source(blocks), b"\x80\x02).", &[])
}

/// A pickled `__torch__.Net` whose one attribute is `training`.
const MODULE: &[u8] = b"\x80\x02c__torch__\nNet\nq\x00)\x81}(X\x08\x00\x00\x00trainingq\x01\x89ub.";

/// Returns a `TorchScript` archive: `forward` is the text behind `self`, `constants` the pickled tuple of the tensors
/// that the text names, `numbers` what they hold.
pub(crate) fn archive(forward: &str, constants: &[u8], numbers: &[Vec<u8>]) -> Vec<u8> {
    let code = format!(
        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  \
         def forward(self: __torch__.Net,\n    {forward}"
    );
    let files = [
        ("data.pkl", MODULE),
        ("code/__torch__.py", code.as_bytes()),
        ("constants.pkl", constants),
        ("version", b"3\n"),
    ];
    let files = files.map(|(name, content)| (name.to_owned(), content));
    let numbers = numbers.iter().enumerate();
    let numbers = numbers.map(|(index, bytes)| (format!("constants/{index}"), &bytes[..]));
    // Without dates, equal networks make equal files.
    let options = FileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let zip = || -> ZipResult<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files.into_iter().chain(numbers) {
            zip.start_file(format!("net/{name}"), options)?;
            zip.write_all(content)?;
        }
        Ok(zip.finish()?.into_inner())
    };
    zip().expect("memory takes all files")
}

/// Returns the archive of a program that packs 8-bit weights for [`quantized`].
///
/// `forward(weights)` takes weight and scales of each convolution, in order, and returns the packed weights. Packing
/// needs `scales`, those of the inputs, and `inputs`, how many there are.
pub(crate) fn packing(scales: &[f64], inputs: &[usize], size: i64) -> Vec<u8> {
    let mut lines = String::from("w: List[Tensor]) -> List[Tensor]:\n");
    let mut names = Vec::new();
    for (layer, (scale, inputs)) in scales.iter().zip(inputs).enumerate() {
        let (weight, scales) = (2 * layer, 2 * layer + 1);
        writeln!(
            lines,
            "    p{layer} = ops.onednn.qconv_prepack(w[{weight}], w[{scales}], {scale:?}, 0, \
             [1, 1], [1, 1], [1, 1], 1, [64, {inputs}, {size}, {size}])"
        )
        .expect("a string takes all text");
        names.push(format!("p{layer}"));
    }
    writeln!(lines, "    return [{}]", names.join(", ")).expect("a string takes all text");
    archive(&lines, b"\x80\x02).", &[])
}

/// Returns the archive of a program that computes the tower in 8-bit integers and the heads in f32.
///
/// `forward(x, weights)` takes the planes as `u8` and a list: packed weight, scales, zeros and bias of each convolution,
/// then weight and bias of the heads. `scales` are those of the convolutions' inputs, the heads' at last.
pub(crate) fn quantized(blocks: usize, scales: &[f64]) -> Vec<u8> {
    archive(&quantized_source(blocks, scales), b"\x80\x02).", &[])
}

fn quantized_source(blocks: usize, scales: &[f64]) -> String {
    const NO_SCALARS: &str = "annotate(List[Optional[number]], [])";
    /// `torch.uint8` and `torch.float32`.
    const KINDS: (u8, u8) = (0, 6);
    let mut lines = String::from("x: Tensor,\n    w: List[Tensor]) -> Tensor:\n");
    let mut layer = 0;
    let mut convolve = |lines: &mut String, to: &str, from: &str, added: bool| {
        let w = 4 * layer;
        let (before, input, output) = (layer.max(1) - 1, scales[layer], scales[layer + 1]);
        let before = scales[before];
        layer += 1;
        let weights = format!("w[{w}], w[{}], w[{}]", w + 1, w + 2);
        let bias = format!("w[{}]", w + 3);
        let form = format!("[1, 1], [1, 1], [1, 1], 1, {output:?}, 0, {}", KINDS.0);
        let from = format!("{from}, {input:?}, 0, {weights}");
        let arguments = match added {
            true => format!(
                "{from}, h, {bias}, {form}, {before:?}, 0, \"sum\", 1.0, \"relu\", {NO_SCALARS}, \"\""
            ),
            false => format!("{from}, {bias}, {form}, \"relu\", {NO_SCALARS}, \"\""),
        };
        writeln!(
            lines,
            "    {to} = ops.onednn.qconv2d_pointwise({arguments})"
        )
        .expect("a string takes all text");
    };
    convolve(&mut lines, "h", "x", false);
    for _ in 0..blocks {
        convolve(&mut lines, "t", "h", false);
        convolve(&mut lines, "h", "t", true);
    }
    let w = 4 * layer;
    writeln!(
        lines,
        "    g = torch.to(h, {})\n    heads = ops.mkldnn._convolution_pointwise(g, w[{w}], w[{}], \
         [0, 0], [1, 1], [1, 1], 1, \"none\", {NO_SCALARS}, \"\")\n    return heads",
        KINDS.1,
        w + 1
    )
    .expect("a string takes all text");
    lines
}

fn source(blocks: usize) -> String {
    let mut lines = String::from("x: Tensor,\n    w: List[Tensor]) -> Tensor:\n");
    let mut layer = 0;
    let mut convolve = |lines: &mut String, to: &str, from: &str, pad: u8, after: &str| {
        let (weight, bias) = (2 * layer, 2 * layer + 1);
        layer += 1;
        let common = format!("{from}, w[{weight}], w[{bias}], [{pad}, {pad}], [1, 1], [1, 1], 1");
        let no_scalars = "annotate(List[Optional[number]], [])";
        let call = match after {
            "add" => format!(
                "_convolution_pointwise_(h, {common}, \"add\", 1.0, \"relu\", {no_scalars}, None)"
            ),
            _ => format!("_convolution_pointwise({common}, \"{after}\", {no_scalars}, \"\")"),
        };
        writeln!(lines, "    {to} = ops.mkldnn.{call}").expect("a string takes all text");
    };
    convolve(&mut lines, "h", "x", 1, "relu");
    for _ in 0..blocks {
        convolve(&mut lines, "t", "h", 1, "relu");
        convolve(&mut lines, "h", "t", 1, "add");
    }
    convolve(&mut lines, "heads", "h", 0, "none");
    lines.push_str("    return heads\n");
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_names_two_tensors_for_each_convolution() {
        let text = source(2);
        assert_eq!(text.matches("_convolution_pointwise").count(), 6);
        assert!(text.contains("w[10], w[11]") && !text.contains("w[12]"));
    }
}
