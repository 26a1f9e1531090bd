//! Statistics on outcomes whose truth is known, and counts of games that are constructed.

use super::posterior::{rate, score_of, sorted};
use super::*;
use crate::{Estimate, Tally};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{EndReason, Escape, Game, Rules, Setup, Side};
use tafl_samples::{Ending, EndingReason, GameRecord, PlyRecord};

const SAMPLING: Sampling = Sampling {
    draws: 1_000,
    resamples: 500,
    seed: 1,
};

/// How a game of chance ends, with the chances of wins and draws of the attackers.
fn outcome(rng: &mut Xoshiro256PlusPlus, [win, draw]: [f64; 2]) -> Ending {
    let number: f64 = rng.random();
    let (winner, reason) = if number < win {
        (Some(Side::Attacker), EndReason::KingCaptured)
    } else if number < win + draw {
        (None, EndReason::Captureless)
    } else {
        (Some(Side::Defender), EndReason::KingEscaped)
    };
    Ending {
        winner,
        reason: EndingReason::Rule(reason),
    }
}

fn game(opening: u64, ending: Ending) -> StudyGame {
    StudyGame {
        opening,
        ending,
        moves: Vec::new(),
        captures: [0; 2],
        plies: [0; 2],
        choices: [0; 2],
        values: Vec::new(),
    }
}

fn games(rng: &mut Xoshiro256PlusPlus, chances: [f64; 2], count: u64) -> Vec<StudyGame> {
    (0..count)
        .map(|opening| game(opening, outcome(rng, chances)))
        .collect()
}

fn cell(games: Vec<StudyGame>) -> StudyCell {
    StudyCell {
        games,
        games_files: Vec::new(),
        samples_files: Vec::new(),
        trained: None,
        strength: None,
    }
}

fn player(strength: Option<u32>) -> StudyPlayer {
    StudyPlayer {
        name: strength.map_or("p".to_owned(), |visits| format!("p@{visits}")),
        family: "p".to_owned(),
        unit: match strength {
            Some(_) => StrengthUnit::Visits,
            None => StrengthUnit::None,
        },
        strength,
        weights_sha256: None,
        trained_on: None,
    }
}

/// A study of rulesets called r0, r1 and so on; cells by ruleset, then player.
fn study(rulesets: usize, players: Vec<StudyPlayer>, cells: Vec<Vec<StudyGame>>) -> Study {
    let openings = cells[0].len() as u32;
    let ruleset = |number: usize| StudyRuleset {
        name: format!("r{number}"),
        fingerprint: String::new(),
        file: None,
        change: None,
        openings,
    };
    Study {
        name: "s".to_owned(),
        kind: StudyKind::Rulesets,
        seed: 1,
        openings,
        opening_plies: 4,
        max_plies: 200,
        rulesets: (0..rulesets)
            .map(|it| (ruleset(it), Escape::Corners))
            .collect(),
        players,
        cells: cells.into_iter().map(cell).collect(),
        people: Vec::new(),
    }
}

fn covers(estimate: &Estimate, truth: f64) -> bool {
    estimate.low <= truth && truth <= estimate.high
}

#[test]
fn intervals_of_score_and_elo_cover_the_truth_in_about_95_of_100_studies() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (chances, count) in [
        ([0.43, 0.02], 100),
        ([0.14, 0.0], 50),
        ([0.3, 0.4], 50),
        ([0.5, 0.0], 30),
    ] {
        let truth = chances[0] + chances[1] / 2.0;
        let (mut posterior, mut bootstrap) = (0, 0);
        for seed in 0..1_000 {
            let study = study(1, vec![player(None)], vec![games(&mut rng, chances, count)]);
            let sampling = Sampling { seed, ..SAMPLING };
            let summary = summarize(&study, &sampling);
            let cell = &summary.cells[0];
            posterior += u32::from(covers(&cell.score, truth));
            bootstrap += u32::from(covers(&cell.score_bootstrap, truth));
            assert_eq!(
                covers(&cell.score, truth),
                covers(&cell.elo, crate::elo_of_score(truth))
            );
        }
        assert!((930..=970).contains(&posterior), "{chances:?}: {posterior}");
        // The bootstrap confirms; with few games it is known to be narrow.
        assert!((900..=975).contains(&bootstrap), "{chances:?}: {bootstrap}");
    }
}

