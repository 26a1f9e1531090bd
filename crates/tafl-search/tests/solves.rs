//! Wins that must be found and losses that must be avoided, on drawn boards.

use crate::support::{ALGORITHMS, game, reference};
use tafl_rules::{Game, Move, Side};
use tafl_search::{Mode, Proof, RootStats, Search, SearchConfig, UniformEvaluator, run};

fn mv(text: &str) -> Move {
    let (from, to) = text.split_once('-').expect("a dash");
    Move::new(
        from.parse().expect("a square"),
        to.parse().expect("a square"),
    )
    .expect("one line")
}

fn search(config: &SearchConfig, game: &Game) -> RootStats {
    run(
        &mut Search::new(config, game.clone(), Mode::Match, 7),
        &mut UniformEvaluator,
    )
}

/// Runs both algorithms, with a look at none, one and two plies, and hands on what they found.
fn solve(game: &Game, visits: u32, check: impl Fn(&RootStats)) {
    for algorithm in ALGORITHMS {
        for lookahead_plies in 0..=2 {
            let visits = if lookahead_plies > 0 { 200 } else { visits };
            let stats = search(
                &SearchConfig {
                    lookahead_plies,
                    ..reference(algorithm, visits)
                },
                game,
            );
            let sum: f32 = stats.moves.iter().map(|root| root.policy).sum();
            assert!(
                (sum - 1.0).abs() < 1e-5,
                "{algorithm:?}: the policy sums to {sum}"
            );
            check(&stats);
        }
    }
}

fn policy(stats: &RootStats, mv: Move) -> f32 {
    stats
        .moves
        .iter()
        .find(|root| root.mv == mv)
        .expect("a legal move")
        .policy
}

fn wins_in_one(game: &Game, winner: Side) {
    solve(game, 200, |stats| {
        assert_eq!(
            stats.proven,
            Some(Proof {
                winner: Some(winner),
                plies: 1
            })
        );
        assert!((policy(stats, stats.chosen) - 1.0).abs() < 1e-6);
        assert!((stats.value.win - 1.0).abs() < 1e-6 && stats.visits <= 200);
        let mut game = game.clone();
        game.play(stats.chosen).expect("a legal move");
        assert_eq!(
            game.outcome().and_then(|outcome| outcome.winner),
            Some(winner)
        );
    });
}

/// Every move but `only` loses at once, and the search knows it.
fn must_play(game: &Game, only: &str) {
    solve(game, 4_000, |stats| {
        assert_eq!(stats.chosen, mv(only));
        let lost = Some(game.position().side().opponent());
        for root in stats.moves.iter().filter(|root| root.mv != mv(only)) {
            // A deep search may find that the only defense loses too, only later.
            let taught = stats.proven.is_none() && root.policy > 0.0;
            assert!(
                root.proven
                    .is_none_or(|proof| proof.winner == lost && !taught),
                "{root:?}"
            );
        }
    });
    let moves = game.legal();
    for other in moves.into_iter().filter(|&other| other != mv(only)) {
        let mut game = game.clone();
        game.play(other).expect("a legal move");
        let side = game.position().side();
        wins_in_one(&game, side);
    }
}

#[test]
fn king_beside_an_open_way_to_a_corner_wins_in_brandubh() {
    let board = "
        . . . t . . .
        . . . . . . .
        . . . . . . .
        t . . . . . t
        . . . . . . .
        . . . T . . .
        . . t . K . .";
    wins_in_one(&game("brandubh", Side::Defender, board), Side::Defender);
}

#[test]
fn attackers_take_the_king_between_two_in_brandubh() {
    let board = "
        . . . . . . .
        . t K . . . .
        . . . . . . .
        . . . . . . .
        . . . . . T .
        . . . t . . .
        . . . . t . .";
    wins_in_one(&game("brandubh", Side::Attacker, board), Side::Attacker);
}

#[test]
fn attackers_block_the_only_open_way_in_brandubh() {
    let board = "
        . . . . . . .
        . . . . . t .
        . t . . . . .
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . . . K t . .";
    must_play(&game("brandubh", Side::Attacker, board), "b5-b1");
}

#[test]
fn two_open_ways_are_proven_lost_for_the_attackers() {
    let board = "
        . . . . . . .
        . . . . . t .
        . t . . . . .
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . . . K . . .";
    let game = game("brandubh", Side::Attacker, board);
    solve(&game, 20_000, |stats| {
        assert_eq!(
            stats.proven,
            Some(Proof {
                winner: Some(Side::Defender),
                plies: 2
            })
        );
        assert!((stats.value.loss - 1.0).abs() < 1e-6);
    });
}

#[test]
fn defenders_leave_no_capture_of_their_king_in_brandubh() {
    let board = "
        . . . . . . .
        . t K . . . .
        . . . . . . .
        . . . . . . .
        . . . . . T .
        . . . t . . .
        . . . . t . .";
    let game = game("brandubh", Side::Defender, board);
    solve(&game, 4_000, |stats| {
        let mut game = game.clone();
        game.play(stats.chosen).expect("a legal move");
        let replies = game.legal();
        let mark = game.mark();
        for reply in replies {
            game.play_unchecked(reply);
            assert_eq!(game.outcome(), None, "{:?} {reply:?}", stats.chosen);
            game.rewind(&mark);
        }
    });
}

#[test]
fn king_on_the_open_edge_wins_in_copenhagen() {
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . t . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        t . . . . . . . . . .
        . . . T . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . t . . . . K . . .";
    wins_in_one(&game("copenhagen", Side::Defender, board), Side::Defender);
}

#[test]
fn fourth_attacker_takes_the_king_in_copenhagen() {
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . t . . . . . . .
        . . t K t . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . t . . . T . . .
        . . . . . . . . . . .
        . . . . . . . . . . .";
    wins_in_one(&game("copenhagen", Side::Attacker, board), Side::Attacker);
}

#[test]
fn attackers_block_the_only_open_edge_in_copenhagen() {
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . t . . .
        . . . . . . . . . . .
        . . t . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . T . . . . . .
        . . . . K t . . . . .";
    must_play(&game("copenhagen", Side::Attacker, board), "c7-c1");
}

/// The king takes b1 against the corner and goes on to it: two plies by one side.
const CHAIN_TO_THE_CORNER: &str = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . t . . . .
        . . . . . . . T . . .
        . . . . . . . . . c .
        . . t . . . . . . . .
        . t K t . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . t . . t . . . . . .";

#[test]
fn a_chain_that_ends_in_a_corner_is_a_win_of_the_side_that_moves_twice() {
    let game = game("berserk-2024", Side::Defender, CHAIN_TO_THE_CORNER);
    solve(&game, 4_000, |stats| {
        assert_eq!(stats.chosen, mv("c5-c1"));
        assert_eq!(
            stats.proven,
            Some(Proof {
                winner: Some(Side::Defender),
                plies: 2
            })
        );
    });
    let config = SearchConfig {
        lookahead_plies: 0,
        ..SearchConfig::gumbel(4_000)
    };
    let mut search = Search::new(&config, game, Mode::Match, 1);
    let _ = run(&mut search, &mut UniformEvaluator);
    assert_eq!(search.line(9), [mv("c5-c1"), mv("c1-a1")]);
    search.advance(mv("c5-c1")).expect("a legal move");
    assert_eq!(
        search.game().position().side(),
        Side::Defender,
        "the chain goes on"
    );
    let stats = run(&mut search, &mut UniformEvaluator);
    assert_eq!(stats.chosen, mv("c1-a1"));
}
