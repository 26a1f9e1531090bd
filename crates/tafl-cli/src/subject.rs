//! A position or a game to analyze: as text, or in a file of games.

use crate::hint::hinted;
use crate::nets::rules_for;
use crate::other_rules::other_rules;
use crate::output::counted;
use anyhow::{Context, bail, ensure};
use std::path::Path;
use std::sync::Arc;
use tafl_config::nearest;
use tafl_dataset::read_games as read_stored_games;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::counted::read_counted;
use tafl_rules::notation::follow::{Misfit, MisfitKind, Replayed};
use tafl_rules::notation::games::{Read, WrittenGame, comment_of, read_games, titles_of};
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::notation::words::{OffBoard, Words};
use tafl_rules::{
    BoardShape, Game, Repetition, Rules, Ruleset, SMALL_BOARD_NAMES, Setup, Side, known_names,
    preset,
};
use tafl_samples::GameRecord;
use tafl_store::{MOST_TEXT_BYTES, read_text};
use tafl_training::{RulesOfGames, SourceError, load_rules};

/// A position, or a game with the position that it begins with.
#[derive(Debug)]
pub(crate) struct Subject {
    /// The position.
    pub(crate) start: Game,
    /// The rules of a game, also where it went on after an end by them.
    pub(crate) rules: Arc<Rules>,
    /// What the game is called, and the game after its last ply; nothing for a position.
    pub(crate) game: Option<(String, Game)>,
    /// How the game ended away from the board.
    pub(crate) end: Option<String>,
}

/// The choice of game and ruleset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubjectArgs<'a> {
    /// The game's ID in a Parquet file, or its number from 1 in another file; not needed for the only one.
    pub(crate) game: Option<u64>,
    /// Name or file of the ruleset; without it that of a Parquet file or of a comment before the game, or the first that the
    /// checkpoint learned.
    pub(crate) ruleset: Option<&'a str>,
    /// The checkpoint that evaluates it.
    pub(crate) checkpoint: Option<&'a Path>,
    /// Whether a game may go on after an end that sites did not judge.
    pub(crate) goes_on: bool,
}

