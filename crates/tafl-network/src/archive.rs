//! Archives of `TorchScript` programs.

use std::io::{Cursor, Write as _};
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Returns a `TorchScript` archive of the text of its classes, the pickled module, and the bytes of its tensors.
pub(crate) fn archive(code: &str, module: &[u8], tensors: &[Vec<u8>]) -> Vec<u8> {
    let files = [
        ("data.pkl", module),
        ("code/__torch__.py", code.as_bytes()),
        ("constants.pkl", b"\x80\x02)."),
        ("version", b"3\n"),
    ];
    let files = files.map(|(name, content)| (name.to_owned(), content));
    let tensors = tensors.iter().enumerate();
    let tensors = tensors.map(|(index, bytes)| (format!("data/{index}"), &bytes[..]));
    // Without dates, equal networks make equal files.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let zip = || -> ZipResult<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files.into_iter().chain(tensors) {
            zip.start_file(format!("net/{name}"), options)?;
            zip.write_all(content)?;
        }
        Ok(zip.finish()?.into_inner())
    };
    zip().expect("memory takes all files")
}
