//! A sweep as a table for the terminal.

use super::standings::{counts, percent, unsure_of_games};
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
            let of_seed = |elo: &Option<Estimate>| match elo {
                None => "-".to_owned(),
                // Nothing else tells how far chance may go.
                Some(elo) if sweep.seeds.len() == 1 => elo.text("", signed),
                Some(elo) => signed(elo.value),
            };
            let by_seed = variant.elo_by_seed.iter().map(of_seed);
            let by_seed = by_seed.collect::<Vec<_>>().join(" ");
            (elo.unwrap_or_else(|| "-".to_owned()), by_seed)
        };
        let minutes = 60.0 * variant.hours.iter().sum::<f64>() / variant.hours.len().max(1) as f64;
        let of_games = |text: String| match variant.games {
            0 => String::new(),
            _ => text,
        };
        vec![
            variant.name.clone(),
            elo,
            seeds,
            of_games(variant.games.to_string()),
            of_games(counts(variant.tally)),
            of_games(percent(variant.tally.score())),
            match variant.hours.is_empty() {
                true => "-".to_owned(),
                false => format!("{minutes:.1}"),
            },
        ]
    };
    let head = "variant | >Elo above the first (95 % over seeds) | >by seed | >games | >W/D/L | >score | >minutes a run";
    let text = table::of(head, sweep.variants.iter().map(row));
    let played = sweep.variants.iter().filter(|it| it.games > 0);
    let played: Vec<_> = played.map(|it| (&*it.name, it.tally)).collect();
    let unsure = unsure_of_games(&played);
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
    format!("{text}{unsure}\n{about}\n{SCALE}\n{failed}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_arena::Tally;
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
            tally: Tally {
                wins: 5,
                draws: 31,
                losses: 3,
                capped: 1,
            },
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
            left_out: Vec::new(),
        });
        assert!(text.contains("+11 (-2 to +24)"), "{text}");
        assert!(
            text.contains("+10 +12     40  5/32/3  52.5 %           45.0"),
            "{text}"
        );
        // The mean of the seeds that did not fail would tell of another variant.
        let of_failed = text
            .lines()
            .find(|line| line.starts_with("c "))
            .expect("a line");
        let words: Vec<&str> = of_failed.split_whitespace().collect();
        assert_eq!(words[1..4], ["-", "-", "+7"], "{text}");
        assert!(text.ends_with("Failed: c-seed-1.\n"), "{text}");
        let few = "\nGames drawn, and fewer than ten decided, or a tenth: a, b, c. ";
        assert!(text.contains(few), "{text}");
    }
}
