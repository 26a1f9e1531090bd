//! The games of one type of an archive.

use anyhow::{bail, ensure};
use std::collections::BTreeSet;
use tafl_rules::notation::games::{Read, read_games};
use tafl_studies::read_archive;

/// Reads the games of one type, or of the only one.
pub(super) fn read(text: &str, wanted: Option<u32>) -> anyhow::Result<Vec<Read>> {
    let mut games = Vec::new();
    let (mut kinds, mut first) = (BTreeSet::new(), None);
    read_archive(text.as_bytes(), |line, game| {
        kinds.insert(game.number);
        if game.number == wanted.unwrap_or(*first.get_or_insert(game.number)) {
            let read = read_games(&game.line()).into_iter();
            games.extend(read.map(|(_, game)| (line, game)));
        }
        Ok(())
    })?;
    let known: Vec<String> = kinds.iter().map(u32::to_string).collect();
    let known = known.join(", ");
    match wanted {
        Some(kind) if !kinds.contains(&kind) => {
            bail!("no games of type {kind}; there are {known}")
        }
        None => ensure!(
            kinds.len() == 1,
            "--type must say which games; there are {known}"
        ),
        Some(_) => {}
    }
    Ok(games)
}
