//! What a study's config accepts and refuses.

use super::*;
use tafl_config::read_text;

/// A study with a player that is there whatever the folder is.
const GREEDY: &str = "players = [{ player = 'greedy' }]";

/// Reads a config with its players; all that is wrong with it is the error.
fn read(text: &str) -> Result<Vec<PlayerSource>, Vec<ConfigError>> {
    let document = read_text::<StudyConfig>(Path::new("study.toml"), text, &[]);
    let document = document.map_err(|faults| {
        let errors = faults.0.into_iter().map(|fault| fault.error);
        errors.collect::<Vec<_>>()
    })?;
    let players = document.config.planned_players(Path::new("."));
    let players = players.map_err(|error| vec![error])?.into_iter();
    Ok(players.map(|it| it.source).collect())
}

/// Returns the only thing that is wrong with a config.
fn error(text: &str) -> ConfigError {
    let mut errors = read(text).expect_err("it is wrong");
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

#[test]
fn openings_are_shorter_than_games() {
    let long = error(&format!("max_plies = 6\n{GREEDY}"));
    assert_eq!(long.field, "openings.plies");
    let longer = format!("max_plies = 7\n{GREEDY}");
    assert!(read(&longer).is_ok());
}

#[test]
fn a_section_that_is_gone_is_told_with_what_to_do() {
    let gone = error(&format!("{GREEDY}\n[statistics]\nconfidence = 0.9"));
    assert_eq!(gone.field, "statistics");
    assert!(gone.reason.contains("remove it"), "{gone:?}");
}

#[test]
fn players_are_read_with_rising_strengths() {
    let found = read(
        "players = [{ player = 'alphabeta', strengths = [3, 1] }, { player = 'rollouts', strengths = [5] }, \
         { player = 'rollouts:7' }]",
    );
    let found = found.expect("sound");
    let names: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        names,
        ["alphabeta:1", "alphabeta:3", "rollouts:5", "rollouts:7"]
    );
    let player = "players[0].strengths";
    for (players, field, reason) in [
        (
            "{ player = 'greedy', strengths = [1] }",
            player,
            "greedy has none",
        ),
        (
            "{ player = 'rollouts', strengths = [] }",
            player,
            "at least one is needed",
        ),
        (
            "{ player = 'alphabeta', strengths = [13] }",
            player,
            "13 is not from 1 to 12",
        ),
        (
            "{ player = 'rollouts', strengths = [4, 4] }",
            player,
            "a number is given twice",
        ),
        (
            "{ player = 'greedy' }, { player = 'greedy' }",
            "players[1]",
            "greedy is given twice",
        ),
        (
            "{ player = 'nowhere', strengths = [4] }",
            "players[0].player",
            "is neither random",
        ),
        (
            "{ player = 'nowhere' }",
            "players[0].player",
            "\"nowhere\" is neither random",
        ),
        ("", "players", "at least one is needed"),
    ] {
        let error = error(&format!("players = [{players}]"));
        assert_eq!(error.field, field, "{error:?}");
        assert!(error.reason.contains(reason), "{error:?}");
    }
}
