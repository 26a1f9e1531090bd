//! The crate and a second, slow implementation of spec.md play the same games in lockstep.
//!
//! After every ply both must agree on the legal moves, the captured squares, the outcome, the board,
//! the side to move, the pending chain, the captureless count and how often the position occurred; and
//! keys must be equal where positions are. `TAFL_SLOW=1` plays ten million plies.

use crate::plain::board::{self, Board, State, Step, at, square};
use crate::plain::game::{Game, Played};
use crate::plain::placements::{self, Scene};
use crate::plain::policies::{self, Policy};
use crate::plain::rulesets;
use crate::plain::tally::Tally;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{
    EndReason, Escape, Move, Outcome, Repetition, Rules, Ruleset, Setup, Side, Switch, ThroneUse,
    preset,
};

/// The crate's game and the plain one.
struct Pair {
    fast: tafl_rules::Game,
    plain: Game,
}

impl Pair {
    fn new(rules: &Arc<Rules>, state: State) -> Self {
        let mut setup = state.board.to_described().with_side(state.side);
        setup.chain = state.chain.map(square);
        setup.captureless = state.captureless;
        let position = rules.position(&setup).expect("placements are playable");
        Self {
            fast: tafl_rules::Game::from_position(rules.clone(), position),
            plain: Game::new(rules.ruleset().clone(), state),
        }
    }

    /// What differs between the two, if anything does.
    fn difference(&self, legal: &[Step]) -> Option<String> {
        let position = self.fast.position();
        let mut fast_moves = self.fast.legal();
        let mut plain_moves: Vec<Move> = legal.iter().map(|step| step.to_move()).collect();
        fast_moves.sort_unstable();
        plain_moves.sort_unstable();
        if fast_moves != plain_moves {
            return Some(format!("moves {fast_moves:?} against {plain_moves:?}"));
        }
        if self.fast.outcome() != self.plain.outcome {
            let (fast, plain) = (self.fast.outcome(), self.plain.outcome);
            return Some(format!("outcome {fast:?} against {plain:?}"));
        }
        let state = &self.plain.state;
        let board = &state.board;
        let fast = board.squares().map(|at| position.piece_at(square(at)));
        if !fast.eq(board.squares().map(|at| board.at(at))) {
            let setup = Setup::of(position, self.fast.rules().shape());
            let text = setup.to_text(tafl_rules::RankOrder::HighestFirst);
            return Some(format!("board {text} against {}", board.text()));
        }
        let goes_on = self.plain.outcome.is_none();
        if goes_on && self.fast.occurrences() as usize != self.plain.occurrences() {
            let (fast, plain) = (self.fast.occurrences(), self.plain.occurrences());
            return Some(format!("occurrences {fast} against {plain}"));
        }
        if position.key() != position.recomputed_key() || square(board.king()) != position.king() {
            return Some("the cached fields of the position".into());
        }
        let fast = (position.captureless(), position.chain().map(at));
        let plain = (state.captureless, state.chain);
        if fast != plain || (self.plain.outcome.is_none() && position.side() != state.side) {
            let side = (position.side(), state.side);
            return Some(format!(
                "count, chain {fast:?} against {plain:?}, side {side:?}"
            ));
        }
        None
    }

    /// A move that the crate would play although the plain legal moves lack it.
    fn intruder(&self, legal: &[Step], rng: &mut Xoshiro256PlusPlus) -> Option<Move> {
        let squares: Vec<_> = self.plain.state.board.squares().collect();
        let [from, to] = [0, 1].map(|_| square(*squares.choose(rng).expect("squares")));
        let mv = Move::new(from, to)?;
        let known = legal.iter().any(|step| step.to_move() == mv);
        let accepted = self.fast.clone().play(mv).is_ok();
        (accepted && !known).then_some(mv)
    }

    /// Plays a legal move in the crate's game and takes it back; later comparisons show whether that left a trace.
    fn try_and_rewind(&mut self, legal: &[Step], rng: &mut Xoshiro256PlusPlus) {
        let mark = self.fast.mark();
        let step = legal.choose(rng).expect("a game that goes on has moves");
        self.fast.play(step.to_move()).expect("a legal move");
        self.fast.rewind(&mark);
    }

