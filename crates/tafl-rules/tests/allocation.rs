//! Nothing is allocated in generating, playing, taking back and judging.

use crate::counting::allocations;
use tafl_rules::{
    EndReason, Game, Perft, Position, RULESET_NAMES, Repetition, RolloutConfig, Rules, Ruleset,
    perft, rollouts,
};

fn names() -> impl Iterator<Item = &'static str> {
    RULESET_NAMES.into_iter()
}

#[test]
fn allocations_are_seen() {
    let mut boxed = None;
    assert_eq!(allocations(|| boxed = Some(Box::new(1))), 1);
    assert_eq!(allocations(|| drop(boxed.take())), 0);
}

#[test]
fn a_position_has_64_bytes() {
    assert_eq!(size_of::<Position>(), 64);
}

#[test]
fn perft_allocates_nothing() {
    for name in names() {
        let rules = Rules::preset(name).expect("a preset");
        for (by_turns, bulk) in [(false, true), (false, false), (true, false)] {
            let how = Perft { by_turns, bulk };
            let count = allocations(|| assert!(perft(&rules, &rules.start(), 3, how) > 0));
            assert_eq!(count, 0, "{name}, {how:?}");
        }
    }
}

#[test]
fn playing_judging_and_taking_back_allocate_nothing() {
    const PLIES: usize = 600;
    for name in names() {
        // The aggressor's rule judges the most: every turn of a cycle and the answers to it.
        for repetition in [Repetition::Off, Repetition::Draw, Repetition::Aggressor] {
            let ruleset = tafl_rules::preset(name).expect("a preset");
            let rules = Rules::new(Ruleset {
                repetition,
                ..ruleset
            })
            .expect("playable");
            let mut game = Game::new(rules);
            game.reserve(PLIES);
            let mut moves = Vec::with_capacity(500);
            let start = game.mark();
            let mut repeated = false;
            let count = allocations(|| {
                for choice in 0..40 {
                    game.rewind(&start);
                    for ply in 0..PLIES {
                        game.legal_moves(&mut moves);
                        // Few different moves, so that positions come again.
                        let wanted = if ply < 30 {
                            choice * 7 + ply * ply
                        } else {
                            ply / 2 % 2
                        };
                        let Some(mv) = moves.get(wanted % moves.len().max(1)) else {
                            break;
                        };
                        assert_eq!(game.rules().moves(game.position()).len(), moves.len());
                        game.play(*mv).expect("a listed move is legal");
                    }
                    let reason = game.outcome().map(|outcome| outcome.reason);
                    repeated |= reason == Some(EndReason::Repetition);
                }
            });
            assert_eq!(count, 0, "{name}, {repetition:?}");
            assert_eq!(
                repeated,
                repetition != Repetition::Off,
                "{name}, {repetition:?}"
            );
        }
    }
}

#[test]
fn random_games_allocate_their_first_room_only() {
    for name in names() {
        let rules = Rules::preset(name).expect("a preset");
        let games = |games| RolloutConfig {
            seed: 7,
            games: 0..games,
            max_plies: 500,
        };
        let few = allocations(|| assert_eq!(rollouts(&rules, &games(1)).games, 1));
        let many = allocations(|| assert_eq!(rollouts(&rules, &games(50)).games, 50));
        assert_eq!(few, many, "{name}");
    }
}