impl SubjectArgs<'_> {
    /// Reads a position, turns, `start`, or a game of a file.
    pub(crate) fn read(&self, text: &str) -> anyhow::Result<Subject> {
        let path = Path::new(text);
        if !is_path(text) {
            return self.read_text(text);
        }
        let is_parquet = path.extension().is_some_and(|ending| ending == "parquet");
        let read = if is_parquet {
            // What cannot be read names its file itself.
            self.parquet_game(path, &read_stored_games(path)?)
        } else {
            let text = read_text(path, MOST_TEXT_BYTES)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            self.text_game(&text, |line| format!("{name}, line {line}"))
        };
        read.with_context(|| format!("reading {}", path.display()))
    }

    /// Reads a position, turns, or `start`.
    pub(crate) fn read_text(&self, text: &str) -> anyhow::Result<Subject> {
        let text = text.trim();
        let first = text.split_whitespace().next().unwrap_or_default();
        let is_record = ["start:", "starti:"].iter().any(|key| text.contains(key));
        // A game begins with a turn, a number or a tag.
        let is_position =
            first.contains('/') && !first.contains('x') || is_record && !text.contains('[');
        ensure!(
            self.game.is_none() || !is_position && text != "start",
            "--game: {text:?} is a position, not a file of games"
        );
        let start = match text {
            "start" => Game::new(self.rules()?),
            _ if is_position => {
                let fen: Fen = text.parse().context("position")?;
                let rules = self.rules_of_board(fen.setup.shape)?;
                let setup = Fen::read_under(text, &rules).context("position")?;
                let start = Game::from_setup(rules, &setup).context("position")?;
                if self.ruleset.is_none() {
                    tell_assumed("position", start.rules());
                }
                start
            }
            _ if text.contains(|it: char| it.is_ascii_digit()) => {
                return self.text_game(text, |_| "game".to_owned());
            }
            _ => {
                let advice =
                    "give a position, turns such as `d1-d3 f8-h8`, a file of games, or `start`";
                let message = format!("{text:?} is neither a position nor a game nor a file");
                return Err(hinted(message, advice));
            }
        };
        Ok(Subject {
            rules: Arc::clone(start.rules()),
            start,
            game: None,
            end: None,
        })
    }

    fn rules(&self) -> anyhow::Result<Arc<Rules>> {
        Ok(rules_for(self.ruleset, self.checkpoint)?.rules)
    }

    /// Returns the ruleset of a position: where none is given, a usual one of its board.
    fn rules_of_board(&self, shape: BoardShape) -> anyhow::Result<Arc<Rules>> {
        let rules = self.rules()?;
        if rules.shape() == shape || self.ruleset.is_some() || self.checkpoint.is_some() {
            return Ok(rules);
        }
        let mut small = SMALL_BOARD_NAMES.iter().filter_map(|it| Rules::preset(it));
        Ok(small.find(|it| it.shape() == shape).unwrap_or(rules))
    }

    /// Reads a game of a text that may have several.
    fn text_game(&self, text: &str, title: impl Fn(usize) -> String) -> anyhow::Result<Subject> {
        let ((line, game), others) = chosen_game(text, self.game)?;
        if let [(line, Err(error)), rest @ ..] = &others[..] {
            let more = match rest.len() {
                0 => String::new(),
                more => format!(", nor do {more} more lines"),
            };
            eprintln!(
                "Note: {}: {error}; it does not count as a game{more}.",
                title(*line)
            );
        }
        let read = || {
            let game = game?;
            let rules = match self.ruleset {
                None => rules_of_text(&game, self.checkpoint)?,
                Some(_) => None,
            };
            let is_assumed = rules.is_none() && self.ruleset.is_none();
            let rules = rules.map_or_else(|| self.rules(), Ok)?;
            if is_assumed {
                tell_assumed(&title(line), &rules);
            }
            if let Some(own) = other_rules(&game, rules.ruleset()) {
                let name = &rules.ruleset().name;
                eprintln!("Note: the game {own}; it is played under {name}.");
            }
            played(&game, rules, title(line), self.goes_on)
        };
        read().with_context(|| format!("line {line}"))
    }

    /// Reads a game of a Parquet file.
    fn parquet_game(&self, path: &Path, games: &[GameRecord]) -> anyhow::Result<Subject> {
        let numbers = games.iter().map(|game| game.game_id.to_string());
        let some: Vec<String> = numbers.take(5).collect();
        let more = if games.len() > 5 { ", ..." } else { "" };
        let some = format!("such as {}{more}", some.join(", "));
        let record = match (self.game, games) {
            (None, [one]) => one,
            (None, _) => {
                let count = games.len();
                bail!("it contains {count} games; choose one with --game ID ({some})")
            }
            (Some(wanted), _) => {
                let found = games.iter().find(|game| game.game_id == wanted);
                found.with_context(|| format!("it contains no game {wanted} ({some})"))?
            }
        };
        let given = self.ruleset.map(|name| load_rules(name, Path::new(".")));
        let rules = RulesOfGames::new(given.transpose()?).of(record, path)?;
        let start = Game::from_setup(rules, &record.start)?;
        let (number, ending) = (record.game_id, record.ending);
        let players = format!("{} - {}", record.attackers, record.defenders);
        let mut game = start.clone();
        for (number, ply) in (1..).zip(&record.plies) {
            game.play(ply.mv).with_context(|| format!("ply {number}"))?;
        }
        Ok(Subject {
            rules: Arc::clone(start.rules()),
            start,
            game: Some((format!("game {number}: {players}, {ending}"), game)),
            end: None,
        })
    }
}

/// Says under which rules a game or a position is read that does not say its own.
fn tell_assumed(title: &str, rules: &Rules) {
    let name = &rules.ruleset().name;
    eprintln!("Note: {title}: it does not say its rules; {name} is assumed (--ruleset NAME).");
}

/// Returns whether an argument is the path of a file, there or not, and neither a position nor turns.
pub(crate) fn is_path(text: &str) -> bool {
    let path = Path::new(text);
    // Ranks have pieces and numbers; records of OpenTafl have colons.
    let is_rank = |part: &str| {
        part.contains(|it: char| it.is_ascii_digit())
            || part.chars().all(|it| "acdgkmntACDGKMNT".contains(it))
    };
    let is_of_folder = text.contains('/') && !text.contains(':');
    let is_no_board = is_of_folder && !text.split('/').all(is_rank);
    let is_word = !text.contains(char::is_whitespace) && Words::read(text).is_err();
    path.exists() && text != "start" || is_word && (path.extension().is_some() || is_no_board)
}

