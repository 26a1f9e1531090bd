//! What the readers promise of every text; the fuzz targets state the same laws as the tests.

use crate::readers::consistency::{assert_consistent, legal_moves};
use crate::readers::notation_laws;
use std::sync::{Arc, LazyLock};
use tafl_rules::{
    BoardShape, Game, KingCapture, Move, Position, RULESET_NAMES, RankOrder, Rules, Ruleset, Setup,
    SetupError, Side, Switch, TurnText, preset,
};

/// Panics where the law does not hold of a text.
type Law = fn(&str);

/// The laws by the names of their fuzz targets, seeds and regressions.
pub(crate) const LAWS: [(&str, Law); 4] = [
    ("position", position),
    ("turn", turn),
    ("record", record),
    ("ruleset", ruleset),
];

/// Checks the law of that name; bytes that are no text are read by nobody.
pub(crate) fn check(name: &str, bytes: &[u8]) {
    let law = LAWS.iter().find(|(known, _)| *known == name);
    let (_, law) = law.expect("the name of a law");
    if let Ok(text) = std::str::from_utf8(bytes) {
        law(text);
    }
}

/// Every preset, and those with a frail king last, on a board of every size.
static RULES: LazyLock<Vec<Arc<Rules>>> = LazyLock::new(|| {
    let names = RULESET_NAMES.into_iter();
    let presets = names.map(|name| preset(name).expect("a preset"));
    let rulesets = presets.chain(["copenhagen", "berserk-2017"].map(frail));
    let boards = ["brandubh", "tablut", "copenhagen"];
    let starts = boards.map(|name| preset(name).expect("a preset").start);
    rulesets
        .flat_map(|ruleset| {
            starts.clone().map(|start| {
                let own = ruleset.start.shape == start.shape;
                let start = if own { ruleset.start.clone() } else { start };
                Rules::new(Ruleset {
                    start,
                    ..ruleset.clone()
                })
                .expect("a preset on another board")
            })
        })
        .collect()
});

/// A preset with an unarmed king whom two take anywhere, a throne that is not hostile, and the defenders first.
fn frail(name: &str) -> Ruleset {
    Ruleset {
        king_capture: KingCapture::TwoSides,
        king_armed: Switch::Off,
        throne_hostile: Switch::Off,
        moves_first: Side::Defender,
        ..preset(name).expect("a preset")
    }
}

/// `RANKS [SIDE [CHAIN-SQUARE [CAPTURELESS]]]`: a text leads back to itself, and what may be played can be.
fn position(text: &str) {
    notation_laws::position(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((&ranks, details)) = words.split_first() else {
        return;
    };
    let read = |order| Setup::from_text(ranks, order);
    let lowest_first = read(RankOrder::LowestFirst);
    let Ok(setup) = read(RankOrder::HighestFirst) else {
        assert!(
            lowest_first.is_err(),
            "the orders differ in nothing but order"
        );
        return;
    };
    let mirrored = lowest_first.expect("the orders differ in nothing but order");
    assert_leads_back(&setup, RankOrder::HighestFirst);
    assert_leads_back(&mirrored, RankOrder::LowestFirst);
    for rules in rules_for(&setup) {
        let accepted = rules.position(&setup).is_ok();
        assert_eq!(accepted, rules.position(&mirrored).is_ok());
    }
    if let Some(setup) = with_details(setup, details) {
        assert_playable(&setup);
    }
}

fn rules_for(setup: &Setup) -> impl Iterator<Item = &'static Arc<Rules>> {
    let shape = setup.shape;
    RULES.iter().filter(move |rules| rules.shape() == shape)
}

fn assert_leads_back(setup: &Setup, order: RankOrder) {
    let text = setup.to_text(order);
    assert_eq!(Setup::from_text(&text, order).as_ref(), Ok(setup), "{text}");
}

fn with_details(mut setup: Setup, details: &[&str]) -> Option<Setup> {
    if let Some(side) = details.first() {
        setup.side = side.parse().ok()?;
    }
    if let Some(chain) = details.get(1).filter(|chain| **chain != "-") {
        setup.chain = Some(chain.parse().ok()?);
    }
    if let Some(captureless) = details.get(2) {
        setup.captureless = captureless.parse().ok()?;
    }
    Some(setup)
}

/// A ruleset refuses a setup, or every legal move leads to a position that can be described and played again
/// (but for a count of plies that no game has).
pub(crate) fn assert_playable(setup: &Setup) {
    for rules in rules_for(setup) {
        if let Ok(position) = rules.position(setup) {
            assert_playable_under(rules, setup, position);
        }
    }
}

fn assert_playable_under(rules: &Arc<Rules>, setup: &Setup, position: Position) {
    assert_eq!(&Setup::of(&position, rules.shape()), setup);
    assert_consistent(rules, &position);
    for mv in legal_moves(rules, &position) {
        assert!(rules.is_legal(&position, mv), "{mv}");
        let mut after = position;
        let ply = rules.play_unchecked(&mut after, mv);
        assert_consistent(rules, &after);
        if ply.outcome.is_none() {
            let described = Setup::of(&after, rules.shape());
            // From the highest count that can be described, a ply leads to one that cannot.
            let expected = match after.captureless() {
                0..=1_000_000_000 => Ok(after),
                beyond => Err(SetupError::Captureless(beyond)),
            };
            assert_eq!(rules.position(&described), expected, "after {mv}");
        }
    }
    shuttle(Game::from_position(rules.clone(), position));
}

