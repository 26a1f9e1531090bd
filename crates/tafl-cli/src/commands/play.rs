//! `tafl play`: a game in the terminal.

mod dialog;

use crate::args::DataFolder;
use crate::board::Style;
use crate::search_args::SearchArgs;
use anyhow::anyhow;
use dialog::Request;
use std::cmp::Reverse;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tafl_play::{NoMove, SoloPlayer};
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::{Bitboard, Diagram, Game, Move, Side, TurnText};
use tafl_training::{PlayerSource, load_rules, shipped};

/// Arguments of `tafl play`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --checkpoint and --against, the opponent is a network of data/nets that learned the ruleset.")]
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
    /// Your side: attackers (move first) or defenders.
    #[arg(long, default_value = "attackers")]
    side: Side,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = load_rules(&args.ruleset, Path::new("."))?;
    let name = match (&args.checkpoint, &args.against) {
        (Some(folder), _) => PlayerSource::checkpoint(folder.clone()),
        (None, Some(source)) => source.clone(),
        (None, None) => PlayerSource::checkpoint(shipped(&args.data.path, &rules)?),
    };
    let config = args.search.config_of(&name)?;
    let opened = name.open(&config, &rules)?;
    let opponent = SoloPlayer::new(opened.player.as_ref().clone(), args.search.seed);
    let mut table = Table {
        game: Game::new(rules),
        opponent: opponent.map_err(|error| anyhow!("{name}: {error}"))?,
        human: args.side,
        style: Style::of_stdout(),
    };
    println!(
        "You play the {} against {}. Type `help` for a list of commands.",
        args.side, name
    );
    if let Some(legend) = table.style.legend(&table.diagram()) {
        println!("{legend}");
    }
    table.play()?;
    Ok(ExitCode::SUCCESS)
}

/// Moves that a hint lists.
const HINTED_MOVES: usize = 3;

/// A game between a human and a player.
struct Table {
    game: Game,
    opponent: SoloPlayer,
    human: Side,
    style: Style,
}

impl Table {
    /// Plays until the game ends, or the human leaves.
    fn play(&mut self) -> anyhow::Result<()> {
        let mut drawn_after = None;
        while self.game.outcome().is_none() {
            if self.game.position().side() != self.human {
                let mv = self.choose()?;
                self.game.play_unchecked(mv);
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

    /// Returns what the opponent plays; the game must not be over.
    fn choose(&mut self) -> anyhow::Result<Move> {
        self.opponent.choose(&self.game).map_err(|none| match none {
            NoMove::Forfeit(forfeit) => anyhow!("the opponent forfeits: {}", forfeit.name()),
            NoMove::Unusable(error) => anyhow!("the opponent cannot go on: {error}"),
        })
    }

    /// Plays what the human typed, or nothing of it if a part is not legal.
    fn play_turn(&mut self, moves: &[Move]) {
        let game = self.game.clone();
        for &mv in moves {
            if let Some(reason) = dialog::refusal(&self.game, mv) {
                self.game = game;
                println!("{reason}");
                return;
            }
            self.game.play_unchecked(mv);
        }
    }

    /// Returns what was played, turn by turn; a chain is one.
    fn turns(&self) -> Vec<TurnText> {
        let recorded = RecordedGame::of_game(&self.game);
        recorded.expect("it began at the start").turns
    }

    /// Tells what the opponent did, once its turn is over.
    fn report_turn(&self) {
        let is_over = self.game.outcome().is_some() || self.game.position().chain().is_none();
        if let Some(turn) = self.turns().last().filter(|_| is_over) {
            println!("The {} play {turn}.", self.human.opponent());
        }
    }

    /// Takes back everything since the human's last turn, that turn included.
    fn undo(&mut self) {
        let turns = self.turns();
        let mut game = Game::new(self.game.rules().clone());
        let mut before = None;
        for turn in &turns {
            if game.position().side() == self.human {
                before = Some(game.clone());
            }
            for (mv, _) in &turn.plies {
                game.play_unchecked(*mv);
            }
        }
        match before {
            Some(before) => self.game = before,
            None => println!("There is no turn to take back."),
        }
    }

    /// Prints what the opponent would play in the human's place, and then what else it looked at most.
    fn hint(&mut self) -> anyhow::Result<()> {
        let Some(stats) = self.opponent.search(&self.game) else {
            println!("{} (this opponent gives no evaluation)", self.choose()?);
            return Ok(());
        };
        let mut moves: Vec<_> = stats.moves.iter().collect();
        moves.sort_by_key(|root| Reverse((root.mv == stats.chosen, root.visits)));
        for root in moves.iter().take(HINTED_MOVES) {
            let wins = root.wdl.map_or(String::new(), |wdl| {
                format!(", wins {:.0} %", 100.0 * (wdl.win + wdl.draw / 2.0))
            });
            println!("{:<10} {} visits{wins}", root.mv.to_string(), root.visits);
        }
        Ok(())
    }

    /// Returns the drawing of the position after the last turn.
    fn diagram(&self) -> Diagram<'_> {
        let plies = self.turns().pop().map_or(Vec::new(), |turn| turn.plies);
        let captured = plies.iter().map(|(_, captured)| *captured);
        Diagram::new(self.game.rules(), self.game.position())
            .with_last_move(plies.last().map(|(mv, _)| *mv))
            .with_captured(captured.fold(Bitboard::EMPTY, |all, captured| all | captured))
    }

    fn draw(&self) {
        println!("\n{}", self.style.draw(&self.diagram()));
        // Whoever reads along through a pipe sees the board before the question.
        let _ = std::io::stdout().flush();
    }
}
