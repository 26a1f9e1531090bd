//! A position or a game to analyze: as text, or in a file of games.

use crate::hint::hinted;
use crate::nets::rules_for;
use anyhow::{Context, bail, ensure};
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::read_games;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{BoardShape, Game, Move, Rules, SMALL_BOARD_NAMES, Setup, Side};
use tafl_samples::GameRecord;
use tafl_store::{MOST_TEXT_BYTES, read_text};
use tafl_training::{RulesOfGames, load_rules};

/// A position, or a game with the position that it begins with.
#[derive(Debug)]
pub(crate) struct Subject {
    /// The position.
    pub(crate) start: Game,
    /// What the game is called, and its plies, which are legal; nothing for a position.
    pub(crate) game: Option<(String, Vec<Move>)>,
}

/// The choice of game and ruleset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubjectArgs<'a> {
    /// The game's number in a Parquet file, or its line in another file; not needed for the only one.
    pub(crate) game: Option<u64>,
    /// Name or file of the ruleset; without it that of a Parquet file or of a comment before the game, or the first that the
    /// checkpoint learned.
    pub(crate) ruleset: Option<&'a str>,
    /// The checkpoint that evaluates it.
    pub(crate) checkpoint: Option<&'a Path>,
}

impl SubjectArgs<'_> {
    /// Reads a position, turns, `start`, or a game of a file.
    pub(crate) fn read(&self, text: &str) -> anyhow::Result<Subject> {
        let path = Path::new(text);
        // Neither positions nor turns end as the names of files do.
        let is_name = path.extension().is_some() && !text.contains(char::is_whitespace);
        if !is_name && (!path.exists() || path.is_dir()) {
            return self.read_text(text);
        }
        let is_parquet = path.extension().is_some_and(|ending| ending == "parquet");
        let read = if is_parquet {
            // What cannot be read names its file itself.
            self.parquet_game(path, &read_games(path)?)
        } else {
            let text = read_text(path, MOST_TEXT_BYTES)?;
            self.text_game(path, &text)
        };
        read.with_context(|| format!("reading {}", path.display()))
    }

    /// Reads a position, turns, or `start`.
    pub(crate) fn read_text(&self, text: &str) -> anyhow::Result<Subject> {
        let text = text.trim();
        ensure!(
            self.game.is_none(),
            "--game: {text:?} is not a file of games"
        );
        let start = match text {
            "start" => Game::new(self.rules()?),
            // Turns hold no slashes.
            _ if text.contains('/') => {
                let fen: Fen = text.parse().context("position")?;
                let rules = self.rules_of_board(fen.setup.shape)?;
                let position = rules.position(&fen.setup).context("position")?;
                Game::from_position(rules, position)
            }
            _ if text.contains('-') => {
                return game_of_line(text, self.rules()?, "game".to_owned());
            }
            _ => {
                let advice =
                    "give a position, turns such as `d1-d3 f8-h8`, a file of games, or `start`";
                let message = format!("{text:?} is neither a position nor a game nor a file");
                return Err(hinted(message, advice));
            }
        };
        Ok(Subject { start, game: None })
    }

    fn rules(&self) -> anyhow::Result<Arc<Rules>> {
        Ok(rules_for(self.ruleset, self.checkpoint)?.rules)
    }

    /// Returns the ruleset of a position: where none is given, a usual one of its board.
    fn rules_of_board(&self, shape: BoardShape) -> anyhow::Result<Arc<Rules>> {
        let rules = self.rules()?;
        if rules.shape() == shape || self.ruleset.is_some() || self.checkpoint.is_some() {
            return Ok(rules);
        }
        let mut small = SMALL_BOARD_NAMES.iter().filter_map(|it| Rules::preset(it));
        Ok(small.find(|it| it.shape() == shape).unwrap_or(rules))
    }

    /// Reads a game of a file with a game a line.
    fn text_game(&self, path: &Path, text: &str) -> anyhow::Result<Subject> {
        let lines = (1..).zip(text.lines());
        let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let lines: Vec<(u64, &str)> = lines.collect();
        let (number, line) = match (self.game, &lines[..]) {
            (None, [one]) => *one,
            (None, []) => bail!("it contains no game"),
            (None, _) => {
                let message = format!("it contains {} games; choose one by its line", lines.len());
                return Err(hinted(message, "--game LINE; in `play`, `load FILE LINE`"));
            }
            (Some(wanted), _) => {
                let found = lines.iter().find(|(number, _)| *number == wanted);
                *found.with_context(|| format!("line {wanted} contains no game"))?
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("{name}, line {number}");
        let rules = match self.ruleset {
            None => rules_of_comment(text)?,
            Some(_) => None,
        };
        let rules = rules.map_or_else(|| self.rules(), Ok)?;
        game_of_line(line, rules, title).with_context(|| format!("line {number}"))
    }

    /// Reads a game of a Parquet file.
    fn parquet_game(&self, path: &Path, games: &[GameRecord]) -> anyhow::Result<Subject> {
        let numbers = games.iter().map(|game| game.game_id.to_string());
        let some: Vec<String> = numbers.take(5).collect();
        let more = if games.len() > 5 { ", ..." } else { "" };
        let some = format!("such as {}{more}", some.join(", "));
        let record = match (self.game, games) {
            (None, [one]) => one,
            (None, _) => {
                let count = games.len();
                bail!("it contains {count} games; choose one with --game ID ({some})")
            }
            (Some(wanted), _) => {
                let found = games.iter().find(|game| game.game_id == wanted);
                found.with_context(|| format!("it contains no game {wanted} ({some})"))?
            }
        };
        let rules = self.rules_of(record, path)?;
        let start = if record.start == Setup::of(&rules.start(), rules.shape()) {
            Game::new(rules)
        } else {
            let position = rules.position(&record.start)?;
            Game::from_position(rules, position)
        };
        let (number, ending) = (record.game_id, record.ending);
        let players = format!("{} - {}", record.attackers, record.defenders);
        let moves = record.plies.iter().map(|ply| ply.mv).collect();
        checked(start, moves, format!("game {number}: {players}, {ending}"))
    }

    fn rules_of(&self, record: &GameRecord, path: &Path) -> anyhow::Result<Arc<Rules>> {
        let rules = match self.ruleset {
            Some(name) => load_rules(name, Path::new("."))?,
            None => RulesOfGames::default().of(record, path)?,
        };
        ensure!(
            rules.ruleset().fingerprint() == record.ruleset_fingerprint,
            "game {} was played under {:?}, which differs from the given {:?}",
            record.game_id,
            record.ruleset,
            rules.ruleset().name
        );
        Ok(rules)
    }
}

/// What ends the comment before a game of [`played_text`].
const BY_A_HUMAN: &str = " by a human";

/// Returns a game from the start as a line of turns, below a comment that names its ruleset as `ruleset` does, a name or a
/// file, and the side of the human who played it. [`SubjectArgs::read`] reads it.
pub(crate) fn played_text(game: &Game, ruleset: &str, human: Side) -> anyhow::Result<String> {
    let turns = RecordedGame::of_game(game)?.turns_text();
    let path = Path::new(ruleset);
    let ruleset = match path.is_file() {
        true => std::path::absolute(path)?.display().to_string(),
        false => ruleset.to_owned(),
    };
    Ok(format!("# {ruleset}, {human}{BY_A_HUMAN}\n{turns}\n"))
}

/// Returns the ruleset that the comment before a game names, such as `# brandubh, attackers by a human`.
pub(crate) fn rules_of_comment(text: &str) -> anyhow::Result<Option<Arc<Rules>>> {
    let comment = text.lines().next().and_then(|line| line.strip_prefix("# "));
    let Some((name, rest)) = comment.and_then(|it| it.rsplit_once(',')) else {
        return Ok(comment.and_then(|name| Rules::preset(name.trim())));
    };
    match Rules::preset(name.trim()) {
        None if rest.ends_with(BY_A_HUMAN) => {
            let rules = load_rules(name, Path::new("."));
            let advice = "--ruleset NAME or FILE says under which rules it was played";
            let rules = rules.map_err(|error| hinted(format!("its ruleset: {error:#}"), advice));
            rules.map(Some)
        }
        rules => Ok(rules),
    }
}

/// Reads turns, or a line of aagenielsen.dk, whose first field they are.
fn game_of_line(line: &str, rules: Arc<Rules>, title: String) -> anyhow::Result<Subject> {
    let fields = line.split(',').map(|field| field.trim_matches('"'));
    let turns = match &fields.collect::<Vec<_>>()[..] {
        [turns] => RecordedGame::read_turns(turns)?.0,
        fields => RecordedGame::read(fields)?.turns,
    };
    let plies = turns.iter().flat_map(|turn| &turn.plies);
    let moves = plies.map(|(mv, _)| *mv).collect();
    checked(Game::new(rules), moves, title)
}

/// Replays a game, so that a fault in it is found before anything is searched.
fn checked(start: Game, moves: Vec<Move>, title: String) -> anyhow::Result<Subject> {
    let mut game = start.clone();
    for (number, &mv) in (1..).zip(&moves) {
        game.play(mv).with_context(|| format!("ply {number}"))?;
    }
    let game = Some((title, moves));
    Ok(Subject { start, game })
}
