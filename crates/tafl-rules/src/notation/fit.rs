//! The rules that recorded games were played by: rulesets compared by the games that replay under them.

use super::aagenielsen::{RecordedGame, RecordedResult};
use super::follow::{Misfit, MisfitKind, Replayed, follow};
use super::games::WrittenGame;
use super::words::{Words, WrittenPly};
use crate::{Bitboard, EndReason, Game, Rules, Ruleset, Setup, Side, derive_seed};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::AddAssign;
use std::sync::Arc;

impl From<RecordedGame> for WrittenGame {
    fn from(recorded: RecordedGame) -> Self {
        let turns = (1..).zip(recorded.turns);
        let plies =
            turns.flat_map(|(word, turn)| turn.plies.into_iter().map(move |ply| (word, ply)));
        let plies = plies
            .enumerate()
            .map(|(after, (word, (mv, captured)))| WrittenPly {
                after,
                word,
                mv,
                captured,
                depth: 0,
            });
        Self {
            words: Words {
                plies: plies.collect(),
                bare: recorded.bare,
                end: recorded.end,
                result: Some(recorded.result),
                score: recorded.score,
                late: None,
            },
            captures: recorded.captures,
            ..Self::default()
        }
    }
}

/// A recorded game that rulesets are tried on.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The number of its line, counted on through all files.
    pub line: usize,
    written: WrittenGame,
    recorded: RecordedGame,
    /// The start of its own rules.
    own: Option<Setup>,
    /// Who won, if nothing says that the game was ended away from the board.
    winner: Option<Side>,
    /// Whether it was drawn: on the board or by agreement, which records do not tell.
    is_drawn: bool,
    /// The rule that ended it, or that none did, where that is told.
    reason: Option<Option<EndReason>>,
}

/// A ruleset to try, and the field in which it differs from the one that it was made of.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The field.
    pub field: String,
    /// Its value, as files have it.
    pub value: String,
    /// The rules.
    pub rules: Arc<Rules>,
}

/// How far games and a ruleset agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Games that were looked at.
    pub games: usize,
    /// Those that replay: every move legal, every capture as recorded, no other result on the board, nor for another reason.
    pub replay: usize,
    /// Pieces that the records name as captured.
    pub captures: usize,
    /// Those that were captured so before anything disagreed.
    pub captures_agree: usize,
    /// Games won on the board, as far as the records tell.
    pub endings: usize,
    /// Those that the board ends so.
    pub endings_agree: usize,
    /// Games that were drawn, on the board or by agreement.
    pub draws: usize,
    /// Those that the board ends so.
    pub draws_agree: usize,
    /// How far the games go before anything disagrees, the end counted as a ply: a thousandth of each game.
    reach: usize,
}

impl AddAssign for Agreement {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.replay += other.replay;
        self.captures += other.captures;
        self.captures_agree += other.captures_agree;
        self.endings += other.endings;
        self.endings_agree += other.endings_agree;
        self.draws += other.draws;
        self.draws_agree += other.draws_agree;
        self.reach += other.reach;
    }
}

impl Agreement {
    /// Returns the games that replay, those that end as recorded twice: an end that the board does not know speaks against
    /// a ruleset as a move does that it does not allow.
    const fn score(&self) -> usize {
        self.replay + self.endings_agree + self.draws_agree
    }

    /// Returns whether nothing is left that another ruleset could explain.
    const fn is_whole(&self) -> bool {
        self.score() == self.games + self.endings + self.draws
    }
}

/// A ruleset beside the one found.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What it changes.
    pub variant: Variant,
    /// How far it agrees with the games that it was tried on: all, unless it fell behind.
    pub agreement: Agreement,
    /// Of these, games that speak for it.
    pub gained: usize,
    /// Of these, games that speak against it.
    pub lost: usize,
    /// The first that speaks against it.
    pub first: Option<Contradiction>,
    /// How far the games of the first stage go under it.
    reach: usize,
}

impl Compared {
    /// Returns whether any game tells it from the ruleset found.
    pub const fn is_told(&self) -> bool {
        self.gained + self.lost > 0
    }
}

