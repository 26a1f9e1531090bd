//! Results of games between people, which are compiled in from `data/games/results.csv`.

use anyhow::{Context, ensure};
use serde::Deserialize;
use tafl_arena::balance::{PeopleResults, Sampling, people_score};

/// The table; its columns are the fields of [`Row`].
const TABLE: &str = include_str!("../../../../data/games/results.csv");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    ruleset: Option<String>,
    games: u64,
    attackers_percent: f64,
    defenders_percent: f64,
    draws_percent: f64,
    source: String,
}

/// Returns all results, with intervals.
pub(crate) fn results(sampling: &Sampling) -> anyhow::Result<Vec<PeopleResults>> {
    read(TABLE, sampling).context("data/games/results.csv")
}

fn read(table: &str, sampling: &Sampling) -> anyhow::Result<Vec<PeopleResults>> {
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize::<Row>();
    rows.map(|row| row?.results(sampling)).collect()
}

impl Row {
    fn results(self, sampling: &Sampling) -> anyhow::Result<PeopleResults> {
        let percent = [
            self.attackers_percent,
            self.draws_percent,
            self.defenders_percent,
        ];
        let sum: f64 = percent.iter().sum();
        let are_shares = percent.iter().all(|share| (0.0..=100.0).contains(share));
        ensure!(
            are_shares && sum < 100.1,
            "{}: {percent:?} are not valid percentages",
            self.name
        );
        Ok(PeopleResults {
            score: people_score(self.games, percent, sampling),
            name: self.name,
            ruleset: self.ruleset,
            games: self.games,
            attackers_percent: self.attackers_percent,
            defenders_percent: self.defenders_percent,
            draws_percent: self.draws_percent,
            source: self.source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLING: Sampling = Sampling {
        draws: 1_000,
        resamples: 100,
        seed: 1,
    };

    #[test]
    fn every_result_of_people_has_a_source_and_sums_to_a_hundred_or_less() {
        let people = results(&SAMPLING).expect("the table is sound");
        assert_eq!(people.len(), 3);
        for own in &people {
            assert!(!own.source.is_empty());
            assert!(own.score.low < own.score.value && own.score.value < own.score.high);
            let ruleset = own.ruleset.as_deref();
            assert!(ruleset.is_none_or(|name| tafl_rules::preset(name).is_some()));
        }
        assert_eq!(people[0].games, 1_752);
        assert!((people[1].score.value - 0.336).abs() < 1e-3);
    }

    #[test]
    fn shares_that_cannot_be_are_refused_by_name() {
        let head = TABLE.lines().next().expect("a head");
        let table = format!("{head}\nclub,fetlar,10,60,50,0,nowhere\n");
        let error = read(&table, &SAMPLING).expect_err("110 per cent");
        assert!(error.to_string().starts_with("club: "), "{error}");
    }
}
