//! What games say of their rules, where that is not the ruleset under which they are played.

use std::path::Path;
use tafl_rules::notation::games::WrittenGame;
use tafl_rules::notation::own::OwnRules;
use tafl_rules::{Ruleset, preset, preset_named};
use tafl_training::load_rules;

/// Returns what a game says of its rules, where that is not the ruleset under which it is played.
pub(crate) fn other_rules(game: &WrittenGame, ruleset: &Ruleset) -> Option<String> {
    if let Some(own) = &game.own {
        // Of a record both are passed over: sites often did not enforce repetition, and its position is that of the game.
        let fields = match own {
            OwnRules::Fields(_) => own.ruleset().ok(),
            OwnRules::Record(_) => None,
        };
        let differs = |differs: &dyn Fn(&Ruleset) -> bool| fields.as_ref().is_some_and(differs);
        let more = [
            (
                "repetition",
                differs(&|it| it.repetition != ruleset.repetition),
            ),
            ("start", differs(&|it| it.start != ruleset.start)),
        ];
        let more = more.into_iter().filter(|(_, differs)| *differs);
        let more = more.map(|(field, _)| field.to_owned());
        let unlike: Vec<String> = own.unlike(ruleset).into_iter().chain(more).collect();
        let unlike = unlike.join(", ");
        let begins = game.position.is_none() && begins_otherwise(own, ruleset);
        let from = if begins {
            " and begins as they say"
        } else {
            ""
        };
        return (!unlike.is_empty())
            .then(|| format!("has other rules of its own ({unlike}){from}"));
    }
    let named = game.ruleset.as_ref()?;
    let meant = preset_named(named).and_then(preset);
    let is_it = named.eq_ignore_ascii_case(&ruleset.name)
        || meant.is_some_and(|meant| meant.fingerprint() == ruleset.fingerprint());
    (!is_it).then(|| format!("names {named:?} as its ruleset"))
}

/// Returns whether rules that a game brings along begin otherwise than a ruleset: the game begins as they say. Of a record, that
/// is its position, as any game may have one.
pub(crate) fn begins_otherwise(own: &OwnRules, ruleset: &Ruleset) -> bool {
    match own {
        OwnRules::Fields(_) => own.setup().is_ok_and(|start| start != ruleset.setup()),
        OwnRules::Record(_) => false,
    }
}

/// The games of a file that say that they were played under other rules.
#[derive(Debug)]
pub(crate) struct OtherRules {
    /// The ruleset under which all are played.
    ruleset: Ruleset,
    games: u64,
    first: String,
}

impl OtherRules {
    pub(crate) fn than(ruleset: &str) -> anyhow::Result<Self> {
        let rules = load_rules(ruleset, Path::new("."))?;
        Ok(Self {
            ruleset: rules.ruleset().clone(),
            games: 0,
            first: String::new(),
        })
    }

    /// Takes in a game of a line.
    pub(crate) fn look_at(&mut self, line: usize, game: &WrittenGame) {
        if let Some(own) = other_rules(game, &self.ruleset) {
            self.add(|| format!("line {line}: the game {own}"));
        }
    }

    /// Takes in a game that was played under other rules.
    pub(crate) fn add(&mut self, said: impl FnOnce() -> String) {
        if self.games == 0 {
            self.first = said();
        }
        self.games += 1;
    }

    /// Tells of those that were found.
    pub(crate) fn tell(&self) {
        let (name, first) = (&self.ruleset.name, &self.first);
        match self.games {
            0 => {}
            1 => eprintln!("Note: {first}; it is played under {name}."),
            games => eprintln!(
                "Note: {games} games name other rules than {name}, under which they are played; {first}."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_repetition_of_a_game_with_all_fields_is_told() {
        let brandubh = preset("brandubh").expect("a preset");
        let said = |fields: &str| {
            let rules = format!("{{\"name\": \"mine\", \"base\": \"brandubh\"{fields}}}");
            other_rules(&WrittenGame::under(&rules), &brandubh)
        };
        let told = |fields: &str| Some(format!("has other rules of its own ({fields})"));
        assert_eq!(said(", \"repetition\": \"off\""), told("repetition"));
        let both = ", \"repetition\": \"off\", \"king_armed\": false";
        assert_eq!(said(both), told("king_armed, repetition"));
        let start = ", \"start\": \"3t3/3t3/3T3/ttTKTtt/3T3/3t3/2t4\"";
        let begins = Some("has other rules of its own (start) and begins as they say".to_owned());
        assert_eq!(said(start), begins);
        let first = said(", \"moves_first\": \"defenders\"");
        assert_eq!(first, begins.map(|it| it.replace("start", "moves_first")));
        assert_eq!(said(""), None);
    }
}