    /// Plays one ply in both and compares.
    fn play(&mut self, step: Step) -> (Played, Option<String>) {
        let fast = self.fast.play(step.to_move()).expect("a legal move");
        let played = self.plain.play(step);
        let mut plain: Vec<_> = played.captured.iter().map(|&at| square(at)).collect();
        plain.sort_unstable();
        let captured: Vec<_> = fast.captured.squares().collect();
        if captured != plain {
            return (
                played,
                Some(format!("captured {captured:?} against {plain:?}")),
            );
        }
        if fast.outcome != played.outcome {
            return (played, Some(format!("ply outcome {:?}", fast.outcome)));
        }
        let difference = self.difference(&self.plain.legal());
        (played, difference)
    }

    fn report(&self, what: &str) -> String {
        let (first, _) = self.plain.history.first().copied().unzip();
        let first = first.unwrap_or(self.plain.state);
        let last = self.plain.history.last().map_or(first, |(state, _)| *state);
        format!(
            "{what}\nfrom {} {} by {:?}\nlast ply in {} {} {:?}\n{:?}",
            first.board.text(),
            first.side,
            self.fast.moves(),
            last.board.text(),
            last.side,
            last.chain,
            Ruleset {
                start: first.board.to_described(),
                ..self.plain.rules.clone()
            }
        )
    }
}

/// How a game is drawn.
#[derive(Debug, Clone, Copy)]
struct Plan {
    scene: Scene,
    policy: Policy,
    max_plies: usize,
}

fn draw_plan(rng: &mut Xoshiro256PlusPlus) -> Plan {
    let scene = match rng.random_range(0..100) {
        0..4 => Scene::Start,
        _ => *Scene::ALL[1..].choose(rng).expect("scenes"),
    };
    let decided_soon = matches!(
        scene,
        Scene::Row
            | Scene::Siege
            | Scene::Fort
            | Scene::Ring
            | Scene::Leaps
            | Scene::Chain
            | Scene::Throne
            | Scene::Corners
            | Scene::UnfacedRow
    );
    let captures = decided_soon && rng.random_bool(0.7);
    let policy = match captures {
        true => *[Policy::Captures, Policy::Decides]
            .choose(rng)
            .expect("two"),
        false => *Policy::ALL.choose(rng).expect("policies"),
    };
    let max_plies = match (scene, policy) {
        (Scene::Start, _) => 150,
        _ if captures => 6,
        (_, Policy::Careful) => 24,
        _ => 60,
    };
    Plan {
        scene,
        policy,
        max_plies,
    }
}

/// Plays one game in lockstep.
fn play_game(rules: &Arc<Rules>, plan: Plan, rng: &mut Xoshiro256PlusPlus, tally: &mut Tally) {
    let first = placements::draw(plan.scene, rules.ruleset(), rng);
    let mut pair = Pair::new(rules, first);
    let mut legal = pair.plain.legal();
    let mut keys = Vec::new();
    assert_keys_tell_positions_apart(&pair, &mut keys);
    if let Some(difference) = pair.difference(&legal) {
        panic!("{plan:?} {}", pair.report(&difference));
    }
    while pair.plain.outcome.is_none() && pair.plain.history.len() < plan.max_plies {
        let step = policies::choose(plan.policy, &pair.plain, &legal, rng);
        let before = pair.plain.state;
        if let Some(mv) = pair.intruder(&legal, rng) {
            panic!("{plan:?} {} is accepted: {}", mv, pair.report("intruder"));
        }
        pair.try_and_rewind(&legal, rng);
        let (played, difference) = pair.play(step);
        if let Some(difference) = difference {
            panic!("{plan:?} {}", pair.report(&difference));
        }
        tally.count_ply(rules.ruleset(), &before, step, &played);
        assert_keys_tell_positions_apart(&pair, &mut keys);
        legal = pair.plain.legal();
    }
    tally.count_end(&pair.plain);
}

/// Compares the position's key with the game's earlier ones; what is pending in a chain is no part of it.
fn assert_keys_tell_positions_apart(pair: &Pair, keys: &mut Vec<(Board, Side, u64)>) {
    let position = pair.fast.position();
    let (board, side, key) = (pair.plain.state.board, position.side(), position.key());
    for &(other, other_side, other_key) in keys.iter() {
        let same = (board, side) == (other, other_side);
        assert_eq!(key == other_key, same, "{}", pair.report("key"));
    }
    keys.push((board, side, key));
}

