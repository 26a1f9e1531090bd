//! What a match promises of its games.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use tafl_arena::{
    Adjudication, ArenaConfig, ArenaError, Match, MatchPlan, MatchProgress, MatchResult,
    MatchWatch, PlannedResult, Player, Verdict, openings, play_match, play_planned, rate,
    read_openings,
};
use tafl_rules::{Game, Rules, Side};
use tafl_samples::EndingReason;
use tafl_search::{Algorithm, Evaluator, PuctConfig, SearchConfig, UniformEvaluator};
use tafl_selfplay::MakeError;

fn config() -> ArenaConfig {
    ArenaConfig {
        openings: 6,
        opening_plies: 4,
        visits: 8,
        max_plies: 120,
        parallel_games: 6,
        workers: 1,
    }
}

fn search(visits: u32) -> SearchConfig {
    let puct = PuctConfig {
        fpu_reduction: 0.0,
        ..PuctConfig::default()
    };
    SearchConfig {
        algorithm: Algorithm::Puct(puct),
        ..SearchConfig::puct(visits)
    }
}

fn uniform() -> Result<Box<dyn Evaluator>, MakeError> {
    Ok(Box::new(UniformEvaluator))
}

fn play(config: &ArenaConfig, players: [&Player<'_>; 2], ruleset: &str, seed: u64) -> MatchResult {
    let rules = Rules::preset(ruleset).unwrap();
    let job = Match {
        config,
        players,
        rules: &rules,
        seed,
        generation: 2,
    };
    let stop = AtomicBool::new(false);
    let watch = MatchWatch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &stop,
    };
    play_match(&job, &watch).unwrap()
}

#[test]
fn the_seed_alone_decides_whatever_the_workers_and_games_at_a_time() {
    let rollouts = Player::rollouts(6);
    let uniform = Player::searcher("uniform", &uniform, search(6));
    let result = |workers, parallel_games, seed| {
        let config = ArenaConfig {
            workers,
            parallel_games,
            ..config()
        };
        play(&config, [&rollouts, &uniform], "brandubh", seed)
    };
    let first = result(1, 6, 1);
    assert_eq!(first, result(1, 2, 1));
    assert_eq!(first, result(2, 5, 1));
    assert_eq!(first, result(9, 64, 1));
    assert_ne!(first, result(1, 6, 2));
}

#[test]
fn every_opening_is_played_twice_with_sides_changed_and_replays() {
    let (greedy, random) = (Player::greedy(), Player::random());
    for ruleset in ["brandubh", "berserk-2024", "copenhagen-tournament"] {
        let result = play(&config(), [&greedy, &random], ruleset, 3);
        assert_eq!(result.games.len(), 12);
        for (pair, games) in result.games.chunks(2).enumerate() {
            let [first, second] = games else {
                panic!("games come in pairs")
            };
            assert_eq!((first.attackers, second.attackers), (0, 1));
            assert_eq!(
                (first.opening(), second.opening()),
                (pair as u64, pair as u64)
            );
            assert_eq!(first.record.plies[..4], second.record.plies[..4]);
            assert_eq!(first.record.attackers, "greedy");
            assert_eq!(second.record.attackers, "random");
        }
        for game in &result.games {
            let mut replay = Game::new(Rules::preset(ruleset).unwrap());
            let mut turns = [0; 2];
            for ply in &game.record.plies {
                let before = *replay.position();
                replay.play(ply.mv).unwrap();
                let goes_on =
                    replay.outcome().is_none() && replay.position().side() == before.side();
                turns[before.side().index()] += u32::from(!goes_on);
            }
            let cut_within_chain = replay.position().chain().is_some();
            assert!(game.turns == turns || cut_within_chain, "{ruleset}");
            assert_eq!(replay.outcome().is_none(), game.record.ending.is_capped());
        }
    }
}

#[test]
fn greedy_beats_random_and_the_interval_says_so() {
    let config = ArenaConfig {
        openings: 40,
        ..config()
    };
    let result = play(
        &config,
        [&Player::greedy(), &Player::random()],
        "brandubh",
        1,
    );
    let (attacks, defends) = (
        result.tally(0, Side::Attacker),
        result.tally(0, Side::Defender),
    );
    assert_eq!((attacks.games(), defends.games()), (40, 40));
    assert!(
        attacks.score() > 0.7 && defends.score() > 0.7,
        "{attacks:?} {defends:?}"
    );
    assert_eq!(result.total(0).wins, result.total(1).losses);
    assert_eq!(result.pair_counts().pairs(), 40);
    let elo = result.elo();
    assert!(elo.low > 100.0 && elo.superiority > 0.999, "{elo:?}");
    let ratings = rate(2, 1, &result.side_results([1, 0], 0), 0).unwrap();
    assert!(ratings.players[1].low > 100.0, "{ratings:?}");
}

