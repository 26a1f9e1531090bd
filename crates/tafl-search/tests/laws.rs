//! What holds of every search, whatever the position.

use crate::hash_evaluator::HashEvaluator;
use crate::support::{ALGORITHMS, game, reference, rules};
use tafl_rules::{Game, Move, Side};
use tafl_search::{
    Evaluation, Evaluator, Leaf, Mode, MoverWdl, RootStats, Search, SearchConfig, Step,
    UniformEvaluator, run,
};

const RULESETS: [&str; 3] = ["brandubh", "copenhagen", "berserk-2017"];

fn assert_lawful(stats: &RootStats, game: &Game, budget: u32) {
    let legal = game.legal();
    assert!(
        stats
            .moves
            .iter()
            .map(|root| root.mv)
            .is_sorted_by_key(|mv| {
                let place = legal.iter().position(|legal| *legal == mv);
                place.expect("a legal move")
            })
    );
    for &mv in &legal {
        let considered = stats.moves.iter().any(|root| root.mv == mv);
        assert!(considered || loses_at_once(game, mv), "{mv} is left out");
    }
    let sum = |value: fn(&tafl_search::RootMove) -> f32| stats.moves.iter().map(value).sum::<f32>();
    assert!((sum(|root| root.policy) - 1.0).abs() < 1e-4);
    assert!((sum(|root| root.prior) - 1.0).abs() < 1e-4);
    assert!(
        stats
            .moves
            .iter()
            .all(|root| root.policy >= 0.0 && root.prior >= 0.0)
    );
    assert!(stats.moves.iter().any(|root| root.mv == stats.chosen));
    for wdl in stats
        .moves
        .iter()
        .filter_map(|root| root.wdl)
        .chain([stats.value, stats.network_value])
    {
        assert!(
            (wdl.win + wdl.draw + wdl.loss - 1.0).abs() < 1e-4,
            "{wdl:?}"
        );
        let all = [wdl.win, wdl.draw, wdl.loss];
        assert!(all.iter().all(|it| (0.0..=1.0).contains(it)), "{wdl:?}");
    }
    assert!(
        stats
            .moves
            .iter()
            .all(|root| root.wdl.is_some() || root.visits == 0)
    );
    let budget = if stats.moves.len() == 1 { 1 } else { budget };
    assert!(stats.visits == budget || stats.proven.is_some() && stats.visits < budget);
}

/// Returns whether the opponent wins before the mover's next turn.
fn loses_at_once(game: &Game, mv: Move) -> bool {
    let side = game.position().side();
    let mut after = game.clone();
    after.play(mv).expect("legal");
    let wins =
        |game: &Game| game.outcome().map(|outcome| outcome.winner) == Some(Some(side.opponent()));
    let rules = after.rules();
    wins(&after)
        || after.position().side() != side && rules.plies_to_decide_king(after.position()).is_some()
}

#[test]
fn every_search_of_a_game_obeys_the_laws() {
    for ruleset in RULESETS {
        for config in [SearchConfig::gumbel(24), SearchConfig::puct(24)] {
            let game = Game::new(rules(ruleset));
            let mut search = Search::new(&config, game, Mode::SelfPlay, 3);
            for _ in 0..120 {
                if search.game().outcome().is_some() {
                    break;
                }
                let stats = run(&mut search, &mut HashEvaluator);
                assert_lawful(&stats, search.game(), 24);
                assert_eq!(stats, search.root_stats(), "asking twice changes nothing");
                search
                    .advance(stats.chosen)
                    .expect("the chosen move is legal");
            }
        }
    }
}

/// Is all but certain of the winner.
struct SureEvaluator(Side);

impl Evaluator for SureEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        HashEvaluator.evaluate(leaves, evaluations);
        for (evaluation, leaf) in evaluations.iter_mut().zip(leaves) {
            evaluation.wdl = MoverWdl::certain(Some(self.0), leaf.game.position().side());
        }
    }
}

#[test]
fn means_of_certain_results_are_probabilities() {
    let of_both = |algorithm| Side::ALL.map(|side| (algorithm, side));
    for (algorithm, side) in ALGORITHMS.into_iter().flat_map(of_both) {
        let game = Game::new(rules("copenhagen"));
        let mut search = Search::new(&reference(algorithm, 40), game, Mode::SelfPlay, 7);
        for _ in 0..60 {
            if search.game().outcome().is_some() {
                break;
            }
            let stats = run(&mut search, &mut SureEvaluator(side));
            assert_lawful(&stats, search.game(), 40);
            search.advance(stats.chosen).expect("a legal move");
        }
    }
}