/// Plays games until so many plies are compared; one ruleset a game.
fn play_many(
    seed: u64,
    plies: usize,
    mut draw: impl FnMut(&mut Xoshiro256PlusPlus) -> (Ruleset, Plan),
) -> Tally {
    let slow = std::env::var_os("TAFL_SLOW").is_some();
    let plies = if slow { plies * 40 } else { plies };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut tally = Tally::default();
    while tally.plies < plies {
        let (ruleset, plan) = draw(&mut rng);
        let rules = Rules::new(ruleset).expect("rulesets are playable");
        play_game(&rules, plan, &mut rng, &mut tally);
        tally.count("games");
    }
    tally
}

fn play_preset(name: &str, seed: u64) -> Tally {
    let ruleset = preset(name).expect("a preset");
    let tally = play_many(seed, 20_000, |rng| (ruleset.clone(), draw_plan(rng)));
    tally.assert_seen(
        100,
        &["capture of t", "capture of T", "king-escaped defenders"],
    );
    tally.assert_seen(20, &["against the throne", "two captured"]);
    tally.assert_seen(5, &["king-captured attackers", "king captured by four"]);
    tally
}

/// What happens where there are ranks and chains.
const BERSERK: [&str; 9] = [
    "jump of K",
    "jump of N",
    "jump of c",
    "capture of N",
    "capture of c",
    "chain",
    "end",
    "escape in a chain",
    "repetition attackers",
];
const SHIELDWALLS: [&str; 2] = ["shieldwall by attackers", "shieldwall by defenders"];

#[test]
fn copenhagen_agrees() {
    let tally = play_preset("copenhagen", 1);
    tally.assert_seen(2, &SHIELDWALLS);
    tally.assert_seen(5, &["encirclement attackers", "captureless draw"]);
    tally.assert_seen(20, &["fort defenders", "repetition attackers"]);
}

#[test]
fn copenhagen_tournament_agrees() {
    let tally = play_preset("copenhagen-tournament", 2);
    tally.assert_seen(2, &SHIELDWALLS);
    tally.assert_seen(2, &["no-move draw", "encirclement attackers"]);
}

#[test]
fn fetlar_agrees() {
    let tally = play_preset("fetlar", 3);
    tally.assert_seen(
        5,
        &[
            "encirclement attackers",
            "repetition draw",
            "unfinishable draw",
        ],
    );
}

#[test]
fn berserk_2017_agrees() {
    let tally = play_preset("berserk-2017", 4);
    tally.assert_seen(20, &BERSERK);
    tally.assert_seen(1, &["king captured by two", "aggressor: attackers bound"]);
}

#[test]
fn berserk_2024_agrees() {
    let tally = play_preset("berserk-2024", 5);
    tally.assert_seen(20, &BERSERK);
    tally.assert_seen(1, &["king captured by two", "unfinishable draw"]);
}

#[test]
fn small_boards_agree() {
    for (name, seed) in [("brandubh", 6), ("tablut", 7)] {
        let tally = play_preset(name, seed);
        tally.assert_seen(50, &["king captured by two", "repetition draw"]);
        tally.assert_seen(1, &["unfinishable draw", "no-move defenders"]);
    }
}

#[test]
fn drawn_rulesets_agree() {
    let tally = play_many(8, 90_000, |rng| (rulesets::draw(rng), draw_plan(rng)));
    tally.assert_seen(
        100,
        &["captureless draw", "unfinishable draw", "fort defenders"],
    );
    tally.assert_seen(100, &BERSERK);
    tally.assert_seen(20, &SHIELDWALLS);
    tally.assert_seen(
        100,
        &[
            "repetition attackers",
            "repetition defenders",
            "repetition draw",
        ],
    );
    tally.assert_seen(
        10,
        &[
            "no-move defenders",
            "no-move draw",
            "encirclement attackers",
        ],
    );
    tally.assert_seen(20, &["king captured by four", "king captured by two"]);
    tally.assert_seen(
        20,
        &[
            "king on the throne captured",
            "king beside the throne captured",
        ],
    );
    tally.assert_seen(
        5,
        &[
            "king on the throne captured by two",
            "king beside the throne captured by two",
        ],
    );
    tally.assert_seen(1, &["no-move attackers", "king on an edge captured"]);
}

