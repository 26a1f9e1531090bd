//! Results of games between people, which are compiled in: `data/games/results.csv`, and what `tafl balance people` counted in
//! `data/balance/people/`.

use crate::people::{StrengthRow, VariantRow};
use std::collections::BTreeMap;
use tafl_arena::balance::{PeopleResults, Sampling};
use tafl_arena::{Estimate, PeopleBand, PeopleScale};

/// The table; its columns are the fields of [`PeopleResults`] but for the score.
const TABLE: &str = include_str!("../../../../data/games/results.csv");
const VARIANTS: &str = include_str!("../../../../data/balance/people/variants.csv");
const STRENGTH: &str = include_str!("../../../../data/balance/people/strength.csv");
/// Variants of the archive that are played by a ruleset of ours; those of Berserk are older than the rules of 2024.
const RULESETS: &str = include_str!("../../../../data/balance/people/rulesets.csv");

const SOURCE: &str =
    "aagenielsen.dk, games until January 2023, counted from NeuroTafl/OpenTafl-Python 37dd6c1d";

/// Returns all results, with intervals.
///
/// # Panics
/// Never: the tables are a part of the program, and a test reads them.
pub(crate) fn results(sampling: &Sampling) -> Vec<PeopleResults> {
    let strengths: Vec<StrengthRow> = rows(STRENGTH);
    let rulesets: BTreeMap<u32, String> = rows(RULESETS).into_iter().collect();
    let variants = rows::<VariantRow>(VARIANTS)
        .into_iter()
        .filter_map(|variant| {
            let ruleset = rulesets.get(&variant.number)?.clone();
            Some(variant.results(ruleset, &strengths))
        });
    let others = rows::<PeopleResults>(TABLE).into_iter();
    variants
        .chain(others.map(|it| it.with_score(sampling)))
        .collect()
}

fn rows<T: serde::de::DeserializeOwned>(table: &str) -> Vec<T> {
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize();
    rows.map(|row| row.expect("the table is sound")).collect()
}

impl VariantRow {
    fn results(self, ruleset: String, strengths: &[StrengthRow]) -> PeopleResults {
        let percent =
            |count: u64| tafl_arena::rounded(100.0 * count as f64 / self.counted as f64, 1);
        let own = strengths.iter().filter(|it| it.number == self.number);
        let fitted = own.filter(|it| it.scale == PeopleScale::Fitted);
        PeopleResults {
            name: format!("aagenielsen.dk, {}", self.name),
            ruleset: Some(ruleset),
            games: self.counted,
            attackers_percent: percent(self.attacker_wins),
            defenders_percent: percent(self.defender_wins),
            draws_percent: percent(self.draws),
            source: SOURCE.to_owned(),
            score: Estimate {
                value: self.score,
                low: self.score_low,
                high: self.score_high,
            },
            bands: fitted.map(StrengthRow::band).collect(),
        }
    }
}

impl StrengthRow {
    fn band(&self) -> PeopleBand {
        PeopleBand {
            scale: self.scale,
            strength: self.strength as f64,
            games: self.games,
            pairs: self.pairs,
            score: Estimate {
                value: self.score,
                low: self.score_low,
                high: self.score_high,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_arena::balance::Summary;

    #[test]
    fn every_result_of_people_has_a_source_and_sums_to_a_hundred_or_less() {
        let people = results(&Sampling::of_seed(1));
        assert_eq!(people.len(), 15);
        for own in &people {
            assert!(!own.source.is_empty());
            assert!(own.score.low < own.score.value && own.score.value < own.score.high);
            let shares = [
                own.attackers_percent,
                own.draws_percent,
                own.defenders_percent,
            ];
            assert!(shares.iter().all(|share| (0.0..=100.0).contains(share)));
            assert!(shares.iter().sum::<f64>() < 100.15, "{shares:?}");
            let ruleset = own.ruleset.as_deref();
            assert!(ruleset.is_some_and(|name| tafl_rules::preset(name).is_some()));
            assert!(own.bands.is_empty() || own.bands.len() == 4);
        }
        assert_eq!(people[0].games, 10_782);
        assert_eq!(
            people[0].bands.iter().map(|it| it.games).sum::<u64>(),
            10_782
        );
        let app = people.iter().find(|it| it.name == "app games").unwrap();
        assert!((app.score.value - 0.336).abs() < 1e-3);
    }

    /// The studies that are published were played before some of these games were counted.
    #[test]
    fn published_studies_have_todays_results_of_people() {
        for study in ["", "-brandubh", "-start", "-tenth"] {
            let path = format!("../../data/balance/published{study}/summary.json");
            let text = std::fs::read_to_string(&path).unwrap();
            let mut summary = Summary::of_json(&text).unwrap();
            let people = results(&Sampling::of_seed(summary.study.seed));
            if std::env::var_os("UPDATE").is_some() {
                summary.study.people = people;
                let summary = summary.with_sentences();
                let text = serde_json::to_string_pretty(&summary).unwrap() + "\n";
                std::fs::write(&path, text).unwrap();
                continue;
            }
            assert_eq!(summary.study.people, people, "{path}: UPDATE=1 writes them");
            let again = summary.clone().with_sentences();
            assert_eq!(summary.verdict, again.verdict, "{path}: UPDATE=1 writes it");
        }
    }
}
