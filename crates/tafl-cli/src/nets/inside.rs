//! Networks inside of the program, for machines without the repository.

use anyhow::Context;
use std::path::PathBuf;
use tafl_store::{is_checkpoint, sha256_hex, write_folder};

/// The files of a checkpoint, with their names: its card, how it searches, its weights.
type Files = [(&'static str, &'static [u8]); 3];

/// Those that `data/nets/inside.list` lists.
const NETS: &[(&str, Files)] = &include!(concat!(env!("OUT_DIR"), "/nets.rs"));

/// Returns a folder of networks, each in a folder of its name: of this user's cache, into which they are written once.
pub(crate) fn unpacked() -> anyhow::Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = || set("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = set("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    let cache = cache.context("neither HOME nor XDG_CACHE_HOME says where networks can be kept")?;
    // Cards hold the weights' checksums, so other networks, and other searches, get another folder.
    let said = NETS
        .iter()
        .flat_map(|(_, [card, run, _])| [card.1, run.1])
        .collect::<Vec<_>>()
        .concat();
    let folder = cache
        .join("taflforge")
        .join(format!("nets-{}", &sha256_hex(&said)[..12]));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for &(name, files) in NETS {
        let net = folder.join(name);
        if is_checkpoint(&net) {
            continue;
        }
        // Other processes may write it at the same time; who comes first has written the same.
        let whole = tempfile::tempdir_in(&folder)?;
        write_folder(&whole.path().join(name), &files)?;
        let moved = std::fs::rename(whole.path().join(name), &net);
        if !is_checkpoint(&net) {
            moved.with_context(|| net.display().to_string())?;
        }
    }
    Ok(folder)
}
