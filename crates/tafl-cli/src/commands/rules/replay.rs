//! `tafl rules replay`: games of people, in every notation that is read, and of this program.

use super::{DISAGREES, PlayedBy, board_of};
use crate::args::text_of_file;
use crate::other_rules::OtherRules;
use crate::output::{counted, tell_first};
use crate::process::ExitCode;
use crate::subject::{endless, judged, replayed_as_recorded, rules_of_text, unclear_end, went_on};
use anyhow::{Context, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::notation::aagenielsen::RecordedResult;
use tafl_rules::notation::counted::read_counted;
use tafl_rules::notation::follow::{MisfitKind, Replayed};
use tafl_rules::notation::games::WrittenGame;
use tafl_rules::{Bitboard, IllegalMove, Rules};
use tafl_samples::{GameRecord, RecordError, Replay};
use tafl_training::{RulesOfGames, load_rules};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A line: `h1-h3 f4-i4 ... e2-c2xb2`, captures by the attackers, by the defenders, result (White =
defenders, Black = attackers, Draw, Ongoing). `timeout` or `resigned` may end the plies. Lists of
turns, PGN with squares and OpenTafl's .otg are read, too. A game that is won by its record but not
on the board was given up, as sites often leave out, or ended by other rules.")]
pub(crate) struct Args {
    /// Files of games: text, .parquet files of games of this program; `-` reads text from standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Name of a ruleset, or path to a ruleset file; default: the one that the file names.
    #[arg(long)]
    ruleset: Option<String>,
    /// Judge repetition too; sites often did not enforce it.
    #[arg(long)]
    judge_repetition: bool,
}

/// What is said where nothing tells the rules of a game.
const UNTOLD: &str = "--ruleset must say what was played, such as `--ruleset copenhagen`";

/// What was replayed so far.
#[derive(Debug, Default)]
struct Tally {
    games: u64,
    plies: u64,
    endings: BTreeMap<&'static str, u64>,
    /// Games that began with the knight elsewhere.
    mirrored: u64,
    /// Games that went on after an encirclement, a fort or the plies without a capture.
    went_on: u64,
    /// Games whose first turns have no hyphen, and name no captures.
    uncounted: u64,
    /// Stored games whose captures are not known, as their own rules are not.
    uncompared: u64,
    /// How many games disagree in what.
    misfits: BTreeMap<String, u64>,
    /// Lines such as titles and ends that belong to no game.
    no_games: u64,
    /// The first that does, with its board.
    first: Option<String>,
    rulesets: PlayedBy,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut texts = Tally::default();
    let mut stored = Tally::default();
    for file in &args.files {
        let name = file.display().to_string();
        let is_stored = file.extension().is_some_and(|ending| ending == "parquet");
        let tally = if is_stored { &mut stored } else { &mut texts };
        let before = tally.count();
        if is_stored {
            replay_stored(args, file, tally)?;
        } else {
            replay_text(args, file, tally)?;
        }
        ensure!(tally.count() > before, "{name}: no games");
    }
    if texts.count() > 0 {
        let not = if args.judge_repetition { "" } else { "not " };
        texts.print(&format!("; repetition {not}judged"));
    }
    if stored.count() > 0 {
        stored.print("");
    }
    if texts.first.is_some() || stored.first.is_some() {
        return Ok(ExitCode::from(DISAGREES));
    }
    if texts.games > 0 {
        println!(
            "every move legal, every named capture and every ending on the board as recorded; the counts of captures were not compared, as sites count a piece twice that is captured in two ways"
        );
    }
    if stored.games > 0 {
        let captures = match stored.uncompared {
            0 => String::new(),
            games => format!(
                "; captures of {games} were not compared, as the rules of these games are not beside them"
            ),
        };
        println!("every move legal and every ending as recorded{captures}");
    }
    Ok(ExitCode::SUCCESS)
}

fn replay_text(args: &Args, file: &Path, tally: &mut Tally) -> anyhow::Result<()> {
    let name = file.display();
    let given = args.ruleset.as_deref();
    let given = given.map(|name| load_rules(name, Path::new(".")));
    let given = given.transpose()?;
    let mut others = args.ruleset.as_deref().map(OtherRules::than).transpose()?;
    let mut unclear = Vec::new();
    let text = text_of_file(file)?;
    let (games, no_games) = read_counted(&text);
    let is_alone = games.len() == 1 && no_games.is_empty();
    for (line, error) in no_games {
        tally.no_games += 1;
        let error = error.err().map_or_else(String::new, |it| it.to_string());
        let first = || format!("{name}: line {line}: {error}");
        tally.first.get_or_insert_with(first);
    }
    for (line, game) in games {
        match game {
            Err(error) if is_alone => {
                return Err(error).with_context(|| format!("{name}: line {line}"));
            }
            Err(error) => tally.disagrees("not a game", || format!("{name}: line {line}: {error}")),
            Ok(game) => {
                if let Some(others) = &mut others {
                    others.look_at(line, &game);
                }
                let name = || format!("{name}: line {line}");
                let rules = match &given {
                    Some(rules) => Arc::clone(rules),
                    None => {
                        let own = rules_of_text(&game, None).with_context(name)?;
                        own.context(UNTOLD).with_context(name)?
                    }
                };
                tally.played_under(&rules);
                let mut replayed = replayed_as_recorded(&game, &rules, args.judge_repetition)?;
                if !args.judge_repetition && went_on(&replayed) {
                    let unjudged = judged(rules, false)?;
                    let without = game.replay(&endless(&unjudged)?);
                    tally.went_on += u64::from(without.is_ok());
                    replayed = without.or(replayed);
                }
                match replayed {
                    Ok(replayed) => {
                        let end = unclear_end(&game.recorded(), &replayed.game);
                        unclear.extend(end.map(|end| format!("{}: {end}", name())));
                        tally.add(&game, &replayed);
                    }
                    Err(misfit) => tally.disagrees(&misfit.kind.to_string(), || {
                        format!("{}: {misfit}\n{}", name(), board_of(&misfit.game))
                    }),
                }
            }
        }
    }
    if let Some(others) = &others {
        others.tell();
    }
    tell_first(&unclear);
    Ok(())
}

/// Replays games of this program's own; repetition is judged, as it was when they were played.
fn replay_stored(args: &Args, file: &Path, tally: &mut Tally) -> anyhow::Result<()> {
    let given = args.ruleset.as_deref();
    let given = given
        .map(|name| load_rules(name, Path::new(".")))
        .transpose()?;
    let mut others = args.ruleset.as_deref().map(OtherRules::than).transpose()?;
    let mut rules_of = RulesOfGames::new(given.clone());
    for mut game in tafl_dataset::read_games(file)? {
        let is_other = rules_of.unlike(&game, file).is_some();
        let own = match rules_of.own(&game, file).ok().filter(|_| is_other) {
            Some(rules) => captures_of(&game, &rules),
            None => None,
        };
        if let (Some(unlike), Some(given), Some(others)) =
            (rules_of.unlike(&game, file), &given, &mut others)
        {
            others.add(|| unlike);
            game.ruleset_fingerprint = given.ruleset().fingerprint();
        }
        let rules = rules_of.of(&game, file)?;
        tally.played_under(&rules);
        if let Err(error) = tafl_samples::samples_of(&game, &rules) {
            let name = file.display();
            tally.disagrees(&kind_of(&error), || format!("{name}: {error}"));
            continue;
        }
        tally.uncompared += u64::from(is_other && own.is_none());
        let pair = own.zip(captures_of(&game, &rules));
        if let Some(other) = pair.and_then(|(own, new)| other_capture(&game, &own, &new)) {
            let kind = MisfitKind::Captures.to_string();
            tally.disagrees(&kind, || format!("{}: {other}", file.display()));
            continue;
        }
        tally.games += 1;
        tally.plies += game.plies.len() as u64;
        *tally.endings.entry(game.ending.reason.name()).or_default() += 1;
    }
    if let Some(others) = &others {
        others.tell();
    }
    Ok(())
}

/// Returns what each ply of a stored game captures by rules; nothing if they do not allow it.
fn captures_of(game: &GameRecord, rules: &Arc<Rules>) -> Option<Vec<Bitboard>> {
    let mut replay = Replay::new(game, rules).ok()?;
    let mut all = Vec::new();
    while let Some(ply) = replay.next() {
        all.push(replay.play(ply).ok()?);
    }
    Some(all)
}

/// Tells the first ply of a stored game that captures otherwise than by its own rules.
fn other_capture(game: &GameRecord, own: &[Bitboard], new: &[Bitboard]) -> Option<String> {
    let at = (0..own.len()).find(|at| own.get(*at) != new.get(*at))?;
    let squares = |all: &[Bitboard]| {
        let squares = all[at].squares().map(|it| it.to_string());
        let squares = squares.collect::<Vec<_>>().join(" ");
        if squares.is_empty() {
            "nothing".to_owned()
        } else {
            squares
        }
    };
    let (id, number, mv) = (game.game_id, at + 1, game.plies[at].mv);
    let (new, own) = (squares(new), squares(own));
    Some(format!(
        "game {id}, ply {number}: {mv} captures {new}; by its own rules {own}"
    ))
}

/// Returns in what a stored game and the rules disagree.
fn kind_of(error: &RecordError) -> String {
    let kind = match error {
        RecordError::Start { .. } => MisfitKind::Start,
        RecordError::IllegalMove {
            reason: IllegalMove::GameOver(..),
            ..
        } => MisfitKind::AfterEnd,
        RecordError::IllegalMove { .. } => MisfitKind::Illegal,
        RecordError::OtherEnding { .. } => return "another ending".to_owned(),
        RecordError::OtherRuleset { .. } | RecordError::BadSearch { .. } => {
            return "not a game by the rules".to_owned();
        }
    };
    kind.to_string()
}

/// Returns the word for how a text's game ended: on the board, or away from it by its record.
fn ending_of(game: &WrittenGame, replayed: &Replayed) -> &'static str {
    let recorded = game.recorded();
    match (replayed.game.outcome(), recorded.end, recorded.result) {
        (Some(outcome), ..) => outcome.reason.name(),
        (None, Some(end), _) => end.word(),
        (None, None, RecordedResult::Won(_)) => "won by the record, but not on the board",
        (None, None, RecordedResult::Draw) => "drawn by the record, but not on the board",
        (None, None, RecordedResult::Ongoing) => "without a result",
    }
}

