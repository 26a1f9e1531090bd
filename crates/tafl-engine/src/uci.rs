//! Our engine in UCI, in the dialect of `TaflZero` 0.3.

mod command;
mod go;
mod info;
mod running;

use crate::notation::{read_ply, read_turn, shortened};
use crate::search_thread::{Job, SearchEvent, SearchThread};
use crate::setup::{EngineSetup, Flow, Output, Session};
use command::{Command, Setting, Start};
use go::Go;
use running::{Running, Searches};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use strum::VariantArray;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Diagram, Game, Move, Setup};

/// Returns the name that `TaflZero` has for a ruleset in its option `Variant`.
pub(crate) fn taflzero_variant(ruleset: &str) -> Option<&'static str> {
    VARIANTS
        .into_iter()
        .find(|row| row.1 == ruleset)
        .map(|row| row.0)
}

/// Variants of `TaflZero`, and the rulesets that they are.
const VARIANTS: [(&str, &str); 2] = [("copenhagen11x11", "copenhagen"), ("tablut9x9", "tablut")];

/// MiB that a tree may take unless something else is said.
const USUAL_MEMORY: usize = 1024;

/// A conversation.
pub(crate) struct UciSession {
    setup: EngineSetup,
    out: Output,
    searches: Searches,
    /// Nothing once a position was refused, until one is accepted.
    game: Option<Game>,
    /// The ruleset that was refused, until one is accepted: what comes is not meant for the one before.
    refused: Option<String>,
    lines: usize,
    memory: usize,
    /// Whether answers name the move to ponder on.
    names_reply: bool,
    // Dropped last of what speaks, it waits for the search to end.
    search_thread: SearchThread,
}

impl UciSession {
    pub(crate) fn new(setup: EngineSetup, search_thread: SearchThread, out: Output) -> Self {
        Self {
            game: Some(Game::new(Arc::clone(&setup.rules))),
            refused: None,
            setup,
            out,
            searches: Searches::default(),
            lines: 1,
            memory: USUAL_MEMORY,
            names_reply: false,
            search_thread,
        }
    }

    fn obey(&mut self, command: Command<'_>) -> Result<(), String> {
        match command {
            Command::Uci => self.greet(),
            Command::IsReady => self.out.line("readyok"),
            Command::NewGame => self.begin(),
            Command::SetOption(option, value) => self.set(option, value)?,
            Command::Position(start, moves) => {
                self.game = None;
                self.game = Some(self.read_game(start, &moves)?);
            }
            Command::Go(go) => self.go(&go),
            Command::PonderHit => self.searches.ponder_hit(),
            Command::Stop => self.searches.stop(),
            Command::Board => self.show()?,
            Command::Result => self.tell_result()?,
            Command::Quit | Command::PassedOver => {}
        }
        Ok(())
    }

    fn begin(&mut self) {
        self.game = Some(Game::new(Arc::clone(&self.setup.rules)));
    }

    fn check_rules(&self) -> Result<(), String> {
        let refused = |name| format!("ruleset {name:?} was refused; option Ruleset sets another");
        self.refused
            .as_ref()
            .map_or(Ok(()), |name| Err(refused(name)))
    }

    fn game(&self) -> Result<&Game, String> {
        self.check_rules()?;
        let refused = "the last position was refused; `position` sets another";
        self.game.as_ref().ok_or_else(|| refused.to_owned())
    }

    fn greet(&self) {
        let (name, version) = (&self.setup.name, &self.setup.version);
        self.out.line(&format!(
            "id name {name} {version}\nid author the Taflforge developers"
        ));
        let options = Setting::VARIANTS.iter();
        for line in options.filter_map(|it| it.declaration(&self.setup)) {
            self.out.line(&line);
        }
        self.out.line("uciok");
    }

    fn set(&mut self, option: Setting, value: &str) -> Result<(), String> {
        match option {
            Setting::MultiPv => self.lines = option.number(value)?,
            Setting::Hash => self.memory = option.number(value)?,
            Setting::Ponder => {
                let wrong = |_| format!("option Ponder: {value:?} is neither true nor false");
                self.names_reply = value.parse().map_err(wrong)?;
            }
            Setting::Ruleset => self.play_by(value, Some(value))?,
            Setting::Variant => {
                let row = VARIANTS.into_iter().find(|row| row.0 == value);
                self.play_by(value, row.map(|row| row.1))?;
            }
        }
        Ok(())
    }

    /// Changes the ruleset to what an option's value names; where that is not possible, nothing is played until another is
    /// accepted.
    fn play_by(&mut self, value: &str, name: Option<&str>) -> Result<(), String> {
        self.refused = Some(shortened(value));
        let known = || VARIANTS.map(|row| row.0).join(", ");
        let unknown = || {
            format!(
                "option Variant: unknown value {value:?}; known are {}",
                known()
            )
        };
        let rules = self.setup.rules_by(name.ok_or_else(unknown)?)?;
        self.searches.let_end();
        self.setup.change_rules(rules, &self.search_thread)?;
        self.refused = None;
        self.begin();
        Ok(())
    }