#[test]
fn intervals_of_imbalance_cover_the_truth_also_where_the_ruleset_is_fair() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for win in [0.5, 0.45, 0.25] {
        let covered = (0..1_000).filter(|&seed| {
            let study = study(1, vec![player(None)], vec![games(&mut rng, [win, 0.0], 80)]);
            let summary = summarize(&study, &Sampling { seed, ..SAMPLING });
            covers(&summary.cells[0].imbalance, 0.5 - win)
        });
        let covered = covered.count();
        assert!((930..=1_000).contains(&covered), "{win}: {covered}");
    }
}

#[test]
fn intervals_of_shares_cover_the_truth() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for truth in [0.03, 0.2, 0.5] {
        let covered = (0..2_000).filter(|_| {
            let count = (0..60).filter(|_| rng.random::<f64>() < truth).count();
            covers(&rate(count as u64, 60), truth)
        });
        let covered = covered.count() as f64 / 2_000.0;
        assert!((0.92..=0.99).contains(&covered), "{truth}: {covered}");
    }
    assert_eq!(
        (rate(0, 9).low, rate(9, 9).high, rate(0, 0).value),
        (0.0, 1.0, 0.0)
    );
}

#[test]
fn equal_rulesets_are_seldom_called_different_however_many_there_are() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut false_calls = 0;
    for seed in 0..400 {
        let cells = (0..5).map(|_| games(&mut rng, [0.38, 0.04], 100)).collect();
        let study = study(5, vec![player(None)], cells);
        let summary = summarize(&study, &Sampling { seed, ..SAMPLING });
        assert_eq!(summary.comparisons.len(), 10);
        false_calls += u32::from(summary.comparisons.iter().any(|it| it.clear));
        let sum: f64 = summary.rankings.iter().map(|it| it.probability).sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
    // 5 % of 400 are 20; the limit is what chance exceeds once in a thousand times.
    assert!(false_calls <= 34, "{false_calls} of 400");
}

#[test]
fn a_fair_ruleset_is_told_from_unfair_ones() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let cells = [0.5, 0.2, 0.8].map(|win| games(&mut rng, [win, 0.0], 300));
    let summary = summarize(&study(3, vec![player(None)], cells.to_vec()), &SAMPLING);
    let [fair_unfair, fair_other, both_unfair] = &summary.comparisons[..] else {
        panic!("three pairs");
    };
    assert!(fair_unfair.clear && fair_unfair.probability > 0.99);
    assert!(fair_other.clear && fair_other.probability > 0.99);
    // 20 and 80 % are as far from even.
    assert!(!both_unfair.clear, "{both_unfair:?}");
    assert!(summary.rankings[0].probability > 0.99);
}

#[test]
fn slopes_cover_the_truth() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let players: Vec<_> = [1, 16, 64, 256].map(|visits| player(Some(visits))).into();
    let covered = (0..500).filter(|&seed| {
        // 0.02 more a doubling.
        let wins = [0.2, 0.28, 0.32, 0.36];
        let cells = wins.map(|win| games(&mut rng, [win, 0.0], 100));
        let study = study(1, players.clone(), cells.to_vec());
        let summary = summarize(&study, &Sampling { seed, ..SAMPLING });
        let [trend] = &summary.trends[..] else {
            panic!("one trend");
        };
        assert_eq!(trend.strengths, [1, 16, 64, 256]);
        covers(&trend.score_slope, 0.02)
    });
    let covered = covered.count();
    assert!((460..=490).contains(&covered), "{covered} of 500");
}

/// Games under a base and a variant: from an opening the result is the same with a chance, else drawn anew.
fn pair(
    rng: &mut Xoshiro256PlusPlus,
    same: f64,
    wins: [f64; 2],
    count: u64,
) -> [Vec<StudyGame>; 2] {
    let mut both = [Vec::new(), Vec::new()];
    for opening in 0..count {
        let number: f64 = rng.random();
        let shared = rng.random::<f64>() < same;
        for (games, win) in both.iter_mut().zip(wins) {
            let number = if shared { number } else { rng.random() };
            let (winner, reason) = if number < win {
                (Side::Attacker, EndReason::KingCaptured)
            } else {
                (Side::Defender, EndReason::KingEscaped)
            };
            let winner = Some(winner);
            let reason = EndingReason::Rule(reason);
            games.push(game(opening, Ending { winner, reason }));
        }
    }
    both
}

