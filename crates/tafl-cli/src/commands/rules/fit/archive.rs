//! An archive of games: an object a line.

use super::super::check::reason;
use anyhow::{Context, anyhow, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeSet;
use tafl_rules::notation::games::{Read, read_games};

#[derive(Debug, Deserialize)]
struct Archived {
    #[serde(rename = "type")]
    kind: u32,
    moves: String,
    winner: String,
    end: String,
    attackers_lost: Option<u32>,
    defenders_lost: Option<u32>,
}

/// Reads the games of one type, or of the only one.
pub(super) fn read(text: &str, wanted: Option<u32>) -> anyhow::Result<Vec<Read>> {
    let mut games = Vec::new();
    let (mut kinds, mut first) = (BTreeSet::new(), None);
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let place = || format!("line {number}");
        let game = serde_json::from_str::<Archived>(line);
        let game = game.map_err(|error| anyhow!("{}", reason(&error)));
        let game = game.with_context(place)?;
        kinds.insert(game.kind);
        if game.kind == wanted.unwrap_or(*first.get_or_insert(game.kind)) {
            let line = game.line().with_context(place)?;
            games.extend(
                read_games(&line)
                    .into_iter()
                    .map(|(_, game)| (number, game)),
            );
        }
    }
    let known = kinds
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    match wanted {
        Some(kind) => ensure!(
            kinds.contains(&kind),
            "no games of type {kind}; there are {known}"
        ),
        None => ensure!(
            kinds.len() == 1,
            "--type must say which games; there are {known}"
        ),
    }
    Ok(games)
}

impl Archived {
    /// Returns the game as a line of aagenielsen.dk.
    fn line(&self) -> anyhow::Result<String> {
        let result = match &*self.winner {
            "attackers" => "Black",
            "defenders" => "White",
            "draw" => "Draw",
            other => bail!("field `winner`: {other:?} is not attackers, defenders or draw"),
        };
        let end = match &*self.end {
            end if end == "played" || self.moves.trim_end().ends_with(end) => "",
            "resigned" | "timeout" => &*self.end,
            other => bail!("field `end`: {other:?} is not played, resigned or timeout"),
        };
        let lost = |pieces: Option<u32>| pieces.unwrap_or_default();
        let (by_attackers, by_defenders) = (lost(self.defenders_lost), lost(self.attackers_lost));
        let moves = &self.moves;
        Ok(format!(
            "{moves} {end},{by_attackers},{by_defenders},{result}"
        ))
    }
}
