//! Our engine in UCI, in the dialect of `TaflZero` 0.3.

mod command;
mod info;

use crate::notation::read_turn;
use crate::search_thread::{Job, Limits, SearchEvent, SearchThread, StopSign};
use crate::setup::{EngineSetup, Flow, Output, Session};
use crate::write_ply;
use command::{Command, Setting, Start};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use strum::VariantArray;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Diagram, Game, Setup};

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

/// How long a search may go on once no further line can come: whoever asked has ended, or wants this answer.
const LAST_SEARCH: Duration = Duration::from_secs(10);

/// A search that was begun.
#[derive(Default)]
struct Running {
    stop: Arc<StopSign>,
    is_over: Arc<AtomicBool>,
    /// Its last words are not wanted.
    is_given_up: Arc<AtomicBool>,
    is_infinite: bool,
}

/// A conversation.
pub(crate) struct UciSession {
    setup: EngineSetup,
    out: Output,
    running: Option<Running>,
    game: Game,
    lines: usize,
    memory: usize,
    // Dropped last of what speaks, it waits for the search to end.
    search_thread: SearchThread,
}

impl UciSession {
    pub(crate) fn new(setup: EngineSetup, search_thread: SearchThread, out: Output) -> Self {
        Self {
            game: Game::new(Arc::clone(&setup.rules)),
            setup,
            out,
            running: None,
            lines: 1,
            memory: USUAL_MEMORY,
            search_thread,
        }
    }

    fn give_up(&self) {
        if let Some(running) = &self.running {
            running.is_given_up.store(true, Ordering::Relaxed);
            running.stop.raise();
        }
    }

    fn obey(&mut self, command: Command<'_>) -> Result<(), String> {
        match command {
            Command::Uci => self.greet(),
            Command::IsReady => self.out.line("readyok"),
            Command::NewGame => {
                self.must_be_idle()?;
                self.game = Game::new(Arc::clone(&self.setup.rules));
            }
            Command::SetOption(option, value) => {
                self.must_be_idle()?;
                self.set(option, value)?;
            }
            Command::Position(start, moves) => self.game = self.read_game(start, &moves)?,
            Command::Go(limits) => self.go(limits)?,
            Command::Stop => {
                if let Some(running) = &self.running {
                    running.stop.raise();
                }
            }
            Command::Board => self.show(),
            Command::Result => self.tell_result(),
            Command::Quit => {}
        }
        Ok(())
    }

    fn greet(&self) {
        let (name, version) = (&self.setup.name, &self.setup.version);
        self.out.line(&format!(
            "id name {name} {version}\nid author the Taflforge developers"
        ));
        for option in Setting::VARIANTS {
            self.out.line(&option.declaration(&self.setup));
        }
        self.out.line("uciok");
    }

    fn must_be_idle(&mut self) -> Result<(), String> {
        let is_over = |running: &Running| running.is_over.load(Ordering::Acquire);
        if !self.running.as_ref().is_none_or(is_over) {
            return Err("a search is running; send `stop` and wait for `bestmove`".to_owned());
        }
        self.running = None;
        Ok(())
    }

    fn set(&mut self, option: Setting, value: &str) -> Result<(), String> {
        match option {
            Setting::MultiPv => self.lines = option.number(value)?,
            Setting::Hash => self.memory = option.number(value)?,
            Setting::Ruleset => self.play_by(value)?,
            Setting::Variant => {
                let row = VARIANTS.into_iter().find(|row| row.0 == value);
                let known =
                    row.ok_or_else(|| format!("option Variant: unknown value {value:?}"))?;
                self.play_by(known.1)?;
            }
        }
        Ok(())
    }

    /// Changes the ruleset, or nothing where that is not possible.
    fn play_by(&mut self, name: &str) -> Result<(), String> {
        let rules = self.setup.rules_by(name)?;
        self.setup.change_rules(rules, &self.search_thread)?;
        self.game = Game::new(Arc::clone(&self.setup.rules));
        Ok(())
    }

    fn read_game(&self, start: Start<'_>, moves: &[&str]) -> Result<Game, String> {
        let rules = &self.setup.rules;
        let mut game = match start {
            Start::Ruleset => Game::new(Arc::clone(rules)),
            Start::Fen(fen) => {
                let fen: Result<Fen, _> = fen.parse();
                let fen = fen.map_err(|error| format!("position fen: {error}"))?;
                let position = rules.position(&fen.setup);
                let position = position.map_err(|error| format!("position fen: {error}"))?;
                Game::from_position(Arc::clone(rules), position)
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

    fn go(&mut self, limits: Limits) -> Result<(), String> {
        self.must_be_idle()?;
        let is_open = limits == Limits::default();
        let limits = if is_open { self.setup.limits } else { limits };
        let running = Running {
            is_infinite: limits.infinite,
            ..Running::default()
        };
        let (out, many) = (self.out.clone(), self.lines > 1);
        let (is_over, is_given_up) = (running.is_over.clone(), running.is_given_up.clone());
        let report = move |news: SearchEvent<'_>| {
            let is_wanted = !is_given_up.load(Ordering::Relaxed);
            let text = match &news {
                SearchEvent::Progress(search_report) => info::lines(search_report, many),
                SearchEvent::Done(Some(search_report)) => {
                    format!("bestmove {}", write_ply(search_report.best()))
                }
                SearchEvent::Done(None) => "bestmove (none)".to_owned(),
                SearchEvent::Failed(reason) => {
                    format!("info string error: {reason}\nbestmove (none)")
                }
            };
            // Whoever has read the answer may ask again at once.
            if !matches!(news, SearchEvent::Progress(_)) {
                is_over.store(true, Ordering::Release);
            }
            if is_wanted {
                out.line(&text);
            }
        };
        self.search_thread.think(Job {
            game: self.game.clone(),
            limits,
            lines: self.lines,
            memory: self.memory << 20,
            stop: Arc::clone(&running.stop),
            report: Box::new(report),
        });
        self.running = Some(running);
        Ok(())
    }

    fn show(&self) {
        let rules = self.game.rules();
        let diagram = Diagram::new(rules, self.game.position()).ascii();
        let fen = Fen {
            plies: self.game.moves().len() as u32,
            ..Fen::of(Setup::of(self.game.position(), rules.shape()))
        };
        let name = &rules.ruleset().name;
        self.out
            .line(&format!("{diagram}ruleset: {name}\nfen: {fen}"));
    }

    fn tell_result(&self) {
        let text = match self.game.outcome() {
            None => "none".to_owned(),
            Some(outcome) => {
                let winner = outcome.winner.map_or("draw", tafl_rules::Side::name);
                format!("{winner} {}", outcome.reason)
            }
        };
        self.out.line(&format!("result {text}"));
    }
}

impl Session for UciSession {
    fn hear(&mut self, line: &str) -> Flow {
        let done = match Command::read(line) {
            Ok(None) => Ok(()),
            Ok(Some(Command::Quit)) => {
                self.give_up();
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

    /// Lets a search that has an end of its own come to it in a while; the others end now.
    fn end_of_input(&self) {
        let Some(running) = &self.running else {
            return;
        };
        if running.is_infinite {
            return running.stop.raise();
        }
        let stop = Arc::clone(&running.stop);
        std::thread::spawn(move || {
            std::thread::sleep(LAST_SEARCH);
            stop.raise();
        });
    }
}