/// Returns the game of a text that is wanted, by its number from 1; the only one without. Behind it stand the lines of the text
/// that could not be read and are no games, which have no number.
pub(crate) fn chosen_game(text: &str, wanted: Option<u64>) -> anyhow::Result<(Read, Vec<Read>)> {
    let (mut games, others) = read_counted(text);
    let count = games.len();
    ensure!(count > 0, "it contains no game");
    let some = games.iter().take(12).map(|(line, _)| line.to_string());
    let more = if count > 12 { ", ..." } else { "" };
    let lines = some.collect::<Vec<_>>().join(", ") + more;
    let Some(wanted) = wanted else {
        if count == 1 {
            return Ok((games.remove(0), others));
        }
        let message = format!(
            "it contains {count} games; choose one by its number (1 to {count}, on lines {lines})"
        );
        return Err(hinted(
            message,
            "--game NUMBER; in `play`, `load FILE NUMBER`",
        ));
    };
    let found = (1..).zip(0..count).find(|(number, _)| *number == wanted);
    let (_, found) = found.with_context(|| {
        let all = counted(count as u64, ["game", "games"]);
        let first = if wanted == 0 { "; the first is 1" } else { "" };
        format!("it contains no game {wanted}, but {all}, on lines {lines}{first}")
    })?;
    Ok((games.remove(found), others))
}

/// Returns the line of a title above turns, a comment; nothing where it would be read as something else below these lines.
pub(crate) fn title_line(above: &str, title: &str) -> Option<String> {
    let read = |text: &str| -> Vec<_> { read_games(text).into_iter().map(|it| it.1).collect() };
    let turn = "1. d1-d3\n";
    let line = format!("# {title}\n");
    let titled = format!("{above}{line}{turn}");
    let is_kept = titles_of(&titled, &[titled.lines().count()]) == [title];
    let is_kept = is_kept && read(&titled) == read(&format!("{above}{turn}"));
    (is_kept && !title.is_empty()).then_some(line)
}

/// Returns a game from the start as a line of turns, below a comment that names its ruleset and the side of the human who
/// played it, and its title if it has one. [`SubjectArgs::read`] reads it.
pub(crate) fn played_text(
    start: &Game,
    game: &Game,
    end: Option<OffBoard>,
    human: Side,
    title: &str,
) -> anyhow::Result<String> {
    let mut recorded = RecordedGame::of_game_from(start.clone(), game)?;
    recorded.end = end;
    let rules = game.rules();
    let comment = comment_of(&rules.ruleset().name, human);
    let fields = match is_shipped(rules.ruleset()) {
        true => String::new(),
        false => ruleset_line(rules.ruleset()),
    };
    let position = match start.position() == &rules.start() {
        true => String::new(),
        false => {
            let setup = Setup::of(start.position(), rules.shape());
            format!("position: {}\n", Fen::of(setup))
        }
    };
    let above = format!("{comment}\n{fields}{position}");
    let title = title_line(&above, title).unwrap_or_default();
    let turns = recorded.turns_text();
    Ok(format!("{above}{title}{turns}\n"))
}

fn is_shipped(ruleset: &Ruleset) -> bool {
    preset(&ruleset.name).is_some_and(|it| it.fingerprint() == ruleset.fingerprint())
}

/// Returns the line that says above games which ruleset they have. One that is not shipped tells all its fields, as its
/// name alone would be read as another ruleset of that name.
pub(crate) fn ruleset_line(ruleset: &Ruleset) -> String {
    match is_shipped(ruleset) {
        true => format!("ruleset: {}\n", ruleset.name),
        false => {
            let fields = serde_json::Value::Object(ruleset.to_fields());
            format!("ruleset: {fields}\n")
        }
    }
}

