//! The files of `tests/fixtures/rules`.

use std::io::Read;
use std::path::Path;

/// Reads a fixture; `.xz` is unpacked.
pub(crate) fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/rules");
    let path = folder.join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    if name.ends_with(".xz") {
        liblzma::read::XzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .expect("xz text");
    } else {
        text = String::from_utf8(bytes).expect("text");
    }
    text
}

/// Iterates over the rows of a `.tsv` file, without comments, cut at the tabs.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').collect())
}
