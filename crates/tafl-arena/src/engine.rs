//! Another program at the board: started when a game needs it, and the loser of a game in which it fails.

use tafl_engine::{EngineCommand, EngineError, RunningEngine};
use tafl_rules::{Game, Move};
use tafl_samples::Forfeit;

/// The place of an engine in the games of one worker, which are played one after the other.
pub(crate) struct EngineSeat<'a> {
    name: String,
    command: &'a EngineCommand,
    report: &'a (dyn Fn(&str) + Sync),
    running: Option<RunningEngine>,
    /// The game that the engine was told to begin.
    game_id: Option<u64>,
}

/// Why there is no move.
pub(crate) enum NoMove {
    /// The engine loses the game.
    Forfeit(Forfeit),
    /// It cannot be started at all, so that no game means anything.
    Unusable(EngineError),
}

impl<'a> EngineSeat<'a> {
    pub(crate) fn new(
        name: &str,
        command: &'a EngineCommand,
        report: &'a (dyn Fn(&str) + Sync),
    ) -> Self {
        Self {
            name: name.to_owned(),
            command,
            report,
            running: None,
            game_id: None,
        }
    }

    /// Returns the engine's ply, known to be legal.
    pub(crate) fn choose(&mut self, game_id: u64, game: &Game) -> Result<Move, NoMove> {
        let chosen = self.ask(game_id, game);
        let (forfeit, reason) = match chosen {
            Ok(mv) if game.rules().is_legal(game.position(), mv) => return Ok(mv),
            Ok(mv) => {
                let side = game.position().side();
                let reason = format!("{mv} is not legal for the {side}");
                (Forfeit::IllegalMove, reason)
            }
            Err(
                error @ (EngineError::Start { .. } | EngineError::Limit | EngineError::Command(_)),
            ) => {
                return Err(NoMove::Unusable(error));
            }
            Err(error) => (forfeit_of(&error), error.to_string()),
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

    fn ask(&mut self, game_id: u64, game: &Game) -> Result<Move, EngineError> {
        let engine = match &mut self.running {
            Some(engine) => engine,
            None => self.running.insert(RunningEngine::start(self.command)?),
        };
        if self.game_id != Some(game_id) {
            engine.begin(game.rules())?;
            self.game_id = Some(game_id);
        }
        engine.choose(game)
    }
}

fn forfeit_of(error: &EngineError) -> Forfeit {
    match error {
        EngineError::TimedOut { .. } => Forfeit::Timeout,
        EngineError::NoMove(_) => Forfeit::IllegalMove,
        EngineError::Refused { .. } => Forfeit::Refusal,
        EngineError::Resigned => Forfeit::Resignation,
        EngineError::Ended { .. }
        | EngineError::Start { .. }
        | EngineError::Limit
        | EngineError::Command(_) => Forfeit::Crash,
    }
}
