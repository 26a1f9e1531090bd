//! What a study says, in a few sentences for people who read no tables.

use super::difficulty::ratio;
use super::{Cell, Difficulty, Effect, Ranking, StudyKind, StudyPlayer, Summary, Trend};
use crate::Estimate;
use tafl_rules::Side;
use tafl_samples::StrengthUnit;

/// Games under each ruleset with which a player may speak for a study before a weaker one: they make an interval of a score of at
/// most 5 points to either side. It is not judged by the interval itself, which is narrow where a weak side always loses. Where
/// no player has so many, half of the most must do.
const ENOUGH_GAMES: u64 = 385;

/// A share of positions, of which only the deepest search finds the move, above which that is said.
const MANY_UNSETTLED: f64 = 0.2;

/// A probability from which on something is said without a "probably".
const SURE: f64 = 0.95;

/// A probability below which a ruleset is no candidate for the fairest.
const POSSIBLE: f64 = 0.05;

/// Returns the answer of a study: the fairest ruleset, or what changes of rules do, by how much and how sure; and the name of the
/// player whose games it tells.
///
/// Where the study repeats another one, it begins with whether that is borne out. One player speaks for all: a network that
/// learned every ruleset before others, then one of many games, then the strongest. Nothing is said where no player played
/// every ruleset.
pub(super) fn verdict(summary: &Summary) -> Option<(String, Vec<String>)> {
    let speaker = Speaker::of(summary)?;
    let mut own = match summary.kind {
        StudyKind::Rulesets => speaker.of_rulesets(),
        StudyKind::Variants => speaker.of_changes(),
    };
    own.extend(speaker.doubts());
    let repetition = summary.repetition.as_ref();
    let mut sentences = repetition.map_or_else(Vec::new, |it| {
        it.told(|name| summary.title(name).to_owned())
    });
    if let (false, Some(first)) = (sentences.is_empty(), own.first_mut()) {
        *first = format!("These games alone: {first}");
    }
    sentences.extend(own);
    Some((speaker.player.name.clone(), sentences))
}

/// The player whose games are told.
struct Speaker<'a> {
    summary: &'a Summary,
    player: &'a StudyPlayer,
    /// Its cells, in the order of the rulesets.
    cells: Vec<&'a Cell>,
}

impl<'a> Speaker<'a> {
    fn of(summary: &'a Summary) -> Option<Self> {
        let players = summary.players.iter().map(|player| {
            let cells = summary
                .cells
                .iter()
                .filter(|cell| cell.player == player.name);
            Self {
                summary,
                player,
                cells: cells.collect(),
            }
        });
        let mut players: Vec<Self> = players.filter(|it| it.least_games() > 0).collect();
        if players.iter().any(Self::has_learned_all) {
            players.retain(Self::has_learned_all);
        }
        let most = players.iter().map(Self::least_games).max()?;
        let enough = ENOUGH_GAMES.min(most / 2);
        players.retain(|it| it.least_games() >= enough);
        players.into_iter().max_by_key(|it| it.player.strength)
    }

    fn has_learned_all(&self) -> bool {
        self.cells.iter().all(|cell| cell.trained == Some(true))
    }

    /// Returns its games under the ruleset with the fewest.
    fn least_games(&self) -> u64 {
        let games = self.cells.iter().map(|cell| cell.results.games());
        games.min().unwrap_or(0)
    }

    fn of_rulesets(&self) -> Vec<String> {
        let by_fairness = self.by_fairness();
        let [(best, _), others @ ..] = by_fairness.as_slice() else {
            return Vec::new();
        };
        if others.is_empty() {
            return vec![self.under(best)];
        }
        let mut sentences = vec![self.fairest(&by_fairness)];
        let mut others: Vec<&Cell> = others.iter().map(|(cell, _)| *cell).collect();
        others.sort_by(|one, other| one.imbalance.value.total_cmp(&other.imbalance.value));
        let others = others.into_iter().map(score_under);
        sentences.push(format!(
            "Then, from the fairest on: {}.",
            others.collect::<Vec<_>>().join(", ")
        ));
        sentences.push(self.favored());
        sentences.extend(self.with_strength());
        sentences.extend(self.harder());
        sentences
    }

