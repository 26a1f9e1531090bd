//! The tables as text.

use crate::table::{self, Align};
use tafl_arena::{Estimate, Tally};
use tafl_studies::{MatchRow, PlayerRow, RulesetRow, SprtRow, Standings};

/// The tables of standings.
struct Tables<'a>(&'a Standings);

/// Returns all tables.
pub(crate) fn tables(standings: &Standings) -> String {
    Tables(standings).text()
}

impl Tables<'_> {
    /// Returns all tables.
    fn text(&self) -> String {
        let mut parts = vec![
            self.players_table(),
            self.rulesets_table(),
            self.matches_table(),
        ];
        parts.extend(self.forfeits_table());
        if self.0.players.len() > 2 {
            parts.push(self.superiority_table());
        }
        parts.extend(self.0.sprt.as_ref().map(sprt_line));
        parts.join("\n")
    }

    fn players_table(&self) -> String {
        let with_bootstrap = self.0.bootstrap_resamples > 0;
        let mut head = vec![("player", Align::Left), ("Elo", Align::Right)];
        if with_bootstrap {
            head.push(("bootstrap", Align::Right));
        }
        head.extend([
            ("attackers W/D/L", Align::Right),
            ("defenders W/D/L", Align::Right),
            ("games", Align::Right),
            ("score", Align::Right),
        ]);
        let row = |player: &PlayerRow| {
            let mut cells = vec![player.name.clone(), with_margin(player.elo)];
            if with_bootstrap {
                cells.push(player.bootstrap.map_or_else(String::new, range));
            }
            let both = player.attackers + player.defenders;
            cells.extend([
                counts(player.attackers),
                counts(player.defenders),
                both.games().to_string(),
                percent(both.score()),
            ]);
            cells
        };
        let rows: Vec<_> = self.0.players.iter().map(row).collect();
        format!(
            "Elo above {}, with 95 % intervals\n\n{}",
            self.0.anchor,
            table::format(&head, &rows)
        )
    }

    fn rulesets_table(&self) -> String {
        let head = [
            ("ruleset", Align::Left),
            ("attackers' side", Align::Right),
            ("draws of equals", Align::Right),
            ("attackers W/D/L", Align::Right),
            ("score", Align::Right),
        ];
        let row = |ruleset: &RulesetRow| {
            let draws = ruleset.even_draw_rate;
            vec![
                ruleset.name.clone(),
                with_margin(ruleset.attacker_advantage),
                format!(
                    "{} ({} to {})",
                    percent(draws.value),
                    percent(draws.low),
                    percent(draws.high)
                ),
                counts(ruleset.attackers),
                percent(ruleset.attackers.score()),
            ]
        };
        let rows: Vec<_> = self.0.rulesets.iter().map(row).collect();
        format!(
            "Elo that playing the attackers is worth\n\n{}",
            table::format(&head, &rows)
        )
    }

    fn matches_table(&self) -> String {
        let with_sets = self.0.matches.iter().any(|row| row.sets.is_some());
        let mut head = vec![
            ("match", Align::Left),
            ("ruleset", Align::Left),
            ("attackers W/D/L", Align::Right),
            ("defenders W/D/L", Align::Right),
            ("pairs 0-½-1-1½-2", Align::Right),
            ("Elo (95 % interval)", Align::Right),
        ];
        if with_sets {
            head.push(("two sets W/D/L/undecided", Align::Right));
        }
        let row = |row: &MatchRow| {
            let mut cells = vec![
                format!("{} - {}", row.players[0], row.players[1]),
                row.ruleset.clone(),
                counts(row.attackers),
                counts(row.defenders),
                row.pairs.map(|count| count.to_string()).join("-"),
                format!("{} ({})", signed(row.elo.value), range(row.elo)),
            ];
            if with_sets {
                let sets = row.sets.as_ref().map(|sets| sets.tally);
                cells.push(sets.map_or_else(String::new, |sets| {
                    let numbers = [sets.wins, sets.draws, sets.losses, sets.undecided];
                    numbers.map(|count| count.to_string()).join("/")
                }));
            }
            cells
        };
        let rows: Vec<_> = self.0.matches.iter().map(row).collect();
        format!(
            "Each match as its first player sees it\n\n{}",
            table::format(&head, &rows)
        )
    }

    /// Returns which games were lost otherwise than on the board, if any were.
    fn forfeits_table(&self) -> Option<String> {
        let head = [
            ("player", Align::Left),
            ("reason", Align::Left),
            ("match", Align::Left),
            ("ruleset", Align::Left),
            ("games", Align::Right),
        ];
        let rows = self.0.matches.iter().flat_map(|row| {
            row.forfeits.iter().map(|forfeit| {
                vec![
                    forfeit.player.clone(),
                    forfeit.reason.to_owned(),
                    format!("{} - {}", row.players[0], row.players[1]),
                    row.ruleset.clone(),
                    forfeit.games.to_string(),
                ]
            })
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let text = "Games lost otherwise than on the board; they count as losses";
        (!rows.is_empty()).then(|| format!("{text}\n\n{}", table::format(&head, &rows)))
    }

    fn superiority_table(&self) -> String {
        let numbers: Vec<String> = (1..=self.0.players.len()).map(|n| n.to_string()).collect();
        let mut head = vec![("player", Align::Left)];
        head.extend(numbers.iter().map(|number| (number.as_str(), Align::Right)));
        let row = |(row, player): (usize, &PlayerRow)| {
            let mut cells = vec![format!("{} {}", row + 1, player.name)];
            cells.extend(
                self.0.superiority[row]
                    .iter()
                    .enumerate()
                    .map(|(column, share)| {
                        if row == column {
                            "-".to_owned()
                        } else {
                            percent(*share)
                        }
                    }),
            );
            cells
        };
        let rows: Vec<_> = self.0.players.iter().enumerate().map(row).collect();
        format!(
            "Probability that the row's player is stronger than the column's\n\n{}",
            table::format(&head, &rows)
        )
    }
}

fn sprt_line(sprt: &SprtRow) -> String {
    let verdict = match sprt.verdict {
        "accept" => format!("accepted: {} Elo rather than {}", sprt.elo1, sprt.elo0),
        "reject" => format!("rejected: {} Elo rather than {}", sprt.elo0, sprt.elo1),
        _ => "undecided: more pairs are needed".to_owned(),
    };
    format!(
        "SPRT of {} against {} Elo {verdict}, after {} pairs; log-likelihood ratio {:.2} ({:.2} to {:.2})\n",
        sprt.elo1, sprt.elo0, sprt.pairs, sprt.log_ratio, sprt.bounds[0], sprt.bounds[1]
    )
}

/// Returns a rounded number with its sign, and 0 without one.
fn signed(number: f64) -> String {
    // Adding 0 after rounding makes +0 of -0.
    format!("{:+.0}", number.round() + 0.0)
}

fn with_margin(estimate: Estimate) -> String {
    let margin = (estimate.high - estimate.low) / 2.0;
    if margin < 0.5 {
        return format!("{:.0}", estimate.value.round() + 0.0);
    }
    format!("{} ± {margin:.0}", signed(estimate.value))
}

fn range(estimate: Estimate) -> String {
    format!("{} to {}", signed(estimate.low), signed(estimate.high))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Returns wins, draws (capped games included) and losses.
fn counts(tally: Tally) -> String {
    format!(
        "{}/{}/{}",
        tally.wins,
        tally.draws + tally.capped,
        tally.losses
    )
}
