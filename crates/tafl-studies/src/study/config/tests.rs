//! What a study's config accepts and refuses.

use super::*;
use crate::config::schema::{self, Kind};

/// The study of the repository with a player that is there whatever the folder is.
fn table() -> toml::Table {
    let mut table: toml::Table = FIVE_RULESETS.parse().expect("TOML");
    let greedy = toml::toml! {
        player = "greedy"
        strengths = []
    };
    table.insert("players".to_owned(), vec![greedy].into());
    table
}

fn checked(table: toml::Table) -> Result<Vec<PlayerSpec>, Fault> {
    let config: StudyConfig = toml_file::decode(table)?;
    config.check()?;
    config.specs(Path::new("."))
}

fn with(field: &str, value: impl Into<toml::Value>) -> toml::Table {
    let mut table = table();
    toml_file::put(&mut table, field, value.into()).expect("a section");
    table
}

#[test]
fn numbers_are_accepted_up_to_the_bounds_of_the_schema_and_no_further() {
    let mut bounds = 0;
    for field in schema::fields(Kind::Balance) {
        let (path, described) = (&field.path, field.described());
        for (keyword, direction) in [("minimum", -1), ("maximum", 1)] {
            let Some(bound) = described[keyword].as_f64() else {
                continue;
            };
            let value = |number: f64| match described["type"].as_str() {
                Some("integer") => toml::Value::Integer(number as i64),
                _ => toml::Value::Float(number),
            };
            let put = |number: f64| {
                // Of max_plies and the plies of openings neither may be in the other's way.
                let mut table = with("openings.plies", 0);
                let most = toml::Value::Integer(100_000);
                for (path, value) in [("max_plies", most), (path, value(number))] {
                    toml_file::put(&mut table, path, value).expect("a section");
                }
                checked(table).err().map(|fault| fault.place())
            };
            if bound < i64::MAX as f64 {
                assert_eq!(put(bound), None, "{path} {bound}");
                let beyond = put(bound + f64::from(direction));
                assert_eq!(beyond.as_ref(), Some(path), "{path} {bound}");
                bounds += 1;
            }
        }
    }
    assert!(bounds >= 17, "{bounds}");
}

#[test]
fn every_field_is_documented_and_required() {
    for field in schema::fields(Kind::Balance) {
        assert!(!field.documentation().is_empty(), "{}", field.path);
        if field.is_section() || field.is_of_entries() {
            continue;
        }
        let mut table = table();
        assert!(toml_file::remove(&mut table, &field.path), "{}", field.path);
        let fault = checked(table).expect_err("a field is missing");
        assert!(fault.is_missing(), "{fault:?}");
    }
}

#[test]
fn players_are_read_with_rising_strengths() {
    let players = |text: &str| {
        let own: toml::Table = text.parse().expect("TOML");
        checked(with("players", own["players"].clone()))
    };
    let found = players(
        "players = [{ player = 'alphabeta', strengths = [3, 1] }, { player = 'rollouts', strengths = [5] }]",
    );
    let names: Vec<String> = found
        .expect("sound")
        .iter()
        .map(|spec| spec.player.to_string())
        .collect();
    assert_eq!(names, ["alphabeta:1", "alphabeta:3", "rollouts:5"]);
    for (text, field, reason) in [
        (
            "players = [{ player = 'greedy', strengths = [1] }]",
            "players[0].strengths",
            "greedy has none",
        ),
        (
            "players = [{ player = 'rollouts', strengths = [] }]",
            "players[0].strengths",
            "at least one is needed",
        ),
        (
            "players = [{ player = 'alphabeta', strengths = [13] }]",
            "players[0].strengths",
            "13 is not a number from 1 to 12",
        ),
        (
            "players = [{ player = 'rollouts', strengths = [4, 4] }]",
            "players[0].strengths",
            "a number is given twice",
        ),
        (
            "players = [{ player = 'greedy', strengths = [] }, { player = 'greedy', strengths = [] }]",
            "players[1]",
            "greedy is given twice",
        ),
        (
            "players = [{ player = 'nowhere', strengths = [4] }]",
            "players[0].player",
            "neither rollouts",
        ),
        ("players = []", "players", "at least one is needed"),
    ] {
        let fault = players(text).expect_err("it is wrong");
        assert_eq!(fault.field, field, "{fault:?}");
        assert!(fault.reason.contains(reason), "{fault:?}");
    }
}
