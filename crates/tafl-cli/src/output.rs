//! What a command prints or writes for the user.

use anyhow::{Context, anyhow, bail, ensure};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use tafl_store::{read_file, write_atomically};

/// Writes text to standard output, which may be a full disk or a closed pipe.
pub(crate) fn print_out(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("standard output")
}

/// Returns a number with the word for what is counted: for one, or for several.
pub(crate) fn counted(count: u64, [one, several]: [&str; 2]) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Tells the first of notes of one kind.
pub(crate) fn tell_first(notes: &[String]) {
    match notes {
        [] => {}
        [one] => eprintln!("Note: {one}."),
        [first, rest @ ..] => eprintln!("Note: {first}; so in {} more.", rest.len()),
    }
}

/// Prints what was found, as JSON or as the text that `text` makes of it.
pub(crate) fn print_as<T: serde::Serialize>(
    json: bool,
    found: &T,
    text: impl Fn(&T) -> String,
) -> anyhow::Result<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(found)?);
    } else {
        print!("{}", text(found));
    }
    Ok(())
}

/// Bytes by which kinds of files are told apart: `<!doctype html>`, `{ "summary_version"`, `<svg xmlns=`.
const BEGINNING: usize = 11;

/// Writes a file that the user named, which replaces none but one that begins as it does: a run's own files may lie there.
///
/// It is written whole or not at all, but as it comes into what is not a plain file.
pub(crate) fn write_named(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let name = path.display();
    ensure!(!path.is_dir(), "{name}: is a folder, not a file");
    if path.is_file() {
        let found = read_file(path, u64::MAX)?;
        let is_such = bytes.starts_with(&found[..found.len().min(BEGINNING)]);
        ensure!(
            is_such,
            "{name}: a file of another kind is there; give another name"
        );
    }
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!("{name}: there is no folder {}", folder.display());
    }
    if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
        let _open = open_pipe(path)?;
        return std::fs::write(path, bytes).with_context(|| name.to_string());
    }
    Ok(write_atomically(path, bytes)?)
}

/// Opens a pipe for writing without waiting, so that one that nobody reads is an error; nothing for other files.
fn open_pipe(path: &Path) -> anyhow::Result<Option<File>> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    if !path.metadata().is_ok_and(|data| data.file_type().is_fifo()) {
        return Ok(None);
    }
    let mut options = File::options();
    let opened = options
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path);
    let opened = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ENXIO) => anyhow!("{}: a pipe that nobody reads", path.display()),
        _ => anyhow!("{}: {error}", path.display()),
    });
    opened.map(Some)
}

/// Returns how the program was called, for commands that can be pasted: `./scripts/tafl` says so.
pub(crate) fn command() -> String {
    std::env::var("TAFL_COMMAND").map_or_else(|_| "tafl".to_owned(), |name| quoted(&name))
}

/// Returns an argument as a shell takes it.
pub(crate) fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}

/// Returns a path as [`shown`] does, for a command that can be pasted.
pub(crate) fn pasted(path: &Path) -> String {
    quoted(&shown(path))
}

/// Returns a path relative to the current folder, if it is below it.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    let shown = below.as_deref().unwrap_or(path);
    shown
        .strip_prefix("./")
        .unwrap_or(shown)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_what_is_quoted_as_it_was() {
        let words = [
            "data/runs/a-1",
            "a b",
            "it's",
            "$HOME",
            "~/x",
            "",
            "a\\b;c",
            "(ü)",
        ];
        let line = words.map(quoted).join(" ");
        assert!(line.starts_with("data/runs/a-1 'a b' "), "{line}");
        let shell = std::process::Command::new("sh")
            .args(["-c", &format!("printf '%s\\n' {line}")])
            .output();
        let read = String::from_utf8(shell.expect("a shell").stdout).expect("text");
        assert_eq!(read.lines().collect::<Vec<_>>(), words);
    }
}
