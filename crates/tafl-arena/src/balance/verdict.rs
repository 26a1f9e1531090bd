//! What a study says, in a few sentences for people who read no tables.

mod caution;
mod speaker;

use super::{Cell, Effect, PeopleResults, StudyKind, Summary};
use crate::Estimate;
use caution::caution;
use speaker::{TIED, disagreement, speaker, steadiness};

/// A probability from which on something is said without a "may".
const SURE: f64 = 0.95;

/// A probability below which a ruleset is no candidate for the fairest.
const POSSIBLE: f64 = 0.05;

/// Difference of two probabilities to be the fairest below which neither ruleset is the likelier one.
const AS_LIKELY: f64 = 0.05;

/// Changes that are named of those that are equally near to even.
const MOST_NAMED: usize = 3;

/// Returns the answer of a study: the fairest ruleset, or what changes of rules do, by how much and how sure; and the name of the
/// player by whose games it goes. Nothing where no player played every ruleset.
pub(super) fn verdict(summary: &Summary) -> Option<(String, Vec<String>)> {
    let player = speaker(summary)?;
    let cells: Vec<&Cell> = summary.cells_of(&player.name).collect();
    let (depends_on_strength, moves) = steadiness(summary, player);
    let (mut sentences, last) = match summary.study.kind {
        StudyKind::Rulesets => (of_rulesets(summary, &cells, depends_on_strength), None),
        StudyKind::Variants => {
            let effects = summary.effects.iter().filter(|it| it.player == player.name);
            let effects: Vec<&Effect> = effects.collect();
            let nearest = fairest_change(&effects, &cells);
            (of_changes(summary, &cells, &effects), nearest)
        }
    };
    sentences.extend(disagreement(summary, player));
    sentences.extend(clear_to_others(summary, &player.name));
    sentences.extend(moves);
    sentences.extend(of_people(summary));
    sentences.extend(of_openings(summary));
    sentences.extend(caution(summary, &cells));
    sentences.extend(last);
    Some((player.name.clone(), sentences))
}

fn of_rulesets(summary: &Summary, cells: &[&Cell], depends_on_strength: bool) -> Vec<String> {
    let (cut, cells): (Vec<&Cell>, Vec<&Cell>) = cells.iter().partition(|it| it.is_mostly_cut());
    let cut = cut.iter().map(|cell| under(summary, cell));
    let judged = of_judged_rulesets(summary, &cells, depends_on_strength);
    let same = of_same_rules(summary).into_iter();
    same.chain(judged).chain(cut).collect()
}

/// Says which rulesets are one under several names.
fn of_same_rules(summary: &Summary) -> Option<String> {
    let rulesets = &summary.study.rulesets;
    let same = rulesets.iter().enumerate().filter_map(|(number, it)| {
        let mut before = rulesets[..number].iter();
        let first = before.find(|first| first.fingerprint == it.fingerprint)?;
        Some(format!("{} has the rules of {}", it.name, first.name))
    });
    let same = same.collect::<Vec<String>>().join(", ");
    (!same.is_empty()).then(|| format!("{same}: between these any difference is chance."))
}

fn of_judged_rulesets(
    summary: &Summary,
    cells: &[&Cell],
    depends_on_strength: bool,
) -> Vec<String> {
    let by_fairness = by_fairness(summary, cells);
    let mut others: Vec<&Cell> = match &by_fairness[..] {
        [] => return Vec::new(),
        [(only, _)] => return vec![under(summary, only)],
        [_, others @ ..] => others.iter().map(|(cell, _)| *cell).collect(),
    };
    others.sort_by(|one, other| one.imbalance.value.total_cmp(&other.imbalance.value));
    let size = |cell: &Cell| Size::shown(&cell.score);
    let of_size = |own: &[&Cell]| {
        let told = own
            .iter()
            .map(|it| format!("{} {}", it.ruleset, score_with_draws(it)));
        let told: Vec<String> = told.collect();
        format!("{} {}", size(own[0]).word(), told.join(", "))
    };
    let sizes = others.chunk_by(|one, other| size(one) == size(other));
    let sizes: Vec<String> = sizes.map(of_size).collect();
    let order = match (is_open(&by_fairness), others.len()) {
        (false, _) => "Then, from the fairest on",
        (true, 1) => "The other one",
        (true, _) => "The others, by how far from even they came out",
    };
    vec![
        fairest(summary, &by_fairness, depends_on_strength),
        format!("{order}: {}.", sizes.join("; ")),
        favored(cells),
    ]
}

