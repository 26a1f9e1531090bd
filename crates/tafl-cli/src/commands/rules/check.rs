//! `tafl rules check`: recorded states, an object a line.

use super::{DISAGREES, board_of};
use crate::process::ExitCode;
use anyhow::{Context, anyhow, ensure};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use tafl_rules::{CheckedState, Disagreement, RecordedState, Rules, StateChecker};
use tafl_store::open_file;
use tafl_training::{add_rules, load_ruleset_file};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each line is an object with game, ruleset, ply, position (highest rank first), side, chain and moves
before the move, then move, captured, status (ongoing, draw, or who won: attackers, defenders) and
reason after it; ply rises within a game. The first line of a game is its first position: first
occurrence, no captureless plies. A file may contain several rulesets.")]
pub(crate) struct Args {
    /// File of states; `-` reads standard input, as in `xz -dc FILE | tafl rules check -`. Or a ruleset file, FILE.toml.
    file: PathBuf,
    /// File of a ruleset that states name and that does not come with the program; may be given several times.
    #[arg(long, value_name = "FILE")]
    ruleset: Vec<PathBuf>,
}

/// What was checked of one ruleset.
#[derive(Debug, Default)]
struct Checked {
    states: u64,
    games: u64,
    disagreeing_games: u64,
}

/// What was checked of a file.
#[derive(Debug, Default)]
struct Report {
    checked: BTreeMap<String, Checked>,
    /// The first disagreement, with its line and ruleset.
    first: Option<(u64, String, Disagreement)>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let file = args.file.display().to_string();
    if args.file.extension().is_some_and(|ending| ending == "toml") {
        ensure!(
            args.ruleset.is_empty(),
            "--ruleset is for states, and {file} is a ruleset"
        );
        let rules = load_ruleset_file(&args.file)?;
        let (name, size) = (&rules.ruleset().name, rules.shape().size());
        println!("{file}: ruleset {name} on {size}x{size}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut reader: Box<dyn BufRead> = match args.file.as_os_str() == "-" {
        true => Box::new(std::io::stdin().lock()),
        // Line by line a file of any size can be read.
        false => Box::new(BufReader::with_capacity(
            1 << 16,
            open_file(&args.file, u64::MAX)?,
        )),
    };
    let mut checker = StateChecker::default();
    for rules in own_rules(&args.ruleset)? {
        checker.know(&rules);
    }
    let report = check(&mut *reader, &file, checker)?;
    ensure!(!report.checked.is_empty(), "{file}: no states");
    report.print();
    let Some((line, ruleset, disagreement)) = report.first else {
        return Ok(ExitCode::SUCCESS);
    };
    println!();
    println!("first disagreement: {file}: line {line} ({ruleset}): {disagreement}");
    print!("{}", board_of(&disagreement.game));
    Ok(ExitCode::from(DISAGREES))
}

/// Returns the rulesets of files; states tell them by their names.
fn own_rules(files: &[PathBuf]) -> anyhow::Result<Vec<Arc<Rules>>> {
    let mut all: Vec<Arc<Rules>> = Vec::new();
    for file in files {
        let added = add_rules(&mut all, load_ruleset_file(file)?);
        added.with_context(|| format!("--ruleset {}", file.display()))?;
    }
    Ok(all)
}

/// Bytes of a line, at most.
const MOST_LINE_BYTES: u64 = 1 << 20;

fn check(
    reader: &mut dyn BufRead,
    file: &str,
    mut checker: StateChecker,
) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut text = String::new();
    for line in 1.. {
        let place = || format!("{file}: line {line}");
        text.clear();
        let mut limited = (&mut *reader).take(MOST_LINE_BYTES + 1);
        let read = limited.read_line(&mut text).with_context(place)?;
        if read == 0 {
            break;
        }
        ensure!(
            read as u64 <= MOST_LINE_BYTES,
            "{}: longer than 1 MiB, the most that is read",
            place()
        );
        if text.trim().is_empty() {
            continue;
        }
        let state = read_state(&text).with_context(place)?;
        let checked = checker.check(&state).with_context(place)?;
        report.add(state.ruleset, line, checked);
    }
    Ok(report)
}

fn read_state(text: &str) -> anyhow::Result<RecordedState> {
    ensure!(
        text.trim_start().starts_with('{'),
        "no state, which is an object in braces; the name of a ruleset file ends in .toml"
    );
    let mut document = serde_json::Deserializer::from_str(text);
    let state = serde_path_to_error::deserialize(&mut document).map_err(|error| {
        let reason = reason(error.inner());
        match error.path().to_string().as_str() {
            "." | "" => anyhow!("{reason}"),
            field => anyhow!("field `{field}`: {reason}"),
        }
    })?;
    document.end().context("after the object")?;
    Ok(state)
}

/// Returns what is wrong; the line that the error counts is the text's own, so only its column tells.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line 1 ").next().unwrap_or(&text);
    format!("{text} (column {})", error.column())
}

impl Report {
    fn add(&mut self, ruleset: String, line: u64, checked: CheckedState) {
        let counts = self.checked.entry(ruleset.clone()).or_default();
        counts.states += 1;
        counts.games += u64::from(checked.begins_game);
        if let Some(disagreement) = checked.disagreement {
            counts.disagreeing_games += 1;
            self.first.get_or_insert((line, ruleset, disagreement));
        }
    }

