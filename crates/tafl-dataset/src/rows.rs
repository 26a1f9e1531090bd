//! The rows that games give.

use crate::DatasetError;
use crate::column::Column;
use crate::plies::{GAME, LEARNED, Learned, TURN, Turn, blank, columns};
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array, cast::AsArray, new_null_array};
use arrow_schema::{ArrowError, Fields, Schema};
use arrow_select::take::take;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_samples::{GameRecord, Sample, samples_of};

/// All rows of some games.
pub(crate) struct GameRows {
    /// The plies that are learned from, and the others; each by rising game and ply.
    pub(crate) parts: [RecordBatch; 2],
    pub(crate) games: usize,
}

/// Rows of a row group that is learned from.
const GROUP_ROWS: usize = 1 << 16;

/// Some rows, by the numbers of their games.
#[derive(Default)]
struct Part {
    games: Vec<u32>,
    turns: Vec<Turn>,
}

impl GameRows {
    /// Lays games out with the plies that are learned from, by game and ply; `None` leaves out their columns too.
    pub(crate) fn new(
        mut games: Vec<&GameRecord>,
        learned: Option<&[Learned]>,
    ) -> Result<Self, DatasetError> {
        games.sort_by_key(|game| game.game_id);
        if let Some(pair) = games.windows(2).find(|it| it[0].game_id == it[1].game_id) {
            let game_id = pair[0].game_id;
            return Err(DatasetError::SameNumber { game_id });
        }
        Ok(Self {
            parts: lay_out(&games, learned).map_err(DatasetError::Rows)?,
            games: games.len(),
        })
    }

    /// Returns the rows of each row group. Those that are learned from are decoded side by side.
    pub(crate) fn groups(&self) -> Vec<RecordBatch> {
        let [learned, others] = &self.parts;
        let starts = (0..learned.num_rows()).step_by(GROUP_ROWS);
        let groups = starts.map(|at| learned.slice(at, GROUP_ROWS.min(learned.num_rows() - at)));
        groups.chain([others.clone()]).collect()
    }

    /// Returns the positions that are learned from, as they are read from a file.
    pub(crate) fn samples(&self) -> Result<Vec<Sample>, DatasetError> {
        let [learned, _] = &self.parts;
        let mut read = vec![blank(); learned.num_rows()];
        for column in LEARNED.iter() {
            let values = learned.column_by_name(column.name);
            let values = values.expect("the columns of the schema are those of the tables");
            let error = |(_, reason)| DatasetError::Rows(ArrowError::InvalidArgumentError(reason));
            column.read(values, &mut read).map_err(error)?;
        }
        Ok(read.into_iter().map(|it| it.sample).collect())
    }
}

/// Lays rows out, those first that are learned from.
fn lay_out(
    games: &[&GameRecord],
    learned: Option<&[Learned]>,
) -> Result<[RecordBatch; 2], ArrowError> {
    let [mut first, mut others] = [Part::default(), Part::default()];
    let mut next = learned.unwrap_or_default().iter().peekable();
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
    let of_games = GAME.iter().map(|it| it.write(games.iter().copied()));
    let of_games: Vec<ArrayRef> = of_games.collect();
    let own = LEARNED.iter().filter(|it| it.field().is_some());
    let own: Vec<&Column<Learned>> = own.filter(|_| learned.is_some()).collect();
    let said = own
        .iter()
        .map(|it| it.write(learned.unwrap_or_default().iter()));
    let said = said.collect();
    let nothing = own.iter();
    let nothing = nothing.map(|it| new_null_array(&it.data_type, others.turns.len()));
    let nothing = nothing.collect();
    Ok([
        first.batch(&of_games, said)?,
        others.batch(&of_games, nothing)?,
    ])
}

impl Part {
    fn batch(self, games: &[ArrayRef], learned: Vec<ArrayRef>) -> Result<RecordBatch, ArrowError> {
        let rows = UInt32Array::from(self.games);
        let games = games.iter().map(|values| take(values, &rows, None));
        let mut all = games.collect::<Result<Vec<_>, _>>()?;
        let turns = TURN.iter().filter(|it| it.field().is_some());
        all.extend(turns.map(|it| it.write(self.turns.iter())));
        all.extend(learned);
        let fields = columns().take(all.len()).map(|(_, field)| field);
        RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Fields>())), all)
    }
}

/// Checks that rows of a file are those that its games give, by the columns of the schema.
pub(crate) fn check_same(
    path: &Path,
    expected: &RecordBatch,
    found: &RecordBatch,
) -> Result<(), DatasetError> {
    for (number, (column, _)) in columns().take(expected.num_columns()).enumerate() {
        let [expected_values, values] = [expected, found].map(|it| it.column(number));
        if expected_values == values {
            continue;
        }
        let differs = |row: &usize| expected_values.slice(*row, 1) != values.slice(*row, 1);
        let row = (0..values.len()).find(differs).unwrap_or(0);
        let of_row = |name| expected.column_by_name(name);
        let id = of_row("game_id").map(|ids| ids.as_primitive::<UInt64Type>().value(row));
        let ply = of_row("ply").map(|plies| plies.as_primitive::<UInt32Type>().value(row));
        return Err(DatasetError::Differs {
            path: path.into(),
            column,
            game_id: id.unwrap_or_default(),
            ply: ply.unwrap_or_default(),
        });
    }
    Ok(())
}

/// Replays games by their rulesets in `rules`; returns what is learned from them, by game and ply.
pub(crate) fn learned(
    games: &[&GameRecord],
    rules: &[Arc<Rules>],
) -> Result<Vec<Learned>, DatasetError> {
    let mut games = games.to_vec();
    games.sort_by_key(|game| game.game_id);
    let mut learned = Vec::new();
    for game in games {
        let rules = rules_of(game, rules)?;
        let shape = rules.shape();
        let samples = samples_of(game, rules)?.into_iter();
        learned.extend(samples.map(|sample| Learned { sample, shape }));
    }
    Ok(learned)
}

fn rules_of<'a>(
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