fn variants(base: Vec<StudyGame>, variant: Vec<StudyGame>) -> Study {
    let mut study = study(2, vec![player(None)], vec![base, variant]);
    study.kind = StudyKind::Variants;
    study.rulesets[1].0.change = Some(FieldChange {
        field: "shieldwall".to_owned(),
        from: "true".to_owned(),
        to: "false".to_owned(),
    });
    study
}

#[test]
fn effects_cover_the_truth_and_pairing_narrows_them() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut covered, mut confirmed, mut paired, mut unpaired) = (0, 0, 0.0, 0.0);
    for seed in 0..500 {
        let [base, variant] = pair(&mut rng, 0.8, [0.3, 0.4], 100);
        let study = variants(base, variant);
        let summary = summarize(&study, &Sampling { seed, ..SAMPLING });
        let [effect] = &summary.effects[..] else {
            panic!("one effect");
        };
        assert_eq!(
            (effect.openings, effect.change.field.as_str()),
            (100, "shieldwall")
        );
        covered += u32::from(covers(&effect.difference, 0.1));
        confirmed += u32::from(covers(&effect.difference_bootstrap, 0.1));
        paired += effect.difference.high - effect.difference.low;
        let width = |cell: usize| summary.cells[cell].score.high - summary.cells[cell].score.low;
        unpaired += width(0).hypot(width(1));
    }
    assert!((460..=492).contains(&covered), "{covered} of 500");
    assert!((450..=492).contains(&confirmed), "{confirmed} of 500");
    assert!(paired < 0.8 * unpaired, "{paired} {unpaired}");
}

#[test]
fn only_openings_that_both_played_are_paired() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let [base, mut variant] = pair(&mut rng, 1.0, [0.5, 0.5], 30);
    variant.drain(..10);
    let summary = summarize(&variants(base, variant), &SAMPLING);
    let effect = &summary.effects[0];
    // Equal results from all openings: no effect, and no certainty of that either.
    assert_eq!((effect.openings, effect.same_games), (20, 20));
    assert_eq!(effect.difference_bootstrap.value, 0.0);
    assert!(effect.difference.low < 0.0 && effect.difference.high > 0.0 && !effect.clear);
}

#[test]
fn what_a_cell_says_does_not_depend_on_the_others() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let own = games(&mut rng, [0.4, 0.1], 40);
    let other = games(&mut rng, [0.4, 0.1], 40);
    let alone = summarize(&study(1, vec![player(None)], vec![own.clone()]), &SAMPLING);
    let both = summarize(&study(2, vec![player(None)], vec![own, other]), &SAMPLING);
    assert_eq!(alone.cells[0], both.cells[0]);
}

#[test]
fn no_games_at_all_leave_every_number_finite() {
    let summary = summarize(
        &study(2, vec![player(None)], vec![vec![], vec![]]),
        &SAMPLING,
    );
    let text = serde_json::to_string(&summary).expect("JSON");
    // JSON has no word for infinity: it would be null where a number must be.
    let read: Summary = serde_json::from_str(&text).expect("numbers");
    assert_eq!(read.cells.len(), 2);
}

#[test]
fn the_middle_of_a_posterior_is_that_of_the_beta_distribution_without_draws() {
    // Wins 30, losses 70: the score's posterior is close to Beta(30.75, 70.75); SciPy gives
    // beta.ppf([0.025, 0.975], 30.75, 70.75) = 0.2183, 0.3950.
    let results = Tally {
        wins: 30,
        losses: 70,
        ..Tally::default()
    };
    let many = Sampling {
        draws: 100_000,
        ..SAMPLING
    };
    let draws = sorted(many.scores(&results));
    let score = score_of(&results, &draws);
    assert!((score.value - 30.75 / 101.5).abs() < 1e-12);
    assert!((score.low - 0.2183).abs() < 2e-3, "{score:?}");
    assert!((score.high - 0.3950).abs() < 2e-3, "{score:?}");
}