    /// Returns the cells with the probability of each to be the most even, the most likely first.
    fn by_fairness(&self) -> Vec<(&'a Cell, f64)> {
        let probability = |cell: &Cell| {
            let is_it = |it: &&Ranking| it.player == cell.player && it.ruleset == cell.ruleset;
            let own = self.summary.rankings.iter().find(is_it);
            own.map_or(0.0, |ranking| ranking.probability)
        };
        let cells = self.cells.iter().map(|&cell| (cell, probability(cell)));
        let mut cells: Vec<(&Cell, f64)> = cells.collect();
        cells.sort_by(|one, other| {
            let by_distance = one.0.imbalance.value.total_cmp(&other.0.imbalance.value);
            other.1.total_cmp(&one.1).then(by_distance)
        });
        cells
    }

    fn fairest(&self, by_fairness: &[(&Cell, f64)]) -> String {
        let (best, probability) = by_fairness[0];
        let score = self.score_of(best);
        let count = by_fairness.len();
        let name = &best.ruleset;
        if probability >= SURE && self.summary.is_warned(best) {
            return format!(
                "{name} came out nearest to even of the {count} rulesets, but there are warnings about its games: {score}."
            );
        }
        if probability >= SURE {
            return format!(
                "{name} is the fairest of the {count} rulesets ({} sure): {score}.",
                chance(probability)
            );
        }
        let others = by_fairness[1..].iter().filter(|it| it.1 >= POSSIBLE);
        let others = others.map(|(cell, it)| format!(", {} {}", cell.ruleset, chance(*it)));
        format!(
            "{name} may be the fairest of the {count} rulesets, but the games do not settle it ({name} {} likely{}): {score}.",
            chance(probability),
            others.collect::<String>()
        )
    }

    fn under(&self, cell: &Cell) -> String {
        format!("Under {}, {}.", cell.ruleset, self.score_of(cell))
    }

    fn score_of(&self, cell: &Cell) -> String {
        format!(
            "between equal players ({}) attackers score {}",
            self.player.title,
            cell.score.in_percent()
        )
    }

    /// Says which side each ruleset favors, as far as the intervals tell.
    fn favored(&self) -> String {
        let names = |is_it: &dyn Fn(&Estimate) -> bool| {
            let cells = self.cells.iter().filter(|cell| is_it(&cell.score));
            cells.map(|cell| &*cell.ruleset).collect::<Vec<_>>()
        };
        let parts = [
            (
                "the defenders are ahead in",
                "all",
                names(&|it| it.high < 0.5),
            ),
            (
                "the attackers are ahead in",
                "all",
                names(&|it| it.low > 0.5),
            ),
            (
                "neither side is clearly ahead in",
                "any",
                names(&|it| it.low <= 0.5 && 0.5 <= it.high),
            ),
        ];
        let parts = parts.iter().filter(|(_, _, names)| !names.is_empty());
        let parts = parts.map(|(text, all, names)| match names.len() == self.cells.len() {
            true => format!("{text} {all} of them"),
            false => format!("{text} {}", names.join(", ")),
        });
        format!("{}.", capital(&parts.collect::<Vec<_>>().join("; ")))
    }

