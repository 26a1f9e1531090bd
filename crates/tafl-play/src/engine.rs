//! Another program at the board: started when a game needs it, and the loser of a game in which it fails.

use crate::player::{Method, MoveChooser, NoMove, Player, Turn};
use std::sync::Arc;
use tafl_engine::{EngineCommand, EngineError, RunningEngine};
use tafl_rules::{Game, Move};
use tafl_samples::{Forfeit, PlayerId};

/// Receives the reason why an engine forfeited a game.
pub type ForfeitReport = Arc<dyn Fn(&str) + Send + Sync>;

/// An engine in the games of one worker, which are played one after the other.
struct EnginePlayer {
    name: String,
    command: EngineCommand,
    report: ForfeitReport,
    running: Option<Box<dyn RunningEngine>>,
    game_id: Option<u64>,
}

impl Player {
    /// Returns another program as a player; `report` receives the reason of each forfeit.
    #[must_use]
    pub fn engine(id: PlayerId, command: EngineCommand, report: ForfeitReport) -> Self {
        let name = id.to_string();
        let make = move || EnginePlayer {
            name: name.clone(),
            command: command.clone(),
            report: Arc::clone(&report),
            running: None,
            game_id: None,
        };
        Self {
            id,
            method: Method::Direct {
                make: Arc::new(move |_| Box::new(make())),
                is_program: true,
            },
        }
    }
}

impl MoveChooser for EnginePlayer {
    fn choose(&mut self, game: &mut Game, turn: &mut Turn<'_>) -> Result<Move, NoMove> {
        let game_id = turn.game_id;
        let chosen = self.ask(game_id, game);
        let (forfeit, reason) = match chosen {
            Ok(mv) if game.rules().is_legal(game.position(), mv) => return Ok(mv),
            Ok(mv) => {
                let side = game.position().side();
                let reason = format!("{mv} is not legal for the {side}");
                (Forfeit::IllegalMove, reason)
            }
            Err(error) => match forfeit_of(&error) {
                Some(forfeit) => (forfeit, error.to_string()),
                None => return Err(NoMove::Unusable(error.into())),
            },
        };
        (self.report)(&format!(
            "game {game_id}, ply {}: {} loses ({}): {reason}",
            game.moves().len() + 1,
            self.name,
            forfeit.name(),
        ));
        // Nothing that it says from here on can be trusted to belong to the next game.
        self.running = None;
        self.game_id = None;
        Err(NoMove::Forfeit(forfeit))
    }
}

impl EnginePlayer {
    fn ask(&mut self, game_id: u64, game: &Game) -> Result<Move, EngineError> {
        let engine = match &mut self.running {
            Some(engine) => engine,
            None => self.running.insert(self.command.start()?),
        };
        if self.game_id != Some(game_id) {
            engine.begin(game.rules())?;
            self.game_id = Some(game_id);
        }
        engine.choose(game)
    }
}

/// Returns how a program loses by an error; nothing where it cannot play at all.
const fn forfeit_of(error: &EngineError) -> Option<Forfeit> {
    match error {
        EngineError::TimedOut { .. } => Some(Forfeit::Timeout),
        EngineError::NoMove(_) => Some(Forfeit::IllegalMove),
        EngineError::Refused { .. } => Some(Forfeit::Refusal),
        EngineError::Resigned => Some(Forfeit::Resignation),
        EngineError::Ended { .. } | EngineError::Flooded { .. } => Some(Forfeit::Crash),
        EngineError::Start { .. } | EngineError::Limit | EngineError::Command(_) => None,
    }
}
