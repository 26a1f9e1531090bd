//! What stands above a game: lines that say its rules or its first position.

use super::lines::{has_moves, is_rule, names_two, numbered};
use super::names::{names_in, words_of};
use super::tags::is_tag;
use crate::Side;

/// What a line says of the games below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Above<'a> {
    /// Their ruleset, as [`super::games::WrittenGame::under`] takes it.
    Rules(&'a str),
    /// The position from which they begin.
    Position(&'a str),
}

impl<'a> Above<'a> {
    /// Reads a line such as `ruleset: fetlar`, in capitals or not; also a comment that says the rules so or as
    /// [`comment_of`], and a preset's name that stands alone, in words too, or, before a comma, in a comment.
    pub fn read(line: &'a str) -> Option<Self> {
        let comment = line.strip_prefix('#');
        let text = comment.unwrap_or(line).trim();
        if comment.is_some()
            && let Some((name, rest)) = text.rsplit_once(',')
            && rest.ends_with(BY_A_HUMAN)
        {
            return Some(Self::Rules(name.trim()));
        }
        let said = text.split_once([':', '=']).and_then(|(key, value)| {
            let value = value.trim();
            match &*key.trim().to_lowercase() {
                // Comments may say anything of rules.
                "ruleset" | "variant" | "rules" if comment.is_none() || is_name(value) => {
                    Some(Self::Rules(preset_in_words(value).unwrap_or(value)))
                }
                "game" | "gametype" if is_preset(value) => Some(Self::Rules(value)),
                "position" if comment.is_none() => Some(Self::Position(value)),
                _ => None,
            }
        });
        let alone = || match comment {
            Some(_) => text.split(',').next().unwrap_or_default().trim(),
            None => text.trim_start_matches('[').trim_end_matches(']'),
        };
        let named = said.or_else(|| preset_in_words(text).map(Self::Rules));
        let named = named.or_else(|| Some(alone()).filter(|it| is_preset(it)).map(Self::Rules));
        named.or_else(|| titled(text).map(Self::Rules))
    }
}

/// For which games the rules hold that a line tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Scope {
    /// For all below it, up to others.
    #[default]
    All,
    /// For the next one: the title of one game tells them.
    Game,
    /// For the next one if no line told others: beside words of other things, as in `# Copenhagen, 14 Nov 2026`, a name may be
    /// that of a town.
    Aside,
}

impl Scope {
    /// Returns the scope of a line that tells rules.
    pub(super) fn of(line: &str) -> Self {
        match () {
            () if is_aside(line) => Self::Aside,
            () if numbered(line).is_some() => Self::Game,
            () => Self::All,
        }
    }
}

/// Returns whether a line names a ruleset beside words of other things; it is a title, too.
pub(super) fn is_aside(line: &str) -> bool {
    is_note(line) || is_titled(line)
}

/// Returns whether a line is a comment with more behind the name of a ruleset.
fn is_note(line: &str) -> bool {
    let Some(text) = line.strip_prefix('#').filter(|_| !is_header(line)) else {
        return false;
    };
    let named = text
        .split_once(',')
        .filter(|(name, behind)| is_preset(name.trim()) && behind.contains(char::is_alphanumeric));
    named.is_some() && preset_in_words(text).is_none()
}

/// Returns whether a line is the title of a game that names a ruleset beside other things, and no comment that begins with it.
pub(super) fn is_titled(line: &str) -> bool {
    titled(line).is_some() && preset_in_words(line).is_none() && !is_note(line)
}

/// Returns the preset that a title of two names or with a number names between marks, as in `Anna - Bo (Brandubh)`.
fn titled(line: &str) -> Option<&'static str> {
    let is_title = || names_two(line) || numbered(line).is_some();
    if line.len() > LONGEST_TITLE || has_moves(line) || !is_title() {
        return None;
    }
    let pieces = line.split([',', ':', ';', '(', ')']);
    let pieces = pieces.flat_map(|piece| piece.split(" - ").flat_map(|it| it.split(" – ")));
    let (named, others): (Vec<&str>, Vec<&str>) =
        pieces.partition(|piece| preset_in_words(piece).is_some());
    let is_kind = |word: &String| KINDS.contains(&&**word);
    let is_open = |piece: &&str| names_in(piece).is_empty() && !words_of(piece).iter().any(is_kind);
    match named[..] {
        [name] if others.iter().all(is_open) => preset_in_words(name),
        _ => None,
    }
}

/// The longest title that is looked at for a ruleset, in bytes.
const LONGEST_TITLE: usize = 120;

