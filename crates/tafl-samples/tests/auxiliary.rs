//! What the auxiliary head learns, and the board at the end, against a plain replay of the game.

use crate::playouts::{all_rules, random_record};
use std::sync::Arc;
use tafl_rules::{Game, Move, PolicyIndex, Rules, Side, Symmetry};
use tafl_samples::{Batch, Ending, GameRecord, Sample, TargetConfig, samples_of};

const TARGETS: TargetConfig = TargetConfig {
    value_lambda: 0.25,
    proven_results: false,
};

/// Two games of each ruleset, most of which end by the rules and some of which are cut.
fn records() -> Vec<(Arc<Rules>, GameRecord)> {
    let games = all_rules().into_iter().flat_map(|rules| {
        [(1, 2_000), (2, 60)].map(|(seed, plies)| {
            let record = random_record(&rules, seed, plies);
            (Arc::clone(&rules), record)
        })
    });
    games.collect()
}

/// Plays a record, and returns the side to move at each ply and the game as it ended.
fn replay(rules: &Arc<Rules>, record: &GameRecord) -> (Vec<Side>, Game) {
    let mut game = Game::new(Arc::clone(rules));
    let mut sides = Vec::new();
    for ply in &record.plies {
        sides.push(game.position().side());
        game.play(ply.mv).unwrap();
    }
    (sides, game)
}

#[test]
fn a_reply_is_the_first_move_of_the_other_sides_next_turn() {
    let (mut replies, mut inside_chains, mut none) = (0, 0, 0);
    for (rules, record) in records() {
        let (sides, _) = replay(&rules, &record);
        for sample in samples_of(&record, &rules).unwrap() {
            let ply = sample.ply as usize;
            let next = (ply..sides.len()).find(|&later| sides[later] != sides[ply]);
            assert_eq!(sample.reply, next.map(|later| record.plies[later].mv));
            replies += u32::from(next.is_some());
            inside_chains += u32::from(next.is_some_and(|later| later > ply + 1));
            none += u32::from(next.is_none());
        }
    }
    assert!(replies > 0 && inside_chains > 0 && none > 0);
}

#[test]
fn replies_turn_with_the_board() {
    let mut replies = 0;
    for (rules, record) in records() {
        let shape = rules.shape();
        let samples = samples_of(&record, &rules).unwrap();
        let samples: Vec<&Sample> = samples.iter().step_by(9).collect();
        let under = |symmetry| {
            let symmetries = vec![symmetry; samples.len()];
            Batch::under(&samples, &[Arc::clone(&rules)], &TARGETS, &symmetries).unwrap()
        };
        let plain = under(Symmetry::ALL[0]);
        for symmetry in Symmetry::ALL {
            let turned = under(symmetry);
            assert_eq!(turned.reply_weight, plain.reply_weight);
            for (i, sample) in samples.iter().enumerate() {
                let mv = Move::from_policy_index(PolicyIndex(turned.reply[i]), shape).unwrap();
                let is_reply = sample.reply == Some(symmetry.inverse().mv(mv, shape));
                assert_eq!(is_reply, turned.reply_weight[i] > 0.0);
                replies += usize::from(is_reply);
            }
        }
    }
    assert!(replies > 0);
}

#[test]
fn what_was_not_stored_has_no_weight() {
    let rules = Rules::preset("brandubh").unwrap();
    let mut sample = samples_of(&random_record(&rules, 1, 2_000), &rules)
        .unwrap()
        .remove(0);
    assert_ne!(sample.ending, Ending::CAPPED);
    sample.reply = None;
    let batch = Batch::new(&[&sample], &[rules], &TARGETS, 1).unwrap();
    assert_eq!(batch.reply_weight.to_vec(), [0.0]);
}
