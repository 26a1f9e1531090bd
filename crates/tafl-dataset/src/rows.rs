//! The rows that games give.

use crate::DatasetError;
use crate::parquet_file::Part;
use crate::plies::{GAME, LEARNED, Learned, TURN, Turn, columns};
use crate::values::values_of;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_samples::{GameRecord, Sample, samples_of};

/// All rows of some games.
pub(crate) struct GameRows {
    /// The plies that are learned from, and the others; each by rising game and ply.
    pub(crate) parts: [Part; 2],
    pub(crate) games: usize,
    learned: Vec<Learned>,
}

/// Some rows, by the numbers of their games.
#[derive(Default)]
struct Turns {
    games: Vec<u32>,
    turns: Vec<Turn>,
}

impl GameRows {
    /// Replays games by their rulesets in `rules`; nothing is learned from them if there are none.
    pub(crate) fn new(
        mut games: Vec<&GameRecord>,
        rules: Option<&[Arc<Rules>]>,
    ) -> Result<Self, DatasetError> {
        games.sort_by_key(|game| game.game_id);
        if let Some(pair) = games.windows(2).find(|it| it[0].game_id == it[1].game_id) {
            let game_id = pair[0].game_id;
            return Err(DatasetError::SameNumber { game_id });
        }
        let mut learned = Vec::new();
        if let Some(rules) = rules {
            for game in &games {
                let rules = rules_of(game, rules)?;
                let samples = samples_of(game, rules)?.into_iter();
                let shape = rules.shape();
                learned.extend(samples.map(|sample| Learned::new(sample, shape)));
            }
        }
        Ok(Self {
            parts: lay_out(&games, &learned),
            games: games.len(),
            learned,
        })
    }

    /// Returns the positions that are learned from, as they are read from a file.
    pub(crate) fn samples(self) -> Vec<Sample> {
        self.learned.into_iter().map(|it| it.sample).collect()
    }
}

/// Lays rows out, those first that are learned from.
fn lay_out(games: &[&GameRecord], learned: &[Learned]) -> [Part; 2] {
    let [mut first, mut others] = [Turns::default(), Turns::default()];
    let mut next = learned.iter().peekable();
    for (number, game) in (0..).zip(games) {
        let plies = game.plies.len() as u32;
        // A game that has no plies has a row nevertheless.
        for ply in 0..plies.max(1) {
            let mv = game.plies.get(ply as usize).map(|ply| ply.mv);
            let is_learned = next.next_if(|it| {
                let sample = &it.sample;
                (sample.game_id, sample.ply) == (game.game_id, ply)
            });
            let part = match is_learned {
                Some(_) => &mut first,
                None => &mut others,
            };
            part.games.push(number);
            part.turns.push(Turn {
                game_id: game.game_id,
                ply,
                plies,
                played: mv.map(|mv| mv.policy_index(game.start.shape).0),
            });
        }
    }
    let of_games: Part = GAME
        .iter()
        .map(|it| it.write(games.iter().copied()))
        .collect();
    let own = || LEARNED.iter().filter(|it| it.meaning.is_some());
    let said = own().map(|it| it.write(learned.iter()));
    let nothing = own().map(|it| it.column_type.nulls(others.turns.len()));
    [
        first.with(&of_games, said.collect()),
        others.with(&of_games, nothing.collect()),
    ]
}

impl Turns {
    fn with(&self, games: &Part, learned: Part) -> Part {
        let mut all: Part = games
            .iter()
            .map(|values| values.take(&self.games))
            .collect();
        let turns = TURN.iter().filter(|it| it.meaning.is_some());
        all.extend(turns.map(|it| it.write(self.turns.iter())));
        all.extend(learned);
        all
    }
}

/// Checks that rows of a file are those that its games give, from the row `from` of these on.
pub(crate) fn check_same(
    path: &Path,
    expected: &Part,
    from: usize,
    found: &Part,
) -> Result<(), DatasetError> {
    let fields = columns();
    for (field, (values, found)) in fields.iter().zip(expected.iter().zip(found)) {
        let Some(row) = values.difference(from, &**found) else {
            continue;
        };
        let place = |name| {
            fields
                .iter()
                .position(|field| field.name == name)
                .unwrap_or(0)
        };
        let id = values_of::<i64>(&*expected[place("game_id")]);
        let ply = values_of::<i32>(&*expected[place("ply")]);
        return Err(DatasetError::Differs {
            path: path.into(),
            column: field.name,
            game_id: id.at(from + row).cast_unsigned(),
            ply: ply.at(from + row).cast_unsigned(),
        });
    }
    Ok(())
}

pub(crate) fn rules_of<'a>(
    record: &GameRecord,
    rules: &'a [Arc<Rules>],
) -> Result<&'a Arc<Rules>, DatasetError> {
    let found = rules
        .iter()
        .find(|rules| rules.ruleset().name == record.ruleset);
    found.ok_or_else(|| DatasetError::UnknownRuleset {
        game_id: record.game_id,
        ruleset: record.ruleset.clone(),
    })
}
