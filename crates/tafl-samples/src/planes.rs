//! The input planes.
//!
//! What a position does not need has none: `captureless_reason` and `match` are names for results, `moves_first` and
//! `start` say how games begin.

use crate::Facts;
use ndarray::{ArrayViewMut2, ArrayViewMut3};
use std::num::NonZeroU32;
use std::ops::BitOr;
use tafl_rules::{
    Bitboard, Chain, Escape, HostileTo, KingCapture, NoMove, Piece, Repetition, Rules, Ruleset,
    Side, Square, Switch, ThroneUse,
};

/// The version of the encoding; changes whenever [`encode`] gives other numbers for the same facts.
pub const ENCODING_VERSION: u32 = 6;

/// The versions that networks may have, with how many planes there were; later ones were appended.
pub const ENCODINGS: [(u32, usize); 4] = [(3, 36), (4, 40), (5, 43), (ENCODING_VERSION, PLANES)];

/// Planes of a position.
pub const PLANES: usize = 48;

/// Planes that differ from square to square: the first ones.
pub const MARKED_PLANES: usize = DEFENDERS_REACH + 1;

/// The plane that says who is to move: 1 everywhere for the attackers, else 0.
pub const SIDE_PLANE: usize = ATTACKERS_TO_MOVE;

/// The name of a plane and what its numbers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaneDoc {
    /// A name of lower-case words and underscores, unique among the planes.
    pub name: &'static str,
    /// What the numbers mean.
    pub meaning: &'static str,
}

macro_rules! planes {
    ($($constant:ident $name:literal $meaning:literal,)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "only numbers the planes")]
        enum Index { $($constant,)* }
        $(const $constant: usize = Index::$constant as usize;)*

        /// The planes, in order.
        pub const PLANE_DOCS: [PlaneDoc; PLANES] =
            [$(PlaneDoc { name: $name, meaning: $meaning },)*];
        const NAMES: [&str; PLANES] = [$($name,)*];
    };
}