/// A record on the small board, with what its searches said.
fn record(moves: &[&str], ending: Ending, opening_plies: u32) -> (GameRecord, Arc<Rules>) {
    let rules = Rules::preset("brandubh").expect("a preset");
    let ply = |text: &&str| PlyRecord {
        mv: text.parse().expect("a move"),
        search: None,
    };
    let record = GameRecord {
        game_id: 6,
        seed: 0,
        ruleset: "brandubh".to_owned(),
        ruleset_fingerprint: rules.ruleset().fingerprint(),
        start: Setup::of(&rules.start(), rules.shape()),
        generation: 0,
        attackers: "p".to_owned(),
        defenders: "p".to_owned(),
        opening_plies,
        handicap: None,
        plies: moves.iter().map(ply).collect(),
        ending,
    };
    (record, rules)
}

#[test]
fn captures_and_choices_are_counted_by_side_and_choices_after_the_opening() {
    let rules = Rules::preset("brandubh").expect("a preset");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
    let mut game = Game::new(Arc::clone(&rules));
    let mut expected = ([0_u64; 2], [0_u64; 2], [0_u64; 2]);
    let mut legal = Vec::new();
    while game.outcome().is_none() && game.moves().len() < 60 {
        game.legal_moves(&mut legal);
        let side = game.position().side().index();
        let before = pieces(&game);
        if game.moves().len() >= 3 {
            expected.1[side] += 1;
            expected.2[side] += legal.len() as u64;
        }
        let mv = legal[rng.random_range(0..legal.len())];
        game.play(mv).expect("legal");
        expected.0[side] += before - pieces(&game);
    }
    assert!(expected.0.iter().sum::<u64>() > 0, "something is captured");
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    let ending = game.outcome().map_or(Ending::CAPPED, Ending::from);
    let (record, rules) = record(&moves, ending, 3);
    let replayed = StudyGame::replay(&record, Vec::new(), &rules).expect("a game");
    assert_eq!(
        (replayed.captures, replayed.plies, replayed.choices),
        expected
    );
    assert_eq!((replayed.opening, replayed.moves.len()), (3, moves.len()));
}

fn pieces(game: &Game) -> u64 {
    Setup::of(&game.position().clone(), game.rules().shape())
        .to_text(tafl_rules::RankOrder::HighestFirst)
        .chars()
        .filter(|c| c.is_alphabetic() && *c != 'K')
        .count() as u64
}

#[test]
fn a_record_that_does_not_end_as_it_says_is_refused() {
    let ending = Ending {
        winner: Some(Side::Defender),
        reason: EndingReason::Rule(EndReason::KingEscaped),
    };
    let (record, rules) = record(&["d6-a6"], ending, 0);
    let error = StudyGame::replay(&record, Vec::new(), &rules).expect_err("not over");
    assert!(
        error.to_string().contains("but its plies end in"),
        "{error}"
    );
}

#[test]
fn endings_are_counted_by_reason_and_winner() {
    let rule = |winner, reason| Ending {
        winner,
        reason: EndingReason::Rule(reason),
    };
    let (attackers, defenders) = (Some(Side::Attacker), Some(Side::Defender));
    let endings = [
        rule(attackers, EndReason::KingCaptured),
        rule(defenders, EndReason::KingEscaped),
        rule(defenders, EndReason::KingEscaped),
        rule(defenders, EndReason::KingEscaped),
        rule(attackers, EndReason::Repetition),
        rule(None, EndReason::Repetition),
        rule(None, EndReason::Repetition),
        rule(None, EndReason::Unfinishable),
        Ending::CAPPED,
        rule(attackers, EndReason::NoMove),
        rule(attackers, EndReason::Encirclement),
        rule(defenders, EndReason::Fort),
        rule(None, EndReason::Captureless),
    ];
    let games = (0..)
        .zip(endings)
        .map(|(opening, ending)| game(opening, ending));
    let summary = summarize(
        &study(1, vec![player(None)], vec![games.collect()]),
        &SAMPLING,
    );
    let cell = &summary.cells[0];
    let found: Vec<(&str, u64)> = cell
        .endings
        .iter()
        .map(|ending| (ending.text.as_str(), ending.games))
        .collect();
    assert_eq!(found[0], ("king escaped to a corner", 3));
    assert_eq!(found[1], ("draw: repetition", 2));
    assert_eq!(found.len(), 10);
    for text in [
        "king captured",
        "repetition, attackers win",
        "draw: unfinishable",
        "cut at the limit of plies",
        "no legal move, attackers win",
        "encirclement",
        "edge fort",
        "draw: captureless limit",
    ] {
        assert!(found.contains(&(text, 1)), "{text}: {found:?}");
    }
    let results = Tally {
        wins: 4,
        draws: 4,
        losses: 4,
        capped: 1,
    };
    assert_eq!(cell.results, results);
    assert!((cell.draw_rate.value - 4.0 / 13.0).abs() < 1e-12);
    let capped = summary
        .warnings
        .iter()
        .find(|it| it.kind == WarningKind::Capped);
    assert!(
        capped
            .expect("1 of 13 is many")
            .text
            .contains("1 of 13 games")
    );
}