/// A game that a ruleset does not bear out.
#[derive(Debug, Clone)]
pub struct Contradiction {
    /// The number of its line.
    pub line: usize,
    /// In what they disagree; nothing, if the board does not know an end that is recorded.
    pub kind: Option<MisfitKind>,
    /// What is wrong.
    pub text: String,
}

/// The ruleset under which most games replay.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Its rules.
    pub found: Arc<Rules>,
    /// How far it agrees.
    pub agreement: Agreement,
    /// How far the ruleset agrees that the search began with.
    pub base: Agreement,
    /// The others that differ from it in one field, those that agree best first.
    pub others: Vec<Compared>,
    /// The games that contradict it by what is wrong with them: how many, and the first.
    pub left: Vec<(usize, Contradiction)>,
}

impl Recording {
    /// Returns a game that stands in a line.
    pub fn new(line: usize, written: WrittenGame) -> Self {
        let recorded = written.recorded();
        let (winner, is_drawn) = match (recorded.end, recorded.result) {
            (None, RecordedResult::Won(side)) => (Some(side), false),
            (None, RecordedResult::Draw) => (None, true),
            _ => (None, false),
        };
        let own = written.own.as_ref().and_then(|own| own.setup().ok());
        Self {
            line,
            written,
            recorded,
            own,
            winner,
            is_drawn,
            reason: None,
        }
    }

    /// Returns the game with the rule that ended it, or with nothing where none did.
    #[must_use]
    pub fn ended(self, reason: Option<EndReason>) -> Self {
        Self {
            reason: Some(reason),
            ..self
        }
    }

    /// Returns the first position that the game gives itself, or its own rules.
    pub fn start(&self, rules: &Rules) -> Option<Setup> {
        // Letters of pieces that other rules do not have are read, too.
        let under = self.written.setup(Some(rules));
        under.or_else(|_| self.written.setup(None)).ok().flatten()
    }

    /// Returns whether the rules allow every ply, and know no other end.
    pub fn replays(&self, rules: &Arc<Rules>) -> bool {
        self.judge(rules).1.is_none()
    }

    /// Returns the most plies without a capture in a row, and those at its end if it may have been drawn by them. The rules
    /// tell the captures of a game that names none; nothing of one that they do not allow.
    pub fn quiet(&self, rules: &Arc<Rules>) -> Option<(usize, Option<usize>)> {
        let names_captures = self.written.captures.is_some() || self.captures(usize::MAX) > 0;
        let captured: Vec<Bitboard> = match names_captures {
            true => self.captured().collect(),
            false => self.captured_under(rules)?,
        };
        let runs = captured.split(|it| !it.is_empty());
        let runs: Vec<usize> = runs.map(<[Bitboard]>::len).collect();
        let limit = [EndReason::Captureless, EndReason::Unfinishable].map(Some);
        let is_drawn = self.is_drawn && self.reason.is_none_or(|it| limit.contains(&it));
        let last = runs.last().copied().filter(|_| is_drawn);
        Some((runs.into_iter().max()?, last))
    }

    fn captured_under(&self, rules: &Arc<Rules>) -> Option<Vec<Bitboard>> {
        let mut game = match self.written.setup(Some(rules)).ok()? {
            Some(setup) => Game::from_setup(rules.clone(), &setup).ok()?,
            None => Game::new(rules.clone()),
        };
        let mut all = Vec::new();
        for written in self.recorded.plies() {
            let plies = follow(&mut game, written, false).ok()?.into_iter();
            let plies = plies.filter(|(mv, _)| !mv.is_end());
            all.extend(plies.map(|(_, captured)| captured));
        }
        Some(all)
    }

    /// Returns how many plies it has.
    pub fn plies(&self) -> usize {
        self.recorded.plies().count()
    }

    fn replay(&self, rules: &Arc<Rules>) -> Result<Replayed, Misfit> {
        // Who moves first is to be found: of a start of the game's own the board alone counts.
        let is_same = |own: &Setup| {
            let start = Setup::of(&rules.start(), rules.shape());
            (own.shape, &own.pieces) == (start.shape, &start.pieces)
        };
        let is_usual = self.written.own.is_none() || self.own.as_ref().is_some_and(is_same);
        match self.written.position {
            None if is_usual => self.recorded.replay(rules),
            _ => self.written.replay(rules),
        }
    }

