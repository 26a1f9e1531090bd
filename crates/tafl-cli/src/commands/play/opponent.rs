//! The player at the other side of the board.

use anyhow::anyhow;
use std::sync::Arc;
use tafl_play::{NoMove, SoloPlayer};
use tafl_rules::{Game, Move, Rules};
use tafl_training::{PlayerSource, RunConfig};

/// Moves that a hint lists.
const HINTED_MOVES: usize = 3;

/// A player that chooses moves one at a time.
pub(super) struct Opponent(SoloPlayer);

impl Opponent {
    /// Makes the player ready; a checkpoint must fit the board of `rules`.
    pub(super) fn open(
        source: &PlayerSource,
        config: &RunConfig,
        rules: &Arc<Rules>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let opened = source.open(config, rules)?;
        let player = SoloPlayer::new(opened.player.as_ref().clone(), seed);
        Ok(Self(player.map_err(|error| anyhow!("{source}: {error}"))?))
    }

    /// Returns the move it plays; the game must not be over.
    pub(super) fn choose(&mut self, game: &Game) -> anyhow::Result<Move> {
        self.0.choose(game).map_err(|none| match none {
            NoMove::Forfeit(forfeit) => anyhow!("the opponent forfeits: {}", forfeit.name()),
            NoMove::Unusable(error) => anyhow!("the opponent cannot go on: {error}"),
        })
    }

    /// Returns lines that say what it would play, and then what else it looked at most.
    pub(super) fn hint(&mut self, game: &Game) -> anyhow::Result<Vec<String>> {
        let Some(stats) = self.0.search(game) else {
            let mv = self.choose(game)?;
            return Ok(vec![format!("{mv} (this opponent does not say why)")]);
        };
        let mut moves: Vec<_> = stats.moves.iter().collect();
        moves.sort_by(|one, other| {
            let chosen = |mv: Move| mv == stats.chosen;
            let by_choice = chosen(other.mv).cmp(&chosen(one.mv));
            by_choice.then(other.visits.cmp(&one.visits))
        });
        let line = |root: &&tafl_search::RootMove| {
            let wins = root.wdl.map_or(String::new(), |wdl| {
                format!(", wins {:.0} %", 100.0 * (wdl.win + wdl.draw / 2.0))
            });
            format!("{:<10} {} visits{wins}", root.mv.to_string(), root.visits)
        };
        Ok(moves.iter().take(HINTED_MOVES).map(line).collect())
    }
}
