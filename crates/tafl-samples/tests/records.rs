//! From records to samples and targets.

use crate::playouts::{all_rules, random_record};
use std::sync::Arc;
use strum::VariantArray;
use tafl_rules::{EndReason, Game, Move, Rules, Side};
use tafl_samples::{
    Batch, BatchError, Ending, EndingReason, Facts, Forfeit, GameRecord, Handicap, ProvenResult,
    RecordError, Sample, SearchRecord, TargetConfig, samples_of, weakness,
};

#[test]
fn every_searched_ply_is_a_sample() {
    for rules in all_rules() {
        let record = random_record(&rules, 9, 200);
        let samples = samples_of(&record, &rules).unwrap();
        assert_eq!(
            samples.len(),
            record.plies.len() - record.opening_plies as usize
        );
        for sample in &samples {
            let ply = &record.plies[sample.ply as usize];
            let search = ply.search.as_ref().unwrap();
            assert_eq!(sample.played, ply.mv);
            assert_eq!(*sample.search.policy, search.policy[..]);
            assert_eq!(
                (sample.search.wdl, sample.search.visits),
                (search.wdl, search.visits)
            );
            assert_eq!(
                sample.moves_left as usize + sample.ply as usize,
                record.plies.len()
            );
        }
        assert_eq!(samples.last().unwrap().moves_left, 1);
    }
}

#[test]
fn a_record_that_is_not_a_game_is_refused_with_its_ply() {
    let rules = Rules::preset("brandubh").unwrap();
    let good = random_record(&rules, 2, 40);
    let refused = |record: &tafl_samples::GameRecord| samples_of(record, &rules).unwrap_err();

    let mut record = good.clone();
    record.plies[4].mv = Move::END;
    assert!(matches!(
        refused(&record),
        RecordError::IllegalMove { ply: 4, .. }
    ));

    let mut record = good.clone();
    record.plies[3].search.as_mut().unwrap().policy[0].1 = f32::NAN;
    assert!(matches!(
        refused(&record),
        RecordError::BadSearch { ply: 3, .. }
    ));

    let mut record = good.clone();
    record.plies[3].search.as_mut().unwrap().policy[0].0 = Move::END;
    assert_eq!(
        refused(&record).to_string(),
        "game 2, ply 4: policy: end is not legal"
    );

    let mut record = good.clone();
    record.ending = Ending {
        winner: None,
        reason: EndingReason::Rule(EndReason::Fort),
    };
    assert!(matches!(refused(&record), RecordError::OtherEnding { .. }));

    // A name alone is no difference.
    let mut record = good.clone();
    record.ruleset = "mine".to_owned();
    assert!(samples_of(&record, &rules).is_ok());
    record.ruleset_fingerprint ^= 1;
    assert!(matches!(refused(&record), RecordError::OtherRuleset { .. }));

    let mut record = good.clone();
    let search = record.plies[3].search.as_mut().unwrap();
    (search.proven, search.wdl) = (true, [0.5, 0.0, 0.5]);
    assert_eq!(
        refused(&record).to_string(),
        "game 2, ply 4: search: [0.5, 0.0, 0.5] is called proven"
    );

    let mut record = good.clone();
    record.plies[3].search.as_mut().unwrap().prior_divergence = -1.0;
    assert!(matches!(
        refused(&record),
        RecordError::BadSearch { ply: 3, .. }
    ));

    // What rounding does to a sure result is no fault; half of a percent is one.
    let mut record = good.clone();
    record.plies[3].search.as_mut().unwrap().wdl = [3.8e-8, 0.0, 1.000_000_2];
    assert!(samples_of(&record, &rules).is_ok());
    record.plies[3].search.as_mut().unwrap().wdl = [0.0, 0.0, 1.005];
    assert!(matches!(
        refused(&record),
        RecordError::BadSearch { ply: 3, .. }
    ));

    let mut record = good;
    record.start.pieces.fill(None);
    assert!(matches!(refused(&record), RecordError::Start { .. }));
}

#[test]
fn a_handicap_however_small_is_not_stored_as_none() {
    for (rate, stored) in [(0.0, 0), (1e-6, 1), (0.001, 1), (0.5, 128), (1.0, 255)] {
        let side = Side::Defender;
        let found = weakness(Some(Handicap { side, rate }), None);
        assert_eq!(found, [[0, 0], [stored, 0]], "{rate}");
    }
}

#[test]
fn a_game_lost_otherwise_than_on_the_board_has_a_winner_and_a_word_of_its_own() {
    let rules = Rules::preset("brandubh").unwrap();
    let seeds = (0..100).map(|seed| random_record(&rules, seed, 20));
    let mut unfinished = seeds
        .into_iter()
        .find(|record| record.ending.is_capped())
        .unwrap();
    for &forfeit in Forfeit::VARIANTS {
        let ending = Ending::forfeited(Side::Attacker, forfeit);
        assert_eq!(ending.winner, Some(Side::Defender));
        assert_eq!(ending.reason.name().parse(), Ok(ending.reason));
        unfinished.ending = ending;
        assert!(samples_of(&unfinished, &rules).is_ok());
        unfinished.ending.winner = None;
        let refused = samples_of(&unfinished, &rules).unwrap_err();
        assert!(matches!(refused, RecordError::OtherEnding { .. }));
    }
}

