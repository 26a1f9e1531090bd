//! `tafl balance compare`: the results of two studies side by side.

use crate::args::study_in;
use crate::hint::hinted;
use crate::output::{print_as, shown};
use crate::process::ExitCode;
use crate::text::{few_games_title, points_range, score_of, table};
use anyhow::{bail, ensure};
use serde::Serialize;
use std::path::PathBuf;
use tafl_arena::Estimate;
use tafl_arena::balance::{Cell, Sampling, Study, StudyPlayer, StudyRuleset, Summary};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The attackers' score of each player that is in both studies, with the same weights, under each
ruleset of both; where there is none, of the players behind the verdicts. The difference is
the second score less the first, with a 95 % interval that takes the games of both as independent;
* where it is clear of 0, unless most games were cut. ! behind a score: its study has a warning.
What was not played alike, as players and openings, is said above the table; `tafl config diff FOLDER
FOLDER` says all.")]
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
    /// The scores as tables have them.
    #[serde(skip)]
    shown: [String; 2],
    /// Whether most games were cut.
    mostly_cut: [bool; 2],
    /// Whether its study has a warning about the score.
    warned: [bool; 2],
    /// Whether both have the same games, as far as their numbers tell.
    #[serde(skip)]
    same_games: bool,
    /// The second score less the first.
    difference: Estimate,
}

/// How rules of one name are compared.
const APART: &str =
    "a study of both compares them, one under another name, and `balance vary` single fields";

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let studies = [study_in(&args.first)?, study_in(&args.second)?];
    let rows = compared(&studies)?;
    if studies[0] == studies[1] {
        eprintln!("Note: both hold the same results.");
    } else if let Some(same) = of_same_games(&rows) {
        eprintln!("Note: both hold the same games of {same}: there is nothing to compare.");
    }
    let others = of_other_rules(&studies);
    if !others.is_empty() {
        eprintln!("Note: not compared, as their rules differ: {others}; {APART}.");
    }
    let unlike = unlike(&studies, &rows);
    if args.json && !unlike.is_empty() {
        eprintln!("Note: {unlike}.");
    }
    let folders = [&args.first, &args.second].map(|folder| shown(folder));
    print_as(args.json, &rows, |rows| {
        text(&studies, &folders, rows, &unlike)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn compared(studies: &[Summary; 2]) -> anyhow::Result<Vec<Compared>> {
    let [first, second] = studies;
    let is_same = |it: &StudyPlayer, other: &StudyPlayer| {
        it.name == other.name && it.weights_sha256 == other.weights_sha256
    };
    let others = second.study.players.iter();
    let is_in_both = |it: &&StudyPlayer| others.clone().any(|other| is_same(it, other));
    let both = first.study.players.iter().filter(is_in_both);
    let mut players: Vec<[&str; 2]> = both.map(|it| [&*it.name; 2]).collect();
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
                players: titles([(first, &one.player), (second, &its.player)]),
                games: cells.map(|it| it.results.games()),
                scores: cells.map(|it| it.score),
                shown: [score_of(first, one), score_of(second, its)],
                mostly_cut: cells.map(|it| it.is_mostly_cut()),
                warned: [first.is_warned(one), second.is_warned(its)],
                same_games: are_same_games(cells),
                difference: Sampling::of_seed(first.study.seed)
                    .difference(cells.map(|it| &it.results)),
            });
        }
    }
    let others = of_other_rules(studies);
    if rows.is_empty() && !others.is_empty() {
        let message = format!(
            "no ruleset was played in both studies; of one name, but of other rules: {others}"
        );
        return Err(hinted(message, APART));
    }
    ensure!(!rows.is_empty(), "no ruleset was played in both studies");
    Ok(rows)
}

/// Returns whether all that is known of the games of two cells is the same.
fn are_same_games([one, other]: [&Cell; 2]) -> bool {
    (&one.results, one.repeated, &one.endings) == (&other.results, other.repeated, &other.endings)
        && (&one.length, &one.captures, one.branching)
            == (&other.length, &other.captures, other.branching)
}

