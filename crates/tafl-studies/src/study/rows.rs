//! The numbers of a summary as rows, for `summary.parquet`.

use tafl_arena::Estimate;
use tafl_arena::balance::{Cell, Distribution, Summary};
use tafl_dataset::BalanceRow;
use tafl_rules::Side;

/// Returns every number of cells, trends, rankings and effects, one a row.
pub(crate) fn rows(summary: &Summary) -> Vec<BalanceRow> {
    let mut rows = Vec::new();
    for cell in &summary.cells {
        let is_own = |ruleset: &str, player: &str| ruleset == cell.ruleset && player == cell.player;
        let mut numbers = of_cell(cell);
        for it in &summary.rankings {
            if is_own(&it.ruleset, &it.player) {
                numbers.push(exact("most_balanced", it.probability));
            }
        }
        for it in &summary.effects {
            if is_own(&it.ruleset, &it.player) {
                numbers.extend([
                    estimated("effect", it.difference),
                    estimated("effect_bootstrap", it.difference_bootstrap),
                    estimated("effect_imbalance", it.imbalance_difference),
                    exact("effect_adjusted", it.adjusted),
                ]);
            }
        }
        for it in summary.repetition.iter().flat_map(|it| &it.scores) {
            if is_own(&it.ruleset, &it.player) {
                numbers.extend([
                    estimated("repeated/difference", it.difference),
                    exact("repeated/adjusted", it.adjusted),
                ]);
            }
        }
        let player = summary.players.iter().find(|it| it.name == cell.player);
        let strength = player.and_then(|player| player.strength);
        rows.extend(
            numbers
                .into_iter()
                .map(row(&cell.ruleset, &cell.player, strength)),
        );
    }
    for it in &summary.difficulties {
        let player = summary.players.iter().find(|own| own.name == it.player);
        let strength = player.and_then(|player| player.strength);
        let number = |name: &str| format!("difficulty/{name}/{}", it.side.name());
        let numbers = [
            estimated(number("visits"), it.visits),
            estimated(number("at_once"), it.at_once),
            estimated(number("unsettled"), it.unsettled),
            exact(number("positions"), it.positions as f64),
            exact(number("deepest"), it.deepest.into()),
        ];
        rows.extend(
            numbers
                .into_iter()
                .map(row(&it.ruleset, &it.player, strength)),
        );
    }
    for trend in &summary.trends {
        let numbers = [
            estimated("trend/score", trend.score_slope),
            estimated("trend/imbalance", trend.imbalance_slope),
            exact("trend/adjusted", trend.adjusted),
            exact("trend/misfit", trend.misfit),
        ];
        rows.extend(
            numbers
                .into_iter()
                .map(row(&trend.ruleset, &trend.family, None)),
        );
    }
    rows
}

/// A number with its name, and its interval if it has one.
type Number = (String, f64, Option<[f64; 2]>);

fn exact(name: impl Into<String>, value: f64) -> Number {
    (name.into(), value, None)
}

fn estimated(name: impl Into<String>, estimate: Estimate) -> Number {
    let interval = [estimate.low, estimate.high];
    (name.into(), estimate.value, Some(interval))
}

/// Returns what makes a row of a number about a ruleset and a player.
fn row(ruleset: &str, player: &str, strength: Option<u32>) -> impl Fn(Number) -> BalanceRow {
    move |(name, value, interval)| BalanceRow {
        ruleset: ruleset.to_owned(),
        player: player.to_owned(),
        strength,
        name,
        value,
        interval,
    }
}

fn of_cell(cell: &Cell) -> Vec<Number> {
    let results = &cell.results;
    let mut numbers = vec![
        exact("games/won", results.wins as f64),
        exact("games/drawn", results.draws as f64),
        exact("games/lost", results.losses as f64),
        exact("games/capped", results.capped as f64),
        exact("games/repeated", cell.repeated as f64),
        estimated("score", cell.score),
        estimated("score_bootstrap", cell.score_bootstrap),
        estimated("elo", cell.elo),
        estimated("imbalance", cell.imbalance),
        estimated("draw_rate", cell.draw_rate),
    ];
    let decisive = cell.decisive_share.into_iter();
    numbers.extend(decisive.map(|share| estimated("decisive_share", share)));
    for ending in &cell.endings {
        let winner = ending.winner.map_or("nobody", |side| side.name());
        let name = format!("ending/{}/{winner}", ending.reason);
        numbers.push(estimated(name, ending.rate));
    }
    numbers.extend(of_distribution("length", &cell.length));
    for (side, captures) in Side::ALL.iter().zip(&cell.captures) {
        numbers.extend(of_distribution(
            &format!("captures/{}", side.name()),
            captures,
        ));
    }
    for (side, branching) in Side::ALL.iter().zip(cell.branching) {
        numbers.extend(branching.map(|moves| exact(format!("branching/{}", side.name()), moves)));
    }
    if let Some(decision) = &cell.decision {
        numbers.extend(of_distribution("decision/ply", &decision.ply));
        let share = decision.share_of_length;
        numbers.push(estimated("decision/share_of_length", share));
    }
    let strength = cell.strength.as_ref();
    numbers.extend(strength.map(|strength| estimated("strength/elo", strength.elo)));
    numbers
}

fn of_distribution(name: &str, distribution: &Distribution) -> [Number; 6] {
    [
        estimated(format!("{name}/mean"), distribution.mean),
        exact(format!("{name}/least"), distribution.least),
        exact(
            format!("{name}/lower_quartile"),
            distribution.lower_quartile,
        ),
        exact(format!("{name}/median"), distribution.median),
        exact(
            format!("{name}/upper_quartile"),
            distribution.upper_quartile,
        ),
        exact(format!("{name}/most"), distribution.most),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_trend_and_effect_has_its_rows() {
        let text = include_str!("../../../../tests/fixtures/balance/variants.json");
        let summary: Summary = serde_json::from_str(text).expect("a summary");
        let rows = rows(&summary);
        let count = |name: &str| rows.iter().filter(|row| row.name == name).count();
        assert_eq!((count("score"), count("effect")), (3, 2));
        let base = rows
            .iter()
            .find(|row| row.name == "score")
            .expect("a score");
        assert_eq!(
            (base.ruleset.as_str(), base.strength),
            ("copenhagen", Some(64))
        );
        assert_eq!(base.value, summary.cells[0].score.value);
        let text = include_str!("../../../../tests/fixtures/balance/rulesets.json");
        let summary: Summary = serde_json::from_str(text).expect("a summary");
        let rows = super::rows(&summary);
        let trends = rows.iter().filter(|row| row.name == "trend/score");
        assert_eq!(trends.count(), summary.trends.len());
        let needed = rows
            .iter()
            .find(|row| row.name == "difficulty/visits/attackers");
        assert_eq!(
            needed.expect("measured").value,
            summary.difficulties[0].visits.value
        );
    }
}
