//! Our engine in the Hnefatafl Text Protocol, as hnefatafl-copenhagen 6.4 speaks it.

mod clock;
mod command;
mod play;
mod repeated;

pub(crate) use play::{read_play, write_play};
pub use repeated::leave_new;

use crate::notation::shortened;
use crate::search_thread::{Job, Limits, SearchEvent, SearchThread, StopSign};
use crate::setup::{EngineSetup, Flow, Output, Session};
use clock::Clocks;
use command::{Command, PROTOCOL_VERSION, Plain, commands};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tafl_rules::notation::opentafl;
use tafl_rules::{Diagram, EndReason, Game, Move, Rules, Setup, Side, Square};

/// Bytes that a tree may take.
const MEMORY: usize = 1 << 30;

/// A conversation.
pub(crate) struct HtpSession {
    setup: EngineSetup,
    out: Output,
    /// Where the game began.
    start: Game,
    game: Game,
    clocks: Clocks,
    /// The side that gave up, or ran out of time.
    loser: Option<Side>,
    /// The line that was refused and would have begun another game, until one of its kind is accepted: what comes is not
    /// meant for the game before.
    refused: Option<String>,
    search_thread: SearchThread,
}

impl HtpSession {
    pub(crate) fn new(setup: EngineSetup, search_thread: SearchThread, out: Output) -> Self {
        let game = Game::new(Arc::clone(&setup.rules));
        Self {
            start: game.clone(),
            game,
            setup,
            out,
            clocks: Clocks::none(),
            loser: None,
            refused: None,
            search_thread,
        }
    }

    /// Reads and obeys a line; nothing of an empty one.
    fn answer(&mut self, line: &str) -> Option<Result<String, String>> {
        let command = Command::read(line).transpose()?;
        let answer = command.and_then(|command| self.obey(command));
        self.note_refusal(line, answer.is_err());
        Some(answer)
    }

    fn note_refusal(&mut self, line: &str, is_refused: bool) {
        let mut words = line.split_whitespace();
        let (first, names_one) = (words.next(), words.next().is_some());
        // A board alone does not say that another ruleset is fine, too.
        let of_ruleset = |line: &String| line.starts_with("ruleset");
        let is_open = !self.refused.as_ref().is_some_and(of_ruleset);
        let begins = match first.filter(|_| names_one) {
            Some("ruleset") => true,
            Some("board_size") => is_open,
            _ => false,
        };
        if begins {
            self.refused = is_refused.then(|| shortened(line.trim()));
        }
    }

    fn obey(&mut self, command: Command<'_>) -> Result<String, String> {
        if let Some(line) = self.refused.as_ref().filter(|_| command.is_of_the_game()) {
            return Err(format!(
                "{line:?} was refused; `ruleset` begins another game"
            ));
        }
        match command {
            Command::BoardSize(size) => self.change_board(size)?,
            Command::FirstMove(side) => self.begin_with(side)?,
            Command::IsKnown(name) => return Ok(commands().contains(&name).to_string()),
            Command::Play(side, mv) => return self.play(side, mv),
            Command::PlayTo(side, from) => return self.targets(side, from),
            Command::Ruleset(None) => return Ok(self.setup.rules.ruleset().name.clone()),
            Command::Ruleset(Some(name)) => {
                let rules = self.setup.rules_by(name)?;
                self.play_by(rules)?;
            }
            Command::TimeSettings(settings) => {
                self.begin();
                self.clocks = settings.map_or_else(Clocks::none, |(left, added)| {
                    Clocks::start([left; 2], added)
                });
            }
            Command::Plain(plain) => return self.obey_plain(plain),
        }
        Ok(String::new())
    }

