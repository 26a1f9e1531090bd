//! Random rulesets and positions, rich in captures, edges and ends.

use crate::plain::draw::draw_fields;
use crate::rules::board::ruleset;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};
use tafl_rules::{
    BoardShape, Escape, Game, Move, Piece, RULESET_NAMES, Rules, Ruleset, Setup, Side, Square,
    ThroneUse,
};

/// Returns all rulesets that come with the crate.
pub(crate) fn all_rulesets() -> Vec<Ruleset> {
    RULESET_NAMES.into_iter().map(ruleset).collect()
}

/// Returns a ruleset with every field drawn by lot, on a board of a random size.
pub(crate) fn random_ruleset(random: &mut impl Rng) -> Ruleset {
    let mut ruleset = draw_fields(&ruleset("copenhagen"), random);
    let size = *[7, 9, 11].choose(random).expect("some");
    let shape = BoardShape::new(size).expect("a size");
    let setup = random_setup(&ruleset, shape, random);
    ruleset.moves_first = setup.side;
    ruleset.start = setup.board();
    ruleset
}

/// Returns a random position of a ruleset on its board.
pub(crate) fn random_setup(ruleset: &Ruleset, shape: BoardShape, random: &mut impl Rng) -> Setup {
    let mut setup = Setup {
        shape,
        pieces: vec![None; shape.squares()],
        side: *Side::ALL.choose(random).expect("some"),
        chain: None,
        captureless: 0,
    };
    if random.random_bool(0.1) {
        place_ring(&mut setup, random);
    } else {
        scatter(&mut setup, ruleset, random);
    }
    setup
}

/// Closes a ring of attackers around a king on the throne, with a few attackers outside.
fn place_ring(setup: &mut Setup, random: &mut impl Rng) {
    let shape = setup.shape;
    let throne = shape.throne();
    let radius = random.random_range(2..=shape.size() / 2);
    let distance = |square: Square| {
        throne.file().abs_diff(square.file()) + throne.rank().abs_diff(square.rank())
    };
    for square in (shape.board() - shape.corners()).squares() {
        let piece = match distance(square) {
            0 => Some(Piece::King),
            near if near < radius => random.random_bool(0.15).then_some(Piece::Defender),
            near if near == radius => Some(Piece::Attacker),
            _ => random.random_bool(0.15).then_some(Piece::Attacker),
        };
        setup.pieces[shape.index(square)] = piece;
    }
}

fn scatter(setup: &mut Setup, ruleset: &Ruleset, random: &mut impl Rng) {
    let shape = setup.shape;
    let corners_are_special = ruleset.escape == Escape::Corners;
    let mut free: Vec<Square> = shape.board().squares().collect();
    free.retain(|square| !corners_are_special || !shape.corners().contains(*square));
    free.shuffle(random);
    // Crowded edges make shieldwalls, forts and stuck pieces.
    if random.random_bool(0.5) {
        free.sort_by_cached_key(|square| {
            !shape.edges().contains(*square) && random.random_bool(0.4)
        });
    }
    let may_begin = |square: &Square| corners_are_special || !shape.edges().contains(*square);
    let king = free
        .iter()
        .position(may_begin)
        .expect("a square for the king");
    setup.pieces[shape.index(free.remove(king))] = Some(Piece::King);
    let all_stop = ruleset.throne_stop == ThroneUse::All;
    free.retain(|square| all_stop || *square != shape.throne());
    let attackers = random.random_range(0..shape.squares() / 3);
    let defenders = random.random_range(0..shape.squares() / 3);
    for (index, square) in free.into_iter().take(attackers + defenders).enumerate() {
        let ranked = ruleset.ranks.is_on() && random.random_bool(0.2);
        let piece = match (index < attackers, ranked) {
            (true, true) => Piece::Commander,
            (true, false) => Piece::Attacker,
            (false, true) => Piece::Knight,
            (false, false) => Piece::Defender,
        };
        setup.pieces[shape.index(square)] = Some(piece);
    }
}

/// Returns a game from the start of the ruleset, or from a random position.
pub(crate) fn random_game(ruleset: &Ruleset, from_start: bool, random: &mut impl Rng) -> Game {
    let rules = Rules::new(ruleset.clone()).expect("a ruleset");
    if from_start {
        return Game::new(rules);
    }
    let setup = random_setup(ruleset, rules.shape(), random);
    Game::from_setup(rules, &setup).expect("a playable position")
}

/// Returns a random legal move, often a capture or the way back; none when the game is over.
pub(crate) fn random_move(game: &Game, random: &mut impl Rng) -> Option<Move> {
    let moves = game.legal();
    let preferred: Vec<Move> = match random.random_range(0..3) {
        0 => moves
            .iter()
            .copied()
            .filter(|mv| captures(game, *mv))
            .collect(),
        1 => moves
            .iter()
            .copied()
            .filter(|mv| goes_back(game, *mv))
            .collect(),
        _ => Vec::new(),
    };
    preferred
        .choose(random)
        .or_else(|| moves.choose(random))
        .copied()
}

fn captures(game: &Game, mv: Move) -> bool {
    let mut after = *game.position();
    !game
        .rules()
        .play_unchecked(&mut after, mv)
        .captured
        .is_empty()
}

fn goes_back(game: &Game, mv: Move) -> bool {
    let played = game.moves();
    let own = played.len().checked_sub(2).map(|index| played[index]);
    own.is_some_and(|own| own.from() == mv.to() && own.to() == mv.from())
}
