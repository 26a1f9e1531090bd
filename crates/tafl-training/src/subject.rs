//! A position or a game to analyze: as text, or in a file of games.

use crate::hint::hinted;
use crate::nets::rules_for;
use crate::rulesets::load_rules;
use anyhow::{Context, bail, ensure};
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::read_games;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Game, Move, Rules, Setup};
use tafl_samples::GameRecord;

/// A position, or a game with the position that it begins with.
#[derive(Debug)]
pub struct Subject {
    /// The position.
    pub start: Game,
    /// What the game is called, and its plies, which are legal; nothing for a position.
    pub game: Option<(String, Vec<Move>)>,
}

/// The choice of game and ruleset.
#[derive(Debug, Clone, Copy)]
pub struct SubjectArgs<'a> {
    /// The game's number in a Parquet file, or its line in another file; not needed for the only one.
    pub game: Option<u64>,
    /// Name or file of the ruleset; without it that of a Parquet file or of a comment before the game, or the first that the
    /// checkpoint learned.
    pub ruleset: Option<&'a str>,
    /// The checkpoint that evaluates it.
    pub checkpoint: Option<&'a Path>,
}

impl SubjectArgs<'_> {
    /// Reads a position, turns, `start`, or a game of a file.
    ///
    /// # Errors
    /// If it is none of these, cannot be played under the ruleset, or the file has several games.
    pub fn read(&self, text: &str) -> anyhow::Result<Subject> {
        let path = Path::new(text);
        if !path.is_file() {
            return self.read_text(text);
        }
        let is_parquet = path.extension().is_some_and(|ending| ending == "parquet");
        let read = match is_parquet {
            true => self.parquet_game(path),
            false => self.text_game(path),
        };
        read.with_context(|| format!("reading {}", path.display()))
    }

    /// Reads a position, turns, or `start`.
    ///
    /// # Errors
    /// If it is none of these, or cannot be played under the ruleset.
    pub fn read_text(&self, text: &str) -> anyhow::Result<Subject> {
        let text = text.trim();
        ensure!(
            self.game.is_none(),
            "--game: {text:?} is not a file of games"
        );
        let rules = self.rules()?;
        let start = match text {
            "start" => Game::new(rules),
            // Turns hold no slashes.
            _ if text.contains('/') => {
                let fen: Fen = text.parse().context("position")?;
                let position = rules.position(&fen.setup).context("position")?;
                Game::from_position(rules, position)
            }
            _ if text.contains('-') => return game_of_line(text, rules, "game".to_owned()),
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
        rules_for(self.ruleset, self.checkpoint)
    }

    /// Reads a game of a file with a game a line.
    fn text_game(&self, path: &Path) -> anyhow::Result<Subject> {
        let text = std::fs::read_to_string(path)?;
        let lines = (1..).zip(text.lines());
        let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let lines: Vec<(u64, &str)> = lines.collect();
        let (number, line) = match (self.game, &lines[..]) {
            (None, [one]) => *one,
            (None, []) => bail!("it contains no game"),
            (None, _) => bail!(
                "it contains {} games; choose one with --game LINE",
                lines.len()
            ),
            (Some(wanted), _) => {
                let found = lines.iter().find(|(number, _)| *number == wanted);
                *found.with_context(|| format!("line {wanted} contains no game"))?
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("{name}, line {number}");
        let rules = match (self.ruleset, preset_of_comment(&text)) {
            (None, Some(rules)) => rules,
            _ => self.rules()?,
        };
        game_of_line(line, rules, title).with_context(|| format!("line {number}"))
    }

    /// Reads a game of a Parquet file.
    fn parquet_game(&self, path: &Path) -> anyhow::Result<Subject> {
        let games = read_games(path)?;
        let numbers = games.iter().map(|game| game.game_id.to_string());
        let some: Vec<String> = numbers.take(5).collect();
        let more = if games.len() > 5 { ", ..." } else { "" };
        let some = format!("such as {}{more}", some.join(", "));
        let record = match (self.game, &games[..]) {
            (None, [one]) => one,
            (None, games) => {
                let count = games.len();
                bail!("it contains {count} games; choose one with --game ID ({some})")
            }
            (Some(wanted), games) => {
                let found = games.iter().find(|game| game.game_id == wanted);
                found.with_context(|| format!("it contains no game {wanted} ({some})"))?
            }
        };
        let rules = self.rules_of(record)?;
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

    fn rules_of(&self, record: &GameRecord) -> anyhow::Result<Arc<Rules>> {
        let name = &record.ruleset;
        let rules = match self.ruleset {
            Some(name) => load_rules(name, Path::new("."))?,
            None => Rules::preset(name).with_context(|| {
                format!("ruleset {name} is not compiled in; give its file with --ruleset")
            })?,
        };
        ensure!(
            rules.ruleset().fingerprint() == record.ruleset_fingerprint,
            "game {} was played under {name:?}, which differs from the given {:?}",
            record.game_id,
            rules.ruleset().name
        );
        Ok(rules)
    }
}

/// Returns the ruleset that the comment before a game names, such as `# brandubh, attackers by a human`.
fn preset_of_comment(text: &str) -> Option<Arc<Rules>> {
    let comment = text.lines().next()?.strip_prefix("# ")?;
    Rules::preset(comment.split(',').next()?.trim())
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