    fn obey_plain(&mut self, plain: Plain) -> Result<String, String> {
        Ok(match plain {
            Plain::FinalStatus => self.status().to_owned(),
            Plain::GenerateMove => self.generate()?,
            Plain::ListCommands => format!("\n{}", commands().join("\n")),
            Plain::Name => self.setup.name.clone(),
            Plain::PlayFrom => self.movable(),
            Plain::PlayUndo => self.undo().map(|()| String::new())?,
            Plain::ProtocolVersion => PROTOCOL_VERSION.to_owned(),
            Plain::Quit => String::new(),
            Plain::ShowBoard => {
                let diagram = Diagram::new(&self.setup.rules, self.game.position());
                format!("\n{}", diagram.ascii())
            }
            Plain::ShowBoardOpenTafl => {
                opentafl::write_capitals(&Setup::of(self.game.position(), self.setup.rules.shape()))
            }
            Plain::Version => self.setup.version.clone(),
        })
    }

    /// Begins a game anew, with full clocks.
    fn begin(&mut self) {
        self.start = Game::new(Arc::clone(&self.setup.rules));
        self.game = self.start.clone();
        self.loser = None;
        self.clocks.reset();
    }

    fn begin_with(&mut self, side: Side) -> Result<(), String> {
        let rules = Arc::clone(&self.setup.rules);
        let setup = Setup::of(&rules.start(), rules.shape()).with_side(side);
        let start = Game::from_setup(rules, &setup).map_err(|error| error.to_string())?;
        self.begin();
        self.start = start.clone();
        self.game = start;
        Ok(())
    }

    /// Begins a game on a board: by the present ruleset if it is its board, else by the first one that is.
    fn change_board(&mut self, size: u8) -> Result<(), String> {
        if self.setup.rules.shape().size() == size {
            self.begin();
            return Ok(());
        }
        let is_such = |rules: &&Arc<Rules>| rules.shape().size() == size;
        let rules = self.setup.offers().find(is_such).cloned();
        self.play_by(rules.ok_or_else(|| format!("board_size: no ruleset on {size}x{size}"))?)
    }

    fn play_by(&mut self, rules: Arc<Rules>) -> Result<(), String> {
        self.setup.change_rules(rules, &self.search_thread)?;
        self.begin();
        Ok(())
    }