    fn read_game(&self, start: Start<'_>, moves: &[&str]) -> Result<Game, String> {
        self.check_rules()?;
        let rules = &self.setup.rules;
        let mut game = match start {
            Start::Ruleset => Game::new(Arc::clone(rules)),
            Start::Fen(fen) => {
                let setup = Fen::read_under(&fen, rules);
                let setup = setup.map_err(|error| format!("position fen: {error}"))?;
                let game = Game::from_setup(Arc::clone(rules), &setup);
                game.map_err(|error| format!("position fen: {error}"))?
            }
            Start::Unread => {
                let usage = "position: expected `startpos` or `fen FEN`, then `moves MOVE ...`";
                return Err(usage.to_owned());
            }
        };
        for (number, word) in (1..).zip(moves) {
            let turn = read_turn(word).map_err(|error| format!("move {number}: {error}"))?;
            for mv in turn {
                game.play(mv)
                    .map_err(|error| format!("move {number}: {error}"))?;
            }
        }
        Ok(game)
    }

    /// Begins a search after those before it; whatever is wrong, there is one answer.
    fn go(&mut self, go: &Go<'_>) {
        for fault in &go.faults {
            self.complain(fault);
        }
        let asked = self.game().cloned();
        let asked = asked.and_then(|game| Ok((moves_of(&game, go)?, game)));
        match asked {
            Ok((only, game)) => self.think(go, game, only),
            Err(reason) => self.refuse(&reason),
        }
    }

    /// Answers that there is no move, after the answers before it.
    fn refuse(&mut self, reason: &str) {
        let (out, running) = (self.out.clone(), Running::default());
        let text = format!("info string error: {reason}\nbestmove (none)");
        if self.searches.are_over() {
            return out.line(&text);
        }
        self.searches.add(running.clone());
        self.search_thread.say(move || {
            out.line(&text);
            running.is_over.store(true, Ordering::Release);
        });
    }

    fn think(&mut self, go: &Go<'_>, game: Game, only: Vec<Move>) {
        let limits = go.limits(game.position().side(), self.setup.limits);
        let running = Running {
            is_endless: limits.infinite,
            ponders: go.ponders,
            ..Running::default()
        };
        self.searches.add(running.clone());
        let (out, many) = (self.out.clone(), self.lines > 1);
        let asked = self.names_reply.then(|| game.clone());
        let stop = Arc::clone(&running.stop);
        let report = move |news: SearchEvent<'_>| {
            let text = match &news {
                SearchEvent::Progress(search_report) => info::lines(search_report, many),
                SearchEvent::Done(Some(search_report)) => info::best(search_report, asked.as_ref()),
                SearchEvent::Done(None) => "bestmove (none)".to_owned(),
                SearchEvent::Failed(reason) => {
                    format!("info string error: {reason}\nbestmove (none)")
                }
            };
            out.line(&text);
            if out.is_broken() {
                running.stop.raise();
            }
            if !matches!(news, SearchEvent::Progress(_)) {
                running.is_over.store(true, Ordering::Release);
            }
        };
        self.search_thread.think(Job {
            game,
            limits,
            ponders: go.ponders,
            only,
            lines: self.lines,
            memory: self.memory << 20,
            stop,
            report: Box::new(report),
        });
    }

    fn show(&self) -> Result<(), String> {
        let game = self.game()?;
        let rules = game.rules();
        let diagram = Diagram::new(rules, game.position()).ascii();
        let fen = Fen {
            plies: game.moves().len() as u32,
            ..Fen::of(Setup::of(game.position(), rules.shape()))
        };
        let name = &rules.ruleset().name;
        self.out
            .line(&format!("{diagram}ruleset: {name}\nfen: {fen}"));
        Ok(())
    }

    fn tell_result(&self) -> Result<(), String> {
        let text = match self.game()?.outcome() {
            None => "none".to_owned(),
            Some(outcome) => {
                let winner = outcome.winner.map_or("draw", tafl_rules::Side::name);
                format!("{winner} {}", outcome.reason)
            }
        };
        self.out.line(&format!("result {text}"));
        Ok(())
    }
}

impl Session for UciSession {
    fn hear(&mut self, line: &str) -> Flow {
        let done = match Command::read(line) {
            Ok(None) => Ok(()),
            Ok(Some(Command::Quit)) => {
                self.searches.stop();
                return Flow::Quit;
            }
            Ok(Some(command)) => self.obey(command),
            Err(reason) => Err(reason),
        };
        if let Err(reason) = done {
            self.complain(&reason);
        }
        Flow::GoOn
    }

    fn complain(&self, what: &str) {
        self.out.line(&format!("info string error: {what}"));
    }

    /// The position or the ruleset before the line is not what was meant to be played.
    fn misread(&mut self, begin: &[u8], what: &str) {
        match Command::read(&String::from_utf8_lossy(begin)) {
            Ok(Some(Command::Position(..))) => self.game = None,
            Ok(Some(Command::SetOption(Setting::Ruleset | Setting::Variant, name))) => {
                self.refused = Some(shortened(name));
            }
            _ => {}
        }
        self.complain(what);
    }

    fn end_of_input(&mut self) {
        self.searches.end_endless();
    }
}

/// Returns the legal ones of the moves that alone are asked for; nothing where all are.
fn moves_of(game: &Game, go: &Go<'_>) -> Result<Vec<Move>, String> {
    let Some(words) = go.only.as_ref().filter(|_| game.outcome().is_none()) else {
        return Ok(Vec::new());
    };
    let wanted: Vec<Move> = words
        .iter()
        .filter_map(|word| read_ply(word).ok())
        .collect();
    let mut moves = game.legal();
    moves.retain(|mv| wanted.contains(mv));
    match moves[..] {
        [] => Err("go searchmoves: none of the moves is legal".to_owned()),
        _ => Ok(moves),
    }
}