/// Returns whether no ruleset is fair, and the one that is the likeliest to be nearest to even is hardly likelier than the next.
fn is_open(by_fairness: &[(&Cell, f64)]) -> bool {
    match by_fairness {
        [(best, likeliest), (_, next), ..] => is_unfair(best) && likeliest - next < AS_LIKELY,
        _ => false,
    }
}

/// Returns whether a score is far from even, as far as its interval shows.
fn is_unfair(cell: &Cell) -> bool {
    Size::of(cell.score.value) > Size::Slight && !cell.score.holds(0.5)
}

/// How far a score is from even.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Size {
    Even,
    Slight,
    Clear,
    Lopsided,
    /// It may be even as well.
    Open,
}

impl Size {
    fn of(score: f64) -> Self {
        // As readers see it.
        match (100.0 * score).round() - 50.0 {
            -5.0..=5.0 => Self::Even,
            -10.0..=10.0 => Self::Slight,
            -20.0..=20.0 => Self::Clear,
            _ => Self::Lopsided,
        }
    }

    /// Returns what the score and its interval show.
    fn shown(score: &Estimate) -> Self {
        let may_be_lopsided = [score.low, score.high]
            .map(Self::of)
            .contains(&Self::Lopsided);
        match Self::of(score.value) {
            Self::Even if !may_be_lopsided => Self::Even,
            _ if score.holds(0.5) => Self::Open,
            size => size,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Open => "open whether even",
            Self::Even => "even",
            Self::Slight => "slightly uneven",
            Self::Clear => "clearly uneven",
            Self::Lopsided => "lopsided",
        }
    }
}

/// Returns the cells with the probability of each to be the most even, the most likely first.
fn by_fairness<'a>(summary: &Summary, cells: &[&'a Cell]) -> Vec<(&'a Cell, f64)> {
    let probability = |cell: &Cell| {
        let mut rankings = summary.rankings.iter();
        let own = rankings.find(|it| it.player == cell.player && it.ruleset == cell.ruleset);
        own.map_or(0.0, |ranking| ranking.probability)
    };
    let cells = cells.iter().map(|&cell| (cell, probability(cell)));
    let mut cells: Vec<_> = cells.collect();
    cells.sort_by(|one, other| {
        let by_distance = one.0.imbalance.value.total_cmp(&other.0.imbalance.value);
        other.1.total_cmp(&one.1).then(by_distance)
    });
    cells
}

/// Says which ruleset is the fairest, after saying that none is fair where that is so.
fn fairest(summary: &Summary, by_fairness: &[(&Cell, f64)], depends_on_strength: bool) -> String {
    let (best, probability) = by_fairness[0];
    let (name, score) = (&best.ruleset, score_of(summary, best));
    let (count, likely) = (by_fairness.len(), chance(probability));
    let others = by_fairness[1..].iter().filter(|it| it.1 >= POSSIBLE);
    let others = others.map(|(cell, it)| format!(", {} {}", cell.ruleset, chance(*it)));
    let others = others.collect::<String>();
    if is_unfair(best) {
        let none = if count == 2 { "Neither" } else { "None" };
        if is_open(by_fairness) {
            return format!(
                "{none} of the {count} rulesets is fair, and which is nearest to even is open ({name} {likely} likely{others}): \
                 under {name}, {score}."
            );
        }
        return format!(
            "{none} of the {count} rulesets is fair. Nearest to even is {name} ({likely} likely{others}): {score}."
        );
    }
    let but = match probability >= SURE {
        true if summary.is_warned(best) => "there are warnings about its games",
        true if depends_on_strength => "that depends on the strength of the player",
        true => {
            return format!(
                "{name} is the fairest of the {count} rulesets for this player from these openings ({likely} sure): {score}."
            );
        }
        false => {
            return format!(
                "{name} may be the fairest of the {count} rulesets, but the games do not settle it ({name} {likely} likely{others}): {score}."
            );
        }
    };
    format!("{name} came out nearest to even of the {count} rulesets, but {but}: {score}.")
}

fn under(summary: &Summary, cell: &Cell) -> String {
    format!("Under {}, {}.", cell.ruleset, score_of(summary, cell))
}

fn score_of(summary: &Summary, cell: &Cell) -> String {
    format!(
        "between equal players ({}) attackers score {}",
        summary.title(&cell.player),
        judged(cell)
    )
}

