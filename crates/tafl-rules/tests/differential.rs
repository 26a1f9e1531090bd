//! The crate and a second, slow implementation of spec.md play the same games in lockstep.
//!
//! After every ply both must agree on the legal moves, the captured squares, the outcome, the board,
//! the side to move, the pending chain and the captureless count. `TAFL_SLOW=1` plays ten million plies.

mod plain;

use plain::aggressor::is_bound;
use plain::board::{self, State, Step, at, square};
use plain::captures::is_jump;
use plain::game::{Game, Played};
use plain::placements::{self, Scene};
use plain::policies::{self, Policy};
use plain::rulesets;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::{
    EndReason, Escape, Move, Outcome, Repetition, Rules, Ruleset, Setup, Side, Switch, preset,
};

/// What happened in the games, so that a test can show that it saw the rare rules.
#[derive(Debug, Default)]
struct Tally {
    plies: usize,
    seen: BTreeMap<String, usize>,
}

impl Tally {
    fn count(&mut self, what: &str) {
        *self.seen.entry(what.to_owned()).or_default() += 1;
    }

    fn assert_seen(&self, what: &[&str]) {
        for what in what {
            assert!(self.seen.contains_key(*what), "no {what} among {self:#?}");
        }
    }
}

/// The crate's game and the plain one.
struct Pair {
    fast: tafl_rules::Game,
    plain: Game,
}

impl Pair {
    fn new(rules: &Arc<Rules>, state: State) -> Self {
        let mut setup = state.board.to_setup().with_side(state.side);
        setup.chain = state.chain.map(square);
        let position = rules.position(&setup).expect("placements are playable");
        Self {
            fast: tafl_rules::Game::from_position(rules.clone(), position),
            plain: Game::new(rules.ruleset().clone(), state),
        }
    }

    /// What differs between the two, if anything does.
    fn difference(&self, legal: &[Step]) -> Option<String> {
        let position = self.fast.position();
        let mut fast_moves = Vec::new();
        self.fast.legal_moves(&mut fast_moves);
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
                start: first.board.to_setup(),
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
    let captures = matches!(scene, Scene::Row | Scene::Siege) && rng.random_bool(0.5);
    let policy = match captures {
        true => Policy::Captures,
        false => *Policy::ALL.choose(rng).expect("policies"),
    };
    let max_plies = match (scene, policy) {
        (Scene::Start, _) => 150,
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
        tally.plies += 1;
        count_ply(tally, &before, step, &played);
        legal = pair.plain.legal();
    }
    count_end(tally, &pair.plain);
}

fn count_ply(tally: &mut Tally, before: &State, step: Step, played: &Played) {
    match step {
        Step::End => tally.count("end"),
        Step::Go(from, to) if is_jump(&before.board, from, to) => tally.count("jump"),
        Step::Go(..) => {}
    }
    if played.shieldwall {
        tally.count("shieldwall");
    }
    if played.state.chain.is_some() {
        tally.count("chain");
    }
}

fn count_end(tally: &mut Tally, game: &Game) {
    let Some(outcome) = game.outcome else {
        return tally.count("unfinished");
    };
    let winner = outcome.winner.map_or("draw", Side::name);
    tally.count(&format!("{} {winner}", outcome.reason));
    let aggressor = game.rules.repetition == Repetition::Aggressor;
    if aggressor && outcome.reason == EndReason::Repetition {
        let cycle = last_cycle(game);
        let [attackers, defenders] = Side::ALL.map(|side| is_bound(&game.rules, cycle, side));
        tally.count(match (attackers, defenders) {
            (true, true) => "aggressor: both bound",
            (true, false) => "aggressor: attackers bound",
            (false, true) => "aggressor: defenders bound",
            (false, false) => "aggressor: neither bound",
        });
    }
}

/// The plies since the position was there last.
fn last_cycle(game: &Game) -> &[(State, Step)] {
    let same = |(state, _): &(State, Step)| {
        state.board == game.state.board && state.side == game.state.side
    };
    let begin = game.history.iter().rposition(same).expect("a repetition");
    &game.history[begin..]
}

/// Plays games until so many plies are compared; one ruleset a game.
fn play_many(
    seed: u64,
    plies: usize,
    mut draw: impl FnMut(&mut Xoshiro256PlusPlus) -> (Ruleset, Plan),
) -> Tally {
    let slow = std::env::var_os("TAFL_SLOW").is_some();
    let plies = if slow { plies * 55 } else { plies };
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
    play_many(seed, 12_000, |rng| (ruleset.clone(), draw_plan(rng)))
}

#[test]
fn copenhagen_agrees() {
    let tally = play_preset("copenhagen", 1);
    tally.assert_seen(&["shieldwall", "fort defenders", "encirclement attackers"]);
}

#[test]
fn copenhagen_tournament_agrees() {
    let tally = play_preset("copenhagen-tournament", 2);
    tally.assert_seen(&["shieldwall", "no-move draw"]);
}

#[test]
fn fetlar_agrees() {
    let tally = play_preset("fetlar", 3);
    tally.assert_seen(&["encirclement attackers", "repetition draw"]);
}

#[test]
fn berserk_2017_agrees() {
    let tally = play_preset("berserk-2017", 4);
    tally.assert_seen(&["jump", "chain", "end", "repetition attackers"]);
}

#[test]
fn berserk_2024_agrees() {
    let tally = play_preset("berserk-2024", 5);
    tally.assert_seen(&["jump", "chain", "end", "repetition attackers"]);
}

#[test]
fn small_boards_agree() {
    play_preset("brandubh", 6).assert_seen(&["king-captured attackers", "king-escaped defenders"]);
    play_preset("tablut", 7).assert_seen(&["king-captured attackers", "king-escaped defenders"]);
}

#[test]
fn drawn_rulesets_agree() {
    let tally = play_many(8, 90_000, |rng| (rulesets::draw(rng), draw_plan(rng)));
    tally.assert_seen(&["captureless draw", "unfinishable draw", "no-move draw"]);
    tally.assert_seen(&[
        "no-move attackers",
        "no-move defenders",
        "shieldwall",
        "end",
    ]);
}

#[test]
fn aggressors_agree() {
    let tally = play_many(9, 26_000, |rng| {
        let plan = Plan {
            scene: *[Scene::Threat, Scene::Few, Scene::Siege, Scene::Pen]
                .choose(rng)
                .expect("a few"),
            policy: *[Policy::Shuttle, Policy::Careful, Policy::Careful]
                .choose(rng)
                .expect("a few"),
            max_plies: 30,
        };
        (rulesets::draw_aggressor(rng), plan)
    });
    tally.assert_seen(&["aggressor: defenders bound", "aggressor: attackers bound"]);
}

/// Plays the moves in lockstep and returns how the game stands.
fn play_drawn(ruleset: Ruleset, drawing: &str, side: Side, moves: &str) -> Option<Outcome> {
    let board = board::read(drawing);
    let start = board.to_setup();
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
