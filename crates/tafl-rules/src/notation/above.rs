//! What stands above a game: lines that say its rules or its first position.

use super::lines::{is_numbered_title, is_rule};
use super::names::{size_of, words_of};
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
    /// Reads a line such as `ruleset: fetlar`, in capitals or not, or a preset's name that stands alone, in words too; also in a
    /// comment, and a comment of [`comment_of`].
    pub fn read(line: &'a str) -> Option<Self> {
        if line.starts_with([';', '{', '%']) {
            return None;
        }
        let comment = line.strip_prefix('#');
        let text = comment.unwrap_or(line).trim();
        if is_header(line)
            && let Some((name, _)) = text.rsplit_once(',')
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
        let alone = || {
            let name = text.trim_start_matches('[').trim_end_matches(']');
            Some(name).filter(|it| is_preset(it))
        };
        let named = || preset_in_words(text).or_else(alone).map(Self::Rules);
        said.or_else(named)
    }
}

/// Returns the rules that hold for a game with tags: those told nearest above its turns, or for all games below a line above it.
pub(super) fn nearest_rules<'a>(
    above: &[(usize, &'a str)],
    head: &[(usize, &'a str)],
) -> Option<&'a str> {
    let told = |lines: &[(usize, &'a str)], is_of_one: bool| {
        let mut lines = lines.iter().rev();
        lines.find_map(|(_, line)| match Above::read(line) {
            Some(Above::Rules(rules)) if is_numbered_title(line) == is_of_one => Some(rules),
            _ => None,
        })
    };
    let own = told(head, false).or_else(|| told(head, true));
    own.or_else(|| told(above, false))
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
    let sized = words
        .iter()
        .map(|word| size_of(word).map_or_else(|| word.clone(), |it| it.to_string()));
    let known = |name: String| crate::known_names().find(|it| *it == name);
    let with_size = known(sized.collect::<Vec<_>>().join("-"));
    let found = with_size.or_else(|| {
        let (sizes, mut name): (Vec<_>, Vec<_>) = words
            .iter()
            .cloned()
            .partition(|word| size_of(word).is_some());
        let found = known(name.join("-")).or_else(|| {
            name.retain(|word| !KINDS.contains(&&**word));
            known(name.join("-"))
        })?;
        let board = crate::preset(found)?.setup().shape.size();
        sizes
            .iter()
            .all(|word| size_of(word) == Some(board))
            .then_some(found)
    });
    // Behind a mark stands something else, as in `Copenhagen, tournament` or `Brandubh (2)`.
    let is_sized = words.iter().any(|word| size_of(word).is_some());
    let close = text
        .to_lowercase()
        .replace([' ', '_'], "-")
        .replace("-after-", "-");
    found.filter(|name| is_sized || close.contains(name))
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
