//! `tafl play`: a game in the terminal.

mod dialog;
mod kept;

use crate::advice;
use crate::args::one_of;
use crate::board::Style;
use crate::failure::one_line;
use crate::nets::{called, checkpoint_named, player_source, rules_for, shipped};
use crate::other_rules::begins_otherwise;
use crate::output::{print_out, shown};
use crate::process::ExitCode;
use crate::search_args::SearchArgs;
use crate::subject::{SubjectArgs, chosen_game, played_text};
use anyhow::{anyhow, bail, ensure};
use dialog::Request;
use kept::Kept;
use std::cmp::Reverse;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_play::{NoMove, SoloPlayer};
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::games::{WrittenGame, titles_of};
use tafl_rules::notation::own::OwnRules;
use tafl_rules::notation::words::OffBoard;
use tafl_rules::{Bitboard, Diagram, Game, IllegalMove, Move, Rules, Side, TurnText};
use tafl_samples::Family;
use tafl_store::{MOST_TEXT_BYTES, read_text, write_atomically, write_new};
use tafl_training::{FoundRules, PlayerSource, differing_rules, load_rules};
use tafl_web::{LEVELS, Level};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --checkpoint and --against, the opponent is a network of data/nets that learned the ruleset.")]
pub(crate) struct Args {
    /// Play against this checkpoint, such as data/runs/quickstart/checkpoints/000010, or network of data/nets by its name.
    #[arg(long, value_name = "NET", value_parser = checkpoint_named, conflicts_with = "against")]
    checkpoint: Option<PathBuf>,
    #[arg(long, value_name = "PLAYER", value_parser = player_source, help = format!("Play against a baseline: {}; or a checkpoint, as --checkpoint", Family::forms()))]
    against: Option<PlayerSource>,
    /// Name of a ruleset, or path to a ruleset file; default: the first that the checkpoint learned, or else Copenhagen.
    #[arg(long)]
    ruleset: Option<String>,
    /// Your side: attackers or defenders.
    #[arg(long, default_value = "attackers")]
    side: Side,
    /// How well the network plays; default: as well as it can with --visits.
    #[arg(long, value_parser = one_of(LEVELS.map(|it| (it.name, it.about.to_owned(), it))), conflicts_with = "visits")]
    level: Option<Level>,
    #[command(flatten)]
    search: SearchArgs,
}