#[test]
fn drawn_rulesets_agree_about_thrones_corners_rows_and_repetition() {
    let tally = play_many(10, 40_000, |rng| {
        let mut ruleset = rulesets::draw(rng);
        let mut plan = draw_plan(rng);
        let own = [Scene::Throne, Scene::Corners, Scene::UnfacedRow];
        if rng.random_bool(0.8) {
            plan.scene = *own.choose(rng).expect("three");
        }
        let stops = [ThroneUse::Defenders, ThroneUse::All, ThroneUse::All];
        match plan.scene {
            Scene::Throne => ruleset.throne_stop = *stops.choose(rng).expect("three"),
            Scene::UnfacedRow => {
                ruleset.shieldwall = Switch::On;
                ruleset.shieldwall_by_end = rng.random_bool(0.3).into();
            }
            _ => {}
        }
        (ruleset, plan)
    });
    tally.assert_seen(
        20,
        &[
            "attackers stop on the throne",
            "defenders stop on the throne",
            "against the throne",
            "against a corner",
            "row faced by attackers",
            "row faced by defenders",
        ],
    );
    tally.assert_seen(
        5,
        &[
            "king beside the throne captured by two",
            "occurrence 2",
            "occurrence 3",
            "occurrence 4",
            "occurrence 5",
        ],
    );
    tally.assert_seen(3, &["capture on the throne"]);
}

#[test]
fn aggressors_agree() {
    let tally = play_many(9, 26_000, |rng| {
        let plan = Plan {
            scene: *[
                Scene::Threat,
                Scene::Few,
                Scene::Siege,
                Scene::Pen,
                Scene::Duel,
            ]
            .choose(rng)
            .expect("a few"),
            policy: *[Policy::Shuttle, Policy::Careful, Policy::Careful]
                .choose(rng)
                .expect("a few"),
            max_plies: 30,
        };
        let ruleset = rulesets::draw_aggressor(rng);
        match plan.scene {
            Scene::Duel => (rulesets::with_edges_to_flee_to(ruleset), plan),
            _ => (ruleset, plan),
        }
    });
    tally.assert_seen(
        20,
        &["aggressor: defenders bound", "aggressor: attackers bound"],
    );
    tally.assert_seen(3, &["aggressor: both bound"]);
}

/// Plays the moves in lockstep and returns how the game stands.
fn play_drawn(ruleset: Ruleset, drawing: &str, side: Side, moves: &str) -> Option<Outcome> {
    let board = board::read(drawing);
    let start = board.to_described();
    let rules = Rules::new(Ruleset { start, ..ruleset }).expect("playable");
    let first = State {
        board,
        side,
        chain: None,
        captureless: 0,
    };
    let mut pair = Pair::new(&rules, first);
    for mv in moves.split(' ') {
        let mv: Move = mv.parse().expect("a move");
        let (_, difference) = pair.play(Step::Go(at(mv.from()), at(mv.to())));
        assert_eq!(difference, None);
    }
    pair.plain.outcome
}

fn won_by(side: Side, reason: EndReason) -> Option<Outcome> {
    let winner = Some(side);
    Some(Outcome { winner, reason })
}

#[test]
fn a_king_who_can_walk_over_a_corner_to_where_attackers_come_is_in_no_fort() {
    // Attackers reach a2, and the king can walk to it by b1 and a1 (spec.md 4.2, taken by its letter).
    let drawing = "
        . . . . . . .
        . . . . . t .
        t . . . . t .
        . . . . . . .
        T . . . . . .
        . T T . . . .
        . . K T . . .";
    let copenhagen = preset("copenhagen").expect("a preset");
    assert_eq!(
        play_drawn(copenhagen, drawing, Side::Defender, "a3-c3"),
        None
    );
}

#[test]
fn the_defenders_lose_a_cycle_in_which_nobody_has_a_choice() {
    // The king has one move; the attacker beside him must follow to close his row to the edge.
    let drawing = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . t K t . . .
        . t . . . . .
        . . t . . . .";
    let ruleset = Ruleset {
        encirclement: Switch::Off,
        repetition: Repetition::Aggressor,
        escape: Escape::Edges,
        ..preset("copenhagen").expect("a preset")
    };
    let cycle = "c3-c2 d3-d2 c2-c3 d2-d3";
    assert_eq!(
        play_drawn(
            ruleset,
            drawing,
            Side::Defender,
            &format!("{cycle} {cycle}")
        ),
        won_by(Side::Attacker, EndReason::Repetition)
    );
}
