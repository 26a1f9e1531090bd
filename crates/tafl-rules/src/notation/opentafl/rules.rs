//! Rulesets from rules records, and back.

use super::record::{EVERYBODY, Meaning, Record};
use super::squares::{Men, check_corners, check_fortresses, read_throne};
use super::{RecordError, write_position};
use crate::{
    Board, CapturelessReason, Chain, Escape, HostileTo, KingCapture, MatchFormat, NoMove, Piece,
    RankOrder, Repetition, Ruleset, RulesetError, Switch, ThroneUse,
};
use std::num::NonZeroU32;

/// Reads a rules record.
///
/// | key | field | values that a ruleset can have |
/// |---|---|---|
/// | `dim`, `start`, `starti` | `start` | boards of 7, 9 and 11 |
/// | `atkf` | `moves_first` | `y`, `n`: the defenders |
/// | `name` | `name` | letters, digits, `-`, `_`; `Unknown_Tafl` if left out |
/// | `esc` | `escape` | `c` with the four corners; `e` only with `cor:`, because the corners are ordinary squares then |
/// | `surf` | `encirclement` | `y`, `n` |
/// | `tfr` | `repetition` | `i`: off (`OpenTafl` 0.4.8 itself reads `i` like `d`), `d`: draw; not `w`, `l` |
/// | `ks` | `king_capture` | `s`: four sides, `c`: two sides away from the throne, `w`: two sides, `m`: four, three on an edge |
/// | `sw`, `swf` | `shieldwall`, `shieldwall_by_end` | `sw:n`, `sw:s`; `y`, `n` |
/// | `efe` | `edge_fort` | `y`, `n` |
/// | `kj`, `nj`, `cj` | `ranks` | `kj:n` without knight and commanders; `kj:r`, `nj:c`, `cj:j` |
/// | `ber` | `chain` | `n`: none, `c`: forced; not `m` |
/// | `ka` | `king_armed` | `y`, `n`; not `h`, `a` |
/// | `spd` | `king_step_limit`, `men_step_limit` | `-1`: none; one number for all, two for the sides or twelve for the pieces, one of them for all but the king |
/// | `linc` | – | `n` |
/// | `afor`, `dfor` | – | empty; the keys about fortresses are then without meaning |
/// | `cor`, `corp`, `cors` | – | corners that are entered by the king alone |
/// | `corh` | `corners_hostile_to` | all pieces, those of a side, none |
/// | `cenhe` | `throne_hostile`, `throne_hostile_to` | all pieces, those of a side, none; the king with those of his side, and always but with `ks:w` |
/// | `cens`, `cenp` | `throne_stop`, `throne_pass` | all pieces, the defenders, the king, none; who may not pass does not stop either; with `cenre:` the king does not come back, so nobody stops |
/// | `cen` | `throne` | the middle: yes; `cen:`, or a middle that is hostile to nobody and on which all stop (not with `ks:c`): no, and the other keys are without meaning |
/// | `cenh` | – | a throne with the king on it not hostile to defenders, and if he is unarmed to nobody |
///
/// Fields without a key are read as: `no_move` loses, `captureless_limit` none, `match` single, `jump_hostile` as `ranks`.
/// Other values of these, and chains that are optional, cannot be written. A field without meaning (`jump_hostile` without
/// ranks, `captureless_reason` without a limit) is not asked for.
///
/// # Errors
/// Names the key, its value, and what a ruleset can represent instead.
///
/// # Examples
/// ```
/// use tafl_rules::{Repetition, Switch, notation::opentafl};
///
/// let ruleset = opentafl::read_ruleset("dim:7 name:mine tfr:i start:/3t3/7/7/3K3/7/7/7/")?;
/// assert_eq!((ruleset.encirclement, ruleset.repetition), (Switch::On, Repetition::Off));
///
/// let error = opentafl::read_ruleset("dim:7 tfr:w start:/3t3/7/7/3K3/7/7/7/").unwrap_err();
/// assert!(error.to_string().starts_with("key `tfr`: \"w\" cannot be represented"));
/// # Ok::<(), opentafl::RecordError>(())
/// ```
pub fn read_ruleset(record: &str) -> Result<Ruleset, RecordError> {
    let record = Record::read(record)?;
    let start = read_start(&record)?;
    let men = Men::of(&start);
    let escape = record.one_of("esc", &ESCAPES)?;
    let king_capture = record.one_of("ks", &KING_CAPTURES)?;
    let king_armed = record.one_of("ka", &KING_ARMED)?;
    let corners_hostile_to = check_corners(&record, &start, escape, king_capture)?;
    let throne = read_throne(&record, &start, king_capture, king_armed.is_on())?;
    let [shieldwall, shieldwall_by_end] = read_shieldwall(&record, escape)?;
    check_fortresses(&record, &start)?;
    let reason = "no defender is captured against his king on the throne";
    record.one_of("linc", &[("n", Ok(())), ("y", Err(reason))])?;
    let ranks = read_ranks(&record, &men)?;
    let [king_step_limit, men_step_limit] = read_speeds(&record, &start)?;
    let ruleset = Ruleset {
        name: record.value("name").to_owned(),
        shieldwall,
        edge_fort: record.yes("efe")?.into(),
        encirclement: record.yes("surf")?.into(),
        ranks,
        jump_hostile: ranks,
        chain: record.one_of("ber", &CHAINS)?,
        no_move: NoMove::Loses,
        repetition: record.one_of("tfr", &REPETITIONS)?,
        captureless_limit: None,
        captureless_reason: CapturelessReason::Captureless,
        match_format: MatchFormat::Single,
        escape,
        king_capture,
        king_armed,
        throne_hostile: (throne.hostile_to != HostileTo::Nobody).into(),
        throne_hostile_to: match throne.hostile_to {
            HostileTo::Nobody => HostileTo::All,
            sides => sides,
        },
        corners_hostile_to,
        throne_stop: throne.stop,
        throne_pass: throne.pass,
        king_step_limit,
        men_step_limit,
        repetition_occurrence: 3,
        shieldwall_by_end,
        throne: throne.is_there.into(),
        moves_first: record.side()?,
        start,
    };
    match ruleset.check() {
        Ok(()) => Ok(ruleset),
        Err(RulesetError::Start(error)) => Err(RecordError::Start(record.start_key(), error)),
        Err(_) => Err(record.refuse("name", "a name is made of letters, digits, `-` and `_`")),
    }
}

