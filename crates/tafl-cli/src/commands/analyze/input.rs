//! The position or the game that is asked about.

use super::Args;
use anyhow::{Context, bail, ensure};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::read_games;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::GameRecord;
use tafl_training::{hinted, load_rules, rules_for};

/// What is analyzed.
pub(super) enum Subject {
    /// One position, as the start of a game.
    Position(Game),
    /// A game: where it begins, its plies, and what it is called.
    Game {
        start: Game,
        moves: Vec<Move>,
        title: String,
    },
}

impl Subject {
    /// Returns the first position.
    pub(super) const fn start(&self) -> &Game {
        match self {
            Self::Position(start) | Self::Game { start, .. } => start,
        }
    }
}

pub(super) fn read(args: &Args) -> anyhow::Result<Subject> {
    let path = Path::new(&args.subject);
    if path.is_file() {
        let failed = || format!("reading {}", path.display());
        let is_parquet = path.extension().is_some_and(|ending| ending == "parquet");
        return if is_parquet {
            parquet_game(args, path).with_context(failed)
        } else {
            text_game(args, path).with_context(failed)
        };
    }
    ensure!(
        args.game.is_none(),
        "--game: {:?} is no file of games",
        args.subject
    );
    let mut text = args.subject.clone();
    if text == "-" {
        text.clear();
        let mut input = std::io::stdin().lock();
        input.read_to_string(&mut text).context("standard input")?;
    }
    let rules = rules(args)?;
    let text = text.trim();
    if text == "start" {
        return Ok(Subject::Position(Game::new(rules)));
    }
    // Turns hold no slashes.
    if text.contains('/') {
        return position(text, rules);
    }
    if !text.contains('-') {
        let advice = "give a position, turns such as `d1-d3 f8-h8`, a file of games, or `start`";
        return Err(hinted(
            format!("{text:?} is no position, no game and no file"),
            advice,
        ));
    }
    game_of_line(text, rules, "game".to_owned())
}

fn rules(args: &Args) -> anyhow::Result<Arc<Rules>> {
    rules_for(args.ruleset.as_deref(), args.checkpoint.as_deref())
}

fn position(text: &str, rules: Arc<Rules>) -> anyhow::Result<Subject> {
    let fen: Fen = text.parse().context("position")?;
    let position = rules.position(&fen.setup).context("position")?;
    Ok(Subject::Position(Game::from_position(rules, position)))
}

/// Reads a game of a file with a game a line.
fn text_game(args: &Args, path: &Path) -> anyhow::Result<Subject> {
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<(u64, &str)> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .collect();
    let (number, line) = match (args.game, &lines[..]) {
        (None, [one]) => *one,
        (None, []) => bail!("no game is in it"),
        (None, _) => bail!("{} games are in it; name one by --game LINE", lines.len()),
        (Some(wanted), _) => {
            let found = lines.iter().find(|(number, _)| *number == wanted);
            *found.with_context(|| format!("no game is in line {wanted}"))?
        }
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let title = format!("{name}, line {number}");
    game_of_line(line, rules(args)?, title).with_context(|| format!("line {number}"))
}

/// Reads turns, or a line of aagenielsen.dk, whose first field they are.
fn game_of_line(line: &str, rules: Arc<Rules>, title: String) -> anyhow::Result<Subject> {
    let fields: Vec<&str> = line
        .split(',')
        .map(|field| field.trim_matches('"'))
        .collect();
    let turns = match &fields[..] {
        [turns] => RecordedGame::read_turns(turns)?.0,
        fields => RecordedGame::read(fields)?.turns,
    };
    let plies = turns.iter().flat_map(|turn| &turn.plies);
    let moves: Vec<Move> = plies.map(|(mv, _)| *mv).collect();
    let start = Game::new(rules);
    checked(start, moves, title)
}

/// Reads a game of a Parquet file.
fn parquet_game(args: &Args, path: &Path) -> anyhow::Result<Subject> {
    let games = read_games(path)?;
    let record = match (args.game, &games[..]) {
        (None, [one]) => one,
        (None, games) => bail!(
            "{} games are in it; name one by --game ID{}",
            games.len(),
            some(games)
        ),
        (Some(wanted), games) => {
            let found = games.iter().find(|game| game.game_id == wanted);
            found.with_context(|| format!("no game {wanted} is in it{}", some(games)))?
        }
    };
    let rules = rules_of(args, record)?;
    let start = if record.start == tafl_rules::Setup::of(&rules.start(), rules.shape()) {
        Game::new(rules)
    } else {
        let position = rules.position(&record.start)?;
        Game::from_position(rules, position)
    };
    let moves = record.plies.iter().map(|ply| ply.mv).collect();
    let title = format!(
        "game {}: {} - {}, {}",
        record.game_id, record.attackers, record.defenders, record.ending
    );
    checked(start, moves, title)
}

/// Returns the first numbers of games, to choose from.
fn some(games: &[GameRecord]) -> String {
    let numbers: Vec<String> = games
        .iter()
        .take(5)
        .map(|game| game.game_id.to_string())
        .collect();
    let more = if games.len() > 5 { ", ..." } else { "" };
    format!(" (such as {}{more})", numbers.join(", "))
}

fn rules_of(args: &Args, record: &GameRecord) -> anyhow::Result<Arc<Rules>> {
    let name = &record.ruleset;
    let rules = match &args.ruleset {
        Some(name) => load_rules(name, Path::new("."))?,
        None => Rules::preset(name).with_context(|| {
            format!("ruleset {name} is none of those compiled in; name its file by --ruleset")
        })?,
    };
    let is_same = rules.ruleset().fingerprint() == record.ruleset_fingerprint;
    let given = &rules.ruleset().name;
    ensure!(
        is_same,
        "game {} was played by {name:?}, which differs from {given:?} as given",
        record.game_id
    );
    Ok(rules)
}

/// Replays a game, so that a fault in it is found before anything is searched.
fn checked(start: Game, moves: Vec<Move>, title: String) -> anyhow::Result<Subject> {
    let mut game = start.clone();
    for (number, &mv) in (1..).zip(&moves) {
        game.play(mv).with_context(|| format!("ply {number}"))?;
    }
    Ok(Subject::Game {
        start,
        moves,
        title,
    })
}