    /// Returns a game that the board ended by the rule that is told, or not at all.
    fn with_reason(&self, replayed: Replayed) -> Result<Replayed, Misfit> {
        let (Some(told), Some(outcome)) = (self.reason, replayed.game.outcome()) else {
            return Ok(replayed);
        };
        if told == Some(outcome.reason) {
            return Ok(replayed);
        }
        let told = told.map_or("no end by a rule", EndReason::name);
        Err(Misfit {
            kind: MisfitKind::Reason,
            text: format!("the board says {outcome}; recorded is {told}"),
            game: Box::new(replayed.game),
        })
    }

    /// Iterates over what each ply captures; the end of a chain is not counted as one, as by the rules (spec.md 2.7).
    fn captured(&self) -> impl Iterator<Item = Bitboard> {
        let plies = self.recorded.plies().filter(|(mv, _)| !mv.is_end());
        plies.map(|(_, captured)| captured)
    }

    fn captures(&self, plies: usize) -> usize {
        let captured = self.captured().take(plies);
        captured.map(|it| it.count() as usize).sum()
    }

    /// Returns so many plies as thousandths of the game, whose end is one more ply.
    fn reach(&self, plies: usize) -> usize {
        let all = self.plies() + 1;
        1_000 * plies.min(all) / all
    }

    /// Returns what the game says of a ruleset, and what it does not bear out.
    fn judge(&self, rules: &Arc<Rules>) -> (Agreement, Option<Misfit>) {
        let captures = self.captures(usize::MAX);
        let mut agreement = Agreement {
            games: 1,
            captures,
            endings: self.winner.is_some().into(),
            draws: self.is_drawn.into(),
            ..Agreement::default()
        };
        let replayed = self.replay(rules).and_then(|it| self.with_reason(it));
        let misfit = match replayed {
            Ok(replayed) => {
                let outcome = replayed.game.outcome();
                let won = outcome.and_then(|outcome| outcome.winner);
                agreement.replay = 1;
                agreement.captures_agree = captures;
                agreement.endings_agree = (won.is_some() && won == self.winner).into();
                agreement.draws_agree = (self.is_drawn && outcome.is_some()).into();
                let ends = agreement.endings_agree + agreement.draws_agree;
                let missed = agreement.endings + agreement.draws - ends;
                agreement.reach = self.reach(self.plies() + 1 - missed);
                None
            }
            Err(misfit) => {
                let played = misfit.game.moves().iter().filter(|mv| !mv.is_end());
                let played = played.count();
                agreement.captures_agree = self.captures(played);
                agreement.reach = self.reach(played);
                Some(misfit)
            }
        };
        (agreement, misfit)
    }

    /// Returns that the board does not know the draw in which the game ended.
    fn not_drawn(&self) -> Contradiction {
        Contradiction {
            line: self.line,
            kind: None,
            text: "the board says nothing at the end; recorded is a draw".to_owned(),
        }
    }

    /// Returns what is wrong with the game under a ruleset, if anything is.
    fn against(&self, rules: &Arc<Rules>) -> Option<Contradiction> {
        let (agreement, misfit) = self.judge(rules);
        let (kind, text) = match (misfit, self.winner) {
            (Some(misfit), _) => (Some(misfit.kind), misfit.to_string()),
            (None, Some(side)) if agreement.endings_agree == 0 => {
                let text = format!("the board says nothing at the end; recorded is {side} win");
                (None, text)
            }
            (None, None) if matches!(self.reason, Some(Some(_))) && agreement.draws_agree == 0 => {
                return Some(self.not_drawn());
            }
            (None, _) => return None,
        };
        let line = self.line;
        Some(Contradiction { line, kind, text })
    }
}

/// Games in the order in which they are tried.
struct Trial<'a> {
    games: Vec<&'a Recording>,
    variants: &'a (dyn Fn(&Ruleset) -> Vec<Variant> + Sync),
    tried: &'a (dyn Fn() + Sync),
}