fn brandubh() -> Arc<Rules> {
    Rules::preset("brandubh").unwrap()
}

/// A sample of the first position, with the attackers to move, whose search said 0.5, 0.3, 0.2.
fn sample(side: Side, ending: Ending, proven: bool) -> Sample {
    let rules = Rules::preset("brandubh").unwrap();
    let game = Game::new(Arc::clone(&rules));
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    Sample {
        ruleset: "brandubh".into(),
        game_id: 0,
        ply: 0,
        facts: Facts {
            side,
            ..Facts::of(&game)
        },
        played: moves[0],
        search: SearchRecord {
            policy: vec![(moves[0], 0.75), (moves[1], 0.25)],
            wdl: [0.5, 0.3, 0.2],
            network_wdl: [0.4, 0.4, 0.2],
            visits: 64,
            proven,
            prior_divergence: 0.25,
            ..SearchRecord::default()
        },
        proven_result: None,
        ending,
        moves_left: 17,
        final_pieces: [8, 3],
        reply: None,
    }
}

fn close(found: [f32; 3], expected: [f32; 3]) {
    let near = found
        .iter()
        .zip(expected)
        .all(|(found, expected)| (found - expected).abs() < 1e-6);
    assert!(near, "{found:?} instead of {expected:?}");
}

#[test]
fn the_value_target_mixes_result_and_search() {
    let targets = TargetConfig {
        value_lambda: 0.25,
        proven_results: false,
    };
    let won = Ending {
        winner: Some(Side::Attacker),
        reason: EndingReason::Rule(EndReason::KingCaptured),
    };
    let drawn = Ending {
        winner: None,
        reason: EndingReason::Rule(EndReason::Captureless),
    };
    close(
        targets.wdl(&sample(Side::Attacker, won, false), &brandubh()),
        [0.875, 0.075, 0.05],
    );
    close(
        targets.wdl(&sample(Side::Defender, won, false), &brandubh()),
        [0.125, 0.075, 0.8],
    );
    close(
        targets.wdl(&sample(Side::Defender, drawn, false), &brandubh()),
        [0.125, 0.825, 0.05],
    );
    close(
        targets.wdl(&sample(Side::Defender, won, true), &brandubh()),
        [0.5, 0.3, 0.2],
    );
}

#[test]
fn a_capped_game_counts_its_material() {
    let targets = TargetConfig::default();
    let capped = sample(Side::Attacker, Ending::CAPPED, false);
    // All 8 attackers and 3 of 5 defenders are left: 1 - 0.6 = 0.4 for the attackers.
    close(targets.wdl(&capped, &brandubh()), [0.45, 0.45, 0.1]);
    let theirs = sample(Side::Defender, Ending::CAPPED, false);
    close(targets.wdl(&theirs, &brandubh()), [0.25, 0.45, 0.3]);
    assert_eq!(moves_left_weight(&capped), 0.0);
    // Of a teacher's ply it is all that is known.
    let taught = Sample {
        search: SearchRecord::taught(capped.played, Ending::CAPPED.wdl_for(Side::Attacker)),
        ..capped
    };
    close(targets.wdl(&taught, &brandubh()), [0.4, 0.6, 0.0]);
}

fn moves_left_weight(sample: &Sample) -> f32 {
    let batch = Batch::new(&[sample], &[brandubh()], &TargetConfig::default(), 1);
    batch.unwrap().moves_left_weight[0]
}

#[test]
fn a_batch_carries_the_targets() {
    let rules = [
        Rules::preset("brandubh").unwrap(),
        Rules::preset("tablut").unwrap(),
    ];
    let targets = TargetConfig {
        value_lambda: 0.5,
        proven_results: false,
    };
    let capped = sample(Side::Attacker, Ending::CAPPED, false);
    let batch = Batch::new(&[&capped], &rules, &targets, 1).unwrap();
    assert_eq!((batch.len(), batch.size()), (1, 7));
    assert_eq!(
        (
            batch.moves_left[0],
            batch.weight[0],
            batch.moves_left_weight[0]
        ),
        (17.0, 1.0, 0.0)
    );
    assert_eq!(batch.policy.of(0).1.to_vec(), [0.75, 0.25]);

    let mut wrong = capped.clone();
    wrong.facts.pieces[0] = wrong.facts.pieces[4];
    assert!(matches!(
        Batch::new(&[&wrong], &rules, &targets, 1),
        Err(BatchError::Facts { .. })
    ));
    let mut wrong = capped.clone();
    wrong.facts.pieces[0].0 |= 1 << 127;
    assert!(matches!(
        Batch::new(&[&wrong], &rules, &targets, 1),
        Err(BatchError::Facts { .. })
    ));
    let mut wrong = capped.clone();
    wrong.ruleset = "unknown".into();
    assert!(matches!(
        Batch::new(&[&wrong], &rules, &targets, 1),
        Err(BatchError::UnknownRuleset(_))
    ));
    let mut wrong = capped;
    wrong.search.policy[0].0 = Move::END;
    assert!(matches!(
        Batch::new(&[&wrong], &rules, &targets, 1),
        Err(BatchError::Policy { .. })
    ));
}

