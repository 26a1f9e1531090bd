//! Looking at what runs left on disk.

use std::collections::BTreeMap;
use std::path::Path;

/// Returns the contents of all files below a folder whose names pass `keep`, by their relative paths.
pub(crate) fn contents(folder: &Path, keep: &dyn Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found.retain(|name, _| keep(name));
    found
}

fn collect(folder: &Path, top: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, top, found);
        } else {
            let name = path
                .strip_prefix(top)
                .expect("below it")
                .to_string_lossy()
                .into_owned();
            found.insert(name, std::fs::read(&path).expect("readable"));
        }
    }
}

/// Asserts that two runs left the same samples, games, checkpoints and results of matches, byte for byte.
pub(crate) fn assert_same(one: &Path, other: &Path) {
    let keep = |name: &str| {
        ["samples/", "games/", "checkpoints/", "arena/"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    let (one, other) = (contents(one, &keep), contents(other, &keep));
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        other.keys().collect::<Vec<_>>()
    );
    let different: Vec<&String> = one
        .keys()
        .filter(|name| one[*name] != other[*name])
        .collect();
    assert_eq!(different, Vec::<&String>::new(), "files that differ");
}
