//! The network as a `TorchScript` program of oneDNN's fused operations, made as text.
//!
//! The operations are those that PyTorch's own compiler uses; they take weights packed beforehand, and
//! do a convolution, its bias, the residual addition and the rectifier in one pass.

use std::fmt::Write as _;

/// Returns the archive of a program that computes tower and heads for a number of blocks.
///
/// `forward(x, weights)` takes the planes and a list of weight and bias of each convolution, in order;
/// it returns the planes of the heads, whose convolution is the last.
pub(crate) fn archive(blocks: usize) -> Vec<u8> {
    let pickle: &[u8] =
        b"\x80\x02c__torch__\nNet\nq\x00)\x81}(X\x08\x00\x00\x00trainingq\x01\x89ub.";
    let no_constants: &[u8] = b"\x80\x02).";
    let source = source(blocks);
    stored_zip(&[
        ("net/data.pkl", pickle),
        ("net/code/__torch__.py", source.as_bytes()),
        ("net/constants.pkl", no_constants),
        ("net/version", b"3\n"),
    ])
}

fn source(blocks: usize) -> String {
    let mut lines = String::from(
        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  \
         def forward(self: __torch__.Net,\n    x: Tensor,\n    w: List[Tensor]) -> Tensor:\n",
    );
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

/// Returns a zip archive of uncompressed files.
pub(crate) fn stored_zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let offset = archive.len() as u32;
        let (len, name_len) = (content.len() as u32, name.len() as u16);
        // Version 2.0, no flags, stored, no date; then checksum, sizes, lengths of name and extra field.
        let mut header = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        for number in [crc32(content), len, len] {
            header.extend(number.to_le_bytes());
        }
        header.extend(name_len.to_le_bytes());
        header.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&header);
        archive.extend(name.as_bytes());
        archive.extend(*content);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&header);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, count) = (archive.len() as u32, files.len() as u16);
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 0 {
                crc >> 1
            } else {
                crc >> 1 ^ 0xedb8_8320
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_of_the_check_string_is_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_program_names_two_tensors_for_each_convolution() {
        let text = source(2);
        assert_eq!(text.matches("_convolution_pointwise").count(), 6);
        assert!(text.contains("w[10], w[11]") && !text.contains("w[12]"));
    }
}
