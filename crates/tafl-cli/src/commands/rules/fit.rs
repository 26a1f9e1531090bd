//! `tafl rules fit`: the ruleset under which recorded games replay.

mod archive;

use super::PlayedBy;
use super::convert::{StoredGame, stored_games};
use crate::args::text_of_file;
use crate::other_rules::OtherRules;
use crate::output::{print_out, write_named};
use crate::process::ExitCode;
use crate::progress::Progress;
use crate::subject::{endless, judged};
use anyhow::{Context, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tafl_config::{MOST_CONFIG_BYTES, ruleset_table};
use tafl_rules::notation::fit::{Agreement, Compared, Contradiction, Fit, Recording, Variant, fit};
use tafl_rules::notation::games::{Read, read_games};
use tafl_rules::{Rules, Ruleset, Setup, name_refusal};
use tafl_store::read_file;
use tafl_training::{all_ruleset_variants, load_rules, ruleset_variants, ruleset_word};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Games are read as by `tafl rules replay`; or objects a line with type, moves, winner, end,
attackers_lost and defenders_lost, of which --type chooses.

Every other value of each field is tried, then up to four fields at once, as long as more games
replay and end as recorded; of captureless_limit none, 50, 100, 200, and after how many plies most
draws came, of the other fields of numbers up to 4. A limit that no game contradicts is not found:
the comments name it as one that no game tells. The board is that of --base, the start position
too, unless all games tell another. What is printed is a ruleset file, with what was found above
it as comments.

Example:
  xz -dc games.jsonl.xz | tafl rules fit - --type 7 --base tablut --out saami.toml")]
pub(crate) struct Args {
    /// Files of games: text, .parquet files of games of this program; `-` reads text from standard input.
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// Name of a ruleset, or path to a ruleset file, to begin with; its board is that of the games.
    #[arg(long, value_name = "RULESET")]
    base: String,
    /// Which games of a file of objects.
    #[arg(long = "type", value_name = "NUMBER")]
    kind: Option<u32>,
    /// Write the ruleset into FILE, and print only what was found.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Usual values of the captureless limit.
const LIMITS: [&str; 4] = ["\"none\"", "50", "100", "200"];

/// Values of the other fields of numbers; those that a field cannot have are passed over.
const NUMBERS: [&str; 5] = ["\"none\"", "1", "2", "3", "4"];

/// Of fewer plies most draws are no limit: they repeat positions, or were agreed on early.
const LEAST_LIMIT: usize = 20;

/// How often the search goes on with limits that show only under the ruleset that it found.
const MOST_SEARCHES: usize = 4;

/// How many of the next best are shown.
const SHOWN: usize = 4;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let base = load_rules(&args.base, Path::new("."))?;
    let out = args.out.as_deref().unwrap_or(Path::new("fitted"));
    // Before games are played under many rulesets.
    ensure!(
        args.out.is_none() || out.extension().is_some_and(|ending| ending == "toml"),
        "{}: the name of a ruleset file ends in .toml",
        out.display()
    );
    called_as(out, base.ruleset())?;
    let all = read(args, &base)?;
    let (start, mut elsewhere) = start_of(&all.games, &base);
    let first = start.as_ref().and_then(|start| begun(&base, start));
    let mut found = search(&all.games, first.as_ref().unwrap_or(&base))?;
    if let Some(start) = start.filter(|_| first.is_none()) {
        // The base has no place for it, but what was found may have one.
        match begun(&found.found, &start) {
            Some(rules) => found.found = rules,
            None => elsewhere = Some(elsewhere_than(&base, all.games.len(), &all.games)),
        }
    }
    let first = found.left.first().map(|(_, first)| all.place(first));
    ensure!(
        found.agreement.replay > 0,
        "{}: no game replays under {} with other values of its fields; is it their board and start position? {}",
        all.names(),
        args.base,
        first.unwrap_or_default()
    );
    let mut report = report(&found, &base, &all);
    report.extend(elsewhere);
    report.extend(second(&found, &all)?);
    if let [first, ..] = &*all.unread {
        let count = all.unread.len();
        writeln!(report, "left out: {count} that are no games; {first}")?;
    }
    let ruleset = called_as(out, found.found.ruleset())?;
    let share = agreement(&found.agreement);
    if args.out.is_none() {
        let comments = report.lines().map(|line| format!("# {line}\n"));
        print_out(&(comments.collect::<String>() + &ruleset.to_toml()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = format!("# The rules of recorded games: {share}.\n") + &ruleset.to_toml();
    // Who fits rules goes on to change them.
    let is_other = out.is_file() && read_file(out, MOST_CONFIG_BYTES)? != text.as_bytes();
    ensure!(
        !is_other,
        "{}: is already there, with other rules; give another name",
        out.display()
    );
    write_named(out, text.as_bytes())?;
    print_out(&format!("{report}written to {}\n", out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the first position that all games give, if it is another than that of a ruleset, and what is to be told where only some
/// do.
fn start_of(games: &[Recording], base: &Arc<Rules>) -> (Option<Setup>, Option<String>) {
    let usual = &base.ruleset().start;
    let starts: Vec<Setup> = games.iter().filter_map(|it| it.start(base)).collect();
    let elsewhere = starts.iter().filter(|it| it.board() != *usual).count();
    let first = starts.first().filter(|_| elsewhere > 0);
    let are_alike =
        |first: &&Setup| starts.len() == games.len() && starts.iter().all(|it| it == *first);
    let all = first.filter(are_alike);
    let told = first.filter(|_| all.is_none());
    let told = told.map(|_| elsewhere_than(base, elsewhere, games));
    (all.cloned(), told)
}

fn elsewhere_than(base: &Rules, elsewhere: usize, games: &[Recording]) -> String {
    let (all, name) = (games.len(), &base.ruleset().name);
    format!("{elsewhere} of {all} games begin elsewhere; the start position is that of {name}\n")
}

/// Returns a ruleset with another start position and its side to move, if that can be played by its fields.
fn begun(rules: &Rules, start: &Setup) -> Option<Arc<Rules>> {
    let ruleset = Ruleset {
        start: start.board(),
        moves_first: start.side,
        ..rules.ruleset().clone()
    };
    Rules::new(ruleset).ok()
}

/// Returns a ruleset by the name of a file, if that can be its name.
fn called_as(file: &Path, ruleset: &Ruleset) -> anyhow::Result<Ruleset> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let ruleset = Ruleset {
        name: name.into_owned(),
        ..ruleset.clone()
    };
    let shown = file.display();
    let how = "the ruleset is called as the file";
    let checked = ruleset.check();
    checked.with_context(|| format!("{shown}: {how}"))?;
    match name_refusal(&ruleset) {
        Some(reason) => bail!("{shown}: {reason}; {how}"),
        None => Ok(ruleset),
    }
}

/// Finds the ruleset, and tells on a terminal how many were tried.
fn search(games: &[Recording], base: &Arc<Rules>) -> anyhow::Result<Fit> {
    let mut tried_limits = limits(games, base)?;
    let is_seen = std::io::stderr().is_terminal();
    let progress = is_seen.then(|| Progress::new("fit", "rulesets tried", None, false));
    let tried = AtomicU64::new(0);
    let tell = || {
        let tried = tried.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = &progress {
            progress.show(tried, String::new);
        }
    };
    let mut found = fit(games, base, &|it| variants(it, &tried_limits), &tell);
    // Under the base games may not replay whose captures only the rules tell.
    for _ in 1..MOST_SEARCHES {
        let mut more = limits(games, &found.found)?;
        more.retain(|it| !tried_limits.contains(it));
        if more.is_empty() {
            break;
        }
        tried_limits.extend(more);
        let again = fit(
            games,
            &found.found,
            &|it| variants(it, &tried_limits),
            &tell,
        );
        found = Fit {
            base: found.base,
            ..again
        };
    }
    if let Some(progress) = &progress {
        progress.clear();
    }
    Ok(found)
}

/// Returns what explains most of the games that do not replay, where these are more than a fault in fifty.
fn second(found: &Fit, all: &Games) -> anyhow::Result<Option<String>> {
    let mut left = all.games.clone();
    left.retain(|game| !game.replays(&found.found));
    if left.len() < 2 || 50 * left.len() < all.games.len() {
        return Ok(None);
    }
    let other = search(&left, &found.found)?.found;
    let count = left.len();
    left.retain(|game| game.replays(&other));
    if 2 * left.len() < count {
        return Ok(None);
    }
    let spots: Vec<String> = left
        .iter()
        .take(SHOWN)
        .map(|it| all.spot(it.line))
        .collect();
    let more = match left.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok(Some(format!(
        "no single ruleset explains these games: {} of the {count} that do not replay do so with {}: {}{more}\n",
        left.len(),
        changes(&found.found, &other).join(", "),
        spots.join(", ")
    )))
}

/// Returns the fields in which a ruleset differs, with its values.
fn changes(from: &Rules, to: &Rules) -> Vec<String> {
    let [old, new] = [from, to].map(|rules| ruleset_table(rules.ruleset()));
    let says = |field: &str| to.ruleset().says(field);
    let changed = new
        .iter()
        .filter(|(field, value)| old[*field] != **value && says(field));
    let changed = changed.map(|(field, value)| format!("{field} = {}", ruleset_word(value)));
    changed.collect()
}

/// A file of games.
#[derive(Debug)]
struct Source {
    file: PathBuf,
    /// How many lines the files before it have.
    before: usize,
    /// Of stored games, which count as lines.
    stored: Vec<StoredGame>,
}

/// Games of one or more files.
#[derive(Debug, Default)]
struct Games {
    games: Vec<Recording>,
    files: Vec<Source>,
    /// What is wrong with each that cannot be read.
    unread: Vec<String>,
}

impl Games {
    fn names(&self) -> String {
        let names = self.files.iter().map(|it| it.file.display().to_string());
        names.collect::<Vec<_>>().join(", ")
    }

    /// Returns where a game stands, and what is wrong with it.
    fn place(&self, it: &Contradiction) -> String {
        format!("{}: {}", self.spot(it.line), it.text)
    }

    /// Returns where a game stands.
    fn spot(&self, line: usize) -> String {
        let mut files = self.files.iter().rev();
        let Some(source) = files.find(|source| source.before < line) else {
            return String::new();
        };
        let name = match self.files.len() {
            1 => String::new(),
            _ => format!("{}: ", source.file.display()),
        };
        let line = line - source.before;
        match source.stored.get(line - 1) {
            Some(game) => format!("{name}game {}", game.id),
            None => format!("{name}line {line}"),
        }
    }
}

fn read(args: &Args, base: &Arc<Rules>) -> anyhow::Result<Games> {
    let mut all = Games::default();
    let mut others = OtherRules::than(&args.base)?;
    let mut rulesets = PlayedBy::default();
    let mut lines = 0;
    for file in &args.files {
        let name = file.display();
        let [games, unread] = [all.games.len(), all.unread.len()];
        let before = lines;
        let (stored, found) = games_of(file, args.kind, base)?;
        for StoredGame { ruleset, .. } in &stored {
            rulesets.add(&ruleset.0, ruleset.1);
        }
        for (line, game) in found {
            lines = lines.max(before + line);
            match game {
                Ok(game) => {
                    others.look_at(line, &game);
                    let game = Recording::new(before + line, game);
                    let ended_by = stored.get(line - 1).and_then(|it| it.ended_by);
                    all.games.push(match ended_by {
                        Some(reason) => game.ended(reason),
                        None => game,
                    });
                }
                Err(error) => all.unread.push(format!("{name}: line {line}: {error}")),
            }
        }
        all.files.push(Source {
            file: file.clone(),
            before,
            stored,
        });
        all.games.retain(|game| game.plies() > 0);
        let why = all.unread.get(unread).cloned();
        let why = why.unwrap_or_else(|| format!("{name}: no games with moves"));
        ensure!(all.games.len() > games, "{why}");
    }
    others.tell();
    if rulesets.are_several() {
        let names = rulesets.names();
        eprintln!("Note: the games were played under more than one ruleset: {names}.");
    }
    Ok(all)
}

/// Returns the games of a file, those of a text with their lines; of stored ones what is told of them before.
fn games_of(
    file: &Path,
    kind: Option<u32>,
    base: &Arc<Rules>,
) -> anyhow::Result<(Vec<StoredGame>, Vec<Read>)> {
    let name = file.display();
    let no_kind = || {
        ensure!(
            kind.is_none(),
            "{name}: --type is for files of objects a line, and these are lines of games"
        );
        Ok(())
    };
    if file.extension().is_some_and(|ending| ending == "parquet") {
        no_kind()?;
        let (stored, games): (Vec<_>, Vec<_>) = stored_games(file, base)?.into_iter().unzip();
        return Ok((stored, (1..).zip(games.into_iter().map(Ok)).collect()));
    }
    let text = text_of_file(file)?;
    if text.trim_start().starts_with("{\"") {
        let games = archive::read(&text, kind).with_context(|| name.to_string())?;
        return Ok((Vec::new(), games));
    }
    no_kind()?;
    Ok((Vec::new(), read_games(&text)))
}

/// Returns the values of `captureless_limit` to try: the usual ones, that of many plies after which most games were drawn, and
/// that after which more games were drawn than went on.
fn limits(games: &[Recording], base: &Arc<Rules>) -> anyhow::Result<Vec<String>> {
    let board = judged(Arc::clone(base), false).and_then(|it| endless(&it))?;
    // How many games were drawn after so many plies, and how many have so many at most.
    let mut counts: [BTreeMap<usize, usize>; 2] = Default::default();
    for (longest, drawn) in games.iter().filter_map(|it| it.quiet(&board)) {
        for (counts, plies) in counts.iter_mut().zip([drawn, Some(longest)]) {
            if let Some(plies) = plies {
                *counts.entry(plies).or_default() += 1;
            }
        }
    }
    let [drawn, longest] = &counts;
    let most = drawn.range(LEAST_LIMIT..).max_by_key(|(_, games)| **games);
    let more = |plies: usize, games: usize| {
        let went_on: usize = longest.range(plies + 1..).map(|(_, games)| games).sum();
        games as i64 - went_on as i64
    };
    // One may be drawn by agreement.
    let kept = drawn
        .iter()
        .filter(|(plies, games)| **plies > 0 && more(**plies, **games) > 1);
    let kept = kept.max_by_key(|(plies, games)| more(**plies, **games));
    let mut limits: Vec<String> = LIMITS.map(str::to_owned).to_vec();
    for (plies, _) in most.into_iter().chain(kept) {
        let plies = plies.to_string();
        if !limits.contains(&plies) {
            limits.push(plies);
        }
    }
    Ok(limits)
}

/// Returns what differs from a ruleset in one field, under its name.
fn variants(ruleset: &Ruleset, limits: &[String]) -> Vec<Variant> {
    let limits = limits.iter().map(|it| format!("captureless_limit={it}"));
    let fields = ruleset.to_fields();
    let of_numbers = fields.iter().filter(|(field, value)| {
        *field != "captureless_limit" && (value.is_number() || *value == "none")
    });
    let numbers = of_numbers.flat_map(|(field, _)| NUMBERS.map(|it| format!("{field}={it}")));
    let limits: Vec<String> = limits.chain(numbers).collect();
    let limits = limits
        .iter()
        .filter_map(|it| ruleset_variants(ruleset, it).ok());
    let others = all_ruleset_variants(ruleset).found;
    let all = others.into_iter().chain(limits.flatten());
    let variant = all.filter_map(|it| {
        let renamed = Ruleset {
            name: ruleset.name.clone(),
            ..it.rules.ruleset().clone()
        };
        Some(Variant {
            field: it.change.field,
            value: it.change.to,
            rules: Rules::new(renamed).ok()?,
        })
    });
    variant.collect()
}

fn share(part: usize, of: usize) -> String {
    match of {
        0 => format!("{part} of {of}"),
        _ => format!("{part} of {of} ({:.1} %)", 100.0 * part as f64 / of as f64),
    }
}

fn agreement(it: &Agreement) -> String {
    let draws = match it.draws {
        0 => String::new(),
        draws => format!("; the board ends {} draws", share(it.draws_agree, draws)),
    };
    format!(
        "{} replay; {} captures, {} ends on the board agree{draws}",
        share(it.replay, it.games),
        share(it.captures_agree, it.captures),
        share(it.endings_agree, it.endings)
    )
}

fn report(found: &Fit, base: &Rules, games: &Games) -> String {
    let name = &base.ruleset().name;
    let is_begun = found.found.ruleset().start != base.ruleset().start;
    let from = if is_begun {
        " from the start of the games"
    } else {
        ""
    };
    let mut lines = vec![format!("{name}{from}: {}", agreement(&found.base))];
    lines.push(match &*changes(base, &found.found) {
        [] => format!("found: {name} as it is"),
        changed => format!("found: {name} with {}", changed.join(", ")),
    });
    lines.push(format!("  {}", agreement(&found.agreement)));
    for (count, first) in &found.left {
        let kind = first.kind.map(|kind| kind.to_string());
        let kind = kind.unwrap_or_else(|| "no end on the board".to_owned());
        lines.push(format!("  {count} left: {kind}; {}", games.place(first)));
    }
    if 10 * found.agreement.captures_agree < found.agreement.captures {
        lines.push("hardly a game goes far: the start position may be another".to_owned());
    }
    lines.push("next best:".to_owned());
    let near = |it: &&Compared| it.agreement.games == found.agreement.games && it.is_told();
    for it in found.others.iter().filter(near).take(SHOWN) {
        lines.push(format!("  {}: {}", named(it), agreement(&it.agreement)));
    }
    lines.extend(refused(&found.others, games));
    lines.join("\n") + "\n"
}

/// Returns what speaks against each ruleset, and those that no game tells from the one found.
fn refused(others: &[Compared], games: &Games) -> Vec<String> {
    let mut lines = vec!["refused, with the first game against it:".to_owned()];
    let mut untold = BTreeSet::new();
    for it in others {
        match &it.first {
            Some(first) => lines.push(format!("  {}; {}", counted(it), games.place(first))),
            None if it.gained > 0 => lines.push(format!("  {}: too few", counted(it))),
            None => _ = untold.insert(named(it)),
        }
    }
    if !untold.is_empty() {
        let untold: Vec<String> = untold.into_iter().collect();
        lines.push(format!("no game tells: {}", untold.join(", ")));
    }
    lines
}

fn counted(it: &Compared) -> String {
    let (name, games) = (named(it), it.agreement.games);
    format!(
        "{name}: {} against it, {} for it of {games}",
        it.lost, it.gained
    )
}

fn named(it: &Compared) -> String {
    format!("{} = {}", it.variant.field, it.variant.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_tried_at_which_games_were_drawn_and_behind_which_none_went_on() {
        let base = Rules::preset("brandubh").expect("a preset");
        let to_and_fro = ["d7-c7 d5-e5 c7-d7 e5-d5"; 3].join(" ");
        let tried = |more: &str| {
            let drawn = format!("{to_and_fro},0,0,Draw\n").repeat(2);
            let early = "d7-c7 d5-e5,0,0,Draw\n".repeat(3);
            let games = read_games(&format!("{drawn}{early}{more}")).into_iter();
            let games = games.map(|(line, game)| Recording::new(line, game.expect("a game")));
            limits(&games.collect::<Vec<_>>(), &base).expect("rules")
        };
        let usual = LIMITS.map(str::to_owned).to_vec();
        assert_eq!(tried(""), [&usual[..], &["12".to_owned()]].concat());
        let longer = format!("{to_and_fro} d7-c7,0,0,White\n");
        assert_eq!(tried(&longer), usual);
    }

    #[test]
    fn a_limit_is_found_that_shows_only_under_the_other_rules_that_are_found() {
        let base = Rules::preset("brandubh").expect("a preset");
        // Through a corner, so that no game replays where only the king may enter it.
        let quiet =
            "d7-c7 d5-e5 c7-b7 e5-f5 b7-a7 f5-g5 a7-a6 g5-g6 a6-b6 g6-f6 b6-c6 f6-e6 draw\n";
        let games = read_games(&quiet.repeat(3)).into_iter();
        let games = games.map(|(line, game)| Recording::new(line, game.expect("a game")));
        let games: Vec<Recording> = games.collect();
        let usual = LIMITS.map(str::to_owned).to_vec();
        assert_eq!(limits(&games, &base).expect("rules"), usual);
        let fit = search(&games, &base).expect("rules");
        let found = ["captureless_limit = 12", "escape = edges"];
        assert_eq!(changes(&base, &fit.found), found);
        assert_eq!((fit.base.replay, fit.agreement.draws_agree), (0, 3));
    }
}