/// Returns the attackers' score and how far it is from even; of an interval as wide as the steps between the words it only looks so.
fn judged(cell: &Cell) -> String {
    if cell.is_mostly_cut() {
        return format!("{}, which tells nothing", score_with_draws(cell));
    }
    let is_wide = cell.score.high - cell.score.low > 0.2;
    let verb = match Size::shown(&cell.score) {
        Size::Open => "leaves",
        _ if is_wide => "looks",
        _ => "is",
    };
    let word = Size::shown(&cell.score).word();
    format!("{}, which {verb} {word}", score_with_draws(cell))
}

/// Returns the attackers' score and how many of the games are draws or were cut, which are half a point each; of few games, from
/// which results it comes.
fn score_with_draws(cell: &Cell) -> String {
    let score = cell.score.in_percent();
    if let Some(results) = cell.few_results() {
        return format!("{score} from W/D/L {results}");
    }
    let cut = cell.results.capped as f64 / cell.results.games().max(1) as f64;
    let shares = [
        (cell.draw_rate.value, "draws"),
        (cut, "cut at the ply limit"),
    ];
    let shares = shares.map(|(share, what)| ((100.0 * share).round(), what));
    let shares = shares.iter().filter(|(percent, _)| *percent >= 1.0);
    let shares = shares.map(|(percent, what)| format!("{percent} % {what}"));
    let shares: Vec<String> = shares.collect();
    match &shares[..] {
        [] => score,
        _ => format!("{score} with {}", shares.join(" and ")),
    }
}

