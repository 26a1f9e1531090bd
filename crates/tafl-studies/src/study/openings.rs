//! The openings of a study.

use super::{OpeningSource, StudyConfig};
use anyhow::Context;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tafl_play::{DrawnFrom, game_after, openings, policy_openings, repeated_openings};
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::{Game, Move, Rules, TurnText};
use tafl_samples::derive_seed;
use tafl_store::{MOST_TEXT_BYTES, read_text, write_atomically};
use tafl_training::OpenedPlayer;

/// The openings of one ruleset.
#[derive(Debug, Clone)]
pub(crate) struct StudyOpenings {
    /// All that were drawn, by number.
    pub(crate) moves: Vec<Vec<Move>>,
    /// Those that repeat an earlier one, cannot be played or are left to others, by number.
    pub(crate) left_out: BTreeSet<usize>,
}

impl StudyOpenings {
    /// Draws openings under a ruleset. A larger number gives the same ones and more.
    pub(crate) fn draw(rules: &Arc<Rules>, config: &StudyConfig) -> Self {
        let wanted = &config.openings;
        let seed = derive_seed(config.seed, &[0]);
        Self::of(openings(rules, wanted.count, wanted.plies, seed), rules)
    }

    /// Draws openings from a player's policy or search, those left out that are in the file at `path`; and keeps all there,
    /// as other machines may compute other policies.
    pub(crate) fn of_policy(
        rules: &Arc<Rules>,
        config: &StudyConfig,
        player: &OpenedPlayer,
        path: &Path,
    ) -> anyhow::Result<Self> {
        let wanted = &config.openings;
        let name = || path.display().to_string();
        let mut known = Vec::new();
        if path.exists() {
            let text = read_text(path, MOST_TEXT_BYTES)?;
            known = stored_openings(&text, rules).with_context(name)?;
        }
        if known.len() < wanted.count as usize {
            let from = match wanted.source {
                OpeningSource::Search => DrawnFrom::Search(wanted.plies),
                OpeningSource::Policy | OpeningSource::Random => DrawnFrom::Policy(wanted.plies),
            };
            let seed = derive_seed(config.seed, &[3]);
            known = policy_openings(rules, &player.player, from, wanted.count, seed, known)
                .map_err(|error| anyhow::anyhow!("{}: {error}", player.name()))?;
            let lines = known.iter().map(|moves| line_of(moves, rules));
            let lines = lines.collect::<anyhow::Result<Vec<String>>>()?;
            write_atomically(path, (lines.join("\n") + "\n").as_bytes())?;
        }
        known.truncate(wanted.count as usize);
        Ok(Self::of(known, rules))
    }

    fn of(moves: Vec<Vec<Move>>, rules: &Arc<Rules>) -> Self {
        let left_out = repeated_openings(rules, &moves);
        Self { moves, left_out }
    }

    /// Returns the same openings without the first ones, which others play.
    pub(crate) fn without_first(mut self, count: u32) -> Self {
        self.left_out.extend(0..count as usize);
        self
    }

    /// Returns the first of these openings, a share of them.
    pub(crate) fn first(&self, share: f64) -> Self {
        let count = (share * self.moves.len() as f64).ceil() as usize;
        let mut own = self.clone();
        own.left_out.extend(count..self.moves.len());
        own
    }

    /// Returns the openings of a base for a variant, without those that it does not allow.
    ///
    /// Where the other side moves first, turns change places in pairs, so that the pieces come to stand alike; a last
    /// turn without its pair is left out.
    pub(crate) fn under(&self, rules: &Arc<Rules>, base: &Arc<Rules>) -> Self {
        let is_same_first = rules.start().side() == base.start().side();
        let moves = self.moves.iter().map(|moves| {
            if is_same_first {
                moves.clone()
            } else {
                in_turned_pairs(moves, base)
            }
        });
        let mut own = Self::of(moves.collect(), rules);
        own.left_out.extend(&self.left_out);
        own
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> u32 {
        let numbers = 0..self.moves.len() as u64;
        numbers.filter(|&number| self.contains(number)).count() as u32
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        let number = number as usize;
        number < self.moves.len() && !self.left_out.contains(&number)
    }
}

/// The line of an opening without plies.
const START: &str = "start";

/// Returns an opening as a line of turns.
fn line_of(moves: &[Move], rules: &Arc<Rules>) -> anyhow::Result<String> {
    let turns = RecordedGame::of_game(&game_after(rules, moves))?.turns_text();
    Ok(match turns.is_empty() {
        true => START.to_owned(),
        false => turns,
    })
}

/// Reads openings as [`line_of`] writes them.
fn stored_openings(text: &str, rules: &Arc<Rules>) -> anyhow::Result<Vec<Vec<Move>>> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let turns = if line == START { "" } else { line };
        let mut game = Game::new(Arc::clone(rules));
        for turn in turns.split_whitespace() {
            let turn = turn.parse::<TurnText>();
            for (mv, _) in turn.with_context(|| format!("line {number}"))?.plies {
                game.play(mv).with_context(|| format!("line {number}"))?;
            }
        }
        openings.push(game.moves().to_vec());
    }
    Ok(openings)
}

/// Returns the turns of an opening under a ruleset, the second before the first, the fourth before the third, and so on.
fn in_turned_pairs(opening: &[Move], rules: &Arc<Rules>) -> Vec<Move> {
    let mut game = Game::new(Arc::clone(rules));
    let mut turns: Vec<Vec<Move>> = Vec::new();
    for &mv in opening {
        let is_chained = game.position().chain().is_some();
        match turns.last_mut().filter(|_| is_chained) {
            Some(turn) => turn.push(mv),
            None => turns.push(vec![mv]),
        }
        game.play_unchecked(mv);
    }
    let (pairs, _) = turns.as_chunks::<2>();
    let turned = pairs.iter().flat_map(|[first, second]| [second, first]);
    turned.flatten().copied().collect()
}