impl Tally {
    fn count(&self) -> u64 {
        self.games + self.misfits.values().sum::<u64>()
    }

    fn played_under(&mut self, rules: &Rules) {
        let ruleset = rules.ruleset();
        self.rulesets.add(&ruleset.name, ruleset.fingerprint());
    }

    fn add(&mut self, game: &WrittenGame, replayed: &Replayed) {
        self.games += 1;
        self.plies += replayed.game.moves().len() as u64;
        self.mirrored += u64::from(replayed.knight.is_some());
        let is_bare = game.captures.is_some() && game.words.bare > 0;
        self.uncounted += u64::from(is_bare);
        *self.endings.entry(ending_of(game, replayed)).or_default() += 1;
    }

    fn disagrees(&mut self, kind: &str, about: impl FnOnce() -> String) {
        *self.misfits.entry(kind.to_owned()).or_default() += 1;
        self.first.get_or_insert_with(about);
    }

    fn print(&self, how: &str) {
        let games = counted(self.games, ["game", "games"]);
        let plies = counted(self.plies, ["ply", "plies"]);
        let rulesets = self.rulesets.names();
        let under = if rulesets.is_empty() { "" } else { " under " };
        println!("{games}, {plies}{under}{rulesets}{how}");
        for (ending, count) in &self.endings {
            println!("{count:>6} {ending}");
        }
        if self.mirrored > 0 {
            println!(
                "{:>6} of them from a start with the knight elsewhere",
                self.mirrored
            );
        }
        if self.went_on > 0 {
            let went_on = self.went_on;
            println!(
                "{went_on:>6} of them went on after an encirclement, a fort or too many plies without a capture"
            );
        }
        if self.uncounted > 0 {
            println!(
                "{:>6} of them name no captures in turns without a hyphen",
                self.uncounted
            );
        }
        if let Some(first) = &self.first {
            let disagree: u64 = self.misfits.values().sum();
            if disagree > 0 {
                println!("{disagree} of {} games disagree:", self.count());
            }
            for (kind, count) in &self.misfits {
                println!("{count:>6} {kind}");
            }
            if self.no_games > 0 {
                let lines = counted(self.no_games, ["line", "lines"]);
                println!("{lines} above or below games cannot be read");
            }
            println!("the first: {}", first.trim_end());
        }
    }
}
