//! What is read as a file. In an executable of its own: a process that it starts would hold the locks of journals for a moment.

use std::fs;
use std::path::Path;
use tafl_store::{read_file, read_text};

#[test]
fn only_regular_files_up_to_their_size_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), "four").unwrap();
    assert_eq!(read_text(&path("a"), 4).unwrap(), "four");
    let made = std::process::Command::new("mkfifo")
        .arg(path("pipe"))
        .status();
    assert!(made.unwrap().success());
    let refused = |path: &Path, most: u64| read_file(path, most).unwrap_err().to_string();
    let not_regular = "not a regular file";
    for (other, reason) in [
        (&*path("pipe"), not_regular),
        (folder.path(), "a folder; name a file in it"),
        (Path::new("/dev/zero"), not_regular),
    ] {
        assert_eq!(refused(other, 4), format!("{}: {reason}", other.display()));
    }
    assert!(refused(&path("a"), 3).ends_with("a: 4 bytes, at most 3 are read"));
    assert!(refused(&path("b"), 3).ends_with("b: no such file or folder"));
    fs::write(path("a"), [0xff]).unwrap();
    assert!(read_text(&path("a"), 4).is_err());
}
