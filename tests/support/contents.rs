//! What is in the files below a folder.

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