planes! {
    ATTACKERS "attackers" "1 where an attacking soldier stands",
    COMMANDERS "commanders" "1 where a commander stands",
    DEFENDERS "defenders" "1 where a defending soldier stands",
    KNIGHTS "knights" "1 where the knight stands",
    KING "king" "1 where the king stands",
    THRONE "throne" "1 on the throne",
    GOAL "goal" "1 on the squares to which the king escapes: the corners, or all edge squares",
    CHAIN_PIECE "chain_piece" "1 on the piece that may go on capturing, inside a chain",
    LAST_FROM "last_from" "1 on the square that the last ply left; empty at the start and after `end`",
    LAST_TO "last_to" "1 on the square that the last ply reached; empty at the start and after `end`",
    KING_ONE "king_one" "1 on the free squares to which a straight line of free squares leads from the king; only pieces stop it",
    KING_TWO "king_two" "1 on those, and on the free squares to which such a line leads from one of them; not on the king's own square, which counts as occupied",
    HOME_ONE "home_one" "1 on the free squares from which such a line leads to a free square of `goal`; the king's own square counts as occupied and is never marked",
    HOME_TWO "home_two" "1 on those, and on the free squares from which such a line leads to one of them; never on the king's own square",
    ATTACKERS_REACH "attackers_reach" "1 on the free squares to which a line of free squares leads from a soldier or commander of the attackers",
    DEFENDERS_REACH "defenders_reach" "1 on those to which one leads from a soldier of the defenders or the knight",
    BOARD "board" "1 everywhere, which shows a convolution where the board ends",
    ATTACKERS_TO_MOVE "attackers_to_move" "1 everywhere when the attackers are to move",
    OCCURRED_BEFORE "occurred_before" "1 everywhere when the position occurred at least once before",
    OCCURRED_TWICE "occurred_twice_before" "1 everywhere when it occurred at least twice before",
    CAPTURELESS "captureless" "moves of both sides since the last capture, as a fraction of the ruleset's limit, of 100 where it has none, at most 1",
    CAPTURELESS_LIMIT "captureless_limit" "1 everywhere when the ruleset has a captureless limit",
    SHIELDWALL "shieldwall" "1 everywhere when the ruleset has shieldwall captures, 0.5 when a move to the front of the row captures it, too",
    EDGE_FORT "edge_fort" "1 everywhere when the defenders may win by an edge fort",
    ENCIRCLEMENT "encirclement" "1 everywhere when the attackers may win by encirclement",
    RANKS "ranks" "1 everywhere when there are a knight and commanders, who jump",
    JUMP_HOSTILE "jump_hostile" "1 everywhere when a jump captures against a hostile square",
    CHAIN_OPTIONAL "chain_optional" "1 everywhere when a chain may be ended",
    CHAIN_FORCED "chain_forced" "1 everywhere when a chain must be continued",
    NO_MOVE_DRAW "no_move_draw" "1 everywhere when a side without a legal move draws; 0: it loses",
    REPETITION_DEFENDERS "repetition_defenders" "1 everywhere when the defenders lose by the third occurrence of a position, 2/n when by the n-th, at most 0.9",
    REPETITION_ATTACKERS "repetition_attackers" "1 everywhere when the attackers lose by repetition, with the same numbers",
    REPETITION_DRAW "repetition_draw" "1 everywhere when repetition is a draw, with the same numbers",
    REPETITION_AGGRESSOR "repetition_aggressor" "1 everywhere when the side that had a choice loses by repetition, with the same numbers",
    ESCAPE_EDGES "escape_edges" "1 everywhere when the king escapes to any edge square",
    KING_TWO_SIDES "king_two_sides" "1 everywhere when the king, away from the throne at least, is captured like any piece",
    ATTACKERS_RANDOM "attackers_random" "share of the attackers' moves that are random, as a handicap; 0 in even games",
    DEFENDERS_RANDOM "defenders_random" "the same of the defenders' moves",
    ATTACKERS_ALPHABETA "attackers_alphabeta" "1 divided by the turns that alpha-beta looks ahead if it plays the attackers; 0 otherwise",
    DEFENDERS_ALPHABETA "defenders_alphabeta" "the same for the defenders",
    KING_WEAKER "king_two_sides_anywhere" "1 everywhere when that holds on the throne and beside it too, 0.5 beside it alone; without `king_two_sides`, when three capture him on an edge",
    KING_UNARMED "king_unarmed" "1 everywhere when the king takes no part in captures",
    THRONE_HARMLESS "throne_harmless" "1 everywhere when no piece is captured against the empty throne, 0.25 when the attackers' are, 0.5 when the defenders' are",
    CORNERS_HARMLESS "corners_harmless" "1 everywhere when no piece is captured against a corner to which the king escapes, 0.25 when the attackers' are, 0.5 when the defenders' are",
    THRONE_STOP "throne_stop" "who else may stop on the throne: 1 everywhere for all, 0.5 for the defenders, 0 for none but the king, 0.25 for not even the king",
    THRONE_PASS "throne_pass" "who may not pass over it: 0 everywhere for nobody, 0.25 for the attackers, 0.5 for all but the king, 1 for all",
    KING_STEPS "king_steps" "1 divided by the squares that the king goes at most; 0 without a limit",
    MEN_STEPS "men_steps" "the same of the other pieces",
}

/// The planes with fractions; all others hold 0 and 1 only.
pub const FRACTION_PLANES: [usize; 17] = [
    CORNERS_HARMLESS,
    THRONE_STOP,
    THRONE_PASS,
    KING_STEPS,
    MEN_STEPS,
    THRONE_HARMLESS,
    SHIELDWALL,
    KING_WEAKER,
    REPETITION_DEFENDERS,
    REPETITION_ATTACKERS,
    REPETITION_DRAW,
    REPETITION_AGGRESSOR,
    CAPTURELESS,
    ATTACKERS_RANDOM,
    DEFENDERS_RANDOM,
    ATTACKERS_ALPHABETA,
    DEFENDERS_ALPHABETA,
];

/// The planes of the pieces, in the order of [`tafl_rules::Piece::ALL`].
const PIECES: [usize; 5] = [ATTACKERS, COMMANDERS, DEFENDERS, KNIGHTS, KING];

/// Returns the names of the planes, in order.
pub const fn plane_names() -> &'static [&'static str] {
    &NAMES
}

/// A number of a plane: `f32`, `half::bf16`, or how a network takes it in.
pub trait Plane: Copy {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// Returns the nearest number of this type.
    fn nearest(value: f32) -> Self;
}

impl Plane for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn nearest(value: f32) -> Self {
        value
    }
}

impl Plane for half::bf16 {
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn nearest(value: f32) -> Self {
        Self::from_f32(value)
    }
}

