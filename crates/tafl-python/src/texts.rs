//! Games of texts, as `tafl rules replay` reads them.

use crate::record::Record;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::notation::games::{WrittenGame, read_games};
use tafl_rules::{Repetition, Rules, Ruleset, Setup, preset_named};
use tafl_samples::PlyRecord;
use tafl_store::{MOST_TEXT_BYTES, read_text};

/// Reads each game of a file, or what is wrong with it.
pub(crate) fn read(
    file: &Path,
    ruleset: Option<&Arc<Rules>>,
) -> Result<VecDeque<Result<Record, String>>, String> {
    let text = read_text(file, MOST_TEXT_BYTES).map_err(|error| error.to_string())?;
    let games = read_games(&text);
    if games.is_empty() {
        return Err(format!("{}: no games", file.display()));
    }
    let records = games.into_iter().map(|(line, game)| {
        let game = game.map_err(|error| error.to_string());
        let record = game.and_then(|game| record(line, &game, ruleset));
        record.map_err(|error| format!("{}: line {line}: {error}", file.display()))
    });
    Ok(records.collect())
}

fn record(line: usize, game: &WrittenGame, ruleset: Option<&Arc<Rules>>) -> Result<Record, String> {
    let rules = ruleset.cloned().map_or_else(|| rules_of(game), Ok)?;
    if let Some(own) = game.own.as_ref().filter(|_| ruleset.is_some())
        && let Some(unlike) = own.unlike(rules.ruleset())
    {
        return Err(format!("its own rules are not as `ruleset` says: {unlike}"));
    }
    // A name that is none of ours says nothing of the rules.
    if let Some(own) = named_rules(game)
        && own.ruleset().fingerprint() != rules.ruleset().fingerprint()
    {
        let name = &own.ruleset().name;
        return Err(format!("it was played under {name}, not as `ruleset` says"));
    }
    // Sites often did not enforce repetition.
    let endless = Ruleset {
        repetition: Repetition::Off,
        ..rules.ruleset().clone()
    };
    let endless = Rules::new(endless).map_err(|error| error.to_string())?;
    let replayed = game.replay(&rules).or_else(|_| game.replay(&endless));
    let replayed = replayed.map_err(|misfit| misfit.to_string())?;
    let (played, recorded) = (&replayed.game, game.recorded());
    if recorded.score.is_some() && recorded.end.is_none() {
        // On the board the rules say who won; elsewhere programs do not agree.
        recorded.ending(played).map_or(Ok(()), Err)?;
    }
    let end = game.words.end.map_or("unknown", |end| end.word());
    let plies = played.moves().iter();
    Ok(Record {
        id: line as u64,
        generation: 0,
        rules: Arc::clone(played.rules()),
        kind: "people",
        players: Default::default(),
        winner: recorded.winner(played),
        reason: played.outcome().map_or(end, |it| it.reason.name()),
        start: Setup::of(replayed.start.position(), played.rules().shape()),
        plies: plies.map(|&mv| PlyRecord { mv, search: None }).collect(),
    })
}

/// Returns the rules that a text names.
fn rules_of(game: &WrittenGame) -> Result<Arc<Rules>, String> {
    if let Some(own) = &game.own {
        let ruleset = own.ruleset().map_err(|error| error.to_string())?;
        return Rules::new(ruleset).map_err(|error| error.to_string());
    }
    let rules = named_rules(game);
    rules.ok_or_else(|| "`ruleset` must say under which rules it was played".to_owned())
}

/// Returns the rules whose name the text has, unless it has rules of its own.
fn named_rules(game: &WrittenGame) -> Option<Arc<Rules>> {
    let name = game.ruleset.as_ref().filter(|_| game.own.is_none())?;
    preset_named(name).and_then(Rules::preset)
}