#[test]
fn visits_of_a_fresh_root_sum_to_the_budget() {
    for algorithm in ALGORITHMS {
        for visits in [1, 2, 16, 100] {
            let game = Game::new(rules("copenhagen"));
            let mut search = Search::new(&reference(algorithm, visits), game, Mode::SelfPlay, 5);
            let stats = run(&mut search, &mut HashEvaluator);
            assert_eq!(
                stats.moves.iter().map(|root| root.visits).sum::<u32>(),
                visits
            );
            assert_eq!(stats.visits, visits);
        }
    }
}

#[test]
fn a_search_goes_on_at_its_root_with_another_budget_and_all_it_knows() {
    for algorithm in ALGORITHMS {
        let game = Game::new(rules("copenhagen"));
        let config = reference(algorithm, 60);
        let mut search = Search::new(&config, game, Mode::Match, 5);
        let first = run(&mut search, &mut HashEvaluator);
        assert_eq!(search.visits_done(), 60);
        search.set_visits(40);
        search.search_on();
        let second = run(&mut search, &mut HashEvaluator);
        assert_eq!((second.visits, search.visits_done()), (100, 100));
        let sum = |stats: &RootStats| stats.moves.iter().map(|root| root.visits).sum::<u32>();
        assert_eq!([sum(&first), sum(&second)], [60, 100]);
        let kept = first.moves.iter().zip(&second.moves);
        assert!(
            kept.clone()
                .all(|(before, now)| before.visits <= now.visits)
        );
    }
}

#[test]
fn the_line_after_a_move_begins_with_it_and_can_be_played() {
    for algorithm in ALGORITHMS {
        let game = Game::new(rules("berserk-2017"));
        let config = reference(algorithm, 200);
        let mut search = Search::new(&config, game.clone(), Mode::Match, 5);
        assert_eq!(search.line_after("d1-d2".parse().expect("a move"), 9), []);
        let stats = run(&mut search, &mut HashEvaluator);
        assert_eq!(search.line(9), search.line_after(stats.chosen, 9));
        for root in &stats.moves {
            let line = search.line_after(root.mv, 9);
            assert_eq!(line.first(), Some(&root.mv));
            assert!(
                root.visits > 0 || line.len() == 1,
                "nothing is known beyond it"
            );
            let mut game = game.clone();
            for mv in line {
                game.play(mv).expect("legal");
            }
        }
        let nowhere = "a1-a2".parse().expect("a move");
        assert_eq!(search.line_after(nowhere, 9), []);
    }
}

#[test]
fn one_seed_gives_one_search_and_another_seed_another() {
    for algorithm in ALGORITHMS {
        let stats = |seed, mode| {
            let game = Game::new(rules("brandubh"));
            run(
                &mut Search::new(&reference(algorithm, 64), game, mode, seed),
                &mut HashEvaluator,
            )
        };
        assert_eq!(stats(1, Mode::SelfPlay), stats(1, Mode::SelfPlay));
        assert_ne!(
            stats(1, Mode::SelfPlay).moves,
            stats(2, Mode::SelfPlay).moves
        );
        assert_eq!(
            stats(1, Mode::Match),
            stats(2, Mode::Match),
            "no randomness in a match"
        );
    }
}

#[test]
fn searches_in_one_batch_do_not_touch_each_other() {
    for algorithm in ALGORITHMS {
        let new = |seed| {
            let game = Game::new(rules("copenhagen"));
            Search::new(&reference(algorithm, 40), game, Mode::SelfPlay, seed)
        };
        let alone: Vec<RootStats> = (0..5)
            .map(|seed| run(&mut new(seed), &mut HashEvaluator))
            .collect();
        let mut searches: Vec<Search> = (0..5).map(new).collect();
        let mut evaluations: Vec<Evaluation> = Vec::new();
        for turn in 0.. {
            let mut waiting: Vec<&mut Search> = Vec::new();
            for search in &mut searches {
                if search.select() == Step::Evaluate {
                    waiting.push(search);
                }
            }
            if waiting.is_empty() {
                break;
            }
            if turn % 2 == 1 {
                waiting.reverse();
            }
            let leaves: Vec<_> = waiting.iter().map(|search| search.leaf()).collect();
            HashEvaluator.evaluate(&leaves, &mut evaluations);
            for (search, evaluation) in waiting.into_iter().zip(&evaluations) {
                search.expand(evaluation);
            }
        }
        let together: Vec<RootStats> = searches.iter().map(Search::root_stats).collect();
        assert_eq!(alone, together);
    }
}