    fn print(&self) {
        let names = self.checked.keys().map(String::len);
        let width = names.fold("all".len(), usize::max);
        let row = |name: &str, counts: &Checked| {
            let verdict = match counts.disagreeing_games {
                0 => "all agree".to_owned(),
                1 => "1 game disagrees".to_owned(),
                games => format!("{games} games disagree"),
            };
            let (states, games) = (counts.states, counts.games);
            println!("{name:<width$}  {states:>8} states  {games:>6} games  {verdict}");
        };
        let mut all = Checked::default();
        for (name, counts) in &self.checked {
            row(name, counts);
            all.states += counts.states;
            all.games += counts.games;
            all.disagreeing_games += counts.disagreeing_games;
        }
        row("all", &all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = r#"{"game":7,"scenario":"x","ruleset":"brandubh","ply":30,"position":"7/7/7/7/5t1/7/1tK4","side":"attackers","chain":null,"moves":["b1-b2","b1-b3","b1-b4","b1-b5","b1-b6","b1-b7","f3-a3","f3-b3","f3-c3","f3-d3","f3-e3","f3-f1","f3-f2","f3-f4","f3-f5","f3-f6","f3-f7","f3-g3"],"move":"f3-f1","captured":[],"status":"ongoing","reason":null}"#;
    const NEXT: &str = r#"{"game":7,"scenario":"x","ruleset":"brandubh","ply":31,"position":"7/7/7/7/7/7/1tK2t1","side":"defenders","chain":null,"moves":["c1-c2","c1-c3","c1-c4","c1-c5","c1-c6","c1-c7","c1-d1","c1-e1"],"move":"c1-d1","captured":[],"status":"ongoing","reason":null}"#;

    fn report(lines: &[&str]) -> anyhow::Result<Report> {
        check(
            &mut lines.join("\n").as_bytes(),
            "f",
            StateChecker::default(),
        )
    }

    fn error(line: &str) -> String {
        format!("{:#}", report(&[line]).expect_err("malformed"))
    }

    #[test]
    fn two_rulesets_of_one_name_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ["40", "41"].map(|limit| {
            let file = folder.path().join(limit).join("mine.toml");
            std::fs::create_dir(folder.path().join(limit)).expect("made");
            let text = format!("base = \"brandubh\"\ncaptureless_limit = {limit}\n");
            std::fs::write(&file, text).expect("written");
            file
        });
        let refused = |files: &[PathBuf]| {
            let error = own_rules(files).expect_err("one name");
            format!("{error:#}")
        };
        let way_out = "two rulesets are named \"mine\"; a line `name = \"other\"` in the file of one gives it another";
        let error = refused(&files);
        assert!(error.ends_with(way_out), "{error}");
        let error = refused(&[files[0].clone(), files[0].clone()]);
        assert!(error.ends_with("\"mine\" is given twice"), "{error}");
        assert_eq!(own_rules(&files[..1]).expect("one").len(), 1);
    }

    #[test]
    fn states_that_agree_are_counted_by_ruleset_and_game() {
        let other_size = NEXT.replace("brandubh", "fetlar");
        assert!(error(&other_size).contains("field `position`: a board of 7x7"));
        let report = report(&[BEGIN, NEXT, "", BEGIN, NEXT]).expect("well formed");
        assert!(report.first.is_none(), "{report:?}");
        let counts = &report.checked["brandubh"];
        assert_eq!(
            (counts.states, counts.games, counts.disagreeing_games),
            (4, 2, 0)
        );
    }

    #[test]
    fn a_wrong_ply_begins_no_game_anew() {
        for ply in [30, 2] {
            let wrong = NEXT.replace("\"ply\":31", &format!("\"ply\":{ply}"));
            let report = report(&[BEGIN, &wrong]).expect("well formed");
            let counts = &report.checked["brandubh"];
            assert_eq!((counts.games, counts.disagreeing_games), (1, 1), "{ply}");
            let (line, _, disagreement) = report.first.expect("it is told");
            let said = format!(
                "game 7, ply {ply}: it comes after ply 30 of the same game, whose states must be in order"
            );
            assert_eq!((line, disagreement.text), (2, said));
        }
        // Nor do states in another order.
        let turned = report(&[NEXT, BEGIN]).expect("well formed");
        let counts = &turned.checked["brandubh"];
        assert_eq!((counts.games, counts.disagreeing_games), (1, 1));
        let later = NEXT
            .replace("\"ply\":31", "\"ply\":33")
            .replace("2t1", "1t2");
        let gap = report(&[BEGIN, &later]).expect("well formed").first;
        let (_, _, disagreement) = gap.expect("it is told");
        let said = "; states after ply 30 are missing or elsewhere";
        assert!(disagreement.text.ends_with(said), "{}", disagreement.text);
        let report = report(&[BEGIN, NEXT, NEXT]).expect("well formed");
        assert_eq!(report.checked["brandubh"].games, 1);
        assert!(report.first.is_some());
    }

    #[test]
    fn malformed_lines_name_line_and_field() {
        assert!(error("{").starts_with("f: line 1: "));
        let of_ruleset = "f: line 1: no state, which is an object in braces; the name of a ruleset file ends in .toml";
        assert_eq!(error("base = \"brandubh\""), of_ruleset);
        assert_eq!(
            error(&BEGIN.replace(r#""chain":null,"#, "")),
            "f: line 1: missing field `chain` (column 322)"
        );
        assert!(error(&BEGIN.replace("30", "-1")).starts_with("f: line 1: field `ply`: "));
        assert!(error(&BEGIN.replace("f3-a3", "f3a3")).contains("line 1: field `moves[6]`: "));
        assert!(error(&BEGIN.replace("\"attackers", "\"black")).contains("field `side`: "));
        assert!(
            error(&BEGIN.replace("brandubh", "b")).contains("field `ruleset`: unknown ruleset")
        );
        assert!(error(&BEGIN.replace("1tK4", "1tK5")).contains("field `position`: rank 1"));
    }
}
