//! What the auxiliary heads learn, against a plain replay of the game.

mod playouts;

use playouts::{all_rules, random_record};
use std::sync::Arc;
use tafl_rules::{Game, Move, Piece, PolicyIndex, Rules, Side, Symmetry};
use tafl_samples::{
    Batch, CappedValue, Ending, GameRecord, Sample, TargetConfig, encode, samples_of,
};

const TARGETS: TargetConfig = TargetConfig {
    value_lambda: 0.25,
    capped_value: CappedValue::Ignore,
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
fn the_final_board_is_the_one_on_which_the_game_ended() {
    for (rules, record) in records() {
        let (_, game) = replay(&rules, &record);
        for sample in samples_of(&record, &rules).unwrap() {
            let board = sample.final_board.expect("a record is known to its end");
            assert_eq!(
                *board,
                Piece::ALL.map(|kind| game.position().pieces_of_kind(kind))
            );
        }
    }
}

#[test]
fn captures_to_come_are_those_that_the_rest_of_the_game_makes() {
    let mut seen = [0.0; 2];
    for (rules, record) in records() {
        let samples = samples_of(&record, &rules).unwrap();
        let samples: Vec<&Sample> = samples.iter().collect();
        let batch = Batch::new(&samples, &[Arc::clone(&rules)], &TARGETS, 1).unwrap();
        let mut game = Game::new(Arc::clone(&rules));
        let counts = |game: &Game| Side::ALL.map(|side| game.position().pieces(side).count());
        let mut lost: Vec<[u32; 2]> = Vec::new();
        for ply in &record.plies {
            let before = counts(&game);
            game.play(ply.mv).unwrap();
            let after = counts(&game);
            lost.push([before[0] - after[0], before[1] - after[1]]);
        }
        for (i, sample) in samples.iter().enumerate() {
            let is_over = record.ending != Ending::CAPPED;
            let rest = &lost[sample.ply as usize..];
            let of = |side: Side| rest.iter().map(|lost| lost[side.index()]).sum::<u32>() as f32;
            let own = sample.facts.side;
            let expected = if is_over {
                [of(own), of(own.opponent())]
            } else {
                [0.0; 2]
            };
            let auxiliary = &batch.auxiliary;
            assert_eq!(auxiliary.captures[i], expected);
            assert_eq!(
                auxiliary.captures_weight[i],
                if is_over { 1.0 } else { 0.0 }
            );
            seen = [seen[0] + expected[0], seen[1] + expected[1]];
        }
    }
    assert!(seen[0] > 0.0 && seen[1] > 0.0, "{seen:?}");
}

#[test]
fn targets_of_squares_and_moves_turn_with_the_board() {
    let mut owned = 0;
    for (rules, record) in records() {
        let shape = rules.shape();
        let samples = samples_of(&record, &rules).unwrap();
        let samples: Vec<&Sample> = samples.iter().step_by(9).collect();
        let under = |symmetry| {
            let symmetries = vec![symmetry; samples.len()];
            Batch::under(&samples, &[Arc::clone(&rules)], &TARGETS, &symmetries).unwrap()
        };
        let plain = under(Symmetry::ALL[0]).auxiliary;
        for symmetry in Symmetry::ALL {
            let turned = under(symmetry).auxiliary;
            assert_eq!(turned.captures, plain.captures);
            assert_eq!(turned.ownership_weight, plain.ownership_weight);
            assert_eq!(turned.reply_weight, plain.reply_weight);
            for (i, sample) in samples.iter().enumerate() {
                for from in 0..shape.squares() {
                    let to = shape.index(symmetry.square(shape.square(from), shape));
                    let row = i * shape.squares();
                    assert_eq!(plain.ownership[row + from], turned.ownership[row + to]);
                    owned += usize::from(plain.ownership[row + from] == 2);
                }
                let mv = Move::from_policy_index(PolicyIndex(turned.reply[i]), shape).unwrap();
                let is_reply = sample.reply == Some(symmetry.inverse().mv(mv, shape));
                assert_eq!(is_reply, turned.reply_weight[i] > 0.0 || is_ignored(sample));
            }
        }
    }
    assert!(owned > 0);
}

fn is_ignored(sample: &Sample) -> bool {
    sample.ending.is_capped() && sample.reply.is_some()
}

/// The last position, given as the end of its own game, shows the pieces where its planes show them.
#[test]
fn ownership_is_seen_by_the_side_to_move() {
    for (rules, record) in records() {
        let (shape, mut sample) = (
            rules.shape(),
            samples_of(&record, &rules).unwrap().remove(0),
        );
        sample.final_board = Some(Arc::new(sample.facts.pieces));
        let is_over = !sample.ending.is_capped();
        let batch = Batch::under(
            &[&sample],
            &[Arc::clone(&rules)],
            &TARGETS,
            &[Symmetry::ALL[3]],
        )
        .unwrap();
        let mut planes = vec![0.0_f32; shape.squares() * tafl_samples::PLANES];
        encode(
            &sample.facts.under(Symmetry::ALL[3], shape),
            &rules,
            &mut planes,
        );
        for (square, planes) in planes.chunks_exact(tafl_samples::PLANES).enumerate() {
            let attackers = planes[0] + planes[1] > 0.0;
            let defenders = planes[2] + planes[3] + planes[4] > 0.0;
            let (own, other) = match sample.facts.side {
                Side::Attacker => (attackers, defenders),
                Side::Defender => (defenders, attackers),
            };
            let expected = u8::from(own) + 2 * u8::from(other);
            let expected = if is_over { expected } else { 0 };
            assert_eq!(batch.auxiliary.ownership[square], expected);
        }
        assert_eq!(
            batch.auxiliary.ownership_weight,
            [f32::from(u8::from(is_over))]
        );
    }
}

#[test]
fn what_was_not_stored_has_no_weight() {
    let rules = Rules::preset("brandubh").unwrap();
    let mut sample = samples_of(&random_record(&rules, 1, 2_000), &rules)
        .unwrap()
        .remove(0);
    assert_ne!(sample.ending, Ending::CAPPED);
    (sample.final_board, sample.reply) = (None, None);
    let batch = Batch::new(&[&sample], &[rules], &TARGETS, 1).unwrap();
    let auxiliary = &batch.auxiliary;
    assert_eq!(auxiliary.ownership_weight, [0.0]);
    assert_eq!(auxiliary.reply_weight, [0.0]);
    assert_eq!(auxiliary.captures_weight, [1.0]);
    assert!(auxiliary.ownership.iter().all(|&owner| owner == 0));
}