/// Returns the rules that hold for a game with tags: those told nearest above its turns, or for all games below a line above it.
pub(super) fn nearest_rules<'a>(
    above: &[(usize, &'a str)],
    head: &[(usize, &'a str)],
) -> Option<&'a str> {
    let told = |lines: &[(usize, &'a str)], is_meant: fn(Scope) -> bool| {
        let mut lines = lines.iter().rev();
        lines.find_map(|(_, line)| match Above::read(line) {
            Some(Above::Rules(rules)) if is_meant(Scope::of(line)) => Some(rules),
            _ => None,
        })
    };
    let is_all = |scope| scope == Scope::All;
    let own = told(head, is_all).or_else(|| told(head, |scope| scope == Scope::Game));
    let of_all = || told(above, is_all);
    let beside = || told(head, |_| true).or_else(|| told(above, |_| true));
    own.or_else(of_all).or_else(beside)
}

/// Returns the last line that stands above a game, if it stands below the last one. Comments may, as any text does.
pub(super) fn without_game<'a>(lines: &[(usize, &'a str)]) -> Option<(usize, &'a str)> {
    let is_said = |line: &str| !is_tag(line) && Above::read(line).is_some();
    let is_passed_over = |line: &str| line.is_empty() || line.starts_with('#') || is_rule(line);
    let lines = lines.iter().rev().copied();
    let mut lines = lines.filter(|(_, line)| !is_passed_over(line));
    let last = lines.next().filter(|(_, line)| is_said(line))?;
    // Below tags it is of their game, which may have no turns.
    let (_, above) = lines.find(|(_, line)| !is_said(line))?;
    (!is_tag(above)).then_some(last)
}

/// The longest text that is looked at for the name of a ruleset in words.
const MOST_LETTERS: usize = 60;

/// Words that stand beside the name of a ruleset, or are part of it.
pub(super) const KINDS: [&str; 4] = ["hnefatafl", "tafl", "rules", "ruleset"];

/// Returns the preset that a text calls by its name in words, also with its board and its kind, as in `Copenhagen Hnefatafl
/// (11x11)`, or beside a number, as in `Game 2: Fetlar`.
pub(super) fn preset_in_words(text: &str) -> Option<&'static str> {
    if text.len() > MOST_LETTERS {
        return None;
    }
    let all = words_of(text);
    let words = match &all[..] {
        [game, number, name @ ..] | [name @ .., game, number]
            if game == "game" && number.parse::<u32>().is_ok() =>
        {
            name
        }
        all => all,
    };
    let size = |word: &str| -> Option<u8> {
        let (files, ranks) = word.split_once(['x', '×'])?;
        (files == ranks).then(|| files.parse().ok()).flatten()
    };
    let sized = words
        .iter()
        .map(|word| size(word).map_or_else(|| word.clone(), |it| it.to_string()));
    let known = |name: String| crate::known_names().find(|it| *it == name);
    let with_size = known(sized.collect::<Vec<_>>().join("-"));
    let found = with_size.or_else(|| {
        let (sizes, mut name): (Vec<_>, Vec<_>) =
            words.iter().cloned().partition(|word| size(word).is_some());
        let found = known(name.join("-")).or_else(|| {
            name.retain(|word| !KINDS.contains(&&**word));
            known(name.join("-"))
        })?;
        let board = crate::preset(found)?.setup().shape.size();
        sizes
            .iter()
            .all(|word| size(word) == Some(board))
            .then_some(found)
    });
    // A number behind a mark counts something else.
    let is_number = |name: &str| name.ends_with(|it: char| it.is_ascii_digit());
    let is_sized = words.iter().any(|word| size(word).is_some());
    let close = text.to_lowercase().replace([' ', '_'], "-");
    found.filter(|name| is_sized || !is_number(name) || close.contains(name))
}

fn is_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    !text.is_empty() && text.chars().all(is_part)
}

/// Returns whether a text is a preset's name.
pub(super) fn is_preset(text: &str) -> bool {
    crate::preset_named(text).is_some()
}

/// What ends the comment above a game of `tafl play`.
const BY_A_HUMAN: &str = " by a human";

/// Returns the comment above a game that was played under a ruleset, by a human on a side: `# brandubh, attackers by a human`.
pub fn comment_of(ruleset: &str, human: Side) -> String {
    format!("# {ruleset}, {human}{BY_A_HUMAN}")
}

/// Returns whether a line is a comment of [`comment_of`], with which a game begins.
pub(super) fn is_header(line: &str) -> bool {
    line.starts_with('#') && line.ends_with(BY_A_HUMAN)
}
