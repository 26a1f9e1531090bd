//! Ends that depend on more than the board, seen inside the tree: repetition and the captureless limit.

use crate::exhaustive::moves_of;
use crate::support::{ALGORITHMS, considering_all};
use std::num::NonZeroU32;
use std::sync::Arc;
use tafl_rules::{Game, Move, Repetition, Rules, Ruleset, Setup, Side, preset};
use tafl_search::{Mode, Proof, RootMove, RootStats, Search, UniformEvaluator, run};

fn rules(change: impl FnOnce(&mut Ruleset)) -> Arc<Rules> {
    let mut ruleset = preset("brandubh").expect("a preset");
    change(&mut ruleset);
    Rules::new(ruleset).expect("a sound ruleset")
}

/// Starts from the ruleset's first board, where nobody wins soon, with so many plies since a capture.
fn start(rules: &Arc<Rules>, side: Side, captureless: u32) -> Game {
    let setup = Setup {
        captureless,
        ..Setup::of(&rules.start(), rules.shape()).with_side(side)
    };
    Game::from_setup(rules.clone(), &setup).expect("a playable board")
}

/// Runs both algorithms so that every move of the root is looked at.
fn solve(game: &Game, visits: u32, check: impl Fn(&mut Search, &RootStats)) {
    for algorithm in ALGORITHMS {
        let config = considering_all(algorithm, visits);
        let mut search = Search::new(&config, game.clone(), Mode::Match, 1);
        search.keep_tree();
        let stats = run(&mut search, &mut UniformEvaluator);
        check(&mut search, &stats);
    }
}

fn find(stats: &RootStats, mv: Move) -> &RootMove {
    let found = stats.moves.iter().find(|root| root.mv == mv);
    found.expect("a legal move")
}

/// Two plies of each side there and back, so that the eighth makes the third occurrence.
fn shuffle(first: Side) -> [Move; 4] {
    let mv = |text: &str| text.parse::<Move>().expect("a move");
    let (attackers, defenders) = (["d7-c7", "c7-d7"], ["d5-c5", "c5-d5"]);
    let (a, b) = match first {
        Side::Attacker => (attackers, defenders),
        Side::Defender => (defenders, attackers),
    };
    [mv(a[0]), mv(b[0]), mv(a[1]), mv(b[1])]
}

const REPETITIONS: [(Repetition, Option<Side>); 3] = [
    (Repetition::Draw, None),
    (Repetition::Attackers, Some(Side::Defender)),
    (Repetition::Defenders, Some(Side::Attacker)),
];

#[test]
fn the_move_that_makes_the_third_occurrence_ends_the_game_in_the_tree() {
    for (repetition, winner) in REPETITIONS {
        let rules = rules(|ruleset| ruleset.repetition = repetition);
        for first in Side::ALL {
            let mut game = start(&rules, first, 0);
            let cycle = shuffle(first);
            for mv in cycle.iter().chain(&cycle[..3]) {
                game.play(*mv).expect("a legal move");
            }
            solve(&game, 400, |_, stats| {
                let repeats = find(stats, cycle[3]);
                assert_eq!(repeats.proven, Some(Proof { winner, plies: 0 }));
                let mover = game.position().side();
                let value = repeats.wdl.expect("proven").value();
                let expected =
                    winner.map_or(0.0, |winner| if winner == mover { 1.0 } else { -1.0 });
                assert!((value - expected).abs() < 1e-6);
                if winner == Some(mover) {
                    assert_eq!(stats.chosen, cycle[3], "the shortest win");
                } else if winner.is_some() {
                    assert!(stats.chosen != cycle[3] && repeats.policy == 0.0);
                }
            });
            // The same board without what came before is nothing special.
            let position = *game.position();
            solve(
                &Game::from_position(rules.clone(), position),
                400,
                |_, stats| {
                    assert_eq!(find(stats, cycle[3]).proven, None);
                },
            );
        }
    }
}

#[test]
fn the_third_occurrence_is_seen_two_plies_ahead() {
    for (repetition, winner) in REPETITIONS {
        let rules = rules(|ruleset| ruleset.repetition = repetition);
        for first in Side::ALL {
            let mut game = start(&rules, first, 0);
            let cycle = shuffle(first);
            for mv in cycle.iter().chain(&cycle[..2]) {
                game.play(*mv).expect("a legal move");
            }
            solve(&game, 20_000, |search, stats| {
                // A repetition that wins for the one who makes it refutes the move before.
                if winner == Some(first.opponent()) {
                    let lost = Some(Proof { winner, plies: 1 });
                    assert_eq!(find(stats, cycle[2]).proven, lost);
                    assert_ne!(stats.chosen, cycle[2]);
                }
                search.set_visits(0);
                search.advance(cycle[2]).expect("a legal move");
                let kept = run(search, &mut UniformEvaluator);
                let repeats = find(&kept, cycle[3]);
                assert_eq!(repeats.proven, Some(Proof { winner, plies: 0 }));
            });
        }
    }
}

#[test]
fn the_captureless_limit_is_a_draw_in_the_tree_and_a_capture_sets_it_back() {
    let rules = rules(|ruleset| ruleset.captureless_limit = NonZeroU32::new(100));
    for side in Side::ALL {
        for (captureless, plies) in [(99, 1), (98, 2)] {
            let game = start(&rules, side, captureless);
            solve(&game, 8_000, |_, stats| {
                let mut drawn = 0;
                for root in &stats.moves {
                    let mut after = game.clone();
                    after.play(root.mv).expect("a legal move");
                    let draw = Proof {
                        winner: None,
                        plies: plies - 1,
                    };
                    let ends = is_drawn_within(&after, plies - 1);
                    assert_eq!(root.proven, ends.then_some(draw), "{side} {root:?}");
                    drawn += usize::from(ends);
                }
                let others = stats.moves.len() - drawn;
                assert!(
                    drawn > 0 && (others > 0) == (plies == 2),
                    "{side}: {drawn}, {others}"
                );
            });
        }
        solve(&start(&rules, side, 0), 400, |_, stats| {
            let proven = stats.moves.iter().find(|root| root.proven.is_some());
            assert_eq!(proven, None);
        });
    }
}

/// Returns whether every line of so many plies ends in a draw.
fn is_drawn_within(game: &Game, plies: u16) -> bool {
    if let Some(outcome) = game.outcome() {
        return outcome.winner.is_none();
    }
    plies > 0
        && moves_of(game).into_iter().all(|mv| {
            let mut after = game.clone();
            after.play(mv).expect("a legal move");
            is_drawn_within(&after, plies - 1)
        })
}