/// Returns the rulesets with the players whose games are the same in both studies, if there are any.
fn of_same_games(rows: &[Compared]) -> Option<String> {
    let same = rows.iter().filter(|it| it.same_games);
    let same: Vec<String> = same
        .map(|it| format!("{} ({})", it.ruleset, it.players[0]))
        .collect();
    (!same.is_empty()).then(|| same.join(", "))
}

/// Returns the names that stand for other rules in each study.
fn of_other_rules([first, second]: &[Summary; 2]) -> String {
    let others = &second.study.rulesets;
    let differs = |it: &&StudyRuleset| {
        let mut others = others.iter().filter(|other| other.name == it.name);
        others.any(|other| other.fingerprint != it.fingerprint)
    };
    let found = first.study.rulesets.iter().filter(differs);
    let names: Vec<&str> = found.map(|it| it.name.as_str()).collect();
    names.join(", ")
}

/// Returns what was not played alike in both studies, from which a difference of scores may come; empty if nothing.
fn unlike(studies: &[Summary; 2], rows: &[Compared]) -> String {
    let openings = |it: &Study| {
        let from = match (&it.opening_policy, it.opening_visits) {
            (None, _) => "random".to_owned(),
            (Some(policy), None) => format!("from {policy}"),
            (Some(policy), Some(visits)) => format!("from {visits} visits of {policy}"),
        };
        format!("{} plies, {from}", it.opening_plies)
    };
    let told = |what: &str, tell: &dyn Fn(&Study) -> String| {
        let [one, other] = studies.each_ref().map(|it| tell(&it.study));
        (one != other).then(|| format!("{what} ({one}; {other})"))
    };
    let mut players: Vec<String> = Vec::new();
    for row in rows.iter().filter(|it| it.players[0] != it.players[1]) {
        let pair = format!("players ({})", row.players.join("; "));
        if !players.contains(&pair) {
            players.push(pair);
        }
    }
    let settings = [
        told("openings", &openings),
        told("games cut after", &|it| format!("{} plies", it.max_plies)),
    ];
    players.extend(settings.into_iter().flatten());
    match players.is_empty() {
        true => String::new(),
        false => format!(
            "not played alike, which may make a difference: {}",
            players.join(", ")
        ),
    }
}

/// Returns the titles of two players, with their weights where else they are the same.
fn titles(players: [(&Summary, &str); 2]) -> [String; 2] {
    let [one, other] = players.map(|(study, name)| {
        let mut players = study.study.players.iter();
        let player = players.find(|it| it.name == name);
        (study.title(name), player.map(StudyPlayer::name_and_weights))
    });
    match one.0 == other.0 && one.1 != other.1 {
        true => [one, other].map(|(title, named)| named.unwrap_or_else(|| title.to_owned())),
        false => [one, other].map(|(title, _)| title.to_owned()),
    }
}

fn text(studies: &[Summary; 2], folders: &[String; 2], rows: &[Compared], unlike: &str) -> String {
    let row = |it: &Compared| {
        let [one, other] = &it.players;
        let player = if one == other {
            one.clone()
        } else {
            format!("{one}; {other}")
        };
        let is_clear = it.difference.low > 0.0 || it.difference.high < 0.0;
        let mark = match it.mostly_cut {
            [false, false] if is_clear => "*",
            _ => "",
        };
        vec![
            it.ruleset.clone(),
            player,
            it.games[0].to_string(),
            it.shown[0].clone(),
            it.games[1].to_string(),
            it.shown[1].clone(),
            points_range(&it.difference),
            mark.to_owned(),
        ]
    };
    let head = "ruleset | player | >games | >first % | >games | >second % | >difference | ";
    // Studies of one config have one name.
    let names = studies.each_ref().map(|it| it.study.name.as_str());
    let [first, second] = [0, 1].map(|at| format!("{} in {}", names[at], folders[at]));
    let few = few_games_title(studies.iter().flat_map(|it| &it.cells));
    let title = format!(
        "The attackers' score in each, with 95 % intervals, and the second less the first in points; * clear of 0; ! there is a warning{few}"
    );
    let table = table::of(head, rows.iter().map(row));
    let unlike = if unlike.is_empty() {
        String::new()
    } else {
        format!("{unlike}\n")
    };
    format!("first: {first}; second: {second}\n{unlike}{title}\n\n{table}")
}