impl Args {
    /// Refuses a level where it would not say how the opponent plays.
    fn refuse_level_without_use(&self, opponent: &PlayerSource) -> anyhow::Result<()> {
        match opponent {
            _ if self.level.is_none() => Ok(()),
            PlayerSource::Baseline(_) => bail!("--level is for networks, and {opponent} is none"),
            PlayerSource::Checkpoint { visits: None, .. } => Ok(()),
            PlayerSource::Checkpoint { .. } => {
                bail!("--level and @visits both say how many visits; give one of them")
            }
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let FoundRules { rules, source } = rules_for(
        args.ruleset.as_deref(),
        args.checkpoint
            .as_deref()
            .or_else(|| args.against.as_ref()?.folder()),
    )?;
    let name = match (&args.checkpoint, &args.against) {
        (Some(folder), _) => PlayerSource::checkpoint(folder.clone()),
        (None, Some(source)) => source.clone(),
        (None, None) => PlayerSource::checkpoint(shipped(&args.search.data.path, &rules)?),
    };
    args.search.refuse_without_network(&name)?;
    args.refuse_level_without_use(&name)?;
    let mut config = args.search.config_of(&name)?;
    if let Some(level) = args.level {
        config.arena.visits = level.visits;
    }
    let opened = name.open(&config, &rules)?;
    if opened.learned.is_some() && !opened.known.has(&rules) {
        println!("Note: {name} has not learned this ruleset.");
    }
    let opponent = SoloPlayer::new(opened.player.as_ref().clone(), args.search.seed);
    let mut table = Table {
        start: Game::new(rules.clone()),
        game: Game::new(rules),
        kept: Kept::new(args.search.data.path.join("played"), &source),
        saved: Vec::new(),
        ruleset: source,
        is_chosen: args.ruleset.is_some(),
        opponent: opponent.map_err(|error| anyhow!("{name}: {error}"))?,
        human: args.side,
        end: None,
        title: String::new(),
        temperature: args.level.map_or(0.0, |level| level.temperature),
        style: Style::of_stdout(),
    };
    println!(
        "You play the {} against {}. Type `help` for a list of commands.\n{}",
        args.side,
        called(&name),
        dialog::aims(&table.game, &table.ruleset)
    );
    if let Some(legend) = table.style.legend(&table.diagram()) {
        println!("{legend}");
    }
    let played = table.play();
    let kept = table.keep();
    if kept.is_err() {
        print_out(&table.text()?)?;
    }
    played.and(kept)?;
    if let Some(file) = table.kept.file() {
        println!("The game is in {}.", shown(file));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what became of something that was asked for.
fn say(done: anyhow::Result<String>) {
    match done {
        Ok(text) => println!("{text}"),
        Err(error) => {
            println!("{}", one_line(&error));
            if let Some(hint) = error.chain().find_map(advice::about) {
                println!("hint: {hint}");
            }
        }
    }
}

/// Moves that a hint lists.
const HINTED_MOVES: usize = 3;

/// A game between a human and a player.
struct Table {
    /// The game before its first ply.
    start: Game,
    game: Game,
    /// As it was given, by name or file.
    ruleset: String,
    /// Whether the human chose it.
    is_chosen: bool,
    kept: Kept,
    /// Where the human had it written.
    saved: Vec<PathBuf>,
    opponent: SoloPlayer,
    human: Side,
    /// How the game ended away from the board.
    end: Option<OffBoard>,
    /// The players, the event and the date of a game that was loaded; empty where there are none.
    title: String,
    /// Of the opponent.
    temperature: f32,
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
                // A disk that is full ends no game.
                self.keep()
                    .unwrap_or_else(|error| println!("{}", one_line(&error)));
                self.draw();
                drawn_after = Some(self.game.moves().len());
            }
            match dialog::ask(&self.game)? {
                Request::Leave => {
                    println!("The game is left unfinished.");
                    return Ok(());
                }
                Request::Resign => {
                    self.end = Some(OffBoard::Resigned);
                    println!("You resign: {} win.", self.human.opponent());
                    return Ok(());
                }
                Request::Moves(moves) => self.play_turn(&moves),
                Request::Undo => self.undo(),
                Request::Hint => self.hint()?,
                Request::Board => drawn_after = None,
                Request::Save(file) => say(self.save_as(file)),
                Request::Load(file, number) => {
                    drawn_after = None;
                    say(self.load(&file, number));
                }
                Request::Rules => println!("{}", dialog::rules(&self.game, &self.ruleset)),
                Request::Say(text) => println!("{text}"),
            }
        }
        if let Some(outcome) = self.game.outcome() {
            self.draw();
            let verdict = match outcome.winner {
                None => "Nobody wins",
                Some(side) if side == self.human => "You win",
                Some(_) => "You lose",
            };
            println!("{verdict}: {outcome}.");
        }
        Ok(())
    }

    /// Writes the game where it is kept: whoever closes the window or presses Ctrl-C has it, too.
    fn keep(&mut self) -> anyhow::Result<()> {
        if self.game.moves().is_empty() {
            self.kept.remove()?;
        } else {
            let text = self.text()?;
            self.kept.write(&text)?;
        }
        Ok(())
    }

    /// Returns the game as a line of turns below a comment.
    fn text(&self) -> anyhow::Result<String> {
        let Self {
            start, game, title, ..
        } = self;
        played_text(start, game, self.end, self.human, title)
    }

    /// Writes the game where the human said, but over nothing else.
    fn save_as(&mut self, file: PathBuf) -> anyhow::Result<String> {
        let is_begun = self.start.position() != &self.start.rules().start();
        ensure!(
            is_begun || !self.game.moves().is_empty(),
            "no move was played yet, so there is no game to write"
        );
        let (text, name) = (self.text()?, file.display());
        if self.saved.contains(&file) {
            write_atomically(&file, text.as_bytes())?;
        } else {
            let is_new = write_new(&file, text.as_bytes())?;
            ensure!(is_new, "{name} is there already; choose another name");
        }
        let text = format!("saved to {name}");
        self.saved.push(file);
        Ok(text)
    }

    /// Returns whether the ruleset in force has a name, or was chosen in place of one that nobody knows; files of older games
    /// have its path.
    fn is_of(&self, named: &str) -> bool {
        let own = self.game.rules().ruleset();
        let is_same = |rules: Arc<Rules>| rules.ruleset().fingerprint() == own.fingerprint();
        let is_named = own.name.eq_ignore_ascii_case(named);
        is_named || load_rules(named, Path::new(".")).map_or(self.is_chosen, is_same)
    }

    /// Refuses a game that says that it was played under other rules than those in force.
    fn refuse_other_rules(&self, game: &WrittenGame, name: &str) -> anyhow::Result<()> {
        if let Some(found) = game.ruleset.as_ref().filter(|found| !self.is_of(found)) {
            bail!("{name} is a game of {found}; `--ruleset` chooses it");
        }
        let ruleset = self.game.rules().ruleset();
        let Some(own) = &game.own else { return Ok(()) };
        let start = begins_otherwise(own, ruleset).then(|| "start".to_owned());
        let Some(unlike) = own.unlike(ruleset).or(start) else {
            return Ok(());
        };
        let unlike = match (own.ruleset(), own) {
            // A note says what no ruleset can say.
            (Err(_), _) if self.is_chosen => return Ok(()),
            (Err(_), _) => {
                bail!("{name}: its rules: {unlike}; `--ruleset NAME` or FILE plays it under others")
            }
            (Ok(_), OwnRules::Record(_)) => unlike,
            (Ok(own), OwnRules::Fields(_)) => differing_rules(ruleset, &own).join(", "),
        };
        bail!(
            "{name} has other rules of its own: {unlike}; `--ruleset FILE` chooses them, a file with the values from there or one that the page's “Save as TOML” writes"
        )
    }

    /// Goes on with the game in a file; the one that was played stays where it is kept.
    fn load(&mut self, file: &Path, number: Option<u64>) -> anyhow::Result<String> {
        let name = file.display();
        // Games in Parquet name their ruleset themselves.
        let is_text = file.extension().is_none_or(|ending| ending != "parquet");
        let text = is_text
            .then(|| read_text(file, MOST_TEXT_BYTES))
            .transpose()?;
        let found = text.and_then(|text| {
            let ((line, game), _) = chosen_game(&text, number).ok()?;
            Some((game.ok()?, titles_of(&text, &[line]).pop()?))
        });
        let is_assumed = found.as_ref().is_some_and(|(game, _)| !game.has_rules());
        let (game, title) = found.unwrap_or_default();
        self.refuse_other_rules(&game, &name.to_string())?;
        let subject = SubjectArgs {
            game: number,
            ruleset: Some(&self.ruleset),
            checkpoint: None,
            goes_on: false,
        };
        let subject = subject.read(&name.to_string())?;
        if let Some(end) = &subject.end {
            bail!("{name}: the game is over, {end}; `analyze` shows it");
        }
        let start = subject.start.clone();
        let game = subject.game.map_or(subject.start, |(_, game)| game);
        if let Some(outcome) = game.outcome() {
            bail!("{name}: the game is over, {outcome}; `analyze` shows it");
        }
        self.keep()?;
        self.kept.leave();
        (self.start, self.game, self.title) = (start, game, title);
        let assumed = match is_assumed {
            true => format!("; it does not say its rules: {} is assumed", self.ruleset),
            false => String::new(),
        };
        let lost = match self.text()?.contains(&self.title) {
            true => "",
            false => "; its title is left out, which would be read as something else",
        };
        let plies = self.game.moves().len();
        Ok(format!("{plies} plies of {name}{assumed}{lost}"))
    }

    /// Returns what the opponent plays; the game must not be over.
    fn choose(&mut self) -> anyhow::Result<Move> {
        let chosen = self.opponent.choose_at(&self.game, self.temperature);
        chosen.map_err(|none| match none {
            NoMove::Over(ending) => anyhow!("the game is over for the opponent: {ending}"),
            NoMove::Unusable(error) => anyhow!("the opponent cannot go on: {error}"),
        })
    }

    /// Plays what the human typed, or nothing of it if a part is not legal.
    fn play_turn(&mut self, moves: &[Move]) {
        let game = self.game.clone();
        for &mv in moves {
            if let Err(error) = self.game.play(mv) {
                self.game = game;
                match error {
                    IllegalMove::NotLegal(_, _, why) => {
                        println!("{mv} is not legal: {why}")
                    }
                    IllegalMove::GameOver(..) => println!("{error}"),
                }
                return;
            }
        }
    }

    /// Returns what was played, turn by turn; a chain is one.
    fn turns(&self) -> Vec<TurnText> {
        let recorded = RecordedGame::of_game_from(self.start.clone(), &self.game);
        recorded.expect("it began there").turns
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
        let mut game = self.start.clone();
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

    /// Prints what the opponent would play in the human's place at its best, and then what else it looked at most.
    fn hint(&mut self) -> anyhow::Result<()> {
        let Some(stats) = self.opponent.advise(&self.game) else {
            println!("{} (this opponent gives no evaluation)", self.choose()?);
            return Ok(());
        };
        let mut moves: Vec<_> = stats.moves.iter().collect();
        moves.sort_by_key(|root| Reverse((root.mv == stats.chosen, root.visits)));
        for root in moves.iter().take(HINTED_MOVES) {
            let wins = root.wdl.map_or(String::new(), |wdl| {
                format!(", wins {:.0} %", 100.0 * (wdl.win + wdl.draw / 2.0))
            });
            let (mv, visits) = (root.mv.to_string(), root.visits);
            let plural = if visits == 1 { "" } else { "s" };
            println!("{mv:<10} {visits} visit{plural}{wins}");
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