/// The ruleset that the search is at, and what each game says of it.
struct Place {
    rules: Arc<Rules>,
    judged: Vec<Agreement>,
}

/// Games of the first two levels: most fields are settled by few of them.
const LEVELS: [usize; 2] = [300, 2_400];

/// Games after which rulesets that fell behind are left.
const STAGES: [usize; 4] = [40, 200, 1_000, 4_000];

/// One game in so many may be wrong by itself: a field is changed for more of them only.
const FAULTY: usize = 500;

/// The same where not all games are tried.
const FAULTY_OF_FEW: usize = 100;

/// Fields that are changed at once, at most, where none alone improves a ruleset.
const MOST_LINKED: usize = 4;

/// Rulesets from which more fields than two are changed: those under which games go furthest.
const FURTHEST: usize = 8;

/// Pieces of work that are worth a core's while.
const CHUNK: usize = 32;

/// Finds the ruleset under which most games replay, from a first one and what `variants` makes of each.
///
/// Single fields are tried first, while they improve; then pairs, and from those under which games go furthest before anything
/// disagrees up to four fields. A variant that is clearly behind is left early. `tried` is called after each.
pub fn fit(
    games: &[Recording],
    base: &Arc<Rules>,
    variants: &(dyn Fn(&Ruleset) -> Vec<Variant> + Sync),
    tried: &(dyn Fn() + Sync),
) -> Fit {
    let mut order: Vec<usize> = (0..games.len()).collect();
    // A site's rules changed over the years, so that the first games are no sample.
    order.sort_by_key(|index| derive_seed(0, &[*index as u64]));
    let trial = Trial {
        games: order.into_iter().map(|index| &games[index]).collect(),
        variants,
        tried,
    };
    let mut rules = base.clone();
    for level in LEVELS.into_iter().filter(|level| *level < games.len()) {
        rules = trial.climb(rules, level).0.rules;
    }
    let (place, mut others) = trial.climb(rules, games.len());
    others.sort_by_key(|it| (it.lost as i64 - it.gained as i64, it.first.is_some()));
    let left = trial.left(&place.rules);
    let base = match base.ruleset() == place.rules.ruleset() {
        true => sum(&place.judged),
        false => sum(&trial.judge(base, 0, games.len())),
    };
    Fit {
        agreement: sum(&place.judged),
        found: place.rules,
        base,
        others,
        left,
    }
}

fn sum(judged: &[Agreement]) -> Agreement {
    let mut all = Agreement::default();
    judged.iter().for_each(|it| all += *it);
    all
}

