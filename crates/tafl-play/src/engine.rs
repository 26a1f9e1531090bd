//! Another program at the board: started when a game needs it, and the loser of a game in which it fails.

use crate::player::{Method, MoveChooser, NoMove, Player, Turn};
use std::sync::Arc;
use tafl_engine::{EngineCommand, EngineError, Protocol, RunningEngine, Told};
use tafl_rules::{Game, Move, Side};
use tafl_samples::{Ending, EndingReason, Forfeit, PlayerId};

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
    /// Returns another program as a player; `told` is how it knows a ruleset, and `report` receives the reason of each forfeit.
    pub fn engine(id: PlayerId, command: EngineCommand, told: Told, report: ForfeitReport) -> Self {
        let name = id.to_string();
        // As hnefatafl-copenhagen does, which has no command for rulesets.
        let refuses_earlier_boards = command.protocol == Protocol::Htp && told == Told::Nothing;
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
                refuses_earlier_boards,
            },
        }
    }
}

impl MoveChooser for EnginePlayer {
    fn choose(&mut self, game: &mut Game, turn: &mut Turn<'_>) -> Result<Move, NoMove> {
        let game_id = turn.game_id;
        let chosen = self.ask(game_id, game);
        let side = game.position().side();
        let (ending, reason) = match chosen {
            Ok(mv) if game.rules().is_legal(game.position(), mv) => return Ok(mv),
            Ok(mv) => {
                let reason = format!("{mv} is not legal for the {side}");
                (Ending::forfeited(side, Forfeit::IllegalMove), reason)
            }
            Err(error) => match ending_of(&error, side) {
                Some(ending) => (ending, error.to_string()),
                None => return Err(NoMove::Unusable(error.into())),
            },
        };
        let loser = match ending.winner {
            Some(winner) if winner == side => format!("the opponent of {} loses", self.name),
            Some(_) => format!("{} loses", self.name),
            None => format!("{} ends it", self.name),
        };
        (self.report)(&format!(
            "game {game_id}, ply {}: {loser} ({}): {reason}",
            game.moves().len() + 1,
            ending.reason.name(),
        ));
        // Nothing that it says from here on can be trusted to belong to the next game.
        self.running = None;
        self.game_id = None;
        Err(NoMove::Over(ending))
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

/// Returns how a game ends by an error of the side to move; nothing where it cannot play at all.
fn ending_of(error: &EngineError, side: Side) -> Option<Ending> {
    let forfeit = match error {
        EngineError::TimedOut { .. } => Forfeit::Timeout,
        EngineError::NoMove(_) => Forfeit::IllegalMove,
        EngineError::Refused { .. } => Forfeit::Refusal,
        EngineError::Resigned => Forfeit::Resignation,
        EngineError::Ended { .. } | EngineError::Flooded { .. } => Forfeit::Crash,
        EngineError::RefusedMove { .. } => {
            return Some(Ending::forfeited(side.opponent(), Forfeit::RefusedMove));
        }
        EngineError::Over { winner, .. } => {
            return Some(Ending {
                winner: *winner,
                reason: EndingReason::OtherRules,
            });
        }
        EngineError::Start { .. } | EngineError::Limit | EngineError::Command(_) => return None,
    };
    Some(Ending::forfeited(side, forfeit))
}