fn read_start(record: &Record<'_>) -> Result<Board, RecordError> {
    if record.given("dim").is_none() {
        return Err(RecordError::Missing("dim"));
    }
    const TOO_LARGE: &str =
        "a board has 7, 9 or 11 ranks; the squares of a larger one do not fit 128 bits";
    let sizes = [
        ("7", Ok(7)),
        ("9", Ok(9)),
        ("11", Ok(11)),
        ("13", Err(TOO_LARGE)),
        ("15", Err(TOO_LARGE)),
        ("19", Err(TOO_LARGE)),
    ];
    let size = record.one_of("dim", &sizes)?;
    let start = record.start()?;
    if start.shape.size() == size {
        Ok(start)
    } else {
        Err(record.refuse("dim", "the start position has another size"))
    }
}

const ESCAPES: [(&str, Meaning<Escape>); 2] =
    [("c", Ok(Escape::Corners)), ("e", Ok(Escape::Edges))];

const KING_CAPTURES: [(&str, Meaning<KingCapture>); 6] = [
    ("s", Ok(KingCapture::FourSides)),
    ("c", Ok(KingCapture::TwoSidesAwayFromThrone)),
    ("w", Ok(KingCapture::TwoSides)),
    ("m", Ok(KingCapture::FourSidesThreeOnEdge)),
    // The words of the first versions of the notation.
    ("y", Ok(KingCapture::FourSides)),
    ("n", Ok(KingCapture::TwoSides)),
];

const HALF_ARMED: &str =
    "the king captures as mover and as the far piece (`y`), or not at all (`n`)";
const KING_ARMED: [(&str, Meaning<Switch>); 4] = [
    ("y", Ok(Switch::On)),
    ("n", Ok(Switch::Off)),
    ("h", Err(HALF_ARMED)),
    ("a", Err(HALF_ARMED)),
];