    /// Says what stronger play changes, where this player has several strengths.
    fn with_strength(&self) -> Option<String> {
        let is_own = |trend: &&Trend| trend.family == self.player.family;
        let trends: Vec<&Trend> = self.summary.trends.iter().filter(is_own).collect();
        let (cause, step) = match trends.first()?.unit {
            StrengthUnit::Visits => ("More visits", "doubling of visits"),
            StrengthUnit::Turns | StrengthUnit::None => ("More turns ahead", "turn ahead"),
        };
        let straight = trends.iter().filter(|it| it.clear && !it.bent);
        let straight: Vec<&Trend> = straight.copied().collect();
        let slopes = straight.iter();
        let slopes = slopes.map(|it| format!("{} {}", it.ruleset, it.score_slope.in_points()));
        let slopes: Vec<String> = slopes.collect();
        let bent = trends.iter().filter(|it| it.bent);
        let bent: Vec<String> = bent.filter_map(|it| self.bent(it)).collect();
        let mut told = Vec::new();
        if !slopes.is_empty() {
            told.push(format!(
                "Stronger play changes the attackers' score; with each {step}: {}.{}",
                slopes.join(", "),
                where_to(&straight)
            ));
        }
        if !bent.is_empty() {
            let bent = bent.join("; ");
            told.push(format!(
                "{cause} change the attackers' score, but not along a line: {bent}."
            ));
        }
        if told.is_empty() {
            told.push(format!(
                "{cause} change the attackers' score nowhere clearly."
            ));
        }
        Some(told.join(" "))
    }

    /// Returns the scores of a trend that is no line, as "copenhagen 26, 47, 36 % with 1, 16, 64".
    fn bent(&self, trend: &Trend) -> Option<String> {
        let score = |strength: &u32| {
            let mut players = self.summary.players.iter();
            let player =
                players.find(|it| it.family == trend.family && it.strength == Some(*strength))?;
            let mut cells = self.summary.cells.iter();
            let cell = cells.find(|it| it.ruleset == trend.ruleset && it.player == player.name)?;
            Some(format!("{:.0}", 100.0 * cell.score.value))
        };
        let scores = trend.strengths.iter().map(score);
        let scores = scores.collect::<Option<Vec<String>>>()?.join(", ");
        let strengths = trend.strengths.iter().map(u32::to_string);
        let strengths = strengths.collect::<Vec<_>>().join(", ");
        Some(format!("{} {scores} % with {strengths}", trend.ruleset))
    }

    /// Says under which rulesets one side is harder to play, where that was measured.
    fn harder(&self) -> Option<String> {
        let of = |cell: &Cell, side: Side| -> Option<&Difficulty> {
            let own = |name: &String| {
                let mut players = self.summary.players.iter();
                players.any(|it| it.name == *name && it.family == self.player.family)
            };
            let mut all = self.summary.difficulties.iter();
            all.find(|it| it.ruleset == cell.ruleset && it.side == side && own(&it.player))
        };
        let ratios = self.cells.iter().filter_map(|cell| {
            let ratio = ratio(of(cell, Side::Attacker)?, of(cell, Side::Defender)?)?;
            Some((&*cell.ruleset, ratio))
        });
        let ratios: Vec<(&str, Estimate)> = ratios.collect();
        let all = ratios.iter().map(|(ruleset, ratio)| {
            let Estimate { value, low, high } = ratio;
            format!("{ruleset} {value:.1} times ({low:.1} to {high:.1})")
        });
        let all: Vec<String> = all.collect();
        let harder = |side: Side| {
            let is_clear = |ratio: &Estimate| match side {
                Side::Attacker => ratio.low > 1.0,
                Side::Defender => ratio.high < 1.0,
            };
            let names = ratios.iter().filter(|(_, ratio)| is_clear(ratio));
            let names: Vec<&str> = names.map(|(ruleset, _)| *ruleset).collect();
            (!names.is_empty()).then(|| format!("Harder for the {side}: {}.", names.join(", ")))
        };
        let deepest = self.summary.difficulties.first()?.deepest;
        (!all.is_empty()).then(|| {
            let found = format!(
                "Visits that attackers need to find the move of a search with {deepest}, compared with defenders: {}.",
                all.join(", ")
            );
            let harder = Side::ALL.into_iter().filter_map(harder);
            let parts = [found].into_iter().chain(harder).chain(self.unsettled(deepest));
            parts.collect::<Vec<_>>().join(" ")
        })
    }