#[test]
fn rollouts_beat_random() {
    let rollouts = Player::rollouts(100);
    let config = ArenaConfig {
        openings: 10,
        ..config()
    };
    let result = play(&config, [&rollouts, &Player::random()], "brandubh", 5);
    assert!(result.total(0).score() > 0.8, "{:?}", result.total(0));
}

#[test]
fn capped_games_are_counted_by_themselves_and_score_half() {
    let config = ArenaConfig {
        max_plies: 6,
        ..config()
    };
    let result = play(
        &config,
        [&Player::random(), &Player::random()],
        "copenhagen",
        1,
    );
    let total = result.total(0);
    assert_eq!((total.capped, total.draws, total.games()), (12, 0, 12));
    assert!((total.score() - 0.5).abs() < f64::EPSILON);
    assert_eq!(result.pair_counts().0, [0, 0, 6, 0, 0]);
    assert_eq!(result.set_tally().undecided, 6);
}

#[test]
fn a_player_against_itself_is_even() {
    let uniform = Player::searcher("uniform", &uniform, search(8));
    let result = play(&config(), [&uniform, &uniform], "brandubh", 4);
    // Without randomness both games of an opening are the same, so the sides' results cancel out.
    assert_eq!(result.pair_counts().0, [0, 0, 6, 0, 0]);
    for games in result.games.chunks(2) {
        assert_eq!(games[0].record.plies, games[1].record.plies);
    }
}

#[test]
fn progress_ends_with_all_games() {
    let rules = Rules::preset("brandubh").unwrap();
    let uniform = Player::searcher("uniform", &uniform, search(4));
    let config = config();
    let players = [&uniform, &Player::random()];
    let job = Match {
        config: &config,
        players,
        rules: &rules,
        seed: 1,
        generation: 0,
    };
    let (last, finished) = (Mutex::new(MatchProgress::default()), Mutex::new(0_u64));
    let watch = MatchWatch {
        progress: &|now| *last.lock().unwrap() = now,
        finished: &|_| *finished.lock().unwrap() += 1,
        stop: &AtomicBool::new(false),
    };
    let result = play_match(&job, &watch).unwrap();
    let last = last.into_inner().unwrap();
    assert_eq!((last.games, last.first), (12, result.total(0)));
    let searched: usize = result
        .games
        .iter()
        .map(|game| game.record.plies.len() - 4)
        .sum();
    assert_eq!(last.plies, searched as u64);
    assert!(last.evaluations > last.batches && last.batches > 0);
    assert_eq!(finished.into_inner().unwrap(), 12);
}

#[test]
fn a_stopped_match_returns_what_is_finished_and_counts_whole_pairs() {
    let rules = Rules::preset("brandubh").unwrap();
    let random = Player::random();
    let config = ArenaConfig {
        openings: 500,
        ..config()
    };
    let players = [&random, &random];
    let job = Match {
        config: &config,
        players,
        rules: &rules,
        seed: 1,
        generation: 0,
    };
    let (stop, finished) = (AtomicBool::new(false), Mutex::new(0));
    let watch = MatchWatch {
        progress: &|_| {},
        finished: &|_| {
            let mut finished = finished.lock().unwrap();
            *finished += 1;
            stop.store(*finished == 7, Ordering::Relaxed);
        },
        stop: &stop,
    };
    let result = play_match(&job, &watch).unwrap();
    assert_eq!(result.games.len(), 7);
    assert!(result.pair_counts().pairs() <= 3);
}

#[test]
fn what_cannot_be_played_is_an_error() {
    let rules = Rules::preset("brandubh").unwrap();
    let stop = AtomicBool::new(false);
    let watch = MatchWatch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &stop,
    };
    let error = |config: &ArenaConfig, player: &Player<'_>| {
        let players = [player, player];
        let job = Match {
            config,
            players,
            rules: &rules,
            seed: 1,
            generation: 0,
        };
        play_match(&job, &watch).unwrap_err()
    };
    let broken = || Err("no weights".into());
    let missing = Player::searcher("missing", &broken, search(4));
    assert_eq!(
        error(&config(), &missing).to_string(),
        "worker 0: no evaluator: no weights"
    );
    let none = ArenaConfig {
        openings: 0,
        ..config()
    };
    let text = error(&none, &Player::random()).to_string();
    assert_eq!(
        text,
        "[arena] field `openings`: 0 is not a number from 1 to 1000000"
    );
}

fn planned(job: &Match<'_>, plan: &MatchPlan) -> PlannedResult {
    let stop = AtomicBool::new(false);
    let watch = MatchWatch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &stop,
    };
    play_planned(job, plan, &watch).unwrap()
}