const BY_MOVER: &str = "who wins does not depend on whose ply repeats";
const REPETITIONS: [(&str, Meaning<Repetition>); 4] = [
    ("i", Ok(Repetition::Off)),
    ("d", Ok(Repetition::Draw)),
    ("w", Err(BY_MOVER)),
    ("l", Err(BY_MOVER)),
];

const CHAINS: [(&str, Meaning<Chain>); 3] = [
    ("n", Ok(Chain::None)),
    ("c", Ok(Chain::Forced)),
    ("m", Err("a chain goes on by captures only")),
];

/// Returns whether rows are captured, and whether by a piece that closes them only.
fn read_shieldwall(record: &Record<'_>, escape: Escape) -> Result<[Switch; 2], RecordError> {
    let weak = match escape {
        Escape::Corners => Err("a corner closes a row"),
        // Without special corners there is nothing in which weak and strong differ.
        Escape::Edges => Ok(Switch::On),
    };
    let words = [("n", Ok(Switch::Off)), ("w", weak), ("s", Ok(Switch::On))];
    let shieldwall = record.one_of("sw", &words)?;
    let by_end = record.yes("swf")? || !shieldwall.is_on();
    Ok([shieldwall, by_end.into()])
}

/// Reads the ways of jumping; those of pieces that are not on the board are without meaning.
fn read_ranks(record: &Record<'_>, men: &Men) -> Result<Switch, RecordError> {
    const MODES: [&str; 4] = ["n", "r", "j", "c"];
    const KING: &str = "where knight or commanders stand, the king jumps too (`r`)";
    const KING_JUMPS: &str = "a king jumps from or to restricted squares only (`r`)";
    const KNIGHT: &str = "a knight captures what it leaps over (`c`)";
    const COMMANDER: &str = "a commander leaps without capturing (`j`)";
    let mode = |key, wanted: &str, asked: bool, reason| {
        let mode = record.one_of(key, &MODES.map(|word| (word, Ok(word))))?;
        if asked && mode != wanted {
            return Err(record.refuse(key, reason));
        }
        Ok(mode)
    };
    let jumps = mode("kj", "r", men.knights || men.commanders, KING)? != "n";
    mode("kj", "r", jumps, KING_JUMPS)?;
    mode("nj", "c", men.knights, KNIGHT)?;
    mode("cj", "j", men.commanders, COMMANDER)?;
    mode("mj", "n", false, "")?;
    mode("gj", "n", false, "")?;
    Ok(jumps.into())
}

/// Reads how far the king and the other pieces on the board go at most.
fn read_speeds(record: &Record<'_>, start: &Board) -> Result<[Option<NonZeroU32>; 2], RecordError> {
    let speed = |word: &str| match word {
        "-1" => Some(None),
        steps => steps.parse::<NonZeroU32>().ok().map(Some),
    };
    let words = record.value("spd").split(',');
    let speeds: Option<Vec<Option<NonZeroU32>>> =
        words.filter(|word| !word.is_empty()).map(speed).collect();
    let speeds = speeds.filter(|speeds| [0, 1, 2, 8, 12].contains(&speeds.len()));
    let expected = "-1 or a number of steps for all pieces, two for the sides, or one for each of tcnkmgTCNKMG";
    let speeds = speeds.ok_or_else(|| record.bad_value("spd", expected))?;
    // Records were written before there were mercenaries and guards.
    let pieces = match speeds.len() {
        8 => "tcnkTCNK",
        _ => EVERYBODY,
    };
    let of = |piece: Piece| {
        let at = pieces.find(piece.letter())? * speeds.len() / pieces.len();
        speeds.get(at).copied().flatten()
    };
    let men = start.pieces.iter().flatten();
    let mut men = men
        .filter(|piece| **piece != Piece::King)
        .map(|piece| of(*piece));
    let limit = men.next().flatten();
    let are_alike = men.all(|other| other == limit);
    record.require("spd", are_alike, "all pieces but the king have one limit")?;
    Ok([of(Piece::King), limit])
}

