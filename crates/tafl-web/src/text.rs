//! Games and positions as people paste them: every notation of `tafl rules convert`, and games with variations.

mod moves;

use crate::EngineError;
use crate::ruleset::{UNREAD, rules_of};
use crate::state::{State, game_from};
use moves::{Written, read_moves};
use serde::Serialize;
use serde_json::{Value, json};
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::opentafl;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{RULESET_NAMES, Repetition, Rules, Ruleset, Setup};

/// The longest text that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// The most plies that are read, those of variations included.
const MOST_PLIES: usize = 5_000;

/// What a text holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Reading {
    /// A preset's name, or the fields of a file.
    ruleset: Value,
    /// The first position, where it is not the ruleset's.
    start: Option<String>,
    /// The first position.
    first: State,
    /// Every ply of every line: which one it follows (0 is the first position, 1 the first ply), the move, and the
    /// position after it.
    plies: Vec<(usize, String, State)>,
    /// What the reader should know.
    notes: Vec<String>,
}

/// A text without what it says of its ruleset and its first position.
struct Parts<'a> {
    ruleset: Option<Value>,
    position: Option<&'a str>,
    body: String,
}

/// Reads a text under the ruleset that it names, else under `current`, else under the first preset that it fits.
pub(crate) fn read(text: &str, current: &Value) -> Result<Reading, EngineError> {
    if text.len() > LONGEST {
        return Err(EngineError("The text is longer than 1 MB.".to_owned()));
    }
    let parts = parts(text)?;
    if parts.body.is_empty() && parts.position.is_none() {
        let reason = "There is no game and no position in the text.";
        return Err(EngineError(reason.to_owned()));
    }
    let mut notes = Vec::new();
    let Content { setup, plies, own } = content(&parts, &mut notes)?;
    if plies.len() > MOST_PLIES {
        let plies = plies.len();
        return Err(EngineError(format!(
            "The text has {plies} plies; at most {MOST_PLIES} are read."
        )));
    }
    let named = own.or(parts.ruleset);
    let candidates = named.map_or_else(|| candidates(current), |ruleset| vec![ruleset]);
    let mut first_error = None;
    for ruleset in candidates {
        let rules = rules_of(&ruleset)?;
        match place(&rules, setup.as_ref(), &plies) {
            Ok((first, states)) => {
                if ruleset != *current {
                    notes.push(format!("Read as {}.", rules.ruleset().name));
                }
                let start = setup.map(|setup| Fen::of(setup).to_taflforge());
                let plies = plies.into_iter().zip(states);
                let plies = plies.map(|(ply, state)| (ply.after, ply.mv.to_string(), state));
                return Ok(Reading {
                    ruleset,
                    start,
                    first,
                    plies: plies.collect(),
                    notes,
                });
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| EngineError("There is no ruleset to read it.".to_owned())))
}

/// Takes lines that begin with `ruleset:` and `position:` out of a text, and those that begin with `#`.
fn parts(text: &str) -> Result<Parts<'_>, EngineError> {
    let mut parts = Parts {
        ruleset: None,
        position: None,
        body: String::new(),
    };
    for line in text.lines().map(str::trim) {
        if let Some(ruleset) = line.strip_prefix("ruleset:") {
            let ruleset = ruleset.trim();
            parts.ruleset = Some(if ruleset.starts_with('{') {
                serde_json::from_str(ruleset).map_err(EngineError::about(UNREAD))?
            } else {
                json!(ruleset)
            });
        } else if let Some(position) = line.strip_prefix("position:") {
            parts.position = Some(position.trim());
        } else if !line.is_empty() && !line.starts_with('#') {
            parts.body += line;
            parts.body.push('\n');
        }
    }
    Ok(parts)
}

/// A first position, plies, and the ruleset that came with them.
struct Content {
    setup: Option<Setup>,
    plies: Vec<Written>,
    own: Option<Value>,
}

fn content(parts: &Parts<'_>, notes: &mut Vec<String>) -> Result<Content, EngineError> {
    let body = parts.body.trim();
    let first_line = body.lines().next().unwrap_or_default();
    let first_word = first_line.split_whitespace().next().unwrap_or_default();
    let unread = "The text cannot be read";
    let given = parts.position.map(|text| text.parse::<Fen>());
    let given = given.transpose().map_err(EngineError::about(unread))?;
    let mut content = Content {
        setup: given.map(|fen| fen.setup),
        plies: Vec::new(),
        own: None,
    };
    let has_key = |key: &str| body.split_whitespace().any(|word| word.starts_with(key));
    if has_key("dim:") {
        let ruleset = opentafl::read_ruleset(body).map_err(EngineError::about(unread))?;
        content.own = Some(ruleset.to_fields().into());
    } else if has_key("start:") || has_key("starti:") {
        let setup = opentafl::read_position(body).map_err(EngineError::about(unread))?;
        content.setup = Some(setup);
    } else if first_word.starts_with('/') && first_word.len() > 1 {
        let setup = opentafl::read_position(first_line).map_err(EngineError::about(unread))?;
        content.setup = Some(setup);
    } else if first_word.contains('/') {
        let fen: Fen = first_line.parse().map_err(EngineError::about(unread))?;
        content.setup = Some(fen.setup);
    } else if first_line.matches(',').count() >= 3 {
        let fields: Vec<&str> = first_line.split(',').collect();
        let game = RecordedGame::read(&fields).map_err(EngineError::about(unread))?;
        content.plies = moves::in_a_row(game.plies());
        let games = body.lines().count();
        if games > 1 {
            notes.push(format!("This is the first of {games} games."));
        }
        if game.timeout {
            notes.push("It ended on time.".to_owned());
        }
    } else {
        content.plies = read_moves(body)?;
    }
    Ok(content)
}

/// Returns the rulesets that a text may be meant for, the most likely first.
fn candidates(current: &Value) -> Vec<Value> {
    let mut all = vec![current.clone()];
    let presets = RULESET_NAMES.iter().map(|name| json!(name));
    all.extend(presets.filter(|it| it != current));
    // Sites often did not enforce repetition, so a recorded game may go on.
    if let Ok(rules) = rules_of(current) {
        let name = format!("{:.40}-repeats", rules.ruleset().name);
        let ruleset = Ruleset {
            name,
            repetition: Repetition::Off,
            ..rules.ruleset().clone()
        };
        all.push(ruleset.to_fields().into());
    }
    all
}

/// Plays every line from the first position; returns what it looks like, then the board after each ply.
fn place(
    rules: &std::sync::Arc<Rules>,
    setup: Option<&Setup>,
    plies: &[Written],
) -> Result<(State, Vec<State>), EngineError> {
    let first = game_from(rules.clone(), setup)?;
    let state = State::first(&first);
    let mut games = vec![first];
    let mut states = Vec::new();
    for ply in plies {
        let mut game = games[ply.after].clone();
        let number = game.moves().len() + 1;
        let is_line = if ply.depth > 0 { " of a variation" } else { "" };
        let words = format!("Ply {number}{is_line}");
        let before = *game.position();
        let played = game.play(ply.mv).map_err(EngineError::about(&words))?;
        if !ply.captured.is_empty() && ply.captured != played.captured {
            let reason = format!("{} does not capture what the text says", ply.mv);
            return Err(EngineError::about(&words)(reason));
        }
        states.push(State::after(&game, &before, (ply.mv, played.captured)));
        games.push(game);
    }
    Ok((state, states))
}

#[cfg(test)]
mod tests;
