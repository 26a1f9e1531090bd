//! The numbers of a summary as rows, for `summary.parquet`.

use tafl_arena::Estimate;
use tafl_arena::balance::{Cell, Distribution, Summary};
use tafl_dataset::BalanceRow;

/// Returns every number of cells, trends, rankings and effects, one a row.
pub(crate) fn rows(summary: &Summary) -> Vec<BalanceRow> {
    let mut rows = Vec::new();
    for cell in &summary.cells {
        let player = summary.players.iter().find(|it| it.name == cell.player);
        let mut about = About {
            ruleset: &cell.ruleset,
            player: &cell.player,
            strength: player.and_then(|player| player.strength),
            rows: &mut rows,
        };
        about.cell(cell);
        let own = |ruleset: &str, player: &str| ruleset == cell.ruleset && player == cell.player;
        let rankings = summary.rankings.iter();
        for ranking in rankings.filter(|it| own(&it.ruleset, &it.player)) {
            about.number("most_balanced", ranking.probability);
        }
        for effect in summary
            .effects
            .iter()
            .filter(|it| own(&it.ruleset, &it.player))
        {
            about.estimate("effect", effect.difference);
            about.estimate("effect_bootstrap", effect.difference_bootstrap);
            about.estimate("effect_imbalance", effect.imbalance_difference);
            about.number("effect_adjusted", effect.adjusted);
        }
    }
    for trend in &summary.trends {
        let mut about = About {
            ruleset: &trend.ruleset,
            player: &trend.family,
            strength: None,
            rows: &mut rows,
        };
        about.estimate("trend/score", trend.score_slope);
        about.estimate("trend/imbalance", trend.imbalance_slope);
    }
    rows
}

/// Adds rows about one cell or trend.
struct About<'a> {
    ruleset: &'a str,
    player: &'a str,
    strength: Option<u32>,
    rows: &'a mut Vec<BalanceRow>,
}

impl About<'_> {
    fn push(&mut self, name: &str, value: f64, interval: Option<[f64; 2]>) {
        self.rows.push(BalanceRow {
            ruleset: self.ruleset.to_owned(),
            player: self.player.to_owned(),
            strength: self.strength,
            name: name.to_owned(),
            value,
            interval,
        });
    }

    fn number(&mut self, name: &str, value: f64) {
        self.push(name, value, None);
    }

    fn estimate(&mut self, name: &str, estimate: Estimate) {
        let interval = Some([estimate.low, estimate.high]);
        self.push(name, estimate.value, interval);
    }

    fn cell(&mut self, cell: &Cell) {
        let results = &cell.results;
        for (name, count) in [
            ("games/won", results.wins),
            ("games/drawn", results.draws),
            ("games/lost", results.losses),
            ("games/capped", results.capped),
        ] {
            self.number(name, count as f64);
        }
        self.estimate("score", cell.score);
        self.estimate("score_bootstrap", cell.score_bootstrap);
        self.estimate("elo", cell.elo);
        self.estimate("imbalance", cell.imbalance);
        self.estimate("draw_rate", cell.draw_rate);
        self.estimate("decisive_share", cell.decisive_share);
        for ending in &cell.endings {
            let winner = ending.winner.map_or("nobody", |side| side.name());
            let name = format!("ending/{}/{winner}", ending.reason);
            self.estimate(&name, ending.rate);
        }
        self.distribution("length", &cell.length);
        for (side, captures) in ["attackers", "defenders"].iter().zip(&cell.captures) {
            self.distribution(&format!("captures/{side}"), captures);
        }
        for (side, branching) in ["attackers", "defenders"].iter().zip(cell.branching) {
            if let Some(branching) = branching {
                self.number(&format!("branching/{side}"), branching);
            }
        }
        if let Some(decision) = &cell.decision {
            self.distribution("decision/ply", &decision.ply);
            self.estimate("decision/share_of_length", decision.share_of_length);
        }
        if let Some(strength) = &cell.strength {
            self.estimate("strength/elo", strength.elo);
        }
    }

    fn distribution(&mut self, name: &str, distribution: &Distribution) {
        self.estimate(&format!("{name}/mean"), distribution.mean);
        for (part, value) in [
            ("least", distribution.least),
            ("lower_quartile", distribution.lower_quartile),
            ("median", distribution.median),
            ("upper_quartile", distribution.upper_quartile),
            ("most", distribution.most),
        ] {
            self.number(&format!("{name}/{part}"), value);
        }
    }
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
    }
}