#[test]
fn a_test_ends_the_match_with_the_same_pair_whatever_the_workers() {
    let (greedy, random) = (Player::greedy(), Player::random());
    let rules = Rules::preset("brandubh").unwrap();
    let plan = MatchPlan {
        sprt: Some("0,100".parse().unwrap()),
        ..MatchPlan::new(openings(&rules, 300, 4, 9))
    };
    let play = |workers, parallel_games, players| {
        let config = ArenaConfig {
            workers,
            parallel_games,
            ..config()
        };
        let job = Match {
            config: &config,
            players,
            rules: &rules,
            seed: 4,
            generation: 0,
        };
        planned(&job, &plan)
    };
    let accepted = play(1, 2, [&greedy, &random]);
    for (workers, parallel_games) in [(1, 64), (3, 8)] {
        assert_eq!(accepted, play(workers, parallel_games, [&greedy, &random]));
    }
    let sprt = accepted.sprt.unwrap();
    assert_eq!(sprt.verdict(), Verdict::Accept);
    assert_eq!(sprt.pairs(), accepted.result.pair_counts());
    assert_eq!(accepted.result.games.len() as u64, 2 * sprt.pairs().pairs());
    assert!(accepted.result.games.len() < 200);
    let rejected = play(2, 16, [&random, &greedy]).sprt.unwrap();
    assert_eq!(rejected.verdict(), Verdict::Reject);
}

#[test]
fn a_match_that_goes_on_later_gives_the_games_it_would_have_given() {
    let rollouts = Player::rollouts(6);
    let thinker = Player::alpha_beta(1);
    let rules = Rules::preset("brandubh").unwrap();
    let config = config();
    let players = [&rollouts, &thinker];
    let job = Match {
        config: &config,
        players,
        rules: &rules,
        seed: 4,
        generation: 0,
    };
    let mut plan = MatchPlan::new(openings(&rules, 5, 4, 9));
    let whole = planned(&job, &plan).result;
    assert_eq!(whole.games.len(), 10);
    plan.finished = [0, 3, 4, 5]
        .map(|index: usize| whole.games[index].clone())
        .into();
    assert_eq!(planned(&job, &plan).result, whole);
}

#[test]
fn openings_that_cannot_be_played_are_named() {
    let (greedy, random) = (Player::greedy(), Player::random());
    let rules = Rules::preset("brandubh").unwrap();
    let config = config();
    let players = [&greedy, &random];
    let job = Match {
        config: &config,
        players,
        rules: &rules,
        seed: 4,
        generation: 0,
    };
    let plan = MatchPlan::new(vec![Vec::new(), vec!["d4-d5".parse().unwrap()]]);
    let stop = AtomicBool::new(false);
    let watch = MatchWatch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &stop,
    };
    let error = play_planned(&job, &plan, &watch).unwrap_err().to_string();
    assert!(error.starts_with("opening 2: "), "{error}");
}

#[test]
fn the_files_of_openings_can_be_played_under_the_rulesets_of_their_family() {
    let families: [(&str, &[&str]); 3] = [
        (
            include_str!("../../../data/openings/copenhagen.txt"),
            &["copenhagen", "copenhagen-tournament", "fetlar"],
        ),
        (
            include_str!("../../../data/openings/berserk.txt"),
            &["berserk-2017", "berserk-2024"],
        ),
        (
            include_str!("../../../data/openings/brandubh.txt"),
            &["brandubh"],
        ),
    ];
    for (text, rulesets) in families {
        for ruleset in rulesets {
            let rules = Rules::preset(ruleset).unwrap();
            assert_eq!(read_openings(text, &rules).unwrap().len(), 100, "{ruleset}");
        }
    }
}

#[test]
fn adjudicated_games_end_early_and_are_called_so() {
    let rollouts = Player::rollouts(60);
    let other = Player {
        name: "other".into(),
        ..Player::rollouts(40)
    };
    let rules = Rules::preset("brandubh").unwrap();
    let config = ArenaConfig {
        openings: 8,
        ..config()
    };
    let players = [&rollouts, &other];
    let job = Match {
        config: &config,
        players,
        rules: &rules,
        seed: 4,
        generation: 0,
    };
    let mut plan = MatchPlan::new(openings(&rules, 8, 4, 9));
    let whole = planned(&job, &plan).result;
    plan.adjudication = Some(Adjudication {
        value: 0.4,
        searches: 1,
    });
    let shorter = planned(&job, &plan).result;
    let plies = |result: &MatchResult| -> usize {
        result
            .games
            .iter()
            .map(|game| game.record.plies.len())
            .sum()
    };
    assert!(plies(&shorter) < plies(&whole));
    let mut adjudicated = 0;
    for (early, late) in shorter.games.iter().zip(&whole.games) {
        let (early, late) = (&early.record, &late.record);
        if early.ending.reason == EndingReason::Adjudicated {
            adjudicated += 1;
            assert!(early.ending.winner.is_some());
            assert_eq!(early.plies[..], late.plies[..early.plies.len()]);
            tafl_samples::samples_of(early, &rules).unwrap();
        } else {
            assert_eq!(early, late);
        }
    }
    assert!(adjudicated > 0);
    assert!(shorter.set_tally().undecided > 0);
    let thinker = Player::alpha_beta(1);
    let job = Match {
        players: [&rollouts, &thinker],
        ..job
    };
    let games = planned(&job, &plan).result.games;
    assert!(
        games
            .iter()
            .all(|game| game.record.ending.reason != EndingReason::Adjudicated)
    );
}