/// A random game whose searches proved what is given, by ply: the mover's win, draw, loss.
fn with_proofs(rules: &Arc<Rules>, seed: u64, proofs: &[(usize, [f32; 3])]) -> GameRecord {
    let mut record = random_record(rules, seed, 200);
    for ply in &mut record.plies {
        if let Some(search) = &mut ply.search {
            (search.proven, search.wdl) = (false, [0.5, 0.3, 0.2]);
        }
    }
    for &(ply, wdl) in proofs {
        let search = record.plies[ply].search.as_mut().unwrap();
        (search.proven, search.wdl) = (true, wdl);
    }
    record
}

const WON: [f32; 3] = [1.0, 0.0, 0.0];
const DRAWN: [f32; 3] = [0.0, 1.0, 0.0];
const LOST: [f32; 3] = [0.0, 0.0, 1.0];

#[test]
fn a_proven_result_is_the_result_of_the_plies_before_it() {
    let rules = brandubh();
    // In Brandubh sides alternate, the attackers first: ply 7 is the defenders'.
    let record = with_proofs(&rules, 1, &[(7, LOST), (10, DRAWN)]);
    let samples = samples_of(&record, &rules).unwrap();
    let targets = |proven_results| TargetConfig {
        value_lambda: 0.0,
        proven_results,
    };
    let attackers_win = Some(ProvenResult {
        winner: Some(Side::Attacker),
    });
    for sample in &samples {
        let side = sample.facts.side;
        let (proven, exact) = match sample.ply {
            0..=7 if side == Side::Attacker => (attackers_win, WON),
            0..=7 => (attackers_win, LOST),
            8..=10 => (Some(ProvenResult { winner: None }), DRAWN),
            _ => (None, record.ending.wdl_for(side)),
        };
        assert_eq!(sample.proven_result, proven, "ply {}", sample.ply);
        assert_eq!(targets(true).wdl(sample, &rules), exact);
        let own = match sample.ply {
            7 => LOST,
            10 => DRAWN,
            _ => record.ending.wdl_for(side),
        };
        assert_eq!(
            targets(false).wdl(sample, &rules),
            own,
            "ply {}",
            sample.ply
        );
    }
}

#[test]
fn a_proof_within_a_chain_counts_for_the_side_that_moves_on() {
    let rules = Rules::preset("berserk-2024").unwrap();
    let in_chain = |record: &GameRecord| {
        let samples = samples_of(record, &rules).unwrap();
        let inside = samples.iter().find(|sample| sample.facts.chain.is_some());
        inside.map(|sample| sample.ply as usize)
    };
    let chained = (0..50).find_map(|seed| {
        let ply = in_chain(&random_record(&rules, seed, 200))?;
        Some((seed, ply))
    });
    let (seed, ply) = chained.expect("a chain within 50 random games");
    let record = with_proofs(&rules, seed, &[(ply, WON)]);
    let samples = samples_of(&record, &rules).unwrap();
    let side_at = |ply: usize| {
        let sample = samples.iter().find(|sample| sample.ply as usize == ply);
        sample.map(|sample| sample.facts.side)
    };
    let mover = side_at(ply).unwrap();
    assert_eq!(
        side_at(ply - 1),
        Some(mover),
        "the link before is the same side's"
    );
    for sample in samples.iter().filter(|sample| sample.ply as usize <= ply) {
        let proven = sample.proven_result.unwrap();
        assert_eq!(proven.winner, Some(mover));
        let expected = if sample.facts.side == mover {
            WON
        } else {
            LOST
        };
        assert_eq!(proven.wdl_for(sample.facts.side), expected);
    }
}

#[test]
fn what_was_proven_of_a_capped_game_is_learned() {
    let targets = |proven_results| TargetConfig {
        value_lambda: 0.5,
        proven_results,
    };
    let unknown = sample(Side::Defender, Ending::CAPPED, false);
    let known = Sample {
        proven_result: Some(ProvenResult {
            winner: Some(Side::Defender),
        }),
        ..unknown.clone()
    };
    close(targets(true).wdl(&known, &brandubh()), [0.75, 0.15, 0.1]);
    assert_ne!(targets(true).result(&unknown, &brandubh()), WON);
    assert_eq!(targets(true).result(&known, &brandubh()), WON);
    // How long the game would have gone on is unknown all the same.
    let capped = sample(Side::Attacker, Ending::CAPPED, false);
    let proven_result = known.proven_result;
    let proven = Sample {
        proven_result,
        ..capped
    };
    assert_eq!(moves_left_weight(&proven), 0.0);
}