#[test]
fn a_game_is_decided_when_the_winner_is_ahead_for_good() {
    let ending = |winner| Ending {
        winner: Some(winner),
        reason: EndingReason::Rule(EndReason::KingEscaped),
    };
    let mv = "d6-a6".parse().expect("a move");
    let decided = |winner, values: &[f64]| {
        let mut game = game(0, ending(winner));
        game.moves = vec![mv; 10];
        game.values = (4..).zip(values.iter().copied()).collect();
        let summary = summarize(&study(1, vec![player(None)], vec![vec![game]]), &SAMPLING);
        let decision = summary.cells[0].decision.clone().expect("a decision");
        assert_eq!(decision.games, 1);
        (
            decision.ply.median,
            decision.from_the_opening,
            decision.unforeseen,
        )
    };
    // The attackers' expected scores before plies 4 to 9 of a game of ten.
    let turn = [0.7, 0.4, 0.6, 0.4, 0.3, 0.1];
    assert_eq!(decided(Side::Defender, &turn), (7.0, 0, 0));
    assert_eq!(decided(Side::Attacker, &turn), (10.0, 0, 1));
    assert_eq!(decided(Side::Attacker, &[0.6; 6]), (4.0, 1, 0));
    // Even is not ahead.
    assert_eq!(
        decided(Side::Defender, &[0.5, 0.5, 0.5, 0.5, 0.5, 0.4]),
        (9.0, 0, 0)
    );
    let drawn = game(0, Ending::CAPPED);
    let summary = summarize(&study(1, vec![player(None)], vec![vec![drawn]]), &SAMPLING);
    assert_eq!(summary.cells[0].decision, None);
}

#[test]
fn weak_and_untrained_players_and_few_openings_are_warned_of() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
    let mut study = study(1, vec![player(None)], vec![games(&mut rng, [0.4, 0.0], 20)]);
    assert_eq!(summarize(&study, &SAMPLING).warnings, []);
    study.openings = 30;
    study.cells[0].trained = Some(false);
    study.cells[0].strength = Some(MeasuredStrength {
        yardstick: "random".to_owned(),
        results: Tally::default(),
        elo: Estimate {
            value: -20.0,
            low: -90.0,
            high: 50.0,
        },
        wanted_elo: 0.0,
        enough: false,
    });
    let warnings = summarize(&study, &SAMPLING).warnings;
    let kinds: Vec<WarningKind> = warnings.iter().map(|it| it.kind).collect();
    assert_eq!(
        kinds,
        [
            WarningKind::FewOpenings,
            WarningKind::Untrained,
            WarningKind::Weak
        ]
    );
    assert!(
        warnings[2]
            .text
            .contains("-20 Elo (-90 to +50) beside random")
    );
}

#[test]
fn results_of_people_score_like_those_of_players() {
    // 43.0 and 0.4 / 2 of 98.2 per cent that had a result.
    let score = people_score(1_752, [43.0, 0.4, 54.8], &SAMPLING);
    assert!((score.value - 43.2 / 98.2).abs() < 1e-3, "{score:?}");
    assert!(covers(&score, 43.2 / 98.2) && score.high - score.low < 0.06);
    assert_eq!(people_score(0, [0.0; 3], &SAMPLING).value, 0.5);
}
