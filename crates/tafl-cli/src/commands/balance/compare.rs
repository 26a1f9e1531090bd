//! `tafl balance compare`: the results of two studies side by side.

use crate::args::study_in;
use crate::output::print_as;
use crate::text::{percent_range, points_range, table};
use anyhow::{bail, ensure};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use tafl_arena::Estimate;
use tafl_arena::balance::{Sampling, Summary};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The attackers' score of each player that is in both studies, under each ruleset of both; where no
player is in both, of those by whom each verdict goes. The difference is the second score less the
first, with a 95 % interval that takes the games of both as independent; * where it is clear of 0.
`tafl config diff FOLDER FOLDER` says what was played otherwise.")]
pub(crate) struct Args {
    /// Folder of the first study, such as data/balance/five-rulesets.
    first: PathBuf,
    /// Folder of the second study.
    second: PathBuf,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// A ruleset as a player of each study plays it.
#[derive(Debug, Serialize)]
struct Compared {
    ruleset: String,
    players: [String; 2],
    games: [u64; 2],
    /// Of the attackers.
    scores: [Estimate; 2],
    /// The second score less the first.
    difference: Estimate,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let studies = [study_in(&args.first)?, study_in(&args.second)?];
    let rows = compared(&studies)?;
    print_as(args.json, &rows, |rows| text(&studies, rows))?;
    Ok(ExitCode::SUCCESS)
}

fn compared(studies: &[Summary; 2]) -> anyhow::Result<Vec<Compared>> {
    let [first, second] = studies;
    let names = first.study.players.iter().map(|it| it.name.as_str());
    let is_in_both = |name: &&str| second.study.players.iter().any(|it| it.name == *name);
    let mut players: Vec<[&str; 2]> = names.filter(is_in_both).map(|name| [name; 2]).collect();
    if players.is_empty() {
        let [Some(one), Some(other)] = studies.each_ref().map(|it| it.verdict_player.as_deref())
        else {
            bail!("no player is in both studies, and one has no verdict");
        };
        players.push([one, other]);
    }
    let mut rows = Vec::new();
    for ruleset in &first.study.rulesets {
        let mut others = second.study.rulesets.iter();
        let Some(other) = others.find(|it| it.fingerprint == ruleset.fingerprint) else {
            continue;
        };
        for [one, its] in &players {
            let cells = (
                first.cell(one, &ruleset.name),
                second.cell(its, &other.name),
            );
            let (Some(one), Some(its)) = cells else {
                continue;
            };
            let cells = [one, its];
            rows.push(Compared {
                ruleset: ruleset.name.clone(),
                players: [first.title(&one.player), second.title(&its.player)].map(str::to_owned),
                games: cells.map(|it| it.results.games()),
                scores: cells.map(|it| it.score),
                difference: Sampling::of_seed(first.study.seed)
                    .difference(cells.map(|it| &it.results)),
            });
        }
    }
    ensure!(!rows.is_empty(), "no ruleset was played in both studies");
    Ok(rows)
}

fn text(studies: &[Summary; 2], rows: &[Compared]) -> String {
    let row = |it: &Compared| {
        let [one, other] = &it.players;
        let player = if one == other {
            one.clone()
        } else {
            format!("{one}; {other}")
        };
        let is_clear = it.difference.low > 0.0 || it.difference.high < 0.0;
        vec![
            it.ruleset.clone(),
            player,
            it.games[0].to_string(),
            percent_range(&it.scores[0]),
            it.games[1].to_string(),
            percent_range(&it.scores[1]),
            points_range(&it.difference),
            if is_clear { "*" } else { "" }.to_owned(),
        ]
    };
    let head = "ruleset | player | >games | >first % | >games | >second % | >difference | ";
    let [first, second] = studies.each_ref().map(|it| it.study.name.as_str());
    let title = "The attackers' score in each, with 95 % intervals, and the second less the first in points; * clear of 0";
    let table = table::of(head, rows.iter().map(row));
    format!("first: {first}; second: {second}\n{title}\n\n{table}")
}