#[test]
fn a_test_of_the_second_player_sees_the_mirror_image() {
    let (greedy, random) = (Player::greedy(), Player::random());
    let rules = Rules::preset("brandubh").unwrap();
    let config = config();
    let players = [&random, &greedy];
    let job = Match {
        config: &config,
        players,
        rules: &rules,
        seed: 4,
        generation: 0,
    };
    let plan = MatchPlan {
        sprt: Some("0,100".parse().unwrap()),
        tested: 1,
        ..MatchPlan::new(openings(&rules, 100, 4, 9))
    };
    let found = planned(&job, &plan);
    let sprt = found.sprt.unwrap();
    assert_eq!(sprt.verdict(), Verdict::Accept);
    assert_eq!(sprt.pairs(), found.result.pair_counts().for_opponent());
}

#[test]
fn games_end_about_in_the_order_of_their_openings_whoever_plays() {
    // A test waits for the first pair that is missing, so that games far ahead would be in vain.
    let (greedy, random) = (Player::greedy(), Player::random());
    let rules = Rules::preset("brandubh").unwrap();
    let config = ArenaConfig {
        parallel_games: 8,
        ..config()
    };
    let players = [&greedy, &random];
    let job = Match {
        config: &config,
        players,
        rules: &rules,
        seed: 4,
        generation: 0,
    };
    let order = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    let watch = MatchWatch {
        progress: &|_| {},
        finished: &|game| order.lock().unwrap().push(game.record.game_id),
        stop: &stop,
    };
    play_planned(&job, &MatchPlan::new(openings(&rules, 60, 4, 9)), &watch).unwrap();
    let order = order.into_inner().unwrap();
    assert_eq!(order.len(), 120);
    for (place, &game_id) in order.iter().enumerate() {
        assert!(game_id.abs_diff(place as u64) <= 16, "{order:?}");
    }
}

#[test]
fn a_player_meets_itself_once_an_opening_and_its_searches_are_kept() {
    let rules = Rules::preset("brandubh").unwrap();
    let uniform = Player::searcher("uniform", &uniform, search(6));
    let played = |left_out: &[usize], workers| {
        let config = ArenaConfig {
            workers,
            ..config()
        };
        let job = Match {
            config: &config,
            players: [&uniform, &uniform],
            rules: &rules,
            seed: 5,
            generation: 0,
        };
        let plan = MatchPlan {
            left_out: left_out.iter().copied().collect(),
            ..MatchPlan::mirrored(openings(&rules, 6, 4, 9))
        };
        let most = Mutex::new(0);
        let watch = MatchWatch {
            progress: &|now| *most.lock().unwrap() = now.games,
            finished: &|_| {},
            stop: &AtomicBool::new(false),
        };
        let result = play_planned(&job, &plan, &watch).unwrap().result;
        assert_eq!(*most.lock().unwrap(), result.games.len() as u64);
        result
    };
    let all = played(&[], 1);
    assert_eq!(all, played(&[], 3));
    let ids: Vec<u64> = all.games.iter().map(|game| game.record.game_id).collect();
    assert_eq!(ids, [0, 2, 4, 6, 8, 10]);
    for game in &all.games {
        let record = &game.record;
        let samples = tafl_samples::samples_of(record, &rules).unwrap();
        assert_eq!(
            samples.len(),
            record.plies.len() - record.opening_plies as usize
        );
        let is_opening = |ply: usize| ply < record.opening_plies as usize;
        let kept = record.plies.iter().enumerate();
        assert!(
            kept.into_iter()
                .all(|(ply, it)| it.search.is_none() == is_opening(ply))
        );
        assert_eq!(
            (&*record.attackers, &*record.defenders),
            ("uniform", "uniform")
        );
    }
    // What is left out changes nothing of the others.
    let some = played(&[0, 3], 1);
    let others = all
        .games
        .iter()
        .filter(|game| ![0, 3].contains(&game.opening()));
    assert!(some.games.iter().eq(others));
}
