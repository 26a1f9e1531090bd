//! What the whole-program tests share: running `tafl`, and looking at what it left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the folder exists")
}

/// Returns `tafl` with arguments, to be run in the root of the repository, keeping its runs in `data`.
pub(crate) fn tafl(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tafl"));
    command
        .args(arguments)
        .current_dir(root())
        .env("TAFL_DATA", data)
        .env_remove("TAFL_SLOW");
    command
}

/// Runs `tafl` to its end.
pub(crate) fn run(data: &Path, arguments: &[&str]) -> Output {
    tafl(data, arguments).output().expect("tafl starts")
}

/// Returns what a command printed, after asserting that it succeeded.
pub(crate) fn succeeds(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

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
