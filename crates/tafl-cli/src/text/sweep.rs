//! A sweep as a table for the terminal.

use super::table::{self, signed};
use tafl_arena::Estimate;
use tafl_studies::{SweepResult, VariantResult};

/// What the numbers of the table mean: those of a single match are by its games alone.
const SCALE: &str = "An Elo here is from all games of a seed, rated together, with the worth of the attackers' side apart.";

/// Returns the table of a sweep.
pub(crate) fn table_of_sweep(sweep: &SweepResult) -> String {
    let row = |variant: &VariantResult| {
        let (elo, seeds) = if variant.name == sweep.anchor {
            ("0".to_owned(), String::new())
        } else {
            let elo = variant.elo.map(|elo| elo.text("", signed));
            let of_seed = |elo: &Option<Estimate>| {
                elo.map_or_else(|| "-".to_owned(), |elo| signed(elo.value))
            };
            let by_seed = variant.elo_by_seed.iter().map(of_seed);
            let by_seed = by_seed.collect::<Vec<_>>().join(" ");
            (elo.unwrap_or_else(|| "-".to_owned()), by_seed)
        };
        let minutes = 60.0 * variant.hours.iter().sum::<f64>() / variant.hours.len().max(1) as f64;
        vec![
            variant.name.clone(),
            elo,
            seeds,
            match variant.games {
                0 => String::new(),
                games => games.to_string(),
            },
            match variant.hours.is_empty() {
                true => "-".to_owned(),
                false => format!("{minutes:.1}"),
            },
        ]
    };
    let head =
        "variant | >Elo above the first (95 % over seeds) | >by seed | >games | >minutes a run";
    let text = table::of(head, sweep.variants.iter().map(row));
    let seeds: Vec<String> = sweep.seeds.iter().map(u64::to_string).collect();
    let about = match seeds.len() {
        1 => "One seed: how much is chance of training is not known; give --seeds 3 or more."
            .to_owned(),
        _ => format!(
            "Seeds {}; each variant meets the run of the same seed.",
            seeds.join(", ")
        ),
    };
    let failed: Vec<&str> = sweep.failed.iter().map(|it| it.run.as_str()).collect();
    let failed = match failed.is_empty() {
        true => String::new(),
        false => format!("Failed: {}.\n", failed.join(", ")),
    };
    format!("{text}\n{about}\n{SCALE}\n{failed}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_studies::FailedRun;

    #[test]
    fn the_first_variant_is_zero_and_others_have_intervals() {
        let exact = |value: f64| Estimate {
            value,
            low: value - 50.0,
            high: value + 50.0,
        };
        let variant = |name: &str, elos: [Option<f64>; 2]| VariantResult {
            name: name.to_owned(),
            changes: Vec::new(),
            elo_by_seed: elos.map(|it| it.map(exact)).into(),
            elo: elos
                .iter()
                .copied()
                .collect::<Option<Vec<f64>>>()
                .and_then(|it| tafl_arena::mean_of_few(&it)),
            hours: vec![0.5, 1.0],
            games: 40,
        };
        let text = table_of_sweep(&SweepResult {
            name: "x".to_owned(),
            anchor: "a".to_owned(),
            seeds: vec![1, 2],
            variants: vec![
                variant("a", [Some(0.0), Some(0.0)]),
                variant("b", [Some(10.0), Some(12.0)]),
                variant("c", [None, Some(7.0)]),
            ],
            failed: vec![FailedRun {
                run: "c-seed-1".to_owned(),
                reason: "it diverged".to_owned(),
            }],
        });
        assert!(text.contains("+11 (-2 to +24)"), "{text}");
        assert!(text.contains("+10 +12     40           45.0"), "{text}");
        // The mean of the seeds that did not fail would tell of another variant.
        let of_failed = text
            .lines()
            .find(|line| line.starts_with("c "))
            .expect("a line");
        let words: Vec<&str> = of_failed.split_whitespace().collect();
        assert_eq!(words[1..4], ["-", "-", "+7"], "{text}");
        assert!(text.ends_with("Failed: c-seed-1.\n"), "{text}");
    }
}