    fn status(&mut self) -> &'static str {
        self.look_at_clock();
        let winner = match (self.loser, self.game.outcome()) {
            (Some(loser), _) => Some(Some(loser.opponent())),
            (None, outcome) => outcome.map(|outcome| outcome.winner),
        };
        match winner {
            None => "ongoing",
            Some(None) => "draw",
            Some(Some(Side::Attacker)) => "attacker_wins",
            Some(Some(Side::Defender)) => "defender_wins",
        }
    }

    fn look_at_clock(&mut self) {
        let side = self.game.position().side();
        let is_open = self.loser.is_none() && self.game.outcome().is_none();
        if is_open && self.clocks.has_run_out(side) {
            self.loser = Some(side);
        }
    }

    /// Plays on, with the past forgotten, where the past alone ended the game: the other program may judge it otherwise.
    fn go_on(&mut self) {
        let by_past = [
            EndReason::Repetition,
            EndReason::Captureless,
            EndReason::Unfinishable,
        ];
        let reason = self.game.outcome().map(|outcome| outcome.reason);
        if self.loser.is_some() || !reason.is_some_and(|reason| by_past.contains(&reason)) {
            return;
        }
        let rules = Arc::clone(&self.setup.rules);
        let setup = Setup {
            captureless: 0,
            ..Setup::of(self.game.position(), rules.shape())
        };
        if let Ok(start) = Game::from_setup(rules, &setup) {
            self.start = start.clone();
            self.game = start;
        }
    }

    fn must_be_open(&mut self) -> Result<(), String> {
        self.look_at_clock();
        match (self.loser, self.game.outcome()) {
            (Some(loser), _) => Err(format!("the game is over: {} win", loser.opponent())),
            (None, Some(outcome)) => Err(format!("the game is over: {outcome}")),
            (None, None) => Ok(()),
        }
    }

    fn must_move(&self, side: Side) -> Result<(), String> {
        if side == self.game.position().side() {
            return Ok(());
        }
        Err(format!("it is not the {side}' turn"))
    }

    /// Plays a ply and returns the captured squares; without one the side resigns.
    fn play(&mut self, side: Side, mv: Option<Move>) -> Result<String, String> {
        self.go_on();
        self.must_be_open()?;
        self.must_move(side)?;
        let Some(mv) = mv else {
            self.loser = Some(side);
            return Ok(String::new());
        };
        let ply = self.game.play(mv);
        let ply = ply.map_err(|error| format!("play: {error}"))?;
        let is_handed_over = self.game.position().side() != side;
        self.clocks.ply(side, is_handed_over);
        let squares = ply.captured.squares().map(|square| square.to_string());
        Ok(squares.collect::<Vec<_>>().join(" "))
    }

    fn generate(&mut self) -> Result<String, String> {
        self.go_on();
        self.must_be_open()?;
        let side = self.game.position().side();
        let only = if self.game.position().chain().is_some() {
            Vec::new()
        } else {
            self.displacements()
        };
        let limits = match self.clocks.budget(side) {
            None => self.setup.limits,
            Some(time) => Limits {
                movetime: Some(time),
                infinite: false,
                ..self.setup.limits
            },
        };
        let (sender, answer) = channel();
        let report = move |news: SearchEvent<'_>| {
            let found = match news {
                SearchEvent::Progress(_) => return,
                SearchEvent::Done(search_report) => search_report
                    .map(tafl_search::SearchReport::best)
                    .ok_or_else(|| "the game is over".to_owned()),
                SearchEvent::Failed(reason) => Err(reason),
            };
            let _ = sender.send(found);
        };
        self.search_thread.think(Job {
            game: self.game.clone(),
            limits,
            ponders: false,
            only,
            lines: 1,
            memory: MEMORY,
            stop: Arc::<StopSign>::default(),
            report: Box::new(report),
        });
        let lost = |_| "the search ended with an internal error".to_owned();
        let mv = answer.recv().map_err(lost)??;
        self.play(side, Some(mv))?;
        Ok(write_play(side, mv))
    }

    /// Takes back what came last: that a side gave up or ran out of time, or a ply.
    fn undo(&mut self) -> Result<(), String> {
        if self.loser.take().is_some() {
            self.clocks.touch();
            return Ok(());
        }
        let Some((_, kept)) = self.game.moves().split_last() else {
            return Err("play_undo: no move to undo".to_owned());
        };
        let mut game = self.start.clone();
        for &mv in kept {
            game.play(mv).map_err(|error| error.to_string())?;
        }
        self.game = game;
        self.clocks.touch();
        Ok(())
    }

    /// Returns the side to move, and the squares of its pieces that can.
    fn movable(&self) -> String {
        let moves = self.displacements();
        let squares: BTreeSet<Square> = moves.iter().map(|mv| mv.from()).collect();
        let role = play::role(self.game.position().side()).to_owned();
        squares
            .iter()
            .fold(role, |text, square| format!("{text} {square}"))
    }

    fn displacements(&self) -> Vec<Move> {
        let mut moves = self.game.legal();
        moves.retain(|mv| !mv.is_end());
        leave_new(&self.game, &self.start, &mut moves);
        moves
    }

    fn targets(&self, side: Side, from: Square) -> Result<String, String> {
        self.must_move(side)?;
        let moves = self.displacements();
        let own = moves.iter().filter(|mv| mv.from() == from);
        let targets: Vec<String> = own.map(|mv| mv.to().to_string()).collect();
        if targets.is_empty() {
            return Err(format!("play_to: no legal move from {from}"));
        }
        Ok(targets.join(" "))
    }
}

impl Session for HtpSession {
    /// Answers a line; nothing follows one that is empty but for a comment.
    fn hear(&mut self, line: &str) -> Flow {
        let line = line.split('#').next().unwrap_or_default();
        match self.answer(line) {
            None => {}
            Some(Ok(text)) => self.out.line(&format!("= {text}")),
            Some(Err(reason)) => self.complain(&reason),
        }
        match line.trim() {
            "quit" => Flow::Quit,
            _ => Flow::GoOn,
        }
    }

    fn complain(&self, what: &str) {
        self.out.line(&format!("? {what}\n"));
    }
}
