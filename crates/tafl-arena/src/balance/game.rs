//! One game of a study, replayed for what is counted.

use std::sync::Arc;
use tafl_rules::{Move, Rules, Side};
use tafl_samples::{Ending, GameRecord, RecordError, Replay};

/// What a study counts of one game.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyGame {
    /// The opening's number, from 0.
    pub opening: u64,
    /// How it ended.
    pub ending: Ending,
    /// All plies, opening included.
    pub moves: Vec<Move>,
    /// The key of the last position.
    pub last: u64,
    /// Pieces that each side captured, by [`Side::index`].
    pub captures: [u64; 2],
    /// Plies after the opening of each side, by [`Side::index`].
    pub plies: [u64; 2],
    /// Legal moves at these plies, all together.
    pub choices: [u64; 2],
    /// The attackers' expected score, 0 to 1, as searches saw it, with the plies played before each.
    pub values: Vec<(u32, f64)>,
}

impl StudyGame {
    /// Returns what two games have in common only if they met: where they ended, after how many plies.
    ///
    /// A player that chooses alike in like positions plays one game again from openings that continue each other or meet.
    pub fn end(&self) -> (u64, usize) {
        (self.last, self.moves.len())
    }

    /// Replays a stored game, with what its searches said.
    ///
    /// # Errors
    /// If it is not a game under the rules.
    pub fn replay(record: &GameRecord, rules: &Arc<Rules>) -> Result<Self, RecordError> {
        let (mut captures, mut plies, mut choices) = ([0; 2], [0; 2], [0; 2]);
        let (mut legal, mut moves, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut replay = Replay::new(record, rules)?;
        while let Some(ply) = replay.next() {
            let side = replay.game().position().side();
            if let Some(search) = &ply.search {
                let [win, draw, _] = search.wdl.map(f64::from);
                let score = match side {
                    Side::Attacker => win + draw / 2.0,
                    Side::Defender => 1.0 - win - draw / 2.0,
                };
                values.push((moves.len() as u32, score));
            }
            let side = side.index();
            if moves.len() >= record.opening_plies as usize {
                replay.game().legal_moves(&mut legal);
                plies[side] += 1;
                choices[side] += legal.len() as u64;
            }
            captures[side] += u64::from(replay.play(ply)?.count());
            moves.push(ply.mv);
        }
        Ok(Self {
            opening: record.game_id / 2,
            ending: record.ending,
            last: replay.end()?.position().key(),
            moves,
            captures,
            plies,
            choices,
            values,
        })
    }

    /// Returns the ply from which on every search put the winner above one half, the game's length where even the last one did
    /// not; nothing without a winner or without values.
    pub(super) fn decided_at(&self) -> Option<u32> {
        let winner = self.ending.winner?;
        self.values.first()?;
        let is_ahead = |value: f64| match winner {
            Side::Attacker => value > 0.5,
            Side::Defender => value < 0.5,
        };
        let ahead = self.values.iter().rev();
        let ahead = ahead.take_while(|(_, value)| is_ahead(*value)).count();
        let first_ahead = self.values.get(self.values.len() - ahead);
        Some(first_ahead.map_or(self.moves.len() as u32, |(ply, _)| *ply))
    }
}
