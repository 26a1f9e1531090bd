//! Wins in one to three turns for both sides under every preset, found by trying everything, must be found by search.

use crate::exhaustive::{LastMoves, Solver};
use crate::support::{ALGORITHMS, considering_all, rules};
use tafl_rules::{Game, Move, PRESET_NAMES, RankOrder, Setup, Side};
use tafl_search::{AlphaBeta, Mode, RootStats, Search, SearchConfig, UniformEvaluator, run};

/// Visits in which the wins in one, two and three turns are looked for.
const VISITS: [u32; 3] = [1, 6_000, 1];
/// Positions that the solver of threats may look at before; without it wins in three need a proof of each of a hundred
/// replies by visits.
const SOLVER_POSITIONS: [u32; 3] = [0, 0, 300_000];

/// A position with a forced win.
struct Mate {
    game: Game,
    side: Side,
    turns: u32,
    /// The moves that win in that many turns.
    winning: Vec<Move>,
    line: &'static str,
}

/// Reads `fixtures/mates.txt`, which `examples/mates.rs` writes.
fn mates() -> Vec<Mate> {
    let lines = include_str!("fixtures/mates.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(mate)
        .collect()
}

fn mate(line: &'static str) -> Mate {
    let fields: Vec<&str> = line.split(" | ").collect();
    let [ruleset, side, turns, board, winning] = fields[..] else {
        panic!("five fields in {line:?}");
    };
    let side: Side = side.parse().expect("a side");
    let setup = Setup::from_text(board, RankOrder::HighestFirst).expect("a board");
    let rules = rules(ruleset);
    Mate {
        game: Game::from_setup(rules, &setup.with_side(side)).expect("a playable board"),
        side,
        turns: turns.parse().expect("a number"),
        winning: winning
            .split(' ')
            .map(|mv| mv.parse().expect("a move"))
            .collect(),
        line,
    }
}

/// Searches with all moves considered: with equal priors, which of them are is chance.
fn solve(mate: &Mate, algorithm: &str) -> RootStats {
    let turns = mate.turns as usize;
    let config = SearchConfig {
        solver_positions: SOLVER_POSITIONS[turns - 1],
        ..considering_all(algorithm, VISITS[turns - 1])
    };
    let mut search = Search::new(&config, mate.game.clone(), Mode::Match, 1);
    run(&mut search, &mut UniformEvaluator)
}

#[test]
fn wins_in_one_two_and_three_turns_are_all_found() {
    for algorithm in ALGORITHMS {
        for mate in mates() {
            let stats = solve(&mate, algorithm);
            let winner = stats.proven.map(|proof| proof.winner);
            let (won, line) = (winner == Some(Some(mate.side)), mate.line);
            assert!(won || winner.is_none(), "{algorithm:?}: {line}");
            assert!(
                won || mate.winning.contains(&stats.chosen),
                "{algorithm:?}: {line}"
            );
        }
    }
}

#[test]
fn every_preset_has_wins_for_both_sides_and_they_are_what_they_are_called() {
    for ruleset in PRESET_NAMES.into_iter().chain(["brandubh"]) {
        for side in Side::ALL {
            for turns in 1..=3 {
                let start = format!("{ruleset} | {side} | {turns} | ");
                let found = mates()
                    .iter()
                    .filter(|mate| mate.line.starts_with(&start))
                    .count();
                assert!(found > 0, "{start}");
            }
        }
    }
    // Three turns of a hundred moves take too long for every run.
    for mut mate in mates().into_iter().filter(|mate| mate.turns < 3) {
        let mut solver = Solver::new(mate.side, LastMoves::All);
        let (game, turns) = (&mut mate.game, mate.turns);
        assert!(!solver.wins_within(game, turns - 1), "{}", mate.line);
        for &mv in &mate.winning {
            assert!(solver.wins_by(game, turns, mv), "{}", mate.line);
        }
    }
}

#[test]
fn alpha_beta_finds_wins_at_their_depth() {
    let least = AlphaBeta::WIN - 100;
    let is_quick = |mate: &Mate| mate.turns < 3 || mate.line.starts_with("brandubh");
    let is_slow = std::env::var_os("TAFL_SLOW").is_some();
    for mut mate in mates().into_iter().filter(|it| is_slow || is_quick(it)) {
        let (depth, line) = (2 * mate.turns - 1, mate.line);
        let mut player = AlphaBeta::new(depth, &mate.game.rules().clone());
        let choice = player.choose(&mut mate.game);
        assert!(choice.score >= least, "{choice:?}: {line}");
        assert_eq!(choice.depth, depth, "{choice:?}: {line}");
        // The fixture names wins by the king's fate; others, by a fort for example, are as good.
        if !mate.winning.contains(&choice.mv) {
            mate.game.play(choice.mv).expect("legal");
            let is_won = match mate.game.outcome() {
                Some(outcome) => outcome.winner == Some(mate.side),
                None => player.choose(&mut mate.game).score.abs() >= least,
            };
            assert!(is_won, "{choice:?}: {line}");
        }
    }
}