/// Plays to and fro, so that positions occur again.
fn shuttle(mut game: Game) {
    for _ in 0..12 {
        let moves = game.legal();
        assert_eq!(moves.is_empty(), game.outcome().is_some());
        let back = game.moves().iter().nth_back(1).copied();
        let back = back.and_then(|mv| Move::new(mv.to(), mv.from()));
        let Some(&mv) = moves.iter().find(|mv| Some(**mv) == back).or(moves.first()) else {
            break;
        };
        game.play(mv).expect("a listed move is legal");
        assert_consistent(game.rules(), game.position());
    }
}

/// A move or turn that is read prints as a text that reads the same.
fn turn(text: &str) {
    let turn = text.parse::<TurnText>();
    if let Ok(mv) = text.parse::<Move>() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
        let plies = turn.as_ref().map(|turn| turn.plies.as_slice());
        assert_eq!(plies, Ok(&[(mv, tafl_rules::Bitboard::EMPTY)][..]));
        let shape = BoardShape::new(11).expect("a size");
        let index = mv.policy_index(shape);
        assert_eq!(Move::from_policy_index(index, shape), Some(mv));
    }
    if let Ok(turn) = turn {
        assert_eq!(turn.to_string().parse().as_ref(), Ok(&turn), "{turn}");
        assert!(!turn.plies.is_empty() && turn.plies.len() <= text.len());
        let displacements = turn.plies.iter().filter(|(mv, _)| !mv.is_end());
        let steps: Vec<Move> = displacements.map(|(mv, _)| *mv).collect();
        assert!(steps.is_sorted_by(|mv, next| mv.to() == next.from()));
        assert!(turn.plies.len() <= steps.len() + 1, "one end at most");
    }
}

/// `LETTER TURN TURN...`: the letter chooses the ruleset, `a` the first; what is not legal changes nothing.
///
/// The turns that were legal are written, and lead again to the same position, outcome and text.
fn record(text: &str) {
    let Some((letter, turns)) = text.split_at_checked(1) else {
        return;
    };
    notation_laws::record(turns);
    let number = letter.as_bytes()[0].wrapping_sub(b'a');
    let rules = &RULES[usize::from(number) % RULES.len()];
    let first = play_record(rules, turns);
    let written = notation_laws::turns_text(&first);
    let again = play_record(rules, &written);
    assert_eq!(again.moves(), first.moves(), "{written}");
    assert_eq!(again.position(), first.position(), "{written}");
    assert_eq!(again.outcome(), first.outcome(), "{written}");
    assert_eq!(notation_laws::turns_text(&again), written);
}

/// Plays the turns that can be read and are legal; leaves out the others.
fn play_record(rules: &Arc<Rules>, turns: &str) -> Game {
    let mut game = Game::new(rules.clone());
    let turns = turns.split_whitespace();
    for turn in turns.filter_map(|word| word.parse::<TurnText>().ok()) {
        let mark = game.mark();
        let before = game.clone();
        if turn.plies.iter().any(|(mv, _)| !plays(&mut game, *mv)) {
            game.rewind(&mark);
            assert_same(&game, &before);
        }
    }
    game
}

/// Plays a move if it is legal; if not, nothing changes.
fn plays(game: &mut Game, mv: Move) -> bool {
    let listed = game.legal();
    let before = game.clone();
    let played = game.play(mv).is_ok();
    assert_eq!(played, listed.contains(&mv), "{mv}");
    if played {
        assert_consistent(game.rules(), game.position());
    } else {
        assert_same(game, &before);
    }
    played
}

fn assert_same(game: &Game, other: &Game) {
    assert_eq!(game.position(), other.position());
    assert_eq!(game.moves(), other.moves());
    assert_eq!(game.outcome(), other.outcome());
    assert_eq!(game.occurrences(), other.occurrences());
}

/// A file that is accepted can be written in full, and reads the same.
fn ruleset(text: &str) {
    notation_laws::ruleset(text);
    let Ok(Ok(ruleset)) = toml::from_str(text).map(Ruleset::from_fields) else {
        return;
    };
    let again = toml::from_str(&ruleset.to_toml()).expect("a complete file");
    assert_eq!(Ruleset::from_fields(again).as_ref(), Ok(&ruleset));
    notation_laws::assert_written_or_refused(&ruleset);
    assert_plays(ruleset);
}

/// Fifty plies can be played by a ruleset, whatever its name.
pub(crate) fn assert_plays(ruleset: Ruleset) {
    let renamed = Ruleset {
        name: "another".to_owned(),
        ..ruleset.clone()
    };
    assert_eq!(renamed.fingerprint(), ruleset.fingerprint());
    let rules = Rules::new(ruleset).expect("a ruleset that was accepted");
    for last in [false, true] {
        let mut game = Game::new(rules.clone());
        for _ in 0..50 {
            assert_consistent(&rules, game.position());
            let moves = game.legal();
            assert_eq!(moves.is_empty(), game.outcome().is_some());
            let Some(&mv) = (if last { moves.last() } else { moves.first() }) else {
                break;
            };
            game.play(mv).expect("a listed move is legal");
        }
    }
}