/// Returns the rules record of a ruleset, with `start` (lowest rank first) or `starti` (highest first).
///
/// Keys that have their defaults are left out, but for `name` and `atkf`, as `OpenTafl` does.
///
/// # Errors
/// If the ruleset cannot be played, or a field has a value that no key can represent; names each.
pub fn write_ruleset(ruleset: &Ruleset, order: RankOrder) -> Result<String, RecordError> {
    ruleset.check()?;
    let unsaid: Vec<_> = UNSAYABLE
        .iter()
        .filter(|it| (it.holds)(ruleset))
        .map(|it| (it.field, it.reason))
        .collect();
    if !unsaid.is_empty() {
        return Err(RecordError::NoWords(unsaid));
    }
    let mut words = vec![
        format!("dim:{}", ruleset.start.shape.size()),
        format!("name:{}", ruleset.name),
    ];
    words.extend(said(ruleset).map(str::to_owned));
    words.extend(speeds_said(ruleset));
    words.push(write_position(&ruleset.setup(), order)?);
    Ok(words.join(" "))
}

/// Returns the words of the fields whose keys have not their defaults.
fn said(ruleset: &Ruleset) -> impl Iterator<Item = &'static str> {
    // Names every field, so that a new one gets its words here, or a row in `UNSAYABLE`.
    let &Ruleset {
        name: _,
        shieldwall,
        edge_fort,
        encirclement,
        ranks,
        jump_hostile: _,
        chain,
        no_move: _,
        repetition,
        captureless_limit: _,
        captureless_reason: _,
        match_format: _,
        escape,
        king_capture,
        king_armed,
        throne_hostile: _,
        throne_hostile_to: _,
        corners_hostile_to: _,
        throne_stop: _,
        throne_pass: _,
        king_step_limit: _,
        men_step_limit: _,
        repetition_occurrence: _,
        shieldwall_by_end,
        throne,
        moves_first: _,
        start: _,
    } = ruleset;
    let before = [
        ("esc:e cor:", escape == Escape::Edges),
        ("surf:n", !encirclement.is_on()),
        ("tfr:i", repetition == Repetition::Off),
        ("ka:n", !king_armed.is_on()),
        ("cen:", !throne.is_on()),
        ("cenh:", throne.is_on() && !king_armed.is_on()),
        ("ks:c", king_capture == KingCapture::TwoSidesAwayFromThrone),
        ("ks:w", king_capture == KingCapture::TwoSides),
        ("ks:m", king_capture == KingCapture::FourSidesThreeOnEdge),
    ];
    let after = [
        ("kj:r", ranks.is_on()),
        ("sw:s", shieldwall.is_on()),
        ("swf:n", shieldwall.is_on() && !shieldwall_by_end.is_on()),
        ("efe:y", edge_fort.is_on()),
        ("ber:c", chain == Chain::Forced),
    ];
    let words = before.into_iter().chain(squares_said(ruleset)).chain(after);
    words.filter_map(|(words, is_said)| is_said.then_some(words))
}

/// Returns the word of the limits of steps, if there are any.
fn speeds_said(ruleset: &Ruleset) -> Option<String> {
    let [king, men] = [ruleset.king_step_limit, ruleset.men_step_limit];
    if king == men {
        return king.map(|steps| format!("spd:{steps}"));
    }
    let speeds = EVERYBODY.chars().map(|piece| match piece {
        'K' => king,
        _ => men,
    });
    let words = speeds.map(|speed| match speed {
        Some(steps) => format!("{steps},"),
        None => "-1,".to_owned(),
    });
    Some(format!("spd:{}", words.collect::<String>()))
}

