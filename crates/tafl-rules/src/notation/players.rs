//! Ends that a text tells by the name of a player, whose side it tells above the game.

use super::borders::first_number;
use super::colors::{is_color, swapped_by_names, swaps_colors};
use super::ends::{end_of, plain_end};
use super::lines::{BETWEEN, has_moves, is_comment, is_numbered_title, is_rule, names_two};
use super::names::words_of;
use super::scores::side_of;
use super::spelling::{has_turns, is_dash};
use super::tags::tag;
use super::words::{Words, lines_of};
use crate::Side;
use std::borrow::Cow;

/// Returns a text in which a line such as `Anna won`, or a tag such as `[Winner "Anna"]`, names the side that lines or tags above its
/// game give to Anna, as `Attackers: Anna` or `Anna (attackers) - Bo (defenders)` do.
pub(super) fn with_sides(text: &str) -> Cow<'_, str> {
    let mut players = Players::of(text);
    let mut is_same = true;
    let lines = lines_of(text).map(|line| {
        let told = players.take(line);
        is_same &= told.is_none();
        told.unwrap_or_else(|| line.to_owned()) + "\n"
    });
    let whole: String = lines.collect();
    if is_same { text.into() } else { whole.into() }
}

/// The players of the game at hand.
#[derive(Debug, Default)]
struct Players {
    /// The words of their names, by [`Side::index`]; alike where one has both sides, or two have one.
    names: [Vec<String>; 2],
    /// Whether turns stand below their names, and whether something stands below these.
    has_turns: bool,
    is_behind: bool,
    /// Whether colors tell sides here as they do elsewhere in the program.
    are_colors_usual: bool,
}

impl Players {
    fn of(text: &str) -> Self {
        let is_swapped = lines_of(text).any(|line| swaps_colors(line.trim()));
        let are_colors_usual = !is_swapped && swapped_by_names(text).is_none();
        Self {
            are_colors_usual,
            ..Self::default()
        }
    }

    /// Takes a line; returns it with a side in place of a name, if it tells an end by one.
    fn take(&mut self, line: &str) -> Option<String> {
        let line = line.trim();
        if has_turns(line) {
            let is_later = first_number(line).is_some_and(|number| number != "1");
            if self.has_turns && self.is_behind && !is_later {
                self.names = Default::default();
            }
            (self.has_turns, self.is_behind) = (true, false);
            return None;
        }
        self.is_behind = true;
        let told = self.end(line);
        if told.is_none() && !is_comment(line) {
            self.seat(line);
        }
        told
    }

    /// Seats the players that a line names.
    fn seat(&mut self, line: &str) {
        let seated = self.seated(line);
        let is_parting = is_rule(line) || is_numbered_title(line);
        let is_other = !seated.is_empty() || names_two(line);
        if is_parting || self.has_turns && is_other {
            (self.names, self.has_turns) = Default::default();
        }
        for (side, name) in seated {
            // A color may stand for the player.
            let is_name = |it: &str| {
                let it = it.trim();
                it.contains(char::is_alphabetic)
                    && (side_of(it).is_none() || is_color(&it.to_lowercase()))
            };
            let name = match is_name(&name) {
                true => words_of(&name),
                false => Vec::new(),
            };
            let [own, other] = [side, side.opponent()].map(|it| &self.names[it.index()]);
            let is_second = !own.is_empty() && *own != name;
            if is_second || !name.is_empty() && *other == name {
                // Alike, they tell nothing up to the next head.
                self.names = [(); 2].map(|()| vec![String::new()]);
                return;
            }
            self.names[side.index()] = name;
        }
    }

    fn seated(&self, line: &str) -> Vec<(Side, String)> {
        if let Some((key, value)) = tag(line) {
            let name = value.split('(').next().unwrap_or_default();
            return self
                .side(key)
                .map(|side| (side, name.to_owned()))
                .into_iter()
                .collect();
        }
        if has_moves(line) {
            return Vec::new();
        }
        let keyed = line.split([',', ';']).filter_map(|piece| {
            let (key, name) = piece.split_once([':', '='])?;
            let name = name.split('(').next().unwrap_or_default();
            Some((self.side(key.trim())?, name.to_owned()))
        });
        let mut all: Vec<(Side, String)> = keyed.collect();
        if all.is_empty() {
            let groups = line.match_indices('(');
            all.extend(groups.filter_map(|(at, _)| {
                let inside = line[at + 1..].split(')').next()?;
                Some((self.side(inside.trim())?, name_before(&line[..at])?))
            }));
        }
        all
    }

    /// Returns the side of a word, unless it is a color where these are not as usual.
    fn side(&self, word: &str) -> Option<Side> {
        let is_color = ["white", "black", "w", "b"].contains(&&*word.to_lowercase());
        side_of(word).filter(|_| self.are_colors_usual || !is_color)
    }

    /// Returns an end that a line tells by a name, by its side.
    fn end(&self, line: &str) -> Option<String> {
        let [attackers, defenders] = &self.names;
        let is_known = attackers != defenders && line.len() <= LONGEST && !is_comment(line);
        if !is_known || has_moves(line) || is_numbered_title(line) {
            return None;
        }
        let by_side = |text: &str| {
            let named = [Side::Attacker, Side::Defender].into_iter();
            let named = named.filter_map(|side| {
                let [own, other] = [side, side.opponent()].map(|it| &self.names[it.index()]);
                let first = own.get(..1).filter(|first| !other.contains(&first[0]));
                let by_first = || replaced(text, first.unwrap_or_default(), side);
                replaced(text, own, side).or_else(by_first)
            });
            let [told] = named.collect::<Vec<String>>().try_into().ok()?;
            Some(told)
        };
        if let Some((key, value)) = tag(line) {
            let is_end = end_of(key).is_some() || key.eq_ignore_ascii_case("result");
            return by_side(value)
                .filter(|_| is_end)
                .map(|told| format!("[{key} \"{told}\"]"));
        }
        let told = by_side(line)?;
        let is_end = plain_end(&told).is_some() || Words::default().take_end(&told) == Ok(true);
        is_end.then_some(told)
    }
}

/// Returns a text with a side in place of a name, if the name stands in it once.
fn replaced(text: &str, name: &[String], side: Side) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain: Vec<String> = words.iter().map(|word| words_of(word).join(" ")).collect();
    let mut found = (0..plain.len()).filter(|at| {
        let here = plain.get(*at..at + name.len());
        !name.is_empty() && here.is_some_and(|here| here == name)
    });
    let at = found.next().filter(|_| found.next().is_none())?;
    let (before, behind) = (&words[..at], &words[at + name.len()..]);
    let side = format!("{side}");
    let all = before
        .iter()
        .copied()
        .chain([&*side])
        .chain(behind.iter().copied());
    Some(all.collect::<Vec<_>>().join(" "))
}

/// Returns the name with which a text ends, behind a mark or a word between two players.
fn name_before(text: &str) -> Option<String> {
    let is_mark = |word: &&str| {
        let word = word.trim_end_matches('.').to_lowercase();
        let is_score = word.contains(|it: char| it.is_ascii_digit());
        is_score || word.chars().all(is_dash) || BETWEEN.contains(&&*word)
    };
    let text = text.rsplit([',', ':', ')']).next().unwrap_or_default();
    let mut name: Vec<&str> = text
        .split_whitespace()
        .rev()
        .take_while(|it| !is_mark(it))
        .collect();
    name.reverse();
    (!name.is_empty()).then(|| name.join(" "))
}

/// The longest line that is looked at for an end by a name, in bytes.
const LONGEST: usize = 80;
