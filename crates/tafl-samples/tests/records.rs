//! From records to samples and targets.

mod playouts;

use playouts::{all_rules, random_record};
use std::sync::Arc;
use tafl_rules::{EndReason, Game, Move, Rules, Side};
use tafl_samples::{
    Batch, BatchError, CappedValue, Ending, EndingReason, Facts, RecordError, Sample, TargetConfig,
    samples_of,
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
            assert_eq!(*sample.policy, search.policy[..]);
            assert_eq!((sample.wdl, sample.visits), (search.wdl, search.visits));
            assert_eq!(
                sample.moves_left as usize + sample.ply as usize,
                record.plies.len()
            );
        }
        assert_eq!(samples.last().unwrap().moves_left, 1);
    }
}

#[test]
fn a_record_that_is_no_game_is_refused_with_its_ply() {
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
        RecordError::BadPolicy { ply: 3, .. }
    ));

    let mut record = good.clone();
    record.plies[3].search.as_mut().unwrap().policy[0].0 = Move::END;
    assert_eq!(
        refused(&record).to_string(),
        "game 2, ply 3: policy: end is not legal"
    );

    let mut record = good.clone();
    record.ending = Ending {
        winner: None,
        reason: EndingReason::Rule(EndReason::Fort),
    };
    assert!(matches!(refused(&record), RecordError::OtherEnding { .. }));

    let mut record = good.clone();
    record.ruleset_fingerprint ^= 1;
    assert!(matches!(refused(&record), RecordError::OtherRuleset { .. }));

    let mut record = good;
    record.start.pieces.fill(None);
    assert!(matches!(refused(&record), RecordError::Start { .. }));
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
        policy: [(moves[0], 0.75), (moves[1], 0.25)].into(),
        wdl: [0.5, 0.3, 0.2],
        network_wdl: [0.4, 0.4, 0.2],
        visits: 64,
        proven,
        ending,
        moves_left: 17,
        final_pieces: [8, 3],
        final_board: None,
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
        capped_value: CappedValue::Draw,
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
fn a_capped_game_counts_as_configured() {
    let capped = sample(Side::Attacker, Ending::CAPPED, false);
    let targets = |capped_value| TargetConfig {
        value_lambda: 0.5,
        capped_value,
    };
    close(
        targets(CappedValue::Draw).wdl(&capped, &brandubh()),
        [0.25, 0.65, 0.1],
    );
    close(
        targets(CappedValue::SearchValue).wdl(&capped, &brandubh()),
        [0.5, 0.3, 0.2],
    );
    // All 8 attackers and 3 of 5 defenders are left: 1 - 0.6 = 0.4 for the attackers.
    close(
        targets(CappedValue::Material).wdl(&capped, &brandubh()),
        [0.45, 0.45, 0.1],
    );
    let theirs = sample(Side::Defender, Ending::CAPPED, false);
    close(
        targets(CappedValue::Material).wdl(&theirs, &brandubh()),
        [0.25, 0.45, 0.3],
    );
    assert_eq!(targets(CappedValue::Draw).weight(&capped), 1.0);
    assert_eq!(targets(CappedValue::Ignore).weight(&capped), 0.0);
    assert_eq!(targets(CappedValue::Draw).moves_left_weight(&capped), 0.0);
}

#[test]
fn a_batch_carries_the_targets() {
    let rules = [
        Rules::preset("brandubh").unwrap(),
        Rules::preset("tablut").unwrap(),
    ];
    let targets = TargetConfig {
        value_lambda: 0.5,
        capped_value: CappedValue::Draw,
    };
    let capped = sample(Side::Attacker, Ending::CAPPED, false);
    let batch = Batch::new(&[&capped], &rules, &targets, 1).unwrap();
    assert_eq!((batch.len, batch.squares), (1, 49));
    assert_eq!(
        (
            batch.moves_left[0],
            batch.weight[0],
            batch.moves_left_weight[0]
        ),
        (17.0, 1.0, 0.0)
    );
    assert_eq!(batch.policy.probabilities, [0.75, 0.25]);

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
    wrong.policy[0].0 = Move::END;
    assert!(matches!(
        Batch::new(&[&wrong], &rules, &targets, 1),
        Err(BatchError::Policy { .. })
    ));
}

#[test]
fn a_share_outside_0_to_1_is_refused() {
    for value_lambda in [-0.1, 1.1, f32::NAN] {
        let targets = TargetConfig {
            value_lambda,
            capped_value: CappedValue::Draw,
        };
        assert!(targets.check().is_err());
    }
    let text = "value_lambda = 0.5\ncapped_value = \"search-value\"\n";
    let targets: TargetConfig = toml::from_str(text).unwrap();
    assert_eq!(targets.capped_value, CappedValue::SearchValue);
    let error = toml::from_str::<TargetConfig>(&format!("{text}other = 1")).unwrap_err();
    assert!(error.to_string().contains("unknown field `other`"));
}
