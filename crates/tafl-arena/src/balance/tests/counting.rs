//! Counts of games that are constructed, and the warnings that follow.

use super::*;
use crate::Tally;
use rand::SeedableRng;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules, Setup};
use tafl_samples::{GameKind, GameRecord, PlyRecord};

#[test]
fn no_games_at_all_leave_every_number_finite() {
    let summary = played(2, vec![player(None)], vec![vec![], vec![]]).summary();
    let text = serde_json::to_string(&summary).expect("JSON");
    // JSON has no word for infinity: it would be null where a number must be.
    let read: Summary = serde_json::from_str(&text).expect("numbers");
    assert_eq!(read.cells.len(), 2);
}

#[test]
fn rulesets_without_games_are_not_compared() {
    let won = vec![game(0, ending(0.0, [1.0, 0.0])); 6];
    let lost = vec![game(0, ending(1.0, [0.0, 0.0])); 6];
    let summary = played(3, vec![player(None)], vec![won, vec![], lost]).summary();
    let pairs = summary.comparisons.iter();
    let pairs = pairs.map(|it| [it.first.as_str(), &it.second]);
    assert_eq!(pairs.collect::<Vec<_>>(), [["r0", "r2"]]);
    let ranked = summary.rankings.iter().map(|it| it.ruleset.as_str());
    assert_eq!(ranked.collect::<Vec<_>>(), ["r0", "r2"]);
}

/// Returns the record of a game with three plies of an opening.
fn record(game: &Game) -> GameRecord {
    let rules = game.rules();
    let ply = |&mv: &Move| PlyRecord { mv, search: None };
    GameRecord {
        game_id: 6,
        seed: 0,
        ruleset: "brandubh".to_owned(),
        ruleset_fingerprint: rules.ruleset().fingerprint(),
        start: Setup::of(&rules.start(), rules.shape()),
        generation: 0,
        kind: GameKind::Match,
        attackers: "p".into(),
        defenders: "p".into(),
        opening_plies: 3,
        handicap: None,
        plies: game.moves().iter().map(ply).collect(),
        ending: game.outcome().map_or(Ending::CAPPED, Ending::from),
    }
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
        let of_opponent = |game: &Game| game.position().pieces(Side::ALL[1 - side]).count();
        let before = of_opponent(&game);
        if game.moves().len() >= 3 {
            expected.1[side] += 1;
            expected.2[side] += legal.len() as u64;
        }
        let mv = legal[rng.random_range(0..legal.len())];
        game.play(mv).expect("legal");
        expected.0[side] += u64::from(before - of_opponent(&game));
    }
    assert!(expected.0.iter().sum::<u64>() > 0, "something is captured");
    let replayed = StudyGame::replay(&record(&game), &rules).expect("a game");
    assert_eq!(
        (replayed.captures, replayed.plies, replayed.choices),
        expected
    );
    assert_eq!((replayed.opening, &*replayed.moves), (3, game.moves()));
}

/// A study of one cell in which games ended in every way.
fn thirteen_games() -> Summary {
    let rule = |winner, reason| Ending {
        winner,
        reason: EndingReason::Rule(reason),
    };
    use EndReason::*;
    let (attackers, defenders) = (Some(Side::Attacker), Some(Side::Defender));
    let endings = [
        rule(attackers, KingCaptured),
        rule(defenders, KingEscaped),
        rule(defenders, KingEscaped),
        rule(defenders, KingEscaped),
        rule(attackers, Repetition),
        rule(None, Repetition),
        rule(None, Repetition),
        rule(None, Unfinishable),
        Ending::CAPPED,
        rule(attackers, NoMove),
        rule(attackers, Encirclement),
        rule(defenders, Fort),
        rule(None, Captureless),
    ];
    let games = (0..)
        .zip(endings)
        .map(|(opening, ending)| game(opening, ending));
    played(1, vec![player(None)], vec![games.collect()]).summary()
}