/// Writes the planes of a position into `planes`, `[rank, file, plane]`, from a1 on.
///
/// # Panics
/// If the shape of `planes` is not the board's size, twice, and [`PLANES`], or its numbers do not lie in that order.
pub fn encode<T: Plane>(facts: &Facts, rules: &Rules, planes: ArrayViewMut3<'_, T>) {
    let shape = rules.shape();
    let size = usize::from(shape.size());
    assert_eq!(planes.dim(), (size, size, PLANES), "[rank, file, plane]");
    let numbers = planes.into_slice().expect("planes in memory order");
    let (rows, _) = numbers.as_chunks_mut::<PLANES>();
    rows.fill(constant_planes(facts, rules.ruleset()));
    marks(facts, rules, |square, plane| {
        rows[shape.index(square)][plane] = T::ONE;
    });
}

/// Writes the same planes in a fortieth of the bytes, to be unpacked on a device.
///
/// Bit `p` of `marks[[rank, file]]` is plane `p` of that square, for the first [`MARKED_PLANES`]; the
/// others are the same on all squares and stand in the returned row, where the marked ones are 0.
///
/// # Panics
/// If the shape of `marks` is not the board's, or its numbers do not lie in that order.
pub fn encode_packed(facts: &Facts, rules: &Rules, marks: ArrayViewMut2<'_, u16>) -> [f32; PLANES] {
    let shape = rules.shape();
    let size = usize::from(shape.size());
    assert_eq!(marks.dim(), (size, size), "[rank, file]");
    let marks = marks.into_slice().expect("marks in memory order");
    marks.fill(0);
    self::marks(facts, rules, |square, plane| {
        marks[shape.index(square)] |= 1 << plane;
    });
    constant_planes(facts, rules.ruleset())
}

/// Returns the squares of each plane that differs between squares, and the number that all squares have in each other one.
pub fn plane_sets(facts: &Facts, rules: &Rules) -> ([Bitboard; MARKED_PLANES], [f32; PLANES]) {
    let constant = constant_planes(facts, rules.ruleset());
    (marked(facts, rules), constant)
}

/// Calls `mark` with every square and plane that differ between squares and are 1.
fn marks(facts: &Facts, rules: &Rules, mut mark: impl FnMut(Square, usize)) {
    for (plane, squares) in marked(facts, rules).into_iter().enumerate() {
        squares.squares().for_each(|square| mark(square, plane));
    }
}

/// Returns the squares of the planes that differ between squares.
fn marked(facts: &Facts, rules: &Rules) -> [Bitboard; MARKED_PLANES] {
    let mut sets = [Bitboard::EMPTY; MARKED_PLANES];
    for (plane, squares) in PIECES.into_iter().zip(facts.pieces) {
        sets[plane] = squares;
    }
    sets[THRONE] = rules.throne();
    sets[GOAL] = rules.goals();
    for (squares, plane) in lines(facts, rules) {
        sets[plane] = squares;
    }
    if let Some(square) = facts.chain {
        sets[CHAIN_PIECE] = Bitboard::EMPTY.with(square);
    }
    if let Some(mv) = facts.last_move.filter(|mv| !mv.is_end()) {
        sets[LAST_FROM] = Bitboard::EMPTY.with(mv.from());
        sets[LAST_TO] = Bitboard::EMPTY.with(mv.to());
    }
    sets
}

/// Returns how the king may walk and what the other pieces see: what a small network cannot see at a glance, as lines
/// are as long as the board. Who sees the square behind a piece threatens to take it.
fn lines(facts: &Facts, rules: &Rules) -> [(Bitboard, usize); 6] {
    let of = |kind: Piece| facts.pieces[kind as usize];
    let pieces = facts.pieces.into_iter();
    let occupied = pieces.fold(Bitboard::EMPTY, Bitboard::bitor);
    let open = rules.shape().board() - occupied;
    let attackers = of(Piece::Attacker) | of(Piece::Commander);
    let defenders = of(Piece::Defender) | of(Piece::Knight);
    let king_one = of(Piece::King).lines(open);
    let home_one = (rules.goals() - occupied).lines(open);
    [
        (king_one, KING_ONE),
        (king_one | king_one.lines(open), KING_TWO),
        (home_one, HOME_ONE),
        (home_one | home_one.lines(open), HOME_TWO),
        (attackers.lines(open), ATTACKERS_REACH),
        (defenders.lines(open), DEFENDERS_REACH),
    ]
}

