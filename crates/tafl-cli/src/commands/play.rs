//! `tafl play`: a game in the terminal.

mod dialog;
mod opponent;

use crate::args::DataFolder;
use crate::board::Style;
use crate::search_args::SearchArgs;
use dialog::{Answer, Request};
use opponent::Opponent;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tafl_rules::{Bitboard, Diagram, Game, Move, Side, TurnText};
use tafl_training::{PlayerSource, load_rules, shipped};

/// Arguments of `tafl play`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --checkpoint and --against, the opponent is the network of data/nets that has learned the ruleset.")]
pub(crate) struct Args {
    /// Play against this checkpoint, such as data/runs/quickstart/checkpoints/000010.
    #[arg(long, value_name = "DIR", conflicts_with = "against")]
    checkpoint: Option<PathBuf>,
    /// Play against a baseline: random, greedy, rollouts:VISITS or alphabeta:DEPTH.
    #[arg(long, value_name = "PLAYER")]
    against: Option<PlayerSource>,
    /// Name of a ruleset, or path to a ruleset file.
    #[arg(long, default_value = "copenhagen")]
    ruleset: String,
    /// Your side: attackers (they move first) or defenders.
    #[arg(long, default_value = "attackers")]
    side: Side,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = load_rules(&args.ruleset, Path::new("."))?;
    let checkpoint = |folder| PlayerSource::Checkpoint {
        folder,
        visits: None,
    };
    let name = match (&args.checkpoint, &args.against) {
        (Some(folder), _) => checkpoint(folder.clone()),
        (None, Some(source)) => source.clone(),
        (None, None) => checkpoint(shipped(&args.data.path, &rules)?),
    };
    let config = args.search.config_of(&name)?;
    let opponent = Opponent::open(&name, &config, &rules, args.search.seed)?;
    let mut table = Table {
        game: Game::new(rules),
        turns: Vec::new(),
        opponent,
        human: args.side,
        style: Style::of_stdout(),
    };
    println!(
        "You play the {} against {}. Type `help` for what you can type.",
        args.side, name
    );
    if let Some(legend) = table.style.legend(&table.diagram()) {
        println!("{legend}");
    }
    table.play()?;
    Ok(ExitCode::SUCCESS)
}

/// A game between a human and a player.
struct Table {
    game: Game,
    /// What was played, turn by turn; a chain is one.
    turns: Vec<(Side, TurnText)>,
    opponent: Opponent,
    human: Side,
    style: Style,
}

impl Table {
    /// Plays until the game ends, or the human leaves.
    fn play(&mut self) -> anyhow::Result<()> {
        let mut drawn_after = None;
        while self.game.outcome().is_none() {
            if self.game.position().side() != self.human {
                let mv = self.opponent.choose(&self.game)?;
                self.make(mv);
                self.report_turn();
                continue;
            }
            if drawn_after != Some(self.game.moves().len()) {
                self.draw();
                drawn_after = Some(self.game.moves().len());
            }
            match dialog::ask(&self.game)? {
                Request::Leave => {
                    println!("The game is left unfinished.");
                    return Ok(());
                }
                Request::Resign => {
                    println!("You resign: {} win.", self.human.opponent());
                    return Ok(());
                }
                Request::Moves(moves) => self.play_turn(&moves),
                Request::Undo => self.undo(),
                Request::Hint => self.hint()?,
                Request::Board => drawn_after = None,
                Request::Say(text) => println!("{text}"),
            }
        }
        if let Some(outcome) = self.game.outcome() {
            self.draw();
            println!("{outcome}.");
        }
        Ok(())
    }

    /// Plays what the human typed, or nothing of it if a part is not legal.
    fn play_turn(&mut self, moves: &[Move]) {
        let (game, turns) = (self.game.clone(), self.turns.clone());
        for &mv in moves {
            if let Answer::Refused(reason) = dialog::check(&self.game, mv) {
                (self.game, self.turns) = (game, turns);
                println!("{reason}");
                return;
            }
            self.make(mv);
        }
    }

    /// Plays a legal move and notes it as part of its turn.
    fn make(&mut self, mv: Move) {
        let side = self.game.position().side();
        let within_chain = self.game.position().chain().is_some();
        let ply = (mv, self.game.play_unchecked(mv).captured);
        match self.turns.last_mut().filter(|_| within_chain) {
            Some((_, turn)) => turn.plies.push(ply),
            None => self.turns.push((side, TurnText { plies: vec![ply] })),
        }
    }

    /// Tells what the opponent did, once its turn is over.
    fn report_turn(&self) {
        let over = self.game.outcome().is_some() || self.game.position().chain().is_none();
        if let Some((side, turn)) = self.turns.last().filter(|_| over) {
            println!("The {side} play {turn}.");
        }
    }

    /// Takes back everything since the human's last turn, that turn included.
    fn undo(&mut self) {
        let Some(last) = self.turns.iter().rposition(|(side, _)| *side == self.human) else {
            println!("There is nothing to take back.");
            return;
        };
        self.turns.truncate(last);
        let kept: Vec<Move> = self
            .turns
            .iter()
            .flat_map(|(_, turn)| turn.plies.iter().map(|(mv, _)| *mv))
            .collect();
        self.game = Game::new(self.game.rules().clone());
        for mv in kept {
            self.game.play_unchecked(mv);
        }
    }

    fn hint(&mut self) -> anyhow::Result<()> {
        for line in self.opponent.hint(&self.game)? {
            println!("{line}");
        }
        Ok(())
    }

    /// Returns the drawing of the position after the last turn.
    fn diagram(&self) -> Diagram<'_> {
        let plies = self
            .turns
            .last()
            .map_or(&[][..], |(_, turn)| &turn.plies[..]);
        let captured = plies
            .iter()
            .fold(Bitboard::EMPTY, |all, (_, captured)| all | *captured);
        Diagram::new(self.game.rules(), self.game.position())
            .with_last_move(plies.last().map(|(mv, _)| *mv))
            .with_captured(captured)
    }

    fn draw(&self) {
        println!("\n{}", self.style.draw(&self.diagram()));
        // Whoever reads along through a pipe sees the board before the question.
        let _ = std::io::stdout().flush();
    }
}
