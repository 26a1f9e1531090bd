//! Comparing what runs left on disk.

use crate::support::contents::contents;
use std::path::Path;

/// Asserts that two runs left the same games, checkpoints and results of matches, byte for byte.
pub(crate) fn assert_same(one: &Path, other: &Path) {
    let keep = |name: &str| {
        ["games/", "checkpoints/", "arena/"]
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