/// Returns the planes that say by a fraction which way a rule goes.
fn shares(ruleset: &Ruleset) -> [(usize, f32); 12] {
    let spares = |to: HostileTo| match to {
        HostileTo::All => 0.0,
        HostileTo::Attackers => 0.25,
        HostileTo::Defenders => 0.5,
        HostileTo::Nobody => 1.0,
    };
    let throne_hostile_to = match ruleset.throne_hostile.is_on() {
        true => ruleset.throne_hostile_to,
        false => HostileTo::Nobody,
    };
    let steps = |limit: Option<NonZeroU32>| limit.map_or(0.0, |limit| 1.0 / limit.get() as f32);
    let stop = match ruleset.throne_stop {
        ThroneUse::None => 0.25,
        ThroneUse::King => 0.0,
        ThroneUse::Defenders => 0.5,
        ThroneUse::All => 1.0,
    };
    let pass = match ruleset.throne_pass {
        ThroneUse::None => 1.0,
        ThroneUse::King => 0.5,
        ThroneUse::Defenders => 0.25,
        ThroneUse::All => 0.0,
    };
    let shieldwall = match (ruleset.shieldwall, ruleset.shieldwall_by_end) {
        (Switch::Off, _) => 0.0,
        (Switch::On, Switch::On) => 1.0,
        (Switch::On, Switch::Off) => 0.5,
    };
    let king_weaker = match ruleset.king_capture {
        KingCapture::FourSides | KingCapture::TwoSidesAwayFromThrone => 0.0,
        KingCapture::TwoSidesOffThrone => 0.5,
        KingCapture::TwoSides | KingCapture::FourSidesThreeOnEdge => 1.0,
    };
    let occurrence = match ruleset.repetition_occurrence {
        3 => 1.0,
        other => (2.0 / other as f32).min(0.9),
    };
    let repetition = |is: Repetition| match ruleset.repetition == is {
        true => occurrence,
        false => 0.0,
    };
    [
        (THRONE_HARMLESS, spares(throne_hostile_to)),
        (CORNERS_HARMLESS, spares(ruleset.corners_hostile_to)),
        (THRONE_STOP, stop),
        (THRONE_PASS, pass),
        (KING_STEPS, steps(ruleset.king_step_limit)),
        (MEN_STEPS, steps(ruleset.men_step_limit)),
        (SHIELDWALL, shieldwall),
        (KING_WEAKER, king_weaker),
        (REPETITION_DEFENDERS, repetition(Repetition::Defenders)),
        (REPETITION_ATTACKERS, repetition(Repetition::Attackers)),
        (REPETITION_DRAW, repetition(Repetition::Draw)),
        (REPETITION_AGGRESSOR, repetition(Repetition::Aggressor)),
    ]
}

/// Returns what every square has in common.
fn constant_planes<T: Plane>(facts: &Facts, ruleset: &Ruleset) -> [T; PLANES] {
    let mut row = [T::ZERO; PLANES];
    let mut set = |plane: usize, on: bool| row[plane] = if on { T::ONE } else { T::ZERO };
    set(BOARD, true);
    set(ATTACKERS_TO_MOVE, facts.side == Side::Attacker);
    set(OCCURRED_BEFORE, facts.occurrences >= 2);
    set(OCCURRED_TWICE, facts.occurrences >= 3);
    set(CAPTURELESS_LIMIT, ruleset.captureless_limit.is_some());
    set(EDGE_FORT, ruleset.edge_fort.is_on());
    set(ENCIRCLEMENT, ruleset.encirclement.is_on());
    set(RANKS, ruleset.ranks.is_on());
    set(JUMP_HOSTILE, ruleset.jump_hostile.is_on());
    set(CHAIN_OPTIONAL, ruleset.chain == Chain::Optional);
    set(CHAIN_FORCED, ruleset.chain == Chain::Forced);
    set(NO_MOVE_DRAW, ruleset.no_move == NoMove::Draw);
    set(ESCAPE_EDGES, ruleset.escape == Escape::Edges);
    set(KING_TWO_SIDES, !ruleset.king_capture.is_by_four());
    set(KING_UNARMED, !ruleset.king_armed.is_on());
    for (plane, value) in shares(ruleset) {
        row[plane] = T::nearest(value);
    }
    let limit = ruleset.captureless_limit.map_or(100, NonZeroU32::get);
    row[CAPTURELESS] = T::nearest((facts.captureless as f32 / limit as f32).min(1.0));
    let planes = [
        [ATTACKERS_RANDOM, ATTACKERS_ALPHABETA],
        [DEFENDERS_RANDOM, DEFENDERS_ALPHABETA],
    ];
    for ([random, alphabeta], [rate, depth]) in planes.into_iter().zip(facts.weakness) {
        row[random] = T::nearest(f32::from(rate) / 255.0);
        row[alphabeta] = T::nearest(if depth == 0 {
            0.0
        } else {
            1.0 / f32::from(depth)
        });
    }
    row
}