    /// Says how coarse the visits needed are, where many searches chose anew to the last.
    fn unsettled(&self, deepest: u32) -> Option<String> {
        let shares = self.summary.difficulties.iter();
        let shares = shares.map(|it| it.unsettled.value);
        let [least, most] = [
            shares.clone().fold(1.0, f64::min),
            shares.fold(0.0, f64::max),
        ];
        (most > MANY_UNSETTLED).then(|| {
            format!(
                "That is coarse: in {:.0} to {:.0} % of the positions only {deepest} visits find it.",
                100.0 * least,
                100.0 * most
            )
        })
    }

    fn of_changes(&self) -> Vec<String> {
        let Some((base, variants)) = self.cells.split_first() else {
            return Vec::new();
        };
        let is_own = |effect: &&Effect| effect.player == self.player.name;
        let effects: Vec<&Effect> = self.summary.effects.iter().filter(is_own).collect();
        let mut sentences = vec![self.under(base)];
        let clear = effects.iter().filter(|effect| effect.clear);
        let clear = clear.map(|it| format!("{} {}", changed(it), it.difference.in_points()));
        let clear: Vec<String> = clear.collect();
        let count = effects.len();
        sentences.push(match clear.is_empty() {
            true => format!("None of {count} changes moves the attackers' score clearly."),
            false => format!(
                "Clear effects on the attackers' score, of {count} changes: {}.",
                clear.join("; ")
            ),
        });
        let fairer = effects.iter().filter(|it| it.clearly_more_balanced);
        let best = fairer.min_by(|one, other| {
            let (one, other) = (&one.imbalance_difference, &other.imbalance_difference);
            one.value.total_cmp(&other.value)
        });
        let score = |effect: &Effect| {
            let cell = variants.iter().find(|it| it.ruleset == effect.ruleset);
            cell.map_or_else(String::new, |cell| cell.score.in_percent())
        };
        sentences.push(match best {
            None => "No change makes the ruleset fairer for certain.".to_owned(),
            Some(best) => format!(
                "Nearest to even comes {}: attackers score {} then ({} sure that this is fairer).",
                changed(best),
                score(best),
                chance(best.more_balanced)
            ),
        });
        sentences
    }

    /// Says what is to be feared of these numbers.
    fn doubts(&self) -> Option<String> {
        let warned = self
            .cells
            .iter()
            .filter(|cell| self.summary.is_warned(cell));
        let about: Vec<&str> = warned.map(|cell| &*cell.ruleset).collect();
        (!about.is_empty()).then(|| match about.len() == self.cells.len() {
            true => "Take this with care: there are warnings about every ruleset.".to_owned(),
            false => format!(
                "Take this with care: there are warnings about {}.",
                about.join(", ")
            ),
        })
    }
}

/// Says whether trends lead towards even, as far as that is clear.
fn where_to(trends: &[&Trend]) -> String {
    let names = |is_so: &dyn Fn(&Estimate) -> bool| {
        let found = trends.iter().filter(|it| is_so(&it.imbalance_slope));
        found.map(|it| &*it.ruleset).collect::<Vec<_>>().join(", ")
    };
    let towards = names(&|slope| slope.high < 0.0);
    let away = names(&|slope| slope.low > 0.0);
    match (towards.is_empty(), away.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" Towards even: {towards}."),
        (true, false) => format!(" Away from even: {away}."),
        (false, false) => format!(" Towards even: {towards}; away from it: {away}."),
    }
}

fn score_under(cell: &Cell) -> String {
    format!("{} {}", cell.ruleset, cell.score.in_percent())
}

fn changed(effect: &Effect) -> String {
    let change = &effect.change;
    format!("{} {} instead of {}", change.field, change.to, change.from)
}

/// Returns a probability in per cent; samples of a posterior never prove anything.
fn chance(probability: f64) -> String {
    match (100.0 * probability).round() {
        100.0.. => "more than 99 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