#[test]
fn endings_are_counted_by_reason_and_winner() {
    let summary = thirteen_games();
    let cell = &summary.cells[0];
    let found: Vec<(&str, u64)> = cell
        .endings
        .iter()
        .map(|ending| (ending.text.as_str(), ending.games))
        .collect();
    assert_eq!(found[0], ("king escaped", 3));
    assert_eq!(found[1], ("draw: repetition", 2));
    assert_eq!(found.len(), 10);
    for text in [
        "king captured",
        "repetition, attackers win",
        "draw: unfinishable",
        "cut at the ply limit",
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
    let decisive = cell.decisive_share.expect("games with a winner");
    assert!((decisive.value - 0.5).abs() < 1e-12);
    let mut warnings = summary.warnings.iter();
    let capped = warnings.find(|it| it.kind == WarningKind::Capped);
    let text = &capped.expect("1 of 13 is many").text;
    assert!(text.contains("1 of 13 games"), "{text}");
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
        let summary = played(1, vec![player(None)], vec![vec![game]]).summary();
        let decision = summary.cells[0].decision.clone().expect("a decision");
        assert_eq!(decision.games, 1);
        decision.ply.median
    };
    // The attackers' expected scores before plies 4 to 9 of a game of ten.
    let turn = [0.7, 0.4, 0.6, 0.4, 0.3, 0.1];
    assert_eq!(decided(Side::Defender, &turn), 7.0);
    assert_eq!(decided(Side::Attacker, &turn), 10.0);
    assert_eq!(decided(Side::Attacker, &[0.6; 6]), 4.0);
    // Even is not ahead.
    let even = [0.5, 0.5, 0.5, 0.5, 0.5, 0.4];
    assert_eq!(decided(Side::Defender, &even), 9.0);
    let drawn = game(0, Ending::CAPPED);
    let summary = played(1, vec![player(None)], vec![vec![drawn]]).summary();
    assert_eq!(summary.cells[0].decision, None);
}

#[test]
fn weak_and_untrained_players_and_few_openings_are_warned_of() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
    let mut study = played(1, vec![player(None)], vec![games(&mut rng, [0.4, 0.0], 30)]);
    assert_eq!(study.summary().warnings, []);
    study.study.openings = 40;
    study.cells[0].trained = Some(false);
    study.cells[0].strength = Some(MeasuredStrength {
        reference: "random".to_owned(),
        results: Tally::default(),
        elo: Estimate {
            value: -20.0,
            low: -90.0,
            high: 50.0,
        },
        wanted_elo: 0.0,
        enough: false,
    });
    for game in &mut study.cells[0].games[..16] {
        game.ending = outcome(&mut rng, [0.0, 1.0]);
    }
    let warnings = study.summary().warnings;
    let kinds: Vec<WarningKind> = warnings.iter().map(|it| it.kind).collect();
    use WarningKind::{Drawn, FewOpenings, Untrained, Weak};
    assert_eq!(kinds, [FewOpenings, Untrained, Weak, Drawn]);
    let weak = &warnings[2].text;
    assert!(weak.contains("-20 Elo (-90 to +50) relative to random"));
}

#[test]
fn games_that_met_count_once() {
    let mut all = games(&mut Xoshiro256PlusPlus::seed_from_u64(1), [0.5, 0.0], 100);
    let once = played(1, vec![player(None)], vec![all.clone()]).summary();
    let again = all[..20].to_vec();
    let again = (100..).zip(again);
    all.extend(again.map(|(opening, game)| StudyGame { opening, ..game }));
    let twice = played(1, vec![player(None)], vec![all]).summary();
    assert_eq!((once.cells[0].repeated, twice.cells[0].repeated), (0, 20));
    assert_eq!(once.cells[0].results, twice.cells[0].results);
    assert_eq!(once.cells[0].score, twice.cells[0].score);
    let note = "20 of 120 games are left out.";
    let mut notes = twice.notes.iter();
    assert!(notes.any(|it| it.ends_with(note)), "{:?}", twice.notes);
}
