//! What is told above the games of a text: rules and first positions, of all games below or of one.

use super::above::{Above, is_header};
use super::headings::leaves_rules;
use super::lines::is_numbered_title;
use super::own::OwnRules;
use super::written::WrittenGame;
use crate::preset_named;
use std::rc::Rc;

/// What is told of the next game, and what of the games above it holds on.
#[derive(Debug, Default)]
pub(super) struct Telling {
    /// What stands between the last game and the next one.
    next: WrittenGame,
    /// Whether its rules hold for the next game alone: the title of one game tells them.
    is_of_one: bool,
    /// Whether a line below may tell them in full: that of a header or of a title.
    may_follow: bool,
    /// What holds where nothing else is told.
    all: Rc<WrittenGame>,
}

impl Telling {
    /// Takes a line of rules or of a position; returns whether it is one and counts.
    pub(super) fn take(&mut self, line: &str) -> bool {
        match Above::read(line) {
            Some(Above::Position(position)) => self.next.position = Some(position.to_owned()),
            // The number of a game may be part of a ruleset's name.
            Some(Above::Rules(rules)) if self.may_count(line, rules) => {
                self.tell(under_title(line), !self.next.has_rules());
            }
            // Two rulesets for all games are one or the other.
            Some(Above::Rules(rules)) if self.is_against(line, rules) => {
                let both = format!("{} and {rules}", self.told());
                self.tell(WrittenGame::under(&both), true);
            }
            Some(Above::Rules(rules)) if !is_numbered_title(line) || !self.is_told_for_all() => {
                // A position above them is that of the game, unless a header begins.
                let is_its = !self.next.has_rules() && !is_header(line);
                self.tell(WrittenGame::under(rules), is_its);
                self.is_of_one = is_numbered_title(line);
                self.may_follow = is_header(line);
            }
            _ => return false,
        }
        true
    }

    /// Takes a title that seems to tell rules by no name that is known, unless it leaves those that were told. So the rules of games
    /// further above hold for none of which it is not sure. Returns whether it counts.
    pub(super) fn take_unclear(&mut self, line: &str) -> bool {
        // A name of known rules is a title here, too.
        if Above::read(line).is_some() || leaves_rules(line, self.told()) {
            return false;
        }
        let is_its = !self.next.has_rules();
        self.tell(under_title(line), is_its);
        self.is_of_one = is_numbered_title(line);
        // A line below may say it in full.
        self.may_follow = true;
        true
    }

    /// Returns whether rules are told between the last game and the next one.
    pub(super) const fn has_rules(&self) -> bool {
        self.next.has_rules()
    }

    /// Returns what holds for the next game; what is told from here on is of those behind it.
    pub(super) fn begin(&mut self) -> Rc<WrittenGame> {
        let next = std::mem::take(&mut self.next);
        if next.has_rules() {
            let next = Rc::new(next);
            if !self.is_of_one {
                self.all = Rc::clone(&next);
            }
            return next;
        }
        if next.position.is_some() {
            // A first position alone leaves the rules as they are.
            Rc::make_mut(&mut self.all).position = next.position;
        }
        Rc::clone(&self.all)
    }

    /// Lets the next game, which stands below a title or a line that parts games, begin from the start position, unless another is told.
    pub(super) fn begin_elsewhere(&mut self) {
        if self.all.position.is_some() {
            Rc::make_mut(&mut self.all).position = None;
        }
    }

    /// Returns a game without plies, if a first position is told and no game is below it.
    pub(super) fn without_plies(self) -> Option<WrittenGame> {
        Some(self.next).filter(|it| it.position.is_some())
    }

    /// Returns whether a title such as `Brandubh 2` may count the games of the rules above.
    fn may_count(&self, line: &str, rules: &str) -> bool {
        let base = rules.trim_end_matches(|it: char| it.is_ascii_digit());
        let is_counted = base.len() < rules.len() && !line.contains(rules);
        let told = preset_named(self.told());
        is_counted && told.is_some() && told == base.strip_suffix('-').and_then(preset_named)
    }

    /// Returns whether a line tells other rules for all games than the line before it, and is no header of a game nor below one.
    fn is_against(&self, line: &str, rules: &str) -> bool {
        let is_told = self.next.ruleset.is_some() && self.is_told_for_all() && !self.may_follow;
        let is_again = is_told && !is_numbered_title(line) && !is_header(line);
        let is_same = || {
            rules.eq_ignore_ascii_case(self.told())
                || preset_named(rules).is_some_and(|it| preset_named(self.told()) == Some(it))
        };
        is_again && !rules.starts_with('{') && !is_same()
    }

    /// Returns whether a line above the next game tells rules for all below it.
    fn is_told_for_all(&self) -> bool {
        self.next.has_rules() && !self.is_of_one
    }

    /// Takes rules for all games below, with the position that was told before if that is of their game.
    fn tell(&mut self, rules: WrittenGame, is_its: bool) {
        let position = self.next.position.take().filter(|_| is_its);
        self.next = WrittenGame { position, ..rules };
        (self.is_of_one, self.may_follow) = (false, false);
    }

    /// Returns what the text says of the rules, as [`WrittenGame::under`] takes it.
    fn told(&self) -> &str {
        let told = if self.has_rules() {
            &self.next
        } else {
            &*self.all
        };
        match (&told.own, &told.ruleset) {
            (Some(OwnRules::Record(rules) | OwnRules::Fields(rules)), _) => rules.as_str(),
            (None, named) => named.as_deref().unwrap_or_default(),
        }
    }
}

/// Returns a game under the words of a title, which are the name of no ruleset.
fn under_title(line: &str) -> WrittenGame {
    let title = line.trim_start_matches('#').trim();
    let title: String = title.chars().take(60).collect();
    WrittenGame::under(&title)
}