/// Says which side each ruleset favors, as far as the intervals show.
fn favored(cells: &[&Cell]) -> String {
    let part = |ahead: &str, all: &str, is_so: fn(&Estimate) -> bool| {
        let names = cells.iter().filter(|cell| is_so(&cell.score));
        let names: Vec<&str> = names.map(|cell| &*cell.ruleset).collect();
        if names.is_empty() {
            return None;
        }
        let names = if names.len() == cells.len() {
            format!("{all} of them")
        } else {
            names.join(", ")
        };
        Some(format!("{ahead} ahead in {names}"))
    };
    let parts = [
        part("the defenders are", "all", |it| it.high < 0.5),
        part("the attackers are", "all", |it| it.low > 0.5),
        part("neither side is clearly", "any", |it| it.holds(0.5)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{}.", capital(&parts.join("; ")))
}

fn of_changes(summary: &Summary, cells: &[&Cell], effects: &[&Effect]) -> Vec<String> {
    let with_points = |it: &&Effect| format!("{} {}", changed(it), it.difference.in_points());
    let is_cut = |it: &&Effect| {
        let mut own = cells
            .iter()
            .filter(|cell| cell.ruleset == it.base || cell.ruleset == it.ruleset);
        own.any(|cell| cell.is_mostly_cut())
    };
    let (cut, judged): (Vec<&Effect>, Vec<&Effect>) = effects.iter().copied().partition(is_cut);
    let clear = judged.iter().filter(|it| it.clear).map(with_points);
    let clear: Vec<String> = clear.collect();
    let mut sentences = vec![under(summary, cells[0])];
    let count = judged.len();
    if !clear.is_empty() {
        let (effects, changes) = (clear.join("; "), changes(count));
        sentences.push(format!(
            "Clear effects on the attackers' score, of {changes}: {effects}."
        ));
    } else if count == 1 {
        sentences.push("The change does not move the attackers' score clearly.".to_owned());
    } else if count > 0 {
        sentences.push(format!(
            "None of {count} changes moves the attackers' score clearly."
        ));
    }
    if !cut.is_empty() {
        let verb = if cut.len() == 1 { "does" } else { "do" };
        let (cut, all) = (cut.len(), changes(effects.len()));
        sentences.push(format!(
            "What {cut} of {all} {verb} is open, as most games were cut."
        ));
    }
    sentences
}

fn changes(count: usize) -> String {
    format!("{count} change{}", if count == 1 { "" } else { "s" })
}

/// Says which effects are clear in the games of other players alone.
fn clear_to_others(summary: &Summary, player: &str) -> Option<String> {
    let clear = summary.effects.iter().filter(|it| it.clear);
    let is_own = |effect: &Effect| {
        let mut own = clear.clone().filter(|it| it.player == player);
        own.any(|it| it.ruleset == effect.ruleset)
    };
    let others = clear
        .clone()
        .filter(|it| it.player != player && !is_own(it));
    let text = |it: &Effect| {
        let points = it.difference.in_points();
        format!("{} {points} ({})", changed(it), summary.title(&it.player))
    };
    let texts = others.map(text).collect::<Vec<String>>().join("; ");
    (!texts.is_empty()).then(|| format!("Clear to other players only: {texts}."))
}

/// Says what comes nearest to even: a change that is fairer for certain, or else what did in these games; nothing where most were
/// cut under every ruleset.
fn fairest_change(effects: &[&Effect], cells: &[&Cell]) -> Option<String> {
    let cells = cells.iter().copied().filter(|it| !it.is_mostly_cut());
    let cells: Vec<&Cell> = cells.collect();
    let fairer = effects.iter().filter(|it| it.clearly_more_balanced);
    let nearer = |it: &&&Effect| it.imbalance_difference.value;
    let best = fairer.min_by(|one, other| nearer(one).total_cmp(&nearer(other)));
    let distance = |cell: &&&Cell| cell.imbalance.value;
    let nearest = cells
        .iter()
        .min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
    let name = best.map_or(&nearest.ruleset, |it| &it.ruleset);
    let cell = cells.iter().find(|it| it.ruleset == *name);
    let score = cell.map_or_else(String::new, |cell| judged(cell));
    if let Some(best) = best {
        let sure = chance(best.more_balanced);
        return Some(format!(
            "Nearest to even comes {}: attackers score {score} ({sure} sure that this is fairer).",
            changed(best)
        ));
    }
    let none = "No change makes the ruleset fairer for certain.";
    let what = |cell: &Cell| {
        let effect = effects.iter().find(|it| it.ruleset == cell.ruleset);
        effect.map_or_else(|| "the ruleset as it is".to_owned(), |it| changed(it))
    };
    let least = nearest.imbalance.value;
    let tied = cells.iter().filter(|it| it.imbalance.value - least < TIED);
    let tied: Vec<String> = tied
        .map(|it| format!("{} {}", what(it), score_with_draws(it)))
        .collect();
    if tied.len() > 1 {
        let named = tied[..tied.len().min(MOST_NAMED)].join("; ");
        let more = match tied.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!("; {more} more"),
        };
        return Some(format!(
            "{none} Which comes nearest to even is open, by the attackers' score: {named}{more}."
        ));
    }
    let what = what(nearest);
    Some(format!(
        "{none} Nearest to even comes {what}: attackers score {score}."
    ))
}

/// Says how people score, and where the strong ones clearly score otherwise than the weak; of games that were sorted by strength
/// where there are any.
fn of_people(summary: &Summary) -> Option<String> {
    let of_ruleset = |ruleset: &str| {
        let people = summary.study.people.iter();
        let own = people.filter(|it| it.ruleset.as_deref() == Some(ruleset));
        let (sorted, others): (Vec<_>, Vec<_>) = own.partition(|it| !it.bands.is_empty());
        let own = if sorted.is_empty() { others } else { sorted };
        let scores: Vec<String> = own.into_iter().map(score_of_people).collect();
        (!scores.is_empty()).then(|| format!("{ruleset} {}", scores.join(" and ")))
    };
    let rulesets = summary.study.rulesets.iter();
    let scores: Vec<String> = rulesets.filter_map(|it| of_ruleset(&it.name)).collect();
    (!scores.is_empty()).then(|| format!("Among people attackers score: {}.", scores.join("; ")))
}

fn score_of_people(people: &PeopleResults) -> String {
    let score = people.score.in_percent();
    let [weak, .., strong] = &people.bands[..] else {
        return score;
    };
    let [from, to] = [weak, strong].map(|it| (100.0 * it.score.value).round());
    let parts_clearly = weak.score.high < strong.score.low || strong.score.high < weak.score.low;
    match parts_clearly {
        true => {
            format!("{score}, between equals from {from} % of weak to {to} % of strong ones")
        }
        false => score,
    }
}

/// Says what openings are from which a score may be another one.
fn of_openings(summary: &Summary) -> Option<String> {
    let study = &summary.study;
    let is_random = study.opening_policy.is_none() && study.opening_plies > 0;
    is_random.then(|| {
        format!(
            "The games began with {} random plies (`openings.source`), which may favor a side: from plies that a player would \
             choose the score may be far from this.",
            study.opening_plies
        )
    })
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