/// Returns the ruleset that a text has or names for one of its games, which may be one that only the checkpoint learned.
pub(crate) fn rules_of_text(
    game: &WrittenGame,
    checkpoint: Option<&Path>,
) -> anyhow::Result<Option<Arc<Rules>>> {
    if let Some(own) = &game.own {
        let ruleset = own.ruleset().map_err(|error| {
            let advice = "--ruleset NAME or FILE plays it under other rules, from its own start";
            hinted(format!("its rules: {error}"), advice)
        })?;
        return Ok(Some(Rules::new(ruleset)?));
    }
    let Some(name) = &game.ruleset else {
        return Ok(None);
    };
    // The words of a title are no path.
    let rules = match name.contains('/') && !name.ends_with(".toml") {
        true => Err(SourceError::Ruleset(name.clone()).into()),
        false => rules_for(Some(name), checkpoint).map(|found| found.rules),
    };
    rules.map(Some).map_err(|error| {
        let advice = "--ruleset NAME or FILE says under which rules it was played";
        let advice = match &meant_by(name)[..] {
            [] => advice.to_owned(),
            meant => {
                let told = format!("a line `ruleset: {}` above the game says so", meant[0]);
                format!(
                    "did you mean {}? {told}; if not, {advice}",
                    meant.join(" or ")
                )
            }
        };
        hinted(format!("its ruleset: {error:#}"), advice)
    })
}

/// Returns the ruleset whose name is close to another, else those that stand in it, as in `Anna - Bo (Fetlar)`, or that begin with
/// its first word, as `berserk-2024` does.
fn meant_by(name: &str) -> Vec<&'static str> {
    let name = name.to_lowercase();
    if let Some(meant) = nearest(&name, known_names()) {
        return vec![meant];
    }
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let all = format!("-{}-", words.join("-"));
    let is_meant = |known: &&str| {
        let is_within = all.contains(&format!("-{known}-"));
        is_within || known.split('-').next() == words.first().copied()
    };
    known_names().filter(is_meant).collect()
}

/// Returns what a game that came to its last ply says of its end, where that is no result: a score, of which nobody says whose
/// win it is.
pub(crate) fn unclear_end(recorded: &RecordedGame, game: &Game) -> Option<String> {
    let is_score = recorded.score.is_some() && recorded.end.is_none();
    recorded.ending(game).filter(|_| is_score)
}

/// Returns rules without repetition unless it is to be judged: sites often did not enforce it.
pub(crate) fn judged(rules: Arc<Rules>, judge_repetition: bool) -> anyhow::Result<Arc<Rules>> {
    if judge_repetition {
        return Ok(rules);
    }
    Ok(Rules::new(Ruleset {
        repetition: Repetition::Off,
        ..rules.ruleset().clone()
    })?)
}

/// Replays a game under rules. Repetition counts only where it is to be judged, and where the game has its result: its last ply
/// may bring about another end, too.
pub(crate) fn replayed_as_recorded(
    written: &WrittenGame,
    rules: &Arc<Rules>,
    judge_repetition: bool,
) -> anyhow::Result<Result<Replayed, Misfit>> {
    let lenient = judged(Arc::clone(rules), judge_repetition)?;
    Ok(match written.replay(&lenient) {
        Err(misfit) if misfit.kind == MisfitKind::Result => {
            written.replay(rules).map_err(|_| misfit)
        }
        replayed => replayed,
    })
}

/// Returns rules that end fewer games: sites came to end games on the board later than their rules say.
pub(crate) fn endless(rules: &Rules) -> anyhow::Result<Arc<Rules>> {
    Ok(Rules::new(rules.ruleset().played_on())?)
}

/// Returns whether a game went on after an end.
pub(crate) fn went_on(replayed: &Result<Replayed, Misfit>) -> bool {
    let misfit = replayed.as_ref().err();
    misfit.is_some_and(|it| it.kind == MisfitKind::AfterEnd)
}

/// Returns whether a game that went on after an end does not where fewer ends are judged.
fn goes_on_without_ends(written: &WrittenGame, rules: &Arc<Rules>) -> bool {
    let fewer = judged(Arc::clone(rules), false).and_then(|fewer| endless(&fewer));
    fewer.is_ok_and(|fewer| !went_on(&written.replay(&fewer)))
}