#[test]
fn a_forced_move_costs_one_visit() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . . . . . . .
        . t K t . . .";
    for algorithm in ALGORITHMS {
        let game = game("brandubh", Side::Defender, board);
        let mut search = Search::new(&reference(algorithm, 30), game, Mode::SelfPlay, 1);
        let stats = run(&mut search, &mut UniformEvaluator);
        assert_eq!((stats.moves.len(), stats.visits), (1, 1));
        assert!((stats.moves[0].policy - 1.0).abs() < 1e-6);
    }
}

#[test]
fn the_game_stays_at_the_root_and_an_illegal_move_changes_nothing() {
    let mut search = Search::new(
        &SearchConfig::gumbel(8),
        Game::new(rules("brandubh")),
        Mode::Match,
        1,
    );
    let mut evaluations = Vec::new();
    while search.select() == Step::Evaluate {
        assert!(search.game().moves().is_empty());
        assert_eq!(search.select(), Step::Evaluate, "select repeats its answer");
        HashEvaluator.evaluate(&[search.leaf()], &mut evaluations);
        search.expand(&evaluations[0]);
    }
    let stats = search.root_stats();
    assert!(search.advance(tafl_rules::Move::END).is_err());
    assert_eq!(stats, search.root_stats());
}

/// Says the same of every position, whoever is to move: what the attackers may expect.
struct ConstantEvaluator {
    attackers_win: f32,
    defenders_win: f32,
}

impl Evaluator for ConstantEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        let attackers = MoverWdl {
            win: self.attackers_win,
            draw: 1.0 - self.attackers_win - self.defenders_win,
            loss: self.defenders_win,
        };
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| Evaluation {
            logits: vec![0.0; leaf.moves.len()],
            wdl: match leaf.game.position().side() {
                Side::Attacker => attackers,
                Side::Defender => attackers.for_opponent(),
            },
            moves_left: 40.0,
        }));
    }
}

#[test]
fn values_keep_their_side_through_chains() {
    // The knight takes e6 and may go on over f7; the king is far from any corner.
    let board = "
        . . . t t t t t . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        t . . . . T . . . . t
        t . . . . t . . . . t
        t . . T t K T . . . t
        t . . T N T T . . . t
        t . . . . T . . . . t
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . t t t t t . . .";
    let jump = "e5"
        .parse()
        .ok()
        .zip("e7".parse().ok())
        .and_then(|(from, to)| Move::new(from, to));
    let jump = jump.expect("a move");
    let mut evaluator = ConstantEvaluator {
        attackers_win: 0.6,
        defenders_win: 0.1,
    };
    for algorithm in ALGORITHMS {
        let start = game("berserk-2024", Side::Defender, board);
        let mut search = Search::new(&reference(algorithm, 300), start, Mode::Match, 1);
        for root in ["before the chain", "inside the chain"] {
            assert_eq!(search.game().position().side(), Side::Defender, "{root}");
            let stats = run(&mut search, &mut evaluator);
            assert!(stats.moves.iter().all(|root| root.proven.is_none()));
            for wdl in stats
                .moves
                .iter()
                .filter_map(|root| root.wdl)
                .chain([stats.value])
            {
                assert!(
                    (wdl.win - 0.1).abs() < 1e-4 && (wdl.loss - 0.6).abs() < 1e-4,
                    "{root}"
                );
            }
            if root == "before the chain" {
                search.advance(jump).expect("the knight jumps");
                assert!(search.game().position().chain().is_some());
            }
        }
        let moves = search.root_stats().moves;
        assert!(moves.iter().any(|root| root.mv == Move::END) && moves.len() >= 2);
    }
}

#[test]
fn a_search_begun_anew_is_a_new_search() {
    for (first, second) in [
        (SearchConfig::gumbel(40), SearchConfig::puct(60)),
        (SearchConfig::puct(40), SearchConfig::gumbel(60)),
    ] {
        let game = Game::new(rules("copenhagen"));
        let mut search = Search::new(&first, game, Mode::SelfPlay, 3);
        for ply in 0..6 {
            let chosen = run(&mut search, &mut HashEvaluator).chosen;
            search.advance(chosen).expect("legal");
            // Half a search is as good a beginning as none.
            for _ in 0..ply {
                if search.select() == Step::Evaluate {
                    let mut evaluations = Vec::new();
                    HashEvaluator.evaluate(&[search.leaf()], &mut evaluations);
                    search.expand(&evaluations[0]);
                }
            }
            let _ = search.select();
            let (mode, seed) = (Mode::SelfPlay, 100 + ply);
            search.begin_anew(&second, mode, seed);
            let mut new = Search::new(&second, search.game().clone(), mode, seed);
            assert_eq!(
                run(&mut search, &mut HashEvaluator),
                run(&mut new, &mut HashEvaluator)
            );
            search.begin_anew(&first, mode, seed);
        }
    }
}