impl Trial<'_> {
    fn judge(&self, rules: &Arc<Rules>, from: usize, to: usize) -> Vec<Agreement> {
        let games = self.games[from..to].par_iter().with_min_len(CHUNK);
        games.map(|game| game.judge(rules).0).collect()
    }

    /// Improves a ruleset by the first games until nothing does; returns the last comparisons, too.
    fn climb(&self, rules: Arc<Rules>, level: usize) -> (Place, Vec<Compared>) {
        let judged = self.judge(&rules, 0, level);
        let mut place = Place { rules, judged };
        loop {
            let singles = (self.variants)(place.rules.ruleset());
            let mut compared = self.compare_all(&place, singles);
            let mut better = self.best(&place, &compared, 1);
            // Fields that are linked are many; those that matter show in few games.
            let is_whole = place.judged.iter().all(Agreement::is_whole);
            if better.is_none() && level <= LEVELS[0] && !is_whole {
                better = self.linked(&place, &compared);
            }
            if let Some(better) = better {
                place = better;
                continue;
            }
            (compared.par_iter_mut()).for_each(|it| self.find_first(&place, it));
            return (place, compared);
        }
    }

    /// Returns what several fields improve together, though none does alone.
    fn linked(&self, place: &Place, singles: &[Compared]) -> Option<Place> {
        let singles = singles.iter().map(|it| it.variant.rules.clone());
        let mut from: Vec<Arc<Rules>> = singles.collect();
        let known = from.iter().chain([&place.rules]);
        let mut known: HashSet<u64> = known.map(|it| it.ruleset().fingerprint()).collect();
        for fields in 2..=MOST_LINKED {
            let of = |rules: &Arc<Rules>| (self.variants)(rules.ruleset());
            let mut next: Vec<Variant> = from.par_iter().flat_map_iter(of).collect();
            next.retain(|it| known.insert(it.rules.ruleset().fingerprint()));
            let mut compared = self.compare_all(place, next);
            let better = self.best(place, &compared, fields);
            if better.is_some() {
                return better;
            }
            compared.sort_by_key(|it| Reverse(it.reach));
            // Games go equally far where a field does not matter.
            compared.dedup_by_key(|it| it.reach);
            let furthest = compared.into_iter().take(FURTHEST);
            from = furthest.map(|it| it.variant.rules).collect();
        }
        None
    }

    /// Returns the best of those that are better, by a game at least for each of the fields that they change.
    fn best(&self, place: &Place, compared: &[Compared], fields: usize) -> Option<Place> {
        let level = place.judged.len();
        let faulty = match level == self.games.len() {
            true => level / FAULTY,
            false => level / FAULTY_OF_FEW,
        };
        let mut better = compared
            .iter()
            .filter(|it| it.gained >= it.lost + faulty + fields);
        let first = better.next()?;
        let best = better.fold(first, |best, it| {
            let more = |it: &Compared| it.gained as i64 - it.lost as i64;
            if more(it) > more(best) { it } else { best }
        });
        let rules = best.variant.rules.clone();
        let judged = self.judge(&rules, 0, place.judged.len());
        Some(Place { rules, judged })
    }

    fn compare_all(&self, place: &Place, variants: Vec<Variant>) -> Vec<Compared> {
        let variants = variants.into_par_iter();
        variants.map(|it| self.compare(place, it)).collect()
    }

    /// Compares a variant game by game, as long as it is not clearly behind.
    fn compare(&self, place: &Place, variant: Variant) -> Compared {
        let mut compared = Compared {
            variant,
            agreement: Agreement::default(),
            gained: 0,
            lost: 0,
            first: None,
            reach: 0,
        };
        let all = place.judged.len();
        let stages = STAGES.into_iter().filter(|stage| *stage < all);
        for stage in stages.chain([all]) {
            let from = compared.agreement.games;
            let judged = self.judge(&compared.variant.rules, from, stage);
            for (now, other) in place.judged[from..].iter().zip(judged) {
                compared.agreement += other;
                compared.gained += usize::from(other.score() > now.score());
                compared.lost += usize::from(other.score() < now.score());
            }
            if from == 0 {
                compared.reach = compared.agreement.reach;
            }
            let noise = 3.0 + 3.0 * (compared.gained as f64).sqrt();
            if compared.lost as f64 > compared.gained as f64 + noise {
                break;
            }
        }
        (self.tried)();
        compared
    }

    fn find_first(&self, place: &Place, compared: &mut Compared) {
        let rules = &compared.variant.rules;
        let tried = self.games.iter().zip(&place.judged);
        let tried = tried.take(compared.agreement.games);
        let lost = tried.filter(|(game, now)| game.judge(rules).0.score() < now.score());
        let first = lost.map(|(game, _)| *game).min_by_key(|game| game.line);
        // A draw may be by agreement: it speaks against a ruleset only beside one whose board knows it.
        compared.first = first.map(|game| game.against(rules).unwrap_or_else(|| game.not_drawn()));
    }

    fn left(&self, rules: &Arc<Rules>) -> Vec<(usize, Contradiction)> {
        let games = self.games.par_iter();
        let mut all: Vec<Contradiction> = games.filter_map(|game| game.against(rules)).collect();
        all.sort_by_key(|it| it.line);
        let mut kinds: BTreeMap<Option<MisfitKind>, (usize, Contradiction)> = BTreeMap::new();
        for it in all {
            kinds.entry(it.kind).or_insert_with(|| (0, it)).0 += 1;
        }
        kinds.into_values().collect()
    }
}