/// Replays a game without the ends after which it went on, if it did, and says so.
fn replayed_to_the_end(
    written: &WrittenGame,
    rules: &Arc<Rules>,
) -> anyhow::Result<Result<Replayed, Misfit>> {
    let replayed = written.replay(rules);
    if !went_on(&replayed) {
        return Ok(replayed);
    }
    let fewer = judged(Arc::clone(rules), false)?;
    let mut again = written.replay(&fewer);
    if went_on(&again) {
        again = written.replay(&endless(&fewer)?);
    }
    if let (Err(misfit), Ok(_)) = (&replayed, &again) {
        eprintln!("Note: {misfit}; the game went on, so such ends are not judged in it.");
    }
    Ok(again.or(replayed))
}

/// Plays a game of a text, so that a fault in it is found before anything is searched.
fn played(
    written: &WrittenGame,
    rules: Arc<Rules>,
    title: String,
    goes_on: bool,
) -> anyhow::Result<Subject> {
    let replayed = match goes_on {
        true => replayed_to_the_end(written, &rules)?,
        false => written.replay(&rules),
    };
    let Replayed {
        start,
        game,
        knight,
    } = replayed.map_err(|misfit| {
        let is_helped = misfit.kind == MisfitKind::AfterEnd && !goes_on;
        if !is_helped || !goes_on_without_ends(written, &rules) {
            return misfit.into();
        }
        let name = &rules.ruleset().name;
        let advice = format!(
            "sites went on after such an end: --checkpoint NET, and --ruleset FILE with `base = \"{name}\"` and, where it is by repetition, `repetition = \"off\"`, take it so"
        );
        hinted(misfit.to_string(), advice)
    })?;
    let recorded = written.recorded();
    let end = recorded.ending(&game);
    let is_placed = written.position.is_some() || end.is_some();
    ensure!(
        is_placed || !game.moves().is_empty(),
        "there is no move in it"
    );
    for remark in recorded.remarks(&start, &game) {
        eprintln!("Note: {remark}.");
    }
    let knight = knight.map_or(String::new(), |square| {
        format!(", from a start with the knight on {square}")
    });
    let said = end.as_ref().map_or(String::new(), |end| format!(", {end}"));
    let game = Some((format!("{title}{knight}{said}"), game));
    Ok(Subject {
        start,
        rules,
        game,
        end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_by_two_rules_at_once_is_that_of_its_record() {
        let ended = |result: &str| {
            let cycle = "d6-f6 d5-f5 f6-d6 f5-d5";
            let text = format!(
                "ruleset: {{\"name\": \"both\", \"base\": \"brandubh\", \"repetition\": \"defenders\", \"captureless_limit\": 8}}\n{cycle} {cycle} {result}\n"
            );
            let ((_, game), _) = chosen_game(&text, None).expect("a game");
            let game = game.expect("read");
            let rules = rules_of_text(&game, None).expect("sound").expect("given");
            let replayed = replayed_as_recorded(&game, &rules, false).expect("sound");
            replayed.map(|it| it.game.outcome().expect("an end").reason.name())
        };
        assert_eq!(ended("Black").expect("as repetition says"), "repetition");
        assert_eq!(ended("Draw").expect("as the limit says"), "unfinishable");
        let misfit = ended("White").expect_err("no rule says so").to_string();
        assert!(misfit.starts_with("the board says draw"), "{misfit}");
    }

    #[test]
    fn a_title_with_a_slash_is_no_path() {
        let game = WrittenGame::under("Game 1 - Fetlar - Erik/Anna");
        let error = rules_of_text(&game, None).expect_err("no ruleset");
        assert!(error.to_string().contains("unknown ruleset"), "{error}");
    }

    #[test]
    fn rulesets_of_several_years_are_all_meant_by_their_first_word() {
        for name in ["Berserk", "Berserk Hnefatafl"] {
            assert_eq!(meant_by(name), ["berserk-2017", "berserk-2024"]);
        }
        assert_eq!(meant_by("Brandub"), ["brandubh"]);
        assert_eq!(meant_by("Anna - Bo (Fetlar)"), ["fetlar"]);
        assert!(meant_by("chess").is_empty());
    }
}