/// Returns the words of who may use the throne and against whom it and the corners are hostile, and whether they are said.
fn squares_said(ruleset: &Ruleset) -> impl Iterator<Item = (&'static str, bool)> {
    let throne_to = match ruleset.throne_hostile.is_on() {
        true => ruleset.throne_hostile_to,
        false => HostileTo::Nobody,
    };
    let has_throne = ruleset.throne.is_on();
    let like_men = ruleset.king_capture == KingCapture::TwoSides;
    let empty = |to| has_throne && throne_to == to;
    let corner = |to| ruleset.escape == Escape::Corners && ruleset.corners_hostile_to == to;
    // There a piece stops only where it may pass.
    let [stop, pass] = ruleset.throne_uses();
    let stops = |who| has_throne && stop == who;
    let passes = |who| has_throne && pass == who;
    let words = [
        ("cenhe:", empty(HostileTo::Nobody) && like_men),
        ("cenhe:K", empty(HostileTo::Nobody) && !like_men),
        ("cenhe:tcnk", empty(HostileTo::Attackers) && like_men),
        ("cenhe:tcnkK", empty(HostileTo::Attackers) && !like_men),
        ("cenhe:TCNK", empty(HostileTo::Defenders)),
        ("corh:tcnk", corner(HostileTo::Attackers)),
        ("corh:TCNK", corner(HostileTo::Defenders)),
        ("corh:", corner(HostileTo::Nobody)),
        ("cens: cenre:", stops(ThroneUse::None)),
        ("cens:TCNK", stops(ThroneUse::Defenders)),
        ("cens:tcnkTCNK", stops(ThroneUse::All)),
        ("cenp:", passes(ThroneUse::None)),
        ("cenp:K", passes(ThroneUse::King)),
        ("cenp:TCNK", passes(ThroneUse::Defenders)),
    ];
    words.into_iter()
}

/// Values of a field that no key can represent.
struct Unsayable {
    field: &'static str,
    holds: fn(&Ruleset) -> bool,
    reason: &'static str,
    /// Puts the value that is nearest in `OpenTafl` in their place.
    approximate: fn(&mut Ruleset),
}

const UNSAYABLE: [Unsayable; 8] = [
    Unsayable {
        field: "jump_hostile",
        holds: |it| it.ranks.is_on() && !it.jump_hostile.is_on(),
        reason: "in OpenTafl notation a jump captures against a hostile square",
        approximate: |it| it.jump_hostile = Switch::On,
    },
    Unsayable {
        field: "chain",
        holds: |it| it.chain == Chain::Optional,
        reason: "OpenTafl notation has no chains or forced ones",
        approximate: |it| it.chain = Chain::Forced,
    },
    Unsayable {
        field: "no_move",
        holds: |it| it.no_move == NoMove::Draw,
        reason: "in OpenTafl notation a side without a move loses",
        approximate: |it| it.no_move = NoMove::Loses,
    },
    Unsayable {
        field: "repetition",
        holds: |it| !matches!(it.repetition, Repetition::Off | Repetition::Draw),
        reason: "OpenTafl notation has no word for the side that loses by repetition",
        approximate: |it| it.repetition = Repetition::Off,
    },
    Unsayable {
        field: "repetition_occurrence",
        holds: |it| it.repetition != Repetition::Off && it.repetition_occurrence != 3,
        reason: "in OpenTafl notation the third occurrence decides",
        approximate: |it| it.repetition_occurrence = 3,
    },
    Unsayable {
        field: "king_capture",
        holds: |it| it.king_capture == KingCapture::TwoSidesOffThrone,
        reason: "in OpenTafl notation a king who is strong on the throne is so beside it",
        approximate: |it| it.king_capture = KingCapture::TwoSidesAwayFromThrone,
    },
    Unsayable {
        field: "captureless_limit",
        holds: |it| it.captureless_limit.is_some(),
        reason: "OpenTafl notation has no such limit",
        approximate: |it| it.captureless_limit = None,
    },
    Unsayable {
        field: "match",
        holds: |it| it.match_format == MatchFormat::TwoSets,
        reason: "OpenTafl notation has single games only",
        approximate: |it| it.match_format = MatchFormat::Single,
    },
];

/// Gives a field whose value no key can represent the one that is nearest in `OpenTafl`, which makes other rules.
pub fn approximate(ruleset: &mut Ruleset, field: &str) {
    let found = UNSAYABLE.iter().find(|it| it.field == field);
    if let Some(unsayable) = found.filter(|it| (it.holds)(ruleset)) {
        (unsayable.approximate)(ruleset);
    }
}
