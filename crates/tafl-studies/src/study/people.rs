//! Results of games between people, which are compiled in from `data/games/results.csv`.

use tafl_arena::balance::{PeopleResults, Sampling};

/// The table; its columns are the fields of [`PeopleResults`] but for the score.
const TABLE: &str = include_str!("../../../../data/games/results.csv");

/// Returns all results, with intervals.
///
/// # Panics
/// Never: the table is a part of the program, and a test reads it.
pub(crate) fn results(sampling: &Sampling) -> Vec<PeopleResults> {
    let table = csv::Reader::from_reader(TABLE.as_bytes());
    let people = |row: csv::Result<PeopleResults>| {
        let people = row.expect("the table is sound");
        people.with_score(sampling)
    };
    table.into_deserialize().map(people).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_of_people_has_a_source_and_sums_to_a_hundred_or_less() {
        let people = results(&Sampling::of_seed(1));
        assert_eq!(people.len(), 3);
        for own in &people {
            assert!(!own.source.is_empty());
            assert!(own.score.low < own.score.value && own.score.value < own.score.high);
            let shares = [
                own.attackers_percent,
                own.draws_percent,
                own.defenders_percent,
            ];
            assert!(shares.iter().all(|share| (0.0..=100.0).contains(share)));
            assert!(shares.iter().sum::<f64>() < 100.1, "{shares:?}");
            let ruleset = own.ruleset.as_deref();
            assert!(ruleset.is_some_and(|name| tafl_rules::preset(name).is_some()));
        }
        assert_eq!(people[0].games, 1_752);
        assert!((people[1].score.value - 0.336).abs() < 1e-3);
        assert_eq!(people[1].ruleset.as_deref(), Some("copenhagen"));
    }
}
